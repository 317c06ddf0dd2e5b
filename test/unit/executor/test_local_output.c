/* Outputs that are large, deep, closed or shared: what a worker makes of them, and what it obeys meanwhile. */
#include "unit/executor/harness.h"

/* Hours of hashing, and no bytes. */
#define ENDLESS "truncate -s 7T output; echo $$ > up.tmp; mv up.tmp up"

/* The command has ended, and its output is being read. */
static void start_endless(struct box *b, int64_t time_limit_ms)
{
    box_start(b, &(struct spec){.action = 1, .script = ENDLESS, .time_limit_ms = time_limit_ms});
    pid_t pid = box_wait_pid(b, "attempts/1.1/work/up");
    int64_t until = now_ms() + PATIENCE_MS;
    while (!is_gone(pid)) {
        assert_true(now_ms() < until);
        box_turn(b, 5);
    }
    nap(50);
    assert_null(box_find(b, 1, 1));
}

static void test_local_output__a_kill_while_it_is_read(void **state)
{
    struct pingo_error err = {0};
    struct box b;
    (void)state;
    box_init(&b);
    b.slots = 1;
    b.executor = box_open_executor(&b);
    start_endless(&b, 0);
    assert_int_equal(b.type->kill(b.executor, (struct pingo_job_key){1, 1}, &err), 0);
    assert_int_equal(box_wait(&b, 1, 1)->reason, PINGO_END_KILLED);
    /* The slot is free. */
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 2, .script = "echo x > output"})));
    box_close(&b);
}

static void test_local_output__the_time_limit_while_it_is_read(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    start_endless(&b, 1500);
    assert_int_equal(box_wait(&b, 1, 1)->reason, PINGO_END_TIME_LIMIT);
    box_close(&b);
}

static void test_local_output__the_supervisors_death_while_it_is_read(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    start_endless(&b, 0);
    assert_int_equal(kill(box_supervisor(&b), SIGKILL), 0);
    assert_int_equal(box_wait(&b, 1, 1)->reason, PINGO_END_LOST);
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 2, .script = "echo x > output"})));
    box_close(&b);
}

/* One that opened its own directory's door, and deeper than any path can be. */
static void test_local_output__closed_and_deep(void **state)
{
    static const char deep[] = "python3 -c 'import os\n"
                               "os.mkdir(\"output\"); os.chdir(\"output\")\n"
                               "for i in range(17000):\n os.mkdir(\"d\"); os.chdir(\"d\")\n"
                               "open(\"f\", \"w\").write(\"deep\"); os.link(\"f\", \"g\")'";
    struct box b;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end =
        box_run(&b, &(struct spec){.action = 1,
                                   .script = "mkdir -p output/d/e; echo x > output/d/f; "
                                             "ln output/d/f output/d/e/g; chmod 0 output/d/f; "
                                             "chmod 0 output/d/e output/d; chmod 555 output ."});
    if (!pingo_job_end_is_success(end))
        fail_msg("%d: %s", end->reason, end->message);
    assert_int_equal(end->size_bytes, 4);
    end = box_run(&b, &(struct spec){.action = 2, .script = deep});
    if (!pingo_job_end_is_success(end))
        fail_msg("%d: %s", end->reason, end->message);
    assert_int_equal(end->size_bytes, 8);
    box_close(&b);
}

/* A file with another name is copied, and its holes stay holes. */
static void test_local_output__a_sparse_file_with_two_names(void **state)
{
    char path[160];
    struct stat st;
    struct box b;
    (void)state;
    box_open(&b);
    struct pingo_job_end *end = box_run(
        &b, &(struct spec){.action = 1,
                           .script = "truncate -s 100M output; printf end >> output; "
                                     "printf middle | dd of=output bs=1 seek=50000000 conv=notrunc "
                                     "2>/dev/null; ln output ../../../kept"});
    assert_true(pingo_job_end_is_success(end));
    assert_int_equal(end->size_bytes, 100 * 1048576 + 3);
    snprintf(path, sizeof path, "%s/staged/1.1", b.pool);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_nlink, 1);
    assert_in_range(st.st_blocks * 512, 1, 4 * 1048576);
    char command[400];
    snprintf(command, sizeof command, "cmp %s %s/kept", path, b.pool);
    assert_int_equal(system(command), 0);
    box_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_output__a_kill_while_it_is_read),
        cmocka_unit_test(test_local_output__the_time_limit_while_it_is_read),
        cmocka_unit_test(test_local_output__the_supervisors_death_while_it_is_read),
        cmocka_unit_test(test_local_output__closed_and_deep),
        cmocka_unit_test(test_local_output__a_sparse_file_with_two_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
