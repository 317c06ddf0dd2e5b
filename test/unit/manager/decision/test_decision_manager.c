/* test_decision_manager.c - what goes when the pool is over its budget, what never goes, how
 * much, in which order, and what the ledger has to say of it. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>

#include <pingo/pool.h>

#include "unit/engine/box.h"

#include "manager/decision/shortfall.h"

/* ---- helpers -------------------------------------------------------------------------------- */

static void set(struct box *b, const char *key, const char *value)
{
    struct pingo_error err;

    well(pingo_store_set(b->store, key, value, &err), &err);
}

/* Sizes and times by name, so that everything made again is as before. */
static size_t size_of(const char *name)
{
    return 100 + (size_t)atoi(name + 1) * 37 % 400;
}

static int64_t time_of(const char *name)
{
    return 10 + atoi(name + 1) * 53 % 700;
}

static void finish_one(struct box *b, struct job *j)
{
    char content[1024];
    size_t size = size_of(j->name);

    memset(content, 'x', size);
    content[size] = '\0';
    box_report(b, j->name, PINGO_END_EXITED, 0, content);
    j->end.wall_ms = time_of(j->name);
}

/* Ticks and finishes what runs, one job a tick, until nothing does. */
static void run_all(struct box *b)
{
    struct job *j;

    do {
        box_tick(b);
        j = NULL;
        for (size_t i = 0; !j && i < b->fake.n; i++)
            if (!b->fake.jobs[i].ended && !b->fake.jobs[i].revoked)
                j = &b->fake.jobs[i];
        if (j)
            finish_one(b, j);
        else
            b->fake.n = 0;
    } while (j);
    box_tick(b);
}

static struct pingo_pool_usage usage_of(struct box *b)
{
    struct pingo_pool_usage u = {.size = sizeof u};
    struct pingo_error err;

    well(pingo_store_usage(b->store, &u, &err), &err);
    return u;
}

static void budget(struct box *b, int64_t bytes)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, bytes);
    set(b, "pool.budget", text);
}

#define EVICTED "SELECT count(*) FROM eviction"

/* x1 -> x2 -> x3 (kept as a result); each has a size of its own. */
#define CHAIN W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))))
/* Four that nobody reads any more, below one result. */
#define FAN                                                                                        \
    W(A(1, "") "," A(2, "") "," A(3, "") "," A(4, "") "," A(                                       \
        5, P(FROM(1) "," FROM(2) "," FROM(3) "," FROM(4))))

struct named {
    size_t n;
    char hashes[128][PINGO_HASH_HEX_SIZE];
    int64_t remake_ms[128];
    double scores[128];
    char reasons[128][200];
};

static int on_decided(void *context, const struct pingo_decided *d)
{
    struct named *x = context;

    assert_true(x->n < 128);
    pingo_hash_to_hex(&d->hash, x->hashes[x->n]);
    x->remake_ms[x->n] = d->remake_ms;
    x->scores[x->n] = d->score;
    snprintf(x->reasons[x->n], sizeof x->reasons[x->n], "%s", d->reason);
    assert_true(*d->name);
    x->n++;
    return 0;
}

static struct pingo_decide_summary dry_run(struct box *b, const char *algorithm, int64_t bytes,
                                           struct named *x)
{
    struct pingo_decide_options o = {.version = 1,
                                     .algorithm = algorithm,
                                     .free_bytes = bytes,
                                     .decided = on_decided,
                                     .context = x};
    struct pingo_decide_summary summary = {.size = sizeof summary};
    struct pingo_error err;

    x->n = 0;
    well(pingo_store_decide(b->store, &o, &summary, &err), &err);
    assert_int_equal(summary.nvictims, x->n);
    return summary;
}

