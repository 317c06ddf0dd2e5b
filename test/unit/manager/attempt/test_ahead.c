/* test_ahead.c - what is to start, and what has ended, waits for the answers of a pool that is not on this machine, whatever dies
 * meanwhile. */
#include "unit/engine/far.h"

#include <spawn.h>
#include <sys/wait.h>

static void test_ahead__no_tick_waits_for_it(void **state)
{
    struct box *b = far_box();
    (void)state;
    far_is.ms = 3;
    int64_t w = box_submit(b, CHAIN).workflow;
    finish(b, w);
    assert_int_equal(atomic_load(&far_is.published), 3);
    assert_int_equal(count_objects(b, "far"), 3);
    assert_int_equal(atomic_load(&far_is.fetched), 2); /* each once, also where two read it */
    far_is.ms = 0;
    assert_clean(b);
    assert_int_equal(box_submit(b, CHAIN).summary.reuse, 1);
    box_close(b);
}

static void test_ahead__an_end_that_waits_is_not_settled(void **state)
{
    struct box *b = far_box();
    size_t nsettled = 0;
    (void)state;
    int64_t w = box_submit(b, CHAIN).workflow;
    for (int i = 0; box_workflow(b, w) != PINGO_WORKFLOW_FINISHED; i++) {
        assert_true(i < 6000);
        report_all(b);
        nsettled += tick(b).settled;
        usleep(2000);
    }
    assert_int_equal(nsettled, 3);
    box_close(b);
}

static void test_ahead__what_vanished_is_made_again(void **state)
{
    struct box *b = far_box();
    char command[256];
    (void)state;
    int64_t w = box_submit(b, CHAIN).workflow;
    TICK_UNTIL(b, (report_all(b), box_state(b, w, 1) == PINGO_ACTION_FINISHED));
    atomic_store(&far_is.hangs, true); /* before its readers were started */
    snprintf(command, sizeof command, "find %s/far/objects %s/.pingo/near/objects -type f -delete",
             b->root, b->root);
    assert_int_equal(system(command), 0);
    atomic_store(&far_is.hangs, false);
    finish(b, w);
    assert_true(b->fake.n >= 4);
    assert_clean(b);
    box_close(b);
}

/* It has another time than the one that was published: its content tells, and it is no other. */
static void test_ahead__what_is_the_same_is_not_made_again(void **state)
{
    struct box *b = far_box();
    struct pingo_error err;
    char command[256];
    (void)state;
    finish(b, box_submit(b, W(A(1, ""))).workflow);
    well(pingo_scheduler_pause(b->s, &err), &err);
    int64_t w = box_submit(b, PAIR).workflow;
    snprintf(command, sizeof command, "find %s/far/objects -type f -exec touch -d 2001-02-03 {} +",
             b->root);
    assert_int_equal(system(command), 0);
    well(pingo_scheduler_resume(b->s, &err), &err);
    finish(b, w);
    assert_int_equal(b->fake.n, 2);
    assert_clean(b);
    box_close(b);
}

static void test_ahead__what_fails_leaves_nothing(void **state)
{
    struct box *b = far_box();
    (void)state;
    int64_t w = box_submit(b, W(A(1, ",'retries':1"))).workflow;
    TICK_UNTIL(b, fake_job(&b->fake, "a1"));
    box_report(b, "a1", PINGO_END_EXITED, 1, "");
    finish(b, w);
    assert_clean(b);
    box_close(b);
}

/* ---- the scheduler is killed at each step ------------------------------------------------------- */

static int adopt_all(void *executor, const struct pingo_job_key *keys, size_t n, bool *found,
                     struct pingo_error *err)
{
    struct fake *f = executor;
    (void)err;
    for (size_t i = 0; i < n; i++) { /* whoever ran it has made it, or it is lost */
        struct job *j = &f->jobs[f->n++];
        struct pingo_hash x = {{0}};
        memset(j, 0, sizeof *j);
        j->key = keys[i];
        j->ended = found[i] = true;
        assert_int_equal(pingo_hash_from_hex(
                             "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", &x),
                         0);
        j->end = (struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                        .key = keys[i],
                                        .reason = PINGO_END_EXITED,
                                        .started_ms = 1000,
                                        .ended_ms = 2000,
                                        .output_kind = PINGO_OUTPUT_FILE,
                                        .size_bytes = 1,
                                        .content = x};
    }
    return 0;
}

/* In a process of its own, which dies at this call of the pool. */
static int live_until(const char *root, int call)
{
    struct pingo_executor_type type = fake_type;
    const struct pingo_executor_type *list[] = {&type};
    struct pingo_scheduler_options options = {.version = 1, .executors = list, .nexecutors = 1};
    struct box *b = calloc(1, sizeof *b);
    struct pingo_error err;
    snprintf(b->root, sizeof b->root, "%s", root);
    snprintf(b->dir, sizeof b->dir, "%s/.pingo", b->root);
    far_is.thread = pthread_self();
    box_open_store(b);
    fake_now = &b->fake;
    type.adopt = adopt_all;
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
    far_is.die_at = call;
    int64_t until = pingo__world_monotonic_ms() + 60000;
    while (box_workflow(b, 1) != PINGO_WORKFLOW_FINISHED && pingo__world_monotonic_ms() < until) {
        tick(b);
        for (size_t k = 0; k < b->fake.n; k++)
            if (!b->fake.jobs[k].ended && !b->fake.jobs[k].revoked)
                box_report(b, b->fake.jobs[k].name, PINGO_END_EXITED, 0, "x");
        usleep(500);
    }
    box_leave(b);
    free(b);
    return 0;
}

