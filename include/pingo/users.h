/* users.h - the users of a store: their shares of the slots, what they use, their quotas.
 *
 * Slots go to users by turns.  What has a priority above 0 is before all shares.  Else the next slot is of the user who
 * has the least slots in hand for his weight, then of who has used least for it, then of who was there first; among
 * what is one user's, priority, number of the submission, longest remaining path and hash say what is next.  Nobody has
 * a second slot before everybody who has work has one.  Use is slots by time, halved with age (setting
 * share.halfLifeHours).  An action that several users wait for counts for whose turn it took.  A user is the label of a
 * submission, and is there from his first one on.
 * What <pingo/store.h> says of threads, errors, strings, callbacks and units holds here as well.
 * Source: Columbus thesis 5.3; fair shares with use that halves, as Slurm's. */
#ifndef PINGO_USERS_H
#define PINGO_USERS_H

#include <pingo/error.h>
#include <pingo/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pingo_share {
    const char *user;
    int64_t weight;      /* 1 to 10000 */
    double part;         /* 0 to 1: what falls to him while all users have work */
    int64_t running;     /* slots that his actions have in hand */
    int64_t waiting;     /* actions of his that wait or are ready */
    int64_t usage_ms;    /* slots by time, as it is by now; of what runs, nothing yet */
    int64_t bytes;       /* of results and pins that his submissions made */
    int64_t max_slots;   /* quotas; -1: none */
    int64_t max_actions; /* that wait or are ready */
    int64_t max_bytes;   /* of results and pins */
};
typedef int (*pingo_share_fn)(void *context, const struct pingo_share *share);
struct pingo_share_query {
    unsigned version; /* 1 */
    const char *user; /* this one alone; NULL: all */
};
/* Calls fn for each user, who was there first first.  query: may be NULL.  Errors: PINGO_ENOTFOUND (no such user).
 * fn may call back. */
PINGO_API int pingo_store_shares(struct pingo_store *store, const struct pingo_share_query *query,
                                 pingo_share_fn fn, void *context, struct pingo_error *err);

struct pingo_share_options {
    unsigned version;    /* 1 */
    int64_t weight;      /* 1 to 10000; 0: as it is */
    int64_t max_slots;   /* quotas: -1: none; 0: as it is */
    int64_t max_actions; /* a submission that would need more is refused: PINGO_EQUOTA */
    int64_t max_bytes;   /* who has as many may submit nothing that computes: PINGO_EQUOTA */
};
/* Sets the weight and the quotas of a user, who need not be there yet.  What he has in hand already goes on.
 * user: 1 to 255 bytes without control characters.  Errors: PINGO_EINVAL, PINGO_EFORBIDDEN. */
PINGO_API int pingo_store_set_share(struct pingo_store *store, const char *user,
                                    const struct pingo_share_options *options,
                                    struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
