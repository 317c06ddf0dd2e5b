/* test_open.c - making and opening a store: schema, modes, a newer database, the lock, damage, places
 * where a database must not lie. */
#include "unit/engine/box.h"

#include <signal.h>
#include <sys/wait.h>

#include "store/migrations/migrations.h"

static mode_t mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void test_open__files_are_of_one_user(void **state)
{
    struct box *b = box_new();
    char path[128];

    UNUSED(state);
    assert_int_equal(mode_of(b->dir), 0700);
    for (const char *const *name = (const char *const[]){"pingo.db", "pingo.db-wal", "lock", NULL};
         *name; name++) {
        snprintf(path, sizeof path, "%s/%s", b->dir, *name);
        assert_int_equal(mode_of(path), 0600);
    }
    box_close(b);
}

static void test_open__the_database_is_as_it_should_be(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    assert_int_equal(box_int(b, "PRAGMA synchronous"), 2);
    assert_int_equal(box_int(b, "PRAGMA foreign_keys"), 1);
    assert_int_equal(box_int(b, "PRAGMA wal_autocheckpoint"), 0);
    assert_int_equal(
        box_int(b, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND"
                                " type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'"),
                     0);
    assert_true(box_int(b, "PRAGMA user_version") > 0);
    box_close(b);
}

/* Of an owner's process others know by this whether its number is one of theirs. */
static void test_open__a_process_is_known_by_boot_and_namespace(void **state)
{
    struct box *b = box_new();
    char expected[128] = "";
    struct stat st;
    FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "r");

    UNUSED(state);
    assert_non_null(boot);
    assert_non_null(fgets(expected, 64, boot));
    fclose(boot);
    assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
    snprintf(strchr(expected, '\n'), 64, " %llu", (unsigned long long)st.st_ino);
    assert_string_equal(b->store->db.space, expected);
    assert_int_equal(b->store->db.pid, getpid());
    box_close(b);
}

static int open_error(const char *dir, const struct pingo_store_options *options,
                      struct pingo_error *err)
{
    struct pingo_store *store = NULL;
    int rc = pingo_store_open(dir, options, &store, err);

    if (rc == 0)
        pingo_store_close(store);
    else
        assert_null(store);
    return rc;
}

static void execute(struct box *b, const char *sql)
{
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    if (sqlite3_exec(b->store->db.sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(b->store->db.sqlite));
    well(pingo__store_db_commit(&b->store->db, &err), &err);
}

static void test_open__a_newer_database_is_refused(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};
    int64_t version = box_int(b, "PRAGMA user_version");
    char sql[64];

    UNUSED(state);
    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", (int)version + 1);
    execute(b, sql);
    assert_int_equal(open_error(b->dir, NULL, &err), PINGO_EVERSION);
    assert_non_null(strstr(err.message, "newer"));
    assert_int_equal(box_int(b, "PRAGMA user_version"), version + 1); /* and left as it is */
    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", (int)version);
    assert_int_equal(sqlite3_exec(b->store->db.sqlite, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(open_error(b->dir, NULL, &err), 0);
    box_close(b);
}

static void test_open__an_empty_database_is_migrated_once(void **state)
{
    char root[] = "/tmp/pingo-unit-XXXXXX";
    struct pingo__store_db one, two;
    struct pingo_error err;
    int64_t n = 0;

    UNUSED(state);
    assert_non_null(mkdtemp(root));
    well(pingo__store_db_create(&one, root, &err), &err);
    well(pingo__store_db_appear(&one, 0, &err), &err);
    assert_int_equal(pingo__store_db_create(&one, root, &err), PINGO_EEXISTS);
    well(pingo__store_db_open(&one, root, 0, &err), &err);
    well(pingo__store_db_open(&two, root, 0, &err), &err);
    assert_int_equal(pingo__db_number(&two, &err, &n, "SELECT count(*) FROM action", NONE), 0);
    well(pingo__store_schema_migrate(&two, &err), &err);
    pingo__store_db_close(&one);
    pingo__store_db_close(&two);
    box_remove(root);
}

static void test_open__what_is_no_store_is_told(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};
    char path[128];
    int fd;

    UNUSED(state);
    assert_int_equal(open_error(b->root, NULL, &err), PINGO_ENOSTORE);
    assert_non_null(strstr(err.message, b->root));
    assert_int_equal(open_error("/nonexistent/store", NULL, &err), PINGO_ENOSTORE);
    assert_int_equal(pingo_store_init(b->dir, NULL, &err), PINGO_EEXISTS);
    box_leave(b);
    snprintf(path, sizeof path, "%s/pingo.db", b->dir);
    fd = open(path, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "this is no database, however long it is read", 44), 44);
    close(fd);
    snprintf(path, sizeof path, "%s/pingo.db-wal", b->dir);
    unlink(path);
    assert_int_equal(open_error(b->dir, NULL, &err), PINGO_ESTORE);
    assert_non_null(strstr(err.message, b->dir));
    box_remove(b->root);
    free(b);
}

