/* test_foreign.c - who waits for an executor that nobody here has is told so instead of waiting. */
#include "unit/engine/box.h"

#include <signal.h>
#include <sys/wait.h>

static void open_one(struct box *b, const struct pingo_executor_type *type)
{
    struct pingo_scheduler_options options = {.version = 1, .executors = &type, .nexecutors = 1};
    struct pingo_error err;

    pingo_scheduler_close(b->s);
    fake_now = &b->fake;
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
}

static struct pingo_executor_type other(void)
{
    struct pingo_executor_type t = fake_type;

    t.name = "other";
    return t;
}

static void test_foreign__external_alone_runs_nobodys_commands(void **state)
{
    struct box *b = box_new();
    int64_t workflow = 1;
    struct pingo_error err = {0};

    UNUSED(state);
    for (int i = 0; i < 2; i++) {
        struct pingo_scheduler_options options = {
            .version = 1, .external = i == 0, .no_executors = i == 1, .helper_dir = "/nowhere"};

        pingo_scheduler_close(b->s);
        b->s = NULL;
        well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
        if (i == 0)
            box_submit(b, W(A(1, "")));
        assert_int_equal(box_tick(b).started, 0);
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
        assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    }
    assert_true(access(b->dir, F_OK) == 0);
    open_one(b, &fake_type);
    assert_int_equal(box_tick(b).started, 1);
    box_clean(b);
    box_close(b);
}

static void test_foreign__a_job_in_hand_does_not_hide_it(void **state)
{
    struct box *b = box_new();
    struct pingo_scheduler_options options = {.version = 1, .external = true};
    const struct pingo_external_job *job = NULL;
    int64_t workflow = 2;
    struct pingo_error err = {0};

    UNUSED(state);
    pingo_scheduler_close(b->s);
    b->s = NULL;
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
    box_submit(b, W("{'id':1,'name':'a1','type':'external','description':'work'}"));
    box_tick(b);
    well(pingo_external_next(b->s, &job, &err), &err);
    assert_non_null(job); /* nobody goes on with it while pingo_scheduler_run() has the thread */
    box_submit(b, W(A(1, "")));
    assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    box_close(b);
}

static int on_message(void *context, const struct pingo_action_status *s)
{
    snprintf(context, 128, "%s", s->message);
    return 0;
}

static void test_foreign__one_that_nobody_has_is_told(void **state)
{
    struct box *b = box_new();
    char message[128];
    int64_t workflow;
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(pingo_store_set(b->store, "executor", "no name", &err), PINGO_EINVAL);
    box_submit(b, W(A(1, ",'executor':'slurm'")));
    assert_int_equal(box_tick(b).started, 0);
    well(pingo_store_action(b->store, &(struct pingo_action_name){1, "1"}, on_message, message, &err),
         &err);
    assert_non_null(strstr(message, "executor \"slurm\""));
    for (workflow = 1; workflow >= 0; workflow--) { /* 0: whatever there is */
        assert_int_equal(pingo_scheduler_run(b->s, &workflow, (size_t)workflow, NULL, &err),
                         PINGO_EUNSUPPORTED);
        assert_non_null(strstr(err.message, "executor \"slurm\""));
    }
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    well(pingo_store_set(b->store, "executor", "pbs", &err), &err);
    box_submit(b, W(A(2, "")));
    workflow = 2;
    assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "executor \"pbs\""));
    assert_int_equal(b->fake.n, 0);
    well(pingo_store_set(b->store, "executor", "local", &err), &err); /* whichever runs their type */
    assert_int_equal(box_tick(b).started, 1);
    box_close(b);
}

/* What a dead scheduler had handed to an executor that we do not have is neither recovered nor waited for. */
static void test_foreign__attempts_of_one_that_nobody_has(void **state)
{
    struct box *b = box_new();
    const struct pingo_executor_type t = other();
    int64_t workflow = 1;
    int status = 0;
    struct pingo_error err;
    pid_t pid;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_leave(b);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        box_open_store(b);
        open_one(b, &t);
        b->fake.tells_started = true;
        pingo_scheduler_tick(b->s, NULL, NULL);
        pingo_scheduler_tick(b->s, NULL, NULL);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    box_open_store(b);
    box_open_scheduler(b);
    for (int i = 0; i < 3; i++) {
        struct pingo_tick_result r = box_tick(b);

        assert_int_equal(r.recovered, 0);
        assert_true(r.idle);
    }
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_RUNNING);
    assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "executor \"other\""));
    assert_int_equal(pingo_scheduler_run(b->s, NULL, 0, NULL, &err), PINGO_EUNSUPPORTED);
    /* Who has it goes on. */
    open_one(b, &t);
    assert_int_equal(box_tick(b).recovered, 1);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* What is waited for in another workflow is no less foreign; what could move and is not ours to start hides nothing. */
static void test_foreign__what_others_wait_for(void **state)
{
    struct box *b = box_new();
    int64_t workflow;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, ",'executor':'slurm'") "," A(2, "")));
    box_submit(b, W(A(1, ",'executor':'slurm'") "," A(3, P(FROM(1)))));
    for (workflow = 2; workflow >= 0; workflow -= 2) { /* 0: whatever there is and is not paused */
        well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
        assert_int_equal(pingo_scheduler_run(b->s, &workflow, workflow ? 1 : 0, NULL, &err),
                         PINGO_EUNSUPPORTED);
        assert_non_null(strstr(err.message, "1 action needs an executor"));
        assert_non_null(strstr(err.message, "executor \"slurm\""));
    }
    assert_int_equal(b->fake.n, 0);
    box_close(b);
}

/* Likewise where who had it in hand is dead. */
static void test_foreign__what_others_wait_for_in_dead_hands(void **state)
{
    struct box *b = box_new();
    const struct pingo_executor_type t = other();
    int64_t workflow = 2;
    int status = 0;
    struct pingo_error err;
    pid_t pid;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_submit(b, W(A(1, "")));
    box_leave(b);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        box_open_store(b);
        open_one(b, &t);
        b->fake.tells_started = true;
        pingo_scheduler_tick(b->s, NULL, NULL);
        pingo_scheduler_tick(b->s, NULL, NULL);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    box_open_store(b);
    box_open_scheduler(b);
    assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "executor \"other\""));
    open_one(b, &t);
    assert_int_equal(box_tick(b).recovered, 1);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign__external_alone_runs_nobodys_commands),
        cmocka_unit_test(test_foreign__a_job_in_hand_does_not_hide_it),
        cmocka_unit_test(test_foreign__one_that_nobody_has_is_told),
        cmocka_unit_test(test_foreign__attempts_of_one_that_nobody_has),
        cmocka_unit_test(test_foreign__what_others_wait_for),
        cmocka_unit_test(test_foreign__what_others_wait_for_in_dead_hands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
