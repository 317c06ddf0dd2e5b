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

/* ---- others meanwhile ----------------------------------------------------------------------- */

static char store_path[200];
static int ncommits,
    nwaiting; /* of month files; how often somebody who writes to the store had to wait then */

static int on_commit(void *context)
{
    sqlite3 *other = NULL;

    UNUSED(context);
    assert_int_equal(sqlite3_open(store_path, &other), SQLITE_OK);
    sqlite3_db_config(other, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    ncommits++;
    nwaiting += sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK;
    sqlite3_close(other);
    return 0;
}

static int on_open(sqlite3 *opened, const char **why, const struct sqlite3_api_routines *api)
{
    UNUSED(why);
    UNUSED(api);
    if (strstr(sqlite3_db_filename(opened, "main"), "/archive/"))
        sqlite3_commit_hook(opened, on_commit, NULL);
    return SQLITE_OK;
}

/* A month file is written, and cleaned, as long as that takes: nobody waits for it who has the store's lock. */
static void test_archive_move__nobody_waits_while_a_month_is_written(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    snprintf(store_path, sizeof store_path, "%s/pingo.db", b->dir);
    months_finish(b, 1);
    sqlite3_auto_extension((void (*)(void))on_open);
    assert_int_equal(months_move(b, 0, true), 1);
    sqlite3_reset_auto_extension();
    assert_true(ncommits >= 3); /* its tables, the rows, and once more before it is sealed */
    assert_int_equal(nwaiting, 0);
    is_told(b, 1);
    box_clean(b);
    box_close(b);
}

/* Month files keep the columns of the day they were made, and a sealed one for ever: rows are copied to them as they are,
 * and read there by their names.  Who gives one of these tables a column lets archive.c make a new file for it, reads
 * older files without it, and then names it here. */
static void test_archive_move__month_files_have_all_columns_that_move(void **state)
{
    static const char *const tables[][2] = {
        {"attempt",
         "action epoch executor owner state unwanted reason exit_code signal handed_ms started_ms"
         " ended_ms wall_ms user_ms system_ms max_rss_bytes scratch_bytes confined touched told "
         "host"
         " memory_mb memory_from job progress error"},
        {"dependency", "parent child data"}};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct pingo__arena arena = {0};
        const char *columns = NULL;
        well(pingo__db_row(&b->store->db, &err, &pingo__store_texts, &arena, &columns,
                           "SELECT 0, group_concat(name, ' ') FROM pragma_table_info(?)",
                           TEXT(tables[i][0])),
             &err);
        assert_string_equal(columns, tables[i][1]);
        pingo__arena_clear(&arena);
    }
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_move__a_file_that_is_full_gets_no_more),
        cmocka_unit_test(test_archive_move__one_that_has_room_gets_all),
        cmocka_unit_test(test_archive_move__one_that_is_sealed_gets_no_more),
        cmocka_unit_test(test_archive_move__nobody_waits_while_a_month_is_written),
        cmocka_unit_test(test_archive_move__month_files_have_all_columns_that_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
