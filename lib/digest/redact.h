/* redact.h - a description without what it says: for submissions that are forgotten. */
#ifndef PINGO__DIGEST_REDACT_H
#define PINGO__DIGEST_REDACT_H

#include <stddef.h>

#include <pingo/error.h>

#include "base/buffer.h"

/* Appends the canonical description with the same type and parents, and nothing else.
 * Errors: PINGO_ECORRUPT, PINGO_ENOMEM. */
int pingo__digest_description_redact(const void *description, size_t length,
                                     struct pingo__buffer *out, struct pingo_error *err);

#endif
