/* users.c - see users.h. */
#include "store/submission/users.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "plan/share.h"
#include "store/submission/driving.h"

/* clang-format off */
#define USER(F, T)                                                                                 \
    F(T, INT, id, "id") F(T, TEXT, name, "name") F(T, INT, weight, "weight")                       \
    F(T, OPT, slots, "slots") F(T, OPT, actions, "actions") F(T, OPT, bytes, "bytes")              \
    F(T, INT, running, "running") F(T, INT, usage_ms, "usage_ms") F(T, INT, as_of_ms, "as_of_ms")
#define BYTES(F, T)                                                                                \
    F(T, INT, user, "w.user_number") F(T, INT, bytes, "coalesce(sum(o.size_bytes), 0)")            \
    F(T, INT, ndatasets, "count(*)")
#define WAITING(F, T)                                                                              \
    F(T, INT, user, "w.user_number") F(T, INT, n, "sum(p.waiting + p.ready)")
#define JOINT(F, T) F(T, INT, id, "id") F(T, TEXT, users, "users")
/* clang-format on */
PINGO__KIND(users, struct pingo__store_user_row, USER);
PINGO__KIND(bytes, struct pingo__store_user_bytes, BYTES);
PINGO__KIND(waitings, struct pingo__store_user_waiting, WAITING);
PINGO__KIND(joints, struct pingo__store_joint, JOINT);

/* ---- rows ------------------------------------------------------------------------------------ */

PINGO__LIST(pingo__store_user_list(DB, struct pingo__store_user_list *list, ERR), users, list,
            PINGO__SELECT(USER) " FROM user ORDER BY id", NONE);

PINGO__GET(pingo__store_user_get(DB, const char *name, struct pingo__arena *arena,
                                 struct pingo__store_user_row *row, ERR),
           users, arena, row, PINGO__SELECT(USER) " FROM user WHERE name = ?", TEXT(name));

int pingo__store_user_number(struct pingo__store_db *db, const char *name, int64_t *id,
                             struct pingo_error *err)
{
    *id = 0;
    int rc = pingo__db_number(db, err, id, "SELECT id FROM user WHERE name = ?", TEXT(name));
    if (rc || *id)
        return rc;
    rc = pingo__db_write(db, err, "INSERT INTO user(name) VALUES(?)", TEXT(name));
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return rc;
}

/* ---- what he has in hand, and has used --------------------------------------------------------- */

int pingo__store_user_half_life(struct pingo__store_db *db, int64_t *ms, struct pingo_error *err)
{
    *ms = 0;
    int rc = pingo__db_number(db, err, ms,
                              "SELECT 3600000 * CAST(value AS INTEGER) FROM setting WHERE key ="
                              " 'share.halfLifeHours'",
                              NONE);
    *ms = *ms > 0 ? *ms : PINGO__SHARE_HALF_LIFE_MS;
    return rc;
}

#define USED(F, T)                                                                                 \
    F(T, INT, is_row, "1") F(T, INT, usage_ms, "usage_ms") F(T, INT, as_of_ms, "as_of_ms")
PINGO__ROW(used, struct used, USED);

static int save(struct pingo__store_db *db, const struct pingo__store_db_booking *b,
                struct pingo_error *err)
{
    int64_t now_ms = pingo__store_db_now_ms(db), half_ms;
    struct used u;
    int rc = pingo__db_row(db, err, &used, NULL, &u,
                           "UPDATE user SET running = running + ?2, usage_ms = usage_ms + ?3"
                           " WHERE id = ?1 RETURNING 0" USED(PINGO__COLUMN, ),
                           INT(b->user), INT(b->running), INT(b->usage_ms));
    bool is_set_back = u.as_of_ms > now_ms; /* the clock: what there is shrinks from now on */
    if (rc || !u.is_row || !b->usage_ms || (!is_set_back && now_ms - u.as_of_ms < 1000))
        return rc;
    rc = pingo__store_user_half_life(db, &half_ms, err);
    int64_t as_of_ms = u.as_of_ms && !is_set_back ? u.as_of_ms : now_ms;
    if (!rc) /* what is booked now was not there when the rest was last halved */
        u.usage_ms = b->usage_ms +
                     pingo__plan_share_decay(u.usage_ms - b->usage_ms, &as_of_ms, now_ms, half_ms);
    if (rc || as_of_ms == u.as_of_ms)
        return rc;
    return pingo__db_write(db, err, "UPDATE user SET usage_ms = ?2, as_of_ms = ?3 WHERE id = ?1",
                           INT(b->user), INT(u.usage_ms), INT(as_of_ms));
}

int pingo__store_user_save(struct pingo__store_db *db, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < db->nbookings; i++)
        if (db->bookings[i].running || db->bookings[i].usage_ms)
            rc = save(db, &db->bookings[i], err);
    db->nbookings = 0;
    return rc;
}

