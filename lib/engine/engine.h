/* engine.h - the insides of the public handles, for this room alone. */
#ifndef PINGO__ENGINE_ENGINE_H
#define PINGO__ENGINE_ENGINE_H

#include <pingo/access.h>
#include <pingo/history.h>
#include <pingo/pool.h>
#include <pingo/scheduler.h>
#include <pingo/store.h>

#include "manager/attempt/action_manager.h"
#include "manager/context.h"
#include "manager/dataset/outside.h"
#include "manager/decision/decision_manager.h"
#include "manager/attempt/owner.h"
#include "store/access.h"
#include "store/action/actions.h"
#include "store/dataset/datasets.h"
#include "store/submission/plans.h"
#include "store/submission/workflows.h"

/* For whom a handle works. */
struct pingo__engine_caller {
    enum pingo_role role; /* 0: the owner of the store */
    char user[PINGO_USER_SIZE], way[PINGO_USER_SIZE];
};

struct pingo_store {
    struct pingo__store_db db;
    struct pingo__pool pool;
    struct pingo__manager_context context;
    struct pingo_store_options options;
    char *directory, *pool_dir, *near, *id, *user;
    int64_t settings_serial; /* how often this handle has changed settings */
    struct pingo__engine_caller caller;
};

/* A path as seen from the working directory, which may be gone (PINGO_EIO).  Yours. */
int pingo__engine_absolute(const char *path, char **absolute, struct pingo_error *err);

/* The pool in the store's own directory is remembered by this name, so that the directory can be moved. */
#define PINGO__ENGINE_OWN_POOL "pool"
/* What a store has for its pool: a directory of its own, which one that lies elsewhere makes. */
#define PINGO__ENGINE_NEAR "near"

/* For whom the handle works: by default the user that this process runs as; "": no memory for it. */
const char *pingo__engine_store_user(struct pingo_store *store);

/* ---- for whom it works ---- */
enum { PINGO__LABEL_MAX = 255 };
/* A name, a tag, a key: 1 to max bytes of UTF-8 without control characters, or NULL; else PINGO_EINVAL. */
int pingo__engine_label_check(const char *label, const char *what, size_t max,
                              struct pingo_error *err);
/* May the caller?  In the write transaction of what he does, which is noted there, with `verb`; of a dataset by who did
 * it, since of several some may be refused.  Errors: PINGO_EFORBIDDEN. */
int pingo__engine_may_workflow(struct pingo_store *store, const char *verb, int64_t workflow,
                               struct pingo_error *err);
int pingo__engine_may_dataset(struct pingo_store *store, const char *verb,
                              const struct pingo_hash *hash, struct pingo_error *err);
int pingo__engine_note_dataset(struct pingo_store *store, const char *verb,
                               const struct pingo_hash *hash, struct pingo_error *err);
/* Why a dataset in this state can be neither kept nor removed. */
const char *pingo__engine_not_stored(const struct pingo__store_dataset_row *row);
/* What is an admin's alone. */
int pingo__engine_may_rule(struct pingo_store *store, const char *verb, const char *object,
                           struct pingo_error *err);
/* The same in a transaction of its own, before what has none, or many. */
int pingo__engine_may_rule_now(struct pingo_store *store, const char *verb, const char *object,
                               struct pingo_error *err);
/* A plug-in is code that runs as the owner of the store: who may not set one may not have one loaded. */
int pingo__engine_may_load(const struct pingo_store *store, struct pingo_error *err);
/* A submission of this priority and user, before and after it has a number. */
int pingo__engine_may_submit(struct pingo_store *store, const struct pingo_submit_options *options,
                             struct pingo_error *err);
int pingo__engine_submit_note(struct pingo_store *store, int64_t workflow, struct pingo_error *err);

/* ---- keys of requests ---- */
struct pingo__engine_key {
    struct pingo__store_request request; /* key NULL: there is none */
    bool is_held;                        /* nobody else works on it */
};
/* Takes the key that options give, of a text with this digest.  Where it was given before, that is the submission.
 * Errors: PINGO_EINVAL, PINGO_EKEY, PINGO_EPENDING. */
int pingo__engine_key_take(struct pingo_store *store, const struct pingo_submit_options *options,
                           struct pingo__engine_key *key, struct pingo_submission *submission,
                           struct pingo_error *err);
/* It stands for the submission.  In its write transaction. */
int pingo__engine_key_note(struct pingo_store *store, struct pingo__engine_key *key,
                           const struct pingo_submission *submission, struct pingo_error *err);
void pingo__engine_key_let_go(struct pingo_store *store, struct pingo__engine_key *key);

/* What a callback that returned other than 0 makes of its function: PINGO_EINTERRUPTED. */
int pingo__engine_stopped(struct pingo_error *err);

/* ---- settings ---- */
#define PINGO__ENGINE_WHOLE 1000000 /* a share of 1 */
/* "none", "never": -1; a share: in millionths.  After an error it is the default, which may be far from what is set. */
int pingo__engine_setting_number(struct pingo_store *store, const char *key, int64_t *value,
                                 struct pingo_error *err);
/* The paths that sandbox.read lists, ending with NULL, one block of memory; NULL: none. */
int pingo__engine_setting_sandbox_read(struct pingo_store *store, const char ***paths,
                                       struct pingo_error *err);
