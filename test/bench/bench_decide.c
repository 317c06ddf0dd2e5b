/* bench_decide.c - what a decision costs, for each algorithm.
 *
 * usage: bench_decide [STORED [VICTIMS [KNOWN]]]
 * Of KNOWN (as many as STORED) datasets in the history, STORED (1,000,000) are present, by lot.  Prints
 * the seconds from nothing to the first decision (cold); the milliseconds of the next ones, with a
 * submission and a full exchange of VICTIMS (1,000) between them (warm); and bytes a known dataset of
 * history and algorithm together, without 16 an edge.  Behind each, its share of what is allowed for
 * a million: 5 s, 50 ms, 128 bytes.
 *
 * The history is synthetic: pipelines of 15 stages with up to two parents each among the four stages
 * before.  A submission takes an earlier one, mostly of the last thousands, and changes a stage of the
 * first eleven and with it all behind it. */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pingo/decision.h>

#define STAGES 15
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

#define LEAST_NEW 5 /* actions that a submission brings, at least */

/* The stages of each submission, by number of the action. */
static uint32_t (*stages)[STAGES];
static uint32_t nsubmissions, nactions;

static void put(struct pingo_history_mention *m, struct pingo_hash *parents, uint32_t stage,
                uint32_t base)
{
    const uint32_t *all = stages[nsubmissions];
    m->hash = hash_of(all[stage]);
    m->has_parents = true;
    m->parents = parents;
    for (uint32_t k = 0; k < 2 && stage > k;
         k++) /* a function of the action, wherever it is mentioned */
        parents[m->nparents++] = hash_of(
            all[stage - 1 - (k == 0 ? 0 : 1 + hash_of(all[stage]).bytes[1] % 3 % (stage - 1))]);
    m->size_bytes = m->compute_ms = -1;
    if (stage >= base) {
        m->size_bytes = 1 + draw(1000000000);
        m->compute_ms = 1 + draw(100000);
    }
}

static void submit(struct pingo_history *history)
{
    struct pingo_history_mention mentions[STAGES];
    struct pingo_hash parents[STAGES][2];
    struct pingo_error err;
    uint32_t near = nsubmissions < 5000 ? nsubmissions : 5000;
    uint32_t changed = nsubmissions == 0 ? 0 : draw(STAGES - LEAST_NEW + 1);
    if (changed > 0)
        memcpy(stages[nsubmissions],
               stages[draw(4) == 0 ? draw(nsubmissions) : nsubmissions - 1 - draw(near)],
               sizeof *stages);
    for (uint32_t i = changed; i < STAGES; i++)
        stages[nsubmissions][i] = nactions++;
    memset(mentions, 0, sizeof mentions);
    for (uint32_t i = 0; i < STAGES; i++) {
        put(&mentions[i], parents[i], i, changed);
        mentions[i].flags = i >= changed       ? PINGO_HISTORY_COMPUTED
                            : i + 5 >= changed ? PINGO_HISTORY_REUSED
                                               : PINGO_HISTORY_SKIPPED;
    }
    struct pingo_history_entry entry = {0, "user", "bench", mentions, STAGES};
    must(pingo_history_append(history, &entry, NULL, &err), &err);
    nsubmissions++;
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

/* Which of the known ones are stored, to begin with. */
static bool *is_stored;

static void begin_with(struct pingo_decider *decider, uint32_t nknown)
{
    struct pingo_error err;
    for (uint32_t i = 0; i < nknown; i++)
        if (is_stored[i])
            must(pingo_decider_present(decider, i, &err), &err);
}

/* What goes is gone, and the next submission makes its new ones. */
static void go_on(struct pingo_decider *decider, struct pingo_history *history,
                  struct victims *victims)
{
    struct pingo_error err;
    uint32_t known = pingo_history_count_actions(history);
    for (uint32_t i = 0; i < victims->n; i++)
        must(pingo_decider_missing(decider, victims->list[i], true, &err), &err);
    victims->n = 0;
    submit(history);
    for (; known < pingo_history_count_actions(history); known++)
        must(pingo_decider_present(decider, known, &err), &err);
}

/* Bytes of memory that the program holds now, and held before there was a history. */
static size_t before;

static size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static void measure(const struct pingo_decision_algorithm *algorithm, struct pingo_history *history,
                    uint32_t nknown, uint32_t nvictims)
{
    struct pingo_decider *decider = NULL;
    struct pingo_error err;
    struct victims victims = {malloc((nknown + ROUNDS * STAGES + 1) * sizeof(uint32_t)), 0};
    struct pingo_decision_request request = {.version = 1,
                                             .free_bytes = (uint64_t)nvictims * 650000000,
                                             .victim = note,
                                             .context = &victims};
    double begin = now(), warm = 0, worst = 0;
    size_t told = 0;
    if (victims.list == NULL)
        exit(1);
    must(pingo_decider_new(algorithm, NULL, history, &decider, &err), &err);
    begin_with(decider, nknown);
    must(pingo_decider_choose(decider, &request, NULL, &err), &err);
    double cold = now() - begin;
    for (int round = 0; round < ROUNDS; round++) {
        go_on(decider, history, &victims);
        begin = now();
        must(pingo_decider_choose(decider, &request, NULL, &err), &err);
        double took = now() - begin;
        warm += took / ROUNDS;
        worst = took > worst ? took : worst;
        told += victims.n;
    }
    double edges = (double)pingo_history_count_edges(history);
    double bytes = (double)(in_use() - before - malloc_usable_size(victims.list));
    bytes = (bytes - 16 * edges) / (double)pingo_history_count_actions(history);
    printf("%-18s  cold %5.2f s (%.2f)  warm %6.1f ms (%.2f; worst %6.1f) for %4.0f victims"
           "  %5.1f bytes (%.2f)\n",
           algorithm->name, cold, cold / 5, warm * 1e3, warm / 0.05, worst * 1e3,
           (double)told / ROUNDS, bytes, bytes / 128);
    fflush(stdout);
    pingo_decider_free(decider);
    free(victims.list);
}

int main(int argc, char **argv)
{
    uint32_t nstored = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
    uint32_t nvictims = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000;
    uint32_t nknown = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : nstored;
    struct pingo_error err;
    if (nstored < STAGES || nvictims == 0 || nknown < nstored) {
        fprintf(stderr, "usage: bench_decide [STORED [VICTIMS [KNOWN]]]\n");
        return 2;
    }
    is_stored = malloc(nknown * sizeof *is_stored);
    /* All at once: memory that the first history made here would be counted as the first algorithm's. */
    stages = malloc((nknown / LEAST_NEW + 1 + ROUNDS) * sizeof *stages);
    if (is_stored == NULL || stages == NULL)
        return 1;
    for (uint32_t i = 0; i < nknown; i++)
        is_stored[i] = draw(nknown) < nstored;
    for (size_t i = 0; pingo_decision_at(i) != NULL; i++) {
        struct pingo_history *history = NULL;
        before = in_use();
        must(pingo_history_new(&history, &err), &err);
        nsubmissions = nactions = 0;
        while (pingo_history_count_actions(history) < nknown)
            submit(history);
        if (i == 0)
            printf("%" PRIu32 " datasets known, %" PRIu32 " stored, %zu edges, %" PRIu32
                   " submissions, %" PRIu64 " mentions\n",
                   nknown, nstored, pingo_history_count_edges(history),
                   pingo_history_count_submissions(history), pingo_history_count_mentions(history));
        measure(pingo_decision_at(i), history, nknown, nvictims);
        pingo_history_free(history);
    }
    free(is_stored);
    free(stages);
    return 0;
}
