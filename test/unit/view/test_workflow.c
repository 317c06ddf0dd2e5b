/* test_workflow.c - what a submission looks like, and its status. */
#include "unit/view/look.h"

static void test_workflow__one_that_runs_says_who_goes_on_with_it(void **state)
{
    struct pingo_driver drivers[] = {{.pid = 10, .started_ms = -1, .handed = 1},
                                     {.pid = 11, .started_ms = 1000, .claims = true},
                                     {.pid = 12, .started_ms = 1000, .stopped = true, .handed = 3}};
    struct pingo__view_workflow w = {.status = {.workflow = 7,
                                                .name = "w" HOSTILE,
                                                .user = "ann",
                                                .state = PINGO_WORKFLOW_RUNNING,
                                                .submitted_ms = 1000,
                                                .ended_ms = -1,
                                                .actions = 6,
                                                .summary = {.compute = 4, .reuse = 1, .skip = 1},
                                                .waiting = 1,
                                                .ready = 1,
                                                .running = 2,
                                                .armed = 1,
                                                .for_space = 1},
                                     .has_drivers = true,
                                     .driven = true,
                                     .drivers = drivers,
                                     .ndrivers = 3,
                                     .blocked = "no executor" HOSTILE,
                                     .nblocked = 1,
                                     .nothers = 2};
    looks(&pingo__view_workflow_actions, &w,
          (struct looks){
              "{\"workflow\":7,\"state\":\"RUNNING\",\"name\":\"w\\u001b[31m\xe2\x80\xae\","
              "\"user\":\"ann\",\"tag\":null,\"submitted\":\"1970-01-01T00:00:01.000Z\",\"ended\":"
              "null,\"priority\":0,\"actionCount\":6,\"summary\":{\"compute\":4,\"reuse\":1,"
              "\"join\":0,\"skip\":1},\"counts\":{\"waiting\":1,\"ready\":1,\"running\":2,"
              "\"armed\":1,\"finished\":0,\"failed\":0,\"forSpace\":1},\"driven\":true,\"drivers\":"
              "[\n{\"pid\":10,\"since\":null,\"claims\":false,\"stopped\":false,\"handed\":1},\n{"
              "\"pid\":11,\"since\":\"1970-01-01T00:00:01.000Z\",\"claims\":true,\"stopped\":false,"
              "\"handed\":0},\n{\"pid\":12,\"since\":\"1970-01-01T00:00:01.000Z\",\"claims\":false,"
              "\"stopped\":true,\"handed\":3}\n],\"actions\":[],\"next\":null}\n",
              "7,RUNNING,w\x1b[31m\xe2\x80\xae,ann,,1970-01-01T00:00:01.000Z,,0,6,true,\n",
              "workflow 7  w?[31m?  RUNNING\nsubmitted 1970-01-01T00:00:01Z by ann\n6 actions: 4 "
              "to compute, 1 reused, 0 joined, 1 skipped\n1 waiting, 1 ready, 1 armed, 1 running, "
              "0 finished, 0 failed\n1 waits for space on the disk of the pool: make some there, "
              "or let results go (pingo release, pingo rm)\n1 action cannot start now: no "
              "executor?[31m?\n2 more cannot start for other reasons\nprocess 12, which has 3 of "
              "its actions in hand, is stopped; let it go on: kill -CONT 12 (or fg in its "
              "terminal)\n\n"});
    w.ndrivers = 2;
    w.blocked = NULL;
    w.nothers = 0;
    looks(&pingo__view_workflow, &w,
          (struct looks){
              "{\"workflow\":7,\"state\":\"RUNNING\",\"name\":\"w\\u001b[31m\xe2\x80\xae\","
              "\"user\":\"ann\",\"tag\":null,\"submitted\":\"1970-01-01T00:00:01.000Z\",\"ended\":"
              "null,\"priority\":0,\"actionCount\":6,\"summary\":{\"compute\":4,\"reuse\":1,"
              "\"join\":0,\"skip\":1},\"counts\":{\"waiting\":1,\"ready\":1,\"running\":2,"
              "\"armed\":1,\"finished\":0,\"failed\":0,\"forSpace\":1},\"driven\":true,\"drivers\":"
              "[\n{\"pid\":10,\"since\":null,\"claims\":false,\"stopped\":false,\"handed\":1},\n{"
              "\"pid\":11,\"since\":\"1970-01-01T00:00:01.000Z\",\"claims\":true,\"stopped\":false,"
              "\"handed\":0}\n]}\n",
              "7,RUNNING,w\x1b[31m\xe2\x80\xae,ann,,1970-01-01T00:00:01.000Z,,0,6,true\n",
              "     7  RUNNING   w?[31m?                    1/5       0  1970-01-01T00:00:01Z\n"});
    static const struct {
        size_t from, n;
        enum pingo_workflow_state state;
        const char *said;
    } rows[] = {
        {0, 3, PINGO_WORKFLOW_RUNNING,
         "process 12, which has 3 of its actions in hand, is stopped; let it go on: kill -CONT 12 "
         "(or fg in its terminal)"},
        {0, 2, PINGO_WORKFLOW_RUNNING, "process 11 drives it"},
        {0, 1, PINGO_WORKFLOW_RUNNING,
         "process 10 waits for what runs; then go on with: pingo run 7"},
        {0, 2, PINGO_WORKFLOW_PAUSED,
         "paused; process 10 waits for what runs; then go on with: pingo run 7"},
        {0, 0, PINGO_WORKFLOW_PAUSED, "paused; go on with: pingo run 7"},
        {0, 0, PINGO_WORKFLOW_RUNNING, "no process runs it; go on with: pingo run 7"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__buffer b = {0};
        w.drivers = drivers + rows[i].from;
        w.ndrivers = rows[i].n;
        w.status.state = rows[i].state;
        pingo__view_say(&b, pingo__view_driven, &pingo__view_workflow, &w,
                        &(struct pingo__view_style){0});
        assert_string_equal(pingo__buffer_cstr(&b), rows[i].said);
        pingo__buffer_clear(&b);
    }
    (void)state;
}

static void test_workflow__one_that_has_ended(void **state)
{
    struct pingo__view_workflow w = {.status = {.workflow = 7,
                                                .name = "w",
                                                .state = PINGO_WORKFLOW_FINISHED,
                                                .submitted_ms = 1000,
                                                .ended_ms = 3500,
                                                .priority = -1,
                                                .actions = 1,
                                                .summary = {.compute = 1},
                                                .finished = 1,
                                                .tag = "t\""},
                                     .next = ""};
    looks(&pingo__view_workflow_actions, &w,
          (struct looks){
              "{\"workflow\":7,\"state\":\"FINISHED\",\"name\":\"w\",\"user\":null,\"tag\":"
              "\"t\\\"\",\"submitted\":\"1970-01-01T00:00:01.000Z\",\"ended\":\"1970-01-01T00:00:"
              "03.500Z\",\"priority\":-1,\"actionCount\":1,\"summary\":{\"compute\":1,\"reuse\":0,"
              "\"join\":0,\"skip\":0},\"counts\":{\"waiting\":0,\"ready\":0,\"running\":0,"
              "\"armed\":0,\"finished\":1,\"failed\":0,\"forSpace\":0},\"driven\":null,\"drivers\":"
              "[],\"actions\":[],\"next\":null}\n",
              "7,FINISHED,w,,\"t\"\"\",1970-01-01T00:00:01.000Z,1970-01-01T00:00:03.500Z,-1,1,,\n",
              "workflow 7  w  FINISHED\nsubmitted 1970-01-01T00:00:01Z by ? as \"t\"\", ended "
              "1970-01-01T00:00:03Z (2.5 s)\n1 action, as planned: 1 to compute, 0 reused, 0 "
              "joined, 0 "
              "skipped\n0 waiting, 0 ready, 0 armed, 0 running, 1 finished, 0 failed\n\n"});
    w.next = "a.1.2.3.4";
    w.status.tag = NULL;
    w.status.user = "ann";
    looks(
        &pingo__view_workflow_actions, &w,
        (struct looks){
            "{\"workflow\":7,\"state\":\"FINISHED\",\"name\":\"w\",\"user\":\"ann\",\"tag\":null,"
            "\"submitted\":\"1970-01-01T00:00:01.000Z\",\"ended\":\"1970-01-01T00:00:03.500Z\","
            "\"priority\":-1,\"actionCount\":1,\"summary\":{\"compute\":1,\"reuse\":0,\"join\":0,"
            "\"skip\":0},\"counts\":{\"waiting\":0,\"ready\":0,\"running\":0,\"armed\":0,"
            "\"finished\":1,\"failed\":0,\"forSpace\":0},\"driven\":null,\"drivers\":[],"
            "\"actions\":[],\"next\":\"a.1.2.3.4\"}\n",
            "7,FINISHED,w,ann,,1970-01-01T00:00:01.000Z,1970-01-01T00:00:03.500Z,-1,1,,a.1.2.3.4\n",
            "workflow 7  w  FINISHED\nsubmitted 1970-01-01T00:00:01Z by ann, ended "
            "1970-01-01T00:00:03Z (2.5 s)\n1 action, as planned: 1 to compute, 0 reused, 0 joined, "
            "0 "
            "skipped\n0 waiting, 0 ready, 0 armed, 0 running, 1 finished, 0 failed\n\n"});
    (void)state;
}

static void test_workflow__a_submission(void **state)
{
    struct pingo_submission s = {
        .workflow = 7, .state = PINGO_WORKFLOW_FINISHED, .summary = {.reuse = 2}, .found = true};
    looks(&pingo__view_submission, &s,
          (struct looks){"{\"workflow\":7,\"state\":\"FINISHED\",\"summary\":{\"compute\":0,"
                         "\"reuse\":2,\"join\":0,\"skip\":0},\"found\":true}\n",
                         "7,FINISHED,true\n", "7\n"});
    looks(&pingo__view_submitted, &s,
          (struct looks){"{\"workflow\":7,\"state\":\"FINISHED\",\"summary\":{\"compute\":0,"
                         "\"reuse\":2,\"join\":0,\"skip\":0},\"found\":true,\"warnings\":[]}\n",
                         "7,FINISHED,true\n", NULL});
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workflow__one_that_runs_says_who_goes_on_with_it),
        cmocka_unit_test(test_workflow__one_that_has_ended),
        cmocka_unit_test(test_workflow__a_submission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
