/* test_settings.c - what the settings of the executor hadoop say, where its pool lies, and what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "executor/hadoop/mailbox.h"
#include "executor/registry.h"

static struct pingo__executor_hadoop h;

/* With settings, "KEY=VALUE", of which the last is NULL. */
static void read_them(const char *place, const char *const *set)
{
    char *texts[PINGO__HADOOP_SETTINGS] = {NULL};
    const struct pingo__executor_values values = {pingo__executor_hadoop_settings,
                                                  PINGO__HADOOP_SETTINGS, texts};
    const struct pingo_executor_context context = {.version = 3,
                                                   .store_dir = "/s",
                                                   .store_id = "Store",
                                                   .pool_dir = "/s/near",
                                                   .name = "hadoop",
                                                   .settings = &values,
                                                   .pool_place = place};
    for (; set && *set; set++)
        for (size_t i = 0; i < PINGO__HADOOP_SETTINGS; i++) {
            size_t n = strlen(values.rows[i].key);
            if (strncmp(*set, values.rows[i].key, n) == 0 && (*set)[n] == '=')
                texts[i] = (char *)(uintptr_t)(*set + n + 1);
        }
    memset(&h, 0, sizeof h);
    assert_int_equal(pingo__executor_hadoop_read_settings(&h, &context, NULL), 0);
}

static int clear(void **state)
{
    (void)state;
    pingo__arena_clear(&h.texts);
    return 0;
}

static void test_settings__an_address_of_ipv6_is_a_host(void **state)
{
    (void)state;
    read_them("webhdfs://ada@[::1]:9870,[::2]:9870/pool", (const char *[]){"rm=[::1]:8088", NULL});
    assert_string_equal(h.unset, "");
    assert_string_equal(h.fs, "hdfs://[::1]:8020");
}

static void test_settings__the_usual_ones(void **state)
{
    (void)state;
    read_them("webhdfs://ada@nn:9870/user/ada/pool", (const char *[]){"rm=rm:8088", NULL});
    assert_string_equal(h.unset, "");
    assert_string_equal(h.fs, "hdfs://nn:8020");
    assert_string_equal(h.user, "ada");
    assert_string_equal(h.pool_path, "/user/ada/pool");
    assert_null(h.nameservice);
    assert_true(h.am_memory_mb == 256 && h.bundle == 500 && h.containers == 100);
    assert_true(h.max_jobs == 1000 && h.poll_ms == 10000);
    assert_int_equal(strncmp(h.tag, "pingo-store-", 12), 0);
    assert_int_equal(strlen(h.tag), 12 + 16);
}

static void test_settings__several_namenodes_have_a_name(void **state)
{
    (void)state;
    read_them("webhdfs://a:9870,b:9870/p",
              (const char *[]){"rm=rm:8088", "fs=hdfs://cluster//", "user=bob", "queue=q", NULL});
    assert_string_equal(h.unset, "");
    assert_string_equal(h.fs, "hdfs://cluster");
    assert_ptr_equal(h.nameservice, h.fs + 7);
    assert_string_equal(h.user, "bob");
    assert_string_equal(h.queue, "q");
}

/* HDFS knows no empty names: what is below a path comes behind one slash. */
static void test_settings__a_slash_at_the_end_is_none(void **state)
{
    static const char *const rows[][3] = {
        {"webhdfs://a:9870/p/", "webhdfs://a:9870/p", "/p"},
        {"webhdfs://me@a:9870/p/q//", "webhdfs://me@a:9870/p/q", "/p/q"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        read_them(rows[i][0], (const char *[]){"rm=rm:8088", NULL});
        assert_string_equal(h.unset, "");
        assert_string_equal(h.pool_place, rows[i][1]);
        assert_string_equal(h.pool_path, rows[i][2]);
        clear(NULL);
    }
    memset(&h, 0, sizeof h);
}

/* Two pools of one store are two executors to YARN. */
static void test_settings__a_tag_is_of_store_and_pool(void **state)
{
    char first[sizeof h.tag];
    (void)state;
    read_them("webhdfs://a:9870/p", NULL);
    strcpy(first, h.tag);
    clear(NULL);
    read_them("webhdfs://a:9870/q", NULL);
    assert_string_not_equal(h.tag, first);
}

static void test_settings__what_is_missing_is_told_with_what_to_do(void **state)
{
    static const struct {
        const char *place, *set[4], *words;
    } rows[] = {
        {"webhdfs://a:9870/p", {NULL}, "pingo config executor.hadoop.rm HOST:8088"},
        {NULL, {"rm=r:8088"}, "pingo init --pool webhdfs://HOST:9870/PATH"},
        {"/plain/pool", {"rm=r:8088"}, "the pool is not in HDFS"},
        {"webhdfs://a:9870/p", {"rm=r:8088", "queue=a b"}, "executor.hadoop.queue: \"a b\""},
        {"webhdfs://a:9870/p", {"rm=r:8088", "fs=file:///x"}, "is not hdfs://HOST:PORT"},
        {"webhdfs://a:9870/p", {"rm=r:8088", "amClasspath=$HOME/*"}, "amClasspath"},
        {"webhdfs://a:9870/p%20q", {"rm=r:8088"}, "the pool's path"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        read_them(rows[i].place, rows[i].set);
        if (!strstr(h.unset, rows[i].words))
            fail_msg("%zu: \"%s\"", i, h.unset);
        clear(NULL);
    }
    memset(&h, 0, sizeof h);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(test_settings__##name, clear)
    const struct CMUnitTest tests[] = {
        TEST(an_address_of_ipv6_is_a_host),  TEST(the_usual_ones),
        TEST(several_namenodes_have_a_name), TEST(a_slash_at_the_end_is_none),
        TEST(a_tag_is_of_store_and_pool),    TEST(what_is_missing_is_told_with_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