/* The ledger's rows behind the first so many are these, in order, word for word. */
static void assert_ledger(struct box *b, int64_t before, const struct named *x)
{
    sqlite3_stmt *stmt = NULL;
    size_t i = 0;

    assert_int_equal(sqlite3_prepare_v2(b->store->db.sqlite,
                                        "SELECT lower(hex(hash)), score, remake_ms, reason FROM"
                                        " eviction WHERE id > ? ORDER BY id",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    sqlite3_bind_int64(stmt, 1, before);
    for (; sqlite3_step(stmt) == SQLITE_ROW; i++) {
        assert_true(i < x->n);
        assert_string_equal((const char *)sqlite3_column_text(stmt, 0), x->hashes[i]);
        assert_true(sqlite3_column_double(stmt, 1) == x->scores[i]);
        assert_true(sqlite3_column_int64(stmt, 2) == x->remake_ms[i]);
        assert_string_equal((const char *)sqlite3_column_text(stmt, 3), x->reasons[i]);
    }
    sqlite3_finalize(stmt);
    assert_int_equal(i, x->n);
}

/* ---- how much, and what ------------------------------------------------------------------------ */

static void test_decision_manager__without_a_budget_nothing_is_looked_at(void **state)
{
    struct box *b = box_new();
    struct pingo_pool_usage u = {.size = sizeof u};

    UNUSED(state);
    box_submit(b, FAN);
    run_all(b);
    u = usage_of(b);
    assert_true(u.budget_bytes == -1 && u.high_bytes == -1 && u.low_bytes == -1);
    assert_int_equal(u.used_bytes, u.stored_bytes + u.leaf_bytes);
    assert_int_equal(u.nstored, 4);
    assert_int_equal(u.nleaves, 1);
    assert_int_equal(u.candidate_bytes, u.stored_bytes);
    assert_false(b->s->decisions.survey.begun);
    assert_int_equal(box_int(b, EVICTED), 0);
    box_clean(b);
    box_close(b);
}

/* Nothing goes for a number that the pool contradicts: a sum, or the size of what may not go. */
static void test_decision_manager__damaged_numbers_let_nothing_go(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 2; i++) {
        struct box *b = box_new();
        struct pingo_pool_usage before = {.size = sizeof before}, after = {.size = sizeof after};

        box_submit(b, FAN);
        run_all(b);
        before = usage_of(b);
        budget(b, before.used_bytes + 1);
        if (i)
            box_run(b, "UPDATE object SET size_bytes = 1 << 60 WHERE id ="
                       " (SELECT object FROM dataset WHERE state = 5)");
        box_run(b, "UPDATE usage SET bytes = 1 << 60 WHERE state = 5");
        assert_true(usage_of(b).leaf_bytes > INT64_C(1) << 59);
        assert_int_equal(box_tick(b).evicted, 0);
        after = usage_of(b);
        assert_int_equal(after.used_bytes, before.used_bytes);
        assert_int_equal(after.leaf_bytes, before.leaf_bytes);
        box_clean(b);
        budget(b, before.used_bytes - 1);
        assert_true(box_tick(b).evicted > 0);
        box_close(b);
    }
}

static void test_decision_manager__frees_down_to_the_low_mark(void **state)
{
    struct box *b = box_new();
    struct pingo_pool_usage before = {.size = sizeof before}, after = {.size = sizeof after};
    struct named x;

    UNUSED(state);
    box_submit(b, FAN);
    run_all(b);
    before = usage_of(b);
    budget(b, before.used_bytes); /* full, and not over */
    struct pingo_tick_result r = box_tick(b);
    assert_int_equal(r.evicted, 0);
    assert_true(r.idle && !b->s->decisions.survey.begun);
    budget(b, before.used_bytes - 1);
    set(b, "pool.lowWatermark", "80%");
    dry_run(b, NULL, -1, &x);
    assert_true(x.n > 0);
    r = box_tick(b);
    assert_int_equal(r.evicted, x.n);
    assert_int_equal(r.deleted, x.n);
    assert_int_equal(r.shortfall_bytes, 0);
    assert_string_equal(r.shortfall_message, "");
    assert_ledger(b, 0, &x);
    after = usage_of(b);
    assert_true(after.used_bytes <= after.low_bytes);
    assert_true(after.low_bytes == (before.used_bytes - 1) * 8 / 10);
    assert_int_equal(box_int(b, "SELECT sum(size_bytes) FROM eviction"),
                     before.used_bytes - after.used_bytes);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state = 9"), x.n);
    assert_int_equal(box_int(b, "SELECT count(*) FROM eviction WHERE algorithm = 'chain' AND"
                                " workflow = 1 AND evicted_ms > 0 AND reason <> ''"),
                     x.n);
    assert_int_equal(box_dataset(b, 5), PINGO_DATASET_LEAF);
    r = box_tick(b);
    assert_true(r.idle);
    box_clean(b);
    box_close(b);
}

/* Of what may go, the algorithm that is set decides; another one from the next decision on. */
static void test_decision_manager__the_algorithm_is_a_setting(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, FAN);
    run_all(b);
    set(b, "decision.algorithm", "largest-first");
    budget(b, usage_of(b).used_bytes - 1);
    set(b, "pool.lowWatermark", "1");
    assert_int_equal(box_tick(b).evicted, 1);
    assert_int_equal(box_int(b, "SELECT size_bytes FROM eviction"), size_of("a4"));
    set(b, "decision.algorithm", "lru");
    budget(b, usage_of(b).used_bytes - 1);
    assert_int_equal(box_tick(b).evicted, 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM eviction WHERE algorithm = 'lru'"), 1);
    /* One that was there all the time or was just opened, the survey is the same. */
    assert_int_equal(b->s->decisions.survey.load.last, 1);
    box_clean(b);
    box_close(b);
}

static void test_decision_manager__an_algorithm_that_vanished_is_told_once(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, FAN);
    run_all(b);
    /* As when the plug-in was removed after it was set. */
    assert_int_equal(box_int(b, "INSERT INTO setting VALUES('decision.algorithm', '/no/such.so')"
                                " RETURNING 1"),
                     1);
    budget(b, usage_of(b).used_bytes - 1);
    set(b, "pool.lowWatermark", "1");
    b->log[0] = '\0';
    assert_int_equal(box_tick(b).evicted, 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM eviction WHERE algorithm = 'chain'"), 1);
    assert_string_equal(b->s->decisions.broken, "/no/such.so");
    budget(b, usage_of(b).used_bytes - 1);
    b->log[0] = '\0';
    assert_int_equal(box_tick(b).evicted, 1);
    assert_null(strstr(b->log, "/no/such.so"));
    set(b, "decision.algorithm", "lru");
    budget(b, usage_of(b).used_bytes - 1);
    assert_int_equal(box_tick(b).evicted, 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM eviction WHERE algorithm = 'lru'"), 1);
    box_clean(b);
    box_close(b);
}

/* ---- what never goes ----------------------------------------------------------------------------- */

static void test_decision_manager__leaves_pins_and_claims_stay(void **state)
{
    struct box *b = box_new();
    struct pingo_pool_usage u = {.size = sizeof u};

    UNUSED(state);
    box_submit(b, W(A(1, ",'keep':true") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)))));
    run_all(b); /* x1 is pinned, x2 free, x3 a leaf */
    box_submit(b, W(A(2, P(FROM(1))) "," A(1, ",'keep':true") "," A(4, P(FROM(2)))));
    box_tick(b); /* x4 runs and claims x2 */
    set(b, "pool.budget", "0");
    b->log[0] = '\0';
    struct pingo_tick_result r = box_tick(b);
    u = usage_of(b);
    assert_int_equal(r.evicted, 0);
    assert_int_equal(u.kept_bytes, size_of("a1"));
    assert_int_equal(u.claimed_bytes, size_of("a2"));
    assert_int_equal(u.leaf_bytes, size_of("a3"));
    assert_int_equal(u.candidate_bytes, 0);
    assert_int_equal(r.shortfall_bytes, u.used_bytes);
    assert_string_equal(
        r.shortfall_message,
        "the pool holds 522 B over its budget of 0 B: leaves 211 B (pingo release lets go "
        "of them), claimed 174 B (until the actions that read it have ended), kept "
        "137 B (pingo release lets go of it)");
    assert_string_equal(b->log, r.shortfall_message);
    assert_false(b->s->decisions.survey.begun); /* it took no history to see that */
    b->log[0] = '\0';
    int64_t looked_ms = b->s->decisions.looked_ms;
    usleep(2000);
    r = box_tick(b); /* nothing has changed: it is known, not looked for again, and not told again */
    assert_int_equal(b->s->decisions.looked_ms, looked_ms);
    assert_int_equal(r.shortfall_bytes, u.used_bytes);
    assert_string_equal(b->log, "");
    run_all(b); /* x4 ends: x2 may go */
    assert_int_equal(box_int(b, EVICTED), 1);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    box_clean(b);
    box_close(b);
}

