/* run.c - pingo run: submits, ticks until the workflows end, reports. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "message.h"
#include "running.h"
#include "session.h"
#include "signals.h"
#include "status.h"
#include "submit.h"

/* Above so many actions the saved time is not added up: it takes a look at each. */
#define SAVED_LIMIT 5000

struct totals {
    size_t ran, reused, joined, skipped, failed, cancelled;
    int64_t saved_ms; /* -1: not added up */
};

static bool is_workflow(const char *operand)
{
    int64_t number;
    return strcmp(operand, "last") == 0 || cli_number(operand, 1, INT64_MAX, &number);
}

static void say_submitted(const struct pingo_submission *s, const char *operand)
{
    cli_note("workflow %" PRId64 " (%s): %zu to compute, %zu reused, %zu joined, %zu skipped",
             s->workflow, strcmp(operand, "-") == 0 ? "standard input" : operand,
             s->summary.compute, s->summary.reuse, s->summary.join, s->summary.skip);
}

/* A workflow that had ended before: nothing of it counts as done by this run. */
static int take_number(struct cli *cli, const char *operand, bool quiet, int64_t *workflow,
                       bool *ended)
{
    struct pingo_workflow_status s;
    struct pingo_error err = {0};
    int status = cli_workflow_of(cli, operand, workflow);
    if (status != CLI_OK)
        return status;
    if (cli_workflow_status(cli, *workflow, &s, &err) != 0)
        return cli_error(cli, &err);
    *ended = s.state != PINGO_WORKFLOW_RUNNING;
    if (*ended && !quiet)
        cli_note("workflow %" PRId64 " had ended before: %s", *workflow,
                 pingo_workflow_state_name((int)s.state));
    return CLI_OK;
}

/* Submits the files among the operands; workflows[] gets every number, ended[] whether it had
 * ended before.  *unfinished: something is left to run. */
static int submit_all(struct cli *cli, const struct cli_args *args, int64_t *workflows, bool *ended,
                      bool *unfinished)
{
    bool quiet = cli_flag(args, "quiet");
    struct cli_submit_options submit;
    int status = cli_submit_options_read(&submit, cli, args);
    for (size_t i = 0; i < args->noperands && status == CLI_OK; i++) {
        const char *operand = cli_operand(args, i);
        struct pingo_submission submission = {0};
        if (is_workflow(operand)) {
            status = take_number(cli, operand, quiet, &workflows[i], &ended[i]);
            *unfinished = *unfinished || !ended[i];
        } else {
            status = cli_submit_operand(cli, &submit, operand, &submission);
            workflows[i] = submission.workflow;
            *unfinished = *unfinished || submission.state == PINGO_WORKFLOW_RUNNING;
            if (status == CLI_OK && !quiet)
                say_submitted(&submission, operand);
        }
        if (status != CLI_OK)
            for (size_t j = 0; j < i; j++)
                cli_try("%s run %" PRId64 ", which was submitted before this", cli_program(cli),
                        workflows[j]);
    }
    cli_submit_options_clear(&submit);
    return status;
}

struct spared {
    struct pingo_hash *hashes;
    size_t n, capacity;
    struct totals *totals;
};

static int count_action(void *context, const struct pingo_action_status *s)
{
    struct spared *spared = context;
    spared->totals->ran += s->decision == PINGO_PLAN_COMPUTE && s->attempts > 0;
    spared->totals->failed += s->state == PINGO_ACTION_FAILED || s->state == PINGO_ACTION_KILLED;
    spared->totals->cancelled += s->state == PINGO_ACTION_CANCELLED;
    if (s->decision == PINGO_PLAN_COMPUTE)
        return 0;
    if (spared->n == spared->capacity) {
        spared->capacity = spared->capacity * 2 + 64;
        spared->hashes = cli_grow(spared->hashes, spared->capacity * sizeof *spared->hashes);
    }
    spared->hashes[spared->n++] = s->hash;
    return 0;
}

static int add_saved(void *context, const struct pingo_dataset_status *s)
{
    struct totals *totals = context;
    if (s->compute_ms > 0)
        totals->saved_ms += s->compute_ms;
    return 0;
}

static void add_totals(struct cli *cli, const struct pingo_workflow_status *s, struct totals *totals)
{
    totals->reused += s->summary.reuse;
    totals->joined += s->summary.join;
    totals->skipped += s->summary.skip;
    if (s->actions > SAVED_LIMIT)
        totals->saved_ms = -1;
    if (s->failed == 0 && (s->actions > SAVED_LIMIT || s->actions == s->summary.compute)) {
        totals->ran += s->summary.compute;
        return;
    }
    struct spared spared = {.totals = totals};
    pingo_store_actions(cli->store, s->workflow, count_action, &spared, NULL);
    for (size_t i = 0; i < spared.n && totals->saved_ms >= 0; i++)
        pingo_store_dataset(cli->store, &spared.hashes[i], add_saved, totals, NULL);
    free(spared.hashes);
}

