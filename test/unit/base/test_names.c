/* test_names.c - what things are called in a pool: each name is read as it was printed, and nothing else is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/names.h"

#define HASH "ab0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd"
#define MOST INT64_MAX

static struct pingo__name read_back(const char *name, enum pingo__name_part part)
{
    struct pingo__name parsed;

    assert_true(pingo__name_parse(name, &parsed));
    assert_int_equal(parsed.part, part);
    for (int i = 0; i < PINGO__PARTS; i++)
        assert_int_equal(pingo__name_is_in((enum pingo__name_part)i, name), (int)part == i);
    return parsed;
}

static void test_names__are_read_as_printed(void **state)
{
    char name[PINGO__NAME_SIZE], copy[PINGO__NAME_SIZE];
    struct pingo__name parsed;

    (void)state;
    pingo__name_object(name, HASH, MOST, MOST);
    parsed = read_back(name, PINGO__OBJECTS);
    assert_string_equal(parsed.hash, HASH);
    assert_true(parsed.action == MOST && parsed.epoch == MOST && !parsed.is_copy);
    pingo__name_copy(copy, name);
    parsed = read_back(copy, PINGO__OBJECTS);
    assert_true(parsed.is_copy && parsed.epoch == MOST);
    pingo__name_object(name, HASH, 7, 2);
    assert_string_equal(name, "objects/ab/" HASH ".7.2");
    pingo__name_attempt(name, 7, 2);
    assert_string_equal(name, "attempts/7.2");
    parsed = read_back(name, PINGO__ATTEMPTS);
    assert_true(parsed.action == 7 && parsed.epoch == 2 && !*parsed.hash);
    pingo__name_staged(name, 7, 0);
    parsed = read_back(name, PINGO__STAGED);
    assert_true(parsed.action == 7 && parsed.epoch == 0);
    pingo__name_deleting(name, 3);
    assert_string_equal(name, "trash/d.3");
    parsed = read_back(name, PINGO__TRASH);
    assert_true(parsed.dataset == 3 && parsed.owner == 0);
    pingo__name_held(name, 5, 255, 6);
    assert_string_equal(name, "trash/o.5.00000000000000ff.6");
    parsed = read_back(name, PINGO__TRASH);
    assert_true(parsed.owner == 5 && parsed.dataset == 0);
    pingo__name_held(name, MOST, UINT64_MAX, UINT64_MAX);
    assert_true(read_back(name, PINGO__TRASH).owner == MOST);
    pingo__name_dropped(name, 255, 6);
    parsed = read_back(name, PINGO__TRASH);
    assert_true(parsed.owner == 0 && parsed.dataset == 0);
}

static void test_names__others_are_none(void **state)
{
    static const char *const others[] = {"",
                                         "objects",
                                         "objects/ab",
                                         "objects/stray",
                                         "objects/ab/" HASH,
                                         "objects/ab/" HASH ".7",
                                         "objects/ab/" HASH ".7.",
                                         "objects/ab/" HASH ".7.2x",
                                         "objects/ab/" HASH ".7.2.3",
                                         "objects/ab/" HASH "0.7.2",
                                         "objects/cd/" HASH ".7.2",
                                         "objects/ab/../" HASH ".7.2",
                                         "staged/7",
                                         "staged/-7.2",
                                         "staged/07.2",
                                         "staged/7.2.copyx",
                                         "staged/99999999999999999999.1",
                                         "attempts/.ready.1.2",
                                         "nowhere/7.2",
                                         "stagedx/7.2",
                                         "/staged/7.2"};
    static const char *const free_trash[] = {
        "trash/d.",  "trash/d.x",   "trash/d.0", "trash/d.3x", "trash/o.",
        "trash/o.5", "trash/o.x.1", "trash/x",   "trash/d",    "trash/d.3.copy"};
    struct pingo__name parsed;

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (pingo__name_parse(others[i], &parsed))
            fail_msg("%s is taken for a name", others[i]);
    for (size_t i = 0; i < sizeof free_trash / sizeof *free_trash; i++) {
        parsed = read_back(free_trash[i], PINGO__TRASH);
        if (parsed.owner || parsed.dataset)
            fail_msg("%s is taken for somebody's", free_trash[i]);
    }
}

static void test_names__of_what_is_ours(void **state)
{
    char name[PINGO__NAME_SIZE];
    int64_t action, epoch;

    (void)state;
    assert_true(pingo__name_is_ours(PINGO__OBJECTS, false, "ab"));
    assert_false(pingo__name_is_ours(PINGO__OBJECTS, false, "abc"));
    assert_false(pingo__name_is_ours(PINGO__OBJECTS, false, "zz"));
    assert_true(pingo__name_is_ours(PINGO__OBJECTS, true, HASH ".7.2"));
    assert_true(pingo__name_is_ours(PINGO__OBJECTS, true, HASH ".7.2.copy"));
    assert_false(pingo__name_is_ours(PINGO__OBJECTS, true, HASH));
    assert_true(pingo__name_is_ours(PINGO__ATTEMPTS, false, "7.2"));
    assert_false(pingo__name_is_ours(PINGO__ATTEMPTS, false, "7"));
    assert_true(pingo__name_is_ours(PINGO__STAGED, false, "7.2.copy"));
    assert_false(pingo__name_is_ours(PINGO__STAGED, false, "mine"));
    assert_true(pingo__name_is_ours(PINGO__TRASH, false, "anything"));

    pingo__name_ready(name, 12, 0);
    assert_string_equal(name, ".ready.12.0");
    assert_true(pingo__name_is_ready(name, 12) && pingo__name_is_ready(name, 0));
    assert_true(pingo__name_is_ours(PINGO__ATTEMPTS, false, name));
    assert_false(pingo__name_is_ready(name, 1) || pingo__name_is_ready(".ready.12", 0));
    assert_false(pingo__name_is_ready(".ready.12.x", 0) || pingo__name_is_ready(".ready..1", 0));
    assert_false(pingo__name_is_ready("12.0", 0));
    pingo__name_ready(name, 12, -1);
    assert_true(pingo__name_is_ready(name, 12));

    assert_true(pingo__name_is_attempt("7.2", &action, &epoch));
    assert_true(action == 7 && epoch == 2);
    assert_false(pingo__name_is_attempt("attempts/7.2", &action, &epoch));
    assert_false(pingo__name_is_attempt("0.2", &action, &epoch));
    assert_false(pingo__name_is_attempt("7.0", &action, &epoch));
    assert_false(pingo__name_is_attempt("7.2.copy", &action, &epoch));
    assert_false(pingo__name_is_attempt(".ready.7.2", &action, &epoch));
}

static void test_names__beside_an_attempt(void **state)
{
    char *path = pingo__name_beside_attempt("/a/pool/attempts/7.2", "objects");

    (void)state;
    assert_string_equal(path, "/a/pool/objects");
    free(path);
    path = pingo__name_beside_attempt("/a/pool/attempts/7.2", "");
    assert_string_equal(path, "/a/pool");
    free(path);
    assert_null(pingo__name_beside_attempt("/a/pool/staged/7.2", ""));
    assert_null(pingo__name_beside_attempt("7.2", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names__are_read_as_printed),
        cmocka_unit_test(test_names__others_are_none),
        cmocka_unit_test(test_names__of_what_is_ours),
        cmocka_unit_test(test_names__beside_an_attempt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
