/* test_identity.c - is this a store, and ours: what is looked at before anything is written. */
#include "unit/engine/box.h"

#include "store/identity.h"

struct place {
    char dir[64], path[256];
};

static void place_new(struct place *p)
{
    strcpy(p->dir, "/tmp/pingo-unit-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->path, sizeof p->path, "%s/pingo.db", p->dir);
}

static void place_put(const struct place *p, const char *bytes)
{
    int fd = open(p->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, strlen(bytes)), strlen(bytes));
    close(fd);
}

static void run(const struct place *p, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static int places(const char *dir, bool *is_empty, struct pingo_error *err)
{
    char *real = NULL;
    int rc = pingo__store_identity_check_places(dir, "pingo.db", &real, is_empty, err);

    if (!rc)
        assert_int_equal(real[0], '/');
    free(real);
    return rc;
}

static int check_database(const char *dir, const char *path, struct pingo_error *err)
{
    sqlite3 *looking = NULL;
    int rc = pingo__store_identity_check_database(dir, path, &looking, err);

    sqlite3_close(looking);
    return rc;
}

static void test_identity__what_is_no_store_is_told(void **state)
{
    struct place p;
    struct pingo_error err;
    char link_path[96];
    bool is_empty = false;

    UNUSED(state);
    place_new(&p);
    assert_int_equal(places("/nowhere/at/all", &is_empty, &err), PINGO_ENOSTORE);
    assert_int_equal(places(p.dir, &is_empty, &err), PINGO_ENOSTORE);
    place_put(&p, "");
    well(places(p.dir, &is_empty, &err), &err);
    assert_true(is_empty);
    place_put(&p, "x");
    well(places(p.dir, &is_empty, &err), &err);
    assert_false(is_empty);
    assert_int_equal(places(p.path, &is_empty, &err), PINGO_ENOSTORE); /* a file is no directory */
    /* A link to the directory is followed, one in the place of the database is not. */
    snprintf(link_path, sizeof link_path, "%s/link", p.dir);
    assert_int_equal(symlink(".", link_path), 0);
    well(places(link_path, &is_empty, &err), &err);
    assert_int_equal(unlink(p.path), 0);
    assert_int_equal(symlink("/etc/passwd", p.path), 0);
    assert_int_equal(places(p.dir, &is_empty, &err), PINGO_ESTORE);
    assert_non_null(strstr(err.message, "a link"));
    assert_int_equal(unlink(p.path), 0);
    assert_int_equal(mkfifo(p.path, 0600), 0);
    assert_int_equal(places(p.dir, &is_empty, &err), PINGO_ESTORE);
    box_remove(p.dir);
}

static void test_identity__other_databases_are_left_alone(void **state)
{
    static const struct {
        const char *sql;
        int rc;
        const char *said;
    } rows[] = {
        {"CREATE TABLE t(x)", PINGO_ESTORE, "another program"},
        {"PRAGMA application_id = 4711; CREATE TABLE t(x)", PINGO_ESTORE, "4711"},
        {"PRAGMA application_id = 1346981447; PRAGMA user_version = 3; CREATE TABLE t(x)", 0, ""},
        {"PRAGMA application_id = 1346981447; PRAGMA user_version = 99; CREATE TABLE t(x)", 0, ""},
        {"PRAGMA application_id = 1346981447; PRAGMA user_version = 2; CREATE TABLE t(x)",
         PINGO_ESTORE, "damaged"},
        {"CREATE TABLE meta(x); CREATE TABLE setting(x); CREATE TABLE owner(x)", PINGO_ESTORE,
         "another program"},
        {"CREATE TABLE t(x); DROP TABLE t", PINGO_ESTORE, "empty"},
    };
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct place p;
        struct stat before, after;
        place_new(&p);
        run(&p, rows[i].sql);
        assert_int_equal(stat(p.path, &before), 0);
        assert_int_equal(check_database(p.dir, p.path, &err), rows[i].rc);
        if (rows[i].rc)
            assert_non_null(strstr(err.message, rows[i].said));
        assert_int_equal(stat(p.path, &after), 0); /* not a byte was written */
        assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
        box_remove(p.dir);
    }
}

static void test_identity__what_is_no_database_is_damaged(void **state)
{
    struct place p;
    struct pingo_error err;

    UNUSED(state);
    place_new(&p);
    place_put(&p,
              "this is a text, and it is long enough that it is not taken for an empty database,"
              " as one of less than a hundred bytes is");
    assert_int_equal(check_database(p.dir, p.path, &err), PINGO_ESTORE);
    assert_non_null(strstr(err.message, "is damaged"));
    assert_int_equal(pingo__store_identity_fail_empty(p.dir, &err), PINGO_ESTORE);
    box_remove(p.dir);
}

static void test_identity__names_that_an_uri_would_read_otherwise(void **state)
{
    struct place p;
    char odd[160];
    struct pingo_error err;

    UNUSED(state);
    place_new(&p);
    snprintf(odd, sizeof odd, "%s/a%%20?b#c&mode=memory", p.dir);
    assert_int_equal(mkdir(odd, 0700), 0);
    snprintf(p.path, sizeof p.path, "%s/pingo.db", odd);
    run(&p, "PRAGMA application_id = 1346981447; PRAGMA user_version = 8; CREATE TABLE t(x)");
    well(check_database(odd, p.path, &err), &err);
    box_remove(p.dir);
}

static void test_identity__a_path_may_be_too_long(void **state)
{
    struct pingo_error err;
    char path[1024];

    UNUSED(state);
    well(pingo__store_identity_check_length("/short/pingo.db", &err), &err);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(pingo__store_identity_check_length(path, &err), PINGO_ESTORE);
    assert_non_null(strstr(err.message, "--pool"));
}

static void test_identity__an_open_file_is_a_plain_one(void **state)
{
    struct place p;
    struct pingo_error err;
    int fd;

    UNUSED(state);
    place_new(&p);
    place_put(&p, "x");
    fd = open(p.path, O_RDONLY);
    well(pingo__store_identity_check_file(fd, p.path, &err), &err);
    close(fd);
    fd = open(p.dir, O_RDONLY);
    assert_int_equal(pingo__store_identity_check_file(fd, p.dir, &err), PINGO_ESTORE);
    close(fd);
    assert_int_equal(pingo__store_identity_check_file(-1, p.dir, &err), PINGO_EIO);
    box_remove(p.dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity__what_is_no_store_is_told),
        cmocka_unit_test(test_identity__other_databases_are_left_alone),
        cmocka_unit_test(test_identity__what_is_no_database_is_damaged),
        cmocka_unit_test(test_identity__names_that_an_uri_would_read_otherwise),
        cmocka_unit_test(test_identity__a_path_may_be_too_long),
        cmocka_unit_test(test_identity__an_open_file_is_a_plain_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
