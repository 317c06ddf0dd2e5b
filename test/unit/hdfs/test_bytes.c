/* test_bytes.c - uploads and downloads that break, or stand still. */
#include "unit/hdfs/served.h"

static void *hurry_soon(void *fs)
{
    while (order("/count/DATA-OPEN") < 1)
        usleep(20000);
    pingo__hdfs_hurry(fs, true);
    return NULL;
}

/* A DataNode that says nothing for a minute, and then all: who hurries has not waited for it. */
static void test_bytes__bytes_that_do_not_come_are_not_waited_for(void **state)
{
    struct pingo__hdfs_options options = {.patience_ms = SHORT_MS, .stall_ms = 120000};
    struct pingo__hdfs *first = open_fs("/silent", 0), *fs = NULL;
    struct pingo__buffer bytes = {0};
    char url[64];
    pthread_t thread;
    (void)state;
    put(first, "f", "text");
    pingo__hdfs_close(first);
    snprintf(url, sizeof url, "webhdfs://me@127.0.0.1:%d/silent", server.ports[0]);
    WELL(pingo__hdfs_open(url, &options, &fs, err));
    order("/clear");
    fault(0, "hang", "DATA-OPEN", 1000);
    assert_int_equal(pthread_create(&thread, NULL, hurry_soon, fs), 0);
    FAILS(pingo__hdfs_get_bytes(fs, "f", (struct pingo__hdfs_range){0, 4}, &bytes, err),
          PINGO_EAWAY, "");
    pthread_join(thread, NULL);
    assert_int_equal(bytes.length, 0);
    order("/clear");
    pingo__hdfs_hurry(fs, false);
    WELL(pingo__hdfs_get_bytes(fs, "f", (struct pingo__hdfs_range){0, 4}, &bytes, err));
    assert_string_equal(pingo__buffer_cstr(&bytes), "text");
    pingo__buffer_clear(&bytes);
    pingo__hdfs_close(fs);
}

static void test_bytes__uploads_that_break(void **state)
{
    static const struct {
        const char *word, *op;
        int times, rc;
        const char *words;
    } rows[] = {{"cut", "DATA-CREATE", 1, 0, ""},
                {"cut", "DATA-CREATE", 3, 0, ""},
                {"lost", "DATA-CREATE", 1, 0, ""},
                {"slam", "DATA-CREATE", 2, 0, ""},
                {"dead", "CREATE", 1, 0, ""},
                {"slam", "CREATE", 1, 0, ""},
                {"cut", "DATA-CREATE", 1000, PINGO_EAWAY, ""},
                {"short", "DATA-CREATE", 1, PINGO_EIO, "bytes"},
                {"quota", "DATA-CREATE", 1, PINGO_ENOSPACE, "quota"},
                {"full", "CREATE", 1, PINGO_ENOSPACE, "could only be written"},
                {"denied", "CREATE", 1, PINGO_EIO, "AccessControl"},
                {"httpfs", "CREATE", 1, PINGO_EUNSUPPORTED, "HttpFS"},
                {"nowhere", "CREATE", 1, PINGO_EIO, "WebHDFS"}};
    struct pingo__hdfs *fs = open_fs("/uploads", 0);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fault(0, rows[i].word, rows[i].op, rows[i].times);
        if (rows[i].rc)
            FAILS(pingo__hdfs_put_bytes(fs, "d/f", "some text", 9, err), rows[i].rc, rows[i].words);
        else
            put(fs, "d/f", "some text");
        order("/clear");
        assert_int_equal(is_there(fs, "d/f"), !rows[i].rc);
        if (!rows[i].rc)
            assert_true(holds(fs, "d/f", "some text"));
        assert_int_equal(is_there(fs, "d") ? entries(fs, "d") : 0, !rows[i].rc); /* nothing else */
        WELL(pingo__hdfs_remove(fs, "d", err));
    }
    pingo__hdfs_close(fs);
}

/* Java composes letters and their marks where it writes a url; in HDFS both names are entries of their own. */
static void test_bytes__names_that_java_would_write_otherwise(void **state)
{
    static const char *const names[] = {"d/e\xcc\x81 %41", "d/\xc3\xa9 %41"};
    struct pingo__hdfs *fs = open_fs("/composed", 0);
    char text[PINGO__HDFS_CHECKSUM_SIZE];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        put(fs, names[i], names[i]);
        assert_true(is_there(fs, names[i]));
        assert_int_equal(entries(fs, "d"), i + 1);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_true(holds(fs, names[i], names[i]));
        WELL(pingo__hdfs_checksum(fs, names[i], text, err));
    }
    pingo__hdfs_close(fs);
}

static void test_bytes__downloads_that_break(void **state)
{
    struct pingo__hdfs *fs = open_fs("/downloads", SHORT_MS);
    struct pingo__buffer bytes = {0};
    char target[64];
    (void)state;
    put(fs, "d/f", "a text of some length");
    fault(0, "cut", "DATA-OPEN", 3);
    assert_true(holds(fs, "d/f", "a text of some length"));
    fault(0, "slam", "DATA-OPEN", 2);
    fault(0, "dead", "OPEN", 1);
    assert_true(holds(fs, "d/f", "a text of some length"));
    fault(0, "more", "DATA-OPEN", 1);
    FAILS(pingo__hdfs_get_bytes(fs, "d/f", (struct pingo__hdfs_range){2, 4}, &bytes, err),
          PINGO_EIO, "");
    pingo__buffer_reset(&bytes);
    WELL(pingo__hdfs_get_bytes(fs, "d/f", (struct pingo__hdfs_range){2, 4}, &bytes, err));
    assert_string_equal(pingo__buffer_cstr(&bytes), "text");
    WELL(pingo__hdfs_get_bytes(fs, "d/f", (struct pingo__hdfs_range){100, 4}, &bytes, err));
    assert_int_equal(bytes.length, 4);
    FAILS(pingo__hdfs_get_bytes(fs, "d", (struct pingo__hdfs_range){0, 4}, &bytes, err),
          PINGO_ENOTFOUND, "no file");
    fault(0, "slam", "DATA-OPEN", 1000);
    snprintf(target, sizeof target, "%s/target", scratch);
    FAILS(pingo__hdfs_get_tree(fs, "d", target, 0777, err), PINGO_EAWAY, "");
    assert_int_not_equal(access(target, F_OK), 0);
    pingo__buffer_clear(&bytes);
    pingo__hdfs_close(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes__bytes_that_do_not_come_are_not_waited_for),
        cmocka_unit_test(test_bytes__uploads_that_break),
        cmocka_unit_test(test_bytes__names_that_java_would_write_otherwise),
        cmocka_unit_test(test_bytes__downloads_that_break),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
