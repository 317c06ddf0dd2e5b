/* readable.c - values of a description as text for people; see readable.h. */
#include "digest/readable.h"

#include <string.h>

#include "base/text.h"

#define SHOWN_BYTES 160  /* of a shortened text */
#define LEADING_BYTES 40 /* shown of what comes before the difference */

static void put_char(struct pingo__buffer *out, unsigned char c)
{
    if (c == '\n')
        pingo__buffer_text(out, "\\n");
    else if (c == '\t')
        pingo__buffer_text(out, "\\t");
    else if (c == '\r')
        pingo__buffer_text(out, "\\r");
    else
        pingo__buffer_format(out, "\\x%02x", c);
}

/* U+0080 to U+009F are control characters too: a terminal may obey them. */
static bool is_c1_control(const char *text, size_t n)
{
    return n == 2 && (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0;
}

static void put_readable(struct pingo__buffer *out, const char *text, size_t length)
{
    size_t i = 0;

    while (i < length) {
        unsigned char c = (unsigned char)text[i];
        size_t n = pingo__text_utf8_next(text + i, length - i);

        if (c < 0x20 || c == 0x7f || n == 0 || is_c1_control(text + i, n)) {
            put_char(out, c);
            n = n == 2 ? 2 : 1;
            if (n == 2)
                put_char(out, (unsigned char)text[i + 1]);
        } else {
            pingo__buffer_append(out, text + i, n);
        }
        i += n;
    }
}

void pingo__readable_text(struct pingo__buffer *out, const char *text)
{
    put_readable(out, text, strlen(text));
}

void pingo__readable_word(struct pingo__buffer *out, const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-./=:,@%+";
    const char *quote;

    if (text[0] != '\0' && text[strspn(text, safe)] == '\0') {
        pingo__buffer_text(out, text);
        return;
    }
    pingo__buffer_char(out, '\'');
    for (quote = strchr(text, '\''); quote != NULL; quote = strchr(text, '\'')) {
        put_readable(out, text, (size_t)(quote - text));
        pingo__buffer_text(out, "'\\''");
        text = quote + 1;
    }
    put_readable(out, text, strlen(text));
    pingo__buffer_char(out, '\'');
}

void pingo__readable_field(struct pingo__buffer *out, const struct pingo_field *field)
{
    if (field->kind == PINGO_FIELD_TEXT || field->kind == PINGO_FIELD_FLAG) {
        pingo__readable_text(out, field->values[0]);
        return;
    }
    for (size_t i = 0; i < field->nvalues; i++) {
        bool is_value = field->kind == PINGO_FIELD_PAIRS && i % 2 == 1;

        if (i > 0)
            pingo__buffer_char(out, is_value ? '=' : ' ');
        pingo__readable_word(out, field->values[i]);
    }
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

void pingo__readable_shorten(struct pingo__buffer *out, const char *text, size_t at)
{
    size_t length = strlen(text);
    size_t from = at > LEADING_BYTES ? at - LEADING_BYTES : 0;
    size_t to;

    if (length <= SHOWN_BYTES) {
        pingo__buffer_append(out, text, length);
        return;
    }
    if (from > length - SHOWN_BYTES)
        from = length - SHOWN_BYTES;
    to = from + SHOWN_BYTES;
    while (from > 0 && is_continuation(text[from]))
        from--;
    while (to < length && is_continuation(text[to]))
        to++;
    if (from > 0)
        pingo__buffer_text(out, "...");
    pingo__buffer_append(out, text + from, to - from);
    if (to < length)
        pingo__buffer_text(out, "...");
}
