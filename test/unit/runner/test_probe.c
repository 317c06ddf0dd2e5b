/* test_probe.c - what a machine says of itself when it is asked in a directory; and answers that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pingo/version.h>

#include "base/sandbox.h"
#include "base/tree.h"
#include "base/world.h"
#include "runner/record/probe.h"

static char root[64];
static int dir;

static int set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/pingo-probe-XXXXXX");
    dir = mkdtemp(root) ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return dir < 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(dir);
    return pingo__tree_remove(AT_FDCWD, root);
}

static void test_probe__what_was_asked_is_answered(void **state)
{
    struct pingo__runner_probe p;
    char host[65] = "";
    (void)state;
    assert_false(pingo__runner_probe_read(dir, &p));
    assert_int_equal(pingo__runner_probe_ask(dir, "is anybody there"), 0);
    assert_false(pingo__runner_probe_read(dir, &p)); /* a question is no answer */
    int64_t before = pingo__world_wall_ms();
    assert_int_equal(pingo__runner_probe_answer(root), 0);
    assert_true(pingo__runner_probe_read(dir, &p));
    assert_string_equal(p.question, "is anybody there");
    assert_string_equal(p.version, PINGO_VERSION);
    gethostname(host, sizeof host - 1);
    assert_string_equal(p.host, host);
    assert_true(p.wall_ms >= before && p.wall_ms <= pingo__world_wall_ms());
    assert_int_equal(p.user, geteuid());
    assert_int_equal(p.owner, geteuid());
    assert_int_equal(p.landlock, pingo__sandbox_abi());
    assert_int_equal(faccessat(dir, "answer.part", F_OK, 0), -1); /* it came by a rename */
    /* The next question takes the place of the one before, and so does its answer. */
    assert_int_equal(pingo__runner_probe_ask(dir, "who"), 0);
    assert_int_equal(pingo__runner_probe_answer(root), 0);
    assert_true(pingo__runner_probe_read(dir, &p));
    assert_string_equal(p.question, "who");
}

static void test_probe__where_nothing_is_asked(void **state)
{
    struct pingo__runner_probe p;
    char path[96];
    (void)state;
    assert_int_equal(pingo__runner_probe_answer(root), -ENOENT);
    assert_int_equal(faccessat(dir, "answer", F_OK, 0), -1);
    snprintf(path, sizeof path, "%s/nowhere", root);
    assert_int_equal(pingo__runner_probe_answer(path), -ENOENT);
    /* Links are followed nowhere. */
    assert_int_equal(symlinkat("elsewhere", dir, "question"), 0);
    assert_int_equal(pingo__runner_probe_ask(dir, "who"), -ELOOP);
    assert_int_equal(pingo__runner_probe_answer(root), -ELOOP);
    assert_int_equal(faccessat(dir, "elsewhere", F_OK, 0), -1);
    assert_int_equal(unlinkat(dir, "question", 0), 0);
    assert_int_equal(pingo__runner_probe_ask(dir, "who"), 0);
    assert_int_equal(symlinkat("question", dir, "answer.part"), 0);
    assert_int_equal(pingo__runner_probe_answer(root), -ELOOP);
    assert_int_equal(symlinkat("question", dir, "answer"), 0);
    assert_false(pingo__runner_probe_read(dir, &p));
    assert_int_equal(p.owner, -1);
}

static bool parses(const char *text, size_t n, struct pingo__runner_probe *p)
{
    char own[PINGO__RUNNER_PROBE_SIZE] = "";
    memcpy(own, text, n);
    return pingo__runner_probe_parse(own, p);
}

static void test_probe__an_answer_is_whole_or_none(void **state)
{
    static const char good[] = "q\n1.2.3\nnode-1\n1700000000000\n0\n3\n";
    static const char *const bad[] = {
        "",
        "\n\n\n\n\n\n",
        "q\n1.2.3\nnode-1\n-5\n0\n3\n",
        "q\n1.2.3\nnode-1\n5\n0\nthree\n",
        "q\n1.2.3\nnode-1\n5\n\n3\n",
        "q\n1.2.3\nnode-1\n99999999999999999999\n0\n3\n",
        "q\n1.2.3\n5\n0\n3\n",
        "0123456789012345678901234567890123456789\n1.2.3\nnode-1\n5\n0\n3\n", /* of 40 */
    };
    struct pingo__runner_probe p;
    char longest[PINGO__RUNNER_PROBE_SIZE];
    (void)state;
    assert_true(parses(good, strlen(good), &p));
    assert_string_equal(p.host, "node-1");
    assert_true(p.wall_ms == 1700000000000 && p.user == 0 && p.landlock == 3 && p.owner == -1);
    for (size_t n = 0; n < strlen(good); n++)
        assert_false(parses(good, n, &p));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parses(bad[i], strlen(bad[i]), &p))
            fail_msg("%s", bad[i]);
    snprintf(longest, sizeof longest, "%039d\n%039d\n%064d\n1\n2\n3\n", 1, 2, 3);
    assert_true(parses(longest, strlen(longest), &p));
    assert_int_equal(strlen(p.question), 39);
    assert_int_equal(strlen(p.host), 64);
    assert_true(parses("\n\n\n1\n2\n3\n", 9, &p)); /* a machine without a name */
}

/* A question of any length is cut as who asks cuts it. */
static void test_probe__a_long_question(void **state)
{
    struct pingo__runner_probe p;
    char text[PINGO__RUNNER_PROBE_SIZE], question[400];
    (void)state;
    snprintf(question, sizeof question, "%0300d", 7);
    pingo__runner_probe_print(question, text);
    assert_true(pingo__runner_probe_parse(text, &p));
    assert_int_equal(strlen(p.question), 39);
    assert_int_equal(pingo__runner_probe_ask(dir, question), 0);
    assert_int_equal(pingo__runner_probe_answer(root), 0);
    assert_true(pingo__runner_probe_read(dir, &p));
    assert_memory_equal(p.question, question, 39);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_probe__what_was_asked_is_answered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_probe__where_nothing_is_asked, set_up, tear_down),
        cmocka_unit_test(test_probe__an_answer_is_whole_or_none),
        cmocka_unit_test_setup_teardown(test_probe__a_long_question, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
