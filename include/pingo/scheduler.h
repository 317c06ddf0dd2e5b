/* scheduler.h - what makes a store move: ticks.
 *
 * A tick is one pass that never waits for an action: recover what a dead owner
 * left, collect ends, claim what is ready, hand it to executors, decide what goes
 * where the pool is over its budget (<pingo/pool.h>), delete.
 * A scheduler is driven from your own event loop: wait until pingo_scheduler_poll_fd() is
 * readable or pingo_scheduler_timeout_ms() has passed, then call pingo_scheduler_tick(); or call
 * pingo_scheduler_run(), which does just that.  Any number of schedulers may work on one
 * store, in any number of processes; any may be killed at any moment.
 * A scheduler uses the store handle it was opened with, and belongs to the same thread.
 * Besides the errors named, every function may return those that <pingo/store.h> names for all of its own.
 * Source: thesis 3.3, 3.5, 3.6. */
#ifndef PINGO_SCHEDULER_H
#define PINGO_SCHEDULER_H

#include <pingo/executor.h>
#include <pingo/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pingo_scheduler; /* opaque handle */

struct pingo_scheduler_options {
    unsigned version; /* 1 */
    /* The executors.  None: the built-in local one where the library has it, but with external or no_executors none:
     * who runs the work itself runs nobody's commands unless it names pingo_executor_local() here. */
    const struct pingo_executor_type *const *executors;
    size_t nexecutors;
    bool external; /* this process runs external actions: the functions below */
    int64_t max_jobs; /* this scheduler has at most so many attempts handed out; 0: no limit of its own */
    const char *helper_dir; /* where helper programs lie; NULL: as installed */
    bool no_executors;      /* there is none: ticks evict, delete and sweep, and start nothing */
};

/* *scheduler: yours, pingo_scheduler_close() before the store's.  Errors: PINGO_EEXECUTOR. */
PINGO_API int pingo_scheduler_open(struct pingo_store *store,
                                   const struct pingo_scheduler_options *options,
                                   struct pingo_scheduler **scheduler, struct pingo_error *err);
/* Has an executor try its settings, which may take until options->limit_ms.  executor: its name, one of the library's
 * or of the store's options; NULL: what the setting `executor` says.  Needs no scheduler.  Errors: PINGO_ENOTFOUND
 * (there is none of that name here), PINGO_EUNSUPPORTED (it has nothing to try), PINGO_EEXECUTOR. */
PINGO_API int pingo_store_check(struct pingo_store *store, const char *executor,
                                const struct pingo_check_options *options, struct pingo_error *err);
/* Lets go.  What runs goes on, and its ends are kept for the next tick of anyone; those that were reported with
 * pingo_external_end() are applied.
 * Waits until the datasets that this scheduler is deleting have gone. */
PINGO_API void pingo_scheduler_close(struct pingo_scheduler *scheduler);

/* A descriptor that is readable when an executor, or a thread of this scheduler, has something for
 * pingo_scheduler_tick().  What other handles do (submissions, kills) and what was reported with pingo_external_end()
 * does not show there: pingo_scheduler_timeout_ms() covers it.  Borrowed; the same for life. */
PINGO_API int pingo_scheduler_poll_fd(struct pingo_scheduler *scheduler);
/* Call pingo_scheduler_tick() after so many ms even if the descriptor is quiet.  Ask again after each call of a
 * function of this scheduler; at most 100. */
PINGO_API int64_t pingo_scheduler_timeout_ms(struct pingo_scheduler *scheduler);

struct pingo_tick_result {
    size_t size;      /* set by you: sizeof; see <pingo/version.h> */
    size_t recovered; /* actions taken over from dead owners */
    size_t settled;   /* ends applied */
    size_t started;   /* jobs handed to executors */
    size_t deleted;   /* datasets that have gone since the last tick */
    size_t deleting; /* datasets that this scheduler has taken for deletion, and that are not gone yet */
    size_t active; /* attempts that this scheduler owns now, but for what has ended and waits for a closed place */
    bool idle;            /* nothing was done */
    bool stuck_for_space; /* actions wait for space that nothing can give; space_message tells */
    char space_message[640];
    size_t evicted; /* datasets that a decision of this tick has let go: they are deleted next */
    /* What the pool holds above its low watermark after all that may go was let go, where it was above the high
     * one; 0: none.  It stands as long as nothing changes; shortfall_message tells what holds the space. */
    int64_t shortfall_bytes;
    char shortfall_message[512];
    size_t running; /* of active: heard to have started; the rest is armed */
    size_t ending;  /* of active: given up, and not gone yet */
    /* What other threads read for this scheduler now: large outputs of what has ended, and large originals that
     * nobody has hashed yet and that an action waits for.  A later tick goes on with them. */
    size_t reading;
    /* How long a decision on what to let go took in this tick, in microseconds; -1: none was due. */
    int64_t decision_us;
    /* How many jobs executors are bringing to their engines, or have adopted and not heard of yet: their busy in
     * <pingo/executor.h>.  A later tick goes on with them; who leaves has somebody begin anew. */
    size_t bringing;
};
/* One tick.  Files are removed by other threads meanwhile and afterwards: it does not wait for them, and
 * pingo_scheduler_poll_fd() tells when it has something of theirs to take.  *result: may be NULL. */
