/* test_attempt.c - what one try at running an action looks like. */
#include "unit/view/look.h"

#include <stdio.h>

#include <pingo/executor.h>

static void test_attempt__all_ends_have_a_word(void **state)
{
    static const char *const words[] = {"exited",      "signaled",   "time limit", "memory limit",
                                        "no output",   "killed",     "lost",       "no space",
                                        "not started", "bad output", "ended"};
    struct pingo_attempt a = {
        .name = "", .has_started = true, .has_ended = true, .executor = "local"};
    for (a.reason = 0; a.reason <= PINGO_END_BAD_OUTPUT + 1; a.reason++) {
        struct look l = look_at(&pingo__view_attempt, &a, &(struct pingo__view_style){0});
        char key[40];
        snprintf(key, sizeof key, "\"state\":\"%s\"", words[a.reason]);
        assert_non_null(strstr(pingo__buffer_cstr(&l.json), key));
        look_clear(&l);
    }
    (void)state;
}

static void test_attempt__one_that_runs(void **state)
{
    struct pingo_attempt a = {.row = 1,
                              .epoch = 2,
                              .id = 3,
                              .name = "a" HOSTILE,
                              .has_started = true,
                              .reason = -1,
                              .exit_code = -1,
                              .signal = -1,
                              .handed_ms = 1000,
                              .started_ms = 1500,
                              .ended_ms = -1,
                              .wall_ms = -1,
                              .user_ms = -1,
                              .system_ms = -1,
                              .max_rss_bytes = -1,
                              .confined = -1,
                              .executor = "hadoop",
                              .memory_mb = 2048,
                              .memory_from = PINGO_MEMORY_REMEMBERED,
                              .job = "job_1" HOSTILE,
                              .progress = "{\"percent\":42}"};
    looks(&pingo__view_attempt, &a,
          (struct looks){
              "{\"id\":3,\"name\":\"a\\u001b[31m\xe2\x80\xae\",\"epoch\":2,\"state\":\"running\","
              "\"exitCode\":null,\"signal\":null,\"wallMs\":null,\"userMs\":null,\"systemMs\":null,"
              "\"maxRssBytes\":null,\"memoryMB\":2048,\"memoryFrom\":\"history\",\"confined\":null,"
              "\"handed\":\"1970-01-01T00:00:01.000Z\",\"started\":\"1970-01-01T00:00:01.500Z\","
              "\"ended\":null,\"executor\":\"hadoop\",\"node\":null,\"job\":\"job_1\\u001b["
              "31m\xe2\x80\xae\",\"progress\":{\"percent\":42},\"attemptDir\":null}\n",
              "3,a\x1b[31m\xe2\x80\xae,2,running,,,,,,,2048,history,,1970-01-01T00:00:01.000Z,1970-"
              "01-01T00:00:01.500Z,,hadoop,,job_1\x1b[31m\xe2\x80\xae,\n",
              "     3  a?[31m?                      2  running 42%          -         -    2048 "
              "MB+  1970-01-01T00:00:01Z  -           job_1?[31m?\n"});
    a.progress = "{\"percent\":12345}"; /* no percentage */
    a.has_started = false;
    a.started_ms = -1;
    looks(&pingo__view_attempt, &a,
          (struct looks){
              "{\"id\":3,\"name\":\"a\\u001b[31m\xe2\x80\xae\",\"epoch\":2,\"state\":\"armed\","
              "\"exitCode\":null,\"signal\":null,\"wallMs\":null,\"userMs\":null,\"systemMs\":null,"
              "\"maxRssBytes\":null,\"memoryMB\":2048,\"memoryFrom\":\"history\",\"confined\":null,"
              "\"handed\":\"1970-01-01T00:00:01.000Z\",\"started\":null,\"ended\":null,"
              "\"executor\":\"hadoop\",\"node\":null,\"job\":\"job_1\\u001b[31m\xe2\x80\xae\","
              "\"progress\":{\"percent\":12345},\"attemptDir\":null}\n",
              "3,a\x1b[31m\xe2\x80\xae,2,armed,,,,,,,2048,history,,1970-01-01T00:00:01.000Z,,,"
              "hadoop,,job_1\x1b[31m\xe2\x80\xae,\n",
              "     3  a?[31m?                      2  armed                -         -    2048 "
              "MB+  -                     -           job_1?[31m?\n"});
    (void)state;
}

