/* flat.c - see flat.h. */
#include "serve/api/flat.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define MOST 65536 /* bytes: it is for small requests */

struct reader {
    struct pingo__arena *arena;
    const char *at, *end;
    const char *wrong; /* the first thing that is; NULL: nothing */
};

static void *say(struct reader *r, const char *what)
{
    r->wrong = r->wrong ? r->wrong : what;
    return NULL;
}

/* Behind white space: is it this character?  Then it is passed. */
static bool takes(struct reader *r, char c)
{
    while (r->at < r->end && *r->at != '\0' && strchr(" \t\r\n", *r->at))
        r->at++;
    bool is_it = !r->wrong && r->at < r->end && *r->at == c;
    r->at += is_it;
    return is_it;
}

/* Four hex digits; -1: they are none. */
static int32_t unit(struct reader *r)
{
    uint8_t bytes[2];
    char hex[5] = {0};
    for (int i = 0; i < 4 && r->at < r->end; i++) {
        hex[i] = *r->at++;
        hex[i] = (char)(hex[i] >= 'A' && hex[i] <= 'F' ? hex[i] - 'A' + 'a' : hex[i]);
    }
    return pingo__text_from_hex(hex, 2, bytes) ? bytes[0] << 8 | bytes[1] : -1;
}

/* Behind a backslash, as UTF-8. */
static char *put_escape(struct reader *r, char *out)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    static const int leads[] = {0, 0xc0, 0xe0, 0xf0};
    char c = r->at < r->end ? *r->at++ : '\0';
    const char *found = c != '\0' ? strchr(names, c) : NULL;
    if (found) {
        *out++ = meanings[found - names];
        return out;
    }
    int32_t code = c == 'u' ? unit(r) : -1;
    if (code >= 0xd800 && code < 0xdc00 && r->end - r->at > 6 && r->at[0] == '\\' &&
        r->at[1] == 'u') {
        r->at += 2;
        int32_t low = unit(r);
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + low - 0xdc00 : -1;
    }
    if (code <= 0 || (code >= 0xd800 && code < 0xe000))
        return say(r, "an escape in a text stands for no character");
    if (code < 0x80) {
        *out++ = (char)code;
    } else {
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        *out++ = (char)(leads[more] | code >> (6 * more));
        while (more-- > 0)
            *out++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
    }
    return out;
}

/* A text without its quotes. */
static const char *read_text(struct reader *r)
{
    if (!takes(r, '"'))
        return say(r, "a text in double quotes is missing");
    char *text = pingo__arena_alloc(r->arena, (size_t)(r->end - r->at) + 1), *out = text;
    if (!text)
        return say(r, "out of memory");
    while (out && r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < ' ')
            return say(r, "a text has a control character");
        if (*r->at++ == '\\')
            out = put_escape(r, out);
        else
            *out++ = r->at[-1];
    }
    if (!out || r->at == r->end)
        return say(r, "a text does not end");
    r->at++;
    *out = '\0';
    return text;
}

/* A number, true, false or null. */
static const char *read_word(struct reader *r)
{
    const char *from = r->at;
    double number;
    while (r->at < r->end && *r->at != '\0' && !strchr(",} \t\r\n", *r->at))
        r->at++;
    const char *word = pingo__arena_text(r->arena, from, (size_t)(r->at - from));
    if (!word)
        return say(r, "out of memory");
    if (strcmp(word, "null") == 0)
        return NULL;
    if (strcmp(word, "true") != 0 && strcmp(word, "false") != 0 &&
        !pingo__text_to_real(word, &number))
        return say(r, "a value is neither a text, a number, true, false nor null");
    return word;
}

const char *serve_flat_read(struct pingo__arena *arena, const char *text, size_t length,
                            struct serve_flat **members, size_t *n)
{
    struct reader r = {arena, text, text + length, NULL};
    size_t capacity = 0;
    *members = NULL;
    *n = 0;
    if (length > MOST || !pingo__text_is_utf8(text, length))
        say(&r, "it is too long, or not UTF-8");
    if (!takes(&r, '{'))
        say(&r, "it is no object");
    bool is_empty = takes(&r, '}');
    while (!is_empty && !r.wrong) {
        if (!PINGO__ARENA_ROOM(arena, *members, *n, capacity))
            return "out of memory";
        struct serve_flat *m = &(*members)[(*n)++];
        m->key = read_text(&r);
        if (!takes(&r, ':'))
            say(&r, "a colon is missing behind a key");
        bool is_text = takes(&r, '"');
        r.at -= is_text;
        m->value = is_text ? read_text(&r) : r.wrong ? NULL : read_word(&r);
        if (takes(&r, '}'))
            break;
        if (!takes(&r, ','))
            say(&r, "a comma or a brace is missing behind a value");
    }
    takes(&r, '\0');
    if (r.at != r.end)
        say(&r, "something follows behind its end");
    return r.wrong;
}
