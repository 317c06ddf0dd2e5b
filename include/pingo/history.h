/* history.h - the history of submissions: what was asked for, when, by whom, and what became of it.
 *
 * One structure that algorithms, the simulator, the store and people share.  It
 * is compact: each distinct action has a dense index and lies there once, and a
 * workflow that is submitted again costs one entry, not its actions again.
 * It is pure: no clock, no file; what it knows was given to it.
 * A history may be read by any number of threads while none changes it.
 * Pointers that it lends are good until the next change.
 * Times are ms since 1970 UTC, durations ms, sizes bytes; -1 stands for "unknown".
 * Source: thesis sections 2.2.1 and 3.7; the exchange format is pingo-history(5). */
#ifndef PINGO_HISTORY_H
#define PINGO_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/digest.h>
#include <pingo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pingo_history; /* opaque */
struct pingo_store;   /* <pingo/store.h> */

#define PINGO_HISTORY_NONE UINT32_MAX /* no index */

/* ---- filling it ------------------------------------------------------------- */

/* What became of a mentioned action. */
enum pingo_history_outcome {
    PINGO_HISTORY_UNKNOWN = 0,
    PINGO_HISTORY_SKIPPED = 1,
    PINGO_HISTORY_REUSED = 2,
    PINGO_HISTORY_JOINED = 3,
    PINGO_HISTORY_COMPUTED = 4
};

/* Flags of a mention: these, and the outcome in the lowest bits. */
#define PINGO_HISTORY_OUTCOME 7u
#define PINGO_HISTORY_LEAF 8u /* a result that the user asked for */
#define PINGO_HISTORY_FORCED 16u
/* Its output went elsewhere: it is computed each time, what descends from it is not. */
#define PINGO_HISTORY_UNMANAGED 64u
/* Handed in only: it is a leaf if no action of the submission has it as a parent. */
#define PINGO_HISTORY_LEAF_IF_LAST 32u

/* An action of a submission that is handed in. */
struct pingo_history_mention {
    struct pingo_hash hash;
    const struct pingo_hash *parents; /* each an action of the same submission; a parent named twice
                                         counts once */
    size_t nparents;
    bool has_parents; /* false: those that are known already, actions of the same submission, too (none
                           where the action is new) */
    int64_t size_bytes; /* -1: what is known stays */
    int64_t compute_ms; /* likewise */
    unsigned flags;     /* PINGO_HISTORY_* */
};

struct pingo_history_entry {
    int64_t at_ms;        /* 0 or more; order is that of appending, whatever the times say */
    const char *user;     /* who submitted; UTF-8 */
    const char *workflow; /* its name */
    const struct pingo_history_mention *mentions; /* its actions, in the order of the definition */
    size_t nmentions; /* at least one; the same hash may stand there again, as equal actions do */
};

/* An empty history.  *history: yours, pingo_history_free().  Errors: PINGO_ENOMEM. */
PINGO_API int pingo_history_new(struct pingo_history **history, struct pingo_error *err);
/* Frees the history and all it lent.  NULL is fine. */
PINGO_API void pingo_history_free(struct pingo_history *history);

/* Appends a submission.  *index: its number, from 0; may be NULL.  Nothing changes on failure.
 * Errors: PINGO_EINVAL (a parent that is no action of the submission, parents that make a cycle, an
 * action whose parents are other ones than before, a bad time or flag), PINGO_ELIMIT, PINGO_ENOMEM. */
PINGO_API int pingo_history_append(struct pingo_history *history,
                                   const struct pingo_history_entry *entry, uint32_t *index,
                                   struct pingo_error *err);
struct pingo_history_again {
    uint32_t earlier; /* the submission that brought the workflow */
    int64_t at_ms;    /* 0 or more */
    const char *user;
    const uint8_t *flags; /* outcome and flags, a byte a mention; NULL: leaves were reused, the rest skipped */
};
/* Appends another submission of the workflow that an earlier one brought: the same actions.  Errors: those of
 * pingo_history_append(), and PINGO_ENOTFOUND (no such submission). */
