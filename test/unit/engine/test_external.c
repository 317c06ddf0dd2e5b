/* test_external.c - external actions through the public API: claim, gate, end, kill, adoption. */
#include "unit/engine/box.h"

#include <signal.h>
#include <sys/wait.h>

#define E(id, more)                                                                                \
    "{'id':" #id ",'name':'a" #id "','type':'external','description':'work " #id "'" more "}"

static struct box *external_new(void)
{
    struct box *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->external = true;
    box_open(b);
    return b;
}

static const struct pingo_external_job *next(struct box *b)
{
    const struct pingo_external_job *job = NULL;
    struct pingo_error err;

    well(pingo_external_next(b->s, &job, &err), &err);
    return job;
}

static int start(struct box *b, struct pingo_job_key key)
{
    struct pingo_error err;

    return pingo_external_start(b->s, key, &err);
}

static void end(struct box *b, struct pingo_job_key key, enum pingo_end_reason reason, int code)
{
    struct pingo_job_end e = {
        .size = sizeof e, .key = key, .reason = reason, .exit_code = code, .wall_ms = 5};
    struct pingo_error err;

    well(pingo_external_end(b->s, &e, &err), &err);
}

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void test_external__the_whole_way(void **state)
{
    struct box *b = external_new();
    const struct pingo_external_job *job;
    struct pingo_job_key key;

    UNUSED(state);
    box_submit(
        b, W(E(1, ",'executorOptions':{'queue':'long'},"
                  "'resources':{'cpus':3,'memoryMB':7,'timeLimitSeconds':9}") "," E(2, P(FROM(1)))));
    assert_null(next(b)); /* a tick makes jobs ready */
    box_tick(b);
    job = next(b);
    assert_non_null(job);
    assert_null(next(b));
    assert_int_equal(job->workflow, 1);
    assert_int_equal(job->id, 1);
    assert_string_equal(job->name, "a1");
    assert_string_equal(job->description, "work 1");
    assert_int_equal(job->cpus, 3);
    assert_int_equal(job->memory_bytes, 7 << 20);
    assert_int_equal(job->time_limit_ms, 9000);
    assert_non_null(strstr(job->executor_options, "\"queue\""));
    assert_string_equal(job->user, "tester");
    assert_int_equal(job->attempt, 1);
    assert_int_equal(job->ninputs, 0);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    key = job->key;
    assert_int_equal(start(b, key), 0);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_RUNNING);
    put(job->output_path, "one");
    end(b, key, PINGO_END_EXITED, 0);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_RUNNING); /* applied by the next tick */
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    assert_int_equal(box_int(b, "SELECT size_bytes FROM object WHERE id = 1"), 3);
    assert_int_equal(box_int(b, "SELECT compute_ms FROM dataset WHERE id = 1"), 5);
    job = next(b);
    assert_non_null(job);
    assert_int_equal(job->ninputs, 1);
    assert_string_equal(job->inputs[0].name, "p1");
    assert_int_equal(access(job->inputs[0].target, R_OK), 0);
    assert_int_equal(start(b, job->key), 0);
    assert_int_equal(mkdir(job->output_path, 0755), 0); /* a directory is an output, too */
    end(b, job->key, PINGO_END_EXITED, 0);
    box_tick(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    for (size_t i = 0; i < b->nevents; i++) { /* an event names the action as its workflow does */
        int64_t id = -1;

        if (b->events[i].kind == PINGO_EVENT_ACTION)
            assert_int_equal(
                pingo__db_number(&b->store->db, NULL, &id,
                                 "SELECT n.user_id FROM action a JOIN workflow w ON"
                                 " w.id = a.workflow JOIN graph_node n ON n.graph = w.graph"
                                 " AND n.position = a.position WHERE a.id = ?",
                                 INT(b->events[i].action)),
                0);
        assert_int_equal(b->events[i].id, id);
    }
    box_clean(b);
    box_close(b);
}

static void test_external__the_gate_refuses_what_was_killed(void **state)
{
    struct box *b = external_new();
    struct pingo_job_key key;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(E(1, "")));
    box_tick(b);
    key = next(b)->key;
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    assert_int_equal(start(b, key), PINGO_ESTALE);
    box_tick(b);
    assert_int_equal(start(b, key), PINGO_ESTALE);
    assert_int_equal(pingo_external_next_kill(b->s, &key), 0); /* it was told, and the job has gone */
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt"), 0);
    box_clean(b);
    box_close(b);
}

