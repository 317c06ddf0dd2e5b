/* actions.h - actions that compute or join: rows, dependencies, originals, attempts.
 *
 * All writing functions run inside a write transaction; states change through
 * pingo__store_action_change() alone. */
#ifndef PINGO__STORE_ACTIONS_H
#define PINGO__STORE_ACTIONS_H

#include <pingo/executor.h>
#include <pingo/summary.h>

#include "store/db.h"

/* For a query: above(id) are such actions (a SELECT of their ids) and what they wait for: unfinished parents, and whom
 * they joined. */
#define PINGO__WITH_ABOVE(such) PINGO__WITH_SOME_ABOVE(such, "")
#define PINGO__WITH_SOME_ABOVE(such, limit)                                                        \
    "WITH RECURSIVE above(id) AS (" such " UNION SELECT d.parent FROM above b"                     \
    " CROSS JOIN dependency d ON d.child = b.id CROSS JOIN action p ON p.id = d.parent"            \
    " WHERE " ACTION_IS_UNFINISHED(                                                                \
        "p.state") " UNION SELECT a.joined FROM above b"                                           \
                   " CROSS JOIN action a ON a.id = b.id WHERE "                                    \
                   "a.joined IS NOT NULL AND a.state = " ACTION_WAITING limit ") "

/* With what its node says; to insert a row, that is not read. */
struct pingo__store_action_row {
    int64_t id, workflow, position, user_id;
    const char *name, *type;
    struct pingo_hash hash;
    int64_t dataset; /* 0: none (joiners) */
    int64_t joined;  /* 0: computes itself */
    enum pingo_action_state state;
    int64_t epoch, owner, waits, priority, rank;
    bool forced, wanted;
    int64_t retries; /* left */
    int64_t nfailed; /* tries that were retried, or tried again with more memory: so often did that grow */
    int64_t growths;
    int64_t given_mb; /* memory that the next try gets at least; 0: what its node says */
    int64_t tries;    /* attempts that were lost */
    int64_t not_before_ms;
    int64_t cpus, memory_mb, time_limit_s;
    enum pingo_keep keep;
    const char *output_path; /* NULL: managed */
    bool has_lost;
    struct pingo_hash lost; /* the input that vanished last */
    const char *message;
    int64_t ended_ms; /* -1 */
    enum pingo_sandbox sandbox;
    int64_t refusals;                        /* how often in all it could not be started */
    const char *executor, *executor_options; /* NULL: it names none */
    const char *resources;                   /* of its node: rare ones; NULL: none */
    int64_t user, queue;                     /* for whom it counts, and where it waits: users.h */
    int64_t reason; /* to insert: enum pingo_plan_reason; -1: it was planned again */
};

/* The common change: the row's state goes to another one, its epoch stays, it has no owner any more.  Nothing
 * happens where it was not in that state and epoch any more. */
int pingo__store_action_move(struct pingo__store_db *db, const struct pingo__store_action_row *row,
                             enum pingo_action_state to, int64_t now_ms, struct pingo_error *err);
/* On its way through the hands of an owner: PROCESSING (a higher epoch), SUBMITTED, RUNNING.  row says what it is then:
 * to, or what it was. */
int pingo__store_action_hand(struct pingo__store_db *db, struct pingo__store_action_row *row,
                             enum pingo_action_state to, int64_t owner, struct pingo_error *err);
/* So many more, or fewer, of its actions are in each state; of a position the newest row counts alone.
 * The table is told when the transaction ends, or when it is another workflow's turn. */
int pingo__store_progress_add(struct pingo__store_db *db, int64_t workflow,
                              const int64_t by_state[PINGO__ACTION_STATES], struct pingo_error *err);
/* Tells it now. */
int pingo__store_progress_save(struct pingo__store_db *db, struct pingo_error *err);
/* The state of the row that a position had before this one; 0 where it had none. */
PINGO__NUMBER(pingo__store_action_state_before(DB, const struct pingo__store_action_row *row,
                                               int64_t *state, ERR),
              state, 0,
              "SELECT state FROM action WHERE workflow = ? AND position = ? AND id < ?"
              " ORDER BY id DESC LIMIT 1",
              INT(row->workflow), INT(row->position), INT(row->id));
/* row->id is given; state WAITING or READY. */
int pingo__store_action_insert(struct pingo__store_db *db,
                               const struct pingo__store_action_row *row, struct pingo_error *err);
