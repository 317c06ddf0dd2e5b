/* callback.h - what the end of an attempt does: the Callback System of thesis 3.5.
 *
 * What always holds: a callback carries (action, epoch); one for an old epoch changes
 * nothing but its own attempt.  A failure touches only its own attempt.  Everything that
 * follows from an end happens in the same transaction as the end. */
#ifndef PINGO__MANAGER_CALLBACK_H
#define PINGO__MANAGER_CALLBACK_H

#include "manager/attempt/job.h"
#include "rules/failure.h"

/* An end on its way: found out outside the lock, applied inside. */
struct pingo__manager_settling {
    struct pingo__manager_context *c; /* given, as are: */
    struct pingo__arena *arena;       /* for what is found; while it is applied, one of its own */
    struct pingo_job_end end;
    struct pingo__manager_prepared p; /* of the action; p.action.id 0: the action is not in the store */
    bool checked;                     /* who ran it has looked at the output */
    bool is_read;                     /* another thread is to do that */
    bool waits;         /* for another thread, or a place: nothing of what follows is known */
    const char *closed; /* waits: why, for a place that it reads, or is put to; NULL: for no place */
    bool was_asked;     /* for its kill */
    bool current;       /* the action is in this epoch (looked at before; checked again) */
    const char *object; /* success: the name it was published under, below the pool, or absolute */
    struct pingo__pool_state root;
    const char *refused; /* success that must not be published: an original changed */
    struct pingo__store_dataset_row
        *lost;             /* an input that is not any more what it was when the attempt began */
    const char *unstable;  /* success, but this original was touched meanwhile */
    int64_t slots;         /* that the attempt had */
    int64_t largest_mb;    /* it died of memory: what an attempt of it could have; 0: not known */
    const char *elsewhere; /* NO_SPACE, but on another file system than the pool's: what was said */
    bool changed;          /* something else lies there: somebody wrote into it, */
    bool before;           /* the attempt began, for sure, */
    const char *what;      /* in these words; NULL: nobody knows */
    struct pingo__rules_failure failure; /* as what it is counted */
    enum {
        PINGO__SETTLED_OLD = 0, /* the attempt had ended before: nothing was done */
        PINGO__SETTLED_PUBLISHED,
        PINGO__SETTLED_DROPPED, /* the action had gone on without this attempt */
        PINGO__SETTLED_AGAIN,   /* it is READY or WAITING again */
        PINGO__SETTLED_FAILED
    } outcome;
};

/* Is the action handed out with this epoch? */
static inline bool pingo__manager_is_in_epoch(const struct pingo__store_action_row *action,
                                              int64_t epoch)
{
    return action->epoch == epoch && pingo__rules_action_is_handed(action->state);
}
/* Outside the lock: loads the action, checks originals, looks at the output and publishes it.  s: what
 * is given, and whether its end was checked, else 0; the rest is found.  PINGO_EAWAY: a place that it reads, or is put
 * to, is closed. */
int pingo__manager_callback_prepare(struct pingo__manager_settling *s, struct pingo_error *err);
/* Inside a write transaction: success, failure or kill callback. */
int pingo__manager_callback_apply(struct pingo__manager_settling *s, struct pingo_error *err);
/* What a success does; also of an action that no attempt of ours made: its output was adopted. */
int pingo__manager_callback_succeed(struct pingo__manager_settling *s, struct pingo_error *err);
/* Its parts, in failing.c: what a failure does; and READY again, after so long. */
int pingo__manager_callback_fail(struct pingo__manager_settling *s, struct pingo_error *err);
struct pingo__manager_again {
    int retries, tries, refusals; /* so many more, or less */
    int64_t delay_ms;
    const char *message; /* why it waits; NULL: none */
};
int pingo__manager_callback_again(struct pingo__manager_settling *s,
                                  const struct pingo__manager_again *again, struct pingo_error *err);
/* An action waits, and why: told once, until the reason has not been met for a while. */
void pingo__manager_tell_waiting(struct pingo__manager_context *c, const char *name,
                                 const char *reason);
/* Its input that is not what it was is made again, and who waits for it is planned again. */
int pingo__manager_callback_give_up(const struct pingo__manager_settling *s,
                                    struct pingo_error *err);
/* After the commit: trash what the end left behind. */
int pingo__manager_callback_finish(struct pingo__manager_settling *s, struct pingo_error *err);

