/* query.h - what a store knows of submissions and actions: states, lists, attempts, logs, where from and why.
 *
 * What <pingo/store.h> says of threads, errors, strings, callbacks and units holds here as well.
 * Source: thesis section 3.4. */
#ifndef PINGO_QUERY_H
#define PINGO_QUERY_H

#include <pingo/dataset.h>
#include <pingo/digest.h>
#include <pingo/error.h>
#include <pingo/plan.h>
#include <pingo/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- look ------------------------------------------------------------------------------ */

/* Resolves "last" or a number.  Errors: PINGO_ENOTFOUND. */
PINGO_API int pingo_store_resolve_workflow(struct pingo_store *store, const char *text,
                                           int64_t *workflow, struct pingo_error *err);

/* The newest submission with this tag.  Errors: PINGO_ENOTFOUND. */
PINGO_API int pingo_store_find_tag(struct pingo_store *store, const char *tag, int64_t *workflow,
                                   struct pingo_error *err);
/* Has it ended?  Takes the same little time however many actions there are: to be asked after each tick.
 * Errors: PINGO_ENOTFOUND. */
PINGO_API int pingo_store_workflow_state(struct pingo_store *store, int64_t workflow,
                                         enum pingo_workflow_state *state, struct pingo_error *err);

/* The number of the newest change of the state of a submission, an action or a dataset, of any process: where it is
 * what it was, none of them has changed.  <pingo/feed.h> tells which.  Takes some microseconds, and no lock. */
PINGO_API int pingo_store_changes(struct pingo_store *store, int64_t *changes,
                                  struct pingo_error *err);
/* A number that is another one as soon as any other handle, of any process, has written anything to the store: where it
 * is what it was, all that was read by this handle would be read again.  Numbers of two handles say nothing of each
 * other, and what this handle writes does not change its own.  Takes about a microsecond, and no lock.  Source: SQLite,
 * PRAGMA data_version. */
PINGO_API int pingo_store_data_version(struct pingo_store *store, int64_t *version,
                                       struct pingo_error *err);

struct pingo_workflow_status {
    int64_t workflow;
    const char *name;
    const char *user;
    enum pingo_workflow_state state;
    int64_t submitted_ms, ended_ms; /* ended_ms -1 while it runs */
    int64_t priority;
    size_t actions; /* of the definition */
    struct pingo_plan_summary summary;
    size_t waiting, ready, running, finished,
        failed; /* rows of actions; running: PROCESSING, SUBMITTED, RUNNING; failed: FAILED, KILLED, and
                   CANCELLED but for what an adopted output made needless */
    const char *tag;  /* NULL: none */
    size_t armed;     /* of running: claimed or handed out, and not known to have started */
    size_t for_space; /* of ready: their last attempts met a full disk */
};
typedef int (*pingo_workflow_status_fn)(void *context, const struct pingo_workflow_status *status);
struct pingo_workflow_query {
    unsigned version; /* 1 */
    unsigned states;  /* in one of these: 1u << PINGO_WORKFLOW_*, added up; 0: all */
    const char *user; /* of this user alone; NULL: of all */
    const char *name; /* of this name */
    const char *tag;
    int64_t since_ms; /* submitted in [since, until); 0: no bound */
    int64_t until_ms;
    bool oldest_first;
    size_t limit; /* at most so many; 0: all */
    const char *after; /* behind where another list ended: what that one put into next; NULL or "": the beginning */
    char *next; /* yours, PINGO_CURSOR_SIZE bytes, or NULL: what goes on where this list ends; "": it is the end */
};
/* Calls fn for each submission, newest first.  query: may be NULL: all.  Errors: PINGO_EINVAL.
 * fn may call back. */
PINGO_API int pingo_store_workflows(struct pingo_store *store,
                                    const struct pingo_workflow_query *query,
                                    pingo_workflow_status_fn fn, void *context,
                                    struct pingo_error *err);
