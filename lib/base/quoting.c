/* quoting.c - words for a shell, fields of CSV. */
#include "base/quoting.h"

#include <string.h>

#include "base/text.h"

static void put_escaped(struct pingo__buffer *b, char c)
{
    static const char names[] = "ntr", meanings[] = "\n\t\r";
    const char *found = strchr(meanings, c);
    if (found)
        pingo__buffer_format(b, "\\%c", names[found - meanings]);
    else
        pingo__buffer_format(b, "\\x%02x", (unsigned)(unsigned char)c);
}

/* Whatever a terminal obeys is escaped. */
static void put_shown(struct pingo__buffer *b, const void *bytes, size_t length)
{
    const char *text = bytes, *shown;
    for (size_t i = 0, n, nshown; i < length; i += n) {
        n = pingo__text_clean_next(text + i, &shown, &nshown);
        if (shown == text + i)
            pingo__buffer_append(b, shown, nshown);
        for (size_t k = 0; shown != text + i && k < n; k++)
            put_escaped(b, text[i + k]);
    }
}

static void put_word(struct pingo__buffer *b, const char *word,
                     void (*put)(struct pingo__buffer *b, const void *bytes, size_t length))
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

void pingo__quoting_shell(struct pingo__buffer *b, const char *word)
{
    put_word(b, word, pingo__buffer_append);
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