/* In wake.c, inside a write transaction.  One action less to wait for: READY when it was the last. */
int pingo__manager_action_wait_is_over(struct pingo__manager_context *c,
                                       const struct pingo__store_action_row *action,
                                       struct pingo_error *err);
/* The children of what has finished have what they waited for: a claim on it (data), and one action less. */
int pingo__manager_wake_children(struct pingo__manager_context *c, int64_t parent, int64_t dataset,
                                 struct pingo__arena *arena, struct pingo_error *err);
/* What it was to make is this dataset, which is there: FINISHED, and its children know. */
int pingo__manager_action_finish(struct pingo__manager_context *c,
                                 const struct pingo__store_action_row *action, int64_t dataset,
                                 struct pingo__arena *arena, struct pingo_error *err);
/* Inside a write transaction, of one that is READY: PROCESSING, unless somebody's forced repeat has made it since it
 * was planned and it lies in a pool here: then it, and who joined it, FINISHED with that.  action->state says which. */
int pingo__manager_action_claim(struct pingo__manager_context *c,
                                struct pingo__store_action_row *action, struct pingo_error *err);
/* Inside a write transaction.  The action is FAILED, or CANCELLED, its descendants CANCELLED, its claims
 * are released, who joined it is planned again. */
int pingo__manager_action_end(struct pingo__manager_context *c,
                              const struct pingo__store_action_row *action,
                              enum pingo_action_state to, const char *message,
                              struct pingo_error *err);
/* Inside a write transaction, after an action has FINISHED without having run: of those before it, and before them,
 * what has not been claimed and nobody else waits for or wants is CANCELLED; what runs goes on, but where its workflow
 * was killed. */
int pingo__manager_action_cancel_unneeded(struct pingo__manager_context *c,
                                          const struct pingo__store_action_row *finished,
                                          const char *message, struct pingo_error *err);

/* Kills what of a workflow (actions: of those and what descends from them; NULL: of all) no live workflow needs.  What
 * has ended, or is needed, is passed over.  PINGO_ESTATE: nothing was killed, for some of them are needed. */
int pingo__manager_workflow_kill_actions(struct pingo__manager_context *c, int64_t workflow,
                                         const struct pingo__store_number_list *actions,
                                         size_t *killed, struct pingo_error *err);

/* ---- memory.c ---- */

struct pingo__manager_executor; /* executors.h */

/* Sets the job's memory: what the definition says of this try, what the action has grown to, or, for its first, what
 * the store remembers of its like.  e: who is to run it; remembers: of some action, at least: store/action/memory.h. */
int pingo__manager_memory_give(struct pingo__manager_context *c, struct pingo__manager_prepared *p,
                               const struct pingo__manager_executor *e, bool remembers,
                               struct pingo_error *err);
/* Inside a write transaction: the attempt is noted with what it is given. */
int pingo__manager_memory_given(struct pingo__manager_context *c,
                                const struct pingo__manager_prepared *p, struct pingo_error *err);

/* It died of memory.  again: it is to be tried with more, and message says so; else message says what would help, to
 * follow another. */
struct pingo__manager_growth {
    bool again;
    char message[256];
};
int pingo__manager_memory_grow(const struct pingo__manager_settling *s,
                               struct pingo__manager_growth *growth, struct pingo_error *err);
/* It ended well: what others of its program will be given at first. */
int pingo__manager_memory_learn(const struct pingo__manager_settling *s, struct pingo_error *err);

/* ---- output.c ---- */

/* path: the staged output, below the pool.  checked: the executor has looked at it by the same rules, and only
 * kind and size of the named path are compared.  Fills in what end leaves out (output_kind NONE); where it cannot
 * be kept, end->reason becomes BAD_OUTPUT, or NO_OUTPUT where there is none, and the message says why.
 * PINGO_ENOTFOUND: the executor told of an output, but there is none.  Other errors are the store's. */
int pingo__manager_output_look(struct pingo__manager_context *c, const char *path, bool checked,
                               struct pingo_job_end *end, struct pingo_error *err);

/* What lies at its object's name, or outside, once it is there: how its root looks; and how a pool that lies elsewhere
 * tells its content, which it does in its own way. */
int pingo__manager_output_published(struct pingo__manager_context *c, const char *object,
                                    struct pingo__pool_state *root, struct pingo_job_end *end,
                                    struct pingo_error *err);

#endif
