/* outside.h - what Pingo puts outside its pool: exports, outputs of exec, unmanaged outputs.
 *
 * What always holds: what lies at a path is replaced only when Pingo put it there and it is unchanged
 * since, or the user said force; what appears under its name is whole; what was there is looked at
 * again when it has been moved out of the way, and put back where it is not what was seen.
 *
 * The store remembers each path that was written with the content and the stamp of what it put there
 * (store/dataset/written.h): below the directory that holds the store by its relative path, so that a project which is
 * moved or copied with its store keeps its exports; elsewhere by the absolute one.  What is written has
 * a name beside the target first; who dies meanwhile leaves a row by which others remove it. */
#ifndef PINGO__MANAGER_OUTSIDE_H
#define PINGO__MANAGER_OUTSIDE_H

#include <limits.h>

#include "manager/context.h"
#include "store/dataset/written.h"

enum pingo__manager_outside_there {
    PINGO__OUTSIDE_NOTHING,
    PINGO__OUTSIDE_OURS,    /* we put it there, and it is unchanged */
    PINGO__OUTSIDE_SAME,    /* it is what is to be put there: nothing is done */
    PINGO__OUTSIDE_CHANGED, /* we put something there, and it was changed since */
    PINGO__OUTSIDE_FOREIGN
};

/* One thing on its way to one path. */
struct pingo__manager_outside {
    struct pingo__manager_context *c;
    const char *path; /* absolute */
    const char *from; /* the name of a file or tree in the pool; or the text of a link */
    const char *hint; /* what the user may do where it is not replaced */
    bool force;       /* whatever is there is replaced, if it is a file, a directory or a link */
    struct pingo__store_written made; /* what is put there: kind, content, size; the stamp is found out */

    enum pingo__manager_outside_there there; /* found by look */
    bool recorded;                           /* there is a row of ours for the path */
    struct pingo__store_written seen;        /* what lies there */
    mode_t seen_mode;                        /* of it; 0: nothing, or a link */
    gid_t seen_group;                        /* whose group it is of */
    char *real;                              /* path, resolved */
    const char *key;                         /* of it: under which name the store remembers it */
    char *temporary, *temporary_key;
    uint64_t device, inode; /* of our copy */
    bool noted;             /* there is a row in `writing` */
    bool placed;            /* it is at the path */
    bool left;              /* what was there lies at temporary, and may go */
    bool stuck;             /* what lies at temporary is not ours to remove */
    bool is_here;           /* what it is on this machine is known */
    bool in_doubt;          /* what lies there may be the same: that is known when it is here */
};

/* Is the directory missing in which the path lies?  Then above is its name. */
bool pingo__manager_outside_lacks(const struct pingo__world *world, const char *path,
                                  char above[PATH_MAX]);
/* What lies at the path.  Reads it where its stamp does not tell. */
int pingo__manager_outside_look(struct pingo__manager_outside *x, struct pingo_error *err);
/* After look: PINGO_EEXISTS, where what lies there must not be replaced. */
int pingo__manager_outside_allowed(const struct pingo__manager_outside *x, struct pingo_error *err);
/* After look, of an outputPath: --force-outputs lets go of what is known again later (see). */
const char *pingo__manager_outside_output_hint(const struct pingo__manager_outside *x);
/* Inside a write transaction: a name beside the path is ours. */
int pingo__manager_outside_begin(struct pingo__manager_outside *x, struct pingo_error *err);
int pingo__manager_outside_copy(struct pingo__manager_outside *x, struct pingo_error *err);
/* Renames; looks again and anew if something appeared or changed meanwhile. */
int pingo__manager_outside_place(struct pingo__manager_outside *x, struct pingo_error *err);
/* Outside a transaction: removes what place moved out of the way; where that fails, clear tries again, and tells. */
void pingo__manager_outside_remove_former(struct pingo__manager_outside *x);
/* Inside a write transaction: it is there. */
int pingo__manager_outside_end(struct pingo__manager_outside *x, struct pingo_error *err);
/* Inside a write transaction: of what lay at a path, but for one dataset, nothing is left; who still was to read it is
 * planned again. */
int pingo__manager_outside_retire(struct pingo__manager_context *c, const char *path, int64_t but,
                                  struct pingo_error *err);
/* The transaction that it ended in came to nothing: what was put in its place is known by its row in `writing`. */
void pingo__manager_outside_leave_noted(struct pingo__manager_outside *x);
/* Outside a transaction: removes what is left beside the path, forgets it, frees. */
void pingo__manager_outside_clear(struct pingo__manager_outside *x);

/* Removes what those who died while they wrote have left beside their targets. */
int pingo__manager_outside_recover(struct pingo__manager_context *c, struct pingo_error *err);

/* All of it, for the output of an attempt.  *is_there: else the attempt was given up meanwhile.
 * Errors: PINGO_EEXISTS (what lies there must not be replaced), PINGO_ENOTFOUND (x->from is gone). */
int pingo__manager_outside_publish(struct pingo__manager_outside *x, struct pingo_job_key key,
                                   bool *is_there, struct pingo_error *err);

/* After look: reads what is there and not ours, for permit.  Errors: PINGO_EEXISTS (of no kind that could be
 * replaced). */
int pingo__manager_outside_see(struct pingo__manager_outside *x, struct pingo_error *err);
/* Inside a write transaction: what lies at x->path, as it was seen, may be replaced, says the user. */
int pingo__manager_outside_permit(const struct pingo__manager_outside *x, struct pingo_error *err);

/* path with the links of its longest existing directory resolved; the last part stays.  Yours; NULL: no memory. */
char *pingo__manager_outside_resolve(const struct pingo__world *w, const char *path);

/* ---- for outside_write.c and outside_recover.c ---- */

struct pingo__manager_outside_found {
    bool is_there;
    bool is_young; /* the stamp must not be remembered */
    struct stat st;
    struct pingo__store_written what; /* kind 0: nothing that we could have made */
};

/* whole: with the content; else with the stamp alone. */
int pingo__manager_outside_read(const struct pingo__manager_context *c, const char *path, bool whole,
                                struct pingo__manager_outside_found *found, struct pingo_error *err);
/* The path that the store remembers under this name.  Yours; NULL: no memory. */
char *pingo__manager_outside_path_of(const struct pingo__manager_context *c, const char *key);
/* A file or a tree that is ours.  0 or a negative errno. */
int pingo__manager_outside_remove_beside(const struct pingo__manager_context *c, const char *path);
/* That it could not be: rc. */
void pingo__manager_outside_tell_left(struct pingo__manager_context *c, const char *path, int rc);

#endif