int pingo__store_user_add(struct pingo__store_db *db, int64_t user, int64_t running,
                          int64_t usage_ms, struct pingo_error *err)
{
    size_t i = 0;
    int rc = 0;
    while (i < db->nbookings && db->bookings[i].user != user)
        i++;
    if (i == sizeof db->bookings / sizeof *db->bookings) {
        rc = pingo__store_user_save(db, err);
        i = 0;
    }
    if (i == db->nbookings)
        db->bookings[db->nbookings++] = (struct pingo__store_db_booking){.user = user};
    db->bookings[i].running += running;
    db->bookings[i].usage_ms += usage_ms;
    return rc;
}

/* ---- what quotas count ---------------------------------------------------------------------------- */

int pingo__store_user_waiting(struct pingo__store_db *db,
                              struct pingo__store_user_waiting_list *list, struct pingo_error *err)
{
    int rc = pingo__store_progress_save(db, err);
    return rc ? rc
              : pingo__db_list(db, err, &waitings, list,
                               PINGO__SELECT(WAITING) " FROM workflow w JOIN progress p"
                                                      " ON p.workflow = w.id WHERE w.state"
                                                      " = " WORKFLOW_RUNNING
                                                      " GROUP BY w.user_number",
                               NONE);
}

PINGO__LIST(pingo__store_user_bytes(DB, struct pingo__store_user_bytes_list *list, ERR), bytes, list,
            PINGO__SELECT(BYTES) " FROM (SELECT id FROM dataset WHERE"
                                 " state = " DATASET_LEAF " UNION SELECT id FROM dataset"
                                 " WHERE pinned = 1 AND state = " DATASET_STORED ") x"
                                 " CROSS JOIN dataset d ON d.id = x.id CROSS JOIN object o"
                                 " ON o.id = d.object CROSS JOIN action a ON"
                                 " a.id = d.action CROSS JOIN workflow w ON"
                                 " w.id = a.workflow WHERE d.managed = 1 GROUP BY w.user_number",
            NONE);

/* ---- queues ------------------------------------------------------------------------------------------ */

PINGO__LIST(pingo__store_joint_list(DB, struct pingo__store_joint_list *list, ERR), joints, list,
            PINGO__SELECT(JOINT) " FROM joint UNION ALL SELECT 0, 0, '' ORDER BY id", NONE);

bool pingo__store_joint_has(const char *of, int64_t user)
{
    char number[32];
    snprintf(number, sizeof number, ",%" PRId64 ",", user);
    return !!strstr(of, number);
}

int pingo__store_queue_next(struct pingo__store_db *db, int64_t *queue, bool *found,
                            struct pingo_error *err)
{
    int64_t next = INT64_MIN;
    int rc = pingo__db_number(db, err, &next,
                              "SELECT queue FROM action WHERE state = " ACTION_READY
                              " AND queue > ? ORDER BY queue LIMIT 1",
                              INT(*queue));
    *found = !rc && next != INT64_MIN;
    if (*found)
        *queue = next;
    return rc;
}

/* The numbers of the users of a queue, as in ",1,4,"; and of two together, in order. */
#define USERS_OF(queue) "coalesce((SELECT users FROM joint WHERE id = " queue "), " queue ")"
#define TOGETHER                                                                                   \
    "(SELECT ',' || group_concat(value, ',') || ',' FROM (SELECT DISTINCT value FROM"              \
    " json_each('[' || trim(" USERS_OF("?1") ", ',') || ',' || trim(" USERS_OF(                    \
        "?2") ", ',')"                                                                             \
              " || ']') ORDER BY value))"

/* The queue of those of both; neither is 0. */
static int joint_with(struct pingo__store_db *db, int64_t queue, int64_t with, int64_t *joint,
                      struct pingo_error *err)
{
    *joint = 0;
    int rc = pingo__db_number(db, err, joint, "SELECT id FROM joint WHERE users = " TOGETHER,
                              INT(queue), INT(with));
    return rc || *joint ? rc
                        : pingo__db_number(db, err, joint,
                                           "INSERT INTO joint(id, users) SELECT"
                                           " min(coalesce(min(id), 0), 0) - 1, " TOGETHER
                                           " FROM joint RETURNING id",
                                           INT(queue), INT(with));
}

/* *changed false: it was there before, and with what it waits for. */
static int join_one(struct pingo__store_db *db, int64_t action, int64_t with, bool *changed,
                    struct pingo_error *err)
{
    int64_t queue = 0, joint = 0;
    int rc = pingo__db_number(db, err, &queue, "SELECT queue FROM action WHERE id = ?", INT(action));
    if (!rc && queue && with && queue != with)
        rc = joint_with(db, queue, with, &joint, err);
    *changed = !rc && queue && queue != with && queue != joint;
    return *changed ? pingo__db_write(db, err, "UPDATE action SET queue = ?2 WHERE id = ?1",
                                      INT(action), INT(joint))
                    : rc;
}

#define UNFINISHED ACTION_IS_UNFINISHED("a.state")

struct todo {
    int64_t *actions;
    size_t n, capacity;
};

