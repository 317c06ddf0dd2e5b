/* migration_4.h - the graphs and plans of an older store become rows. */
#ifndef PINGO__STORE_MIGRATION_4_H
#define PINGO__STORE_MIGRATION_4_H

#include "store/db.h"

/* SQL; the text of each graph, read once more; SQL.  All in one transaction. */
extern const char *const pingo__store_migration_4[];
int pingo__store_graphs_of_text(struct pingo__store_db *db, struct pingo_error *err);
extern const char *const pingo__store_migration_4_end[];

/* Of the table of actions; 4 makes that anew, and then them. */
#define HANDED_WITH_ATTEMPT                                                                        \
    "CREATE TRIGGER handed_with_attempt AFTER UPDATE OF state ON action WHEN NEW.state IN (4, 5)"  \
    " AND NOT EXISTS (SELECT 1 FROM attempt t WHERE t.action = NEW.id AND t.epoch = NEW.epoch AND" \
    " t.state < 3) BEGIN SELECT RAISE(ABORT, 'an action is handed out without an attempt'); END;"
#define DRIVING_PLANNED                                                                            \
    "CREATE TRIGGER driving_planned AFTER UPDATE OF joined ON action BEGIN"                        \
    " UPDATE driving SET changes = changes + 1; END;"

#endif
