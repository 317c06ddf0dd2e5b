/* dataset.h - the datasets of a store: look, take one in, export, remove, keep and release.
 *
 * What <pingo/store.h> says of threads, errors, strings, callbacks and units holds here as well.
 * Source: thesis section 3.4. */
#ifndef PINGO_DATASET_H
#define PINGO_DATASET_H

#include <pingo/digest.h>
#include <pingo/error.h>
#include <pingo/state.h>
#include <pingo/workflow.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pingo_store; /* opaque handle */

/* One action of a submission.  Fixed: it never grows. */
struct pingo_action_name {
    int64_t workflow;
    const char *action; /* its id, or its name where no other has it */
};

/* Lists come whole, or in pages: a query with a limit tells in `next` where it ended, and the same query with that
 * as `after` (which may be the same memory) goes on there, whatever came or went meanwhile.  A cursor is text
 * without spaces, and good in any process. */
#define PINGO_CURSOR_SIZE 112

/* ---- look --------------------------------------------------------------------------------- */

/* Resolves (workflow, action) or, with action NULL, a prefix of a hash (at least 4 digits).
 * workflow: "last" or a number, or the prefix.  Errors: PINGO_ENOTFOUND, PINGO_EAMBIGUOUS. */
PINGO_API int pingo_store_resolve_dataset(struct pingo_store *store, const char *workflow,
                                          const char *action, struct pingo_hash *hash,
                                          struct pingo_error *err);
/* A prefix as above, among those datasets alone of which pingo_store_dataset_is_of() says that they are this user's:
 * whether others have one that begins so is not told.  user: NULL: all datasets.  Errors: PINGO_ENOTFOUND,
 * PINGO_EAMBIGUOUS. */
PINGO_API int pingo_store_resolve_dataset_of(struct pingo_store *store, const char *prefix,
                                             const char *user, struct pingo_hash *hash,
                                             struct pingo_error *err);

struct pingo_dataset_status {
    struct pingo_hash hash;
    int64_t generation; /* from 1 */
    enum pingo_dataset_state state;
    bool is_current;
    bool is_managed;
    enum pingo_keep keep;      /* ALWAYS: pinned */
    int64_t size_bytes;        /* -1 before it was made */
    int64_t compute_ms;        /* mean over its generations; -1 */
    struct pingo_hash content; /* zero before it was made */
    const char *path;          /* absolute; NULL where nothing lies there */
    int64_t claims;
    int64_t made_ms, last_used_ms;
    const char *name;   /* of the action that made it or will */
    bool was_different; /* an earlier generation had other content: non-determinism */
    int64_t workflow;   /* the submission that made it or will; 0: none */
    const char *user;   /* who submitted that; "" */
    int64_t value_ms; /* what its reuse has saved so far, pingo_history_values(); -1: not asked for */
    const char *const *labels; /* of the action that made it or will: k1,v1,... in byte order of the keys */
    size_t nlabels;            /* strings */
    const char *adopted_from; /* what was made before Pingo: where it was taken from; NULL */
};
typedef int (*pingo_dataset_status_fn)(void *context, const struct pingo_dataset_status *status);