/* Reads again what of a row changes while it is on its way: its state, epoch and owner, and how often it was
 * tried.  row->id 0: it is gone. */
int pingo__store_action_refresh(struct pingo__store_db *db, struct pingo__store_action_row *row,
                                struct pingo_error *err);
/* Texts in the arena; row->id 0: there is none. */
int pingo__store_action_get(DB, int64_t id, struct pingo__arena *arena,
                            struct pingo__store_action_row *row, ERR);

/* Lists of rows; arena is given, the rest is found. */
PINGO__STORE_LIST(pingo__store_action_list, struct pingo__store_action_row);
/* What READY actions are asked for.  types: "TYPE" for actions that name no executor, "EXECUTOR/TYPE" for those that
 * do; ends with NULL; so in what follows. */
#define PINGO__QUEUE_ANY INT64_MIN
struct pingo__store_asking {
    int64_t action;
    const char *type, *executor, *resources; /* executor NULL: it names none */
    int64_t nfailed;
};
struct pingo__store_ready_query {
    const char *const *types;
    int64_t now_ms;
    int64_t *next_ms; /* becomes the time of the next that is not due yet, if that is less; may be NULL */
    size_t limit;
    struct pingo__arena *arena; /* of the rows */
    int64_t queue;              /* PINGO__QUEUE_ANY: all, one after the other */
    int64_t workflow, priority; /* of one workflow, which has this priority; 0: of all */
    bool (*wanted)(const void *context, int64_t action); /* which; NULL: all */
    const void *context;
    /* Asked first, of its number alone: is it one that may be listed?  rare: fits is asked, too.  foreign: it is of
     * none of the types.  NULL: as if all passed. */
    bool (*passes)(void *context, int64_t action, bool rare);
    void (*foreign)(void *context, int64_t action);
    /* Of those with rare resources, which; NULL: all.  waits: what surely does not fit, whose row is not even read; not
     * NULL where fits is not. */
    bool (*waits)(void *context, const struct pingo__store_asking *asking);
    int (*fits)(void *context, const struct pingo__store_action_row *row, bool *fits,
                struct pingo_error *err);
    void *fits_context; /* of all four */
};
/* In the store's order: queue, priority, workflow, rank, hash.  Adds to a list, which has room for one row more than
 * limit, until it has so many. */
int pingo__store_action_add_ready(struct pingo__store_db *db,
                                  const struct pingo__store_ready_query *query,
                                  struct pingo__store_action_list *list, struct pingo_error *err);
/* Would a row be one of these, be its resources there or not? */
bool pingo__store_action_is_ready(const struct pingo__store_action_row *a,
                                  const struct pingo__store_ready_query *query);
/* May an action start that is not to before a time?  So it may where that lies so far ahead that a clock was set
 * back. */
bool pingo__store_action_is_due(int64_t not_before_ms, int64_t now_ms);
/* What a number names, in order of ids where none is told. */
enum pingo__store_actions {
    PINGO__ACTIONS_JOINERS,   /* unfinished ones that joined an action */
    PINGO__ACTIONS_READERS,   /* unfinished children of an action that need its dataset */
    PINGO__ACTIONS_WAITERS,   /* and those that only wait for their turn */
    PINGO__ACTIONS_PARENTS,   /* unfinished ones whose dataset an action needs */
    PINGO__ACTIONS_CLAIMANTS, /* unfinished ones that claim a dataset */
    PINGO__ACTIONS_OWNED,     /* PROCESSING, SUBMITTED or RUNNING ones of an owner */
    PINGO__ACTIONS_STRAY, /* handed out, but there is no open attempt; or claimed by nobody who is known: nobody has
                               * them; of no number: 0 */
    PINGO__ACTIONS_RARE /* READY ones, at a time, that ask for something that is counted, in the order of queues and
                               * in them; the first 10,000 */
};
int pingo__store_action_list(struct pingo__store_db *db, enum pingo__store_actions which, int64_t of,
                             struct pingo__store_action_list *list, struct pingo_error *err);
/* The numbers alone of the READERS, WAITERS and JOINERS of an action, which takes a fraction of three lists. */
struct pingo__store_follower {
    int64_t id;
    enum pingo__store_actions what;
};
PINGO__STORE_LIST(pingo__store_follower_list, struct pingo__store_follower);
int pingo__store_action_list_followers(DB, int64_t action, struct pingo__store_follower_list *list,
                                       ERR);
