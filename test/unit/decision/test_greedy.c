/* Choosing among many: what is chosen is the beginning of the order in which all would go, however few are
 * asked for, and so however few of the candidates were looked at; and exchanging, of which that is not true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pingo/decision.h>

enum { STAGES = 60, SUBMISSIONS = 1500, MAX_ACTIONS = STAGES * SUBMISSIONS };

static uint64_t state = 7;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

static struct pingo_hash hash_of(uint32_t action)
{
    struct pingo_hash hash = {{0}};
    uint64_t x = (action + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    memcpy(hash.bytes, &x, sizeof x);
    return hash;
}

static uint32_t stages[SUBMISSIONS][STAGES], nactions;

/* A chain of stages of which the first are those of an earlier submission.  Sizes and times in steps, so
 * that there are ties; what is old is small, so that more of it must go than a sample tells. */
static void submit(struct pingo_history *history, uint32_t number)
{
    struct pingo_history_mention mentions[STAGES];
    struct pingo_hash hashes[STAGES];
    uint32_t changed = number == 0 ? 0 : draw(STAGES);
    if (changed > 0)
        memcpy(stages[number], stages[number - 1 - draw(number < 40 ? number : 40)],
               sizeof stages[number]);
    memset(mentions, 0, sizeof mentions);
    for (uint32_t i = 0; i < STAGES; i++) {
        if (i >= changed)
            stages[number][i] = nactions++;
        hashes[i] = hash_of(stages[number][i]);
        mentions[i] = (struct pingo_history_mention){
            .hash = hashes[i],
            .parents = i > 0 ? &hashes[i - 1] : NULL,
            .nparents = i > 0,
            .has_parents = true,
            .size_bytes = i >= changed ? (int64_t)draw(20) * (1 + number * number) : -1,
            .compute_ms = i >= changed ? (int64_t)draw(50) * 100 : -1,
            .flags = i >= changed ? PINGO_HISTORY_COMPUTED : PINGO_HISTORY_REUSED};
    }
    struct pingo_history_entry entry = {0, "u", "w", mentions, STAGES};
    assert_int_equal(pingo_history_append(history, &entry, NULL, NULL), 0);
}

struct said {
    struct pingo_decision_victim victims[MAX_ACTIONS];
    uint32_t n;
};

static int note(void *context, const struct pingo_decision_victim *victim)
{
    struct said *said = context;
    said->victims[said->n++] = *victim;
    return 0;
}

static void ask(struct pingo_decider *decider, uint64_t free_bytes, struct said *said)
{
    struct pingo_decision_request request = {
        .version = 1, .free_bytes = free_bytes, .victim = note, .context = said};
    said->n = 0;
    assert_int_equal(pingo_decider_choose(decider, &request, NULL, NULL), 0);
}

static uint64_t bytes_of(const struct pingo_history *history, const struct said *said, uint32_t i)
{
    int64_t bytes = pingo_history_size(history, said->victims[i].dataset);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* The beginning of the order that frees enough, without what is not needed, the last first. */
static uint32_t cut(const struct pingo_history *history, struct said *order, uint64_t free_bytes)
{
    uint64_t freed = 0;
    uint32_t n = 0, kept = 0;
    while (freed < free_bytes)
        freed += bytes_of(history, order, n++);
    for (uint32_t i = n; i-- > 0;)
        if (freed - bytes_of(history, order, i) >= free_bytes) {
            freed -= bytes_of(history, order, i);
            order->victims[i].dataset = UINT32_MAX;
        }
    for (uint32_t i = 0; i < n; i++)
        if (order->victims[i].dataset != UINT32_MAX)
            order->victims[kept++] = order->victims[i];
    return kept;
}

static bool exchanges(const struct pingo_decision_algorithm *algorithm)
{
    return strcmp(algorithm->name, "chain") == 0;
}

static void test_greedy__chooses_the_beginning_of_the_order(void **unused)
{
    (void)unused;
    static const uint64_t shares[] = {100000, 2000, 300, 40, 10, 5, 4, 3, 2};
    struct pingo_history *history = NULL;
    const struct pingo_decision_algorithm *algorithm;
    struct said *all = malloc(sizeof *all), *some = malloc(sizeof *some);
    assert_non_null(all);
    assert_non_null(some);
    assert_int_equal(pingo_history_new(&history, NULL), 0);
    for (uint32_t i = 0; i < SUBMISSIONS; i++)
        submit(history, i);
    for (size_t a = 0; (algorithm = pingo_decision_at(a)) != NULL; a++) {
        struct pingo_decider *decider = NULL;
        uint64_t total = 0;
        if (exchanges(algorithm))
            continue;
        assert_int_equal(pingo_decider_new(algorithm, NULL, history, &decider, NULL), 0);
        for (uint32_t i = 0; i < nactions; i++) {
            if (draw(12) != 0) /* much is missing, so that lower bounds are far from scores */
                continue;
            assert_int_equal(pingo_decider_present(decider, i, NULL), 0);
            total += (uint64_t)pingo_history_size(history, i);
        }
        for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
            ask(decider, UINT64_MAX, all);
            assert_in_range(all->n, nactions / 20, nactions);
            ask(decider, total / shares[i], some);
            uint32_t n = cut(history, all, total / shares[i]);
            assert_in_range(n, 1, all->n);
            assert_int_equal(some->n, n);
            for (uint32_t k = 0; k < n; k++) {
                assert_int_equal(some->victims[k].dataset, all->victims[k].dataset);
                assert_memory_equal(&some->victims[k].score, &all->victims[k].score, sizeof(double));
            }
        }
        pingo_decider_free(decider);
    }
    pingo_history_free(history);
    free(all);
    free(some);
}

