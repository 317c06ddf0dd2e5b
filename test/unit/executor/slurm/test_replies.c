/* test_replies.c - what slurmrestd and squeue answer, in each of their spellings, and what is no answer at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/slurm/states.h"

/* "ID TASKS NAME STATE STATUS RESTARTS;", or of a partition "NAME MB DEFAULT;" */
static char told[512];

static void on_record(void *context, const struct pingo__executor_slurm_record *r)
{
    char text[200];
    (void)context;
    if (r->partition)
        snprintf(text, sizeof text, "%s %lld %d;", r->partition, (long long)r->memory_mb,
                 r->is_default);
    else
        snprintf(text, sizeof text, "%lld %s %s %s %lld %lld;", (long long)r->id,
                 r->tasks ? r->tasks : "-", r->name ? r->name : "-", r->state,
                 (long long)r->wait_status, (long long)r->restarts);
    strncat(told, text, sizeof told - strlen(told) - 1);
}

static struct pingo__executor_slurm_reply read_text(const char *text, size_t n)
{
    struct pingo__executor_slurm_reply reply;
    char *copy = malloc(n + 1); /* no longer than it is */
    assert_non_null(copy);
    memcpy(copy, text, n);
    told[0] = '\0';
    assert_int_equal(pingo__executor_slurm_reply_read(copy, n, on_record, NULL, &reply), 0);
    free(copy);
    return reply;
}

