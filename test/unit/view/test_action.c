/* test_action.c - what the status of an action looks like. */
#include "unit/view/look.h"

static void test_action__what_was_reused_has_no_attempt(void **state)
{
    struct pingo_action_status s = {.id = 1,
                                    .name = "a" HOSTILE,
                                    .hash = {{0xab}},
                                    .decision = PINGO_PLAN_REUSE,
                                    .attempts = 0,
                                    .exit_code = -1,
                                    .signal = -1,
                                    .wall_ms = -1,
                                    .user_ms = -1,
                                    .system_ms = -1,
                                    .max_rss_bytes = -1,
                                    .started_ms = -1,
                                    .ended_ms = -1,
                                    .message = "",
                                    .confined = -1,
                                    .disk_full_bytes = -1,
                                    .memory_mb = -1};
    looks(&pingo__view_action, &s,
          (struct looks){
              "{\"id\":1,\"state\":null,\"name\":\"a\\u001b[31m\xe2\x80\xae\",\"hash\":"
              "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"decision\":"
              "\"reuse\",\"attempts\":null,\"exitCode\":null,\"signal\":null,\"wallMs\":null,"
              "\"userMs\":null,\"systemMs\":null,\"maxRssBytes\":null,\"memoryMB\":null,"
              "\"memoryFrom\":null,\"confined\":null,\"started\":null,\"ended\":null,\"message\":"
              "null,\"attemptDir\":null,\"waitsFor\":null,\"labels\":{},\"adoptedFrom\":null,"
              "\"diskFullBytes\":null,\"executor\":null,\"uncollected\":false,\"node\":null,"
              "\"wanted\":false}\n",
              "1,,a\x1b[31m\xe2\x80\xae,"
              "ab00000000000000000000000000000000000000000000000000000000000000,reuse,,,,,,,,,,,,,,"
              ",,,,,false,,false\n",
              "     1  reused      a?[31m?\n"});
    (void)state;
}

static void test_action__what_failed_says_why(void **state)
{
    static const char *const labels[] = {"k", "v" HOSTILE};
    struct pingo_action_status s = {.id = 2,
                                    .name = "b,b",
                                    .hash = {{0xab}},
                                    .decision = PINGO_PLAN_COMPUTE,
                                    .state = PINGO_ACTION_FAILED,
                                    .row = 9,
                                    .attempts = 2,
                                    .exit_code = 3,
                                    .signal = 0,
                                    .wall_ms = 1500,
                                    .user_ms = 10,
                                    .system_ms = 0,
                                    .max_rss_bytes = 2048,
                                    .started_ms = 1000,
                                    .ended_ms = 2500,
                                    .message = "",
                                    .attempt_dir = "/x/9.2",
                                    .confined = 1,
                                    .labels = labels,
                                    .nlabels = 2,
                                    .disk_full_bytes = -1,
                                    .executor = "local",
                                    .node = "n1",
                                    .memory_mb = 512,
                                    .memory_from = PINGO_MEMORY_GREW};
    looks(&pingo__view_action, &s,
          (struct looks){
              "{\"id\":2,\"state\":\"FAILED\",\"name\":\"b,b\",\"hash\":"
              "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"decision\":"
              "\"compute\",\"attempts\":2,\"exitCode\":3,\"signal\":null,\"wallMs\":1500,"
              "\"userMs\":10,\"systemMs\":0,\"maxRssBytes\":2048,\"memoryMB\":512,\"memoryFrom\":"
              "\"growth\",\"confined\":true,\"started\":\"1970-01-01T00:00:01.000Z\",\"ended\":"
              "\"1970-01-01T00:00:02.500Z\",\"message\":null,\"attemptDir\":\"/x/"
              "9.2\",\"waitsFor\":0,\"labels\":{\"k\":\"v\\u001b[31m\xe2\x80\xae\"},"
              "\"adoptedFrom\":null,\"diskFullBytes\":null,\"executor\":\"local\",\"uncollected\":"
              "false,\"node\":\"n1\",\"wanted\":false}\n",
              "2,FAILED,\"b,b\",ab00000000000000000000000000000000000000000000000000000000000000,"
              "compute,2,3,,1500,10,0,2048,512,growth,true,1970-01-01T00:00:01.000Z,1970-01-01T00:"
              "00:02.500Z,,/x/9.2,0,,,local,false,n1,false\n",
              "     2  FAILED      b,b                         1.5 s   2.0 KiB  exit status 3; 2 "
              "attempts; grew to 512 MB of memory\n"});
    s.signal = 9;
    s.attempts = 1;
    s.memory_from = PINGO_MEMORY_DEFINED;
    looks(&pingo__view_action, &s,
          (struct looks){
              "{\"id\":2,\"state\":\"FAILED\",\"name\":\"b,b\",\"hash\":"
              "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"decision\":"
              "\"compute\",\"attempts\":1,\"exitCode\":3,\"signal\":9,\"wallMs\":1500,\"userMs\":"
              "10,\"systemMs\":0,\"maxRssBytes\":2048,\"memoryMB\":512,\"memoryFrom\":"
              "\"definition\",\"confined\":true,\"started\":\"1970-01-01T00:00:01.000Z\",\"ended\":"
              "\"1970-01-01T00:00:02.500Z\",\"message\":null,\"attemptDir\":\"/x/"
              "9.2\",\"waitsFor\":0,\"labels\":{\"k\":\"v\\u001b[31m\xe2\x80\xae\"},"
              "\"adoptedFrom\":null,\"diskFullBytes\":null,\"executor\":\"local\",\"uncollected\":"
              "false,\"node\":\"n1\",\"wanted\":false}\n",
              "2,FAILED,\"b,b\",ab00000000000000000000000000000000000000000000000000000000000000,"
              "compute,1,3,9,1500,10,0,2048,512,definition,true,1970-01-01T00:00:01.000Z,1970-01-"
              "01T00:00:02.500Z,,/x/9.2,0,,,local,false,n1,false\n",
              "     2  FAILED      b,b                         1.5 s   2.0 KiB  signal 9\n"});
    s.message = "line 1\nline 2" HOSTILE;
    s.confined = 0;
    looks(&pingo__view_action, &s,
          (struct looks){
              "{\"id\":2,\"state\":\"FAILED\",\"name\":\"b,b\",\"hash\":"
              "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"decision\":"
              "\"compute\",\"attempts\":1,\"exitCode\":3,\"signal\":9,\"wallMs\":1500,\"userMs\":"
              "10,\"systemMs\":0,\"maxRssBytes\":2048,\"memoryMB\":512,\"memoryFrom\":"
              "\"definition\",\"confined\":false,\"started\":\"1970-01-01T00:00:01.000Z\","
              "\"ended\":\"1970-01-01T00:00:02.500Z\",\"message\":\"line 1\\nline "
              "2\\u001b[31m\xe2\x80\xae\",\"attemptDir\":\"/x/"
              "9.2\",\"waitsFor\":0,\"labels\":{\"k\":\"v\\u001b[31m\xe2\x80\xae\"},"
              "\"adoptedFrom\":null,\"diskFullBytes\":null,\"executor\":\"local\",\"uncollected\":"
              "false,\"node\":\"n1\",\"wanted\":false}\n",
              "2,FAILED,\"b,b\",ab00000000000000000000000000000000000000000000000000000000000000,"
              "compute,1,3,9,1500,10,0,2048,512,definition,false,1970-01-01T00:00:01.000Z,1970-01-"
              "01T00:00:02.500Z,\"line 1\nline "
              "2\x1b[31m\xe2\x80\xae\",/x/9.2,0,,,local,false,n1,false\n",
              "     2  FAILED      b,b                         1.5 s   2.0 KiB  line 1?line "
              "2?[31m?\n"});
    (void)state;
}

