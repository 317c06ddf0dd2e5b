/* value.h - one value of a checked document, as a tree.
 *
 * An element holds one tree at a time; opening another frees the former, so memory is that of the largest.
 * Values are borrowed until then. */
#ifndef PINGO__JSON_VALUE_H
#define PINGO__JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/document.h"

struct pingo__json_value {
    const struct pingo__json_value *parent, *first, *next; /* NULL: there is none */
    const char *key;                                       /* of a member; else NULL */
    const char *text;                                      /* of a string */
    int64_t integer;      /* of a number from 0 to 2^53-1 that is spelled as an integer; else -1 */
    uint32_t key_offset;  /* of the key's quote; 0 for elements of arrays and the root */
    uint32_t offset, end; /* of its first byte, and behind its last one */
    enum pingo__json_kind kind;
    bool is_true;
};

/* Where the last search in an array or object ended; the next one goes on from there. */
#define PINGO__JSON_FINGERS 64
struct pingo__json_finger {
    const struct pingo__json_value *parent, *child;
    size_t index;
};

struct pingo__json_element {
    const struct pingo__json_document *document;
    const struct pingo__json_value *root; /* NULL: none is open */
    size_t end;
    struct pingo__arena arena;
    struct pingo__json_finger fingers[PINGO__JSON_FINGERS]; /* by a hash of the parent */
};

void pingo__json_element_init(struct pingo__json_element *e,
                              const struct pingo__json_document *document);
void pingo__json_element_clear(struct pingo__json_element *e);
/* Reads the value that begins at offset.  e->end is then behind it.  false: no memory. */
bool pingo__json_element_open(struct pingo__json_element *e, size_t offset);
/* The same, but nothing below its elements or members. */
bool pingo__json_element_open_flat(struct pingo__json_element *e, size_t offset);
/* From e->end, or from behind the '[' of an array, to the next element: its offset, or 0 at the
 * end of the array. */
size_t pingo__json_next_element(const struct pingo__json_document *d, size_t from);

static inline enum pingo__json_kind pingo__json_kind(const struct pingo__json_value *v)
{
    return v->kind;
}

/* The first element or member; NULL where there is none, and of NULL. */
static inline const struct pingo__json_value *pingo__json_first(const struct pingo__json_value *v)
{
    return v ? v->first : NULL;
}

static inline const struct pingo__json_value *pingo__json_next(const struct pingo__json_value *v)
{
    return v->next;
}

static inline const char *pingo__json_key(const struct pingo__json_value *v)
{
    return v->key;
}

static inline const char *pingo__json_text(const struct pingo__json_value *v)
{
    return v->text;
}

static inline bool pingo__json_is_true(const struct pingo__json_value *v)
{
    return v->is_true;
}

/* Is it such an integer?  Then *integer is it. */
static inline int pingo__json_integer(const struct pingo__json_element *e,
                                      const struct pingo__json_value *v, int64_t *integer)
{
    (void)e;
    *integer = v->integer;
    return v->integer >= 0;
}

/* Of a number that is no such integer: the same number as one, or -1. */
int64_t pingo__json_nearly_integer(const struct pingo__json_element *e,
                                   const struct pingo__json_value *v);
/* As it stands in the text, such as the digits of a number; *length: its bytes. */
const char *pingo__json_spelling(const struct pingo__json_element *e,
                                 const struct pingo__json_value *v, size_t *length);

/* The value that a JSON pointer, relative to the root, names.  Where it leads nowhere, the last
 * value on the way. */
const struct pingo__json_value *pingo__json_find(struct pingo__json_element *e, const char *pointer);
/* Is the part of a pointer that begins here, up to '/' or the end, this key? */
bool pingo__json_part_is_key(const char *part, const char *key);

#endif
