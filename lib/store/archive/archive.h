/* archive.h - what ended long ago: month files beside the database, and where the attempts of a submission are read.
 *
 * A month file (DIRECTORY/archive/YYYY-MM.db, and YYYY-MM.2.db and so on where one is large) holds the rows of attempt
 * and dependency of whole submissions that ended in that month.  All else stays in the database, actions among it: who
 * plans, decides and says why reads no attempts of what has ended.
 * What always holds: the attempts of a submission are read in one place, that which workflow.archived says (0: the
 * database).  A month file's handle has the database attached, and a name without a schema is the month file's first,
 * so the same SQL runs on both; of the table here each has one row, with the number that workflow.archived has for what
 * is read there.  A sealed file never changes. */
#ifndef PINGO__STORE_ARCHIVE_H
#define PINGO__STORE_ARCHIVE_H

#include "store/db.h"

/* Where the attempts of a submission are, seen together with that they are there. */
struct pingo__store_reading {
    struct pingo__store_db *db;          /* ask this one */
    struct pingo__store_db *own, *month; /* they began to read for us; NULL */
};
/* Errors: PINGO_ECORRUPT: the month file is gone or damaged.  end: also after failure; returns rc. */
int pingo__store_archive_begin(struct pingo__store_db *db, int64_t workflow,
                               struct pingo__store_reading *reading, struct pingo_error *err);
int pingo__store_archive_end(struct pingo__store_reading *reading, int rc);
/* The month file with that number, which stays open for who asks next; 0: the database.  Errors: likewise. */
int pingo__store_archive_open(struct pingo__store_db *db, int64_t id,
                              struct pingo__store_db **month, struct pingo_error *err);
/* That of an action's submission. */
int pingo__store_archive_of_action(struct pingo__store_db *db, int64_t action,
                                   struct pingo__store_db **month, struct pingo_error *err);

struct pingo__store_archive_row {
    int64_t id;
    const char *name; /* of the file */
    bool sealed;
    int64_t workflows, attempts;             /* that are read there */
    int64_t first_ms, last_ms;               /* of the ends of these submissions; -1: none */
    int64_t first_failed_ms, last_failed_ms; /* of their attempts that failed; likewise */
};
PINGO__STORE_LIST(pingo__store_archive_list, struct pingo__store_archive_row);
PINGO__NUMBER(pingo__store_archive_count(DB, int64_t *n, ERR), n, 0, "SELECT count(*) FROM archive",
              NONE);
int pingo__store_archive_list(DB, struct pingo__store_archive_list *list, ERR);
/* Those with attempts that failed in a period, the last ones first. */
int pingo__store_archive_failed(DB, int64_t since_ms, int64_t until_ms,
                                struct pingo__store_archive_list *list, ERR);
/* A walk through all places where attempts are that failed in a period: the database, then those files, all seen
 * together.  Where something was marked meanwhile it begins anew with the database, or that would be there twice.  All
 * but what comes first is zeroed.  next: false after the last place, or where *rc, which the caller sets to what became
 * of the one before, is not 0.  end, always: pingo__store_archive_end(&walk.at, rc). */
struct pingo__store_archive_walk {
    int64_t action; /* not 0: to where this one's attempts are, and no further */
    int64_t since_ms, until_ms;
    struct pingo__store_archive_list files; /* has an arena */
    struct pingo__store_reading at;
    size_t n;          /* 1: this is the first place */
    int64_t enough_ms; /* what is older is not needed: set by who walks */
    int tries;
};
bool pingo__store_archive_next(struct pingo__store_db *db, struct pingo__store_archive_walk *walk,
                               int *rc, struct pingo_error *err);
/* The path of a month file, in the arena. */
const char *pingo__store_archive_path(const struct pingo__store_db *db, struct pingo__arena *arena,
                                      const char *name);

/* ---- moving (archive_move.c) ----
 *
 * By whole submissions, in steps that may end anywhere: copied (again, if need be), marked (from then on read there),
 * deleted.  When there is nothing to move, a file that is old enough is sealed: written anew, without what is not read
 * there; it never changes again.  One process does it at a time. */

struct pingo__store_move {
    struct pingo__store_db *db;
    int64_t before_ms;             /* what ended before that may go */
    const char *sealed_before;     /* a month ("2026-08"): files of older ones are sealed */
    int64_t part_bytes;            /* a month file that is larger gets no more */
    int64_t step;                  /* attempts that are copied at once */
    int lock;                      /* -1: not had */
    bool mended;                   /* what others left of sealing is as it should be */
    struct pingo__store_db *month; /* that is written; NULL: none is open */
    int64_t month_id;
    int64_t workflows, attempts; /* marked so far */
    int64_t sealed;              /* files */
};
/* *had: nobody else moves. */
int pingo__store_move_begin(struct pingo__store_move *move, bool *had, struct pingo_error *err);
void pingo__store_move_end(struct pingo__store_move *move);
/* Copies, marks or deletes some, or seals a file.  *more: there is something left. */
int pingo__store_move_step(struct pingo__store_move *move, bool *more, struct pingo_error *err);
/* Is there anything to move, delete or seal? */
int pingo__store_move_is_due(const struct pingo__store_move *move, bool *is,
                             struct pingo_error *err);
/* What a move would take: submissions, and their attempts. */
int pingo__store_move_count(struct pingo__store_db *db, int64_t before_ms, int64_t *workflows,
                            int64_t *attempts, struct pingo_error *err);

#endif
