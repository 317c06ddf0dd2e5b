/* migration_3.c - the changes of migration 3, which is version 0.2.0; see the head of schema.c. */
#include "store/migrations/migrations.h"

#include <stddef.h>

#include "store/identity.h"

/* The value of byte n of the i-th of positions: where it stands among all bytes. */
/* clang-format off */
#define SIXTEEN(h)                                                                                 \
    h "0" h "1" h "2" h "3" h "4" h "5" h "6" h "7" h "8" h "9" h "a" h "b" h "c" h "d" h "e" h "f"
#define ALL_BYTES                                                                                  \
    SIXTEEN("0") SIXTEEN("1") SIXTEEN("2") SIXTEEN("3") SIXTEEN("4") SIXTEEN("5") SIXTEEN("6")     \
    SIXTEEN("7") SIXTEEN("8") SIXTEEN("9") SIXTEEN("a") SIXTEEN("b") SIXTEEN("c") SIXTEEN("d")     \
    SIXTEEN("e") SIXTEEN("f")
/* clang-format on */
#define BYTE(blob, n) "(instr(x'" ALL_BYTES "', substr(" blob ", 4 * i + " #n ", 1)) - 1)"
#define POSITION(blob)                                                                             \
    "(" BYTE(blob, 1) " + 256 * " BYTE(blob, 2) " + 65536 * " BYTE(blob, 3) " + 16777216 * " BYTE( \
        blob, 4) ")"

