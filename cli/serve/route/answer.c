/* answer.c - what handlers answer: JSON by the views, headers, events; and errors as application/problem+json
 * (RFC 9457). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "http/server/reason.h"
#include "serve/route/route.h"
#include "view/views.h"

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

int serve_status_of(int code)
{
    static const struct {
        int code, status;
    } all[] = {
        {PINGO_EINVAL, 400},       {PINGO_EWORKFLOW, 422}, {PINGO_EBUSY, 503},
        {PINGO_ENOTFOUND, 404},    {PINGO_EEXISTS, 409},   {PINGO_EINPUT, 422},
        {PINGO_ECOLLISION, 409},   {PINGO_ESTALE, 409},    {PINGO_ENOSPACE, 507},
        {PINGO_ELIMIT, 413},       {PINGO_ECLAIMED, 409},  {PINGO_EUNSUPPORTED, 501},
        {PINGO_EAMBIGUOUS, 409},   {PINGO_EEXECUTOR, 502}, {PINGO_ESTATE, 409},
        {PINGO_EINTERRUPTED, 503}, {PINGO_EAWAY, 503},     {PINGO_ENOMEM, 503},
        {PINGO_EFORBIDDEN, 403},   {PINGO_EKEY, 422},      {PINGO_EPENDING, 409},
        {PINGO_EQUOTA, 429},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].code == code)
            return all[i].status;
    return 500;
}

/* What was answered so far is dropped, but for what the next call needs, and what is still held. */
static void put(struct serve_answer *answer, int status, const struct pingo_error *err,
                const struct pingo_problems *problems)
{
    struct serve_answer kept = *answer;
    answer->drop = NULL;
    serve_answer_clear(answer);
    answer->state = kept.state;
    answer->drop = kept.drop;
    answer->held = kept.held;
    answer->is_wes = kept.is_wes;
    answer->status = status;
    answer->type = "application/problem+json";
    if (status == 503)
        serve_header(answer, "Retry-After", "1");
    struct pingo__writer w = {0};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&w, "type", "about:blank");
    pingo__writer_text(&w, "title", pingo__http_reason(status));
    pingo__writer_int(&w, "status", status);
    pingo__writer_text(&w, "detail", err->message);
    if (answer->is_wes) {
        pingo__writer_text(&w, "msg", err->message);
        pingo__writer_int(&w, "status_code", status);
    }
    if (err->code != 0)
        pingo__writer_text(&w, "code", pingo_error_name(err->code));
    if (pingo_problems_count(problems) > 0) {
        pingo__writer_open(&w, "errors", PINGO__WRITER_ARRAY);
        for (size_t i = 0; i < pingo_problems_count(problems); i++)
            pingo__view_object(&w, NULL, &pingo__view_problem, pingo_problems_at(problems, i));
        pingo__writer_close(&w);
    }
    pingo__writer_close(&w);
    serve_written(answer, &w);
}

void serve_problem(struct serve_answer *answer, const struct pingo_error *err,
                   const struct pingo_problems *problems)
{
    put(answer, serve_status_of(err->code), err, problems);
}

void serve_refuse(struct serve_answer *answer, int status, const char *format, ...)
{
    struct pingo_error err = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(err.message, sizeof err.message, format, args);
    va_end(args);
    put(answer, status, &err, NULL);
}
