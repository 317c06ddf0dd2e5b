/* full.h - actions that wait because their last attempt met a full disk, and what that one had written. */
#ifndef PINGO__STORE_FULL_H
#define PINGO__STORE_FULL_H

#include "store/db.h"

/* Inside a write transaction. */
PINGO__WRITE(pingo__store_full_note(DB, int64_t action, int64_t bytes, ERR),
             "INSERT OR REPLACE INTO disk_full(action, bytes) VALUES(?, ?)", INT(action),
             INT(bytes));
/* Another attempt ended otherwise.  Inside a write transaction. */
PINGO__WRITE(pingo__store_full_clear(DB, int64_t action, ERR),
             "DELETE FROM disk_full WHERE action = ?", INT(action));
/* *bytes: what its last attempt had written (0: unknown); -1: that one met no full disk. */
PINGO__NUMBER(pingo__store_full_get(DB, int64_t action, int64_t *bytes, ERR), bytes, -1,
              "SELECT bytes FROM disk_full WHERE action = ?", INT(action));
/* Of the actions that are READY again after a full disk the one that had written most: its id and its workflow (0:
 * there is none), and how much. */
struct pingo__store_full_most {
    int64_t workflow, user_id, bytes;
};
int pingo__store_full_most(DB, struct pingo__store_full_most *most, ERR);

#endif
