/* meta.h - small tables: what the store is, settings, owners, the memory of content hashes. */
#ifndef PINGO__STORE_META_H
#define PINGO__STORE_META_H

#include "digest/content.h"
#include "store/db.h"

/* *value: yours; NULL where the key is not set. */
int pingo__store_meta_get(struct pingo__store_db *db, const char *key, char **value,
                          struct pingo_error *err);
int pingo__store_meta_set(struct pingo__store_db *db, const char *key, const char *value,
                          struct pingo_error *err);
/* It is not set any more. */
int pingo__store_meta_take(struct pingo__store_db *db, const char *key, bool *was_set,
                           struct pingo_error *err);
/* A number under a key, 0 where it is not set. */
int pingo__store_meta_number(struct pingo__store_db *db, const char *key, int64_t *n,
                             struct pingo_error *err);
int pingo__store_setting_get(struct pingo__store_db *db, const char *key, char **value,
                             struct pingo_error *err);
/* The keys that are set and begin with a text, in byte order. */
int pingo__store_setting_keys(struct pingo__store_db *db, const char *prefix,
                              struct pingo__store_text_list *list, struct pingo_error *err);
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
    int64_t id, pid, started_ms;
    enum pingo__store_owner_scope scope;
};
/* row->id becomes its number; its scope is set by pingo__store_owner_set_scope(). */
int pingo__store_owner_insert(struct pingo__store_db *db, struct pingo__store_owner_row *row,
                              const char *boot_id, struct pingo_error *err);
/* Where nothing is in its hands any more: no attempt, no action, no dataset on its way out.  *is_gone: it was so. */
int pingo__store_owner_delete(struct pingo__store_db *db, int64_t owner, bool *is_gone,
                              struct pingo_error *err);

int pingo__store_file_content_find(struct pingo__store_db *db,
                                   const struct pingo__digest_file_stat *st, bool *is_known,
                                   struct pingo_hash *hash, struct pingo_error *err);
int pingo__store_file_content_remember(struct pingo__store_db *db,
                                       const struct pingo__digest_file_stat *st,
                                       const struct pingo_hash *hash, struct pingo_error *err);

/* What a command of "versions" said. */
struct pingo__store_version_output {
    struct pingo_hash output;
    const char *text; /* its first line */
};
/* Not before since_ms, nor when it is not yet; text in the arena; NULL: it is not known. */
int pingo__store_version_output_find(struct pingo__store_db *db, const struct pingo_hash *key,
                                     int64_t since_ms, struct pingo__arena *arena,
                                     struct pingo__store_version_output *output);
int pingo__store_version_output_remember(struct pingo__store_db *db, const struct pingo_hash *key,
                                         const struct pingo__store_version_output *output,
                                         int64_t now_ms, struct pingo_error *err);
/* What was said before. */
int pingo__store_version_output_forget(struct pingo__store_db *db, int64_t before_ms,
                                       struct pingo_error *err);

#endif
