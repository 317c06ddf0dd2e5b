/* meta.h - small tables: what the store is, settings, owners, the memory of content hashes. */
#ifndef PINGO__STORE_META_H
#define PINGO__STORE_META_H

#include "digest/content.h"
#include "store/db.h"

/* *value: yours; NULL where the key is not set. */
int pingo__store_meta_get(struct pingo__store_db *db, const char *key, char **value,
                          struct pingo_error *err);
PINGO__WRITE(pingo__store_meta_set(DB, const char *key, const char *value, ERR),
             "INSERT OR REPLACE INTO meta(key, value) VALUES(?, ?)", TEXT(key), TEXT(value));
/* It is not set any more. */
PINGO__CHANGE(pingo__store_meta_take(DB, const char *key, bool *was_set, ERR), was_set,
              "DELETE FROM meta WHERE key = ?", TEXT(key));
/* A number under a key, 0 where it is not set. */
PINGO__NUMBER(pingo__store_meta_number(DB, const char *key, int64_t *n, ERR), n, 0,
              "SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", TEXT(key));
int pingo__store_setting_get(struct pingo__store_db *db, const char *key, char **value,
                             struct pingo_error *err);
/* The keys that are set and begin with a text, in byte order. */
static inline PINGO__LIST(pingo__store_setting_keys(DB, const char *prefix,
                                                    struct pingo__store_text_list *list, ERR),
                          pingo__store_texts, list,
                          "SELECT 0, key FROM setting WHERE substr(key, 1, length(?1)) = ?1"
                          " ORDER BY key",
                          TEXT(prefix));
/* value NULL: back to the default. */
int pingo__store_setting_set(struct pingo__store_db *db, const char *key, const char *value,
                             struct pingo_error *err);

/* Schedulers.  Inside a write transaction. */
enum pingo__store_owner_scope {
    PINGO__OWNER_NOBODY = 0, /* it claims for nobody */
    PINGO__OWNER_LISTED = 1, /* for the workflows that it has named */
    PINGO__OWNER_ALL = 2     /* for all that are not paused */
};
struct pingo__store_owner_row {
    int64_t id, pid, started_ms; /* pid 0: of another container (PID namespace), or machine */
    enum pingo__store_owner_scope scope;
};
/* row->id becomes its number; its scope is set by pingo__store_owner_set_scope(). */
int pingo__store_owner_insert(struct pingo__store_db *db, struct pingo__store_owner_row *row,
                              struct pingo_error *err);
/* Where nothing is in its hands any more: no attempt, no action, no dataset on its way out.  *is_gone: it was so. */
PINGO__CHANGE(
    pingo__store_owner_delete(DB, int64_t owner, bool *is_gone, ERR), is_gone,
    "DELETE FROM owner WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM attempt"
    " WHERE owner = ?1 AND " ATTEMPT_IS_OPEN(
        "state") ") AND NOT EXISTS (SELECT 1"
                 " FROM action WHERE owner = ?1 AND " ACTION_IS_CLAIMED(
                     "state") ") AND NOT EXISTS"
                              " (SELECT 1 FROM dataset WHERE owner = ?1 AND " DATASET_IS_REMOVING(
                                  "state") " AND " DATASET_IS_LEAVING("state") ")",
    INT(owner));

int pingo__store_file_content_find(struct pingo__store_db *db,
                                   const struct pingo__digest_file_stat *st, bool *is_known,
                                   struct pingo_hash *hash, struct pingo_error *err);
PINGO__WRITE(pingo__store_file_content_remember(DB, const struct pingo__digest_file_stat *st,
                                                const struct pingo_hash *hash, ERR),
             "INSERT OR REPLACE INTO file_content(device, inode, size, mtime_ns,"
             " ctime_ns, hash) VALUES(?, ?, ?, ?, ?, ?)",
             INT(st->device), INT(st->inode), INT(st->size), INT(st->mtime_ns), INT(st->ctime_ns),
             HASH(hash));

/* What a command of "versions" said. */
struct pingo__store_version_output {
    struct pingo_hash output;
    const char *text; /* its first line */
};
/* Not before since_ms, nor when it is not yet; text in the arena; NULL: it is not known. */
int pingo__store_version_output_find(struct pingo__store_db *db, const struct pingo_hash *key,
                                     int64_t since_ms, struct pingo__arena *arena,
                                     struct pingo__store_version_output *output);
PINGO__WRITE(pingo__store_version_output_remember(DB, const struct pingo_hash *key,
                                                  const struct pingo__store_version_output *output,
                                                  int64_t now_ms, ERR),
             "INSERT OR REPLACE INTO version_output(key, output, text, said_ms) VALUES(?, ?, ?, ?)",
             HASH(key), HASH(&output->output), TEXT(output->text), INT(now_ms));
/* What was said before. */
PINGO__WRITE(pingo__store_version_output_forget(DB, int64_t before_ms, ERR),
             "DELETE FROM version_output WHERE said_ms < ?", INT(before_ms));

#endif
