/* test_logs.c - logs are cut at their cap, but for the one that is the output. */
#include "unit/runner/attempts.h"

#include "runner/steps.h"

static size_t size_of(const struct pool *p, const char *name, char *text, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", p->root, name);
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    text[n < 0 ? 0 : n] = '\0';
    return (size_t)n;
}

static void run_logs(struct pool *p, bool is_output, const char *expected[2])
{
    char path[256], text[256];
    struct pingo__runner_logs logs;
    int dir = open(p->root, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", p->root, i ? "stderr" : "stdout");
        close(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644));
    }
    assert_int_equal(pingo__runner_logs_open(&logs, dir, 10, is_output), 0);
    assert_false(pingo__runner_logs_check(&logs));
    assert_int_equal(write(logs.fds[0], "0123456789ab", 12), 12);
    assert_int_equal(write(logs.fds[1], "short", 5), 5);
    assert_int_equal(pingo__runner_logs_check(&logs), !is_output);
    pingo__runner_logs_say(&logs, "!");
    pingo__runner_logs_close(&logs);
    close(dir);
    for (int i = 0; i < 2; i++) {
        size_of(p, i ? "stderr" : "stdout", text, sizeof text);
        assert_string_equal(text, expected[i]);
    }
}

static void test_logs__are_cut_and_say_so(void **state)
{
    struct pool p;
    (void)state;
    pool_open(&p);
    run_logs(&p, false, (const char *[]){"0123456789\npingo: log cut at 10 bytes\n", "short!"});
    run_logs(&p, true, (const char *[]){"0123456789ab", "short!"});
    pool_close(&p);
}

/* Nobody is led elsewhere, and nothing is left open. */
static void test_logs__a_link_is_refused(void **state)
{
    struct pool p;
    char path[256];
    struct pingo__runner_logs logs;
    (void)state;
    pool_open(&p);
    int dir = open(p.root, O_RDONLY | O_DIRECTORY), next = dup(dir);
    close(next);
    snprintf(path, sizeof path, "%s/stdout", p.root);
    close(open(path, O_WRONLY | O_CREAT, 0644));
    assert_int_equal(pingo__runner_logs_open(&logs, dir, 10, false), -ENOENT);
    assert_int_equal(symlinkat("stdout", dir, "stderr"), 0);
    assert_int_equal(pingo__runner_logs_open(&logs, dir, 10, false), -ELOOP);
    assert_int_equal(dup(dir), next);
    close(next);
    close(dir);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logs__are_cut_and_say_so),
        cmocka_unit_test(test_logs__a_link_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
