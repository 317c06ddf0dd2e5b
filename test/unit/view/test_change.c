/* test_change.c - what became of what was asked looks like. */
#include "unit/view/look.h"

static void test_change__what_was_asked_of_a_workflow(void **state)
{
    struct pingo__view_killed k = {7, 1};
    looks(&pingo__view_killed, &k,
          (struct looks){"{\"workflow\":7,\"killed\":1}\n", "7,1\n",
                         "killed 1 action of workflow 7\n"});
    struct pingo__view_paused p = {7, PINGO_WORKFLOW_PAUSED, true};
    looks(&pingo__view_paused, &p,
          (struct looks){"{\"workflow\":7,\"state\":\"PAUSED\",\"changed\":true}\n",
                         "7,PAUSED,true\n", NULL});
    struct pingo__view_priority r = {7, PINGO_WORKFLOW_RUNNING, -5, false};
    looks(
        &pingo__view_priority, &r,
        (struct looks){"{\"workflow\":7,\"state\":\"RUNNING\",\"priority\":-5,\"changed\":false}\n",
                       "7,RUNNING,-5,false\n", "workflow 7 has priority -5\n"});
    (void)state;
}

static void test_change__what_was_asked_of_datasets(void **state)
{
    struct pingo_released r = {.released = 2};
    looks(&pingo__view_kept, &r, (struct looks){"{\"kept\":2}\n", "2\n", "kept 2 datasets\n"});
    looks(&pingo__view_released, &r,
          (struct looks){"{\"released\":2,\"wanted\":0,\"wantedBy\":null,\"unmade\":0}\n",
                         "2,0,,0\n", "released 2 datasets\n"});
    r = (struct pingo_released){.wanted = 1, .wanted_by = 3};
    looks(&pingo__view_released, &r,
          (struct looks){"{\"released\":0,\"wanted\":1,\"wantedBy\":3,\"unmade\":0}\n", "0,1,3,0\n",
                         "1 of these stays: it is also a result of workflow 3\n"});
    r = (struct pingo_released){.released = 1, .wanted = 2, .wanted_by = 3, .wanted_by_others = true};
    looks(&pingo__view_released, &r,
          (struct looks){"{\"released\":1,\"wanted\":2,\"wantedBy\":3,\"unmade\":0}\n", "1,2,3,0\n",
                         "released 1 dataset\n2 of these stay: they are also results of workflow 3 "
                         "and others\n"});
    r = (struct pingo_released){0};
    looks(&pingo__view_kept, &r,
          (struct looks){"{\"kept\":0}\n", "0\n",
                         "nothing to keep: pinned already, or not in the pool\n"});
    looks(&pingo__view_released, &r,
          (struct looks){"{\"released\":0,\"wanted\":0,\"wantedBy\":null,\"unmade\":0}\n",
                         "0,0,,0\n", "nothing to release: no result in the pool, and not pinned\n"});
    r = (struct pingo_released){.unmade = 1};
    looks(&pingo__view_released, &r,
          (struct looks){"{\"released\":0,\"wanted\":0,\"wantedBy\":null,\"unmade\":1}\n",
                         "0,0,,1\n", "1 dataset is not made yet, and will be no result\n"});
    char one[] = "ab12", *hashes[] = {one};
    struct pingo__view_removed d = {{{0xab}}, hashes, 1, 4};
    looks(&pingo__view_removed, &d,
          (struct looks){
              "{\"hash\":\"ab00000000000000000000000000000000000000000000000000000000000000\","
              "\"hashes\":[\"ab12\"],\"passedOver\":4}\n",
              "ab00000000000000000000000000000000000000000000000000000000000000,4\n", NULL});
    (void)state;
}

static void test_change__which_version_and_is_it_there(void **state)
{
    struct pingo__view_versions v = {"1.2", "1.2", false};
    looks(&pingo__view_versions, &v,
          (struct looks){"{\"version\":\"1.2\",\"library\":\"1.2\"}\n", "1.2,1.2\n", "pingo 1.2\n"});
    v = (struct pingo__view_versions){"1.2", "1.3", true};
    looks(&pingo__view_versions, &v,
          (struct looks){"{\"version\":\"1.2\",\"library\":\"1.3\"}\n", "1.2,1.3\n",
                         "pingo 1.2, with libpingo 1.3\n"});
    struct pingo__view_server s = {"1.2", "v1"};
    looks(&pingo__view_server, &s,
          (struct looks){"{\"version\":\"1.2\",\"api\":\"v1\"}\n", "1.2,v1\n", NULL});
    struct pingo__view_health h = {"ok"};
    looks(&pingo__view_health, &h, (struct looks){"{\"status\":\"ok\"}\n", "ok\n", NULL});
    struct pingo__view_verdict verdict = {false};
    looks(&pingo__view_verdict, &verdict,
          (struct looks){"{\"valid\":false,\"problems\":[]}\n", "false\n", NULL});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_change__what_was_asked_of_a_workflow),
        cmocka_unit_test(test_change__what_was_asked_of_datasets),
        cmocka_unit_test(test_change__which_version_and_is_it_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