/* Its algorithm is left alone: pingo_store_get(). */
int pingo__engine_setting_budget(struct pingo_store *store, struct pingo__manager_budget *budget,
                                 struct pingo_error *err);

/* ---- what is written outside the pool ---- */
/* The directories that are kept, as they are named and as they are. */
struct pingo__engine_kept {
    const char *paths[4];
    char store_real[PATH_MAX], pool_real[PATH_MAX];
};

void pingo__engine_kept_find(const struct pingo_store *store, struct pingo__engine_kept *kept);
/* Before look, which need not resolve x->path again.  PINGO_EINVAL: it lies in the store or its pool, or holds one of
 * them.  Clear it afterwards. */
int pingo__engine_target_check(const struct pingo__engine_kept *kept,
                               struct pingo__manager_outside *x, struct pingo_error *err);
/* Errors: PINGO_EWORKFLOW: an outputPath meets the store or its pool. */
int pingo__engine_outputs_check(const struct pingo_store *store,
                                const struct pingo_workflow *workflow, struct pingo_error *err);
/* PINGO_EINPUT: an input whose content is hashed is a directory that holds the store or its pool: it would be
 * another one each time. */
int pingo__engine_inputs_check(const struct pingo_store *store,
                               const struct pingo_workflow *workflow, struct pingo_error *err);
/* PINGO_EWORKFLOW: the directory of an outputPath is not there.  PINGO_EEXISTS: something lies at one that must not be
 * replaced.  force: it may be from now on, as it is
 * now. */
int pingo__engine_outputs_check_there(struct pingo_store *store,
                                      const struct pingo_workflow *workflow, bool force,
                                      struct pingo_error *err);

/* ---- rows that must be there ---- */
/* A submission, forgotten or not.  Errors: PINGO_ENOTFOUND. */
int pingo__engine_workflow_row(struct pingo_store *store, int64_t number, struct pingo__arena *arena,
                               struct pingo__store_workflow_row *row, struct pingo_error *err);
/* Errors: PINGO_ESTATE: it has ended. */
int pingo__engine_workflow_running(const struct pingo__store_workflow_row *row,
                                   struct pingo_error *err);
/* The newest generation of a hash.  Errors: PINGO_ENOTFOUND: it was never computed. */
int pingo__engine_dataset_row(struct pingo_store *store, const struct pingo_hash *hash,
                              struct pingo__arena *arena, struct pingo__store_dataset_row *row,
                              struct pingo_error *err);

/* ---- a submission, and its actions, as they were hashed ---- */
/* Errors: PINGO_ENOTFOUND, PINGO_ESTATE: it was forgotten. */
int pingo__engine_submission_get(struct pingo_store *store, int64_t number,
                                 struct pingo__arena *arena, struct pingo__store_workflow_row *row,
                                 struct pingo_error *err);
/* A submission, and an action of it as a person names it. */
struct pingo__engine_named {
    struct pingo__arena arena; /* of all that is in it: cleared by who asked, also after an error */
    struct pingo__store_workflow_row workflow;
    struct pingo__store_planned action;
    struct pingo__store_action_row row; /* its newest; id 0: it was reused or skipped */
};
/* of->action NULL: the submission alone.  Errors also: PINGO_EAMBIGUOUS. */
int pingo__engine_named_find(struct pingo_store *store, const struct pingo_action_name *of,
                             struct pingo__engine_named *named, struct pingo_error *err);
/* The same of an action: NULL is PINGO_EINVAL. */
int pingo__engine_named_one(struct pingo_store *store, const struct pingo_action_name *of,
                            struct pingo__engine_named *named, struct pingo_error *err);
/* named->action: that at a position of named->workflow. */
int pingo__engine_named_read(struct pingo_store *store, struct pingo__engine_named *named,
                             int64_t position, struct pingo_error *err);
/* Actions are read so many at a time. */
enum { PINGO__ACTIONS_PAGE = 1000 };
/* Of a workflow's text, and the directory where its relative paths start. */
void pingo__engine_document_digest(const char *base_dir, const char *text, size_t length,
                                   struct pingo_hash *digest);
/* ---- tags ---- */
/* With options.once: the submission that has it, if there is one: then submission->found. */
int pingo__engine_tag_submitted(struct pingo_store *store,
                                const struct pingo_submit_options *options,
                                struct pingo_submission *submission, struct pingo_error *err);

/* Each is KEY=VALUE, or PINGO_EINVAL. */
int pingo__engine_check_labels(const char *const *labels, size_t n, struct pingo_error *err);

/* ---- the pool ---- */
/* As pingo_store_usage(), in a view that is open, without the space of a pool that lies elsewhere; u: what of it the
 * store has. */
int pingo__engine_usage_in_view(struct pingo_store *store, struct pingo_pool_usage *usage,
                                struct pingo__store_usage *u, struct pingo_error *err);

/* ---- history ---- */
/* In a view that is open.  *history: yours. */
int pingo__engine_history_in_view(struct pingo_store *store,
                                  const struct pingo_store_history_options *options,
                                  bool with_evictions, struct pingo_history **history,
                                  struct pingo_error *err);

/* ---- evictions ---- */
/* "evicted 2026-11-20 by chain", where a decision had let it go and it was missing for that at this time; else NULL. */
const char *pingo__engine_evicted_text(struct pingo_store *store, const struct pingo_hash *hash,
                                       int64_t at_ms, struct pingo__arena *arena);

#endif