static void test_replies__jobs_in_each_spelling(void **state)
{
    static const struct {
        const char *job, *told;
    } rows[] = {
        {"{\"job_id\":5,\"name\":\"n\",\"job_state\":\"RUNNING\",\"exit_code\":256,\"restart_cnt\":"
         "1}",
         "5 - n RUNNING 256 1;"},
        {"{\"job_id\":5,\"name\":\"n\",\"job_state\":[\"RUNNING\",\"COMPLETING\"],\"exit_code\":"
         "{\"set\":true,\"number\":256},\"restart_cnt\":{\"set\":true,\"infinite\":false,"
         "\"number\":2}}",
         "5 - n COMPLETING 256 2;"},
        {"{\"job_id\":5,\"job_state\":[\"CANCELLED\",\"COMPLETING\"]}", "5 - - COMPLETING 0 -1;"},
        {"{\"job_id\":5,\"job_state\":[\"TIMEOUT\",\"REQUEUED\",7,\"COMPLETING\"]}",
         "5 - - COMPLETING 0 -1;"},
        {"{\"job_id\":5,\"job_state\":[\"CANCELLED\",\"REVOKED\"]}", "5 - - CANCELLED 0 -1;"},
        {"{\"job_id\":5,\"job_state\":[\"FAILED\"],\"exit_code\":{\"status\":[\"ERROR\"],"
         "\"return_code\":{\"set\":true,\"number\":3},\"signal\":{\"id\":{\"set\":false,\"number\":"
         "0}}}}",
         "5 - - FAILED 768 -1;"},
        {"{\"job_id\":5,\"job_state\":[\"FAILED\"],\"exit_code\":{\"return_code\":0,\"signal\":"
         "{\"signal_id\":9}}}",
         "5 - - FAILED 9 -1;"},
        {"{\"job_id\":6,\"array_job_id\":5,\"array_task_id\":7,\"job_state\":\"RUNNING\"}",
         "5 7 - RUNNING 0 -1;"},
        {"{\"job_id\":5,\"array_job_id\":{\"set\":true,\"number\":5},\"array_task_id\":{\"set\":"
         "false,"
         "\"number\":0},\"array_task_string\":\"8-20\",\"job_state\":\"PENDING\"}",
         "5 8-20 - PENDING 0 -1;"},
        {"{\"job_id\":5,\"array_job_id\":{\"set\":true,\"number\":0},\"job_state\":\"RUNNING\"}",
         "5 - - RUNNING 0 -1;"},
        /* what is no job: without a number or a state, or with others than there are */
        {"{\"job_id\":5}", ""},
        {"{\"job_state\":\"RUNNING\"}", ""},
        {"{\"job_id\":0,\"job_state\":\"RUNNING\"}", ""},
        {"{\"job_id\":\"5\",\"job_state\":\"RUNNING\"}", ""},
        {"{\"job_id\":5,\"job_state\":[]}", ""},
        {"{\"job_id\":5,\"job_state\":{\"a\":1}}", ""},
        {"{\"job_id\":-5,\"job_state\":\"RUNNING\"}", ""},
        {"7", ""},
        {"null", ""},
        {"[{\"job_id\":5,\"job_state\":\"RUNNING\"}]", ""},
        {"{\"job_id\":5,\"job_state\":\"FAILED\",\"exit_code\":70000}", "5 - - FAILED 0 -1;"},
        {"{\"job_id\":5,\"job_state\":\"FAILED\",\"exit_code\":\"1\"}", "5 - - FAILED 0 -1;"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        int n =
            snprintf(text, sizeof text, "{\"meta\":{},\"jobs\":[%s],\"errors\":[]}", rows[i].job);
        struct pingo__executor_slurm_reply reply = read_text(text, (size_t)n);
        assert_true(reply.is_read);
        assert_true(reply.has_rows);
        assert_false(reply.has_error);
        assert_string_equal(told, rows[i].told);
    }
}

static void test_replies__partitions_of_nodes(void **state)
{
#define READ(text) read_text(text, sizeof(text) - 1)
    (void)state;
    assert_true(
        READ("{\"nodes\":[{\"real_memory\":100,\"partitions\":[\"a\",\"b\"]},"
             "{\"real_memory\":{\"number\":7},\"partitions\":\"c\"},{\"partitions\":[]},{}]}")
            .has_rows);
    assert_string_equal(told, "a 100 0;b 100 0;c 7 0;");
    assert_true(
        READ("{\"partitions\":[{\"name\":\"a\",\"flags\":[\"x\",\"DEFAULT\"]},{\"name\":\"b\","
             "\"flags\":\"default\"},{\"name\":\"c\"},{\"flags\":[\"DEFAULT\"]}]}")
            .has_rows);
    assert_string_equal(told, "a -1 1;b -1 1;c -1 0;");
    assert_false(READ("{\"nodes\":{}}").has_rows);
}

static void test_replies__errors_and_numbers(void **state)
{
    static const struct {
        const char *text;
        bool has_error;
        int64_t number;
        const char *error;
        int64_t job_id;
    } rows[] = {
        {"{\"job_id\":12,\"errors\":[]}", false, -1, "", 12},
        {"{\"job_id\":{\"set\":true,\"number\":12}}", false, -1, "", 12},
        {"{\"job_id\":-3}", false, -1, "", 0},
        {"{\"errors\":[{\"error_number\":2017,\"error\":\"a\",\"description\":\"b\"}]}", true, 2017,
         "a", 0},
        {"{\"errors\":[{\"error_number\":9000,\"error\":\"a\",\"description\":\"b\"}]}", true, 9000,
         "a: b", 0},
        {"{\"errors\":[{\"error_number\":-1,\"error\":\"Unspecified "
         "error\",\"description\":\"b\"}]}",
         true, -1, "Unspecified error", 0},
        {"{\"errors\":[{\"error_code\":5,\"description\":\"b\"}]}", true, 5, "b", 0},
        {"{\"errors\":[{}]}", true, -1, "an error without a name", 0},
        {"{\"errors\":[{\"error\":\"a\"},{\"error_number\":7,\"error\":\"c\"},{\"error_number\":8}]"
         "}",
         true, 7, "c", 0},
        {"{\"errors\":[{\"error_number\":7,\"error\":\"c\"},{\"error\":\"a\"}]}", true, 7, "c", 0},
        {"{\"errors\":{\"error_number\":7}}", false, -1, "", 0},
        {"{\"status\":[{\"error\":{\"string\":\"No error\",\"code\":0}},"
         "{\"error\":{\"string\":\"Invalid job id "
         "specified\",\"code\":2017},\"step_id\":\"1_7\"}]}",
         true, 2017, "Invalid job id specified", 0},
        {"{\"status\":[{\"error\":{\"code\":0}}],\"errors\":[]}", false, -1, "", 0},
        {"{\"status\":[{},7]}", false, -1, "", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__executor_slurm_reply r = read_text(rows[i].text, strlen(rows[i].text));
        assert_true(r.is_read);
        assert_false(r.has_rows);
        assert_int_equal(r.has_error, rows[i].has_error);
        assert_int_equal(r.error_number, rows[i].number);
        assert_string_equal(r.error, rows[i].error);
        assert_int_equal(r.job_id, rows[i].job_id);
    }
}

/* slurmrestd tells names of everybody's jobs as they were given to it, be they UTF-8 or not. */
static void test_replies__names_of_any_bytes(void **state)
{
    (void)state;
    assert_true(READ("{\"jobs\":[{\"job_id\":5,\"job_state\":\"RUNNING\",\"name\":\"caf\xe9\"},"
                     "{\"job_id\":6,\"job_state\":\"RUNNING\",\"name\":\"n\"}]}")
                    .has_rows);
    assert_string_equal(told, "5 - caf? RUNNING 0 -1;6 - n RUNNING 0 -1;");
}

/* Cut off anywhere it is no answer, and nothing is told that was not read whole. */
static void test_replies__what_is_cut_off_is_none(void **state)
{
    static const char text[] =
        "{\"jobs\":[{\"job_id\":5,\"job_state\":[\"RUNNING\"]}],\"errors\":[]}";
    static const char *const others[] = {"", "[]", "7", "<html>", "null", "\xff"};
    (void)state;
    for (size_t n = 0; n < sizeof text - 1; n++) {
        assert_false(read_text(text, n).is_read);
        assert_string_equal(told, "");
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(read_text(others[i], strlen(others[i])).is_read);
    assert_true(READ("{\"jobs\":[]}").has_rows); /* none is an answer, too */
    assert_false(READ("{}").has_rows);
    /* Who wants no jobs is told none, and of errors all the same. */
    struct pingo__executor_slurm_reply reply;
    assert_int_equal(pingo__executor_slurm_reply_read(text, sizeof text - 1, NULL, NULL, &reply), 0);
    assert_true(reply.is_read);
}

static void test_replies__lines(void **state)
{
    static const struct {
        const char *line;
        bool is;
        int64_t id;
        const char *tasks, *state;
    } rows[] = {{"12|RUNNING|None|h|n|c", true, 12, NULL, "RUNNING"},
                {"12_7|RUNNING|None|h|n|c", true, 12, "7", "RUNNING"},
                {"12_[8-20]|PENDING|None||n|c", true, 12, "8-20]", "PENDING"},
                {"12|||||", true, 12, NULL, ""},
                {"12|RUNNING|None|h|a|b|c", true, 12, NULL, "RUNNING"}, /* a name with a bar */
                {"", false, 0, NULL, NULL},
                {"12|RUNNING|None|h|n", false, 0, NULL, NULL},
                {"x|RUNNING|None|h|n|c", false, 0, NULL, NULL},
                {"0|RUNNING|None|h|n|c", false, 0, NULL, NULL},
                {"-1|RUNNING|None|h|n|c", false, 0, NULL, NULL},
                {"9223372036854775808|RUNNING|None|h|n|c", false, 0, NULL, NULL},
                {" 12|RUNNING|None|h|n|c", false, 0, NULL, NULL}};
    struct pingo__executor_slurm_record r;
    char line[100];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        strcpy(line, rows[i].line);
        assert_int_equal(pingo__executor_slurm_line_read(line, &r), rows[i].is);
        if (!rows[i].is)
            continue;
        assert_int_equal(r.id, rows[i].id);
        assert_string_equal(r.state, rows[i].state);
        assert_int_equal(!r.tasks, !rows[i].tasks);
        if (r.tasks)
            assert_string_equal(r.tasks, rows[i].tasks);
    }
    /* A site's plug-in may have given it another name. */
    struct pingo_job_key key;
    strcpy(line, "12|RUNNING|None|h|site_x|pingo-s-1.2 a1");
    assert_true(pingo__executor_slurm_line_read(line, &r));
    assert_true(pingo__executor_slurm_key(&r, "s", &key));
    assert_int_equal(key.epoch, 2);
    assert_true(pingo__executor_slurm_node_read(strcpy(line, "all*|4000"), &r));
    assert_string_equal(r.partition, "all");
    assert_true(r.is_default);
    assert_int_equal(r.memory_mb, 4000);
    assert_true(pingo__executor_slurm_node_read(strcpy(line, "gpu|1"), &r));
    assert_false(r.is_default);
    assert_false(pingo__executor_slurm_node_read(strcpy(line, ""), &r));
    assert_false(pingo__executor_slurm_node_read(strcpy(line, "all"), &r));
    assert_false(pingo__executor_slurm_node_read(strcpy(line, "all|x"), &r));
    assert_false(pingo__executor_slurm_node_read(strcpy(line, "all|0"), &r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replies__jobs_in_each_spelling),
        cmocka_unit_test(test_replies__partitions_of_nodes),
        cmocka_unit_test(test_replies__errors_and_numbers),
        cmocka_unit_test(test_replies__names_of_any_bytes),
        cmocka_unit_test(test_replies__what_is_cut_off_is_none),
        cmocka_unit_test(test_replies__lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