static void test_attempt__one_that_ended(void **state)
{
    struct pingo_attempt a = {.row = 1,
                              .epoch = 1,
                              .id = 3,
                              .name = "a",
                              .has_started = true,
                              .has_ended = true,
                              .reason = PINGO_END_SIGNALED,
                              .exit_code = -1,
                              .signal = 9,
                              .handed_ms = 1000,
                              .started_ms = 1500,
                              .ended_ms = 2500,
                              .wall_ms = 1000,
                              .user_ms = 5,
                              .system_ms = 6,
                              .max_rss_bytes = 7,
                              .confined = 0,
                              .executor = "local",
                              .node = "n1",
                              .attempt_dir = "/x",
                              .memory_mb = -1};
    looks(&pingo__view_attempt, &a,
          (struct looks){
              "{\"id\":3,\"name\":\"a\",\"epoch\":1,\"state\":\"signaled\",\"exitCode\":null,"
              "\"signal\":9,\"wallMs\":1000,\"userMs\":5,\"systemMs\":6,\"maxRssBytes\":7,"
              "\"memoryMB\":null,\"memoryFrom\":\"definition\",\"confined\":false,\"handed\":"
              "\"1970-01-01T00:00:01.000Z\",\"started\":\"1970-01-01T00:00:01.500Z\",\"ended\":"
              "\"1970-01-01T00:00:02.500Z\",\"executor\":\"local\",\"node\":\"n1\",\"job\":null,"
              "\"progress\":null,\"attemptDir\":\"/x\"}\n",
              "3,a,1,signaled,,9,1000,5,6,7,,definition,false,1970-01-01T00:00:01.000Z,1970-01-"
              "01T00:00:01.500Z,1970-01-01T00:00:02.500Z,local,n1,,/x\n",
              "     3  a                            1  signal 9         1.0 s       7 B            "
              "  1970-01-01T00:00:01Z  n1          -\n"});
    a.reason = PINGO_END_EXITED;
    a.exit_code = 0;
    a.signal = 0;
    a.confined = 1;
    a.memory_mb = 0;
    looks(&pingo__view_attempt, &a,
          (struct looks){
              "{\"id\":3,\"name\":\"a\",\"epoch\":1,\"state\":\"exited\",\"exitCode\":0,\"signal\":"
              "null,\"wallMs\":1000,\"userMs\":5,\"systemMs\":6,\"maxRssBytes\":7,\"memoryMB\":"
              "null,\"memoryFrom\":\"definition\",\"confined\":true,\"handed\":\"1970-01-01T00:00:"
              "01.000Z\",\"started\":\"1970-01-01T00:00:01.500Z\",\"ended\":\"1970-01-01T00:00:02."
              "500Z\",\"executor\":\"local\",\"node\":\"n1\",\"job\":null,\"progress\":null,"
              "\"attemptDir\":\"/x\"}\n",
              "3,a,1,exited,0,,1000,5,6,7,,definition,true,1970-01-01T00:00:01.000Z,1970-01-01T00:"
              "00:01.500Z,1970-01-01T00:00:02.500Z,local,n1,,/x\n",
              "     3  a                            1  exit 0           1.0 s       7 B            "
              "  1970-01-01T00:00:01Z  n1          -\n"});
    (void)state;
}

static void test_attempt__a_part_of_a_list_tells_where_it_goes_on(void **state)
{
    struct pingo__view_page page = {""};
    looks(&pingo__view_attempt_page, &page,
          (struct looks){"{\"rows\":[],\"next\":null}\n", NULL, NULL});
    page.next = "a.1.2.3.4";
    looks(&pingo__view_attempt_page, &page,
          (struct looks){"{\"rows\":[],\"next\":\"a.1.2.3.4\"}\n", "a.1.2.3.4\n", NULL});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attempt__all_ends_have_a_word),
        cmocka_unit_test(test_attempt__one_that_runs),
        cmocka_unit_test(test_attempt__one_that_ended),
        cmocka_unit_test(test_attempt__a_part_of_a_list_tells_where_it_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
