/* status.c - pingo status: the workflows, or the actions of one, as text or JSON. */
#include "status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "drivers.h"
#include "message.h"
#include "running.h"
#include "session.h"

/* ---- all workflows --------------------------------------------------------------- */

struct listing {
    struct cli *cli;
    struct cli_answer answer;
    char *undriven; /* " 3 4": unfinished, and no process runs them */
    size_t nundriven;
};

#define UNDRIVEN_SHOWN 10

static void note_undriven(struct listing *l, const struct pingo_workflow_status *s)
{
    struct cli_drivers drivers;
    if (s->state == PINGO_WORKFLOW_RUNNING &&
        cli_drivers_find(l->cli, s->workflow, &drivers, NULL) == 0) {
        if (!drivers.driven && l->nundriven++ < UNDRIVEN_SHOWN) {
            char *longer = cli_format("%s %" PRId64, l->undriven, s->workflow);
            free(l->undriven);
            l->undriven = longer;
        }
        cli_drivers_clear(&drivers);
    }
}

static int list_one(void *context, const struct pingo_workflow_status *s)
{
    struct listing *l = context;
    struct pingo__view_workflow look = {.status = *s};
    if (l->cli->json)
        cli_workflow_look(l->cli, s, &look);
    else
        note_undriven(l, s);
    int stop = cli_row(&l->answer, &look);
    cli_workflow_look_clear(&look);
    return stop;
}

struct numbers {
    int64_t *list;
    size_t n, capacity;
};

static int add_number(void *context, const struct pingo_workflow_status *s)
{
    struct numbers *numbers = context;
    if (numbers->n == numbers->capacity) {
        numbers->capacity = numbers->capacity * 2 + 64;
        numbers->list = cli_grow(numbers->list, numbers->capacity * sizeof *numbers->list);
    }
    numbers->list[numbers->n++] = s->workflow;
    return 0;
}

/* One action is enough. */
static int on_labelled(void *context, const struct pingo_selected *selected)
{
    (void)selected;
    *(bool *)context = true;
    return 1;
}

/* The newest workflows of which an action has these labels; limit 0: all. */
static int list_labelled(struct listing *l, const struct pingo_selection *labels, size_t limit,
                         struct pingo_error *err)
{
    struct numbers all = {0};
    size_t found = 0;
    int rc = pingo_store_workflows(l->cli->store, NULL, add_number, &all, err);
    for (size_t i = 0; rc == 0 && i < all.n && (limit == 0 || found < limit); i++) {
        bool has = false;
        rc = pingo_store_select(l->cli->store, all.list[i], labels, on_labelled, &has, err);
        if (has)
            rc = pingo_store_workflow(l->cli->store, all.list[i], list_one, l, err);
        else if (rc == PINGO_ENOTFOUND)
            rc = 0;
        found += has;
    }
    free(all.list);
    return rc;
}

static int list_workflows(struct cli *cli, const struct cli_args *args)
{
    struct listing l = {.cli = cli, .undriven = cli_copy("")};
    struct pingo_selection labels = {.version = 1};
    struct pingo_error err = {0};
    int64_t limit = cli->json ? 0 : 20;
    int status = cli_value_number(args, "limit", 0, INT64_C(1) << 40, &limit);
    if (status != CLI_OK)
        return status;
    cli_list(&l.answer, cli, &pingo__view_workflow);
    const char **values = cli_values(args, "label", &labels.nlabels);
    labels.labels = values;
    int rc = values ? list_labelled(&l, &labels, (size_t)limit, &err)
                    : pingo_store_workflows(
                          cli->store,
                          &(struct pingo_workflow_query){.version = 1, .limit = (size_t)limit},
                          list_one, &l, &err);
    free(values);
    status = cli_list_end(&l.answer, NULL, rc, &err);
    if (status != CLI_OK) {
        free(l.undriven);
        return status;
    }
    if (labels.nlabels > 0 && l.answer.n == 0) {
        cli_message("no workflow has an action with %s",
                    labels.nlabels > 1 ? "these labels" : "this label");
        status = CLI_NOTFOUND;
    } else if (!cli->json && l.answer.n == 0) {
        cli_note("nothing was submitted yet");
    }
    bool few = l.nundriven <= UNDRIVEN_SHOWN;
    if (l.nundriven > 0)
        cli_note("no process runs%s%s; go on with: %s run%s", l.undriven, few ? "" : " and others",
                 cli_program(cli), few ? l.undriven : "");
    free(l.undriven);
    return status;
}

/* ---- one workflow --------------------------------------------------------------- */

static void print_drivers(struct cli *cli, const struct pingo_workflow_status *s)
{
    struct cli_drivers drivers = {0};
    if (pingo_workflow_state_is_final(s->state))
        return;
    if (cli_drivers_find(cli, s->workflow, &drivers, NULL) == 0) {
        char *text = cli_drivers_text(cli, &drivers, s);
        printf("%s\n", text);
        free(text);
    }
    cli_drivers_clear(&drivers);
}

