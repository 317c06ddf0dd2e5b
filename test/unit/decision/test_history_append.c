/* test_history_append.c - a submission that enters a history: indexes, order, leaves, and what is refused and leaves no trace. */
#include "unit/decision/submissions.h"

#include "decision/history/history.h"

static struct pingo_history_submission get(const struct pingo_history *h, uint32_t i)
{
    struct pingo_history_submission s = {.size = sizeof s};

    assert_int_equal(pingo_history_submission(h, i, &s), 0);
    return s;
}

static void test_history_append__puts_parents_before_children(void **state)
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

static void test_history_append__takes_equal_actions_of_one_workflow(void **state)
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

static void test_history_append__finds_leaves_itself_when_asked(void **state)
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

static void test_history_append__refuses_and_stays_as_it_was(void **state)
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

static void test_history_append__refuses_flags_that_are_none(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct words w;
    struct pingo_history_entry entry = {.user = "u", .workflow = "w", .nmentions = 1};

    read_words(&w, "a<");
    entry.mentions = w.mentions;
    w.mentions[0].flags = 5;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_EINVAL);
    w.mentions[0].flags = 128;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_EINVAL);
    w.mentions[0].flags = 0;
    w.mentions[0].size_bytes = -2;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_EINVAL);
    w.mentions[0].size_bytes = -1;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
    pingo_history_free(h);
}

/* A submission is closed under ancestors, said or known: what was appended can be cut out, printed and
 * read again. */
static void test_history_append__refuses_a_submission_without_known_parents(void **state)
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

static void test_history_append__orders_a_chain_that_is_the_wrong_way_round(void **state)
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

static void test_history_append__says_whose_fault_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"", "a submission has a time, a user, a name and at least one action"},
        {"x<y", "action 0: its parent "
                "7900000000000000000000000000000000000000000000000000000000000000 is no action of "
                "the same submission"},
        {"a x<a y<z z<y", "action 3: its parents make a cycle"},
        {"a b<", "action 1: its parents are other ones than were given for the same hash before"},
        {"x< y< x<y", "action 2: its parents are other ones than were given for the same hash "
                      "before"},
    };
    struct pingo_history *h = new_history();

    assert_int_equal(submit(h, 1, "u", "w", "a< b<a"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct words w;
        struct pingo_history_entry entry = {.user = "u", .workflow = "w", .mentions = w.mentions};
        struct pingo_error err = {0};
        uint32_t index = 7;

        read_words(&w, rows[i].text);
        entry.nmentions = w.n;
        assert_int_equal(pingo_history_append(h, &entry, &index, &err), PINGO_EINVAL);
        assert_string_equal(err.message, rows[i].said);
        assert_int_equal(index, 7);
    }
    pingo_history_free(h);
}

static void test_history_append__tells_its_number(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct words w;
    struct pingo_history_entry entry = {.user = "u", .workflow = "w", .mentions = w.mentions};

    read_words(&w, "a<");
    entry.nmentions = w.n;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t index = 7;

        assert_int_equal(pingo_history_append(h, &entry, &index, NULL), 0);
        assert_int_equal(index, i);
    }
    pingo_history_free(h);
}

/* More than it has numbers for: nothing is read that is not there. */
static void test_history_append__is_full_in_the_end(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct words w;
    struct pingo_history_entry entry = {.user = "u", .workflow = "w", .mentions = w.mentions};
    struct pingo_error err = {0};
    uint32_t nactions, nedges;

    assert_int_equal(submit(h, 1, "u", "w", "a< b<a"), 0);
    read_words(&w, "a b<a");
    entry.nmentions = PINGO_HISTORY_NONE / 4;
    assert_int_equal(pingo_history_append(h, &entry, NULL, &err), PINGO_ELIMIT);
    assert_string_equal(err.message, "the history is full");
    entry.nmentions = w.n;
    nactions = h->nactions;
    h->nactions = PINGO_HISTORY_NONE / 2;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_ELIMIT);
    h->nactions = nactions;
    nedges = h->nedges;
    h->nedges = PINGO_HISTORY_NONE - 2;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), PINGO_ELIMIT);
    h->nedges = nedges;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
    pingo_history_free(h);
}

/* Stamps begin again after 2^32 of them: what was mentioned then is not taken for what is mentioned now. */
static void test_history_append__outlives_its_stamps(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();

    assert_int_equal(submit(h, 1, "u", "w", "a< b<a"), 0);
    h->stamp = UINT32_MAX;
    assert_int_equal(submit(h, 1, "u", "w", "c<a"), PINGO_EINVAL);
    assert_int_equal(h->stamp, 1);
    assert_int_equal(submit(h, 1, "u", "w", "a c<a"), 0);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_append__puts_parents_before_children),
        cmocka_unit_test(test_history_append__takes_equal_actions_of_one_workflow),
        cmocka_unit_test(test_history_append__finds_leaves_itself_when_asked),
        cmocka_unit_test(test_history_append__refuses_and_stays_as_it_was),
        cmocka_unit_test(test_history_append__refuses_flags_that_are_none),
        cmocka_unit_test(test_history_append__refuses_a_submission_without_known_parents),
        cmocka_unit_test(test_history_append__orders_a_chain_that_is_the_wrong_way_round),
        cmocka_unit_test(test_history_append__says_whose_fault_it_is),
        cmocka_unit_test(test_history_append__tells_its_number),
        cmocka_unit_test(test_history_append__is_full_in_the_end),
        cmocka_unit_test(test_history_append__outlives_its_stamps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
