/* test_sweep.c - what no row knows goes, and what attempts have left for long enough; what is not ours, or may be needed,
 * stays. */
#include "unit/manager/dataset/removing.h"

/* Now, whenever the last one was. */
static void sweep(struct box *b)
{
    struct pingo_error err;
    bool must = true;

    well(pingo__engine_sweep_tick(&b->s->context, b->store, &must, &err), &err);
    assert_false(must); /* a pool of this machine is asked at once */
}

static bool is_there(struct box *b, const char *name)
{
    struct stat st;
    char path[400];

    snprintf(path, sizeof path, "%s/pool/%s", b->dir, name);
    return lstat(path, &st) == 0;
}

/* A file in the pool, or a directory with one. */
static void put(struct box *b, const char *name, bool is_directory)
{
    char path[400];

    snprintf(path, sizeof path, "%s/pool/%s", b->dir, name);
    if (is_directory) {
        assert_int_equal(mkdir(path, 0700), 0);
        strcat(path, "/stdout");
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        fail_msg("%s: %s", path, strerror(errno));
    close(fd);
}

static void test_sweep__only_names_of_its_own_that_no_row_knows(void **state)
{
    static const char *const stay[] = {
        "objects/00/notes", "objects/readme",      "staged/mine.txt", "attempts/notes",
        "attempts/x1.1",    "attempts/.ready.1.1", "attempts/4711",   "attempts/4711.1.copy"};
    struct box *b = finished(ONE);
    char name[PINGO__NAME_SIZE], path[400], known[256], zeros[65];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/pool/objects/00", b->dir);
    assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        put(b, stay[i], false);
    snprintf(zeros, sizeof zeros, "%064d", 0);
    pingo__name_object(name, zeros, 4711, 1);
    put(b, name, false);
    put(b, "staged/4711.1", false);
    put(b, "attempts/4711.1", true);
    sweep(b);
    assert_false(is_there(b, name) || is_there(b, "staged/4711.1"));
    assert_false(is_there(b, "attempts/4711.1"));
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        if (!is_there(b, stay[i]))
            fail_msg("%s has gone", stay[i]);
    text_of(b, "SELECT path FROM object", known, sizeof known);
    assert_true(is_there(b, known));
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        snprintf(path, sizeof path, "%s/pool/%s", b->dir, stay[i]);
        unlink(path);
    }
    box_clean(b);
    box_close(b);
}

/* What an attempt has left stays as long as the settings say, and all of it while the attempt is open. */
static void test_sweep__what_attempts_have_left(void **state)
{
    static const struct {
        const char *name;
        int64_t ended_days; /* ago; -1: not yet */
        bool stays;
    } rows[] = {
        {"a1", 0, true},  {"a2", 4, true},  {"a3", 6, false}, /* logs: five days */
        {"a4", 1, true},  {"a5", 3, false},                   /* what failed: two */
        {"a6", -1, true},
    };
    struct box *b = box_new();
    struct pingo_error err;
    char names[6][PINGO__NAME_SIZE];

    UNUSED(state);
    well(pingo_store_set(b->store, "pool.logDays", "5", &err), &err);
    well(pingo_store_set(b->store, "pool.failedDays", "2", &err), &err);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, "") "," A(4, "") "," A(5, "") "," A(6, "")));
    box_tick(b);
    for (int i = 0; i < 6; i++) {
        struct job *j = fake_job(&b->fake, rows[i].name);
        pingo__name_attempt(names[i], j->key.action, j->key.epoch);
        put(b, names[i], true);
        if (rows[i].ended_days < 0)
            continue;
        box_report(b, rows[i].name, PINGO_END_EXITED, i == 3 || i == 4, rows[i].name);
        j->end.ended_ms =
            pingo__manager_now_ms(&b->store->context) - rows[i].ended_days * 24 * 60 * 60 * 1000;
    }
    box_tick(b);
    sweep(b);
    for (int i = 0; i < 6; i++)
        if (is_there(b, names[i]) != rows[i].stays)
            fail_msg("%s %s", rows[i].name, rows[i].stays ? "has gone" : "stays");
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

/* Whoever was to clear up after an attempt was killed: of a success only the logs are kept. */
static void test_sweep__what_was_to_be_cleared_up(void **state)
{
    struct box *b = box_new();
    static const char *const ids[] = {"a1", "a2", "a3"};
    char names[3][PINGO__NAME_SIZE], part[PINGO__NAME_SIZE + 8];

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, "")));
    box_tick(b);
    for (int i = 0; i < 3; i++) {
        struct job *j = fake_job(&b->fake, ids[i]);
        pingo__name_attempt(names[i], j->key.action, j->key.epoch);
        put(b, names[i], true);
        snprintf(part, sizeof part, "%s/work", names[i]);
        put(b, part, true);
        if (i == 2)
            continue;
        box_report(b, ids[i], PINGO_END_EXITED, i == 1, ids[i]);
        j->end.ended_ms = pingo__manager_now_ms(&b->store->context);
    }
    box_tick(b);
    sweep(b);
    for (int i = 0; i < 3; i++) {
        snprintf(part, sizeof part, "%s/stdout", names[i]);
        assert_true(is_there(b, part));
        snprintf(part, sizeof part, "%s/work", names[i]);
        assert_int_equal(is_there(b, part), i != 0); /* it failed, or runs */
    }
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

