/* value.h - one value of a checked document, read by cJSON into a tree.
 *
 * An element holds one tree at a time; opening another frees the former, so
 * memory is that of the largest.  Values are borrowed until then.
 * Where a value stands in the text is found out only when it is asked for: the
 * first question reads the element's text once, further ones cost next to nothing. */
#ifndef PINGO__JSON_VALUE_H
#define PINGO__JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/document.h"

struct pingo__json_value; /* really a cJSON */

/* Where the last search in an array or object ended; the next one goes on from there. */
#define PINGO__JSON_FINGERS 8
struct pingo__json_finger {
    const struct pingo__json_value *parent, *child;
    size_t index;
};

struct pingo__json_spot {
    uint32_t key;   /* offset of the key's quote; 0 for elements of arrays and the root */
    uint32_t value; /* offset of the value's first byte */
};

struct pingo__json_element { /* what is zeroed but for its document is a new one */
    const struct pingo__json_document *document;
    struct pingo__json_value *root; /* NULL: none is open */
    size_t offset, end;
    struct pingo__json_spot *spots; /* of every value, in the order of the text */
    size_t nspots, spots_capacity;
    struct pingo__json_finger fingers[PINGO__JSON_FINGERS]; /* the last used first */
    bool no_memory; /* for what was asked for; it stays so */
};

void pingo__json_element_clear(struct pingo__json_element *e);
/* Reads the value that begins at offset.  e->end is then behind it.  false: no memory. */
bool pingo__json_element_open(struct pingo__json_element *e, size_t offset);
/* From e->end, or from behind the '[' of an array, to the next element: its offset, or 0 at the
 * end of the array. */
size_t pingo__json_next_element(const struct pingo__json_document *d, size_t from);

enum pingo__json_kind pingo__json_kind(const struct pingo__json_value *v);
/* The first element or member; NULL where there is none, and of NULL. */
const struct pingo__json_value *pingo__json_first(const struct pingo__json_value *v);
const struct pingo__json_value *pingo__json_next(const struct pingo__json_value *v);
/* What lies in an object along keys with dots between them; NULL: nothing, as of NULL.  text_at, integer_at: it, or
 * fallback where it is nothing of that kind. */
const struct pingo__json_value *pingo__json_at(const struct pingo__json_value *v, const char *keys);
const char *pingo__json_text_at(const struct pingo__json_value *v, const char *keys,
                                const char *fallback);
int64_t pingo__json_integer_at(struct pingo__json_element *e, const struct pingo__json_value *v,
                               const char *keys, int64_t fallback);
/* Of a member: its key. */
const char *pingo__json_key(const struct pingo__json_value *v);
/* Of a string; NULL of all else, and of NULL. */
const char *pingo__json_text(const struct pingo__json_value *v);
/* Of a boolean. */
bool pingo__json_is_true(const struct pingo__json_value *v);
/* Is it an integer from 0 to 2^53-1, spelled as one?  Then *integer is it.  false of NULL, and too where memory
 * ran out: see e->no_memory. */
bool pingo__json_integer(struct pingo__json_element *e, const struct pingo__json_value *v,
                         int64_t *integer);
/* Of a number that is none: the same number as an integer in that range, or -1. */
int64_t pingo__json_nearly_integer(const struct pingo__json_value *v);
/* As it stands in the text, such as the digits of a number; *length: its bytes.  NULL: no memory. */
const char *pingo__json_spelling(struct pingo__json_element *e, const struct pingo__json_value *v,
                                 size_t *length);

/* The value that a JSON pointer, relative to the root, names.  Where it leads nowhere, the last
 * value on the way. */
const struct pingo__json_value *pingo__json_find(struct pingo__json_element *e, const char *pointer);
/* Is the part of a pointer that begins here, up to '/' or the end, this key? */
bool pingo__json_part_is_key(const char *part, const char *key);
/* Where the value (or its key) stands.  false: no memory. */
bool pingo__json_spot(struct pingo__json_element *e, const struct pingo__json_value *v,
                      struct pingo__json_spot *spot);

#endif