PINGO_API int pingo_scheduler_tick(struct pingo_scheduler *scheduler,
                                   struct pingo_tick_result *result, struct pingo_error *err);
/* Deletes what is to be deleted, and waits until it has gone, and the trash is empty but for what others have in
 * hand.  What cannot be removed is not waited for.  Who is due to be told of an end (<pingo/feed.h>) is told, as far as
 * one try does.  *deleted: how many datasets have gone; may be NULL.
 * Source: thesis 3.6. */
PINGO_API int pingo_scheduler_drain(struct pingo_scheduler *scheduler, size_t *deleted,
                                    struct pingo_error *err);

/* For whom this scheduler claims: the workflows named, and what they wait for in others (what they joined, what has its
 * turn before them, and the ancestors of that).  workflows NULL: for all, which is the default.  Nothing of a paused
 * workflow is claimed, unless one that is not paused needs it.  What is handed out already goes on; ends of all
 * workflows are collected, as before.  The numbers are copied. */
PINGO_API int pingo_scheduler_scope(struct pingo_scheduler *scheduler, const int64_t *workflows,
                                    size_t n, struct pingo_error *err);
/* Starts nothing more: takes back what is armed and has not started (READY again); what runs goes on. */
PINGO_API int pingo_scheduler_pause(struct pingo_scheduler *scheduler, struct pingo_error *err);
/* The way back from pingo_scheduler_pause() and pingo_scheduler_interrupt(): it claims again.  Workflows that were
 * paused stay so. */
PINGO_API int pingo_scheduler_resume(struct pingo_scheduler *scheduler, struct pingo_error *err);
/* Ends the attempts that this scheduler owns, of the workflows named and no other live one (all: n 0): READY again, no
 * retry counted.  Call pingo_scheduler_tick() until active is 0. */
PINGO_API int pingo_scheduler_interrupt(struct pingo_scheduler *scheduler, const int64_t *workflows,
                                        size_t n, struct pingo_error *err);

struct pingo_run_options {
    unsigned version; /* 1 */
    bool fail_fast;   /* kill the workflows named when one of their actions fails */
    /* Called at least every 100 ms and after each tick; returns 0 to go on, 1 to pause the workflows named and this
     * scheduler (first interrupt), 2 to end their attempts too (second), 3 to leave at once with everything
     * running.  It may call back, but for pingo_scheduler_run() and pingo_scheduler_close().  May be NULL. */
    int (*check)(void *context, const struct pingo_tick_result *tick);
    void *context;
};
/* Ticks until the workflows have ended or are paused, and claims for them alone: pingo_scheduler_scope(), as it was
 * before afterwards.  n 0: until nothing in the store is unfinished but what is paused, for all.
 * 0 also when workflows failed or are paused: ask pingo_store_workflow().  Who is due to be told of their ends is told
 * before (<pingo/feed.h>), as far as one try does.
 * A tick that does not get the store's lock is tried again for half an hour, which is logged, unless check asks for
 * something meanwhile.
 * Errors: PINGO_EINTERRUPTED (check said so; the scheduler is paused then, unless that was to leave at once),
 * PINGO_ESTATE (it was paused before: pingo_scheduler_resume()), PINGO_ENOSPACE (nothing can go; the message says what
 * holds the space), PINGO_EUNSUPPORTED (what is left needs an executor that nobody here has). */
PINGO_API int pingo_scheduler_run(struct pingo_scheduler *scheduler, const int64_t *workflows,
                                  size_t n, const struct pingo_run_options *options,
                                  struct pingo_error *err);

/* ---- external actions: you run the work yourself ------------------------------------------- */

