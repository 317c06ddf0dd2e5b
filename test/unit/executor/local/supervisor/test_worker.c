/* test_worker.c - a worker's program, from the other end of its connection: what it is told, what it leaves, and when it ends. */
#include "unit/executor/local/supervisor/made.h"

#include <sys/socket.h>

#define UP "echo $$ > up.tmp; mv up.tmp up; "

static pid_t worker;
static struct peer w;

static void start_worker(void)
{
    const char *argv[] = {"pingo-worker", "--worker", box.store, box.pool,
                          s.running_name, "2",        NULL};
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    worker = start_another(argv, ends[1]);
    close(ends[1]);
    w = (struct peer){.fd = ends[0]};
}

static void say_config(void)
{
    pingo__executor_wire_put_settings(begin(&w, PINGO__WIRE_CONFIG), &s.settings);
    say(&w);
}

static void say_journal(const char *name)
{
    pingo__runner_put_text(begin(&w, PINGO__WIRE_JOURNAL), name);
    say(&w);
}

static void say_job(const struct spec *spec)
{
    pingo__buffer_u64(begin(&w, PINGO__WIRE_JOB), 1);
    put_job(&w.out, spec);
    say(&w);
}

/* What it says next of which action; 0: it has hung up. */
static int next_word(int64_t *action)
{
    struct pingo__executor_wire_frame frame;
    *action = 0;
    while (!pingo__executor_inbox_next(&w.in, &frame))
        if (pingo__executor_inbox_fill(&w.in, w.fd, true) <= 0)
            return 0;
    *action = pingo__runner_get_key(&frame.body).action;
    return frame.kind;
}

static void expect_word(enum pingo__executor_wire_kind kind, int64_t action)
{
    int64_t told;
    assert_int_equal(next_word(&told), kind);
    assert_int_equal(told, action);
}

/* When it has cleared up it is ready for the next one. */
static void expect_end(enum pingo__executor_wire_kind kind, int64_t action)
{
    expect_word(kind, action);
    expect_word(PINGO__WIRE_READY, action);
}

static int ready(void **state)
{
    set_up(state);
    start_worker();
    say_config();
    say_journal(s.journal_name);
    return 0;
}

/* It ends when it is let go. */
static int let_go(void **state)
{
    hang_up(&w);
    assert_int_equal(exit_status(worker), 0);
    return tear_down(state);
}

static void wait_until_noted(int64_t action)
{
    for (int64_t until = now_ms() + PATIENCE_MS; !is_noted(2, action) && now_ms() < until;)
        nap(1);
    assert_true(is_noted(2, action));
}

/* One job after the other: its end is in the journal when it says so, and nothing is noted any more. */
static void test_worker__runs_what_it_gets(void **state)
{
    struct pingo_job_end end;
    (void)state;
    for (int64_t i = 1; i <= 3; i++) {
        say_job(&(struct spec){.action = i, .script = "echo x > output"});
        expect_end(PINGO__WIRE_DONE, i);
        assert_int_equal(ends_of(i, &end), 1);
        assert_true(pingo_job_end_is_success(&end));
        assert_false(is_noted(2, i));
    }
    box_expect_text(&box, "staged/3.1", "x\n");
}

static void test_worker__another_journal(void **state)
{
    struct stat st;
    (void)state;
    assert_int_equal(pingo__executor_ledger_open(&s), 0);
    say_journal(s.journal_name);
    say_job(&(struct spec){.action = 1, .script = "exit 3"});
    expect_end(PINGO__WIRE_DONE, 1);
    assert_int_equal(fstat(s.journal, &st), 0);
    assert_int_equal(st.st_size, PINGO__RUNNER_OUTCOME_SIZE);
}

/* A scheduler was there first. */
static void test_worker__what_was_given_up_does_not_start(void **state)
{
    (void)state;
    make_file(attempt_of(1), "");
    say_job(&(struct spec){.action = 1, .script = "echo x > output"});
    expect_end(PINGO__WIRE_REVOKED, 1);
    assert_int_equal(ends_of(1, NULL), 0);
    assert_int_equal(access(attempt_of(1), F_OK), 0); /* the supervisor removes it */
}

