/* test_history_follow.c - a history that follows another one, against one to which the same submissions were appended. */
#include "unit/decision/submissions.h"

static void build_whole(struct pingo_history *whole, int n)
{
    for (int i = 0; i < n; i++) {
        char text[256];
        switch (i % 4) {
        case 0: /* parents in no order, an action twice, new ones below known ones */
            snprintf(text, sizeof text, "z%d<y%d,x%d y%d<x%d a%s x%d< y%d*", i, i, i, i, i,
                     i == 0 ? "<" : "", i, i);
            break;
        case 1:
            snprintf(text, sizeof text, "a b%d<a:C*", i);
            break;
        case 2: /* the same list with other flags */
            snprintf(text, sizeof text, "a:R b%d:C!*", i - 1);
            break;
        default:
            snprintf(text, sizeof text, "c%d<*", i);
        }
        assert_int_equal(
            submit(whole, 1000 + i, i % 3 == 0 ? "ann" : "bob", i % 2 == 0 ? "one" : "two", text),
            0);
    }
}

static uint8_t flag_of(uint32_t submission, size_t i)
{
    return (uint8_t)(PINGO_HISTORY_SKIPPED + (submission + i) % 4 +
                     (i % 2 == 0 ? PINGO_HISTORY_LEAF : 0));
}

static int follow(struct pingo_history *h, const struct pingo_history *whole)
{
    struct pingo_history_submission s = {.size = sizeof s};
    uint32_t next = pingo_history_count_submissions(h);
    uint8_t flags[WORDS];
    pingo_history_submission(whole, next, &s);
    for (size_t i = 0; i < s.nactions; i++)
        flags[i] = flag_of(next, i);
    return pingo_history_follow(h, whole, flags, NULL);
}

/* The children of an action, the newest first, by their indexes. */
static size_t children_of(const struct pingo_history *h, uint32_t action, uint32_t *children)
{
    uint32_t at = pingo_history_children(h, action), child;
    size_t n = 0;
    while ((child = pingo_history_next_child(h, &at)) != PINGO_HISTORY_NONE)
        children[n++] = child;
    return n;
}

static void compare_actions(const struct pingo_history *h, const struct pingo_history *whole)
{
    for (uint32_t i = 0; i < pingo_history_count_actions(h); i++) {
        const struct pingo_hash *hash = pingo_history_hash(h, i);
        size_t n, m;
        const uint32_t *parents = pingo_history_parents(h, i, &n);
        const uint32_t *others = pingo_history_parents(whole, i, &m);
        assert_memory_equal(hash, pingo_history_hash(whole, i), sizeof *hash);
        assert_int_equal(pingo_history_find(h, hash), i);
        assert_int_equal(n, m);
        assert_memory_equal(parents, others, n * sizeof *parents);
        assert_int_equal(pingo_history_size(h, i), -1);
        assert_int_equal(pingo_history_compute(h, i), -1);
    }
}

/* Against a history of the first submissions alone. */
static void compare_children(const struct pingo_history *h, int n)
{
    struct pingo_history *alone = new_history();
    uint32_t children[64], others[64];
    build_whole(alone, n);
    assert_int_equal(pingo_history_count_actions(h), pingo_history_count_actions(alone));
    assert_int_equal(pingo_history_count_edges(h), pingo_history_count_edges(alone));
    assert_int_equal(pingo_history_count_mentions(h), pingo_history_count_mentions(alone));
    for (uint32_t i = 0; i < pingo_history_count_actions(h); i++) {
        size_t found = children_of(h, i, children);
        assert_int_equal(pingo_history_children(h, i), pingo_history_children(alone, i));
        assert_int_equal(found, children_of(alone, i, others));
        assert_memory_equal(children, others, found * sizeof *children);
    }
    pingo_history_free(alone);
}

