/* sha256.h - SHA-256 through EVP: the fetched method and the context are used
 * again for every message, which halves the time of short ones. */
#ifndef PINGO__DIGEST_SHA256_H
#define PINGO__DIGEST_SHA256_H

#include <stddef.h>

#include <pingo/digest.h>

/* A hasher belongs to one thread at a time. */
struct pingo__hasher {
    void *method;  /* EVP_MD */
    void *context; /* EVP_MD_CTX */
};

/* 0, or PINGO_ENOMEM; then the hasher is empty and clear is still fine. */
int pingo__hasher_init(struct pingo__hasher *h);
void pingo__hasher_clear(struct pingo__hasher *h);
/* start, add as often as you like, finish; then start again.  Each 0, or PINGO_ENOMEM. */
int pingo__hasher_start(struct pingo__hasher *h);
int pingo__hasher_add(struct pingo__hasher *h, const void *bytes, size_t n);
int pingo__hasher_finish(struct pingo__hasher *h, struct pingo_hash *hash);
/* All three at once. */
int pingo__hasher_message(struct pingo__hasher *h, const void *bytes, size_t n,
                          struct pingo_hash *hash);

#endif
