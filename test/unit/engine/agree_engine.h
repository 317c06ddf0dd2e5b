/* agree_engine.h - the real engine runs the history of agree.h, and must do what the simulator said.
 *
 * All is there but the work: a store on a disk, its managers, and an executor at one slot that makes
 * an output of the size that the history tells, all hole, and reports the time that the simulator
 * took.  The clock is virtual, so that what the managers do now and then does not depend on how
 * fast the machine is. */
#ifndef TEST_ENGINE_AGREE_ENGINE_H
#define TEST_ENGINE_AGREE_ENGINE_H

#include <errno.h>
#include <poll.h>

#include "unit/engine/agree.h"

/* ---- the executor: one job, which ends when the test says so ----------------------------------- */

struct agree_engine {
    const struct agree_case *c;
    const struct agree_simulation *said;
    char root[64], dir[80];
    struct pingo_store *store;
    struct pingo_scheduler *scheduler;
    struct agree_log log;
    bool has_job, has_ended;
    uint32_t action; /* the job's, in the source */
    char staged[256];
    struct pingo_job_end end;
    size_t nruns;
    int64_t peak_bytes, nevictions;
};

static struct agree_engine *agree_now;
static int64_t agree_clock_ms;

static inline int64_t agree_now_ns(void *context)
{
    UNUSED(context);
    return agree_clock_ms * 1000000;
}

static inline int agree_nothing_to_sync(void *context, int fd)
{
    UNUSED(context);
    UNUSED(fd);
    return 0;
}

static inline int agree_x_open(const struct pingo_executor_context *context, void **executor,
                               struct pingo_error *err)
{
    UNUSED(context);
    UNUSED(err);
    *executor = agree_now;
    return 0;
}

static inline int agree_x_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct agree_engine *e = executor;

    UNUSED(err);
    assert_false(e->has_job); /* one slot */
    e->has_job = true;
    e->has_ended = false;
    e->action = (uint32_t)strtoul(job->payload, NULL, 10);
    e->end = (struct pingo_job_end){
        .size = sizeof(struct pingo_job_end), .key = job->key, .reason = PINGO_END_EXITED};
    assert_in_range(snprintf(e->staged, sizeof e->staged, "%s", job->staged_path), 1,
                    sizeof e->staged - 1);
    return 0;
}

static inline int agree_x_revoke(void *executor, struct pingo_job_key key, const char *dir,
                                 bool *revoked, struct pingo_error *err)
{
    UNUSED(executor);
    UNUSED(key);
    UNUSED(dir);
    UNUSED(err);
    *revoked = true;
    return 0;
}

static inline int agree_x_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    UNUSED(executor);
    UNUSED(key);
    UNUSED(err);
    return 0;
}

static inline int agree_x_adopt(void *executor, const struct pingo_job_key *keys, size_t n,
                                bool *found, struct pingo_error *err)
{
    UNUSED(executor);
    UNUSED(keys);
    UNUSED(err);
    memset(found, 0, n * sizeof *found);
    return 0;
}

static inline int agree_x_collect(void *executor, const struct pingo_executor_reports *r,
                                  struct pingo_error *err)
{
    struct agree_engine *e = executor;

    UNUSED(err);
    if (e->has_job && e->has_ended)
        r->ended(r->context, &e->end);
    return 0;
}

/* The end is committed, and nothing is decided yet: what is there now is the most. */
static inline void agree_x_forget(void *executor, struct pingo_job_key key)
{
    struct agree_engine *e = executor;
    struct pingo__store_usage usage;
    struct pingo_error err;
    char name[16];
    int64_t state = 0, used;

    assert_memory_equal(&key, &e->end.key, sizeof key);
    assert_true(e->has_job && e->has_ended);
    well(pingo__store_usage_read(&e->store->db, &usage, NULL, &err), &err);
    used = pingo__store_usage_used(&usage);
    if (used > e->peak_bytes)
        e->peak_bytes = used;
    assert_int_equal(
        pingo__db_number(&e->store->db, &err, &state,
                         "SELECT d.state FROM dataset d JOIN object o ON o.id = d.object"
                         " WHERE o.action = ? AND o.epoch = ? AND d.current = 1",
                         INT(key.action), INT(key.epoch)),
        0);
    agree_name(name, e->c->history, e->action);
    agree_say(&e->log, "publish %s%s: %" PRId64 " bytes of %" PRId64 "\n", name,
              state == PINGO_DATASET_LEAF ? " as leaf" : "", e->end.size_bytes, used);
    e->has_job = false;
}

