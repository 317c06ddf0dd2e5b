/* test_link.c - a client's connection: what it says and when, what it makes of a supervisor that lies, leaves or does not
 * start, and what can be taken back. */
#include "unit/executor/local/fake.h"

#define KEY(n) ((struct pingo_job_key){n, 1})

/* A frame that starts a job: its key, and so many bytes. */
static void queue(struct fake *f, int64_t action, size_t n)
{
    struct pingo__executor_local_frame *frame = pingo__executor_frame_begin(PINGO__WIRE_START);
    assert_non_null(frame);
    frame->key = KEY(action);
    pingo__runner_put_key(&frame->bytes, frame->key);
    for (size_t i = 0; i < n; i++)
        pingo__buffer_u8(&frame->bytes, 0);
    assert_true(pingo__executor_frames_append(&f->local->out, frame));
    assert_non_null(pingo_jobs_add(f->local->jobs, frame->key));
}

static bool take_back(struct fake *f, struct pingo_job_key key)
{
    return pingo__executor_frames_take(&f->local->out, key) ||
           pingo__executor_frames_take(&f->local->back, key);
}

static struct pingo__executor_local_job *job(struct fake *f, int64_t action)
{
    return pingo_jobs_find(f->local->jobs, KEY(action));
}

static void test_link__nothing_is_sent_before_the_welcome(void **state)
{
    struct fake *f = *state;
    struct pingo__executor_wire_settings settings;
    struct pingo__executor_bounds ours, sent;
    pingo__executor_link_advance(f->local);
    assert_int_equal(f->local->state, PINGO__LOCAL_DOWN); /* there is nothing to be connected for */
    assert_false(pingo__executor_link_is_wanted(f->local));
    queue(f, 1, 0);
    assert_true(pingo__executor_link_is_wanted(f->local));
    pingo__executor_link_advance(f->local);
    assert_int_equal(f->local->state, PINGO__LOCAL_GREETING);
    fake_accept(f);
    struct pingo__buffer_reader *body = fake_expect(f, PINGO__WIRE_HELLO);
    assert_int_equal(pingo__buffer_read_u32(body), PINGO__WIRE_VERSION);
    assert_true(pingo__executor_wire_get_settings(body, &settings));
    assert_int_equal(settings.slots, f->b.slots);
    assert_int_equal(settings.grace_ms, f->b.grace_ms);
    assert_true(pingo__executor_bounds_get(body, &sent));
    pingo__executor_bounds_read(&ours);
    assert_memory_equal(&sent, &ours, sizeof ours);
    pingo__executor_link_poll(f->local);
    fake_expect_silence(f);
    assert_int_equal(job(f, 1)->link, 0);
    f->local->rung = f->local->rescan = false;
    fake_welcome(f, PINGO__WIRE_VERSION, 5);
    pingo__executor_link_poll(f->local);
    fake_expect_key(f, PINGO__WIRE_START, 1);
    assert_int_equal(job(f, 1)->link, f->local->link);
    assert_true(f->local->rung && f->local->rescan); /* ends may have come before */
    assert_int_equal(f->local->set_serial, 5);
    fake_expect_silence(f);
}

static void test_link__of_another_version(void **state)
{
    struct fake *f = *state;
    char byte, words[80];
    queue(f, 1, 0);
    pingo__executor_link_advance(f->local);
    fake_accept(f);
    fake_expect(f, PINGO__WIRE_HELLO);
    fake_welcome(f, PINGO__WIRE_VERSION + 1, 5);
    pingo__executor_link_poll(f->local);
    assert_int_equal(recv(f->fd, &byte, 1, 0), 0);
    assert_int_equal(f->local->state, PINGO__LOCAL_DOWN);
    assert_int_equal(f->local->failure.code, PINGO_EEXECUTOR);
    snprintf(words, sizeof words, "is of another version of Pingo (it speaks %u, this program %u)",
             PINGO__WIRE_VERSION + 1, PINGO__WIRE_VERSION);
    assert_non_null(strstr(f->local->failure.message, words));
    assert_true(!f->local->failure_told && f->local->waiting);
    assert_true(uv_timer_get_due_in(&f->local->retry) > 5000); /* asked sooner it would never end */
    assert_int_equal(job(f, 1)->link, 0);                      /* it was not sent */
}

