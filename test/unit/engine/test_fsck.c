/* test_fsck.c - fsck finds what of the pool is not as its rows say, and mends what can be mended. */
#include "unit/engine/damage.h"

#include "digest/content.h"

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
    struct box *b = damage_box();
    struct damage f = {.invariant = "I4", .message = "gone"}, again = f;

    UNUSED(state);
    assert_int_equal(unlink(stored(b)), 0);
    assert_false(damage_fsck(b, &f, false, false));
    assert_true(f.hit);
    assert_int_equal(f.repairable, 1);
    assert_true(damage_fsck(b, &again, false, true));
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
    struct box *b = damage_box();
    struct damage f = {.invariant = "I4", .message = "content differs"};
    struct stat st;
    struct timespec times[2];

    UNUSED(state);
    assert_int_equal(stat(stored(b), &st), 0);
    overwrite(stored(b), "b1");
    times[0] = times[1] = st.st_mtim;
    assert_int_equal(utimensat(AT_FDCWD, stored(b), times, 0), 0);
    assert_true(damage_fsck(b, &f, false, false));
    assert_false(damage_fsck(b, &f, true, false));
    assert_true(f.hit);
    assert_true(damage_fsck(b, &f, true, true));
    box_clean(b);
    box_close(b);
}

static void test_fsck__reclaims_what_no_row_knows(void **state)
{
    struct box *b = damage_box();
    struct damage f = {.invariant = "I4", .message = "no row knows it"};
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
    assert_false(damage_fsck(b, &f, false, false));
    assert_true(f.hit);
    assert_int_equal(f.n, 2);
    assert_true(damage_fsck(b, &f, false, true));
    assert_int_not_equal(access(path, F_OK), 0);
    box_clean(b);
    box_close(b);
}

struct strays {
    char paths[2][256];
    int told;
};

static int remove_both(void *context, const struct pingo_finding *finding)
{
    struct strays *s = context;

    s->told += strstr(finding->message, "no row knows it") != NULL;
    unlink(s->paths[0]);
    unlink(s->paths[1]);
    return 0;
}

static int count(void *n)
{
    ++*(int *)n;
    return 0;
}

/* Each transaction waits for the disk. */
static void test_fsck__takes_many_back_at_once(void **state)
{
    enum { MANY = 100 };
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_text_list paths = {.arena = &arena};
    struct damage f = {.invariant = "I4", .message = "it is kept"};
    struct pingo_error err;

    UNUSED(state);
    box_submit_layers(b, MANY);
    box_finish_all(b);
    well(pingo__db_list(&b->store->db, &err, &pingo__store_texts, &paths,
                        "SELECT 0, path FROM object", NONE),
         &err);
    assert_int_equal(paths.n, MANY);
    for (size_t i = 0; i < paths.n; i++) { /* as of another life of the store */
        char from[600], to[600];
        snprintf(from, sizeof from, "%s/pool/%s", b->dir, paths.rows[i]);
        snprintf(to, sizeof to, "%s/pool/%s9", b->dir, paths.rows[i]);
        assert_int_equal(rename(from, to), 0);
    }
    int transactions = 0;
    sqlite3_commit_hook(b->store->db.sqlite, count, &transactions);
    assert_true(damage_fsck(b, &f, false, true));
    assert_int_equal(f.repaired, MANY);
    sqlite3_commit_hook(b->store->db.sqlite, NULL, NULL);
    assert_in_range(transactions, 1, MANY / 2);
    box_clean(b);
    pingo__arena_clear(&arena);
    box_close(b);
}

/* What learns its new stamp does so with others. */
static void test_fsck__reads_many_of_a_copied_store_at_once(void **state)
{
    enum { MANY = 100 };
    struct box *b = box_new();
    struct damage f = {.invariant = "I4", .message = "content differs"};
    struct pingo__arena arena = {0};
    struct pingo__store_dataset_row row;
    struct pingo_error err;
    char path[600];

    UNUSED(state);
    box_submit_layers(b, MANY);
    box_finish_all(b);
    box_copy_pool(b);
    well(pingo__store_dataset_get(&b->store->db, MANY / 2, &arena, &row, &err), &err);
    snprintf(path, sizeof path, "%s/pool/%s", b->dir, row.path);
    overwrite(path, "?");
    int transactions = 0;
    sqlite3_commit_hook(b->store->db.sqlite, count, &transactions);
    assert_false(damage_fsck(b, &f, false, false));
    assert_int_equal(f.n, 1); /* the one that differs */
    assert_in_range(transactions, 1, MANY / 2);
    transactions = 0;
    assert_false(damage_fsck(b, &f, false, false));
    sqlite3_commit_hook(b->store->db.sqlite, NULL, NULL);
    assert_int_equal(transactions, 0); /* the others are known again */
    pingo__arena_clear(&arena);
    box_close(b);
}