static void test_external__a_started_job_is_killed_by_its_owner(void **state)
{
    struct box *b = external_new();
    const struct pingo_external_job *job;
    struct pingo_job_key key, told;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(E(1, "")));
    box_tick(b);
    job = next(b);
    key = job->key;
    assert_int_equal(start(b, key), 0);
    assert_int_equal(pingo_external_next_kill(b->s, &told), 0);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    box_tick(b);
    assert_int_equal(pingo_external_next_kill(b->s, &told), 1);
    assert_memory_equal(&told, &key, sizeof key);
    assert_int_equal(pingo_external_next_kill(b->s, &told), 0); /* told once */
    end(b, key, PINGO_END_KILLED, 0);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT reason FROM attempt"), PINGO_END_KILLED);
    assert_int_equal(box_tick(b).active, 0);
    box_clean(b);
    box_close(b);
}

static void test_external__ends_that_count_for_nothing(void **state)
{
    struct box *b = external_new();
    const struct pingo_external_job *job;
    struct pingo_job_key first;

    UNUSED(state);
    box_submit(b, W(E(1, ",'retries':1")));
    box_tick(b);
    job = next(b);
    first = job->key;
    assert_int_equal(start(b, first), 0);
    end(b, first, PINGO_END_EXITED, 1);
    end(b, first, PINGO_END_EXITED, 0); /* twice: the first one counts */
    box_tick(b);
    job = next(b);
    assert_non_null(job);
    assert_int_equal(job->key.epoch, first.epoch + 1);
    end(b, first, PINGO_END_EXITED, 1); /* an old epoch */
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    assert_int_equal(start(b, first), PINGO_ESTALE);
    assert_int_equal(start(b, job->key), 0);
    put(job->output_path, "two");
    end(b, job->key, PINGO_END_EXITED, 0);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    end(b, first, PINGO_END_EXITED, 1);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_external__a_success_without_an_output_fails(void **state)
{
    struct box *b = external_new();
    const struct pingo_external_job *job;

    UNUSED(state);
    box_submit(b, W(E(1, "") "," E(2, "")));
    box_tick(b);
    for (int i = 0; i < 2; i++) {
        job = next(b);
        assert_int_equal(start(b, job->key), 0);
        if (i) /* a special file is none */
            assert_int_equal(mkfifo(job->output_path, 0600), 0);
        end(b, job->key, PINGO_END_EXITED, 0);
    }
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_FAILED);
    box_clean(b);
    box_close(b);
}

/* ---- another process ------------------------------------------------------------------------- */

struct adopted {
    struct pingo_job_key keys[4];
    bool started[4];
    char description[4][32], output[256];
    size_t n;
};

static int on_adopted(void *context, const struct pingo_external_job *job)
{
    struct adopted *a = context;

    assert_true(a->n < 4);
    a->keys[a->n] = job->key;
    a->started[a->n] = job->started;
    snprintf(a->output, sizeof a->output, "%s", job->output_path);
    snprintf(a->description[a->n++], 32, "%s", job->description);
    return 0;
}

