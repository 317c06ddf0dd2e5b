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
PINGO__WRITE(pingo__store_object_set_path(DB, int64_t object, const char *path, ERR),
             "UPDATE object SET path = ?2 WHERE id = ?1", INT(object), TEXT(path));
/* stamp, mark: the same content lies there as other files: the store was copied, or put back from a copy, or
 * something in it was touched. */
PINGO__WRITE(pingo__store_object_set_root(DB, const struct pingo__store_dataset_row *row, ERR),
             "UPDATE object SET stamp_1 = ?2, stamp_2 = ?3, mark = ?4 WHERE id = ?1",
             INT(row->object), INT(row->stamp.numbers[0]), INT(row->stamp.numbers[1]),
             INT(row->mark));
PINGO__WRITE(pingo__store_object_set_size(DB, int64_t object, int64_t size_bytes, ERR),
             "UPDATE object SET size_bytes = ?2 WHERE id = ?1", INT(object), INT(size_bytes));
/* The paths of what actions read that somebody has in hand. */
static inline PINGO__LIST(
    pingo__store_object_list_read(DB, struct pingo__store_text_list *paths, ERR),
    pingo__store_texts, paths,
    "SELECT 0, o.path FROM owner w CROSS JOIN action a ON a.owner = w.id"
    " AND " ACTION_IS_CLAIMED("a.state") " CROSS JOIN claim c ON c.action = a.id CROSS JOIN dataset"
                                         " d ON d.id = c.dataset CROSS JOIN object o ON o.id ="
                                         " d.object WHERE o.path IS NOT NULL",
    NONE);
/* Does any object lie at this path (below the pool)? */
PINGO__EXISTS(pingo__store_object_has_path(DB, const char *path, bool *has, ERR), has,
              "SELECT 1 FROM object WHERE path = ? LIMIT 1", TEXT(path));
/* In a query of a dataset d: has no other generation its bytes? */
#define PINGO__OBJECT_IS_ALONE                                                                     \
    "(d.shared = 0 OR NOT " PINGO__DATASET_IS_SHARED_BY("e.state <> " DATASET_DELETED) ")"
PINGO__EXISTS(pingo__store_object_is_alone(DB, int64_t dataset, bool *alone, ERR), alone,
              "SELECT 1 FROM dataset d WHERE d.id = ? AND " PINGO__OBJECT_IS_ALONE, INT(dataset));
/* A generation has become DELETED: if no other has the object, its bytes are gone. */
PINGO__WRITE(pingo__store_object_forget(DB, int64_t dataset, ERR),
             "UPDATE object SET path = NULL WHERE id = (SELECT d.object FROM dataset d"
             " WHERE d.id = ? AND " PINGO__OBJECT_IS_ALONE ")",
             INT(dataset));

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
PINGO__WRITE(pingo__store_undeletable_forget(DB, int64_t dataset, ERR),
             "DELETE FROM undeletable WHERE dataset = ?", INT(dataset));

/* An orphan, by its name below the pool. */
PINGO__WRITE(pingo__store_orphan_note(DB, const char *name, int64_t bytes, ERR),
             "INSERT OR REPLACE INTO orphan(name, bytes) VALUES(?, ?)", TEXT(name), INT(bytes));
PINGO__WRITE(pingo__store_orphan_forget(DB, const char *name, ERR),
             "DELETE FROM orphan WHERE name = ?", TEXT(name));
/* Their names. */
static inline PINGO__LIST(pingo__store_orphan_list(DB, struct pingo__store_text_list *list, ERR),
                          pingo__store_texts, list, "SELECT 0, name FROM orphan", NONE);

#endif
