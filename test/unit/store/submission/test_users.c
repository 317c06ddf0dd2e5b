/* test_users.c - users: their numbers and quotas, what they have in hand and have used, and in whose queue an action stands. */
#include "unit/store/rows.h"

#include "store/submission/users.h"

#define DAY_MS INT64_C(86400000)

/* A clock that the test sets. */
static int64_t now_ms;
static int64_t told_ns(void *context)
{
    UNUSED(context);
    return now_ms * 1000000;
}

static struct pingo__world a_clock(void)
{
    struct pingo__world world = *pingo__world_real();
    world.now_ns = told_ns;
    return world;
}

static int64_t number_of(struct box *b, const char *name)
{
    struct pingo_error err;
    int64_t id = -7;
    well(pingo__store_user_number(&b->store->db, name, &id, &err), &err);
    return id;
}

static struct pingo__store_user_row user_of(struct box *b, struct pingo__arena *arena,
                                            const char *name)
{
    struct pingo__store_user_row row;
    struct pingo_error err;
    well(pingo__store_user_get(&b->store->db, name, arena, &row, &err), &err);
    return row;
}

/* A number is given once, whatever a name has in it, and to nobody by asking. */
static void test_users__have_a_number_each(void **state)
{
    static const char *const names[] = {"ada", "ADA", "a'; DROP TABLE user; --",
                                        "\xc3\xa9t\xc3\xa9", ""};
    struct pingo__store_user_list list;
    struct pingo__arena arena = {0};
    struct box *b = rows_new(NULL);
    struct pingo_error err;
    bool matter = true;
    UNUSED(state);
    assert_int_equal(user_of(b, &arena, "ada").id, 0);
    well(pingo__store_user_matters(&b->store->db, &matter, &err), &err);
    assert_false(matter);
    for (int64_t i = 0; i < 5; i++)
        assert_int_equal(number_of(b, names[i]), i + 1);
    for (int64_t i = 0; i < 5; i++) { /* the same again, without another row */
        assert_int_equal(number_of(b, names[i]), i + 1);
        struct pingo__store_user_row row = user_of(b, &arena, names[i]);
        assert_int_equal(row.id, i + 1);
        assert_string_equal(row.name, names[i]);
        assert_int_equal(row.weight, 1);
        assert_int_equal(row.slots, -1);
        assert_int_equal(row.actions, -1);
        assert_int_equal(row.bytes, -1);
        assert_int_equal(row.running, 0);
        assert_int_equal(row.usage_ms, 0);
    }
    list = (struct pingo__store_user_list){.arena = &arena};
    well(pingo__store_user_list(&b->store->db, &list, &err), &err);
    assert_int_equal(list.n, 5);
    assert_int_equal(list.rows[4].id, 5);
    well(pingo__store_user_matters(&b->store->db, &matter, &err), &err);
    assert_true(matter);
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_users__quotas_are_kept_as_they_are_set(void **state)
{
    static const int64_t values[] = {-1, 0, 1, INT64_MAX};
    struct pingo__arena arena = {0};
    struct box *b = rows_new(NULL);
    struct pingo_error err;
    bool matter = true;
    UNUSED(state);
    number_of(b, "ada");
    for (size_t i = 0; i < 4; i++) {
        struct pingo__store_user_row set = user_of(b, &arena, "ada"), got;
        set.weight = i ? 10000 : 1;
        set.slots = values[i];
        set.actions = values[3 - i];
        set.bytes = values[(i + 1) % 4];
        well(pingo__store_user_set(&b->store->db, &set, &err), &err);
        got = user_of(b, &arena, "ada");
        assert_int_equal(got.weight, set.weight);
        assert_int_equal(got.slots, set.slots);
        assert_int_equal(got.actions, set.actions);
        assert_int_equal(got.bytes, set.bytes);
        /* Alone, he is next whatever his weight, but not above his slots. */
        well(pingo__store_user_matters(&b->store->db, &matter, &err), &err);
        assert_int_equal(matter, set.slots >= 0);
    }
    for (int64_t wrong = 0; wrong <= 10001; wrong += 10001) {
        struct pingo__store_user_row set = user_of(b, &arena, "ada");
        set.weight = wrong;
        assert_int_equal(pingo__store_user_set(&b->store->db, &set, &err), PINGO_ESTORE);
    }
    assert_int_equal(user_of(b, &arena, "ada").weight, 10000);
    pingo__arena_clear(&arena);
    rows_close(b);
}

/* More users at once than are kept in hand until the transaction ends. */
static void test_users__what_they_have_is_booked_once(void **state)
{
    struct pingo__arena arena = {0};
    struct box *b = rows_new(NULL);
    struct pingo_error err;
    char name[8];
    UNUSED(state);
    for (int round = 0; round < 3; round++)
        for (int64_t i = 0; i < 20; i++) {
            snprintf(name, sizeof name, "u%d", (int)i);
            int64_t id = number_of(b, name);
            well(pingo__store_user_add(&b->store->db, id, i, 0, &err), &err);
            well(pingo__store_user_add(&b->store->db, id, round == 2 ? -i : 1, 10 * i, &err), &err);
        }
    well(pingo__store_user_add(&b->store->db, 999, 1, 1, &err), &err); /* who is not there */
    well(pingo__store_user_save(&b->store->db, &err), &err);
    well(pingo__store_user_save(&b->store->db, &err), &err); /* and nothing twice */
    for (int64_t i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "u%d", (int)i);
        struct pingo__store_user_row row = user_of(b, &arena, name);
        assert_int_equal(row.running, 2 * i + 2);
        assert_int_equal(row.usage_ms, 30 * i);
    }
    assert_int_equal(box_int(b, "SELECT count(*) FROM user"), 20);
    pingo__arena_clear(&arena);
    rows_close(b);
}