/* Of a workflow the unfinished ones that no other live one needs: none of its actions joined them, or what comes of
 * them; by position.  They may be a million. */
struct pingo__store_action_state {
    int64_t id;
    enum pingo_action_state state;
};
PINGO__STORE_LIST(pingo__store_action_state_list, struct pingo__store_action_state);
int pingo__store_action_list_unneeded(DB, int64_t workflow,
                                      struct pingo__store_action_state_list *list, ERR);
/* Those who claim a lost dataset and have not started, up to limit, by number. */
int pingo__store_lost_readers(DB, int64_t dataset, size_t limit,
                              struct pingo__store_action_list *list, ERR);
/* The newest row of each of n positions of a workflow, by position. */
int pingo__store_action_list_latest(DB, const struct pingo__store_page *page,
                                    struct pingo__store_action_list *list, ERR);
/* The first position from one on that has a row in one of these states (1u << PINGO_ACTION_*), the newest or not; -1:
 * there is none. */
PINGO__NUMBER(pingo__store_action_next(DB, const struct pingo__store_page *page, unsigned among,
                                       int64_t *position, ERR),
              position, -1,
              "SELECT position FROM action WHERE workflow = ? AND position >= ? AND"
              " (1 << state) & ? ORDER BY position LIMIT 1",
              INT(page->workflow), INT(page->from), INT(among));
/* The rows of one position of a workflow, newest first. */
int pingo__store_action_list_at(DB, int64_t workflow, int64_t position,
                                struct pingo__store_action_list *list, ERR);
/* The unfinished row of a position; 0: it has none. */
PINGO__NUMBER(pingo__store_action_find_unfinished(DB, int64_t workflow, int64_t position,
                                                  int64_t *id, ERR),
              id, 0,
              "SELECT a.id FROM action a WHERE a.workflow = ? AND a.position = ?"
              " AND " ACTION_IS_UNFINISHED("a.state"),
              INT(workflow), INT(position));
/* What claimed actions and open attempts of an executor hold of rare resources; and of those claimed ones of which
 * nobody has said yet who runs them. */
struct pingo__store_holder {
    const char *resources;
    int64_t nfailed;
};
PINGO__STORE_LIST(pingo__store_holder_list, struct pingo__store_holder);
int pingo__store_action_list_holders(DB, const char *executor,
                                     struct pingo__store_holder_list *list, ERR);
/* Of the row that made, or was to make, the newest generation of this hash; NULL: there is none. */
int pingo__store_action_name(DB, const struct pingo_hash *hash, struct pingo__arena *arena,
                             const char **name, ERR);
/* The newest before a row that was to make its hash and ended otherwise than well. */
PINGO__NUMBER(pingo__store_action_unmade(DB, const struct pingo__store_action_row *row,
                                         int64_t *action, ERR),
              action, 0,
              "SELECT a.id FROM dataset d CROSS JOIN action a ON a.id = d.action WHERE d.hash = ?1"
              " AND a.id < ?2 AND a.state > " ACTION_FINISHED " ORDER BY d.generation DESC LIMIT 1",
              HASH(&row->hash), INT(row->id));
/* Has a node of this name another hash?  Told in a few steps; where the first 500 have this one, there may be. */
PINGO__EXISTS(pingo__store_action_may_be_like(DB, const char *name, const struct pingo_hash *hash,
                                              bool *may, ERR),
              may,
              "SELECT 1 FROM (SELECT hash FROM node WHERE name = ?1 LIMIT 500) WHERE hash <> ?2"
              " UNION ALL SELECT (SELECT count(*) FROM (SELECT 1 FROM node WHERE name = ?1"
              " LIMIT 500)) = 500 LIMIT 1",
              TEXT(name), HASH(hash));
/* Those that were to make what an action may have been before: of the last 500 of its name the newest, and of those
 * with its id; newest first. */
struct pingo__store_action_like {
    const char *name;
    int64_t user_id;
    int64_t before; /* rows below this one */
};
int pingo__store_action_list_like(DB, const struct pingo__store_action_like *like,
                                  struct pingo__store_action_list *list, ERR);
/* Where the unfinished actions write whose outputs are unmanaged: each path once. */
int pingo__store_action_list_outputs(DB, struct pingo__store_text_list *list, ERR);
/* Unfinished actions that write to one of these paths (a JSON array), those that need it of them, and those that claim
 * what lies at the real path. */
