/* test_action_lists.c - which actions are ready, in which order, and who waits for whom. */
#include "unit/store/rows.h"

#include "store/action/actions.h"

static const char *const types[] = {"command-line", NULL};

/* The names of a list, without their first letter, in its order. */
#define LIST(b, text, call)                                                                        \
    do {                                                                                           \
        struct pingo__arena arena_ = {0};                                                          \
        struct pingo__store_action_list list = {.arena = &arena_};                                 \
        char names_[64] = "";                                                                      \
        well(call, &err);                                                                          \
        for (size_t i_ = 0; i_ < list.n; i_++)                                                     \
            snprintf(names_ + strlen(names_), sizeof names_ - strlen(names_), "%s",                \
                     list.rows[i_].name + 1);                                                      \
        assert_string_equal(names_, text);                                                         \
        pingo__arena_clear(&arena_);                                                               \
    } while (0)

/* As pingo__store_action_add_ready(), into a new list, with an arena of it. */
static int ready(struct box *b, const struct pingo__store_ready_query *query,
                 struct pingo__store_action_list *list, struct pingo_error *err)
{
    struct pingo__store_ready_query q = *query;

    q.arena = list->arena;
    list->n = 0;
    list->rows = pingo__arena_array(list->arena, q.limit + 1, sizeof *list->rows);
    return pingo__store_action_add_ready(&b->store->db, &q, list, err);
}

static void test_action_lists__ready_ones_come_in_order(void **state)
{
    struct pingo__store_ready_query q = {.types = types, .limit = 9, .queue = PINGO__QUEUE_ANY};
    static const char *const others[] = {"external", NULL};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, "")));
    box_submit(b, W(A(4, "") "," A(5, "")));
    rows_begin(b);
    rows_run(b, "UPDATE action SET queue = 1, priority = 0, rank = 0");
    rows_run(b, "UPDATE action SET rank = 5 WHERE id = 3");
    LIST(b, "31", (q.limit = 2, ready(b, &q, &list, &err))); /* the first workflow, by rank */
    rows_run(b, "UPDATE action SET priority = 7 WHERE workflow = 2");
    rows_run(b, "UPDATE action SET rank = 1 WHERE id = 5");
    LIST(b, "5431", (q.limit = 9, ready(b, &q, &list, &err)));
    rows_run(b, "UPDATE action SET queue = 0 WHERE id = 1"); /* before all shares */
    LIST(b, "1543", ready(b, &q, &list, &err));
    LIST(b, "543", (q.queue = 1, ready(b, &q, &list, &err)));
    LIST(b, "", (q.queue = 2, ready(b, &q, &list, &err)));
    rows_run(b, "UPDATE action SET not_before_ms = 100 WHERE id = 5");
    LIST(b, "43", (q.queue = 1, q.now_ms = 99, ready(b, &q, &list, &err)));
    int64_t next_ms = 200; /* when there is more */
    q.next_ms = &next_ms;
    LIST(b, "43", ready(b, &q, &list, &err));
    assert_int_equal(next_ms, 100);
    LIST(b, "543", (q.now_ms = 100, ready(b, &q, &list, &err)));
    next_ms = 200;
    LIST(b, "543", ready(b, &q, &list, &err));
    assert_int_equal(next_ms, 200);
    rows_run(b, "UPDATE action SET not_before_ms = 999999 WHERE id = 5"); /* the clock was set back */
    LIST(b, "543", ready(b, &q, &list, &err));
    assert_int_equal(next_ms, 200);
    q.priority = 7; /* of one workflow, by rank as well */
    LIST(b, "54", (q.workflow = 2, ready(b, &q, &list, &err)));
    LIST(b, "", (q.workflow = 1, ready(b, &q, &list, &err)));
    q.workflow = 0;
    LIST(b, "", (q.types = others, ready(b, &q, &list, &err))); /* nobody here runs these */
    rows_close(b);
}

struct rare {
    int nasked;
};

static bool two_wait(void *context, const struct pingo__store_asking *asking)
{
    UNUSED(context);
    assert_string_equal(asking->type, "command-line");
    assert_null(asking->executor);
    return strstr(asking->resources, "2") != NULL && asking->nfailed == 0;
}

