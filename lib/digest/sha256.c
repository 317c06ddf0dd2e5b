/* sha256.c - SHA-256 through Nettle, and hashes as text. */
#include "digest/sha256.h"

#include <string.h>

#include "base/text.h"

void pingo__digest_hasher_init(struct pingo__digest_hasher *h)
{
    sha256_init(&h->state);
}

void pingo__digest_hasher_add(struct pingo__digest_hasher *h, const void *bytes, size_t n)
{
    sha256_update(&h->state, n, bytes);
}

void pingo__digest_hasher_finish(struct pingo__digest_hasher *h, struct pingo_hash *hash)
{
    sha256_digest(&h->state, PINGO_HASH_SIZE, hash->bytes);
}

void pingo__digest_sha256(const void *bytes, size_t n, struct pingo_hash *hash)
{
    struct pingo__digest_hasher h;
    pingo__digest_hasher_init(&h);
    pingo__digest_hasher_add(&h, bytes, n);
    pingo__digest_hasher_finish(&h, hash);
}

void pingo__digest_short(const void *bytes, size_t n, char text[PINGO__DIGEST_SHORT_SIZE])
{
    struct pingo_hash hash;
    pingo__digest_sha256(bytes, n, &hash);
    pingo__text_hex(hash.bytes, PINGO__DIGEST_SHORT_SIZE / 2, text);
}

int pingo__digest_buffer(struct pingo__buffer *b, struct pingo_hash *hash)
{
    int rc = b->failed ? PINGO_ENOMEM : 0;
    if (!rc)
        pingo__digest_sha256(b->data, b->length, hash);
    pingo__buffer_clear(b);
    return rc;
}

void pingo_hash_to_hex(const struct pingo_hash *hash, char hex[PINGO_HASH_HEX_SIZE])
{
    pingo__text_hex(hash->bytes, PINGO_HASH_SIZE, hex);
}

int pingo_hash_from_hex(const char *hex, struct pingo_hash *hash)
{
    char small[PINGO_HASH_HEX_SIZE];
    if (strnlen(hex, PINGO_HASH_HEX_SIZE) != PINGO_HASH_HEX_SIZE - 1)
        return PINGO_EINVAL;
    for (size_t i = 0; i < PINGO_HASH_HEX_SIZE; i++)
        small[i] = pingo__text_lower(hex[i]);
    struct pingo_hash read;
    if (!pingo__text_from_hex(small, PINGO_HASH_SIZE, read.bytes))
        return PINGO_EINVAL;
    *hash = read;
    return 0;
}
