/* hadoop.c - the executor hadoop: the table of its functions, on the scheduler's thread; see hadoop.h.
 *
 * What always holds: nothing here waits for the cluster, but for the thread's answer, some moments; a job is in `told`
 * from the time at which it was handed over or adopted until it is forgotten or revoked; what is reported of one whose
 * adoption is still being asked about is kept until that is known. */
#include "executor/hadoop/hadoop.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"
#include "runner/record/job.h"

#define REVOKE_MS 150   /* an answer is waited for so long, */
#define ADOPT_MS 8000   /* and of what others have left so long */
#define SUBMIT_MS 15000 /* who leaves sees what is his submitted, and hears of what he adopted, */
#define SILENT_MS 1500  /* unless the ResourceManager says nothing for so long */
#define PATIENT_MS 5000 /* or for so long, where a tick stays for it; */
#define ORDERS_MS 1500  /* and what it wants ended asked for; */
#define GATES_MS 4000   /* what it gives up is closed in HDFS, whatever the ResourceManager does */
#define STOP_MS 1000    /* what a call takes that is stopped */
#define SLICE_MS 100    /* so often is looked whether it says something */

typedef struct pingo__executor_hadoop_order order_row;
typedef struct pingo__executor_hadoop_report report_row;

struct front {
    struct pingo__executor_hadoop *h; /* the thread's */
    struct pingo__executor_hadoop_mailbox *box;
    struct pingo_jobs *told;
    order_row *asked; /* REVOKE and ADOPT that were not answered in time */
    bool adopts;      /* an adoption was not answered, or not well: it is asked about again */
    struct pingo__executor_hadoop_report *early; /* of those that it may have found, in order */
    struct pingo_job_key refused; /* by start, with an error: the thread has never heard of it */
    void (*log)(void *context, const char *message);
    void *log_context;
    pthread_t thread;
    bool runs;
};

/* ---- life ----------------------------------------------------------------------------------------- */

static int start_thread(struct front *f, struct pingo_error *err)
{
    int failed = pingo__thread_start(&f->thread, pingo__executor_hadoop_follow, f->h);
    f->runs = !failed;
    return failed ? pingo__fail_os(err, failed, "a thread", "executor hadoop") : 0;
}

/* Until nothing is on its way, at most so long. */
static void settle(struct front *f, int64_t limit_ms)
{
    int64_t until = pingo__world_monotonic_ms() + limit_ms;
    while (!pingo__executor_hadoop_box_await(f->box, PINGO__HADOOP_SETTLED, NULL, SLICE_MS) &&
           pingo__world_monotonic_ms() < until &&
           pingo__executor_hadoop_rm_silent_ms(f->h->rm) < SILENT_MS)
        ;
}

static void stop_thread(struct front *f)
{
    if (pingo__executor_hadoop_box_await(f->box, PINGO__HADOOP_OBEYED, NULL, GATES_MS))
        settle(f, ORDERS_MS);
    f->h->is_leaving = true;
    pingo__hdfs_stop(f->h->hdfs);
    if (pingo__executor_hadoop_box_stop(f->box, STOP_MS)) {
        pthread_join(f->thread, NULL);
        return;
    }
    pthread_detach(f->thread);
    f->h = NULL; /* the thread frees what is its */
}

static void hadoop_close(void *executor)
{
    struct front *f = executor;
    if (f->runs)
        stop_thread(f);
    else if (f->box)
        pingo__executor_hadoop_box_leave(f->box);
    for (order_row *order = f->asked, *next; order; order = next) {
        next = order->next_asked;
        pingo__executor_hadoop_box_drop(f->box, order);
    }
    pingo__executor_hadoop_report_free(f->early);
    if (f->box)
        pingo__executor_hadoop_box_leave(f->box);
    pingo__executor_hadoop_free(f->h);
    pingo_jobs_free(f->told);
    free(f);
}

