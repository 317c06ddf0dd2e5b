/* migration_4.c - the tables of migration 4; see migrations.h and the head of schema.c. */
#include "store/migrations/migrations.h"

/* Graph and plan are rows, which graphs_of_text.c fills. */
const char *const pingo__store_migration_4[] = {
    /* The actions of a graph, position: in the document.  forced: by the document.  output_path NULL: managed. */
    "CREATE TABLE node(graph INTEGER NOT NULL REFERENCES graph(id), position INTEGER NOT NULL,"
    " user_id INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,"
    " hash BLOB NOT NULL CHECK(length(hash) = 32), leaf INTEGER NOT NULL CHECK(leaf IN (0, 1)),"
    " forced INTEGER NOT NULL, keep INTEGER NOT NULL, sandbox INTEGER NOT NULL,"
    " retries INTEGER NOT NULL, cpus INTEGER NOT NULL, memory_mb INTEGER NOT NULL,"
    " time_limit_s INTEGER NOT NULL, output_path TEXT, executor TEXT, executor_options TEXT,"
    " PRIMARY KEY(graph, position)) STRICT, WITHOUT ROWID;",
    "CREATE INDEX node_user ON node(graph, user_id);",
    "CREATE INDEX node_name ON node(name, graph);",
    "CREATE INDEX node_leaf ON node(graph) WHERE leaf = 1;",
    "CREATE INDEX node_result ON node(hash, graph) WHERE leaf = 1;",
    "CREATE INDEX node_output ON node(output_path) WHERE output_path IS NOT NULL;",
    /* Positions; ordinal: of the parent among those of the child. */
    "CREATE TABLE edge(graph INTEGER NOT NULL, child INTEGER NOT NULL, ordinal INTEGER NOT NULL,"
    " parent INTEGER NOT NULL, role TEXT NOT NULL, PRIMARY KEY(graph, child, ordinal))"
    " STRICT, WITHOUT ROWID;",
    "CREATE INDEX edge_parent ON edge(graph, parent);",
    /* The originals that have a path, and the tools, of a node.  kind: enum pingo__digest_original_kind. */
    "CREATE TABLE input(graph INTEGER NOT NULL, position INTEGER NOT NULL, ordinal INTEGER NOT"
    " NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, path TEXT,"
    " PRIMARY KEY(graph, position, ordinal)) STRICT, WITHOUT ROWID;",

    /* What a submission plans: store/submission/plans.h.  reason NULL: planned again. */
    "CREATE TABLE plan(workflow INTEGER NOT NULL REFERENCES workflow(id), position INTEGER NOT "
    "NULL,"
    " decision INTEGER NOT NULL, reason INTEGER NOT NULL, PRIMARY KEY(workflow, position))"
    " STRICT, WITHOUT ROWID;",
    /* Datasets whose bytes were found gone, and whose readers are still to be planned again. */
    "CREATE TABLE lost(dataset INTEGER PRIMARY KEY REFERENCES dataset(id)) STRICT;",
    "ALTER TABLE action ADD COLUMN reason INTEGER;",
    "DROP TABLE target;",
    "CREATE TABLE target(workflow INTEGER NOT NULL REFERENCES workflow(id),"
    " position INTEGER NOT NULL, hash BLOB NOT NULL CHECK(length(hash) = 32),"
    " PRIMARY KEY(workflow, position)) STRICT, WITHOUT ROWID;",
    "CREATE INDEX target_hash ON target(hash);",
    /* The machine that ran an attempt. */
    "ALTER TABLE attempt ADD COLUMN host TEXT;",
    NULL,
};
#define PROGRESS                                                                                   \
    " waiting, ready, processing, submitted, running, finished, failed, killed, cancelled "
#define ACTION_COLUMNS                                                                             \
    " id, workflow, position, hash, dataset, joined, state, epoch, owner, waits, priority, rank,"  \
    " forced, retries, tries, refusals, not_before_ms, wanted, lost, message, ended_ms, reason "
const char *const pingo__store_migration_4_end[] = {
    "DROP TABLE workflow_plan;",
    "DROP TABLE leaf;",
    "ALTER TABLE graph DROP COLUMN leaves;",
    "ALTER TABLE graph DROP COLUMN hashes;",
    /* What becomes of an action that computes or joins; what it is says its node.  See 1; retries: those left. */
    "CREATE TABLE action_4(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " workflow INTEGER NOT NULL REFERENCES workflow(id), position INTEGER NOT NULL,"
    " hash BLOB NOT NULL CHECK(length(hash) = 32), dataset INTEGER REFERENCES dataset(id),"
    " joined INTEGER REFERENCES action(id), state INTEGER NOT NULL CHECK(state BETWEEN 1 AND 9),"
    " epoch INTEGER NOT NULL DEFAULT 0, owner INTEGER, waits INTEGER NOT NULL CHECK(waits >= 0),"
    " priority INTEGER NOT NULL, rank INTEGER NOT NULL, forced INTEGER NOT NULL,"
    " retries INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0,"
    " refusals INTEGER NOT NULL DEFAULT 0, not_before_ms INTEGER NOT NULL DEFAULT 0,"
    " wanted INTEGER NOT NULL, lost BLOB, message TEXT, ended_ms INTEGER, reason INTEGER) STRICT;",
    "INSERT INTO action_4(" ACTION_COLUMNS ") SELECT" ACTION_COLUMNS "FROM action"
    " WHERE id BETWEEN ?1 AND ?2 ORDER BY id;",
    "DROP TABLE action;",
    "PRAGMA legacy_alter_table=ON;", /* who points to the table means the new one */
    "ALTER TABLE action_4 RENAME TO action;",
    "PRAGMA legacy_alter_table=OFF;",
    "CREATE INDEX action_workflow ON action(workflow, position);",
    "CREATE INDEX action_ready ON action(priority DESC, workflow, rank DESC, hash) WHERE state = "
    "2;",
    "CREATE INDEX action_handed ON action(owner) WHERE state BETWEEN 3 AND 5;",
    "CREATE INDEX action_joined ON action(joined) WHERE joined IS NOT NULL;",
    "CREATE INDEX action_joins ON action(workflow) WHERE joined IS NOT NULL;",
    "CREATE INDEX action_joiner ON action(workflow) WHERE joined IS NOT NULL AND state = 1;",
    DRIVING_PLANNED,
    HANDED_WITH_ATTEMPT,
    /* How many actions of a submission are in each state, so that nobody counts a million rows; of a position the
     * newest row counts, and older ones are final. */
    "CREATE TABLE progress(workflow INTEGER PRIMARY KEY REFERENCES workflow(id),"
    " waiting INTEGER NOT NULL, ready INTEGER NOT NULL, processing INTEGER NOT NULL,"
    " submitted INTEGER NOT NULL, running INTEGER NOT NULL, finished INTEGER NOT NULL,"
    " failed INTEGER NOT NULL, killed INTEGER NOT NULL, cancelled INTEGER NOT NULL) STRICT;",
    "INSERT INTO progress(workflow," PROGRESS ") SELECT workflow, sum(state = 1), sum(state = 2),"
    " sum(state = 3), sum(state = 4), sum(state = 5), sum(state = 6), sum(state = 7),"
    " sum(state = 8), sum(state = 9) FROM action a WHERE NOT EXISTS (SELECT 1 FROM action b WHERE"
    " b.workflow = a.workflow AND b.position = a.position AND b.id > a.id) GROUP BY workflow;",
    NULL,
};
