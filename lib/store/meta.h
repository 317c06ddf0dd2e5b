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
/* 1: the key was set, and is not any more; 0: it was not. */
int pingo__store_meta_take(struct pingo__store_db *db, const char *key, struct pingo_error *err);
/* A number under a key, 0 where it is not set; and one more. */
int pingo__store_meta_number(struct pingo__store_db *db, const char *key, int64_t *n,
                             struct pingo_error *err);
int pingo__store_meta_count(struct pingo__store_db *db, const char *key, struct pingo_error *err);
int pingo__store_setting_get(struct pingo__store_db *db, const char *key, char **value,
                             struct pingo_error *err);
/* The keys that are set and begin with a text, in byte order; in the arena. */
int pingo__store_setting_keys(struct pingo__store_db *db, const char *prefix,
                              struct pingo__arena *arena, const char ***keys, size_t *n,
                              struct pingo_error *err);
/* value NULL: back to the default. */
int pingo__store_setting_set(struct pingo__store_db *db, const char *key, const char *value,
                             struct pingo_error *err);

/* Schedulers.  Inside a write transaction. */
int pingo__store_owner_insert(struct pingo__store_db *db, const char *boot_id, int64_t pid,
                              int64_t now_ms, int64_t *owner, struct pingo_error *err);
int pingo__store_owner_delete(struct pingo__store_db *db, int64_t owner, struct pingo_error *err);
/* *owners: yours, free(). */
int pingo__store_owner_list(struct pingo__store_db *db, int64_t **owners, size_t *n,
                            struct pingo_error *err);

/* 1 and *hash, or 0. */
int pingo__store_file_content_find(struct pingo__store_db *db,
                                   const struct pingo__digest_file_stat *st,
                                   struct pingo_hash *hash, struct pingo_error *err);
int pingo__store_file_content_remember(struct pingo__store_db *db,
                                       const struct pingo__digest_file_stat *st,
                                       const struct pingo_hash *hash, struct pingo_error *err);

/* What a command of "versions" said, not before since_ms: 1, *output and *text (yours), or 0. */
int pingo__store_version_output_find(struct pingo__store_db *db, const struct pingo_hash *key,
                                     int64_t since_ms, struct pingo_hash *output, char **text,
                                     struct pingo_error *err);
/* Remembers it, and forgets what was said before since_ms. */
int pingo__store_version_output_remember(struct pingo__store_db *db, const struct pingo_hash *key,
                                         const struct pingo_hash *output, const char *text,
                                         int64_t now_ms, int64_t since_ms, struct pingo_error *err);

#endif
