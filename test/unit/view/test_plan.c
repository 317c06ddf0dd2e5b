/* test_plan.c - what a plan looks like, and why an action is computed. */
#include "unit/view/look.h"

static void test_plan__what_never_ran_has_no_time(void **state)
{
    struct pingo__view_planned p = {{.id = 1,
                                     .name = "a" HOSTILE,
                                     .hash = {{0xab}},
                                     .decision = PINGO_PLAN_COMPUTE,
                                     .reason_text = "never computed",
                                     .expected_ms = -1,
                                     .expected_bytes = -1},
                                    NULL};
    looks(&pingo__view_planned, &p,
          (struct looks){
              "{\"id\":1,\"decision\":\"compute\",\"name\":\"a\\u001b[31m\xe2\x80\xae\",\"hash\":"
              "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"expectedMs\":"
              "null,\"expectedBytes\":null,\"reason\":\"never computed\",\"why\":null}\n",
              "1,compute,a\x1b[31m\xe2\x80\xae,"
              "ab00000000000000000000000000000000000000000000000000000000000000,,,never computed\n",
              "     1  compute   a?[31m?                                      never computed\n"});
    p.planned.decision = PINGO_PLAN_SKIP;
    p.planned.expected_ms = 0;
    p.planned.expected_bytes = 5;
    looks(
        &pingo__view_planned, &p,
        (struct looks){
            "{\"id\":1,\"decision\":\"skip\",\"name\":\"a\\u001b[31m\xe2\x80\xae\",\"hash\":"
            "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"expectedMs\":0,"
            "\"expectedBytes\":5,\"reason\":\"never computed\",\"why\":null}\n",
            "1,skip,a\x1b[31m\xe2\x80\xae,"
            "ab00000000000000000000000000000000000000000000000000000000000000,0,5,never computed\n",
            "     1  skip      a?[31m?                      0 ms       5 B  never computed\n"});
    (void)state;
}

