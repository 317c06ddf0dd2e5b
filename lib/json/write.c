/* write.c - writing JSON text: only what must be escaped is. */
#include "json/write.h"

#include <string.h>

void pingo__json_write_text(struct pingo__buffer *b, const char *text)
{
    static const char names[] = "\"\\bfnrt", meanings[] = "\"\\\b\f\n\r\t";

    pingo__buffer_char(b, '"');
    while (*text != '\0') {
        size_t n = 0;

        while ((unsigned char)text[n] >= 0x20 && text[n] != '"' && text[n] != '\\')
            n++;
        pingo__buffer_append(b, text, n);
        text += n;
        if (*text != '\0') {
            const char *found = strchr(meanings, *text);

            if (found != NULL)
                pingo__buffer_format(b, "\\%c", names[found - meanings]);
            else
                pingo__buffer_format(b, "\\u%04x", (unsigned)(unsigned char)*text);
            text++;
        }
    }
    pingo__buffer_char(b, '"');
}
