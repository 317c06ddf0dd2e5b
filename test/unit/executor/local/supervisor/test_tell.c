/* test_tell.c - what clients are told without having asked: bells, starts, and why nothing starts. */
#include "unit/executor/local/supervisor/made.h"

static void expect_trouble(struct peer *p, enum pingo__executor_wire_trouble kind, const char *text)
{
    struct pingo__buffer_reader body = expect(p, PINGO__WIRE_TROUBLE);
    assert_int_equal(pingo__buffer_read_u8(&body), kind);
    const char *said = pingo__runner_get_text(&body);
    assert_non_null(said);
    assert_string_equal(said, text);
    assert_int_equal(body.at, body.length);
}

/* Who has not said hello is told nothing. */
static void test_tell__each_one_that_was_let_in(void **state)
{
    const struct pingo_job_key key = {5, 2};
    struct peer a = greet(), b = greet(), stranger = call_in();
    (void)state;
    turn();
    s.set_serial = 77;
    pingo__executor_clients_ring(&s);
    pingo__executor_clients_tell_started(&s, key);
    struct peer *both[] = {&a, &b};
    for (size_t i = 0; i < 2; i++) {
        struct pingo__buffer_reader body = expect(both[i], PINGO__WIRE_BELL);
        assert_int_equal(pingo__buffer_read_u64(&body), 77);
        body = expect(both[i], PINGO__WIRE_STARTED);
        assert_true(pingo__runner_key_is(pingo__runner_get_key(&body), key));
        expect_nothing(both[i]);
    }
    expect_nothing(&stranger);
    hang_up(&a);
    hang_up(&b);
    hang_up(&stranger);
}

/* With jobs that wait, what ends is told together; else at once, for somebody may wait for it. */
static void test_tell__bells_are_gathered_while_jobs_wait(void **state)
{
    struct peer p = greet();
    (void)state;
    add(&(struct spec){.action = 1});
    uv_update_time(&s.loop);
    s.rung_ms = uv_now(&s.loop);
    pingo__executor_clients_ring(&s);
    pingo__executor_clients_ring(&s);
    assert_true(uv_is_active((uv_handle_t *)&s.bell));
    assert_in_range(uv_timer_get_due_in(&s.bell), 1, 20);
    assert_int_equal(p.in.bytes.length, p.in.at); /* nothing was sent yet */
    while (uv_is_active((uv_handle_t *)&s.bell))
        uv_run(&s.loop, UV_RUN_ONCE);
    expect(&p, PINGO__WIRE_BELL);
    expect_nothing(&p);
    pingo__executor_item_free(pingo__executor_queue_take(&s, (struct pingo_job_key){1, 1}));
    s.rung_ms = uv_now(&s.loop);
    pingo__executor_clients_ring(&s);
    assert_false(uv_is_active((uv_handle_t *)&s.bell));
    expect(&p, PINGO__WIRE_BELL);
    hang_up(&p);
}

static void test_tell__trouble_once(void **state)
{
    struct peer p = greet();
    (void)state;
    pingo__executor_clients_tell_trouble(&s, "");
    expect_nothing(&p);
    pingo__executor_clients_tell_trouble(&s, "no process");
    pingo__executor_clients_tell_trouble(&s, "no process");
    expect_trouble(&p, PINGO__TROUBLE_PASSES, "no process");
    expect_nothing(&p);
    struct peer later = greet();
    expect_trouble(&later, PINGO__TROUBLE_PASSES, "no process");
    pingo__executor_clients_note(&s, "a word");
    expect_trouble(&p, PINGO__TROUBLE_NOTE, "a word");
    pingo__executor_clients_tell_trouble(&s, "");
    expect_trouble(&p, PINGO__TROUBLE_OVER, "");
    expect_nothing(&p);
    hang_up(&p);
    hang_up(&later);
}

/* The next supervisor is to be started by who has the looser limits. */
static void test_tell__who_is_to_start_the_next(void **state)
{
    struct peer strict = greet(), loose = greet();
    (void)state;
    s.wanted = s.bounds;
    s.clients->bounds = s.wanted; /* the last one that came */
    s.clients->next->bounds = s.wanted;
    s.clients->next->bounds.nice++;
    s.retires = true;
    pingo__executor_clients_tell_trouble(&s, "another comes");
    expect_trouble(&strict, PINGO__TROUBLE_YIELD, "another comes");
    expect_trouble(&loose, PINGO__TROUBLE_ENDS, "another comes");
    s.clients->bounds.view++;
    pingo__executor_clients_tell_trouble(&s, "once more");
    expect_trouble(&strict, PINGO__TROUBLE_YIELD, "once more");
    expect_trouble(&loose, PINGO__TROUBLE_YIELD, "once more");
    hang_up(&strict);
    hang_up(&loose);
}

/* Who does not read is sent no more hints, so that they do not fill our memory; who died is let go. */
static void test_tell__the_deaf_and_the_dead(void **state)
{
    struct peer deaf = greet(), other = greet(), dead = greet();
    struct pingo__executor_channel *channel = s.clients->next->next->channel;
    char *text = malloc(100001);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', 100000);
    text[100000] = '\0';
    s.clients->next->greeted = s.clients->greeted = false; /* only the deaf one hears of this */
    while (pingo__executor_channel_unsent(channel) <= 1 << 20)
        pingo__executor_clients_note(&s, text);
    s.clients->next->greeted = s.clients->greeted = true;
    size_t unsent = pingo__executor_channel_unsent(channel);
    hang_up(&dead);
    for (int i = 0; i < 3; i++)
        pingo__executor_clients_ring(&s);
    assert_int_equal(pingo__executor_channel_unsent(channel), unsent);
    expect(&other, PINGO__WIRE_BELL);
    assert_non_null(s.clients->next);
    assert_null(s.clients->next->next);
    hang_up(&deaf);
    hang_up(&other);
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_tell__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_one_that_was_let_in),
        TEST(bells_are_gathered_while_jobs_wait),
        TEST(trouble_once),
        TEST(who_is_to_start_the_next),
        TEST(the_deaf_and_the_dead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
