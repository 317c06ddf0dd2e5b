/* sha256.c - SHA-256 through libcrypto, and hashes as text. */
#include "digest/sha256.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/text.h"
#include "digest/originals.h"

int pingo__digest_hasher_init(struct pingo__digest_hasher *h)
{
    h->method = NULL;
    h->context = NULL;
    /* OpenSSL 3.0 does not look whether its own start had the memory that it needs, and falls over. */
    if (!OSSL_LIB_CTX_get0_global_default() ||
        OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL) != 1)
        return PINGO_ENOMEM;
    h->method = EVP_MD_fetch(NULL, "SHA256", NULL);
    h->context = EVP_MD_CTX_new();
    if (!h->method || !h->context) {
        pingo__digest_hasher_clear(h);
        return PINGO_ENOMEM;
    }
    return 0;
}

void pingo__digest_hasher_clear(struct pingo__digest_hasher *h)
{
    EVP_MD_CTX_free(h->context);
    EVP_MD_free(h->method);
    h->context = NULL;
    h->method = NULL;
}

void pingo__digest_hasher_start(struct pingo__digest_hasher *h)
{
    h->failed = EVP_DigestInit_ex2(h->context, h->method, NULL) != 1;
}

void pingo__digest_hasher_add(struct pingo__digest_hasher *h, const void *bytes, size_t n)
{
    h->failed = h->failed || EVP_DigestUpdate(h->context, bytes, n) != 1;
}

int pingo__digest_hasher_finish(struct pingo__digest_hasher *h, struct pingo_hash *hash)
{
    bool ok = !h->failed && EVP_DigestFinal_ex(h->context, hash->bytes, NULL) == 1;
    return ok ? 0 : PINGO_ENOMEM;
}

int pingo__digest_hasher_message(struct pingo__digest_hasher *h, const void *bytes, size_t n,
                                 struct pingo_hash *hash)
{
    pingo__digest_hasher_start(h);
    pingo__digest_hasher_add(h, bytes, n);
    return pingo__digest_hasher_finish(h, hash);
}

int pingo__digest_sha256(const void *bytes, size_t n, struct pingo_hash *hash)
{
    struct pingo__digest_hasher h;
    int rc = pingo__digest_hasher_init(&h);
    memset(hash, 0, sizeof *hash);
    if (rc == 0)
        rc = pingo__digest_hasher_message(&h, bytes, n, hash);
    pingo__digest_hasher_clear(&h);
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
