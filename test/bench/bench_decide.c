/* bench_decide.c - what a decision costs: bench_decide [DATASETS [VICTIMS]] prints, for each algorithm,
 * the seconds from nothing to the first decision (cold), the milliseconds of the next ones with a
 * submission and a full exchange of victims between them (warm), and bytes a dataset.
 *
 * The history is synthetic: workflows of 10 new actions with 2 parents each among those known. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pingo/decision.h>

#define NEW 10
#define OLD 5
#define ROUNDS 20

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct pingo_hash hash_of(uint32_t action)
{
    struct pingo_hash hash = {{0}};
    uint64_t x = (action + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    memcpy(hash.bytes, &x, sizeof x);
    memcpy(hash.bytes + 8, &action, sizeof action);
    return hash;
}

static void must(int rc, const struct pingo_error *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "bench_decide: %s\n", err->message);
    exit(1);
}

static void submit(struct pingo_history *history)
{
    struct pingo_history_mention mentions[NEW + OLD];
    struct pingo_hash parents[NEW][2];
    struct pingo_error err;
    uint32_t known = pingo_history_count_actions(history), nold = known < OLD ? 0 : OLD;
    memset(mentions, 0, sizeof mentions);
    for (uint32_t i = 0; i < nold; i++) {
        mentions[i].hash =
            hash_of(draw(4) == 0 ? draw(known) : known - 1 - draw(known < 500 ? known : 500));
        mentions[i].size_bytes = mentions[i].compute_ms = -1;
    }
    for (uint32_t i = 0; i < NEW; i++) {
        struct pingo_history_mention *m = &mentions[nold + i];
        m->hash = hash_of(known + i);
        m->has_parents = true;
        m->parents = parents[i];
        for (; m->nparents < 2 && nold + i > 0; m->nparents++)
            parents[i][m->nparents] = mentions[draw(nold + i)].hash;
        m->size_bytes = 1 + draw(1000000000);
        m->compute_ms = 1 + draw(100000);
    }
    struct pingo_history_entry entry = {0, "user", "bench", mentions, nold + NEW};
    must(pingo_history_append(history, &entry, NULL, &err), &err);
}

struct victims {
    uint32_t *list, n;
};

static int note(void *context, const struct pingo_decision_victim *victim)
{
    struct victims *v = context;
    v->list[v->n++] = victim->dataset;
    return 0;
}

static void measure(const struct pingo_decision_algorithm *algorithm, struct pingo_history *history,
                    uint32_t ndatasets, uint32_t nvictims)
{
    struct pingo_decider *decider = NULL;
    struct pingo_error err;
    struct victims victims = {malloc((ndatasets + ROUNDS * NEW + 1) * sizeof(uint32_t)), 0};
    struct pingo_decision_request request = {1, (uint64_t)nvictims * 650000000, NULL, note,
                                             &victims};
    double begin = now(), warm = 0, worst = 0;
    size_t told = 0;
    if (victims.list == NULL)
        exit(1);
    must(pingo_decider_new(algorithm, NULL, history, &decider, &err), &err);
    for (uint32_t i = 0; i < ndatasets; i++)
        must(pingo_decider_present(decider, i, &err), &err);
    must(pingo_decider_choose(decider, &request, NULL, &err), &err);
    double cold = now() - begin;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < victims.n; i++)
            must(pingo_decider_missing(decider, victims.list[i], true, &err), &err);
        victims.n = 0;
        submit(history);
        must(pingo_decider_observe(decider, &err), &err);
        begin = now();
        must(pingo_decider_choose(decider, &request, NULL, &err), &err);
        double took = now() - begin;
        warm += took / ROUNDS;
        worst = took > worst ? took : worst;
        told += victims.n;
    }
    size_t edges = pingo_history_count_edges(history);
    size_t bytes = pingo_decider_memory(decider) + pingo_history_memory(history);
    printf(
        "%-20s cold %6.2f s  warm %6.1f ms (worst %6.1f)  %6.0f victims  %5.1f bytes a dataset\n",
        algorithm->name, cold, warm * 1e3, worst * 1e3, (double)told / ROUNDS,
        ((double)bytes - 16.0 * (double)edges) / (double)ndatasets);
    pingo_decider_free(decider);
    free(victims.list);
}

int main(int argc, char **argv)
{
    uint32_t ndatasets = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
    uint32_t nvictims = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000;
    struct pingo_history *history = NULL;
    struct pingo_error err;
    if (ndatasets < NEW || nvictims == 0) {
        fprintf(stderr, "usage: bench_decide [DATASETS [VICTIMS]]\n");
        return 2;
    }
    must(pingo_history_new(&history, &err), &err);
    while (pingo_history_count_actions(history) < ndatasets)
        submit(history);
    printf("%" PRIu32 " datasets, %zu edges, %" PRIu32
           " submissions; bytes without 16 an edge, with the "
           "history\n",
           pingo_history_count_actions(history), pingo_history_count_edges(history),
           pingo_history_count_submissions(history));
    for (size_t i = 0; pingo_decision_at(i) != NULL; i++)
        measure(pingo_decision_at(i), history, ndatasets, nvictims);
    pingo_history_free(history);
    return 0;
}