/* In which order; ties as by age, then the newest row of the store first. */
enum pingo_dataset_order {
    PINGO_DATASETS_BY_AGE = 0,      /* the last used first */
    PINGO_DATASETS_BY_STATE = 1,    /* by its number */
    PINGO_DATASETS_BY_SIZE = 2,     /* the largest first */
    PINGO_DATASETS_BY_VALUE = 3,    /* the most valuable first */
    PINGO_DATASETS_BY_USER = 4,     /* by the bytes of the name */
    PINGO_DATASETS_BY_WORKFLOW = 5, /* that of the newest submission first */
    PINGO_DATASETS_BY_NAME = 6      /* by the bytes of the name */
};
struct pingo_dataset_query {
    unsigned version; /* 2; 1 ends before maker */
    bool all; /* every generation; else those that hold bytes or claims, or are being made; states that
                    name DELETED mean all too */
    bool values; /* tell value_ms; this, min_value_ms and the order by value read the whole history */
    enum pingo_dataset_order order;
    bool reverse;         /* the other way round, ties too */
    size_t limit;         /* at most so many; 0: all */
    unsigned states;      /* in one of these: 1u << PINGO_DATASET_*, added up; 0: all */
    int64_t min_bytes;    /* sizes of [min, below); 0: no bound.  What was not made yet has none */
    int64_t below_bytes;  /* 0: no bound */
    int64_t min_value_ms; /* 0: no bound */
    int64_t since_ms;     /* last used in [since, until); 0: no bound */
    int64_t until_ms;     /* 0: no bound */
    const char *user;     /* an action that a submission of this user mentions; NULL: of anybody */
    int64_t workflow;     /* and of this number; 0: of any */
    const char *workflow_name; /* and of a workflow of this name; NULL: of any */
    const char *const *names; /* made by an action with one of these names, or patterns as a shell's
                                  (*, ?, [a-z]); none: any */
    size_t nnames;
    const char *const
        *labels; /* and of actions with all these labels: "KEY=VALUE", the value may be a pattern */
    size_t nlabels;
    const char *after; /* behind where another list ended: what that one put into next; NULL or "": the beginning */
    char *next; /* yours, PINGO_CURSOR_SIZE bytes, or NULL: what goes on where this list ends; "": it is the end */
    const char *maker; /* made, or being made, for a submission of this user, whose action alone may have the labels;
                          NULL: of anybody */
};
/* Calls fn for each generation that is asked for, each as it is at the moment when it is read.  query NULL:
 * those that hold bytes or claims, or are being made, the last used first.  Errors: PINGO_ENOTFOUND: there is no
 * submission as user, workflow and workflow_name ask for (the message suggests a name).  PINGO_EINVAL: a label
 * without a "=".  fn may call back. */
PINGO_API int pingo_store_datasets(struct pingo_store *store,
                                   const struct pingo_dataset_query *query,
                                   pingo_dataset_status_fn fn, void *context,
                                   struct pingo_error *err);
/* The current generation of one hash.  Errors: PINGO_ENOTFOUND (never computed).  fn may call back. */
PINGO_API int pingo_store_dataset(struct pingo_store *store, const struct pingo_hash *hash,
                                  pingo_dataset_status_fn fn, void *context,
                                  struct pingo_error *err);
/* Is the current generation of a hash, which its row says is there, what was published?  By what the file system
 * says of it, and where that differs by content.  Errors: PINGO_ENOTFOUND (never computed); PINGO_ESTATE: it is not
 * there, or something else is; it will be made again when it is needed. */
PINGO_API int pingo_store_check_dataset(struct pingo_store *store, const struct pingo_hash *hash,
                                        struct pingo_error *err);

struct pingo_content; /* opaque handle */
/* Opens what is in the current generation of a hash, which nobody deletes until it is closed.  *content: yours,
 * pingo_content_close(), before the store.  Of a pool that lies elsewhere a copy is fetched first.
 * Errors: PINGO_ENOTFOUND (never computed), PINGO_ESTATE (it is not there). */
PINGO_API int pingo_store_content(struct pingo_store *store, const struct pingo_hash *hash,
                                  struct pingo_content **content, struct pingo_error *err);
/* NULL is fine. */
PINGO_API void pingo_content_close(struct pingo_content *content);
/* Opens the file, or of a directory a file below it: path: parts with "/" between; NULL or "": the dataset itself.
 * No link is followed.  *fd: yours, close(), good as long as the content is open; *size: -1: of a directory.
 * Errors: PINGO_ENOTFOUND, PINGO_EINVAL (a part that is empty, "." or ".."). */
PINGO_API int pingo_content_open(const struct pingo_content *content, const char *path, int *fd,
                                 int64_t *size, struct pingo_error *err);
