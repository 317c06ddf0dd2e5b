/* test_archive_seal.c - a sealed file holds what was moved, and nothing else; what a crash leaves of sealing is mended. */
#include "unit/store/archive/months.h"

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void copy(const char *from, const char *to)
{
    char command[900];

    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

/* What is moved from then on is mended first. */
static void mend(struct box *b)
{
    struct pingo__store_move move = {.db = &b->store->db};
    struct pingo_error err;
    bool had = false;

    well(pingo__store_move_begin(&move, &had, &err), &err);
    assert_true(had);
    well(pingo__store_move_mend(&move, &err), &err);
    pingo__store_move_end(&move);
}

static void test_archive_seal__is_read_only_under_another_name(void **state)
{
    struct box *b = months_box(false);
    struct pingo__arena arena = {0};
    const char *old = months_path(b, 1, &arena);
    struct stat st;

    UNUSED(state);
    months_move(b, 0, true);
    struct pingo__store_archive_row row = months_row(b, 1, &arena);
    const char *new = months_path(b, 1, &arena);
    assert_true(row.sealed);
    assert_string_equal(row.name + strlen("2026-11"), ".sealed.db");
    assert_false(is_there(old));
    assert_int_equal(stat(new, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0400);
    assert_int_equal(months_attempts(b, 1), 3);
    box_clean(b);
    pingo__arena_clear(&arena);
    box_close(b);
}

/* Who has the file open that became the sealed one reads on in that. */
static void test_archive_seal__who_reads_is_not_in_the_way(void **state)
{
    struct box *b = months_box(false);
    struct pingo__store_db *db = &b->store->db, *month = NULL;
    struct pingo__arena arena = {0};
    struct pingo__store_archive_walk walk = {.until_ms = INT64_MAX, .files = {.arena = &arena}};
    struct pingo_error err;
    int rc = 0;

    UNUSED(state);
    box_run(b, "UPDATE archive SET first_failed_ms = 1, last_failed_ms = 1");
    well(pingo__store_archive_open(db, 1, &month, &err), &err);
    assert_true(pingo__store_archive_next(db, &walk, &rc, &err)); /* the row is read */
    assert_ptr_equal(walk.at.db, db);
    months_move_beside(b, true);
    assert_true(pingo__store_archive_next(db, &walk, &rc, &err));
    assert_ptr_equal(walk.at.db, month);
    assert_int_equal(walk.n, 2); /* the first was not read anew */
    assert_false(pingo__store_archive_next(db, &walk, &rc, &err));
    well(pingo__store_archive_end(&walk.at, rc), &err);
    assert_true(months_row(b, 1, &arena).sealed);
    pingo__arena_clear(&arena);
    box_close(b);
}

/* What was copied and never marked is read in the database, and stays there. */
static void test_archive_seal__leaves_out_what_is_read_elsewhere(void **state)
{
    struct box *b = months_box(false);
    struct pingo__store_db *month;
    struct pingo_error err;
    int64_t n = -1;

    UNUSED(state);
    months_finish(b, 1);
    sqlite3 *file = months_file(b);
    struct pingo__arena arena = {0};
    char *attach = sqlite3_mprintf("ATTACH '%q/pingo.db' AS store", b->dir);
    months_run(file, attach);
    sqlite3_free(attach);
    months_run(file, "INSERT INTO main.attempt SELECT * FROM store.attempt;"
                     "INSERT INTO moved VALUES(2, 1, 0, 0)");
    sqlite3_close(file);
    struct pingo__store_move move = {.db = &b->store->db, .sealed_before = "9999-01"};
    bool had, more;
    well(pingo__store_move_begin(&move, &had, &err), &err);
    well(pingo__store_move_seal(&move, &more, &err), &err);
    assert_true(more);
    assert_int_equal(move.sealed, 1);
    well(pingo__store_move_seal(&move, &more, &err), &err);
    assert_false(more);
    pingo__store_move_end(&move);
    well(pingo__store_archive_open(&b->store->db, 1, &month, &err), &err);
    well(pingo__db_number(month, &err, &n, "SELECT count(*) FROM main.attempt", NONE), &err);
    assert_int_equal(n, 3);
    well(pingo__db_number(month, &err, &n, "SELECT count(*) FROM moved", NONE), &err);
    assert_int_equal(n, 1);
    assert_int_equal(months_attempts(b, 2), 1);
    box_clean(b);
    pingo__arena_clear(&arena);
    box_close(b);
}

/* Killed between the transaction and the end of the old file: that goes, and only where the sealed one is whole. */
static void test_archive_seal__an_old_file_that_was_left_goes(void **state)
{
    struct box *b = months_box(false);
    struct pingo__arena arena = {0};
    const char *old = months_path(b, 1, &arena);
    char saved[400];

    UNUSED(state);
    snprintf(saved, sizeof saved, "%s/saved", b->root);
    copy(old, saved);
    months_move(b, 0, true);
    copy(saved, old);
    mend(b);
    assert_false(is_there(old));
    copy(saved, old);
    box_reopen(b);
    months_change(b, "DELETE FROM dependency");
    mend(b);
    assert_true(is_there(old)); /* what was moved there is in it alone */
    pingo__arena_clear(&arena);
    box_close(b);
}

/* A database that was put back from a copy knows the file by its old name. */
static void forget_sealing(struct box *b)
{
    box_run(b, "UPDATE archive SET sealed = 0, name = replace(name, '.sealed', '')");
    box_reopen(b);
}

static void test_archive_seal__what_an_older_database_does_not_know_is_found(void **state)
{
    struct box *b = months_box(true);
    struct pingo__arena arena = {0};

    UNUSED(state);
    forget_sealing(b);
    assert_int_equal(months_attempts(b, 1), 3); /* before anything is mended */
    mend(b);
    assert_true(months_row(b, 1, &arena).sealed);
    assert_int_equal(months_attempts(b, 1), 3);
    months_change(b, "DELETE FROM dependency");
    forget_sealing(b);
    mend(b);
    assert_false(months_row(b, 1, &arena).sealed); /* it does not hold what it held */
    pingo__arena_clear(&arena);
    box_close(b);
}

/* What was changed is not sealed as if it were what was moved. */
static void test_archive_seal__what_was_changed_is_not(void **state)
{
    struct box *b = months_box(false);
    struct pingo_archive_options options = {.version = 1, .before_ms = INT64_MAX, .seal = true};
    struct pingo_archived done = {.size = sizeof done};
    struct pingo__arena arena = {0};
    struct pingo_error err;

    UNUSED(state);
    months_change(b, "DELETE FROM attempt WHERE action = (SELECT min(action) FROM attempt)");
    assert_int_equal(pingo_store_archive(b->store, &options, &done, &err), PINGO_ECORRUPT);
    assert_non_null(strstr(err.message, ".db stays unsealed: "));
    assert_non_null(strstr(err.message, "has another number of attempts"));
    assert_int_equal(done.sealed, 0);
    assert_false(months_row(b, 1, &arena).sealed);
    pingo__arena_clear(&arena);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_seal__is_read_only_under_another_name),
        cmocka_unit_test(test_archive_seal__who_reads_is_not_in_the_way),
        cmocka_unit_test(test_archive_seal__leaves_out_what_is_read_elsewhere),
        cmocka_unit_test(test_archive_seal__an_old_file_that_was_left_goes),
        cmocka_unit_test(test_archive_seal__what_an_older_database_does_not_know_is_found),
        cmocka_unit_test(test_archive_seal__what_was_changed_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
