/* test_states.c - what Slurm says of jobs: which are ours, which of their tasks are meant, and what an end means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "executor/context.h"
#include "executor/slurm/states.h"

static void test_states__what_is_not_known_is_not_over(void **state)
{
    static const struct {
        const char *name;
        enum pingo__executor_slurm_state state;
    } rows[] = {{"PENDING", PINGO__SLURM_WAITS},
                {"RUNNING", PINGO__SLURM_RUNS},
                {"COMPLETING", PINGO__SLURM_ENDS},
                {"COMPLETED", PINGO__SLURM_OVER},
                {"FAILED", PINGO__SLURM_OVER},
                {"CANCELLED", PINGO__SLURM_CANCELLED},
                {"CANCELLED by 0", PINGO__SLURM_CANCELLED},
                {"CANCELLED+", PINGO__SLURM_CANCELLED},
                {"TIMEOUT", PINGO__SLURM_TIMEOUT},
                {"OUT_OF_MEMORY", PINGO__SLURM_OUT_OF_MEMORY},
                {"NODE_FAIL", PINGO__SLURM_NODE_FAIL},
                {"PREEMPTED", PINGO__SLURM_NODE_FAIL},
                {"REQUEUED", PINGO__SLURM_WAITS},
                {"", PINGO__SLURM_WAITS},
                {"COMPLET", PINGO__SLURM_WAITS},
                {"COMPLETEDX", PINGO__SLURM_WAITS},
                {"failed", PINGO__SLURM_WAITS}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(pingo__executor_slurm_state_of(rows[i].name), rows[i].state);
        assert_int_equal(pingo__executor_slurm_is_over(rows[i].state),
                         rows[i].state > PINGO__SLURM_ENDS);
    }
}

#define ID "0123456789abcdef0123456789abcdef"

static bool is_ours(const char *name, const char *comment, const char *mark,
                    struct pingo_job_key *key)
{
    struct pingo__executor_slurm_record r = {.id = 1, .name = name, .comment = comment};
    *key = (struct pingo_job_key){.action = 0};
    return pingo__executor_slurm_key(&r, mark, key);
}

static void test_states__a_job_is_found_by_its_key(void **state)
{
    static const struct pingo_job_key keys[] = {{1, 1}, {7, 12}, {INT64_MAX, INT64_MAX}};
    char mark[PINGO__EXECUTOR_MARK_SIZE], other[PINGO__EXECUTOR_MARK_SIZE],
        name[PINGO__SLURM_NAME_SIZE], comment[PINGO__SLURM_NAME_SIZE + 20];
    struct pingo_job_key key;
    (void)state;
    pingo__executor_mark(mark, ID, "/pool");
    pingo__executor_mark(other, ID, "/pool2");
    assert_string_not_equal(mark, other); /* a copy of the store has another pool */
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        pingo__executor_slurm_name(name, mark, keys[i]);
        assert_true(is_ours(name, NULL, mark, &key));
        assert_int_equal(key.action, keys[i].action);
        assert_int_equal(key.epoch, keys[i].epoch);
        assert_false(is_ours(name, NULL, other, &key));
        snprintf(comment, sizeof comment, "%s and more", name);
        assert_true(is_ours(NULL, comment, mark, &key));
        assert_true(is_ours("a person's", comment, mark, &key));
        assert_int_equal(key.action, keys[i].action);
    }
    assert_false(is_ours(NULL, NULL, mark, &key));
}

static void test_states__keys_that_are_none(void **state)
{
    static const char *const rows[] = {"",
                                       "1",
                                       "1.",
                                       ".1",
                                       "1.1x",
                                       "1.-1",
                                       "-1.1",
                                       "0.1",
                                       "1.0",
                                       "1 1",
                                       "1..1",
                                       "+1.1",
                                       "1.1.1",
                                       "x.1",
                                       "9223372036854775808.1",
                                       "1.9223372036854775808",
                                       "1.11111111111111111111111111111111",
                                       "b.0123456789abcdef"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[200];
        struct pingo_job_key key;
        snprintf(name, sizeof name, "pingo-mark-%s", rows[i]);
        if (is_ours(name, name, "mark", &key))
            fail_msg("%s is one", name);
    }
    struct pingo_job_key key;
    assert_false(is_ours("pingo-mark1-1.1", NULL, "mark", &key));
    assert_false(is_ours("pingo-mar-1.1", NULL, "mark", &key));
    assert_false(is_ours("pingo-markx1.1", NULL, "mark", &key));
    assert_false(is_ours("xpingo-mark-1.1", NULL, "mark", &key));
}