/* A wrong frame costs the connection, and nothing else. */
static void test_link__a_supervisor_that_lies(void **state)
{
    static const struct {
        enum pingo__executor_wire_kind kind;
        const char *body;
        size_t n;
    } rows[] = {
        {PINGO__WIRE_STARTED, "123456789012345", 15},
        {PINGO__WIRE_STARTED, "12345678901234567890123456789012", 32},
        {PINGO__WIRE_STARTED, "", 0},
        {PINGO__WIRE_BELL, "1234567", 7},
        {PINGO__WIRE_LISTED, "1234567890123456", 16}, /* nobody has asked */
        {PINGO__WIRE_WELCOME, "\4\0\0\0", 4},
        {PINGO__WIRE_TROUBLE, "", 0},
        {PINGO__WIRE_TROUBLE, "\1\2\0\0\0aa", 7}, /* a text without an end */
        {PINGO__WIRE_TROUBLE, "\5\2\0\0\0a", 7},  /* of no kind that we know */
        {PINGO__WIRE_START, "", 0},               /* a word of ours */
        {(enum pingo__executor_wire_kind)250, "", 0},
    };
    struct fake *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char byte;
        f->nlogs = 0;
        queue(f, 1, 0);
        fake_meet(f);
        fake_expect_key(f, PINGO__WIRE_START, 1);
        fake_say(f, rows[i].kind, rows[i].body, rows[i].n);
        uv_run(&f->local->loop, UV_RUN_NOWAIT);
        if (f->local->channel || recv(f->fd, &byte, 1, 0) != 0)
            fail_msg("row %zu", i);
        assert_int_equal(f->local->state, PINGO__LOCAL_DOWN);
        assert_string_equal(f->logged, "the connection with the local supervisor ended");
        assert_int_equal(f->nlogs, 1);
        pingo_jobs_remove(f->local->jobs, KEY(1));
        fake_hang_up(f);
        box_collect(&f->b); /* whatever was said, it ends */
        assert_int_equal(f->b.nstarted, 0);
    }
}

static void test_link__bells_and_notices(void **state)
{
    struct fake *f = *state;
    static const int64_t actions[] = {1};
    queue(f, 1, 0);
    fake_meet(f);
    f->local->rung = f->local->rescan = false;
    fake_say(f, PINGO__WIRE_BELL, "\1\0\0\0\0\0\0\0", 8); /* of the same set of journals */
    pingo__executor_link_poll(f->local);
    assert_true(f->local->rung && !f->local->rescan);
    fake_say(f, PINGO__WIRE_BELL, "\2\0\0\0\0\0\0\0", 8);
    pingo__executor_link_poll(f->local);
    assert_true(f->local->rescan);
    assert_int_equal(f->local->set_serial, 2);
    fake_say_keys(f, PINGO__WIRE_STARTED, actions, 1);
    fake_say_keys(f, PINGO__WIRE_STARTED, actions, 1);
    pingo__executor_link_poll(f->local);
    assert_int_equal(f->local->started.length, 32);
    fake_say_trouble(f, PINGO__TROUBLE_NOTE, "a word");
    pingo__executor_link_poll(f->local);
    assert_string_equal(f->logged, "a word");
}

/* What was sent on a connection that broke is not sent again: the next list tells. */
static void test_link__after_a_break_the_list_is_asked_for(void **state)
{
    struct fake *f = *state;
    static const int64_t there[] = {1, 7};
    queue(f, 1, 0);
    queue(f, 2, 0);
    fake_meet(f);
    fake_expect_key(f, PINGO__WIRE_START, 1);
    fake_expect_key(f, PINGO__WIRE_START, 2);
    assert_false(pingo__executor_local_is_unsure(f->local, job(f, 1)));
    fake_hang_up(f);
    while (f->local->channel)
        uv_run(&f->local->loop, UV_RUN_ONCE);
    queue(f, 3, 0);
    fake_meet(f);
    assert_true(pingo__executor_local_is_unsure(f->local, job(f, 1)));
    assert_false(pingo__executor_local_is_unsure(f->local, job(f, 3)));
    fake_expect(f, PINGO__WIRE_LIST);
    fake_expect_key(f, PINGO__WIRE_START, 3);
    assert_false(f->local->listed);
    fake_say_keys(f, PINGO__WIRE_LISTED, there, 2);
    pingo__executor_link_poll(f->local);
    assert_true(f->local->listed);
    pingo__executor_link_mark_listed(f->local);
    assert_false(pingo__executor_local_is_unsure(f->local, job(f, 1)));
    assert_true(pingo__executor_local_is_unsure(f->local, job(f, 2)));
}

