/* check.c - see check.h.  One row of the table an invariant; each query gives the object it found. */
#include "store/check.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/submission/graph.h"
#include "store/submission/workflows.h"
#include "store/action/totals.h"

#define NAME(name, state) #name
#define NUMBER(name, state) "count(*) FILTER (WHERE a.state = " #state ")"
#define VALUE(name, state) "(" #state ")"
#define PROGRESS ACTION_EACH(NAME, ", ")
/* Has no other generation the bytes of dataset d and keeps them more?  Then they count with it: usage.h. */
#define KEEPS(d) "CASE " d ".state WHEN " DATASET_LEAF " THEN 0 ELSE " d ".state END"
#define COUNTS(d)                                                                                  \
    "NOT EXISTS (SELECT 1 FROM dataset e WHERE " d ".shared = 1 AND e.object = " d ".object AND"   \
    " e.shared = 1 AND e.managed = 1 AND " DATASET_IS_SPACE("e.state") " AND (" KEEPS(             \
        "e") " < " KEEPS(d) " OR (e.state = " d ".state AND e.id < " d ".id)))"
#define USED                                                                                       \
    "(SELECT count(*), coalesce(sum(iif(" COUNTS(                                                  \
        "d") ", o.size_bytes, 0)), 0) FROM dataset d"                                              \
             " JOIN object o ON o.id = d.object WHERE d.state = usage.state AND d.managed = 1)"
#define COUNT_USED "UPDATE usage SET (ndatasets, bytes) = " USED
/* The newest rows of its positions. */
#define STATES_OF                                                                                  \
    "(SELECT " ACTION_EACH(NUMBER,                                                                 \
                           ", ") " FROM (SELECT state, max(id) FROM action"                        \
                                 " WHERE workflow = progress.workflow GROUP BY position) a)"
/* Rows that were lost whole: nobody counts in them any more. */
#define UNCOUNTED                                                                                  \
    " FROM workflow WHERE id NOT IN (SELECT workflow FROM progress) AND EXISTS (SELECT 1 FROM"     \
    " action WHERE workflow = workflow.id)"
#define UNSUMMED                                                                                   \
    " FROM (VALUES" DATASET_EACH(VALUE, ", ") ")"                                                  \
                                              " WHERE column1 NOT IN (SELECT state FROM usage)"
#define NOT_DRIVEN " WHERE NOT EXISTS (SELECT 1 FROM driving)"
#define WAITING "state = " ACTION_WAITING
#define HANDED ACTION_IS_HANDED("state")
#define OPEN ATTEMPT_IS_OPEN("state")
#define T_OPEN ATTEMPT_IS_OPEN("t.state")
#define A_UNFINISHED ACTION_IS_UNFINISHED("a.state")
#define P_UNFINISHED ACTION_IS_UNFINISHED("p.state")
#define FINAL ACTION_IS_FINAL("state")
#define PENDING DATASET_IS_PENDING("state")
#define E_WHOLE DATASET_IS_WHOLE("e.state")
/* Of datasets, and of objects. */
#define WITH_OTHERS " object IN (SELECT object FROM temp.held WHERE n > 1)"
#define IS_NEEDED                                                                                  \
    " state = " DATASET_DELETING " AND shared = 1 AND EXISTS (SELECT 1 FROM dataset e WHERE"       \
    " e.object = dataset.object AND e.shared = 1 AND (" E_WHOLE " OR (e.state = " DATASET_DELETING \
    " AND e.id < dataset.id)))"
#define NOBODYS " id NOT IN (SELECT object FROM temp.held)"
#define FORGOTTEN                                                                                  \
    " path IS NOT NULL AND id IN (SELECT object FROM dataset WHERE state = " DATASET_DELETED       \
    ") AND id NOT IN (SELECT object FROM dataset WHERE object IS NOT NULL AND state"               \
    " <> " DATASET_DELETED ")"