/* A shortfall is told when it begins and when it has doubled. */
static void test_decision_manager__a_shortfall_that_grows_is_told_again(void **state)
{
    struct box *b = box_new();
    char text[256];

    UNUSED(state);
    set(b, "pool.budget", "0");
    for (int i = 1; i <= 4; i++) {
        snprintf(text, sizeof text,
                 "{'name':'w','actions':[{'id':1,'name':'a%d','type':'command-line',"
                 "'command':['%d']}]}",
                 11, i);
        box_submit(b, text);
        b->log[0] = '\0';
        run_all(b); /* a leaf of the same size each time */
        assert_int_equal(*b->log != '\0', i != 3);
    }
    box_close(b);
}

/* The user is asked by age alone, and only when there is need. */
static void test_decision_manager__old_leaves_may_go_where_that_is_set(void **state)
{
    struct box *b = box_new();
    struct named x;

    UNUSED(state);
    box_submit(b, CHAIN);
    run_all(b);
    box_submit(b, W(A(7, "")));
    run_all(b);
    set(b, "pool.leafDays", "30");
    /* The test's executor ends its jobs in 1970. */
    assert_int_equal(box_int(b, "UPDATE dataset SET last_used_ms = strftime('%s', 'now') * 1000"
                                " WHERE id = (SELECT max(id) FROM dataset) RETURNING state"),
                     PINGO_DATASET_LEAF);
    box_tick(b);
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_LEAF); /* there is no budget */
    set(b, "pool.budget", "0");
    dry_run(b, NULL, -1, &x);
    assert_int_equal(x.n, 3);
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_LEAF);
    struct pingo_tick_result r = box_tick(b);
    assert_int_equal(r.evicted, 3);
    assert_ledger(b, 0, &x);
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 7), PINGO_DATASET_LEAF);
    assert_true(r.shortfall_bytes == (int64_t)size_of("a7"));
    box_clean(b);
    box_close(b);
}

