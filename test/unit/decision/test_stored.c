/* test_stored.c - presence, last use, and what is missing around a dataset: found in order, each once, and no further than
 * asked for. */
#include "unit/decision/submissions.h"

#include "decision/algorithms/stored.h"

/* All that a history holds is known. */
static void open_stored(struct pingo__decision_stored *s, const struct pingo_history *h,
                        uint32_t reach)
{
    assert_true(pingo__decision_stored_init(s, h, reach));
    assert_true(pingo__decision_stored_reserve(s, pingo_history_count_actions(h)));
    for (uint32_t i = 0; i < pingo_history_count_submissions(h); i++) {
        struct pingo_history_submission w = {.size = sizeof w};
        assert_int_equal(pingo_history_submission(h, i, &w), 0);
        pingo__decision_stored_take(s, &w);
    }
}

static void add_all(struct pingo__decision_stored *s, const char *names)
{
    for (; *names; names++)
        pingo__decision_stored_present(s, find(s->history, (char[2]){*names, '\0'}), NULL);
}

/* What the last search found, by name. */
static const char *names_of(const struct pingo__decision_stored *s, uint32_t n)
{
    static char names[64];
    assert_true(n < sizeof names);
    for (uint32_t i = 0; i < n; i++)
        names[i] = (char)pingo_history_hash(s->history, s->found[i])->bytes[0];
    names[n] = '\0';
    return names;
}

/* b and c of a, d of both, e of d; f of d and x, which stands beside. */
static const char graph[] = "a<:C b<a:C c<a:C d<b,c:C e<d:C x<:C f<d,x:C";

static const struct {
    const char *present;
    char name;
    uint32_t reach;
    const char *above, *below;
} rows[] = {
    {"abcdexf", 'd', 99, "", ""},
    {"", 'd', 99, "bca", "fe"}, /* parents as listed, children the newest first; a once */
    {"", 'a', 99, "", "cbdfe"}, /* not x: it is no descendant */
    {"", 'f', 99, "dxbca", ""},
    {"bc", 'd', 99, "", "fe"}, /* what is there hides what is behind it */
    {"b", 'd', 99, "ca", "fe"},
    {"d", 'a', 99, "", "cb"},
    {"d", 'd', 99, "bca", "fe"}, /* whether it is there itself does not count */
    {"", 'a', 2, "", "cb"},      /* the first ones of a longer search */
    {"", 'f', 3, "dxb", ""},
    {"", 'f', 0, "", ""},
    {"", 'x', 99, "", "f"}, /* not e, which f has only beside it */
};

static void test_stored__finds_what_is_missing(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    assert_int_equal(submit(h, 1, "u", "w", graph), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t own = 0; own < 2; own++) { /* its own reach, or that of the search */
            struct pingo__decision_stored s;
            open_stored(&s, h, own && rows[i].reach > 0 ? rows[i].reach : 99);
            uint32_t reach = own && rows[i].reach > 0 ? UINT32_MAX : rows[i].reach;
            uint32_t d = find(h, (char[2]){rows[i].name, '\0'}), nabove = 99;
            add_all(&s, rows[i].present);
            for (int again = 0; again < 2; again++) { /* a search changes no later one */
                uint32_t n = pingo__decision_stored_below(&s, s.present, d, reach);
                assert_string_equal(names_of(&s, n), rows[i].below);
                pingo__decision_stored_cost(&s, s.present, d, reach, &nabove);
                assert_string_equal(names_of(&s, nabove), rows[i].above);
            }
            pingo__decision_stored_clear(&s);
        }
    }
    pingo_history_free(h);
}

/* What was not observed yet is not met, though the history has it. */
static void test_stored__does_not_see_what_comes_later(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<a:C"), 0);
    struct pingo__decision_stored s;
    open_stored(&s, h, 9);
    assert_int_equal(submit(h, 1, "u", "w", "a b c<b:C d<a:C"), 0);
    uint32_t n = pingo__decision_stored_below(&s, s.present, find(h, "a"), 9);
    assert_string_equal(names_of(&s, n), "b");
    pingo__decision_stored_clear(&s);
    pingo_history_free(h);
}

/* One with thousands of children that are there costs no more to look at than others. */
static void test_stored__looks_at_so_many_edges(void **state)
{
    (void)state;
    enum { MANY = 40, REACH = 1 };
    struct pingo_history *h = new_history();
    char text[32];
    assert_int_equal(submit(h, 1, "u", "w", "a<:C"), 0);
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "a n%d<a:C", i);
        assert_int_equal(submit(h, 1, "u", "w", text), 0);
    }
    struct pingo__decision_stored s;
    open_stored(&s, h, REACH);
    for (uint32_t i = 1; i <= MANY; i++) /* the newest are looked at first: all of these are there */
        if (i != MANY - PINGO__SEARCH_EDGES)
            pingo__decision_stored_present(&s, i, NULL);
    assert_int_equal(pingo__decision_stored_below(&s, s.present, 0, REACH), 0);
    pingo__decision_stored_missing(&s, MANY - PINGO__SEARCH_EDGES + 1,
                                   false); /* the last that is looked at */
    assert_int_equal(pingo__decision_stored_below(&s, s.present, 0, REACH), 1);
    assert_int_equal(s.found[0], MANY - PINGO__SEARCH_EDGES + 1);
    pingo__decision_stored_clear(&s);
    pingo_history_free(h);
}

