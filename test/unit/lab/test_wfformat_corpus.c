/* The files of the fuzzer's corpus of WfFormat, as they are, broken off and with wrong bytes. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "fuzz/wfformat_target.h"

#include <cmocka.h>

#define CORPUS "test/fuzz/corpus/wfformat"

static void test_wfformat_corpus__replays(void **state)
{
    DIR *dir = opendir(CORPUS); /* tests run at the root of the tree */
    struct dirent *entry;
    size_t n = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char path[512];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", CORPUS, entry->d_name);
        assert_int_equal(fuzz_file(path), 0);
        n++;
    }
    closedir(dir);
    assert_true(n >= 25);
}

static const char text[] =
    "{\"name\":\"w\",\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":[{"
    "\"name\":\"a\",\"id\":\"a\",\"outputFiles\":[\"f\"]},{\"name\":\"b\",\"id\":\"b\","
    "\"parents\":[\"a\"],\"inputFiles\":[\"f\"]}],\"files\":[{\"id\":\"f\",\"sizeInBytes\":7}]},"
    "\"execution\":{\"tasks\":[{\"id\":\"a\",\"runtimeInSeconds\":0.5,\"command\":{\"program\":"
    "\"p\",\"arguments\":[\"x\"]}}]}},\"runtimeSystem\":{\"name\":\"Makeflow\"}}";

static void test_wfformat_corpus__texts_that_end_anywhere(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof text; n++) {
        uint8_t *piece = malloc(n > 0 ? n : 1);

        assert_non_null(piece);
        memcpy(piece, text, n);
        fuzz_wfformat(piece, n);
        free(piece);
    }
}

static void test_wfformat_corpus__texts_with_a_wrong_byte(void **state)
{
    static const char wrong[] = "\"\\]:0a\xff";
    uint8_t copy[sizeof text - 1];

    (void)state;
    for (size_t i = 0; i < sizeof copy; i++) {
        for (size_t k = 0; k < sizeof wrong; k++) {
            memcpy(copy, text, sizeof copy);
            copy[i] = (uint8_t)wrong[k];
            fuzz_wfformat(copy, sizeof copy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wfformat_corpus__replays),
        cmocka_unit_test(test_wfformat_corpus__texts_that_end_anywhere),
        cmocka_unit_test(test_wfformat_corpus__texts_with_a_wrong_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