int pingo__store_action_list_at_output(DB, const char *paths, const char *real,
                                       struct pingo__store_action_list *list, ERR);

/* How many actions of a workflow (0: of all) are in a state; an action that was repeated counts once. */
int pingo__store_action_count(struct pingo__store_db *db, int64_t workflow,
                              int64_t by_state[PINGO__ACTION_STATES], struct pingo_error *err);
/* READY rows of a workflow (0: of all that run and are not paused) of none of these types: nobody here can run them.
 * what: one thing that is missing, where there are some. */
struct pingo__store_foreign {
    int64_t n, others; /* others: of these types */
    char what[128];
};
int pingo__store_action_count_foreign(struct pingo__store_db *db, int64_t workflow,
                                      const char *const *types, struct pingo__store_foreign *found,
                                      struct pingo_error *err);
/* Open attempts of a workflow (0: of all), by executor and owner. */
struct pingo__store_attempt_group {
    const char *executor;
    int64_t owner, n;
};
PINGO__STORE_LIST(pingo__store_attempt_group_list, struct pingo__store_attempt_group);
int pingo__store_attempt_list_groups(DB, int64_t workflow,
                                     struct pingo__store_attempt_group_list *list, ERR);
/* Does a live workflow other than this one wait for an action of it, by joining or by what waits for its dataset,
 * be it in workflows that were killed? */
PINGO__EXISTS(
    pingo__store_action_is_needed(DB, int64_t action, int64_t workflow, bool *is, ERR), is,
    "WITH RECURSIVE below(id) AS (SELECT ?1 UNION SELECT a.id FROM below b"
    " CROSS JOIN dependency d ON d.parent = b.id AND d.data = 1"
    " CROSS JOIN action a ON a.id = d.child WHERE " ACTION_IS_UNFINISHED(
        "a.state") " UNION SELECT a.id FROM below b CROSS JOIN action a ON a.joined = b.id"
                   " WHERE " ACTION_IS_UNFINISHED(
                       "a.state") ") SELECT 1 FROM below b CROSS JOIN action a ON a.id = b.id"
                                  " CROSS JOIN workflow w ON w.id = a.workflow WHERE"
                                  " a.workflow <> ?2 AND w.state = " WORKFLOW_RUNNING " LIMIT 1",
    INT(action), INT(workflow));
/* Is a joiner of this action, in a live workflow other than except, unfinished? */
PINGO__EXISTS(pingo__store_action_is_joined(DB, int64_t action, int64_t except, bool *is, ERR), is,
              "SELECT 1 FROM action a JOIN workflow w ON w.id = a.workflow WHERE"
              " a.joined = ? AND a.workflow <> ? AND w.state = " WORKFLOW_RUNNING
              " AND " ACTION_IS_UNFINISHED("a.state") " LIMIT 1",
              INT(action), INT(except));

/* Single fields beside the state. */
/* How many unfinished parents it has is what it waits for. */
PINGO__NUMBER(pingo__store_action_count_waits(DB, int64_t action, int64_t *waits, ERR), waits, 0,
              "UPDATE action SET waits = (SELECT count(*) FROM dependency d JOIN"
              " action a ON a.id = d.parent WHERE d.child = ?1 AND " ACTION_IS_UNFINISHED(
                  "a.state") ") WHERE id = ?1 RETURNING waits",
              INT(action));
/* One less; *waits: what is left. */
PINGO__NUMBER(pingo__store_action_wait_done(DB, int64_t action, int64_t *waits, ERR), waits, 0,
              "UPDATE action SET waits = waits - 1 WHERE id = ? RETURNING waits", INT(action));
PINGO__WRITE(pingo__store_action_set_target(DB, int64_t action, int64_t dataset, int64_t joined, ERR),
             "UPDATE action SET dataset = ?2, joined = ?3 WHERE id = ?1", INT(action), REF(dataset),
             REF(joined));
/* Before it is READY again. */
struct pingo__store_action_again {
    int64_t retries, tries, refusals, not_before_ms;
    const char *message; /* why it waits; NULL: none */
};
PINGO__WRITE(pingo__store_action_set_again(DB, int64_t action,
                                           const struct pingo__store_action_again *again, ERR),
             "UPDATE action SET retries = ?2, tries = ?3, refusals = ?4,"
             " not_before_ms = ?5, message = ?6 WHERE id = ?1",
             INT(action), INT(again->retries), INT(again->tries), INT(again->refusals),
             INT(again->not_before_ms), TEXT(again->message));
