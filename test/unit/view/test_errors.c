/* test_errors.c - what sums of failures, and attempts that failed, look like. */
#include "unit/view/look.h"

static void test_errors__one_error_in_words(void **state)
{
    static const struct pingo_summary_example examples[] = {{7, 2, 1}};
    struct pingo_summary_row r = {.from_ms = -1,
                                  .until_ms = -1,
                                  .error = 3,
                                  .category = PINGO_FAILURE_COMMAND,
                                  .text = "no such file #" HOSTILE,
                                  .exit_code = 2,
                                  .signal = -1,
                                  .is_new = true,
                                  .ended = 4,
                                  .failed = 4,
                                  .wall_ms = 61000,
                                  .cpu_ms = 5,
                                  .wait_ms = 6,
                                  .retried = 1,
                                  .retried_ms = 1000,
                                  .first_ms = 1000,
                                  .last_ms = 2000,
                                  .examples = examples,
                                  .nexamples = 1};
    looks(&pingo__view_error_kinds, &r,
          (struct looks){"{\"from\":null,\"until\":null,\"error\":3,\"category\":\"command\","
                         "\"text\":\"no such file "
                         "#\\u001b[31m\xe2\x80\xae\",\"exitCode\":2,\"signal\":null,\"value\":null,"
                         "\"isNew\":true,\"isOther\":false,\"ended\":4,\"failed\":4,\"retried\":1,"
                         "\"wallMs\":61000,\"retriedMs\":1000,\"cpuMs\":5,\"waitMs\":6,\"first\":"
                         "\"1970-01-01T00:00:01.000Z\",\"last\":\"1970-01-01T00:00:02.000Z\","
                         "\"examples\":[\n{\"workflow\":7,\"id\":2,\"epoch\":1}\n]}\n",
                         ",,3,command,no such file "
                         "#\x1b[31m\xe2\x80\xae,2,,,true,false,4,4,1,61000,1000,5,6,1970-01-01T00:"
                         "00:01.000Z,1970-01-01T00:00:02.000Z\n",
                         "new  no such file #?[31m? (exit 2)  error 3, command\n  4 failed, 1 min "
                         "01 s lost; 1.0 s of it in 1 of which a later try succeeded; last "
                         "1970-01-01T00:00:02Z\n  pingo log 7 2\n"});
    r = (struct pingo_summary_row){.from_ms = 0,
                                   .until_ms = 1800000,
                                   .exit_code = -1,
                                   .signal = -1,
                                   .is_other = true,
                                   .failed = 9,
                                   .first_ms = -1,
                                   .last_ms = -1};
    looks(
        &pingo__view_error_kinds, &r,
        (struct looks){
            "{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":\"1970-01-01T00:30:00.000Z\","
            "\"error\":null,\"category\":null,\"text\":null,\"exitCode\":null,\"signal\":null,"
            "\"value\":null,\"isNew\":false,\"isOther\":true,\"ended\":0,\"failed\":9,\"retried\":"
            "0,\"wallMs\":0,\"retriedMs\":0,\"cpuMs\":0,\"waitMs\":0,\"first\":null,\"last\":null,"
            "\"examples\":[]}\n",
            "1970-01-01T00:00:00.000Z,1970-01-01T00:30:00.000Z,,,,,,,false,true,0,9,0,0,0,0,0,,\n",
            "(other)\n  9 failed, 0 ms lost\n"});
    (void)state;
}

