/* readable.h - values of a description as text for people: control characters
 * are escaped, lists are quoted as a shell would want them, long texts are cut
 * around the place where they differ.  For showing only: never parsed again. */
#ifndef PINGO__DIGEST_READABLE_H
#define PINGO__DIGEST_READABLE_H

#include <pingo/digest.h>

#include "base/buffer.h"

/* A field: its text, its words, or NAME=VALUE words. */
void pingo__digest_readable_field(struct pingo__buffer *out, const struct pingo_field *field);
/* Cuts a text to at most about 160 bytes that show the byte at `at`. */
void pingo__digest_readable_shorten(struct pingo__buffer *text, size_t at);

#endif
