/* sha256.c - SHA-256 through libgcrypt, and hashes as text. */
#include "digest/sha256.h"

#include <string.h>

#include <gcrypt.h>

#include "base/text.h"

/* Before its first use, by one thread: libgcrypt asks the processor then what it can do. */
__attribute__((constructor)) static void wake(void)
{
    gcry_check_version(NULL);
}

int pingo__digest_hasher_init(struct pingo__digest_hasher *h)
{
    gcry_md_hd_t handle = NULL;
    int rc = gcry_md_open(&handle, GCRY_MD_SHA256, 0) ? PINGO_ENOMEM : 0;
    h->handle = handle;
    return rc;
}

void pingo__digest_hasher_clear(struct pingo__digest_hasher *h)
{
    gcry_md_close(h->handle);
    h->handle = NULL;
}

void pingo__digest_hasher_add(struct pingo__digest_hasher *h, const void *bytes, size_t n)
{
    gcry_md_write(h->handle, bytes, n);
}

void pingo__digest_hasher_finish(struct pingo__digest_hasher *h, struct pingo_hash *hash)
{
    memcpy(hash->bytes, gcry_md_read(h->handle, GCRY_MD_SHA256), PINGO_HASH_SIZE);
    gcry_md_reset(h->handle);
}

void pingo__digest_sha256(const void *bytes, size_t n, struct pingo_hash *hash)
{
    gcry_md_hash_buffer(GCRY_MD_SHA256, hash->bytes, bytes, n);
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
        small[i] = hex[i] >= 'A' && hex[i] <= 'F' ? (char)(hex[i] - 'A' + 'a') : hex[i];
    struct pingo_hash read;
    if (!pingo__text_from_hex(small, PINGO_HASH_SIZE, read.bytes))
        return PINGO_EINVAL;
    *hash = read;
    return 0;
}
