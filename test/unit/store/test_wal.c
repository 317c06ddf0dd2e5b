/* test_wal.c - the write-ahead log and those who read: nobody waits for a reader while the lock is held, the log
 * becomes short again, and no callback is called inside a transaction. */
#include "unit/engine/box.h"

#include <fcntl.h>
#include <pthread.h>
#include <time.h>

/* SQLite as it is, but sleeping is counted instead of done: SQLite sleeps only to wait for another connection. */
static sqlite3_vfs counting;
static int nsleeps;

static int count_sleep(sqlite3_vfs *vfs, int microseconds)
{
    UNUSED(vfs);
    nsleeps++;
    return microseconds;
}

static void count_sleeps(void)
{
    counting = *sqlite3_vfs_find(NULL);
    counting.zName = "counting";
    counting.xSleep = count_sleep;
    assert_int_equal(sqlite3_vfs_register(&counting, 1), SQLITE_OK);
}

static off_t wal_size(const struct box *b)
{
    char path[160];
    struct stat st;

    snprintf(path, sizeof path, "%s/pingo.db-wal", b->dir);
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

static void execute(sqlite3 *sqlite, const char *sql)
{
    char *message = NULL;

    if (sqlite3_exec(sqlite, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

/* Somebody reads, and stands still. */
static sqlite3 *reader(const struct box *b)
{
    char path[160];
    sqlite3 *sqlite = NULL;

    snprintf(path, sizeof path, "%s/pingo.db", b->dir);
    assert_int_equal(sqlite3_open(path, &sqlite), SQLITE_OK);
    sqlite3_db_config(sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    execute(sqlite, "BEGIN; SELECT count(*) FROM action;");
    return sqlite;
}

static void commit(struct box *b, const char *sql)
{
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    execute(b->store->db.sqlite, sql);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
}

#define MIB (1024 * 1024)

static void test_wal__no_commit_waits_for_a_reader(void **state)
{
    struct box *b = box_new();
    sqlite3 *other;

    UNUSED(state);
    commit(b, "CREATE TABLE filler(x BLOB)");
    other = reader(b);
    nsleeps = 0;
    commit(b, "INSERT INTO filler VALUES(zeroblob(70 << 20))");
    assert_true(wal_size(b) > 64 * MIB);
    for (int i = 0; i < 20; i++)
        commit(b, "UPDATE meta SET value = value WHERE key = 'store.id'");
    box_submit(b, W(A(1, "")));
    assert_int_equal(nsleeps, 0);
    sqlite3_close(
        other); /* it has gone: what follows makes the log short again, a second later at the latest */
    for (int i = 0; wal_size(b) > 0 && i < 600; i++) {
        commit(b, "UPDATE meta SET value = value WHERE key = 'store.id'");
        nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
    }
    assert_int_equal(wal_size(b), 0);
    assert_int_equal(nsleeps, 0);
    box_close(b);
}

/* Without readers it never becomes much longer than the mark, whatever is written. */
static void test_wal__the_log_is_bounded(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    commit(b, "CREATE TABLE filler(x BLOB)");
    for (int i = 0; i < 12; i++) {
        commit(b, "DELETE FROM filler");
        commit(b, "INSERT INTO filler VALUES(zeroblob(20 << 20))");
        assert_true(wal_size(b) <= 64 * MIB + 22 * MIB);
    }
    box_close(b);
}

/* Who writes much in small pieces never has the lock for all of it at once. */
static void test_wal__the_log_of_small_pieces_stays_short(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    commit(b, "CREATE TABLE filler(x BLOB)");
    for (int i = 0; i < 20; i++) {
        commit(b, "INSERT INTO filler VALUES(zeroblob(1 << 20))");
        pingo__store_db_write_back_soon(&b->store->db);
        assert_false(b->store->db.writing);
        assert_true(wal_size(b) <= 4 * MIB);
    }
    box_close(b);
}

static void test_wal__how_long_the_lock_was_held_is_known(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    b->store->db.held_ms = 0;
    well(pingo__store_db_lock(&b->store->db, &err), &err);
    nanosleep(&(struct timespec){0, 40 * 1000 * 1000}, NULL);
    pingo__store_db_unlock(&b->store->db);
    assert_in_range(b->store->db.held_ms, 39, 60000);
    b->store->db.held_ms = 0;
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    nanosleep(&(struct timespec){0, 40 * 1000 * 1000}, NULL);
    pingo__store_db_rollback(&b->store->db);
    assert_in_range(b->store->db.held_ms, 39, 60000);
    box_close(b);
}

static void *lock_once(void *db)
{
    struct pingo_error err;
    int rc = pingo__store_db_lock(db, &err);

    if (!rc)
        pingo__store_db_unlock(db);
    return rc ? db : NULL;
}

/* Does somebody say that it waits? */
static bool is_wanted(const struct box *b)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

    assert_int_equal(fcntl(b->store->db.lock_fd, F_OFD_GETLK, &l), 0);
    return l.l_type != F_UNLCK;
}

static void test_wal__who_waits_for_the_lock_is_let_have_it(void **state)
{
    struct box *b = box_new();
    struct pingo__store_db other;
    struct pingo_error err;
    pthread_t thread;
    void *failed = NULL;

    UNUSED(state);
    well(pingo__store_db_open(&other, b->dir, 0, &err), &err);
    well(pingo__store_db_lock(&b->store->db, &err), &err);
    assert_false(is_wanted(b));
    assert_int_equal(pthread_create(&thread, NULL, lock_once, &other), 0);
    for (int i = 0; !is_wanted(b) && i < 6000; i++)
        nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
    assert_true(is_wanted(b));
    pingo__store_db_unlock(&b->store->db);
    for (int i = 0; is_wanted(b) && i < 3000; i++)
        pingo__store_db_let_others(&b->store->db);
    assert_false(is_wanted(b)); /* it had it, and says no more that it waits */
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    pingo__store_db_close(&other);
    box_close(b);
}

struct watch {
    struct box *b;
    size_t ncalls;
};

static void assert_outside(struct watch *w)
{
    assert_int_equal(sqlite3_txn_state(w->b->store->db.sqlite, NULL), SQLITE_TXN_NONE);
    assert_false(w->b->store->db.writing);
    w->ncalls++;
}

static int on_planned(void *context, const struct pingo_planned *planned)
{
    assert_non_null(planned->reason_text);
    assert_outside(context);
    return 0;
}

static int on_finding(void *context, const struct pingo_finding *finding)
{
    UNUSED(finding);
    assert_outside(context);
    return 0;
}

static int on_workflow(void *context, const struct pingo_workflow_status *status)
{
    UNUSED(status);
    assert_outside(context);
    return 0;
}

static int on_dataset(void *context, const struct pingo_dataset_status *status)
{
    UNUSED(status);
    assert_outside(context);
    return 0;
}

static void test_wal__no_callback_is_called_inside_a_transaction(void **state)
{
    struct box *b = box_new();
    struct watch w = {b, 0};
    struct pingo_fsck_options repair = {
        .version = 1, .repair = true, .finding = on_finding, .context = &w};
    struct pingo_submit_options options = {
        .version = 1, .base_dir = b->root, .planned = on_planned, .context = &w};
    char *json = json_of(W(A(1, "") "," A(2, P(FROM(1)))));
    struct pingo_error err;
    bool clean;

    UNUSED(state);
    well(pingo_store_plan(b->store, &(struct pingo_document){json, strlen(json), NULL}, &options,
                          NULL, &err),
         &err);
    assert_int_equal(w.ncalls, 2);
    free(json);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    commit(b, "UPDATE action SET waits = 7 WHERE state = 1");
    well(pingo_store_fsck(
             b->store,
             &(struct pingo_fsck_options){.version = 1, .finding = on_finding, .context = &w},
             &clean, &err),
         &err);
    assert_int_equal(w.ncalls, 3);
    well(pingo_store_fsck(b->store, &repair, &clean, &err), &err);
    assert_int_equal(w.ncalls, 4);
    box_finish_all(b);
    w.ncalls = 0;
    well(pingo_store_workflows(b->store, NULL, on_workflow, &w, &err), &err);
    well(pingo_store_datasets(b->store, NULL, on_dataset, &w, &err), &err);
    assert_true(w.ncalls >= 3);
    box_close(b);
}

/* What is logged inside a write transaction is said after it. */
static void say(void *context, enum pingo_log_level level, const char *message)
{
    UNUSED(level);
    assert_string_equal(message, "it went");
    assert_outside(context);
}

static void test_wal__a_log_message_waits_for_the_commit(void **state)
{
    struct box *b = box_new();
    struct watch w = {b, 0};
    struct pingo_error err;

    UNUSED(state);
    b->store->context.log = say;
    b->store->context.log_context = &w;
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    pingo__manager_log(&b->store->context, PINGO_LOG_INFO, "it %s", "went");
    assert_int_equal(w.ncalls, 0);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_equal(w.ncalls, 1);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    pingo__manager_log(&b->store->context, PINGO_LOG_INFO, "it did not");
    pingo__store_db_rollback(&b->store->db);
    pingo__manager_log(&b->store->context, PINGO_LOG_INFO, "it went");
    assert_int_equal(w.ncalls, 2);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wal__no_commit_waits_for_a_reader),
        cmocka_unit_test(test_wal__the_log_is_bounded),
        cmocka_unit_test(test_wal__the_log_of_small_pieces_stays_short),
        cmocka_unit_test(test_wal__how_long_the_lock_was_held_is_known),
        cmocka_unit_test(test_wal__who_waits_for_the_lock_is_let_have_it),
        cmocka_unit_test(test_wal__no_callback_is_called_inside_a_transaction),
        cmocka_unit_test(test_wal__a_log_message_waits_for_the_commit),
    };

    count_sleeps();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