/* size_bytes: -1 of what is no file. */
typedef int (*pingo_content_fn)(void *context, const char *name, bool is_directory,
                                int64_t size_bytes);
/* Calls fn for each entry of a directory, in no order; path as above.  Errors as above, PINGO_ESTATE: it is no
 * directory.  fn may call back. */
PINGO_API int pingo_content_list(const struct pingo_content *content, const char *path,
                                 pingo_content_fn fn, void *context, struct pingo_error *err);

/* Takes an output that was made before Pingo, or elsewhere: copies path (a file or a directory; a link is followed)
 * into the pool as the dataset of an action that was submitted and has not started; the action is FINISHED.  It is
 * looked at as what an action makes: links that lead out are refused.  It is pinned, for nobody knows what it cost to
 * make.  *hash: of the action, may be NULL.  Errors: PINGO_ENOTFOUND, PINGO_EINPUT (path is missing, or cannot be
 * kept), PINGO_ESTATE (it has ended, is being computed, its dataset is there, or it is unmanaged), PINGO_ENOSPACE. */
PINGO_API int pingo_store_adopt(struct pingo_store *store, const struct pingo_action_name *of,
                                const char *path, struct pingo_hash *hash, struct pingo_error *err);

/* One action's output, where it was put. */
typedef int (*pingo_exported_fn)(void *context, int64_t action_id, const char *name,
                                 const char *path, int64_t size_bytes);
struct pingo_export_options {
    unsigned version; /* 1 */
    bool link;        /* symbolic links instead of copies */
    bool force; /* any file, directory or link there is replaced, but never the store, its pool or what holds them */
    /* The path of each below the directory, with {name} {ext} {id} {hash} {output} {workflow} {label.KEY}
     * replaced ("{{" is "{"); NULL: "{name}{ext}", with "-ID" where names repeat. */
    const char *name_template;
    const char *as; /* the name of one action's output, taken as it is; without name_template */
    const int64_t *ids; /* these actions instead of the leaves (pingo_store_select() gives them); without action */
    size_t nids;                /* 0: the leaves */
    pingo_exported_fn exported; /* told of each; may call back; NULL: nobody is */
    void *context;
};
/* Puts the leaves of a submission (or one action) into a directory (made); reflink, else copy; under a claim; by
 * rename.  Each is called by its action's name with all suffixes of the output's name; no part of a path begins with
 * a dot: it becomes "_".  What lies there is replaced only where Pingo wrote it and it is unchanged since; what is
 * equal stays as it is.  All are looked at before the first is written.  of->action: NULL: all leaves.  options: may be
 * NULL.
 * Errors: PINGO_ENOTFOUND (also a label that an action lacks), PINGO_EAMBIGUOUS (a template gives one path to two),
 * PINGO_EINVAL (a bad template; a path in the store, or above it), PINGO_EEXISTS (something lies there that must not
 * be replaced: nothing is exported), PINGO_ESTATE (not computed yet, or deleted: which; the others are exported),
 * PINGO_EAWAY (it cannot be looked at now: likewise). */
PINGO_API int pingo_store_export(struct pingo_store *store, const struct pingo_action_name *of,
                                 const char *directory, const struct pingo_export_options *options,
                                 struct pingo_error *err);
/* Could an export be put at path?  Errors: PINGO_EINVAL (in the store, or above it), PINGO_EEXISTS (something lies
 * there that Pingo did not write, or that was changed since). */
PINGO_API int pingo_store_check_target(struct pingo_store *store, const char *path,
                                       struct pingo_error *err);

/* Deletes a dataset: STORED_TO_DELETE; a tick removes the bytes.  Errors: PINGO_ECLAIMED (the message says by whom),
 * PINGO_ESTATE (being computed, unmanaged, or already deleted). */
PINGO_API int pingo_store_remove(struct pingo_store *store, const struct pingo_hash *hash,
                                 struct pingo_error *err);
