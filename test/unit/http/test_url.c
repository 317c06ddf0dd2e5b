/* test_url.c - which urls of servers there are, and what is said of those that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/http.h"
#include "http/request.h"

static bool is_valid(const char *url)
{
    const char *wrong = "not set";
    bool is = pingo__http_url_is_valid(url, &wrong);
    assert_int_equal(is, wrong == NULL);
    return is;
}

static void says(const char *url, const char *part)
{
    const char *wrong = NULL;
    assert_false(pingo__http_url_is_valid(url, &wrong));
    assert_non_null(strstr(wrong, part));
}

static void test_url__servers(void **state)
{
    static const char *const good[] = {
        "http://localhost",   "https://a.b-c_d.example", "http://127.0.0.1:1",  "http://h:65535",
        "https://[::1]:8080", "http://[::ffff:1.2.3.4]", "unix:/run/pingo.sock"};
    static const char *const bad[] = {"http://",
                                      "https://:80",
                                      "http://h:",
                                      "http://h:0",
                                      "http://h:65536",
                                      "http://h:80x",
                                      "http://h:-1",
                                      "http://h: 80",
                                      "http://h/",
                                      "http://h/path",
                                      "http://h?q",
                                      "http://u@h",
                                      "http://u:p@h:1",
                                      "http://h h",
                                      "http://h\n",
                                      "http://[::1",
                                      "http://::1",
                                      "http://[]",
                                      "http://[::g]",
                                      "http://a:1:2",
                                      "HTTP://h",
                                      "ftp://h",
                                      "h:80",
                                      "",
                                      "http:/h",
                                      "unix:",
                                      "unix:/",
                                      "unix:relative",
                                      "http://h:99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!is_valid(good[i]))
            fail_msg("%s is none", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (is_valid(bad[i]))
            fail_msg("%s is one", bad[i]);
    says("h:80", "begins with http://, https:// or unix:");
    says("http://h/path", "nothing more");
    says("https://h/path", "https:// come");
    says("unix:relative", "absolute path");
}

/* A host has 253 bytes at most, and a socket's path 107: one more is too much, and much more ends nothing. */
static void test_url__lengths(void **state)
{
    static char url[100000];
    (void)state;
    for (size_t n = 250; n < 320; n++) {
        snprintf(url, sizeof url, "http://%0*d", (int)n, 0);
        assert_int_equal(is_valid(url), n <= 253);
        snprintf(url, sizeof url, "http://%0*d:80", (int)n, 0);
        assert_int_equal(is_valid(url), n <= 253);
    }
    for (size_t n = 1; n < 120; n++) {
        snprintf(url, sizeof url, "unix:/%0*d", (int)n, 0);
        assert_int_equal(is_valid(url), n + 1 <= 107);
    }
    memset(url, 'a', sizeof url - 1);
    memcpy(url, "https://", 8);
    assert_false(is_valid(url));
}

/* Where a server sends us on to. */
static void test_url__what_leads_on_has_a_server_and_a_path(void **state)
{
    (void)state;
    assert_true(pingo__http_url_leads_on("http://dn1:9864/webhdfs/v1/a?op=OPEN&x=http://other/"));
    assert_true(pingo__http_url_leads_on("https://[::1]:1/"));
    assert_false(pingo__http_url_leads_on("http://dn1:9864"));
    assert_false(pingo__http_url_leads_on("http://u:p@dn1/"));
    assert_false(pingo__http_url_leads_on("http://dn1:0/"));
    assert_false(pingo__http_url_leads_on("http:///etc/passwd"));
    assert_false(pingo__http_url_leads_on("file:///etc/passwd"));
    assert_false(pingo__http_url_leads_on("unix:/run/x"));
    assert_false(pingo__http_url_leads_on("/webhdfs/v1/a"));
    assert_false(pingo__http_url_leads_on(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_url__servers),
        cmocka_unit_test(test_url__lengths),
        cmocka_unit_test(test_url__what_leads_on_has_a_server_and_a_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
