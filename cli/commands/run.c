/* run.c - pingo run: submits, ticks until the workflows end, reports; pingo rerun: the same of what was submitted
 * once. */
#include <inttypes.h>
#include <search.h>
#include <string.h>

#include "base/array.h"
#include "remote/remote.h"
#include "running.h"
#include "signals.h"
#include "status.h"
#include "session.h"
#include "view/columns.h"

/* Above so many actions the saved time is not added up. */
#define SAVED_LIMIT 5000

struct totals {
    size_t ran, ran_before, reused, joined, skipped, failed, killed, cancelled;
    int64_t saved_ms; /* -1: not added up */
    int64_t elapsed_ms;
    struct cli *cli;
};

VALUE(get_lost, struct totals, number, (int64_t)(r->failed + r->killed + r->cancelled))

#define ROW struct totals
static const struct pingo__view_column columns[] = {
    STREAM("workflows", &pingo__view_workflow_actions, "as pingo-status(1) prints each"),
    COLUMN("ran", COUNT, ran, "how many actions ran"),
    COLUMN("reused", COUNT, reused, "how many were there"),
    COLUMN("joined", COUNT, joined, "how many an equal action computed, or is to compute"),
    COLUMN("skipped", COUNT, skipped, "how many nothing needed"),
    COLUMN("savedMs", MS, saved_ms,
           "what the reused, joined and skipped ones took when they were computed; null for very "
           "large workflows",
           MISSING),
    COLUMN("ranBefore", COUNT, ran_before,
           "how many had run when workflows were gone on with, and are not in \"ran\""),
    SHOWN("failed", COUNT, failed),
    SHOWN("killed", COUNT, killed),
    SHOWN("cancelled", COUNT, cancelled),
    SHOWN_BY("lost", COUNT, get_lost),
    SHOWN("elapsed", MS, elapsed_ms),
};
static const struct pingo__view_table view = VIEW("run", columns, ROW);
#undef ROW

#define ROW struct cli_detached
static const struct pingo__view_column detached_columns[] = {
    STREAM("workflows", &pingo__view_workflow_actions, "likewise"),
    COLUMN("pid", COUNT, pid, "the process that runs them"),
    COLUMN("log", TEXT, log, "where it says what it would say here"),
};
static const struct pingo__view_table detached_view = VIEW("detached", detached_columns, ROW);
#undef ROW

static bool is_workflow(const char *operand)
{
    int64_t number;
    return strcmp(operand, "last") == 0 || pingo__text_to_int64(operand, 1, INT64_MAX, &number);
}

static void say_submitted(const struct pingo_submission *s, const char *what)
{
    cli_note("workflow %" PRId64 " (%s): %zu to compute, %zu reused, %zu joined, %zu skipped",
             s->workflow, strcmp(what, "-") == 0 ? "standard input" : what, s->summary.compute,
             s->summary.reuse, s->summary.join, s->summary.skip);
}

/* What a workflow was before this run. */
struct before {
    bool submitted, ended; /* ended: nothing of it counts as done by this run */
    size_t ran;            /* so much had run then */
};

/* The workflows of this run. */
struct chosen {
    int64_t *workflows;
    struct before *before;
    size_t n;
    size_t paused;   /* and are none of them, where what is unfinished was asked for */
    bool unfinished; /* something is left to run */
};

static int take_number(struct cli *cli, int64_t workflow, bool *ended)
{
    struct pingo_workflow_status s;
    if (cli_workflow_status(cli, workflow, &s, &cli->err) != 0)
        return cli_error(cli);
    if (s.state == PINGO_WORKFLOW_PAUSED) {
        int rc = pingo_store_resume_workflow(cli->store, workflow, NULL, &cli->err);
        if (rc != 0 && rc != PINGO_ESTATE)
            return cli_error(cli);
        cli_note("workflow %" PRId64 " was paused; it goes on", workflow);
        return CLI_OK;
    }
    *ended = s.state != PINGO_WORKFLOW_RUNNING;
    if (*ended)
        cli_note("workflow %" PRId64 " had ended before: %s", workflow,
                 pingo_workflow_state_name(s.state));
    return CLI_OK;
}

