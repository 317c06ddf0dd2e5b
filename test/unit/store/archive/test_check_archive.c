/* test_check_archive.c - fsck's part of month files: what is gone or changed is told, and then no sums are compared. */
#include "unit/store/archive/months.h"

#include "store/check.h"

struct said {
    size_t n;
    char text[600];
};

static int on_finding(void *context, const char *invariant, const char *object, const char *message,
                      bool can_repair)
{
    struct said *s = context;

    assert_string_equal(invariant, "I8");
    assert_false(can_repair);
    assert_true(*message);
    snprintf(s->text, sizeof s->text, "%s: %s", object, message);
    s->n++;
    return 0;
}

static struct said check(struct box *b, bool *summed)
{
    struct said said = {.n = 0};
    struct pingo_error err;

    well(pingo__store_check_begin(&b->store->db, &err), &err);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_check_archive(&b->store->db, on_finding, &said, summed, &err), &err);
    return said;
}

/* The ends of all attempts, wherever they lie, are summed once. */
static void test_check_archive__sums_the_ends_of_both_places(void **state)
{
    struct box *b = months_box(false);
    bool summed = false;

    UNUSED(state);
    months_finish(b, 1);
    for (int round = 0; round < 2; round++) { /* nothing is left of the first */
        assert_int_equal(check(b, &summed).n, 0);
        assert_true(summed);
        assert_int_equal(box_int_of(b, "SELECT sum(n) FROM temp.ends"), 4);
        pingo__store_db_rollback(&b->store->db);
    }
    box_close(b);
}

static void test_check_archive__a_file_that_is_gone_is_told(void **state)
{
    struct box *b = months_box(false);
    struct pingo__arena arena = {0};
    const char *path = months_path(b, 1, &arena);
    bool summed = true;

    UNUSED(state);
    assert_int_equal(unlink(path), 0);
    box_reopen(b);
    struct said said = check(b, &summed);
    assert_int_equal(said.n, 1);
    assert_true(strncmp(said.text, "archive/20", 10) == 0);
    assert_non_null(strstr(said.text, "is gone"));
    assert_false(summed);
    pingo__store_db_rollback(&b->store->db);
    pingo__arena_clear(&arena);
    box_close(b);
}

static void test_check_archive__what_was_changed_is_told(void **state)
{
    struct box *b = months_box(false);
    bool summed = false;

    UNUSED(state);
    months_change(b, "DELETE FROM attempt WHERE action = (SELECT min(action) FROM attempt)");
    struct said said = check(b, &summed);
    assert_true(said.n > 0);
    assert_true(summed); /* what is there was counted */
    assert_int_equal(box_int_of(b, "SELECT sum(n) FROM temp.ends"), 2);
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

/* One that is being made has nothing that could be wrong. */
static void test_check_archive__one_that_is_being_made_is_passed_over(void **state)
{
    struct box *b = box_new();
    bool summed = false;

    UNUSED(state);
    box_run(b, "INSERT INTO archive(id, name, workflows, attempts) VALUES(1, '2026-08.db', 0, 0)");
    assert_int_equal(check(b, &summed).n, 0);
    assert_true(summed);
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

static int stop(void *context, const char *invariant, const char *object, const char *message,
                bool can_repair)
{
    UNUSED(context);
    UNUSED(invariant);
    UNUSED(object);
    UNUSED(message);
    UNUSED(can_repair);
    return PINGO_EINTERRUPTED;
}

static void test_check_archive__who_is_told_can_stop_it(void **state)
{
    struct box *b = months_box(false);
    struct pingo_error err;
    bool summed;

    UNUSED(state);
    months_change(b, "DELETE FROM moved");
    well(pingo__store_check_begin(&b->store->db, &err), &err);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(pingo__store_check_archive(&b->store->db, stop, NULL, &summed, &err),
                     PINGO_EINTERRUPTED);
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

/* Who reads it already goes on with what it was; what is checked is what lies there. */
static void test_check_archive__one_that_is_sealed_while_it_is_read_is_whole(void **state)
{
    struct box *b = months_box(false);
    bool summed = false;

    UNUSED(state);
    assert_int_equal(months_attempts(b, 1), 3);
    months_move(b, 0, true);
    struct said said = check(b, &summed);
    assert_string_equal(said.text, "");
    assert_true(summed);
    pingo__store_db_rollback(&b->store->db);
    assert_int_equal(months_attempts(b, 1), 3);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_archive__sums_the_ends_of_both_places),
        cmocka_unit_test(test_check_archive__a_file_that_is_gone_is_told),
        cmocka_unit_test(test_check_archive__one_that_is_sealed_while_it_is_read_is_whole),
        cmocka_unit_test(test_check_archive__what_was_changed_is_told),
        cmocka_unit_test(test_check_archive__one_that_is_being_made_is_passed_over),
        cmocka_unit_test(test_check_archive__who_is_told_can_stop_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