/* One submission.  Errors: PINGO_ENOTFOUND.  fn may call back. */
PINGO_API int pingo_store_workflow(struct pingo_store *store, int64_t workflow,
                                   pingo_workflow_status_fn fn, void *context,
                                   struct pingo_error *err);

/* Why an attempt was given so much memory. */
enum pingo_memory_from {
    PINGO_MEMORY_DEFINED = 0,   /* its definition says so */
    PINGO_MEMORY_GREW = 1,      /* an attempt before it had died of less */
    PINGO_MEMORY_REMEMBERED = 2 /* it, or its program, had needed so much before */
};

struct pingo_action_status {
    int64_t id;
    const char *name;
    struct pingo_hash hash;
    enum pingo_plan_decision decision;
    enum pingo_action_state state;                      /* 0: reused or skipped, there is no row */
    int64_t row;                                        /* the row of the action; 0 likewise */
    int64_t attempts;                                   /* that started */
    int64_t exit_code;                                  /* of the last attempt; -1: none */
    int64_t signal;                                     /* likewise */
    int64_t wall_ms, user_ms, system_ms, max_rss_bytes; /* of the last ended attempt */
    int64_t started_ms, ended_ms;
    const char *message;     /* why it failed or waits; "" */
    const char *attempt_dir; /* of the last attempt where it still exists, else NULL */
    size_t waits_for;        /* how many unfinished actions it waits for */
    int confined; /* the last ended attempt ran in the sandbox: 1; 0: not; -1: none ended */
    const char *const *labels; /* k1,v1,k2,v2,... in byte order of the keys */
    size_t nlabels;            /* strings */
    const char *adopted_from;  /* its output was made before Pingo and taken from there; NULL */
    /* READY, and its last attempt met a full disk: what that had written (0: unknown); -1: not. */
    int64_t disk_full_bytes;
    /* Who ran its last attempt, or is to run it; NULL: nobody (reused, skipped, joined), or whoever runs its type. */
    const char *executor;
    /* It has ended, and nobody was there to collect its end, which a tick of anyone does: until then it is RUNNING.
     * Its times are known, where its executor keeps them for all to see. */
    bool uncollected;
    const char *node; /* the machine that ran its last ended attempt; NULL: unknown */
    int64_t memory_mb; /* what its last attempt was given; 0: no limit; -1: unknown, or there is none */
    enum pingo_memory_from memory_from;
    bool is_wanted; /* a leaf, or a target: what the submission asked for */
};
typedef int (*pingo_action_status_fn)(void *context, const struct pingo_action_status *status);
struct pingo_action_query {
    unsigned version; /* 1 */
    int64_t workflow;
    unsigned states; /* in one of these: 1u << PINGO_ACTION_*, added up, 1u: reused or skipped; 0: all */
    const char *name; /* with this name, or a pattern as a shell's (*, ?, [a-z]); NULL: all */
    size_t limit;     /* at most so many; 0: all */
    const char *after; /* behind where another list ended: what that one put into next; NULL or "": the beginning */
    char *next; /* yours, PINGO_CURSOR_SIZE bytes, or NULL: what goes on where this list ends; "": it is the end */
};
/* Calls fn for each action of a submission, in the order of the definition.  Errors: PINGO_ENOTFOUND, PINGO_EINVAL.
 * fn may call back. */
PINGO_API int pingo_store_actions(struct pingo_store *store, const struct pingo_action_query *query,
                                  pingo_action_status_fn fn, void *context, struct pingo_error *err);
/* One action.  Errors: PINGO_ENOTFOUND, PINGO_EAMBIGUOUS.  fn may call back. */
PINGO_API int pingo_store_action(struct pingo_store *store, const struct pingo_action_name *of,
                                 pingo_action_status_fn fn, void *context, struct pingo_error *err);

