/* access.h - who may do what where a store has many users: tokens, for whom a handle works, what was done.
 *
 * Whoever may submit runs commands as the Unix user of the store, and reads as an input what that user may read: a
 * role says what the library does for somebody, not what his commands do.
 * What <pingo/store.h> says of threads, errors, strings, callbacks and units holds here as well.
 * Source: RFC 6750 (bearer tokens). */
#ifndef PINGO_ACCESS_H
#define PINGO_ACCESS_H

#include <pingo/dataset.h>
#include <pingo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- roles -------------------------------------------------------------------------------- */

/* Each may what those before it may. */
enum pingo_role {
    PINGO_ROLE_VIEWER = 1,    /* look */
    PINGO_ROLE_SUBMITTER = 2, /* submit; end, pause, keep, release and remove what is his own */
    PINGO_ROLE_ADMIN = 3      /* the same with everybody's; settings, tokens, priorities */
};
/* "viewer", "submitter", "admin"; NULL for others.  Static text.  Any thread. */
PINGO_API const char *pingo_role_name(enum pingo_role role);
/* The way back.  false: it is none.  Any thread. */
PINGO_API bool pingo_role_parse(const char *text, enum pingo_role *role);

#define PINGO_USER_SIZE 256 /* bytes of the label of a user with its NUL */

/* ---- tokens ------------------------------------------------------------------------------- */

/* Bytes of its text with the NUL: "pingo_", and 256 random bits in base62. */
#define PINGO_TOKEN_SIZE 50
#define PINGO_TOKEN_NAME_SIZE 65 /* bytes of its name with the NUL */

struct pingo_token_options {
    unsigned version; /* 1 */
    const char *name; /* to find it by: 1 to 64 bytes without control characters and "/", not "." or ".." */
    const char *user; /* for whom it speaks: 1 to 255 bytes likewise; NULL: the process's user name */
    enum pingo_role role;
    int64_t expires_ms; /* when it ends, a time to come; 0: 90 days from now; -1: never */
};
/* Makes one.  text: yours, PINGO_TOKEN_SIZE bytes: nobody can be told it again, for the store keeps its SHA-256 alone.
 * One of the same name that has expired is revoked.  Errors: PINGO_EINVAL, PINGO_EEXISTS (the name is taken),
 * PINGO_EFORBIDDEN. */
PINGO_API int pingo_store_token_create(struct pingo_store *store,
                                       const struct pingo_token_options *options, char *text,
                                       struct pingo_error *err);

struct pingo_token {
    size_t size; /* set by you: sizeof; see <pingo/version.h> */
    char name[PINGO_TOKEN_NAME_SIZE];
    char user[PINGO_USER_SIZE];
    enum pingo_role role;
    int64_t created_ms;
    int64_t expires_ms; /* -1: never */
    int64_t used_ms;    /* within the hour; -1: not yet */
    int64_t revoked_ms; /* -1: it was not */
};
/* Whose token is it?  That it was used is noted at most hourly, and not where the store's lock is not free.
 * Errors: PINGO_ENOTFOUND (no such token), PINGO_ESTATE (it has expired, or was revoked). */
PINGO_API int pingo_store_token_check(struct pingo_store *store, const char *text,
                                      struct pingo_token *token, struct pingo_error *err);
/* From now on it is good for nothing.  Errors: PINGO_ENOTFOUND (there is none of this name, or it was revoked before),
 * PINGO_EFORBIDDEN. */
PINGO_API int pingo_store_token_revoke(struct pingo_store *store, const char *name,
                                       struct pingo_error *err);

typedef int (*pingo_token_fn)(void *context, const struct pingo_token *token);
struct pingo_token_query {
    unsigned version; /* 1 */
    bool all;         /* also those that have expired, or were revoked */
    size_t limit;     /* at most so many; 0: all */
    const char *after; /* behind where another list ended: what that one put into next; NULL or "": the beginning */
    char *next; /* yours, PINGO_CURSOR_SIZE bytes, or NULL: what goes on where this list ends; "": it is the end */
};
/* Calls fn for each token, the oldest first.  query: may be NULL: those that are good.  Errors: PINGO_EINVAL.
 * fn may call back. */
PINGO_API int pingo_store_tokens(struct pingo_store *store, const struct pingo_token_query *query,
                                 pingo_token_fn fn, void *context, struct pingo_error *err);

/* ---- what was done ------------------------------------------------------------------------ */

/* One thing that somebody did, or tried. */
struct pingo_audit {
    int64_t at_ms;
    const char *user;   /* who */
    const char *way;    /* by which way he came in, such as "socket", "token laptop" */
    const char *verb;   /* what he did: "submit", "kill", "remove", ... */
    const char *object; /* with what: "workflow 7", "dataset HASH", a name */
    const char *result; /* "done", or why it was not */
};
typedef int (*pingo_audit_fn)(void *context, const struct pingo_audit *audit);
struct pingo_audit_query {
    unsigned version; /* 1 */
    const char *user; /* of this one alone; NULL: of all */
    int64_t since_ms; /* in [since, until); 0: no bound */
    int64_t until_ms;
    size_t limit; /* at most so many; 0: all */
    const char *after; /* behind where another list ended: what that one put into next; NULL or "": the beginning */
    char *next; /* yours, PINGO_CURSOR_SIZE bytes, or NULL: what goes on where this list ends; "": it is the end */
};
/* Notes what somebody was refused, or did where the store has no part; what he does with the store stands there anyway:
 * pingo_store_act_for().  at_ms is set here; no text may be NULL.  The newest million is kept. */
PINGO_API int pingo_store_audit(struct pingo_store *store, const struct pingo_audit *audit,
                                struct pingo_error *err);
/* Calls fn for each, the newest first.  query: may be NULL: all.  Errors: PINGO_EINVAL.  fn may call back. */
PINGO_API int pingo_store_audits(struct pingo_store *store, const struct pingo_audit_query *query,
                                 pingo_audit_fn fn, void *context, struct pingo_error *err);

/* ---- for whom a handle works -------------------------------------------------------------- */

struct pingo_caller {
    unsigned version; /* 1 */
    const char *user; /* 1 to 255 bytes without control characters */
    enum pingo_role role;
    const char *way; /* for the audit: by which way he came in */
};
/* From now on a handle works for somebody: what is submitted is his, what is changed must be his own unless he is an
 * admin, and each change stands in the audit, in the transaction that makes it.  A dataset is his own where his
 * submission made it, or wants it as a result, and no other user's wants it.  To remove, release or pin what other
 * users want as well is an admin's; so are settings, tokens, priorities above 0, submitting for another user,
 * having plug-ins loaded, forgetting and repairs.
 * Functions that change something may then return PINGO_EFORBIDDEN besides the errors that they name.
 * caller: copied; NULL: for the owner of the store, who may everything, and of whom nothing is noted: so it is after
 * pingo_store_open().  Schedulers work for nobody.  Errors: PINGO_EINVAL; it works for whom it did then. */
PINGO_API int pingo_store_act_for(struct pingo_store *store, const struct pingo_caller *caller,
                                  struct pingo_error *err);
/* *is_of: a submission of this user made the newest generation of a dataset, or wants it as a result.  Of what the
 * store does not know it is false. */
PINGO_API int pingo_store_dataset_is_of(struct pingo_store *store, const struct pingo_hash *hash,
                                        const char *user, bool *is_of, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
