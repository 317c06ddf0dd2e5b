/* test_child.c - a program beside us: what it says, and how much of that is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"

static struct pingo__child *start(const char *script, size_t keep_bytes)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct pingo__child *child;
    const struct pingo__child_program program = {
        .argv = argv, .limit_ms = 60000, .keep_bytes = keep_bytes};
    assert_int_equal(pingo__child_start(&program, &child), 0);
    return child;
}

static int end(struct pingo__child *child)
{
    int status;
    while (!pingo__child_has_ended(child, &status))
        poll(&(struct pollfd){pingo__child_fd(child), POLLIN, 0}, 1, 10);
    return status;
}

/* What the files in memory of this process take. */
static int64_t held_bytes(void)
{
    int64_t held = 0;
    DIR *fds = opendir("/proc/self/fd");
    for (struct dirent *e; (e = readdir(fds));) {
        char path[64], target[64] = "";
        struct stat st;
        snprintf(path, sizeof path, "/proc/self/fd/%.32s", e->d_name);
        if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, "memfd:pingo") &&
            stat(path, &st) == 0)
            held += (int64_t)st.st_blocks * 512;
    }
    closedir(fds);
    return held;
}

static void test_child__says_all_that_it_said(void **state)
{
    (void)state;
    struct pingo__buffer said = {0};
    struct pingo__child *child = start("echo one; echo two >&2; exit 3", 0);
    assert_int_equal(end(child), 3);
    pingo__child_said(child, false, 100, &said);
    assert_string_equal(pingo__buffer_cstr(&said), "one\n");
    pingo__buffer_reset(&said);
    pingo__child_said(child, true, 100, &said);
    assert_string_equal(pingo__buffer_cstr(&said), "two\n");
    pingo__buffer_reset(&said);
    pingo__child_said(child, true, 2, &said);
    assert_string_equal(pingo__buffer_cstr(&said), "tw");
    pingo__buffer_clear(&said);
    pingo__child_free(child);
}

static void test_child__keeps_the_end_of_what_it_said(void **state)
{
    (void)state;
    struct pingo__buffer said = {0};
    struct pingo__child *child =
        start("head -c 50000000 /dev/zero; head -c 50000000 /dev/zero >&2; "
              "printf '\nnearly\nlast\n' >&2",
              65536);
    assert_int_equal(end(child), 0);
    assert_true(held_bytes() < 1 << 20);
    pingo__child_said_last(child, true, 12, &said);
    assert_string_equal(pingo__buffer_cstr(&said), "nearly\nlast\n");
    pingo__buffer_clear(&said);
    pingo__child_free(child);
}

static void test_child__tells_whole_lines_of_the_end(void **state)
{
    static const struct {
        const char *script;
        size_t max;
        const char *last;
    } rows[] = {
        {"printf 'one\\ntwo\\n'", 100, "one\ntwo\n"},
        {"printf 'one\\ntwo\\n'", 7, "two\n"},
        {"printf 'one\\ntwo\\n'", 4, "two\n"},
        {"printf 'one\\ntwo\\n'", 3, "wo\n"},
        {"printf 'one\\ntwo'", 5, "two"},
        {":", 5, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__buffer said = {0};
        struct pingo__child *child = start(rows[i].script, 0);
        assert_int_equal(end(child), 0);
        pingo__child_said_last(child, false, rows[i].max, &said);
        assert_string_equal(pingo__buffer_cstr(&said), rows[i].last);
        pingo__buffer_clear(&said);
        pingo__child_free(child);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_child__says_all_that_it_said),
        cmocka_unit_test(test_child__keeps_the_end_of_what_it_said),
        cmocka_unit_test(test_child__tells_whole_lines_of_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
