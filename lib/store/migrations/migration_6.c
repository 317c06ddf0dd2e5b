/* migration_6.c - the changes of migration 6; see the head of schema.c. */
#include "store/migrations/migrations.h"

const char *const pingo__store_migration_6[] = {
    "DROP INDEX node_user;",
    "DROP INDEX node_name;",
    "DROP INDEX node_leaf;",
    "DROP INDEX node_result;",
    "DROP INDEX node_output;",
    "DROP INDEX edge_parent;",
    "DROP INDEX label_value;",
    "ALTER TABLE node RENAME TO node_5;",
    "ALTER TABLE input RENAME TO input_5;",
    "ALTER TABLE label RENAME TO label_5;",

    /* Nodes of graphs, one after the other, that many graphs may have: store/submission/graph.h.  id: of its first
     * node. */
    "CREATE TABLE part(id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE"
    " CHECK(length(digest) = 32)) STRICT;",
    /* The parts of a graph.  first: the position of its first node; n: how many it has. */
    "CREATE TABLE graph_part(graph INTEGER NOT NULL REFERENCES graph(id), first INTEGER NOT NULL,"
    " part INTEGER NOT NULL REFERENCES part(id), n INTEGER NOT NULL CHECK(n > 0),"
    " PRIMARY KEY(graph, first)) STRICT, WITHOUT ROWID;",
    "CREATE INDEX graph_part_part ON graph_part(part, graph);",
    /* See 4.  resources: what few actions have, as JSON: workflow/resources.h; NULL: cpus, memory_mb and time_limit_s
     * say it all.  parents: how far each is away, packed by store/submission/graph.c. */
    "CREATE TABLE node(id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, name TEXT NOT NULL,"
    " type TEXT NOT NULL, hash BLOB NOT NULL CHECK(length(hash) = 32),"
    " leaf INTEGER NOT NULL CHECK(leaf IN (0, 1)), forced INTEGER NOT NULL, keep INTEGER NOT NULL,"
    " sandbox INTEGER NOT NULL, retries INTEGER NOT NULL, cpus INTEGER NOT NULL,"
    " memory_mb INTEGER NOT NULL, time_limit_s INTEGER NOT NULL, output_path TEXT, executor TEXT,"
    " executor_options TEXT, resources TEXT, parents BLOB) STRICT;",
    "CREATE INDEX node_user ON node(user_id);",
    "CREATE INDEX node_name ON node(name);",
    "CREATE INDEX node_leaf ON node(leaf) WHERE leaf = 1;",
    "CREATE INDEX node_result ON node(hash) WHERE leaf = 1;",
    "CREATE INDEX node_output ON node(output_path) WHERE output_path IS NOT NULL;",
    /* path: absolute, or from the document's base directory on. */
    "CREATE TABLE input(node INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " name TEXT NOT NULL, path TEXT, PRIMARY KEY(node, ordinal)) STRICT, WITHOUT ROWID;",
    "CREATE TABLE label(node INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(node, key)) STRICT, WITHOUT ROWID;",
    "CREATE INDEX label_value ON label(key, value);",
    /* For people: the nodes of all graphs with their positions, which takes a pass over a graph. */
    "CREATE VIEW graph_node AS SELECT gp.graph, gp.first + n.id - gp.part AS position, n.*"
    " FROM graph_part gp JOIN node n ON n.id BETWEEN gp.part AND gp.part + gp.n - 1;",

    /* Memory that grows.  given_mb: what the next try of an action gets at least; 0: what its node says.  growths: how
     * often it died of memory and was given more.  memory_mb: what an attempt was given; NULL: nobody knows;
     * memory_from: why, enum pingo_memory_from. */
    "ALTER TABLE action ADD COLUMN given_mb INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE action ADD COLUMN growths INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE attempt ADD COLUMN memory_mb INTEGER;",
    "ALTER TABLE attempt ADD COLUMN memory_from INTEGER NOT NULL DEFAULT 0;",
    /* What its engine calls an attempt, such as 17_4 of Slurm; NULL: nothing. */
    "ALTER TABLE attempt ADD COLUMN job TEXT;",
    /* What was needed, by a key of digest/likeness.h. */
    "CREATE TABLE memory(key BLOB PRIMARY KEY CHECK(length(key) = 32),"
    " mb INTEGER NOT NULL CHECK(mb > 0)) STRICT, WITHOUT ROWID;",
    NULL,
};
const char *const pingo__store_migration_6_end[] = {
    "DROP TABLE node_5;", "DROP TABLE edge;", "DROP TABLE input_5;", "DROP TABLE label_5;", NULL,
};