/* What was used long ago shrinks; what is booked after a long pause counts whole. */
static void test_users__only_old_use_is_halved(void **state)
{
    struct pingo__arena arena = {0};
    struct box *b = rows_new(NULL);
    struct pingo__world world = a_clock();
    const struct pingo__world *real = b->store->db.world;
    struct pingo_error err;
    UNUSED(state);
    b->store->db.world = &world;
    int64_t id = number_of(b, "ada");
    static const struct {
        int64_t pause_ms, use_ms, is_ms;
    } rows[] = {
        {0, 1000000, 1000000},         {DAY_MS / 2048, 500, 1000500},
        {DAY_MS, 0, 1000500},          {0, 1, 500251}, /* whoever adds nothing looks at nothing */
        {DAY_MS, 4000000, 4250125},    {20 * DAY_MS, 7000000, 7000004},
        {-40 * DAY_MS, 1000, 7001004}, /* the clock was set back, */
        {DAY_MS, 1000, 3501502},       /* and goes on */
    };
    now_ms = INT64_C(1800000000000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        now_ms += rows[i].pause_ms;
        well(pingo__store_user_add(&b->store->db, id, 1, rows[i].use_ms, &err), &err);
        well(pingo__store_user_save(&b->store->db, &err), &err);
        int64_t usage_ms = user_of(b, &arena, "ada").usage_ms;
        assert_in_range(usage_ms, rows[i].is_ms - rows[i].is_ms / 1000 - 2, rows[i].is_ms + 2);
    }
    assert_int_equal(user_of(b, &arena, "ada").running, 8);
    b->store->db.world = real;
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_users__the_half_life_is_a_setting(void **state)
{
    static const struct {
        const char *value;
        int64_t ms;
    } rows[] = {{"1", 3600000}, {"168", 604800000}, {"0", DAY_MS}, {"-3", DAY_MS}, {"x", DAY_MS}};
    struct box *b = rows_new(NULL);
    struct pingo_error err;
    char sql[128];
    int64_t ms = 0;
    UNUSED(state);
    well(pingo__store_user_half_life(&b->store->db, &ms, &err), &err);
    assert_int_equal(ms, DAY_MS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(sql, sizeof sql,
                 "INSERT OR REPLACE INTO setting(key, value) VALUES"
                 "('share.halfLifeHours', '%s')",
                 rows[i].value);
        rows_run(b, sql);
        well(pingo__store_user_half_life(&b->store->db, &ms, &err), &err);
        assert_int_equal(ms, rows[i].ms);
    }
    rows_close(b);
}

static int64_t waiting_of(struct box *b, int64_t user)
{
    struct pingo_error err;
    struct pingo__arena arena = {0};
    struct pingo__store_user_waiting_list list = {.arena = &arena};
    int64_t n = 0;
    well(pingo__store_user_waiting(&b->store->db, &list, &err), &err);
    for (size_t i = 0; i < list.n; i++)
        n += list.rows[i].user == user ? list.rows[i].n : 0;
    pingo__arena_clear(&arena);
    return n;
}

static void test_users__who_waits_and_what_he_keeps_is_counted(void **state)
{
    struct box *b = box_new();
    struct pingo__store_user_bytes_list list;
    struct pingo__arena arena = {0};
    struct pingo_error err;
    UNUSED(state);
    box_submit(b, FAN);
    rows_begin(b);
    assert_int_equal(waiting_of(b, 1), 3);
    assert_int_equal(waiting_of(b, 2), 0);
    pingo__store_db_rollback(&b->store->db);
    box_finish_all(b);
    rows_begin(b);
    assert_int_equal(waiting_of(b, 1), 0);
    for (int pinned = 0; pinned < 2;
         pinned++) { /* a3, a leaf, and a1 once it is pinned; a leaf once */
        list = (struct pingo__store_user_bytes_list){.arena = &arena};
        well(pingo__store_user_bytes(&b->store->db, &list, &err), &err);
        assert_int_equal(list.n, 1);
        assert_int_equal(list.rows[0].user, 1);
        assert_int_equal(list.rows[0].ndatasets, 1 + pinned);
        assert_int_equal(list.rows[0].bytes, 2 + 2 * pinned);
        rows_run(b, "UPDATE dataset SET pinned = 1 WHERE id IN (1, 3)");
    }
    rows_run(b, "UPDATE dataset SET managed = 0");
    list = (struct pingo__store_user_bytes_list){.arena = &arena};
    well(pingo__store_user_bytes(&b->store->db, &list, &err), &err);
    assert_int_equal(list.n, 0);
    pingo__arena_clear(&arena);
    rows_close(b);
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void join(struct box *b, int64_t action, int64_t queue)
{
    struct pingo_error err;
    well(pingo__store_queue_join(&b->store->db, action, queue, &err), &err);
}

/* For whom an action waits: ",1,2,"; "0": before all shares. */
static void stands(struct box *b, int64_t action, const char *users)
{
    char sql[200], of[64] = "";
    sqlite3_stmt *stmt = NULL;
    snprintf(sql, sizeof sql,
             "SELECT coalesce((SELECT users FROM joint j WHERE j.id = a.queue),"
             " a.queue) FROM action a WHERE id = %d",
             (int)action);
    assert_int_equal(sqlite3_prepare_v2(b->store->db.sqlite, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    snprintf(of, sizeof of, "%s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    assert_string_equal(of, users);
}

/* a1, a2, which reads it, and a3, which reads that; of user 1, and there are users to 13. */
static struct box *chain(void)
{
    struct box *b = rows_new(W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)))));
    rows_run(b, "WITH n(i) AS (VALUES(2) UNION ALL SELECT i + 1 FROM n WHERE i < 13)"
                " INSERT INTO user(id, name) SELECT i, 'u' || i FROM n");
    return b;
}

static void test_users__queues_are_of_all_who_wait(void **state)
{
    struct box *b = chain();
    UNUSED(state);
    join(b, 2, 1); /* his own */
    stands(b, 2, "1");
    assert_int_equal(box_int(b, "SELECT count(*) FROM joint"), 0);
    join(b, 2, 11);
    stands(b, 1, ",1,11,"); /* what it waits for, */
    stands(b, 2, ",1,11,");
    stands(b, 3, "1"); /* and not what waits for it */
    join(b, 2, 11);    /* he is there; and so is 1, who is not 11 */
    join(b, 2, 1);
    stands(b, 2, ",1,11,");
    assert_int_equal(box_int(b, "SELECT count(*) FROM joint"), 1);
    join(b, 3, 13);
    stands(b, 3, ",1,13,");
    stands(b, 2, ",1,11,13,");
    join(b, 3, 11); /* the same queue, however it came about */
    stands(b, 3, ",1,11,13,");
    assert_int_equal(box_int(b, "SELECT count(DISTINCT queue) FROM action"), 1);
    join(b, 3, 2); /* in order of number, not of text */
    stands(b, 1, ",1,2,11,13,");
    join(b, 2, 0);
    stands(b, 1, "0");
    stands(b, 2, "0");
    stands(b, 3, ",1,2,11,13,");
    join(b, 2, 5); /* nothing is better than that */
    stands(b, 2, "0");
    assert_int_equal(box_int(b, "SELECT count(*) FROM joint"), 4); /* those that were stood in */
    rows_close(b);
}

/* What waits for actions of different users is in a queue of all of them, each once. */
static void test_users__queues_of_several_are_merged(void **state)
{
    struct box *b = chain();
    int64_t joint;
    UNUSED(state);
    rows_run(b, "UPDATE action SET queue = 2 WHERE id = 1");
    join(b, 1, 3);
    join(b, 2, 3);
    stands(b, 1, ",2,3,");
    stands(b, 2, ",1,3,");
    stands(b, 3, "1");
    joint = box_int(b, "SELECT id FROM joint WHERE users = ',2,3,'");
    assert_true(joint < 0);
    join(b, 3, joint); /* to one user's, and to one of several */
    stands(b, 3, ",1,2,3,");
    stands(b, 2, ",1,2,3,");
    stands(b, 1, ",2,3,"); /* which has it */
    rows_close(b);
}

/* What has ended is left where it was. */
static void test_users__queues_are_of_what_is_unfinished(void **state)
{
    struct box *b = chain();
    struct pingo_error err;
    UNUSED(state);
    rows_run(b, "UPDATE action SET state = 6, ended_ms = 1 WHERE id = 1");
    join(b, 3, 2);
    stands(b, 1, "1");
    stands(b, 2, ",1,2,");
    /* It came to wait for something else: that gets the better place. */
    rows_run(b, "UPDATE action SET state = 2, ended_ms = NULL WHERE id = 1");
    well(pingo__store_queue_lead(&b->store->db, 2, &err), &err);
    stands(b, 1, ",1,2,");
    rows_close(b);
}

static void test_users__a_priority_goes_up_and_back(void **state)
{
    struct box *b = chain();
    struct pingo_error err;
    UNUSED(state);
    join(b, 2, 4); /* another user waits for a2 */
    well(pingo__store_queue_set_priority(&b->store->db, 1, 7, &err), &err);
    for (int64_t id = 1; id <= 3; id++)
        stands(b, id, "0");
    assert_int_equal(box_int(b, "SELECT min(priority) FROM action"), 7);
    assert_int_equal(box_int(b, "SELECT priority FROM workflow"), 7);
    for (int64_t priority = 0; priority >= -5; priority -= 5) { /* who waits no more has no place */
        well(pingo__store_queue_set_priority(&b->store->db, 1, priority, &err), &err);
        for (int64_t id = 1; id <= 3; id++)
            stands(b, id, "1");
    }
    assert_int_equal(box_int(b, "SELECT max(priority) FROM action"), -5);
    well(pingo__store_queue_set_priority(&b->store->db, 99, 7, &err), &err); /* there is none */
    stands(b, 1, "1");
    rows_close(b);
}

/* Two others wait, one for an action that he joined and one for his turn, until they are killed. */
static void test_users__who_waits_keeps_his_place_in_a_new_priority(void **state)
{
    const char *text = W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))));
    struct box *b = box_new();
    struct pingo_error err;
    UNUSED(state);
    box_submit(b, text);
    for (int i = 0; i < 2; i++) {
        struct pingo_submit_options o = {
            .version = 2, .base_dir = b->root, .user = i ? "bob" : "ada"};
        struct pingo_submission submission = {.size = sizeof submission};
        well(box_try_submit(b, i ? W(A(9, "")) : text, &o, &submission, &err), &err);
    }
    rows_begin(b);
    assert_int_equal(box_int(b, "SELECT joined FROM action WHERE id = 4"), 3);
    rows_run(b, "INSERT INTO dependency(parent, child, data) VALUES(2, 5, 0)");
    for (int64_t priority = 7; priority >= 0; priority -= 7)
        well(pingo__store_queue_set_priority(&b->store->db, 1, priority, &err), &err);
    stands(b, 1, ",1,2,3,");
    stands(b, 2, ",1,2,3,");
    stands(b, 3, ",1,2,");
    rows_run(b, "UPDATE action SET state = 8, ended_ms = 1 WHERE id = 5");
    well(pingo__store_queue_set_priority(&b->store->db, 1, 0, &err), &err);
    stands(b, 2, ",1,2,");
    rows_run(b, "UPDATE action SET state = 8, ended_ms = 1 WHERE id = 4");
    well(pingo__store_queue_set_priority(&b->store->db, 1, 0, &err), &err);
    for (int64_t id = 1; id <= 3; id++)
        stands(b, id, "1");
    rows_close(b);
}