static void test_errors__by_what_a_stranger_has_named(void **state)
{
    struct pingo_summary_row r = {.from_ms = 0,
                                  .until_ms = -1,
                                  .value = "n" HOSTILE,
                                  .exit_code = -1,
                                  .signal = -1,
                                  .ended = 5,
                                  .failed = 1,
                                  .wall_ms = 10,
                                  .first_ms = -1,
                                  .last_ms = -1,
                                  .used_ms = 100,
                                  .used_cpu_ms = 50};
    looks_with(
        &pingo__view_errors, &r,
        &(struct pingo__view_style){.shown = 1u << PINGO__VIEW_BY_VALUE | 1u << PINGO__VIEW_BY_STEP},
        (struct looks){
            "{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":null,\"error\":null,\"category\":"
            "null,\"text\":null,\"exitCode\":null,\"signal\":null,\"value\":\"n\\u001b["
            "31m\xe2\x80\xae\",\"isNew\":false,\"isOther\":false,\"ended\":5,\"failed\":1,"
            "\"retried\":0,\"wallMs\":10,\"retriedMs\":0,\"cpuMs\":0,\"waitMs\":0,\"first\":null,"
            "\"last\":null,\"examples\":[]}\n",
            "1970-01-01T00:00:00.000Z,,,,,,,n\x1b[31m\xe2\x80\xae,false,false,5,1,0,10,0,0,0,,\n",
            "1970-01-01T00:00:00Z  n?[31m?                          5        1        0        10 "
            "ms\n"});
    looks(&pingo__view_used, &r,
          (struct looks){"{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":null,\"value\":"
                         "\"n\\u001b[31m\xe2\x80\xae\",\"isOther\":false,\"ended\":5,\"failed\":1,"
                         "\"wallMs\":100,\"cpuMs\":50,\"lostMs\":10,\"retriedMs\":0}\n",
                         "1970-01-01T00:00:00.000Z,,n\x1b[31m\xe2\x80\xae,false,5,1,100,50,10,0\n",
                         NULL});
    r.value = "a name that is longer than the table has room for, by far";
    looks_with(
        &pingo__view_errors, &r, &(struct pingo__view_style){.shown = 1u << PINGO__VIEW_BY_VALUE},
        (struct looks){
            "{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":null,\"error\":null,\"category\":"
            "null,\"text\":null,\"exitCode\":null,\"signal\":null,\"value\":\"a name that is "
            "longer than the table has room for, by "
            "far\",\"isNew\":false,\"isOther\":false,\"ended\":5,\"failed\":1,\"retried\":0,"
            "\"wallMs\":10,\"retriedMs\":0,\"cpuMs\":0,\"waitMs\":0,\"first\":null,\"last\":null,"
            "\"examples\":[]}\n",
            "1970-01-01T00:00:00.000Z,,,,,,,\"a name that is longer than the table has room for, "
            "by far\",false,false,5,1,0,10,0,0,0,,\n",
            "a name that is longer than the table...         5        1        0        10 ms\n"});
    r.value = "";
    looks_with(
        &pingo__view_errors, &r, &(struct pingo__view_style){.shown = 1u << PINGO__VIEW_BY_VALUE},
        (struct looks){
            "{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":null,\"error\":null,\"category\":"
            "null,\"text\":null,\"exitCode\":null,\"signal\":null,\"value\":\"\",\"isNew\":false,"
            "\"isOther\":false,\"ended\":5,\"failed\":1,\"retried\":0,\"wallMs\":10,\"retriedMs\":"
            "0,\"cpuMs\":0,\"waitMs\":0,\"first\":null,\"last\":null,\"examples\":[]}\n",
            "1970-01-01T00:00:00.000Z,,,,,,,,false,false,5,1,0,10,0,0,0,,\n",
            "-                                5        1        0        10 ms\n"});
    r.value = NULL;
    r.is_other = true;
    looks_with(
        &pingo__view_errors, &r, &(struct pingo__view_style){.shown = 1u << PINGO__VIEW_BY_VALUE},
        (struct looks){
            "{\"from\":\"1970-01-01T00:00:00.000Z\",\"until\":null,\"error\":null,\"category\":"
            "null,\"text\":null,\"exitCode\":null,\"signal\":null,\"value\":null,\"isNew\":false,"
            "\"isOther\":true,\"ended\":5,\"failed\":1,\"retried\":0,\"wallMs\":10,\"retriedMs\":0,"
            "\"cpuMs\":0,\"waitMs\":0,\"first\":null,\"last\":null,\"examples\":[]}\n",
            "1970-01-01T00:00:00.000Z,,,,,,,,false,true,5,1,0,10,0,0,0,,\n",
            "(other)                          5        1        0        10 ms\n"});
    (void)state;
}

