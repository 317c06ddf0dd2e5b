/* sha256.h - SHA-256 through EVP: the fetched method and the context are used
 * again for every message, which halves the time of short ones. */
#ifndef PINGO__DIGEST_SHA256_H
#define PINGO__DIGEST_SHA256_H

#include <stdbool.h>
#include <stddef.h>

#include <pingo/digest.h>

/* A hasher belongs to one thread at a time. */
struct pingo__digest_hasher {
    void *method;  /* EVP_MD */
    void *context; /* EVP_MD_CTX */
    bool failed;   /* since start */
};

/* 0, or PINGO_ENOMEM; then the hasher is empty and clear is still fine. */
int pingo__digest_hasher_init(struct pingo__digest_hasher *h);
void pingo__digest_hasher_clear(struct pingo__digest_hasher *h);
/* start, add as often as you like, finish; then start again.  What failed is told by finish: 0, or PINGO_ENOMEM. */
void pingo__digest_hasher_start(struct pingo__digest_hasher *h);
void pingo__digest_hasher_add(struct pingo__digest_hasher *h, const void *bytes, size_t n);
int pingo__digest_hasher_finish(struct pingo__digest_hasher *h, struct pingo_hash *hash);
/* All three at once. */
int pingo__digest_hasher_message(struct pingo__digest_hasher *h, const void *bytes, size_t n,
                                 struct pingo_hash *hash);

#endif
