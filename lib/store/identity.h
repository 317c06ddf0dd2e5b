/* identity.h - is this a store, and ours?  Asked before anything is written, created or migrated. */
#ifndef PINGO__STORE_IDENTITY_H
#define PINGO__STORE_IDENTITY_H

#include <sqlite3.h>
#include <stdbool.h>

#include <pingo/error.h>

#include "base/buffer.h"

/* In the header of a database of version 3 or later: "PING". */
#define PINGO__APPLICATION_ID 0x50494E47

/* Is the path of a database one that SQLite takes?  Errors: PINGO_ESTORE. */
int pingo__store_identity_check_length(const char *path, struct pingo_error *err);
/* The directory and the database in it belong to us, whatever links say: a link is followed only where it
 * leads to the directory and is ours.  *real: the directory without links, yours; *is_empty: the database
 * has no byte (SQLite would take away the log beside it).  Errors: PINGO_ENOSTORE, PINGO_ESTORE. */
int pingo__store_identity_check_places(const char *directory, const char *database, char **real,
                                       bool *is_empty, struct pingo_error *err);
/* Is the database, which is not empty, one of Pingo's?  Looks without writing a byte.  *looking: yours, also where it
 * fails, sqlite3_close(); until then nobody reads the whole log again who opens the database.
 * Errors: PINGO_ESTORE: it is another program's, or damaged. */
int pingo__store_identity_check_database(const char *directory, const char *path, sqlite3 **looking,
                                         struct pingo_error *err);
/* Appends the name by which SQLite opens the file at a path; immutable: nobody changes it, and no log is beside it. */
void pingo__store_identity_uri(struct pingo__buffer *uri, const char *path, bool immutable);
/* PINGO_ESTORE: nothing, or no table, is in the database. */
int pingo__store_identity_fail_empty(const char *directory, struct pingo_error *err);
/* Is what was opened a plain file of ours?  path: for the message. */
int pingo__store_identity_check_file(int fd, const char *path, struct pingo_error *err);

#endif