static inline int64_t agree_x_slots(void *executor)
{
    UNUSED(executor);
    return 1;
}

static const char *const agree_types[] = {"external", NULL};
static const struct pingo_executor_type agree_type = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "replay",
    .action_types = agree_types,
    .open = agree_x_open,
    .close = fake_close,
    .start = agree_x_start,
    .revoke = agree_x_revoke,
    .kill = agree_x_kill,
    .adopt = agree_x_adopt,
    .collect = agree_x_collect,
    .forget = agree_x_forget,
    .poll_fd = fake_poll_fd,
    .timeout_ms = fake_timeout_ms,
    .slots = agree_x_slots,
};
static const struct pingo_executor_type *const agree_list[] = {&agree_type};

/* The job that was handed out runs, and ends. */
static inline void agree_run_job(struct agree_engine *e)
{
    const struct pingo_history *h = e->c->history;
    int64_t ms = e->nruns < e->said->nruns ? e->said->run_ms[e->nruns] : 0;
    int64_t bytes = pingo_history_size(h, e->action);
    char name[16];
    int fd = open(e->staged, O_WRONLY | O_CREAT | O_EXCL, 0444);

    e->nruns++;
    bytes = bytes < 0 ? 0 : bytes;
    if (fd < 0)
        fail_msg("%s: %s", e->staged, strerror(errno));
    assert_int_equal(ftruncate(fd, bytes), 0);
    close(fd);
    agree_name(name, h, e->action);
    agree_say(&e->log, "run %s for %" PRId64 " ms\n", name, ms);
    e->end.started_ms = agree_clock_ms;
    agree_clock_ms += ms;
    e->end.ended_ms = agree_clock_ms;
    e->end.wall_ms = ms;
    e->end.output_kind = PINGO_OUTPUT_FILE;
    e->end.size_bytes = bytes;
    assert_int_equal(pingo_content_hash(e->staged, &e->end.content, NULL), 0);
    e->has_ended = true;
}

/* ---- the engine ---------------------------------------------------------------------------------- */

static inline void agree_log(void *context, enum pingo_log_level level, const char *message)
{
    UNUSED(context);
    if (level == PINGO_LOG_WARNING && strncmp(message, "the pool holds", 14) != 0)
        fail_msg("the engine warned: %s", message);
}

static inline void agree_set(struct agree_engine *e, const char *key, const char *value)
{
    struct pingo_error err;

    well(pingo_store_set(e->store, key, value, &err), &err);
}

static inline void agree_engine_open(struct agree_engine *e, const struct agree_case *c,
                                     const struct agree_conditions *x,
                                     const struct agree_simulation *said)
{
    static struct pingo__world world;
    struct pingo_store_options store_options = {.version = 1, .log = agree_log};
    struct pingo_scheduler_options options = {
        .version = 1, .executors = agree_list, .nexecutors = 1, .max_jobs = 1};
    struct pingo_error err;
    char text[32];

    *e = (struct agree_engine){.c = c, .said = said};
    agree_say(&e->log, "begin\n");
    agree_now = e;
    agree_clock_ms = INT64_C(1600000000000);
    strcpy(e->root, access("/dev/shm", W_OK) == 0 ? "/dev/shm/pingo-agree-XXXXXX"
                                                  : "/tmp/pingo-agree-XXXXXX");
    assert_non_null(mkdtemp(e->root));
    snprintf(e->dir, sizeof e->dir, "%s/.pingo", e->root);
    well(pingo_store_init(e->dir, NULL, &err), &err);
    well(pingo_store_open(e->dir, &store_options, &e->store, &err), &err);
    world = *e->store->context.world;
    world.now_ns = world.monotonic_ns = agree_now_ns;
    world.syncfs = world.fsync = agree_nothing_to_sync;
    e->store->context.world = &world;
    snprintf(text, sizeof text, "%" PRId64, x->budget_bytes);
    agree_set(e, "pool.budget", text);
    agree_set(e, "decision.algorithm", x->algorithm);
    well(pingo_scheduler_open(e->store, &options, &e->scheduler, &err), &err);
}