/* One try at running an action. */
struct pingo_attempt {
    int64_t row; /* of the action; with epoch it is known in the whole store */
    int64_t epoch;
    int64_t id;       /* of the action in its workflow */
    const char *name; /* likewise */
    bool has_started;
    bool has_ended;
    int reason;        /* enum pingo_end_reason; -1: it has not ended */
    int64_t exit_code; /* -1: none */
    int64_t signal;    /* likewise */
    int64_t handed_ms; /* to its executor */
    int64_t started_ms, ended_ms;
    int64_t wall_ms, user_ms, system_ms, max_rss_bytes;
    int confined; /* it ran in the sandbox: 1; 0: not; -1: it has not ended, or did not run */
    const char *executor;    /* who ran it */
    const char *node;        /* on which machine; NULL: unknown */
    const char *attempt_dir; /* where its logs are; NULL: it has gone */
    int64_t memory_mb;       /* what it was given; 0: no limit; -1: unknown */
    enum pingo_memory_from memory_from;
    const char *job; /* what its engine calls it, such as 17_4 of Slurm; NULL: nothing, or unknown */
    const char *progress; /* what its engine tells of it, such as tasks and counters: a JSON object; NULL: nothing */
};
typedef int (*pingo_attempt_fn)(void *context, const struct pingo_attempt *attempt);
struct pingo_attempt_query {
    unsigned version; /* 1 */
    int64_t workflow;
    const char *action; /* of this one alone, by id or unique name; NULL: of all */
    size_t limit;       /* at most so many; 0: all */
    const char *after; /* behind where another list ended: what that one put into next; NULL or "": the beginning */
    char *next; /* yours, PINGO_CURSOR_SIZE bytes, or NULL: what goes on where this list ends; "": it is the end */
};
/* Calls fn for each attempt of a submission, by the action's place in the definition, the oldest first.  What was
 * reused or joined has none of its own: pingo_store_ran().  Errors: PINGO_ENOTFOUND, PINGO_EAMBIGUOUS, PINGO_EINVAL.
 * fn may call back. */
PINGO_API int pingo_store_attempts(struct pingo_store *store,
                                   const struct pingo_attempt_query *query, pingo_attempt_fn fn,
                                   void *context, struct pingo_error *err);

/* Which actions are meant. */
struct pingo_selection {
    unsigned version; /* 2; 1 ends before limit */
    int64_t workflow;
    const char *const *actions; /* ids, unique names, or patterns as a shell's (*, ?, [a-z]); none: all */
    size_t nactions;
    const char *const *labels; /* "KEY=VALUE", where the value may be a pattern; all must match */
    size_t nlabels;
    size_t limit; /* at most so many; 0: all */
    const char *after; /* as in struct pingo_action_query; that something is meant is checked at the beginning alone */
    char *next;
};
struct pingo_selected {
    int64_t id;
    const char *name;
    struct pingo_hash hash;
    bool is_wanted; /* a leaf, or a target: what the submission asked for */
    bool is_named;  /* by its id or its name, not by a pattern or a label */
};
typedef int (*pingo_selected_fn)(void *context, const struct pingo_selected *selected);
/* Calls fn for each action of a submission that is meant, once, in the order of the definition.
 * Errors: PINGO_ENOTFOUND (no submission, or nothing that one of the actions means, or none with these labels),
 * PINGO_EAMBIGUOUS, PINGO_EINVAL (a label without a "=", or after is no cursor of such a list).  fn may call back. */
PINGO_API int pingo_store_select(struct pingo_store *store, const struct pingo_selection *selection,
                                 pingo_selected_fn fn, void *context, struct pingo_error *err);

enum pingo_log_stream { PINGO_STREAM_STDOUT = 1, PINGO_STREAM_STDERR = 2 };
/* Whose run gave an action its dataset and its logs: its own, that of the action which it joined, or that of
 * another submission whose dataset it reuses, or would if it were not skipped.  *ran_workflow, *ran_id: the
 * submission and the action's id in it; 0 and -1: nothing ran.  Errors: PINGO_ENOTFOUND, PINGO_EAMBIGUOUS. */
PINGO_API int pingo_store_ran(struct pingo_store *store, const struct pingo_action_name *of,
                              int64_t *ran_workflow, int64_t *ran_id, struct pingo_error *err);
