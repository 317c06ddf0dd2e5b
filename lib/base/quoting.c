/* quoting.c - words for a shell, fields of CSV. */
#include "base/quoting.h"

#include <string.h>

#include "base/text.h"

static void put_escaped(struct pingo__buffer *b, unsigned char c)
{
    if (c == '\n')
        pingo__buffer_text(b, "\\n");
    else if (c == '\t')
        pingo__buffer_text(b, "\\t");
    else if (c == '\r')
        pingo__buffer_text(b, "\\r");
    else
        pingo__buffer_format(b, "\\x%02x", c);
}

/* U+0080 to U+009F are control characters too: a terminal may obey them. */
static bool is_c1_control(const char *text, size_t n)
{
    return n == 2 && (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0;
}

static void put_shown(struct pingo__buffer *b, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        size_t n = pingo__text_utf8_next(text + i, length - i);
        if (c < 0x20 || c == 0x7f || n == 0 || is_c1_control(text + i, n)) {
            put_escaped(b, c);
            if (n == 2)
                put_escaped(b, (unsigned char)text[i + 1]);
            n = n == 2 ? 2 : 1;
        } else {
            pingo__buffer_append(b, text + i, n);
        }
        i += n;
    }
}

static void put_word(struct pingo__buffer *b, const char *word,
                     void (*put)(struct pingo__buffer *b, const char *text, size_t length))
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-./=:,@%+";
    if (word[0] != '\0' && word[strspn(word, safe)] == '\0') {
        pingo__buffer_text(b, word);
        return;
    }
    pingo__buffer_char(b, '\'');
    for (size_t n = strcspn(word, "'"); word[n] != '\0'; n = strcspn(word, "'")) {
        put(b, word, n);
        pingo__buffer_text(b, "'\\''");
        word += n + 1;
    }
    put(b, word, strlen(word));
    pingo__buffer_char(b, '\'');
}

static void put_plain(struct pingo__buffer *b, const char *text, size_t length)
{
    pingo__buffer_append(b, text, length);
}

void pingo__quoting_shell(struct pingo__buffer *b, const char *word)
{
    put_word(b, word, put_plain);
}

void pingo__quoting_shell_shown(struct pingo__buffer *b, const char *word)
{
    put_word(b, word, put_shown);
}

void pingo__quoting_shown(struct pingo__buffer *b, const char *text)
{
    put_shown(b, text, strlen(text));
}

void pingo__quoting_csv(struct pingo__buffer *b, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        pingo__buffer_text(b, field);
        return;
    }
    pingo__buffer_char(b, '"');
    for (; *field != '\0'; field++) {
        if (*field == '"')
            pingo__buffer_char(b, '"');
        pingo__buffer_char(b, *field);
    }
    pingo__buffer_char(b, '"');
}
