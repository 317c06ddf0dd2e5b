/* why.c - pingo why: why an action was computed, and what differs from what was known before. */
#include <inttypes.h>
#include <string.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "reasons.h"
#include "session.h"

struct printer {
    struct cli *cli;
    struct cli_json json;
    struct cli_reasons reasons;
    bool of_one; /* action: it is told whatever it differs through */
};

static void print_json(struct printer *p, const struct pingo_why *why, size_t group)
{
    cJSON *o = cli_json_object();
    cli_json_int(o, "id", why->id);
    cli_json_text(o, "name", why->name);
    cli_json_hash(o, "hash", &why->hash);
    cli_json_text(o, "decision", pingo_plan_decision_name(why->decision));
    cli_json_text(o, "reason", why->reason_text);
    cli_reason_json(o, why, group);
    cli_json_item(&p->json, NULL, o);
}

static int on_why(void *context, const struct pingo_why *why)
{
    struct printer *p = context;
    size_t group = cli_reasons_add(&p->reasons, why, p->of_one);
    if (p->cli->json)
        print_json(p, why, group);
    return 0;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct printer p = {.cli = cli};
    struct pingo_error err = {0};
    const char *action = cli_operand(args, 1);
    int64_t workflow;
    int status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_workflow_of(cli, cli_operand(args, 0), &workflow);
    if (status != CLI_OK)
        return status;
    p.of_one = action != NULL;
    cli_reasons_init(&p.reasons);
    cli_json_begin(&p.json, stdout);
    if (cli->json)
        cli_json_open(&p.json, NULL, '[');
    int rc = pingo_store_why(cli->store, workflow, action, on_why, &p, &err);
    if (cli->json)
        cli_json_close(&p.json);
    else if (rc == 0 && p.reasons.n == 0)
        printf("nothing of workflow %" PRId64 " was computed for a reason of its own\n", workflow);
    else if (rc == 0)
        cli_reasons_print(&p.reasons, "was");
    cli_reasons_clear(&p.reasons);
    return rc == 0 ? CLI_OK : cli_error(cli, &err);
}

static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow", "action", NULL};

const struct cli_command cli_why = {
    .name = "why",
    .synopsis = "WORKFLOW [ACTION]",
    .summary = "say why actions were computed and not reused",
    .description =
        "Says why an action of a workflow was computed or reused; where it was computed for the\n"
        "first time, finds the nearest action known before and shows what differs: of inputs and\n"
        "tools where they lay, of a directory which files changed.  Without ACTION: every action\n"
        "that was computed for a reason of its own, and not because a parent differs; those with\n"
        "one reason are told together.",
    .example = "  pingo why last\n  pingo why last count\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = 2,
    .operands = operands,
    .run = run,
};