static int hadoop_open(const struct pingo_executor_context *context, void **executor,
                       struct pingo_error *err)
{
    struct front *f = calloc(1, sizeof *f);
    if (!f)
        return pingo__fail_memory(err);
    f->log = context->log;
    f->log_context = context->log_context;
    f->told = pingo_jobs_new(0);
    int rc = f->told ? pingo__executor_hadoop_box_new(&f->box, err) : pingo__fail_memory(err);
    if (!rc)
        rc = pingo__executor_hadoop_new(context, f->box, &f->h, err);
    /* What is not set is no error here: a store has other executors. */
    if (!rc && !*f->h->unset)
        rc = start_thread(f, err);
    if (rc)
        hadoop_close(f);
    else
        *executor = f;
    return rc;
}

/* ---- jobs ----------------------------------------------------------------------------------------- */

static int hand_over(struct front *f, const struct pingo_job *job, struct pingo_error *err)
{
    order_row *order = pingo__executor_hadoop_order_new(PINGO__HADOOP_START, job->key);
    int rc = order ? pingo__executor_copy(&order->arena, job, &order->job, err)
                   : pingo__fail_memory(err);
    if (!rc && !pingo_jobs_add(f->told, job->key))
        rc = pingo__fail_memory(err);
    if (rc)
        pingo__executor_hadoop_order_free(order);
    else
        pingo__executor_hadoop_box_post(f->box, order);
    return rc;
}

static int hadoop_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct front *f = executor;
    char trouble[300];
    int rc = 0;
    f->refused = job->key;
    if (*f->h->unset)
        rc = pingo__fail(err, PINGO_EEXECUTOR, "%s", f->h->unset);
    else if (!job->attempt_place || !job->staged_place)
        rc = pingo__fail(err, PINGO_EEXECUTOR, "the pool is not in HDFS");
    else if (pingo__executor_hadoop_box_trouble(f->box, trouble, sizeof trouble))
        rc = pingo__fail(err, PINGO_EAWAY, "%s", trouble);
    else
        rc = hand_over(f, job, err);
    if (!rc)
        f->refused = (struct pingo_job_key){0, 0};
    return rc;
}

/* What was asked before about it; it is taken off the list. */
static order_row *take_asked(struct front *f, enum pingo__executor_hadoop_order_kind kind,
                             struct pingo_job_key key)
{
    for (order_row **at = &f->asked; *at; at = &(*at)->next_asked)
        if ((*at)->kind == kind &&
            (kind == PINGO__HADOOP_ADOPT || pingo__runner_key_is((*at)->key, key))) {
            order_row *order = *at;
            *at = order->next_asked;
            return order;
        }
    return NULL;
}

/* false: there is no answer within that time, and it is asked about again: PINGO_EAWAY. */
static bool is_answered(struct front *f, order_row *order, int64_t limit_ms, struct pingo_error *err)
{
    char trouble[300];
    if (pingo__executor_hadoop_box_await(f->box, PINGO__HADOOP_ANSWERED, order, limit_ms))
        return true;
    order->next_asked = f->asked;
    f->asked = order;
    bool is_known = pingo__executor_hadoop_box_trouble(f->box, trouble, sizeof trouble);
    pingo__fail(err, PINGO_EAWAY, "%s", is_known ? trouble : "Hadoop is being asked");
    return false;
}

static int hadoop_revoke(void *executor, struct pingo_job_key key, const char *attempt_dir,
                         bool *revoked, struct pingo_error *err)
{
    struct front *f = executor;
    (void)attempt_dir;
    *revoked = (pingo__runner_key_is(f->refused, key) && !pingo_jobs_find(f->told, key)) ||
               (f->runs && pingo__executor_hadoop_box_recall(f->box, key));
    if (*revoked) {
        pingo_jobs_remove(f->told, key);
        return 0;
    }
    if (!f->runs)
        return pingo__fail(err, PINGO_EAWAY, "%s", f->h->unset);
    order_row *order = take_asked(f, PINGO__HADOOP_REVOKE, key);
    if (!order) {
        if (!(order = pingo__executor_hadoop_order_new(PINGO__HADOOP_REVOKE, key)))
            return pingo__fail_memory(err);
        pingo__executor_hadoop_box_post(f->box, order);
    }
    if (!is_answered(f, order, REVOKE_MS, err))
        return PINGO_EAWAY;
    int rc = order->rc ? pingo__fail(err, order->rc, "%s", order->why.message) : 0;
    *revoked = !rc && order->revoked;
    if (*revoked)
        pingo_jobs_remove(f->told, key);
    pingo__executor_hadoop_order_free(order);
    return rc;
}