/* The path of a log of the last attempt of the run that pingo_store_ran() tells.  *path: yours, free(); NULL
 * where the log was empty or is gone.  Errors: those of pingo_store_ran(). */
PINGO_API int pingo_store_log_path(struct pingo_store *store, const struct pingo_action_name *of,
                                   enum pingo_log_stream stream, char **path,
                                   struct pingo_error *err);
/* A shell script that repeats the attempt by hand in a fresh directory: sh SCRIPT [DIRECTORY [WRAPPER...]],
 * where WRAPPER is a command that is given the attempt's as arguments.  *script: yours, free().
 * Errors: PINGO_ENOTFOUND, PINGO_ESTATE (external action, or an input is gone). */
PINGO_API int pingo_store_script(struct pingo_store *store, const struct pingo_action_name *of,
                                 char **script, struct pingo_error *err);
/* Which paths, and what is below them, an attempt may read in the sandbox: its inputs, its tools, the
 * setting sandbox.read, the system's places.  *paths: ends with NULL, one block of memory, yours,
 * free().  Errors: PINGO_ENOTFOUND, PINGO_ESTATE (external action, or a parent's output is gone),
 * PINGO_EINPUT (originals are not there; the message names them). */
PINGO_API int pingo_store_readable(struct pingo_store *store, const struct pingo_action_name *of,
                                   char ***paths, struct pingo_error *err);

/* ---- a whole submission ------------------------------------------------------------------ */

/* For views of very many actions.  Each takes a time that grows with the actions of the submission, and no lock. */

/* Of an action that has no row, because it was reused or skipped, the state is this and enum pingo_plan_decision. */
#define PINGO_STATE_PLANNED 16

struct pingo_states {
    size_t n;              /* actions, in the order of the definition */
    const uint8_t *states; /* of each: enum pingo_action_state, or PINGO_STATE_PLANNED and what was decided */
    /* Of each: the longest way up to an action without parents; NULL: it was not asked for. */
    const uint32_t *depths;
    const int64_t *ids; /* of each, as the definition has them; NULL likewise */
};
/* with_depths: ids and depths too, which never change, and cost more.  *states: one block of memory, yours, free().
 * Errors: PINGO_ENOTFOUND, PINGO_ESTATE (it was forgotten). */
PINGO_API int pingo_store_states(struct pingo_store *store, int64_t workflow, bool with_depths,
                                 struct pingo_states **states, struct pingo_error *err);

/* Actions that are alike: of one type, with names that differ in their digits alone. */
struct pingo_group {
    size_t index;     /* of the group, from 0 */
    const char *type; /* of its actions */
    const char *name; /* with "#" for digits, where it is of more than one action; "*": of more groups than 500 */
    size_t actions;
    size_t waiting, ready, running, finished, failed; /* as in struct pingo_workflow_status */
    size_t reused, skipped;
    int64_t wall_ms;              /* of all attempts that have ended */
    int64_t started_ms, ended_ms; /* of the first and the last attempt; -1: none */
    size_t depth;                 /* the smallest of its actions */
    int64_t first_id;             /* of the first of its actions */
    const size_t *parents;        /* the groups of its actions' parents, itself too, each once */
    size_t nparents;
};
typedef int (*pingo_group_fn)(void *context, const struct pingo_group *group);
/* Calls fn for each group, in the order in which the definition begins them.  Errors: PINGO_ENOTFOUND, PINGO_ESTATE (it
 * was forgotten).  fn may call back. */
PINGO_API int pingo_store_groups(struct pingo_store *store, int64_t workflow, pingo_group_fn fn,
                                 void *context, struct pingo_error *err);

