/* test_archive_check.c - a month file against what the store says of it: whole, and changed behind the store's back. */
#include "unit/store/archive/months.h"

/* What is wrong with it: all of it, and what is seen without counting. */
static void look(struct box *b, char whole[MONTHS_SAID], char quick[MONTHS_SAID])
{
    struct pingo__arena arena = {0};
    struct pingo__store_archive_row row = months_row(b, 1, &arena);
    struct pingo__store_db month;
    struct pingo_error err;

    *whole = *quick = '\0';
    well(pingo__store_archive_file_open(&b->store->db, &row, PINGO__ARCHIVE_READ, &month, &err),
         &err);
    well(pingo__store_archive_file_look(&month, true, months_note, whole, &err), &err);
    well(pingo__store_archive_file_look(&month, false, months_note, quick, &err), &err);
    assert_int_equal(pingo__store_archive_file_check(&month, true, &err),
                     *whole ? PINGO_ECORRUPT : 0);
    if (*whole)
        assert_non_null(strstr(err.message, "put it back from a copy of the store"));
    pingo__store_db_close(&month);
    pingo__arena_clear(&arena);
}

static void test_archive_check__what_was_moved_is_there(void **state)
{
    struct box *b = months_box(false);
    char whole[MONTHS_SAID], quick[MONTHS_SAID];

    UNUSED(state);
    look(b, whole, quick);
    assert_string_equal(whole, "");
    assert_string_equal(quick, "");
    box_close(b);
}

static void test_archive_check__attempts_that_are_gone_are_counted(void **state)
{
    struct box *b = months_box(false);
    char whole[MONTHS_SAID], quick[MONTHS_SAID];

    UNUSED(state);
    months_change(b, "DELETE FROM attempt WHERE action = (SELECT min(action) FROM attempt)");
    look(b, whole, quick);
    assert_string_equal(whole, "workflow 1 has another number of attempts in its month file than "
                               "were moved there\n");
    assert_string_equal(quick, "");
    box_close(b);
}

static void test_archive_check__a_workflow_that_is_gone_is_seen_at_once(void **state)
{
    struct box *b = months_box(false);
    char whole[MONTHS_SAID], quick[MONTHS_SAID];

    UNUSED(state);
    months_change(b, "DELETE FROM moved");
    look(b, whole, quick);
    assert_non_null(
        strstr(quick, "workflow 1 is in the archive, but its month file does not have"));
    assert_non_null(strstr(quick, "is said to hold other numbers"));
    assert_string_equal(whole, quick);
    box_close(b);
}

/* A workflow of another store has its number, and ended at another time. */
static void test_archive_check__anothers_workflow_is_none(void **state)
{
    struct box *b = months_box(false);
    char whole[MONTHS_SAID], quick[MONTHS_SAID];

    UNUSED(state);
    months_change(b, "UPDATE moved SET ended_ms = ended_ms + 1");
    look(b, whole, quick);
    assert_non_null(
        strstr(quick, "workflow 1 is in the archive, but its month file does not have"));
    box_close(b);
}

/* Of a sealed file each byte counts; one that an older Pingo sealed has no digest, and is as it was. */
static void test_archive_check__each_byte_of_a_sealed_file_counts(void **state)
{
    struct box *b = months_box(true);
    char whole[MONTHS_SAID], quick[MONTHS_SAID];

    UNUSED(state);
    look(b, whole, quick);
    assert_string_equal(whole, "");
    months_change(b, "UPDATE attempt SET started_ms = started_ms + 1");
    look(b, whole, quick);
    assert_non_null(strstr(whole, ".sealed.db has other bytes than when it was sealed\n"));
    assert_string_equal(quick, "");
    box_run(b, "DELETE FROM meta WHERE key = 'archive.sha256.1'");
    look(b, whole, quick);
    assert_string_equal(whole, "");
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_check__what_was_moved_is_there),
        cmocka_unit_test(test_archive_check__attempts_that_are_gone_are_counted),
        cmocka_unit_test(test_archive_check__a_workflow_that_is_gone_is_seen_at_once),
        cmocka_unit_test(test_archive_check__anothers_workflow_is_none),
        cmocka_unit_test(test_archive_check__each_byte_of_a_sealed_file_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