static int post(struct front *f, enum pingo__executor_hadoop_order_kind kind,
                struct pingo_job_key key, struct pingo_error *err)
{
    order_row *order = f->runs ? pingo__executor_hadoop_order_new(kind, key) : NULL;
    if (order)
        pingo__executor_hadoop_box_post(f->box, order);
    return order || !f->runs ? 0 : pingo__fail_memory(err);
}

static int hadoop_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    return post(executor, PINGO__HADOOP_KILL, key, err);
}

static void hadoop_forget(void *executor, struct pingo_job_key key)
{
    struct front *f = executor;
    pingo_jobs_remove(f->told, key);
    post(f, PINGO__HADOOP_FORGET, key, NULL);
}

/* ---- those of others, and leaving ------------------------------------------------------------------ */

static order_row *order_of_keys(enum pingo__executor_hadoop_order_kind kind,
                                const struct pingo_job_key *keys, size_t n)
{
    order_row *order = pingo__executor_hadoop_order_new(kind, (struct pingo_job_key){0, 0});
    if (!order)
        return NULL;
    order->keys = pingo__arena_array(&order->arena, n + 1, sizeof *order->keys);
    order->found = pingo__arena_array(&order->arena, n + 1, sizeof *order->found);
    if (!order->keys || !order->found) {
        pingo__executor_hadoop_order_free(order);
        return NULL;
    }
    if (n)
        memcpy(order->keys, keys, n * sizeof *keys);
    order->nkeys = n;
    return order;
}

static int adopt(struct front *f, const struct pingo_job_key *keys, size_t n, bool *found,
                 struct pingo_error *err)
{
    order_row *order = take_asked(f, PINGO__HADOOP_ADOPT, keys[0]);
    if (order && (order->nkeys != n || memcmp(order->keys, keys, n * sizeof *keys) != 0)) {
        /* Of others: it is asked anew. */
        if (!is_answered(f, order, ADOPT_MS, err))
            return PINGO_EAWAY;
        pingo__executor_hadoop_order_free(order);
        order = NULL;
    }
    if (!order) {
        if (!(order = order_of_keys(PINGO__HADOOP_ADOPT, keys, n)))
            return pingo__fail_memory(err);
        pingo__executor_hadoop_box_post(f->box, order);
    }
    if (!is_answered(f, order, ADOPT_MS, err))
        return PINGO_EAWAY;
    int rc = order->rc ? pingo__fail(err, order->rc, "%s", order->why.message) : 0;
    for (size_t i = 0; !rc && i < n; i++) {
        found[i] = order->found[i];
        if (found[i])
            pingo_jobs_add(f->told, keys[i]);
    }
    pingo__executor_hadoop_order_free(order);
    return rc;
}

/* Those that we have are on their way, and shall arrive before we leave. */
static int hadoop_adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys, bool *found,
                        struct pingo_error *err)
{
    struct front *f = executor;
    bool ours = false, all = true;
    for (size_t i = 0; i < nkeys; i++) {
        found[i] = pingo_jobs_find(f->told, keys[i]);
        ours = ours || found[i];
        all = all && found[i];
    }
    if (!f->runs)
        return pingo__fail(err, PINGO_EAWAY, "%s", f->h->unset);
    if (ours)
        settle(f, SUBMIT_MS);
    if (!nkeys || all)
        return 0;
    int rc = adopt(f, keys, nkeys, found, err);
    f->adopts = rc != 0;
    return rc;
}

/* ---- going on -------------------------------------------------------------------------------------- */

