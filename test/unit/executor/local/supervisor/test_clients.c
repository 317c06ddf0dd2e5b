/* test_clients.c - what schedulers say to a supervisor: who is let in, what is obeyed, and whose connection is dropped. */
#include "unit/executor/local/supervisor/made.h"

static bool waits(int64_t action)
{
    const struct pingo__executor_item *item = s.first;
    while (item && item->key.action != action)
        item = item->next;
    return item;
}

static void say_start(struct peer *p, int64_t action)
{
    put_job(begin(p, PINGO__WIRE_START), &(struct spec){.action = action});
    say(p);
}

static void say_drop(struct peer *p, int64_t action, const char *attempt_dir)
{
    struct pingo__buffer *out = begin(p, PINGO__WIRE_DROP);
    pingo__runner_put_key(out, (struct pingo_job_key){action, 1});
    pingo__runner_put_text(out, attempt_dir);
    say(p);
}

/* A start comes back as it was sent. */
static void expect_back(struct peer *p, enum pingo__executor_wire_kind kind, int64_t action)
{
    struct pingo__buffer b = {0};
    put_job(&b, &(struct spec){.action = action});
    struct pingo__buffer_reader body = expect(p, kind);
    assert_int_equal(body.length, b.length);
    assert_memory_equal(body.data, b.data, b.length);
    pingo__buffer_clear(&b);
}

/* The actions that are here, as a client hears it. */
static void expect_listed(struct peer *p, const char *actions)
{
    char text[200] = "";
    begin(p, PINGO__WIRE_LIST);
    say(p);
    struct pingo__buffer_reader body = expect(p, PINGO__WIRE_LISTED);
    while (body.at < body.length)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%lld ",
                 (long long)pingo__runner_get_key(&body).action);
    assert_string_equal(text, actions);
}

static void test_clients__the_newest_sets_the_settings(void **state)
{
    struct peer p = call_in();
    (void)state;
    s.set_serial = 12;
    const struct pingo__executor_wire_settings ours = s.settings;
    s.settings.slots = 100000;
    s.settings.log_bytes = 5;
    put_hello(&p, PINGO__WIRE_VERSION, &s.bounds);
    s.settings = ours;
    say(&p);
    struct pingo__buffer_reader body = expect(&p, PINGO__WIRE_WELCOME);
    assert_int_equal(pingo__buffer_read_u32(&body), PINGO__WIRE_VERSION);
    assert_int_equal(pingo__buffer_read_u64(&body), 12);
    assert_int_equal(s.settings.slots, 65536);
    assert_int_equal(s.settings.log_bytes, 5);
    hang_up(&p);
}

/* It is told ours, so that it can say so; nothing of what it sends is read by a meaning that it may not have. */
static void test_clients__of_another_version(void **state)
{
    struct peer p = call_in();
    (void)state;
    pingo__buffer_u32(begin(&p, PINGO__WIRE_HELLO), PINGO__WIRE_VERSION + 1);
    pingo__buffer_text(&p.out, "what comes in 2030");
    say(&p);
    struct pingo__buffer_reader body = expect(&p, PINGO__WIRE_WELCOME);
    assert_int_equal(pingo__buffer_read_u32(&body), PINGO__WIRE_VERSION);
    say_start(&p, 1);
    expect_dropped(&p);
    assert_false(waits(1));
    hang_up(&p);
}

static void test_clients__who_is_not_understood_is_dropped(void **state)
{
    static const enum pingo__executor_wire_kind kinds[] = {
        PINGO__WIRE_HELLO,  PINGO__WIRE_START,
        PINGO__WIRE_DROP,   PINGO__WIRE_KILL,
        PINGO__WIRE_TRIM,   PINGO__WIRE_START_FIRST,
        PINGO__WIRE_LISTED, (enum pingo__executor_wire_kind)99};
    struct peer other = greet(), p = call_in();
    (void)state;
    say_start(&p, 1); /* before it said hello */
    expect_dropped(&p);
    hang_up(&p);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        p = greet();
        pingo__buffer_text(begin(&p, kinds[i]), "x");
        say(&p);
        expect_dropped(&p);
        hang_up(&p);
    }
    p = greet();
    say_drop(&p, 1, "attempts/1.1"); /* it would be looked for where we happen to work */
    expect_dropped(&p);
    hang_up(&p);
    assert_null(s.first);
    expect_listed(&other, ""); /* and nobody else is */
    assert_null(s.clients->next);
    hang_up(&other);
}

static void test_clients__a_list_has_all(void **state)
{
    struct peer p = greet();
    (void)state;
    for (int64_t i = 1; i <= 4; i++)
        say_start(&p, i);
    expect_listed(&p, "1 2 3 4 ");
    make_ghost(3);
    put_in_hand(1, 1);
    expect_listed(&p, "2 4 3 1 ");
    take_from_hand(1);
    hang_up(&p);
}

/* What one has sent counts, also when it died right after: who asks next must not hear that it is not here. */
static void test_clients__the_words_of_the_dead_count(void **state)
{
    struct peer dead = greet(), p = greet();
    (void)state;
    say_start(&dead, 1);
    hang_up(&dead);
    expect_listed(&p, "1 ");
    for (int i = 2; i <= 3;
         i++) { /* the same where it is killed or dropped, and nobody has turned the loop */
        dead = greet();
        say_start(&dead, i);
        hang_up(&dead);
        if (i == 2)
            say_key(&p, PINGO__WIRE_KILL, 2);
        else
            say_drop(&p, 3, attempt_of(3));
        pingo__executor_channel_read(s.clients->next->channel);
        turn();
        assert_false(waits(i));
    }
    assert_int_equal(ends_of(2, NULL), 1);
    assert_int_equal(ends_of(3, NULL), 0);
    hang_up(&p);
}

