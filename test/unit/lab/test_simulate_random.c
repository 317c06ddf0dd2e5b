/* Random histories against a second simulator that is slow and plain: one slot, largest-first, no
 * planner, no heap, no counts, only sets that are looked through. */
#include "story.h"

#include "lab/simulate/workload.h"

#define MAX 120 /* actions */

struct world {
    uint64_t random;
    struct pingo_history *history;
    uint32_t n; /* actions */
};

static uint64_t draw(struct world *w, uint64_t below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (w->random >> 33) % below;
}

static struct pingo_hash hash_of(uint32_t action)
{
    char name[8];
    /* Not in the order of the indexes. */
    snprintf(name, sizeof name, "%u", (action * 37 + 11) % 997);
    return story_hash(name, strlen(name));
}

static void close_over(const struct world *w, bool *in, uint32_t action)
{
    struct pingo_hash hash = hash_of(action);
    size_t n;
    const uint32_t *parents =
        pingo_history_parents(w->history, pingo_history_find(w->history, &hash), &n);
    if (in[action])
        return;
    in[action] = true;
    for (uint32_t other = 0; other < action; other++)
        for (size_t i = 0; i < n; i++) {
            hash = hash_of(other);
            if (pingo_history_find(w->history, &hash) == parents[i])
                close_over(w, in, other);
        }
}

/* Old actions with their ancestors, and new ones below; some asked for, few forced. */
static void submit(struct world *w)
{
    struct pingo_history_mention mentions[MAX];
    struct pingo_hash parents[MAX][3];
    struct pingo_history_entry entry = {.user = "u", .workflow = "w", .mentions = mentions};
    uint32_t chosen[MAX];
    bool in[MAX] = {false};
    for (uint64_t old = draw(w, 6); w->n > 0 && old > 0; old--)
        close_over(w, in, (uint32_t)draw(w, w->n));
    for (uint32_t i = 0; i < w->n; i++) {
        if (!in[i])
            continue;
        chosen[entry.nmentions] = i;
        mentions[entry.nmentions++] =
            (struct pingo_history_mention){.hash = hash_of(i), .size_bytes = -1, .compute_ms = -1};
    }
    for (uint64_t fresh = 1 + draw(w, 6); fresh > 0 && w->n < MAX - 1; fresh--) {
        size_t at = entry.nmentions++;
        struct pingo_history_mention *m = &mentions[at];
        *m = (struct pingo_history_mention){.hash = hash_of(w->n),
                                            .has_parents = true,
                                            .parents = parents[at],
                                            .size_bytes = (int64_t)draw(w, 5) * 20,
                                            .compute_ms = (int64_t)draw(w, 6) * 300};
        for (uint64_t k = at > 0 ? draw(w, 4) : 0; k > 0; k--)
            parents[at][m->nparents++] = hash_of(chosen[at - 1 - draw(w, at < 5 ? at : 5)]);
        chosen[at] = w->n++;
    }
    for (size_t i = 0; i < entry.nmentions; i++)
        mentions[i].flags = (draw(w, 4) == 0 ? PINGO_HISTORY_LEAF : 0) |
                            (draw(w, 30) == 0 ? PINGO_HISTORY_FORCED : 0);
    mentions[entry.nmentions - 1].flags |= PINGO_HISTORY_LEAF;
    assert_int_equal(pingo_history_append(w->history, &entry, NULL, NULL), 0);
    /* The history's indexes are its own: only hashes are used below. */
    assert_int_equal(pingo_history_count_actions(w->history), w->n);
}

/* ---- the plain simulator --------------------------------------------------------------- */

struct plain {
    const struct pingo_history *history;
    const struct pingo_simulation_options *options;
    enum { AWAY, STORED, LEAF } state[MAX];
    bool forced[MAX], wanted[MAX], computes[MAX], reused[MAX];
    int64_t nmade[MAX], sum_ms[MAX], rank[MAX], now;
    uint32_t last_use[MAX], n;
    struct story *log;
};

static void say(struct plain *p, enum pingo_simulation_event_kind kind, uint32_t action, int64_t n)
{
    struct pingo_simulation_event e = {.kind = kind,
                                       .action = action,
                                       .submission = (uint32_t)n,
                                       .bytes = n,
                                       .leaf = action < p->n && p->state[action] == LEAF};
    story_event(p->log, &e);
}

