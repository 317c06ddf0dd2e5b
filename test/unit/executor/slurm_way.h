/* slurm_way.h - an executor slurm whose way to Slurm says what a test wants, for the tests that include it. */
#ifndef PINGO_TEST_SLURM_WAY_H
#define PINGO_TEST_SLURM_WAY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/names.h"
#include "base/tree.h"
#include "executor/registry.h"
#include "executor/slurm/slurm.h"

static const char store_id[] = "0123456789abcdef";
static const struct pingo_job_key key = {3, 1}, other = {4, 1};

struct fake {
    struct pingo__executor_slurm *s;
    bool held; /* it is not ready, and says nothing */
    size_t asked[PINGO__SLURM_KINDS];
    struct pingo__executor_slurm_call last[PINGO__SLURM_KINDS];
    struct pingo__executor_slurm_answer answers[8];
    size_t nanswers;
    char pool[64], dir[96];
    struct pingo_job_end end;
    size_t nends;
    char name[32];    /* of the attempt key in Slurm */
    char logged[512]; /* what it said last to the user */
    size_t nlogs;
};

static struct fake fake;

static inline void fake_close(void *way)
{
    (void)way;
}

static inline bool fake_is_ready(void *way, const char **why)
{
    *why = NULL;
    return !((struct fake *)way)->held;
}

static inline int fake_ask(void *way, const struct pingo__executor_slurm_call *call,
                           const struct pingo__executor_slurm_request *request,
                           struct pingo_error *err)
{
    struct fake *f = way;
    (void)err;
    assert_int_equal(call->kind == PINGO__SLURM_SUBMIT, request && request->script);
    f->asked[call->kind]++;
    f->last[call->kind] = *call;
    return 0;
}

static inline bool fake_next(void *way, struct pingo__executor_slurm_answer *answer)
{
    struct fake *f = way;
    if (!f->nanswers)
        return false;
    *answer = f->answers[0];
    memmove(f->answers, f->answers + 1, --f->nanswers * sizeof *answer);
    return true;
}

static inline int64_t fake_timeout_ms(void *way)
{
    (void)way;
    return -1;
}

static const struct pingo__executor_slurm_way way = {.close = fake_close,
                                                     .is_ready = fake_is_ready,
                                                     .ask = fake_ask,
                                                     .next = fake_next,
                                                     .timeout_ms = fake_timeout_ms};

static inline void on_started(void *context, struct pingo_job_key of)
{
    (void)context;
    (void)of;
}

static inline void on_named(void *context, struct pingo_job_key of, const char *name)
{
    (void)context;
    if (of.action == key.action)
        snprintf(fake.name, sizeof fake.name, "%s", name);
}

static inline void on_ended(void *context, const struct pingo_job_end *end)
{
    struct fake *f = context;
    f->end = *end;
    f->nends++;
}

/* A step at its time. */
static inline void collect(void)
{
    struct pingo_executor_reports reports = {
        .context = &fake, .started = on_started, .ended = on_ended, .named = on_named};
    fake.nends = 0;
    assert_int_equal(pingo__executor_slurm.collect(fake.s, &reports, NULL), 0);
}

/* The same, whatever the time. */
static inline void step(void)
{
    fake.s->poll_at_ms = fake.s->again_at_ms = fake.s->listed_ms = fake.s->list_at_ms = 0;
    collect();
}

static inline void answer(enum pingo__executor_slurm_kind kind,
                          enum pingo__executor_slurm_said said, int64_t id)
{
    struct pingo__executor_slurm_answer a = {.call = fake.last[kind], .said = said, .id = id};
    if (said)
        snprintf(a.message, sizeof a.message, "it says %d", (int)said);
    fake.answers[fake.nanswers++] = a;
}

static inline void saw(enum pingo__executor_slurm_kind kind, struct pingo_job_key of, int64_t id,
                       const char *state)
{
    char name[PINGO__SLURM_NAME_SIZE];
    pingo__executor_slurm_name(name, fake.s->mark, of);
    pingo__executor_slurm_saw(fake.s, &fake.last[kind],
                              &(struct pingo__executor_slurm_record){
                                  .id = id, .name = name, .state = state, .reason = "None"});
}