/* What was published or reclaimed between the listing of a directory and the look at it is no fault of the pool. */
static void test_fsck__passes_over_what_went_meanwhile(void **state)
{
    struct box *b = damage_box();
    struct strays s = {.told = 0};
    struct pingo_fsck_options options = {.version = 1, .finding = remove_both, .context = &s};
    struct pingo_error err;
    bool clean = true;

    UNUSED(state);
    for (int i = 0; i < 2; i++) {
        snprintf(s.paths[i], sizeof s.paths[i], "%s/pool/staged/%d.1", b->dir, 88 + i);
        close(open(s.paths[i], O_WRONLY | O_CREAT, 0600));
    }
    well(pingo_store_fsck(b->store, &options, &clean, &err), &err);
    assert_int_equal(s.told, 1);
    box_clean(b);
    box_close(b);
}

/* Files that people and their programs leave about, and a link: fsck tells of them, a sweep passes them over. */
static void test_fsck__stray_files_stop_nobody(void **state)
{
    struct box *b = damage_box();
    struct damage f = {.invariant = "I4", .message = "no row knows it"};
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
    damage_run(b, "UPDATE meta SET value = '1' WHERE key = 'sweep.at'");
    box_reopen(b);
    box_tick(b);
    assert_false(damage_fsck(b, &f, false, false));
    assert_int_equal(f.n, 2);
    assert_true(damage_fsck(b, &f, false, true));
    assert_int_equal(access(elsewhere, F_OK), 0);
    box_clean(b);
    box_close(b);
}

/* As version 0.1 kept them: the row knows the content with the link that leads out. */
static void test_fsck__deep_finds_links_that_lead_out(void **state)
{
    struct box *b = damage_box();
    struct damage f = {.invariant = "I4", .message = "it/x: is a link out of the output"}, again = f;
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
    assert_true(damage_fsck(b, &f, false, false));
    assert_false(damage_fsck(b, &f, true, false));
    assert_true(f.hit);
    assert_false(damage_fsck(b, &again, true, true)); /* it is told, and left to its user */
    assert_int_equal(again.repaired + again.repairable, 0);
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
    struct box *b = damage_box();
    struct pingo_error err;
    bool clean = true;

    UNUSED(state);
    damage_run(b, "UPDATE workflow SET unfinished = 7");
    assert_int_equal(pingo_store_fsck(b->store,
                                      &(struct pingo_fsck_options){.version = 1, .finding = stop},
                                      &clean, &err),
                     PINGO_EINTERRUPTED);
    assert_false(b->store->db.writing);
    assert_int_equal(pingo_store_set(b->store, "executor.slots", "2", &err), 0);
    box_close(b);
}

/* A place that cannot be looked at, the user's or in the pool, is told of, and all else is looked at; nothing that may be
 * there is forgotten. */
static void test_fsck__a_place_that_is_closed_stops_nobody(void **state)
{
    for (int managed = 0; managed < 2; managed++) {
        struct box *b = box_new();
        struct damage f = {.invariant = "I4", .message = ": looking at: Permission denied"};
        struct damage gone = {.invariant = "I4", .message = "gone"};
        char command[128];

        UNUSED(state);
        if (managed)
            box_submit(b, W(A(1, "") "," A(2, "")));
        else
            box_submit(b, W(A(1, ",'outputPath':'mine','isManaged':false") "," A(2, "")));
        box_finish_all(b);
        snprintf(command, sizeof command, "rm -r %s/pool/objects/*/*.2.1", b->dir);
        assert_int_equal(system(command), 0);
        box_shut_place(b, managed ? ".1.1" : "/mine");
        assert_false(damage_fsck(b, &f, true, false));
        assert_true(f.hit && f.n == 2 && f.repairable == 1);
        assert_false(damage_fsck(b, &gone, false, true));
        assert_true(gone.hit && gone.n == 2 && gone.repaired == 1);
        box_shut_place(b, NULL);
        box_clean(b);
        box_close(b);
    }
}

/* What a killed workflow has left is ended where nobody needs it. */
static void test_fsck__ends_what_a_kill_had_left(void **state)
{
    for (int needed = 0; needed < 2; needed++) {
        struct box *b = box_new();
        struct damage f = {.invariant = "I3", .message = "actions that nobody needs"};

        UNUSED(state);
        box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
        if (needed)
            box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
        box_run(b, "UPDATE workflow SET state = 4, ended_ms = 1 WHERE id = 1");
        if (!needed) {
            assert_false(damage_fsck(b, &f, false, false));
            assert_true(f.hit && f.n == 1 && f.repairable == 1);
            assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
            assert_true(damage_fsck(b, &f, false, true));
            assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
        }
        box_clean(b);
        box_finish_all(b);
        box_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fsck__finds_a_dataset_that_is_gone),
        cmocka_unit_test(test_fsck__deep_reads_the_bytes),
        cmocka_unit_test(test_fsck__reclaims_what_no_row_knows),
        cmocka_unit_test(test_fsck__takes_many_back_at_once),
        cmocka_unit_test(test_fsck__reads_many_of_a_copied_store_at_once),
        cmocka_unit_test(test_fsck__passes_over_what_went_meanwhile),
        cmocka_unit_test(test_fsck__stray_files_stop_nobody),
        cmocka_unit_test(test_fsck__deep_finds_links_that_lead_out),
        cmocka_unit_test(test_fsck__a_place_that_is_closed_stops_nobody),
        cmocka_unit_test(test_fsck__ends_what_a_kill_had_left),
        cmocka_unit_test(test_fsck__can_be_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
