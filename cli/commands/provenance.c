/* provenance.c - pingo provenance: where a dataset comes from, back to its originals. */
#include "provenance.h"

#include "args.h"
#include "message.h"
#include "session.h"

enum form { FORM_TEXT, FORM_JSON, FORM_DOT };

struct printer {
    struct cli *cli;
    enum form form;
    struct cli_answer answer;
    size_t n;
};

static int on_provenance(void *context, const struct pingo_provenance *provenance)
{
    struct printer *p = context;
    if (p->form == FORM_TEXT)
        cli_provenance_text(provenance, p->cli->time_style, p->n == 0);
    else if (p->form == FORM_JSON)
        return cli_row(&p->answer, provenance);
    else
        cli_provenance_dot(provenance);
    p->n++;
    return 0;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct printer p = {.cli = cli};
    bool more = false;
    struct pingo_provenance_query query = {
        .version = 1, .is_bounded = cli_value(args, "depth"), .more = &more};
    struct pingo_error err = {0};
    int64_t depth = 0, limit = 100;
    bool dot = cli_flag(args, "dot");
    if (dot && cli->json)
        return cli_usage(args, "either --json or --dot");
    p.form = dot ? FORM_DOT : cli->json ? FORM_JSON : FORM_TEXT;
    int status = cli_value_number(args, "depth", 0, INT64_C(1) << 40, &depth);
    if (status == CLI_OK)
        status = cli_value_number(args, "limit", 0, INT64_C(1) << 40, &limit);
    if (status == CLI_OK)
        status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_dataset_of(cli, args, &query.hash);
    if (status != CLI_OK)
        return status;
    if (p.form == FORM_JSON) {
        cli_list_within(&p.answer, cli, &pingo__view_origin,
                        &(struct pingo__view_origin){.hash = query.hash});
    } else if (p.form == FORM_DOT) {
        printf("digraph provenance {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    }
    query.depth = (size_t)depth;
    query.limit = (size_t)limit;
    int rc = pingo_store_provenance(cli->store, &query, on_provenance, &p, &err);
    if (rc == 0 && more)
        cli_note("there are more ancestors: --limit 0 shows %s",
                 query.is_bounded ? "all of this depth, a greater --depth what is above" : "all");
    if (p.form == FORM_JSON)
        return cli_list_end(&p.answer, &(struct pingo__view_origin){query.hash, more}, rc, &err);
    if (p.form == FORM_DOT)
        printf("}\n");
    return rc == 0 ? CLI_OK : cli_error(cli, &err);
}

static const struct cli_option options[] = {
    {0, "depth", "N", "ancestors up to N steps away; 0: the action alone"},
    {'n', "limit", "N", "at most N actions, the nearest, 0 for all; default 100"},
    {0, "dot", NULL, "a graph for Graphviz"},
};
static const char *const operands[] = {"workflow|dataset", "action", NULL};

const struct cli_command cli_provenance = {
    .name = "provenance",
    .synopsis = "WORKFLOW ACTION | HASH",
    .summary = "show where a dataset comes from",
    .description =
        "Shows how a dataset was made: its command, inputs and parents, and those of its\n"
        "ancestors, each once, the nearest first, back to the originals; also of datasets\n"
        "whose bytes are gone.",
    .example = "  pingo provenance last rank\n"
               "  pingo provenance --dot last rank | dot -Tsvg > rank.svg\n",
    CLI_OPTIONS(options),
    CLI_PRINTS(&pingo__view_origin),
    .flags = CLI_TAKES_JSON | CLI_TAKES_TIMES | CLI_NEEDS_STORE,
    .exits = cli_exits_notfound,
    .min_operands = 1,
    .max_operands = 2,
    .operands = operands,
    .run = run,
};