static void test_worker__only_its_own_job_is_killed(void **state)
{
    struct pingo_job_end end;
    (void)state;
    say_key(&w, PINGO__WIRE_KILL, 1); /* what comes before or after it is of others */
    say_job(&(struct spec){.action = 1, .script = UP "sleep 300"});
    wait_until_noted(1);
    box_wait_pid(&box, "attempts/1.1/work/up");
    say_key(&w, PINGO__WIRE_KILL, 2);
    say_config();
    assert_true(is_noted(2, 1));
    say_key(&w, PINGO__WIRE_KILL, 1);
    expect_end(PINGO__WIRE_DONE, 1);
    assert_int_equal(ends_of(1, &end), 1);
    assert_int_equal(end.reason, PINGO_END_KILLED);
    say_job(&(struct spec){.action = 2, .script = "echo x > output"});
    expect_end(PINGO__WIRE_DONE, 2);
    ends_of(2, &end);
    assert_true(pingo_job_end_is_success(&end));
}

/* The supervisor is gone: nobody of the job outlives the worker, and what became of it is recorded. */
static void test_worker__without_a_supervisor_it_kills_and_ends(void **state)
{
    struct pingo_job_end end;
    (void)state;
    say_job(&(struct spec){.action = 1, .script = "setsid sleep 300 & " UP "sleep 300"});
    pid_t leader = box_wait_pid(&box, "attempts/1.1/work/up");
    hang_up(&w);
    assert_int_equal(exit_status(worker), 0);
    assert_true(is_gone(leader));
    assert_int_equal(ends_of(1, &end), 1);
    assert_int_equal(end.reason, PINGO_END_LOST);
    start_worker(); /* for who lets it go */
}

/* A head that is fine, and more words than there are bytes; a directory that cannot be made: it goes on with the next. */
static void test_worker__jobs_that_cannot_be_run(void **state)
{
    struct pingo_job_end end;
    char pool[80];
    (void)state;
    struct pingo__buffer *out = begin(&w, PINGO__WIRE_JOB);
    pingo__buffer_u64(out, 1);
    pingo__runner_put_key(out, (struct pingo_job_key){1, 1});
    for (int i = 0; i < 3; i++)
        pingo__buffer_u64(out, i == 0);
    pingo__runner_put_text(out, attempt_of(1));
    pingo__runner_put_text(out, "/nowhere");
    pingo__buffer_u8(out, 0);
    pingo__buffer_u32(out, 4000000000u);
    say(&w);
    expect_end(PINGO__WIRE_DONE, 1);
    memcpy(pool, box.pool, sizeof pool);
    strcpy(box.pool, "/nowhere");
    say_job(&(struct spec){.action = 2});
    memcpy(box.pool, pool, sizeof pool);
    expect_end(PINGO__WIRE_DONE, 2);
    for (int64_t i = 1; i <= 2; i++) {
        assert_int_equal(ends_of(i, &end), 1);
        assert_int_equal(end.reason, PINGO_END_NOT_STARTED);
        assert_true(*end.message);
    }
    say_job(&(struct spec){.action = 3, .script = "echo x > output"});
    expect_end(PINGO__WIRE_DONE, 3);
}

/* Nothing is run whose end could not be kept, and nothing by settings that are none. */
static void test_worker__ends_where_it_is_not_understood(void **state)
{
    int64_t told;
    (void)state;
    for (int i = 0; i < 4; i++) {
        start_worker();
        if (i == 0)
            say_job(&(struct spec){.action = 1, .script = "echo x > output"});
        else if (i == 1)
            say_journal("no such journal");
        else if (i == 2)
            pingo__buffer_text(begin(&w, PINGO__WIRE_CONFIG), "short"), say(&w);
        else
            assert_int_equal(send(w.fd, "\0\0\0\0\0", 5, MSG_NOSIGNAL), 5);
        assert_int_equal(next_word(&told), 0);
        int status = exit_status(worker);
        assert_int_equal(status, i == 3 ? 0 : 1);
        hang_up(&w);
    }
    assert_int_equal(access(attempt_of(1), F_OK), -1);
    assert_int_equal(pingo__executor_worker_main(-1, "/nowhere", box.pool, s.running_name, 0), 1);
    assert_int_equal(pingo__executor_worker_main(-1, box.store, box.pool, "running.none", 0), 1);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_worker__##name, ready, let_go)
    const struct CMUnitTest tests[] = {
        TEST(runs_what_it_gets),
        TEST(another_journal),
        TEST(what_was_given_up_does_not_start),
        TEST(only_its_own_job_is_killed),
        TEST(without_a_supervisor_it_kills_and_ends),
        TEST(jobs_that_cannot_be_run),
        cmocka_unit_test_setup_teardown(test_worker__ends_where_it_is_not_understood, set_up,
                                        tear_down),
    };
    be_another(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
