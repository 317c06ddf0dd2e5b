/* plan.c - pingo plan: what a submission would do now; changes nothing. */
#include <inttypes.h>
#include <pingo.h>
#include <stdlib.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "reasons.h"
#include "session.h"
#include "signals.h"

struct printer {
    const struct cli *cli;
    struct cli_json json;
    char *name;  /* of the workflow, for --json */
    bool all;    /* skipped ones too */
    bool headed; /* the heading was printed */
    bool opened; /* the document was begun */
    struct cli_reasons reasons;
};

static void open_json(struct printer *p)
{
    if (!p->cli->json || p->opened)
        return;
    p->opened = true;
    cJSON *head = cli_json_object();
    cli_json_text(head, "workflow", p->name);
    cli_json_begin(&p->json, stdout);
    cli_json_open(&p->json, NULL, '{');
    cli_json_members(&p->json, head);
    cli_json_open(&p->json, "actions", '[');
}

static void print_json(struct printer *p, const struct pingo_planned *planned, size_t group)
{
    open_json(p);
    cJSON *o = cli_json_object();
    cli_json_int(o, "id", planned->id);
    cli_json_text(o, "name", planned->name);
    cli_json_hash(o, "hash", &planned->hash);
    cli_json_text(o, "decision", pingo_plan_decision_name(planned->decision));
    cli_json_text(o, "reason", planned->reason_text);
    cli_json_known(o, "expectedMs", planned->expected_ms);
    cli_json_known(o, "expectedBytes", planned->expected_bytes);
    if (planned->why != NULL) {
        cJSON *why = cli_json_object();
        cli_reason_json(why, planned->why, group);
        cli_json_add(o, "why", why);
    } else {
        cli_json_null(o, "why");
    }
    cli_json_item(&p->json, NULL, o);
}

static int on_planned(void *context, const struct pingo_planned *planned)
{
    struct printer *p = context;
    size_t group = planned->why != NULL ? cli_reasons_add(&p->reasons, planned->why, false) : 0;
    if (p->cli->json) {
        print_json(p, planned, group);
        return 0;
    }
    if (planned->decision == PINGO_PLAN_SKIP && !p->all)
        return 0;
    if (!p->headed)
        printf("%s    ID  DECISION  NAME                         TIME      SIZE  WHY%s\n",
               cli_colour(stdout, CLI_BOLD), cli_colour(stdout, CLI_PLAIN));
    p->headed = true;
    char id[32], name[28], time[PINGO__UNITS_SIZE] = "", size[PINGO__UNITS_SIZE] = "";
    snprintf(id, sizeof id, "%" PRId64, planned->id);
    cli_clean(name, sizeof name, planned->name);
    if (planned->expected_ms >= 0)
        pingo__units_print_duration(time, planned->expected_ms);
    if (planned->expected_bytes >= 0)
        pingo__units_print_size(size, planned->expected_bytes);
    bool computes = planned->decision == PINGO_PLAN_COMPUTE;
    cli_pad_left(stdout, id, 6);
    printf("  %s", cli_colour(stdout, computes ? CLI_YELLOW : CLI_GREEN));
    cli_pad(stdout, pingo_plan_decision_name(planned->decision), 8);
    printf("%s  ", cli_colour(stdout, CLI_PLAIN));
    cli_pad(stdout, name, 24);
    printf(" ");
    cli_pad_left(stdout, time, 8);
    printf("  ");
    cli_pad_left(stdout, size, 8);
    printf("  ");
    cli_print_clean(stdout, planned->reason_text);
    putchar('\n');
    return 0;
}

static void print_totals_json(struct printer *p, const struct pingo_plan_totals *t)
{
    cli_json_close(&p->json); /* actions */
    cJSON *o = cli_json_object();
    cJSON *summary = cli_json_object();
    cli_json_int(summary, "compute", (int64_t)t->summary.compute);
    cli_json_int(summary, "reuse", (int64_t)t->summary.reuse);
    cli_json_int(summary, "join", (int64_t)t->summary.join);
    cli_json_int(summary, "skip", (int64_t)t->summary.skip);
    cli_json_add(o, "summary", summary);
    cli_json_int(o, "expectedMs", t->expected_ms);
    cli_json_int(o, "expectedBytes", t->expected_bytes);
    cli_json_int(o, "unknown", (int64_t)t->unknown);
    cli_json_members(&p->json, o);
    cli_json_close(&p->json);
}

