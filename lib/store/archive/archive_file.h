/* archive_file.h - month files, for those who write and check them: see archive.h. */
#ifndef PINGO__STORE_ARCHIVE_FILE_H
#define PINGO__STORE_ARCHIVE_FILE_H

#include "store/archive/archive.h"

#define PINGO__ARCHIVE "archive" /* the directory */

enum pingo__store_archive_mode {
    PINGO__ARCHIVE_READ,
    PINGO__ARCHIVE_WRITE, /* to the month file, not to the store */
    PINGO__ARCHIVE_MAKE   /* it is there, and empty */
};
/* To read: a sealed one, where only that is there.  month: yours, closed by pingo__store_db_close(), also after
 * failure. */
int pingo__store_archive_file_open(struct pingo__store_db *db,
                                   const struct pingo__store_archive_row *row,
                                   enum pingo__store_archive_mode mode,
                                   struct pingo__store_db *month, struct pingo_error *err);
int pingo__store_archive_row(struct pingo__store_db *db, int64_t id, struct pingo__arena *arena,
                             struct pingo__store_archive_row *row, struct pingo_error *err);

typedef int (*pingo__store_archive_tell_fn)(void *context, const char *object, const char *message,
                                            struct pingo_error *err);
/* What of it is not as the store says.  whole: its attempts are counted, and all of it is read (PINGO_ECORRUPT: SQLite
 * cannot).  What fn returns, unless it is 0, ends it. */
int pingo__store_archive_file_look(struct pingo__store_db *month, bool whole,
                                   pingo__store_archive_tell_fn fn, void *context,
                                   struct pingo_error *err);
/* The same, where anything is PINGO_ECORRUPT. */
int pingo__store_archive_file_check(struct pingo__store_db *month, bool whole,
                                    struct pingo_error *err);

/* ---- sealed files ---- */

/* The key of meta under which the digest of a sealed file is, in hex. */
#define PINGO__ARCHIVE_DIGEST "archive.sha256."
const char *pingo__store_archive_sealed_name(struct pingo__arena *arena, const char *name);
/* Is there only a sealed file with that row's name?  The database was put back from a copy, or copied, before it was
 * sealed: then all that it says is there is there, which is to be checked.  The row is made as it is after that. */
bool pingo__store_archive_was_sealed(const struct pingo__store_db *db, struct pingo__arena *arena,
                                     struct pingo__store_archive_row *row);

/* ---- for who moves ---- */

/* First of all: what was sealed and is not known to be, and what is left of what was, is as it should be. */
int pingo__store_move_mend(struct pingo__store_move *move, struct pingo_error *err);
/* The next file.  *more: there was one. */
int pingo__store_move_seal(struct pingo__store_move *move, bool *more, struct pingo_error *err);

/* Ends a write transaction of the store, short enough for others not to wait long: then what is in its log goes into
 * the database, before that is much, and who waits for the lock has it. */
int pingo__store_move_unlock(struct pingo__store_move *move, int rc, struct pingo_error *err);
/* The month file that is written from now on; one in which nothing is read yet, and that was cut short, is made
 * anew. */
int pingo__store_move_open(struct pingo__store_move *move, int64_t id, struct pingo_error *err);
void pingo__store_move_close(struct pingo__store_move *move);
/* An empty file, of ours alone; and away with it, and with its log. */
int pingo__store_move_make(struct pingo__store_move *move, struct pingo__arena *arena,
                           const char *name, struct pingo_error *err);
void pingo__store_move_unlink(const struct pingo__store_db *db, struct pingo__arena *arena,
                              const char *name);

#endif