static int submit_file(struct cli *cli, struct pingo_submit_options *submit, const char *operand,
                       struct pingo_submission *submission)
{
    int rc = cli_submit_operand(cli, submit, operand, submission);
    if (rc == CLI_OK && submission->found)
        cli_note("workflow %" PRId64 " has this tag; it was submitted before: %s",
                 submission->workflow, pingo_workflow_state_name(submission->state));
    else if (rc == CLI_OK)
        say_submitted(submission, operand);
    return rc;
}

/* What was submitted once, once more. */
static int submit_again(struct cli *cli, struct pingo_submit_options *submit, int64_t workflow,
                        struct pingo_submission *submission)
{
    const char *what = cli_format("%" PRId64 " again", workflow);
    struct cli_document document = {.label = what};
    int rc = pingo_store_submit_again(cli->store, workflow, submit, submission, &cli->err);
    cli_progress_clear();
    if (rc != 0)
        rc = cli_submit_failed(cli, &document, NULL);
    else
        say_submitted(submission, what);
    return rc;
}

/* Nothing is submitted where one of the workflows is not there; "last" is the last one before this command. */
static int find_numbers(struct cli *cli, const struct cli_args *args, bool is_rerun,
                        struct chosen *chosen)
{
    int rc = CLI_OK;
    for (size_t i = 0; i < args->noperands && rc == CLI_OK; i++) {
        const char *operand = cli_operand(args, i);
        if (is_rerun || is_workflow(operand))
            rc = cli_workflow_of(cli, operand, &chosen->workflows[i]);
    }
    return rc;
}

/* Submits the files among the operands, and takes the numbers; rerun submits what these are. */
static int submit_all(struct cli *cli, const struct cli_args *args, struct chosen *chosen)
{
    bool is_rerun = strcmp(args->command->name, "rerun") == 0;
    struct pingo_submit_options submit;
    int rc = cli_submit_options_read(&submit, cli, args);
    if (rc == CLI_OK)
        rc = find_numbers(cli, args, is_rerun, chosen);
    for (size_t i = 0; i < args->noperands && rc == CLI_OK; i++) {
        struct pingo_submission submission = {.size = sizeof submission};
        struct before *before = &chosen->before[chosen->n];
        int64_t *workflow = &chosen->workflows[chosen->n], number = chosen->workflows[i];
        if (number && !is_rerun) {
            if (lfind(&number, chosen->workflows, &chosen->n, sizeof number, pingo__array_by_id))
                continue;
            *workflow = number;
            before->submitted = true;
            rc = take_number(cli, number, &before->ended);
            chosen->unfinished = chosen->unfinished || !before->ended;
        } else {
            rc = is_rerun ? submit_again(cli, &submit, number, &submission)
                          : submit_file(cli, &submit, cli_operand(args, i), &submission);
            *workflow = submission.workflow;
            before->submitted = submission.found;
            before->ended = submission.found && pingo_workflow_state_is_final(submission.state);
            chosen->unfinished = chosen->unfinished || submission.state == PINGO_WORKFLOW_RUNNING;
        }
        if (rc != CLI_OK)
            for (size_t j = 0; j < chosen->n; j++)
                cli_try("%s run %" PRId64 ", which was submitted before this", cli_program(cli),
                        chosen->workflows[j]);
        chosen->n += rc == CLI_OK;
    }
    return rc;
}

static int add_unfinished(void *context, const struct pingo_workflow_status *s)
{
    struct chosen *chosen = context;
    chosen->paused += s->state == PINGO_WORKFLOW_PAUSED;
    if (s->state != PINGO_WORKFLOW_RUNNING)
        return 0;
    chosen->workflows = cli_more(chosen->workflows, chosen->n, sizeof *chosen->workflows);
    chosen->before = cli_more(chosen->before, chosen->n, sizeof *chosen->before);
    chosen->before[chosen->n] = (struct before){.submitted = true};
    chosen->workflows[chosen->n++] = s->workflow;
    size_t all = pingo__view_workflow_rows(s);
    cli_note("goes on: workflow %" PRId64 " (%s): %zu of %zu to do", s->workflow,
             cli_shown(s->name), all - s->finished - s->failed, all);
    return 0;
}