static void test_action__what_runs_has_taken_so_long_by_now(void **state)
{
    struct pingo_action_status s = {.id = 3,
                                    .name = "c",
                                    .state = PINGO_ACTION_RUNNING,
                                    .decision = PINGO_PLAN_COMPUTE,
                                    .attempts = 1,
                                    .exit_code = -1,
                                    .signal = -1,
                                    .wall_ms = -1,
                                    .user_ms = -1,
                                    .system_ms = -1,
                                    .max_rss_bytes = -1,
                                    .started_ms = 1000,
                                    .ended_ms = -1,
                                    .message = "",
                                    .confined = -1,
                                    .disk_full_bytes = 0,
                                    .executor = "slurm" HOSTILE,
                                    .node = "n" HOSTILE,
                                    .memory_mb = 0};
    looks_with(
        &pingo__view_action, &s, &(struct pingo__view_style){.now_ms = 61000},
        (struct looks){
            "{\"id\":3,\"state\":\"RUNNING\",\"name\":\"c\",\"hash\":"
            "\"0000000000000000000000000000000000000000000000000000000000000000\",\"decision\":"
            "\"compute\",\"attempts\":1,\"exitCode\":null,\"signal\":null,\"wallMs\":null,"
            "\"userMs\":null,\"systemMs\":null,\"maxRssBytes\":null,\"memoryMB\":null,"
            "\"memoryFrom\":\"definition\",\"confined\":null,\"started\":\"1970-01-01T00:00:01."
            "000Z\",\"ended\":null,\"message\":null,\"attemptDir\":null,\"waitsFor\":0,\"labels\":{"
            "},\"adoptedFrom\":null,\"diskFullBytes\":0,\"executor\":\"slurm\\u001b["
            "31m\xe2\x80\xae\",\"uncollected\":false,\"node\":\"n\\u001b[31m\xe2\x80\xae\","
            "\"wanted\":false}\n",
            "3,RUNNING,c,0000000000000000000000000000000000000000000000000000000000000000,compute,"
            "1,,,,,,,,definition,,1970-01-01T00:00:01.000Z,,,,0,,0,slurm\x1b[31m\xe2\x80\xae,false,"
            "n\x1b[31m\xe2\x80\xae,false\n",
            "     3  RUNNING     c                        1 min 00 s            by executor "
            "slurm?[31m? on n?[31m?\n"});
    s.node = NULL; /* and the clock was set back */
    s.uncollected = false;
    s.is_wanted = true;
    looks_with(
        &pingo__view_action, &s, &(struct pingo__view_style){.now_ms = 500},
        (struct looks){
            "{\"id\":3,\"state\":\"RUNNING\",\"name\":\"c\",\"hash\":"
            "\"0000000000000000000000000000000000000000000000000000000000000000\",\"decision\":"
            "\"compute\",\"attempts\":1,\"exitCode\":null,\"signal\":null,\"wallMs\":null,"
            "\"userMs\":null,\"systemMs\":null,\"maxRssBytes\":null,\"memoryMB\":null,"
            "\"memoryFrom\":\"definition\",\"confined\":null,\"started\":\"1970-01-01T00:00:01."
            "000Z\",\"ended\":null,\"message\":null,\"attemptDir\":null,\"waitsFor\":0,\"labels\":{"
            "},\"adoptedFrom\":null,\"diskFullBytes\":0,\"executor\":\"slurm\\u001b["
            "31m\xe2\x80\xae\",\"uncollected\":false,\"node\":null,\"wanted\":true}\n",
            "3,RUNNING,c,0000000000000000000000000000000000000000000000000000000000000000,compute,"
            "1,,,,,,,,definition,,1970-01-01T00:00:01.000Z,,,,0,,0,slurm\x1b[31m\xe2\x80\xae,false,"
            ",true\n",
            "     3  RUNNING     c                            0 ms            by executor "
            "slurm?[31m?\n"});
    (void)state;
}

