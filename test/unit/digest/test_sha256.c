/* test_sha256.c - hashes of known bytes however they come, and hashes as text: what is none is refused, and changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "digest/sha256.h"

/* FIPS 180-4 and its examples; at the ends of a block, where the padding changes. */
static const struct {
    const char *bytes, *hex;
    size_t times; /* the bytes, one after the other */
} known[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 0},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 1},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", 1},
    {"a", "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318", 55},
    {"a", "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a", 56},
    {"a", "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb", 64},
    {"a", "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", 1000000},
};

static char *repeated(size_t i, size_t *n)
{
    size_t length = strlen(known[i].bytes);
    *n = length * known[i].times;
    char *bytes = malloc(*n + 1);
    assert_non_null(bytes);
    for (size_t k = 0; k < known[i].times; k++)
        memcpy(bytes + k * length, known[i].bytes, length);
    return bytes;
}

static void is_known(size_t i, const struct pingo_hash *hash)
{
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(hash, hex);
    assert_string_equal(hex, known[i].hex);
}

static void test_sha256__of_known_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct pingo_hash hash;
        size_t n;
        char *bytes = repeated(i, &n);
        pingo__digest_sha256(bytes, n, &hash);
        is_known(i, &hash);
        free(bytes);
    }
}

/* One hasher for all, and pieces of any length, nothing among them. */
static void test_sha256__does_not_depend_on_pieces(void **state)
{
    static const size_t pieces[] = {1, 3, 63, 64, 65, 4096, 999983};
    struct pingo__digest_hasher h;
    (void)state;
    pingo__digest_hasher_init(&h);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t p = i == 6 ? 2 : 0; p < sizeof pieces / sizeof *pieces; p++) {
            struct pingo_hash hash;
            size_t n;
            char *bytes = repeated(i, &n);
            for (size_t at = 0; at < n; at += pieces[p]) {
                pingo__digest_hasher_add(&h, bytes + at, n - at < pieces[p] ? n - at : pieces[p]);
                pingo__digest_hasher_add(&h, "", 0);
            }
            pingo__digest_hasher_finish(&h, &hash);
            is_known(i, &hash);
            free(bytes);
        }
}

#define GOOD "00ff10Aa23456789abcdefABCDEF0123456789abcdef0123456789abcdef0123"

static void test_sha256__text_is_read_whole_or_not_at_all(void **state)
{
    static const char wrong[] = {'g', 'G', ' ', '-', '/', ':', '@', '`', '\n', '\x80', '\xff', 0};
    struct pingo_hash hash, before;
    char hex[PINGO_HASH_HEX_SIZE], text[PINGO_HASH_HEX_SIZE + 2];
    (void)state;
    assert_int_equal(pingo_hash_from_hex(GOOD, &hash), 0);
    pingo_hash_to_hex(&hash, hex);
    assert_string_equal(hex, "00ff10aa23456789abcdefabcdef0123456789abcdef0123456789abcdef0123");
    before = hash;
    for (size_t at = 0; at < sizeof GOOD - 1; at++)
        for (size_t i = 0; i < sizeof wrong; i++) {
            strcpy(text, GOOD);
            text[at] = wrong[i];
            assert_int_equal(pingo_hash_from_hex(text, &hash), PINGO_EINVAL);
            assert_memory_equal(&hash, &before, sizeof hash);
        }
    assert_int_equal(pingo_hash_from_hex("", &hash), PINGO_EINVAL);
    assert_int_equal(pingo_hash_from_hex(GOOD "0", &hash), PINGO_EINVAL);
    assert_int_equal(pingo_hash_from_hex(GOOD " ", &hash), PINGO_EINVAL);
    assert_int_equal(pingo_hash_from_hex(" " GOOD, &hash), PINGO_EINVAL);
    assert_int_equal(pingo_hash_from_hex("0x" GOOD, &hash), PINGO_EINVAL);
    assert_memory_equal(&hash, &before, sizeof hash);
}

static void test_sha256__begins_names(void **state)
{
    char text[PINGO__DIGEST_SHORT_SIZE];
    (void)state;
    pingo__digest_short("abc", 3, text);
    assert_string_equal(text, "ba7816bf8f01cfea");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256__of_known_bytes),
        cmocka_unit_test(test_sha256__does_not_depend_on_pieces),
        cmocka_unit_test(test_sha256__text_is_read_whole_or_not_at_all),
        cmocka_unit_test(test_sha256__begins_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
