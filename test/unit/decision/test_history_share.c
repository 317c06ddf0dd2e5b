/* test_history_share.c - what submissions share: lists of actions, lists with flags, names; and a workflow that comes again. */
#include "unit/decision/held.h"
#include "unit/decision/submissions.h"

#include "decision/history/history.h"

static struct pingo_history_submission get(const struct pingo_history *h, uint32_t i)
{
    struct pingo_history_submission s = {.size = sizeof s};

    assert_int_equal(pingo_history_submission(h, i, &s), 0);
    return s;
}

static void test_history_share__shares_what_is_the_same(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    size_t before;

    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<a:C*"), 0);
    for (int i = 0; i < 200; i++)
        assert_int_equal(
            pingo_history_append_again(h, &(struct pingo_history_again){0, 2 + i, "u", NULL}, NULL),
            0);
    before = in_use();
    for (int i = 0; i < 1000; i++)
        assert_int_equal(submit(h, 500 + i, "u", "w", "a:S b:R*"), 0);
    assert_ptr_equal(get(h, 0).actions, get(h, 1).actions);
    assert_ptr_equal(get(h, 1).actions, get(h, 1200).actions);
    assert_ptr_equal(get(h, 1).flags, get(h, 1200).flags);
    assert_int_equal(get(h, 1).flags[0], PINGO_HISTORY_SKIPPED);
    assert_int_equal(get(h, 1).flags[1], PINGO_HISTORY_REUSED | PINGO_HISTORY_LEAF);
    assert_true(in_use() - before < 1000 * 32);
    assert_int_equal(pingo_history_count_mentions(h), 2402);
    pingo_history_free(h);
}

/* What is the same is the same memory. */
static void test_history_share__tells_apart_what_is_not(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();

    assert_int_equal(submit(h, 1, "ann", "one", "a<:C b<:C*"), 0);
    assert_int_equal(submit(h, 2, "bob", "one", "a:R b:R*"), 0);   /* other flags */
    assert_int_equal(submit(h, 3, "ann", "two", "b:C* a:C"), 0);   /* another order */
    assert_int_equal(submit(h, 4, "bob", "two", "a:C b:C* a"), 0); /* one more */
    assert_int_equal(submit(h, 5, "", "one", "a:C"), 0);           /* one less */
    assert_ptr_equal(get(h, 0).actions, get(h, 1).actions);
    assert_ptr_not_equal(get(h, 0).flags, get(h, 1).flags);
    for (uint32_t i = 2; i < 5; i++)
        assert_ptr_not_equal(get(h, 0).actions, get(h, i).actions);
    assert_int_equal(h->lists.n, 4);
    assert_int_equal(h->contents.n, 5);
    static const uint32_t users[] = {0, 1, 0, 1, 2}, workflows[] = {0, 0, 1, 1, 0};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(get(h, i).user_index, users[i]);
        assert_int_equal(get(h, i).workflow_index, workflows[i]);
        assert_int_equal(get(h, i).at_ms, i + 1);
    }
    assert_string_equal(get(h, 4).user, "");
    pingo_history_free(h);
}

static void test_history_share__submits_a_workflow_again(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    static const uint8_t flags[] = {PINGO_HISTORY_JOINED,
                                    PINGO_HISTORY_COMPUTED | PINGO_HISTORY_FORCED};
    char user[] = "bob";

    assert_int_equal(submit(h, 1, "ann", "one", "a<:C b<a:C!*"), 0);
    assert_int_equal(submit(h, 2, "ann", "two", "c<"), 0);
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){0, 0, user, flags}, NULL), 0);
    memset(user, '?', 3); /* the name was copied */
    struct pingo_history_submission s = get(h, 2);
    assert_string_equal(s.user, "bob");
    assert_string_equal(s.workflow, "one");
    assert_int_equal(s.at_ms, 0);
    assert_ptr_equal(s.actions, get(h, 0).actions);
    assert_memory_equal(s.flags, flags, 2);
    assert_int_equal(s.nknown_before, 3);
    assert_int_equal(s.nknown, 3);
    /* of one that had no result, none is reused */
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){2, 9, "ann", NULL}, NULL), 0);
    assert_int_equal(get(h, 3).flags[0], PINGO_HISTORY_SKIPPED);
    assert_int_equal(get(h, 3).flags[1], PINGO_HISTORY_SKIPPED);
    assert_int_equal(pingo_history_count_mentions(h), 7);
    pingo_history_free(h);
}

static void test_history_share__refuses_and_stays_as_it_was(void **state)
{
    (void)state;
    static const uint8_t bad[][2] = {{0, 5}, {0, 7}, {32, 0}, {255, 0}};
    static const struct {
        struct pingo_history_again again;
        int rc;
        const char *said;
    } rows[] = {
        {{1, 1, "u", NULL}, PINGO_ENOTFOUND, "the history has no submission 1"},
        {{PINGO_HISTORY_NONE, 1, "u", NULL},
         PINGO_ENOTFOUND,
         "the history has no submission 4294967295"},
        {{0, -1, "u", NULL}, PINGO_EINVAL, "a submission has a time and a user"},
        {{0, 1, NULL, NULL}, PINGO_EINVAL, "a submission has a time and a user"},
        {{0, 1, "u", bad[0]}, PINGO_EINVAL, "the flags of an action are none"},
        {{0, 1, "u", bad[1]}, PINGO_EINVAL, "the flags of an action are none"},
        {{0, 1, "u", bad[2]}, PINGO_EINVAL, "the flags of an action are none"},
        {{0, 1, "u", bad[3]}, PINGO_EINVAL, "the flags of an action are none"},
    };
    struct pingo_history *h = new_history();
    struct pingo_error err = {0};

    assert_int_equal(submit(h, 1, "u", "w", "a< b<a"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(pingo_history_append_again(h, &rows[i].again, &err), rows[i].rc);
        assert_string_equal(err.message, rows[i].said);
        assert_int_equal(pingo_history_count_submissions(h), 1);
        assert_int_equal(pingo_history_count_mentions(h), 2);
    }
    h->nitems = PINGO_HISTORY_NONE - 1; /* no number is left */
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){0, 1, "u", NULL}, &err),
        PINGO_ELIMIT);
    assert_string_equal(err.message, "the history is full");
    h->nitems = 1;
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){0, 1, "u", NULL}, &err), 0);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_share__shares_what_is_the_same),
        cmocka_unit_test(test_history_share__tells_apart_what_is_not),
        cmocka_unit_test(test_history_share__submits_a_workflow_again),
        cmocka_unit_test(test_history_share__refuses_and_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
