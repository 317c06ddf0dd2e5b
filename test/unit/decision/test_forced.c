/* test_forced.c - what a submission computes whatever is there. */
#include "unit/decision/submissions.h"

#include "decision/algorithms/forced.h"

/* The names of those that are forced, in rising order of indexes. */
static void check(struct pingo__decision_forced *f, const char *const lines[2], const char *expected)
{
    struct pingo_history *h = new_history();
    struct pingo_history_submission w = {.size = sizeof w};
    char found[16] = "";
    assert_int_equal(submit(h, 1, "u", "w", lines[0]), 0);
    assert_int_equal(submit(h, 1, "u", "w", lines[1]), 0);
    assert_int_equal(pingo_history_submission(h, 1, &w), 0);
    assert_true(pingo__decision_forced_find(f, h, &w));
    for (size_t i = 0; i < f->n; i++) {
        found[i] = (char)pingo_history_hash(h, f->actions[i])->bytes[0];
        assert_true(i == 0 || f->actions[i - 1] < f->actions[i]);
    }
    if (strcmp(found, expected) != 0)
        fail_msg("%s: %s, not %s", lines[1], found, expected);
    for (uint32_t i = 0; i < pingo_history_count_actions(h); i++)
        assert_int_equal(pingo__decision_forced_has(f, i),
                         strchr(found, pingo_history_hash(h, i)->bytes[0]) != NULL);
    pingo_history_free(h);
}

static void test_forced__are_those_and_what_descends_from_them(void **state)
{
    static const struct {
        const char *lines[2], *expected;
    } rows[] = {
        {{"a< b<a c<b", "a b c"}, ""},
        {{"a< b<a c<b", "a b! c"}, "bc"},
        {{"a< b<a c<b", "c b a!"}, "abc"},              /* in any order */
        {{"a< b<a c<b", "a! b"}, "ab"},                 /* c is not asked for */
        {{"a< b<a c<a d<b,c e<a", "a b! c d e"}, "bd"}, /* a diamond, half of it */
        {{"a< b<a c<b", "a b! b c c"}, "bc"},           /* one of two that are equal: both */
        {{"a< x<", "a! x! n<a m<"}, "axn"},             /* what is new as well */
        {{"a< b<", "a b!"}, "b"},
        {{"a< b<a c<b d<b", "a b!:C c:S d:C"}, "bd"}, /* nobody asked for c this time */
    };
    struct pingo__decision_forced f = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&f, rows[i].lines, rows[i].expected);
    pingo__decision_forced_clear(&f);
    assert_false(pingo__decision_forced_has(&f, 0));
    pingo__decision_forced_clear(&f); /* again is fine */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forced__are_those_and_what_descends_from_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
