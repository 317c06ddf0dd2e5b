/* test_schema.c - a store of any version becomes what a new one is, with all that it had; what cannot be taken over stays as
 * it is, and is told. */
#include "unit/store/migrations/old.h"

#include "store/check.h"

#define SCHEMA                                                                                     \
    "SELECT group_concat(x, char(10)) FROM (SELECT type || ' ' || name || ' ' || sql AS x FROM"    \
    " sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name)"
#define COUNTS                                                                                     \
    "SELECT (SELECT count(*) FROM workflow) || ' ' || (SELECT count(*) FROM action) || ' ' ||"     \
    " (SELECT count(*) FROM dataset) || ' ' || (SELECT count(*) FROM attempt) || ' ' ||"           \
    " (SELECT count(*) FROM definition) || ' ' || (SELECT group_concat(hex(hash)) FROM (SELECT"    \
    " hash FROM dataset ORDER BY id))"

static char *new_schema(void)
{
    struct box *b = box_new();
    char *schema = old_text(b->store->db.sqlite, SCHEMA);

    assert_false(b->store->db.migrated);
    box_close(b);
    return schema;
}

static int on_finding(void *context, const char *invariant, const char *object, const char *message,
                      bool can_repair)
{
    UNUSED(can_repair);
    fail_msg("%s: %s %s: %s", (const char *)context, invariant, object, message);
    return 0;
}

static void test_schema__an_old_store_becomes_as_a_new_one(void **state)
{
    char *schema = new_schema();

    UNUSED(state);
    for (size_t i = 0; i < sizeof old_stores / sizeof *old_stores; i++) {
        struct old o;
        struct pingo__store_db db;
        struct pingo_error err;
        bool damaged = true, summed = false;
        char name[40];

        old_make(&o, old_stores[i]);
        char *counts = old_text(o.file, COUNTS);
        well(old_open(&o, &db, &err), &err);
        assert_true(db.migrated);
        old_assert(&db, SCHEMA, schema);
        old_assert(&db, COUNTS, counts);
        old_assert(&db, "SELECT count(*) FROM pragma_foreign_key_check", "0");
        assert_int_equal(old_number(&db, "PRAGMA foreign_keys"), 1);
        snprintf(name, sizeof name, "%s", old_stores[i]);
        well(pingo__store_check_database(&db, on_finding, name, &damaged, &err), &err);
        assert_false(damaged);
        well(pingo__store_check_begin(&db, &err), &err);
        well(pingo__store_db_begin(&db, &err), &err);
        well(pingo__store_check_rows(&db, on_finding, name, &summed, &err), &err);
        assert_true(summed);
        pingo__store_db_rollback(&db);
        pingo__store_db_close(&db);
        well(pingo__store_db_open(&db, o.root, 0, &err), &err);
        assert_false(db.migrated); /* once */
        pingo__store_db_close(&db);
        free(counts);
        old_remove(&o);
    }
    free(schema);
}

/* Opens one whose database says that it is of that version. */
static void refuse(const char *pragma, int code, const char *why)
{
    struct old o;
    struct pingo__store_db db;
    struct pingo_error err;

    old_make(&o, "store-5/store.sql");
    old_run(&o, pragma);
    assert_int_equal(old_open(&o, &db, &err), code);
    if (!strstr(err.message, why))
        fail_msg("\"%s\" does not say \"%s\"", err.message, why);
    old_remove(&o);
}

static void test_schema__a_version_that_is_none_is_told(void **state)
{
    UNUSED(state);
    refuse("PRAGMA user_version=1000", PINGO_EVERSION, "use a newer Pingo");
    refuse("PRAGMA user_version=-1", PINGO_ESTORE, "its version is -1");
}

/* A row that breaks a rule of the new table is named, and nothing of that step is kept. */
static void test_schema__a_row_that_cannot_be_taken_over_is_named(void **state)
{
    struct old o;
    struct pingo__store_db db;
    struct pingo_error err;

    UNUSED(state);
    old_make(&o, "store-0.2/store.sql");
    char *counts = old_text(o.file, COUNTS);
    old_run(&o, "UPDATE dataset SET content = X'01' WHERE id = 2");
    assert_int_equal(old_open(&o, &db, &err), PINGO_ESTORE);
    assert_non_null(strstr(err.message, "row 2 of table dataset"));
    assert_non_null(strstr(err.message, "cannot be taken over"));
    char path[100];
    snprintf(path, sizeof path, "%s/pingo.db", o.root);
    assert_int_equal(sqlite3_open(path, &o.file), SQLITE_OK);
    char *after = old_text(o.file, COUNTS);
    assert_string_equal(after, counts);
    old_run(&o, "UPDATE dataset SET content = zeroblob(32) WHERE id = 2"); /* it is mended */
    well(old_open(&o, &db, &err), &err);
    pingo__store_db_close(&db);
    free(after);
    free(counts);
    old_remove(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema__an_old_store_becomes_as_a_new_one),
        cmocka_unit_test(test_schema__a_version_that_is_none_is_told),
        cmocka_unit_test(test_schema__a_row_that_cannot_be_taken_over_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
