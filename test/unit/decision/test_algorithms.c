/* test_algorithms.c - the list of the algorithms, and each against a slow reading of its formula, on random scenarios, warm and cold.
 *
 * A warm decider is there from the beginning: it sees submissions, datasets that come and go, decisions
 * that are dropped and decisions that are carried out.  A cold one is opened on the same history and told
 * what is present.  Both must name the victims of the reference, in order, with its scores. */
#include "reference.h"
#include "decision/algorithms/parameters.h"
#include "unit/share.h"

#define ROUNDS SHARE(60, 15)

struct row {
    const char *name, *parameters;
};

static const struct row rows[] = {
    {"lru", ""},
    {"largest-first", ""},
    {"most-commonly-used", ""},
    {"most-commonly-used", "window=20"},
    {"most-commonly-used", "window=1"},
    {"gdsf", "cost=local"},
    {"gdsf", "cost=chain"},
    {"gdsf", "reach=2"},
    {"dtr", ""},
    {"dtr", "reach=3"},
    {"chain", ""},
    {"chain", "reach=1000"},
    {"chain", "reach=1"},
    {"chain", "reach=5,refit=3,decay=0.25,weight=2"},
};

struct game {
    struct world w;
    const struct pingo_decision_algorithm *algorithm;
    double values[8];
    struct pingo_decider *warm;
    struct gdsf gdsf;
    uint64_t ncompared;
};

static void prepare_reference(const struct game *g, struct reference *r)
{
    *r = (struct reference){&g->w, g->algorithm->name, g->values, 0, &g->gdsf, {0}};
    for (size_t i = 0; i < g->algorithm->nparameters; i++)
        if (strcmp(g->algorithm->parameters[i].name, "reach") == 0)
            r->reach = (uint32_t)g->values[i];
    if (strcmp(r->name, "chain") == 0) {
        struct pingo__decision_hazard *h = malloc(sizeof *h);
        assert_non_null(h);
        pingo__decision_hazard_init(h, g->values[2], g->values[3]);
        learn(r, h, (uint32_t)g->values[1]);
        free(h);
    }
}

/* The same victims in the same order, with the same scores but for the last bits. */
static void compare(const struct game *g, const char *what, const struct said *said,
                    const uint32_t *victims, uint32_t n, const double *keys)
{
    if (said->n != n)
        fail_msg("%s %s: %u victims, the reference has %u", g->algorithm->name, what, said->n, n);
    for (uint32_t i = 0; i < n; i++) {
        double score = said->victims[i].score, wanted = keys[victims[i]];
        if (said->victims[i].dataset != victims[i])
            fail_msg("%s %s: victim %u is %u, by the reference %u (%g, %g)", g->algorithm->name,
                     what, i, said->victims[i].dataset, victims[i], score, wanted);
        if (fabs(score - wanted) > 1e-9 * fabs(wanted))
            fail_msg("%s %s: victim %u scores %.17g, by the reference %.17g", g->algorithm->name,
                     what, i, score, wanted);
    }
}

static struct pingo_decider *open_cold(const struct game *g)
{
    struct pingo_decider *cold = NULL;
    assert_int_equal(pingo_decider_new(g->algorithm, g->values, g->w.history, &cold, NULL), 0);
    for (uint32_t i = 0; i < g->w.n; i++)
        if (g->w.present[i])
            assert_int_equal(pingo_decider_present(cold, i, NULL), 0);
    return cold;
}

static void come(struct game *g, uint32_t dataset)
{
    g->w.present[dataset] = true;
    g->gdsf.bases[dataset] = g->gdsf.inflation;
    assert_int_equal(pingo_decider_present(g->warm, dataset, NULL), 0);
}

static void go(struct game *g, const struct reference *r, uint32_t dataset, bool evicted)
{
    double h =
        evicted && strcmp(r->name, "gdsf") == 0 ? reference_score(r, g->w.present, dataset) : 0;
    if (h > g->gdsf.inflation)
        g->gdsf.inflation = h;
    g->w.present[dataset] = false;
    assert_int_equal(pingo_decider_missing(g->warm, dataset, evicted, NULL), 0);
}

