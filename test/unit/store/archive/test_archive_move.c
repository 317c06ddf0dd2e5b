/* test_archive_move.c - where workflows go: one file a month, another one when that is full or sealed, all told as before. */
#include "unit/store/archive/months.h"

struct files {
    size_t n, sealed;
    int64_t workflows, attempts;
    char names[200];
};

static int count_file(void *context, const struct pingo_archive_file *file)
{
    struct files *f = context;

    f->n++;
    f->sealed += file->sealed;
    f->workflows += file->workflows;
    f->attempts += file->attempts;
    snprintf(f->names + strlen(f->names), sizeof f->names - strlen(f->names), "%s ",
             file->name + strlen("2026-11"));
    return 0;
}

static struct files files_of(struct box *b)
{
    struct files files = {.n = 0};
    struct pingo_error err;

    well(pingo_store_archive_files(b->store, count_file, &files, &err), &err);
    return files;
}

static int count_action(void *context, const struct pingo_action_status *s)
{
    assert_int_equal(s->state, PINGO_ACTION_FINISHED);
    ++*(size_t *)context;
    return 0;
}

/* All actions of a workflow are told, wherever they lie. */
static void is_told(struct box *b, int64_t workflow)
{
    struct pingo_action_query query = {.version = 1, .workflow = workflow};
    struct pingo_error err;
    size_t n = 0;

    well(pingo_store_actions(b->store, &query, count_action, &n, &err), &err);
    assert_int_equal(n, 1);
}

static void test_archive_move__a_file_that_is_full_gets_no_more(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    for (int i = 0; i < 3; i++) {
        months_finish(b, i);
        assert_int_equal(months_move(b, 1, false), 1);
    }
    struct files files = files_of(b);
    assert_int_equal(files.n, 3); /* each is full with the first */
    assert_string_equal(files.names, ".db .2.db .3.db ");
    assert_int_equal(files.workflows, 3);
    assert_int_equal(files.attempts, 3);
    for (int64_t workflow = 1; workflow <= 3; workflow++)
        is_told(b, workflow);
    box_clean(b);
    box_close(b);
}

static void test_archive_move__one_that_has_room_gets_all(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    for (int i = 0; i < 3; i++) {
        months_finish(b, i);
        assert_int_equal(months_move(b, 0, false), 1);
    }
    assert_int_equal(months_move(b, 0, false), 0); /* there is no more */
    struct files files = files_of(b);
    assert_string_equal(files.names, ".db ");
    assert_int_equal(files.workflows, 3);
    box_clean(b);
    box_close(b);
}

static void test_archive_move__one_that_is_sealed_gets_no_more(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    months_finish(b, 1);
    assert_int_equal(months_move(b, 0, true), 1);
    months_finish(b, 2);
    assert_int_equal(months_move(b, 0, false), 1);
    struct files files = files_of(b);
    assert_string_equal(files.names, ".sealed.db .2.db ");
    assert_int_equal(files.sealed, 1);
    is_told(b, 1);
    is_told(b, 2);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_move__a_file_that_is_full_gets_no_more),
        cmocka_unit_test(test_archive_move__one_that_has_room_gets_all),
        cmocka_unit_test(test_archive_move__one_that_is_sealed_gets_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