static int by_dataset(const void *a, const void *b)
{
    const struct pingo_decision_victim *x = a, *y = b;
    return x->dataset < y->dataset ? -1 : x->dataset > y->dataset;
}

static void test_greedy__exchanges_and_frees_no_more_than_is_needed(void **unused)
{
    (void)unused;
    static const uint64_t shares[] = {100000, 300, 40, 10, 4, 2};
    struct pingo_history *history = NULL;
    struct pingo_decider *decider = NULL;
    struct said *some = malloc(sizeof *some);
    uint64_t total = 0;
    assert_non_null(some);
    nactions = 0;
    assert_int_equal(pingo_history_new(&history, NULL), 0);
    for (uint32_t i = 0; i < SUBMISSIONS; i++)
        submit(history, i);
    assert_int_equal(pingo_decider_new(pingo_decision_find("chain"), NULL, history, &decider, NULL),
                     0);
    for (uint32_t i = 0; i < nactions; i++)
        if (draw(4) == 0) {
            assert_int_equal(pingo_decider_present(decider, i, NULL), 0);
            total += (uint64_t)pingo_history_size(history, i);
        }
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        uint64_t freed = 0;
        ask(decider, total / shares[i], some);
        for (uint32_t k = 0; k < some->n; k++)
            freed += bytes_of(history, some, k);
        assert_true(freed >= total / shares[i]);
        for (uint32_t k = 0; k < some->n; k++)
            assert_true(freed - bytes_of(history, some, k) < total / shares[i]);
        qsort(some->victims, some->n, sizeof some->victims[0], by_dataset);
        for (uint32_t k = 1; k < some->n; k++)
            assert_true(some->victims[k - 1].dataset < some->victims[k].dataset);
    }
    pingo_decider_free(decider);
    pingo_history_free(history);
    free(some);
}

/* While its three parts are there, the merged one is the cheapest to make again and goes first; two parts go as
 * well; then it is worth more than the third, and stays instead. */
static void test_greedy__brings_back_what_its_parents_made_cheap(void **unused)
{
    (void)unused;
    enum { PARTS = 3, MERGED = PARTS, RESULT, N };
    struct pingo_history_mention mentions[N];
    struct pingo_hash hashes[N];
    struct pingo_history *history = NULL;
    struct pingo_decider *decider = NULL;
    struct said *said = malloc(sizeof *said);
    assert_non_null(said);
    memset(mentions, 0, sizeof mentions);
    for (uint32_t i = 0; i < N; i++) {
        hashes[i] = hash_of(i);
        mentions[i] = (struct pingo_history_mention){
            .hash = hashes[i],
            .has_parents = true,
            .parents = i == MERGED   ? hashes
                       : i == RESULT ? &hashes[MERGED]
                                     : NULL,
            .nparents = i == MERGED ? PARTS : i == RESULT,
            .size_bytes = i == MERGED ? 90 : 100,
            .compute_ms = i == MERGED ? 30 : 80,
            .flags = PINGO_HISTORY_COMPUTED | (i == RESULT ? PINGO_HISTORY_LEAF : 0)};
    }
    assert_int_equal(pingo_history_new(&history, NULL), 0);
    struct pingo_history_entry entry = {0, "u", "w", mentions, N};
    assert_int_equal(pingo_history_append(history, &entry, NULL, NULL), 0);
    assert_int_equal(pingo_decider_new(pingo_decision_find("chain"), NULL, history, &decider, NULL),
                     0);
    for (uint32_t i = 0; i < RESULT; i++)
        assert_int_equal(pingo_decider_present(decider, i, NULL), 0);
    ask(decider, 280, said);
    assert_int_equal(said->n, PARTS);
    for (uint32_t i = 0; i < PARTS; i++)
        assert_int_not_equal(said->victims[i].dataset, MERGED);
    /* Where it alone is enough, it goes. */
    ask(decider, 90, said);
    assert_int_equal(said->n, 1);
    assert_int_equal(said->victims[0].dataset, MERGED);
    pingo_decider_free(decider);
    pingo_history_free(history);
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greedy__chooses_the_beginning_of_the_order),
        cmocka_unit_test(test_greedy__exchanges_and_frees_no_more_than_is_needed),
        cmocka_unit_test(test_greedy__brings_back_what_its_parents_made_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