/* Why what has ended waits. */
PINGO__WRITE(pingo__store_action_set_message(DB, struct pingo_job_key key, const char *message, ERR),
             "UPDATE action SET message = ?3 WHERE id = ?1 AND epoch = ?2"
             " AND " ACTION_IS_CLAIMED("state"),
             INT(key.action), INT(key.epoch), TEXT(message));
/* What its next try gets of memory, at least. */
PINGO__WRITE(pingo__store_action_set_given(DB, int64_t action, int64_t mb, ERR),
             "UPDATE action SET given_mb = ?2 WHERE id = ?1", INT(action), INT(mb));
/* Likewise, after it died of memory; and it goes before all of its submission that have not: it is ranked as what is
 * longer than any path. */
PINGO__WRITE(pingo__store_action_grow(DB, int64_t action, int64_t mb, ERR),
             "UPDATE action SET given_mb = ?2, growths = growths + 1,"
             " rank = max(rank, 1152921504606846976) WHERE id = ?1",
             INT(action), INT(mb));
PINGO__WRITE(pingo__store_action_set_lost(DB, int64_t action, const struct pingo_hash *lost, ERR),
             "UPDATE action SET lost = ?2 WHERE id = ?1", INT(action), HASH(lost));
/* Of all that claim a dataset: that they lost it before was not their doing. */
PINGO__WRITE(pingo__store_action_forgive_lost(DB, int64_t dataset, ERR),
             "UPDATE action SET lost = NULL WHERE lost IS NOT NULL AND"
             " id IN (SELECT action FROM claim WHERE dataset = ?)",
             INT(dataset));

/* ---- dependencies ------------------------------------------------------------------ */

/* Where it is there already, data is raised. */
int pingo__store_dependency_insert(struct pingo__store_db *db, int64_t parent, int64_t child,
                                   bool data, struct pingo_error *err);
/* Does anybody wait for his turn at an outputPath, or did so once? */
PINGO__EXISTS(pingo__store_dependency_has_turns(DB, bool *has, ERR), has,
              "SELECT 1 FROM dependency WHERE data = 0", NONE);
/* What an unfinished action waits for, directly or through others (joined ones included), and itself. */
static inline PINGO__LIST(pingo__store_dependency_list_above(DB, int64_t action,
                                                             struct pingo__store_number_list *above,
                                                             ERR),
                          pingo__store_numbers, above,
                          PINGO__WITH_ABOVE("SELECT ?1") "SELECT 0, id FROM above", INT(action));
/* Takes away what an action waits for. */
PINGO__WRITE(pingo__store_dependency_clear(DB, int64_t child, ERR),
             "DELETE FROM dependency WHERE child = ?", INT(child));

/* ---- originals of an action ------------------------------------------------------------ */

struct pingo__store_action_original {
    int kind; /* enum pingo__digest_original_kind */
    const char *name, *path;
    struct pingo_hash hash, stamp;
    bool has_stamp;
};
PINGO__WRITE(pingo__store_action_original_insert(DB, int64_t action, size_t ordinal,
                                                 const struct pingo__store_action_original *o, ERR),
             "INSERT INTO action_original(action, ordinal, kind, name, path, hash,"
             " stamp) VALUES(?, ?, ?, ?, ?, ?, ?)",
             INT(action), INT(ordinal), INT(o->kind), TEXT(o->name), TEXT(o->path), HASH(&o->hash),
             BLOB(o->has_stamp ? (const void *)&o->stamp : NULL, sizeof o->stamp));
PINGO__STORE_LIST(pingo__store_action_original_list, struct pingo__store_action_original);
int pingo__store_action_original_list(DB, int64_t action,
                                      struct pingo__store_action_original_list *list, ERR);
/* Those of the newest action with this hash that has any. */
int pingo__store_action_original_list_of_hash(DB, const struct pingo_hash *hash,
                                              struct pingo__store_action_original_list *list, ERR);

/* ---- attempts ------------------------------------------------------------------------------ */

