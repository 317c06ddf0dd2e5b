/* migrations.h - the migrations that have files of their own; see the head of schema.c.  Each is SQL, and where rows
 * are taken over that SQL cannot read, a function and SQL that comes after it; all in one transaction. */
#ifndef PINGO__STORE_MIGRATIONS_H
#define PINGO__STORE_MIGRATIONS_H

#include "store/db.h"

/* Brings the database to this version, one transaction a migration.  Errors: PINGO_EVERSION when a newer
 * Pingo has migrated it, PINGO_ESTORE. */
int pingo__store_schema_migrate(struct pingo__store_db *db, struct pingo_error *err);

/* 3: version 0.2.0. */
extern const char *const pingo__store_migration_3[];

/* 4: the graphs and plans are rows, of the text of each graph, read once more. */
extern const char *const pingo__store_migration_4[], *const pingo__store_migration_4_end[];
int pingo__store_graphs_of_text(struct pingo__store_db *db, struct pingo_error *err);

/* 5: objects are rows of their own. */
extern const char *const pingo__store_migration_5[];

/* 6: graphs in parts that they share, rare resources, memory that grows. */
extern const char *const pingo__store_migration_6[], *const pingo__store_migration_6_end[];
int pingo__store_parts_of_graphs(struct pingo__store_db *db, struct pingo_error *err);

/* 8: what a server with many users needs; what ended before there were sums is summed: summary.c. */
extern const char *const pingo__store_migration_8[];
int pingo__store_summary_fill(struct pingo__store_db *db, struct pingo_error *err);

/* Of the table of actions; 4 makes that anew, and then them. */
#define HANDED_WITH_ATTEMPT                                                                        \
    "CREATE TRIGGER handed_with_attempt AFTER UPDATE OF state ON action WHEN NEW.state IN (4, 5)"  \
    " AND NOT EXISTS (SELECT 1 FROM attempt t WHERE t.action = NEW.id AND t.epoch = NEW.epoch AND" \
    " t.state < 3) BEGIN SELECT RAISE(ABORT, 'an action is handed out without an attempt'); END;"
#define DRIVING_PLANNED                                                                            \
    "CREATE TRIGGER driving_planned AFTER UPDATE OF joined ON action BEGIN"                        \
    " UPDATE driving SET changes = changes + 1; END;"

#endif