static int print_head(void *context, const struct pingo_workflow_status *s)
{
    struct cli *cli = context;
    char when[PINGO__UNITS_SIZE], time[PINGO__UNITS_SIZE];
    cli_format_time(when, s->submitted_ms, cli->time_style);
    printf("workflow %" PRId64 "  ", s->workflow);
    cli_print_clean(stdout, s->name);
    printf("  %s%s%s\nsubmitted %s by ",
           cli_colour(stdout, (enum cli_colour)pingo__view_workflow_tone(s->state)),
           pingo_workflow_state_name(s->state), cli_colour(stdout, CLI_PLAIN), when);
    cli_print_clean(stdout, s->user ? s->user : "?");
    if (s->tag) {
        printf(" as \"");
        cli_print_clean(stdout, s->tag);
        printf("\"");
    }
    if (s->ended_ms >= 0) {
        cli_format_time(when, s->ended_ms, cli->time_style);
        pingo__units_print_duration(time, s->ended_ms - s->submitted_ms);
        printf(", ended %s (%s)", when, time);
    }
    printf("\n%zu action%s: %zu %s, %zu reused, %zu joined, %zu skipped\n", s->actions,
           s->actions == 1 ? "" : "s", s->summary.compute,
           s->state == PINGO_WORKFLOW_FINISHED ? "computed" : "to compute", s->summary.reuse,
           s->summary.join, s->summary.skip);
    if (s->waiting + s->ready + s->running + s->finished + s->failed > 0)
        printf("%zu waiting, %zu ready, %zu armed, %zu running, %zu finished, %zu failed\n",
               s->waiting, s->ready, s->armed, s->running - s->armed, s->finished, s->failed);
    if (s->for_space > 0)
        printf(
            "%zu wait%s for space on the disk of the pool: make some there, or let results go (%s "
            "release, %s rm)\n",
            s->for_space, s->for_space == 1 ? "s" : "", cli_program(cli), cli_program(cli));
    print_drivers(cli, s);
    putchar('\n');
    return 0;
}

static int print_action(void *context, const struct pingo_action_status *s)
{
    return cli_row(context, s);
}

static int one_workflow(struct cli *cli, const struct cli_args *args)
{
    struct cli_selection selection;
    struct pingo_error err = {0};
    int rc, status = cli_select_actions(cli, args, args->noperands - 1, &selection);
    if (status != CLI_OK)
        return status;
    if (cli->json) {
        struct pingo__writer w;
        cli_writer(&w, stdout);
        rc = cli_status_write(cli, &w, selection.workflow, &selection, &err);
        if (rc == 0)
            cli_write(cli, &w);
        pingo__writer_clear(&w);
        status = rc == 0 ? CLI_OK : cli_error(cli, &err);
    } else {
        struct cli_answer answer;
        cli_list(&answer, cli, &pingo__view_action);
        rc = pingo_store_workflow(cli->store, selection.workflow, print_head, cli, &err);
        if (rc == 0)
            rc = cli_each_selected(cli, selection.workflow, &selection, print_action, &answer, &err);
        status = cli_list_end(&answer, NULL, rc, &err);
    }
    cli_selection_clear(&selection);
    return status;
}

static int on_attempt(void *context, const struct pingo_attempt *attempt)
{
    return cli_row(context, attempt);
}

static int all_attempts(struct cli *cli, const struct cli_args *args)
{
    struct pingo_attempt_query query = {.version = 1,
                                        .action = args->noperands == 2 ? args->operands[1] : NULL};
    struct pingo_error err = {0};
    if (args->noperands == 0 || args->noperands > 2)
        return cli_usage(args, "--attempts takes a workflow, and an action of it if you like");
    if (pingo_store_resolve_workflow(cli->store, args->operands[0], &query.workflow, &err) != 0)
        return cli_error(cli, &err);
    struct cli_answer answer;
    cli_list(&answer, cli, &pingo__view_attempt);
    int rc = pingo_store_attempts(cli->store, &query, on_attempt, &answer, &err);
    if (rc == 0 && answer.n == 0)
        cli_note("nothing of it was run: it was reused or joined, or has not started");
    return cli_list_end(&answer, NULL, rc, &err);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    if (cli_flag(args, "attempts"))
        return all_attempts(cli, args);
    return args->noperands == 0 ? list_workflows(cli, args) : one_workflow(cli, args);
}

static const struct cli_option options[] = {
    {'n', "limit", "N", "at most N workflows, 0 for all; default 20, with --json all"},
    {0, "attempts", NULL, "every try at running the actions, or the one action"},
    CLI_LABEL_OPTION,
};
static const struct pingo__view_document documents[] = {
    {"without operand", &pingo__view_workflow, true},
    {"with a workflow", &pingo__view_workflow_actions, false},
    {"with --attempts", &pingo__view_attempt, true},
    {0},
};
static const char *const operands[] = {"workflow", "action", NULL};

const struct cli_command cli_status = {
    .name = "status",
    .synopsis = "[WORKFLOW [ACTION]...]",
    .summary = "show the workflows, or the actions of one",
    .description =
        "Alone: the workflows, newest first.  With a workflow: each of its actions, in the\n"
        "order of the definition, with its state, time (so far, where it runs), peak memory,\n"
        "and why it waits or failed; and which process drives the workflow, or that none does.\n"
        "\"reused\" and \"skipped\" actions needed no run.  Actions are ids, names or\n"
        "patterns such as 'align_*'; with --label those with the label are shown, and alone\n"
        "the workflows that have such an action.",
    .example = "  pingo status\n  pingo status last\n"
               "  pingo status last --json | jq '.actions[] | select(.state == \"FAILED\")'\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_TAKES_TIMES | CLI_OPENS_STORE,
    .exits = cli_exits_notfound,
    .documents = documents,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
