/* test_remake.c - what it takes to make datasets again: each with what is missing above it once it is gone, all of them with each
 * ancestor once; against a plain reading of that, on small histories and random ones. */
#define submit submit_random /* both headers have one */
#include "reference.h"
#undef submit

#include "decision/algorithms/stored.h"
#include "unit/decision/submissions.h"

#define N 8

static struct pingo_history *made_of(const char *text, const int64_t *ms, size_t n)
{
    struct pingo_history *h = new_history();
    char name[2] = "a";
    assert_int_equal(submit(h, 1, "u", "w", text), 0);
    for (size_t i = 0; i < n; i++, name[0]++)
        pingo_history_set_compute(h, find(h, name), ms[i]);
    return h;
}

static void open_stored(struct pingo__decision_stored *s, const struct pingo_history *h,
                        const char *present)
{
    struct pingo_history_submission w = {.size = sizeof w};
    assert_true(pingo__decision_stored_init(s, h, PINGO__REMAKE_REACH));
    assert_true(pingo__decision_stored_reserve(s, pingo_history_count_actions(h)));
    assert_int_equal(pingo_history_submission(h, 0, &w), 0);
    pingo__decision_stored_take(s, &w);
    for (char name[2] = ""; *present; present++) {
        name[0] = *present;
        pingo__decision_stored_present(s, find(h, name), NULL);
    }
}

/* a and b; c of a; d of c and b; e of d.  They take 1, 20, 300, 4000 and 50000 ms. */
static const char graph[] = "a< b< c<a d<c,b e<d*";
static const int64_t times[] = {1, 20, 300, 4000, 50000};

static void test_remake__of_a_small_history(void **state)
{
    static const struct {
        const char *present, *go;
        int64_t each[4], together;
    } rows[] = {
        {"abcde", "", {0}, 0},
        {"abcde", "e", {50000}, 50000},
        {"abcde", "de", {4000, 54000}, 54000}, /* d is gone when e goes */
        {"abcde", "ed", {50000, 4000}, 54000},
        {"abcde", "ad", {1, 4000}, 4001}, /* c is there between them */
        {"abcde", "acd", {1, 301, 4301}, 4301},
        {"e", "e", {54321}, 54321},
        {"de", "de", {4321, 54321}, 54321},
        {"ce", "ec", {54020, 301}, 54321},
        {"be", "e", {54301}, 54301},
    };
    struct pingo_history *h = made_of(graph, times, 5);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__decision_stored s;
        uint32_t go[4];
        int64_t each[4] = {0}, together = -1;
        size_t n = strlen(rows[i].go);
        open_stored(&s, h, rows[i].present);
        uint32_t npresent = s.npresent;
        for (size_t k = 0; k < n; k++)
            go[k] = find(h, (char[2]){rows[i].go[k], 0});
        assert_true(pingo__decision_remake(&s, go, n, each, &together));
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(each[k], rows[i].each[k]);
            assert_true(pingo__decision_bit(s.present, go[k])); /* nothing went by asking */
        }
        assert_int_equal(together, rows[i].together);
        assert_int_equal(s.npresent, npresent);
        pingo__decision_stored_clear(&s);
    }
    pingo_history_free(h);
}

/* What is not known counts as nothing, and sums end where numbers do. */
static void test_remake__times_that_are_none(void **state)
{
    static const int64_t hostile[] = {-1, INT64_MAX, 0, INT64_MAX, INT64_MAX};
    struct pingo_history *h = made_of(graph, hostile, 5);
    struct pingo__decision_stored s;
    int64_t each[2], together;
    (void)state;
    open_stored(&s, h, "ae");
    uint32_t go[2] = {find(h, "a"), find(h, "e")};
    assert_true(pingo__decision_remake(&s, go, 2, each, &together));
    assert_int_equal(each[0], 0);
    assert_int_equal(each[1], INT64_MAX);
    assert_int_equal(together, INT64_MAX);
    pingo__decision_stored_clear(&s);
    pingo_history_free(h);
}

/* Is above, or the dataset itself, and all between them is missing? */
static void reach(const struct world *w, const bool *there, uint32_t dataset, bool *met)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(w->history, dataset, &n);
    met[dataset] = true;
    for (size_t i = 0; i < n; i++)
        if (!there[parents[i]] && !met[parents[i]])
            reach(w, there, parents[i], met);
}

static int64_t sum_of(const struct world *w, const bool *met)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < w->n; i++)
        sum += met[i] ? positive(pingo_history_compute(w->history, i)) : 0;
    return sum;
}

static void test_remake__is_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct world *w = malloc(sizeof *w);
        struct pingo__decision_stored s;
        uint32_t go[N], n = 0;
        int64_t each[N], together;
        bool all[MAX_ACTIONS] = {false};
        assert_non_null(w);
        world_open(w, seed);
        while (w->n < 60)
            submit_random(w, 8);
        assert_true(pingo__decision_stored_init(&s, w->history, PINGO__REMAKE_REACH));
        assert_true(pingo__decision_stored_reserve(&s, w->n));
        s.nknown = w->n;
        for (uint32_t i = 0; i < w->n; i++)
            if ((w->present[i] = draw(w, 3) > 0))
                pingo__decision_stored_present(&s, i, NULL);
        while (n < N) {
            uint32_t dataset = (uint32_t)draw(w, w->n);
            bool known = !w->present[dataset];
            for (uint32_t i = 0; i < n; i++)
                known = known || go[i] == dataset;
            if (!known)
                go[n++] = dataset;
        }
        assert_true(pingo__decision_remake(&s, go, n, each, &together));
        for (uint32_t i = 0; i < n; i++) {
            bool met[MAX_ACTIONS] = {false};
            w->present[go[i]] = false;
            reach(w, w->present, go[i], met);
            assert_int_equal(each[i], sum_of(w, met));
        }
        for (uint32_t i = 0; i < n; i++)
            if (!all[go[i]])
                reach(w, w->present, go[i], all);
        assert_int_equal(together, sum_of(w, all));
        pingo__decision_stored_clear(&s);
        pingo_history_free(w->history);
        free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remake__of_a_small_history),
        cmocka_unit_test(test_remake__times_that_are_none),
        cmocka_unit_test(test_remake__is_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