static void test_users__the_next_queue_has_something_ready(void **state)
{
    static const struct {
        const char *queues;
        int64_t all[4];
    } rows[] = {{"UPDATE action SET queue = 1", {1, INT64_MIN}},
                {"UPDATE action SET queue = id - 2", {-1, INT64_MIN}},
                {"UPDATE action SET queue = id - 2, state = 2", {-1, 0, 1, INT64_MIN}},
                {"UPDATE action SET state = 1", {INT64_MIN}}};
    struct box *b = chain(); /* a1 alone is READY */
    struct pingo_error err;
    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t queue = INT64_MIN;
        bool found = true;
        rows_run(b, rows[i].queues);
        for (size_t k = 0; found; k++) {
            well(pingo__store_queue_next(&b->store->db, &queue, &found, &err), &err);
            assert_int_equal(found, rows[i].all[k] != INT64_MIN);
            if (found)
                assert_int_equal(queue, rows[i].all[k]);
        }
    }
    rows_close(b);
}

static void test_users__a_joint_queue_tells_whose_it_is(void **state)
{
    struct pingo__store_joint_list list;
    struct pingo__arena arena = {0};
    struct box *b = chain();
    struct pingo_error err;
    UNUSED(state);
    assert_true(pingo__store_joint_has(",1,12,", 12));
    assert_false(pingo__store_joint_has(",1,12,", 2));
    assert_false(pingo__store_joint_has(",11,12,", 1));
    assert_false(pingo__store_joint_has("", 0)); /* nobody's */
    join(b, 2, 2);
    join(b, 3, 3);
    list = (struct pingo__store_joint_list){.arena = &arena};
    well(pingo__store_joint_list(&b->store->db, &list, &err), &err);
    assert_true(list.n >= 3);
    for (size_t i = 1; i < list.n; i++)
        assert_true(list.rows[i - 1].id < list.rows[i].id);
    assert_int_equal(list.rows[list.n - 1].id, 0);
    assert_string_equal(list.rows[list.n - 1].users, "");
    well(pingo__store_queue_take(&b->store->db, 2, 3, &err), &err);
    assert_int_equal(box_int(b, "SELECT user FROM action WHERE id = 2"), 3);
    assert_int_equal(box_int(b, "SELECT user FROM action WHERE id = 3"), 1);
    pingo__arena_clear(&arena);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_users__have_a_number_each),
        cmocka_unit_test(test_users__quotas_are_kept_as_they_are_set),
        cmocka_unit_test(test_users__what_they_have_is_booked_once),
        cmocka_unit_test(test_users__only_old_use_is_halved),
        cmocka_unit_test(test_users__the_half_life_is_a_setting),
        cmocka_unit_test(test_users__who_waits_and_what_he_keeps_is_counted),
        cmocka_unit_test(test_users__queues_are_of_all_who_wait),
        cmocka_unit_test(test_users__queues_of_several_are_merged),
        cmocka_unit_test(test_users__queues_are_of_what_is_unfinished),
        cmocka_unit_test(test_users__a_priority_goes_up_and_back),
        cmocka_unit_test(test_users__who_waits_keeps_his_place_in_a_new_priority),
        cmocka_unit_test(test_users__the_next_queue_has_something_ready),
        cmocka_unit_test(test_users__a_joint_queue_tells_whose_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
