/* writer.c - JSON text: only what must be escaped is. */
#include "base/writer.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo/error.h>

#include "base/text.h"

#define PIECE 32768 /* so many bytes are handed out at once */

void pingo__writer_quote(struct pingo__buffer *b, const char *text)
{
    static const char names[] = "\"\\bfnrt", meanings[] = "\"\\\b\f\n\r\t";
    pingo__buffer_char(b, '"');
    while (*text != '\0') {
        size_t n = 0, length = 1;
        while (length > 0 && (unsigned char)text[n] >= 0x20 && text[n] != '"' && text[n] != '\\') {
            length = (unsigned char)text[n] < 0x80
                         ? 1
                         : pingo__text_utf8_next(text + n, strnlen(text + n, 4));
            n += length;
        }
        pingo__buffer_append(b, text, n);
        text += n;
        const char *found = *text != '\0' ? strchr(meanings, *text) : NULL;
        if (*text == '\0')
            break;
        if (found)
            pingo__buffer_format(b, "\\%c", names[found - meanings]);
        else if (length > 0)
            pingo__buffer_format(b, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            pingo__buffer_text(b, "\xef\xbf\xbd");
        text++;
    }
    pingo__buffer_char(b, '"');
}

void pingo__writer_clear(struct pingo__writer *w)
{
    pingo__buffer_clear(&w->out);
}

int pingo__writer_flush(struct pingo__writer *w)
{
    if (!w->out.failed && w->take && w->out.length > 0) {
        w->was_refused = w->out.failed = w->take(w->context, w->out.data, w->out.length) != 0;
        w->out.length = 0;
    }
    return w->was_refused ? PINGO_EIO : w->out.failed ? PINGO_ENOMEM : 0;
}

/* What stands before an element: a comma, a new line, a key. */
static void lead(struct pingo__writer *w, const char *key)
{
    if (w->take && w->out.length >= PIECE)
        pingo__writer_flush(w);
    if (w->filled[w->depth])
        pingo__buffer_char(&w->out, ',');
    w->filled[w->depth] = true;
    if (w->depth > 0 && w->levels[w->depth] == PINGO__WRITER_LINES)
        pingo__buffer_char(&w->out, '\n');
    if (!key)
        return;
    pingo__writer_quote(&w->out, key);
    pingo__buffer_char(&w->out, ':');
}

void pingo__writer_open(struct pingo__writer *w, const char *key, enum pingo__writer_level level)
{
    assert(w->depth < PINGO__WRITER_DEPTH);
    lead(w, key);
    pingo__buffer_char(&w->out, level == PINGO__WRITER_OBJECT ? '{' : '[');
    w->levels[++w->depth] = level;
    w->filled[w->depth] = false;
}

void pingo__writer_close(struct pingo__writer *w)
{
    enum pingo__writer_level level = w->levels[w->depth];
    assert(w->depth > 0);
    if (level == PINGO__WRITER_LINES && w->filled[w->depth])
        pingo__buffer_char(&w->out, '\n');
    pingo__buffer_char(&w->out, level == PINGO__WRITER_OBJECT ? '}' : ']');
    if (--w->depth == 0)
        pingo__buffer_char(&w->out, '\n');
}

void pingo__writer_text(struct pingo__writer *w, const char *key, const char *text)
{
    if (!text) {
        pingo__writer_null(w, key);
        return;
    }
    lead(w, key);
    pingo__writer_quote(&w->out, text);
}

void pingo__writer_int(struct pingo__writer *w, const char *key, int64_t value)
{
    lead(w, key);
    pingo__buffer_integer(&w->out, value);
}

void pingo__writer_raw(struct pingo__writer *w, const char *key, const char *json)
{
    lead(w, key);
    pingo__buffer_text(&w->out, json);
}

void pingo__writer_flag(struct pingo__writer *w, const char *key, bool value)
{
    pingo__writer_raw(w, key, value ? "true" : "false");
}

void pingo__writer_null(struct pingo__writer *w, const char *key)
{
    pingo__writer_raw(w, key, "null");
}

void pingo__writer_real(struct pingo__writer *w, const char *key, double value, int digits)
{
    char text[400];
    if (!isfinite(value)) {
        pingo__writer_null(w, key);
        return;
    }
    if (digits >= 0)
        snprintf(text, sizeof text, "%.*f", digits, value);
    for (int n = 15; digits < 0 && n <= 17; n++) {
        snprintf(text, sizeof text, "%.*g", n, value);
        if (strtod(text, NULL) == value)
            break;
    }
    text[strcspn(text, ",")] = strchr(text, ',') ? '.' : '\0'; /* whatever the locale */
    pingo__writer_raw(w, key, text);
}