PINGO_API int pingo_history_append_again(struct pingo_history *history,
                                         const struct pingo_history_again *again,
                                         struct pingo_error *err);
/* Appends the submission that comes next of whole, with these flags, one byte a mention: a history that is the
 * beginning of another one, with the same indexes, and grows along it.  What is known of sizes and times is its
 * own.  history borrows from whole, which outlives it and does not change.  Time: as what is new in the submission,
 * and its mentions.  Errors: PINGO_ENOTFOUND (whole has no more), PINGO_EINVAL (history holds what did not come
 * from whole this way, flags that are none), PINGO_ENOMEM. */
PINGO_API int pingo_history_follow(struct pingo_history *history, const struct pingo_history *whole,
                                   const uint8_t *flags, struct pingo_error *err);
/* Sets the size of an action's dataset; -1: unknown.  An index out of range is ignored. */
PINGO_API void pingo_history_set_size(struct pingo_history *history, uint32_t action,
                                      int64_t size_bytes);
/* Sets the mean compute time likewise. */
PINGO_API void pingo_history_set_compute(struct pingo_history *history, uint32_t action,
                                         int64_t compute_ms);
struct pingo_history_eviction {
    uint32_t action;
    uint32_t submission; /* whose run had made it; PINGO_HISTORY_NONE: unknown */
    int64_t at_ms;       /* -1: it is not known when */
    int64_t size_bytes;
};
/* Notes that a dataset was deleted to make room.  Errors: PINGO_EINVAL, PINGO_ENOMEM. */
PINGO_API int pingo_history_note_eviction(struct pingo_history *history,
                                          const struct pingo_history_eviction *eviction,
                                          struct pingo_error *err);

/* ---- distinct actions, by index ------------------------------------------------ */

/* Indexes are given in the order of submissions, and within one so that parents come before their
 * children: the index of a parent is always the smaller one.  Out of range: NULL,
 * PINGO_HISTORY_NONE, -1 or 0. */

/* How many distinct actions there are. */
PINGO_API uint32_t pingo_history_count_actions(const struct pingo_history *history);
/* The index of a hash; PINGO_HISTORY_NONE where it was never mentioned. */
PINGO_API uint32_t pingo_history_find(const struct pingo_history *history,
                                      const struct pingo_hash *hash);
/* The hash of an action; borrowed. */
PINGO_API const struct pingo_hash *pingo_history_hash(const struct pingo_history *history,
                                                      uint32_t action);
/* Bytes of its last generation; -1: unknown. */
PINGO_API int64_t pingo_history_size(const struct pingo_history *history, uint32_t action);
/* Mean of what it took to compute; -1: unknown. */
PINGO_API int64_t pingo_history_compute(const struct pingo_history *history, uint32_t action);
/* Indexes of the parents, rising, *n of them; borrowed. */
PINGO_API const uint32_t *pingo_history_parents(const struct pingo_history *history,
                                                uint32_t action, size_t *n);
/* Where a walk over the children of an action begins:
 *
 *     uint32_t at = pingo_history_children(h, action), child;
 *     while ((child = pingo_history_next_child(h, &at))
 *            != PINGO_HISTORY_NONE) ... */
PINGO_API uint32_t pingo_history_children(const struct pingo_history *history, uint32_t action);
/* The next child, the newest first, so that indexes fall; PINGO_HISTORY_NONE at the end.  *at moves on. */
PINGO_API uint32_t pingo_history_next_child(const struct pingo_history *history, uint32_t *at);
/* How many parents all actions have together. */
PINGO_API size_t pingo_history_count_edges(const struct pingo_history *history);

/* ---- submissions, in order -------------------------------------------------------- */

