/* embed-external.c - an existing scheduler asks Pingo what must run, and runs it itself.
 *
 *     cc -D_GNU_SOURCE -o embed-external *.c $(pkg-config --cflags --libs libpingo)
 *     embed-external STORE
 *
 * The scheduler has jobs, slots and children of its own; Pingo never starts anything here.  It
 * builds a workflow from its job table (no JSON), submits it, learns what must run, claims what is
 * ready, passes the gate before each start, reports each end, and learns what to kill.  Submitting
 * the same jobs again runs nothing. */
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#include <pingo.h>

#include "jobs.h"

struct host {
    struct pingo_store *store;
    struct pingo_scheduler *scheduler;
    struct slot slots[SLOTS];
    int nrunning;
    struct pingo_error err;
};

/* This scheduler's jobs as a workflow, under the same rules as one written in JSON. */
static int build(struct host *host, const char *name, const struct job *jobs, size_t njobs,
                 struct pingo_workflow **workflow)
{
    struct pingo_workflow_builder *builder = NULL;
    int rc = pingo_workflow_builder_new(name, NULL, &builder, &host->err);
    for (size_t i = 0; rc == 0 && i < njobs; i++) {
        const char *values[] = {jobs[i].command};
        struct pingo_field description = {"description", PINGO_FIELD_TEXT, values, 1};
        struct pingo_action_spec spec = {.version = 1, .type = "external"};
        spec.id = jobs[i].id;
        spec.name = jobs[i].name;
        spec.parents = jobs[i].parents;
        spec.nparents = jobs[i].nparents;
        spec.fields = &description;
        spec.nfields = 1;
        rc = pingo_workflow_builder_add(builder, &spec, &host->err);
    }
    if (rc == 0) /* a broken rule would be told here; NULL: the first one, in err, is enough */
        rc = pingo_workflow_builder_finish(builder, workflow, NULL, &host->err);
    pingo_workflow_builder_free(builder);
    return rc;
}

static int print_decision(void *context, const struct pingo_action_status *action)
{
    (void)context;
    printf("  %s: %s\n", action->name, pingo_plan_decision_name(action->decision));
    return 0;
}

/* Starts one job in a free slot.  The gate comes right before the start: after it, the job is ours
 * to end and report; if it refuses, somebody gave the job up and it must not start. */
static int start(struct host *host, struct slot *slot, const struct pingo_external_job *job)
{
    char *argv[8] = {"sh", "-c", (char *)job->description, "sh", (char *)job->output_path};
    int rc;

    for (size_t i = 0; i < job->ninputs && i < 2; i++)
        argv[5 + i] = (char *)job->inputs[i].target;
    rc = pingo_external_start(host->scheduler, job->key, &host->err);
    if (rc != 0)
        return rc == PINGO_ESTALE ? 0 : rc;
    *slot = (struct slot){.key = job->key, .started_ms = now_ms()};
    snprintf(slot->name, sizeof slot->name, "%s", job->name);
    printf("start %s\n", job->name);
    if (posix_spawn(&slot->pid, "/bin/sh", NULL, NULL, argv, environ) != 0) {
        struct pingo_job_end end = {.size = sizeof end, .key = job->key};
        end.reason = PINGO_END_NOT_STARTED;
        slot->pid = 0;
        return pingo_external_end(host->scheduler, &end, &host->err);
    }
    host->nrunning++;
    return 0;
}

/* Reports a child's end.  Pingo reads the output itself, where the job was told to put it. */
static int report(struct host *host, struct slot *slot, int status)
{
    struct pingo_job_end end = {.size = sizeof end, .key = slot->key, .started_ms = slot->started_ms};
    end.ended_ms = now_ms();
    end.wall_ms = end.ended_ms - end.started_ms;
    if (slot->killed) {
        end.reason = PINGO_END_KILLED;
    } else if (WIFEXITED(status)) {
        end.reason = PINGO_END_EXITED;
        end.exit_code = WEXITSTATUS(status);
    } else {
        end.reason = PINGO_END_SIGNALED;
        end.signal = WTERMSIG(status);
    }
    printf("end %s%s\n", slot->name, slot->killed ? ", killed" : "");
    slot->pid = 0;
    host->nrunning--;
    return pingo_external_end(host->scheduler, &end, &host->err);
}

