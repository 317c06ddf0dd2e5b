/* written.h - what Pingo put outside its pool: exports, outputs of exec, unmanaged outputs.
 *
 * What always holds: a path has a row in `written` only when Pingo put there what the row says, or its user
 * said that what lies there may be replaced; a name beside a target that may hold bytes of ours has a row in
 * `writing` before it is made.  Paths are text here; what they are relative to is manager/outside.h's.
 * Writing functions run inside a write transaction. */
#ifndef PINGO__STORE_WRITTEN_H
#define PINGO__STORE_WRITTEN_H

#include "store/db.h"

enum pingo__store_written_kind {
    PINGO__WRITTEN_FILE = 1,
    PINGO__WRITTEN_DIRECTORY = 2,
    PINGO__WRITTEN_LINK = 3
};

struct pingo__store_written {
    enum pingo__store_written_kind kind;
    struct pingo_hash content; /* as pingo-hash(7); of a link: of its text; zero: unknown */
    struct pingo_hash stamp;   /* zero: not to be trusted */
    int64_t size_bytes;        /* -1: unknown */
    struct pingo_hash told; /* the content as a pool elsewhere tells it, in its own way; zero: as it is here */
};

/* row->kind 0: there is none. */
int pingo__store_written_get(DB, const char *path, struct pingo__store_written *row, ERR);
int pingo__store_written_set(DB, const char *path, const struct pingo__store_written *row, ERR);

/* Something on its way to a path, under another name beside it. */
struct pingo__store_writing {
    const char *temporary; /* beside path; unique */
    const char *path;
    int64_t owner;
    bool placed; /* what is left under the temporary name was looked at, and may go */
    enum pingo__store_written_kind kind;
    struct pingo_hash content; /* of what is to be put there */
};

int pingo__store_writing_insert(struct pingo__store_db *db, const struct pingo__store_writing *row,
                                struct pingo_error *err);
PINGO__WRITE(pingo__store_writing_set_content(DB, const char *temporary,
                                              const struct pingo_hash *content, ERR),
             "UPDATE writing SET content = ? WHERE temporary = ?",
             BLOB(content->bytes, sizeof content->bytes), TEXT(temporary));
PINGO__WRITE(pingo__store_writing_set_placed(DB, const char *temporary, ERR),
             "UPDATE writing SET placed = 1 WHERE temporary = ?", TEXT(temporary));
PINGO__WRITE(pingo__store_writing_delete(DB, const char *temporary, ERR),
             "DELETE FROM writing WHERE temporary = ?", TEXT(temporary));
/* On its way to one path: what was looked at came there, and `written` knows, or did not.  NULL: all. */
PINGO__STORE_LIST(pingo__store_writing_list, struct pingo__store_writing);
int pingo__store_writing_list(DB, const char *path, struct pingo__store_writing_list *list, ERR);

#endif