static inline struct pingo__executor_slurm_job *job(void)
{
    struct pingo__executor_slurm_job *job = pingo_jobs_find(fake.s->jobs, key);
    assert_non_null(job);
    return job;
}

static inline void note(void *context, const char *message)
{
    (void)context;
    fake.nlogs++;
    snprintf(fake.logged, sizeof fake.logged, "%s", message);
}

static inline int start(struct pingo_job_key of, int64_t cpus)
{
    static const char *const argv[] = {"/bin/true", NULL}, *const env[] = {NULL};
    struct pingo_job job = {.key = of,
                            .store_id = store_id,
                            .name = "a",
                            .argv = argv,
                            .env = env,
                            .cpus = cpus,
                            .attempt_dir = fake.dir,
                            .staged_path = "/nowhere",
                            .output = "output"};
    snprintf(fake.dir, sizeof fake.dir, "%s/attempts/%d.%d", fake.pool, (int)of.action,
             (int)of.epoch);
    return pingo__executor_slurm.start(fake.s, &job, NULL);
}

/* An executor that has nothing to do. */
static inline void open_one(void)
{
    char path[96];
    const struct pingo_executor_type *type = &pingo__executor_slurm;
    char *texts[32] = {NULL};
    struct pingo__executor_values values = {type->settings, type->nsettings, texts};
    struct pingo_executor_context context = {.version = 2,
                                             .store_id = store_id,
                                             .name = "slurm",
                                             .settings = &values,
                                             .log = note,
                                             .pool_dir = fake.pool};
    void *executor = NULL;
    if (!*fake.pool) {
        strcpy(fake.pool, "/tmp/pingo-slurm-XXXXXX");
        assert_non_null(mkdtemp(fake.pool));
        snprintf(path, sizeof path, "%s/attempts", fake.pool);
        mkdir(path, 0755);
    }
    assert_int_equal(type->open(&context, &executor, NULL), 0);
    fake.s = executor;
    assert_int_equal(start(key, 1), PINGO_EEXECUTOR); /* no url is set */
    fake.s->way = &way;
    fake.s->handle = &fake;
}

static inline int set_up_idle(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    open_one();
    return 0;
}

/* One that has a job. */
static inline int set_up(void **state)
{
    set_up_idle(state);
    assert_int_equal(start(key, 1), 0);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 1);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    memset(fake.s->asked, 0, sizeof fake.s->asked);
    pingo__executor_slurm.close(fake.s);
    pingo__tree_remove(AT_FDCWD, fake.pool);
    return 0;
}

/* ---- arrays ------------------------------------------------------------------------------------ */

enum { N = 8 };

static inline struct pingo_job_key nth(int i)
{
    return (struct pingo_job_key){10 + i, 1};
}

static inline struct pingo__executor_slurm_job *task(int i)
{
    return pingo_jobs_find(fake.s->jobs, nth(i));
}

static inline void start_all(int64_t cpus_of_last)
{
    for (int i = 0; i < N; i++)
        assert_int_equal(start(nth(i), i == N - 1 ? cpus_of_last : 1), 0);
}

static inline int set_up_array(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    open_one();
    start_all(1);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 1);
    assert_int_equal(fake.last[PINGO__SLURM_SUBMIT].bundle->n, N);
    return 0;
}

static inline void saw_tasks(enum pingo__executor_slurm_kind kind, int64_t id, const char *tasks,
                             const char *state)
{
    char name[PINGO__SLURM_NAME_SIZE];
    pingo__executor_slurm_bundle_name(name, fake.s->mark,
                                      fake.last[PINGO__SLURM_SUBMIT].bundle->name);
    pingo__executor_slurm_saw(
        fake.s, &fake.last[kind],
        &(struct pingo__executor_slurm_record){
            .id = id, .tasks = tasks, .name = name, .state = state, .reason = "None"});
}

/* Taken as array 9, and listed so. */
static inline void list_as(const char *tasks, const char *state)
{
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 9);
    step();
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_LIST], 1); /* what waits only a list tells */
    saw_tasks(PINGO__SLURM_LIST, 9, tasks, state);
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    step();
}

#endif
