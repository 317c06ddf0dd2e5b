/* labels.h - the labels of the actions of documents, to find things by; they enter no hash. */
#ifndef PINGO__STORE_LABELS_H
#define PINGO__STORE_LABELS_H

#include "base/arena.h"
#include "store/db.h"

/* labels: k1,v1,k2,v2,...; n strings.  In a write transaction. */
int pingo__store_labels_insert(struct pingo__store_db *db, int64_t document, size_t position,
                               const char *const *labels, size_t n, struct pingo_error *err);
/* Those of one action; in the arena. */
int pingo__store_labels_read(struct pingo__store_db *db, int64_t document, int64_t position,
                             struct pingo__arena *arena, const char *const **labels, size_t *n,
                             struct pingo_error *err);

/* Calls fn with the hash of each action, of any submission, that has a label with this key whose value matches
 * (itself, or as a pattern), until it returns other than 0, which is returned. */
typedef int (*pingo__store_labelled_fn)(void *context, const struct pingo_hash *hash,
                                        struct pingo_error *err);
int pingo__store_labels_each_hash(struct pingo__store_db *db, const char *key, const char *value,
                                  pingo__store_labelled_fn fn, void *context,
                                  struct pingo_error *err);

#endif
