/* test_archive_sum.c - whatever is changed in a month file behind the store's back is seen: each table, each column, open and
 * sealed; and a file that an older Pingo made is what it was. */
#include "unit/store/archive/months.h"

#include "store/meta.h"

/* What fsck is told of it: findings, or why it is no month file. */
static void look(struct box *b, char said[MONTHS_SAID])
{
    struct pingo__arena arena = {0};
    struct pingo__store_archive_row row = months_row(b, 1, &arena);
    struct pingo__store_db month;
    struct pingo_error err;
    int rc = pingo__store_archive_file_open(&b->store->db, &row, PINGO__ARCHIVE_READ, &month, &err);

    *said = '\0';
    if (!rc) {
        rc = pingo__store_archive_file_look(&month, true, months_note, said, &err);
        pingo__store_db_close(&month);
    }
    if (rc) {
        assert_int_equal(rc, PINGO_ECORRUPT);
        months_note(said, "", err.message, &err);
    }
    pingo__arena_clear(&arena);
}

struct walk {
    struct box *box;
    int changes;
};

/* Does it, looks, and puts all back. */
static void see(struct walk *w, const char *table, const char *sql)
{
    sqlite3 *file = months_file(w->box);
    char back[300], said[900];

    months_run(file, "PRAGMA ignore_check_constraints = 1");
    snprintf(back, sizeof back, "CREATE TABLE saved AS SELECT * FROM \"%s\"", table);
    months_run(file, back);
    months_run(file, sql);
    assert_true(sqlite3_changes(file) > 0);
    sqlite3_close(file);
    look(w->box, said);
    if (!strstr(said, "put it back") && !strstr(said, "is damaged") &&
        !strstr(said, "than were moved there") && !strstr(said, "its month file does not have it"))
        fail_msg("%s: is told as \"%s\"", sql, said);
    file = months_file(w->box);
    snprintf(back, sizeof back,
             "DELETE FROM \"%s\"; INSERT INTO \"%s\" SELECT * FROM saved; DROP TABLE saved", table,
             table);
    months_run(file, back);
    sqlite3_close(file);
    look(w->box, said);
    assert_string_equal(said, "");
    w->changes++;
}

/* Another value of the column's type in a single row. */
static int each_column(void *context, int n, char **values, char **names)
{
    struct walk *w = context;
    char sql[500];
    const char *table = values[0], *column = values[1], *type = values[2];
    const char *value = strcmp(type, "INTEGER") == 0 ? "coalesce(%s, 0) + 1"
                        : strcmp(type, "TEXT") == 0  ? "coalesce(%s, '') || 'x'"
                                                     : "CAST(coalesce(%s, '') || 'x' AS BLOB)";
    char changed[200];

    UNUSED(n);
    UNUSED(names);
    snprintf(changed, sizeof changed, value, column);
    if (strcmp(column, "data") == 0) /* values that may be there, and no key twice */
        snprintf(changed, sizeof changed, "1 - data");
    if (strcmp(column, "state") == 0)
        snprintf(changed, sizeof changed, "state - 1");
    if (strcmp(column, "action") == 0 || strcmp(column, "child") == 0 ||
        strcmp(column, "parent") == 0)
        snprintf(changed, sizeof changed, "%s + 1000", column);
    snprintf(sql, sizeof sql,
             "UPDATE \"%s\" SET \"%s\" = %s WHERE (%s) = (SELECT %s FROM \"%s\" LIMIT 1)", table,
             column, changed, values[3], values[3], table);
    see(w, table, sql);
    return 0;
}

static int each_table(void *context, int n, char **values, char **names)
{
    struct walk *w = context;
    char sql[500];

    UNUSED(n);
    UNUSED(names);
    snprintf(sql, sizeof sql, "DELETE FROM \"%s\"", values[0]);
    see(w, values[0], sql);
    snprintf(sql, sizeof sql, "DELETE FROM \"%s\" WHERE (%s) = (SELECT %s FROM \"%s\" LIMIT 1)",
             values[0], values[1], values[1], values[0]);
    see(w, values[0], sql);
    return 0;
}

#define KEYS                                                                                       \
    "(SELECT group_concat(name) FROM pragma_table_info(t.name) WHERE pk > 0 OR t.name = 'here')"