static void decide(struct game *g)
{
    struct reference *r = malloc(sizeof *r);
    static struct said said;
    uint32_t victims[MAX_ACTIONS];
    double keys[MAX_ACTIONS] = {0};
    uint64_t total = 0;
    assert_non_null(r);
    prepare_reference(g, r);
    for (uint32_t i = 0; i < g->w.n; i++) {
        g->w.blocked[i] = draw(&g->w, 6) == 0;
        total += g->w.present[i] ? (uint64_t)positive(pingo_history_size(g->w.history, i)) : 0;
    }
    uint64_t free_bytes = draw(&g->w, 8) == 0 ? total + 1 : draw(&g->w, total / 2 + 2);
    uint32_t n = reference_choose(r, free_bytes, victims, keys);
    ask(g->warm, &g->w, free_bytes, &said);
    compare(g, "warm", &said, victims, n, keys);
    if (!g->algorithm->remembers_evictions) {
        struct pingo_decider *cold = open_cold(g);
        struct said *again = malloc(sizeof *again);
        assert_non_null(again);
        ask(cold, &g->w, free_bytes, again);
        compare(g, "cold", again, victims, n, keys);
        for (uint32_t i = 0; i < n; i++) /* to the last bit */
            assert_memory_equal(&said.victims[i].score, &again->victims[i].score, sizeof(double));
        free(again);
        pingo_decider_free(cold);
    }
    g->ncompared += n;
    for (uint32_t i = 0; draw(&g->w, 3) != 0 && i < n; i++)
        go(g, r, victims[i], true);
    if (g->w.n > 0 && draw(&g->w, 3) == 0) {
        uint32_t other = (uint32_t)draw(&g->w, g->w.n);
        if (g->w.present[other])
            go(g, r, other, false);
    }
    free(r);
}

static void play(struct game *g)
{
    for (uint64_t n = 3 + draw(&g->w, 25); n > 0; n--) {
        uint32_t before = g->w.n;
        submit(&g->w, 6);
        if (draw(&g->w, 2) == 0)
            assert_int_equal(pingo_decider_observe(g->warm, NULL), 0);
        /* gdsf notes L at each use. */
        struct pingo_history_submission s =
            submission_at(&g->w, pingo_history_count_submissions(g->w.history) - 1);
        for (size_t i = 0; i < s.nactions; i++)
            if ((s.flags[i] & PINGO_HISTORY_OUTCOME) != PINGO_HISTORY_SKIPPED)
                g->gdsf.bases[s.actions[i]] = g->gdsf.inflation;
        assert_int_equal(pingo_decider_observe(g->warm, NULL), 0);
        for (uint32_t i = 0; i < g->w.n; i++)
            if (!g->w.present[i] && draw(&g->w, i >= before ? 2 : 12) == 0)
                come(g, i);
        if (draw(&g->w, 4) == 0)
            decide(g);
    }
    decide(g);
}

static void test_algorithms__agree_with_their_formulas(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct game *g = calloc(1, sizeof *g);
        uint64_t ncompared = 0;
        assert_non_null(g);
        for (uint64_t round = 0; round < ROUNDS; round++) {
            memset(g, 0, sizeof *g);
            world_open(&g->w, round * 31 + i);
            g->algorithm = pingo_decision_find(rows[i].name);
            assert_non_null(g->algorithm);
            assert_in_range(g->algorithm->nparameters, 0, 8);
            assert_int_equal(
                pingo_decision_values(g->algorithm, rows[i].parameters, g->values, NULL), 0);
            assert_int_equal(
                pingo_decider_new(g->algorithm, g->values, g->w.history, &g->warm, NULL), 0);
            play(g);
            ncompared += g->ncompared;
            pingo_decider_free(g->warm);
            pingo_history_free(g->w.history);
        }
        free(g);
        assert_in_range(ncompared, ROUNDS, UINT64_MAX);
    }
}

static void test_algorithms__are_listed(void **unused)
{
    (void)unused;
    size_t n = 0;
    for (const struct pingo_decision_algorithm *a; (a = pingo_decision_at(n)) != NULL; n++) {
        double values[8];
        assert_ptr_equal(pingo_decision_find(a->name), a);
        assert_int_equal(a->abi_version, PINGO_DECISION_ABI);
        assert_int_equal(pingo_decision_values(a, NULL, values, NULL), 0);
    }
    assert_int_equal(n, 7);
    assert_null(pingo_decision_find("no-such"));
    assert_non_null(pingo_decision_find(PINGO_DECISION_DEFAULT));
}

static void test_algorithms__are_named_in_messages(void **unused)
{
    (void)unused;
    char text[100], tiny[4];
    pingo__decision_names(text, sizeof text);
    assert_string_equal(text, "chain, dtr, gdsf, lru, largest-first, most-commonly-used, random");
    pingo__decision_names(tiny, sizeof tiny);
    assert_int_equal(strlen(tiny) < sizeof tiny, 1);
    assert_string_equal(pingo__decision_nearest("largestfirst"), "largest-first");
    assert_string_equal(pingo__decision_nearest("lur"), "lru");
    assert_null(pingo__decision_nearest("zzzzzzzzzzzz"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_algorithms__are_listed),
        cmocka_unit_test(test_algorithms__are_named_in_messages),
        cmocka_unit_test(test_algorithms__agree_with_their_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