/* Once an hour for the whole store, or where somebody has died. */
static void test_sweep__only_when_it_is_due(void **state)
{
    struct box *b = finished(ONE);
    struct pingo_error err;
    bool must = false;
    char sql[100];
    int64_t now_ms = pingo__manager_now_ms(&b->store->context);

    UNUSED(state);
    put(b, "staged/4711.1", false);
    well(pingo__engine_sweep_tick(&b->s->context, b->store, &must, &err), &err);
    assert_true(is_there(b, "staged/4711.1")); /* there was one when the store was made */
    snprintf(sql, sizeof sql, "UPDATE meta SET value = '%lld' WHERE key = 'sweep.at'",
             (long long)now_ms - 3600001);
    box_run(b, sql);
    well(pingo__engine_sweep_tick(&b->s->context, b->store, &must, &err), &err);
    assert_false(is_there(b, "staged/4711.1") || must);
    assert_true(box_int(b, "SELECT value FROM meta WHERE key = 'sweep.at'") >= now_ms);
    /* Of a clock that goes back, or of no number. */
    static const char *const others[] = {"9223372036854775807", "soon", "-1"};
    for (size_t i = 0; i < 3; i++) {
        put(b, "staged/4711.1", false);
        snprintf(sql, sizeof sql, "UPDATE meta SET value = '%s' WHERE key = 'sweep.at'", others[i]);
        box_run(b, sql);
        well(pingo__engine_sweep_tick(&b->s->context, b->store, &must, &err), &err);
        assert_false(is_there(b, "staged/4711.1"));
    }
    /* Who says for how long things are kept need not wait for an hour; nor is a store read for what else is set. */
    static const struct pingo_setting kept[] = {
        {"pool.budget", "none"}, {"pool.failedDays", "0"}, {"pool.logDays", NULL}};
    for (size_t i = 0; i < 3; i++) {
        put(b, "staged/4711.1", false);
        well(pingo_store_set_several(b->store, &kept[i], 1, &err), &err);
        well(pingo__engine_sweep_tick(&b->s->context, b->store, &must, &err), &err);
        assert_int_equal(is_there(b, "staged/4711.1"), i == 0);
        sweep(b);
    }
    box_clean(b);
    box_close(b);
}

/* What was to be done at once is done before we go, and nothing else. */
static void test_sweep__is_finished_before_we_go(void **state)
{
    struct box *b = finished(ONE);

    UNUSED(state);
    put(b, "staged/4711.1", false);
    pingo__engine_sweep_finish(b->s);
    assert_true(is_there(b, "staged/4711.1"));
    b->s->must_sweep = true;
    pingo__engine_sweep_finish(b->s);
    assert_false(b->s->must_sweep || is_there(b, "staged/4711.1"));
    box_clean(b);
    box_close(b);
}

/* What no row knows goes with a sweep; what cannot go counts until it does, and is in nobody's way. */
static void test_sweep__what_cannot_go_counts(void **state)
{
    struct box *b = finished(ONE);
    int64_t before = used(b);
    char path[400];
    int dir;

    UNUSED(state);
    snprintf(path, sizeof path, "%s/pool/objects/00", b->dir);
    assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
    dir = open(path, O_RDONLY | O_DIRECTORY);
    snprintf(path, sizeof path, "%064d.4711.1", 0);
    put_file(dir, path);
    for (int i = 0; i < 3; i++) { /* it cannot be moved; nor be looked at; all is well */
        be_stubborn(b, 0, i ? 0 : -EPERM);
        if (i == 1)
            box_shut_place(b, ".4711.1");
        *b->log = '\0';
        sql(b, "DELETE FROM meta WHERE key = 'sweep.at'");
        b->s->recovered_at = 0;
        b->s->datasets.reclaimer.must_look = true;
        box_tick(b);
        box_tick(b);
        assert_int_equal(faccessat(dir, path, F_OK, 0), i == 2 ? -1 : 0);
        assert_int_equal(strstr(b->log, "is no dataset's, and stays") != NULL, i < 2);
        assert_int_equal(used(b), i == 2 ? before : before + 1);
    }
    close(dir);
    box_clean(b);
    box_close(b);
}

static void make_scratch(const char *dir)
{
    int fd;

    assert_int_equal(mkdir(dir, 0700), 0);
    fd = open(dir, O_RDONLY | O_DIRECTORY);
    assert_int_equal(mkdirat(fd, "work", 0700), 0);
    put_file(fd, "stdout");
    put_file(fd, "work/a");
    assert_int_equal(symlinkat("abc", fd, "work/link"), 0);
    close(fd);
}

/* Ended in another way than by the callback of its action, or by an older Pingo: the next sweep counts it. */
static void test_sweep__scratch_that_stays_counts(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, ONE);
    box_tick(b);
    make_scratch(fake_job(&b->fake, "a1")->dir);
    box_fail(b, "a1");
    sql(b, "UPDATE attempt SET scratch_bytes = NULL, ended_ms = CAST(strftime('%s') AS INTEGER) * "
           "1000");
    assert_int_equal(used(b), 0);
    sql(b, "DELETE FROM meta WHERE key = 'sweep.at'");
    box_reopen(b);
    box_tick(b);
    assert_in_range(used(b), 2, 5);
    box_remove(b->fake.jobs[0].dir); /* somebody cleaned up by hand */
    sql(b, "DELETE FROM meta WHERE key = 'sweep.at'");
    box_reopen(b);
    box_tick(b);
    assert_int_equal(used(b), 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep__only_names_of_its_own_that_no_row_knows),
        cmocka_unit_test(test_sweep__what_attempts_have_left),
        cmocka_unit_test(test_sweep__what_was_to_be_cleared_up),
        cmocka_unit_test(test_sweep__only_when_it_is_due),
        cmocka_unit_test(test_sweep__is_finished_before_we_go),
        cmocka_unit_test(test_sweep__what_cannot_go_counts),
        cmocka_unit_test(test_sweep__scratch_that_stays_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