/* An action near another one, and where to draw it. */
struct pingo_neighbour {
    int64_t id;
    const char *name, *type;
    uint8_t state;          /* as in struct pingo_states */
    size_t hops;            /* from the one that was asked about, along edges in either direction */
    size_t layer;           /* below those of its parents that are among them */
    size_t place;           /* in its layer, so that few edges cross */
    const int64_t *parents; /* ids of those that are among them */
    size_t nparents;
    size_t hidden; /* parents and children that are not */
};
typedef int (*pingo_neighbour_fn)(void *context, const struct pingo_neighbour *neighbour);
struct pingo_neighbour_query {
    unsigned version; /* 1 */
    int64_t workflow;
    const char *action; /* an id or a unique name */
    size_t hops;        /* as far as that; 0: 2 */
    size_t limit;       /* at most so many; 0, or more: 200 */
};
/* Calls fn for each action around one, by layer and place.  Where they are too many, the nearer come first, and of
 * these those that failed, and those that run.  Errors: PINGO_ENOTFOUND, PINGO_EAMBIGUOUS, PINGO_ESTATE (it was
 * forgotten).  fn may call back. */
PINGO_API int pingo_store_neighbours(struct pingo_store *store,
                                     const struct pingo_neighbour_query *query,
                                     pingo_neighbour_fn fn, void *context, struct pingo_error *err);

/* One step of the chain of actions that took longest, of what ran. */
struct pingo_critical {
    int64_t id;
    const char *name;
    int64_t wall_ms; /* of its attempts that have ended; or of those of the equal action that it joined here */
    int64_t started_ms, ended_ms;
};
typedef int (*pingo_critical_fn)(void *context, const struct pingo_critical *critical);
/* Calls fn for each action of that chain, the first one first.  Errors: PINGO_ENOTFOUND, PINGO_ESTATE (it was
 * forgotten).  fn may call back. */
PINGO_API int pingo_store_critical_path(struct pingo_store *store, int64_t workflow,
                                        pingo_critical_fn fn, void *context,
                                        struct pingo_error *err);

/* What a submission cost, and what it did not. */
struct pingo_cost {
    size_t size;         /* set by you: sizeof; see <pingo/version.h> */
    size_t ran;          /* actions with an attempt that has ended */
    int64_t wall_ms;     /* of these attempts, in sum */
    int64_t span_ms;     /* from the start of the first to the end of the last; -1: none */
    int64_t critical_ms; /* of the chain that took longest */
    size_t saved; /* actions that have no row here, and were computed once: each hash counts once */
    int64_t saved_ms;    /* what these took when they were computed last */
    int64_t saved_bytes; /* the sizes of their datasets, as far as these are there */
};
/* Errors: PINGO_ENOTFOUND, PINGO_ESTATE (it was forgotten). */
PINGO_API int pingo_store_cost(struct pingo_store *store, int64_t workflow, struct pingo_cost *cost,
                               struct pingo_error *err);

/* The text of a submission, as it was submitted.  *text: yours, free(), with a NUL that length does not count; of a
 * workflow that was built, as pingo_workflow_print() makes it.  Errors: PINGO_ENOTFOUND, PINGO_ESTATE (it was
 * forgotten). */
PINGO_API int pingo_store_text(struct pingo_store *store, int64_t workflow, char **text,
                               size_t *length, struct pingo_error *err);
/* Where relative paths of that text start.  *base_dir: yours, free(); NULL: it was submitted without.  Errors: the
 * same. */
PINGO_API int pingo_store_base_dir(struct pingo_store *store, int64_t workflow, char **base_dir,
                                   struct pingo_error *err);

/* ---- provenance and why ------------------------------------------------------------------ */

/* Where an original or a tool lay when it was last hashed for a submission: a remark, which enters no hash. */
struct pingo_place {
    const char *path;   /* absolute; NULL: not known, or a uri */
    int64_t size_bytes; /* of a directory: of all files; -1: it was not read */
    int64_t mtime_ms;   /* of the path itself; -1 likewise */
    int64_t seen_ms;
    const char *text; /* of a version command, whose program's place this is: the first line that it wrote; else NULL */
};

