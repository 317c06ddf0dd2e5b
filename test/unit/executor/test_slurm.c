/* test_slurm.c - what Slurm's answers mean: the pure parts of the executor slurm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fuzz/slurm_target.h"

static const char store_id[] = "0123456789abcdef";

/* ---- what is answered -------------------------------------------------------------------------- */

struct seen {
    size_t n;
    int64_t id, wait_status, restarts;
    char name[64], state[32], reason[32];
};

static void on_job(void *context, const struct pingo__executor_slurm_record *r)
{
    struct seen *seen = context;
    seen->n++;
    seen->id = r->id;
    seen->wait_status = r->wait_status;
    seen->restarts = r->restarts;
    snprintf(seen->name, sizeof seen->name, "%s", r->name ? r->name : "");
    snprintf(seen->state, sizeof seen->state, "%s", r->state);
    snprintf(seen->reason, sizeof seen->reason, "%s", r->reason ? r->reason : "");
}

static void test_slurm__jobs_of_old_and_new_versions(void **state)
{
    static const char *const replies[] = {
        "{\"meta\":{\"plugin\":{}},\"errors\":[],\"jobs\":[{\"job_id\":7,\"name\":\"n\",\"job_"
        "state\":"
        "\"FAILED\",\"state_reason\":\"JobLaunchFailure\",\"exit_code\":1792,\"restart_cnt\":2}]}",
        "{\"jobs\":[{\"job_id\":7,\"name\":\"n\",\"job_state\":[\"FAILED\"],\"state_reason\":"
        "\"JobLaunchFailure\",\"exit_code\":{\"status\":[\"ERROR\"],\"return_code\":{\"set\":true,"
        "\"infinite\":false,\"number\":7},\"signal\":{\"id\":{\"set\":false,\"number\":0},\"name\":"
        "\"\"}},"
        "\"restart_cnt\":2}],\"last_update\":{\"number\":1}}"};
    struct pingo__executor_slurm_reply reply;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct seen seen = {0};
        assert_int_equal(
            pingo__executor_slurm_reply_read(replies[i], strlen(replies[i]), on_job, &seen, &reply),
            0);
        assert_true(reply.is_read);
        assert_false(reply.has_error);
        assert_int_equal(seen.n, 1);
        assert_int_equal(seen.id, 7);
        assert_int_equal(seen.wait_status, 7 << 8);
        assert_int_equal(seen.restarts, 2);
        assert_string_equal(seen.state, "FAILED");
        assert_string_equal(seen.reason, "JobLaunchFailure");
    }
}

