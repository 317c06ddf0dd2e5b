/* test_names.c - urls and names of HDFS: what it could not hold is said before anything is sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "hdfs/inside.h"

static void test_names__urls_are_taken_apart(void **state)
{
    static const struct {
        const char *url;
        bool tls;
        const char *user, *servers, *path; /* servers: each behind a space */
    } rows[] = {
        {"webhdfs://a/p", false, "", " http://a:9870", "/p"},
        {"webhdfs://a/", false, "", " http://a:9870", "/"},
        {"swebhdfs://a/p/q", true, "", " https://a:9871", "/p/q"},
        {"webhdfs://me@a:80,b,c:1/p", false, "me", " http://a:80 http://b:9870 http://c:1", "/p"},
        {"webhdfs://a-b$1+@h/p", false, "a-b$1+", " http://h:9870", "/p"},
        {"webhdfs://[::1]:5,[fe80::2]/p", false, "", " http://[::1]:5 http://[fe80::2]:9870", "/p"},
        {"webhdfs://a/p@q", false, "", " http://a:9870", "/p@q"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__hdfs_place p;
        const char *wrong;
        char servers[600] = "";
        if (!pingo__hdfs_read_url(rows[i].url, &p, &wrong))
            fail_msg("%s: %s", rows[i].url, wrong);
        assert_null(wrong);
        for (size_t k = 0; k < p.nservers; k++) {
            strcat(servers, " ");
            strcat(servers, p.servers[k]);
        }
        assert_int_equal(p.tls, rows[i].tls);
        assert_string_equal(p.user, rows[i].user);
        assert_string_equal(servers, rows[i].servers);
        assert_string_equal(p.path, rows[i].path);
    }
}

static void test_names__urls_that_are_none(void **state)
{
    static const char *const rows[] = {
        "",
        "hdfs://a/p",
        "webhdfs:/a/p",
        "WEBHDFS://a/p",
        "webhdfs://",
        "webhdfs:///p",
        "webhdfs://a",
        "webhdfs://a,/p",
        "webhdfs://,a/p",
        "webhdfs://a,,b/p",
        "webhdfs://@a/p",
        "webhdfs://m e@a/p",
        "webhdfs://a@b@c/p",
        "webhdfs://a:x/p",
        "webhdfs://a:/p",
        "webhdfs://a:99999/p",
        "webhdfs://a b/p",
        "webhdfs://a/p:q",
        "webhdfs://a/../p",
        "webhdfs://a/./p",
        "webhdfs://a/.snapshot",
        "webhdfs://a/p\xff",
        "webhdfs://[::1/p",
        "webhdfs://a,a,a,a,a,a,a,a,a/p", /* more than eight */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__hdfs_place p;
        const char *wrong = NULL;
        if (pingo__hdfs_read_url(rows[i], &p, &wrong))
            fail_msg("%s is taken", rows[i]);
        assert_non_null(wrong);
    }
}

/* However long a user or a host is. */
static void test_names__parts_of_any_length(void **state)
{
    static const size_t lengths[] = {1, 126, 127, 128, 269, 270, 271, 3000};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int is_user = 0; is_user < 2; is_user++) {
            struct pingo__hdfs_place p;
            const char *wrong;
            char url[4000] = "webhdfs://";
            size_t n = strlen(url);
            memset(url + n, 'a', lengths[i]);
            strcpy(url + n + lengths[i], is_user ? "@h/p" : "/p");
            bool is = pingo__hdfs_read_url(url, &p, &wrong);
            if (is_user)
                assert_int_equal(is, lengths[i] < PINGO__HDFS_USER_SIZE);
            else if (lengths[i] > 270)
                assert_false(is);
            if (is && is_user)
                assert_int_equal(strlen(p.user), lengths[i]);
        }
}

static void test_names__names_that_hdfs_can_hold(void **state)
{
    static const struct {
        const char *name;
        bool is;
    } rows[] = {{"a", true},        {"...", true},        {".a", true},        {"a b\\", true},
                {"\xc3\xa9", true}, {".snapshots", true}, {"", false},         {".", false},
                {"..", false},      {"a:b", false},       {":", false},        {"\xff", false},
                {"\xc3", false},    {".snapshot", false}, {".reserved", false}};
    char name[PINGO__HDFS_NAME_MOST + 2];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(!pingo__hdfs_name_fault(rows[i].name, strlen(rows[i].name)), rows[i].is);
    memset(name, 'a', sizeof name);
    assert_null(pingo__hdfs_name_fault(name, PINGO__HDFS_NAME_MOST));
    assert_non_null(pingo__hdfs_name_fault(name, PINGO__HDFS_NAME_MOST + 1));
}

static void test_names__paths_have_limits(void **state)
{
    char path[PINGO__HDFS_PATH_MOST + 2];
    (void)state;
    assert_null(pingo__hdfs_path_fault("/"));
    assert_null(pingo__hdfs_path_fault("//a///b/"));
    assert_non_null(pingo__hdfs_path_fault(""));
    assert_non_null(pingo__hdfs_path_fault("a/b"));
    assert_non_null(pingo__hdfs_path_fault("/a/../b"));
    assert_non_null(pingo__hdfs_path_fault("/a/b:c"));
    for (size_t depth = PINGO__HDFS_DEPTH_MOST; depth <= PINGO__HDFS_DEPTH_MOST + 1; depth++) {
        for (size_t i = 0; i < depth; i++)
            memcpy(path + 2 * i, "/a", 2);
        path[2 * depth] = '\0';
        assert_int_equal(!pingo__hdfs_path_fault(path), depth == PINGO__HDFS_DEPTH_MOST);
    }
    for (size_t n = PINGO__HDFS_PATH_MOST; n <= PINGO__HDFS_PATH_MOST + 1; n++) {
        for (size_t i = 0; i < n; i++)
            path[i] = i % 200 ? 'a' : '/';
        path[n] = '\0';
        assert_int_equal(!pingo__hdfs_path_fault(path), n == PINGO__HDFS_PATH_MOST);
    }
}

/* All that means something in an url is written by its bytes. */
static void test_names__queries_are_encoded(void **state)
{
    static const struct {
        const char *value, *query;
    } rows[] = {{"/a-b._~", "op=OPEN&to=/a-b._~"},
                {"a b&c=d+e%f?#", "op=OPEN&to=a%20b%26c%3Dd%2Be%25f%3F%23"},
                {"\xc3\xa9\n", "op=OPEN&to=%C3%A9%0A"},
                {"", "op=OPEN&to="}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *query = pingo__hdfs_query("OPEN", "to", rows[i].value);
        assert_string_equal(query, rows[i].query);
        free(query);
    }
    char *query = pingo__hdfs_query("OPEN", NULL, NULL);
    assert_string_equal(query, "op=OPEN");
    free(query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names__urls_are_taken_apart),
        cmocka_unit_test(test_names__urls_that_are_none),
        cmocka_unit_test(test_names__parts_of_any_length),
        cmocka_unit_test(test_names__names_that_hdfs_can_hold),
        cmocka_unit_test(test_names__paths_have_limits),
        cmocka_unit_test(test_names__queries_are_encoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