struct pingo__store_attempt_row {
    struct pingo_job_key key;
    const char *executor;
    int64_t owner;
    int state;                         /* enum pingo__rules_attempt_state */
    int64_t reason, exit_code, signal; /* -1: none */
    int64_t handed_ms, started_ms, ended_ms, wall_ms, user_ms, system_ms, max_rss_bytes; /* -1 */
    int64_t memory_mb;   /* what it was given; 0: no limit; -1: nobody knows */
    int64_t memory_from; /* enum pingo_memory_from */
    int64_t confined; /* 1: it ran in the sandbox; 0: not; -1: it has not ended, or did not run */
    const char *node; /* "": unknown */
    int64_t scratch_bytes; /* what its scratch directory holds, once it failed; 0: to be measured; -1 */
    int64_t nstarted; /* of pingo__store_attempt_last() alone: how many of the action have started */
};
/* For who looks at attempts: all that is told of one, but for where its logs are. */
struct pingo__store_attempt_told {
    struct pingo_failure told; /* of pingo__store_attempt_list_of() its attempt alone */
    int64_t position;
};
PINGO__STORE_LIST(pingo__store_attempt_list, struct pingo__store_attempt_row);
PINGO__STORE_LIST(pingo__store_attempt_told_list, struct pingo__store_attempt_told);
PINGO__STORE_LIST(pingo__store_key_list, struct pingo_job_key);
/* HANDED; key, executor, owner, handed_ms and memory are given. */
int pingo__store_attempt_insert(struct pingo__store_db *db,
                                const struct pingo__store_attempt_row *row, struct pingo_error *err);
/* What it reads, as that was when it began: until its end. */
PINGO__WRITE(pingo__store_attempt_set_touched(DB, struct pingo_job_key key, const void *bytes,
                                              size_t length, ERR),
             "UPDATE attempt SET touched = ?3 WHERE action = ?1 AND epoch = ?2", INT(key.action),
             INT(key.epoch), BLOB(bytes, length));
/* n 0: nothing is known. */
static inline PINGO__GET(pingo__store_attempt_touched(DB, struct pingo_job_key key,
                                                      struct pingo__arena *arena,
                                                      struct pingo__store_bytes *bytes, ERR),
                         pingo__store_blobs, arena, bytes,
                         "SELECT 0, touched FROM attempt WHERE action = ? AND epoch = ?",
                         INT(key.action), INT(key.epoch));
/* Its end, as it was reported: until it is settled. */
PINGO__WRITE(
    pingo__store_attempt_set_told(DB, const struct pingo_job_end *end, ERR),
    "UPDATE attempt SET told = ?3 WHERE action = ?1 AND epoch = ?2 AND " ATTEMPT_IS_OPEN("state"),
    INT(end->key.action), INT(end->key.epoch), BLOB(end, sizeof *end));
/* end->key.action 0: none, or another version's. */
int pingo__store_attempt_told(struct pingo__store_db *db, struct pingo_job_key key,
                              struct pingo_job_end *end, struct pingo_error *err);
/* What its engine calls it. */
PINGO__WRITE(pingo__store_attempt_set_job(DB, struct pingo_job_key key, const char *name, ERR),
             "UPDATE attempt SET job = ?3 WHERE action = ?1 AND epoch = ?2", INT(key.action),
             INT(key.epoch), TEXT(name));
/* What it tells of it. */
PINGO__WRITE(pingo__store_attempt_set_progress(DB, struct pingo_job_key key, const char *json, ERR),
             "UPDATE attempt SET progress = ?3 WHERE action = ?1 AND epoch = ?2", INT(key.action),
             INT(key.epoch), TEXT(json));
PINGO__CHANGE(pingo__store_attempt_started(DB, struct pingo_job_key key, int64_t now_ms,
                                           bool *is_now, ERR),
              is_now,
              "UPDATE attempt SET state = " ATTEMPT_STARTED
              ", started_ms = ?3 WHERE action = ?1 AND epoch = ?2 AND"
              " state = " ATTEMPT_HANDED,
              INT(key.action), INT(key.epoch), INT(now_ms));
/* Of an attempt that is open; it is counted: summary.h. */
struct pingo__store_ended;
int pingo__store_attempt_end(struct pingo__store_db *db, struct pingo__store_ended *ended,
                             struct pingo_error *err);
