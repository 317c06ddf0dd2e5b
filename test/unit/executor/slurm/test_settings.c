/* test_settings.c - the settings of the executor slurm, and what they make of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "executor/registry.h"
#include "executor/slurm/slurm.h"

static char *texts[PINGO__SLURM_SETTINGS];
static struct pingo__executor_slurm s;

static void set(const char *key, const char *text)
{
    size_t i = 0;
    while (strcmp(pingo__executor_slurm_settings[i].key, key) != 0)
        assert_true(++i < PINGO__SLURM_SETTINGS);
    texts[i] = (char *)(uintptr_t)text;
}

static void read_for(const char *pool)
{
    struct pingo__executor_values values = {pingo__executor_slurm_settings, PINGO__SLURM_SETTINGS,
                                            texts};
    const struct pingo_executor_context context = {.version = 2,
                                                   .store_id = "0123456789abcdef",
                                                   .settings = &values,
                                                   .pool_dir = pool,
                                                   .helper_dir = "/opt/pingo"};
    assert_int_equal(pingo__executor_slurm_read_settings(&s, &context, NULL), 0);
}

static int tear_down(void **state)
{
    (void)state;
    pingo__arena_clear(&s.texts);
    memset(&s, 0, sizeof s);
    memset(texts, 0, sizeof texts);
    return 0;
}

static void test_settings__where_none_is_set(void **state)
{
    (void)state;
    read_for("/pool");
    assert_null(s.url);
    assert_null(s.token);
    assert_null(s.user);
    assert_null(s.wake);
    assert_string_equal(s.pool, "/pool");
    assert_string_equal(s.runner, "/opt/pingo/pingo-runner");
    assert_string_equal(s.defaults, "{}\n");
    assert_int_equal(s.max_jobs, 1000);
    assert_int_equal(s.bundle_most, 1000);
    assert_int_equal(s.at_once_most, 1000);
    assert_int_equal(s.poll_ms, 10000);
}

static void test_settings__each_counts(void **state)
{
    (void)state;
    set("url", "unix:/run/slurm");
    set("token", "/home/me/token");
    set("user", "me");
    set("wake", "/run/wake");
    set("runner", "/shared/pingo-runner");
    set("partition", "p \"q\\");
    set("account", "a");
    set("maxJobs", "5");
    set("bundle", "7");
    set("pollSeconds", "3");
    read_for("/pool");
    assert_string_equal(s.url, "unix:/run/slurm");
    assert_string_equal(s.token, "/home/me/token");
    assert_string_equal(s.user, "me");
    assert_string_equal(s.wake, "/run/wake");
    assert_string_equal(s.runner, "/shared/pingo-runner");
    assert_string_equal(s.defaults, "{\"partition\":\"p \\\"q\\\\\",\"account\":\"a\"}\n");
    assert_int_equal(s.max_jobs, 5);
    assert_int_equal(s.bundle_most, 7);
    assert_int_equal(s.at_once_most, 7);
    assert_int_equal(s.poll_ms, 3000);
}

/* As if it was not set: "" is no URL, no user and no partition. */
static void test_settings__nothing_in_it(void **state)
{
    static const char *const keys[] = {"url", "token", "user", "runner", "partition", "account"};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        set(keys[i], "");
    read_for("/pool");
    assert_null(s.url);
    assert_null(s.token);
    assert_null(s.user);
    assert_string_equal(s.runner, "/opt/pingo/pingo-runner");
    assert_string_equal(s.defaults, "{}\n");
}

/* Options of attempts are read by the same function, so they have to be some of those that it knows. */
static void test_settings__the_defaults_are_options(void **state)
{
    struct pingo__executor_slurm_request request = {.name = NULL};
    struct pingo__arena arena = {0};
    (void)state;
    set("partition", "p \"q\\");
    set("account", "a");
    read_for("/pool");
    assert_int_equal(pingo__executor_slurm_request_options(s.defaults, &arena, &request, NULL), 0);
    assert_string_equal(request.options[PINGO__SLURM_PARTITION], "p \"q\\");
    pingo__arena_clear(&arena);
}

/* A copy of a store has another pool, and other jobs. */
static void test_settings__the_mark_is_of_store_and_pool(void **state)
{
    char mark[PINGO__EXECUTOR_MARK_SIZE];
    (void)state;
    read_for("/pool");
    memcpy(mark, s.mark, sizeof mark);
    tear_down(NULL);
    read_for("/copy");
    assert_string_not_equal(s.mark, mark);
    tear_down(NULL);
    read_for("/pool");
    assert_string_equal(s.mark, mark);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(test_settings__##name, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(where_none_is_set),
        TEST(each_counts),
        TEST(nothing_in_it),
        TEST(the_defaults_are_options),
        TEST(the_mark_is_of_store_and_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
