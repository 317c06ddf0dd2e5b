/* test_workflows.c - documents, submissions, descriptions and tags. */
#include "unit/store/rows.h"

#include "rules/states.h"
#include "store/dataset/wishes.h"
#include "store/submission/workflows.h"

static void test_workflows__a_document_is_found_by_its_digest(void **state)
{
    struct box *b = rows_new(NULL);
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    const struct pingo__digest_original originals[] = {
        {.kind = PINGO__ORIGINAL_CONTENT, .path = "/in"},
        {.kind = PINGO__ORIGINAL_TOOL, .name = "cc\n/bin", .path = "/bin/cc"}};
    struct pingo__store_document d = {.digest = {{1}},
                                      .base_dir = "/b",
                                      .name = "n",
                                      .nactions = 2,
                                      .text = "{}\0x",
                                      .text_length = 4},
                                 found;
    struct pingo__store_original_list list = {.arena = &arena};
    struct pingo_hash nobody = {{9}};
    struct pingo_error err;
    int64_t id = -1;

    UNUSED(state);
    well(pingo__store_document_find(db, &d.digest, &id, &err), &err);
    assert_int_equal(id, 0);
    well(pingo__store_document_insert(db, &d, originals, 2, &err), &err);
    well(pingo__store_document_find(db, &d.digest, &id, &err), &err);
    assert_int_equal(id, d.id);
    well(pingo__store_document_find(db, &nobody, &id, &err), &err);
    assert_int_equal(id, 0);
    well(pingo__store_document_load(db, d.id, &arena, &found, &err), &err);
    assert_string_equal(found.base_dir, "/b");
    assert_int_equal(found.nactions, 2);
    assert_int_equal(found.text_length, 4);
    assert_memory_equal(found.text, "{}\0x", 4);
    assert_int_equal(pingo__store_document_load(db, d.id + 1, &arena, &found, &err),
                     PINGO_ENOTFOUND);
    well(pingo__store_document_originals(db, d.id, &list, &err), &err);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.rows[0].path, "/in");
    assert_int_equal(list.rows[1].kind, PINGO__ORIGINAL_TOOL);
    assert_string_equal(list.rows[1].name, "cc\n/bin");
    /* The same text is not kept twice. */
    assert_int_equal(pingo__store_document_insert(db, &d, originals, 2, &err), PINGO_ESTORE);
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_workflows__what_has_nothing_to_do_has_finished(void **state)
{
    struct box *b = rows_new(FAN);
    struct pingo__store_db *db = &b->store->db;
    struct pingo__store_workflow_row row = {.graph = 1,
                                            .user = "ann",
                                            .priority = 3,
                                            .submitted_ms = 500,
                                            .summary = {.reuse = 3}},
                                     got;
    struct pingo__arena arena = {0};
    const char *user = NULL;
    struct pingo_error err;
    int64_t n = 0;

    UNUSED(state);
    well(pingo__store_workflow_insert(db, &row, &err), &err);
    assert_int_equal(row.id, 2);
    assert_true(row.user_number > 0);
    well(pingo__store_workflow_get(db, 2, &arena, &got, &err), &err);
    assert_int_equal(got.state, PINGO_WORKFLOW_FINISHED);
    assert_int_equal(got.ended_ms, 500);
    assert_int_equal(got.summary.reuse, 3);
    assert_int_equal(got.nactions, 3); /* of its document */
    assert_string_equal(got.name, "w");
    well(pingo__store_workflow_running(db, &n, &err), &err);
    assert_int_equal(n, 1);
    well(pingo__store_workflow_add_unfinished(db, 1, 2, &err), &err);
    well(pingo__store_workflow_get(db, 1, &arena, &got, &err), &err);
    assert_int_equal(got.unfinished, 5);
    assert_int_equal(got.ended_ms, -1);
    well(pingo__store_workflow_user(db, 2, &arena, &user, &err), &err);
    assert_string_equal(user, "ann");
    well(pingo__store_workflow_user(db, 8, &arena, &user, &err), &err);
    assert_string_equal(user, "");
    well(pingo__store_workflow_get(db, 8, &arena, &got, &err), &err);
    assert_int_equal(got.id, 0);
    well(pingo__store_workflow_last(db, &n, &err), &err);
    assert_int_equal(n, 2);
    pingo__arena_clear(&arena);
    rows_close(b);
}