#define IN_HAND                                                                                    \
    "(SELECT coalesce(sum(max(n.cpus, 1)), 0) FROM action a" PINGO__JOIN_WORKFLOW_NODE(            \
        "CROSS") "WHERE " ACTION_IS_CLAIMED("a.state") " AND a.user = user.id)"
/* Sums that are not what the attempts are, and what is not summed. */
#define SUM_KEY "(step, error, executor, node, user)"
#define DAYS                                                                                       \
    "SELECT step / 48 AS step, error, executor, node, user, sum(n), sum(wall_ms), sum(cpu_ms),"    \
    " sum(wait_ms), sum(retried), sum(retried_ms) FROM temp.ends GROUP BY 1, 2, 3, 4, 5"
#define WRONG_DAYS " SELECT * FROM summary_day EXCEPT " DAYS
#define LACKING_DAYS " " DAYS " EXCEPT SELECT * FROM summary_day"
#define RECENT                                                                                     \
    "SELECT * FROM temp.ends WHERE step >= coalesce((SELECT min(step) FROM"                        \
    " summary_30m), CAST(strftime('%s', 'now') AS INTEGER) / 1800 - 4320)"
#define WRONG_30M " SELECT * FROM summary_30m EXCEPT " RECENT
#define LACKING_30M " " RECENT " EXCEPT SELECT * FROM summary_30m"
#define DAYS_OF(rows) "SELECT DISTINCT 0, 'day ' || date(step * 86400, 'unixepoch') FROM (" rows ")"
#define STEPS_OF(rows)                                                                             \
    "SELECT DISTINCT 0, 'half hour ' || datetime(step * 1800, 'unixepoch') FROM (" rows ")"
#define KEYS_OF(rows) " (SELECT step, error, executor, node, user FROM (" rows "))"
#define TOTALS PINGO__TOTALS_OF("s.step < " PINGO__TOTALS_FOLDED)
#define FAILED_SO " (SELECT coalesce(sum(e.n), 0) FROM temp.ends e WHERE e.error = error.id)"

/* Marked, and not on their way out. */
#define BOTH(what)                                                                                 \
    what " FROM attempt t CROSS JOIN action a ON a.id = t.action CROSS JOIN workflow w ON"         \
         " w.id = a.workflow WHERE w.archived <> 0 AND w.id NOT IN (SELECT workflow FROM "         \
         "leaving) AND EXISTS (SELECT 1 FROM archive)"

