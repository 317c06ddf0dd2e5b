/* test_listing.c - what changed between two listings of a tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "digest/listing.h"

/* "d sub f1 sub/a": kind and the first byte of the mark, path. */
static void read(struct pingo__digest_listing *listing, const char *text)
{
    char kind[8], path[64];
    int n;

    memset(listing, 0, sizeof *listing);
    for (; sscanf(text, "%7s %63s%n", kind, path, &n) == 2; text += n) {
        struct pingo__digest_listing_entry e = {.path = path, .kind = kind[0]};

        e.mark[0] = (uint8_t)kind[1];
        pingo__digest_listing_add(listing, &e);
    }
}

static void tell(void *context, const struct pingo__digest_listing_entry *before,
                 const struct pingo__digest_listing_entry *after)
{
    char *said = context;

    sprintf(said + strlen(said), "%s%c%s", *said ? " " : "",
            before && after ? '~'
            : before        ? '-'
                            : '+',
            (before ? before : after)->path);
}

static void test_listing__tells_what_changed(void **state)
{
    static const struct {
        const char *before, *after, *said;
    } rows[] = {
        {"", "", ""},
        {"f1 a f2 b", "f1 a f2 b", ""},
        {"f1 a f2 b", "f1 a f3 b", "~b"},
        {"f1 a", "x1 a", "~a"},
        {"f1 a", "f1 a f2 b", "+b"},
        {"f1 a f2 b", "f2 b", "-a"},
        {"d s f1 s/a", "d s f2 s/a", "~s/a"},
        {"d s f1 s/a d s/t f1 s/t/x f9 z", "f9 z", "-s"},
        {"f9 z", "d s f1 s/a d s/t f1 s/t/x f9 z", "+s"},
        {"d s d s/t f1 s/t/x f1 s/u", "d s f1 s/u", "-s/t"},
        /* A name that begins with a directory's comes after all that is in it. */
        {"d s f1 s/a f1 s.b", "d s f1 s/a f2 s.b", "~s.b"},
        {"d s f1 s/z f1 s-a", "d s f1 s-a", "-s/z"},
        {"d s f1 s/a", "f1 s", "~s"},
        {"f1 s", "d s f1 s/a f1 t", "~s +t"},
        {"l1 a", "f1 a", "~a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__digest_listing a, b;
        char said[256] = "";

        read(&a, rows[i].before);
        read(&b, rows[i].after);
        struct pingo__digest_listing_text before = {a.bytes.data, a.bytes.length};
        struct pingo__digest_listing_text after = {b.bytes.data, b.bytes.length};
        assert_int_equal(pingo__digest_listing_compare(&before, &after, tell, said), 0);
        assert_string_equal(said, rows[i].said);
        pingo__buffer_clear(&a.bytes);
        pingo__buffer_clear(&b.bytes);
    }
}

static void test_listing__what_is_none_is_no_crash(void **state)
{
    static const char *const bad[] = {"f", "f12345678", "f12345678a", "xxxxxxxxxxxxxxxxxxxxxxxx"};
    char said[256] = "";

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pingo__digest_listing_text before = {bad[i], strlen(bad[i])};
        struct pingo__digest_listing_text after = {"f12345678a", 11};
        assert_int_equal(pingo__digest_listing_compare(&before, &after, tell, said), PINGO_ECORRUPT);
    }
}

static void test_listing__of_a_large_tree_is_not_kept(void **state)
{
    struct pingo__digest_listing l = {.too_long = false};

    (void)state;
    for (int i = 0; i < 100000; i++)
        pingo__digest_listing_add(
            &l, &(struct pingo__digest_listing_entry){.path = "some/name", .kind = 'f'});
    assert_true(l.too_long);
    assert_int_equal(l.bytes.length, 0);
    pingo__buffer_clear(&l.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listing__tells_what_changed),
        cmocka_unit_test(test_listing__what_is_none_is_no_crash),
        cmocka_unit_test(test_listing__of_a_large_tree_is_not_kept),
    };

    return cmocka_run_group_tests_name("listing", tests, NULL, NULL);
}