/* 1: finished; 2: paused; 3: failed, of another user; 4: runs, with a tag.  Submitted at 1000, 2000, ... */
static struct box *four(void)
{
    struct box *b = box_new();

    for (int i = 0; i < 4; i++)
        box_submit(b, i < 2 ? FAN : "{'name':'v','actions':[" A(7, "") "]}");
    rows_begin(b);
    rows_run(b, "UPDATE workflow SET submitted_ms = 1000 * id");
    rows_run(b, "UPDATE workflow SET state = 2, ended_ms = 1 WHERE id = 1");
    rows_run(b, "UPDATE workflow SET paused = 1 WHERE id = 2");
    rows_run(b, "UPDATE workflow SET state = 3, ended_ms = 1, user = 'ann' WHERE id = 3");
    rows_run(b, "UPDATE workflow SET tag = 't' WHERE id = 4");
    return b;
}

static void test_workflows__are_listed_by_what_they_are(void **state)
{
    static const struct {
        struct pingo_workflow_query query;
        int64_t at;
        size_t limit;
        const char *ids;
    } rows[] = {
        {{.version = 1}, 0, 9, "4321"},
        {{.oldest_first = true}, 0, 9, "1234"},
        {{.oldest_first = true}, 2, 1, "3"},
        {{.version = 1}, 3, 9, "21"},
        {{.version = 1}, 0, 2, "43"},
        {{.states = 1u << PINGO_WORKFLOW_PAUSED}, 0, 9, "2"},
        {{.states = 1u << PINGO_WORKFLOW_RUNNING}, 0, 9, "4"},
        {{.states = 1u << PINGO_WORKFLOW_FINISHED | 1u << PINGO_WORKFLOW_FAILED}, 0, 9, "31"},
        {{.user = "ann"}, 0, 9, "3"},
        {{.name = "v"}, 0, 9, "43"},
        {{.name = "v", .user = "tester"}, 0, 9, "4"},
        {{.tag = "t"}, 0, 9, "4"},
        {{.since_ms = 2000, .until_ms = 4000}, 0, 9, "32"},
        {{.name = "nobody"}, 0, 9, ""},
    };
    struct box *b = four();
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__arena arena = {0};
        struct pingo__store_workflow_list list = {.arena = &arena};
        const struct pingo__store_workflow_range range = {&rows[i].query, rows[i].at, rows[i].limit};
        well(pingo__store_workflow_list(&b->store->db, &range, &list, &err), &err);
        assert_int_equal(list.n, strlen(rows[i].ids));
        for (size_t k = 0; k < list.n; k++)
            assert_int_equal(list.rows[k].workflow, rows[i].ids[k] - '0');
        pingo__arena_clear(&arena);
    }
    rows_close(b);
}

static int64_t steps_to_list(struct box *b, const char *name)
{
    const struct pingo_workflow_query q = {.name = name};
    const struct pingo__store_workflow_range range = {&q, 0, 9};
    struct pingo__arena arena = {0};
    struct pingo__store_workflow_list list = {.arena = &arena};
    int64_t before = box_steps(b), newest, finished;
    struct pingo_error err;

    well(pingo__store_workflow_list(&b->store->db, &range, &list, &err), &err);
    assert_int_equal(list.n, 2);
    well(pingo__store_wish_newest(&b->store->db, name, &newest, &finished, &err), &err);
    assert_int_equal(newest, 4);
    pingo__arena_clear(&arena);
    return box_steps(b) - before;
}

