/* test_group.c - what groups of actions, and the actions around one, look like. */
#include "unit/view/look.h"

static void test_group__parents_are_objects(void **state)
{
    static const size_t parents[] = {0, 2};
    struct pingo_group g = {.index = 3,
                            .type = "command-line",
                            .name = "a#" HOSTILE,
                            .actions = 9,
                            .waiting = 1,
                            .ready = 2,
                            .running = 1,
                            .finished = 3,
                            .failed = 1,
                            .reused = 1,
                            .skipped = 0,
                            .wall_ms = 90000,
                            .started_ms = 1000,
                            .ended_ms = 2000,
                            .depth = 1,
                            .first_id = 4,
                            .parents = parents,
                            .nparents = 2};
    looks(&pingo__view_group, &g,
          (struct looks){
              "{\"index\":3,\"name\":\"a#\\u001b[31m\xe2\x80\xae\",\"type\":\"command-line\","
              "\"actions\":9,\"finished\":3,\"running\":1,\"ready\":2,\"waiting\":1,\"failed\":1,"
              "\"reused\":1,\"skipped\":0,\"wallMs\":90000,\"startedAt\":\"1970-01-01T00:00:01."
              "000Z\",\"endedAt\":\"1970-01-01T00:00:02.000Z\",\"depth\":1,\"firstId\":4,"
              "\"parents\":[\n{\"group\":0},\n{\"group\":2}\n]}\n",
              "3,a#\x1b[31m\xe2\x80\xae,command-line,9,3,1,2,1,1,1,0,90000,1970-01-01T00:00:01."
              "000Z,1970-01-01T00:00:02.000Z,1,4\n",
              "a#?[31m?                         9          3         1         2         1         "
              "1         1         0  1 min 30 s\n"});
    g = (struct pingo_group){.type = "t", .name = "*", .started_ms = -1, .ended_ms = -1};
    looks(&pingo__view_group, &g,
          (struct looks){
              "{\"index\":0,\"name\":\"*\",\"type\":\"t\",\"actions\":0,\"finished\":0,\"running\":"
              "0,\"ready\":0,\"waiting\":0,\"failed\":0,\"reused\":0,\"skipped\":0,\"wallMs\":0,"
              "\"startedAt\":null,\"endedAt\":null,\"depth\":0,\"firstId\":0,\"parents\":[]}\n",
              "0,*,t,0,0,0,0,0,0,0,0,0,,,0,0\n",
              "*                                0          0         0         0         0         "
              "0         0         0       0 ms\n"});
    (void)state;
}

static void test_group__the_state_of_a_neighbour_may_be_a_decision(void **state)
{
    static const int64_t parents[] = {-5};
    struct pingo_neighbour n = {.id = 1,
                                .name = "a",
                                .type = "t",
                                .state = PINGO_ACTION_FAILED,
                                .hops = 1,
                                .layer = 2,
                                .place = 3,
                                .parents = parents,
                                .nparents = 1,
                                .hidden = 4};
    looks(&pingo__view_neighbour, &n,
          (struct looks){"{\"id\":1,\"name\":\"a\",\"type\":\"t\",\"state\":\"FAILED\",\"hops\":1,"
                         "\"layer\":2,\"place\":3,\"hidden\":4,\"parents\":[\n{\"id\":-5}\n]}\n",
                         "1,a,t,FAILED,1,2,3,4\n", NULL});
    n.state = PINGO_STATE_PLANNED + PINGO_PLAN_REUSE;
    n.nparents = 0;
    looks(&pingo__view_neighbour, &n,
          (struct looks){"{\"id\":1,\"name\":\"a\",\"type\":\"t\",\"state\":\"reuse\",\"hops\":1,"
                         "\"layer\":2,\"place\":3,\"hidden\":4,\"parents\":[]}\n",
                         "1,a,t,reuse,1,2,3,4\n", NULL});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group__parents_are_objects),
        cmocka_unit_test(test_group__the_state_of_a_neighbour_may_be_a_decision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
