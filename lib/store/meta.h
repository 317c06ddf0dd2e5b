/* meta.h - small tables: what the store is, settings, owners, the memory of content hashes. */
#ifndef PINGO__STORE_META_H
#define PINGO__STORE_META_H

#include "digest/content.h"
#include "store/db.h"

/* *value: yours; NULL where the key is not set. */
int pingo__meta_get(struct pingo__db *db, const char *key, char **value, struct pingo_error *err);
int pingo__meta_set(struct pingo__db *db, const char *key, const char *value,
                    struct pingo_error *err);
int pingo__setting_get(struct pingo__db *db, const char *key, char **value, struct pingo_error *err);
/* value NULL: back to the default. */
int pingo__setting_set(struct pingo__db *db, const char *key, const char *value,
                       struct pingo_error *err);

/* Schedulers.  Inside a write transaction. */
int pingo__owner_insert(struct pingo__db *db, const char *boot_id, int64_t pid, int64_t now_ms,
                        int64_t *owner, struct pingo_error *err);
int pingo__owner_delete(struct pingo__db *db, int64_t owner, struct pingo_error *err);
/* *owners: yours, free(). */
int pingo__owner_list(struct pingo__db *db, int64_t **owners, size_t *n, struct pingo_error *err);

/* 1 and *hash, or 0. */
int pingo__file_content_find(struct pingo__db *db, const struct pingo__file_stat *st,
                             struct pingo_hash *hash, struct pingo_error *err);
int pingo__file_content_remember(struct pingo__db *db, const struct pingo__file_stat *st,
                                 const struct pingo_hash *hash, struct pingo_error *err);

#endif