/* No text of another name is looked at: of its submission a few steps are left, of the text alone none. */
static void test_workflows__are_found_by_name(void **state)
{
    struct box *b = four();

    UNUSED(state);
    int64_t few = steps_to_list(b, "v");
    rows_run(b, "WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 1000)"
                " INSERT INTO document(digest, base_dir, name, nactions, text)"
                " SELECT randomblob(32), '', 'other', 0, x'00' FROM i;"
                "INSERT INTO graph(document, originals, plain) SELECT id, randomblob(32), 1"
                " FROM document WHERE name = 'other'");
    assert_true(steps_to_list(b, "v") <= few + 10);
    rows_run(b, "INSERT INTO workflow(id, graph, state, user, priority, submitted_ms, unfinished,"
                " ncompute, nreuse, njoin, nskip) SELECT -id, id, 2, '', 0, 0, 0, 0, 0, 0, 0"
                " FROM graph WHERE document > 2");
    assert_true(steps_to_list(b, "v") <= few + 12 * 1000);
    rows_close(b);
}

static void test_workflows__the_newest_has_a_tag(void **state)
{
    struct box *b = four();
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo_workflow_status status;
    struct pingo_error err;
    int64_t id = -1;

    UNUSED(state);
    well(pingo__store_tag_find(db, "none", &id, &err), &err);
    assert_int_equal(id, 0);
    well(pingo__store_tag_set(db, 2, "t", &err), &err);
    well(pingo__store_tag_find(db, "t", &id, &err), &err);
    assert_int_equal(id, 4);
    well(pingo__store_workflow_status(db, 2, &arena, &status, &err), &err);
    assert_string_equal(status.tag, "t");
    well(pingo__store_workflow_status(db, 1, &arena, &status, &err), &err);
    assert_null(status.tag);
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_workflows__descriptions_and_numbers(void **state)
{
    struct box *b = rows_new(FAN);
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo_hash hash = box_hash(b, 1, 1), nobody = {{9}};
    struct pingo__store_bytes bytes;
    struct pingo_description *description = NULL;
    struct pingo_error err;
    int64_t action = 0, dataset = 0;

    UNUSED(state);
    well(pingo__store_definition_get(db, &hash, &arena, &bytes, &err), &err);
    assert_true(bytes.n > 0);
    well(pingo__store_definition_check(db, &hash, bytes.bytes, bytes.n, &err), &err);
    assert_int_equal(pingo__store_definition_check(db, &hash, bytes.bytes, bytes.n - 1, &err),
                     PINGO_ECOLLISION);
    well(pingo__store_definition_check(db, &nobody, "x", 1, &err), &err); /* nobody knows it */
    well(pingo__store_definition_decoded(db, &hash, &description, &err), &err);
    assert_non_null(description);
    pingo_description_free(description);
    well(pingo__store_definition_decoded(db, &nobody, &description, &err), &err);
    assert_null(description);
    assert_int_equal(sqlite3_exec(db->sqlite,
                                  "UPDATE definition SET description = CAST(replace(description, "
                                  "'a', 'b') AS BLOB)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(pingo__store_definition_decoded(db, &hash, &description, &err), PINGO_ECORRUPT);
    assert_non_null(strstr(err.message, "is not what was hashed"));
    /* They go on behind what was given, also by a later state of the database; of one that came alone, far behind. */
    pingo__store_db_set_next_action(db, 0);
    well(pingo__store_next_ids(db, &action, &dataset, &err), &err);
    assert_int_equal(action, 1000004);
    assert_int_equal(dataset, 4);
    pingo__store_db_set_next_action(db, 3);
    well(pingo__store_next_ids(db, &action, &dataset, &err), &err);
    assert_int_equal(action, 4);
    pingo__store_db_set_next_action(db, 9);
    well(pingo__store_next_ids(db, &action, &dataset, &err), &err);
    assert_int_equal(action, 9);
    pingo__arena_clear(&arena);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workflows__a_document_is_found_by_its_digest),
        cmocka_unit_test(test_workflows__what_has_nothing_to_do_has_finished),
        cmocka_unit_test(test_workflows__are_listed_by_what_they_are),
        cmocka_unit_test(test_workflows__are_found_by_name),
        cmocka_unit_test(test_workflows__the_newest_has_a_tag),
        cmocka_unit_test(test_workflows__descriptions_and_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
