/* test_algorithm.c - what algorithms, their parameters and their choices look like. */
#include "unit/view/look.h"

static void test_algorithm__a_parameter_is_a_number_or_a_word(void **state)
{
    static const char *const words[] = {"mean", "last", NULL};
    const struct pingo_decision_parameter parameters[] = {
        {"half-life", PINGO_PARAMETER_NUMBER, 0.1, 1e6, 0.3, NULL, "how fast, \"in days\""},
        {"time", PINGO_PARAMETER_CHOICE, 0, 0, 1, words, NULL}};
    struct pingo_decision_algorithm a = {
        .name = "chain", .summary = "what costs least", .parameters = parameters, .nparameters = 2};
    looks(&pingo__view_algorithm, &a,
          (struct looks){"{\"name\":\"chain\",\"summary\":\"what costs "
                         "least\",\"parameters\":[\n{\"name\":\"half-life\",\"default\":0.3,"
                         "\"minimum\":0.1,\"maximum\":1000000,\"meaning\":\"how fast, \\\"in "
                         "days\\\"\"},\n{\"name\":\"time\",\"default\":\"last\",\"choices\":["
                         "\"mean\",\"last\"],\"meaning\":null}\n]}\n",
                         "chain,what costs least\n",
                         "chain  what costs least\n    half-life=0.3  how fast, \"in days\" (0.1 "
                         "to 1000000)\n    time=last   (mean, last)\n"});
    looks(&pingo__view_parameter, &parameters[0],
          (struct looks){"{\"name\":\"half-life\",\"default\":0.3,\"minimum\":0.1,\"maximum\":"
                         "1000000,\"meaning\":\"how fast, \\\"in days\\\"\"}\n",
                         "half-life,0.3,0.1,1000000,\"how fast, \"\"in days\"\"\"\n",
                         "    half-life=0.3  how fast, \"in days\" (0.1 to 1000000)\n"});
    looks(&pingo__view_parameter, &parameters[1],
          (struct looks){"{\"name\":\"time\",\"default\":\"last\",\"choices\":[\"mean\",\"last\"],"
                         "\"meaning\":null}\n",
                         "time,last,,,\n", "    time=last   (mean, last)\n"});
    (void)state;
}

static void test_algorithm__what_cannot_be_freed_is_said(void **state)
{
    struct pingo__view_scenario s = {"lru",
                                     {.nvictims = 1, .freed_bytes = 1024, .shortfall_bytes = 0}};
    looks(&pingo__view_scenario, &s,
          (struct looks){
              "{\"algorithm\":\"lru\",\"victims\":[],\"freedBytes\":1024,\"shortfallBytes\":0}\n",
              "lru,1024,0\n", "1 dataset would go, 1.0 KiB\n"});
    s.result.nvictims = 0;
    s.result.freed_bytes = 0;
    s.result.shortfall_bytes = 1 << 30;
    looks(&pingo__view_scenario, &s,
          (struct looks){
              "{\"algorithm\":\"lru\",\"victims\":[],\"freedBytes\":0,\"shortfallBytes\":"
              "1073741824}\n",
              "lru,0,1073741824\n",
              "0 datasets would go, 0 B\n1.0 GiB more cannot be freed: nothing else may go\n"});
    (void)state;
}

static void test_algorithm__a_victim_may_have_no_time(void **state)
{
    const struct pingo__view_table *victim = pingo__view_stream(&pingo__view_scenario);
    struct pingo_scenario_victim v = {.hash = {{0xab}},
                                      .score = 1.0 / 3,
                                      .size_bytes = 10,
                                      .compute_ms = -1,
                                      .reason = "a" HOSTILE};
    looks(victim, &v,
          (struct looks){
              "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
              "\"sizeBytes\":10,\"computeMs\":null,\"score\":0.3333333333333333,\"reason\":"
              "\"a\\u001b[31m\xe2\x80\xae\"}\n",
              "ab00000000000000000000000000000000000000000000000000000000000000,10,,0."
              "3333333333333333,a\x1b[31m\xe2\x80\xae\n",
              "ab0000000000       10 B         -      0.333333  a?[31m?\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_algorithm__a_parameter_is_a_number_or_a_word),
        cmocka_unit_test(test_algorithm__what_cannot_be_freed_is_said),
        cmocka_unit_test(test_algorithm__a_victim_may_have_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