/* The first process takes two jobs, starts one, and dies without a word. */
static void take_and_die(struct box *b)
{
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        const struct pingo_external_job *job = NULL;
        struct pingo_tick_result r = {.size = sizeof r};

        box_open_store(b);
        box_open_scheduler(b);
        if (pingo_scheduler_tick(b->s, &r, NULL) || pingo_external_next(b->s, &job, NULL) || !job ||
            pingo_external_start(b->s, job->key, NULL))
            _exit(1);
        if (pingo_external_next(b->s, &job, NULL) == 0 && job)
            kill(getpid(), SIGKILL);
        _exit(2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

static void test_external__a_second_process_adopts(void **state)
{
    struct box *b = external_new();
    struct adopted a = {.n = 0};
    struct pingo_error err;
    const struct pingo_external_job *job;

    UNUSED(state);
    box_submit(b, W(E(1, "") "," E(2, "")));
    box_leave(b);
    take_and_die(b);
    box_open_store(b);
    box_open_scheduler(b);
    well(pingo_external_adopted(b->s, on_adopted, &a, &err), &err);
    assert_int_equal(a.n, 2);
    assert_int_equal(strncmp(a.description[0], "work ", 5), 0);
    box_tick(b);
    assert_null(next(b));            /* neither is handed out anew */
    for (size_t i = 0; i < 2; i++) { /* the gate opens once, whoever asks */
        assert_int_equal(start(b, a.keys[i]), a.started[i] ? PINGO_ESTATE : 0);
        assert_int_equal(start(b, a.keys[i]), PINGO_ESTATE);
    }
    assert_int_equal(a.started[0] + a.started[1], 1);
    end(b, a.keys[0], PINGO_END_LOST, 0);
    put(a.output, "done by another");
    end(b, a.keys[1], PINGO_END_EXITED, 0);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 6"), 1);
    job = next(b);
    assert_non_null(job); /* the lost one, again */
    assert_int_equal(job->key.action, a.keys[0].action);
    assert_int_equal(job->key.epoch, a.keys[0].epoch + 1);
    assert_int_equal(start(b, job->key), 0);
    put(job->output_path, "again");
    end(b, job->key, PINGO_END_EXITED, 0);
    box_tick(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* Before the first tick, too. */
static void test_external__an_end_of_a_process_that_is_gone(void **state)
{
    struct box *b = external_new();
    struct pingo_job_key key;

    UNUSED(state);
    box_submit(b, W(E(1, "") "," E(2, "")));
    box_leave(b);
    take_and_die(b);
    box_open_store(b);
    box_open_scheduler(b);
    key.action = box_int(b, "SELECT id FROM action WHERE state = 5");
    key.epoch = box_int(b, "SELECT epoch FROM action WHERE state = 5");
    end(b, key, PINGO_END_EXITED, 1);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 7"), 1);
    box_close(b);
}

static void test_external__a_start_of_what_a_process_that_is_gone_had_taken(void **state)
{
    struct box *b = external_new();
    struct pingo_job_key key;

    UNUSED(state);
    box_submit(b, W(E(1, "") "," E(2, "")));
    box_leave(b);
    take_and_die(b);
    box_open_store(b);
    box_open_scheduler(b);
    key.action = box_int(b, "SELECT id FROM action WHERE state = 4");
    key.epoch = box_int(b, "SELECT epoch FROM action WHERE state = 4");
    assert_int_equal(start(b, key), 0);
    assert_int_equal(start(b, key), PINGO_ESTATE);
    end(b, key, PINGO_END_EXITED, 1);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 7"), 1);
    box_close(b);
}

/* From its start on, whoever had taken it. */
static void test_external__the_time_limit_of_what_was_adopted(void **state)
{
    struct box *b = external_new();
    enum pingo_kill_reason reason = 0;
    struct adopted a = {.n = 0};
    struct pingo_job_key key;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(E(1, ",'resources':{'timeLimitSeconds':1}") "," E(
                      2, ",'resources':{'timeLimitSeconds':1}")));
    box_leave(b);
    take_and_die(b);
    box_open_store(b);
    box_open_scheduler(b);
    well(pingo_external_adopted(b->s, on_adopted, &a, &err), &err);
    for (size_t i = 0; i < 2; i++)
        if (!a.started[i])
            assert_int_equal(start(b, a.keys[i]), 0);
    box_tick(b);
    usleep(1100000);
    box_tick(b);
    for (int i = 0; i < 2; i++) {
        assert_true(pingo_external_next_kill_why(b->s, &key, &reason));
        assert_int_equal(reason, PINGO_KILL_TIME_LIMIT);
    }
    box_close(b);
}

static void test_external__an_end_of_a_process_that_lives(void **state)
{
    struct pingo_scheduler_options options = {.version = 1, .external = true};
    struct box *b = external_new();
    struct pingo_store *store = NULL;
    struct pingo_scheduler *s = NULL;
    const struct pingo_external_job *job;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(E(1, "")));
    box_tick(b);
    job = next(b);
    struct pingo_job_key key = job->key; /* the job goes with its end */
    assert_int_equal(start(b, key), 0);
    well(pingo_store_open(b->dir, NULL, &store, &err), &err);
    well(pingo_scheduler_open(store, &options, &s, &err), &err);
    struct pingo_job_end e = {.size = sizeof e, .key = key, .exit_code = 1};
    assert_int_equal(pingo_external_end(s, &e, &err), PINGO_ESTATE);
    assert_non_null(strstr(err.message, "which lives"));
    pingo_scheduler_close(s);
    pingo_store_close(store);
    end(b, key, PINGO_END_EXITED, 1);
    end(b, key, PINGO_END_EXITED, 2); /* twice changes nothing */
    box_tick(b);
    end(b, key, PINGO_END_EXITED, 2);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    box_close(b);
}

static void test_external__an_adopted_job_that_was_killed_meanwhile(void **state)
{
    struct box *b = external_new();
    struct adopted a = {.n = 0};
    struct pingo_error err;
    struct pingo_job_key key;
    int told = 0;

    UNUSED(state);
    box_submit(b, W(E(1, "") "," E(2, "")));
    box_leave(b);
    take_and_die(b);
    box_open_store(b);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    box_open_scheduler(b);
    well(pingo_external_adopted(b->s, on_adopted, &a, &err), &err);
    assert_int_equal(a.n, 0);
    box_tick(b);
    while (pingo_external_next_kill(b->s, &key)) {
        assert_int_equal(start(b, key), PINGO_ESTALE);
        end(b, key, PINGO_END_KILLED, 0);
        told++;
    }
    assert_in_range(told, 1, 2);
    box_tick(b);
    assert_int_equal(box_tick(b).active, 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 0);
    box_clean(b);
    box_close(b);
}

static void test_external__a_scheduler_without_them_says_so(void **state)
{
    struct box *b = box_new();
    const struct pingo_external_job *job = NULL;
    struct pingo_job_end e = {.size = sizeof e, .reason = PINGO_END_LOST};
    int64_t workflow = 1;
    struct pingo_error err = {0};

    UNUSED(state);
    assert_int_equal(pingo_external_next(b->s, &job, &err), PINGO_EINVAL);
    assert_int_equal(pingo_external_start(b->s, e.key, &err), PINGO_EINVAL);
    assert_int_equal(pingo_external_end(b->s, &e, &err), PINGO_EINVAL);
    assert_int_equal(pingo_external_next_kill(b->s, &e.key), 0);
    box_submit(b, W(E(1, "") "," A(2, P(FROM(1)))));
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY); /* it is left to who can */
    assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    box_clean(b);
    box_close(b);
}

static int end_of(struct box *b, struct pingo_job_end e, const char *said)
{
    struct pingo_error err = {0};
    int rc = pingo_external_end(b->s, &e, &err);

    if (rc && !strstr(err.message, said))
        fail_msg("%s: not in: %s", said, err.message);
    return rc;
}

static void test_external__an_end_without_a_start_is_refused(void **state)
{
    struct box *b = external_new();
    const struct pingo_external_job *job;
    struct pingo_job_key key;

    UNUSED(state);
    box_submit(b, W(E(1, "")));
    box_tick(b);
    job = next(b);
    assert_false(job->started);
    key = job->key;
    put(job->output_path, "made behind its back");
    assert_int_equal(
        end_of(b, (struct pingo_job_end){.size = sizeof(struct pingo_job_end), .key = key},
               "pingo_external_start"),
        PINGO_ESTATE);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    assert_int_equal(start(b, key), 0);
    assert_int_equal(start(b, key), PINGO_ESTATE);
    assert_int_equal(
        end_of(b, (struct pingo_job_end){.size = sizeof(struct pingo_job_end), .key = key}, ""), 0);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_external__ends_that_cannot_be_are_refused(void **state)
{
    struct box *b = external_new();
    struct pingo_job_key key;

    UNUSED(state);
    box_submit(b, W(E(1, "")));
    box_tick(b);
    key = next(b)->key;
    assert_int_equal(start(b, key), 0);
    static const struct {
        struct pingo_job_end end;
        const char *said;
    } bad[] = {
        {{.reason = (enum pingo_end_reason)55}, "reason 55"},
        {{.exit_code = -3}, "exit_code is -3"},
        {{.reason = PINGO_END_SIGNALED}, "signal is 0"},
        {{.output_kind = PINGO_OUTPUT_FILE, .size_bytes = -5}, "size_bytes is -5"},
        {{.output_kind = (enum pingo_output_kind)9}, "output_kind 9"},
        {{.ended_ms = -1}, "-1 ms"},
        {{.wall_ms = -9}, "negative"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pingo_job_end e = bad[i].end;
        e.size = sizeof e;
        e.key = key;
        assert_int_equal(end_of(b, e, bad[i].said), PINGO_EINVAL);
    }
    assert_int_equal(
        end_of(b, (struct pingo_job_end){.size = sizeof(struct pingo_job_end), .key = {55, 1}},
               "never an attempt 55.1"),
        PINGO_EINVAL);
    assert_int_equal(
        end_of(b, (struct pingo_job_end){.size = sizeof(struct pingo_job_end), .key = {1, 7}},
               "never an attempt 1.7"),
        PINGO_EINVAL);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_RUNNING);
    end(b, key, PINGO_END_EXITED, 3);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    box_close(b);
}

/* Nobody says how long jobs take: the next ones are handed out all the same, be there one user or two. */
static void test_external__ends_without_a_time(void **state)
{
    UNUSED(state);
    for (int two = 0; two < 2; two++) {
        struct box *b = external_new();
        struct pingo_error err;
        for (int i = 0; i < 60; i++) {
            struct pingo_submit_options o = {
                .version = 1, .base_dir = b->root, .user = two && i % 2 ? "bob" : "ann"};
            well(box_try_submit(b, W(E(1, "")), &o, NULL, &err), &err);
            box_tick(b);
            const struct pingo_external_job *job = next(b);
            if (!job)
                fail_msg("nothing is handed out after %d", i);
            struct pingo_job_end e = {.size = sizeof e,
                                      .key = job->key,
                                      .reason = PINGO_END_EXITED,
                                      .exit_code = 1,
                                      .wall_ms = -1};
            assert_int_equal(start(b, job->key), 0);
            well(pingo_external_end(b->s, &e, &err), &err);
            box_tick(b);
        }
        box_close(b);
    }
}

/* What costs no time to make again would go first: times that are left 0 are those from the gate to the report. */
static void test_external__times_that_are_left_out(void **state)
{
    static const struct {
        int64_t started_ms, ended_ms, wall_ms, least, most;
    } rows[] = {{0, 0, 0, 5000, 60000},      {0, 0, 400, 400, 400},       {0, 0, -1, -1, -1},
                {7000, 9000, 0, 2000, 2000}, {7000, 9000, 300, 300, 300}, {9000, 7000, 0, 0, 0}};
    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = external_new();
        struct pingo_error err;
        box_submit(b, W(E(1, "")));
        box_tick(b);
        const struct pingo_external_job *job = next(b);
        struct pingo_job_end e = {.size = sizeof e,
                                  .key = job->key,
                                  .reason = PINGO_END_EXITED,
                                  .started_ms = rows[i].started_ms,
                                  .ended_ms = rows[i].ended_ms,
                                  .wall_ms = rows[i].wall_ms};
        put(job->output_path, "x");
        assert_int_equal(start(b, job->key), 0);
        box_run(b, "UPDATE attempt SET started_ms = started_ms - 5000");
        well(pingo_external_end(b->s, &e, &err), &err);
        box_read_all(b);
        int64_t ms = box_int(b, "SELECT coalesce(compute_ms, -1) FROM dataset");
        if (ms < rows[i].least || ms > rows[i].most)
            fail_msg("row %zu: %lld ms", i, (long long)ms);
        assert_int_equal(box_int(b, "SELECT ended_ms < started_ms FROM attempt"), i == 5);
        box_close(b);
    }
}

static void test_external__many_at_once(void **state)
{
    struct box *b = external_new();
    const struct pingo_external_job *jobs[8];
    struct pingo_job_key keys[5];
    struct pingo_job_end ends[5];
    int results[5];
    size_t n = 0;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(E(1, "") "," E(2, "") "," E(3, "") "," E(4, "")));
    box_tick(b);
    well(pingo_external_take(b->s, jobs, 3, &n, &err), &err);
    assert_int_equal(n, 3);
    well(pingo_external_take(b->s, jobs + 3, 5, &n, &err), &err);
    assert_int_equal(n, 1);
    for (size_t i = 0; i < 4; i++)
        keys[i] = jobs[i]->key;
    keys[4] = keys[0]; /* the gate opens once, in one call as well */
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, "a2"}, NULL, &err), &err);
    well(pingo_external_start_many(b->s, keys, 5, results, &err), &err);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(results[i], i == 4 ? PINGO_ESTATE : jobs[i]->id == 2 ? PINGO_ESTALE : 0);
    for (size_t i = 0; i < 5; i++) {
        ends[i] = (struct pingo_job_end){.size = sizeof(struct pingo_job_end), .key = keys[i]};
        if (i < 4 && jobs[i]->id != 2)
            put(jobs[i]->output_path, "x");
    }
    ends[4] = (struct pingo_job_end){.size = sizeof(struct pingo_job_end), .key = {77, 1}};
    well(pingo_external_end_many(b->s, ends, 5, results, &err), &err);
    assert_int_equal(results[0], 0);
    assert_int_equal(results[4], PINGO_EINVAL);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE state = 6"), 3);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_KILLED);
    box_clean(b);
    box_close(b);
}

