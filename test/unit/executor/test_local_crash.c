/* kill -9 of the client, of a worker, of the supervisor, of all at once.  Each time every job that
 * was handed over has exactly one end, and nobody of it is left. */
#include "unit/executor/harness.h"

#include <sys/wait.h>

#define UP "echo $$ > up.tmp; mv up.tmp up; "

/* A client of its own: starts jobs, says so on standard output, and waits for its death. */
static int client_main(char **argv)
{
    struct box b;
    memset(&b, 0, sizeof b);
    b.type = pingo_executor_local();
    snprintf(b.store, sizeof b.store, "%s", argv[2]);
    snprintf(b.pool, sizeof b.pool, "%s", argv[3]);
    b.slots = 2;
    b.grace_ms = 300;
    box_find_helper(b.helper, sizeof b.helper);
    b.executor = box_open_executor(&b);
    b.remember = true;
    for (int64_t i = 1; i <= 20; i++)
        box_start(&b, &(struct spec){.action = i, .script = UP "sleep 0.05; echo x > output"});
    while (b.nends < 3)
        box_turn(&b, 100);
    if (write(1, "x", 1) != 1)
        return 1;
    for (;;)
        pause();
}

static void start_and_kill_client(const struct box *b)
{
    int ends[2];
    char exe[] = "/proc/self/exe", flag[] = "--client", byte;
    char *store = strdup(b->store), *pool = strdup(b->pool);
    char *argv[] = {exe, flag, store, pool, NULL};
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        execv(exe, argv);
        _exit(127);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(ends[0]);
    free(store);
    free(pool);
}

static void adopt(struct box *b, int64_t first, size_t n, bool *found)
{
    struct pingo_job_key keys[64];
    struct pingo_error err = {0};
    assert_true(n <= 64);
    for (size_t i = 0; i < n; i++)
        keys[i] = (struct pingo_job_key){first + (int64_t)i, 1};
    if (b->type->adopt(b->executor, keys, n, found, &err) != 0)
        fail_msg("adopt: %s", err.message);
}

static void test_local_crash__a_dead_clients_jobs_are_adopted(void **state)
{
    struct box b;
    bool found[25];
    (void)state;
    box_init(&b);
    start_and_kill_client(&b);
    b.executor = box_open_executor(&b);
    adopt(&b, 1, 25, found);
    for (size_t i = 0; i < 25; i++)
        assert_true(found[i]);
    box_wait_all(&b, 25);
    for (size_t i = 0; i < 25; i++)
        if (b.ends[i].key.action <= 20)
            assert_true(pingo_job_end_is_success(&b.ends[i]));
        else /* it never heard of it, and none has passed the gate */
            assert_int_equal(b.ends[i].reason, PINGO_END_NOT_STARTED);
    assert_int_equal(box_count(&b, "staged"), 20);
    /* Once more, by yet another: the journal keeps them. */
    b.type->close(b.executor);
    b.executor = box_open_executor(&b);
    b.nends = 0;
    adopt(&b, 1, 20, found);
    box_collect(&b);
    assert_int_equal(b.nends, 20);
    box_close(&b);
}

static void test_local_crash__ends_are_kept_when_nobody_is_there(void **state)
{
    struct box b;
    bool found[3];
    (void)state;
    box_open(&b);
    for (int64_t i = 1; i <= 3; i++)
        box_start(&b, &(struct spec){.action = i, .script = "sleep 0.2; echo x > output"});
    box_turn(&b, 50);
    while (b.nstarted < 1)
        box_turn(&b, 50);
    b.type->close(b.executor);
    box_wait_unlocked(&b); /* it ended by itself, being idle */
    b.executor = box_open_executor(&b);
    adopt(&b, 1, 3, found);
    assert_true(found[0] && found[1] && found[2]);
    box_wait_all(&b, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(pingo_job_end_is_success(&b.ends[i]));
    box_close(&b);
}

static void test_local_crash__nothing_is_adopted_where_nothing_ran(void **state)
{
    struct box b;
    bool found[2] = {true, true};
    (void)state;
    box_open(&b);
    adopt(&b, 1, 2, found);
    assert_false(found[0] || found[1]);
    box_close(&b);
}

static void test_local_crash__a_worker_is_replaced(void **state)
{
    struct box b;
    pid_t workers[8];
    (void)state;
    box_open(&b);
    box_start(&b, &(struct spec){.action = 1, .script = "setsid sleep 300 & " UP "sleep 300"});
    pid_t leader = box_wait_pid(&b, "attempts/1.1/work/up");
    assert_int_equal(box_workers(&b, workers, 8), 1);
    kill(workers[0], SIGKILL);
    struct pingo_job_end *end = box_wait(&b, 1, 1);
    assert_int_equal(end->reason, PINGO_END_LOST);
    assert_true(is_gone(leader));
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 2, .script = "echo x > output"})));
    pid_t second;
    assert_int_equal(box_workers(&b, &second, 1), 1);
    assert_int_not_equal(second, workers[0]);
    box_close(&b);
}

