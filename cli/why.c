/* why.c - pingo why: why an action was computed, and what differs from what was known before. */
#include <inttypes.h>
#include <string.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

struct printer {
    struct cli *cli;
    struct cli_json json;
    size_t n;
};

static cJSON *differences_json(const struct pingo_why *why)
{
    cJSON *list = cli_json_array();
    for (size_t i = 0; i < why->ndifferences; i++) {
        cJSON *o = cli_json_object();
        cli_json_text(o, "field", why->differences[i].field);
        cli_json_text(o, "before", why->differences[i].before);
        cli_json_text(o, "after", why->differences[i].after);
        cli_json_add(list, NULL, o);
    }
    return list;
}

static void print_json(struct printer *p, const struct pingo_why *why)
{
    cJSON *o = cli_json_object();
    cli_json_int(o, "id", why->id);
    cli_json_text(o, "name", why->name);
    cli_json_hash(o, "hash", &why->hash);
    cli_json_text(o, "decision", pingo_plan_decision_name(why->decision));
    cli_json_text(o, "reason", why->reason_text);
    if (why->has_nearest) {
        cJSON *nearest = cli_json_object();
        cli_json_hash(nearest, "hash", &why->nearest);
        if (why->nearest_workflow > 0)
            cli_json_int(nearest, "workflow", why->nearest_workflow);
        else
            cli_json_null(nearest, "workflow");
        cli_json_add(o, "nearest", nearest);
    } else {
        cli_json_null(o, "nearest");
    }
    cli_json_add(o, "differences", differences_json(why));
    cli_json_int(o, "inherited", (int64_t)why->inherited);
    cli_json_item(&p->json, NULL, o);
}

static const char *past(enum pingo_plan_decision decision)
{
    switch (decision) {
    case PINGO_PLAN_COMPUTE:
        return "computed";
    case PINGO_PLAN_REUSE:
        return "reused";
    case PINGO_PLAN_JOIN:
        return "joined";
    default:
        return "skipped";
    }
}

static void print_difference(const struct pingo_difference *d)
{
    printf("    %s", cli_colour(stdout, CLI_BOLD));
    cli_print_clean(stdout, d->field);
    printf("%s\n      before: ", cli_colour(stdout, CLI_PLAIN));
    cli_print_clean(stdout, d->before != NULL ? d->before : "(absent)");
    printf("\n      now:    ");
    cli_print_clean(stdout, d->after != NULL ? d->after : "(absent)");
    putchar('\n');
}

static void print_text(struct printer *p, const struct pingo_why *why)
{
    char hash[CLI_SHORT_HASH], nearest[CLI_SHORT_HASH];
    cli_short_hash(hash, &why->hash);
    if (p->n > 0)
        putchar('\n');
    printf("%" PRId64 " %s", why->id, cli_colour(stdout, CLI_CYAN));
    cli_print_clean(stdout, why->name);
    printf("%s (%s) was %s: ", cli_colour(stdout, CLI_PLAIN), hash, past(why->decision));
    cli_print_clean(stdout, why->reason_text);
    putchar('\n');
    if (!why->has_nearest)
        return;
    cli_short_hash(nearest, &why->nearest);
    printf("  the nearest known before is %s", nearest);
    if (why->nearest_workflow > 0)
        printf(" of workflow %" PRId64, why->nearest_workflow);
    printf("; what differs:\n");
    for (size_t i = 0; i < why->ndifferences; i++)
        print_difference(&why->differences[i]);
    if (why->inherited > 0)
        printf("  %zu of these %s a parent that differs in turn: ask why of %s\n", why->inherited,
               why->inherited == 1 ? "is" : "are", why->inherited == 1 ? "it" : "them");
}

static int on_why(void *context, const struct pingo_why *why)
{
    struct printer *p = context;
    if (p->cli->json)
        print_json(p, why);
    else
        print_text(p, why);
    p->n++;
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
    cli_json_begin(&p.json, stdout);
    if (cli->json)
        cli_json_open(&p.json, NULL, '[');
    int rc = pingo_store_why(cli->store, workflow, action, on_why, &p, &err);
    if (cli->json)
        cli_json_close(&p.json);
    if (rc != 0)
        return cli_error(cli, &err);
    if (!cli->json && p.n == 0)
        printf("nothing of workflow %" PRId64 " was computed for a reason of its own\n", workflow);
    return CLI_OK;
}

static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow", "action", NULL};

const struct cli_command cli_why = {
    .name = "why",
    .synopsis = "WORKFLOW [ACTION]",
    .summary = "say why actions were computed and not reused",
    .description =
        "Says why an action of a workflow was computed or reused; where it was computed for the\n"
        "first time, finds the nearest action known before and shows what differs.  Without\n"
        "ACTION: every action that was computed for a reason of its own, and not because a\n"
        "parent differs.",
    .example = "  pingo why last\n  pingo why last count\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = 2,
    .operands = operands,
    .run = run,
};