static void test_external__what_is_to_be_ended_is_told_with_the_reason(void **state)
{
    struct box *b = external_new();
    const struct pingo_external_job *jobs[4];
    enum pingo_kill_reason reason = 0;
    struct pingo_job_key key;
    size_t n = 0;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(E(1, ",'resources':{'timeLimitSeconds':1}") "," E(2, "") "," E(3, "")));
    box_tick(b);
    well(pingo_external_take(b->s, jobs, 4, &n, &err), &err);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < 3; i++)
        if (jobs[i]->id != 3)
            assert_int_equal(start(b, jobs[i]->key), 0);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, "a2"}, NULL, &err), &err);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, "a3"}, NULL, &err), &err);
    for (int told = 0; told < 3;) { /* that of the limit comes a second later */
        box_tick(b);
        if (!pingo_external_next_kill_why(b->s, &key, &reason)) {
            usleep(10000);
            continue;
        }
        told++;
        for (size_t i = 0; i < 3; i++)
            if (memcmp(&jobs[i]->key, &key, sizeof key) == 0) {
                assert_int_equal(reason, jobs[i]->id == 1   ? PINGO_KILL_TIME_LIMIT
                                         : jobs[i]->id == 2 ? PINGO_KILL_WANTED
                                                            : PINGO_KILL_REVOKED);
                if (jobs[i]->id != 3)
                    end(b, key, PINGO_END_KILLED, 0);
                jobs[i] = jobs[--n]; /* it may be gone with the next tick */
                jobs[n] = &(const struct pingo_external_job){.id = 9};
                break;
            }
    }
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_int_equal(
        box_int(b, "SELECT count(*) FROM action WHERE message LIKE '%time limit of 1 s%'"), 1);
    assert_int_equal(box_tick(b).active, 0);
    box_clean(b);
    box_close(b);
}