struct pingo_history_submission {
    size_t size; /* set by you: sizeof; see <pingo/version.h> */
    int64_t at_ms;
    const char *user, *workflow;
    uint32_t user_index, workflow_index; /* dense numbers of the two names, in order of appearance */
    const uint32_t *actions;             /* indexes, in the order of the definition */
    const uint8_t *flags;                /* of each: PINGO_HISTORY_*, outcome included */
    size_t nactions;
    uint32_t nknown_before,
        nknown; /* how many distinct actions there were before it, and after: those
                                       from nknown_before on were new in it */
};

/* How many submissions there are. */
PINGO_API uint32_t pingo_history_count_submissions(const struct pingo_history *history);
/* How many actions they mention in all. */
PINGO_API uint64_t pingo_history_count_mentions(const struct pingo_history *history);
/* One submission.  0, PINGO_ENOTFOUND, or PINGO_EINVAL (its size is not set).  What it points to is borrowed. */
PINGO_API int pingo_history_submission(const struct pingo_history *history, uint32_t index,
                                       struct pingo_history_submission *submission);

/* ---- the rolling window (thesis 3.7) -------------------------------------------------- */

/* The newest submissions, whole ones, that together mention no more than a number of actions; the
 * newest is always in it.  Begin with zeroes; submissions [first, end) are in the window.  Fixed: it never grows. */
struct pingo_history_window {
    uint32_t first, end;
    uint64_t nmentions;
};
/* Takes submission window->end in and lets the oldest go while there are more than max_mentions: who keeps
 * counts looks at first before and after.  0, or PINGO_ENOTFOUND at the end of the history. */
PINGO_API int pingo_history_window_next(const struct pingo_history *history, uint64_t max_mentions,
                                        struct pingo_history_window *window);

/* ---- questions (thesis 2.2.1) ------------------------------------------------------------ */

enum pingo_history_by {
    PINGO_HISTORY_BY_NOTHING = 0, /* one row for all */
    PINGO_HISTORY_BY_MINUTE = 1,  /* UTC */
    PINGO_HISTORY_BY_HOUR = 2,
    PINGO_HISTORY_BY_DAY = 3,
    PINGO_HISTORY_BY_WORKFLOW = 4, /* by name */
    PINGO_HISTORY_BY_USER = 5
};

struct pingo_history_query {
    unsigned version; /* 1 */
    int64_t since_ms; /* the period [since, until); 0: from the beginning */
    int64_t until_ms; /* 0: to the end */
    enum pingo_history_by by;
    const char *workflow;            /* this name alone; NULL: all */
    const char *user;                /* likewise */
    const struct pingo_hash *action; /* mentions of it alone, and the submissions that have some; NULL: all */
    int64_t step_ms; /* by nothing: a row for each so long a step of time, counted from 1970; 0: one row */
};

struct pingo_history_row {
    const char *name; /* by workflow and by user; else NULL; borrowed from the history */
    int64_t from_ms;  /* by minute, hour, day and step: when it begins; else -1 */
    uint64_t nsubmissions;
    uint64_t nmentions;                             /* actions of these submissions; of them: */
    uint64_t ncomputed, njoined, nreused, nskipped; /* what is left of nmentions is unknown */
    /* What it took to compute what was computed, and what it would have taken to compute what was joined,
     * reused or skipped, at the mean of each action; actions whose time is unknown count nothing. */
    int64_t spent_ms, saved_ms;
    int64_t made_bytes;    /* of what was computed, at its last known size */
    int64_t evicted_bytes; /* -1: some were evicted and it is not known when, but the question asks */
};
/* The share of mentions with a known outcome that were not computed, 0 to 1; -1 where there are none. */
PINGO_API double pingo_history_reuse_rate(const struct pingo_history_row *row);