static atomic_bool is_locked;

/* A submission of another process, which asks for what dataset 3 holds once more, and takes its time. */
static void *ask_again(void *store)
{
    struct pingo__store_db *db = &((struct pingo_store *)store)->db;
    struct pingo_error err;

    well(pingo__store_db_begin(db, &err), &err);
    atomic_store(&is_locked, true);
    usleep(300000);
    well(pingo__store_db_end(db, pingo__store_dataset_touch(db, 3, pingo__world_wall_ms(), &err),
                             &err),
         &err);
    return NULL;
}

/* It was old when the scheduler looked, and is not when it has the lock. */
static void test_decision_manager__a_leaf_that_is_asked_for_again_is_not_old(void **state)
{
    struct box *b = box_new();
    struct pingo_store *other;
    struct pingo_error err;
    pthread_t thread;

    UNUSED(state);
    box_submit(b, CHAIN);
    run_all(b);
    set(b, "pool.leafDays", "30");
    set(b, "pool.budget", "0");
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    assert_int_equal(pthread_create(&thread, NULL, ask_again, other), 0);
    while (!atomic_load(&is_locked))
        usleep(1000);
    box_tick(b);
    pthread_join(thread, NULL);
    pingo_store_close(other);
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_LEAF);
    assert_int_equal(box_int(b, "SELECT count(*) FROM unwished"), 0);
    box_clean(b);
    box_close(b);
}

/* Claims protect what is still needed, so a pool that can hold nothing computes nothing twice. */
static void test_decision_manager__a_budget_of_nothing_makes_no_circles(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    set(b, "pool.budget", "0");
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))) "," A(
                      4, P(FROM(3) "," FROM(1))) "," A(5, P(FROM(4))) "," A(6, P(FROM(5)))));
    run_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 6);
    assert_int_equal(box_int(b, "SELECT max(generation) FROM dataset"), 1);
    assert_int_equal(box_int(b, EVICTED), 5);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state = 9"), 5);
    assert_int_equal(box_int(b, "SELECT count(*) FROM eviction WHERE regretted_ms IS NOT NULL"), 0);
    assert_int_equal(box_dataset(b, 6), PINGO_DATASET_LEAF);
    box_clean(b);
    box_close(b);
}

