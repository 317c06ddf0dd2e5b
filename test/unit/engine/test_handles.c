/* test_handles.c - several stores in one process, several handles of one store in several threads. */
#include "unit/engine/box.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static void test_handles__two_stores_do_not_meet(void **state)
{
    struct box *a = box_new(), *b = box_new();

    UNUSED(state);
    assert_string_not_equal(pingo_store_id(a->store), pingo_store_id(b->store));
    box_submit(a, W(A(1, "") "," A(2, P(FROM(1)))));
    box_submit(b, W(A(1, "")));
    box_tick(a);
    box_tick(b);
    assert_int_equal(a->fake.n, 1);
    assert_int_equal(b->fake.n, 1);
    box_finish_all(b);
    assert_int_equal(box_state(a, 1, 1), PINGO_ACTION_SUBMITTED);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_finish_all(a);
    box_clean(a);
    box_clean(b);
    box_close(a);
    box_clean(b);
    box_close(b);
}

static void test_handles__one_sees_what_the_other_does(void **state)
{
    struct box *b = box_new();
    struct pingo_store *second = NULL;
    struct pingo_error err;
    char *value = NULL;

    UNUSED(state);
    well(pingo_store_open(b->dir, NULL, &second, &err), &err);
    well(pingo_store_set(b->store, "executor.slots", "7", &err), &err);
    well(pingo_store_get(second, "executor.slots", &value, &err), &err);
    assert_string_equal(value, "7");
    free(value);
    box_submit(b, W(A(1, "")));
    well(pingo_store_kill(second, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    pingo_store_close(second);
    box_close(b);
}

/* Two schedulers of one process on one store: what one has handed out the other leaves alone. */
static void test_handles__two_schedulers_share_the_work(void **state)
{
    struct box *b = box_new();
    struct pingo_store *store = NULL;
    struct pingo_scheduler *s = NULL;
    struct fake *other = calloc(1, sizeof *other);
    struct pingo_scheduler_options options = {
        .version = 1, .executors = fake_list, .nexecutors = 1, .max_jobs = 1};
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err;

    UNUSED(state);
    assert_non_null(other);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, "")));
    well(pingo_store_open(b->dir, NULL, &store, &err), &err);
    fake_now = other;
    well(pingo_scheduler_open(store, &options, &s, &err), &err);
    well(pingo_scheduler_tick(s, &r, &err), &err);
    assert_int_equal(r.started, 1);
    assert_int_equal(box_tick(b).started, 2);
    assert_int_equal(box_tick(b).recovered, 0); /* its owner lives */
    box_finish_all(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 6"), 2);
    assert_int_equal(other->n, 1);
    pingo_scheduler_close(s); /* what it leaves, the other takes over; its executor knows of nothing */
    pingo_store_close(store);
    usleep(1100000);
    assert_int_equal(box_tick(b).recovered, 1);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
    free(other);
}

/* ---- threads -------------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS 12

struct worker {
    pthread_t thread;
    const char *dir, *root;
    int number, failed;
    char message[256];
};

static int on_action(void *context, const struct pingo_action_status *status)
{
    UNUSED(context);
    return status->id < 1 || status->id > 2;
}

/* Each thread has a handle of its own: it submits, looks, sets, and kills what it submitted. */
static void *work(void *context)
{
    struct worker *w = context;
    struct pingo_store *store = NULL;
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_submit_options options = {.version = 1, .base_dir = w->root};
    struct pingo_error err = {0};
    char text[512], value[16];

    w->failed = pingo_store_open(w->dir, NULL, &store, &err);
    for (int i = 0; !w->failed && i < ROUNDS; i++) {
        snprintf(text, sizeof text,
                 "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"shared\",\"type\":\"command-"
                 "line\",\"command\":[\"s%d\"]},"
                 "{\"id\":2,\"name\":\"own\",\"type\":\"command-line\",\"command\":[\"%d.%d\"],"
                 "\"parentActions\":[{\"id\":1,\"as\":\"p1\"}]}]}",
                 i, w->number, i);
        w->failed = pingo_store_submit(store, &(struct pingo_document){text, strlen(text), NULL},
                                       &options, &s, &err);
        snprintf(value, sizeof value, "%d", i + 1);
        if (!w->failed)
            w->failed = pingo_store_set(store, "executor.slots", value, &err);
        if (!w->failed && i % 3 == 0)
            w->failed =
                pingo_store_kill(store, &(struct pingo_action_name){s.workflow, NULL}, NULL, &err);
        if (!w->failed)
            w->failed = pingo_store_actions(
                store, &(struct pingo_action_query){.version = 1, .workflow = s.workflow},
                on_action, NULL, &err);
    }
    memcpy(w->message, err.message, sizeof w->message - 1);
    pingo_store_close(store);
    return NULL;
}

