/* test_feed.c - what a change of a store looks like. */
#include "unit/view/look.h"

static void test_feed__the_states_are_those_of_its_kind(void **state)
{
    struct pingo__view_change c = {
        {7,
         1000,
         {PINGO_EVENT_ACTION, 3, 12, 1, PINGO_ACTION_READY, PINGO_ACTION_RUNNING, {{0xab}}, 0, NULL}},
        "a" HOSTILE};
    looks(
        &pingo__view_change, &c,
        (struct looks){"{\"number\":7,\"at\":\"1970-01-01T00:00:01.000Z\",\"kind\":\"action\","
                       "\"workflow\":3,\"action\":0,\"name\":\"a\\u001b[31m\xe2\x80\xae\",\"row\":"
                       "12,\"epoch\":1,\"from\":\"READY\",\"to\":\"RUNNING\",\"hash\":"
                       "\"ab00000000000000000000000000000000000000000000000000000000000000\"}\n",
                       "7,1970-01-01T00:00:01.000Z,action,3,0,a\x1b[31m\xe2\x80\xae,12,1,READY,"
                       "RUNNING,ab00000000000000000000000000000000000000000000000000000000000000\n",
                       "1970-01-01T00:00:01Z  workflow 3 action 0 (a?[31m?) RUNNING\n"});
    c = (struct pingo__view_change){
        {8,
         1000,
         {PINGO_EVENT_DATASET, 0, 0, 2, PINGO_DATASET_LEAF, PINGO_DATASET_STORED, {{0xab}}, -1, NULL}},
        NULL};
    looks(&pingo__view_change, &c,
          (struct looks){"{\"number\":8,\"at\":\"1970-01-01T00:00:01.000Z\",\"kind\":\"dataset\","
                         "\"workflow\":null,\"action\":null,\"name\":null,\"row\":null,\"epoch\":2,"
                         "\"from\":\"LEAF\",\"to\":\"STORED\",\"hash\":"
                         "\"ab00000000000000000000000000000000000000000000000000000000000000\"}\n",
                         "8,1970-01-01T00:00:01.000Z,dataset,,,,,2,LEAF,STORED,"
                         "ab00000000000000000000000000000000000000000000000000000000000000\n",
                         "1970-01-01T00:00:01Z  all STORED\n"});
    c = (struct pingo__view_change){
        {9,
         1000,
         {.kind = PINGO_EVENT_WORKFLOW, .workflow = 3, .to = PINGO_WORKFLOW_FAILED, .id = -1}},
        NULL};
    looks(&pingo__view_change, &c,
          (struct looks){"{\"number\":9,\"at\":\"1970-01-01T00:00:01.000Z\",\"kind\":\"workflow\","
                         "\"workflow\":3,\"action\":null,\"name\":null,\"row\":null,\"epoch\":null,"
                         "\"from\":null,\"to\":\"FAILED\",\"hash\":null}\n",
                         "9,1970-01-01T00:00:01.000Z,workflow,3,,,,,,FAILED,\n",
                         "1970-01-01T00:00:01Z  workflow 3 FAILED\n"});
    (void)state;
}

static void test_feed__many_has_no_state(void **state)
{
    struct pingo__view_change c = {
        {10, 1000, {.kind = PINGO_EVENT_MANY, .workflow = -1, .from = 1, .to = 1, .id = -1}}, NULL};
    looks(&pingo__view_change, &c,
          (struct looks){"{\"number\":10,\"at\":\"1970-01-01T00:00:01.000Z\",\"kind\":\"many\","
                         "\"workflow\":null,\"action\":null,\"name\":null,\"row\":null,\"epoch\":"
                         "null,\"from\":null,\"to\":null,\"hash\":null}\n",
                         "10,1970-01-01T00:00:01.000Z,many,,,,,,,,\n",
                         "1970-01-01T00:00:01Z  all much has changed\n"});
    c.change.event.kind = (enum pingo_event_kind)99; /* of a later version */
    looks(&pingo__view_change, &c,
          (struct looks){"{\"number\":10,\"at\":\"1970-01-01T00:00:01.000Z\",\"kind\":\"unknown\","
                         "\"workflow\":null,\"action\":null,\"name\":null,\"row\":null,\"epoch\":"
                         "null,\"from\":null,\"to\":null,\"hash\":null}\n",
                         "10,1970-01-01T00:00:01.000Z,unknown,,,,,,,,\n",
                         "1970-01-01T00:00:01Z  all much has changed\n"});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feed__the_states_are_those_of_its_kind),
        cmocka_unit_test(test_feed__many_has_no_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