static void test_clients__kill(void **state)
{
    struct peer p = greet();
    struct pingo_job_end end;
    (void)state;
    say_start(&p, 1);
    say_key(&p, PINGO__WIRE_KILL, 1);
    say_key(&p, PINGO__WIRE_KILL, 2); /* nobody knows it */
    expect_listed(&p, "");
    assert_int_equal(ends_of(1, &end), 1);
    assert_int_equal(end.reason, PINGO_END_KILLED);
    assert_true(s.rings);
    assert_int_equal(ends_of(2, NULL), 0);
    hang_up(&p);
}

/* One that a worker has is the worker's to find; the file stays, so that it cannot start. */
static void test_clients__drop(void **state)
{
    struct peer p = greet();
    (void)state;
    for (int64_t i = 1; i <= 3; i++)
        make_file(attempt_of(i), "");
    say_start(&p, 1);
    say_start(&p, 2);
    expect_listed(&p, "1 2 ");
    put_in_hand(0, 2);
    for (int64_t i = 1; i <= 3; i++)
        say_drop(&p, i, attempt_of(i));
    expect_listed(&p, "2 ");
    assert_int_equal(access(attempt_of(1), F_OK), -1);
    assert_int_equal(access(attempt_of(2), F_OK), 0);
    assert_int_equal(access(attempt_of(3), F_OK), -1);
    assert_int_equal(ends_of(1, NULL), 0); /* who revoked it knows */
    take_from_hand(0);
    hang_up(&p);
}

/* Under stricter limits than a client's it starts nothing more, and ends when nothing runs. */
static void test_clients__making_way(void **state)
{
    struct pingo__executor_bounds theirs = s.bounds;
    struct peer first = greet(), p = call_in();
    (void)state;
    s.bounds.nice = theirs.nice + 3;
    say_start(&first, 1);
    expect_listed(&first, "1 ");
    put_in_hand(0, 1);
    put_hello(&p, PINGO__WIRE_VERSION, &theirs);
    say(&p);
    expect(&p, PINGO__WIRE_WELCOME);
    struct pingo__buffer_reader body = expect(&p, PINGO__WIRE_TROUBLE);
    assert_int_equal(pingo__buffer_read_u8(&body), PINGO__TROUBLE_ENDS);
    assert_non_null(strstr(pingo__runner_get_text(&body), "stricter limit than this one (nice)"));
    assert_true(s.retires);
    assert_false(s.ending);
    take_from_hand(0);
    struct peer later = call_in();
    s.retires = false;
    s.trouble[0] = '\0';
    put_hello(&later, PINGO__WIRE_VERSION, &theirs);
    say(&later);
    expect_dropped(&later); /* nothing runs: nobody is let in */
    assert_true(s.ending);
    hang_up(&first);
    hang_up(&p);
    hang_up(&later);
}

/* From who is in another container it starts nothing, and gives back what waits; who starts nothing may be where he wants. */
static void test_clients__making_way_for_other_files(void **state)
{
    struct pingo__executor_bounds theirs = s.bounds;
    struct peer first = greet(), p = call_in();
    (void)state;
    struct peer dead = greet();
    say_start(&dead, 6);
    expect_listed(&dead, "6 ");
    hang_up(&dead);
    say_start(&first, 7);
    say_start(&first, 8);
    expect_listed(&first, "6 7 8 ");
    put_in_hand(0, 7);
    put_job(begin(&first, PINGO__WIRE_START_FIRST), &(struct spec){.action = 9});
    say(&first);
    theirs.view++;
    put_hello(&p, PINGO__WIRE_VERSION, &theirs);
    say(&p);
    expect(&p, PINGO__WIRE_WELCOME);
    expect_listed(&p, "9 6 8 7 ");
    assert_false(s.retires);
    say_start(&p, 1);
    struct pingo__buffer_reader body = expect(&p, PINGO__WIRE_TROUBLE);
    assert_int_equal(pingo__buffer_read_u8(&body), PINGO__TROUBLE_ENDS);
    assert_non_null(strstr(pingo__runner_get_text(&body), "it is in another container"));
    expect_back(&p, PINGO__WIRE_START, 1);
    assert_true(s.retires);
    assert_false(s.ending);
    expect(&first, PINGO__WIRE_TROUBLE);
    expect_back(&first, PINGO__WIRE_START_FIRST, 9);
    expect_back(&first, PINGO__WIRE_START, 8);
    say_start(&first, 10);
    expect_back(&first, PINGO__WIRE_START, 10);
    expect_listed(&first, "7 ");
    take_from_hand(0);
    hang_up(&first);
    hang_up(&p);
}

/* So does what it had been sent when it ended, and nothing gets lost after that. */
static void test_clients__what_is_on_its_way_at_the_end(void **state)
{
    struct peer p = greet(), other = greet();
    (void)state;
    s.retires = true;
    say_start(&p, 1);
    say_start(&other, 2);
    pingo__executor_clients_hang_up(&s);
    assert_int_equal(send(p.fd, "x", 1, MSG_NOSIGNAL), -1);
    expect_back(&p, PINGO__WIRE_START, 1);
    expect_back(&other, PINGO__WIRE_START, 2);
    expect_dropped(&p);
    expect_dropped(&other);
    hang_up(&p);
    hang_up(&other);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_clients__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_newest_sets_the_settings),
        TEST(making_way_for_other_files),
        TEST(of_another_version),
        TEST(who_is_not_understood_is_dropped),
        TEST(a_list_has_all),
        TEST(the_words_of_the_dead_count),
        TEST(kill),
        TEST(drop),
        TEST(making_way),
        TEST(what_is_on_its_way_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
