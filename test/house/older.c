/* older.c - a program of another age: it has each result, and the options that have grown, where its headers let
 * them end, right before memory that nobody may touch.  older.t compiles it with the headers as they are and with
 * headers whose structs end one member earlier.
 *
 * Prints a line for each struct: its name, and whether anything was put into it. */
#include <pingo-lab.h>
#include <pingo.h>
#include <pingo/executor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *name;

/* So many bytes, all 0xa5, at whose end the pages end. */
static void *at_the_edge(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        exit(2);
    memset(pages + page - size, 0xa5, size);
    return pages + page - size;
}

static void check(int rc, const struct pingo_error *err)
{
    if (rc) {
        printf("%s: %s\n", name, err->message);
        exit(1);
    }
}

static void told(const void *result, size_t size)
{
    const unsigned char *bytes = result;
    size_t i = sizeof(size_t);

    while (i < size && bytes[i] == 0xa5)
        i++;
    printf("%s %s\n", name, i < size ? "written" : "untouched");
}

#define RESULT(type)                                                                               \
    struct pingo_##type *type = at_the_edge(sizeof *type);                                         \
    name = #type;                                                                                  \
    memset(type, 0xa5, sizeof *type);                                                              \
    type->size = sizeof *type
#define TOLD(type) told(type, sizeof *type)

static const char text[] =
    "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"a\", \"type\": \"external\","
    " \"description\": \"d\"}]}";

static void of_a_store(struct pingo_store *store, struct pingo_scheduler *scheduler,
                       struct pingo_error *err)
{
    const struct pingo_external_job *job = NULL;
    int64_t workflow = 1;

    RESULT(plan_totals);
    check(pingo_store_plan(store, &(struct pingo_document){text, strlen(text), NULL}, NULL,
                           plan_totals, err),
          err);
    TOLD(plan_totals);
    RESULT(load);
    check(pingo_store_load(store, load, err), err);
    TOLD(load);
    RESULT(submission);
    struct pingo_submit_options *options = at_the_edge(sizeof *options);
    memset(options, 0, sizeof *options);
    options->version = SUBMIT_VERSION;
    check(pingo_store_submit(store, &(struct pingo_document){text, strlen(text), NULL}, options,
                             submission, err),
          err);
    TOLD(submission);
    RESULT(tick_result);
    check(pingo_scheduler_tick(scheduler, tick_result, err), err);
    TOLD(tick_result);
    RESULT(job_end);
    check(pingo_external_next(scheduler, &job, err), err);
    check(pingo_external_start(scheduler, job->key, err), err);
    memset(job_end, 0, sizeof *job_end);
    job_end->size = sizeof *job_end;
    job_end->key = job->key;
    FILE *out = fopen(job->output_path, "w");
    if (!out || fclose(out) != 0)
        exit(2);
    check(pingo_job_end_output(job_end, job->output_path, err), err);
    check(pingo_external_end(scheduler, job_end, err), err);
    check(pingo_scheduler_tick(scheduler, NULL, err), err);
    TOLD(job_end);
    RESULT(runner_report);
    check(pingo_runner_look("/there/is/none", runner_report, err), err);
    TOLD(runner_report);
    RESULT(pool_usage);
    check(pingo_store_usage(store, pool_usage, err), err);
    TOLD(pool_usage);
    RESULT(decide_summary);
    struct pingo_decide_options decide = {.version = 1, .free_bytes = -1, .usage = pool_usage};
    check(pingo_store_decide(store, &decide, decide_summary, err), err);
    TOLD(decide_summary);
    RESULT(token);
    struct pingo_token_options made = {
        .version = 1, .name = "n", .user = "u", .role = PINGO_ROLE_VIEWER};
    char secret[PINGO_TOKEN_SIZE];
    check(pingo_store_token_create(store, &made, secret, err), err);
    check(pingo_store_token_check(store, secret, token, err), err);
    TOLD(token);
    RESULT(released);
    check(pingo_store_release_workflow(store, 1, released, err), err);
    TOLD(released);
    RESULT(cost);
    check(pingo_store_cost(store, 1, cost, err), err);
    TOLD(cost);
    RESULT(forgotten);
    check(pingo_store_forget(store, &workflow, 1, forgotten, err), err);
    TOLD(forgotten);

    RESULT(archived);
    check(pingo_store_archive(store, NULL, archived, err), err);
    TOLD(archived);
}

static void of_a_history(struct pingo_error *err)
{
    struct pingo_generate_options options = {.version = 1, .parameters = "actions=40"};
    struct pingo_simulation_options run = {.version = 1, .budget_bytes = -1};
    struct pingo_bound_options bound = {.version = 1, .budget_bytes = -1};
    struct pingo_decision_request request = {.version = 1};
    struct pingo_history *history = NULL;
    struct pingo_workload *workload = NULL;
    struct pingo_decider *decider = NULL;

    name = "a history";
    check(pingo_generate(&options, &history, err), err);
    check(pingo_workload_new(history, &workload, err), err);
    check(pingo_decider_new(pingo_decision_find("lru"), NULL, history, &decider, err), err);
    RESULT(history_submission);
    check(pingo_history_submission(history, 0, history_submission), err);
    TOLD(history_submission);
    RESULT(decision_result);
    request.victim = (pingo_decision_victim_fn)abort; /* nothing is present */
    check(pingo_decider_choose(decider, &request, decision_result, err), err);
    TOLD(decision_result);
    RESULT(workload_facts);
    pingo_workload_look(workload, workload_facts);
    TOLD(workload_facts);
    RESULT(simulation_result);
    check(pingo_workload_simulate(workload, &run, simulation_result, err), err);
    TOLD(simulation_result);
    RESULT(bound_result);
    int rc = pingo_simulate_bound(history, &bound, bound_result, err);
    if (rc == PINGO_EUNSUPPORTED)
        printf("%s written\n", name); /* no solver here */
    else
        check(rc, err), TOLD(bound_result);
    pingo_decider_free(decider);
    pingo_workload_free(workload);
    pingo_history_free(history);
}

static void of_an_import(struct pingo_error *err)
{
    struct pingo_import *import = NULL;

    RESULT(import_facts);
    check(pingo_import_new(&import, err), err);
    check(pingo_import_look(import, import_facts, err), err);
    TOLD(import_facts);
    pingo_import_free(import);
}

int main(int argc, char **argv)
{
    struct pingo_scheduler_options external = {.version = 1, .external = true};
    struct pingo_scheduler *scheduler = NULL;
    struct pingo_store *store = NULL;
    struct pingo_error err = {0};

    name = "a store";
    if (argc != 2)
        return 2;
    check(pingo_store_init(argv[1], NULL, &err), &err);
    check(pingo_store_open(argv[1], NULL, &store, &err), &err);
    check(pingo_scheduler_open(store, &external, &scheduler, &err), &err);
    of_a_store(store, scheduler, &err);
    of_a_history(&err);
    of_an_import(&err);
    pingo_scheduler_close(scheduler);
    pingo_store_close(store);
    return 0;
}
