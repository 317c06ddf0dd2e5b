/* sha256.h - SHA-256 of what lies in memory, or comes in pieces. */
#ifndef PINGO__DIGEST_SHA256_H
#define PINGO__DIGEST_SHA256_H

#include <stddef.h>

#include <nettle/sha2.h>

#include <pingo/digest.h>

#include "base/buffer.h"

/* SHA-256 of bytes. */
void pingo__digest_sha256(const void *bytes, size_t n, struct pingo_hash *hash);
/* The beginning of it, as text, for names. */
#define PINGO__DIGEST_SHORT_SIZE 17
void pingo__digest_short(const void *bytes, size_t n, char text[PINGO__DIGEST_SHORT_SIZE]);
/* Of what lies in a buffer, which is cleared.  0, or PINGO_ENOMEM. */
int pingo__digest_buffer(struct pingo__buffer *b, struct pingo_hash *hash);

/* A hasher belongs to one thread at a time. */
struct pingo__digest_hasher {
    struct sha256_ctx state;
};

void pingo__digest_hasher_init(struct pingo__digest_hasher *h);
/* Add as often as you like, finish; then it begins again. */
void pingo__digest_hasher_add(struct pingo__digest_hasher *h, const void *bytes, size_t n);
void pingo__digest_hasher_finish(struct pingo__digest_hasher *h, struct pingo_hash *hash);

#endif