static int all_fit(void *context, const struct pingo__store_action_row *row, bool *fits,
                   struct pingo_error *err)
{
    struct rare *rare = context;

    UNUSED(err);
    assert_null(strstr(row->resources, "2"));
    rare->nasked++;
    *fits = true;
    return 0;
}

static void test_action_lists__what_is_known_to_wait_is_not_read(void **state)
{
    struct rare rare = {0};
    struct pingo__store_ready_query q = {.types = types,
                                         .limit = 9,
                                         .queue = PINGO__QUEUE_ANY,
                                         .waits = two_wait,
                                         .fits = all_fit,
                                         .fits_context = &rare};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, ",'resources':{'gpus':2}") "," A(2, "") "," A(
                      3, ",'resources':{'gpus':1}") "," A(4, ",'resources':{'gpus':2}")));
    rows_begin(b);
    rows_run(b, "UPDATE action SET rank = -id");
    LIST(b, "23", ready(b, &q, &list, &err));
    assert_int_equal(rare.nasked, 1);
    LIST(b, "1234", (q.fits = NULL, ready(b, &q, &list, &err)));
    rows_close(b);
}

struct known {
    int64_t not_this, foreign;
    bool rare;
};

static bool not_this(void *context, int64_t action, bool rare)
{
    const struct known *known = context;

    assert_true(rare == known->rare);
    return action != known->not_this;
}

static void is_foreign(void *context, int64_t action)
{
    struct known *known = context;

    known->foreign += action;
}

static void test_action_lists__what_does_not_pass_is_not_looked_at(void **state)
{
    static const char *const others[] = {"external", NULL};
    struct known known = {.not_this = 2};
    struct pingo__store_ready_query q = {.types = types,
                                         .limit = 9,
                                         .queue = PINGO__QUEUE_ANY,
                                         .passes = not_this,
                                         .foreign = is_foreign,
                                         .fits_context = &known};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, "")));
    rows_begin(b);
    rows_run(b, "UPDATE action SET rank = -id");
    LIST(b, "13", ready(b, &q, &list, &err));
    assert_int_equal(known.foreign, 0);
    q.types = others;
    LIST(b, "", ready(b, &q, &list, &err));
    assert_int_equal(known.foreign, 1 + 3);
    rows_close(b);
}

static void test_action_lists__foreign_ones_are_counted(void **state)
{
    static const char *const others[] = {"external", "far/command-line", NULL};
    struct box *b = rows_new(FAN);
    struct pingo__store_foreign found;
    struct pingo__store_action_row row;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_action_count_foreign(&b->store->db, 0, types, &found, &err), &err);
    assert_int_equal(found.n, 0);
    assert_int_not_equal(found.others, 0);
    well(pingo__store_action_count_foreign(&b->store->db, 1, others, &found, &err), &err);
    assert_int_equal(found.n, 2); /* the third is not ready */
    assert_non_null(strstr(found.what, "command-line"));
    well(pingo__store_action_count_foreign(&b->store->db, 2, others, &found, &err), &err);
    assert_int_equal(found.n, 0);
    struct pingo__arena arena = {0};
    struct pingo__store_ready_query ours = {.types = types}, far = {.types = others};
    well(pingo__store_action_get(&b->store->db, 1, &arena, &row, &err), &err);
    assert_true(pingo__store_action_is_ready(&row, &ours));
    assert_false(pingo__store_action_is_ready(&row, &far));
    row.executor = "far";
    assert_true(pingo__store_action_is_ready(&row, &far));
    assert_false(pingo__store_action_is_ready(&row, &ours));
    row.not_before_ms = 5;
    far.now_ms = 4;
    assert_false(pingo__store_action_is_ready(&row, &far));
    pingo__arena_clear(&arena);
    rows_close(b);
}

/* The first submission computes, the second joins all of it. */
static struct box *joined(void)
{
    struct box *b = box_new();

    box_submit(b, FAN);
    box_submit(b, FAN);
    return rows_begin(b);
}

