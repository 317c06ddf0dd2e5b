/* test_access.c - tokens, the audit, keys of requests, and whose a dataset is. */
#include "unit/store/rows.h"

#include "store/access.h"

static void insert(struct box *b, const char *name, uint8_t digest, int64_t expires_ms)
{
    struct pingo_error err;
    struct pingo__store_token_row row = {.digest = {{digest}},
                                         .name = name,
                                         .user = "ann",
                                         .role = PINGO_ROLE_SUBMITTER,
                                         .created_ms = 10,
                                         .expires_ms = expires_ms};

    well(pingo__store_token_insert(&b->store->db, &row, &err), &err);
}

static void test_access__tokens_are_found_until_they_are_revoked(void **state)
{
    struct box *b = rows_new(NULL);
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo__store_token_row row;
    struct pingo_hash one = {{1}}, nobody = {{9}};
    struct pingo_error err;

    UNUSED(state);
    insert(b, "laptop", 1, -1);
    well(pingo__store_token_find(db, &nobody, &arena, &row, &err), &err);
    assert_int_equal(row.id, 0);
    well(pingo__store_token_find(db, &one, &arena, &row, &err), &err);
    assert_string_equal(row.name, "laptop");
    assert_string_equal(row.user, "ann");
    assert_int_equal(row.role, PINGO_ROLE_SUBMITTER);
    assert_int_equal(row.expires_ms, -1);
    assert_int_equal(row.used_ms, -1);
    well(pingo__store_token_use(db, row.id, 77, &err), &err);
    well(pingo__store_token_named(db, "laptop", &arena, &row, &err), &err);
    assert_int_equal(row.used_ms, 77);
    well(pingo__store_token_revoke(db, row.id, 88, &err), &err);
    /* Whoever shows it is told that it was; its name is free for another. */
    well(pingo__store_token_find(db, &one, &arena, &row, &err), &err);
    assert_int_equal(row.revoked_ms, 88);
    well(pingo__store_token_named(db, "laptop", &arena, &row, &err), &err);
    assert_int_equal(row.id, 0);
    insert(b, "laptop", 2, -1);
    well(pingo__store_token_named(db, "laptop", &arena, &row, &err), &err);
    assert_int_equal(row.digest.bytes[0], 2);
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_access__tokens_are_listed(void **state)
{
    static const struct {
        struct pingo__store_token_query query;
        const char *names; /* a letter each */
    } rows[] = {
        {{.good_ms = -1, .limit = 9}, "abcd"},
        {{.good_ms = -1, .limit = 2}, "ab"},
        {{.good_ms = -1, .limit = 9, .after = 2}, "cd"},
        {{.good_ms = 99, .limit = 9}, "abd"}, /* c is revoked */
        {{.good_ms = 100, .limit = 9}, "ad"}, /* b ends at 100 */
        {{.good_ms = 99, .limit = 1, .after = 1}, "b"},
    };
    struct box *b = rows_new(NULL);
    struct pingo_error err;

    UNUSED(state);
    insert(b, "a", 1, -1);
    insert(b, "b", 2, 100);
    insert(b, "c", 3, -1);
    insert(b, "d", 4, 1000);
    well(pingo__store_token_revoke(&b->store->db, 3, 50, &err), &err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__arena arena = {0};
        struct pingo__store_token_list list = {.arena = &arena};
        well(pingo__store_token_list(&b->store->db, &rows[i].query, &list, &err), &err);
        assert_int_equal(list.n, strlen(rows[i].names));
        for (size_t k = 0; k < list.n; k++)
            assert_int_equal(list.rows[k].name[0], rows[i].names[k]);
        pingo__arena_clear(&arena);
    }
    rows_close(b);
}

static void test_access__what_was_done_is_told_newest_first(void **state)
{
    static const struct {
        struct pingo__store_audit_query query;
        const char *objects;
    } rows[] = {
        {{.below = INT64_MAX, .limit = 9}, "4321"},
        {{.below = 3, .limit = 9}, "21"},
        {{.below = INT64_MAX, .limit = 2}, "43"},
        {{.below = INT64_MAX, .limit = 9, .user = "ann"}, "31"},
        {{.below = INT64_MAX, .limit = 9, .since_ms = 2000, .until_ms = 4000}, "32"},
        {{.below = INT64_MAX, .limit = 9, .user = "eve"}, ""},
    };
    struct box *b = rows_new(NULL);
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "DELETE FROM audit");
    for (int64_t i = 1; i <= 4; i++) {
        char object[2] = {(char)('0' + i), '\0'};
        struct pingo_audit audit = {.at_ms = 1000 * i,
                                    .user = i % 2 ? "ann" : "bob",
                                    .way = "http",
                                    .verb = "kill",
                                    .object = object,
                                    .result = "ok"};
        well(pingo__store_audit_insert(&b->store->db, &audit, &err), &err);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__arena arena = {0};
        struct pingo__store_audit_list list = {.arena = &arena};
        well(pingo__store_audit_list(&b->store->db, &rows[i].query, &list, &err), &err);
        assert_int_equal(list.n, strlen(rows[i].objects));
        for (size_t k = 0; k < list.n; k++)
            assert_int_equal(list.rows[k].audit.object[0], rows[i].objects[k]);
        pingo__arena_clear(&arena);
    }
    /* Of very many the oldest go. */
    rows_run(b, "UPDATE audit SET id = id + 1000000 WHERE id = 4");
    well(pingo__store_audit_insert(
             &b->store->db,
             &(struct pingo_audit){.user = "", .way = "", .verb = "", .object = "", .result = ""},
             &err),
         &err);
    assert_int_equal(box_int(b, "SELECT min(id) FROM audit"), 1000004);
    rows_close(b);
}

