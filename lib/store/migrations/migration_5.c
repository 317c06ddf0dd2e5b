/* migration_5.c - the tables of migration 5; see the head of schema.c. */
#include "store/migrations/migrations.h"

#define DATASET_COLUMNS                                                                            \
    " id, hash, generation, state, current, managed, pinned, action, owner, compute_ms, made_ms,"  \
    " last_used_ms, changed, deleted_ms, adopted_from"

#define HANDED_OUT                                                                                 \
    " EXISTS (SELECT 1 FROM action a WHERE a.id = OLD.action AND a.epoch = OLD.epoch AND a.state"  \
    " IN (4, 5))"

const char *const pingo__store_migration_5[] = {
    "DROP TRIGGER dataset_usage;", /* store/decision/usage.h counts */

    /* Bytes that an attempt made, to which datasets point.  path: below the pool, or absolute when unmanaged; NULL:
     * they are gone, and what they were is remembered.  stamp_1, stamp_2: base/stamp.h; mark: see 3. */
    "CREATE TABLE object(id INTEGER PRIMARY KEY, path TEXT,"
    " directory INTEGER NOT NULL CHECK(directory IN (0, 1)),"
    " stamp_1 INTEGER, stamp_2 INTEGER, mark INTEGER NOT NULL,"
    " size_bytes INTEGER NOT NULL, content BLOB CHECK(content IS NULL OR length(content) = 32),"
    " action INTEGER, epoch INTEGER) STRICT;",
    "INSERT INTO object(id, path, directory, stamp_1, stamp_2, mark, size_bytes, content, action,"
    " epoch) SELECT id, path, coalesce(directory, 0), inode, mtime_ns, mark,"
    " coalesce(size_bytes, 0), content, action, epoch FROM dataset"
    " WHERE (path IS NOT NULL OR made_ms IS NOT NULL) AND id BETWEEN ?1 AND ?2 ORDER BY id;",
    "CREATE INDEX object_path ON object(path) WHERE path IS NOT NULL;",

    /* One row a generation.  object: what was made; shared: others point to it, too. */
    "CREATE TABLE dataset_5(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " hash BLOB NOT NULL REFERENCES definition(hash), generation INTEGER NOT NULL CHECK(generation "
    "> 0),"
    " state INTEGER NOT NULL CHECK(state BETWEEN 1 AND 9), current INTEGER NOT NULL CHECK(current "
    "IN (0, 1)),"
    " managed INTEGER NOT NULL CHECK(managed IN (0, 1)), pinned INTEGER NOT NULL CHECK(pinned IN "
    "(0, 1)),"
    " shared INTEGER NOT NULL DEFAULT 0 CHECK(shared IN (0, 1)), action INTEGER, owner INTEGER,"
    " object INTEGER REFERENCES object(id), compute_ms INTEGER, made_ms INTEGER,"
    " last_used_ms INTEGER, changed INTEGER NOT NULL DEFAULT 0, deleted_ms INTEGER,"
    " adopted_from TEXT, UNIQUE(hash, generation),"
    " CHECK(state NOT BETWEEN 4 AND 8 OR object IS NOT NULL)) STRICT;",
    "INSERT INTO dataset_5(" DATASET_COLUMNS ", object) SELECT" DATASET_COLUMNS
    ", CASE WHEN path IS NOT NULL OR made_ms IS NOT NULL THEN id END FROM dataset"
    " WHERE id BETWEEN ?1 AND ?2 ORDER BY id;",
    "DROP TABLE dataset;",
    "PRAGMA legacy_alter_table=ON;", /* who points to the table means the new one */
    "ALTER TABLE dataset_5 RENAME TO dataset;",
    "PRAGMA legacy_alter_table=OFF;",
    "CREATE UNIQUE INDEX dataset_current ON dataset(hash) WHERE current = 1;",
    "CREATE INDEX dataset_leaving ON dataset(state) WHERE state BETWEEN 6 AND 8;",
    "UPDATE dataset SET changed = 1 WHERE changed = 0 AND current = 1;", /* of schema 1 */
    "CREATE INDEX dataset_changed ON dataset(changed) WHERE changed > 0;",
    "CREATE INDEX dataset_leaf ON dataset(last_used_ms) WHERE state = 5;",
    "CREATE INDEX dataset_pinned ON dataset(state) WHERE pinned = 1;",
    "CREATE INDEX dataset_shared ON dataset(object) WHERE shared = 1;",
    "CREATE INDEX dataset_outside ON dataset(object) WHERE managed = 0;",

    /* ROLLBACK, not ABORT: a statement that may abort keeps a journal of its own. */
    "DROP TRIGGER handed_with_attempt;",
    "CREATE TRIGGER handed_with_attempt AFTER UPDATE OF state ON action WHEN NEW.state IN (4, 5)"
    " AND NOT EXISTS (SELECT 1 FROM attempt t WHERE t.action = NEW.id AND t.epoch = NEW.epoch AND"
    " t.state < 3) BEGIN SELECT RAISE(ROLLBACK, 'an action is handed out without an attempt'); "
    "END;",
    "DROP TRIGGER attempt_ends_last;",
    "CREATE TRIGGER attempt_ends_last AFTER UPDATE OF state ON attempt"
    " WHEN OLD.state < 3 AND NEW.state = 3 AND" HANDED_OUT
    " BEGIN SELECT RAISE(ROLLBACK, 'an attempt ends before its action'); END;",
    "DROP TRIGGER attempt_goes_last;",
    "CREATE TRIGGER attempt_goes_last AFTER DELETE ON attempt WHEN OLD.state < 3 AND" HANDED_OUT
    " BEGIN SELECT RAISE(ROLLBACK, 'an attempt goes before its action'); END;",
    NULL,
};
