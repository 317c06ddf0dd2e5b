/* likeness.h - what is left of a description: under what is remembered what an action needs, keys that more than one
 * hash has; and what stays where the rest is forgotten.  Pure. */
#ifndef PINGO__DIGEST_LIKENESS_H
#define PINGO__DIGEST_LIKENESS_H

#include <pingo/digest.h>

#include "base/buffer.h"

/* The hash that a canonical description would have without its salt.  Errors: PINGO_ENOMEM. */
int pingo__digest_likeness_unsalted(const void *bytes, size_t length, struct pingo_hash *key);
/* What runs, whatever it reads: the type and the command; of an array the words before its first option, of a text for
 * a shell all of it.  Of a type without a command: all its fields.  Errors: PINGO_ENOMEM. */
int pingo__digest_likeness_program(const struct pingo_description *description,
                                   struct pingo_hash *key);
/* Appends the canonical description with the same type and parents, and nothing else.
 * Errors: PINGO_ECORRUPT, PINGO_ENOMEM. */
int pingo__digest_likeness_redacted(const void *bytes, size_t length, struct pingo__buffer *out,
                                    struct pingo_error *err);

#endif