static void test_states__an_array_is_found_by_its_list(void **state)
{
    static const struct {
        const char *name, *tasks;
        bool is;
    } rows[] = {{"pingo-mark-b.0123456789abcdef", "1", true},
                {"pingo-mark-b.0123456789abcdef rest", "1", true},
                {"pingo-mark-b.0123456789abcdef", NULL, false}, /* no array */
                {"pingo-mark-b.0123456789abcde", "1", false},
                {"pingo-mark-b.0123456789abcdef0", "1", false},
                {"pingo-mark-b.0123456789ABCDEF", "1", false},
                {"pingo-mark-b.0123456789abcdefx", "1", false},
                {"pingo-other-b.0123456789abcdef", "1", false},
                {"pingo-mark-1.1", "1", false}};
    char name[PINGO__SLURM_NAME_SIZE], bundle[PINGO__BUNDLE_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int in_comment = 0; in_comment < 2; in_comment++) {
            struct pingo__executor_slurm_record r = {.name = in_comment ? "x" : rows[i].name,
                                                     .comment = in_comment ? rows[i].name : NULL,
                                                     .tasks = rows[i].tasks};
            assert_int_equal(pingo__executor_slurm_bundle_of(&r, "mark", bundle), rows[i].is);
            if (rows[i].is)
                assert_string_equal(bundle, "0123456789abcdef");
        }
    pingo__executor_slurm_bundle_name(name, "mark", "0123456789abcdef");
    assert_string_equal(name, "pingo-mark-b.0123456789abcdef");
}

