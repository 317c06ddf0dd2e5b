/* A history as a structure: indexes, edges, sharing, the window, and what append refuses. */
#include "unit/decision/submissions.h"

#include <malloc.h>

/* Bytes of memory that the program holds now. */
static size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

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

static void test_history__puts_parents_before_children(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    size_t n;

    /* named in an order that is the wrong way round, with a parent named twice */
    assert_int_equal(submit(h, 1, "u", "w", "d<c,b,c c<a b<a a<"), 0);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t *parents = pingo_history_parents(h, i, &n);

        for (size_t k = 0; k < n; k++) {
            assert_true(parents[k] < i);
            assert_true(k == 0 || parents[k - 1] < parents[k]);
        }
    }
    pingo_history_parents(h, find(h, "d"), &n);
    assert_int_equal(n, 2);
    assert_int_equal(get(h, 0).actions[0], find(h, "d"));
    assert_int_equal(get(h, 0).actions[3], find(h, "a"));
    assert_int_equal(find(h, "a"), 0);
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
    pingo_history_free(h);
}

static void test_history__shares_what_is_the_same(void **state)
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

static void test_history__takes_equal_actions_of_one_workflow(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();

    assert_int_equal(submit(h, 1, "u", "w", "a<:C a<:J b<a:C* b<a:J*"), 0);
    assert_int_equal(pingo_history_count_actions(h), 2);
    assert_int_equal(get(h, 0).nactions, 4);
    assert_int_equal(get(h, 0).actions[0], get(h, 0).actions[1]);
    assert_int_equal(pingo_history_count_edges(h), 1);
    pingo_history_free(h);
}

static void test_history__finds_leaves_itself_when_asked(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct words w;
    struct pingo_history_entry entry = {.user = "u", .workflow = "w"};

    read_words(&w, "a< b<a c<b d<a");
    for (size_t i = 0; i < w.n; i++)
        w.mentions[i].flags = PINGO_HISTORY_LEAF_IF_LAST;
    entry.mentions = w.mentions;
    entry.nmentions = w.n;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
    assert_int_equal(get(h, 0).flags[0], 0);
    assert_int_equal(get(h, 0).flags[1], 0);
    assert_int_equal(get(h, 0).flags[2], PINGO_HISTORY_LEAF);
    assert_int_equal(get(h, 0).flags[3], PINGO_HISTORY_LEAF);
    entry.nmentions = 2; /* b is the last one here, though it has a child elsewhere */
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
    assert_int_equal(get(h, 1).flags[1], PINGO_HISTORY_LEAF);
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

/* ---- what is refused ------------------------------------------------------------------ */

static void test_history__refuses_and_stays_as_it_was(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int expected;
    } rows[] = {
        {"", PINGO_EINVAL},
        {"x<y", PINGO_EINVAL},         /* no such parent */
        {"x<a", PINGO_EINVAL},         /* known, but not of this submission */
        {"x<x", PINGO_EINVAL},         /* its own parent */
        {"x<z y<x z<y", PINGO_EINVAL}, /* a cycle */
        {"p<q q<p a", PINGO_EINVAL},
        {"a b<", PINGO_EINVAL}, /* other parents than before */
        {"a b c<a", PINGO_EINVAL},
        {"x< y<x x<y", PINGO_EINVAL}, /* twice, with different parents */
        {"x< x< y<x y<", PINGO_EINVAL},
    };
    struct pingo_history *h = new_history();

    assert_int_equal(submit(h, 1, "u", "w", "a< b<a c<a,b"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(submit(h, 5, "v", "z", rows[i].text), rows[i].expected);
        assert_int_equal(pingo_history_count_actions(h), 3);
        assert_int_equal(pingo_history_count_edges(h), 3);
        assert_int_equal(pingo_history_count_submissions(h), 1);
        assert_int_equal(find(h, "x"), PINGO_HISTORY_NONE);
        assert_int_equal(find(h, "c"), 2);
    }
    assert_int_equal(submit(h, -1, "u", "w", "a"), PINGO_EINVAL);
    assert_int_equal(submit(h, 1, NULL, "w", "a"), PINGO_EINVAL);
    assert_int_equal(submit(h, 5, "u", "w", "x< y<x a b<a c<b,a"), 0);
    assert_int_equal(pingo_history_count_actions(h), 5);
    assert_int_equal(get(h, 1).nknown_before, 3);
    pingo_history_free(h);
}

static void test_history__refuses_flags_that_are_none(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct words w;
    struct pingo_history_entry entry = {.user = "u", .workflow = "w", .nmentions = 1};
    uint8_t flags = 7;

    read_words(&w, "a<");
    entry.mentions = w.mentions;
    w.mentions[0].flags = 5;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_EINVAL);
    w.mentions[0].flags = 64;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_EINVAL);
    w.mentions[0].flags = 0;
    w.mentions[0].size_bytes = -2;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_EINVAL);
    w.mentions[0].size_bytes = -1;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){0, 1, "u", &flags}, NULL),
        PINGO_EINVAL);
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){1, 1, "u", NULL}, NULL),
        PINGO_ENOTFOUND);
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){0, -1, "u", NULL}, NULL),
        PINGO_EINVAL);
    assert_int_equal(
        pingo_history_note_eviction(h, &(struct pingo_history_eviction){1, 0, 1, 1}, NULL),
        PINGO_EINVAL);
    assert_int_equal(
        pingo_history_note_eviction(h, &(struct pingo_history_eviction){0, 1, 1, 1}, NULL),
        PINGO_EINVAL);
    pingo_history_free(h);
}

