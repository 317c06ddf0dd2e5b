/* test_token.c - delegation tokens of WebHDFS's, and as Hadoop's own programs find them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hdfs/hdfs.h"

#define UNUSED(x) ((void)(x))

/* As Hadoop 3.4 encodes them. */
static const char of_web[] =
    "QAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0-P0AUcH"
    "BwcHBwcHBwcHBwcHBwcHBwcHASV0VCSERGUyBkZWxlZ2F0aW9uDTEwLjAuMC4xOjgwMjA";
static const char of_hadoop[] =
    "QAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0-P0AUcH"
    "BwcHBwcHBwcHBwcHBwcHBwcHAVSERGU19ERUxFR0FUSU9OX1RPS0VODTEwLjAuMC4xOjgwMjA";
static const char of_two[] =
    "QAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0-P0AUcH"
    "BwcHBwcHBwcHBwcHBwcHBwcHAVSERGU19ERUxFR0FUSU9OX1RPS0VOD2hhLWhkZnM6Y2x1c3Rlcg";

static void same(const char *token, const char *nameservice, const char *wanted)
{
    struct pingo_error err = {0};
    char *out = NULL;
    assert_int_equal(pingo__hdfs_token_for_hadoop(token, nameservice, &out, &err), 0);
    assert_string_equal(out, wanted);
    free(out);
}

static void test_token__its_kind_is_another(void **state)
{
    UNUSED(state);
    same(of_web, NULL, of_hadoop);
    same(of_hadoop, NULL, of_hadoop);
}

static void test_token__of_several_namenodes(void **state)
{
    UNUSED(state);
    same(of_web, "cluster", of_two);
}

/* Lengths of one byte and of two, behind the byte that tells how many. */
static void test_token__long_ones(void **state)
{
    UNUSED(state);
    same(
        "j8hpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaW"
        "lpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlp"
        "aWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaY"
        "4BLHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw"
        "cHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH"
        "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw"
        "cHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH"
        "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcBNTV0VCSERGUyBkZWxlZ2F0aW9uAXM",
        NULL,
        "j8hpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaW"
        "lpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlp"
        "aWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaY"
        "4BLHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw"
        "cHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH"
        "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw"
        "cHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH"
        "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcBVIREZTX0RFTEVHQVRJT05fVE9LRU4Bcw");
}

static void test_token__what_is_none(void **state)
{
    char cut[sizeof of_web], *out;
    struct pingo_error err;
    UNUSED(state);
    for (size_t n = 0; n + 1 < sizeof of_web; n++) {
        memcpy(cut, of_web, n);
        cut[n] = '\0';
        assert_int_equal(pingo__hdfs_token_for_hadoop(cut, NULL, &out, &err), PINGO_EIO);
        assert_null(out);
        memcpy(cut, of_web, sizeof cut);
        for (const char *c = "A-_z!"; *c; c++) { /* whatever is found there */
            cut[n] = *c;
            pingo__hdfs_token_for_hadoop(cut, NULL, &out, &err);
            free(out);
        }
    }
    char *endless = calloc(1, 200001);
    assert_non_null(endless);
    memset(endless, 'A', 200000);
    assert_int_equal(pingo__hdfs_token_for_hadoop(endless, NULL, &out, &err), PINGO_EIO);
    free(endless);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_token__its_kind_is_another),
        cmocka_unit_test(test_token__of_several_namenodes),
        cmocka_unit_test(test_token__long_ones),
        cmocka_unit_test(test_token__what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
