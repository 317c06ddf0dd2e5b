/* feed.h - what changed, commit by commit: a ring, in which the changes are numbered.
 *
 * What always holds: a commit that changes the state of a submission, an action or a dataset leaves one row, which
 * tells all of it: one by one, or, where they are many, of which submissions. */
#ifndef PINGO__STORE_FEED_H
#define PINGO__STORE_FEED_H

#include "store/db.h"

#define PINGO__FEED_SINCE 8 /* a database of so many migrations has it */

/* Changes are noted by pingo__store_db_note().  Before the commit: the row. */
int pingo__store_feed_save(struct pingo__store_db *db, struct pingo_error *err);
/* The next changes come behind this number; who follows them looks at all.  Inside a write transaction. */
int pingo__store_feed_leap(struct pingo__store_db *db, int64_t number, struct pingo_error *err);

struct pingo__store_feed_row {
    int64_t id; /* the number of its last change */
    int64_t at_ms;
    const void *events;
    size_t size;
};
PINGO__STORE_LIST(pingo__store_feed_list, struct pingo__store_feed_row);
/* The rows that end behind a change, at most n. */
int pingo__store_feed_list(DB, int64_t after, int64_t n, struct pingo__store_feed_list *list, ERR);
/* The number of the newest change; 0: there is none. */
PINGO__NUMBER(pingo__store_feed_last(DB, int64_t *last, ERR), last, 0, "SELECT max(id) FROM feed",
              NONE);
/* The changes of a row, in the arena. */
int pingo__store_feed_read(const struct pingo__store_feed_row *row, struct pingo__arena *arena,
                           struct pingo_event **events, size_t *n, struct pingo_error *err);

#endif
