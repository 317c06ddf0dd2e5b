/* store.h - the store: what was computed, where it lies, and why.
 *
 * A store is a directory (".pingo") on a local disk with a database and
 * settings, of one Unix user; its pool holds the datasets.  Any number of
 * processes may use one store at once.  A handle belongs to one thread at a
 * time; different handles, also of one store, may be used by different
 * threads.  No function returns inside a transaction.
 * Besides the errors named, every function may return PINGO_ENOMEM, PINGO_EBUSY,
 * PINGO_ESTORE and PINGO_EIO, and PINGO_EINVAL for options of a version that the
 * library does not know.  Strings handed to callbacks are borrowed for the call.
 * A callback that returns other than 0 stops its function with PINGO_EINTERRUPTED.  None is called inside a
 * transaction.  One that may call back may use every function, also with the same handle, but for closing what it is
 * called by; one that must not call back uses nothing of the library.
 * What is asked and said of datasets stands in <pingo/dataset.h>, and of submissions and actions in
 * <pingo/query.h>, which this includes.
 * Times are ms since 1970 UTC, durations ms, sizes bytes; -1 stands for "unknown".
 * Source: thesis section 3.4. */
#ifndef PINGO_STORE_H
#define PINGO_STORE_H

#include <pingo/dataset.h>
#include <pingo/digest.h>
#include <pingo/error.h>
#include <pingo/plan.h>
#include <pingo/query.h>
#include <pingo/state.h>
#include <pingo/workflow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- open -------------------------------------------------------------------- */

/* Whose state has changed. */
enum pingo_event_kind {
    PINGO_EVENT_ACTION = 1,
    PINGO_EVENT_DATASET = 2,
    PINGO_EVENT_WORKFLOW = 3,
    /* Of <pingo/feed.h> alone: much of a submission (0: of datasets, -1: of all) has changed. */
    PINGO_EVENT_MANY = 4
};
/* A committed transition.  from is 0 for a row that is new. */
struct pingo_event {
    enum pingo_event_kind kind;
    int64_t workflow;       /* 0 for datasets */
    int64_t action;         /* the row of the action; 0 for workflows */
    int64_t epoch;          /* of actions: epoch; of datasets: generation */
    int from, to;           /* states of the kind */
    struct pingo_hash hash; /* zero for workflows */
    int64_t id;             /* of the action in its workflow; -1 for datasets and workflows */
    const char *name; /* where pingo_store_options.event tells of the end of an action: its; else NULL */
};

enum pingo_log_level { PINGO_LOG_DEBUG = 1, PINGO_LOG_INFO = 2, PINGO_LOG_WARNING = 3 };

struct pingo_executor_type; /* <pingo/executor.h> */

struct pingo_store_options {
    unsigned version;        /* 2; 1 ends before syncs_later */
    int64_t lock_timeout_ms; /* 0: 60,000 */
    /* What a person may want to know; must not call back. */
    void (*log)(void *context, enum pingo_log_level level, const char *message);
    /* Called after the commit, in order, outside the lock; must not call back. */
    void (*event)(void *context, const struct pingo_event *event);
    void *context;
    const struct pingo_action_type *const *types; /* besides the built-in ones; must outlive the handle */
    size_t ntypes;
    /* Besides the library's own: those whose settings pingo_store_set() can check.  Must outlive the handle. */
    const struct pingo_executor_type *const *executors;
    size_t nexecutors;
    bool syncs_later; /* what this handle writes may be lost with the machine's power, until pingo_store_sync() */
};

/* Makes a store in directory (made, with parents) and its pool, with a .gitignore in the one and a CACHEDIR.TAG in
 * the other.  pool: a directory; KIND://... for a pool of another kind, where this library has one; NULL:
 * directory/pool.  Errors: PINGO_EINVAL ("" is no directory; no such kind; the pool is
 * directory itself), PINGO_EEXISTS (a store is there; or the pool's directory holds something under one of the names
 * that a pool keeps its files in), PINGO_ESTORE (network file system, pool of another store). */
PINGO_API int pingo_store_init(const char *directory, const char *pool, struct pingo_error *err);

/* Finds the store as git finds its own: explicit_dir if not NULL (".pingo" below it or the directory
 * itself), else $PINGO_DIR as environment_dir if not NULL, else the nearest ".pingo" from start_dir upwards.
 * *directory: yours, free().  Errors: PINGO_ENOSTORE; as of every relative path, PINGO_EIO where the working directory
 * is gone. */
PINGO_API int pingo_store_discover(const char *explicit_dir, const char *environment_dir,
                                   const char *start_dir, char **directory, struct pingo_error *err);

