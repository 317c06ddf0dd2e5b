/* test_answers.c - what a NameNode answers, or whoever stands where one should: no status is guessed, each refusal is what Hadoop
 * means by it, and its words are fit for a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "hdfs/inside.h"

/* Of a text that stays: what is read lies in it. */
static bool open_text(struct pingo__json_reader *j, const char *text)
{
    struct pingo__buffer b = {.data = (char *)(uintptr_t)text, .length = strlen(text)};
    pingo__hdfs_json_open(j, &b);
    return j->element.root;
}

static void test_answers__members_are_found_along_keys(void **state)
{
    static const struct {
        const char *keys;
        int64_t number;
        const char *text;
    } rows[] = {{"a.b.n", 7, NULL}, {"a.b.t", -1, "x"},     {"a.b", -1, NULL},
                {"a.bb", 3, NULL},  {"a.b.n.m", -1, NULL},  {"a", -1, NULL},
                {"none", -1, NULL}, {"a.none.n", -1, NULL}, {"below", -1, NULL},
                {"half", -1, NULL}, {"large", -1, NULL},    {"word", -1, "7"}};
    struct pingo__json_reader j;
    (void)state;
    assert_true(open_text(&j,
                          "{\"a\":{\"bb\":3,\"b\":{\"n\":7,\"t\":\"x\"}},\"below\":-5,\"half\":1.5,"
                          "\"large\":1e300,\"word\":\"7\"}"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = pingo__json_text_at(j.element.root, rows[i].keys, NULL);
        assert_int_equal(pingo__hdfs_json_number(&j, j.element.root, rows[i].keys), rows[i].number);
        if (rows[i].text)
            assert_string_equal(text, rows[i].text);
        else
            assert_null(text);
    }
    pingo__json_reader_clear(&j);
}

static void test_answers__what_is_no_json_is_none(void **state)
{
    static const char *const rows[] = {"",     "<html>", "{",    "{\"a\":1",
                                       "[1,]", "nul",    "\xff", "{}{}"};
    struct pingo__json_reader j;
    struct pingo__buffer nothing = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(open_text(&j, rows[i]));
        assert_null(j.element.root);
        assert_null(pingo__json_text_at(j.element.root, "a", NULL));
        pingo__json_reader_clear(&j);
    }
    pingo__hdfs_json_open(&j, &nothing);
    assert_null(j.element.root);
    pingo__json_reader_clear(&j);
}

#define STATUS                                                                                     \
    "\"fileId\":7,\"length\":5,\"modificationTime\":9,\"childrenNum\":0,\"replication\":3"

