/* executors.h - the executors that a scheduler has; what they answer is checked.
 *
 * What always holds: a table that cannot be used is never opened; what a function of an executor returns is
 * 0 or a PINGO_E*, with a message that names the executor; the caller's error is touched by failures alone.
 * PINGO_EAWAY is no failure: the executor is asked again after a pause, and the scheduler goes on without it. */
#ifndef PINGO__MANAGER_EXECUTORS_H
#define PINGO__MANAGER_EXECUTORS_H

#include "executor/registry.h"
#include "manager/context.h"

struct pingo__manager_executor {
    struct pingo_executor_type type; /* a copy */
    void *handle;
    struct pingo__manager_context *c;
    bool is_told; /* of ends that are none of its own: it was said once */
    /* It was away when it was asked last: */
    struct pingo_backoff pause;
    int64_t ask_again_ms; /* monotonic; 0: it answered */
    int64_t said_ms;      /* when that was logged, likewise; 0: never */
    const char *said_of;  /* the function that said so: what others answer is no answer of its */
};

/* e: its context is given.  type: checked.  Errors: what its open says. */
int pingo__manager_executor_open(struct pingo__manager_executor *e,
                                 const struct pingo_executor_type *type,
                                 const struct pingo_executor_context *context,
                                 struct pingo_error *err);
void pingo__manager_executor_close(struct pingo__manager_executor *e);

/* As the functions of the table.  revoke, kill, adopt and collect: PINGO_EAWAY, and err untouched, also as long as it
 * is not to be asked yet. */
int pingo__manager_executor_start(struct pingo__manager_executor *e, const struct pingo_job *job,
                                  struct pingo_error *err);
int pingo__manager_executor_revoke(struct pingo__manager_executor *e, struct pingo_job_key key,
                                   const char *attempt_dir, bool *revoked, struct pingo_error *err);
int pingo__manager_executor_kill(struct pingo__manager_executor *e, struct pingo_job_key key,
                                 struct pingo_error *err);
int pingo__manager_executor_adopt(struct pingo__manager_executor *e,
                                  const struct pingo_job_key *keys, size_t n, bool *found,
                                  struct pingo_error *err);
int pingo__manager_executor_collect(struct pingo__manager_executor *e,
                                    const struct pingo_executor_reports *reports,
                                    struct pingo_error *err);
/* At least 0, at most 65536. */
int64_t pingo__manager_executor_slots(const struct pingo__manager_executor *e);
/* What an attempt has of the slots that it asks for: of this machine's no more than there are. */
int64_t pingo__manager_executor_granted(const struct pingo__manager_executor *e, int64_t slots);
/* MB that one attempt with these options can have; 0: not known.  Where that is so just now alone: very many. */
int64_t pingo__manager_executor_memory_mb(const struct pingo__manager_executor *e,
                                          const char *executor_options);

/* How many GPUs (licence NULL), or of a licence, its attempts may hold at once; -1: that is not counted here. */
int64_t pingo__manager_executor_counted(const struct pingo__manager_executor *e,
                                        const char *licence);

/* Can this be the end of an attempt?  false: wrong says why not.  Its output is looked at later. */
bool pingo__manager_end_is_valid(const struct pingo_job_end *end, char *wrong, size_t size);

#endif