struct pingo_removal {
    unsigned version; /* 1 */
    const struct pingo_hash *hashes;
    size_t nhashes;
};
/* index: in hashes.  why->code 0: it is deleted; else why it is not: that of pingo_store_remove(), PINGO_ENOTFOUND or
 * PINGO_EFORBIDDEN. */
typedef void (*pingo_removed_fn)(void *context, size_t index, const struct pingo_error *why);
/* Deletes several, each as pingo_store_remove() does, in few transactions: what one is refused for does not keep the
 * others.  fn (may be NULL) is told of each in their order, when that is on the disk, and may call back.
 * Errors: PINGO_EINVAL (the version), or any other, which ends it: what was told stays deleted, and the rest as it
 * is. */
PINGO_API int pingo_store_remove_several(struct pingo_store *store,
                                         const struct pingo_removal *removal, pingo_removed_fn fn,
                                         void *context, struct pingo_error *err);
/* Pins: it is never evicted until it is released.  What is on its way out and still whole is rescued.
 * *changed: false where it was pinned already; may be NULL.  Errors: PINGO_ENOTFOUND (never computed),
 * PINGO_ESTATE (being computed, unmanaged, or deleted). */
PINGO_API int pingo_store_keep(struct pingo_store *store, const struct pingo_hash *hash,
                               bool *changed, struct pingo_error *err);
/* Pins the leaves of a submission; *kept: how many changed, may be NULL.  Those that cannot be pinned are
 * passed over.  Errors: PINGO_ENOTFOUND (no such submission). */
PINGO_API int pingo_store_keep_workflow(struct pingo_store *store, int64_t workflow, size_t *kept,
                                        struct pingo_error *err);

/* ---- wishes ------------------------------------------------------------------------------- */

/* A submission wants its leaves (or its targets) kept: they are LEAF until every submission that wants them has
 * released them.  What a release did: */
struct pingo_released {
    size_t size;           /* set by you: sizeof; see <pingo/version.h> */
    size_t released;       /* that changed: LEAF became STORED, or a pin was taken off */
    size_t wanted;         /* that stay results, since other submissions want them */
    int64_t wanted_by;     /* one of these submissions; 0: none */
    bool wanted_by_others; /* and not all of them are wanted by that one */
    size_t unmade;         /* that are not made yet, and will be STORED: nobody wants them */
};
/* For all submissions so far: no pin, and LEAF becomes STORED.  *changed: false where neither was so; may be NULL.
 * Errors: PINGO_ENOTFOUND (never computed), PINGO_ESTATE (being computed, unmanaged, or deleted). */
PINGO_API int pingo_store_release(struct pingo_store *store, const struct pingo_hash *hash,
                                  bool *changed, struct pingo_error *err);
/* A submission wants nothing any more, also of what is not made yet.  A pin is taken off what nobody else wants.
 * *released: may be NULL.  Errors: PINGO_ENOTFOUND (no such submission). */
PINGO_API int pingo_store_release_workflow(struct pingo_store *store, int64_t workflow,
                                           struct pingo_released *released, struct pingo_error *err);
/* A submission does not want this dataset any more, and its pin is taken off; workflow 0: the pin alone, and whoever
 * wants it still does.  *released: may be NULL.
 * Errors: PINGO_ENOTFOUND (no such submission, never computed), PINGO_ESTATE (it is no result of this
 * submission, and being computed, unmanaged, or deleted). */
PINGO_API int pingo_store_release_dataset(struct pingo_store *store, int64_t workflow,
                                          const struct pingo_hash *hash,
                                          struct pingo_released *released, struct pingo_error *err);
/* Submissions of this name that have ended and are older than the newest of the name that has finished well want
 * nothing any more: what that one no longer asks for, and nobody else, is STORED.  Newer ones want what they want,
 * failed or not.  *released: may be NULL; wanted counts what others than the newest want.
 * Errors: PINGO_ENOTFOUND (no such name), PINGO_ESTATE (none has finished well). */
PINGO_API int pingo_store_release_superseded(struct pingo_store *store, const char *name,
                                             struct pingo_released *released,
                                             struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