static void test_external__its_logs_are_found(void **state)
{
    struct box *b = external_new();
    const struct pingo_external_job *job;
    char path[512], *found = NULL;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(E(1, "")));
    box_tick(b);
    job = next(b);
    assert_int_equal(start(b, job->key), 0);
    snprintf(path, sizeof path, "%s/stderr", job->attempt_dir);
    put(path, "what it said");
    put(job->output_path, "one");
    end(b, job->key, PINGO_END_EXITED, 0);
    box_tick(b);
    well(pingo_store_log_path(b->store, &(struct pingo_action_name){1, "a1"}, PINGO_STREAM_STDERR,
                              &found, &err),
         &err);
    assert_string_equal(found, path);
    free(found);
    box_clean(b);
    box_close(b);
}

/* The next job starts, makes 3 MiB, and its end is reported: a tick takes it and leaves it to another thread. */
static void end_with_large(struct box *b)
{
    const struct pingo_external_job *job = next(b);
    struct pingo_job_key key;
    int64_t id;

    assert_non_null(job);
    key = job->key;
    id = job->id;
    assert_int_equal(start(b, key), 0);
    box_large(job->output_path, 3 << 20);
    end(b, key, PINGO_END_EXITED, 0);
    struct pingo_tick_result r = box_tick(b);
    assert_int_equal(r.settled, 0);
    assert_int_equal(r.reading, 1);
    assert_false(r.idle);
    assert_int_equal(box_state(b, 1, id), PINGO_ACTION_RUNNING);
}

