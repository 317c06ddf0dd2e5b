/* test_history.c - a history as a structure: actions, children, sizes and times, evictions, the window. */
#include "unit/decision/submissions.h"

static struct pingo_history_submission get(const struct pingo_history *h, uint32_t i)
{
    struct pingo_history_submission s = {.size = sizeof s};

    assert_int_equal(pingo_history_submission(h, i, &s), 0);
    return s;
}

static void test_history__is_empty_at_first(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_history_submission s = {.size = sizeof s};
    struct pingo_history_window w = {0};
    size_t n = 9;

    assert_int_equal(pingo_history_count_actions(h), 0);
    assert_int_equal(pingo_history_count_submissions(h), 0);
    assert_int_equal(pingo_history_count_mentions(h), 0);
    assert_int_equal(find(h, "a"), PINGO_HISTORY_NONE);
    assert_null(pingo_history_hash(h, 0));
    assert_int_equal(pingo_history_size(h, 0), -1);
    assert_null(pingo_history_parents(h, 0, &n));
    assert_int_equal(n, 0);
    assert_int_equal(pingo_history_children(h, 0), PINGO_HISTORY_NONE);
    assert_int_equal(pingo_history_submission(h, 0, &s), PINGO_ENOTFOUND);
    assert_int_equal(pingo_history_window_next(h, 5, &w), PINGO_ENOTFOUND);
    pingo_history_free(h);
    pingo_history_free(NULL);
}

static void test_history__knows_each_action_once(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();

    assert_int_equal(submit(h, 1000, "ann", "one", "a< b<a:C c<a,b:C*"), 0);
    assert_int_equal(submit(h, 2000, "bob", "two", "a:S b:R d<b:C!*"), 0);
    assert_int_equal(pingo_history_count_actions(h), 4);
    assert_int_equal(pingo_history_count_submissions(h), 2);
    assert_int_equal(pingo_history_count_mentions(h), 6);
    assert_int_equal(pingo_history_count_edges(h), 4);

    struct pingo_history_submission s = get(h, 1);
    assert_int_equal(s.at_ms, 2000);
    assert_string_equal(s.user, "bob");
    assert_string_equal(s.workflow, "two");
    assert_int_equal(s.user_index, 1);
    assert_int_equal(s.workflow_index, 1);
    assert_int_equal(s.nactions, 3);
    assert_int_equal(s.nknown_before, 3);
    assert_int_equal(s.nknown, 4);
    assert_int_equal(s.actions[0], find(h, "a"));
    assert_int_equal(s.flags[0], PINGO_HISTORY_SKIPPED);
    assert_int_equal(s.flags[1], PINGO_HISTORY_REUSED);
    assert_int_equal(s.flags[2], PINGO_HISTORY_COMPUTED | PINGO_HISTORY_FORCED | PINGO_HISTORY_LEAF);
    pingo_history_free(h);
}

static void test_history__walks_children_newest_first(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();

    assert_int_equal(submit(h, 1, "u", "w", "a< b<a"), 0);
    assert_int_equal(submit(h, 2, "u", "w", "a c<a"), 0);
    assert_int_equal(submit(h, 3, "u", "w", "a b c d<a,b,c"), 0);
    uint32_t at = pingo_history_children(h, find(h, "a"));
    assert_int_equal(pingo_history_next_child(h, &at), find(h, "d"));
    assert_int_equal(pingo_history_next_child(h, &at), find(h, "c"));
    assert_int_equal(pingo_history_next_child(h, &at), find(h, "b"));
    assert_int_equal(pingo_history_next_child(h, &at), PINGO_HISTORY_NONE);
    assert_int_equal(pingo_history_next_child(h, &at), PINGO_HISTORY_NONE);
    at = 5; /* so many edges there are, from 0 */
    assert_int_equal(pingo_history_next_child(h, &at), PINGO_HISTORY_NONE);
    at = 4;
    assert_int_equal(pingo_history_next_child(h, &at), find(h, "d"));
    pingo_history_free(h);
}

static void test_history__keeps_the_last_known_size_and_time(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct words w;
    struct pingo_history_entry entry = {.user = "u", .workflow = "w"};

    read_words(&w, "a<");
    entry.mentions = w.mentions;
    entry.nmentions = 1;
    w.mentions[0].size_bytes = 7;
    w.mentions[0].compute_ms = 0;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
    w.mentions[0].size_bytes = w.mentions[0].compute_ms = -1;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
    assert_int_equal(pingo_history_size(h, 0), 7);
    assert_int_equal(pingo_history_compute(h, 0), 0);
    pingo_history_set_size(h, 0, 12);
    pingo_history_set_compute(h, 0, -5);
    pingo_history_set_size(h, 1, 12);
    assert_int_equal(pingo_history_size(h, 0), 12);
    assert_int_equal(pingo_history_compute(h, 0), -1);
    pingo_history_free(h);
}

static void test_history__refuses_an_eviction_of_nothing(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    static const struct pingo_history_eviction rows[] = {
        {1, 0, 1, 1}, {0, 1, 1, 1}, {0, 0, -2, 1}, {0, 0, 1, -1}};

    assert_int_equal(submit(h, 1, "u", "w", "a<"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo_error err = {0};

        assert_int_equal(pingo_history_note_eviction(h, &rows[i], &err), PINGO_EINVAL);
        assert_string_equal(err.message,
                            "an eviction names an action, size or submission that is none");
    }
    assert_int_equal(pingo_history_note_eviction(
                         h, &(struct pingo_history_eviction){0, PINGO_HISTORY_NONE, -1, 0}, NULL),
                     0);
    pingo_history_free(h);
}

/* ---- the window ----------------------------------------------------------------------------- */

static void test_history__window_drops_whole_workflows(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_history_window w = {0};
    static const uint32_t firsts[] = {0, 0, 1, 3, 3}, mentions[] = {3, 5, 4, 6, 7};

    submit(h, 1, "u", "w", "a< b<a c<b");
    submit(h, 2, "u", "w", "a b");
    submit(h, 3, "u", "w", "a b");
    submit(h, 4, "u", "w", "a b c d<c e<d f<e");
    submit(h, 5, "u", "w", "z<");
    for (uint32_t i = 0; i < 5; i++) {
        /* six are more than five, but the newest is always in it */
        assert_int_equal(pingo_history_window_next(h, i < 4 ? 5 : 7, &w), 0);
        assert_int_equal(w.end, i + 1);
        assert_int_equal(w.first, firsts[i]);
        assert_int_equal(w.nmentions, mentions[i]);
    }
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history__is_empty_at_first),
        cmocka_unit_test(test_history__knows_each_action_once),
        cmocka_unit_test(test_history__walks_children_newest_first),
        cmocka_unit_test(test_history__keeps_the_last_known_size_and_time),
        cmocka_unit_test(test_history__refuses_an_eviction_of_nothing),
        cmocka_unit_test(test_history__window_drops_whole_workflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