static const struct check {
    const char *invariant, *message, *sql, *repair;
} checks[] = {
    {"I2", "has more than one open attempt that is wanted",
     "SELECT 0, 'action ' || action FROM attempt WHERE " OPEN " AND unwanted = 0"
     " GROUP BY action HAVING count(*) > 1",
     NULL},
    {"I2", "is handed out, but has no open attempt of its epoch",
     "SELECT 0, 'action ' || id FROM action a WHERE " HANDED " AND NOT EXISTS"
     " (SELECT 1 FROM attempt t WHERE t.action = a.id AND t.epoch = a.epoch AND " T_OPEN ")",
     "UPDATE action SET state = " ACTION_READY ", owner = NULL WHERE " HANDED " AND NOT EXISTS"
     " (SELECT 1 FROM attempt t WHERE t.action = action.id AND t.epoch = action.epoch AND " T_OPEN
     ")"},
    {"I2", "has another number of slots in hand than his actions take",
     "SELECT 0, 'user ' || name FROM user WHERE running <> " IN_HAND,
     "UPDATE user SET running = " IN_HAND},
    {"I3", "is counted for a user who is not there",
     "SELECT 0, 'action ' || id FROM action a WHERE " A_UNFINISHED
     " AND user NOT IN (SELECT id FROM user)",
     "UPDATE action SET user = (SELECT user_number FROM workflow w WHERE w.id = action.workflow)"
     " WHERE user NOT IN (SELECT id FROM user) AND " ACTION_IS_UNFINISHED("state")},
    {"I3", "waits for another number of actions than are unfinished before it",
     "SELECT 0, 'action ' || id FROM action a WHERE " WAITING " AND waits <> (SELECT count(*) FROM"
     " dependency d JOIN action p ON p.id = d.parent WHERE d.child = a.id AND " P_UNFINISHED ")",
     "UPDATE action SET waits = (SELECT count(*) FROM dependency d JOIN action p ON p.id = d.parent"
     " WHERE d.child = action.id AND " P_UNFINISHED ") WHERE " WAITING},
    {"I3", "waits for nothing",
     "SELECT 0, 'action ' || id FROM action a WHERE " WAITING
     " AND waits = 0 AND (joined IS NULL OR"
     " NOT EXISTS (SELECT 1 FROM action j WHERE j.id = a.joined AND " ACTION_IS_UNFINISHED(
         "j.state") "))",
     "UPDATE action SET state = " ACTION_READY " WHERE " WAITING
     " AND waits = 0 AND joined IS NULL"},
    {"I3", "is ready before its parents have finished",
     "SELECT 0, 'action ' || id FROM action a WHERE " A_UNFINISHED " AND NOT " WAITING
     " AND EXISTS (SELECT 1 FROM"
     " dependency d JOIN action p ON p.id = d.parent WHERE d.child = a.id AND " P_UNFINISHED ")",
     NULL},
    {"I3", "counts another number of unfinished actions than there are",
     "SELECT 0, 'workflow ' || id FROM workflow w WHERE unfinished <> (SELECT count(*) FROM action "
     "a"
     " WHERE a.workflow = w.id AND " A_UNFINISHED ")",
     "UPDATE workflow SET unfinished = (SELECT count(*) FROM action a WHERE a.workflow = "
     "workflow.id"
     " AND " A_UNFINISHED ")"},
    {"I3", "has actions that are not counted", "SELECT 0, 'workflow ' || id" UNCOUNTED,
     "INSERT INTO progress SELECT id, 0, 0, 0, 0, 0, 0, 0, 0, 0" UNCOUNTED},
    {"I3", "counts its actions in other states than they are in",
     "SELECT 0, 'workflow ' || workflow FROM progress WHERE (" PROGRESS ") IS NOT " STATES_OF,
     "UPDATE progress SET (" PROGRESS ") = " STATES_OF},
    {"I3", "cannot be told of a pause", "SELECT 0, 'scheduler'" NOT_DRIVEN,
     "INSERT INTO driving SELECT CAST(strftime('%s', 'now') AS INTEGER)" NOT_DRIVEN},
    {"I3", "is RUNNING with nothing left to run",
     "SELECT 0, 'workflow ' || id FROM workflow WHERE state = " WORKFLOW_RUNNING
     " AND unfinished = 0",
     NULL},
    {"I4", "is being made by an action that has ended",
     "SELECT 0, 'dataset ' || lower(hex(hash)) FROM dataset d WHERE " PENDING " AND NOT EXISTS"
     " (SELECT 1 FROM action a WHERE a.id = d.action AND " A_UNFINISHED ")",
     "UPDATE dataset SET state = " DATASET_DELETED " WHERE " PENDING " AND NOT EXISTS"
     " (SELECT 1 FROM action a WHERE a.id = dataset.action AND " A_UNFINISHED ")"},
    {"I4", "has the bytes of another dataset, but is not marked so",
     "SELECT 0, 'dataset ' || lower(hex(hash)) FROM dataset WHERE shared = 0 AND" WITH_OTHERS,
     "UPDATE dataset SET shared = 1 WHERE shared = 0 AND" WITH_OTHERS},
    {"I4", "is being deleted, though another dataset has its bytes",
     "SELECT 0, 'dataset ' || lower(hex(hash)) FROM dataset WHERE" IS_NEEDED,
     "UPDATE dataset SET state = " DATASET_DELETED ", owner = NULL WHERE" IS_NEEDED},
    {"I4", "is an object that no dataset points to",
     "SELECT 0, 'object ' || id FROM object WHERE" NOBODYS, "DELETE FROM object WHERE" NOBODYS},
    {"I4", "has a path, but its datasets are DELETED",
     "SELECT 0, 'object ' || id FROM object WHERE" FORGOTTEN,
     "UPDATE object SET path = NULL WHERE" FORGOTTEN},
    {"I4", "is not counted", "SELECT 0, 'state ' || column1" UNSUMMED,
     "INSERT INTO usage SELECT column1, 0, 0" UNSUMMED},
    {"I4", "is counted with other bytes than its datasets hold",
     "SELECT 0, 'state ' || state FROM usage WHERE (ndatasets, bytes) IS NOT " USED, COUNT_USED},
    {"I4", "is said to be undeletable, but is not being deleted",
     "SELECT 0, 'dataset ' || lower(hex(d.hash)) FROM undeletable u CROSS JOIN dataset d ON d.id = "
     "u.dataset"
     " WHERE d.state <> " DATASET_DELETING,
     "DELETE FROM undeletable WHERE dataset IN (SELECT id FROM dataset WHERE state "
     "<> " DATASET_DELETING ")"},
    {"I1", "is claimed but deleted",
     /* A reader that was past WAITING when the bytes vanished finds out by itself. */
     "SELECT 0, 'dataset ' || lower(hex(hash)) FROM dataset d WHERE state IN (" DATASET_DELETING
     ", " DATASET_DELETED ") AND EXISTS"
     " (SELECT 1 FROM claim c JOIN action a ON a.id = c.action WHERE c.dataset = d.id AND"
     " (d.state = " DATASET_DELETING " OR a.state = " ACTION_WAITING
     " AND NOT EXISTS (SELECT 1 FROM lost WHERE dataset = d.id)))",
     NULL},
    {"I5", "has ended but holds a claim",
     "SELECT DISTINCT 0, 'action ' || c.action FROM claim c JOIN action a ON a.id = c.action"
     " WHERE " ACTION_IS_FINAL("a.state"),
     "DELETE FROM claim WHERE action IN (SELECT id FROM action WHERE " FINAL ")"},
    {"I8", "has ended, but is not marked so",
     "SELECT 0, 'action ' || id FROM action WHERE (" FINAL ") <> (ended_ms IS NOT NULL)", NULL},
    {"I8", "has ended, but an attempt of it is open and wanted",
     "SELECT 0, 'action ' || t.action FROM attempt t JOIN action a ON a.id = t.action WHERE " T_OPEN
     " AND t.unwanted = 0 AND " ACTION_IS_FINAL("a.state"),
     "UPDATE attempt SET unwanted = 1 WHERE " OPEN " AND action IN"
     " (SELECT id FROM action WHERE " FINAL ")"},
    {"I8", "is in the archive, but has attempts here as well",
     BOTH("SELECT DISTINCT 0, 'workflow ' || w.id"),
     "INSERT OR IGNORE INTO leaving " BOTH("SELECT DISTINCT w.id, -1, 0")},
    {"I8", "is in the archive, but has not ended, or its file is not known",
     "SELECT 0, 'workflow ' || id FROM workflow WHERE archived <> 0 AND (unfinished > 0 OR state"
     " = " WORKFLOW_RUNNING " OR archived NOT IN (SELECT id FROM archive))",
     NULL},
    {"I6", "has another number of nodes than graphs have of it",
     "SELECT 0, 'part ' || part FROM (SELECT DISTINCT part, n FROM graph_part) gp WHERE n <>"
     " (SELECT count(*) FROM node WHERE id BETWEEN gp.part AND gp.part + gp.n - 1)",
     NULL},
    {"I6", "has parts that are not all of its actions, one after the other",
     "SELECT 0, 'graph ' || g.id FROM graph g JOIN document d ON d.id = g.document WHERE"
     " d.nactions IS NOT (SELECT sum(n) FROM graph_part WHERE graph = g.id) OR EXISTS"
     " (SELECT 1 FROM graph_part p WHERE p.graph = g.id AND p.first <> ifnull((SELECT first + n"
     " FROM graph_part WHERE graph = g.id AND first < p.first ORDER BY first DESC LIMIT 1), 0))",
     NULL},
};
/* Of temp.ends: only where all attempts could be read. */
static const struct check sums[] = {
    {"I8", "is summed otherwise than its attempts ended", DAYS_OF(WRONG_DAYS),
     "DELETE FROM summary_day WHERE " SUM_KEY " IN" KEYS_OF(WRONG_DAYS)},
    {"I8", "had ends of attempts that are not in its sums", DAYS_OF(LACKING_DAYS),
     "INSERT OR REPLACE INTO summary_day" LACKING_DAYS},
    {"I8", "is summed otherwise than its attempts ended", STEPS_OF(WRONG_30M),
     "DELETE FROM summary_30m WHERE " SUM_KEY " IN" KEYS_OF(WRONG_30M)},
    {"I8", "had ends of attempts that are not in its sums", STEPS_OF(LACKING_30M),
     "INSERT OR REPLACE INTO summary_30m" LACKING_30M},
    {"I8", "is totalled otherwise than its days are",
     "SELECT DISTINCT 0, 'executor ' || executor FROM (SELECT * FROM (" TOTALS ") EXCEPT SELECT *"
     " FROM summary_total UNION ALL SELECT * FROM (SELECT * FROM summary_total WHERE category >= 0"
     " EXCEPT SELECT * FROM (" TOTALS ")))",
     "DELETE FROM summary_total"},
    {"I8", "is met by another number of attempts than it counts",
     "SELECT 0, 'error ' || id FROM error WHERE n <>" FAILED_SO, "UPDATE error SET n =" FAILED_SO},
};
#define NCHECKS (sizeof checks / sizeof *checks)
#define NSUMS (sizeof sums / sizeof *sums)