static void test_link__what_was_not_sent_is_taken_back(void **state)
{
    enum { N = 64 };
    struct fake *f = *state;
    for (int64_t i = 1; i <= 4; i++)
        queue(f, i, 0);
    assert_true(take_back(f, KEY(4))); /* the last, */
    assert_true(take_back(f, KEY(1))); /* the first, */
    assert_false(take_back(f, KEY(1)));
    queue(f, 5, 0);
    assert_true(take_back(f, KEY(3))); /* one between */
    fake_meet(f);
    fake_expect_key(f, PINGO__WIRE_START, 2);
    fake_expect_key(f, PINGO__WIRE_START, 5);
    fake_expect_silence(f);
    assert_false(take_back(f, KEY(2)));
    assert_null(STAILQ_FIRST(&f->local->out));
    /* A supervisor that does not read is not sent more than it takes. */
    for (int64_t i = 0; i < N; i++)
        queue(f, 100 + i, 65536);
    pingo__executor_link_poll(f->local);
    assert_false(take_back(f, KEY(100)));
    assert_true(take_back(f, KEY(100 + N - 1)));
    assert_true(pingo__executor_channel_unsent(f->local->channel) < 4 * 65536);
    for (int64_t i = 0; i < N - 1; i++) {
        pingo__executor_link_poll(f->local);
        fake_expect_key(f, PINGO__WIRE_START, 100 + i);
    }
    fake_expect_silence(f);
}

/* What a supervisor that makes way gives back is for the next one, and goes before what has come since. */
static void test_link__what_comes_back(void **state)
{
    struct fake *f = *state;
    for (int64_t i = 1; i <= 5; i++)
        queue(f, i, 0);
    fake_meet(f);
    for (int64_t i = 1; i <= 5; i++)
        fake_expect_key(f, PINGO__WIRE_START, i);
    assert_int_equal(f->b.type->kill(f->local, KEY(3), NULL),
                     0); /* on their ways they pass each other */
    pingo_jobs_remove(f->local->jobs, KEY(4));
    for (int64_t i = 1; i <= 4; i++)
        fake_say_keys(f, i == 2 ? PINGO__WIRE_START_FIRST : PINGO__WIRE_START, &i, 1);
    pingo__executor_link_poll(f->local);
    fake_expect_key(f, PINGO__WIRE_KILL, 3);
    fake_expect_silence(f); /* not to this one */
    assert_true(pingo_jobs_has_ended(job(f, 3)));
    assert_true(take_back(f, KEY(1)));
    fake_say_keys(f, PINGO__WIRE_START, (int64_t[]){5}, 1);
    fake_say_trouble(f, PINGO__TROUBLE_ENDS, "why");
    fake_hang_up(f);
    while (f->local->channel)
        uv_run(&f->local->loop, UV_RUN_ONCE);
    queue(f, 6, 0);
    fake_meet(f);
    fake_expect_key(f, PINGO__WIRE_START_FIRST, 2);
    fake_expect_key(f, PINGO__WIRE_START, 5);
    fake_expect_key(f, PINGO__WIRE_START, 6);
    fake_expect_silence(f);
    assert_int_equal(job(f, 2)->link, f->local->link);
    fake_say_keys(f, PINGO__WIRE_START, (int64_t[]){6},
                  1); /* it stays so when the client is closed */
    pingo__executor_link_poll(f->local);
}

