/* objects.h - the bytes that datasets point to: where they lie, what they are, which attempt made them.
 *
 * A generation's bytes come with it (pingo__store_dataset_publish()) and go with the last generation that has them:
 * pingo__store_dataset_change() forgets their path when that is DELETED; what they were stays on record.  Two
 * generations may share an object; then both are marked so (shared), for what shares is looked for among these alone.
 * All writing functions run inside a write transaction. */
#ifndef PINGO__STORE_OBJECTS_H
#define PINGO__STORE_OBJECTS_H

#include "store/dataset/datasets.h"

/* Makes the object of a generation: path, directory, stamp, mark, size_bytes, content, action, epoch are in row;
 * row->object becomes its number. */
int pingo__store_object_insert(struct pingo__store_db *db, struct pingo__store_dataset_row *row,
                               struct pingo_error *err);
/* Its bytes lie somewhere else now. */
int pingo__store_object_set_path(struct pingo__store_db *db, int64_t object, const char *path,
                                 struct pingo_error *err);
/* stamp, mark: the same content lies there as other files: the store was copied, or put back from a copy, or
 * something in it was touched. */
int pingo__store_object_set_root(struct pingo__store_db *db,
                                 const struct pingo__store_dataset_row *row,
                                 struct pingo_error *err);
/* The paths of what actions read that somebody has in hand. */
int pingo__store_object_list_read(struct pingo__store_db *db, struct pingo__store_text_list *paths,
                                  struct pingo_error *err);
/* Does any object lie at this path (below the pool)? */
int pingo__store_object_has_path(struct pingo__store_db *db, const char *path, bool *has,
                                 struct pingo_error *err);
/* Has no other generation its bytes? */
int pingo__store_object_is_alone(struct pingo__store_db *db, int64_t dataset, bool *alone,
                                 struct pingo_error *err);
/* A generation has become DELETED: if no other has the object, its bytes are gone. */
int pingo__store_object_forget(struct pingo__store_db *db, int64_t dataset, struct pingo_error *err);

/* Datasets that are DELETING and whose bytes could not be removed; and orphans: what is no dataset's, and could not be
 * removed either.
 *
 * What always holds: their bytes count as used; they are nobody's until their time has
 * come, and then whoever is first takes them (pingo__store_dataset_list_left(), _adopt()). */
#define PINGO__UNDELETABLE_LONGEST_MS INT64_C(3600000) /* between two tries */

/* It could not be removed once more.  *wait_ms: how long until it may be tried again: 10 s, and twice as long
 * with each try, up to an hour. */
int pingo__store_undeletable_note(struct pingo__store_db *db, int64_t dataset, const char *message,
                                  int64_t *wait_ms, struct pingo_error *err);
/* It has gone. */
int pingo__store_undeletable_forget(struct pingo__store_db *db, int64_t dataset,
                                    struct pingo_error *err);

/* An orphan, by its name below the pool. */
int pingo__store_orphan_note(struct pingo__store_db *db, const char *name, int64_t bytes,
                             struct pingo_error *err);
int pingo__store_orphan_forget(struct pingo__store_db *db, const char *name,
                               struct pingo_error *err);
/* Their names. */
int pingo__store_orphan_list(struct pingo__store_db *db, struct pingo__store_text_list *list,
                             struct pingo_error *err);

#endif