/* Who is told, and of what. */
struct telling {
    pingo__store_check_fn fn;
    void *context;
    const struct check *check;
    bool *damaged;
};

static int tell(const struct telling *t, const char *message)
{
    return t->fn(t->context, "I6", "database", message, false);
}

/* One row may hold several lines, the first a heading. */
static int tell_lines(const struct telling *t, const char *text)
{
    char line[256];
    int rc = 0;
    while (!rc && *text) {
        size_t n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", n < sizeof line ? (int)n : (int)sizeof line - 1, text);
        if (n > 0 && strncmp(line, "***", 3) != 0)
            rc = tell(t, line);
        text += n + (text[n] == '\n');
    }
    return rc;
}

static int on_problem(void *context, const void *row, struct pingo_error *err)
{
    const struct telling *t = context;
    const char *text = *(const char *const *)row;
    (void)err;
    if (sqlite3_stricmp(text, "ok") == 0)
        return 0;
    *t->damaged = true;
    return tell_lines(t, text);
}

static int check_integrity(struct pingo__store_db *db, struct telling *t, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc = pingo__db_each(db, &why, &pingo__store_texts, on_problem, t,
                            "SELECT 0, integrity_check FROM pragma_integrity_check", NONE);
    if (rc == PINGO_ESTORE) { /* too damaged even for that */
        *t->damaged = true;
        return tell(t, why.message);
    }
    return rc < 0 ? pingo__fail(err, rc, "%s", why.message) : rc;
}