static void test_access__a_key_stands_for_one_submission(void **state)
{
    struct box *b = rows_new(NULL);
    struct pingo__store_db *db = &b->store->db;
    struct pingo__store_request r = {.user = "ann",
                                     .key = "k",
                                     .digest = {{7}},
                                     .at_ms = 100,
                                     .workflow = 5,
                                     .state = PINGO_WORKFLOW_RUNNING},
                                found;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_request_note(db, &r, 0, &err), &err);
    well(pingo__store_request_find(db, &r, 100, &found, &err), &err);
    assert_int_equal(found.workflow, 5);
    assert_int_equal(found.digest.bytes[0], 7);
    well(pingo__store_request_find(db, &r, 101, &found, &err), &err); /* too long ago */
    assert_int_equal(found.workflow, 0);
    r.user = "bob"; /* keys are each user's own */
    well(pingo__store_request_find(db, &r, 0, &found, &err), &err);
    assert_int_equal(found.workflow, 0);
    r.at_ms = 300;
    r.workflow = 6;
    well(pingo__store_request_note(db, &r, 200, &err), &err); /* and what is old is forgotten */
    assert_int_equal(box_int(b, "SELECT count(*) FROM request"), 1);
    r.workflow = 7; /* the newest counts */
    well(pingo__store_request_note(db, &r, 200, &err), &err);
    well(pingo__store_request_find(db, &r, 0, &found, &err), &err);
    assert_int_equal(found.workflow, 7);
    rows_close(b);
}

static void test_access__a_key_is_in_one_hand(void **state)
{
    struct pingo__store_request one = {.user = "ann", .key = "k"},
                                other = {.user = "annk", .key = ""};
    struct box *b = box_new();
    struct pingo_store *beside = NULL;
    struct pingo_error err;
    bool is_taken = false;

    UNUSED(state);
    well(pingo_store_open(b->dir, NULL, &beside, &err), &err);
    well(pingo__store_request_take(&b->store->db, &one, &is_taken, &err), &err);
    assert_true(is_taken);
    well(pingo__store_request_take(&beside->db, &one, &is_taken, &err), &err);
    assert_false(is_taken);
    well(pingo__store_request_take(&beside->db, &other, &is_taken, &err), &err);
    assert_true(is_taken);
    pingo__store_request_let_go(&b->store->db, &one);
    well(pingo__store_request_take(&beside->db, &one, &is_taken, &err), &err);
    assert_true(is_taken);
    pingo_store_close(beside); /* as when its process dies */
    well(pingo__store_request_take(&b->store->db, &one, &is_taken, &err), &err);
    assert_true(is_taken);
    box_close(b);
}