typedef int (*pingo_kept_fn)(void *context, const char *path, const char *why);
/* Removes a store with its pool: what Pingo made there, by the marker, the store's id and the names of its files; links
 * are not followed.  fn: told of what lies there and stays, may be NULL.  Waits for helper processes that have no work
 * to end (8 s at most).  Exports and unmanaged outputs stay.  What was cut short can be done again.
 * Errors: PINGO_EINVAL ("" is no directory), PINGO_ENOSTORE, PINGO_EBUSY (a process uses it, or actions run),
 * PINGO_ESTORE (the pool is not this store's: nothing is removed).  fn may call back, but must not open the store. */
PINGO_API int pingo_store_destroy(const char *directory, pingo_kept_fn fn, void *context,
                                  struct pingo_error *err);

/* Opens a store.  *store: yours, pingo_store_close().  options: may be NULL; copied, but for what it
 * points to with callbacks and types.  Migrates an older database, and logs that it did (a warning).  What is not a
 * store of Pingo's, or belongs to another user, is left as it is; a link is followed only where it is ours and leads to
 * the directory.
 * Errors: PINGO_ENOSTORE, PINGO_EVERSION (a newer database, or executor's table), PINGO_ESTORE, PINGO_EINVAL ("" is no
 * directory; an executor's table that lacks something). */
PINGO_API int pingo_store_open(const char *directory, const struct pingo_store_options *options,
                               struct pingo_store **store, struct pingo_error *err);
/* What handles of any process have written to the store so far is on the disk: many small submissions by a handle that
 * syncs later cost one sync.  Until then others see them, and what others write later is never kept without them: they
 * are lost with the power together, or not at all; a process that is killed loses nothing.  Such a handle is for what
 * changes rows alone: what deletes files wants its commits on the disk first.
 * Errors: PINGO_EIO (what was not synced may be lost). */
PINGO_API int pingo_store_sync(struct pingo_store *store, struct pingo_error *err);
/* Closes the handle.  Close the schedulers that use it first.  NULL is fine. */
PINGO_API void pingo_store_close(struct pingo_store *store);

/* The directory of the store, absolute; borrowed until the close. */
PINGO_API const char *pingo_store_directory(const struct pingo_store *store);
/* The directory of the pool, absolute; borrowed until the close. */
PINGO_API const char *pingo_store_pool(const struct pingo_store *store);
/* The id of the store, as in the marker of its pool; borrowed until the close. */
PINGO_API const char *pingo_store_id(const struct pingo_store *store);

/* ---- settings ------------------------------------------------------------------ */

typedef int (*pingo_setting_fn)(void *context, const char *key, const char *value,
                                const char *default_value, const char *meaning);
/* Calls fn for each known key, in byte order, and for each that is set of an executor that is not known here; there
 * default_value is NULL.  An executor's own are executor.NAME.KEY; default_value NULL: it has none, and value is NULL
 * where it is not set either.  pingo-config(1) describes them.  fn may call back. */
PINGO_API int pingo_store_settings(struct pingo_store *store, pingo_setting_fn fn, void *context,
                                   struct pingo_error *err);
/* *value: yours, free(); "" where it is not set and has no default.  Errors: PINGO_ENOTFOUND (no such key; the message
 * suggests one). */
PINGO_API int pingo_store_get(struct pingo_store *store, const char *key, char **value,
                              struct pingo_error *err);
/* value NULL: back to the default.  What is of an executor that is not known here is kept as it is, for who knows it,
 * and a warning logged.  Errors: PINGO_ENOTFOUND, PINGO_EINVAL (the message says what would be right). */
PINGO_API int pingo_store_set(struct pingo_store *store, const char *key, const char *value,
                              struct pingo_error *err);
struct pingo_setting {
    const char *key;
    const char *value; /* NULL: back to the default */
};
/* Several likewise, in one transaction: all of them, or none, and what is wrong with the first that cannot be.
 * Errors: those of pingo_store_set(). */
PINGO_API int pingo_store_set_several(struct pingo_store *store, const struct pingo_setting *values,
                                      size_t nvalues, struct pingo_error *err);

/* A size as settings and commands take it: bytes; or a number, with a part behind a point if you like, and a
 * unit: K, M, G, T, P or KiB, MiB, GiB, TiB, PiB for powers of 1024, kB, MB, GB, TB, PB for powers of 1000,
 * in upper or lower case, one space before it if you like.  *bytes: what is less than a byte is cut off.
 * false: it is none, or too large. */
PINGO_API bool pingo_size_parse(const char *text, int64_t *bytes);

/* ---- plan and submit -------------------------------------------------------------- */

/* One action of a plan. */
struct pingo_planned {
    int64_t id;
    const char *name;
    struct pingo_hash hash;
    enum pingo_plan_decision decision;
    enum pingo_plan_reason reason;
    const char *reason_text; /* with what is known: "evicted 2026-11-20 by chain", "same as action 3" */
    int64_t expected_ms;     /* mean of earlier runs; -1: none */
    int64_t expected_bytes;      /* size of the last generation; -1: none */
    const struct pingo_why *why; /* of what would be computed, where the options ask why; else NULL */
};
typedef int (*pingo_planned_fn)(void *context, const struct pingo_planned *planned);

