/* test_archive.c - handles of month files: which there are, which is read, and what is no month file of this store. */
#include "unit/store/archive/months.h"

/* Five submissions, each in a file of its own. */
static struct box *five(void)
{
    struct box *b = box_new();

    for (int i = 1; i <= 5; i++) {
        months_finish(b, i);
        assert_int_equal(months_move(b, 1, false), 1);
    }
    return b;
}

static void test_archive__files_are_listed_and_found_by_number(void **state)
{
    struct box *b = five();
    struct pingo__arena arena = {0};
    struct pingo__store_archive_list list = {.arena = &arena};
    struct pingo__store_archive_row row;
    struct pingo_error err;
    int64_t n = 0;

    UNUSED(state);
    well(pingo__store_archive_count(&b->store->db, &n, &err), &err);
    assert_int_equal(n, 5);
    well(pingo__store_archive_list(&b->store->db, &list, &err), &err);
    assert_int_equal(list.n, 5);
    for (size_t i = 0; i < list.n; i++) {
        assert_int_equal(list.rows[i].id, i + 1);
        assert_int_equal(list.rows[i].workflows, 1);
        assert_int_equal(list.rows[i].attempts, 1);
        assert_int_equal(list.rows[i].first_failed_ms, -1);
    }
    assert_int_equal(pingo__store_archive_row(&b->store->db, 6, &arena, &row, &err), PINGO_ECORRUPT);
    assert_non_null(strstr(err.message, "no file with the number 6"));
    pingo__arena_clear(&arena);
    box_close(b);
}

static void test_archive__those_with_failures_of_a_period_come_last_first(void **state)
{
    struct box *b = five();
    struct pingo__arena arena = {0};
    struct pingo__store_archive_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    box_run(b, "UPDATE archive SET first_failed_ms = 100 * id, last_failed_ms = 100 * id + 50"
               " WHERE id IN (2, 3, 4)");
    well(pingo__store_archive_failed(&b->store->db, 250, 400, &list, &err), &err);
    assert_int_equal(list.n, 2); /* [100, 150] is before; the period's end is not in it */
    assert_int_equal(list.rows[0].id, 3);
    assert_int_equal(list.rows[1].id, 2);
    pingo__arena_clear(&arena);
    box_close(b);
}

/* More than are kept open at a time: each is itself, again and again. */
static void test_archive__any_number_can_be_read_in_turns(void **state)
{
    struct box *b = five();
    struct pingo__store_db *month = NULL, *again = NULL;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_archive_open(&b->store->db, 0, &month, &err), &err);
    assert_ptr_equal(month, &b->store->db);
    for (int round = 0; round < 2; round++)
        for (int64_t id = 1; id <= 5; id++) {
            int64_t number = 0;

            well(pingo__store_archive_open(&b->store->db, id, &month, &err), &err);
            well(pingo__store_archive_open(&b->store->db, id, &again, &err), &err);
            assert_ptr_equal(month, again);
            well(pingo__db_number(month, &err, &number, "SELECT archive FROM here", NONE), &err);
            assert_int_equal(number, id);
            assert_int_equal(months_attempts(b, id), 1);
        }
    box_close(b);
}

/* What is seen of a submission and of where its attempts are belongs together. */
static void test_archive__reading_is_one_view(void **state)
{
    struct box *b = box_new();
    struct pingo__store_reading reading;
    struct pingo_error err;

    UNUSED(state);
    months_finish(b, 1);
    months_finish(b, 2);
    well(pingo__store_archive_begin(&b->store->db, 2, &reading, &err), &err);
    assert_ptr_equal(reading.db, &b->store->db);
    assert_false(sqlite3_get_autocommit(b->store->db.sqlite));
    assert_int_equal(pingo__store_archive_end(&reading, PINGO_ESTATE), PINGO_ESTATE);
    assert_true(sqlite3_get_autocommit(b->store->db.sqlite));
    assert_int_equal(months_move(b, 0, false), 2);
    well(pingo__store_archive_begin(&b->store->db, 2, &reading, &err), &err);
    assert_ptr_not_equal(reading.db, &b->store->db);
    well(pingo__store_archive_end(&reading, 0), &err);
    box_close(b);
}

/* What moves while all is read is met once, where it is then. */
static void test_archive__a_walk_begins_anew_where_something_moved(void **state)
{
    struct box *b = box_new();
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo__store_archive_walk walk = {.until_ms = INT64_MAX, .files = {.arena = &arena}};
    struct pingo_error err;
    int64_t n = 0;
    int rc = 0;

    UNUSED(state);
    months_finish(b, 1);
    assert_int_equal(months_move(b, 0, false), 1);
    months_finish(b, 2);
    box_run(b, "UPDATE archive SET first_failed_ms = 1, last_failed_ms = 1");
    assert_true(pingo__store_archive_next(db, &walk, &rc, &err));
    months_move_beside(b, false);
    for (int i = 0; i < 2; i++) { /* from the database on */
        assert_true(pingo__store_archive_next(db, &walk, &rc, &err));
        assert_int_equal(walk.n, i + 1);
        assert_int_equal(walk.at.db == db, i == 0);
        well(pingo__db_number(walk.at.db, &err, &n,
                              "SELECT count(*) FROM attempt CROSS JOIN action a ON a.id = action"
                              " JOIN workflow w ON w.id = a.workflow AND w.archived ="
                              " (SELECT archive FROM here)",
                              NONE),
             &err);
        assert_int_equal(n, 2 * i);
    }
    assert_false(pingo__store_archive_next(db, &walk, &rc, &err));
    well(pingo__store_archive_end(&walk.at, rc), &err);
    assert_true(sqlite3_get_autocommit(db->sqlite));
    pingo__arena_clear(&arena);
    box_close(b);
}