static void say_totals(const struct totals *t, int64_t elapsed_ms)
{
    char time[CLI_TEXT_SIZE], saved[CLI_TEXT_SIZE + 16] = "";
    cli_format_duration(time, elapsed_ms);
    if (t->saved_ms > 0) {
        char text[CLI_TEXT_SIZE];
        cli_format_duration(text, t->saved_ms);
        snprintf(saved, sizeof saved, ", saved %s", text);
    }
    char joined[40] = "", failed[80] = "";
    if (t->joined > 0)
        snprintf(joined, sizeof joined, ", joined %zu", t->joined);
    if (t->failed + t->cancelled > 0)
        snprintf(failed, sizeof failed, "; %zu failed, %zu cancelled", t->failed, t->cancelled);
    cli_note("ran %zu, reused %zu%s, skipped %zu%s in %s%s", t->ran, t->reused, joined, t->skipped,
             failed, time, saved);
}

static int print_json(struct cli *cli, const int64_t *workflows, size_t n, const struct totals *t)
{
    struct cli_json json;
    struct pingo_error err = {0};
    int rc = 0;
    cli_json_begin(&json, stdout);
    cli_json_open(&json, NULL, '{');
    cli_json_open(&json, "workflows", '[');
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = cli_status_json(cli, &json, workflows[i], NULL, &err);
    cli_json_close(&json);
    cJSON *o = cli_json_object();
    cli_json_int(o, "ran", (int64_t)t->ran);
    cli_json_int(o, "reused", (int64_t)t->reused);
    cli_json_int(o, "joined", (int64_t)t->joined);
    cli_json_int(o, "skipped", (int64_t)t->skipped);
    cli_json_known(o, "savedMs", t->saved_ms);
    cli_json_members(&json, o);
    cli_json_close(&json);
    return rc == 0 ? CLI_OK : cli_error(cli, &err);
}

/* After the end: failures, totals, the document.  CLI_FAILED where a workflow did. */
static int report(struct cli *cli, const struct cli_running *running, const bool *ended,
                  int64_t elapsed_ms)
{
    struct totals totals = {0};
    struct pingo_error err = {0};
    int status = CLI_OK;
    for (size_t i = 0; i < running->nworkflows; i++) {
        struct pingo_workflow_status s;
        if (cli_workflow_status(cli, running->workflows[i], &s, &err) != 0)
            return cli_error(cli, &err);
        if (!ended[i])
            add_totals(cli, &s, &totals);
        if (s.state == PINGO_WORKFLOW_FINISHED)
            continue;
        status = CLI_FAILED;
        cli_failures_show(cli, s.workflow);
        cli_message("workflow %" PRId64 " %s", s.workflow,
                    s.state == PINGO_WORKFLOW_KILLED ? "was killed" : "failed");
    }
    if (!running->quiet)
        say_totals(&totals, elapsed_ms);
    if (cli->json) {
        int printed = print_json(cli, running->workflows, running->nworkflows, &totals);
        return printed != CLI_OK ? printed : status;
    }
    return status;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    int64_t jobs = 0, *workflows = NULL;
    struct timespec start, end;
    int status = cli_value_number(args, "jobs", 1, 1000000, &jobs);
    if (status == CLI_OK)
        status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    struct cli_running running = {.nworkflows = args->noperands,
                                  .max_jobs = jobs,
                                  .fail_fast = cli_flag(args, "fail-fast"),
                                  .quiet = cli_flag(args, "quiet")};
    cli_signals_catch();
    clock_gettime(CLOCK_MONOTONIC, &start);
    running.workflows = workflows = cli_alloc(args->noperands * sizeof *workflows);
    bool *ended = cli_alloc(args->noperands * sizeof *ended);
    memset(ended, 0, args->noperands * sizeof *ended);
    bool unfinished = false;
    status = submit_all(cli, args, workflows, ended, &unfinished);
    if (status == CLI_OK && unfinished)
        status = cli_run_workflows(cli, &running);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (status == CLI_OK)
        status =
            report(cli, &running, ended,
                   (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000);
    free(ended);
    free(workflows);
    return status;
}

static const struct cli_option options[] = {
    {'j', "jobs", "N", "start at most N actions at once; the store's slots bound it too"},
    CLI_SUBMIT_OPTIONS,
    {0, "fail-fast", NULL, "when an action fails, kill the rest of its workflow"},
    {'q', "quiet", NULL, "say only what failed"},
};
static const int exits[] = {
    CLI_FAILED, CLI_INVALID, CLI_NOTFOUND, CLI_NOSPACE, CLI_INPUT, CLI_INTERRUPTED, 0};
static const char *const operands[] = {"file|workflow", NULL};

const struct cli_command cli_run = {
    .name = "run",
    .synopsis = "FILE|WORKFLOW...",
    .summary = "submit workflows and run them to their end",
    .description =
        "Submits each FILE (- is standard input; ./12 is a file named 12), takes each number\n"
        "as a workflow that was submitted before, and runs them all until they end.  What was\n"
        "computed before is reused.  Ends with each failure's status, the last lines of its\n"
        "standard error and its scratch directory.\n"
        "\n"
        "The first interrupt (ctrl-c) starts nothing more and waits for what runs, the second\n"
        "ends it; both leave the workflow to be continued with pingo run N.  TERM and HUP leave\n"
        "what runs running.  --json prints {\"workflows\":[...],\"ran\":...} at the end.",
    .example = "  pingo run words.json\n  pingo run -j 2 a.json b.json 17\n"
               "  jq -n -f make.jq | pingo run -\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
