/* test_transaction.c - the lock and what holds in a transaction: what is rolled back is neither told nor said. */
#include "unit/store/rows.h"

#include <sys/wait.h>

struct said {
    int n;
    char last[64];
};

static void say(void *context, enum pingo_log_level level, const char *message)
{
    struct said *s = context;

    UNUSED(level);
    s->n++;
    snprintf(s->last, sizeof s->last, "%s", message);
}

/* The message is its own. */
static void say_in(struct box *b, struct said *said, const char *text)
{
    pingo__store_db_say(&b->store->db,
                        &(struct pingo__store_db_saying){say, said, PINGO_LOG_INFO, (char *)text});
}

static void test_transaction__says_after_the_commit(void **state)
{
    struct box *b = box_new();
    struct said said = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    say_in(b, &said, "at once");
    assert_int_equal(said.n, 1);
    rows_begin(b);
    say_in(b, &said, "later");
    assert_int_equal(said.n, 1);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_equal(said.n, 2);
    assert_string_equal(said.last, "later");
    rows_begin(b);
    say_in(b, &said, "never");
    pingo__store_db_rollback(&b->store->db);
    rows_begin(b);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_equal(said.n, 2);
    box_close(b);
}

/* Who has opened it before writes nothing more that would be in the older form. */
static void test_transaction__none_in_a_store_that_a_newer_pingo_has_changed(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    int64_t version;

    UNUSED(state);
    well(pingo__store_db_version(&b->store->db, &version, &err), &err);
    rows_run(b, "PRAGMA user_version=1000");
    assert_int_equal(pingo__store_db_begin(&b->store->db, &err), PINGO_EVERSION);
    assert_non_null(strstr(err.message, "use a newer Pingo"));
    char back[40];
    snprintf(back, sizeof back, "PRAGMA user_version=%d", (int)version);
    rows_run(b, back);
    rows_begin(b);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    box_close(b);
}

/* As where a snapshot was put in the place of what is open: its lock is nobody's whom we know. */
static void test_transaction__none_where_another_lock_is_in_the_place(void **state)
{
    struct box *b = box_new();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    char away[300];

    UNUSED(state);
    snprintf(away, sizeof away, "%s.away", db->lock_path);
    assert_int_equal(rename(db->lock_path, away), 0);
    assert_int_equal(pingo__store_db_begin(db, &err), PINGO_ENOSTORE);
    assert_int_equal(pingo__store_db_begin_read(db, &err), PINGO_ENOSTORE);
    assert_non_null(strstr(err.message, "was removed while it was in use, or moved"));
    assert_int_equal(rename(away, db->lock_path), 0);
    rows_begin(b);
    well(pingo__store_db_commit(db, &err), &err);
    box_close(b);
}

/* The numbers that stand in the lock behind its holder, each on a line; NULL: none. */
static int64_t epoch_with(struct box *b, int64_t action, const char *numbers)
{
    struct pingo__store_db *db = &b->store->db;
    int at = 20 + (int)sizeof db->space;
    struct pingo_error err;

    assert_int_equal(ftruncate(db->lock_fd, at), 0);
    if (numbers)
        assert_true(pwrite(db->lock_fd, numbers, strlen(numbers), at) > 0);
    rows_begin(b);
    int64_t epoch = pingo__store_db_next_epoch(db, action, 3);
    well(pingo__store_db_commit(db, &err), &err);
    return epoch;
}

static int tell_kind(void *context, const struct pingo_change *change)
{
    *(int *)context = (int)change->event.kind;
    return 0;
}

/* By the number of the newest change, which stands in the lock, one that was put back is known. */
static void test_transaction__an_older_database_gives_out_no_epoch_twice(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    int64_t changes = 0;
    int told = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    rows_begin(b);
    assert_int_equal(pingo__store_db_next_epoch(&b->store->db, 1, 3), 4);
    pingo__store_db_rollback(&b->store->db);
    assert_int_equal(epoch_with(b, 1, "3                   \n999                 \n"), 1000000);
    well(pingo_store_changes(b->store, &changes, &err), &err); /* a newer one is known after it */
    assert_int_equal(changes, 1000);
    changes = 999;
    well(pingo_store_follow(b->store, &changes, tell_kind, &told, &err), &err);
    assert_int_equal(told, PINGO_EVENT_MANY);
    assert_int_equal(changes, 1000);
    assert_int_equal(epoch_with(b, 1,
                                "3                   \n1                   \n"
                                "2                   \n500                 \n"),
                     500); /* as it was found to be before */
    assert_int_equal(epoch_with(b, 2,
                                "3                   \n1                   \n"
                                "2                   \n500                 \n"),
                     4); /* one that came since */
    assert_int_equal(epoch_with(b, 1,
                                "3                   \n9999                \n"
                                "2                   \n500                 \n"),
                     1000500);
    assert_int_equal(epoch_with(b, 1, "3                   \n"), 4); /* that of an older Pingo */
    assert_int_equal(epoch_with(b, 1, NULL), 1000000);               /* it was lost */
    box_close(b);
}