static void test_action_lists__who_waits_for_whom(void **state)
{
    struct box *b = joined();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    int64_t n = 0, id = -1;
    bool is = false;

    UNUSED(state);
    LIST(b, "3", pingo__store_action_list(db, PINGO__ACTIONS_READERS, 1, &list, &err));
    LIST(b, "3", pingo__store_action_list(db, PINGO__ACTIONS_READERS, 2, &list, &err));
    LIST(b, "", pingo__store_action_list(db, PINGO__ACTIONS_WAITERS, 2, &list, &err));
    LIST(b, "12", pingo__store_action_list(db, PINGO__ACTIONS_PARENTS, 3, &list, &err));
    well(pingo__store_action_count_waits(db, 3, &n, &err), &err);
    assert_int_equal(n, 2);
    LIST(b, "3",
         pingo__store_action_list(db, PINGO__ACTIONS_JOINERS, 3, &list,
                                  &err)); /* its row in the second */
    well(pingo__store_action_is_joined(db, 3, 1, &is, &err), &err);
    assert_true(is);
    well(pingo__store_action_is_joined(db, 3, 2, &is, &err), &err);
    assert_false(is);
    well(pingo__store_action_is_needed(db, 1, 1, &is, &err), &err);
    assert_true(is); /* by what the second waits for */
    /* Waiting is followed through parents and what is joined. */
    for (int64_t of = 1; of <= 4; of++) {
        struct pingo__arena arena = {0};
        struct pingo__store_number_list above = {.arena = &arena};
        well(pingo__store_dependency_list_above(db, of, &above, &err), &err);
        assert_int_equal(above.rows[0], of);
        assert_int_equal(above.n, of < 3 ? 1 : of); /* the fourth has joined the third */
        pingo__arena_clear(&arena);
    }
    well(pingo__store_action_find_unfinished(db, 1, 2, &id, &err), &err);
    assert_int_equal(id, 3);
    well(pingo__store_action_find_unfinished(db, 1, 9, &id, &err), &err);
    assert_int_equal(id, 0);
    /* A turn is no input. */
    well(pingo__store_dependency_insert(db, 1, 2, false, &err), &err);
    LIST(b, "3", pingo__store_action_list(db, PINGO__ACTIONS_READERS, 1, &list, &err));
    LIST(b, "2", pingo__store_action_list(db, PINGO__ACTIONS_WAITERS, 1, &list, &err));
    LIST(b, "", pingo__store_action_list(db, PINGO__ACTIONS_PARENTS, 2, &list, &err));
    well(pingo__store_dependency_insert(db, 1, 2, true, &err), &err); /* and is raised to one */
    LIST(b, "1", pingo__store_action_list(db, PINGO__ACTIONS_PARENTS, 2, &list, &err));
    well(pingo__store_dependency_clear(db, 2, &err), &err);
    LIST(b, "", pingo__store_action_list(db, PINGO__ACTIONS_PARENTS, 2, &list, &err));
    rows_close(b);
}

/* Children and parents come out of an index in order: nothing is sorted whenever an action ends. */
static void test_action_lists__neighbours_are_not_sorted(void **state)
{
    static const enum pingo__store_actions which[] = {
        PINGO__ACTIONS_JOINERS, PINGO__ACTIONS_READERS, PINGO__ACTIONS_WAITERS,
        PINGO__ACTIONS_PARENTS, PINGO__ACTIONS_CLAIMANTS};
    struct box *b = joined();
    struct pingo__arena arena = {0};
    int64_t before = box_counted(b, SQLITE_STMTSTATUS_SORT);
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        struct pingo__store_action_list list = {.arena = &arena};
        well(pingo__store_action_list(&b->store->db, which[i], 1, &list, &err), &err);
    }
    assert_int_equal(box_counted(b, SQLITE_STMTSTATUS_SORT), before);
    pingo__arena_clear(&arena);
    rows_close(b);
}