typedef int (*pingo_history_row_fn)(void *context, const struct pingo_history_row *row);
/* Calls fn for each row that is not empty, in order of time, or of the names' bytes.  By nothing without steps:
 * always one row.  query NULL: all by nothing.  Time as the submissions times one logarithm, and the mentions
 * of distinct lists.  Errors: PINGO_EINVAL, PINGO_EINTERRUPTED (fn returned other than 0), PINGO_ENOMEM.
 * fn may call back, but must not change the history. */
PINGO_API int pingo_history_query(const struct pingo_history *history,
                                  const struct pingo_history_query *query, pingo_history_row_fn fn,
                                  void *context, struct pingo_error *err);

/* The value of a dataset: the compute time that its reuse has saved so far.  In each submission an action that
 * was reused or joined saved its own time and that of the skipped actions above it; a skipped one counts
 * once, for the first of those (in the order of the definition) from which a way over skipped parents
 * leads to it, and for itself where none does.  Times are means, as in pingo_history_query(), and all values
 * together are the saved_ms that it gives for everything.  saved_ms: yours, one number an action, all of
 * which are set.  Time: as the mentions of distinct submissions, and the edges between them.
 * Errors: PINGO_ENOMEM. */
PINGO_API int pingo_history_values(const struct pingo_history *history, int64_t *saved_ms,
                                   struct pingo_error *err);

/* ---- the exchange format, pingo-history(5) -------------------------------------------------- */

/* Reads one line (with or without its newline) and appends its submission.  line: its number, from 1, for
 * messages ("line 3, column 14: /actions/0/hash: ..."); 0: none.  An empty line adds nothing.  Nothing
 * changes on failure.  Errors: PINGO_EINVAL, PINGO_ELIMIT, PINGO_ENOMEM. */
PINGO_API int pingo_history_read_line(struct pingo_history *history, const char *text,
                                      size_t length, size_t line, struct pingo_error *err);

struct pingo_history_print_options {
    unsigned version; /* 1 */
    /* Users become u1, u2, ..., workflow names w1, w2, ..., hashes what rehash makes of them. */
    bool anonymous;
    int (*rehash)(void *context, const struct pingo_hash *hash,
                  struct pingo_hash *other); /* may call back, but must not change the history */
    void *context;
};
/* One submission as a line, newline included.  *text: yours, free(); it ends with NUL, and has no other.  options: may
 * be NULL.  A name that is not UTF-8 is printed with U+FFFD in place of what is not.
 * Errors: PINGO_ENOTFOUND (no such submission), PINGO_EINVAL (anonymous without rehash), PINGO_ENOMEM. */
PINGO_API int pingo_history_print_line(const struct pingo_history *history, uint32_t submission,
                                       const struct pingo_history_print_options *options,
                                       char **text, struct pingo_error *err);

/* A random salt for one export, for pingo_history_rehash().  Forget it, and nobody can tell the actions again.
 * Errors: PINGO_EIO (no randomness), PINGO_ENOMEM. */
PINGO_API int pingo_history_salt(struct pingo_hash *salt, struct pingo_error *err);
/* SHA-256 over the salt and the hash: what rehash of the options may be, with the salt as its context.
 * 0, or PINGO_ENOMEM. */
PINGO_API int pingo_history_rehash(void *salt, const struct pingo_hash *hash,
                                   struct pingo_hash *other);

/* ---- a store's history ------------------------------------------------------------------------ */

struct pingo_store_history_options {
    unsigned version; /* 1 */
    int64_t since_ms; /* submissions of [since, until); 0: from the beginning */
    int64_t until_ms; /* 0: to the end */
};
/* The submissions of a store, oldest first, with what is known of their datasets now, and the evictions of
 * these that were not rescued, by the ledger (<pingo/pool.h>).  options: may be NULL.  *history: yours.
 * Errors: PINGO_ECORRUPT, and those of every function of <pingo/store.h>. */
PINGO_API int pingo_store_history(struct pingo_store *store,
                                  const struct pingo_store_history_options *options,
                                  struct pingo_history **history, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
