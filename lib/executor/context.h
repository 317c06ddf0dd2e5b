/* context.h - what executors make of what they are given: their settings' texts, copies of jobs, and what a check
 * finds. */
#ifndef PINGO__EXECUTOR_CONTEXT_H
#define PINGO__EXECUTOR_CONTEXT_H

#include <pingo/executor.h>

#include "base/arena.h"
#include "runner/record/probe.h"

/* Its limits, or those that hold where it names none. */
struct pingo_runner_options pingo__executor_context_runner(const struct pingo_executor_context *c);

#define PINGO__EXECUTOR_UNSETTLED_MS 100 /* an end that was not taken is told again after so long */

struct pingo__executor_reading {
    const struct pingo_executor_context *context;
    struct pingo__arena *arena;
    bool failed; /* no memory */
};
/* A copy in the arena; NULL where there is none, or nothing in it. */
char *pingo__executor_context_copy(struct pingo__executor_reading *r, const char *text);
/* The same of a setting. */
char *pingo__executor_context_read(struct pingo__executor_reading *r, const char *key);

/* Whose jobs are ours: those of a store with its pool.  A copy of a store has the number of the original, but another
 * pool, and knows nothing of the original's attempts.  pool: absolute, or its URL. */
#define PINGO__EXECUTOR_MARK_SIZE 80
void pingo__executor_mark(char mark[PINGO__EXECUTOR_MARK_SIZE], const char *store_id,
                          const char *pool);

/* A job outlives the call of start: all of it, but for its own arena.  PINGO_ENOMEM. */
int pingo__executor_copy(struct pingo__arena *arena, const struct pingo_job *job,
                         struct pingo_job *to, struct pingo_error *err);

/* How an attempt has ended of which nothing else is known.  EXITED: by the status of a command that cannot be run,
 * unless it has another one. */
void pingo__executor_end(struct pingo_job_end *end, enum pingo_end_reason reason,
                         const char *message);

/* Where words for people go, as a context has it; take NULL: nowhere. */
struct pingo__executor_log {
    void (*take)(void *context, const char *message);
    void *context;
};
void pingo__executor_say(const struct pingo__executor_log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Tells what a check has found. */
void pingo__executor_tell(const struct pingo_check_options *options, enum pingo_check_result result,
                          const char *what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* And what a machine has answered of itself, called so: its clock, by when it was asked, and whether it can confine
 * actions. */
void pingo__executor_tell_machine(const struct pingo_check_options *options, const char *machine,
                                  const struct pingo__runner_probe *probe, int64_t asked_ms);

#endif
