/* test_client.c - the local executor's table before a supervisor that is this test: what is taken, given up, killed, told
 * and adopted.  With a real one: test_local*.c. */
#include "unit/executor/local/fake.h"

#include "executor/registry.h"

#define KEY(n) ((struct pingo_job_key){n, 1})

static void start(struct fake *f, int64_t action)
{
    box_start(&f->b, &(struct spec){.action = action, .script = "true"});
}

/* It is in the hands of the supervisor. */
static void start_and_send(struct fake *f, int64_t action)
{
    start(f, action);
    if (f->local->state != PINGO__LOCAL_UP)
        fake_meet(f);
    pingo__executor_link_poll(f->local);
    fake_expect_key(f, PINGO__WIRE_START, action);
}

/* The next scheduler's turn hears what was said. */
static struct pingo_job_end *collect(struct fake *f, int64_t action)
{
    box_collect(&f->b);
    return box_find(&f->b, action, 1);
}

static void make_attempt(struct fake *f, int64_t action, bool is_directory)
{
    char attempt[160], staged[160];
    box_paths(&f->b, KEY(action), attempt, staged, sizeof attempt);
    if (is_directory)
        assert_int_equal(mkdir(attempt, 0755), 0);
    else
        close(open(attempt, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static bool attempt_is_there(struct fake *f, int64_t action)
{
    char attempt[160], staged[160];
    box_paths(&f->b, KEY(action), attempt, staged, sizeof attempt);
    return access(attempt, F_OK) == 0;
}

static void test_client__a_job_that_cannot_be(void **state)
{
    static const char *const none[] = {NULL};
    const struct spec rows[] = {{.action = 1, .argv = none},
                                {.action = 1, .script = "true", .cpus = -1},
                                {.action = 1, .script = "true", .memory_bytes = -1},
                                {.action = 1, .script = "true", .time_limit_ms = -1}};
    struct fake *f = *state;
    struct pingo_error err = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(box_try_start(&f->b, &rows[i], &err), PINGO_EINVAL);
        assert_string_equal(err.message, "test: a job needs a command and at least one cpu");
    }
    assert_null(STAILQ_FIRST(&f->local->out));
    start(f, 1);
    assert_int_equal(box_try_start(&f->b, &(struct spec){.action = 1, .script = "true"}, &err),
                     PINGO_EEXISTS);
    assert_string_equal(err.message, "attempt 1.1 was started before");
    fake_meet(f);
    fake_expect_key(f, PINGO__WIRE_START, 1);
    fake_expect_silence(f);
}

static void test_client__a_job_is_sent_whole(void **state)
{
    struct fake *f = *state;
    struct pingo__runner_job job;
    box_start(&f->b, &(struct spec){.action = 1, .script = "echo x", .cpus = 3});
    box_start(&f->b, &(struct spec){.action = 2, .script = "true", .grew = true});
    fake_meet(f);
    assert_int_equal(pingo__runner_get_job(fake_expect(f, PINGO__WIRE_START), &job), 0);
    assert_int_equal(job.cpus, 3);
    assert_string_equal(job.argv[2], "echo x");
    assert_string_equal(job.output, "output");
    pingo__runner_job_clear(&job);
    fake_expect_key(f, PINGO__WIRE_START_FIRST, 2); /* it goes before the others */
}

static void test_client__what_was_not_sent_never_starts(void **state)
{
    struct fake *f = *state;
    start(f, 1);
    start(f, 2);
    start(f, 3);
    assert_true(box_revoke(&f->b, 1));
    assert_false(attempt_is_there(f, 1)); /* no file tells of it */
    assert_int_equal(f->b.type->kill(f->b.executor, KEY(2), NULL), 0);
    fake_meet(f);
    fake_expect_key(f, PINGO__WIRE_START, 3);
    fake_expect_silence(f);
    const struct pingo_job_end *end = collect(f, 2);
    assert_non_null(end);
    assert_int_equal(end->reason, PINGO_END_KILLED);
    assert_string_equal(end->message, "killed before it started");
    assert_int_equal(f->b.nends, 1);
}

/* Where it was sent the gate tells: a file in the place of the attempt's directory closes it. */
static void test_client__the_gate_of_what_was_sent(void **state)
{
    struct fake *f = *state;
    struct pingo_error err = {0};
    char path[160], staged[160];
    bool revoked = true;
    for (int64_t i = 1; i <= 3; i++)
        start_and_send(f, i);
    assert_true(box_revoke(&f->b, 1));
    assert_true(attempt_is_there(f, 1));
    pingo__executor_link_poll(f->local);
    struct pingo__buffer_reader *body = fake_expect(f, PINGO__WIRE_DROP);
    assert_int_equal(pingo__runner_get_key(body).action, 1);
    box_paths(&f->b, KEY(1), path, staged, sizeof path);
    assert_string_equal(pingo__runner_get_text(body), path);
    assert_true(box_revoke(&f->b, 1)); /* it was before */
    make_attempt(f, 2, true);          /* it passed the gate */
    assert_false(box_revoke(&f->b, 2));
    /* Its end is there, and its directory was used again under another name. */
    fake_end(f, 3, 0);
    assert_false(box_revoke(&f->b, 3));
    assert_false(attempt_is_there(f, 3));
    assert_int_equal(
        f->b.type->revoke(f->b.executor, KEY(2), "/nowhere/at/all/2.1", &revoked, &err), PINGO_EIO);
    assert_false(revoked);
    assert_non_null(strstr(err.message, "cannot be revoked"));
    pingo__executor_link_poll(f->local);
    fake_expect_silence(f);
}

static void test_client__ends_and_starts_are_told(void **state)
{
    static const int64_t started[] = {1, 9};
    struct fake *f = *state;
    start_and_send(f, 1);
    start_and_send(f, 2);
    assert_int_equal(f->b.type->kill(f->b.executor, KEY(2), NULL), 0);
    pingo__executor_link_poll(f->local);
    fake_expect_key(f, PINGO__WIRE_KILL, 2);
    fake_say_keys(f, PINGO__WIRE_STARTED, started, 1);
    fake_say_keys(f, PINGO__WIRE_STARTED, started + 1, 1); /* nobody's here */
    fake_end(f, 1, 7);
    fake_say(f, PINGO__WIRE_BELL, "\2\0\0\0\0\0\0\0", 8);
    f->b.remember = true;
    const struct pingo_job_end *end = NULL;
    while (!end)
        end = collect(f, 1);
    assert_int_equal(end->exit_code, 7);
    assert_int_equal(f->b.nstarted, 1);
    assert_int_equal(f->b.started[0].action, 1);
    assert_in_range(f->b.type->timeout_ms(f->b.executor), 0, 100); /* it is told again */
    size_t repeats = f->b.repeats;
    collect(f, 1);
    assert_int_equal(f->b.repeats, repeats + 1);
    f->b.type->forget(f->b.executor, KEY(1));
    collect(f, 1);
    assert_int_equal(f->b.repeats, repeats + 1);
    assert_in_range(f->b.type->timeout_ms(f->b.executor), 1, 1000); /* one runs yet */
    f->b.type->forget(f->b.executor, KEY(2));
}

/* After a supervisor is gone: what is neither on the next one's list nor in a journal. */
static void test_client__what_a_supervisor_took_along(void **state)
{
    static const int64_t there[] = {4};
    struct fake *f = *state;
    for (int64_t i = 1; i <= 4; i++)
        start_and_send(f, i);
    make_attempt(f, 1, true);
    fake_hang_up(f);
    while (f->local->channel)
        uv_run(&f->local->loop, UV_RUN_ONCE);
    fake_meet(f);
    fake_expect(f, PINGO__WIRE_LIST);
    fake_end(f, 3, 7);
    fake_say_keys(f, PINGO__WIRE_LISTED, there, 1);
    while (f->b.nends < 3)
        box_collect(&f->b);
    struct pingo_job_end *end = box_find(&f->b, 1, 1);
    assert_int_equal(end->reason, PINGO_END_LOST);
    assert_string_equal(end->message, "the supervisor ended while it ran");
    end = box_find(&f->b, 2, 1);
    assert_int_equal(end->reason, PINGO_END_NOT_STARTED);
    assert_string_equal(end->message, "the supervisor ended before it started it");
    end = box_find(&f->b, 3, 1);
    assert_int_equal(end->exit_code, 7);
    box_collect(&f->b);
    assert_int_equal(f->b.nends, 3); /* the fourth runs on */
}

/* Of jobs that an earlier client has started. */
static void test_client__adopts_what_is_there(void **state)
{
    static const int64_t there[] = {1, 2, 7};
    const struct pingo_job_key keys[] = {KEY(2), KEY(3), KEY(4), KEY(5), KEY(1)};
    bool found[5];
    struct fake *f = *state;
    fake_end(f, 3, 7); /* before we came */
    make_attempt(f, 5, true);
    start_and_send(f, 1);
    fake_say_keys(f, PINGO__WIRE_LISTED, there, 3);
    assert_int_equal(f->b.type->adopt(f->b.executor, keys, 5, found, NULL), 0);
    fake_expect(f, PINGO__WIRE_LIST);
    assert_true(found[0]);  /* it is on the list */
    assert_true(found[1]);  /* it has ended */
    assert_true(found[2]);  /* it never began, as is told */
    assert_false(found[3]); /* it began, and nobody has it */
    assert_true(found[4]);  /* it is ours */
    box_collect(&f->b);
    assert_int_equal(f->b.nends, 2);
    assert_int_equal(box_find(&f->b, 3, 1)->exit_code, 7);
    assert_int_equal(box_find(&f->b, 4, 1)->reason, PINGO_END_NOT_STARTED);
    assert_non_null(pingo_jobs_find(f->local->jobs, KEY(2)));
    assert_null(pingo_jobs_find(f->local->jobs, KEY(5)));
}

static void test_client__what_was_read_is_trimmed(void **state)
{
    static const struct pingo_job_key unsettled[] = {{3, 1}};
    struct fake *f = *state;
    f->b.type->trim(f->b.executor, unsettled, 1); /* nobody is there to be told */
    start_and_send(f, 1);
    fake_end(f, 1, 0);
    f->local->rung = f->local->rescan = true;
    assert_non_null(collect(f, 1));
    fake_end(f, 9, 0); /* and is not read yet */
    f->b.type->trim(f->b.executor, unsettled, 1);
    assert_int_equal(f->b.type->timeout_ms(f->b.executor), 0); /* something is to be sent */
    pingo__executor_link_poll(f->local);
    struct pingo__buffer_reader *body = fake_expect(f, PINGO__WIRE_TRIM);
    assert_int_equal(pingo__buffer_read_u32(body), 1);
    assert_int_equal(pingo__runner_get_key(body).action, 3);
    assert_memory_equal(pingo__runner_get_text(body), "journal.", 8);
    assert_int_equal(pingo__buffer_read_u64(body), PINGO__RUNNER_OUTCOME_SIZE);
    assert_true(!body->failed && body->at == body->length);
}

/* Told once; a supervisor that cannot start is tried again later. */
static void test_client__an_error_is_told_once(void **state)
{
    struct fake *f = *state;
    const struct pingo_executor_reports reports = {
        .context = &f->b, .started = box_on_started, .ended = box_on_ended};
    struct pingo_error err = {0};
    assert_int_equal(f->b.type->timeout_ms(f->b.executor), -1); /* there is nothing to do */
    close(f->listener);
    f->listener = -1;
    start(f, 1);
    while (f->local->state == PINGO__LOCAL_SPAWNING)
        uv_run(&f->local->loop, UV_RUN_ONCE);
    assert_int_equal(f->b.type->collect(f->b.executor, &reports, &err), PINGO_EEXECUTOR);
    assert_non_null(strstr(err.message, "nobody is to be started"));
    assert_int_equal(f->b.type->collect(f->b.executor, &reports, &err), 0);
}

/* executor.local.slots and memoryMB, else what is set for all executors, else the machine's. */
static void test_client__settings_of_its_own(void **state)
{
    static const char *const names[] = {"gpus", "licences", "limitMemory", "memoryMB", "slots"};
    static const struct {
        const char *own[5];                               /* by name */
        int64_t slots, memory_bytes;                      /* for all */
        int64_t is_slots, is_bytes, is_gpus, is_licences; /* slots and bytes 0: the machine's */
        bool lets_exceed;
    } rows[] = {
        {{NULL}, 0, 0, 0, 0, 0, 0, false},
        {{NULL}, 3, 5000, 3, 5000, 0, 0, false},
        {{"2", "matlab=7,x=1", "off", "1", "2"}, 3, 5000, 2, 1 << 20, 2, 7, true},
        {{"0", "none", "on", "0", "0"}, 3, 5000, 3, 5000, 0, 0, false},
    };
    struct fake *f = *state;
    struct pingo__executor_values values = {f->b.type->settings, f->b.type->nsettings, NULL};
    struct pingo_executor_context context = {.version = 2,
                                             .store_dir = f->b.store,
                                             .store_id = "test-store",
                                             .pool_dir = f->b.pool,
                                             .helper_dir = f->b.helper,
                                             .settings = &values};
    assert_int_equal(values.n, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(values.rows[i].key, names[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char texts[5][32], *set[5];
        void *executor = NULL;
        for (size_t k = 0; k < 5; k++) {
            snprintf(texts[k], sizeof texts[k], "%s", rows[i].own[k] ? rows[i].own[k] : "");
            set[k] = rows[i].own[k] ? texts[k] : NULL;
        }
        values.texts = set;
        context.slots = rows[i].slots;
        context.memory_bytes = rows[i].memory_bytes;
        assert_int_equal(f->b.type->open(&context, &executor, NULL), 0);
        int64_t slots = f->b.type->slots(executor), bytes = f->b.type->memory_most(executor, NULL);
        assert_true(rows[i].is_slots ? slots == rows[i].is_slots : slots > 0);
        assert_true(rows[i].is_bytes ? bytes == rows[i].is_bytes : bytes > 0);
        assert_int_equal(f->b.type->counted(executor, NULL), rows[i].is_gpus);
        assert_int_equal(f->b.type->counted(executor, "matlab"), rows[i].is_licences);
        assert_int_equal(((struct pingo__executor_local *)executor)->settings.lets_exceed,
                         rows[i].lets_exceed);
        f->b.type->close(executor);
    }
}

/* It comes each second, and who is stopped reads nothing. */
static void test_client__trims_do_not_gather_before_who_does_not_read(void **state)
{
    static struct pingo_job_key unsettled[1000];
    char boot[PINGO__JOURNAL_BOOT_SIZE], name[128];
    struct fake *f = *state;
    size_t waiting = 0;
    assert_int_equal(pingo__executor_journal_boot_id(boot), 0);
    snprintf(name, sizeof name, "%s.%s.1.1.1", PINGO__PLACE_JOURNAL, boot);
    close(openat(f->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    start_and_send(f, 1);
    box_collect(&f->b);
    for (int i = 0; i < 200; i++) {
        f->b.type->trim(f->local, unsettled, 1000);
        pingo__executor_link_poll(f->local);
    }
    struct pingo__executor_local_frame *frame;
    STAILQ_FOREACH(frame, &f->local->out, next)
    waiting++;
    assert_in_range(waiting, 1, 2);
    while (STAILQ_FIRST(&f->local->out) || pingo__executor_channel_unsent(f->local->channel) > 0) {
        fake_expect(f, PINGO__WIRE_TRIM);
        pingo__executor_link_poll(f->local);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_client__##name, fake_set_up, fake_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_job_that_cannot_be),
        TEST(a_job_is_sent_whole),
        TEST(what_was_not_sent_never_starts),
        TEST(the_gate_of_what_was_sent),
        TEST(ends_and_starts_are_told),
        TEST(what_a_supervisor_took_along),
        TEST(adopts_what_is_there),
        TEST(what_was_read_is_trimmed),
        TEST(an_error_is_told_once),
        TEST(settings_of_its_own),
        TEST(trims_do_not_gather_before_who_does_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