static void test_answers__a_status_is_whole_or_none(void **state)
{
    static const struct {
        const char *text;
        bool is, is_directory, is_link;
        unsigned mode;
    } rows[] = {
        {"{" STATUS ",\"type\":\"FILE\",\"permission\":\"644\"}", true, false, false, 0644},
        {"{" STATUS ",\"type\":\"DIRECTORY\",\"permission\":\"1777\"}", true, true, false, 01777},
        {"{" STATUS ",\"type\":\"SYMLINK\"}", true, false, true, 0},
        {"{" STATUS ",\"type\":\"FILE\",\"permission\":\"x\"}", true, false, false, 0},
        {"{" STATUS ",\"type\":\"FILE\",\"permission\":\"777777777777777777777\"}", true, false,
         false, 07777},
        {"{" STATUS "}", false, false, false, 0},
        {"{\"type\":\"FILE\"}", false, false, false, 0},
        {"{\"fileId\":7,\"length\":-1,\"modificationTime\":9,\"type\":\"FILE\"}", false, false,
         false, 0},
        {"{\"fileId\":7,\"length\":\"5\",\"modificationTime\":9,\"type\":\"FILE\"}", false, false,
         false, 0},
        {"{\"length\":5,\"modificationTime\":9,\"type\":\"FILE\"}", false, false, false, 0},
        {"[]", false, false, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__json_reader j;
        struct pingo__hdfs_status status;
        open_text(&j, rows[i].text);
        assert_int_equal(pingo__hdfs_json_status(&j, j.element.root, &status), rows[i].is);
        if (rows[i].is) {
            assert_true(status.exists);
            assert_int_equal(status.is_directory, rows[i].is_directory);
            assert_int_equal(status.is_link, rows[i].is_link);
            assert_int_equal(status.mode, rows[i].mode);
            assert_int_equal(status.length, 5);
            assert_int_equal(status.file_id, 7);
            assert_int_equal(status.replicas, 3);
        }
        pingo__json_reader_clear(&j);
    }
}

static enum pingo__hdfs_refusal refused(int status, const char *body, int *rc, char why[512])
{
    struct pingo__hdfs_answer a = {.status = status};
    pingo__buffer_text(&a.body, body);
    enum pingo__hdfs_refusal refusal = pingo__hdfs_refused(&a, rc, why);
    pingo__buffer_clear(&a.body);
    return refusal;
}

#define REMOTE(exception, message)                                                                 \
    "{\"RemoteException\":{\"exception\":\"" exception "\",\"message\":\"" message "\"}}"

static void test_answers__refusals_are_what_hadoop_means(void **state)
{
    static const struct {
        int status;
        const char *body;
        enum pingo__hdfs_refusal refusal;
        int rc;
        const char *why;
    } rows[] = {
        {404, REMOTE("FileNotFoundException", "File /x does not exist."), PINGO__HDFS_FINAL,
         PINGO_ENOTFOUND, "File /x does not exist. (FileNotFoundException)"},
        {403, REMOTE("FileAlreadyExistsException", ""), PINGO__HDFS_FINAL, PINGO_EEXISTS,
         "FileAlreadyExistsException"},
        {403, REMOTE("StandbyException", "x"), PINGO__HDFS_STANDBY, PINGO_ESTATE,
         "x (StandbyException)"},
        {403, REMOTE("SafeModeException", "line\\n\\tat java"), PINGO__HDFS_LATER, PINGO_ESTATE,
         "line (SafeModeException)"},
        {403, REMOTE("SafeModeException", "\\n\\tat java"), PINGO__HDFS_LATER, PINGO_ESTATE,
         "SafeModeException"},
        {403, REMOTE("DSQuotaExceededException", "q"), PINGO__HDFS_FINAL, PINGO_ENOSPACE,
         "q (DSQuotaExceededException)"},
        {403, REMOTE("AccessControlException", "/a (is not a directory)"), PINGO__HDFS_FINAL,
         PINGO_EEXISTS, "/a (is not a directory) (AccessControlException)"},
        {403, REMOTE("AccessControlException", "no"), PINGO__HDFS_FINAL, PINGO_EIO,
         "no (AccessControlException)"},
        {403, REMOTE("IOException", "could only be written to 0 of the 1 nodes"), PINGO__HDFS_FINAL,
         PINGO_ENOSPACE, "could only be written to 0 of the 1 nodes (IOException)"},
        {403,
         REMOTE("IOException",
                "could only be written to 0 of the 1. There are 0 datanode(s) running"),
         PINGO__HDFS_LATER, PINGO_EAWAY,
         "could only be written to 0 of the 1. There are 0 datanode(s) running (IOException)"},
        {403, REMOTE("IOException", "Could not obtain block: x"), PINGO__HDFS_FINAL, PINGO_EINPUT,
         "Could not obtain block: x (IOException)"},
        {500, "<html>", PINGO__HDFS_FINAL, PINGO_EIO, "answered 500, without words of WebHDFS"},
        {502, "", PINGO__HDFS_LATER, PINGO_EAWAY, "answered 502, without words of WebHDFS"},
        {404, "{\"RemoteException\":[]}", PINGO__HDFS_FINAL, PINGO_EIO,
         "answered 404, without words of WebHDFS"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[512];
        int rc = 0;
        assert_int_equal(refused(rows[i].status, rows[i].body, &rc, why), rows[i].refusal);
        assert_int_equal(rc, rows[i].rc);
        assert_string_equal(why, rows[i].why);
    }
    char why[512];
    int rc = 0;
    assert_int_equal(refused(401, "<html>", &rc, why), PINGO__HDFS_FINAL);
    assert_non_null(strstr(why, "Kerberos"));
}

/* Whoever answers may be anybody: no terminal obeys him, and no character is cut. */
static void test_answers__words_are_shown_and_not_obeyed(void **state)
{
    struct pingo__buffer body = {0};
    char why[512];
    int rc = 0;
    (void)state;
    refused(403, REMOTE("E\\u001b[31m", "a\\u001b]0;title\\u0007b\\r\\u202ec"), &rc, why);
    for (const char *c = why; *c; c++)
        assert_true((unsigned char)*c >= ' ' && *c != 127);
    assert_null(strstr(why, "\xe2\x80\xae"));
    assert_non_null(strstr(why, "title"));
    for (size_t shift = 0; shift < 4; shift++) {
        pingo__buffer_reset(&body);
        pingo__buffer_text(&body, "{\"RemoteException\":{\"exception\":\"");
        for (int i = 0; i < 200; i++)
            pingo__buffer_text(&body, "E");
        pingo__buffer_text(&body, "\",\"message\":\"");
        for (size_t i = 0; i < shift; i++)
            pingo__buffer_char(&body, 'x');
        for (int i = 0; i < 1000; i++)
            pingo__buffer_text(&body, "\xf0\x9f\x98\x80");
        pingo__buffer_text(&body, "\"}}");
        refused(403, pingo__buffer_cstr(&body), &rc, why);
        assert_in_range(strlen(why), 300, 511);
        assert_null(strchr(why, '?')); /* half a character */
        assert_int_equal(why[strlen(why) - 1], ')');
    }
    pingo__buffer_clear(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers__members_are_found_along_keys),
        cmocka_unit_test(test_answers__what_is_no_json_is_none),
        cmocka_unit_test(test_answers__a_status_is_whole_or_none),
        cmocka_unit_test(test_answers__refusals_are_what_hadoop_means),
        cmocka_unit_test(test_answers__words_are_shown_and_not_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