/* What is to be killed may be a million actions: little of each is held. */
static void test_action_lists__unneeded_ones_are_small(void **state)
{
    struct box *b = joined();
    struct pingo__arena arena = {0};
    struct pingo__store_action_state_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_action_list_unneeded(&b->store->db, 1, &list, &err), &err);
    assert_int_equal(list.n, 0); /* the second has joined all of it */
    well(pingo__store_action_list_unneeded(&b->store->db, 2, &list, &err), &err);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.rows[0].id,
                     box_int(b, "SELECT id FROM action WHERE workflow = 2 AND position = 2"));
    assert_int_equal(list.rows[0].state, PINGO_ACTION_WAITING);
    assert_true(sizeof *list.rows <= 16);
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_action_lists__rows_of_a_submission(void **state)
{
    struct box *b = joined();
    struct pingo__store_db *db = &b->store->db;
    struct pingo__store_page all = {1, 0, 9}, second = {1, 1, 1};
    struct pingo_hash hash = box_hash(b, 1, 3);
    struct pingo__arena arena = {0};
    const char *maker;
    int64_t by_state[PINGO__ACTION_STATES], position = -2;
    struct pingo_error err;

    UNUSED(state);
    LIST(b, "123", pingo__store_action_list_latest(db, &all, &list, &err));
    LIST(b, "2", pingo__store_action_list_latest(db, &second, &list, &err));
    LIST(b, "3", pingo__store_action_list_at(db, 1, 2, &list, &err));
    LIST(b, "", pingo__store_action_list_at(db, 1, 3, &list, &err));
    well(pingo__store_action_name(db, &hash, &arena, &maker, &err), &err);
    assert_string_equal(maker, "a3");
    pingo__arena_clear(&arena);
    well(pingo__store_action_count(db, 1, by_state, &err), &err);
    assert_int_equal(by_state[PINGO_ACTION_READY], 2);
    assert_int_equal(by_state[PINGO_ACTION_WAITING], 1);
    well(pingo__store_action_next(db, &all, 1u << PINGO_ACTION_WAITING, &position, &err), &err);
    assert_int_equal(position, 2);
    well(pingo__store_action_next(db, &all, 1u << PINGO_ACTION_FAILED, &position, &err), &err);
    assert_int_equal(position, -1);
    rows_close(b);
}

static void test_action_lists__in_hands(void **state)
{
    struct box *b = box_new();
    struct pingo__store_db *db = &b->store->db;
    int64_t owner = 0;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FAN);
    box_tick(b);
    rows_begin(b);
    owner = b->s->context.owner;
    LIST(b, "12", pingo__store_action_list(db, PINGO__ACTIONS_OWNED, owner, &list, &err));
    LIST(b, "", pingo__store_action_list(db, PINGO__ACTIONS_OWNED, owner + 1, &list, &err));
    LIST(b, "", pingo__store_action_list(db, PINGO__ACTIONS_STRAY, 0, &list, &err));
    /* In the hand of somebody who is not known. */
    rows_run(b, "UPDATE action SET state = 3, owner = 4711 WHERE id = 3");
    LIST(b, "3", pingo__store_action_list(db, PINGO__ACTIONS_STRAY, 0, &list, &err));
    LIST(b, "", pingo__store_action_list(db, PINGO__ACTIONS_CLAIMANTS, 1, &list, &err));
    rows_run(b, "INSERT INTO claim(dataset, action) VALUES(1, 3), (1, 2)");
    LIST(b, "23", pingo__store_action_list(db, PINGO__ACTIONS_CLAIMANTS, 1, &list, &err));
    rows_close(b);
}

/* Three submissions of so many actions each, all of one name, with the same ids and other commands. */
enum { OF_ONE_NAME = 300 };
static void submit_of_one_name(struct box *b)
{
    for (int i = 0; i < 3; i++) {
        struct pingo__buffer text = {0};
        pingo__buffer_format(&text, "{'name':'w','actions':[");
        for (int k = 0; k < OF_ONE_NAME; k++)
            pingo__buffer_format(&text,
                                 "%s{'id':%d,'name':'n','type':'command-line','command':['%d.%d']}",
                                 k ? "," : "", k, i, k);
        pingo__buffer_format(&text, "]}");
        box_submit(b, pingo__buffer_cstr(&text));
        pingo__buffer_clear(&text);
    }
}

