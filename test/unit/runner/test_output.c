/* test_output.c - from what a command left to a dataset that can be published, or to a reason why not: output.c. */
#include "unit/runner/ground.h"

#include <sys/syscall.h>

#include "runner/steps.h"

static int read_fails; /* errno of every read; 0: none */

/* In place of the C library's. */
ssize_t read(int fd, void *bytes, size_t n)
{
    errno = read_fails;
    return read_fails ? -1 : (ssize_t)syscall(SYS_read, fd, bytes, n);
}

static void take(struct ground *g)
{
    g->end = (struct pingo_job_end){.size = sizeof g->end};
    pingo__runner_output_take(&g->scratch, &g->job, &g->orders, &g->end);
}

static void is_refused(struct ground *g, enum pingo_end_reason reason, const char *why)
{
    take(g);
    assert_int_equal(g->end.reason, reason);
    assert_int_equal(g->end.output_kind, PINGO_OUTPUT_NONE);
    assert_non_null(strstr(g->end.message, why));
    assert_int_equal(access(g->pool.staged, F_OK), -1);
}

static void test_output__a_file(void **state)
{
    struct ground *g = ground_new();
    struct pingo_job_end again = {.size = sizeof again};
    (void)state;
    ground_write(ground_work(g, "output"), "twelve bytes", 0666);
    take(g);
    assert_int_equal(g->end.reason, PINGO_END_EXITED);
    assert_int_equal(g->end.output_kind, PINGO_OUTPUT_FILE);
    assert_int_equal(g->end.size_bytes, 12);
    assert_int_equal(ground_mode(g->pool.staged), 0444);
    assert_int_equal(access(ground_work(g, "output"), F_OK), -1);
    assert_int_equal(pingo_job_end_output(&again, g->pool.staged, NULL), 0);
    assert_memory_equal(&again.content, &g->end.content, sizeof again.content);
    ground_free(g);
}

static void test_output__a_directory(void **state)
{
    struct ground *g = ground_new();
    char inside[300];
    (void)state;
    assert_int_equal(mkdir(ground_work(g, "output"), 0700), 0);
    ground_write(ground_work(g, "output/f"), "x", 0755);
    assert_int_equal(symlink("f", ground_work(g, "output/l")), 0);
    assert_int_equal(fchmod(g->scratch.work, 0555), 0); /* it can leave all the same */
    take(g);
    assert_string_equal(g->end.message, "");
    assert_int_equal(g->end.output_kind, PINGO_OUTPUT_DIRECTORY);
    snprintf(inside, sizeof inside, "%s/f", g->pool.staged);
    assert_int_equal(ground_mode(inside), 0555);
    ground_free(g);
}

static void test_output__what_was_printed(void **state)
{
    struct ground *g = ground_new();
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s/stdout", g->pool.dir);
    ground_write(path, "printed", 0644);
    g->job.output = NULL;
    take(g);
    assert_int_equal(g->end.output_kind, PINGO_OUTPUT_FILE);
    assert_true(ground_is(g->pool.staged, "printed"));
    ground_free(g);
}

static void test_output__what_is_none(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    is_refused(g, PINGO_END_NO_OUTPUT, "made no 'output'");
    ground_write(ground_work(g, "stats.txt"), "x", 0644);
    ground_write(ground_work(g, ".cache"), "x", 0644);
    is_refused(g, PINGO_END_NO_OUTPUT,
               "made no 'output'; it made 'stats.txt': the key \"output\" names");
    ground_write(ground_work(g, "a.log"), "x", 0644);
    is_refused(g, PINGO_END_NO_OUTPUT, "it made 'a.log' and others: the key");
    g->job.output = "../output";
    is_refused(g, PINGO_END_NO_OUTPUT, "is no name");
    g->job.output = "output";
    assert_int_equal(symlink("/etc/passwd", ground_work(g, "output")), 0);
    is_refused(g, PINGO_END_BAD_OUTPUT, "a symbolic link");
    assert_int_equal(unlink(ground_work(g, "output")), 0);
    assert_int_equal(mkfifo(ground_work(g, "output"), 0600), 0);
    is_refused(g, PINGO_END_BAD_OUTPUT, "a named pipe");
    assert_int_equal(unlink(ground_work(g, "output")), 0);
    assert_int_equal(mkdir(ground_work(g, "output"), 0755), 0);
    assert_int_equal(symlink(g->pool.root, ground_work(g, "output/out")), 0);
    is_refused(g, PINGO_END_BAD_OUTPUT, "out");
    ground_free(g);
}

static void test_output__stopped_while_it_is_read(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    ground_write(ground_work(g, "output"), "x", 0644);
    g->orders.why = PINGO_END_TIME_LIMIT;
    is_refused(g, PINGO_END_TIME_LIMIT, "its time limit passed");
    g->orders = (struct pingo__runner_orders){.master = &g->master, .why = PINGO_END_LOST};
    is_refused(g, PINGO_END_LOST, "the supervisor ended");
    ground_free(g);
}

/* A disk or a server of files that fails is not the action's fault. */
static void test_output__what_the_machine_cannot_read_is_lost(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    assert_int_equal(mkdir(ground_work(g, "output"), 0755), 0);
    ground_write(ground_work(g, "output/f"), "x", 0644);
    read_fails = EIO;
    is_refused(g, PINGO_END_LOST, "output/f: cannot be read: Input/output error");
    read_fails = 0;
    take(g);
    assert_int_equal(g->end.output_kind, PINGO_OUTPUT_DIRECTORY);
    ground_free(g);
}

/* What is wrong with the place is not the action's fault. */
static void test_output__nothing_is_replaced(void **state)
{
    struct ground *g = ground_new();
    (void)state;
    ground_write(ground_work(g, "output"), "new", 0644);
    ground_write(g->pool.staged, "old", 0644);
    take(g);
    assert_int_equal(g->end.reason, PINGO_END_LOST);
    assert_int_equal(g->end.output_kind, PINGO_OUTPUT_NONE);
    assert_true(ground_is(g->pool.staged, "old"));
    assert_int_equal(unlink(g->pool.staged), 0);
    assert_int_equal(rmdir(ground_path(g, "staged")), 0);
    is_refused(g, PINGO_END_LOST, "cannot be staged");
    ground_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output__a_file),
        cmocka_unit_test(test_output__a_directory),
        cmocka_unit_test(test_output__what_was_printed),
        cmocka_unit_test(test_output__what_is_none),
        cmocka_unit_test(test_output__stopped_while_it_is_read),
        cmocka_unit_test(test_output__what_the_machine_cannot_read_is_lost),
        cmocka_unit_test(test_output__nothing_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
