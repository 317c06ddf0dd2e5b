/* test_executor_opening.c - what an executor is told when it is opened, or only tried. */
#include "unit/engine/box.h"

#include "engine/executor_settings.h"

static const struct pingo_executor_setting settings[] = {
    {"url", PINGO_SETTING_TEXT, 0, 0, NULL, "where it listens"},
    {"jobs", PINGO_SETTING_NUMBER, 1, 50, "7", "how many at once"},
};

static void set(struct box *b, const char *key, const char *value)
{
    struct pingo_error err;

    well(pingo_store_set(b->store, key, value, &err), &err);
}

/* ---- to be opened ---------------------------------------------------------------------------- */

static void test_executor_opening__has_the_settings_of_the_store(void **state)
{
    struct box *b = box_new();
    struct pingo_executor_type t = fake_type;
    struct pingo__engine_opening o;
    struct pingo_error err;
    char pool[100];

    UNUSED(state);
    t.settings = settings;
    t.nsettings = 2;
    set(b, "executor.slots", "3");
    set(b, "executor.memoryMB", "5");
    set(b, "executor.logBytes", "8K");
    set(b, "executor.graceSeconds", "2");
    set(b, "executor.fake.url", "http://x");
    well(pingo__engine_executor_prepare(b->store, &t, &o, &err), &err);
    assert_int_equal(o.context.version, 3);
    assert_string_equal(o.context.name, "fake");
    assert_string_equal(o.context.store_dir, b->dir);
    assert_string_equal(o.context.store_id, pingo_store_id(b->store));
    snprintf(pool, sizeof pool, "%s/pool", b->dir);
    assert_string_equal(o.context.pool_place, pool);
    assert_string_equal(o.context.pool_dir, pool);
    assert_int_equal(o.context.slots, 3);
    assert_int_equal(o.context.memory_bytes, 5 << 20);
    assert_int_equal(o.context.log_bytes, 8192);
    assert_int_equal(o.context.grace_ms, 2000);
    assert_null(o.context.helper_dir);
    assert_string_equal(pingo_executor_context_text(&o.context, "url"), "http://x");
    assert_int_equal(pingo_executor_context_number(&o.context, "jobs"), 7);
    pingo__engine_executor_clear(&o);
    pingo__engine_executor_clear(&o); /* twice is once */
    box_close(b);
}

/* Somebody who does not know the executor has set it. */
static void test_executor_opening__a_setting_that_is_wrong_is_told(void **state)
{
    struct box *b = box_new();
    struct pingo_executor_type t = fake_type;
    struct pingo__engine_opening o;
    struct pingo_error err;

    UNUSED(state);
    t.settings = settings;
    t.nsettings = 2;
    set(b, "executor.fake.url", "http://x");
    set(b, "executor.fake.jobs", "many");
    assert_int_equal(pingo__engine_executor_prepare(b->store, &t, &o, &err), PINGO_EINVAL);
    assert_string_equal(err.message,
                        "executor.fake.jobs: \"many\" is not a whole number from 1 to 50");
    pingo__engine_executor_clear(&o);
    box_close(b);
}

/* ---- to be tried ----------------------------------------------------------------------------- */

static struct tried {
    int n, rc;
    int64_t limit_ms, jobs;
    char helper_dir[32];
} tried;

static int try_settings(const struct pingo_executor_context *context,
                        const struct pingo_check_options *options, struct pingo_error *err)
{
    tried.n++;
    tried.limit_ms = options->limit_ms;
    tried.jobs = pingo_executor_context_number(context, "jobs");
    snprintf(tried.helper_dir, sizeof tried.helper_dir, "%s",
             context->helper_dir ? context->helper_dir : "(none)");
    options->found(options->context, PINGO_CHECK_WRONG, "pool", "it is full");
    if (tried.rc && err)
        snprintf(err->message, sizeof err->message, "it does not begin");
    return tried.rc;
}

static void on_found(void *context, enum pingo_check_result result, const char *what,
                     const char *message)
{
    snprintf(context, 64, "%d %s: %s", (int)result, what, message);
}

static void test_executor_opening__tries_what_can_be_tried(void **state)
{
    struct box *b = box_new();
    struct pingo_executor_type t = fake_type, none = fake_type;
    const struct pingo_executor_type *list[] = {&t, &none};
    char said[64] = "";
    struct pingo_check_options o = {
        .version = 1, .found = on_found, .context = said, .limit_ms = 5, .helper_dir = "/helpers"};
    struct pingo_error err;

    UNUSED(state);
    t.settings = settings;
    t.nsettings = 2;
    t.check = try_settings;
    none.name = "none";
    b->store->options.executors = list;
    b->store->options.nexecutors = 2;
    set(b, "executor.fake.jobs", "9");
    well(pingo_store_check(b->store, "fake", &o, &err), &err);
    assert_string_equal(said, "2 pool: it is full");
    assert_int_equal(tried.limit_ms, 5);
    assert_int_equal(tried.jobs, 9);
    assert_string_equal(tried.helper_dir, "/helpers");
    /* Nobody listens, for a minute at most; the one that is set. */
    set(b, "executor", "fake");
    well(pingo_store_check(b->store, NULL, NULL, &err), &err);
    assert_int_equal(tried.limit_ms, 60000);
    assert_string_equal(tried.helper_dir, "(none)");
    assert_int_equal(tried.n, 2);
    tried.rc = PINGO_EAWAY;
    assert_int_equal(pingo_store_check(b->store, "fake", &o, &err), PINGO_EAWAY);
    assert_string_equal(err.message, "it does not begin");
    assert_int_equal(pingo_store_check(b->store, "none", &o, &err), PINGO_EUNSUPPORTED);
    assert_string_equal(err.message, "executor \"none\" has nothing that it could try");
    assert_int_equal(pingo_store_check(b->store, "nobody", &o, &err), PINGO_ENOTFOUND);
    assert_string_equal(err.message, "this program has no executor \"nobody\"");
    o.version = 2;
    assert_int_equal(pingo_store_check(b->store, "fake", &o, &err), PINGO_EINVAL);
    assert_int_equal(tried.n, 3);
    b->store->options.nexecutors = 0;
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executor_opening__has_the_settings_of_the_store),
        cmocka_unit_test(test_executor_opening__a_setting_that_is_wrong_is_told),
        cmocka_unit_test(test_executor_opening__tries_what_can_be_tried),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