/* The last twenty that it may have known, and the last three of its id. */
static void test_action_lists__what_it_may_have_been_before(void **state)
{
    static const struct {
        int64_t before, newest, of_id[3];
        size_t n;
    } rows[] = {{OF_ONE_NAME + 1, OF_ONE_NAME, {6, 0, 0}, 21}, /* the first of the second */
                {2 * OF_ONE_NAME, 2 * OF_ONE_NAME - 1, {OF_ONE_NAME + 6, 0, 0}, 21},
                {INT64_MAX, 3 * OF_ONE_NAME, {2 * OF_ONE_NAME + 6, 0, 0}, 21},
                {3, 2, {0, 0, 0}, 2},
                {1, 0, {0, 0, 0}, 0}};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    submit_of_one_name(b);
    rows_begin(b);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__store_action_like like = {"n", 5, rows[i].before};
        struct pingo__arena arena = {0};
        struct pingo__store_action_list list = {.arena = &arena};
        well(pingo__store_action_list_like(&b->store->db, &like, &list, &err), &err);
        assert_int_equal(list.n, rows[i].n);
        size_t newest = list.n < 20 ? list.n : 20;
        for (size_t k = 0; k < newest; k++)
            assert_int_equal(list.rows[k].id, rows[i].newest - (int64_t)k);
        for (size_t k = newest; k < list.n; k++)
            assert_int_equal(list.rows[k].id, rows[i].of_id[k - newest]);
        pingo__arena_clear(&arena);
    }
    rows_close(b);
}

/* Who writes to a path, who reads what is written there, and, once it lies there, who claims it. */
static void test_action_lists__who_has_to_do_with_an_output(void **state)
{
    static const char *const there[] = {"12", "2", ""};
    struct box *b = box_new();
    struct pingo__store_db *db = &b->store->db;
    char path[80], json[96];
    struct pingo_error err;

    UNUSED(state);
    snprintf(path, sizeof path, "%s/mine", b->root);
    snprintf(json, sizeof json, "[\"%s\"]", path);
    box_submit(b, W(A(1, ",'isManaged':false,'outputPath':'mine'") "," A(2, P(FROM(1))) "," A(
                      3, P(FROM(2))) "," A(4, "")));
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
        box_tick(b);
        rows_begin(b);
        LIST(b, there[i], pingo__store_action_list_at_output(db, json, path, &list, &err));
        LIST(b, i == 0 ? "12" : "",
             pingo__store_action_list_at_output(db, json, "/else", &list, &err));
        LIST(b, i == 1 ? "2" : "", pingo__store_action_list_at_output(db, "[]", path, &list, &err));
        rows_run(b, "UPDATE action SET state = 8, ended_ms = 1 WHERE id = 2"); /* it was killed */
        LIST(b, i == 0 ? "1" : "", pingo__store_action_list_at_output(db, json, path, &list, &err));
        rows_run(b, "UPDATE action SET state = 1, ended_ms = NULL WHERE id = 2");
        rows_run(b, "UPDATE dataset SET managed = 1");
        LIST(b, i == 0 ? "12" : "", pingo__store_action_list_at_output(db, json, path, &list, &err));
        pingo__store_db_rollback(db);
        if (i < 2)
            box_finish(b, i ? "a2" : "a1");
    }
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_action_lists__ready_ones_come_in_order),
        cmocka_unit_test(test_action_lists__what_is_known_to_wait_is_not_read),
        cmocka_unit_test(test_action_lists__what_does_not_pass_is_not_looked_at),
        cmocka_unit_test(test_action_lists__foreign_ones_are_counted),
        cmocka_unit_test(test_action_lists__who_waits_for_whom),
        cmocka_unit_test(test_action_lists__neighbours_are_not_sorted),
        cmocka_unit_test(test_action_lists__unneeded_ones_are_small),
        cmocka_unit_test(test_action_lists__rows_of_a_submission),
        cmocka_unit_test(test_action_lists__in_hands),
        cmocka_unit_test(test_action_lists__what_it_may_have_been_before),
        cmocka_unit_test(test_action_lists__who_has_to_do_with_an_output),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