/* Without operands: what is unfinished now and not paused. */
static int take_unfinished(struct cli *cli, struct chosen *chosen)
{
    struct pingo_workflow_query unended = {
        .version = 1, .states = 1u << PINGO_WORKFLOW_RUNNING | 1u << PINGO_WORKFLOW_PAUSED};
    if (pingo_store_workflows(cli->store, &unended, add_unfinished, chosen, &cli->err) != 0)
        return cli_error(cli);
    chosen->unfinished = chosen->n > 0;
    if (chosen->n == 0)
        cli_note("nothing is unfinished%s", chosen->paused > 0 ? " but what is paused" : "");
    if (chosen->paused > 0)
        cli_note("%zu paused; see %s status, go on with %s run WORKFLOW", chosen->paused,
                 cli_program(cli), cli_program(cli));
    return CLI_OK;
}

static int count_run(void *context, const struct pingo_action_status *s)
{
    *(size_t *)context += pingo_action_state_is_final(s->state) && s->attempts > 0 &&
                          s->decision == PINGO_PLAN_COMPUTE;
    return 0;
}

/* What earlier runs did of the workflows that go on. */
static void count_before(struct cli *cli, struct chosen *chosen)
{
    for (size_t i = 0; i < chosen->n; i++)
        if (chosen->before[i].submitted && !chosen->before[i].ended)
            pingo_store_actions(
                cli->store,
                &(struct pingo_action_query){.version = 1, .workflow = chosen->workflows[i]},
                count_run, &chosen->before[i].ran, NULL);
}

static int add_saved(void *context, const struct pingo_dataset_status *s)
{
    struct totals *totals = context;
    if (s->compute_ms > 0)
        totals->saved_ms += s->compute_ms;
    return 0;
}

static int count_action(void *context, const struct pingo_action_status *s)
{
    struct totals *totals = context;
    totals->ran += s->decision == PINGO_PLAN_COMPUTE && s->attempts > 0;
    totals->reused += s->decision == PINGO_PLAN_REUSE; /* as planned again, where that was so */
    totals->skipped += s->decision == PINGO_PLAN_SKIP;
    totals->failed += s->state == PINGO_ACTION_FAILED;
    totals->killed += s->state == PINGO_ACTION_KILLED;
    totals->cancelled += s->state == PINGO_ACTION_CANCELLED;
    totals->joined +=
        s->decision == PINGO_PLAN_JOIN; /* no more where it computed by itself in the end */
    if (s->decision == PINGO_PLAN_JOIN && s->state == PINGO_ACTION_FINISHED && totals->saved_ms >= 0)
        pingo_store_dataset(totals->cli->store, &s->hash, add_saved, totals, NULL);
    return 0;
}

static void count_actions(const struct pingo_workflow_status *s, struct totals *totals)
{
    size_t cancelled = totals->cancelled;
    pingo_store_actions(totals->cli->store,
                        &(struct pingo_action_query){.version = 1, .workflow = s->workflow},
                        count_action, totals, NULL);
    if (s->state == PINGO_WORKFLOW_FINISHED) { /* what an adopted output spared */
        totals->skipped += totals->cancelled - cancelled;
        totals->cancelled = cancelled;
    }
}

/* is_new: it was submitted by this run, so nothing of it was adopted before. */
static void add_totals(const struct pingo_workflow_status *s, bool is_new, struct totals *totals)
{
    struct pingo_cost cost = {.size = sizeof cost};
    bool is_large = s->actions > SAVED_LIMIT;
    if (is_large)
        totals->saved_ms = -1;
    if (is_new && s->state == PINGO_WORKFLOW_FINISHED && s->failed == 0 &&
        s->summary.compute + s->summary.join == s->finished && (is_large || s->finished == 0)) {
        totals->ran += s->summary.compute;
        totals->reused += s->summary.reuse;
        totals->joined += s->summary.join;
        totals->skipped += s->summary.skip;
    } else
        count_actions(s, totals);
    if (totals->saved_ms >= 0 && s->summary.reuse + s->summary.skip > 0 &&
        pingo_store_cost(totals->cli->store, s->workflow, &cost, NULL) == 0)
        totals->saved_ms += cost.saved_ms;
}