static int on_reference(void *context, const void *row, struct pingo_error *err)
{
    (void)err;
    return tell(context, *(const char *const *)row);
}

int pingo__store_check_database(struct pingo__store_db *db, pingo__store_check_fn fn, void *context,
                                bool *damaged, struct pingo_error *err)
{
    struct telling t = {fn, context, NULL, damaged};
    *damaged = false;
    int rc = check_integrity(db, &t, err);
    return rc || *damaged
               ? rc
               : pingo__db_each(db, err, &pingo__store_texts, on_reference, &t,
                                "SELECT 0, 'a row of ' || \"table\" || ' points to a row of ' ||"
                                " parent || ' that is not there' FROM pragma_foreign_key_check",
                                NONE);
}

static int on_finding(void *context, const void *row, struct pingo_error *err)
{
    const struct telling *t = context;
    (void)err;
    return t->fn(t->context, t->check->invariant, *(const char *const *)row, t->check->message,
                 t->check->repair);
}

static int look(const struct check *list, size_t n, struct telling *t, struct pingo__store_db *db,
                struct pingo_error *err)
{
    int rc = 0;
    for (t->check = list; !rc && t->check < list + n; t->check++)
        rc = pingo__db_each(db, err, &pingo__store_texts, on_finding, t, t->check->sql, NONE);
    return rc;
}