static void compare_submission(const struct pingo_history *h, const struct pingo_history *whole,
                               uint32_t i)
{
    struct pingo_history_submission s = {.size = sizeof s}, t = {.size = sizeof t};
    assert_int_equal(pingo_history_submission(h, i, &s), 0);
    assert_int_equal(pingo_history_submission(whole, i, &t), 0);
    assert_int_equal(s.at_ms, t.at_ms);
    assert_string_equal(s.user, t.user);
    assert_string_equal(s.workflow, t.workflow);
    assert_int_equal(s.user_index, t.user_index);
    assert_int_equal(s.workflow_index, t.workflow_index);
    assert_int_equal(s.nknown_before, t.nknown_before);
    assert_int_equal(s.nknown, t.nknown);
    assert_int_equal(s.nactions, t.nactions);
    assert_ptr_equal(s.actions, t.actions); /* borrowed */
    for (size_t k = 0; k < s.nactions; k++)
        assert_int_equal(s.flags[k], flag_of(i, k));
}

static void test_history_follow__is_the_beginning_of_the_whole(void **state)
{
    enum { N = 16 };
    struct pingo_history *whole = new_history(), *h = new_history();
    (void)state;
    build_whole(whole, N);
    for (int n = 1; n <= N; n++) {
        assert_int_equal(follow(h, whole), 0);
        assert_int_equal(pingo_history_count_submissions(h), n);
        compare_actions(h, whole);
        compare_children(h, n);
        for (uint32_t i = 0; i < (uint32_t)n; i++)
            compare_submission(h, whole, i);
    }
    assert_int_equal(follow(h, whole), PINGO_ENOTFOUND);
    assert_int_equal(pingo_history_count_submissions(h), N);
    pingo_history_free(h);
    pingo_history_free(whole);
}

static void test_history_follow__knows_sizes_and_times_of_its_own(void **state)
{
    struct pingo_history *whole = new_history(), *h = new_history();
    (void)state;
    build_whole(whole, 4);
    pingo_history_set_size(whole, 0, 17);
    assert_int_equal(follow(h, whole), 0);
    assert_int_equal(pingo_history_size(h, 0), -1);
    pingo_history_set_size(h, 0, 5);
    pingo_history_set_compute(h, 0, 6);
    assert_int_equal(follow(h, whole), 0);
    assert_int_equal(pingo_history_size(h, 0), 5);
    assert_int_equal(pingo_history_compute(h, 0), 6);
    assert_int_equal(pingo_history_size(whole, 0), 17);
    pingo_history_free(h);
    pingo_history_free(whole);
}

static void test_history_follow__refuses_what_is_no_beginning(void **state)
{
    struct pingo_history *whole = new_history(), *other = new_history(), *h = new_history();
    struct pingo_error err = {0};
    uint8_t flags[WORDS];
    (void)state;
    build_whole(whole, 4);
    build_whole(other, 4);
    memset(flags, PINGO_HISTORY_COMPUTED + 1, sizeof flags);
    assert_int_equal(pingo_history_follow(h, whole, flags, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "the flags of an action are none");
    assert_int_equal(pingo_history_count_actions(h), 0);
    assert_int_equal(pingo_history_follow(h, h, flags, &err), PINGO_ENOTFOUND);
    assert_string_equal(err.message, "the history has no more submissions");
    assert_int_equal(follow(h, whole), 0);
    assert_int_equal(follow(h, other), PINGO_EINVAL);
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){0, 1, "u", NULL}, NULL), 0);
    assert_int_equal(pingo_history_follow(h, whole, flags, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "the history holds what is not of the other one");
    assert_int_equal(pingo_history_count_submissions(h), 2);
    pingo_history_free(h);
    pingo_history_free(other);
    pingo_history_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_follow__is_the_beginning_of_the_whole),
        cmocka_unit_test(test_history_follow__knows_sizes_and_times_of_its_own),
        cmocka_unit_test(test_history_follow__refuses_what_is_no_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
