/* document.h - a checked JSON text.
 *
 * Opening a document is one strict pass over all of it: RFC 8259 to the letter,
 * valid UTF-8, no lone surrogates, no U+0000, no key twice in an object, numbers
 * within the range of a double, nothing after the end, a limited depth.  What
 * passed can be walked through without looking for errors again.
 * The pass notes where the members of the outermost object lie; values are read
 * by value.h, one at a time. */
#ifndef PINGO__JSON_DOCUMENT_H
#define PINGO__JSON_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/error.h>

#include "base/arena.h"
#include "base/buffer.h"

#define PINGO__JSON_DEPTH 64              /* arrays and objects within each other */
#define PINGO__JSON_NUMBER_LENGTH 63      /* bytes of a number; cJSON reads no more */
#define PINGO__JSON_LENGTH_MAX UINT32_MAX /* offsets are kept in 32 bits */

enum pingo__json_kind {
    PINGO__JSON_NULL = 1,
    PINGO__JSON_BOOLEAN,
    PINGO__JSON_NUMBER,
    PINGO__JSON_STRING,
    PINGO__JSON_ARRAY,
    PINGO__JSON_OBJECT
};

/* A member of the outermost object. */
struct pingo__json_member {
    const char *key;     /* without escapes */
    uint32_t key_offset; /* of its opening quote */
    uint32_t offset;     /* of the value's first byte */
    uint32_t count;      /* of an array's elements or an object's members */
    enum pingo__json_kind kind;
};

struct pingo__json_document {
    const char *text; /* borrowed; of what is foreign, and was no UTF-8, a copy in the arena */
    size_t length;
    enum pingo__json_kind kind; /* of the outermost value */
    size_t offset;              /* of its first byte */
    bool is_foreign;            /* a key may stand twice in an object */
    const struct pingo__json_member *members;
    size_t nmembers;
    size_t nvalues;           /* at all depths: of which value.h would make as many nodes */
    bool only_plain_integers; /* no number has a sign, a fraction, an exponent or is over 2^53-1 */
    struct pingo__arena arena;
};

/* The first thing that is wrong with a text. */
struct pingo__json_fault {
    size_t offset;
    char *pointer; /* JSON pointer of the innermost value around it; yours, free() */
    char message[320];
};

/* Checks the text.  0; PINGO_EWORKFLOW with *fault filled in (NULL: nobody asks for it); PINGO_ELIMIT (longer than
 * PINGO__JSON_LENGTH_MAX) or PINGO_ENOMEM with err.  The document must be closed in each case. */
int pingo__json_open(struct pingo__json_document *d, const char *text, size_t length,
                     struct pingo__json_fault *fault, struct pingo_error *err);
/* The same of what a foreign server says: the first of several keys counts (Hadoop's lists of resources are written
 * so), and a byte that is no UTF-8 is read as '?' (slurmrestd gives names as they were given to it); what is wrong with
 * it is not told. */
int pingo__json_open_foreign(struct pingo__json_document *d, const char *text, size_t length);
/* PINGO_ELIMIT, for a reader that takes less. */
int pingo__json_too_long(size_t length, size_t max_bytes, struct pingo_error *err);
void pingo__json_close(struct pingo__json_document *d);

/* The member with this key, or NULL. */
const struct pingo__json_member *pingo__json_member(const struct pingo__json_document *d,
                                                    const char *key);

/* A place in the text: line and column, in bytes, both from 1.  What is zeroed is its beginning. */
struct pingo__json_place {
    size_t offset, line, column;
};
/* Goes on to an offset that lies no earlier; one behind the end is the end. */
void pingo__json_go_on(const struct pingo__json_document *d, struct pingo__json_place *place,
                       size_t offset);

/* Appends a part to a JSON pointer: a slash, and the key with its ~ and / escaped. */
void pingo__json_pointer_add(struct pingo__buffer *pointer, const char *key);

/* "a string", "a number", ... */
const char *pingo__json_kind_name(enum pingo__json_kind kind);

#endif