int pingo__store_check_begin(struct pingo__store_db *db, struct pingo_error *err)
{
    static const char make[] =
        "CREATE TEMP TABLE IF NOT EXISTS ends(step, error, executor, node, user, n, wall_ms,"
        " cpu_ms, wait_ms, retried, retried_ms, PRIMARY KEY(step, error, executor, node, user))"
        " WITHOUT ROWID; CREATE INDEX IF NOT EXISTS temp.ends_error ON ends(error, n);"
        "CREATE TEMP TABLE IF NOT EXISTS held(object INTEGER PRIMARY KEY, n DEFAULT 1);";
    return pingo__store_db_simple(db, make, err);
}

/* Which objects datasets point to, and how many do: asked for twice. */
static int count_held(struct pingo__store_db *db, struct pingo_error *err)
{
    int rc = pingo__db_write(db, err, "DELETE FROM temp.held", NONE);
    return rc ? rc
              : pingo__db_write(db, err,
                                "INSERT INTO temp.held(object) SELECT object FROM dataset WHERE"
                                " object IS NOT NULL ON CONFLICT DO UPDATE SET n = n + 1",
                                NONE);
}

int pingo__store_check_rows(struct pingo__store_db *db, pingo__store_check_fn fn, void *context,
                            bool *summed, struct pingo_error *err)
{
    struct telling t = {fn, context, NULL, NULL};
    int rc = count_held(db, err);
    if (!rc)
        rc = look(checks, NCHECKS, &t, db, err);
    if (!rc)
        rc = pingo__store_check_archive(db, fn, context, summed, err);
    return rc || !*summed ? rc : look(sums, NSUMS, &t, db, err);
}

static int repair(const struct check *list, size_t n, struct pingo__store_db *db,
                  struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++)
        if (list[i].repair)
            rc = pingo__db_write(db, err, list[i].repair, NONE);
    return rc;
}

int pingo__store_check_repair(struct pingo__store_db *db, bool summed, struct pingo_error *err)
{
    int rc = repair(checks, NCHECKS, db, err);
    return rc || !summed ? rc : repair(sums, NSUMS, db, err);
}

int pingo__store_check_usage(struct pingo__store_db *db, struct pingo_error *err)
{
    return pingo__db_write(db, err, COUNT_USED, NONE);
}

/* ---- definitions ------------------------------------------------------------------------------ */

#define DEFINITION(F, T) F(T, HASH, hash, "hash") F(T, BYTES, description, "description")
PINGO__ROW(definitions, struct definition, DEFINITION);

static int check_definition(void *context, const void *row, struct pingo_error *err)
{
    const struct telling *t = context;
    const struct definition *d = row;
    char object[16 + PINGO_HASH_HEX_SIZE] = "definition ";
    (void)err;
    if (pingo__store_definition_is_sound(&d->hash, &d->description))
        return 0;
    pingo_hash_to_hex(&d->hash, object + strlen(object));
    return t->fn(t->context, "I6", object,
                 "its description is not what was hashed; put a copy of the store back", false);
}

int pingo__store_check_definitions(struct pingo__store_db *db, pingo__store_check_fn fn,
                                   void *context, struct pingo_error *err)
{
    struct telling t = {.fn = fn, .context = context};
    return pingo__db_each(db, err, &definitions, check_definition, &t,
                          PINGO__SELECT(DEFINITION) " FROM definition WHERE forgotten = 0", NONE);
}