static void test_local_crash__workers_die_again_and_again(void **state)
{
    enum { N = 60 };
    struct box b;
    pid_t workers[8];
    size_t lost = 0;
    int64_t deadline = now_ms() + PATIENCE_MS;
    (void)state;
    box_open(&b);
    for (int64_t i = 1; i <= N; i++)
        box_start(&b, &(struct spec){.action = i, .script = "sleep 0.01; echo x > output"});
    for (unsigned k = 0; b.nends < N; k++) {
        box_turn(&b, 10);
        size_t n = box_workers(&b, workers, 8);
        if (k < 60 && n > 0 && k % 2 == 0)
            kill(workers[k / 2 % n], SIGKILL);
        assert_true(now_ms() < deadline);
    }
    for (size_t i = 0; i < N; i++) {
        if (b.ends[i].reason == PINGO_END_LOST)
            lost++;
        else
            assert_true(pingo_job_end_is_success(&b.ends[i]));
    }
    assert_true(lost < N);
    box_close(&b);
}

static void crash_supervisor(bool with_workers)
{
    struct box b;
    pid_t workers[8];
    size_t n;
    box_open(&b);
    box_start(&b, &(struct spec){.action = 1,
                                 .script = "setsid sh -c 'cd /; sleep 300' & " UP "sleep 300"});
    box_start(&b, &(struct spec){.action = 2,
                                 .script = "setsid sh -c 'echo $$ > esc.tmp; mv esc.tmp esc; "
                                           "exec sleep 300' & " UP "sleep 300"});
    for (int64_t i = 3; i <= 6; i++)
        box_start(&b, &(struct spec){.action = i, .script = "echo x > output"});
    pid_t first = box_wait_pid(&b, "attempts/1.1/work/up");
    pid_t second = box_wait_pid(&b, "attempts/2.1/work/up");
    pid_t escaped = box_wait_pid(&b, "attempts/2.1/work/esc");
    pid_t supervisor = box_supervisor(&b);
    n = box_workers(&b, workers, 8);
    assert_int_equal(n, 2);
    kill(supervisor, SIGSTOP); /* so that it sees nothing of its workers' death */
    for (size_t i = 0; with_workers && i < n; i++)
        kill(workers[i], SIGKILL);
    kill(supervisor, SIGKILL);
    for (int64_t i = 1; i <= 6; i++) {
        struct pingo_job_end *end = box_wait(&b, i, 1);
        assert_int_equal(end->reason, i <= 2 ? PINGO_END_LOST : PINGO_END_NOT_STARTED);
    }
    assert_true(is_gone(first));
    assert_true(is_gone(second));
    assert_true(is_gone(escaped));
    assert_int_equal(b.nends, 6);
    assert_int_equal(box_count(&b, "staged"), 0);
    /* It goes on with another. */
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 3, .epoch = 2, .script = "echo x > output"})));
    assert_int_not_equal(box_supervisor(&b), supervisor);
    box_close(&b);
}

static void test_local_crash__supervisor_alone(void **state)
{
    (void)state;
    crash_supervisor(false);
}

static void test_local_crash__supervisor_and_workers_at_once(void **state)
{
    (void)state;
    crash_supervisor(true);
}

static void test_local_crash__supervisor_again_and_again(void **state)
{
    enum { N = 200 };
    struct box b;
    int64_t deadline = now_ms() + 2 * PATIENCE_MS;
    size_t lost = 0, done = 0;
    (void)state;
    box_open(&b);
    for (int64_t i = 1; i <= N; i++)
        box_start(&b, &(struct spec){.action = i, .script = "sleep 0.01; echo x > output"});
    for (unsigned k = 0; b.nends < N; k++) {
        box_turn(&b, 20);
        if (k % 10 == 9 && (k < 100 || lost == 0) && !box_is_unlocked(&b))
            kill(box_supervisor(&b), SIGKILL);
        assert_true(now_ms() < deadline);
        /* What was lost is tried again, as the manager does. */
        for (size_t i = 0; i < b.nends; i++) {
            if (b.ends[i].reason != PINGO_END_LOST && b.ends[i].reason != PINGO_END_NOT_STARTED)
                continue;
            lost++;
            int64_t action = b.ends[i].key.action, epoch = b.ends[i].key.epoch + 1;
            b.ends[i] = b.ends[--b.nends];
            box_start(
                &b, &(struct spec){.action = action, .epoch = epoch, .script = "echo x > output"});
        }
    }
    for (size_t i = 0; i < b.nends; i++)
        done += pingo_job_end_is_success(&b.ends[i]);
    assert_int_equal(done, N);
    assert_int_equal(box_count(&b, "staged"), N);
    assert_true(lost > 0);
    box_close(&b);
}

