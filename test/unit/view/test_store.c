/* test_store.c - what settings, findings, problems and a tick look like. */
#include "unit/view/look.h"

static void test_store__a_setting_that_was_changed(void **state)
{
    struct pingo__view_setting s = {"k", "v" HOSTILE, "d", "what it does"};
    looks(&pingo__view_setting, &s,
          (struct looks){"{\"key\":\"k\",\"value\":\"v\\u001b[31m\xe2\x80\xae\",\"default\":\"d\","
                         "\"meaning\":\"what it does\"}\n",
                         "k,v\x1b[31m\xe2\x80\xae,d,what it does\n",
                         "k = v?[31m?   (default: d)\n    what it does\n"});
    s.default_value = NULL;
    looks(&pingo__view_setting, &s,
          (struct looks){"{\"key\":\"k\",\"value\":\"v\\u001b[31m\xe2\x80\xae\",\"default\":null,"
                         "\"meaning\":\"what it does\"}\n",
                         "k,v\x1b[31m\xe2\x80\xae,,what it does\n",
                         "k = v?[31m?   (default: none)\n    what it does\n"});
    s.value = NULL;
    looks(&pingo__view_setting, &s,
          (struct looks){
              "{\"key\":\"k\",\"value\":null,\"default\":null,\"meaning\":\"what it does\"}\n",
              "k,,,what it does\n", "k = \n    what it does\n"});
    s.value = s.default_value = "same";
    looks(&pingo__view_setting, &s,
          (struct looks){"{\"key\":\"k\",\"value\":\"same\",\"default\":\"same\",\"meaning\":"
                         "\"what it does\"}\n",
                         "k,same,same,what it does\n", "k = same\n    what it does\n"});
    (void)state;
}

static void test_store__what_was_found(void **state)
{
    struct pingo__view_check c = {"slurm", "reach", "no answer" HOSTILE, 2};
    looks(&pingo__view_check, &c,
          (struct looks){"{\"executor\":\"slurm\",\"what\":\"reach\",\"result\":\"wrong\","
                         "\"message\":\"no answer\\u001b[31m\xe2\x80\xae\"}\n",
                         "slurm,reach,wrong,no answer\x1b[31m\xe2\x80\xae\n",
                         "reach: wrong: no answer?[31m?\n"});
    c.result = -1; /* of a later version */
    looks(&pingo__view_check, &c,
          (struct looks){"{\"executor\":\"slurm\",\"what\":\"reach\",\"result\":\"unknown\","
                         "\"message\":\"no answer\\u001b[31m\xe2\x80\xae\"}\n",
                         "slurm,reach,unknown,no answer\x1b[31m\xe2\x80\xae\n",
                         "reach: unknown: no answer?[31m?\n"});
    struct pingo_finding f = {"I1", "dataset ab", "is gone\nagain", true, true};
    looks(&pingo__view_finding, &f,
          (struct looks){"{\"invariant\":\"I1\",\"object\":\"dataset ab\",\"message\":\"is "
                         "gone\\nagain\",\"repaired\":true,\"repairable\":true}\n",
                         "I1,dataset ab,\"is gone\nagain\",true,true\n",
                         "I1  dataset ab: is gone?again (repaired)\n"});
    struct pingo_problem p = {PINGO_SEVERITY_WARNING, 0, 0, "", "a,b", 2};
    looks(&pingo__view_problem, &p,
          (struct looks){"{\"severity\":\"warning\",\"line\":0,\"column\":0,\"pointer\":\"\","
                         "\"message\":\"a,b\",\"times\":2}\n",
                         "warning,0,0,,\"a,b\",2\n", NULL});
    (void)state;
}

static void test_store__a_tick(void **state)
{
    struct pingo_tick_result t = {.recovered = 1,
                                  .settled = 2,
                                  .started = 3,
                                  .deleted = 4,
                                  .active = 5,
                                  .evicted = 6,
                                  .shortfall_bytes = 7,
                                  .stuck_for_space = true};
    looks(
        &pingo__view_tick, &t,
        (struct looks){"{\"recovered\":1,\"settled\":2,\"started\":3,\"evicted\":6,\"deleted\":4,"
                       "\"active\":5,\"idle\":false,\"stuckForSpace\":true,\"shortfallBytes\":7}\n",
                       "1,2,3,6,4,5,false,true,7\n",
                       "recovered 1, settled 2, started 3, evicted 6, deleted 4, active 5\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store__a_setting_that_was_changed),
        cmocka_unit_test(test_store__what_was_found),
        cmocka_unit_test(test_store__a_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