/* One round of this scheduler: kill what is not wanted, report what ended, start what is ready. */
static int turn(struct host *host)
{
    const struct pingo_external_job *job = NULL;
    struct pingo_job_key key;
    int rc = pingo_scheduler_tick(host->scheduler, NULL, &host->err);

    while (rc == 0 && pingo_external_next_kill(host->scheduler, &key))
        for (size_t i = 0; i < SLOTS; i++)
            if (host->slots[i].pid != 0 && host->slots[i].key.action == key.action) {
                host->slots[i].killed = true;
                kill(host->slots[i].pid, SIGKILL);
            }
    for (size_t i = 0; rc == 0 && i < SLOTS; i++) {
        struct slot *slot = &host->slots[i];
        int status;
        if (slot->pid != 0 && waitpid(slot->pid, &status, WNOHANG) == slot->pid)
            rc = report(host, slot, status);
        if (rc == 0 && slot->pid == 0)
            rc = pingo_external_next(host->scheduler, &job, &host->err);
        if (rc == 0 && slot->pid == 0 && job != NULL)
            rc = start(host, slot, job);
    }
    return rc;
}

/* Submits jobs and sees them through; with kill_it, changes its mind once one of them runs. */
static int see_through(struct host *host, const char *name, const struct job *jobs, size_t njobs,
                       bool kill_it)
{
    struct pingo_workflow *workflow = NULL;
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_action_query query = {.version = 1};
    enum pingo_workflow_state state = PINGO_WORKFLOW_RUNNING;
    int rc = build(host, name, jobs, njobs, &workflow);
    if (rc == 0)
        rc = pingo_store_submit_workflow(host->store, workflow, NULL, &submission, &host->err);
    pingo_workflow_free(workflow);
    if (rc == 0) {
        printf("%s is workflow %lld\n", name, (long long)submission.workflow);
        query.workflow = submission.workflow;
        rc = pingo_store_actions(host->store, &query, print_decision, NULL, &host->err);
    }
    while (rc == 0) {
        struct pollfd bell = {.fd = pingo_scheduler_poll_fd(host->scheduler), .events = POLLIN};
        rc = turn(host);
        if (rc == 0 && kill_it && host->slots[0].pid != 0) {
            kill_it = false;
            rc = pingo_store_kill(host->store,
                                  &(struct pingo_action_name){submission.workflow, NULL}, NULL,
                                  &host->err);
        }
        if (rc == 0)
            rc = pingo_store_workflow_state(host->store, submission.workflow, &state, &host->err);
        if (rc != 0 || (state != PINGO_WORKFLOW_RUNNING && host->nrunning == 0))
            break;          /* a killed workflow has ended before its jobs have */
        poll(&bell, 1, 20); /* a real one would wait for its children here as well */
    }
    printf("%s: %s\n", name, pingo_workflow_state_name(state));
    return rc;
}

/* Jobs that an earlier process of this scheduler had taken and that died with it. */
static int report_lost(void *context, const struct pingo_external_job *job)
{
    struct host *host = context;
    struct pingo_job_end end = {.size = sizeof end, .key = job->key, .reason = PINGO_END_LOST};
    return pingo_external_end(host->scheduler, &end, &host->err);
}

int main(int argc, char **argv)
{
    struct host host = {0};
    struct pingo_scheduler_options options = {.version = 1, .external = true};
    int rc = argc == 2 ? pingo_store_init(argv[1], NULL, &host.err) : PINGO_EINVAL;

    if (rc == 0 || rc == PINGO_EEXISTS)
        rc = pingo_store_open(argv[1], NULL, &host.store, &host.err);
    if (rc == 0)
        rc = pingo_scheduler_open(host.store, &options, &host.scheduler, &host.err);
    if (rc == 0)
        rc = pingo_external_adopted(host.scheduler, report_lost, &host, &host.err);
    if (rc == 0)
        rc = see_through(&host, "harvest", harvest, COUNT(harvest), false);
    if (rc == 0)
        rc = see_through(&host, "harvest again", harvest, COUNT(harvest), false);
    if (rc == 0)
        rc = see_through(&host, "siesta", siesta, COUNT(siesta), true);
    if (rc != 0)
        fprintf(stderr, "%s: %s\n", pingo_error_name(rc), host.err.message);
    pingo_scheduler_close(host.scheduler);
    pingo_store_close(host.store);
    return rc == 0 ? 0 : 1;
}
