/* embed-executor.c - a program with an event loop and an executor of its own drives Pingo.
 *
 *     cc -D_GNU_SOURCE -o embed-executor *.c $(pkg-config --cflags --libs libpingo libuv)
 *     embed-executor STORE DIRECTORY
 *
 * runs a workflow over DIRECTORY/input.txt, whose actions are functions of this program
 * (functions.c), in threads (threads.c), driven from a libuv loop.  The results are exported to
 * DIRECTORY/results.  A second run finds them and calls no function.
 *
 * The loop's part is small: wait until pingo_scheduler_poll_fd() is readable or pingo_scheduler_timeout_ms() has
 * passed, then call pingo_scheduler_tick(), which never waits for an action. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pingo.h>
#include <uv.h>

#include "functions.h"
#include "threads.h"

static const char definition[] =
    "{\"name\": \"shout\", \"actions\": ["
    " {\"id\": 1, \"name\": \"upper\", \"type\": \"text\", \"function\": \"upper\","
    "  \"inputs\": [{\"name\": \"text\", \"path\": \"input.txt\"}]},"
    " {\"id\": 2, \"name\": \"count\", \"type\": \"text\", \"function\": \"lines\","
    "  \"parentActions\": [{\"id\": 1}]}]}";

struct program {
    uv_loop_t loop;
    uv_poll_t poll;
    uv_timer_t timer;
    struct pingo_store *store;
    struct pingo_scheduler *scheduler;
    int64_t workflow;
    enum pingo_workflow_state state;
    int rc;
    struct pingo_error err;
};

/* Called after each commit, for what this program shows its users. */
static void on_event(void *context, const struct pingo_event *event)
{
    (void)context;
    if (event->kind == PINGO_EVENT_ACTION)
        printf("action %lld: %s\n", (long long)event->action,
               pingo_action_state_name((enum pingo_action_state)event->to));
}

static int get_state(void *context, const struct pingo_workflow_status *status)
{
    ((struct program *)context)->state = status->state;
    return 0;
}

static void on_timer(uv_timer_t *timer);

/* One tick, then wait for whatever comes first; the loop ends when nothing is waited for. */
static void tick(struct program *program)
{
    program->rc = pingo_scheduler_tick(program->scheduler, NULL, &program->err);
    if (program->rc == 0)
        program->rc = pingo_store_workflow(program->store, program->workflow, get_state, program,
                                           &program->err);
    if (program->rc != 0 || program->state != PINGO_WORKFLOW_RUNNING) {
        uv_close((uv_handle_t *)&program->poll, NULL);
        uv_close((uv_handle_t *)&program->timer, NULL);
        return;
    }
    uv_timer_start(&program->timer, on_timer,
                   (uint64_t)pingo_scheduler_timeout_ms(program->scheduler), 0);
}

static void on_timer(uv_timer_t *timer)
{
    tick(timer->data);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    tick(poll->data);
}

/* The loop belongs to the program: other handles of its own would live in it as well. */
static int drive(struct program *program)
{
    if (uv_loop_init(&program->loop) != 0)
        return PINGO_ENOMEM;
    uv_poll_init(&program->loop, &program->poll, pingo_scheduler_poll_fd(program->scheduler));
    uv_timer_init(&program->loop, &program->timer);
    program->poll.data = program->timer.data = program;
    uv_poll_start(&program->poll, UV_READABLE, on_readable);
    uv_timer_start(&program->timer, on_timer, 0, 0);
    uv_run(&program->loop, UV_RUN_DEFAULT);
    uv_loop_close(&program->loop);
    return program->rc;
}

static int print_export(void *context, int64_t id, const char *name, const char *path, int64_t size)
{
    (void)context;
    (void)id;
    printf("result of %s: %s (%lld bytes)\n", name, path, (long long)size);
    return 0;
}

/* Open a store that knows this program's type, submit, run, export. */
static int run(struct program *program, const char *store, const char *directory)
{
    const struct pingo_action_type *const types[] = {&text_type};
    const struct pingo_executor_type *const executors[] = {&threads_executor};
    struct pingo_store_options with = {.version = 1, .event = on_event, .types = types, .ntypes = 1};
    struct pingo_scheduler_options by = {.version = 1, .executors = executors, .nexecutors = 1};
    struct pingo_submit_options here = {.version = 1, .base_dir = directory};
    struct pingo_submission submission = {.size = sizeof submission};
    char results[4096];
    int rc = pingo_store_init(store, NULL, &program->err);

    if (rc == 0 || rc == PINGO_EEXISTS)
        rc = pingo_store_open(store, &with, &program->store, &program->err);
    if (rc == 0)
        rc = pingo_scheduler_open(program->store, &by, &program->scheduler, &program->err);
    if (rc == 0)
        rc = pingo_store_submit(program->store,
                                &(struct pingo_document){definition, strlen(definition), NULL},
                                &here, &submission, &program->err);
    if (rc != 0)
        return rc;
    printf("workflow %lld: %zu to compute, %zu to reuse\n", (long long)submission.workflow,
           submission.summary.compute, submission.summary.reuse);
    program->workflow = submission.workflow;
    rc = drive(program);
    printf("workflow %lld: %s\n", (long long)program->workflow,
           pingo_workflow_state_name(program->state));
    snprintf(results, sizeof results, "%s/results", directory);
    if (rc == 0 && program->state == PINGO_WORKFLOW_FINISHED)
        rc = pingo_store_export(
            program->store, &(struct pingo_action_name){program->workflow, NULL}, results,
            &(struct pingo_export_options){.version = 1, .exported = print_export}, &program->err);
    return rc;
}

int main(int argc, char **argv)
{
    struct program program = {0};
    char *directory;
    int rc;

    if (argc != 3 || (directory = realpath(argv[2], NULL)) == NULL) {
        fprintf(stderr, "usage: embed-executor STORE DIRECTORY\n");
        return 2;
    }
    rc = run(&program, argv[1], directory);
    if (rc != 0)
        fprintf(stderr, "%s: %s\n", pingo_error_name(rc), program.err.message);
    pingo_scheduler_close(program.scheduler);
    pingo_store_close(program.store);
    free(directory);
    return rc == 0 && program.state == PINGO_WORKFLOW_FINISHED ? 0 : 1;
}