static int print_json(struct cli *cli, const struct chosen *chosen,
                      const struct pingo__view_table *around, const void *row)
{
    struct cli_answer a;
    int rc = 0;
    cli_list_within(&a, cli, around, row);
    for (size_t i = 0; i < chosen->n && rc == 0; i++)
        rc = cli_status_write(cli, &a.json, chosen->workflows[i], &cli->err);
    return cli_list_end(&a, row, rc);
}

/* After the end: failures, totals, the document.  CLI_FAILED where a workflow did. */
static int report(struct cli *cli, const struct chosen *chosen, int64_t elapsed_ms)
{
    struct totals totals = {.cli = cli};
    bool is_told = cli->json || !cli_is_quiet();
    int rc = CLI_OK;
    for (size_t i = 0; i < chosen->n; i++) {
        struct pingo_workflow_status s;
        if (cli_workflow_status(cli, chosen->workflows[i], &s, &cli->err) != 0)
            return cli_error(cli);
        if (is_told && !chosen->before[i].ended)
            add_totals(&s, !chosen->before[i].submitted, &totals);
        totals.ran_before += chosen->before[i].ran;
        if (s.state == PINGO_WORKFLOW_FINISHED)
            continue;
        if (s.state == PINGO_WORKFLOW_PAUSED || s.state == PINGO_WORKFLOW_RUNNING) {
            int paused = cli_tell_paused(cli, s.workflow);
            rc = rc == CLI_OK ? paused : rc;
            continue;
        }
        rc = CLI_FAILED;
        cli_failures_show(cli, s.workflow);
        cli_message("workflow %" PRId64 " %s", s.workflow,
                    s.state == PINGO_WORKFLOW_KILLED ? "was killed" : "failed");
        cli_note(
            "once more, but for what has finished: %s run FILE, or unchanged %s rerun %" PRId64,
            cli_program(cli), cli_program(cli), s.workflow);
    }
    totals.ran -= totals.ran_before < totals.ran ? totals.ran_before : totals.ran;
    totals.elapsed_ms = elapsed_ms;
    if (chosen->n > 0)
        cli_say(cli, CLI_NOTE,
                "ran {ran}[ranBefore>0? ({ranBefore} before)], reused {reused}[joined>0?, joined "
                "{joined}], skipped {skipped}[lost>0?; {failed} failed[killed>0?, {killed} "
                "killed], {cancelled} cancelled] in "
                "{elapsed}[savedMs>0?, saved {savedMs}]",
                &view, &totals);
    if (cli->json) {
        int printed = print_json(cli, chosen, &view, &totals);
        return printed != CLI_OK ? printed : rc;
    }
    return rc;
}

static void print_numbers(const struct chosen *chosen)
{
    for (size_t i = 0; i < chosen->n; i++)
        printf("%" PRId64 "\n", chosen->workflows[i]);
}

/* Behind a detached run: what it is, and how to see it and stop it. */
static int say_detached(struct cli *cli, const struct chosen *chosen,
                        const struct cli_detached *detached)
{
    const char *program = cli_program(cli);
    if (cli->json)
        return print_json(cli, chosen, &detached_view, detached);
    print_numbers(chosen);
    cli_note("process %" PRId64 " runs%s; what it says: %s", detached->pid,
             chosen->n == 1 ? " it" : "", detached->log);
    if (chosen->n == 1)
        cli_note("see it end: %s wait %" PRId64 "; stop it: %s pause %" PRId64
                 "; kill: %s kill %" PRId64,
                 program, chosen->workflows[0], program, chosen->workflows[0], program,
                 chosen->workflows[0]);
    else
        cli_note("see them end: %s wait; stop one: %s pause WORKFLOW", program, program);
    return CLI_OK;
}

