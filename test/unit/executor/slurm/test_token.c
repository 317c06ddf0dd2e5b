/* test_token.c - by what slurmrestd knows us: read out of what a file or a command says, whatever that is; and how long it
 * lasts, by its own word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/slurm/slurm.h"

static void test_token__is_read_out_of_what_was_said(void **state)
{
#define ROW(said, token)                                                                           \
    {                                                                                              \
        said, sizeof(said) - 1, token                                                              \
    }
    static const struct {
        const char *said;
        size_t n;
        const char *token; /* NULL: there is none */
    } rows[] = {
        ROW("eyJ.a.b", "eyJ.a.b"),
        ROW("SLURM_JWT=eyJ.a.b\n", "eyJ.a.b"),
        ROW(" \t\r\n SLURM_JWT=x \r\n\n", "x"),
        ROW("SLURM_JWT=SLURM_JWT=x", "SLURM_JWT=x"),
        ROW("", NULL),
        ROW("\n", NULL),
        ROW("SLURM_JWT=\n", NULL),
        ROW("SLURM_JWT= x", NULL),
        ROW("a b", NULL),
        ROW("a\nb", NULL), /* a header ends at a line's end */
        ROW("a\r\nX-Other: b", NULL),
        ROW("a\0b", NULL),
        ROW("a\0", NULL),
        ROW("\0a", NULL),
        ROW("a\x7f", NULL),
        ROW("\xc3\xa9", NULL),
        ROW("a\x01", NULL),
    };
    char token[PINGO__SLURM_TOKEN_MOST];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *said = malloc(rows[i].n + 1); /* no longer than it is */
        assert_non_null(said);
        memcpy(said, rows[i].said, rows[i].n);
        said[rows[i].n] = '\0';
        if (pingo__executor_slurm_token_read(said, rows[i].n, token) != (rows[i].token != NULL))
            fail_msg("row %zu", i);
        if (rows[i].token)
            assert_string_equal(token, rows[i].token);
        free(said);
    }
}

static void test_token__has_a_longest(void **state)
{
    static char said[PINGO__SLURM_TOKEN_MOST + 2], token[PINGO__SLURM_TOKEN_MOST];
    (void)state;
    for (size_t n = PINGO__SLURM_TOKEN_MOST - 1; n <= PINGO__SLURM_TOKEN_MOST + 1; n++) {
        memset(said, 'x', n);
        assert_true(pingo__executor_slurm_token_read(said, n, token) == (n < sizeof token));
        assert_int_equal(strlen(token), PINGO__SLURM_TOKEN_MOST - 1);
    }
}