/* A submission is closed under ancestors, said or known: what was appended can be cut out, printed and
 * read again. */
static void test_history__refuses_a_submission_without_known_parents(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_error err = {0};
    struct words w;
    struct pingo_history_entry entry = {.user = "u", .workflow = "w", .mentions = w.mentions};

    assert_int_equal(submit(h, 1, "u", "w", "a b<a c<b"), 0);
    read_words(&w, "d a c");
    entry.nmentions = w.n;
    assert_int_equal(pingo_history_append(h, &entry, NULL, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "action 2: its parent 62000000"));
    assert_int_equal(submit(h, 1, "u", "w", "b c<b"), PINGO_EINVAL);
    assert_int_equal(pingo_history_count_actions(h), 3);
    assert_int_equal(find(h, "d"), PINGO_HISTORY_NONE);
    assert_int_equal(submit(h, 1, "u", "w", "c b d a"), 0);
    pingo_history_free(h);
}

/* ---- the table against a plain list ------------------------------------------------------ */

static void test_history__finds_every_hash_of_many(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    size_t before = in_use();
    struct pingo_history *h = new_history();
    char line[64], name[16];

    for (int i = 0; i < MANY; i++) {
        snprintf(line, sizeof line, i % 2 ? "n%d n%d<n%d" : "n%d<", i % 2 ? i - 1 : i, i, i - 1);
        assert_int_equal(submit(h, i, "u", "w", line), 0);
        if (i % 7 == 0) /* what fails leaves no trace in the table */
            assert_int_equal(submit(h, i, "u", "w", "q< r<s"), PINGO_EINVAL);
    }
    assert_int_equal(pingo_history_count_actions(h), MANY);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(find(h, name), i);
    }
    assert_int_equal(find(h, "q"), PINGO_HISTORY_NONE);
    assert_int_equal(find(h, "n20000"), PINGO_HISTORY_NONE);
    assert_true(in_use() - before < MANY * 400);
    pingo_history_free(h);
}

static void test_history__orders_a_chain_that_is_the_wrong_way_round(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    struct pingo_history_mention *mentions = calloc(MANY, sizeof *mentions);
    struct pingo_hash *hashes = calloc(MANY + 1, sizeof *hashes);
    struct pingo_history_entry entry = {
        .user = "u", .workflow = "w", .mentions = mentions, .nmentions = MANY};
    struct pingo_history *h = new_history();

    assert_non_null(mentions);
    assert_non_null(hashes);
    for (uint32_t i = 0; i < MANY; i++)
        memcpy(hashes[i].bytes, &i, sizeof i);
    for (uint32_t i = 0; i < MANY; i++)
        mentions[i] = (struct pingo_history_mention){.hash = hashes[i],
                                                     .parents = &hashes[i + 1],
                                                     .nparents = i + 1 < MANY,
                                                     .has_parents = true,
                                                     .size_bytes = -1,
                                                     .compute_ms = -1};
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
    assert_int_equal(pingo_history_find(h, &hashes[MANY - 1]), 0);
    assert_int_equal(pingo_history_find(h, &hashes[0]), MANY - 1);
    mentions[MANY - 1].nparents = 1; /* the first one: a cycle, but it is known otherwise */
    hashes[MANY] = hashes[0];
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_EINVAL);
    pingo_history_free(h);
    h = new_history();
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_EINVAL);
    assert_int_equal(pingo_history_count_actions(h), 0);
    pingo_history_free(h);
    free(mentions);
    free(hashes);
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
        cmocka_unit_test(test_history__puts_parents_before_children),
        cmocka_unit_test(test_history__walks_children_newest_first),
        cmocka_unit_test(test_history__shares_what_is_the_same),
        cmocka_unit_test(test_history__takes_equal_actions_of_one_workflow),
        cmocka_unit_test(test_history__finds_leaves_itself_when_asked),
        cmocka_unit_test(test_history__keeps_the_last_known_size_and_time),
        cmocka_unit_test(test_history__refuses_and_stays_as_it_was),
        cmocka_unit_test(test_history__refuses_flags_that_are_none),
        cmocka_unit_test(test_history__refuses_a_submission_without_known_parents),
        cmocka_unit_test(test_history__finds_every_hash_of_many),
        cmocka_unit_test(test_history__orders_a_chain_that_is_the_wrong_way_round),
        cmocka_unit_test(test_history__window_drops_whole_workflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