static void test_slurm__errors(void **state)
{
    static const struct {
        const char *text;
        bool is_read;
        int64_t job_id, number;
        const char *error;
    } rows[] = {
        {"{\"errors\":[],\"job_id\":12,\"step_id\":\"BATCH\"}", true, 12, -1, ""},
        {"{\"errors\":[{\"error_code\":2000,\"error\":\"Invalid partition\"}]}", true, 0, 2000,
         "Invalid partition"},
        {"{\"errors\":[{\"description\":\"Unable to find JobId=9\",\"error_number\":2017,\"error\":"
         "\"Invalid job id specified\"}],\"jobs\":[]}",
         true, 0, 2017, "Invalid job id specified"},
        {"{\"errors\":[{\"error_number\":-1,\"error\":\"Unspecified error\"}]}", true, 0, -1,
         "Unspecified error"},
        {"{\"errors\":[{\"description\":\"Unknown "
         "key\"},{\"error_code\":9001,\"error\":\"Failure\"}]}",
         true, 0, 9001, "Failure"},
        {"{\"errors\":[{\"error_code\":2015}],\"job_id\":3}", true, 3, 2015, "an error without"},
        {"Authentication failure", false, 0, -1, ""},
        {"[]", false, 0, -1, ""},
        {"{\"errors\":[", false, 0, -1, ""},
        {"", false, 0, -1, ""},
        {"{\"errors\":7,\"job_id\":\"x\",\"jobs\":{\"a\":1}}", true, 0, -1, ""},
        {"{\"errors\":[7,null,\"x\"],\"job_id\":-4}", true, 0, -1, "an error without"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_reply reply;
        assert_int_equal(pingo__executor_slurm_reply_read(rows[i].text, strlen(rows[i].text), NULL,
                                                          NULL, &reply),
                         0);
        assert_int_equal(reply.is_read, rows[i].is_read);
        assert_int_equal(reply.has_rows, strstr(rows[i].text, "\"jobs\":[") != NULL);
        assert_int_equal(reply.job_id, rows[i].job_id);
        assert_int_equal(reply.error_number, rows[i].number);
        assert_int_equal(strncmp(reply.error, rows[i].error, strlen(rows[i].error)), 0);
    }
}

/* Jobs without an id or a state, and members of any kind. */
static void test_slurm__jobs_that_are_none(void **state)
{
    static const char text[] =
        "{\"jobs\":[1,null,[],{},{\"job_id\":5},{\"job_state\":\"RUNNING\"},{\"job_id\":0,"
        "\"job_state\":\"RUNNING\"},{\"job_id\":\"6\",\"job_state\":\"RUNNING\"},{\"job_id\":7,"
        "\"job_state\":[]},{\"job_id\":8,\"job_state\":\"RUNNING\",\"name\":9,\"comment\":{},"
        "\"exit_code\":99999999,\"nodes\":null}]}";
    struct pingo__executor_slurm_reply reply;
    struct seen seen = {0};
    (void)state;
    assert_int_equal(pingo__executor_slurm_reply_read(text, strlen(text), on_job, &seen, &reply), 0);
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.id, 8);
    assert_int_equal(seen.wait_status, 0);
    assert_int_equal(fuzz_reply((const uint8_t *)text, strlen(text)), 1);
}

