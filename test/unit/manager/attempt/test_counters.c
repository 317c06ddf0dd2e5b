/* test_counters.c - GPUs and licences: held from the claim to the end, by whom there is room for, in order. */
#include "unit/engine/box.h"

#include "manager/attempt/counters.h"

/* 0: it was not handed out. */
static bool is_out(struct box *b, const char *name)
{
    return fake_job(&b->fake, name) != NULL;
}

#define ACTION(id, resources)                                                                      \
    "{'id':" #id ",'name':'a" #id "','type':'command-line','command':': " #id                      \
    "','resources':{" resources "}}"

static void submit(struct box *b, const char *actions)
{
    char text[4096];
    snprintf(text, sizeof text, "{'name':'w','actions':[%s]}", actions);
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    box_submit(b, text);
}

static void test_counters__are_held_to_the_end(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.counted = 2;
    submit(b, ACTION(1, "'gpus':2") "," ACTION(2, "'licences':{'x':2}") "," ACTION(3, ""));
    box_tick(b);
    assert_true(is_out(b, "a1") && is_out(b, "a2") && is_out(b, "a3"));
    assert_true(fake_job(&b->fake, "a1")->sees_gpus);
    assert_false(fake_job(&b->fake, "a2")->sees_gpus);
    submit(b, ACTION(4, "'gpus':1") "," ACTION(5, "'licences':{'y':1}") "," ACTION(
                  6, "'licences':{'x':1}"));
    box_tick(b);
    assert_true(!is_out(b, "a4") && is_out(b, "a5") && !is_out(b, "a6"));
    /* Another scheduler counts what this one has handed out. */
    box_reopen(b);
    box_tick(b);
    assert_false(is_out(b, "a4"));
    box_finish(b, "a1");
    box_tick(b);
    assert_true(is_out(b, "a4") && !is_out(b, "a6"));
    box_fail(b, "a2"); /* in the transaction that settles it */
    box_tick(b);
    assert_true(is_out(b, "a6"));
    box_close(b);
}

static void test_counters__are_not_overtaken(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.counted = 2;
    submit(b, ACTION(1, "'licences':{'x':1}"));
    box_tick(b);
    submit(b, ACTION(2, "'licences':{'x':2,'y':1}"));
    submit(b, ACTION(3, "'licences':{'x':1}") "," ACTION(4, "'licences':{'y':1}") "," ACTION(
                  5, "'licences':{'z':1}"));
    box_tick(b);
    assert_true(!is_out(b, "a2") && !is_out(b, "a3") && !is_out(b, "a4") && is_out(b, "a5"));
    box_finish(b, "a1");
    box_tick(b);
    assert_true(is_out(b, "a2") && !is_out(b, "a3") && is_out(b, "a4"));
    box_close(b);
}

static void test_counters__more_than_there_is(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    submit(b, ACTION(1, "'gpus':9"));
    box_tick(b);
    assert_true(is_out(b, "a1")); /* who does not count takes what comes */
    b->fake.counted = 2;
    submit(b, ACTION(2, "'gpus':[1,3]") "," ACTION(3, "'licences':{'x':3}"));
    box_tick(b);
    assert_false(is_out(b, "a2"));
    assert_int_equal(box_state(b, 2, 3), PINGO_ACTION_FAILED);
    box_finish(b, "a1");
    box_tick(b);
    assert_true(is_out(b, "a2"));
    box_close(b);
}

static int64_t total(void *context, const char *licence)
{
    (void)context;
    (void)licence;
    return 1;
}

/* How long it takes to weigh so many, each of which asks for a licence of its own. */
static clock_t weigh(struct box *b, int n)
{
    struct pingo__arena arena = {0};
    struct pingo__manager_counters c = {
        .db = &b->store->db, .arena = &arena, .executor = "local", .total = total};
    struct pingo_error err;
    clock_t before = clock();
    for (int i = 0; i < 2 * n; i++) { /* each twice: there is one */
        char resources[64];
        snprintf(resources, sizeof resources, "{\"licences\":{\"name%d\":1}}", i % n);
        struct pingo__store_action_row row = {.id = i + 1, .resources = resources};
        struct pingo__manager_ask ask;
        well(pingo__manager_counters_weigh(&c, &row, PINGO__WEIGH_TAKES, &ask, &err), &err);
        assert_int_equal(ask.fit, i < n ? PINGO__FITS : PINGO__WAITS);
    }
    clock_t took = clock() - before;
    assert_int_equal(c.n, n);
    pingo__arena_clear(&arena);
    return took;
}

/* A query of many would take minutes, and who claims holds the store's lock meanwhile. */
static void test_counters__many_names_take_no_longer_each(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    clock_t few = weigh(b, 2000);
    assert_true(weigh(b, 16000) <
                24 * few); /* 8 times as many, and some for what others do meanwhile */
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters__are_held_to_the_end),
        cmocka_unit_test(test_counters__are_not_overtaken),
        cmocka_unit_test(test_counters__more_than_there_is),
        cmocka_unit_test(test_counters__many_names_take_no_longer_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