static int64_t size_of(const struct plain *p, uint32_t v)
{
    return pingo_history_size(p->history, v) > 0 ? pingo_history_size(p->history, v) : 0;
}

static bool is_parent(const struct plain *p, uint32_t parent, uint32_t child)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(p->history, child, &n);
    for (size_t i = 0; i < n; i++)
        if (parents[i] == parent)
            return true;
    return false;
}

static void need(struct plain *p, uint32_t v)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(p->history, v, &n);
    if (p->computes[v] || p->reused[v])
        return;
    if (!p->forced[v] && p->state[v] != AWAY) {
        p->reused[v] = true;
        return;
    }
    p->computes[v] = true;
    for (size_t i = 0; i < n; i++)
        need(p, parents[i]);
}

/* Is an ancestor forced?  Of what is not mentioned nothing is. */
static bool is_forced(const struct plain *p, const struct pingo_history_submission *s, uint32_t v)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(p->history, v, &n);
    for (size_t i = 0; i < s->nactions; i++)
        if (s->actions[i] == v && (s->flags[i] & PINGO_HISTORY_FORCED))
            return true;
    for (size_t i = 0; i < n; i++)
        if (is_forced(p, s, parents[i]))
            return true;
    return false;
}

static void plan(struct plain *p, const struct pingo_history_submission *s)
{
    for (uint32_t v = 0; v < p->n; v++) {
        p->computes[v] = p->reused[v] = p->wanted[v] = false;
        p->forced[v] = is_forced(p, s, v);
    }
    for (size_t i = 0; i < s->nactions; i++) {
        if (s->flags[i] & PINGO_HISTORY_LEAF)
            p->wanted[s->actions[i]] = true;
        if (s->flags[i] & (PINGO_HISTORY_LEAF | PINGO_HISTORY_FORCED))
            need(p, s->actions[i]);
    }
    for (uint32_t v = p->n; v-- > 0;) { /* children have larger indexes */
        int64_t longest = 0;
        for (uint32_t c = v + 1; c < p->n; c++)
            if (p->computes[c] && is_parent(p, v, c) && p->rank[c] > longest)
                longest = p->rank[c];
        p->rank[v] =
            longest + (p->forced[v] || p->nmade[v] == 0 ? 1000 : p->sum_ms[v] / p->nmade[v]);
    }
}

/* Who waits for another generation does not claim the one that is there. */
static bool is_claimed(const struct plain *p, uint32_t v)
{
    for (uint32_t c = p->computes[v] ? p->n : v + 1; c < p->n; c++)
        if (p->computes[c] && is_parent(p, v, c))
            return true;
    return false;
}

static bool goes_before(const struct plain *p, uint32_t a, uint32_t b)
{
    if (size_of(p, a) != size_of(p, b))
        return size_of(p, a) > size_of(p, b);
    if (p->last_use[a] != p->last_use[b])
        return p->last_use[a] < p->last_use[b];
    return memcmp(pingo_history_hash(p->history, a), pingo_history_hash(p->history, b),
                  PINGO_HASH_SIZE) < 0;
}

static void decide(struct plain *p)
{
    int64_t used = 0, freed = 0, free_for_all = 0, must;
    uint32_t victims[MAX], n = 0, kept = 0;
    for (uint32_t v = 0; v < p->n; v++)
        if (p->state[v] == STORED || (p->state[v] == LEAF && !p->options->leaves_outside))
            used += size_of(p, v);
    if (used <= p->options->budget_bytes)
        return;
    must = used - p->options->budget_bytes * 95 / 100;
    for (uint32_t v = 0; v < p->n; v++)
        if (p->state[v] == STORED && !is_claimed(p, v))
            free_for_all += size_of(p, v);
    while (freed < must && free_for_all > 0) { /* else nobody is asked */
        uint32_t best = MAX;
        for (uint32_t v = 0; v < p->n; v++) {
            bool taken = p->state[v] != STORED || is_claimed(p, v);
            for (uint32_t i = 0; i < n; i++)
                taken = taken || victims[i] == v;
            if (!taken && (best == MAX || goes_before(p, v, best)))
                best = v;
        }
        if (best == MAX)
            break;
        victims[n++] = best;
        freed += size_of(p, best);
    }
    for (uint32_t i = n; freed >= must && i-- > 0;)
        if (freed - size_of(p, victims[i]) >= must) {
            freed -= size_of(p, victims[i]);
            victims[i] = MAX;
        }
    for (uint32_t i = 0; i < n; i++)
        if (victims[i] != MAX)
            victims[kept++] = victims[i];
    for (uint32_t i = 0; i < kept; i++) {
        p->state[victims[i]] = AWAY;
        say(p, PINGO_SIMULATION_EVICT, victims[i], 0);
    }
    if (freed < must)
        say(p, PINGO_SIMULATION_SHORTFALL, PINGO_HISTORY_NONE, must - freed);
}