/* Stamps begin again after 2^32 searches. */
static void test_stored__outlives_its_stamps(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    assert_int_equal(submit(h, 1, "u", "w", graph), 0);
    struct pingo__decision_stored s;
    open_stored(&s, h, 99);
    assert_int_equal(pingo__decision_stored_below(&s, s.present, find(h, "a"), 99), 5);
    s.stamp = UINT32_MAX;
    assert_int_equal(pingo__decision_stored_below(&s, s.present, find(h, "a"), 99), 5);
    assert_int_equal(s.stamp, 1);
    pingo__decision_stored_clear(&s);
    pingo_history_free(h);
}

static void test_stored__sums_times_to_the_end_of_numbers(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    uint32_t nabove;
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<a:C c<b:C d<c:C"), 0);
    struct pingo__decision_stored s;
    open_stored(&s, h, 99);
    uint32_t d = find(h, "d");
    assert_int_equal(pingo__decision_stored_cost(&s, s.present, d, 99, &nabove), 0); /* unknown */
    assert_int_equal(nabove, 3);
    pingo_history_set_compute(h, find(h, "a"), 5);
    pingo_history_set_compute(h, d, 7);
    assert_int_equal(pingo__decision_stored_cost(&s, s.present, d, 99, &nabove), 12);
    assert_int_equal(pingo__decision_stored_found_ms(&s, nabove), 5);
    assert_int_equal(pingo__decision_stored_found_ms(&s, 2), 0); /* c and b alone */
    for (uint32_t i = 0; i < 4; i++)
        pingo_history_set_compute(h, i, INT64_MAX);
    assert_true(pingo__decision_stored_cost(&s, s.present, d, 99, &nabove) == UINT64_MAX);
    pingo__decision_stored_clear(&s);
    pingo_history_free(h);
}

static void test_stored__grows_all_its_arrays(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo__decision_stored s;
    double *numbers = NULL;
    uint8_t *bytes = NULL;
    uint32_t n = 0;
    assert_true(pingo__decision_stored_init(&s, h, 0));
    pingo__decision_stored_keep(&s, &numbers, sizeof *numbers);
    pingo__decision_stored_keep(&s, &bytes, sizeof *bytes);
    static const uint32_t sizes[] = {1, 64, 65, 3, 1000, 70000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_true(pingo__decision_stored_reserve(&s, sizes[i]));
        assert_true(s.capacity >= sizes[i]);
        assert_int_equal(s.capacity % 64, 0);
        for (uint32_t k = 0; k < s.capacity; k++) { /* what was stays, what is new is zero */
            assert_true(numbers[k] == (k < n ? k + 0.5 : 0));
            assert_int_equal(bytes[k], k < n ? k % 256 : 0);
            assert_int_equal(s.last_use[k], k < n ? k : 0);
            assert_int_equal(pingo__decision_bit(s.present, k), k < n && k % 3 == 0);
        }
        for (n = 0; n < s.capacity; n++) {
            numbers[n] = n + 0.5;
            bytes[n] = (uint8_t)n;
            s.last_use[n] = n;
            if (n % 3 == 0)
                pingo__decision_bit_set(s.present, n);
        }
    }
    assert_false(pingo__decision_stored_reserve(&s, UINT32_MAX)); /* no room for so many */
    assert_int_equal(s.capacity, n);
    pingo__decision_stored_clear(&s);
    pingo__decision_stored_clear(&s); /* nothing is left to clear */
    pingo_history_free(h);
}

/* It only asks for memory, whatever is stored: nothing changes, and nothing is read that is not there. */
static void test_stored__fetches_without_a_trace(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    uint32_t all[7];
    assert_int_equal(submit(h, 1, "u", "w", graph), 0);
    struct pingo__decision_stored s;
    open_stored(&s, h, 99);
    for (uint32_t i = 0; i < 7; i++)
        all[i] = i;
    add_all(&s, "bx");
    uint32_t stamp = s.stamp;
    pingo__decision_stored_prefetch(&s, all, 7);
    pingo__decision_stored_prefetch(&s, NULL, 0);
    assert_int_equal(s.stamp, stamp);
    assert_int_equal(s.npresent, 2);
    assert_int_equal(pingo__decision_stored_below(&s, s.present, find(h, "a"), 99), 4);
    pingo__decision_stored_clear(&s);
    pingo_history_free(h);
}

/* As an algorithm's: what is stored comes first. */
struct state {
    struct pingo__decision_stored stored;
    double own[4];
};

static const struct pingo__decision_kind kind = {.size = sizeof(struct state)};

static struct state *open_state(const struct pingo_history *h, uint32_t reach)
{
    void *made = NULL;
    assert_int_equal(pingo__decision_stored_open(h, &kind, reach, &made, NULL), 0);
    return made;
}