/* How many attempts of the action had started before this one. */
PINGO__NUMBER(pingo__store_attempt_count_before(DB, struct pingo_job_key key, int64_t *n, ERR), n, 0,
              "SELECT count(*) FROM attempt WHERE action = ? AND epoch < ? AND"
              " started_ms IS NOT NULL",
              INT(key.action), INT(key.epoch));
/* It was given up before it started: no trace is kept. */
PINGO__WRITE(pingo__store_attempt_delete(DB, struct pingo_job_key key, ERR),
             "DELETE FROM attempt WHERE action = ? AND epoch = ?", INT(key.action), INT(key.epoch));
/* Marks the open attempts of an action: their owner shall end them. */
PINGO__WRITE(pingo__store_attempt_unwant(DB, int64_t action, ERR),
             "UPDATE attempt SET unwanted = 1 WHERE action = ? AND " ATTEMPT_IS_OPEN("state"),
             INT(action));
/* Open attempts of an owner; unwanted_only. */
int pingo__store_attempt_list_open(DB, int64_t owner, bool unwanted_only,
                                   struct pingo__store_attempt_list *list, ERR);
/* The attempts of a submission, of an action of it (position -1: of all) behind an attempt; up to limit. */
struct pingo__store_attempt_range {
    int64_t workflow, position;
    int64_t at[3]; /* position, row and epoch of the last one; all 0: none */
    size_t limit;
};
int pingo__store_attempt_list_of(struct pingo__store_db *db,
                                 const struct pingo__store_attempt_range *range,
                                 struct pingo__store_attempt_told_list *list,
                                 struct pingo_error *err);
/* Those that failed, the newest end first, before one. */
struct pingo__store_failed_query {
    struct pingo_failure_query of; /* its limit and places are not looked at */
    int64_t at[3];                 /* when it ended, its row and its epoch */
    size_t limit;
};
int pingo__store_attempt_list_failed(struct pingo__store_db *db,
                                     const struct pingo__store_failed_query *query,
                                     struct pingo__store_attempt_told_list *list,
                                     struct pingo_error *err);
/* The newest attempt of an action; row->key.action 0: it has none. */
int pingo__store_attempt_last(struct pingo__store_db *db, int64_t action, struct pingo__arena *arena,
                              struct pingo__store_attempt_row *row, struct pingo_error *err);
/* Likewise: one wherever it is (store/archive/archive.h), without its texts; and one of those that are here, as all
 * are of what has not ended. */
int pingo__store_attempt_find(struct pingo__store_db *db, struct pingo_job_key key,
                              struct pingo__store_attempt_row *row, struct pingo_error *err);
int pingo__store_attempt_get(DB, struct pingo_job_key key, struct pingo__arena *arena,
                             struct pingo__store_attempt_row *row, ERR);
/* What its scratch directory holds; 0: it is kept, and to be measured; -1: it is not kept. */
PINGO__WRITE(pingo__store_attempt_set_scratch(DB, struct pingo_job_key key, int64_t bytes, ERR),
             "UPDATE attempt SET scratch_bytes = ?3 WHERE action = ?1 AND"
             " epoch = ?2 AND state = " ATTEMPT_ENDED,
             INT(key.action), INT(key.epoch), OPT(bytes));
/* Attempts whose scratch directories are counted (only those to be measured: unmeasured true), up to limit. */
int pingo__store_attempt_list_scratch(DB, bool unmeasured, size_t limit,
                                      struct pingo__store_key_list *list, ERR);
/* An open attempt changes hands, and with it its action, unless that has given it up; nothing happens where it was not
 * this owner's any more: pingo__store_db_has_changed() tells. */
int pingo__store_attempt_take(struct pingo__store_db *db, struct pingo_job_key key, int64_t from,
                              int64_t to, struct pingo_error *err);
/* When the oldest attempt that is open was handed to its executor; 0: none is. */
PINGO__NUMBER(pingo__store_attempt_oldest(DB, int64_t *handed_ms, ERR), handed_ms, 0,
              "SELECT min(handed_ms) FROM attempt WHERE " ATTEMPT_IS_OPEN("state"), NONE);
/* The open attempts of an executor, whoever owns them. */
int pingo__store_attempt_list_unsettled(DB, const char *executor,
                                        struct pingo__store_key_list *list, ERR);
/* All attempts of a submission's actions. */
int pingo__store_attempt_list_of_workflow(struct pingo__store_db *db, int64_t workflow,
                                          struct pingo__store_key_list *list,
                                          struct pingo_error *err);

#endif