static void test_external__a_tick_does_not_read_what_is_large(void **state)
{
    struct box *b = external_new();

    UNUSED(state);
    box_submit(b, W(E(1, "") "," E(2, P(FROM(1)))));
    box_tick(b);
    end_with_large(b);
    box_read_all(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    assert_int_equal(box_int(b, "SELECT size_bytes FROM object WHERE id = 1"), 3 << 20);
    assert_non_null(next(b));
    box_clean(b); /* its digest is right */
    box_close(b);
}

/* What was reported once is kept: by a close right after, with or without a tick between. */
static void test_external__an_end_survives_the_handle(void **state)
{
    struct box *b = external_new();
    const struct pingo_external_job *job;

    UNUSED(state);
    box_submit(b, W(E(1, "") "," E(2, "")));
    box_tick(b);
    end_with_large(b);
    job = next(b);
    assert_int_equal(start(b, job->key), 0);
    put(job->output_path, "small");
    end(b, job->key, PINGO_END_EXITED, 0);
    box_leave(b);
    box_open_store(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_open_scheduler(b);
    box_clean(b);
    box_close(b);
}

/* By a death of the process, from the tick on that took it: nobody is asked about it again. */
static void test_external__an_end_survives_its_process(void **state)
{
    struct box *b = external_new();
    struct adopted a = {.n = 0};
    struct pingo_error err;
    int status = 0;
    pid_t pid;

    UNUSED(state);
    box_submit(b, W(E(1, "")));
    box_leave(b);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        box_open_store(b);
        box_open_scheduler(b);
        box_tick(b);
        end_with_large(b);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    box_open_store(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_RUNNING);
    box_open_scheduler(b);
    well(pingo_external_adopted(b->s, on_adopted, &a, &err), &err);
    assert_int_equal(a.n, 0);
    box_read_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT wall_ms FROM attempt"), 5);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE told IS NOT NULL"), 0);
    box_clean(b);
    box_close(b);
}