static void test_stored__opens_an_empty_state(void **state)
{
    (void)state;
    static const double zero[4];
    struct pingo_history *h = new_history();
    struct state *s = open_state(h, 5);
    assert_memory_equal(s->own, zero, sizeof zero);
    assert_ptr_equal(s->stored.history, h);
    assert_ptr_equal(s->stored.kind, &kind);
    assert_int_equal(s->stored.reach, 5);
    assert_int_equal(s->stored.nobserved, 0);
    pingo__decision_stored_close(s);
    pingo__decision_stored_close(NULL);
    pingo_history_free(h);
}

static void test_stored__observes_one_after_the_other(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_error err = {0};
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<:S"), 0);
    assert_int_equal(submit(h, 2, "u", "w", "c<:C a:S b:J"), 0);
    struct state *s = open_state(h, 0);
    assert_int_equal(pingo__decision_stored_observe(s, 2, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "the history has no submission 2");
    assert_int_equal(s->stored.nobserved, 0);
    assert_int_equal(pingo__decision_stored_observe(s, 0, &err), 0);
    assert_int_equal(s->stored.nobserved, 1);
    assert_int_equal(s->stored.nknown, 2);
    assert_true(s->stored.capacity >= 2);
    assert_int_equal(s->stored.last_use[0], 1);
    assert_int_equal(s->stored.last_use[1], 0); /* skipped */
    assert_int_equal(pingo__decision_stored_observe(s, 1, &err), 0);
    assert_int_equal(s->stored.nknown, 3);
    assert_int_equal(s->stored.last_use[0], 1);
    assert_int_equal(s->stored.last_use[1], 2);
    assert_int_equal(s->stored.last_use[2], 2);
    pingo__decision_stored_close(s);
    pingo_history_free(h);
}

/* To read one makes room for what it brings, and takes nothing in. */
static void test_stored__reads_without_taking_in(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_history_submission w = {.size = sizeof w};
    struct pingo_error err = {0};
    char text[16];
    for (int i = 0; i < 200; i++) {
        snprintf(text, sizeof text, "n%d<:C", i);
        assert_int_equal(submit(h, 1, "u", "w", text), 0);
    }
    struct state *s = open_state(h, 0);
    assert_int_equal(pingo__decision_stored_read(&s->stored, 199, &w, &err), 0);
    assert_int_equal(w.nknown, 200);
    assert_true(s->stored.capacity >= 200);
    assert_int_equal(s->stored.nobserved, 0);
    assert_int_equal(s->stored.nknown, 0);
    assert_int_equal(s->stored.last_use[199], 0);
    pingo__decision_stored_close(s);
    pingo_history_free(h);
}

static void test_stored__knows_what_is_there(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<:C"), 0);
    struct state *s = open_state(h, 0);
    assert_int_equal(pingo__decision_stored_observe(s, 0, NULL), 0);
    for (int again = 0; again < 2; again++)
        assert_int_equal(pingo__decision_stored_present(s, 1, NULL), 0);
    assert_int_equal(s->stored.npresent, 1);
    assert_false(pingo__decision_bit(s->stored.present, 0));
    assert_true(pingo__decision_bit(s->stored.present, 1));
    for (int again = 0; again < 2; again++)
        pingo__decision_stored_missing(s, 1, again);
    assert_int_equal(s->stored.npresent, 0);
    assert_false(pingo__decision_bit(s->stored.present, 1));
    pingo__decision_stored_close(s);
    pingo_history_free(h);
}

static void test_stored__tells_the_last_use(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    char text[48], tiny[5];
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<:S"), 0);
    assert_int_equal(submit(h, 1, "u", "w", "b:S"), 0);
    struct state *s = open_state(h, 0);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pingo__decision_stored_observe(s, i, NULL), 0);
    pingo__decision_stored_tell_use(&s->stored, 0, text, sizeof text);
    assert_string_equal(text, "last used 1 submission ago");
    pingo__decision_stored_tell_use(&s->stored, 1, text, sizeof text);
    assert_string_equal(text, "used by no known submission");
    pingo__decision_stored_tell_use(&s->stored, 1, tiny, sizeof tiny);
    assert_string_equal(tiny, "used");
    pingo__decision_stored_close(s);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored__finds_what_is_missing),
        cmocka_unit_test(test_stored__does_not_see_what_comes_later),
        cmocka_unit_test(test_stored__looks_at_so_many_edges),
        cmocka_unit_test(test_stored__outlives_its_stamps),
        cmocka_unit_test(test_stored__sums_times_to_the_end_of_numbers),
        cmocka_unit_test(test_stored__grows_all_its_arrays),
        cmocka_unit_test(test_stored__fetches_without_a_trace),
        cmocka_unit_test(test_stored__opens_an_empty_state),
        cmocka_unit_test(test_stored__observes_one_after_the_other),
        cmocka_unit_test(test_stored__reads_without_taking_in),
        cmocka_unit_test(test_stored__knows_what_is_there),
        cmocka_unit_test(test_stored__tells_the_last_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
