/* answer.c - what handlers answer: JSON by the views, headers, events. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "serve/route/route.h"
#include "view/view.h"

void serve_answer_init(struct serve_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->fd = -1;
}

void serve_answer_clear(struct serve_answer *answer)
{
    pingo__buffer_clear(&answer->body);
    pingo__buffer_clear(&answer->headers);
    pingo__file_close(answer->fd);
    if (answer->drop)
        answer->drop(answer->state);
    serve_answer_init(answer);
}

void serve_written(struct serve_answer *answer, struct pingo__writer *w)
{
    if (answer->body.length == 0) {
        pingo__buffer_clear(&answer->body);
        answer->body = w->out;
        w->out = (struct pingo__buffer){0};
    } else {
        pingo__buffer_append(&answer->body, w->out.data, w->out.length);
        answer->body.failed = answer->body.failed || w->out.failed;
    }
    pingo__writer_clear(w);
}

void serve_json(struct serve_answer *answer, const struct pingo__view_table *view, const void *row)
{
    struct pingo__writer w = {0};
    pingo__view_object(&w, NULL, view, row);
    serve_written(answer, &w);
}

void serve_header(struct serve_answer *answer, const char *name, const char *format, ...)
{
    char value[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(value, sizeof value, format, args);
    va_end(args);
    bool is_clean = n >= 0 && (size_t)n < sizeof value;
    for (const char *p = value; is_clean && *p; p++)
        is_clean = (unsigned char)*p >= ' ' && *p != 127;
    if (is_clean)
        pingo__buffer_format(&answer->headers, "%s: %s\r\n", name, value);
}

/* Each line of the data with its name before it: what is in the data ends no event. */
void serve_event(struct serve_answer *answer, const char *id, const char *event, const char *data,
                 size_t length)
{
    struct pingo__buffer *b = &answer->body;
    if (id)
        pingo__buffer_format(b, "id: %s\n", id);
    if (event)
        pingo__buffer_format(b, "event: %s\n", event);
    for (const char *end = data + length; data <= end;) {
        const char *p = data;
        while (p < end && *p != '\n' && *p != '\r')
            p++;
        pingo__buffer_text(b, "data: ");
        pingo__buffer_append(b, data, (size_t)(p - data));
        pingo__buffer_char(b, '\n');
        data = p + 1 + (end - p > 1 && p[0] == '\r' && p[1] == '\n');
    }
    pingo__buffer_char(b, '\n');
}
