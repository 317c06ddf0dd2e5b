/* test_context.c - what every manager is given: the log, clocks, troubles that are told once, copies, and types by name. */
#include "unit/engine/box.h"

static char said[2048];

static void on_log(void *context, enum pingo_log_level level, const char *message)
{
    *(enum pingo_log_level *)context = level;
    snprintf(said, sizeof said, "%s", message);
}

static void test_context__says_and_cuts(void **state)
{
    struct box *b = box_new();
    enum pingo_log_level level = PINGO_LOG_INFO;
    struct pingo__manager_context c = b->store->context;
    char many[1500];

    UNUSED(state);
    c.log = NULL;
    pingo__manager_log(&c, PINGO_LOG_WARNING, "nobody hears it");
    c.log = on_log;
    c.log_context = &level;
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    pingo__manager_log(&c, PINGO_LOG_WARNING, "%s", many);
    assert_int_equal(level, PINGO_LOG_WARNING);
    assert_int_equal(strlen(said), 1023);
    box_close(b);
}

static int64_t now_ns;

static int64_t fake_clock(void *context)
{
    UNUSED(context);
    return now_ns;
}

static void pass(int64_t ms)
{
    now_ns += ms * 1000000;
}

static void test_context__the_same_trouble_is_told_once(void **state)
{
    struct pingo__world world = *pingo__world_real();
    struct pingo__manager_context c = {.world = &world};

    UNUSED(state);
    world.monotonic_ns = fake_clock;
    now_ns = 1;
    assert_true(pingo__manager_trouble_is_new(&c, "no answer for 12 ms"));
    pass(599999);
    assert_false(pingo__manager_trouble_is_new(&c, "no answer for 4711 ms")); /* but for numbers */
    assert_true(pingo__manager_trouble_is_new(&c, "no answer for 12 s"));
    pass(599999);
    assert_false(pingo__manager_trouble_is_new(&c, "no answer for 1 ms"));
    pass(600000);
    assert_true(pingo__manager_trouble_is_new(&c, "no answer for 1 ms")); /* it had been over */
}

/* Of nine at once the one that was met longest ago is told again; the others are not. */
static void test_context__troubles_are_few(void **state)
{
    static const char *const all[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct pingo__world world = *pingo__world_real();
    struct pingo__manager_context c = {.world = &world};

    UNUSED(state);
    world.monotonic_ns = fake_clock;
    for (size_t i = 0; i < 8; i++) {
        pass(1);
        assert_true(pingo__manager_trouble_is_new(&c, all[i]));
    }
    pass(1);
    assert_true(pingo__manager_trouble_is_new(&c, "i"));
    for (size_t i = 1; i < 8; i++)
        assert_false(pingo__manager_trouble_is_new(&c, all[i]));
    assert_true(pingo__manager_trouble_is_new(&c, "a"));
}

static int64_t copies(struct box *b)
{
    struct pingo_error err;
    int64_t n = 0;
    well(pingo__manager_copies_known(&b->store->context, &n, &err), &err);
    return n;
}

static void learn(struct box *b, int64_t own, int64_t stored)
{
    struct pingo__pool_space space = {.own_bytes = own, .own_stored_bytes = stored};
    struct pingo_error err;
    well(pingo__manager_copies_learn(&b->store->context, &space, &err), &err);
}

static void test_context__how_many_copies_a_pool_keeps(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    assert_int_equal(copies(b), 1000);
    learn(b, 0, 0);       /* nothing lies in it yet: nothing is known */
    learn(b, 2000, 1000); /* that cannot be */
    assert_int_equal(copies(b), 1000);
    assert_int_equal(b->store->context.ncopies, 0);
    learn(b, 1000, 2995);
    assert_int_equal(copies(b), 2995);
    assert_int_equal(b->store->context.ncopies, 1);
    learn(b, 2000, 5990); /* it was known */
    assert_int_equal(b->store->context.ncopies, 1);
    learn(b, 1000, 1000);
    assert_int_equal(copies(b), 1000);
    box_close(b);
}

static void test_context__types_by_name(void **state)
{
    static const struct pingo_action_type own = {.abi_version = 2, .name = "own"},
                                          older = {.abi_version = 1,
                                                   .name = "older",
                                                   .is_embedders = true};
    const struct pingo_action_type *types[] = {&own, &older};
    struct pingo__manager_context c = {.types = types, .ntypes = 2};

    UNUSED(state);
    assert_ptr_equal(pingo__manager_type_find(&c, "own"), &own);
    assert_ptr_equal(pingo__manager_type_find(&c, "command-line"), pingo_action_type_command_line());
    assert_null(pingo__manager_type_find(&c, "none"));
    assert_true(pingo__manager_type_is_embedders(
        pingo__manager_type_find(&c, pingo_action_type_external()->name)));
    assert_false(pingo__manager_type_is_embedders(&own));
    assert_false(pingo__manager_type_is_embedders(&older)); /* its table ends before */
    assert_false(pingo__manager_type_is_embedders(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_context__says_and_cuts),
        cmocka_unit_test(test_context__the_same_trouble_is_told_once),
        cmocka_unit_test(test_context__troubles_are_few),
        cmocka_unit_test(test_context__how_many_copies_a_pool_keeps),
        cmocka_unit_test(test_context__types_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