struct pingo_external_job {
    struct pingo_job_key key;
    int64_t workflow;
    int64_t id; /* of the action in its workflow */
    const char *name;
    const char *description;
    struct pingo_hash hash;
    const struct pingo_job_link *inputs; /* parents' outputs and original inputs, by role and name */
    size_t ninputs;
    const char *output_path; /* put the output here: a file or a directory; the parent exists */
    int64_t cpus, memory_bytes, time_limit_ms;
    bool started; /* the gate was passed: of an adopted job, by whoever had it before */
    /* A directory for this attempt, made when it starts: what is put there as stdout and stderr is what
     * `pingo log` shows.  It is removed as setting pool.logDays says. */
    const char *attempt_dir;
    int64_t priority, attempt; /* this and what follows as in struct pingo_job */
    const char *user;
    const char *executor_options;
};

/* Takes the next external job that is ready, in the store's order.  *job: NULL when there is none; else borrowed
 * until its end is reported, or until the pingo_scheduler_tick() after pingo_external_start() refused it or
 * pingo_external_next_kill() named it.  The action is SUBMITTED.  pingo_scheduler_tick() makes jobs ready, some
 * beside those that have started, however many these are. */
PINGO_API int pingo_external_next(struct pingo_scheduler *scheduler,
                                  const struct pingo_external_job **job, struct pingo_error *err);
/* The same for up to max at once; *n: how many. */
PINGO_API int pingo_external_take(struct pingo_scheduler *scheduler,
                                  const struct pingo_external_job **jobs, size_t max, size_t *n,
                                  struct pingo_error *err);
/* The gate: call it right before the work starts; the action is RUNNING.  It opens once.
 * Errors: PINGO_ESTALE: it was killed or given up; PINGO_ESTATE: it has started before, perhaps by a process that
 * is gone: do not start it. */
PINGO_API int pingo_external_start(struct pingo_scheduler *scheduler, struct pingo_job_key key,
                                   struct pingo_error *err);
/* The gates of many in one transaction: one wait for the disk.  results[i]: 0, PINGO_ESTALE or PINGO_ESTATE.
 * Another error is returned, and then no gate was passed. */
PINGO_API int pingo_external_start_many(struct pingo_scheduler *scheduler,
                                        const struct pingo_job_key *keys, size_t n, int *results,
                                        struct pingo_error *err);
/* Reports the end.  end->output_*, size_bytes and content may be left zero on success: Pingo reads the output itself.
 * It is never followed where it is a link.  So may started_ms, ended_ms and wall_ms: it took from
 * pingo_external_start() until now.
 * Applied by the pingo_scheduler_tick() that follows; where the output is large, by a later one, when another thread
 * has read it.  From the first of these on, or a pingo_scheduler_close(), it is kept whatever becomes of this process;
 * before, a process that dies has not reported it.  Reporting twice, or for an old epoch, changes nothing.
 * Also accepts keys that a dead process of yours had started.
 * Errors: PINGO_EINVAL (an end that cannot be, the message says why; a key that was never handed out),
 * PINGO_ESTATE (it never passed the gate; only NOT_STARTED, LOST and KILLED can be said of it; or it is a living
 * process's). */
PINGO_API int pingo_external_end(struct pingo_scheduler *scheduler, const struct pingo_job_end *end,
                                 struct pingo_error *err);
/* The same for many, all in the transaction of the next pingo_scheduler_tick().  results[i]: 0, PINGO_EINVAL or
 * PINGO_ESTATE.  Another error is returned; what came before it was taken. */
PINGO_API int pingo_external_end_many(struct pingo_scheduler *scheduler,
                                      const struct pingo_job_end *ends, size_t n, int *results,
                                      struct pingo_error *err);
/* The next job that must be killed, or was given up before it started, told once.  true and *key, or false
 * when there is none.  End its work, then report its end with PINGO_END_KILLED; drop what had not started. */
PINGO_API bool pingo_external_next_kill(struct pingo_scheduler *scheduler,
                                        struct pingo_job_key *key);
/* The same, with the reason.  Time limits are watched by pingo_scheduler_tick(), from the start on; the end of what was
 * killed for its limit counts as PINGO_END_TIME_LIMIT. */
PINGO_API bool pingo_external_next_kill_why(struct pingo_scheduler *scheduler,
                                            struct pingo_job_key *key,
                                            enum pingo_kill_reason *reason);
/* External jobs that an earlier process of yours had taken and that have no end yet: calls fn for each.
 * Those that had started: go on with them, or report PINGO_END_LOST; for the others the gate is still closed.
 * fn may call back, but for pingo_scheduler_tick() and pingo_scheduler_close(). */
PINGO_API int pingo_external_adopted(struct pingo_scheduler *scheduler,
                                     int (*fn)(void *context, const struct pingo_external_job *job),
                                     void *context, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