static struct pingo__store_whose whose(struct box *b, int64_t action, const char *user)
{
    struct pingo_hash hash = box_hash(b, 1, action);
    struct pingo__store_whose whose;
    struct pingo_error err;

    well(pingo__store_dataset_whose(&b->store->db, &hash, user, &whose, &err), &err);
    return whose;
}

static void test_access__a_dataset_is_of_who_made_or_wants_it(void **state)
{
    struct pingo_submit_options other = {.version = 2, .user = "other"};
    struct pingo_submission submission = {.size = sizeof submission};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    other.base_dir = b->root;
    box_submit(b, FAN); /* of tester */
    box_finish_all(b);
    well(box_try_submit(b, W(A(1, "")), &other, &submission, &err), &err);
    assert_true(whose(b, 1, "tester").is_his); /* he makes it, */
    assert_true(whose(b, 1, "other").is_his);  /* and that one wants it as a result */
    assert_true(whose(b, 1, "tester").is_others);
    assert_true(whose(b, 2, "tester").is_his);
    assert_false(whose(b, 2, "tester").is_others);
    assert_false(whose(b, 2, "other").is_his);
    assert_false(whose(b, 2, "other").is_others); /* it is no result of anybody */
    assert_true(whose(b, 3, "other").is_others);
    rows_begin(b);
    rows_run(b, "UPDATE workflow SET wishes = 0 WHERE id = 2");
    assert_false(whose(b, 1, "other").is_his);
    assert_false(whose(b, 1, "tester").is_others);
    rows_close(b);
}

/* How many of the first two hashes of all are his; NULL: anybody's. */
static size_t first_two(struct box *b, const char *user)
{
    struct pingo__store_hash_range range = {.user = user};
    struct pingo__arena arena = {0};
    struct pingo__store_hash_list list = {.arena = &arena};
    struct pingo_error err;

    memset(&range.high, 0xff, sizeof range.high);
    well(pingo__store_dataset_first_two(&b->store->db, &range, &list, &err), &err);
    assert_true(list.n < 2 || memcmp(&list.rows[0], &list.rows[1], sizeof *list.rows) < 0);
    pingo__arena_clear(&arena);
    return list.n;
}

static void test_access__the_first_two_of_a_range(void **state)
{
    struct pingo_submit_options other = {.version = 2, .user = "other"};
    struct pingo_submission submission = {.size = sizeof submission};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    other.base_dir = b->root;
    assert_int_equal(first_two(b, NULL), 0);
    box_submit(b, FAN); /* of tester */
    box_finish_all(b);
    well(box_try_submit(b, W(A(1, "")), &other, &submission, &err), &err);
    assert_int_equal(first_two(b, NULL), 2);
    assert_int_equal(first_two(b, "tester"), 2);
    assert_int_equal(first_two(b, "other"), 1); /* he wants it */
    assert_int_equal(first_two(b, "nobody"), 0);
    rows_begin(b);
    rows_run(b, "UPDATE dataset SET current = 0, state = 9");
    assert_int_equal(first_two(b, NULL), 2); /* also what has gone */
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_access__tokens_are_found_until_they_are_revoked),
        cmocka_unit_test(test_access__tokens_are_listed),
        cmocka_unit_test(test_access__what_was_done_is_told_newest_first),
        cmocka_unit_test(test_access__a_key_stands_for_one_submission),
        cmocka_unit_test(test_access__a_key_is_in_one_hand),
        cmocka_unit_test(test_access__a_dataset_is_of_who_made_or_wants_it),
        cmocka_unit_test(test_access__the_first_two_of_a_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