static int hadoop_collect(void *executor, const struct pingo_executor_reports *reports,
                          struct pingo_error *err)
{
    struct front *f = executor;
    report_row *r, *next, **last = &f->early;
    (void)err;
    while (*last)
        last = &(*last)->next;
    *last = pingo__executor_hadoop_box_reports(f->box);
    r = f->early;
    for (f->early = NULL, last = &f->early; r; r = next) {
        next = r->next;
        r->next = NULL;
        bool is_here = pingo_jobs_find(f->told, r->key);
        if (!is_here && f->adopts && r->kind != PINGO__HADOOP_SAYS) {
            *last = r;
            last = &r->next;
            continue;
        }
        if (is_here && r->kind == PINGO__HADOOP_HAS_STARTED)
            reports->started(reports->context, r->key);
        else if (is_here && r->kind == PINGO__HADOOP_IS_NAMED && reports->named)
            reports->named(reports->context, r->key, r->text);
        else if (is_here && r->kind == PINGO__HADOOP_TELLS && reports->progress && r->json)
            reports->progress(reports->context, r->key, r->json);
        else if (r->kind == PINGO__HADOOP_SAYS && f->log)
            f->log(f->log_context, r->text);
        else if (r->kind == PINGO__HADOOP_HAS_ENDED)
            pingo_jobs_end(f->told, &r->end);
        pingo__executor_hadoop_report_free(r);
    }
    pingo_jobs_tell(f->told, reports);
    return 0;
}

static int hadoop_poll_fd(void *executor)
{
    return pingo__executor_hadoop_box_bells(((struct front *)executor)->box)->told;
}

static int64_t hadoop_timeout_ms(void *executor)
{
    struct front *f = executor;
    bool waits = pingo_jobs_count(f->told, true) || (f->early && !f->adopts);
    return waits ? PINGO__EXECUTOR_UNSETTLED_MS : -1;
}

/* Where nobody has said how to reach it, it takes nothing from the others' share. */
static int64_t hadoop_slots(void *executor)
{
    struct front *f = executor;
    return f->runs ? f->h->max_jobs : 0;
}

/* The largest container but for the runner; before YARN has said what that is an action may ask for more, and hear
 * so. */
static int64_t hadoop_memory_most(void *executor, const char *executor_options)
{
    struct front *f = executor;
    int64_t mb = f->runs ? f->h->largest_mb : 0;
    (void)executor_options;
    return mb > PINGO__HADOOP_RUNNER_MB ? (mb - PINGO__HADOOP_RUNNER_MB) * 1048576 : -1;
}

static size_t hadoop_busy(void *executor)
{
    struct front *f = executor;
    bool is_silent = f->runs && pingo__executor_hadoop_rm_silent_ms(f->h->rm) >= PATIENT_MS;
    return is_silent ? 0 : pingo__executor_hadoop_box_busy(f->box);
}

static void hadoop_trim(void *executor, const struct pingo_job_key *unsettled, size_t n)
{
    struct front *f = executor;
    order_row *order = f->runs ? order_of_keys(PINGO__HADOOP_TRIM, unsettled, n) : NULL;
    if (order)
        pingo__executor_hadoop_box_post(f->box, order);
}

static const char *const action_types[] = {"command-line", "map-reduce-1", "map-reduce-2", NULL};

const struct pingo_executor_type pingo__executor_hadoop = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "hadoop",
    .action_types = action_types,
    .open = hadoop_open,
    .close = hadoop_close,
    .start = hadoop_start,
    .revoke = hadoop_revoke,
    .kill = hadoop_kill,
    .adopt = hadoop_adopt,
    .collect = hadoop_collect,
    .forget = hadoop_forget,
    .poll_fd = hadoop_poll_fd,
    .timeout_ms = hadoop_timeout_ms,
    .slots = hadoop_slots,
    .trim = hadoop_trim,
    .check = pingo__executor_hadoop_check,
    .check_text = pingo__executor_hadoop_check_text,
    .settings = pingo__executor_hadoop_settings,
    .nsettings = PINGO__HADOOP_SETTINGS,
    .memory_most = hadoop_memory_most,
    .is_trusted = true, /* pingo-hadoop-runner has read each output, and made it read-only */
    .takes_places = true,
    .busy = hadoop_busy,
};