/* ---- again --------------------------------------------------------------------------------------- */

static void test_decision_manager__what_is_made_again_is_regretted(void **state)
{
    struct box *b = box_new();
    static const char *const forced[] = {"1"};
    struct pingo_submit_options force = {
        .version = 1, .base_dir = b->root, .forced = forced, .nforced = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    run_all(b);
    set(b, "pool.budget", "0");
    box_tick(b);
    assert_int_equal(box_int(b, EVICTED), 2);
    assert_int_equal(
        box_int(b, "SELECT sum(remake_ms) FROM eviction"),
        time_of("a1") + time_of("a2") +
            (box_int(b, "SELECT size_bytes FROM eviction ORDER BY id") == (int64_t)size_of("a1")
                 ? time_of("a1")
                 : 0));
    set(b, "pool.budget", NULL);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(8, P(FROM(2)))));
    run_all(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM eviction WHERE regretted_ms IS NULL"), 0);
    assert_int_equal(box_int(b, "SELECT sum(regret_ms) FROM eviction"),
                     time_of("a1") + time_of("a2"));
    set(b, "pool.budget", "0");
    box_tick(b);
    set(b, "pool.budget", NULL);
    assert_int_equal(box_int(b, EVICTED), 4);
    well(box_try_submit(b, CHAIN, &force, &s, &err), &err);
    run_all(b); /* would have been computed anyway */
    assert_int_equal(box_int(b, "SELECT sum(regret_ms) FROM eviction WHERE id > 2"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM eviction WHERE regretted_ms IS NULL"), 0);
    box_clean(b);
    box_close(b);
}

/* ---- warm and cold ----------------------------------------------------------------------------------- */

static uint32_t draw(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

/* Action i of a world in which each has up to two parents among the three before it. */
static void parents_of(int i, int parents[2], int *n)
{
    uint32_t seed = (uint32_t)i * 7919u + 3;

    *n = i < 3 ? 0 : (int)draw(&seed, 3);
    parents[0] = i - 1 - (int)draw(&seed, 2);
    parents[1] = parents[0] - 1;
}

/* The submission of some actions with all that is above them. */
static void closure_text(const int *wanted, int n, char *text, size_t size)
{
    bool in[200] = {false};
    size_t at = 0;
    bool first = true;

    for (int i = 0; i < n; i++)
        in[wanted[i]] = true;
    for (int i = 199; i >= 0; i--) {
        int parents[2], k;

        parents_of(i, parents, &k);
        for (int p = 0; in[i] && p < k; p++)
            in[parents[p]] = true;
    }
    at = (size_t)snprintf(text, size, "{'name':'w','actions':[");
    for (int i = 0; i < 200; i++) {
        int parents[2], k;

        if (!in[i])
            continue;
        parents_of(i, parents, &k);
        at += (size_t)snprintf(text + at, size - at,
                               "%s{'id':%d,'name':'a%d','type':'command-line','command':['x%d']",
                               first ? "" : ",", i, i, i);
        if (k == 1)
            at += (size_t)snprintf(text + at, size - at, P("{'id':%d}"), parents[0]);
        if (k == 2)
            at += (size_t)snprintf(text + at, size - at, P("{'id':%d},{'id':%d}"), parents[0],
                                   parents[1]);
        at += (size_t)snprintf(text + at, size - at, "}");
        first = false;
    }
    snprintf(text + at, size - at, "]}");
}

/* A scheduler that was there all the time decides as one that reads everything anew: to the byte. */
static void warm_equals_cold(const char *algorithm)
{
    struct box *b = box_new();
    uint32_t seed = 42;
    size_t total = 0;
    char text[32768];
    struct named x;

    set(b, "decision.algorithm", algorithm);
    set(b, "pool.lowWatermark", "0.7");
    for (int round = 0; round < 12; round++) {
        int wanted[3] = {round * 4 + 3, round * 4 + 1, (int)draw(&seed, (uint32_t)round * 4 + 3)};
        int64_t before;

        set(b, "pool.budget", NULL);
        closure_text(wanted, 3, text, sizeof text);
        box_submit(b, text);
        if (round % 4 != 2) /* else it is decided in the middle, with claims */
            run_all(b);
        else
            box_tick(b);
        if (round % 3 == 1)
            well(pingo_store_release_workflow(b->store, round + 1, NULL, NULL),
                 &(struct pingo_error){0});
        before = box_int(b, "SELECT coalesce(max(id), 0) FROM eviction");
        budget(b, usage_of(b).used_bytes * 3 / 4);
        dry_run(b, NULL, -1, &x);
        assert_int_equal(box_tick(b).evicted, x.n);
        assert_ledger(b, before, &x);
        total += x.n;
        set(b, "pool.budget", NULL);
        run_all(b);
    }
    assert_true(total > 20);
    assert_int_equal(b->s->decisions.survey.load.last, 12);
    box_clean(b);
    box_close(b);
}

static void test_decision_manager__warm_equals_cold(void **state)
{
    UNUSED(state);
    warm_equals_cold("chain");
    warm_equals_cold("most-commonly-used:window=20");
}

/* ---- two at once --------------------------------------------------------------------------------------- */

/* What happens between another scheduler's decision and its carrying out: its clock tells. */
struct between {
    struct pingo__world world;
    struct pingo_scheduler *decides;
    void (*act)(struct between *x);
    struct box *box;
    struct pingo_scheduler *other;
    struct pingo_tick_result result;
    struct pingo_hash hash;
    bool done;
};

static int64_t telling_clock(void *context)
{
    struct between *x = context;

    /* The history is read: the choice is made, and the next who asks for the time carries it out. */
    if (!x->done && x->decides->decisions.survey.decider) {
        x->done = true;
        x->act(x);
    }
    return pingo__world_real()->now_ns(NULL);
}

static int64_t telling_monotonic(void *context)
{
    UNUSED(context);
    return pingo__world_real()->monotonic_ns(NULL);
}

static void watch(struct between *x, struct box *b)
{
    x->world = *pingo__world_real();
    x->world.context = x;
    x->world.now_ns = telling_clock;
    x->world.monotonic_ns = telling_monotonic;
    x->box = b;
    x->decides = b->s;
    b->s->context.world = &x->world;
}

static void other_ticks(struct between *x)
{
    struct pingo_error err;

    well(pingo_scheduler_tick(x->other, &x->result, &err), &err);
}

static void test_decision_manager__two_schedulers_free_what_one_would(void **state)
{
    struct box *b = box_new();
    struct between x = {.act = other_ticks, .result.size = sizeof x.result};
    struct pingo_store_options options = {.version = 1};
    struct pingo_scheduler_options scheduler = {
        .version = 1, .executors = fake_list, .nexecutors = 1};
    struct pingo_store *store;
    struct pingo_pool_usage before = {.size = sizeof before}, after = {.size = sizeof after};
    struct pingo_error err;
    struct named dry;

    UNUSED(state);
    box_submit(b, FAN);
    run_all(b);
    before = usage_of(b);
    budget(b, before.used_bytes - 1);
    set(b, "pool.lowWatermark", "70%");
    dry_run(b, NULL, -1, &dry);
    well(pingo_store_open(b->dir, &options, &store, &err), &err);
    well(pingo_scheduler_open(store, &scheduler, &x.other, &err), &err);
    watch(&x, b);
    struct pingo_tick_result r = box_tick(b);
    assert_true(x.done);
    assert_int_equal(x.result.evicted, dry.n);
    assert_int_equal(r.evicted, 0);
    assert_int_equal(r.shortfall_bytes, 0);
    after = usage_of(b);
    assert_true(after.used_bytes <= after.low_bytes);
    assert_ledger(b, 0, &dry);
    pingo_scheduler_close(x.other);
    pingo_store_close(store);
    /* The first one learns of it: its next decision is the one that anybody would make. */
    box_submit(b, W(A(6, "") "," A(7, P(FROM(6)))));
    run_all(b);
    set(b, "pool.lowWatermark", "0.1");
    budget(b, usage_of(b).used_bytes - 1);
    dry_run(b, NULL, -1, &dry);
    assert_int_equal(box_tick(b).evicted, dry.n);
    assert_ledger(b, box_int(b, "SELECT count(*) FROM eviction") - (int64_t)dry.n, &dry);
    box_clean(b);
    box_close(b);
}

/* A person removes what was not chosen: that is enough. */
static void remove_another(struct between *x)
{
    struct pingo_error err;

    well(pingo_store_remove(x->box->store, &x->hash, &err), &err);
}

/* One of the four that is not among the victims. */
static struct pingo_hash another(struct box *b, const struct named *victims)
{
    static const char *const actions[] = {"1", "2", "3", "4"};
    struct pingo_hash hash;

    for (size_t i = 0; i < 4; i++) {
        char hex[PINGO_HASH_HEX_SIZE];
        bool named = false;

        assert_int_equal(pingo_store_resolve_dataset(b->store, "1", actions[i], &hash, NULL), 0);
        pingo_hash_to_hex(&hash, hex);
        for (size_t k = 0; k < victims->n; k++)
            named = named || strcmp(victims->hashes[k], hex) == 0;
        if (!named)
            return hash;
    }
    fail_msg("all are victims");
    return hash;
}

static void test_decision_manager__takes_no_more_than_is_needed_then(void **state)
{
    struct box *b = box_new();
    struct between x = {.act = remove_another};
    struct named dry;

    UNUSED(state);
    box_submit(b, FAN);
    run_all(b);
    budget(b, usage_of(b).used_bytes - 1);
    dry_run(b, NULL, -1, &dry);
    assert_true(dry.n > 0);
    x.hash = another(b, &dry);
    watch(&x, b);
    struct pingo_tick_result r = box_tick(b);
    assert_true(x.done);
    assert_int_equal(r.evicted, 0);
    assert_int_equal(r.shortfall_bytes, 0);
    assert_int_equal(r.deleted, 1);
    assert_int_equal(box_int(b, EVICTED), 0);
    box_clean(b);
    box_close(b);
}

/* All that was chosen is claimed by a new submission before it goes. */
static void claim_it(struct between *x)
{
    box_submit(x->box, W(A(1, "") "," A(2, "") "," A(3, "") "," A(4, "") "," A(
                           9, P(FROM(1) "," FROM(2) "," FROM(3) "," FROM(4)))));
}

static void test_decision_manager__what_is_claimed_meanwhile_stays(void **state)
{
    struct box *b = box_new();
    struct between x = {.act = claim_it};

    UNUSED(state);
    box_submit(b, FAN);
    run_all(b);
    budget(b, usage_of(b).used_bytes - 1);
    set(b, "pool.lowWatermark", "70%");
    watch(&x, b);
    struct pingo_tick_result r = box_tick(b);
    assert_true(x.done);
    assert_int_equal(r.evicted, 0);
    assert_true(r.shortfall_bytes > 0);
    assert_false(b->s->decisions.is_short); /* looked at again, and now that is how it is */
    box_tick(b);
    assert_true(b->s->decisions.is_short);
    assert_int_equal(box_int(b, EVICTED), 0);
    run_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_true(box_int(b, EVICTED) > 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 6);
    box_clean(b);
    box_close(b);
}

/* Or it is pinned. */
static void pin_it(struct between *x)
{
    box_run(x->box, "UPDATE dataset SET pinned = 1");
}

static void test_decision_manager__what_is_pinned_meanwhile_stays(void **state)
{
    struct box *b = box_new();
    struct between x = {.act = pin_it};

    UNUSED(state);
    box_submit(b, FAN);
    run_all(b);
    budget(b, usage_of(b).used_bytes - 1);
    watch(&x, b);
    struct pingo_tick_result r = box_tick(b);
    assert_true(x.done);
    assert_int_equal(r.evicted, 0);
    assert_true(r.shortfall_bytes > 0);
    assert_int_equal(box_int(b, EVICTED), 0);
    box_close(b);
}

/* ---- a full disk --------------------------------------------------------------------------------------- */

static void test_decision_manager__a_full_disk_takes_more_each_time(void **state)
{
    struct box *b = box_new();
    int64_t used, gone = 0, last = 0;
    char text[32768];
    int wanted[40];

    UNUSED(state);
    for (int i = 0; i < 40; i++)
        wanted[i] = i * 5 + 4;
    closure_text(wanted, 40, text, sizeof text);
    box_submit(b, text);
    run_all(b);
    used = usage_of(b).used_bytes;
    assert_true(usage_of(b).nstored > 20);
    box_submit(b, "{'name':'w','actions':[{'id':1,'name':'b1','type':'command-line','command':"
                  "['big']}]}");
    box_tick(b);
    for (int i = 0; i < 3; i++) { /* 5 %, 10 %, 20 % */
        int64_t share = (usage_of(b).used_bytes * 5 << i) / 100;
        struct pingo_tick_result r = box_disk_full(b, "b1", 0);

        assert_false(r.stuck_for_space);
        assert_true(r.evicted > 0);
        gone = used - usage_of(b).used_bytes;
        assert_true(gone - last >= share && gone - last < share + 600);
        last = gone;
        assert_int_equal(box_tick(b).evicted, 0); /* once for each time */
        box_try_again(b);
    }
    finish_one(b, fake_job(&b->fake, "b1"));
    box_tick(b);
    assert_int_equal(b->s->decisions.disk_share, 0); /* the next time begins anew */
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT retries + tries FROM action WHERE workflow = 2"), 0);
    box_clean(b);
    box_close(b);
}

static void test_decision_manager__a_full_disk_makes_room_for_what_did_not_fit(void **state)
{
    struct box *b = box_new();
    struct pingo_submit_options force = {
        .version = 1, .base_dir = b->root, .forced = (const char *const[]){"10"}, .nforced = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FAN);
    run_all(b);
    box_submit(b, W(A(10, ""))); /* 470 bytes: more than 5 % */
    run_all(b);
    well(box_try_submit(b, W(A(10, "")), &force, &s, &err), &err);
    box_tick(b);
    box_disk_full(b, "a10", 0);
    assert_true(box_int(b, "SELECT sum(size_bytes) FROM eviction") >= (int64_t)size_of("a10"));
    box_try_again(b);
    run_all(b);
    box_clean(b);
    box_close(b);
}

/* What is on its way out helps only where nobody holds it up. */
static void test_decision_manager__a_full_disk_does_not_count_on_what_is_claimed(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(9, "") "," A(5, P(FROM(9)))));
    run_all(b); /* x9 may go */
    box_submit(b, W(A(1, ",'keep':false") "," A(2, P(FROM(1)))));
    box_tick(b);
    finish_one(b, fake_job(&b->fake, "a1"));
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED_TO_DELETE);
    assert_false(box_disk_full(b, "a2", 0).stuck_for_space);
    assert_int_equal(box_dataset(b, 9), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED_TO_DELETE);
    box_try_again(b);
    run_all(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decision_manager__without_a_budget_nothing_is_looked_at),
        cmocka_unit_test(test_decision_manager__damaged_numbers_let_nothing_go),
        cmocka_unit_test(test_decision_manager__frees_down_to_the_low_mark),
        cmocka_unit_test(test_decision_manager__the_algorithm_is_a_setting),
        cmocka_unit_test(test_decision_manager__an_algorithm_that_vanished_is_told_once),
        cmocka_unit_test(test_decision_manager__leaves_pins_and_claims_stay),
        cmocka_unit_test(test_decision_manager__a_shortfall_that_grows_is_told_again),
        cmocka_unit_test(test_decision_manager__old_leaves_may_go_where_that_is_set),
        cmocka_unit_test(test_decision_manager__a_leaf_that_is_asked_for_again_is_not_old),
        cmocka_unit_test(test_decision_manager__a_budget_of_nothing_makes_no_circles),
        cmocka_unit_test(test_decision_manager__what_is_made_again_is_regretted),
        cmocka_unit_test(test_decision_manager__warm_equals_cold),
        cmocka_unit_test(test_decision_manager__two_schedulers_free_what_one_would),
        cmocka_unit_test(test_decision_manager__takes_no_more_than_is_needed_then),
        cmocka_unit_test(test_decision_manager__what_is_claimed_meanwhile_stays),
        cmocka_unit_test(test_decision_manager__what_is_pinned_meanwhile_stays),
        cmocka_unit_test(test_decision_manager__a_full_disk_takes_more_each_time),
        cmocka_unit_test(test_decision_manager__a_full_disk_makes_room_for_what_did_not_fit),
        cmocka_unit_test(test_decision_manager__a_full_disk_does_not_count_on_what_is_claimed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
