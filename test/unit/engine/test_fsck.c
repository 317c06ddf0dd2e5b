/* test_fsck.c - fsck finds each kind of damage, names the invariant, and mends what can be mended. */
#include "unit/engine/box.h"

#include "digest/content.h"

/* a1 is stored and claimed by a2, which is handed out; a3 waits for a2. */
static struct box *halfway(void)
{
    struct box *b = box_new();

    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2)))));
    box_tick(b);
    box_finish(b, "a1");
    box_clean(b);
    return b;
}

static void execute(struct box *b, const char *sql)
{
    struct pingo_error err;

    assert_int_equal(sqlite3_exec(b->store->db.sqlite, "PRAGMA foreign_keys=0", NULL, NULL, NULL),
                     SQLITE_OK);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    if (sqlite3_exec(b->store->db.sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(b->store->db.sqlite));
    assert_true(sqlite3_changes(b->store->db.sqlite) > 0);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_equal(sqlite3_exec(b->store->db.sqlite, "PRAGMA foreign_keys=1", NULL, NULL, NULL),
                     SQLITE_OK);
}

struct found {
    const char *invariant, *message;
    size_t n, repaired;
    bool hit;
    char all[1024];
};

static int on_finding(void *context, const struct pingo_finding *finding)
{
    struct found *f = context;
    size_t at = strlen(f->all);

    f->n++;
    f->repaired += finding->repaired;
    f->hit = f->hit ||
             (strcmp(finding->invariant, f->invariant) == 0 && strstr(finding->message, f->message));
    snprintf(f->all + at, sizeof f->all - at, "%s %s: %s; ", finding->invariant, finding->object,
             finding->message);
    assert_true(*finding->object);
    return 0;
}

static bool fsck(struct box *b, struct found *f, bool deep, bool repair)
{
    struct pingo_fsck_options options = {
        .version = 1, .deep = deep, .repair = repair, .finding = on_finding, .context = f};
    struct pingo_error err;
    bool clean = false;

    well(pingo_store_fsck(b->store, &options, &clean, &err), &err);
    return clean;
}

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

static void test_fsck__finds_what_is_wrong_among_rows(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = halfway();
        struct found f = {.invariant = rows[i].invariant, .message = rows[i].message};
        struct found again = {.invariant = "", .message = ""};

        execute(b, rows[i].sql);
        assert_false(fsck(b, &f, false, false));
        if (!f.hit)
            fail_msg("%s: found instead: %s", rows[i].sql, f.all);
        assert_int_equal(f.repaired, 0);
        if (rows[i].mends) {
            fsck(b, &f, false, true);
            if (!fsck(b, &again, false, false))
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

static char *stored(struct box *b)
{
    struct job *j = fake_job(&b->fake, "a2");

    assert_non_null(j);
    return j->links[0];
}

static void overwrite(const char *path, const char *text)
{
    int fd;

    assert_int_equal(chmod(path, 0600), 0);
    fd = open(path, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void test_fsck__finds_a_dataset_that_is_gone(void **state)
{
    struct box *b = halfway();
    struct found f = {.invariant = "I4", .message = "gone"}, again = f;

    UNUSED(state);
    assert_int_equal(unlink(stored(b)), 0);
    assert_false(fsck(b, &f, false, false));
    assert_true(f.hit);
    assert_true(fsck(b, &again, false, true));
    assert_int_equal(again.repaired, 1);
    box_clean(b);
    box_fail(b, "a2"); /* its reader had it taken away */
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* The same size and the same times, but other bytes: only a deep check sees it. */
static void test_fsck__deep_reads_the_bytes(void **state)
{
    struct box *b = halfway();
    struct found f = {.invariant = "I4", .message = "content differs"};
    struct stat st;
    struct timespec times[2];

    UNUSED(state);
    assert_int_equal(stat(stored(b), &st), 0);
    overwrite(stored(b), "b1");
    times[0] = times[1] = st.st_mtim;
    assert_int_equal(utimensat(AT_FDCWD, stored(b), times, 0), 0);
    assert_true(fsck(b, &f, false, false));
    assert_false(fsck(b, &f, true, false));
    assert_true(f.hit);
    assert_true(fsck(b, &f, true, true));
    box_clean(b);
    box_close(b);
}

static void test_fsck__reclaims_what_no_row_knows(void **state)
{
    struct box *b = halfway();
    struct found f = {.invariant = "I4", .message = "no row knows it"};
    char path[256];
    const char *const names[] = {"objects/ab", "objects/ab/abcd.7.1", "staged/88.1"};

    UNUSED(state);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/pool/%s", b->dir, names[i]);
        if (i == 0)
            assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        else
            close(open(path, O_WRONLY | O_CREAT, 0600));
    }
    assert_false(fsck(b, &f, false, false));
    assert_true(f.hit);
    assert_int_equal(f.n, 2);
    assert_true(fsck(b, &f, false, true));
    assert_int_not_equal(access(path, F_OK), 0);
    box_clean(b);
    box_close(b);
}

/* Files that people and their programs leave about, and a link: fsck tells of them, a sweep passes them over. */
static void test_fsck__stray_files_stop_nobody(void **state)
{
    struct box *b = halfway();
    struct found f = {.invariant = "I4", .message = "no row knows it"};
    char path[256], elsewhere[256];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/pool/objects/.DS_Store", b->dir);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    snprintf(elsewhere, sizeof elsewhere, "%s/mine.1.1", b->root);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    snprintf(path, sizeof path, "%s/pool/objects/zz", b->dir);
    assert_int_equal(symlink(elsewhere, path), 0);
    snprintf(elsewhere, sizeof elsewhere, "%s/mine.1.1/precious.1.1", b->root);
    close(open(elsewhere, O_WRONLY | O_CREAT, 0600));
    execute(b, "UPDATE meta SET value = '1' WHERE key = 'sweep.at'");
    box_reopen(b);
    box_tick(b);
    assert_false(fsck(b, &f, false, false));
    assert_int_equal(f.n, 2);
    assert_true(fsck(b, &f, false, true));
    assert_int_equal(access(elsewhere, F_OK), 0);
    box_clean(b);
    box_close(b);
}

/* As version 0.1 kept them: the row knows the content with the link that leads out. */
static void test_fsck__deep_finds_links_that_lead_out(void **state)
{
    struct box *b = halfway();
    struct found f = {.invariant = "I4", .message = "it/x: is a link out of the output"}, again = f;
    struct pingo__digest_content_options options = {.world = NULL};
    struct pingo__digest_content content;
    struct pingo_error err;
    struct pingo__pool_state st;
    char path[300];

    UNUSED(state);
    assert_int_equal(unlink(stored(b)), 0);
    assert_int_equal(mkdir(stored(b), 0700), 0);
    snprintf(path, sizeof path, "%s/x", stored(b));
    assert_int_equal(symlink("/home/me/x", path), 0);
    well(pingo__digest_content_read(stored(b), &options, &content, &err), &err);
    well(pingo__pool_state(&b->store->pool, strstr(stored(b), "objects/"), &st, &err), &err);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(box_changed(&b->store->db, &err,
                                 "UPDATE object SET directory = 1, content = ?1, stamp_1 = ?2,"
                                 " stamp_2 = ?3 WHERE id = 1",
                                 HASH(&content.hash), INT(st.stamp.numbers[0]),
                                 INT(st.stamp.numbers[1])),
                     1);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_true(fsck(b, &f, false, false));
    assert_false(fsck(b, &f, true, false));
    assert_true(f.hit);
    assert_false(fsck(b, &again, true, true)); /* it is told, and left to its user */
    assert_int_equal(again.repaired, 0);
    box_close(b);
}

static int stop(void *context, const struct pingo_finding *finding)
{
    UNUSED(context);
    UNUSED(finding);
    return 1;
}

static void test_fsck__can_be_stopped(void **state)
{
    struct box *b = halfway();
    struct pingo_error err;
    bool clean = true;

    UNUSED(state);
    execute(b, "UPDATE workflow SET unfinished = 7");
    assert_int_equal(pingo_store_fsck(b->store,
                                      &(struct pingo_fsck_options){.version = 1, .finding = stop},
                                      &clean, &err),
                     PINGO_EINTERRUPTED);
    assert_false(b->store->db.writing);
    assert_int_equal(pingo_store_set(b->store, "executor.slots", "2", &err), 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fsck__finds_what_is_wrong_among_rows),
        cmocka_unit_test(test_fsck__finds_a_dataset_that_is_gone),
        cmocka_unit_test(test_fsck__deep_reads_the_bytes),
        cmocka_unit_test(test_fsck__reclaims_what_no_row_knows),
        cmocka_unit_test(test_fsck__stray_files_stop_nobody),
        cmocka_unit_test(test_fsck__deep_finds_links_that_lead_out),
        cmocka_unit_test(test_fsck__can_be_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