static void test_states__tasks_are_told_one_by_one(void **state)
{
    static const struct {
        const char *text, *tasks;
        bool is_cut;
    } rows[] = {{"", "", false},
                {"7", "7 ", false},
                {"0-3", "0 1 2 3 ", false},
                {"0-3,8-12:2", "0 1 2 3 8 10 12 ", false},
                {"1,2,5", "1 2 5 ", false},
                {"0-5:3%2", "0 3 ", false},
                {"1-3%1]", "1 2 3 ", false},
                {"1,2,...", "1 2 ", true},
                {"1,2...", "1 2 ", true},
                {"3-1", "3 ", false},
                {"1-2:0", "1 2 ", false},
                {"x", "", false},
                {"-1", "", false},
                {"1-x", "1 ", false},
                {"99999999999999999999", "", false},
                {"2147483647", "2147483647 ", false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_tasks t = {.rest = rows[i].text};
        char all[64] = "";
        int64_t task;
        for (int n = 0; pingo__executor_slurm_tasks_next(&t, &task); n++) {
            assert_true(n < 10);
            snprintf(all + strlen(all), sizeof all - strlen(all), "%lld ", (long long)task);
        }
        assert_string_equal(all, rows[i].tasks);
        assert_int_equal(t.is_cut, rows[i].is_cut);
    }
}

/* What the runner has left is right, unless somebody ended it: who that was Slurm knows. */
static void test_states__slurm_knows_why_it_was_ended(void **state)
{
    static const struct {
        enum pingo_end_reason reason;
        int code; /* exit code, or signal */
        enum pingo__executor_slurm_state state;
        const char *said;
        bool is_killed;
        enum pingo_end_reason judged, lost; /* with an end of the runner's, and without */
    } rows[] = {
        {PINGO_END_EXITED, 0, PINGO__SLURM_TIMEOUT, "", false, PINGO_END_EXITED,
         PINGO_END_TIME_LIMIT},
        {PINGO_END_EXITED, 1, PINGO__SLURM_OUT_OF_MEMORY, "", false, PINGO_END_EXITED,
         PINGO_END_MEMORY_LIMIT},
        {PINGO_END_SIGNALED, SIGSEGV, PINGO__SLURM_OVER, "", false, PINGO_END_SIGNALED,
         PINGO_END_LOST},
        {PINGO_END_SIGNALED, SIGKILL, PINGO__SLURM_OVER, "", false, PINGO_END_SIGNALED,
         PINGO_END_LOST},
        {PINGO_END_SIGNALED, SIGKILL, PINGO__SLURM_OUT_OF_MEMORY, "", false, PINGO_END_MEMORY_LIMIT,
         PINGO_END_MEMORY_LIMIT},
        {PINGO_END_EXITED, 128 + SIGKILL, PINGO__SLURM_OVER, "Detected 1 oom-kill event(s)", false,
         PINGO_END_MEMORY_LIMIT, PINGO_END_MEMORY_LIMIT},
        {PINGO_END_SIGNALED, SIGTERM, PINGO__SLURM_TIMEOUT, "", false, PINGO_END_TIME_LIMIT,
         PINGO_END_TIME_LIMIT},
        {PINGO_END_SIGNALED, SIGTERM, PINGO__SLURM_TIMEOUT, "", true, PINGO_END_TIME_LIMIT,
         PINGO_END_TIME_LIMIT},
        {PINGO_END_KILLED, 0, PINGO__SLURM_CANCELLED, "", true, PINGO_END_KILLED, PINGO_END_KILLED},
        {PINGO_END_SIGNALED, SIGTERM, PINGO__SLURM_CANCELLED, "", true, PINGO_END_KILLED,
         PINGO_END_KILLED},
        {PINGO_END_SIGNALED, SIGTERM, PINGO__SLURM_CANCELLED, "", false, PINGO_END_SIGNALED,
         PINGO_END_KILLED},
        {PINGO_END_SIGNALED, SIGKILL, PINGO__SLURM_NODE_FAIL, "", false, PINGO_END_LOST,
         PINGO_END_LOST},
        {PINGO_END_SIGNALED, SIGKILL, PINGO__SLURM_GONE, "", false, PINGO_END_SIGNALED,
         PINGO_END_LOST},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_over over = {.state = rows[i].state,
                                                  .reason = "None",
                                                  .said = rows[i].said,
                                                  .is_killed = rows[i].is_killed,
                                                  .runner = "/r"};
        struct pingo_job_end end = {.size = sizeof end,
                                    .reason = rows[i].reason,
                                    .exit_code = rows[i].code,
                                    .signal = rows[i].code,
                                    .output_kind = PINGO_OUTPUT_FILE};
        pingo__executor_slurm_judge(&over, &end);
        assert_int_equal(end.reason, rows[i].judged);
        if (rows[i].judged != rows[i].reason)
            assert_int_equal(end.output_kind, PINGO_OUTPUT_NONE);
        pingo__executor_slurm_lost(&over, &end);
        assert_int_equal(end.reason, rows[i].lost);
        assert_int_equal(end.output_kind, PINGO_OUTPUT_NONE);
    }
}

/* However much was said, it fits, and no character is cut. */
static void test_states__what_was_said_fits(void **state)
{
    static char said[4096];
    (void)state;
    for (size_t shift = 0; shift < 5; shift++) {
        struct pingo_job_end end = {.size = sizeof end};
        struct pingo__executor_slurm_over over = {.state = PINGO__SLURM_OVER,
                                                  .wait_status = 127 << 8,
                                                  .reason = "NonZeroExitCode",
                                                  .said = said,
                                                  .runner = "/r"};
        memset(said, 0, sizeof said);
        memset(said, 'x', shift);
        for (int i = 0; i < 1000; i++)
            strcat(said, "\xf0\x9f\x98\x80");
        pingo__executor_slurm_not_started(&over, &end);
        assert_int_equal(end.reason, PINGO_END_NOT_STARTED);
        assert_non_null(memchr(end.message, 0, sizeof end.message));
        assert_non_null(strstr(end.message, "exit status 127"));
        assert_null(strchr(end.message, '?'));
        over.said = "x: usage: pingo-runner [-h]";
        pingo__executor_slurm_not_started(&over, &end);
        assert_non_null(strstr(end.message, "another version"));
        over.said = "";
        pingo__executor_slurm_not_started(&over, &end);
        assert_non_null(strstr(end.message, "do its nodes see the pool and /r?"));
        over.is_killed = true;
        pingo__executor_slurm_not_started(&over, &end);
        assert_int_equal(end.reason, PINGO_END_KILLED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states__what_is_not_known_is_not_over),
        cmocka_unit_test(test_states__a_job_is_found_by_its_key),
        cmocka_unit_test(test_states__keys_that_are_none),
        cmocka_unit_test(test_states__an_array_is_found_by_its_list),
        cmocka_unit_test(test_states__tasks_are_told_one_by_one),
        cmocka_unit_test(test_states__slurm_knows_why_it_was_ended),
        cmocka_unit_test(test_states__what_was_said_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
