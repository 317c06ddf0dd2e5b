/* migration_8.c - the changes of migration 8: what a server with many users needs; see the head of schema.c. */
#include "store/migrations/migrations.h"

#include <stddef.h>

#define SUMMARY_COLUMNS                                                                            \
    "(step INTEGER NOT NULL, error INTEGER NOT NULL, executor TEXT NOT NULL, node TEXT NOT NULL,"  \
    " user TEXT NOT NULL, n INTEGER NOT NULL, wall_ms INTEGER NOT NULL, cpu_ms INTEGER NOT NULL,"  \
    " wait_ms INTEGER NOT NULL, retried INTEGER NOT NULL, retried_ms INTEGER NOT NULL,"            \
    " PRIMARY KEY(step, error, executor, node, user)) STRICT, WITHOUT ROWID;"

const char *const pingo__store_migration_8[] = {
    /* ---- what changed: store/feed.h ---- */
    /* One row a commit; id: how many changes there were with its own. */
    "CREATE TABLE feed(id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, events BLOB NOT NULL) STRICT;",
    "DELETE FROM meta WHERE key = 'transitions';",

    /* ---- who may: tokens, audit, keys of requests: store/access.h ---- */
    /* digest: SHA-256 of its text.  expires_ms NULL: never. */
    "CREATE TABLE token(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,"
    " digest BLOB NOT NULL UNIQUE CHECK(length(digest) = 32), user TEXT NOT NULL,"
    " role INTEGER NOT NULL CHECK(role BETWEEN 1 AND 3), created_ms INTEGER NOT NULL,"
    " expires_ms INTEGER, used_ms INTEGER, revoked_ms INTEGER) STRICT;",
    "CREATE UNIQUE INDEX token_name ON token(name) WHERE revoked_ms IS NULL;",
    "CREATE TABLE audit(id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, user TEXT NOT NULL,"
    " way TEXT NOT NULL, verb TEXT NOT NULL, object TEXT NOT NULL, result TEXT NOT NULL) STRICT;",
    /* A submission by the key that its user gave; digest: of all that he asked for. */
    "CREATE TABLE request(user TEXT NOT NULL, key TEXT NOT NULL,"
    " digest BLOB NOT NULL CHECK(length(digest) = 32), at_ms INTEGER NOT NULL,"
    " workflow INTEGER NOT NULL, state INTEGER NOT NULL, PRIMARY KEY(user, key)) STRICT, WITHOUT "
    "ROWID;",
    "CREATE INDEX request_at ON request(at_ms);",

    /* ---- users and their shares: store/submission/users.h ---- */

    /* weight, and quotas (NULL: none): slots in hand, actions that wait, bytes of results and pins.  running: slots
     * that its actions have in hand.  usage_ms: slots by time, as it was at as_of_ms. */
    "CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " weight INTEGER NOT NULL DEFAULT 1 CHECK(weight BETWEEN 1 AND 10000), slots INTEGER,"
    " actions INTEGER, bytes INTEGER, running INTEGER NOT NULL DEFAULT 0,"
    " usage_ms INTEGER NOT NULL DEFAULT 0, as_of_ms INTEGER NOT NULL DEFAULT 0) STRICT;",
    "INSERT INTO user(name) SELECT user FROM workflow GROUP BY user ORDER BY min(id);",
    /* The queue of what several users wait for: id below 0; users: their numbers, as in ",1,4,". */
    "CREATE TABLE joint(id INTEGER PRIMARY KEY CHECK(id < 0), users TEXT NOT NULL UNIQUE) STRICT;",
    "ALTER TABLE workflow ADD COLUMN user_number INTEGER NOT NULL DEFAULT 0;",
    "UPDATE workflow SET user_number = (SELECT id FROM user WHERE name = workflow.user);",
    /* user: for whom it is counted.  queue: of the user, 0: before all shares, or joint.  Of those that have ended long
     * ago nobody asks. */
    "ALTER TABLE action ADD COLUMN user INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE action ADD COLUMN queue INTEGER NOT NULL DEFAULT 0;",
    "UPDATE action SET user = (SELECT user_number FROM workflow w WHERE w.id = action.workflow),"
    " queue = iif(priority > 0, 0, (SELECT user_number FROM workflow w WHERE w.id ="
    " action.workflow)) WHERE state < 6;",
    "DROP INDEX IF EXISTS action_ready;",
    "CREATE INDEX action_ready ON action(queue, priority DESC, workflow, rank DESC, hash)"
    " WHERE state = 2;",
    "UPDATE user SET running = (SELECT coalesce(sum(max(n.cpus, 1)), 0) FROM action a"
    " JOIN workflow w ON w.id = a.workflow JOIN graph_part p ON p.graph = w.graph"
    " AND a.position BETWEEN p.first AND p.first + p.n - 1"
    " JOIN node n ON n.id = p.part + a.position - p.first"
    " WHERE a.state BETWEEN 3 AND 5 AND a.user = user.id);",

    /* ---- errors and summaries: store/action/summary.h ---- */
    /* Of which failure an attempt is: 0: of none. */
    "ALTER TABLE attempt ADD COLUMN error INTEGER NOT NULL DEFAULT 0;",
    "CREATE INDEX attempt_error ON attempt(error, ended_ms) WHERE error > 0;",
    "CREATE INDEX attempt_failed ON attempt(ended_ms) WHERE error > 0;",
    /* digest: of what tells it from others; NULL: it stands for all of its category that have no row. */
    "CREATE TABLE error(id INTEGER PRIMARY KEY, digest BLOB UNIQUE CHECK(length(digest) = 32),"
    " category INTEGER NOT NULL CHECK(category > 0), reason INTEGER NOT NULL, exit_code INTEGER,"
    " signal INTEGER, text TEXT NOT NULL, first_ms INTEGER, last_ms INTEGER,"
    " n INTEGER NOT NULL DEFAULT 0, examples TEXT NOT NULL DEFAULT '') STRICT;",
    "INSERT INTO error(id, category, reason, text) VALUES(1, 1, -1, '(other)'),"
    " (2, 2, -1, '(other)'), (3, 3, -1, '(other)'), (4, 4, -1, '(other)'), (5, 5, -1, '(other)'),"
    " (6, 6, -1, '(other)'), (7, 7, -1, '(other)'), (8, 8, -1, '(other)'), (9, 9, -1, '(other)'),"
    " (10, 10, -1, '(other)');",
    /* step: half hours, or days, since 1970 UTC.  retried: of n: the action succeeded later. */
    "CREATE TABLE summary_30m" SUMMARY_COLUMNS,
    "CREATE TABLE summary_day" SUMMARY_COLUMNS,

    /* ---- totals: store/action/totals.h ---- */
    "CREATE TABLE summary_total(executor TEXT NOT NULL, category INTEGER NOT NULL,"
    " n INTEGER NOT NULL, wall_ms INTEGER NOT NULL, cpu_ms INTEGER NOT NULL,"
    " wait_ms INTEGER NOT NULL, PRIMARY KEY(executor, category)) STRICT, WITHOUT ROWID;",
    "CREATE TABLE eviction_total(algorithm TEXT PRIMARY KEY, n INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL, regretted INTEGER NOT NULL, regret_ms INTEGER NOT NULL) STRICT,"
    " WITHOUT ROWID;",
    "INSERT INTO eviction_total SELECT algorithm, count(*), sum(size_bytes), count(regretted_ms),"
    " coalesce(sum(regret_ms), 0) FROM eviction GROUP BY algorithm;",

    /* ---- what ended long ago: store/archive/archive.h ---- */
    /* archived: the file of the archive where its attempts are read; 0: here. */
    "ALTER TABLE workflow ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;",
    "CREATE INDEX workflow_old ON workflow(ended_ms) WHERE archived = 0 AND state > 1;",
    "CREATE TABLE here(archive INTEGER NOT NULL) STRICT;",
    "INSERT INTO here VALUES(0);",
    "CREATE TABLE archive(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " sealed INTEGER NOT NULL DEFAULT 0, workflows INTEGER NOT NULL DEFAULT 0,"
    " attempts INTEGER NOT NULL DEFAULT 0, first_ms INTEGER, last_ms INTEGER,"
    " first_failed_ms INTEGER, last_failed_ms INTEGER) STRICT;",
    /* Its rows are in the archive, and those here, from that action on, go. */
    "CREATE TABLE leaving(workflow INTEGER PRIMARY KEY REFERENCES workflow(id),"
    " position INTEGER NOT NULL, action INTEGER NOT NULL) STRICT;",

    /* ---- who is told of ends: store/hooks.h ---- */
    /* way: 1 a command, 2 a URL; state: 1 pending, 2 delivered, 3 given up. */
    "CREATE TABLE hook(id INTEGER PRIMARY KEY AUTOINCREMENT, workflow INTEGER NOT NULL,"
    " way INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 1, target TEXT NOT NULL,"
    " tries INTEGER NOT NULL DEFAULT 0, due_ms INTEGER NOT NULL, made_ms INTEGER NOT NULL,"
    " done_ms INTEGER, owner INTEGER NOT NULL DEFAULT 0, message TEXT NOT NULL DEFAULT '') STRICT;",
    "CREATE INDEX hook_due ON hook(due_ms) WHERE state = 1;",

    /* ---- what was put outside a pool that lies elsewhere: store/dataset/written.h ---- */
    "ALTER TABLE written ADD COLUMN told BLOB;",

    NULL,
};