static int add(void *context, const void *action, struct pingo_error *err)
{
    struct todo *todo = context;
    if (!PINGO__ARRAY_ROOM(todo->actions, todo->capacity, todo->n, 1))
        return pingo__fail_memory(err);
    todo->actions[todo->n++] = *(const int64_t *)action;
    return 0;
}

/* What an action waits for: its parents, and whom it joined. */
static PINGO__EACH(add_above(DB, int64_t action, struct todo *todo, ERR), pingo__store_numbers, add,
                   todo,
                   "SELECT 0, d.parent FROM dependency d JOIN action a ON a.id = d.parent"
                   " WHERE d.child = ?1 AND " UNFINISHED
                   " UNION ALL SELECT 0, joined FROM action WHERE id = ?1 AND"
                   " joined IS NOT NULL AND state = " ACTION_WAITING,
                   INT(action));

/* What is to be done, and what that waits for.  rc: of making todo. */
static int join_all(struct pingo__store_db *db, int rc, struct todo *todo, int64_t with,
                    struct pingo_error *err)
{
    while (!rc && todo->n) {
        bool changed = false;
        int64_t id = todo->actions[--todo->n];
        rc = join_one(db, id, with, &changed, err);
        if (!rc && changed)
            rc = add_above(db, id, todo, err);
    }
    free(todo->actions);
    return rc;
}

int pingo__store_queue_join(struct pingo__store_db *db, int64_t action, int64_t queue,
                            struct pingo_error *err)
{
    struct todo todo = {NULL, 0, 0};
    return join_all(db, add(&todo, &action, err), &todo, queue, err);
}

int pingo__store_queue_lead(struct pingo__store_db *db, int64_t action, struct pingo_error *err)
{
    struct todo todo = {NULL, 0, 0};
    int64_t queue = 0;
    int rc = pingo__db_number(db, err, &queue, "SELECT queue FROM action WHERE id = ?", INT(action));
    if (!rc)
        rc = add_above(db, action, &todo, err);
    return join_all(db, rc, &todo, queue, err);
}

/* ---- priorities ---------------------------------------------------------------------------------------- */

/* The unfinished actions of a workflow, and of others those that they wait for. */
#define OWN "workflow = ?1 AND " ACTION_IS_UNFINISHED("state")
#define ABOVE PINGO__WITH_ABOVE(PINGO__DRIVING_WAITED_FOR)
#define OWN_AND_ABOVE "(SELECT id FROM action WHERE " OWN " UNION ALL SELECT id FROM above)"

#define WAIT(F, T) F(T, INT, action, "p.id") F(T, INT, queue, "c.queue")
PINGO__ROW(waits, struct wait, WAIT);
PINGO__STORE_LIST(wait_list, struct wait);

#define ITS_QUEUE                                                                                  \
    "(SELECT iif(w.priority > 0, 0, w.user_number) FROM workflow w WHERE w.id = action.workflow)"

/* Each is where its own workflow puts it. */
static int give_back(struct pingo__store_db *db, int64_t workflow, int64_t priority,
                     struct pingo_error *err)
{
    int rc = pingo__db_write(db, err,
                             "UPDATE action SET priority = ?2, queue = " ITS_QUEUE " WHERE " OWN,
                             INT(workflow), INT(priority));
    return rc ? rc
              : pingo__db_write(db, err,
                                ABOVE "UPDATE action SET queue = " ITS_QUEUE
                                      " WHERE id IN (SELECT id FROM above)",
                                INT(workflow));
}

/* Who waits for one of them from another queue. */
#define WAITS_BY(such)                                                                             \
    PINGO__SELECT(WAIT)                                                                            \
    " FROM " OWN_AND_ABOVE " b CROSS JOIN action p ON p.id = b.id CROSS JOIN " such                \
    " AND p.queue <> 0 AND c.queue <> p.queue"
#define C_UNFINISHED ACTION_IS_UNFINISHED("c.state")
#define CHILD                                                                                      \
    "dependency d ON d.parent = b.id CROSS JOIN action c ON c.id = d.child WHERE " C_UNFINISHED
#define JOINER "action c ON c.joined = b.id WHERE c.state = " ACTION_WAITING
static PINGO__LIST(list_waits(DB, int64_t workflow, struct wait_list *list, ERR), waits, list,
                   ABOVE WAITS_BY(CHILD) " UNION " WAITS_BY(JOINER), INT(workflow));

int pingo__store_queue_set_priority(struct pingo__store_db *db, int64_t workflow, int64_t priority,
                                    struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct wait_list list = {.arena = &arena};
    int rc = pingo__db_write(db, err, "UPDATE workflow SET priority = ?2 WHERE id = ?1",
                             INT(workflow), INT(priority));
    if (!rc)
        rc = give_back(db, workflow, priority, err);
    if (!rc)
        rc = list_waits(db, workflow, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++)
        rc = pingo__store_queue_join(db, list.rows[i].action, list.rows[i].queue, err);
    pingo__arena_clear(&arena);
    return rc;
}