const char *const pingo__store_migration_3[] = {
    /* Ours, and told apart from other programs' databases: "PING". */
    "PRAGMA application_id=1346981447;",

    /* Remarks, which enter no hash: where originals and tools lay when they were hashed, and what a version
     * command said; the places of a definition (u32 each: of its inputs, tools, version commands; 0: none);
     * what lay in a directory. */
    "CREATE TABLE place(id INTEGER PRIMARY KEY, path TEXT NOT NULL,"
    " content BLOB NOT NULL CHECK(length(content) = 32), size_bytes INTEGER, mtime_ms INTEGER,"
    " seen_ms INTEGER NOT NULL, text TEXT, UNIQUE(path, content)) STRICT;",
    "ALTER TABLE definition ADD COLUMN places BLOB;",
    "CREATE TABLE tree_listing(tree BLOB PRIMARY KEY CHECK(length(tree) = 32),"
    " listing BLOB NOT NULL) STRICT;",
    /* The labels of the actions of documents. */
    "CREATE TABLE label(document INTEGER NOT NULL REFERENCES document(id) ON DELETE CASCADE,"
    " position INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(document, position, key)) STRICT, WITHOUT ROWID;",
    "CREATE INDEX label_value ON label(key, value);",

    /* What commands of "versions" said; key: of command, environment, program's content and what
     * else their output comes from.  text: its first line. */
    "CREATE TABLE version_output(key BLOB PRIMARY KEY CHECK(length(key) = 32),"
    " output BLOB NOT NULL CHECK(length(output) = 32), text TEXT NOT NULL, said_ms INTEGER NOT"
    " NULL) STRICT, WITHOUT ROWID;",
    /* Files on tmpfs may be among them, whose times tell of no change through a mapping. */
    "DELETE FROM file_content;",
    /* Encoding 2 hashes anew what encoding 1 described: the next submission says so, once. */
    "INSERT INTO meta(key, value) SELECT 'encoding.untold', '1'"
    " WHERE EXISTS(SELECT 1 FROM definition);",

    /* What we put outside the pool, by path: store/dataset/written.h.  kind 1: a file, 2: a directory, 3: a
     * link.  content NULL: what the user let us replace.  stamp NULL: compare the content. */
    "CREATE TABLE written(path TEXT PRIMARY KEY, kind INTEGER NOT NULL CHECK(kind BETWEEN 1 AND 3),"
    " content BLOB CHECK(content IS NULL OR length(content) = 32),"
    " stamp BLOB CHECK(stamp IS NULL OR length(stamp) = 32), size_bytes INTEGER)"
    " STRICT, WITHOUT ROWID;",
    "INSERT OR IGNORE INTO written(path, kind, content, size_bytes) SELECT path,"
    " CASE directory WHEN 1 THEN 2 ELSE 1 END, content, size_bytes FROM dataset"
    " WHERE managed = 0 AND state = 5 AND path IS NOT NULL AND length(content) = 32 ORDER BY id "
    "DESC;",
    /* A name beside a target that holds, or will hold, bytes of ours while it is written. */
    "CREATE TABLE writing(temporary TEXT PRIMARY KEY, path TEXT NOT NULL, owner INTEGER NOT NULL,"
    " placed INTEGER NOT NULL CHECK(placed IN (0, 1)), kind INTEGER NOT NULL,"
    " content BLOB CHECK(content IS NULL OR length(content) = 32)) STRICT, WITHOUT ROWID;",
    "CREATE INDEX writing_path ON writing(path);",
    /* Where what was made before Pingo was taken from; NULL: an action made it. */
    "ALTER TABLE dataset ADD COLUMN adopted_from TEXT;",

    /* Who drives what.  paused: nothing of the workflow starts.  changes counts what may change for whom an
     * action is needed: pauses, kills, and what is planned again; new rows show by their numbers. */
    "ALTER TABLE workflow ADD COLUMN paused INTEGER NOT NULL DEFAULT 0 CHECK(paused IN (0, 1));",
    "CREATE INDEX workflow_held ON workflow(id) WHERE unfinished > 0 AND (state <> 1 OR paused = "
    "1);",
    "CREATE INDEX action_joiner ON action(workflow) WHERE joined IS NOT NULL AND state = 1;",
    "CREATE INDEX dependency_turn ON dependency(child) WHERE data = 0;",
    "CREATE TABLE driving(changes INTEGER NOT NULL) STRICT;",
    "INSERT INTO driving VALUES(0);",
    "CREATE TRIGGER driving_paused AFTER UPDATE OF paused, priority ON workflow BEGIN"
    " UPDATE driving SET changes = changes + 1; END;",
    "CREATE TRIGGER driving_killed AFTER UPDATE OF state ON workflow WHEN NEW.unfinished > 0 BEGIN"
    " UPDATE driving SET changes = changes + 1; END;",
    DRIVING_PLANNED,

    /* Whatever happens, an action that is handed out has an open attempt of its epoch.  AFTER costs less than
     * BEFORE. */
    HANDED_WITH_ATTEMPT,
    "CREATE TRIGGER attempt_ends_last AFTER UPDATE OF state ON attempt WHEN OLD.state < 3 AND"
    " NEW.state = 3 AND EXISTS (SELECT 1 FROM action a WHERE a.id = OLD.action AND a.epoch ="
    " OLD.epoch AND a.state IN (4, 5)) BEGIN SELECT RAISE(ABORT, 'an attempt ends before its"
    " action'); END;",
    "CREATE TRIGGER attempt_goes_last AFTER DELETE ON attempt WHEN OLD.state < 3 AND EXISTS "
    "(SELECT 1"
    " FROM action a WHERE a.id = OLD.action AND a.epoch = OLD.epoch AND a.state IN (4, 5)) BEGIN"
    " SELECT RAISE(ABORT, 'an attempt goes before its action'); END;",

    /* For whom an owner claims: 0: nobody, 1: its rows in owner_scope, 2: all that is not paused. */
    "ALTER TABLE owner ADD COLUMN scope INTEGER NOT NULL DEFAULT 0 CHECK(scope BETWEEN 0 AND 2);",
    "CREATE TABLE owner_scope(owner INTEGER NOT NULL REFERENCES owner(id) ON DELETE CASCADE,"
    " workflow INTEGER NOT NULL, PRIMARY KEY(owner, workflow)) STRICT, WITHOUT ROWID;",

    /* An action met a full disk: what its last attempt that did held then. */
    "CREATE TABLE disk_full(action INTEGER PRIMARY KEY REFERENCES action(id), bytes INTEGER NOT "
    "NULL) STRICT;",

    /* What lies in the pool, is no dataset's, and could not be removed: it counts as used. */
    "CREATE TABLE orphan(name TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;",

    /* pingo forget: of a forgotten submission no text is left; a forgotten description says type and
     * parents alone. */
    "ALTER TABLE workflow ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0 CHECK(forgotten IN (0, "
    "1));",
    "ALTER TABLE definition ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;",

    /* Wishes: a submission wants its graph's leaves (workflow.wishes 1) or its targets (2) kept as results,
     * until it has released all of them (0) or one (released).  unwished: everybody up to a submission
     * has.  leaf: of each graph, so that a known graph costs one row. */
    "ALTER TABLE workflow ADD COLUMN wishes INTEGER NOT NULL DEFAULT 1 CHECK(wishes BETWEEN 0 AND "
    "2);",
    "CREATE INDEX workflow_wishing ON workflow(graph) WHERE wishes = 1;",
    "CREATE TABLE leaf(hash BLOB NOT NULL CHECK(length(hash) = 32),"
    " graph INTEGER NOT NULL REFERENCES graph(id), PRIMARY KEY(hash, graph)) STRICT, WITHOUT "
    "ROWID;",
    "CREATE TABLE target(workflow INTEGER NOT NULL REFERENCES workflow(id),"
    " hash BLOB NOT NULL CHECK(length(hash) = 32), PRIMARY KEY(workflow, hash)) STRICT, WITHOUT "
    "ROWID;",
    "CREATE INDEX target_hash ON target(hash);",
    "CREATE TABLE released(workflow INTEGER NOT NULL REFERENCES workflow(id),"
    " hash BLOB NOT NULL CHECK(length(hash) = 32), PRIMARY KEY(workflow, hash)) STRICT, WITHOUT "
    "ROWID;",
    "CREATE TABLE unwished(hash BLOB PRIMARY KEY CHECK(length(hash) = 32),"
    " through INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
    /* Of a store of version 0.1: positions are u32, the lowest byte first.  What is no LEAF there was released. */
    "INSERT OR IGNORE INTO leaf(hash, graph) WITH RECURSIVE"
    " each(graph, i, n) AS (SELECT id, 0, length(leaves) / 4 FROM graph WHERE length(leaves) > 3"
    " UNION ALL SELECT graph, i + 1, n FROM each WHERE i + 1 < n)"
    " SELECT substr(g.hashes, 1 + 32 * " POSITION("g.leaves") ", 32), g.id FROM each JOIN graph g"
                                                              " ON g.id = each.graph;",
    "INSERT OR IGNORE INTO target(workflow, hash) WITH RECURSIVE"
    " each(workflow, i, n) AS (SELECT workflow, 0, length(targets) / 4 FROM workflow_plan"
    " WHERE length(targets) > 3 UNION ALL SELECT workflow, i + 1, n FROM each WHERE i + 1 < n)"
    " SELECT w.id, substr(g.hashes, 1 + 32 * " POSITION(
        "p.targets") ", 32) FROM each"
                     " JOIN workflow_plan p ON p.workflow = each.workflow JOIN workflow w ON w.id "
                     "= each.workflow"
                     " JOIN graph g ON g.id = w.graph;",
    "UPDATE workflow SET wishes = 2 WHERE id IN (SELECT workflow FROM target);",
    "INSERT INTO unwished(hash, through) SELECT d.hash, (SELECT max(id) FROM workflow) FROM "
    "dataset d"
    " WHERE d.current = 1 AND d.state <> 5 AND (EXISTS (SELECT 1 FROM leaf WHERE hash = d.hash) OR"
    " EXISTS (SELECT 1 FROM target WHERE hash = d.hash));",

    /* sandbox: what the action says, enum pingo_sandbox.  confined: did the attempt run in it? */
    "ALTER TABLE action ADD COLUMN sandbox INTEGER NOT NULL DEFAULT 0 CHECK(sandbox BETWEEN 0 AND "
    "2);",
    "ALTER TABLE attempt ADD COLUMN confined INTEGER;",

    /* Embedding.  refusals: how often no attempt could be started.  executor: its name where the action names
     * one; options: JSON for it.  tag: by which a program finds its submission again. */
    "ALTER TABLE action ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE action ADD COLUMN executor TEXT;",
    "ALTER TABLE action ADD COLUMN executor_options TEXT;",
    "ALTER TABLE workflow ADD COLUMN tag TEXT;",
    "CREATE INDEX workflow_tag ON workflow(tag) WHERE tag IS NOT NULL;",

    /* What an attempt reads, as it was when it began: manager/attempt/originals.c. */
    "ALTER TABLE attempt ADD COLUMN touched BLOB;",
    /* Its end was reported, and its output is being read: the struct pingo_job_end, as whoever took it has it. */
    "ALTER TABLE attempt ADD COLUMN told BLOB;",

    /* Of what was published, to see that nothing in it was touched: digest/content.h.  0: not known. */
    "ALTER TABLE dataset ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;",
    NULL,
};

_Static_assert(PINGO__APPLICATION_ID == 1346981447, "migration_3 says the same");
