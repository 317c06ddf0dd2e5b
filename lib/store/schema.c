/* schema.c - the tables.
 *
 * What always holds: a migration, once released, is never edited; a change is a
 * new one at the end.  user_version counts the migrations that were applied.
 * States are the numbers of <pingo/store.h>; times are ms since 1970 UTC. */
#include "store/migrations/migrations.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

/* 1: the foundation. */
static const char *const migration_1[] = {
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;",
    "CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;",

    /* A scheduler that is alive holds an flock on owners/ID. */
    "CREATE TABLE owner(id INTEGER PRIMARY KEY AUTOINCREMENT, boot_id TEXT NOT NULL,"
    " pid INTEGER NOT NULL, started_ms INTEGER NOT NULL) STRICT;",

    /* Content hashes of single files, by what stat says of them. */
    "CREATE TABLE file_content(device INTEGER NOT NULL, inode INTEGER NOT NULL,"
    " size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,"
    " hash BLOB NOT NULL CHECK(length(hash) = 32), PRIMARY KEY(device, inode)) STRICT, WITHOUT "
    "ROWID;",

    /* The canonical description of every action that was ever hashed here. */
    "CREATE TABLE definition(hash BLOB PRIMARY KEY CHECK(length(hash) = 32),"
    " description BLOB NOT NULL) STRICT, WITHOUT ROWID;",

    /* Each workflow text once; digest: of the base directory and the text. */
    "CREATE TABLE document(id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE"
    " CHECK(length(digest) = 32), base_dir TEXT NOT NULL, name TEXT NOT NULL,"
    " nactions INTEGER NOT NULL, text BLOB NOT NULL) STRICT;",
    "CREATE TABLE document_original(document INTEGER NOT NULL REFERENCES document(id),"
    " ordinal INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT, path TEXT,"
    " PRIMARY KEY(document, ordinal)) STRICT, WITHOUT ROWID;",

    /* A document with the identities of its originals gives one hash an action.
     * originals: digest over these identities; leaves: u32 positions; plain: nothing
     * is forced or unmanaged; hashes: 32 bytes an action. */
    "CREATE TABLE graph(id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES document(id),"
    " originals BLOB NOT NULL CHECK(length(originals) = 32), plain INTEGER NOT NULL,"
    " leaves BLOB NOT NULL, hashes BLOB NOT NULL, UNIQUE(document, originals)) STRICT;",

    /* A submission.  unfinished: how many of its rows in action are not final. */
    "CREATE TABLE workflow(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " graph INTEGER NOT NULL REFERENCES graph(id), state INTEGER NOT NULL CHECK(state BETWEEN 1 "
    "AND 4),"
    " user TEXT NOT NULL, priority INTEGER NOT NULL, submitted_ms INTEGER NOT NULL, ended_ms"
    " INTEGER, unfinished INTEGER NOT NULL CHECK(unfinished >= 0),"
    " ncompute INTEGER NOT NULL, nreuse INTEGER NOT NULL, njoin INTEGER NOT NULL,"
    " nskip INTEGER NOT NULL) STRICT;",
    /* What was planned, apart because it is large.  targets: u32 positions, NULL: the leaves.
     * decisions: two bytes an action (decision, reason), NULL: what was wanted is reused, the rest
     * skipped. */
    "CREATE TABLE workflow_plan(workflow INTEGER PRIMARY KEY REFERENCES workflow(id), targets BLOB,"
    " decisions BLOB) STRICT;",
    "CREATE INDEX workflow_running ON workflow(id) WHERE state = 1;",
    "CREATE INDEX workflow_graph ON workflow(graph);",

    /* An action that computes or joins.  position: in the document.  dataset: the
     * generation it makes.  joined: the action whose end is its own.  waits: unfinished
     * actions it depends on.  rank: longest remaining path, ms. */
    "CREATE TABLE action(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " workflow INTEGER NOT NULL REFERENCES workflow(id), position INTEGER NOT NULL,"
    " user_id INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,"
    " hash BLOB NOT NULL REFERENCES definition(hash),"
    " dataset INTEGER REFERENCES dataset(id), joined INTEGER REFERENCES action(id),"
    " state INTEGER NOT NULL CHECK(state BETWEEN 1 AND 9), epoch INTEGER NOT NULL DEFAULT 0,"
    " owner INTEGER, waits INTEGER NOT NULL CHECK(waits >= 0),"
    " priority INTEGER NOT NULL, rank INTEGER NOT NULL, forced INTEGER NOT NULL,"
    " retries INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0,"
    " not_before_ms INTEGER NOT NULL DEFAULT 0, cpus INTEGER NOT NULL, memory_mb INTEGER NOT NULL,"
    " time_limit_s INTEGER NOT NULL, keep INTEGER NOT NULL, wanted INTEGER NOT NULL,"
    " output_path TEXT, lost BLOB, message TEXT, ended_ms INTEGER) STRICT;",
    "CREATE INDEX action_workflow ON action(workflow, position);",
    "CREATE INDEX action_ready ON action(priority DESC, workflow, rank DESC, hash) WHERE state = "
    "2;",
    "CREATE INDEX action_handed ON action(owner) WHERE state BETWEEN 3 AND 5;",
    "CREATE INDEX action_joined ON action(joined) WHERE joined IS NOT NULL;",
    "CREATE INDEX action_hash ON action(hash);",
    "CREATE INDEX action_name ON action(name);",
    "CREATE INDEX action_output ON action(output_path) WHERE output_path IS NOT NULL;",

    /* child waits for parent; data: it also reads the parent's dataset and ends with it. */
    "CREATE TABLE dependency(parent INTEGER NOT NULL REFERENCES action(id),"
    " child INTEGER NOT NULL REFERENCES action(id), data INTEGER NOT NULL CHECK(data IN (0, 1)),"
    " PRIMARY KEY(parent, child)) STRICT, WITHOUT ROWID;",
    "CREATE INDEX dependency_child ON dependency(child);",

    /* The originals and tools of an action that computes, as they were hashed.
     * stamp NULL: too young to be trusted, compare content. */
    "CREATE TABLE action_original(action INTEGER NOT NULL REFERENCES action(id),"
    " ordinal INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL,"
    " hash BLOB NOT NULL, stamp BLOB, PRIMARY KEY(action, ordinal)) STRICT, WITHOUT ROWID;",

    /* One row a generation.  path: below the pool, or absolute when unmanaged. */
    "CREATE TABLE dataset(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " hash BLOB NOT NULL REFERENCES definition(hash), generation INTEGER NOT NULL CHECK(generation "
    "> 0),"
    " state INTEGER NOT NULL CHECK(state BETWEEN 1 AND 9), current INTEGER NOT NULL CHECK(current "
    "IN (0, 1)),"
    " managed INTEGER NOT NULL CHECK(managed IN (0, 1)), pinned INTEGER NOT NULL CHECK(pinned IN"
    " (0, 1)), action INTEGER, epoch INTEGER, owner INTEGER, path TEXT, directory INTEGER,"
    " inode INTEGER, mtime_ns INTEGER, size_bytes INTEGER, content BLOB, compute_ms INTEGER,"
    " made_ms INTEGER, last_used_ms INTEGER, UNIQUE(hash, generation),"
    " CHECK(state NOT BETWEEN 4 AND 8 OR path IS NOT NULL)) STRICT;",
    "CREATE UNIQUE INDEX dataset_current ON dataset(hash) WHERE current = 1;",
    "CREATE INDEX dataset_leaving ON dataset(state) WHERE state BETWEEN 6 AND 8;",
    "CREATE INDEX dataset_path ON dataset(path) WHERE path IS NOT NULL;",

    /* An unfinished action needs this generation. */
    "CREATE TABLE claim(dataset INTEGER NOT NULL REFERENCES dataset(id),"
    " action INTEGER NOT NULL REFERENCES action(id), PRIMARY KEY(dataset, action)) STRICT, WITHOUT "
    "ROWID;",
    "CREATE INDEX claim_action ON claim(action);",

    /* A living process reads this generation (export): as good as a claim. */
    "CREATE TABLE hold(dataset INTEGER NOT NULL REFERENCES dataset(id),"
    " owner INTEGER NOT NULL REFERENCES owner(id) ON DELETE CASCADE,"
    " PRIMARY KEY(dataset, owner)) STRICT, WITHOUT ROWID;",
    "CREATE INDEX hold_owner ON hold(owner);",

    /* state 1: handed to the executor, 2: started, 3: ended.  unwanted: end it. */
    "CREATE TABLE attempt(action INTEGER NOT NULL REFERENCES action(id), epoch INTEGER NOT NULL,"
    " executor TEXT NOT NULL, owner INTEGER, state INTEGER NOT NULL CHECK(state BETWEEN 1 AND 3),"
    " unwanted INTEGER NOT NULL DEFAULT 0, reason INTEGER, exit_code INTEGER, signal INTEGER,"
    " handed_ms INTEGER NOT NULL, started_ms INTEGER, ended_ms INTEGER, wall_ms INTEGER, user_ms "
    "INTEGER,"
    " system_ms INTEGER, max_rss_bytes INTEGER, PRIMARY KEY(action, epoch)) STRICT, WITHOUT ROWID;",
    "CREATE INDEX attempt_open ON attempt(owner, unwanted) WHERE state < 3;",
    NULL,
};

/* 2: the pool keeps to its budget. */
static const char *const migration_2[] = {
    /* changed: counts the changes of state of all datasets, so that who looked before sees what is
     * new.  deleted_ms: when its bytes were gone. */
    "ALTER TABLE dataset ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE dataset ADD COLUMN deleted_ms INTEGER;",
    "CREATE INDEX dataset_changed ON dataset(changed);",
    "CREATE INDEX dataset_leaf ON dataset(last_used_ms) WHERE state = 5;",
    "CREATE INDEX dataset_pinned ON dataset(state) WHERE pinned = 1;",

    /* What managed datasets hold, by state, so that nobody adds up a million rows. */
    "CREATE TABLE usage(state INTEGER PRIMARY KEY CHECK(state BETWEEN 4 AND 8),"
    " ndatasets INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;",
    "INSERT INTO usage VALUES(4, 0, 0), (5, 0, 0), (6, 0, 0), (7, 0, 0), (8, 0, 0);",
    "UPDATE usage SET ndatasets = (SELECT count(*) FROM dataset d WHERE d.managed = 1 AND"
    " d.state = usage.state), bytes = (SELECT coalesce(sum(d.size_bytes), 0) FROM dataset d"
    " WHERE d.managed = 1 AND d.state = usage.state);",
    "CREATE TRIGGER dataset_usage AFTER UPDATE OF state ON dataset"
    " WHEN NEW.managed = 1 AND OLD.state <> NEW.state BEGIN"
    " UPDATE usage SET ndatasets = ndatasets - 1, bytes = bytes - coalesce(NEW.size_bytes, 0)"
    " WHERE state = OLD.state;"
    " UPDATE usage SET ndatasets = ndatasets + 1, bytes = bytes + coalesce(NEW.size_bytes, 0)"
    " WHERE state = NEW.state; END;",

    /* The ledger.  workflow: the last submission that the decision knew.  remake_ms: what it took to
     * make it again then, with its missing ancestors.  rescued_ms: it was needed before its bytes
     * went.  regret_ms: what it took when it was made again. */
    "CREATE TABLE eviction(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " dataset INTEGER NOT NULL REFERENCES dataset(id), hash BLOB NOT NULL,"
    " evicted_ms INTEGER NOT NULL, workflow INTEGER NOT NULL, algorithm TEXT NOT NULL,"
    " score REAL NOT NULL, size_bytes INTEGER NOT NULL, remake_ms INTEGER NOT NULL,"
    " reason TEXT NOT NULL, rescued_ms INTEGER, regretted_ms INTEGER, regret_ms INTEGER) STRICT;",
    "CREATE INDEX eviction_dataset ON eviction(dataset);",
    "CREATE INDEX eviction_hash ON eviction(hash);",

    /* DELETING, but its bytes could not be removed: when to try again. */
    "CREATE TABLE undeletable(dataset INTEGER PRIMARY KEY REFERENCES dataset(id),"
    " tries INTEGER NOT NULL, not_before_ms INTEGER NOT NULL, message TEXT NOT NULL) STRICT;",

    /* What the scratch directory of a failed attempt holds, as long as it is kept. */
    "ALTER TABLE attempt ADD COLUMN scratch_bytes INTEGER;",
    "CREATE INDEX attempt_scratch ON attempt(scratch_bytes) WHERE scratch_bytes IS NOT NULL;",
    NULL,
};

/* 7, 9, 10: what is asked for is found without a look at all that ever was. */
static const char *const migration_7[] = {
    /* Which part of a graph has a node, and which comes behind it: store/submission/graph.c. */
    "CREATE INDEX graph_part_of ON graph_part(graph, part);",
    /* What its engine tells of an attempt: a JSON object; NULL: nothing. */
    "ALTER TABLE attempt ADD COLUMN progress TEXT;",
    NULL,
};

static const char *const migration_9[] = {
    /* How many actions of a submission an owner has in hand: without a look at each of them. */
    "DROP INDEX IF EXISTS action_handed;",
    "CREATE INDEX action_handed ON action(owner, workflow) WHERE state BETWEEN 3 AND 5;",
    NULL,
};

static const char *const migration_10[] = {
    /* Datasets that are not deleted, by age. */
    "DROP INDEX IF EXISTS dataset_there;",
    "CREATE INDEX dataset_there ON dataset(last_used_ms) WHERE state <> 9;",
    /* Submissions by their name, without a look at each text. */
    "DROP INDEX IF EXISTS document_name;",
    "CREATE INDEX document_name ON document(name);",
    NULL,
};

static const struct {
    const char *const *sql;
    int (*fill)(struct pingo__store_db *db,
                struct pingo_error *err); /* between the two; may be NULL */
    const char *const *end;
} migrations[] = {
    {migration_1, NULL, NULL},
    {migration_2, NULL, NULL},
    {pingo__store_migration_3, NULL, NULL},
    {pingo__store_migration_4, pingo__store_graphs_of_text, pingo__store_migration_4_end},
    {pingo__store_migration_5, NULL, NULL},
    {pingo__store_migration_6, pingo__store_parts_of_graphs, pingo__store_migration_6_end},
    {migration_7, NULL, NULL},
    {pingo__store_migration_8, pingo__store_summary_fill, NULL},
    {migration_9, NULL, NULL},
    {migration_10, NULL, NULL}};
#define NMIGRATIONS ((int64_t)(sizeof migrations / sizeof *migrations))

/* Copies the rows of a table from one id to another.  An SQLite code. */
static int copy_between(sqlite3_stmt *stmt, int64_t first, int64_t last)
{
    sqlite3_bind_int64(stmt, 1, first);
    sqlite3_bind_int64(stmt, 2, last);
    sqlite3_step(stmt);
    return sqlite3_reset(stmt);
}

/* What cannot be copied is halved until one row is left. */
static int name_row(struct pingo__store_db *db, sqlite3_stmt *stmt, struct pingo_error *err)
{
    const char *table = strstr(sqlite3_sql(stmt), " FROM ") + strlen(" FROM ");
    int64_t first = 0, last = 0;
    int rc = pingo__db_number(db, err, &last, "SELECT max(seq) FROM sqlite_sequence", NONE);
    while (!rc && first < last) {
        int64_t middle = first + (last - first) / 2;
        if (copy_between(stmt, first, middle) == SQLITE_OK)
            first = middle + 1;
        else
            last = middle;
    }
    if (rc || copy_between(stmt, first, first) == SQLITE_OK)
        return rc ? rc : pingo__store_db_fail(db, err, "migrating");
    return pingo__fail(err, PINGO_ESTORE,
                       "%s: the database pingo.db is damaged: row %" PRId64
                       " of table %.*s cannot be taken over: %s",
                       db->directory, first, (int)strcspn(table, " "), table,
                       sqlite3_errmsg(db->sqlite));
}

static int copy(struct pingo__store_db *db, const char *sql, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = 0, code = sqlite3_prepare_v2(db->sqlite, sql, -1, &stmt, NULL);
    if (code == SQLITE_OK)
        code = copy_between(stmt, INT64_MIN, INT64_MAX);
    if (code == SQLITE_CONSTRAINT)
        rc = name_row(db, stmt, err);
    else if (code != SQLITE_OK)
        rc = pingo__store_db_fail(db, err, "migrating");
    sqlite3_finalize(stmt);
    return rc;
}

static int run(struct pingo__store_db *db, const char *const *sql, struct pingo_error *err)
{
    int rc = 0;
    for (; !rc && sql && *sql; sql++)
        if (strstr(*sql, "id BETWEEN ?1 AND ?2"))
            rc = copy(db, *sql, err);
        else if (sqlite3_exec(db->sqlite, *sql, NULL, NULL, NULL) != SQLITE_OK)
            rc = pingo__store_db_fail(db, err, "migrating");
    return rc;
}

static int apply(struct pingo__store_db *db, int64_t version, struct pingo_error *err)
{
    char pragma[64];
    const char *const last[] = {pragma, NULL};
    int rc = run(db, migrations[version].sql, err);
    sqlite3_snprintf(sizeof pragma, pragma, "PRAGMA user_version=%d", (int)version + 1);
    if (!rc && migrations[version].fill)
        rc = migrations[version].fill(db, err);
    if (!rc)
        rc = run(db, migrations[version].end, err);
    return rc ? rc : run(db, last, err);
}

static void foreign_keys(struct pingo__store_db *db, int on)
{
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_FKEY, on, NULL);
}

int pingo__store_schema_migrate(struct pingo__store_db *db, struct pingo_error *err)
{
    int64_t version = 0;
    db->knows = NMIGRATIONS;
    int rc = pingo__store_db_version(db, &version, err);
    bool is_new = version == 0;
    if (rc || version == NMIGRATIONS)
        return rc;
    foreign_keys(db, 0); /* what points to a table points to none while that is made anew */
    while (!rc && version < NMIGRATIONS) {
        rc = pingo__store_db_begin(db, err);
        if (rc)
            return rc;
        /* Another process may have been faster. */
        rc = pingo__store_db_version(db, &version, err);
        if (!rc && version < NMIGRATIONS)
            rc = apply(db, version, err);
        rc = pingo__store_db_end(db, rc, err);
        db->migrated = db->migrated || (!rc && !is_new);
        version++;
    }
    foreign_keys(db, 1);
    return rc;
}