static void test_open__a_pool_belongs_to_one_store(void **state)
{
    struct box *b = box_new();
    char other[128], pool[128], marker[160];
    struct pingo_error err = {0};

    UNUSED(state);
    snprintf(other, sizeof other, "%s/other", b->root);
    snprintf(pool, sizeof pool, "%s/pool", b->dir);
    assert_int_equal(pingo_store_init(other, pool, &err), PINGO_ESTORE);
    assert_int_equal(open_error(other, NULL, &err), PINGO_ENOSTORE); /* nothing half made is left */
    box_leave(b);
    snprintf(marker, sizeof marker, "%s/pingo-pool", pool);
    assert_int_equal(unlink(marker), 0);
    assert_int_equal(open_error(b->dir, NULL, &err), PINGO_ESTORE);
    assert_non_null(strstr(err.message, pool));
    box_remove(b->root);
    free(b);
}

static void test_open__a_busy_lock_names_its_holder(void **state)
{
    struct box *b = box_new();
    struct pingo_store_options options = {.version = 1, .lock_timeout_ms = 50};
    struct pingo_store *second = NULL;
    struct pingo_error err = {0};
    char pid[32];

    UNUSED(state);
    well(pingo_store_open(b->dir, &options, &second, &err), &err);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(pingo_store_set(second, "executor.slots", "3", &err), PINGO_EBUSY);
    snprintf(pid, sizeof pid, "process %ld ", (long)getpid());
    assert_non_null(strstr(err.message, pid));
    pingo__store_db_rollback(&b->store->db);
    assert_int_equal(pingo_store_set(second, "executor.slots", "3", &err), 0);
    pingo_store_close(second);
    box_close(b);
}

/* A holder that dies lets go, whatever it was doing. */
static void test_open__a_dead_holder_holds_nothing(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};
    int status = 0;
    pid_t pid;

    UNUSED(state);
    box_leave(b);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) { /* dies within a transaction that it never commits */
        box_open_store(b);
        if (pingo__store_db_begin(&b->store->db, &err) == 0 &&
            box_changed(&b->store->db, &err, "INSERT INTO setting(key, value) VALUES('x', 'y')",
                        NONE) == 1)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    box_open_store(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM setting WHERE key = 'x'"), 0);
    assert_int_equal(pingo_store_set(b->store, "executor.slots", "3", &err), 0);
    box_clean(b);
    box_close(b);
}

/* A network file system that happens to be mounted here. */
static bool find_network_mount(char *path, size_t size)
{
    FILE *file = fopen("/proc/self/mounts", "re");
    char line[4096], where[1024], type[64];
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%*s %1023s %63s", where, type) != 2)
            continue;
        found = strcmp(type, "nfs") == 0 || strcmp(type, "nfs4") == 0 || strcmp(type, "9p") == 0 ||
                strcmp(type, "cifs") == 0 || strcmp(type, "virtiofs") == 0 ||
                strcmp(type, "lustre") == 0;
        if (found)
            snprintf(path, size, "%s", where);
    }
    if (file)
        fclose(file);
    return found;
}

static void test_open__a_network_file_system_is_refused(void **state)
{
    char where[1024];
    struct pingo_error err = {0};

    UNUSED(state);
    assert_int_equal(pingo__store_db_check_file_system("/tmp", &err), 0);
    assert_int_equal(pingo__store_db_check_file_system("/nonexistent", &err), PINGO_EIO);
    if (!find_network_mount(where, sizeof where)) {
        print_message("no network file system is mounted here\n");
        return;
    }
    assert_int_equal(pingo__store_db_check_file_system(where, &err), PINGO_ESTORE);
    assert_non_null(strstr(err.message, "init --pool"));
}

static void test_open__a_failed_commit_leaves_nothing_locked(void **state)
{
    struct box *b = box_new();
    struct pingo_store *second = NULL;
    struct pingo_store_options options = {.version = 1, .lock_timeout_ms = 50};
    struct pingo_error err = {0};

    UNUSED(state);
    well(pingo_store_open(b->dir, &options, &second, &err), &err);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(pingo__store_db_end(&b->store->db, PINGO_EINPUT, &err), PINGO_EINPUT);
    assert_int_equal(pingo_store_set(second, "executor.slots", "3", &err), 0);
    /* A foreign key that is checked at the end. */
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(
        sqlite3_exec(b->store->db.sqlite,
                     "PRAGMA defer_foreign_keys=1; INSERT INTO claim(dataset, action) VALUES(9, 9)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_true(pingo__store_db_end(&b->store->db, 0, &err) < 0);
    assert_int_equal(pingo_store_set(second, "executor.slots", "4", &err), 0);
    assert_int_equal(pingo_store_set(b->store, "executor.slots", "5", &err), 0);
    pingo_store_close(second);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open__files_are_of_one_user),
        cmocka_unit_test(test_open__the_database_is_as_it_should_be),
        cmocka_unit_test(test_open__a_process_is_known_by_boot_and_namespace),
        cmocka_unit_test(test_open__a_newer_database_is_refused),
        cmocka_unit_test(test_open__an_empty_database_is_migrated_once),
        cmocka_unit_test(test_open__what_is_no_store_is_told),
        cmocka_unit_test(test_open__a_pool_belongs_to_one_store),
        cmocka_unit_test(test_open__a_busy_lock_names_its_holder),
        cmocka_unit_test(test_open__a_dead_holder_holds_nothing),
        cmocka_unit_test(test_open__a_network_file_system_is_refused),
        cmocka_unit_test(test_open__a_failed_commit_leaves_nothing_locked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
