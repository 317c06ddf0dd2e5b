/* feed.h - what changes in a store, whoever changes it: each change once, in order, also behind a restart.
 *
 * What <pingo/store.h> says of threads, errors, strings, callbacks and units holds here as well. */
#ifndef PINGO_FEED_H
#define PINGO_FEED_H

#include <pingo/error.h>
#include <pingo/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A change that was committed.  Of a commit with more than 256 each submission is told once, as PINGO_EVENT_MANY; so is
 * everything, where the changes that come next are not kept any more: the newest 200,000 are. */
struct pingo_change {
    int64_t number; /* greater than that of each change before it */
    int64_t at_ms;
    struct pingo_event event;
};
typedef int (*pingo_change_fn)(void *context, const struct pingo_change *change);

/* Calls fn for each change with a number above *at, in order, and sets *at to the last one told, where the next call
 * goes on; -1: begins now, and tells nothing.  Look at what is of interest after the first call: what changes then
 * comes with the next.  pingo_store_changes() tells in some microseconds whether there is anything.  fn may call back;
 * where it stops the function, *at is the change that it was told last. */
PINGO_API int pingo_store_follow(struct pingo_store *store, int64_t *at, pingo_change_fn fn,
                                 void *context, struct pingo_error *err);

/* ---- who is told of ends ------------------------------------------------------------------- */

/* The settings hook.command and hook.url name who is told when a submission ends: a row for each is written with the
 * end itself, and delivered by whoever ticks, at least once, with the same number at each of five tries:
 * pingo-hooks(1). */
enum pingo_hook_way { PINGO_HOOK_COMMAND = 1, PINGO_HOOK_URL = 2 };
enum pingo_hook_state {
    PINGO_HOOK_PENDING = 1, /* it is tried, or will be */
    PINGO_HOOK_DELIVERED = 2,
    PINGO_HOOK_GIVEN_UP = 3 /* after five tries, or because its host is not listed */
};
/* "pending", "delivered" or "given up"; NULL: there is no such state.  Static text. */
PINGO_API const char *pingo_hook_state_name(enum pingo_hook_state state);
/* "command" or "url"; NULL: there is no such way.  Static text. */
PINGO_API const char *pingo_hook_way_name(enum pingo_hook_way way);

struct pingo_hook {
    int64_t number; /* of it alone in this store */
    int64_t workflow;
    enum pingo_hook_way way;
    enum pingo_hook_state state;
    const char *target; /* the program, or the URL */
    int64_t tries;      /* begun so far */
    int64_t made_ms;    /* when the submission ended */
    int64_t due_ms; /* pending: when it is tried next, or given to another if who has it does not come back */
    int64_t done_ms;     /* delivered or given up; -1 */
    const char *message; /* why the last try failed; "" */
};
typedef int (*pingo_hook_fn)(void *context, const struct pingo_hook *hook);
struct pingo_hook_query {
    unsigned version; /* 1 */
    unsigned states;  /* in one of these: 1u << PINGO_HOOK_*, added up; 0: all */
    size_t limit;     /* at most so many; 0: all */
    const char *after; /* behind where another list ended: what that one put into next; NULL or "": the beginning */
    char *next; /* yours, PINGO_CURSOR_SIZE bytes, or NULL: what goes on where this list ends; "": it is the end */
};
/* Calls fn for each, the newest first; of those that are over the last 1,000 are kept.  query: may be NULL: all.
 * Errors: PINGO_EINVAL.  fn may call back. */
PINGO_API int pingo_store_hooks(struct pingo_store *store, const struct pingo_hook_query *query,
                                pingo_hook_fn fn, void *context, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