/* What a supervisor said before it stopped listening is heard, and what it did not get is for the next one. */
static void test_link__what_does_not_get_out(void **state)
{
    struct fake *f = *state;
    queue(f, 1, 0);
    fake_meet(f);
    fake_expect_key(f, PINGO__WIRE_START, 1);
    fake_say_keys(f, PINGO__WIRE_START, (int64_t[]){1}, 1);
    assert_int_equal(shutdown(f->fd, SHUT_RD), 0);
    queue(f, 2, 0);
    queue(f, 3, 0);
    pingo__executor_link_poll(f->local);
    fake_hang_up(f);
    while (f->local->channel)
        uv_run(&f->local->loop, UV_RUN_ONCE);
    fake_meet(f);
    for (int64_t i = 1; i <= 3; i++)
        fake_expect_key(f, PINGO__WIRE_START, i);
    /* Cut off in the middle of a frame. */
    queue(f, 4, 65536 * 16);
    queue(f, 5, 0);
    pingo__executor_link_poll(f->local);
    assert_true(pingo__executor_channel_unsent(f->local->channel) > 0);
    fake_hang_up(f);
    while (f->local->channel)
        uv_run(&f->local->loop, UV_RUN_ONCE);
    fake_meet(f);
    fake_expect(f, PINGO__WIRE_LIST);
    fake_say_keys(f, PINGO__WIRE_LISTED, NULL, 0);
    do {
        pingo__executor_link_poll(f->local);
        pingo__executor_inbox_fill(&f->in, f->fd, false);
    } while (STAILQ_FIRST(&f->local->out) || pingo__executor_channel_unsent(f->local->channel) > 0);
    fake_expect_key(f, PINGO__WIRE_START, 4);
    fake_expect_key(f, PINGO__WIRE_START, 5);
    assert_true(pingo__executor_local_is_unsure(f->local, job(f, 3)));
    assert_false(pingo__executor_local_is_unsure(f->local, job(f, 4)));
}

static void test_link__who_makes_way(void **state)
{
    static const struct {
        enum pingo__executor_wire_trouble trouble;
        const char *logged;
        bool waits; /* before it connects again */
    } rows[] = {
        {PINGO__TROUBLE_OVER, "the connection with the local supervisor ended", false},
        {PINGO__TROUBLE_ENDS, "the local supervisor makes way: why", false},
        {PINGO__TROUBLE_YIELD, "the local supervisor makes way: why", true},
    };
    struct fake *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f->nlogs = 0;
        f->local->way[0] = '\0';
        queue(f, 1, 0);
        fake_meet(f);
        fake_expect_key(f, PINGO__WIRE_START, 1);
        fake_say_trouble(f, rows[i].trouble, "why");
        fake_hang_up(f);
        while (f->local->channel)
            uv_run(&f->local->loop, UV_RUN_ONCE);
        assert_int_equal(f->local->state, PINGO__LOCAL_DOWN);
        assert_int_equal(f->local->waiting, rows[i].waits);
        assert_string_equal(f->logged, rows[i].logged);
        assert_int_equal(f->nlogs, 1);
        assert_int_equal(f->local->failure.code, 0);
        pingo_jobs_remove(f->local->jobs, KEY(1));
    }
}

static void test_link__it_ends_before_it_answers(void **state)
{
    struct fake *f = *state;
    queue(f, 1, 0);
    pingo__executor_link_advance(f->local);
    fake_accept(f);
    fake_hang_up(f);
    while (f->local->channel)
        uv_run(&f->local->loop, UV_RUN_ONCE);
    assert_true(f->local->waiting && f->local->hindered_ms);
    assert_non_null(
        strstr(f->local->failure.message, "it ended the connection before it answered"));
    assert_int_equal(f->nlogs, 0);
    pingo__executor_link_advance(f->local); /* not before its time */
    assert_int_equal(f->local->state, PINGO__LOCAL_DOWN);
    f->local->waiting = false; /* that has come */
    fake_meet(f);
    assert_int_equal(f->local->failure.code, 0);
    assert_int_equal(f->local->hindered_ms, 0);
}

/* Where nobody listens a supervisor is started, and says how that goes. */
static void test_link__a_supervisor_that_does_not_start(void **state)
{
    static const struct {
        const char *script, *message; /* NULL: it is tried again at once */
        bool passes;
    } rows[] = {
        {"echo no pool >&3", ": no pool", false},
        {"printf 'no pool' >&3", ": no pool", false},
        {"echo wait: no room >&3", ": no room", true},
        {"exit 1", NULL, false},
        {"exit 1", ": it ended before it was ready", false},
        {"printf %0600d 0 >&3", ": 000", false},
        {"echo ok >&3", NULL, false},
    };
    struct fake *f = *state;
    struct pingo_error err = {0};
    close(f->listener);
    f->listener = -1;
    queue(f, 1, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f->local->failure.code = 0;
        f->local->failure.message[0] = '\0';
        fake_helper(f, rows[i].script);
        f->local->waiting = false;
        pingo__executor_link_advance(f->local);
        while (f->local->state == PINGO__LOCAL_SPAWNING)
            uv_run(&f->local->loop, UV_RUN_ONCE);
        assert_int_equal(f->local->state, PINGO__LOCAL_DOWN);
        assert_int_equal(f->local->waiting, rows[i].message != NULL);
        assert_int_equal(f->local->failure.code, rows[i].message ? PINGO_EEXECUTOR : 0);
        if (rows[i].message && !strstr(f->local->failure.message, rows[i].message))
            fail_msg("%s: %s", rows[i].script, f->local->failure.message);
        assert_int_equal(f->local->hindered_ms != 0, rows[i].passes);
        pingo__executor_trouble_forget(f->local);
    }
    /* One that asks hears it too, and waits no longer. */
    fake_helper(f, "echo no pool >&3");
    f->local->waiting = false;
    assert_int_equal(pingo__executor_link_ask(f->local, 60000, &err), PINGO_EEXECUTOR);
    assert_non_null(strstr(err.message, f->b.store));
    assert_non_null(strstr(err.message, ": no pool"));
    assert_true(f->local->failure_told);
    /* Who asks later tries it anew. */
    fake_helper(f, "echo no disk >&3");
    f->local->waiting = false;
    assert_int_equal(pingo__executor_link_ask(f->local, 60000, &err), PINGO_EEXECUTOR);
    assert_non_null(strstr(err.message, ": no disk"));
}

