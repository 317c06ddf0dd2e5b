/* test_cost.c - what a submission cost. */
#include "unit/view/look.h"

static void test_cost__what_never_ran_has_no_span(void **state)
{
    struct pingo_cost c = {.ran = 2,
                           .wall_ms = 3000,
                           .span_ms = 2000,
                           .critical_ms = 1500,
                           .saved = 1,
                           .saved_ms = 60000,
                           .saved_bytes = 10};
    looks(&pingo__view_cost, &c,
          (struct looks){"{\"ran\":2,\"wallMs\":3000,\"spanMs\":2000,\"criticalMs\":1500,\"saved\":"
                         "1,\"savedMs\":60000,\"savedBytes\":10}\n",
                         "2,3000,2000,1500,1,60000,10\n", NULL});
    c = (struct pingo_cost){.span_ms = -1};
    looks(&pingo__view_cost, &c,
          (struct looks){"{\"ran\":0,\"wallMs\":0,\"spanMs\":null,\"criticalMs\":0,\"saved\":0,"
                         "\"savedMs\":0,\"savedBytes\":0}\n",
                         "0,0,,0,0,0,0\n", NULL});
    (void)state;
}

static void test_cost__a_step_that_has_not_ended(void **state)
{
    struct pingo_critical c = {1, "a,b", 0, -1, -1};
    looks(&pingo__view_critical, &c,
          (struct looks){
              "{\"id\":1,\"name\":\"a,b\",\"wallMs\":0,\"startedAt\":null,\"endedAt\":null}\n",
              "1,\"a,b\",0,,\n", NULL});
    c = (struct pingo_critical){2, "b", 5, 1000, 1005};
    looks(&pingo__view_critical, &c,
          (struct looks){"{\"id\":2,\"name\":\"b\",\"wallMs\":5,\"startedAt\":\"1970-01-01T00:00:"
                         "01.000Z\",\"endedAt\":\"1970-01-01T00:00:01.005Z\"}\n",
                         "2,b,5,1970-01-01T00:00:01.000Z,1970-01-01T00:00:01.005Z\n", NULL});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost__what_never_ran_has_no_span),
        cmocka_unit_test(test_cost__a_step_that_has_not_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