static void test_transaction__ends_as_the_work_did(void **state)
{
    struct box *b = box_new();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;

    UNUSED(state);
    rows_begin(b);
    rows_run(b, "INSERT INTO meta(key, value) VALUES('one', '')");
    well(pingo__store_db_end(db, 0, &err), &err);
    rows_begin(b);
    rows_run(b, "INSERT INTO meta(key, value) VALUES('two', '')");
    assert_int_equal(pingo__store_db_end(db, PINGO_ESTATE, &err), PINGO_ESTATE);
    assert_false(db->writing);
    assert_int_equal(box_int(b, "SELECT count(*) FROM meta WHERE key IN ('one', 'two')"), 1);
    pingo__store_db_rollback(db); /* fine when nothing is open */
    /* One that could not begin ends, too. */
    assert_int_equal(pingo__store_db_end(db, PINGO_EBUSY, &err), PINGO_EBUSY);
    rows_begin(b);
    well(pingo__store_db_commit(db, &err), &err);
    box_close(b);
}

/* Another handle waits for its turn, and is told who has it when that takes too long. */
static void test_transaction__one_writes_at_a_time(void **state)
{
    struct pingo_store_options options = {.version = 1, .lock_timeout_ms = 20};
    struct box *b = rows_new(NULL);
    struct pingo_store *beside = NULL;
    struct pingo_error err;
    char pid[32];

    UNUSED(state);
    well(pingo_store_open(b->dir, &options, &beside, &err), &err);
    assert_int_equal(pingo__store_db_begin(&beside->db, &err), PINGO_EBUSY);
    snprintf(pid, sizeof pid, "process %ld ", (long)getpid());
    assert_non_null(strstr(err.message, pid));
    strcpy(beside->db.space, "another one");
    assert_int_equal(pingo__store_db_begin(&beside->db, &err), PINGO_EBUSY);
    assert_non_null(
        strstr(err.message, "ms; a process of another container (PID namespace) holds it"));
    assert_false(beside->db.writing);
    int64_t version = pingo__store_db_data_version(&beside->db);
    rows_run(b, "INSERT INTO meta(key, value) VALUES('x', '')");
    assert_int_equal(pingo__store_db_data_version(&beside->db), version);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_not_equal(pingo__store_db_data_version(&beside->db), version);
    well(pingo__store_db_begin(&beside->db, &err), &err);
    pingo__store_db_rollback(&beside->db);
    pingo_store_close(beside);
    box_close(b);
}

/* A view is of one moment, until it is over or something is written. */
static void test_transaction__a_view_stands_still(void **state)
{
    struct box *b = box_new();
    struct pingo_store *beside = NULL;
    struct pingo_error err;
    int64_t n = -1;

    UNUSED(state);
    well(pingo_store_open(b->dir, NULL, &beside, &err), &err);
    well(pingo__store_db_begin_read(&beside->db, &err), &err);
    well(pingo__db_number(&beside->db, &err, &n, "SELECT count(*) FROM meta", NONE), &err);
    rows_begin(b);
    rows_run(b, "INSERT INTO meta(key, value) VALUES('x', '')");
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    int64_t again = -1;
    well(pingo__db_number(&beside->db, &err, &again, "SELECT count(*) FROM meta", NONE), &err);
    assert_int_equal(again, n);
    well(pingo__store_db_begin(&beside->db, &err),
         &err); /* what is written comes after what is new */
    well(pingo__db_number(&beside->db, &err, &again, "SELECT count(*) FROM meta", NONE), &err);
    assert_int_equal(again, n + 1);
    pingo__store_db_rollback(&beside->db);
    assert_false(beside->db.viewing);
    pingo_store_close(beside);
    box_close(b);
}

static void test_transaction__a_child_opens_its_own(void **state)
{
    struct box *b = box_new();
    int status = -1;

    UNUSED(state);
    assert_true(pingo__store_db_is_ours(&b->store->db));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(!pingo__store_db_is_ours(&b->store->db) &&
                      pingo__store_db_begin(&b->store->db, NULL) == PINGO_ESTATE &&
                      pingo__store_db_begin_read(&b->store->db, NULL) == PINGO_ESTATE &&
                      pingo__store_db_sync(&b->store->db, NULL) == PINGO_ESTATE
                  ? 0
                  : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    rows_begin(b); /* and we are as we were */
    rows_close(b);
}

static void test_transaction__the_log_is_synced_and_written_back(void **state)
{
    struct box *b = rows_new(NULL);
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    char path[128];
    struct stat st;

    UNUSED(state);
    rows_run(b, "INSERT INTO meta(key, value) VALUES('x', hex(zeroblob(100000)))");
    well(pingo__store_db_commit(db, &err), &err);
    well(pingo__store_db_sync(db, &err), &err);
    snprintf(path, sizeof path, "%s/pingo.db-wal", b->dir);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 200000);
    well(pingo__store_db_lock(db, &err), &err);
    assert_true(pingo__store_db_write_back(db, true));
    pingo__store_db_unlock(db);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 0);
    pingo__store_db_write_back_soon(db); /* there is nothing that would take long */
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transaction__says_after_the_commit),
        cmocka_unit_test(test_transaction__none_where_another_lock_is_in_the_place),
        cmocka_unit_test(test_transaction__none_in_a_store_that_a_newer_pingo_has_changed),
        cmocka_unit_test(test_transaction__an_older_database_gives_out_no_epoch_twice),
        cmocka_unit_test(test_transaction__ends_as_the_work_did),
        cmocka_unit_test(test_transaction__one_writes_at_a_time),
        cmocka_unit_test(test_transaction__a_view_stands_still),
        cmocka_unit_test(test_transaction__a_child_opens_its_own),
        cmocka_unit_test(test_transaction__the_log_is_synced_and_written_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