static bool is_ready(const struct plain *p, uint32_t v)
{
    for (uint32_t u = 0; p->computes[v] && u < v; u++)
        if (p->computes[u] && is_parent(p, u, v))
            return false;
    return p->computes[v];
}

/* Runs the first of what is ready.  false: nothing is. */
static bool run_one(struct plain *p)
{
    uint32_t best = MAX;
    for (uint32_t v = 0; v < p->n; v++) {
        if (!is_ready(p, v))
            continue;
        if (best == MAX || p->rank[v] > p->rank[best] ||
            (p->rank[v] == p->rank[best] &&
             memcmp(pingo_history_hash(p->history, v), pingo_history_hash(p->history, best),
                    PINGO_HASH_SIZE) < 0))
            best = v;
    }
    if (best == MAX)
        return false;
    say(p, PINGO_SIMULATION_RUN, best, 0);
    p->now += pingo_history_compute(p->history, best);
    p->sum_ms[best] += pingo_history_compute(p->history, best);
    p->nmade[best]++;
    p->computes[best] = false;
    p->state[best] = p->wanted[best] || p->state[best] == LEAF ? LEAF : STORED;
    say(p, PINGO_SIMULATION_PUBLISH, best, 0);
    if (p->options->decide == PINGO_SIMULATION_DECIDE_PUBLISH)
        decide(p);
    return true;
}

static void play(struct plain *p)
{
    for (uint32_t k = 0; k < pingo_history_count_submissions(p->history); k++) {
        struct pingo_history_submission s = {.size = sizeof s};
        bool told[MAX] = {false};
        pingo_history_submission(p->history, k, &s);
        plan(p, &s);
        say(p, PINGO_SIMULATION_SUBMIT, PINGO_HISTORY_NONE, k);
        for (uint32_t v = 0; v < p->n; v++)
            if (p->reused[v] && p->wanted[v])
                p->state[v] = LEAF;
        /* A use is a mention that was not skipped. */
        for (size_t i = 0; i < s.nactions; i++) {
            uint32_t v = s.actions[i];
            if (p->computes[v] || p->reused[v])
                p->last_use[v] = k + 1;
            if (p->reused[v] && !told[v])
                say(p, PINGO_SIMULATION_REUSE, v, 0);
            told[v] = true;
        }
        while (run_one(p))
            ;
        say(p, PINGO_SIMULATION_END, PINGO_HISTORY_NONE, k);
        if (p->options->decide == PINGO_SIMULATION_DECIDE_WORKFLOW_END)
            decide(p);
    }
}

/* ---- the comparison ----------------------------------------------------------------------- */

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reuses stand in no order that matters: between "[" and the first run they are sorted. */
static void sort_reuses(char *log)
{
    char *words[STORY_SIZE / 2], copy[STORY_SIZE];
    size_t n = 0;
    strcpy(copy, log);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        words[n++] = word;
    for (size_t i = 0, end; i < n; i = end + 1) {
        for (end = i; end < n && words[end][0] == '='; end++)
            ;
        if (end > i)
            qsort(words + i, end - i, sizeof *words, compare_words);
    }
    log[0] = '\0';
    for (size_t i = 0, at = 0; i < n; i++)
        at += (size_t)sprintf(log + at, "%s ", words[i]);
}