static void test_handles__threads_with_handles_of_their_own(void **state)
{
    struct box *b = box_new();
    struct worker workers[THREADS] = {{0}};

    UNUSED(state);
    for (int i = 0; i < THREADS; i++) {
        workers[i].dir = b->dir;
        workers[i].root = b->root;
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].failed)
            fail_msg("thread %d: %s", i, workers[i].message);
    }
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), THREADS * ROUNDS);
    box_clean(b);
    box_finish_all(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state < 6"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow WHERE state = 1"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow WHERE state = 4"),
                     THREADS * ROUNDS / 3);
    box_clean(b);
    box_close(b);
}

/* ---- schedulers in threads, handed on -------------------------------------------------------------- */

#define CHAINS 3
#define TURNS 4
#define LARGE (3 << 20) /* bytes: so much is read by a thread of the scheduler */

/* A store and a scheduler, which one thread has after the other. */
struct chain {
    pthread_t thread;
    const char *dir;
    int number, turn;
    struct pingo_store *store;
    struct pingo_scheduler *s;
    struct pingo_error err;
    int rc;
};

static int submit_two(struct chain *c, int64_t *workflow)
{
    struct pingo_submission s = {.size = sizeof s};
    char text[512];
    snprintf(text, sizeof text,
             "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"a\",\"type\":\"external\",\"keep\":"
             "false,\"description\":\"%d.%d\"},{\"id\":2,\"name\":\"b\",\"type\":\"external\","
             "\"description\":\"b\",\"parentActions\":[{\"id\":1,\"as\":\"p\"}]}]}",
             c->number, c->turn);
    int rc = pingo_store_submit(c->store, &(struct pingo_document){text, strlen(text), NULL}, NULL,
                                &s, &c->err);
    *workflow = s.workflow;
    return rc;
}

static int do_job(struct chain *c, const struct pingo_external_job *job)
{
    struct pingo_job_end end = {.size = sizeof end, .key = job->key, .reason = PINGO_END_EXITED};
    int rc = pingo_external_start(c->s, job->key, &c->err);
    if (rc)
        return rc == PINGO_ESTALE ? 0 : rc;
    int fd = open(job->output_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, LARGE) != 0)
        rc = PINGO_EIO;
    if (fd >= 0)
        close(fd);
    return rc ? rc : pingo_external_end(c->s, &end, &c->err);
}

/* Until it has ended, and nothing is in this one's hand: others wait for that. */
static int drive(struct chain *c, int64_t workflow)
{
    enum pingo_workflow_state state = PINGO_WORKFLOW_RUNNING;
    struct pingo_tick_result r = {.size = sizeof r};
    int rc = 0;
    while (!rc && (r.active || !pingo_workflow_state_is_final(state))) {
        const struct pingo_external_job *job = NULL;
        struct pollfd fd = {pingo_scheduler_poll_fd(c->s), POLLIN, 0};
        poll(&fd, 1, (int)pingo_scheduler_timeout_ms(c->s));
        rc = pingo_scheduler_tick(c->s, &r, &c->err);
        while (!rc && !(rc = pingo_external_next(c->s, &job, &c->err)) && job)
            rc = do_job(c, job);
        if (!rc)
            rc = pingo_store_workflow_state(c->store, workflow, &state, &c->err);
    }
    return rc;
}

