/* flat.c - see flat.h. */
#include "serve/api/flat.h"

#include <stdlib.h>
#include <string.h>

#include "json/value.h"

#define MOST 65536 /* bytes: it is for small requests */

static const char no_memory[] = "out of memory";

static const char *copy(struct pingo__arena *arena, const char *text)
{
    return pingo__arena_text(arena, text, strlen(text));
}

/* As it is told; *value NULL: it is null. */
static const char *read_value(struct pingo__arena *arena, struct pingo__json_element *e,
                              const struct pingo__json_member *m, const char **value)
{
    size_t n;
    *value = NULL;
    if (m->kind == PINGO__JSON_ARRAY || m->kind == PINGO__JSON_OBJECT)
        return "a value is neither a text, a number, true, false nor null";
    if (m->kind == PINGO__JSON_NULL)
        return NULL;
    if (!pingo__json_element_open(e, m->offset))
        return no_memory;
    const char *text = m->kind == PINGO__JSON_STRING ? pingo__json_text(e->root)
                                                     : pingo__json_spelling(e, e->root, &n);
    if (text)
        *value =
            m->kind == PINGO__JSON_STRING ? copy(arena, text) : pingo__arena_text(arena, text, n);
    return *value ? NULL : no_memory;
}

static const char *read_members(struct pingo__arena *arena, const struct pingo__json_document *d,
                                struct serve_flat *members)
{
    struct pingo__json_element e = {.document = d};
    const char *wrong = NULL;
    for (size_t i = 0; !wrong && i < d->nmembers; i++) {
        members[i].key = copy(arena, d->members[i].key);
        wrong =
            members[i].key ? read_value(arena, &e, &d->members[i], &members[i].value) : no_memory;
    }
    pingo__json_element_clear(&e);
    return wrong;
}

const char *serve_flat_read(struct pingo__arena *arena, const char *text, size_t length,
                            struct serve_flat **members, size_t *n)
{
    struct pingo__json_document d;
    struct pingo__json_fault fault = {.pointer = NULL};
    const char *wrong = NULL;
    *members = NULL;
    *n = 0;
    if (length > MOST)
        return "it is too long";
    int rc = pingo__json_open(&d, text, length, &fault, NULL);
    if (rc == PINGO_EWORKFLOW)
        wrong = copy(arena, fault.message);
    else if (!rc && d.kind != PINGO__JSON_OBJECT)
        wrong = "it is no object";
    else if (!rc && (*members = pingo__arena_array(arena, d.nmembers + 1, sizeof **members)))
        wrong = read_members(arena, &d, *members);
    else
        wrong = no_memory;
    *n = wrong ? 0 : d.nmembers;
    free(fault.pointer);
    pingo__json_close(&d);
    return wrong ? wrong : rc == PINGO_EWORKFLOW ? no_memory : NULL;
}