static void test_action__a_failure_in_words(void **state)
{
    static const struct {
        struct pingo_action_status status;
        const char *said;
    } rows[] = {
        {{.message = "no\x07 output", .signal = 9}, "no? output"},
        {{.message = NULL, .signal = 9, .exit_code = 1}, "signal 9"},
        {{.message = "", .signal = -1, .exit_code = 0}, "exit status 0"},
        {{.message = "", .signal = -1, .exit_code = -1}, "never started"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__buffer b = {0};
        pingo__view_failure(&b, &rows[i].status);
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].said);
        pingo__buffer_clear(&b);
    }
    (void)state;
}

/* Of what there is to be said of an action its line ends with the first that holds. */
static void test_action__what_is_to_be_said_of_it(void **state)
{
    const struct pingo_action_status none = {
        .name = "c", .exit_code = -1, .signal = -1, .wall_ms = -1, .message = "", .max_rss_bytes = -1};
    static const struct {
        enum pingo_action_state state;
        enum pingo_plan_decision decision;
        size_t waits_for;
        int64_t attempts;
        const char *adopted_from, *message, *said;
    } rows[] = {
        {PINGO_ACTION_WAITING, PINGO_PLAN_COMPUTE, 1, 0, NULL, "", "waits for 1 action"},
        {PINGO_ACTION_WAITING, PINGO_PLAN_COMPUTE, 2, 0, NULL, "", "waits for 2 actions"},
        {PINGO_ACTION_WAITING, PINGO_PLAN_COMPUTE, 2, 0, NULL, "a quota", "a quota"},
        {PINGO_ACTION_WAITING, PINGO_PLAN_COMPUTE, 2, 2, NULL, "", "waits for 2 actions; 2 attempts"},
        {(enum pingo_action_state)0, PINGO_PLAN_SKIP, 2, 0, NULL, "", ""}, /* it has no row */
        {PINGO_ACTION_FINISHED, PINGO_PLAN_JOIN, 0, 0, NULL, "", "an equal action computed it"},
        {PINGO_ACTION_FINISHED, PINGO_PLAN_COMPUTE, 0, 1, NULL, "", ""},
        {PINGO_ACTION_FINISHED, PINGO_PLAN_COMPUTE, 0, 0, "/a", "", "adopted from /a"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_action_status s = none;
        struct pingo__buffer b = {0};
        s.state = rows[i].state;
        s.decision = rows[i].decision;
        s.waits_for = rows[i].waits_for;
        s.attempts = rows[i].attempts;
        s.adopted_from = rows[i].adopted_from;
        s.message = rows[i].message;
        pingo__view_line(&b, &pingo__view_action, &s, &(struct pingo__view_style){.now_ms = 1});
        const char *line = pingo__buffer_cstr(&b), *said = *rows[i].said ? rows[i].said : "  c";
        const char *at = strstr(line, said);
        if (!at || strcmp(at + strlen(said), "\n") != 0)
            fail_msg("%s: not as %s", line, said);
        pingo__buffer_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_action__what_was_reused_has_no_attempt),
        cmocka_unit_test(test_action__what_failed_says_why),
        cmocka_unit_test(test_action__what_runs_has_taken_so_long_by_now),
        cmocka_unit_test(test_action__a_failure_in_words),
        cmocka_unit_test(test_action__what_is_to_be_said_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