/* As Slurm packs the numbers of an array's tasks, whole or cut. */
static void test_slurm__tasks_of_an_array(void **state)
{
    static const struct {
        const char *text, *tasks;
        bool is_cut;
    } rows[] = {{"7", "7 ", false},
                {"0-3,8", "0 1 2 3 8 ", false},
                {"1-9:4", "1 5 9 ", false},
                {"3-4,7%2", "3 4 7 ", false},
                {"3,5]", "3 5 ", false},
                {"12-13,41,...", "12 13 41 ", true},
                {"4...", "4 ", true},
                {"5-2,9", "5 9 ", false},
                {"1-3:0", "1 2 3 ", false},
                {"99999999999999999999", "", false},
                {"", "", false},
                {",", "", false},
                {"-3", "", false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_tasks tasks = {.rest = rows[i].text};
        char said[64] = "";
        int64_t task;
        while (pingo__executor_slurm_tasks_next(&tasks, &task))
            snprintf(said + strlen(said), sizeof said - strlen(said), "%d ", (int)task);
        assert_string_equal(said, rows[i].tasks);
        assert_int_equal(tasks.is_cut, rows[i].is_cut);
    }
}

static void test_slurm__arrays_have_a_name_of_their_own(void **state)
{
    static const struct {
        const char *name, *comment, *tasks, *bundle;
    } rows[] = {{"pingo-s-b.0123456789abcdef", NULL, "3", "0123456789abcdef"},
                {"x", "pingo-s-b.0123456789abcdef 7 actions", "0-3", "0123456789abcdef"},
                {"pingo-s-b.0123456789abcdef", NULL, NULL, NULL}, /* a job of that name is no array */
                {"pingo-s-b.0123456789abcde", NULL, "3", NULL},
                {"pingo-s-b.0123456789abcdeg", NULL, "3", NULL},
                {"pingo-s-b.0123456789abcdef0", NULL, "3", NULL},
                {"pingo-t-b.0123456789abcdef", NULL, "3", NULL},
                {"pingo-s-3.4", NULL, "3", NULL}};
    char bundle[PINGO__BUNDLE_SIZE], name[PINGO__SLURM_NAME_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_record r = {
            .name = rows[i].name, .comment = rows[i].comment, .tasks = rows[i].tasks};
        struct pingo_job_key key;
        bool is = pingo__executor_slurm_bundle_of(&r, "s", bundle);
        assert_int_equal(is, rows[i].bundle != NULL);
        if (is)
            assert_string_equal(bundle, rows[i].bundle);
        assert_false(is && pingo__executor_slurm_key(&r, "s", &key));
    }
    pingo__executor_slurm_bundle_name(name, "s", "0123456789abcdef");
    assert_string_equal(name, rows[0].name);
}

/* "NAME MEMORY[*];" of each that is told. */
static void on_partition(void *context, const struct pingo__executor_slurm_record *r)
{
    char *text = context;
    snprintf(text + strlen(text), 256 - strlen(text), "%s %lld%s;", r->partition,
             (long long)r->memory_mb, r->is_default ? "*" : "");
}

static void test_slurm__nodes_and_partitions(void **state)
{
    static const struct {
        const char *text, *told;
        bool has_rows;
    } rows[] = {{"{\"errors\":[],\"nodes\":[{\"name\":\"n1\",\"real_memory\":4000,\"partitions\":["
                 "\"a\",\"b\"]},"
                 "{\"real_memory\":{\"set\":true,\"number\":8000},\"partitions\":[\"b\"]}]}",
                 "a 4000;b 4000;b 8000;", true},
                {"{\"partitions\":[{\"name\":\"a\",\"flags\":[\"x\",\"DEFAULT\"]},{\"name\":\"b\","
                 "\"flags\":[]}]}",
                 "a -1*;b -1;", true},
                {"{\"nodes\":[1,null,{},{\"partitions\":7},{\"partitions\":[]},{\"name\":5}],"
                 "\"partitions\":{}}",
                 "", true},
                {"{\"nodes\":7}", "", false}};
    static const struct {
        const char *line, *name;
        int64_t mb; /* 0: it is none */
        bool is_default;
    } lines[] = {{"debug*|4000", "debug", 4000, true},
                 {"short|8000", "short", 8000, false},
                 {"debug", NULL, 0, false},
                 {"debug|", NULL, 0, false},
                 {"debug|x", NULL, 0, false},
                 {"", NULL, 0, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_reply reply;
        char told[256] = "";
        assert_int_equal(pingo__executor_slurm_reply_read(rows[i].text, strlen(rows[i].text),
                                                          on_partition, told, &reply),
                         0);
        assert_string_equal(told, rows[i].told);
        assert_int_equal(reply.has_rows, rows[i].has_rows);
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct pingo__executor_slurm_record r;
        char line[64];
        snprintf(line, sizeof line, "%s", lines[i].line);
        assert_int_equal(pingo__executor_slurm_node_read(line, &r), lines[i].mb > 0);
        if (!lines[i].mb)
            continue;
        assert_string_equal(r.partition, lines[i].name);
        assert_int_equal(r.memory_mb, lines[i].mb);
        assert_int_equal(r.is_default, lines[i].is_default);
    }
}

static void test_slurm__keys(void **state)
{
    static const struct {
        const char *name, *comment;
        int64_t action, epoch;
    } rows[] = {{"pingo-0123456789abcdef-12.3", NULL, 12, 3},
                {"renamed", "pingo-0123456789abcdef-12.3 align", 12, 3},
                {"pingo-0123456789abcdef-1.1", "pingo-0123456789abcdef-2.2 b", 1, 1},
                {"pingo-0123456789abcdee-12.3", NULL, 0, 0},
                {"pingo-0123456789abcdef-12.3x", NULL, 0, 0},
                {"pingo-0123456789abcdef-12.", "", 0, 0},
                {"pingo-0123456789abcdef-0.3", NULL, 0, 0},
                {"pingo-0123456789abcdef-99999999999999999999.1", NULL, 0, 0},
                {"pingo-0123456789abcdef-", NULL, 0, 0},
                {"pingo-", "pingo", 0, 0},
                {NULL, NULL, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_record r = {.name = rows[i].name, .comment = rows[i].comment};
        struct pingo_job_key key = {0, 0};
        assert_int_equal(pingo__executor_slurm_key(&r, store_id, &key), rows[i].action > 0);
        if (rows[i].action) {
            assert_int_equal(key.action, rows[i].action);
            assert_int_equal(key.epoch, rows[i].epoch);
        }
    }
}

/* ---- what it makes of an attempt ----------------------------------------------------------------- */

static void test_slurm__states_and_ends(void **state)
{
    static const struct {
        const char *state, *said;
        int64_t wait_status;
        bool is_killed;
        enum pingo_end_reason lost; /* nothing was left */
        enum pingo_end_reason by_kill,
            by_itself; /* it was SIGNALED 9, or EXITED 3, says the runner */
    } rows[] = {
        {"COMPLETED", "", 0, false, PINGO_END_LOST, PINGO_END_SIGNALED, PINGO_END_EXITED},
        {"FAILED", "", 9, false, PINGO_END_LOST, PINGO_END_SIGNALED, PINGO_END_EXITED},
        {"FAILED", "slurmstepd-n1: error: Exceeded job memory limit", 9, false,
         PINGO_END_MEMORY_LIMIT, PINGO_END_MEMORY_LIMIT, PINGO_END_EXITED},
        {"OUT_OF_MEMORY", "", 125 << 8, false, PINGO_END_MEMORY_LIMIT, PINGO_END_MEMORY_LIMIT,
         PINGO_END_EXITED},
        {"FAILED", "error: Detected 1 oom-kill event(s) in StepId=1.batch", 9, false,
         PINGO_END_MEMORY_LIMIT, PINGO_END_MEMORY_LIMIT, PINGO_END_EXITED},
        {"TIMEOUT", "", 15, false, PINGO_END_TIME_LIMIT, PINGO_END_TIME_LIMIT, PINGO_END_EXITED},
        {"CANCELLED by 0", "", 15, false, PINGO_END_KILLED, PINGO_END_SIGNALED, PINGO_END_EXITED},
        {"CANCELLED", "", 15, true, PINGO_END_KILLED, PINGO_END_KILLED, PINGO_END_EXITED},
        {"NODE_FAIL", "", 15, false, PINGO_END_LOST, PINGO_END_LOST, PINGO_END_EXITED},
        {"PREEMPTED", "", 15, false, PINGO_END_LOST, PINGO_END_LOST, PINGO_END_EXITED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_over over = {pingo__executor_slurm_state_of(rows[i].state),
                                                  rows[i].wait_status,
                                                  "a reason",
                                                  rows[i].said,
                                                  rows[i].is_killed,
                                                  "/r"};
        struct pingo_job_end lost = {.size = sizeof lost};
        struct pingo_job_end killed = {.reason = PINGO_END_SIGNALED, .signal = 9};
        struct pingo_job_end exited = {.reason = PINGO_END_EXITED, .exit_code = 3};
        assert_true(pingo__executor_slurm_is_over(over.state));
        pingo__executor_slurm_lost(&over, &lost);
        assert_int_equal(lost.reason, rows[i].lost);
        pingo__executor_slurm_judge(&over, &killed);
        assert_int_equal(killed.reason, rows[i].by_kill);
        pingo__executor_slurm_judge(&over, &exited);
        assert_int_equal(exited.reason, rows[i].by_itself);
        pingo__executor_slurm_not_started(&over, &lost);
        assert_int_equal(lost.reason, rows[i].is_killed ? PINGO_END_KILLED : PINGO_END_NOT_STARTED);
        assert_non_null(strstr(lost.message, "before it began"));
    }
    static const char *const going_on[] = {
        "PENDING",  "RUNNING",   "COMPLETING",         "CONFIGURING",
        "REQUEUED", "SUSPENDED", "what comes in 2030", ""};
    for (size_t i = 0; i < sizeof going_on / sizeof *going_on; i++)
        assert_false(pingo__executor_slurm_is_over(pingo__executor_slurm_state_of(going_on[i])));
    struct pingo_job_end older = {.size = sizeof older};
    pingo__executor_slurm_not_started(
        &(struct pingo__executor_slurm_over){.state = PINGO__SLURM_OVER,
                                             .wait_status = 2 << 8,
                                             .reason = "NonZeroExitCode",
                                             .said = "usage: pingo-runner ATTEMPT-DIR",
                                             .runner = "/opt/pingo-runner"},
        &older);
    assert_int_equal(older.reason, PINGO_END_NOT_STARTED);
    assert_non_null(strstr(older.message, "/opt/pingo-runner is of another version"));
}

/* A success is one, whatever Slurm says of its job. */
static void test_slurm__a_success_stays_one(void **state)
{
    static const char *const states[] = {"COMPLETED", "FAILED",    "CANCELLED",
                                         "TIMEOUT",   "NODE_FAIL", "OUT_OF_MEMORY"};
    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        struct pingo__executor_slurm_over over = {pingo__executor_slurm_state_of(states[i]),
                                                  9,
                                                  "",
                                                  "Exceeded job memory limit",
                                                  true,
                                                  "/r"};
        struct pingo_job_end end = {.reason = PINGO_END_EXITED, .output_kind = PINGO_OUTPUT_FILE};
        pingo__executor_slurm_judge(&over, &end);
        assert_true(pingo_job_end_is_success(&end));
    }
}

/* ---- tokens -------------------------------------------------------------------------------------- */

static void test_slurm__tokens(void **state)
{
    static const struct {
        const char *said, *token;
    } rows[] = {{"SLURM_JWT=a.b.c\n", "a.b.c"},
                {"a.b.c", "a.b.c"},
                {"\n a.b.c \r\n", "a.b.c"},
                {"", NULL},
                {"\n", NULL},
                {"SLURM_JWT=\n", NULL},
                {"a b", NULL},
                {"a\r\nX: y", NULL},
                {"SLURM_JWT=a\nb", NULL},
                {"\x01"
                 "a",
                 NULL}};
    static const char jwt[] =
        "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOiAxNzk1MzUwNDc4LCAiaWF0IjogMTc5NTM0OTg3OCwg"
        "InN1biI6ICJyb290In0.c2ln";
    char token[PINGO__SLURM_TOKEN_MOST];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(pingo__executor_slurm_token_read(rows[i].said, strlen(rows[i].said), token),
                         rows[i].token != NULL);
        if (rows[i].token)
            assert_string_equal(token, rows[i].token);
    }
    assert_int_equal(pingo__executor_slurm_token_lasts_s(jwt, 1795350000), 478);
    assert_int_equal(pingo__executor_slurm_token_lasts_s(jwt, 1795351000), 0);
    assert_int_equal(pingo__executor_slurm_token_lasts_s("opaque", 0), -1);
    assert_int_equal(pingo__executor_slurm_token_lasts_s("a.e30.c", 0), -1);
    assert_int_equal(pingo__executor_slurm_token_lasts_s("a.????.c", 0), -1);
    assert_int_equal(
        pingo__executor_slurm_token_lasts_s("a.eyJleHAiOjkyMjMzNzIwMzY4NTQ3NzU4MDd9.c", 0), -1);
    assert_true(pingo__executor_slurm_token_is_one(jwt));
    snprintf(token, sizeof token, " SLURM_JWT=%s", jwt);
    assert_true(pingo__executor_slurm_token_is_one(token));
    assert_false(pingo__executor_slurm_token_is_one("scontrol token lifespan=3600"));
    assert_false(pingo__executor_slurm_token_is_one("/home/eyJhbGciOiJIUzI1NiJ9.eyJleHAi"));
    assert_false(pingo__executor_slurm_token_is_one("eyJob.sh"));
    assert_false(pingo__executor_slurm_token_is_one("SLURM_JWT=x; echo y"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slurm__jobs_of_old_and_new_versions),
        cmocka_unit_test(test_slurm__errors),
        cmocka_unit_test(test_slurm__jobs_that_are_none),
        cmocka_unit_test(test_slurm__tasks_of_an_array),
        cmocka_unit_test(test_slurm__arrays_have_a_name_of_their_own),
        cmocka_unit_test(test_slurm__keys),
        cmocka_unit_test(test_slurm__states_and_ends),
        cmocka_unit_test(test_slurm__a_success_stays_one),
        cmocka_unit_test(test_slurm__nodes_and_partitions),
        cmocka_unit_test(test_slurm__tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
