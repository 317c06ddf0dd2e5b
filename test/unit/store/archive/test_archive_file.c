/* test_archive_file.c - who moves is alone, and writes one month file at a time: what is nobody's yet is made anew. */
#include "unit/store/archive/months.h"

static void test_archive_file__one_moves_at_a_time(void **state)
{
    struct box *b = box_new();
    struct pingo__store_move one = {.db = &b->store->db}, other = {.db = &b->store->db};
    struct pingo_error err;
    bool had = false;

    UNUSED(state);
    well(pingo__store_move_begin(&one, &had, &err), &err);
    assert_true(had);
    well(pingo__store_move_begin(&other, &had, &err), &err);
    assert_false(had);
    pingo__store_move_end(&other);
    well(pingo__store_move_begin(&other, &had, &err), &err);
    assert_false(had); /* what the second closed was not the first one's */
    pingo__store_move_end(&other);
    pingo__store_move_end(&one);
    pingo__store_move_end(&one);
    well(pingo__store_move_begin(&other, &had, &err), &err);
    assert_true(had);
    pingo__store_move_end(&other);
    box_close(b);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A file that is made is empty and its maker's alone, and no log of an earlier one lies beside it. */
static void test_archive_file__a_file_is_made_anew(void **state)
{
    struct box *b = box_new();
    struct pingo__store_move move = {.db = &b->store->db};
    struct pingo__arena arena = {0};
    const char *path = pingo__store_archive_path(&b->store->db, &arena, "2026-08.db");
    const char *log = pingo__arena_format(&arena, "%s-wal", path);
    struct pingo_error err;
    struct stat st;
    bool had = false;

    UNUSED(state);
    well(pingo__store_move_begin(&move, &had, &err), &err);
    put(path, "something");
    put(log, "of something");
    well(pingo__store_move_make(&move, &arena, "2026-08.db", &err), &err);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(access(log, F_OK), -1);
    put(log, "");
    pingo__store_move_unlink(&b->store->db, &arena, "2026-08.db");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(log, F_OK), -1);
    pingo__store_move_end(&move);
    pingo__arena_clear(&arena);
    box_close(b);
}

/* One in which something is read is never made anew, whatever is wrong with it; one in which nothing is, is. */
static void test_archive_file__only_what_nothing_is_read_in_is_made_anew(void **state)
{
    struct box *b = months_box(false);
    struct pingo__store_move move = {.db = &b->store->db};
    struct pingo__arena arena = {0};
    const char *path = months_path(b, 1, &arena);
    struct pingo_error err;
    int64_t number = 0;
    struct stat st;
    bool had = false;

    UNUSED(state);
    months_change(b, "DROP TABLE attempt");
    well(pingo__store_move_begin(&move, &had, &err), &err);
    assert_int_equal(pingo__store_move_open(&move, 1, &err), PINGO_ECORRUPT);
    assert_non_null(strstr(err.message, path));
    assert_null(move.month);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 0);
    box_run(b, "UPDATE archive SET workflows = 0 WHERE id = 1");
    well(pingo__store_move_open(&move, 1, &err), &err);
    assert_int_equal(move.month_id, 1);
    well(pingo__db_number(move.month, &err, &number, "SELECT count(*) FROM main.attempt", NONE),
         &err);
    assert_int_equal(number, 0);
    pingo__store_move_close(&move);
    assert_null(move.month);
    assert_int_equal(move.month_id, 0);
    assert_int_equal(unlink(path), 0); /* nor is one that is not there */
    well(pingo__store_move_open(&move, 1, &err), &err);
    pingo__store_move_end(&move);
    pingo__arena_clear(&arena);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_file__one_moves_at_a_time),
        cmocka_unit_test(test_archive_file__a_file_is_made_anew),
        cmocka_unit_test(test_archive_file__only_what_nothing_is_read_in_is_made_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
