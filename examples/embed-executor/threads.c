/* threads.c - an executor: runs functions of this program, each job in a thread.
 *
 * What an executor must promise comes cheap here.  A job that was revoked never starts: it waits in
 * a list that only the scheduler's thread touches.  A job of a dead owner does not run: its thread
 * died with the process, so adopt() finds nothing.  An end is reported again and again until
 * forget(); when the process dies before that, the job is run again, as its output was never taken. */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "task.h"
#include "threads.h"

#define SLOTS 2

struct threads {
    struct task *tasks; /* in the order in which they came */
    int bell;           /* rung by each thread that ends */
};

/* Starts armed tasks while there are free slots. */
static void fill_slots(struct threads *threads)
{
    int running = 0;
    for (struct task *task = threads->tasks; task != NULL; task = task->next)
        running += task->state == RUNNING;
    for (struct task *task = threads->tasks; task != NULL && running < SLOTS; task = task->next) {
        if (task->state != ARMED)
            continue;
        atomic_store(&task->state, RUNNING);
        if (pthread_create(&task->thread, NULL, run_task, task) != 0) {
            atomic_store(&task->state, ARMED); /* the next collect() tries again */
            return;
        }
        running++;
    }
}

static int threads_open(const struct pingo_executor_context *context, void **executor,
                        struct pingo_error *err)
{
    struct threads *threads = calloc(1, sizeof *threads);
    (void)context; /* it tells where the store lies, limits, where to log */
    (void)err;
    if (threads == NULL)
        return PINGO_ENOMEM;
    threads->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (threads->bell < 0) {
        free(threads);
        return PINGO_EEXECUTOR;
    }
    *executor = threads;
    return 0;
}

static void threads_close(void *executor)
{
    struct threads *threads = executor;
    for (struct task *task = threads->tasks, *next; task != NULL; task = next) {
        next = task->next;
        free_task(task);
    }
    close(threads->bell);
    free(threads);
}

/* Where the task with this key hangs, or where a new one is to be hung. */
static struct task **find(struct threads *threads, struct pingo_job_key key)
{
    struct task **at = &threads->tasks;
    while (*at != NULL && ((*at)->end.key.action != key.action || (*at)->end.key.epoch != key.epoch))
        at = &(*at)->next;
    return at;
}

static void drop(struct task **at)
{
    struct task *task = *at;
    *at = task->next;
    free_task(task);
}

static int threads_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct threads *threads = executor;
    struct task *task = new_task(job, threads->bell);
    (void)err;
    if (task == NULL)
        return PINGO_ENOMEM;
    *find(threads, job->key) = task;
    fill_slots(threads);
    return 0;
}

/* A task that is still armed never starts; one that runs or has ended is not revoked. */
static int threads_revoke(void *executor, struct pingo_job_key key, const char *attempt_dir,
                          bool *revoked, struct pingo_error *err)
{
    struct task **at = find(executor, key);
    (void)attempt_dir; /* the gate of executors whose jobs start in other processes */
    (void)err;
    *revoked = *at == NULL || (*at)->state == ARMED;
    if (*at != NULL && *revoked)
        drop(at);
    return 0;
}

/* A thread cannot be ended from outside; these end soon by themselves, and that is reported. */
static int threads_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    struct task *task = *find(executor, key);
    (void)err;
    if (task != NULL)
        task->kill_asked = true;
    return 0;
}

static int threads_adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys,
                         bool *found, struct pingo_error *err)
{
    (void)err;
    for (size_t i = 0; i < nkeys; i++)
        found[i] = *find(executor, keys[i]) != NULL;
    return 0;
}

/* Tells every end that was not forgotten yet.  ended() may call forget(), so look ahead. */
static int threads_collect(void *executor, const struct pingo_executor_reports *reports,
                           struct pingo_error *err)
{
    struct threads *threads = executor;
    uint64_t rings;
    (void)err;
    while (read(threads->bell, &rings, sizeof rings) > 0)
        continue;
    for (struct task *task = threads->tasks, *next; task != NULL; task = next) {
        struct pingo_job_end end = {.size = sizeof end};
        next = task->next;
        if (task->state != ENDED)
            continue;
        end = task->end;
        if (task->kill_asked)
            end.reason = PINGO_END_KILLED;
        reports->ended(reports->context, &end);
    }
    fill_slots(threads);
    return 0;
}

static void threads_forget(void *executor, struct pingo_job_key key)
{
    struct task **at = find(executor, key);
    if (*at != NULL)
        drop(at);
}

static int threads_poll_fd(void *executor)
{
    return ((struct threads *)executor)->bell;
}

static int64_t threads_timeout_ms(void *executor)
{
    (void)executor;
    return -1; /* the bell is enough */
}

static int64_t threads_slots(void *executor)
{
    (void)executor;
    return SLOTS;
}

static const char *const action_types[] = {"text", NULL};

const struct pingo_executor_type threads_executor = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "threads",
    .action_types = action_types,
    .open = threads_open,
    .close = threads_close,
    .start = threads_start,
    .revoke = threads_revoke,
    .kill = threads_kill,
    .adopt = threads_adopt,
    .collect = threads_collect,
    .forget = threads_forget,
    .poll_fd = threads_poll_fd,
    .timeout_ms = threads_timeout_ms,
    .slots = threads_slots,
};