/* A token that was set where a file or a command is meant is seen before a shell is given it. */
static void test_token__set_by_mistake_is_one(void **state)
{
    static const struct {
        const char *source;
        bool is;
    } rows[] = {{"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.x-_", true},
                {"  SLURM_JWT=eyJhbGciOiJIUzI1NiJ9.eyJ", true},
                {"/etc/slurm/token", false},
                {"scontrol token lifespan=600", false},
                {"eyJhbGciOiJIUzI1NiJ9", false},
                {"eyJ.a.b", false},
                {"eyJhbGciOiJIUzI1NiJ9.", false},
                {"cat eyJhbGciOiJIUzI1NiJ9.eyJ", false},
                {"", false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pingo__executor_slurm_token_is_one(rows[i].source), rows[i].is);
}

static void test_token__says_how_long_it_lasts(void **state)
{
    static const struct {
        const char *token;
        int64_t now_s, lasts_s;
    } rows[] = {
        {"h.eyJleHAiOjEwMDB9.s", 400, 600}, /* {"exp":1000} */
        {"h.eyJleHAiOjEwMDB9.s", 999, 1},
        {"h.eyJleHAiOjEwMDB9.s", 1000, 0},
        {"h.eyJleHAiOjEwMDB9.s", 5000, 0},
        {"h.eyJleHAiOjEwMDB9", 400, 600},
        {"h.eyJleHAiOi0xfQ.s", 0, -1},   /* {"exp":-1} */
        {"h.eyJleHAiOiIxIn0.s", 0, -1},  /* {"exp":"1"} */
        {"h.eyJleHAiOjF9fQ.s", 0, -1},   /* {"exp":1}} */
        {"h.eyJpYXQiOjF9.s", 0, -1},     /* {"iat":1} */
        {"h.eyJleHAiOjFlOTl9.s", 0, -1}, /* {"exp":1e99} */
        {"h.!!!.s", 0, -1},
        {"h..s", 0, -1},
        {"h.", 0, -1},
        {"h", 0, -1},
        {"", 0, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (pingo__executor_slurm_token_lasts_s(rows[i].token, rows[i].now_s) != rows[i].lasts_s)
            fail_msg("row %zu: %lld", i,
                     (long long)pingo__executor_slurm_token_lasts_s(rows[i].token, rows[i].now_s));
}

/* Or of one that holds one all the same: some file systems say of all files that they may
 * be.  It is read, and not run. */
static void test_token__comes_from_a_file_with_any_mode(void **state)
{
    static const char said[] = "eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjF9.s";
    struct pingo__executor_slurm_token *t = calloc(1, sizeof *t);
    char path[] = "/tmp/pingo-token-XXXXXX";
    const char *why = NULL;
    int fd = mkstemp(path);
    (void)state;
    assert_non_null(t);
    assert_true(fd >= 0);
    t->poll_fd = -1;
    t->source = path;
    assert_int_equal(write(fd, said, sizeof said - 1), sizeof said - 1);
    assert_int_equal(fchmod(fd, 0755), 0);
    assert_true(pingo__executor_slurm_token_is_there(t, &why));
    assert_string_equal(t->text, said);
    t->text[0] = '\0';
    assert_int_equal(pwrite(fd, "#!", 2, 0), 2); /* a program */
    assert_false(pingo__executor_slurm_token_is_there(t, &why));
    assert_non_null(t->child);
    assert_int_equal(unlink(path), 0);
    pingo__executor_slurm_token_clear(t);
    close(fd);
    free(t);
}

/* Of a file that nobody may execute. */
static void test_token__comes_from_a_file(void **state)
{
    struct pingo__executor_slurm_token *t = calloc(1, sizeof *t);
    char path[] = "/tmp/pingo-token-XXXXXX";
    const char *why = NULL;
    int fd = mkstemp(path);
    (void)state;
    assert_non_null(t);
    assert_true(fd >= 0);
    t->poll_fd = -1;
    assert_true(pingo__executor_slurm_token_is_there(t, &why)); /* none is needed */
    assert_false(pingo__executor_slurm_token_has_expired(t));
    assert_false(pingo__executor_slurm_token_was_refused(t));
    t->source = path;
    assert_false(pingo__executor_slurm_token_is_there(t, &why)); /* there is nothing in it */
    assert_non_null(strstr(why, path));
    assert_int_equal(write(fd, "SLURM_JWT=h.eyJpYXQiOjF9.s\n", 27), 27);
    assert_true(pingo__executor_slurm_token_is_there(t, &why));
    assert_string_equal(t->text, "h.eyJpYXQiOjF9.s");
    assert_false(pingo__executor_slurm_token_was_refused(t)); /* a new one is no better */
    t->fetched_ms -= 600000;
    assert_true(pingo__executor_slurm_token_was_refused(t));
    assert_string_equal(t->text, "");
    assert_int_equal(unlink(path), 0);
    pingo__executor_slurm_token_clear(t);
    close(fd);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_token__is_read_out_of_what_was_said),
        cmocka_unit_test(test_token__has_a_longest),
        cmocka_unit_test(test_token__set_by_mistake_is_one),
        cmocka_unit_test(test_token__says_how_long_it_lasts),
        cmocka_unit_test(test_token__comes_from_a_file),
        cmocka_unit_test(test_token__comes_from_a_file_with_any_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