static void test_plan__why_it_is_computed(void **state)
{
    static const struct pingo_file_change files[] = {{"x", NULL, "2 B"}};
    static const struct pingo_difference differences[] = {
        {"input t", "a\"", NULL, NULL, "/t", files, 1, 1, false},
        {.field = "salt", .inherited = true}};
    struct pingo__view_why w = {{.id = 1,
                                 .name = "a",
                                 .hash = {{0xab}},
                                 .decision = PINGO_PLAN_COMPUTE,
                                 .reason_text = "x",
                                 .has_nearest = true,
                                 .nearest = {{0xcd}},
                                 .nearest_workflow = 0,
                                 .differences = differences,
                                 .ndifferences = 2,
                                 .inherited = 1},
                                2};
    struct pingo__view_planned p = {{.id = 1,
                                     .name = "a",
                                     .decision = PINGO_PLAN_COMPUTE,
                                     .reason_text = "x",
                                     .expected_ms = -1,
                                     .expected_bytes = -1},
                                    &w};
    looks(
        &pingo__view_why, &w,
        (struct looks){
            "{\"id\":1,\"name\":\"a\",\"hash\":"
            "\"ab00000000000000000000000000000000000000000000000000000000000000\",\"decision\":"
            "\"compute\",\"reason\":\"x\",\"memory\":null,\"nearest\":{\"hash\":"
            "\"cd00000000000000000000000000000000000000000000000000000000000000\",\"workflow\":"
            "null},\"differences\":[\n{\"field\":\"input "
            "t\",\"before\":\"a\\\"\",\"after\":null,\"beforePath\":null,\"afterPath\":\"/"
            "t\",\"changedFiles\":1,\"files\":[{\"path\":\"x\",\"before\":null,\"after\":\"2 "
            "B\"}],\"inherited\":false},\n{\"field\":\"salt\",\"before\":null,\"after\":null,"
            "\"beforePath\":null,"
            "\"afterPath\":null,\"changedFiles\":null,\"files\":[],\"inherited\":true}\n],"
            "\"inherited\":1,\"group\":2}"
            "\n",
            "1,a,ab00000000000000000000000000000000000000000000000000000000000000,compute,x,,1,2\n",
            NULL});
    looks(&pingo__view_planned, &p,
          (struct looks){
              "{\"id\":1,\"decision\":\"compute\",\"name\":\"a\",\"hash\":"
              "\"0000000000000000000000000000000000000000000000000000000000000000\",\"expectedMs\":"
              "null,\"expectedBytes\":null,\"reason\":\"x\",\"why\":{\"nearest\":{\"hash\":"
              "\"cd00000000000000000000000000000000000000000000000000000000000000\",\"workflow\":"
              "null},\"differences\":[{\"field\":\"input "
              "t\",\"before\":\"a\\\"\",\"after\":null,\"beforePath\":null,\"afterPath\":\"/"
              "t\",\"changedFiles\":1,\"files\":[{\"path\":\"x\",\"before\":null,\"after\":\"2 "
              "B\"}],\"inherited\":false},{\"field\":\"salt\",\"before\":null,\"after\":null,"
              "\"beforePath\":null,"
              "\"afterPath\":null,\"changedFiles\":null,\"files\":[],\"inherited\":true}],"
              "\"inherited\":1,\"group\":2}"
              "}\n",
              "1,compute,a,0000000000000000000000000000000000000000000000000000000000000000,,,x\n",
              "     1  compute   a                                            x\n"});
    w.why.has_nearest = false;
    w.why.ndifferences = 0;
    w.why.memory_text = "1 GB";
    w.group = 0;
    looks(
        &pingo__view_why, &w,
        (struct looks){"{\"id\":1,\"name\":\"a\",\"hash\":"
                       "\"ab00000000000000000000000000000000000000000000000000000000000000\","
                       "\"decision\":\"compute\",\"reason\":\"x\",\"memory\":\"1 "
                       "GB\",\"nearest\":null,\"differences\":[],\"inherited\":1,\"group\":null}\n",
                       "1,a,ab00000000000000000000000000000000000000000000000000000000000000,"
                       "compute,x,1 GB,1,\n",
                       NULL});
    (void)state;
}

static void test_plan__what_is_expected_in_all(void **state)
{
    struct pingo__view_plan p = {"w" HOSTILE,
                                 {.summary = {.compute = 3, .reuse = 1},
                                  .expected_ms = 60000,
                                  .expected_bytes = 1024,
                                  .unknown = 1}};
    looks(&pingo__view_plan, &p,
          (struct looks){"{\"workflow\":\"w\\u001b[31m\xe2\x80\xae\",\"actions\":[],\"summary\":{"
                         "\"compute\":3,\"reuse\":1,\"join\":0,\"skip\":0},\"expectedMs\":60000,"
                         "\"expectedBytes\":1024,\"unknown\":1}\n",
                         "w\x1b[31m\xe2\x80\xae,60000,1024,1\n",
                         "3 to compute, 1 reused, 0 joined, 0 skipped\nexpected: 1 min 00 s of "
                         "computing, 1.0 KiB of outputs (1 never ran before)\n"});
    p.totals = (struct pingo_plan_totals){.summary = {.compute = 1}, .unknown = 1};
    looks(&pingo__view_plan, &p,
          (struct looks){"{\"workflow\":\"w\\u001b[31m\xe2\x80\xae\",\"actions\":[],\"summary\":{"
                         "\"compute\":1,\"reuse\":0,\"join\":0,\"skip\":0},\"expectedMs\":0,"
                         "\"expectedBytes\":0,\"unknown\":1}\n",
                         "w\x1b[31m\xe2\x80\xae,0,0,1\n",
                         "1 to compute, 0 reused, 0 joined, 0 skipped\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__what_never_ran_has_no_time),
        cmocka_unit_test(test_plan__why_it_is_computed),
        cmocka_unit_test(test_plan__what_is_expected_in_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