static void compare(struct story *s)
{
    static struct story plain_log;
    static struct plain plain;
    struct pingo_simulation_result quiet = {.size = sizeof quiet}, alone = {.size = sizeof alone};
    struct pingo_workload *unshared = NULL;
    plain_log = (struct story){.history = s->history};
    plain = (struct plain){.history = s->history,
                           .options = &s->options,
                           .n = pingo_history_count_actions(s->history),
                           .log = &plain_log};
    play(&plain);
    sort_reuses(plain_log.log);
    s->length = 0;
    s->options.event = story_event;
    s->options.context = s;
    s->result = (struct pingo_simulation_result){.size = sizeof s->result};
    assert_int_equal(pingo_workload_simulate(s->workload, &s->options, &s->result, NULL), 0);
    sort_reuses(s->log);
    assert_string_equal(s->log, plain_log.log);
    assert_int_equal(s->result.end_ms, plain.now);
    assert_int_equal(s->result.compute_ms, plain.now);

    /* Nobody watches; and shapes are made as they come. */
    s->options.event = NULL;
    assert_int_equal(pingo_workload_simulate(s->workload, &s->options, &quiet, NULL), 0);
    assert_memory_equal(&quiet, &s->result, sizeof quiet);
    assert_int_equal(pingo__lab_workload_new(s->history, 0, &unshared, NULL), 0);
    assert_non_null(s->workload->shapes);
    assert_null(unshared->shapes);
    assert_int_equal(pingo_workload_simulate(unshared, &s->options, &alone, NULL), 0);
    assert_memory_equal(&alone, &s->result, sizeof alone);
    pingo_workload_free(unshared);
}

static void test_simulate__agrees_with_a_plain_one(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct world w = {.random = seed * 7919};
        struct story s = {.options = {.version = 1,
                                      .decide = (enum pingo_simulation_decide)(seed % 2),
                                      .leaves_outside = seed / 2 % 2 != 0}};
        assert_int_equal(pingo_history_new(&w.history, NULL), 0);
        for (uint64_t i = 3 + draw(&w, 18); i > 0; i--)
            submit(&w);
        s.history = w.history;
        assert_int_equal(pingo_workload_new(s.history, &s.workload, NULL), 0);
        story_budget(&s, "largest-first", (int64_t)draw(&w, 8) * 100);
        compare(&s);
        story_close(&s);
    }
}

/* Whatever the policy and the slots: between the ideal and, at one slot, no storage at all. */
static void test_simulate__every_policy_is_between_ideal_and_none(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct world w = {.random = seed};
        struct pingo_simulation_options o = {.version = 1, .budget_bytes = -1};
        struct pingo_simulation_result ideal = {.size = sizeof ideal}, none = {.size = sizeof none},
                                       r = {.size = sizeof r};
        struct pingo_workload *workload = NULL;
        assert_int_equal(pingo_history_new(&w.history, NULL), 0);
        for (int i = 0; i < 20; i++)
            submit(&w);
        assert_int_equal(pingo_workload_new(w.history, &workload, NULL), 0);
        o.slots = (unsigned)(seed % 3 + 1);
        assert_int_equal(pingo_workload_simulate(workload, &o, &ideal, NULL), 0);
        assert_true(ideal.end_ms >= ideal.critical_ms);
        assert_true(ideal.end_ms >= ideal.compute_ms / o.slots);
        o.budget_bytes = 0;
        assert_int_equal(pingo_workload_simulate(workload, &o, &none, NULL), 0);
        for (size_t i = 0; pingo_decision_at(i) != NULL; i++) {
            o.algorithm = i == 1 ? pingo_clairvoyant() : pingo_decision_at(i);
            o.budget_bytes = 300;
            assert_int_equal(pingo_workload_simulate(workload, &o, &r, NULL), 0);
            assert_true(r.compute_ms >= ideal.compute_ms);
            if (o.slots == 1)
                assert_true(r.compute_ms <= none.compute_ms);
            o.algorithm = NULL;
        }
        pingo_workload_free(workload);
        pingo_history_free(w.history);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulate__agrees_with_a_plain_one),
        cmocka_unit_test(test_simulate__every_policy_is_between_ideal_and_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
