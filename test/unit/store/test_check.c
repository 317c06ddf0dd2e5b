/* test_check.c - each invariant of the rows is found broken, under its name, and mended where rows alone can be; a database
 * that is none any more is told, and asked nothing else. */
#include "unit/engine/damage.h"

#include "store/check.h"

static const struct {
    const char *invariant, *message, *sql;
    bool mends; /* --repair makes it clean, and the workflow can go on to its end */
} rows[] = {
    {"I2", "more than one open attempt",
     "INSERT INTO attempt(action, epoch, executor, owner, state, handed_ms)"
     " VALUES(2, 99, 'fake', 1, 1, 0)",
     false},
    {"I2", "no open attempt of its epoch",
     "DROP TRIGGER attempt_goes_last; DELETE FROM attempt WHERE action = 2", true},
    {"I3", "another number of actions", "UPDATE action SET waits = 2 WHERE position = 2", true},
    {"I3", "waits for nothing",
     "UPDATE action SET waits = 0 WHERE position = 2;"
     " DELETE FROM dependency WHERE child = 3",
     false},
    {"I3", "ready before its parents", "UPDATE action SET state = 2, waits = 0 WHERE position = 2",
     false},
    {"I3", "another number of unfinished", "UPDATE workflow SET unfinished = 7", true},
    {"I3", "in other states", "UPDATE progress SET ready = 9", true},
    {"I3", "actions that are not counted", "DELETE FROM progress", true},
    {"I3", "cannot be told of a pause", "DELETE FROM driving", true},
    {"I4", "by an action that has ended",
     "INSERT INTO dataset(hash, generation, state, current, managed, pinned)"
     " SELECT hash, 9, 2, 0, 1, 0 FROM action WHERE id = 1",
     true},
    {"I4", "has a path, but its datasets are DELETED",
     "INSERT INTO object(id, path, directory, mark, size_bytes) VALUES(9, 'objects/xx', 0, 0, 1);"
     "INSERT INTO dataset(hash, generation, state, current, managed, pinned, object)"
     " SELECT hash, 9, 9, 0, 1, 0, 9 FROM action WHERE id = 1",
     true},
    {"I4", "no dataset points to",
     "INSERT INTO object(id, path, directory, mark, size_bytes) VALUES(9, 'objects/xx', 0, 0, 1)",
     true},
    {"I4", "not marked so",
     "INSERT INTO dataset(hash, generation, state, current, managed, pinned, object)"
     " SELECT hash, 9, 9, 0, 1, 0, 1 FROM action WHERE id = 1",
     true},
    {"I4", "though another dataset has its bytes",
     "UPDATE dataset SET shared = 1 WHERE id = 1;"
     "INSERT INTO dataset(hash, generation, state, current, managed, pinned, object, shared)"
     " SELECT hash, 9, 8, 0, 1, 0, 1, 1 FROM action WHERE id = 1;"
     "UPDATE usage SET ndatasets = ndatasets + 1 WHERE state = 8",
     true},
    {"I4", "is not counted", "DELETE FROM usage WHERE state = 4", true},
    {"I4", "no row says where its file is", "UPDATE object SET path = NULL WHERE id = 1", true},
    {"I1", "claimed but deleted", "UPDATE dataset SET state = 8, owner = 1 WHERE id = 1", false},
    {"I5", "holds a claim", "INSERT INTO claim(dataset, action) VALUES(1, 1)", true},
    {"I6", "", "INSERT INTO claim(dataset, action) VALUES(55, 2)", false},
    {"I6", "another number of nodes", "DELETE FROM node WHERE user_id = 2", false},
    {"I6", "one after the other", "UPDATE graph_part SET first = 1", false},
    {"I6", "one after the other", "UPDATE document SET nactions = 9", false},
    {"I8", "not marked so", "UPDATE action SET ended_ms = NULL WHERE position = 0", false},
    {"I8", "summed otherwise", "UPDATE summary_day SET n = n + 1", true},
    {"I8", "not in its sums", "DELETE FROM summary_day", true},
    {"I8", "summed otherwise",
     "INSERT INTO summary_30m SELECT step + 9, error, executor, node, user, 1, 1, 1, 1, 0, 0 FROM"
     " summary_day",
     true},
    {"I8", "it counts", "UPDATE error SET n = 3 WHERE id = 1", true},
    {"I8", "open and wanted",
     "INSERT INTO attempt(action, epoch, executor, owner, state, handed_ms)"
     " VALUES(1, 99, 'fake', 1, 1, 0)",
     true},
};

static void test_check__finds_what_is_wrong_among_rows(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = damage_box();
        struct damage f = {.invariant = rows[i].invariant, .message = rows[i].message};
        struct damage again = {.invariant = "", .message = ""};

        damage_run(b, rows[i].sql);
        assert_false(damage_fsck(b, &f, false, false));
        if (!f.hit)
            fail_msg("%s: found instead: %s", rows[i].sql, f.all);
        assert_int_equal(f.repaired, 0);
        if (rows[i].mends) {
            damage_fsck(b, &f, false, true);
            if (!damage_fsck(b, &again, false, false))
                fail_msg("%s: left after the repair: %s", rows[i].sql, again.all);
            box_reopen(b);
            if (box_state(b, 1, 2) ==
                PINGO_ACTION_READY) /* nobody waits for the attempt of which no row is left */
                b->fake.jobs[1].revoked = true;
            box_finish_all(b);
            assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
            box_clean(b);
        }
        box_close(b);
    }
}

static int count(void *context, const char *invariant, const char *object, const char *message,
                 bool can_repair)
{
    UNUSED(object);
    assert_string_equal(invariant, "I6");
    assert_true(*message);
    assert_false(can_repair);
    ++*(int *)context;
    return 0;
}

/* Its pages are overwritten in the middle of the file. */
static void test_check__a_database_that_is_damaged_is_told(void **state)
{
    struct box *b = damage_box();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    bool damaged = true;
    char path[128], page[4096];
    int told = 0;

    UNUSED(state);
    well(pingo__store_check_database(db, count, &told, &damaged, &err), &err);
    assert_int_equal(told, 0);
    assert_false(damaged);
    assert_int_equal(
        sqlite3_wal_checkpoint_v2(db->sqlite, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
        SQLITE_OK);
    int64_t root = box_int_of(b, "SELECT rootpage FROM sqlite_master WHERE name = 'dependency'");
    snprintf(path, sizeof path, "%s/pingo.db", b->dir);
    int fd = open(path, O_WRONLY);
    memset(page, 0x5a, sizeof page);
    assert_int_equal(pwrite(fd, page, sizeof page, (root - 1) * (off_t)sizeof page), sizeof page);
    close(fd);
    sqlite3_db_cacheflush(db->sqlite);
    sqlite3_db_release_memory(db->sqlite);
    well(pingo__store_check_database(db, count, &told, &damaged, &err), &err);
    assert_true(told > 0);
    assert_true(damaged);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check__finds_what_is_wrong_among_rows),
        cmocka_unit_test(test_check__a_database_that_is_damaged_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