/* What is older than is needed is not read; what failed ends the walk, as does an error of reading. */
static void test_archive__a_walk_ends_where_it_is_enough(void **state)
{
    struct box *b = five();
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo_error err;

    UNUSED(state);
    box_run(b, "UPDATE archive SET first_failed_ms = 100 * id, last_failed_ms = 100 * id + 50");
    for (int i = 0; i < 2; i++) {
        struct pingo__store_archive_walk walk = {.until_ms = INT64_MAX, .files = {.arena = &arena}};
        int64_t number = 0, last = 6;
        int rc = 0;

        while (pingo__store_archive_next(db, &walk, &rc, &err)) {
            walk.enough_ms = 300;
            well(pingo__db_number(walk.at.db, &err, &number, "SELECT archive FROM here", NONE),
                 &err);
            assert_int_equal(number, last == 6 ? 0 : last);
            rc = i && number == 4 ? PINGO_ESTATE : 0;
            last = number ? number - 1 : 5;
        }
        assert_int_equal(last, i ? 3 : 2); /* that one was not read any more */
        assert_int_equal(pingo__store_archive_end(&walk.at, rc), i ? PINGO_ESTATE : 0);
        assert_true(sqlite3_get_autocommit(db->sqlite));
    }
    pingo__arena_clear(&arena);
    box_close(b);
}

/* Puts another file in the place of the first, and reads it with a fresh handle. */
static void refuse(struct box *b, const char *why)
{
    struct pingo__store_db *month;
    struct pingo__arena arena = {0};
    struct pingo_error err;

    box_reopen(b);
    assert_int_equal(pingo__store_archive_open(&b->store->db, 1, &month, &err), PINGO_ECORRUPT);
    if (!strstr(err.message, why) || !strstr(err.message, months_path(b, 1, &arena)))
        fail_msg("\"%s\" does not say \"%s\", and which file", err.message, why);
    pingo__arena_clear(&arena);
}

static void test_archive__what_is_not_this_file_is_told_with_its_path(void **state)
{
    struct box *b = five();
    struct pingo__arena arena = {0};
    const char *first = months_path(b, 1, &arena), *second = months_path(b, 2, &arena);
    char saved[400];

    UNUSED(state);
    snprintf(saved, sizeof saved, "%s/saved", b->root);
    assert_int_equal(rename(first, saved), 0);
    refuse(b, "is gone; the attempts of what ended then are in it");
    assert_int_equal(access(first, F_OK), -1); /* nothing was made in its place */
    assert_int_equal(symlink(saved, first), 0);
    refuse(b, "is no plain file");
    assert_int_equal(unlink(first), 0);
    assert_int_equal(link(second, first), 0);
    refuse(b, "is not this month's file of the archive");
    assert_int_equal(unlink(first), 0);
    assert_int_equal(rename(saved, first), 0);
    months_change(b, "DROP TABLE dependency");
    refuse(b, "is not this month's file of the archive");
    assert_int_equal(months_attempts(b, 2), 1); /* the others can be read */
    pingo__arena_clear(&arena);
    box_close(b);
}

/* Where a name means something to SQLite's URIs. */
static void test_archive__a_directory_may_have_any_name(void **state)
{
    struct box *b = months_box(true);
    struct pingo_error err;
    char odd[300];

    UNUSED(state);
    snprintf(odd, sizeof odd, "%s/a%%41?b#c", b->root);
    box_leave(b);
    assert_int_equal(rename(b->dir, odd), 0);
    struct pingo_store *store = NULL;
    struct pingo__store_db *month;
    int64_t n = 0;
    well(pingo_store_open(odd, NULL, &store, &err), &err);
    well(pingo__store_archive_open(&store->db, 1, &month, &err), &err);
    well(pingo__db_number(month, &err, &n, "SELECT count(*) FROM attempt", NONE), &err);
    assert_int_equal(n, 3);
    pingo_store_close(store);
    assert_int_equal(rename(odd, b->dir), 0);
    box_open_store(b);
    box_open_scheduler(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive__files_are_listed_and_found_by_number),
        cmocka_unit_test(test_archive__those_with_failures_of_a_period_come_last_first),
        cmocka_unit_test(test_archive__any_number_can_be_read_in_turns),
        cmocka_unit_test(test_archive__reading_is_one_view),
        cmocka_unit_test(test_archive__a_walk_begins_anew_where_something_moved),
        cmocka_unit_test(test_archive__a_walk_ends_where_it_is_enough),
        cmocka_unit_test(test_archive__what_is_not_this_file_is_told_with_its_path),
        cmocka_unit_test(test_archive__a_directory_may_have_any_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
