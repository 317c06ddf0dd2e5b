/* users.h - users: weights, quotas, what they have in hand and have used; and in whose queue an action stands.
 *
 * What always holds, after each commit: user.running is the sum of the slots of his actions that are claimed; use is
 * booked in the transaction that settles the end of an attempt; an action that waits stands in queue 0 (its priority is
 * above 0, or that of an action that waits for it, its own user's too), in that of its user, or in a joint one; so do
 * the unfinished ones that it waits for, of all users who wait for it.  In queue 0 what is not above 0 itself comes
 * last.  Who has ended since does not take his place with him: not before it is planned again or has another
 * priority. */
#ifndef PINGO__STORE_USERS_H
#define PINGO__STORE_USERS_H

#include "store/action/actions.h"

/* How many slots an action takes that asks for so many processors. */
static inline int64_t pingo__store_slots_of(int64_t cpus)
{
    return cpus > 1 ? cpus : 1;
}

struct pingo__store_user_row {
    int64_t id;
    const char *name;
    int64_t weight, slots, actions, bytes; /* quotas; -1: none */
    int64_t running, usage_ms, as_of_ms;
};
PINGO__STORE_LIST(pingo__store_user_list, struct pingo__store_user_row);
/* In order of number. */
int pingo__store_user_list(DB, struct pingo__store_user_list *list, ERR);
/* row->id 0: there is none. */
int pingo__store_user_get(DB, const char *name, struct pingo__arena *arena,
                          struct pingo__store_user_row *row, ERR);
/* His number, made if he has none; in a write transaction. */
int pingo__store_user_number(struct pingo__store_db *db, const char *name, int64_t *id,
                             struct pingo_error *err);
/* Weight and quotas. */
PINGO__WRITE(pingo__store_user_set(DB, const struct pingo__store_user_row *row, ERR),
             "UPDATE user SET weight = ?2, slots = ?3, actions = ?4, bytes = ?5 WHERE id = ?1",
             INT(row->id), INT(row->weight), OPT(row->slots), OPT(row->actions), OPT(row->bytes));
/* Do shares change who is next?  There are several users, or one with a quota of slots. */
PINGO__EXISTS(pingo__store_user_matters(DB, bool *matter, ERR), matter,
              "SELECT 1 FROM user WHERE id > 1 OR slots IS NOT NULL LIMIT 1", NONE);
/* So many slots more in hand, so much more used.  The table is told when the transaction ends. */
int pingo__store_user_add(struct pingo__store_db *db, int64_t user, int64_t running,
                          int64_t usage_ms, struct pingo_error *err);
int pingo__store_user_save(struct pingo__store_db *db, struct pingo_error *err);
/* What was used, as it is now. */
int pingo__store_user_half_life(struct pingo__store_db *db, int64_t *ms, struct pingo_error *err);
/* Actions that wait or are ready, of each user who has some. */
struct pingo__store_user_waiting {
    int64_t user, n;
};
PINGO__STORE_LIST(pingo__store_user_waiting_list, struct pingo__store_user_waiting);
int pingo__store_user_waiting(struct pingo__store_db *db,
                              struct pingo__store_user_waiting_list *list, struct pingo_error *err);
/* Bytes of results and pins that he asked for, each user's: id and bytes. */
struct pingo__store_user_bytes {
    int64_t user, bytes, ndatasets;
};
PINGO__STORE_LIST(pingo__store_user_bytes_list, struct pingo__store_user_bytes);
int pingo__store_user_bytes(DB, struct pingo__store_user_bytes_list *list, ERR);

/* ---- queues --------------------------------------------------------------------------------- */

struct pingo__store_joint {
    int64_t id;
    const char *users; /* their numbers: ",1,4," */
};
PINGO__STORE_LIST(pingo__store_joint_list, struct pingo__store_joint);
/* And 0, which is nobody's. */
int pingo__store_joint_list(DB, struct pingo__store_joint_list *list, ERR);
/* Is he one of them? */
bool pingo__store_joint_has(const char *users, int64_t user);
/* The next queue behind this one that has READY actions; *found false: there is none. */
int pingo__store_queue_next(struct pingo__store_db *db, int64_t *queue, bool *found,
                            struct pingo_error *err);
/* An action, and what it waits for, is waited for from this queue too: they stand in the joint one of both then, or in
 * 0 if one of them is 0, also where both are one user's. */
int pingo__store_queue_join(struct pingo__store_db *db, int64_t action, int64_t queue,
                            struct pingo_error *err);
/* What it waits for has its better place: after it came to wait for something else. */
int pingo__store_queue_lead(struct pingo__store_db *db, int64_t action, struct pingo_error *err);
/* The unfinished actions of a workflow have this priority now.  They, and what they wait for, stand where they would if
 * it had had it from the start. */
int pingo__store_queue_set_priority(struct pingo__store_db *db, int64_t workflow, int64_t priority,
                                    struct pingo_error *err);
/* It is claimed in the turn of this user. */
PINGO__WRITE(pingo__store_queue_take(DB, int64_t action, int64_t user, ERR),
             "UPDATE action SET user = ?2 WHERE id = ?1", INT(action), INT(user));

#endif