static int detach(struct cli *cli, const struct chosen *chosen, const struct cli_running *running)
{
    struct cli_detached detached = {0};
    int rc = cli_detach(cli, running, &detached);
    return rc == CLI_OK ? say_detached(cli, chosen, &detached) : rc;
}

static int choose(struct cli *cli, const struct cli_args *args, struct chosen *chosen)
{
    if (args->noperands == 0)
        return take_unfinished(cli, chosen);
    chosen->workflows = cli_alloc(args->noperands * sizeof *chosen->workflows);
    chosen->before = cli_alloc(args->noperands * sizeof *chosen->before);
    return submit_all(cli, args, chosen);
}

/* What was submitted before is as it was then: options of a submission mean nothing to it.  "run --force w.json" takes
 * the file for an action's name. */
static int check_usage(const struct cli_args *args)
{
    static const char *const of_files[] = {"target",   "force", "tag",    "user",
                                           "priority", "once",  "strict", "force-outputs"};
    bool has_file = strcmp(args->command->name, "rerun") == 0;
    for (size_t i = 0; i < args->noperands && !has_file; i++)
        has_file = !is_workflow(cli_operand(args, i));
    for (size_t i = 0; !has_file && i < sizeof of_files / sizeof of_files[0]; i++) {
        const char *value = cli_flag(args, of_files[i]) ? cli_value(args, of_files[i]) : NULL;
        if (cli_flag(args, of_files[i]))
            return cli_usage(args, "--%s%s%s is about a FILE to submit, and none is named%s",
                             of_files[i], value ? " " : "", value ? value : "",
                             args->noperands > 0 ? "; rerun submits a WORKFLOW once more" : "");
    }
    if (args->noperands > 1 && cli_flag(args, "once"))
        return cli_usage(args, "--once is about one FILE: a tag finds one submission");
    if (cli_flag(args, "all") && cli_flag(args, "fail-fast"))
        return cli_usage(args, "--fail-fast is about the workflows of this run, and --all drives "
                               "every other one too: give one of them");
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct chosen chosen = {0};
    int64_t jobs = cli_number(args, "jobs", 1, 1000000, 0), start = pingo__world_monotonic_ms();
    if (cli->remote)
        return cli_remote_rerun(cli->remote);
    int rc = check_usage(args);
    if (rc == CLI_OK)
        rc = cli_open(cli);
    if (rc != CLI_OK)
        return rc;
    bool all = cli_flag(args, "all");
    cli_signals_catch();
    rc = choose(cli, args, &chosen);
    if (rc == CLI_OK && !cli_flag(args, "detach"))
        count_before(cli, &chosen);
    struct cli_running running = {.workflows = chosen.workflows,
                                  .nworkflows = chosen.n,
                                  .all = all,
                                  .max_jobs = jobs,
                                  .fail_fast = cli_flag(args, "fail-fast")};
    bool detached = cli_flag(args, "detach") && (chosen.unfinished || all);
    if (rc == CLI_OK && cli_flag(args, "detach") && !detached && !cli->json)
        print_numbers(&chosen);
    if (rc == CLI_OK && detached)
        rc = detach(cli, &chosen, &running);
    else if (rc == CLI_OK && (chosen.unfinished || all || cli_has_notices(cli)))
        rc = cli_run_workflows(cli, &running);
    if (rc == CLI_OK && !detached)
        rc = report(cli, &chosen, pingo__world_monotonic_ms() - start);
    return rc;
}

const struct cli_command cli_run = {
    "run", "file|workflow*", run,
    CLI_DOCUMENTS({"at the end", &view, false}, {"with --detach, at once", &detached_view, false})};

const struct cli_command cli_rerun = {
    "rerun", "workflow+", run,
    CLI_DOCUMENTS({"at the end", &view, false}, {"with --detach, at once", &detached_view, false},
                  {"with --server, at once", &pingo__view_submission, true})};
