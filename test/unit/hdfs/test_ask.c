/* test_ask.c - who serves, who is away, who asks for Kerberos or TLS; and that nobody waits longer than he said. */
#include "unit/hdfs/served.h"

static void test_ask__urls(void **state)
{
    static const struct {
        const char *url, *wrong;
    } rows[] = {{"webhdfs://h/", NULL},
                {"webhdfs://h:9870/user/me/pool", NULL},
                {"swebhdfs://me@h:9871,[::1]:9871,h3/p", NULL},
                {"hdfs://h/p", "begins with"},
                {"webhdfs:///p", "one host"},
                {"webhdfs://h,/p", "one host"},
                {"webhdfs://,h/p", "one host"},
                {"webhdfs://h:0/p", "one host"},
                {"webhdfs://h:99999/p", "one host"},
                {"webhdfs://h h/p", "one host"},
                {"webhdfs://@h/p", "a user"},
                {"webhdfs://a:b@h/p", "a user"},
                {"webhdfs://h", "a path"},
                {"webhdfs://h/a:b", "colon"},
                {"webhdfs://h/a/../b", "\"..\""},
                {"webhdfs://1,2,3,4,5,6,7,8,9/p", "one host"},
                {"webhdfs://h/\xff", "UTF-8"}};
    const char *wrong;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__hdfs_place at;
        bool is = pingo__hdfs_read_url(rows[i].url, &at, &wrong);
        if (is != !rows[i].wrong || (!is && !strstr(wrong, rows[i].wrong)))
            fail_msg("%s: %s", rows[i].url, is ? "valid" : wrong);
    }
}

/* None of these is asked for. */

static void test_ask__another_one_serves(void **state)
{
    static const char *const faults[] = {"standby", "retriable", "slam", "502"};
    struct pingo__hdfs *fs = open_fs("%/ha", 0);
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%zu", i);
        fault(0, faults[i], "-", 1000);
        put(fs, name, "text");
        assert_true(holds(fs, name, "text"));
        order("/clear");
        fault(1, "standby", "-", 1000); /* and back */
        assert_true(holds(fs, name, "text"));
        order("/clear");
    }
    pingo__hdfs_close(fs);
}

static void test_ask__nobody_serves(void **state)
{
    struct pingo__hdfs *fs = open_fs("%/nobody", 0), *away;
    struct pingo__hdfs_options options = {.patience_ms = 200};
    (void)state;
    fault(0, "safemode", "-", 3); /* it ends */
    fault(1, "standby", "-", 3);
    put(fs, "f", "text");
    order("/clear");
    pingo__hdfs_close(fs);
    fs = open_fs("%/nobody", SHORT_MS);
    fault(0, "safemode", "-", 100000);
    fault(1, "standby", "-", 100000);
    FAILS(pingo__hdfs_make(fs, "d", err), PINGO_ESTATE, "Exception");
    order("/clear");
    WELL(pingo__hdfs_open("webhdfs://me@127.0.0.1:1,127.0.0.1:2/x", &options, &away, err));
    FAILS(pingo__hdfs_make(away, "d", err), PINGO_EAWAY, "127.0.0.1:");
    pingo__hdfs_close(away);
    pingo__hdfs_close(fs);
}

/* One call waits for an outage, and not each; when it is over the next one knows it soon. */
static void test_ask__an_outage_is_waited_for_once(void **state)
{
    struct pingo__hdfs_options options = {.patience_ms = 1000, .shares_outages = true};
    struct pingo__hdfs_status status;
    struct pingo__hdfs *fs;
    char url[64];
    int rc = -1;
    (void)state;
    pingo__hdfs_close(open_fs("/outage", 0));
    snprintf(url, sizeof url, "webhdfs://me@127.0.0.1:%d/outage", server.ports[0]);
    WELL(pingo__hdfs_open(url, &options, &fs, err));
    WELL(pingo__hdfs_status(fs, "", &status, err));
    fault(0, "safemode", "-", 100000);
    FAILS(pingo__hdfs_status(fs, "", &status, err), PINGO_ESTATE, "SafeMode");
    int before = order("/count/-");
    int64_t begun_ms = pingo__world_monotonic_ms();
    for (int i = 0; i < 1000; i++)
        FAILS(pingo__hdfs_status(fs, "", &status, err), PINGO_ESTATE, "SafeMode");
    int64_t asked = order("/count/-") - before, took_ms = pingo__world_monotonic_ms() - begun_ms;
    assert_true(asked <= 1 + took_ms / 500); /* by one of them at a time */
    order("/clear");
    for (int i = 0; rc && i < 3000; i++) {
        rc = pingo__hdfs_status(fs, "", &status, NULL);
        usleep(20000);
    }
    assert_int_equal(rc, 0);
    pingo__hdfs_close(fs);
}

static void test_ask__asks_for_kerberos(void **state)
{
    struct pingo__hdfs *fs = open_fs("/kerberos", 0);
    struct pingo__hdfs_status status;
    (void)state;
    setenv("KRB5CCNAME", "/nonexistent/cache", 1);
    fault(0, "401", "-", 1000);
    FAILS(pingo__hdfs_status(fs, "", &status, err), PINGO_EIO, "kinit");
    FAILS(pingo__hdfs_status(fs, "", &status, err), PINGO_EIO, "No credentials were supplied");
    pingo__hdfs_close(fs);
}

static void *stop_soon(void *fs)
{
    while (order("/count/MKDIRS") < 1)
        usleep(20000);
    pingo__hdfs_stop(fs);
    return NULL;
}

static void test_ask__can_be_stopped(void **state)
{
    struct pingo__hdfs *fs = open_fs("/stop", 0);
    pthread_t thread;
    (void)state;
    order("/clear");
    fault(0, "hang", "MKDIRS", 1);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, fs), 0);
    FAILS(pingo__hdfs_make(fs, "d", err), PINGO_EINTERRUPTED, "");
    pthread_join(thread, NULL);
    FAILS(pingo__hdfs_make(fs, "d", err), PINGO_EINTERRUPTED, "");
    pingo__hdfs_close(fs);
}

static void test_ask__tls(void **state)
{
    struct pingo__hdfs_options options = {.ca_file = CERT, .patience_ms = SHORT_MS};
    struct pingo__hdfs *fs;
    char url[64];
    (void)state;
    stop_server();
    start_server(true);
    snprintf(url, sizeof url, "swebhdfs://me@127.0.0.1:%d/tls", server.ports[0]);
    WELL(pingo__hdfs_open(url, &options, &fs, err));
    put(fs, "f", "secret");
    assert_true(holds(fs, "f", "secret"));
    pingo__hdfs_close(fs);
    options.ca_file = NULL; /* whom nobody vouches for is not spoken to */
    WELL(pingo__hdfs_open(url, &options, &fs, err));
    FAILS(pingo__hdfs_make(fs, "d", err), PINGO_EAWAY, "self-signed certificate");
    pingo__hdfs_close(fs);
    stop_server();
    start_server(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ask__urls),
        cmocka_unit_test(test_ask__another_one_serves),
        cmocka_unit_test(test_ask__nobody_serves),
        cmocka_unit_test(test_ask__an_outage_is_waited_for_once),
        cmocka_unit_test(test_ask__asks_for_kerberos),
        cmocka_unit_test(test_ask__can_be_stopped),
        cmocka_unit_test(test_ask__tls),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