struct pingo_submit_options {
    unsigned version;     /* 3; 2 ends before key, 1 before user */
    const char *base_dir; /* absolute; for text; NULL: relative paths are errors */
    bool strict;
    const char *const *targets; /* ids or unique names; none: the leaves */
    size_t ntargets;
    const char *const *forced; /* ids or unique names */
    size_t nforced;
    int64_t priority; /* greater first, default 0 */
    size_t max_bytes; /* 0: the setting workflow.maxBytes */
    int (*progress)(void *context,
                    const struct pingo_identify_progress *progress); /* may call back */
    pingo_planned_fn
        planned; /* of pingo_store_plan() and pingo_store_hash(): told of each action; may call back; NULL */
    void *context;      /* of both */
    bool force_outputs; /* what lies at an outputPath now may be replaced, whoever made it */
    const char *tag; /* to find it again: 1 to 255 bytes without control characters; NULL: none */
    bool once; /* with tag, else PINGO_EINVAL: where a submission has it, that one is the result, and nothing is
                  submitted */
    bool why; /* of pingo_store_plan(): tell the nearest known action, and what differs */
    const char *user; /* who submits: a label as tag is; NULL: whom the handle works for, or the process's user name */
    /* 1 to 255 bytes without control characters, which the user gives to one request alone; NULL: none. */
    const char *key;
};

struct pingo_plan_totals {
    size_t size; /* set by you: sizeof; see <pingo/version.h> */
    struct pingo_plan_summary summary;
    int64_t expected_ms, expected_bytes; /* of what would compute and has earlier runs */
    size_t unknown;                      /* how many would compute and have none */
};

/* A dry run over a text: what a submission would do now.  Changes nothing (but remembers content hashes of originals).
 * Errors: PINGO_EWORKFLOW, PINGO_ELIMIT, PINGO_EINPUT, PINGO_ECOLLISION, PINGO_ENOTFOUND and
 * PINGO_EAMBIGUOUS (targets, forced), PINGO_EEXISTS (something lies at an outputPath that Pingo did not write,
 * or that was changed since); that the directory of an outputPath is missing is PINGO_EWORKFLOW. */
PINGO_API int pingo_store_plan(struct pingo_store *store, const struct pingo_document *document,
                               const struct pingo_submit_options *options,
                               struct pingo_plan_totals *totals, struct pingo_error *err);

struct pingo_submission {
    size_t size;      /* set by you: sizeof; see <pingo/version.h> */
    int64_t workflow; /* its number, from 1 */
    enum pingo_workflow_state state;
    struct pingo_plan_summary summary;
    bool found; /* options.once: it was submitted before, perhaps with another text; options.key: with the same */
};

/* Submits a text, in one write transaction.  Errors as pingo_store_plan(); nothing is left in the store then.
 * A program that dies between the submission and noting its number submits with a tag of its own and `once`
 * again, and has the number.  So it is with a key, for 24 hours: the same user's same request (text, base_dir, and all
 * options that say what is asked for) has the same answer, with `found`, and another request is none.
 * Errors also: PINGO_EKEY (the key stands for another request), PINGO_EPENDING (one with this key is being worked
 * on). */
PINGO_API int pingo_store_submit(struct pingo_store *store, const struct pingo_document *document,
                                 const struct pingo_submit_options *options,
                                 struct pingo_submission *submission, struct pingo_error *err);
/* Submits a workflow that was parsed or built before.  Errors as pingo_store_plan(), but those of a text. */
PINGO_API int pingo_store_submit_workflow(struct pingo_store *store,
                                          const struct pingo_workflow *workflow,
                                          const struct pingo_submit_options *options,
                                          struct pingo_submission *submission,
                                          struct pingo_error *err);
/* Submits the text of a submission once more, with the directory that its paths begin at, and for the targets that it
 * had, where options (may be NULL) name none; their base_dir is not looked at.  What is there is reused: what failed,
 * was killed or went is made.  Errors as pingo_store_submit(); PINGO_ENOTFOUND, PINGO_ESTATE (it was forgotten),
 * PINGO_EFORBIDDEN (it is somebody else's). */
PINGO_API int pingo_store_submit_again(struct pingo_store *store, int64_t workflow,
                                       const struct pingo_submit_options *options,
                                       struct pingo_submission *submission, struct pingo_error *err);
/* Hashes a text with the store's memory of content hashes.  options->planned is told id, name, hash; the other fields
 * are unset.  Errors: PINGO_EWORKFLOW, PINGO_ELIMIT, PINGO_EINPUT. */
