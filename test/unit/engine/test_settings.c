/* test_settings.c - the keys of `pingo config`: defaults, bounds, units, what is refused and how. */
#include "unit/engine/box.h"

static void test_settings__what_is_taken_and_what_is_refused(void **state)
{
    static const struct {
        const char *key, *value;
        int rc;
        int64_t number;
    } rows[] = {
        {"executor.slots", "3", 0, 3},
        {"executor.slots", "0", 0, 0},
        {"executor.slots", "4096", 0, 4096},
        {"executor.slots", "4097", PINGO_EINVAL, 4096},
        {"executor.slots", "-1", PINGO_EINVAL, 4096},
        {"executor.slots", "3x", PINGO_EINVAL, 4096},
        {"executor.slots", "", PINGO_EINVAL, 4096},
        {"executor.slots", " 3", PINGO_EINVAL, 4096},
        {"executor.slots", "99999999999999999999", PINGO_EINVAL, 4096},
        {"executor.slots", "3K", PINGO_EINVAL, 4096}, /* no size */
        {"executor.logBytes", "4096", 0, 4096},
        {"executor.logBytes", "4095", PINGO_EINVAL, 4096},
        {"executor.logBytes", "5K", 0, 5120},
        {"executor.logBytes", "1G", 0, INT64_C(1) << 30},
        {"executor.logBytes", "2T", 0, INT64_C(1) << 41},
        {"executor.logBytes", "K", PINGO_EINVAL, INT64_C(1) << 41},
        {"executor.logBytes", "9999999999T", PINGO_EINVAL, INT64_C(1) << 41},
        {"executor.logBytes", "1.5G", 0, INT64_C(3) << 29},
        {"executor.logBytes", "1.5", PINGO_EINVAL, INT64_C(3) << 29},
        {"executor.logBytes", "10GB", 0, INT64_C(10000000000)},
        {"executor.logBytes", "10 GiB", 0, INT64_C(10) << 30},
        {"workflow.maxBytes", "1", 0, 1},
        {"workflow.maxBytes", "0", PINGO_EINVAL, 1},
        {"workflow.maxBytes", NULL, 0, INT64_C(1) << 30}, /* back to the default */
        {"executor.slots", NULL, 0, 0},
        {"pool.budget", "10G", 0, INT64_C(10) << 30},
        {"pool.budget", "0", 0, 0},
        {"pool.budget", "none", 0, -1},
        {"pool.budget", "never", PINGO_EINVAL, -1},
        {"pool.budget", "-1", PINGO_EINVAL, -1},
        {"pool.budget", "9223372036854775807", 0, INT64_MAX},
        {"pool.budget", "9223372036854775808", PINGO_EINVAL, INT64_MAX},
        {"pool.budget", NULL, 0, -1},
        {"pool.leafDays", "0", 0, 0},
        {"pool.leafDays", "36501", PINGO_EINVAL, 0},
        {"pool.leafDays", "never", 0, -1},
        {"pool.lowWatermark", "0.000001", 0, 1},
        {"pool.lowWatermark", "0.0000001", PINGO_EINVAL, 1},
        {"pool.lowWatermark", "12.3456%", 0, 123456},
        {"pool.lowWatermark", "12.34567%", PINGO_EINVAL, 123456},
        {"pool.lowWatermark", "100%", 0, 1000000},
        {"pool.lowWatermark", "1", 0, 1000000},
        {"pool.lowWatermark", "1.000001", PINGO_EINVAL, 1000000},
        {"pool.lowWatermark", "100.0001%", PINGO_EINVAL, 1000000},
        {"pool.lowWatermark", "%", PINGO_EINVAL, 1000000},
        {"pool.lowWatermark", "1.", PINGO_EINVAL, 1000000},
        {"pool.lowWatermark", ".5", PINGO_EINVAL, 1000000},
        {"pool.lowWatermark", "5%%", PINGO_EINVAL, 1000000},
        {"pool.lowWatermark", "5% ", PINGO_EINVAL, 1000000},
        {"pool.lowWatermark", "0000.5", PINGO_EINVAL, 1000000},
        {"pool.highWatermark", "0.99", PINGO_EINVAL, 1000000}, /* below the low one */
        {"pool.lowWatermark", "0.5", 0, 500000},
        {"pool.highWatermark", "0.5", 0, 500000},
        {"pool.lowWatermark", NULL, PINGO_EINVAL, 500000}, /* 0.95 */
        {"pool.highWatermark", NULL, 0, 1000000},
        {"pool.lowWatermark", NULL, 0, 950000},
    };
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int rc = pingo_store_set(b->store, rows[i].key, rows[i].value, &err);

        if (rc != rows[i].rc)
            fail_msg("%s = %s gives %s", rows[i].key, rows[i].value, pingo_error_name(rc));
        if (rc)
            assert_non_null(strstr(err.message, rows[i].key));
        int64_t number = 0;
        well(pingo__engine_setting_number(b->store, rows[i].key, &number, &err), &err);
        assert_true(number == rows[i].number);
    }
    box_close(b);
}

