/* test_history.c - what a row of the history looks like. */
#include "unit/view/look.h"

static void test_history__a_name_is_that_of_a_workflow_or_of_a_user(void **state)
{
    struct pingo__view_history h = {{"w" HOSTILE, -1, 2, 10, 4, 1, 3, 2, 60000, 3600000, 1024, -1},
                                    false};
    looks_with(&pingo__view_history, &h,
               &(struct pingo__view_style){.shown = 1u << PINGO__VIEW_OF_WORKFLOW},
               (struct looks){"{\"from\":null,\"workflow\":\"w\\u001b[31m\xe2\x80\xae\",\"user\":"
                              "null,\"submissions\":2,\"mentions\":10,\"computed\":4,\"joined\":1,"
                              "\"reused\":3,\"skipped\":2,\"reuseRate\":0.6000,\"spentMs\":60000,"
                              "\"savedMs\":3600000,\"madeBytes\":1024,\"evictedBytes\":null}\n",
                              ",w\x1b[31m\xe2\x80\xae,,2,10,4,1,3,2,0.6000,60000,3600000,1024,\n",
                              "w?[31m?                       2         10         4   60.0 %   1 "
                              "min 00 s   1 h 00 min   1.0 KiB         -\n"});
    h.by_user = true;
    h.row.evicted_bytes = 0;
    looks_with(
        &pingo__view_history, &h, &(struct pingo__view_style){.shown = 1u << PINGO__VIEW_OF_USER},
        (struct looks){"{\"from\":null,\"workflow\":null,\"user\":\"w\\u001b[31m\xe2\x80\xae\","
                       "\"submissions\":2,\"mentions\":10,\"computed\":4,\"joined\":1,\"reused\":3,"
                       "\"skipped\":2,\"reuseRate\":0.6000,\"spentMs\":60000,\"savedMs\":3600000,"
                       "\"madeBytes\":1024,\"evictedBytes\":0}\n",
                       ",,w\x1b[31m\xe2\x80\xae,2,10,4,1,3,2,0.6000,60000,3600000,1024,0\n",
                       "w?[31m?                       2         10         4   60.0 %   1 min 00 s "
                       "  1 h 00 min   1.0 KiB       0 B\n"});
    (void)state;
}

static void test_history__where_nothing_is_known_there_is_no_rate(void **state)
{
    struct pingo__view_history h = {{.name = NULL, .from_ms = 3600000, .nmentions = 5}, false};
    looks_with(&pingo__view_history, &h,
               &(struct pingo__view_style){.shown = 1u << PINGO__VIEW_FROM},
               (struct looks){"{\"from\":\"1970-01-01T01:00:00.000Z\",\"workflow\":null,\"user\":"
                              "null,\"submissions\":0,\"mentions\":5,\"computed\":0,\"joined\":0,"
                              "\"reused\":0,\"skipped\":0,\"reuseRate\":null,\"spentMs\":0,"
                              "\"savedMs\":0,\"madeBytes\":0,\"evictedBytes\":0}\n",
                              "1970-01-01T01:00:00.000Z,,,0,5,0,0,0,0,,0,0,0,0\n",
                              "1970-01-01T01:00:00Z          0          5         0        -       "
                              "  0 ms         0 ms       0 B       0 B\n"});
    looks(&pingo__view_history_all, &h,
          (struct looks){"{\"from\":\"1970-01-01T01:00:00.000Z\",\"workflow\":null,\"user\":null,"
                         "\"submissions\":0,\"mentions\":5,\"computed\":0,\"joined\":0,\"reused\":"
                         "0,\"skipped\":0,\"reuseRate\":null,\"spentMs\":0,\"savedMs\":0,"
                         "\"madeBytes\":0,\"evictedBytes\":0}\n",
                         "1970-01-01T01:00:00.000Z,,,0,5,0,0,0,0,,0,0,0,0\n",
                         "submissions     0\nactions         5: 0 computed, 0 joined, 0 reused, 0 "
                         "skipped\nreuse rate      -\ncompute time    0 ms spent, 0 ms "
                         "saved\nbytes           0 B made, 0 B evicted\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history__a_name_is_that_of_a_workflow_or_of_a_user),
        cmocka_unit_test(test_history__where_nothing_is_known_there_is_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