/* Opens what the chain has, uses it, or closes it. */
static void *take_turn(void *context)
{
    struct chain *c = context;
    const struct pingo_scheduler_options options = {.version = 1, .external = true};
    int64_t workflow = 0;
    if (c->turn == 0) {
        c->rc = pingo_store_open(c->dir, NULL, &c->store, &c->err);
        if (!c->rc)
            c->rc = pingo_scheduler_open(c->store, &options, &c->s, &c->err);
    }
    if (!c->rc)
        c->rc = submit_two(c, &workflow);
    if (!c->rc)
        c->rc = drive(c, workflow);
    if (c->turn == TURNS - 1) {
        pingo_scheduler_close(c->s);
        pingo_store_close(c->store);
    }
    return NULL;
}

/* Outputs are read, and datasets deleted, by the schedulers' own threads meanwhile. */
static void test_handles__schedulers_handed_from_thread_to_thread(void **state)
{
    struct box *b = box_new();
    struct chain chains[CHAINS] = {{0}};
    struct pingo_error err;

    UNUSED(state);
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < CHAINS; i++) {
            chains[i].dir = b->dir;
            chains[i].number = i;
            chains[i].turn = turn;
            assert_int_equal(pthread_create(&chains[i].thread, NULL, take_turn, &chains[i]), 0);
        }
        for (int i = 0; i < CHAINS; i++) {
            pthread_join(chains[i].thread, NULL);
            if (chains[i].rc)
                fail_msg("chain %d: %s", i, chains[i].err.message);
        }
    }
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow WHERE state = 2"), CHAINS * TURNS);
    well(pingo_scheduler_drain(b->s, NULL, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state = 9"), CHAINS * TURNS);
    box_clean(b);
    box_close(b);
}

/* ---- fork -------------------------------------------------------------------------------------- */

/* A child that closes what it inherited, as its exit handlers do, leaves the parent's alone. */
static void test_handles__a_child_that_closes_them(void **state)
{
    struct box *b = box_new();
    int status = 0;
    pid_t pid;

    UNUSED(state);
    box_submit(b, W("{'id':1,'name':'a1','type':'command-line','command':['x1'],'keep':false}"
                    "," A(2, P(FROM(1)))));
    box_tick(b);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct pingo_error err = {0};
        struct pingo_tick_result r = {.size = sizeof r};

        if (pingo_scheduler_tick(b->s, &r, &err) != PINGO_ESTATE || !strstr(err.message, "fork"))
            _exit(1);
        pingo_scheduler_close(b->s);
        pingo_store_close(b->store);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    alarm(600); /* it hung here */
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    box_clean(b);
    box_close(b);
    alarm(0);
}

/* The parent is dead when it is, though a child that has closed its copies lives on. */
static void test_handles__a_child_does_not_keep_its_parent_alive(void **state)
{
    struct box *b = box_new();
    int ready[2], status = 0;
    pid_t parent, child = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_leave(b);
    assert_int_equal(pipe(ready), 0);
    parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        box_open_store(b);
        box_open_scheduler(b);
        box_tick(b);
        child = fork();
        if (child == 0) {
            pingo_scheduler_close(b->s);
            pingo_store_close(b->store);
            child = getpid();
            if (write(ready[1], &child, sizeof child) != sizeof child)
                _exit(1);
        }
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &child, sizeof child), sizeof child);
    kill(parent, SIGKILL);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_int_equal(kill(child, 0), 0);
    box_open_store(b);
    box_open_scheduler(b);
    assert_int_equal(box_tick(b).recovered, 1);
    kill(child, SIGKILL);
    close(ready[0]);
    close(ready[1]);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles__two_stores_do_not_meet),
        cmocka_unit_test(test_handles__one_sees_what_the_other_does),
        cmocka_unit_test(test_handles__two_schedulers_share_the_work),
        cmocka_unit_test(test_handles__threads_with_handles_of_their_own),
        cmocka_unit_test(test_handles__schedulers_handed_from_thread_to_thread),
        cmocka_unit_test(test_handles__a_child_that_closes_them),
        cmocka_unit_test(test_handles__a_child_does_not_keep_its_parent_alive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