static void walk(bool seal)
{
    struct walk w = {months_box(seal), 0};
    sqlite3 *file = months_file(w.box), *all = NULL;
    char said[MONTHS_SAID];

    look(w.box, said);
    assert_string_equal(said, "");
    /* what there is to change, before anything is */
    assert_int_equal(sqlite3_open(":memory:", &all), SQLITE_OK);
    months_run(all,
               "CREATE TABLE tables(name, keys); CREATE TABLE columns(name, column, type, keys)");
    struct pingo__arena arena = {0};
    const char *path = months_path(w.box, 1, &arena);
    char *attach = sqlite3_mprintf("ATTACH %Q AS month", path);
    sqlite3_close(file);
    months_run(all, attach);
    sqlite3_free(attach);
    months_run(all,
               "INSERT INTO tables SELECT name, " KEYS
               " FROM month.sqlite_master t WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    months_run(all,
               "INSERT INTO columns SELECT t.name, c.name, c.type, " KEYS
               " FROM month.sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND"
               " t.name NOT LIKE 'sqlite_%'");
    months_run(all, "DETACH month");
    pingo__arena_clear(&arena);
    assert_int_equal(sqlite3_exec(all, "SELECT * FROM tables", each_table, &w, NULL), SQLITE_OK);
    assert_int_equal(w.changes, 8); /* here, moved, attempt, dependency */
    assert_int_equal(sqlite3_exec(all, "SELECT * FROM columns", each_column, &w, NULL), SQLITE_OK);
    assert_true(w.changes > 8 + 1 + 4 + 3 + 20);
    sqlite3_close(all);
    box_close(w.box);
}

static void test_archive_sum__each_change_of_an_open_file_is_seen(void **state)
{
    UNUSED(state);
    walk(false);
}

static void test_archive_sum__each_change_of_a_sealed_file_is_seen(void **state)
{
    UNUSED(state);
    walk(true);
}

/* An older Pingo kept no sum: nothing is said of that, and once it is sealed there is one. */
static void test_archive_sum__a_file_without_one_gets_it_when_it_is_sealed(void **state)
{
    struct box *b = months_box(false);
    struct pingo_error err;
    bool was = false;
    char said[MONTHS_SAID];
    char *value = NULL;

    UNUSED(state);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_meta_take(&b->store->db, "archive.sum.1", &was, &err), &err);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_true(was);
    look(b, said);
    assert_string_equal(said, "");
    months_move(b, 0, true);
    well(pingo__store_meta_get(&b->store->db, "archive.sum.1", &value, &err), &err);
    assert_non_null(value);
    assert_true(strncmp(value, "1 ", 2) == 0);
    free(value);
    look(b, said);
    assert_string_equal(said, "");
    box_clean(b);
    box_close(b);
}

/* What was changed is not sealed as if it were what was moved. */
static void test_archive_sum__what_was_changed_is_not_sealed(void **state)
{
    struct box *b = months_box(false);
    struct pingo_archive_options options = {.version = 1, .before_ms = INT64_MAX, .seal = true};
    struct pingo_archived done = {.size = sizeof done};
    struct pingo_error err;

    UNUSED(state);
    months_change(b, "DELETE FROM dependency");
    assert_int_equal(pingo_store_archive(b->store, &options, &done, &err), PINGO_ECORRUPT);
    assert_non_null(strstr(err.message, "has other rows than were moved there; it stays unsealed"));
    assert_int_equal(done.sealed, 0);
    box_close(b);
}

/* Rows that were read one after the other, without an index. */
static int64_t scanned(const struct pingo__store_db *month)
{
    int64_t n = 0;

    for (sqlite3_stmt *s = NULL; (s = sqlite3_next_stmt(month->sqlite, s)) != NULL;)
        n += sqlite3_stmt_status(s, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    return n;
}

/* Of one submission that is moved the dependencies of others are not looked at; of all, each is once.  A file that an
 * older Pingo made gets the index that this takes. */
static void test_archive_sum__costs_what_is_summed(void **state)
{
    struct box *b = months_box(false);
    struct pingo__arena arena = {0};
    struct pingo__store_archive_row row = months_row(b, 1, &arena);
    struct pingo__store_db month;
    struct pingo_error err;
    uint64_t one = 0, all = 0;

    UNUSED(state);
    months_change(b,
                  "DROP INDEX IF EXISTS dependency_child;"
                  "WITH RECURSIVE i(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM i WHERE i < 1099)"
                  " INSERT INTO dependency SELECT i, i + 1, 1 FROM i");
    well(pingo__store_archive_file_open(&b->store->db, &row, PINGO__ARCHIVE_WRITE, &month, &err),
         &err);
    scanned(&month);
    well(pingo__store_archive_sum_one(&month, 1, &one, &err), &err);
    assert_true(scanned(&month) < 10);
    well(pingo__store_archive_sum_all(&month, &all, &err), &err);
    assert_true(scanned(&month) < 1000 + 20);
    assert_true(one == all);
    pingo__store_db_close(&month);
    pingo__arena_clear(&arena);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archive_sum__each_change_of_an_open_file_is_seen),
        cmocka_unit_test(test_archive_sum__each_change_of_a_sealed_file_is_seen),
        cmocka_unit_test(test_archive_sum__a_file_without_one_gets_it_when_it_is_sealed),
        cmocka_unit_test(test_archive_sum__what_was_changed_is_not_sealed),
        cmocka_unit_test(test_archive_sum__costs_what_is_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