static void test_settings__unknown_keys_are_told_with_a_near_one(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};
    char *value = NULL;

    UNUSED(state);
    assert_int_equal(pingo_store_get(b->store, "executor.slot", &value, &err), PINGO_ENOTFOUND);
    assert_null(value);
    assert_non_null(strstr(err.message, "executor.slots"));
    assert_int_equal(pingo_store_set(b->store, "zzzzzz", "1", &err), PINGO_ENOTFOUND);
    assert_null(strstr(err.message, "did you mean"));
    box_close(b);
}

struct seen {
    size_t n;
    char last[64];
    size_t stop_at;
};

static int on_setting(void *context, const char *key, const char *value, const char *default_value,
                      const char *meaning)
{
    struct seen *s = context;

    assert_true(strcmp(key, s->last) > 0); /* in byte order */
    /* One of an executor's own may have no default. */
    assert_true(*meaning &&
                (default_value ? *value && *default_value : strstr(key, "executor.") == key));
    if (strcmp(key, "executor.slots") == 0)
        assert_string_equal(value, "12");
    snprintf(s->last, sizeof s->last, "%s", key);
    return ++s->n == s->stop_at;
}

static void test_settings__are_listed_in_order(void **state)
{
    struct box *b = box_new();
    struct seen all = {0}, some = {.stop_at = 2};
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_set(b->store, "executor.slots", "12", &err), &err);
    well(pingo_store_settings(b->store, on_setting, &all, &err), &err);
    assert_true(all.n >= 12);
    assert_int_equal(pingo_store_settings(b->store, on_setting, &some, &err), PINGO_EINTERRUPTED);
    assert_int_equal(some.n, 2);
    box_close(b);
}

/* They are the store's: kept, and seen by the next who opens it. */
static void test_settings__are_kept(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    char *value = NULL;

    UNUSED(state);
    well(pingo_store_set(b->store, "executor.graceSeconds", "1", &err), &err);
    box_reopen(b);
    well(pingo_store_get(b->store, "executor.graceSeconds", &value, &err), &err);
    assert_string_equal(value, "1");
    free(value);
    box_close(b);
}

/* No product overflows, and none loses what it has. */
static void test_settings__marks_are_shares_of_the_budget(void **state)
{
    static const struct {
        const char *budget, *high, *low;
        int64_t high_bytes, low_bytes;
    } rows[] = {{"none", "1", "0.95", -1, -1},
                {"0", "1", "0.95", 0, 0},
                {"100", "1", "0.95", 100, 95},
                {"9223372036854775807", "1", "1", INT64_MAX, INT64_MAX},
                {"9223372036854775807", "1", "50%", INT64_MAX, INT64_MAX / 2},
                {"1000001", "0.999999", "0.5", 999999, 500000},
                {"3", "0.5", "0", 1, 0}};
    struct box *b = box_new();
    struct pingo__manager_budget budget;
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        well(pingo_store_set(b->store, "pool.lowWatermark", "0", &err), &err);
        well(pingo_store_set(b->store, "pool.highWatermark", rows[i].high, &err), &err);
        well(pingo_store_set(b->store, "pool.lowWatermark", rows[i].low, &err), &err);
        well(pingo_store_set(b->store, "pool.budget", rows[i].budget, &err), &err);
        well(pingo__engine_setting_budget(b->store, &budget, &err), &err);
        assert_int_equal(budget.high_bytes, rows[i].high_bytes);
        assert_int_equal(budget.low_bytes, rows[i].low_bytes);
        assert_int_equal(budget.leaf_ms, -1);
    }
    box_close(b);
}

static void is_set(struct box *b, const char *key, const char *value)
{
    struct pingo_error err;
    char *is = NULL;

    well(pingo_store_get(b->store, key, &is, &err), &err);
    assert_string_equal(is, value);
    free(is);
}

/* What needs each other is set in any order, and what cannot be takes all with it. */
static void test_settings__several_are_set_or_none(void **state)
{
    const struct pingo_setting down[] = {{"pool.highWatermark", "0.5"},
                                         {"pool.lowWatermark", "0.4"}};
    const struct pingo_setting up[] = {{"pool.lowWatermark", "0.8"}, {"pool.highWatermark", "0.9"}};
    const struct pingo_setting wrong[] = {{"pool.highWatermark", "0.95"}, {"pool.budget", "much"}};
    const struct pingo_setting apart[] = {{"pool.budget", "1"}, {"pool.lowWatermark", "0.91"}};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_set_several(b->store, down, 2, &err), &err);
    well(pingo_store_set_several(b->store, up, 2, &err), &err);
    assert_int_equal(pingo_store_set_several(b->store, wrong, 2, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "pool.budget: \"much\""));
    assert_int_equal(pingo_store_set_several(b->store, apart, 2, &err), PINGO_EINVAL);
    is_set(b, "pool.highWatermark", "0.9");
    is_set(b, "pool.lowWatermark", "0.8");
    is_set(b, "pool.budget", "none");
    well(pingo_store_set_several(b->store, NULL, 0, &err), &err);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings__what_is_taken_and_what_is_refused),
        cmocka_unit_test(test_settings__unknown_keys_are_told_with_a_near_one),
        cmocka_unit_test(test_settings__are_listed_in_order),
        cmocka_unit_test(test_settings__are_kept),
        cmocka_unit_test(test_settings__marks_are_shares_of_the_budget),
        cmocka_unit_test(test_settings__several_are_set_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