static void print_totals(const struct pingo_plan_totals *t)
{
    char time[PINGO__UNITS_SIZE], size[PINGO__UNITS_SIZE];
    printf("%zu to compute, %zu reused, %zu joined, %zu skipped\n", t->summary.compute,
           t->summary.reuse, t->summary.join, t->summary.skip);
    if (t->summary.compute > t->unknown) {
        pingo__units_print_duration(time, t->expected_ms);
        pingo__units_print_size(size, t->expected_bytes);
        printf("expected: %s of computing, %s of outputs", time, size);
        if (t->unknown > 0)
            printf(" (%zu never ran before)", t->unknown);
        putchar('\n');
    }
}

static void print_reasons(const struct cli_reasons *reasons)
{
    if (reasons->n + reasons->inherited == 0)
        return;
    putchar('\n');
    cli_reasons_print(reasons, "would be");
}

/* The name goes before the actions, so it is known before the plan is. */
static char *name_of(const struct cli_document *document)
{
    struct pingo_workflow_options options = {.version = 1, .base_dir = document->base_dir};
    struct pingo_workflow *workflow = NULL;
    char *name = NULL;
    if (pingo_workflow_parse(document->text, document->length, &options, &workflow, NULL, NULL) == 0)
        name = cli_copy(pingo_workflow_name(workflow));
    pingo_workflow_free(workflow);
    return name;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct printer p = {.cli = cli, .all = cli_flag(args, "all")};
    struct cli_document document = {0};
    struct cli_submit_options submit;
    struct pingo_plan_totals totals = {.size = sizeof totals};
    struct pingo_problems *problems = NULL;
    struct pingo_error err = {0};
    int status = cli_submit_options_read(&submit, cli, args);
    if (status == CLI_OK)
        status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_document_read(&document, cli_operand(args, 0), cli_document_limit(cli));
    if (status != CLI_OK)
        goto out;
    cli_signals_catch();
    submit.options.base_dir = document.base_dir;
    submit.options.why = cli_flag(args, "why");
    if (cli->json)
        p.name = name_of(&document);
    int rc = pingo_store_plan(cli->store, document.text, document.length, &submit.options,
                              on_planned, &p, &totals, &problems, &err);
    cli_progress_clear();
    if (rc != 0) {
        status = cli_submit_failed(cli, &document, problems, &err);
        goto out;
    }
    cli_warnings_show(document.label, problems);
    if (cli->json) {
        open_json(&p);
        print_totals_json(&p, &totals);
    } else {
        print_totals(&totals);
        print_reasons(&p.reasons);
    }
    if (cli_flag(args, "check") && totals.summary.compute > 0)
        status = CLI_FAILED;
out:
    cli_reasons_clear(&p.reasons);
    free(p.name);
    pingo_problems_free(problems);
    cli_document_clear(&document);
    cli_submit_options_clear(&submit);
    return status;
}

static const struct cli_option options[] = {
    CLI_SUBMIT_OPTIONS,
    {0, "why", NULL, "say what differs from the nearest action known before"},
    {0, "check", NULL, "exit with status 1 if anything would compute"},
    {'a', "all", NULL, "show the actions that are skipped too (--json always does)"},
};
static const int exits[] = {CLI_FAILED, CLI_INVALID, CLI_NOTFOUND, CLI_INPUT, CLI_INTERRUPTED, 0};
static const char *const operands[] = {"file", NULL};

const struct cli_command cli_plan = {
    .name = "plan",
    .synopsis = "FILE",
    .summary = "show what a workflow would run, and why; changes nothing",
    .description =
        "Says for each action whether it would be computed, reused, joined (someone computes it\n"
        "now) or skipped (nothing needs it), why, and what it took when it ran before.  A dry\n"
        "run: nothing is submitted.  With --why: what differs from the nearest action known\n"
        "before, as pingo why says after the run.  FILE - is standard input.",
    .example = "  pingo plan words.json\n  pingo plan --why words.json\n  pingo plan --check "
               "words.json && echo up to date\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = 1,
    .operands = operands,
    .run = run,
};