static const char *message_of(struct box *b)
{
    static char text[400];
    sqlite3_stmt *q = NULL;
    sqlite3_prepare_v2(b->store->db.sqlite, "SELECT message FROM action WHERE message IS NOT NULL",
                       -1, &q, NULL);
    snprintf(text, sizeof text, "%s",
             sqlite3_step(q) == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : "no message");
    sqlite3_finalize(q);
    return text;
}

static void test_ahead__killed_at_each_step(void **state)
{
    (void)state;
    int steps = 0;
    for (bool died = true; died; steps++) {
        struct box *b = far_box();
        char call[20], found[4096];
        int status = 0;
        pid_t pid;
        snprintf(call, sizeof call, "%d", steps + 1);
        int64_t w = box_submit(b, PAIR).workflow;
        box_leave(b);
        for (int turn = 0; turn == 0 || (died && turn == 1); turn++) {
            char *argv[] = {"test_remote", "live", b->root, turn ? "0" : call, NULL};
            assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ), 0);
            assert_int_equal(waitpid(pid, &status, 0), pid);
            died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
            if (turn)
                assert_int_equal(status, 0);
            died = died || turn;
        }
        far_open_box(b);
        if (box_workflow(b, w) != PINGO_WORKFLOW_FINISHED)
            fail_msg("killed at call %s: %s", call, message_of(b));
        TICK_UNTIL(b, count_objects(b, "far") == 2 && is_clean(b, found));
        box_tick(b);
        assert_int_equal(count_objects(b, "far"), 2);
        assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state > 2"), 2);
        assert_int_equal(
            box_int(b, "SELECT count(*) FROM attempt WHERE reason = 0 AND exit_code = 0"), 2);
        assert_clean(b);
        box_close(b);
    }
    assert_true(steps > 20);
}

static int disk_error;

/* The kernel tells once that it could not write something out. */
static int syncfs_fails_once(void *context, int fd)
{
    int rc = disk_error;
    disk_error = 0;
    return rc ? rc : pingo__world_real()->syncfs(context, fd);
}

/* a1 has ended, a2 runs, if that was told or not, and a3 has just failed when the disk loses something. */
static void loses(int error, bool tells_started)
{
    struct box *b = box_new();
    struct pingo__pool_directory *pool = b->s->context.pool->handle;
    struct pingo__world world = *pingo__world_real();
    world.syncfs = syncfs_fails_once;
    pool->world = &world;
    b->fake.tells_started = tells_started;
    int64_t w = box_submit(b, W(A(1, "") "," A(2, "") "," A(3, ""))).workflow;
    box_tick(b);
    assert_int_equal(b->fake.n, 3);
    disk_error = error;
    box_report(b, "a3", PINGO_END_EXITED, 1, "");
    box_finish(b, "a1");
    assert_int_equal(disk_error, 0);
    assert_int_not_equal(box_state(b, w, 1), PINGO_ACTION_FINISHED);
    assert_int_equal(box_state(b, w, 3), PINGO_ACTION_FAILED);
    box_finish(b, "a2");
    assert_int_not_equal(box_state(b, w, 2), PINGO_ACTION_FINISHED);
    pool->world = pingo__world_real();
    box_try_again(b); /* what waits for room */
    box_finish_all(b);
    assert_int_equal(box_state(b, w, 1), PINGO_ACTION_FINISHED);
    assert_int_equal(box_state(b, w, 2), PINGO_ACTION_FINISHED);
    assert_int_equal(b->fake.n, 5); /* a1 and a2 twice */
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE reason = 6"),
                     error == -EIO ? 2 : 0);
    assert_int_equal(count_objects(b, ".pingo/pool"), 2);
    assert_clean(b);
    box_close(b);
}

static void test_ahead__what_was_under_way_when_the_disk_lost_something_is_made_again(void **state)
{
    (void)state;
    loses(-EIO, true);
    loses(-EIO, false);
}

static void test_ahead__what_was_under_way_when_the_disk_was_full_waits_for_room(void **state)
{
    (void)state;
    loses(-ENOSPC, true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ahead__no_tick_waits_for_it),
        cmocka_unit_test(test_ahead__an_end_that_waits_is_not_settled),
        cmocka_unit_test(test_ahead__what_vanished_is_made_again),
        cmocka_unit_test(test_ahead__what_is_the_same_is_not_made_again),
        cmocka_unit_test(test_ahead__what_fails_leaves_nothing),
        cmocka_unit_test(test_ahead__killed_at_each_step),
        cmocka_unit_test(test_ahead__what_was_under_way_when_the_disk_lost_something_is_made_again),
        cmocka_unit_test(test_ahead__what_was_under_way_when_the_disk_was_full_waits_for_room),
    };
    if (argc == 4 && strcmp(argv[1], "live") == 0)
        return live_until(argv[2], atoi(argv[3]));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