struct pingo_provenance {
    struct pingo_hash hash;
    const struct pingo_description *description; /* decoded; borrowed for the call */
    const char *name;                            /* of an action with this hash, or "" */
    enum pingo_dataset_state state;              /* 0: never computed */
    int64_t workflow;                            /* that made it last; 0: none */
    int64_t made_ms, compute_ms, size_bytes;
    struct pingo_hash content;
    const struct pingo_place *input_places; /* one each of the description's inputs, in its order */
    const struct pingo_place *tool_places;  /* and of its tools */
    const struct pingo_place *version_places; /* and of the programs of its version commands */
    const char *const *labels; /* of the action that made it: k1,v1,... in byte order of the keys */
    size_t nlabels;            /* strings */
    const char *adopted_from;  /* the bytes were made before Pingo and taken from there; NULL */
    size_t depth; /* how many steps it is above the first, which has 0, by the shortest way */
};
typedef int (*pingo_provenance_fn)(void *context, const struct pingo_provenance *provenance);
struct pingo_provenance_query {
    unsigned version; /* 1 */
    struct pingo_hash hash;
    bool is_bounded; /* no more than depth steps up, 0: it alone; false: as far as there is something */
    size_t depth;
    size_t limit; /* at most so many, itself counted; 0: all */
    bool *more;   /* set: are there ancestors that were not told?  NULL */
};
/* Calls fn for a hash and its ancestors, each once, those of a smaller depth first.  Each is read when its turn comes,
 * so that the first ones come at once however many there are.  What is beyond can be asked for by the hash of a parent.
 * Errors: PINGO_ENOTFOUND (the store knows no action with this hash).  fn may call back. */
PINGO_API int pingo_store_provenance(struct pingo_store *store,
                                     const struct pingo_provenance_query *query,
                                     pingo_provenance_fn fn, void *context, struct pingo_error *err);

/* Why an action is computed or reused, and, where it is computed for the first time, the nearest action that was
 * known before and what differs.  Borrowed for the call. */
struct pingo_why {
    int64_t id;
    const char *name;
    struct pingo_hash hash;
    enum pingo_plan_decision decision;
    enum pingo_plan_reason reason;
    const char *reason_text;
    bool has_nearest; /* there is a stored action near it */
    struct pingo_hash nearest;
    int64_t nearest_workflow; /* where it was last submitted; 0: unknown */
    const struct pingo_difference *differences;
    size_t ndifferences;
    size_t inherited; /* how many of the differences are parents that differ in turn: ask for those */
    const char *memory_text; /* why its last attempt was given more memory than its definition says; NULL: it was not */
};

typedef int (*pingo_why_fn)(void *context, const struct pingo_why *why);
/* Why an action of a submission was computed or reused: its decision, and, where it was computed for
 * the first time, the nearest action known before and what differs.  of->action NULL: every action that was computed;
 * where all its differences are inherited it has no reason of its own.  Errors: PINGO_ENOTFOUND, PINGO_EAMBIGUOUS,
 * PINGO_ESTATE (it was forgotten).  fn may call back. */
PINGO_API int pingo_store_why(struct pingo_store *store, const struct pingo_action_name *of,
                              pingo_why_fn fn, void *context, struct pingo_error *err);

/* A living process on which a submission depends. */
struct pingo_driver {
    int64_t pid; /* 0: of another container (PID namespace), where numbers are other processes' */
    int64_t started_ms; /* when it began to work on the store */
    bool claims; /* it starts what becomes ready, of the submission or of one that computes what it waits for */
    bool stopped; /* it is stopped (SIGSTOP, ctrl-z): nothing that it has in hand goes on with it */
    /* How much of what the submission waits for it has in hand.  Where that is more than 1000 actions of other
     * submissions, it is all that it has in hand of those that compute some of the first 1000. */
    size_t handed;
};
typedef int (*pingo_driver_fn)(void *context, const struct pingo_driver *driver);
/* Calls fn for each process that goes on with a submission, this one included.  None, though it is unfinished: nobody
 * does, and what runs of it ends by itself, unnoticed.  Errors: PINGO_ENOTFOUND.  fn may call back. */
PINGO_API int pingo_store_drivers(struct pingo_store *store, int64_t workflow, pingo_driver_fn fn,
                                  void *context, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
