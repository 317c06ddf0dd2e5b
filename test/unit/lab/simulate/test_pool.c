/* test_pool.c - what is there: claims, candidates and bytes of a run are counted right, whatever comes and goes. */
#include "unit/lab/story.h"

#include "lab/simulate/run.h"

enum { DATASETS = 6, TASKS = 4, CLAIMS = 3 };

/* A run of nothing: datasets that come and go by hand, of 1, 2, 4, ... bytes. */
struct ground {
    struct pingo_history *history;
    struct pingo_workload workload;
    struct pingo_simulation_options options;
    struct pingo_simulation_result result;
    struct pingo__lab_run_dataset datasets[DATASETS];
    uint32_t candidates[DATASETS];
    struct pingo__lab_task tasks[TASKS];
    struct pingo__lab_claim claims[TASKS][CLAIMS];
    struct pingo__lab_run run;
};

static void open_ground(struct ground *g, bool leaves_outside)
{
    *g = (struct ground){.options.leaves_outside = leaves_outside};
    assert_int_equal(pingo_history_new(&g->history, NULL), 0);
    story_submit(g->history, "a/1/1 b/1/2 c/1/4 d/1/8 e/1/16 f/1/-1");
    g->workload.history = g->history;
    for (size_t i = 0; i < DATASETS; i++)
        g->datasets[i].candidate = PINGO__NO_CANDIDATE;
    for (size_t i = 0; i < TASKS; i++)
        g->tasks[i].claims = g->claims[i];
    g->run = (struct pingo__lab_run){.workload = &g->workload,
                                     .options = &g->options,
                                     .result = &g->result,
                                     .datasets = g->datasets,
                                     .candidates = g->candidates};
}

/* What the head of run.h says of candidates and used bytes, counted anew. */
static void check(const struct ground *g)
{
    const struct pingo__lab_run *r = &g->run;
    int64_t used = 0, candidate_bytes = 0;
    uint32_t ncandidates = 0;
    for (uint32_t i = 0; i < DATASETS; i++) {
        const struct pingo__lab_run_dataset *d = &g->datasets[i];
        bool is_candidate = d->presence == PINGO__STORED && d->claims == 0;
        bool counts = d->presence == PINGO__STORED ||
                      (d->presence == PINGO__LEAF && !g->options.leaves_outside);
        uint32_t claims = 0;
        for (int t = 0; t < TASKS; t++)
            for (uint32_t k = 0; k < g->tasks[t].nclaims; k++)
                claims +=
                    g->claims[t][k].dataset == i && g->claims[t][k].generation == d->generation;
        assert_int_equal(d->claims, claims);
        assert_int_equal(d->candidate != PINGO__NO_CANDIDATE, is_candidate);
        if (is_candidate)
            assert_int_equal(g->candidates[d->candidate], i);
        ncandidates += is_candidate;
        candidate_bytes += is_candidate ? pingo__lab_run_bytes(r, i) : 0;
        used += counts ? pingo__lab_run_bytes(r, i) : 0;
    }
    assert_int_equal(r->ncandidates, ncandidates);
    assert_int_equal(r->candidate_bytes, candidate_bytes);
    assert_int_equal(r->used, used);
    assert_true(g->result.peak_bytes >= used);
}

/* Does one of the things that a run does, by chance, where it may be done. */
static void step(struct ground *g, uint32_t random, uint32_t *nclaims, uint32_t *nreplaced)
{
    uint32_t i = (random >> 12) % DATASETS;
    struct pingo__lab_run_dataset *d = &g->datasets[i];
    struct pingo__lab_task *task = &g->tasks[(random >> 20) % TASKS];
    bool is_there = d->presence != PINGO__NOT_THERE;
    uint32_t what = (random >> 26) % 40;
    if (what < 12 && is_there && task->nclaims < CLAIMS) {
        pingo__lab_run_claim(&g->run, task, i);
        ++*nclaims;
    } else if (what < 20) {
        pingo__lab_run_release(&g->run, task);
        assert_int_equal(task->nclaims, 0);
    } else if (what < 28) { /* a new generation; claims that there are claim the former one */
        *nreplaced += d->claims > 0;
        d->generation++;
        d->claims = 0;
        pingo__lab_run_present(&g->run, i, d->presence == PINGO__LEAF ? PINGO__LEAF : PINGO__STORED);
    } else if (what < 30 && is_there) {
        pingo__lab_run_present(&g->run, i, PINGO__LEAF);
    } else if (what == 39 ? is_there : d->candidate != PINGO__NO_CANDIDATE) {
        pingo__lab_run_present(&g->run, i, PINGO__NOT_THERE);
    }
}

static void test_pool__keeps_its_counts_right(void **state)
{
    uint32_t random = 7, nclaims = 0, nreplaced = 0;
    (void)state;
    for (int outside = 0; outside < 2; outside++) {
        struct ground g;
        int64_t peak = 0;
        open_ground(&g, outside);
        for (int i = 0; i < 5000; i++) {
            random = random * 1664525 + 1013904223;
            step(&g, random, &nclaims, &nreplaced);
            check(&g);
            peak = g.run.used > peak ? g.run.used : peak;
        }
        assert_int_equal(g.result.peak_bytes, peak);
        pingo_history_free(g.history);
    }
    assert_true(nclaims > 500 && nreplaced > 100);
}

/* The longest chain that leads to a task is that of what it claims. */
static void test_pool__claims_pass_the_longest_chain_on(void **state)
{
    struct ground g;
    (void)state;
    open_ground(&g, false);
    for (uint32_t i = 0; i < 3; i++) {
        g.datasets[i].path_ms = i == 1 ? 50 : 10;
        pingo__lab_run_present(&g.run, i, PINGO__STORED);
        pingo__lab_run_claim(&g.run, &g.tasks[0], i);
    }
    assert_int_equal(g.tasks[0].path_ms, 50);
    assert_int_equal(g.tasks[0].nclaims, 3);
    assert_int_equal(g.run.ncandidates, 0);
    pingo_history_free(g.history);
}

static void test_pool__a_claimed_dataset_stays_while_a_slot_reads_it(void **state)
{
    static const char *const lines[] = {"a/1/50 b/10/50*<a", "x/2/60 y/1/1*<x", NULL};
    struct story s;
    (void)state;
    story_open(&s, lines);
    story_budget(&s, "lru", 100);
    s.options.slots = 2;
    s.options.leaves_outside = true;
    /* a is there at 1, while b reads it.  x comes at 2: 110, but both are claimed. */
    story_expect(&s, "[0 (a [1 (x )a (b )x ?15 (y )y* -x ]1 )b* ]0");
    story_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool__keeps_its_counts_right),
        cmocka_unit_test(test_pool__claims_pass_the_longest_chain_on),
        cmocka_unit_test(test_pool__a_claimed_dataset_stays_while_a_slot_reads_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