/* Nobody is kept for as long as it takes, and that is no error. */
static void test_link__a_supervisor_that_waits(void **state)
{
    struct fake *f = *state;
    struct pingo_error err = {0};
    char script[4400];
    close(f->listener);
    f->listener = -1;
    queue(f, 1, 0);
    snprintf(
        script, sizeof script,
        "(printf 'note: one\\nnote: ' >&3; echo two >&3; until [ -e %s/go ]; do sleep 0.01; done; "
        "echo ok >&3) &",
        f->b.root);
    fake_helper(f, script);
    pingo__executor_link_advance(f->local);
    while (f->nlogs < 2)
        uv_run(&f->local->loop, UV_RUN_ONCE);
    assert_non_null(strstr(f->logged, ": two"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pingo__executor_link_ask(f->local, 60000, &err), PINGO_EAWAY);
        assert_int_equal(f->local->state, PINGO__LOCAL_SPAWNING);
        box_collect(&f->b);
    }
    assert_int_equal(f->nlogs, 2); /* who has asked tells it */
    assert_non_null(strstr(err.message, ": two"));
    snprintf(script, sizeof script, "%s/go", f->b.root);
    close(open(script, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    while (f->local->state == PINGO__LOCAL_SPAWNING)
        uv_run(&f->local->loop, UV_RUN_ONCE);
    assert_int_equal(f->local->state, PINGO__LOCAL_DOWN);
    assert_false(f->local->waiting);
    assert_false(pingo__executor_trouble_is_final(f->local)); /* who asks now gets an answer */
}

static void test_link__a_list_is_asked_for(void **state)
{
    static const int64_t there[] = {1};
    struct fake *f = *state;
    queue(f, 1, 0);
    fake_meet(f);
    fake_expect_key(f, PINGO__WIRE_START, 1);
    fake_say_keys(f, PINGO__WIRE_LISTED, there, 1); /* read when it was asked for */
    assert_int_equal(pingo__executor_link_ask(f->local, 60000, NULL), 0);
    fake_expect(f, PINGO__WIRE_LIST);
    assert_true(f->local->listed);
    assert_int_equal(f->local->keys.length, 16);
    fake_say_keys(f, PINGO__WIRE_LISTED, NULL, 0);
    assert_int_equal(pingo__executor_link_ask(f->local, 60000, NULL), 0);
    assert_int_equal(f->local->keys.length, 0);
    fake_expect(f, PINGO__WIRE_LIST);
    f->local->asked_ms = 0;
    pingo__executor_link_prod(f->local);
    fake_expect(f, PINGO__WIRE_LIST);
    assert_true(f->local->asked_ms > 0);
    pingo__executor_link_prod(f->local); /* the answer is on its way */
    fake_expect_silence(f);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_link__##name, fake_set_up, fake_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_sent_before_the_welcome),
        TEST(of_another_version),
        TEST(a_supervisor_that_lies),
        TEST(bells_and_notices),
        TEST(after_a_break_the_list_is_asked_for),
        TEST(what_was_not_sent_is_taken_back),
        TEST(what_comes_back),
        TEST(what_does_not_get_out),
        TEST(who_makes_way),
        TEST(it_ends_before_it_answers),
        TEST(a_supervisor_that_does_not_start),
        TEST(a_supervisor_that_waits),
        TEST(a_list_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
