/* flat.c - see flat.h. */
#include "serve/api/flat.h"

#include <string.h>

#include "json/reader.h"

#define MOST 65536 /* bytes: it is for small requests */

/* A copy, or no memory. */
static const char *keep(struct pingo__arena *arena, struct pingo__json_reader *r, const char *text,
                        size_t n)
{
    const char *copy = text ? pingo__arena_text(arena, text, n) : NULL;
    if (!copy)
        pingo__json_reader_no_memory(r);
    return copy;
}

/* As it is told; NULL: it is null, or wrong. */
static const char *read_value(struct pingo__arena *arena, struct pingo__json_reader *r,
                              const struct pingo__json_value *v)
{
    enum pingo__json_kind kind = pingo__json_kind(v);
    size_t n = 0;
    if (kind == PINGO__JSON_ARRAY || kind == PINGO__JSON_OBJECT)
        pingo__json_reader_wrong(r, v, "expected a text, a number, true, false or null");
    if (kind == PINGO__JSON_NULL || r->rc != 0)
        return NULL;
    if (kind == PINGO__JSON_STRING)
        return keep(arena, r, pingo__json_text(v), strlen(pingo__json_text(v)));
    const char *spelling = pingo__json_spelling(&r->element, v, &n);
    return keep(arena, r, spelling, n);
}

const char *serve_flat_read(struct pingo__arena *arena, const char *text, size_t length,
                            struct serve_flat **members, size_t *n)
{
    struct pingo__json_reader r;
    struct pingo_error err = {0};
    *n = 0;
    if (length > MOST)
        return "it is too long";
    pingo__json_reader_open(&r, text, length, "the body", &err);
    const struct pingo__json_value *v =
        pingo__json_first(pingo__json_reader_value(&r, r.document.offset, ""));
    *members = pingo__arena_array(arena, r.document.nmembers + 1, sizeof **members);
    if (!*members)
        pingo__json_reader_no_memory(&r);
    for (; v && r.rc == 0; v = pingo__json_next(v)) {
        const char *key = pingo__json_key(v);
        (*members)[*n].key = keep(arena, &r, key, strlen(key));
        (*members)[(*n)++].value = read_value(arena, &r, v);
    }
    bool is_wrong = r.rc != 0;
    pingo__json_reader_clear(&r);
    const char *wrong = is_wrong ? pingo__arena_text(arena, err.message, strlen(err.message)) : NULL;
    return is_wrong && !wrong ? "out of memory" : wrong;
}