static inline void agree_engine_close(struct agree_engine *e)
{
    pingo_scheduler_close(e->scheduler);
    pingo_store_close(e->store);
    box_remove(e->root);
    free(e->log.text);
}

/* What the ledger says since last time. */
static inline void agree_read_ledger(struct agree_engine *e, size_t expected)
{
    sqlite3_stmt *stmt = NULL;
    size_t n = 0;

    assert_int_equal(sqlite3_prepare_v2(e->store->db.sqlite,
                                        "SELECT substr(lower(hex(hash)), 1, 12), size_bytes, score"
                                        " FROM eviction WHERE id > ? ORDER BY id",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    sqlite3_bind_int64(stmt, 1, e->nevictions);
    for (; sqlite3_step(stmt) == SQLITE_ROW; n++)
        agree_say(&e->log, "evict %s: %" PRId64 " bytes, score %.17g\n",
                  (const char *)sqlite3_column_text(stmt, 0),
                  (int64_t)sqlite3_column_int64(stmt, 1), sqlite3_column_double(stmt, 2));
    sqlite3_finalize(stmt);
    assert_int_equal(n, expected);
    e->nevictions += (int64_t)n;
}

static inline void agree_tick(struct agree_engine *e)
{
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err;

    well(pingo_scheduler_tick(e->scheduler, &r, &err), &err);
    assert_int_equal(r.recovered, 0);
    if (r.evicted)
        agree_read_ledger(e, r.evicted);
    if (r.settled && r.shortfall_bytes)
        agree_say(&e->log, "short of %" PRId64 " bytes\n", r.shortfall_bytes);
}

/* Ids of the mentions with a flag, as options take them; yours. */
static inline char **agree_ids(const struct pingo_history_submission *s, unsigned flag, size_t *n)
{
    char **ids = calloc(s->nactions + 1, sizeof *ids);

    assert_non_null(ids);
    *n = 0;
    for (size_t i = 0; i < s->nactions; i++)
        if (s->flags[i] & flag)
            assert_true(asprintf(&ids[(*n)++], "%zu", i) > 0);
    return ids;
}

static inline void agree_ids_free(char **ids)
{
    for (size_t i = 0; ids[i]; i++)
        free(ids[i]);
    free(ids);
}

/* Is what was asked for just what the engine takes for it anyway: the actions that no other one of the
 * text names as a parent?  Equal actions count as one. */
static inline bool agree_wants_leaves(const struct pingo_history *h,
                                      const struct pingo_history_submission *s)
{
    bool *has_child = calloc(s->nactions + 1, sizeof *has_child), same = true;

    assert_non_null(has_child);
    for (size_t i = 0; i < s->nactions; i++) {
        size_t n;
        const uint32_t *parents = pingo_history_parents(h, s->actions[i], &n);

        for (size_t k = 0; k < n; k++)
            has_child[agree_parent(s, parents[k], i, k)] = true;
    }
    for (size_t i = 0; i < s->nactions; i++) {
        bool is_leaf = false, wanted = false;

        for (size_t k = 0; k < s->nactions; k++)
            if (s->actions[k] == s->actions[i]) {
                is_leaf = is_leaf || !has_child[k];
                wanted = wanted || (s->flags[k] & PINGO_HISTORY_LEAF);
            }
        same = same && is_leaf == wanted;
    }
    free(has_child);
    return same;
}

static inline struct pingo_submission agree_submit(struct agree_engine *e, uint32_t submission)
{
    const struct pingo_history *h = e->c->history;
    const char *text = e->c->texts[submission];
    struct pingo_history_submission s = {.size = sizeof s};
    struct pingo_submit_options options = {.version = 2, .user = "tester"};
    struct pingo_submission done = {.size = sizeof done};
    struct pingo_error err;
    char **targets, **forced;

    assert_int_equal(pingo_history_submission(h, submission, &s), 0);
    targets = agree_ids(&s, PINGO_HISTORY_LEAF, &options.ntargets);
    forced = agree_ids(&s, PINGO_HISTORY_FORCED, &options.nforced);
    options.targets = (const char *const *)targets;
    options.forced = (const char *const *)forced;
    if (agree_wants_leaves(h, &s))
        options.ntargets = 0;
    if (agree_forced_by_text(submission))
        options.nforced = 0;
    well(pingo_store_submit(e->store, &(struct pingo_document){text, strlen(text), NULL}, &options,
                            &done, &err),
         &err);
    agree_say(&e->log, "submit: %zu compute, %zu reused, %zu joined, %zu skipped\n",
              done.summary.compute, done.summary.reuse, done.summary.join, done.summary.skip);
    agree_ids_free(targets);
    agree_ids_free(forced);
    return done;
}

/* One submission after the other, as with one slot. */
static inline void agree_engine_run(struct agree_engine *e)
{
    uint32_t n = pingo_history_count_submissions(e->c->history);
    struct pingo_error err;

    for (uint32_t i = 0; i < n; i++) {
        struct pingo_submission s = agree_submit(e, i);
        int64_t state = s.state;

        while (state == PINGO_WORKFLOW_RUNNING) {
            agree_tick(e);
            if (e->has_job && e->has_ended) { /* a thread looks at its output */
                struct pollfd fd = {.fd = pingo_scheduler_poll_fd(e->scheduler), .events = POLLIN};

                poll(&fd, 1, 100);
            } else if (e->has_job)
                agree_run_job(e);
            else
                assert_int_equal(pingo__db_number(&e->store->db, &err, &state,
                                                  "SELECT state FROM workflow WHERE id = ?",
                                                  INT(s.workflow)),
                                 0);
            assert_true(e->has_job || state != PINGO_WORKFLOW_RUNNING);
        }
        assert_int_equal(state, PINGO_WORKFLOW_FINISHED);
        agree_say(&e->log, "end\n");
        /* What was let go is gone before anyone can want it back: the simulator knows no rescue. */
        well(pingo_scheduler_drain(e->scheduler, NULL, &err), &err);
    }
}

/* ---- both -------------------------------------------------------------------------------------- */

/* The history that the store tells is the one that was run, and predicts the same. */
static inline void agree_replay(struct agree_engine *e, const char *what,
                                const struct agree_conditions *x)
{
    const struct pingo_history *h = e->c->history;
    struct pingo_history *own = NULL;
    struct pingo_workload *workload = NULL;
    struct agree_simulation again;
    struct pingo_error err;

    well(pingo_store_history(e->store, NULL, &own, &err), &err);
    assert_int_equal(pingo_history_count_actions(own), pingo_history_count_actions(h));
    for (uint32_t i = 0; i < pingo_history_count_actions(h); i++)
        assert_memory_equal(pingo_history_hash(own, i), pingo_history_hash(h, i),
                            sizeof(struct pingo_hash));
    well(pingo_workload_new(own, &workload, &err), &err);
    agree_simulate(own, workload, x, &again);
    agree_same(what, &again.log, &e->log);
    agree_simulation_clear(&again);
    pingo_workload_free(workload);
    pingo_history_free(own);
}

static inline int agree_finding(void *context, const struct pingo_finding *finding)
{
    fail_msg("%s: fsck: %s %s: %s", (const char *)context, finding->invariant, finding->object,
             finding->message);
    return 0;
}

/* Runs a case in both, and compares all that they did. */
static inline struct pingo_simulation_result agree_check(const struct agree_case *c,
                                                         const char *name,
                                                         const struct agree_conditions *x)
{
    struct agree_simulation said;
    struct agree_engine e;
    struct pingo_error err;
    bool clean = false;
    char what[256];
    struct pingo_fsck_options options = {.version = 1, .finding = agree_finding, .context = what};

    snprintf(what, sizeof what, "%s, %s, budget %" PRId64 ", noise %g", name, x->algorithm,
             x->budget_bytes, x->noise);
    agree_simulate(c->history, c->workload, x, &said);
    agree_engine_open(&e, c, x, &said);
    agree_engine_run(&e);
    agree_same(what, &said.log, &e.log);
    assert_int_equal(said.result.peak_bytes, e.peak_bytes);
    assert_int_equal(said.result.nevictions, e.nevictions);
    if (x->noise == 0) /* else the store knows means alone */
        agree_replay(&e, what, x);
    well(pingo_store_fsck(e.store, &options, &clean, &err), &err);
    assert_true(clean);
    agree_engine_close(&e);
    agree_simulation_clear(&said);
    return said.result;
}

#endif