PINGO_API int pingo_store_hash(struct pingo_store *store, const struct pingo_document *document,
                               const struct pingo_submit_options *options, struct pingo_error *err);

/* ---- forgetting ----------------------------------------------------------------------------- */

/* What was erased: */
struct pingo_forgotten {
    size_t size;         /* set by you: sizeof; see <pingo/version.h> */
    size_t texts;        /* of workflows */
    size_t descriptions; /* of actions */
    size_t attempts;     /* whose logs, and scratch directory where it was kept, are gone */
    size_t shared;       /* submissions whose text stays, since another has the same */
    int64_t shared_by;   /* one that has; 0: none */
};
/* Erases the texts of submissions that have ended, the names, messages and paths of their actions, every description
 * that no other submission needs, and their attempts' logs, from the database's files too.  Numbers, times, users,
 * hashes, sizes and the datasets stay, so that decisions are as before.  The same workflow can be submitted
 * again.  *forgotten: may be NULL.  All of them or none; after an error of the files, the rest is done by forgetting
 * them again.
 * Errors: PINGO_ENOTFOUND, PINGO_ESTATE (has not ended), PINGO_EBUSY (another program reads an old state, and
 * the database's log still has the text), PINGO_ENOSPACE (the database is written anew: as much as it has). */
PINGO_API int pingo_store_forget(struct pingo_store *store, const int64_t *workflows, size_t n,
                                 struct pingo_forgotten *forgotten, struct pingo_error *err);

/* ---- change -------------------------------------------------------------------------------- */

/* Kills one action of a submission (and what descends from it), or the whole: only what no live workflow needs.
 * Attempts are ended by the scheduler that owns them, or by the next tick.  of->action: NULL: all.
 * *killed: how many actions changed, may be NULL.  Errors: PINGO_ENOTFOUND, PINGO_ESTATE (already final). */
PINGO_API int pingo_store_kill(struct pingo_store *store, const struct pingo_action_name *of,
                               size_t *killed, struct pingo_error *err);
/* Kills those actions of a submission that are meant, each as pingo_store_kill() does, in few transactions.  What has
 * ended, or goes on for others, is passed over, if anything is killed.  *killed: as there.
 * Errors: those of pingo_store_select() and pingo_store_kill(). */
PINGO_API int pingo_store_kill_selected(struct pingo_store *store,
                                        const struct pingo_selection *selection, size_t *killed,
                                        struct pingo_error *err);

/* Nothing more of a submission starts until it is resumed, but for what another one that is not paused needs (because
 * it joined it, or has to wait for its turn behind it).  What runs goes on; what was handed out and has not started
 * is taken back by the scheduler that has it.  *changed (may be NULL): it was not paused before.
 * Errors: PINGO_ENOTFOUND, PINGO_ESTATE (it has ended). */
PINGO_API int pingo_store_pause_workflow(struct pingo_store *store, int64_t workflow, bool *changed,
                                         struct pingo_error *err);
/* The way back: schedulers that claim for it go on with it.  *changed (may be NULL): it was paused before.
 * Errors: PINGO_ENOTFOUND, PINGO_ESTATE (it has ended). */
PINGO_API int pingo_store_resume_workflow(struct pingo_store *store, int64_t workflow,
                                          bool *changed, struct pingo_error *err);

/* Of what of a submission has not ended: greater first, and above 0 before all shares (<pingo/users.h>).  What is in
 * hand goes on.  What another submission waits for too, of whichever user, has the better place of the two, and that of
 * the other alone once this one is 0 again.
 * Errors: PINGO_ENOTFOUND, PINGO_ESTATE (it has ended), PINGO_EFORBIDDEN (who is no admin). */
PINGO_API int pingo_store_set_priority(struct pingo_store *store, int64_t workflow,
                                       int64_t priority, struct pingo_error *err);

struct pingo_finding {
    const char *invariant; /* "I1" .. "I8" */
    const char *object;    /* "dataset HASH", "action 12", a path */
    const char *message;
    bool repaired;
    bool repairable; /* a repair mends it, or has */
};
typedef int (*pingo_finding_fn)(void *context, const struct pingo_finding *finding);
struct pingo_fsck_options {
    unsigned version; /* 1 */
    bool deep;        /* compare content digests, and descriptions with their hashes */
    bool repair;      /* mend what can be mended */
    int (*progress)(void *context, uint64_t done, uint64_t total); /* may call back */
    pingo_finding_fn finding; /* told of each; may call back; NULL: nobody is */
    void *context;            /* of both */
};
/* Checks I1 to I8.  *clean: no finding is left.  options: may be NULL. */
PINGO_API int pingo_store_fsck(struct pingo_store *store, const struct pingo_fsck_options *options,
                               bool *clean, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