/* Who runs the work decides how much of it runs at once, however long it takes. */
static void as_many_run_as_are_taken(bool shared, int cpus)
{
    enum { MANY = 300 };
    struct box *b = external_new();
    const struct pingo_share_options share = {.version = 1, .weight = 2};
    const struct pingo_external_job *job;
    struct pingo__buffer text = {0};
    struct pingo_error err;
    size_t n = 0;

    if (shared)
        well(pingo_store_set_share(b->store, "another", &share, &err), &err);
    pingo__buffer_text(&text, "{'name':'w','actions':[");
    for (int i = 0; i < MANY; i++)
        pingo__buffer_format(&text,
                             "%s{'id':%d,'name':'a','type':'external','description':'%d',"
                             "'resources':{'cpus':%d}}",
                             i > 0 ? "," : "", i, i, cpus);
    pingo__buffer_text(&text, "]}");
    box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
    b->s->actions.mean_wall_ms = 3600000;
    for (int i = 0; i < MANY; i++) {
        struct pingo_tick_result r = box_tick(b);

        assert_in_range(r.active - r.running, 0, 100); /* and not much is made ready ahead */
        for (; (job = next(b)); n++)
            assert_int_equal(start(b, job->key), 0);
    }
    assert_int_equal(n, MANY);
    box_close(b);
}

static void test_external__as_many_run_as_are_taken(void **state)
{
    UNUSED(state);
    as_many_run_as_are_taken(false, 1);
    as_many_run_as_are_taken(false, 4);
    as_many_run_as_are_taken(true, 1);
    as_many_run_as_are_taken(true, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_external__the_whole_way),
        cmocka_unit_test(test_external__the_gate_refuses_what_was_killed),
        cmocka_unit_test(test_external__a_started_job_is_killed_by_its_owner),
        cmocka_unit_test(test_external__ends_that_count_for_nothing),
        cmocka_unit_test(test_external__a_success_without_an_output_fails),
        cmocka_unit_test(test_external__a_second_process_adopts),
        cmocka_unit_test(test_external__an_adopted_job_that_was_killed_meanwhile),
        cmocka_unit_test(test_external__an_end_of_a_process_that_is_gone),
        cmocka_unit_test(test_external__a_start_of_what_a_process_that_is_gone_had_taken),
        cmocka_unit_test(test_external__the_time_limit_of_what_was_adopted),
        cmocka_unit_test(test_external__an_end_of_a_process_that_lives),
        cmocka_unit_test(test_external__a_scheduler_without_them_says_so),
        cmocka_unit_test(test_external__an_end_without_a_start_is_refused),
        cmocka_unit_test(test_external__ends_that_cannot_be_are_refused),
        cmocka_unit_test(test_external__ends_without_a_time),
        cmocka_unit_test(test_external__times_that_are_left_out),
        cmocka_unit_test(test_external__many_at_once),
        cmocka_unit_test(test_external__what_is_to_be_ended_is_told_with_the_reason),
        cmocka_unit_test(test_external__its_logs_are_found),
        cmocka_unit_test(test_external__a_tick_does_not_read_what_is_large),
        cmocka_unit_test(test_external__an_end_survives_the_handle),
        cmocka_unit_test(test_external__an_end_survives_its_process),
        cmocka_unit_test(test_external__as_many_run_as_are_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