static void test_errors__an_attempt_that_failed_or_not(void **state)
{
    struct pingo_failure f = {.workflow = 1,
                              .user = "ann",
                              .error = 2,
                              .category = PINGO_FAILURE_MEMORY,
                              .text = "killed" HOSTILE,
                              .retried = true,
                              .attempt = {.row = 1,
                                          .epoch = 1,
                                          .id = 3,
                                          .name = "a",
                                          .has_started = true,
                                          .has_ended = true,
                                          .reason = 3,
                                          .exit_code = -1,
                                          .signal = -1,
                                          .handed_ms = 1000,
                                          .started_ms = 1500,
                                          .ended_ms = 2500,
                                          .wall_ms = 1000,
                                          .user_ms = 5,
                                          .system_ms = 6,
                                          .max_rss_bytes = 7,
                                          .confined = 0,
                                          .executor = "local",
                                          .memory_mb = 100}};
    looks(
        &pingo__view_failed, &f,
        (struct looks){
            "{\"workflow\":1,\"id\":3,\"name\":\"a\",\"epoch\":1,\"state\":\"memory "
            "limit\",\"exitCode\":null,\"signal\":null,\"wallMs\":1000,\"userMs\":5,\"systemMs\":6,"
            "\"maxRssBytes\":7,\"memoryMB\":100,\"memoryFrom\":\"definition\",\"confined\":false,"
            "\"handed\":\"1970-01-01T00:00:01.000Z\",\"started\":\"1970-01-01T00:00:01.500Z\","
            "\"ended\":\"1970-01-01T00:00:02.500Z\",\"executor\":\"local\",\"node\":null,\"job\":"
            "null,\"progress\":null,\"attemptDir\":null,\"user\":\"ann\",\"error\":2,\"category\":"
            "\"memory\",\"text\":\"killed\\u001b[31m\xe2\x80\xae\",\"retried\":true}\n",
            "1,3,a,1,memory "
            "limit,,,1000,5,6,7,100,definition,false,1970-01-01T00:00:01.000Z,1970-01-01T00:00:01."
            "500Z,1970-01-01T00:00:02.500Z,local,,,,ann,2,memory,killed\x1b[31m\xe2\x80\xae,true\n",
            "       1       3  a                            1  memory limit     1.0 s       7 B    "
            "  100 MB  1970-01-01T00:00:01Z  -           -      2  killed?[31m?\n"});
    f.error = 0;
    f.category = PINGO_FAILURE_NONE;
    f.text = "";
    f.retried = false;
    looks(&pingo__view_failed, &f,
          (struct looks){
              "{\"workflow\":1,\"id\":3,\"name\":\"a\",\"epoch\":1,\"state\":\"memory "
              "limit\",\"exitCode\":null,\"signal\":null,\"wallMs\":1000,\"userMs\":5,\"systemMs\":"
              "6,\"maxRssBytes\":7,\"memoryMB\":100,\"memoryFrom\":\"definition\",\"confined\":"
              "false,\"handed\":\"1970-01-01T00:00:01.000Z\",\"started\":\"1970-01-01T00:00:01."
              "500Z\",\"ended\":\"1970-01-01T00:00:02.500Z\",\"executor\":\"local\",\"node\":null,"
              "\"job\":null,\"progress\":null,\"attemptDir\":null,\"user\":\"ann\",\"error\":null,"
              "\"category\":null,\"text\":null,\"retried\":false}\n",
              "1,3,a,1,memory "
              "limit,,,1000,5,6,7,100,definition,false,1970-01-01T00:00:01.000Z,1970-01-01T00:00:"
              "01.500Z,1970-01-01T00:00:02.500Z,local,,,,ann,,,,false\n",
              "       1       3  a                            1  memory limit     1.0 s       7 B  "
              "    100 MB  1970-01-01T00:00:01Z  -           -      -  -\n"});
    (void)state;
}

/* A server may leave out whatever it likes. */
static void test_errors__one_without_words(void **state)
{
    const struct pingo_summary_row r = {.error = 1};
    const struct pingo__view_table *view = &pingo__view_error_kinds;
    struct pingo__view_style style = {.shown = 0};
    struct pingo__buffer b = {0};
    (void)state;
    pingo__view_text(&b, view->text, view, &r, &style);
    assert_int_equal(strncmp(pingo__buffer_cstr(&b), "-  error 1, -\n", 14), 0);
    pingo__buffer_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors__one_error_in_words),
        cmocka_unit_test(test_errors__by_what_a_stranger_has_named),
        cmocka_unit_test(test_errors__one_without_words),
        cmocka_unit_test(test_errors__an_attempt_that_failed_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