/* A person who looks at an old attempt is left alone. */
static void test_local_crash__a_sweep_spares_bystanders(void **state)
{
    struct box b;
    char path[200];
    (void)state;
    box_open(&b);
    box_run(&b, &(struct spec){.action = 1, .script = "exit 1"});
    snprintf(path, sizeof path, "%s/attempts/1.1/work", b.pool);
    pid_t person = fork();
    if (person == 0) {
        if (chdir(path) == 0)
            execl("/bin/sleep", "sleep", "300", (char *)NULL);
        _exit(127);
    }
    box_start(&b, &(struct spec){.action = 2, .script = UP "sleep 300"});
    box_wait_pid(&b, "attempts/2.1/work/up");
    kill(box_supervisor(&b), SIGKILL);
    assert_int_equal(box_wait(&b, 2, 1)->reason, PINGO_END_LOST);
    assert_false(is_gone(person));
    kill(person, SIGKILL);
    waitpid(person, NULL, 0);
    box_close(&b);
}

static size_t count_journals(const struct box *b)
{
    char path[160];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/executor", b->store);
    DIR *list = opendir(path);
    struct dirent *entry;
    assert_non_null(list);
    while ((entry = readdir(list)) != NULL)
        n += strncmp(entry->d_name, "journal.", 8) == 0;
    closedir(list);
    return n;
}

/* The journal of a supervisor that is gone stays as long as the store waits for one of its ends. */
static void test_local_crash__journals_go_when_all_is_settled(void **state)
{
    struct box b;
    const struct pingo_job_key waits = {2, 1};
    bool found = false;
    (void)state;
    box_open(&b);
    for (int64_t i = 1; i <= 3; i++)
        box_run(&b, &(struct spec){.action = i, .script = "echo x > output"});
    kill(box_supervisor(&b), SIGKILL);
    box_wait_unlocked(&b);
    box_run(&b, &(struct spec){.action = 4, .script = "echo x > output"});
    box_collect(&b);
    assert_int_equal(count_journals(&b), 2);
    b.type->trim(b.executor, &waits, 1);
    for (int i = 0; i < 20; i++)
        box_turn(&b, 5);
    assert_int_equal(count_journals(&b), 2);
    void *first = b.executor; /* whoever comes next still finds it */
    b.executor = box_open_executor(&b);
    assert_int_equal(b.type->adopt(b.executor, &waits, 1, &found, NULL), 0);
    assert_true(found);
    b.type->close(b.executor);
    b.executor = first;
    b.type->trim(b.executor, NULL, 0);
    for (int64_t until = now_ms() + PATIENCE_MS; count_journals(&b) > 1 && now_ms() < until;)
        box_turn(&b, 5);
    assert_int_equal(count_journals(&b), 1);
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = 5, .script = "echo x > output"})));
    box_close(&b);
}

/* A long journal is replaced while jobs run, and the old one goes. */
static void test_local_crash__a_long_journal_is_replaced(void **state)
{
    static const char *const argv[] = {"true", NULL};
    enum { N = 1100 };
    struct box b;
    (void)state;
    box_open(&b);
    for (int64_t i = 1; i <= N; i++)
        box_start(&b, &(struct spec){.action = i, .argv = argv, .standard_output = true});
    box_wait_all(&b, N);
    box_collect(&b);
    for (int64_t until = now_ms() + PATIENCE_MS; now_ms() < until;) {
        b.type->trim(b.executor, NULL, 0);
        box_turn(&b, 5);
        char path[200];
        snprintf(path, sizeof path, "ls %s/executor | grep -q 'journal.*000002$'", b.store);
        if (system(path) == 0 && count_journals(&b) == 1)
            break;
    }
    assert_int_equal(count_journals(&b), 1);
    assert_true(pingo_job_end_is_success(
        box_run(&b, &(struct spec){.action = N + 1, .script = "echo x > output"})));
    box_close(&b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_crash__a_dead_clients_jobs_are_adopted),
        cmocka_unit_test(test_local_crash__ends_are_kept_when_nobody_is_there),
        cmocka_unit_test(test_local_crash__nothing_is_adopted_where_nothing_ran),
        cmocka_unit_test(test_local_crash__a_worker_is_replaced),
        cmocka_unit_test(test_local_crash__workers_die_again_and_again),
        cmocka_unit_test(test_local_crash__supervisor_alone),
        cmocka_unit_test(test_local_crash__supervisor_and_workers_at_once),
        cmocka_unit_test(test_local_crash__supervisor_again_and_again),
        cmocka_unit_test(test_local_crash__a_sweep_spares_bystanders),
        cmocka_unit_test(test_local_crash__journals_go_when_all_is_settled),
        cmocka_unit_test(test_local_crash__a_long_journal_is_replaced),
    };
    if (argc == 4 && strcmp(argv[1], "--client") == 0)
        return client_main(argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
