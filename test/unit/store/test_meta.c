/* test_meta.c - the small tables: settings, numbers, what commands of "versions" said. */
#include "unit/engine/box.h"

#include "store/meta.h"

static void begin(struct box *b)
{
    struct pingo_error err;
    well(pingo__store_db_begin(&b->store->db, &err), &err);
}

static void leave(struct box *b)
{
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

static void test_meta__values_are_set_and_taken(void **state)
{
    struct box *b = box_new();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    char *value = NULL;
    bool was_set = true;
    int64_t n = -1;

    UNUSED(state);
    begin(b);
    well(pingo__store_meta_take(db, "x", &was_set, &err), &err);
    assert_false(was_set);
    well(pingo__store_meta_get(db, "x", &value, &err), &err);
    assert_null(value);
    well(pingo__store_meta_set(db, "x", "1", &err), &err);
    well(pingo__store_meta_set(db, "x", "2", &err), &err);
    well(pingo__store_meta_get(db, "x", &value, &err), &err);
    assert_string_equal(value, "2");
    free(value);
    well(pingo__store_meta_take(db, "x", &was_set, &err), &err);
    assert_true(was_set);
    well(pingo__store_meta_number(db, "n", &n, &err), &err);
    assert_int_equal(n, 0);
    well(pingo__store_meta_set(db, "n", "3", &err), &err);
    well(pingo__store_meta_number(db, "n", &n, &err), &err);
    assert_int_equal(n, 3);
    leave(b);
}

static void test_meta__settings_are_listed_by_their_beginning(void **state)
{
    static const char *const keys[] = {"executor.b.x", "executor.a.y", "executor.a.x", "executor-a"};
    struct box *b = box_new();
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo__store_text_list list = {.arena = &arena};
    struct pingo_error err;
    char *value = NULL;

    UNUSED(state);
    begin(b);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        well(pingo__store_setting_set(db, keys[i], "v", &err), &err);
    well(pingo__store_setting_set(db, "executor.b.x", NULL, &err), &err);
    well(pingo__store_setting_get(db, "executor.b.x", &value, &err), &err);
    assert_null(value);
    well(pingo__store_setting_keys(db, "executor.", &list, &err), &err);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.rows[0], "executor.a.x");
    assert_string_equal(list.rows[1], "executor.a.y");
    pingo__arena_clear(&arena);
    leave(b);
}

static void test_meta__what_a_version_said_grows_old(void **state)
{
    struct box *b = box_new();
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo_hash key = {{1}}, other = {{2}};
    struct pingo__store_version_output said = {.output = {{3}}, .text = "tool 1.0"}, found;
    struct pingo_error err;

    UNUSED(state);
    begin(b);
    well(pingo__store_version_output_remember(db, &key, &said, 1000, &err), &err);
    assert_int_equal(pingo__store_version_output_find(db, &key, 1000, &arena, &found), 0);
    assert_string_equal(found.text, "tool 1.0");
    assert_memory_equal(&found.output, &said.output, sizeof found.output);
    assert_int_equal(pingo__store_version_output_find(db, &key, 1001, &arena, &found), 0);
    assert_null(found.text);
    assert_int_equal(pingo__store_version_output_find(db, &other, 0, &arena, &found), 0);
    assert_null(found.text);
    said.text = "tool 2.0";
    well(pingo__store_version_output_remember(db, &key, &said, 2000, &err), &err);
    well(pingo__store_version_output_forget(db, 2000, &err), &err);
    assert_int_equal(pingo__store_version_output_find(db, &key, 0, &arena, &found), 0);
    assert_string_equal(found.text, "tool 2.0");
    /* By a clock that was ahead: nobody knows how long ago that was. */
    well(pingo__store_version_output_remember(db, &key, &said, pingo__world_wall_ms() + 3600000,
                                              &err),
         &err);
    assert_int_equal(pingo__store_version_output_find(db, &key, 0, &arena, &found), 0);
    assert_null(found.text);
    well(pingo__store_version_output_remember(db, &key, &said, 2000, &err), &err);
    well(pingo__store_version_output_forget(db, 2001, &err), &err);
    assert_int_equal(pingo__store_version_output_find(db, &key, 0, &arena, &found), 0);
    assert_null(found.text);
    pingo__arena_clear(&arena);
    leave(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meta__values_are_set_and_taken),
        cmocka_unit_test(test_meta__settings_are_listed_by_their_beginning),
        cmocka_unit_test(test_meta__what_a_version_said_grows_old),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
