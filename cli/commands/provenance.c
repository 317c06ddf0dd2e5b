/* provenance.c - pingo provenance: where a dataset comes from, back to its originals. */
#include <string.h>

#include "remote/remote.h"
#include "select.h"

/* ---- a graph ---------------------------------------------------------------------- */

/* Within double quotes of the dot language; a label must not hold its own escapes. */
static void print_dot(const char *text)
{
    char shown[81];
    pingo__text_clean_to(shown, sizeof shown, text);
    for (const char *p = shown; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            putchar('\\');
        putchar(*p);
    }
}

/* A note for an original or a tool, told apart by content and place: its name, and where it lay. */
static void dot_original(const char *hex, const char *kind, const char *name, const char *identity,
                         const struct pingo_place *place)
{
    char size[PINGO__UNITS_SIZE];
    const char *path = place->path ? place->path : "";
    for (int edge = 0; edge < 2; edge++) {
        printf("  \"%s ", kind);
        print_dot(identity);
        putchar(' ');
        print_dot(path);
        if (edge == 1) {
            printf("\" -> \"%s\";\n", hex);
            break;
        }
        printf("\" [shape=%s, style=solid, label=\"",
               strcmp(kind, "tool") == 0 ? "component" : "note");
        print_dot(name);
        if (*path != '\0' && strcmp(path, name) != 0) {
            printf("\\n");
            print_dot(cli_path_here(path));
        }
        if (place->size_bytes >= 0) {
            pingo__units_print_size(size, place->size_bytes);
            printf("\\n%s", size);
        }
        printf("\"];\n");
    }
}

static void print_node(const struct pingo_provenance *p)
{
    char hash[CLI_SHORT_HASH], hex[PINGO_HASH_HEX_SIZE], other[PINGO_HASH_HEX_SIZE];
    const struct pingo_description *d = p->description;
    cli_short_hash(hash, &p->hash);
    pingo_hash_to_hex(&p->hash, hex);
    printf("  \"%s\" [label=\"", hex);
    print_dot(p->name);
    printf("\\n%s\"%s];\n", hash, p->state == 0 ? ", style=\"rounded,dashed\"" : "");
    size_t n;
    const struct pingo_described_parent *parents = pingo_description_parents(d, &n);
    for (size_t i = 0; i < n; i++) {
        pingo_hash_to_hex(&parents[i].hash, other);
        printf("  \"%s\" -> \"%s\" [label=\"", other, hex);
        print_dot(parents[i].role ? parents[i].role : "");
        printf("\"];\n");
    }
    const struct pingo_described_input *inputs = pingo_description_inputs(d, &n);
    for (size_t i = 0; i < n; i++)
        dot_original(hex, "input", inputs[i].name, inputs[i].identity, &p->input_places[i]);
    const struct pingo_described_tool *tools = pingo_description_tools(d, &n);
    for (size_t i = 0; i < n; i++) {
        pingo_hash_to_hex(&tools[i].content, other);
        dot_original(hex, "tool", tools[i].name, other, &p->tool_places[i]);
    }
}

/* ---- the command ------------------------------------------------------------------ */

static int on_row(void *context, const struct pingo_provenance *p)
{
    struct cli_answer *a = context;
    if (a->form == CLI_ANSWER_TEXT && a->n > 0)
        putchar('\n');
    return cli_row(a, p);
}

static int on_node(void *context, const struct pingo_provenance *p)
{
    (void)context;
    print_node(p);
    return 0;
}

static void note_more(bool is_bounded)
{
    cli_note("there are more ancestors: --limit 0 shows %s",
             is_bounded ? "all of this depth, a greater --depth what is above" : "all");
}

#define MOST_THERE 1000 /* that a server tells */

/* A server tells it as JSON alone. */
static int show_there(struct cli *cli, const struct cli_args *args,
                      const struct pingo_provenance_query *q)
{
    struct cli_remote *r = cli->remote;
    struct pingo_action_status status = {0};
    const char *dataset = cli_operand(args, 0), *action = cli_operand(args, 1);
    char hex[PINGO_HASH_HEX_SIZE];
    int64_t workflow;
    if (!cli_is_dataset(args))
        return CLI_USAGE;
    int rc = action ? cli_workflow_of(cli, dataset, &workflow) : CLI_OK;
    if (rc != CLI_OK)
        return rc;
    if (action && (cli_remote_action(r, workflow, &action) != 0 ||
                   cli_remote_get(r, &pingo__view_action, &status, "/v1/workflows/%d/actions/%s",
                                  workflow, action) != 0))
        return cli_error(cli);
    if (!action && !cli_remote_fits(dataset)) {
        cli_message("\"%s\" is no prefix of a hash: give at least 4 of its lower-case hex digits",
                    cli_shown(dataset));
        return CLI_NOTFOUND;
    }
    pingo_hash_to_hex(&status.hash, hex);
    char *path = cli_remote_path("/v1/datasets/%s/provenance", action ? hex : dataset);
    if (q->is_bounded)
        cli_remote_query_number(&path, "depth", (int64_t)q->depth);
    cli_remote_query_number(&path, "limit", q->limit > 0 ? (int64_t)q->limit : MOST_THERE);
    rc = cli_remote_document(r, path);
    const struct pingo__json_value *more = rc == CLI_OK ? pingo__json_at(r->root, "more") : NULL;
    if (more && pingo__json_kind(more) == PINGO__JSON_BOOLEAN && pingo__json_is_true(more))
        note_more(q->is_bounded);
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo__view_origin origin = {.more = false};
    struct pingo_provenance_query query = {
        .version = 1, .is_bounded = cli_value(args, "depth"), .more = &origin.more};
    struct cli_answer a = {.cli = cli};
    bool dot = cli_flag(args, "dot");
    if (dot && cli->json)
        return cli_usage(args, "either --json or --dot");
    query.depth = (size_t)cli_number(args, "depth", 0, INT32_MAX, 0);
    query.limit =
        (size_t)cli_number(args, "limit", 0, cli->remote ? MOST_THERE : INT64_C(1) << 40, 100);
    int rc = cli_open(cli);
    if (rc == CLI_OK && cli->remote)
        return show_there(cli, args, &query);
    if (rc == CLI_OK)
        rc = cli_dataset_of(cli, args, &query.hash);
    if (rc != CLI_OK)
        return rc;
    origin.hash = query.hash;
    if (dot)
        printf("digraph provenance {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    else
        cli_list_within(&a, cli, &pingo__view_origin, &origin);
    rc = pingo_store_provenance(cli->store, &query, dot ? on_node : on_row, &a, &cli->err);
    if (rc == 0 && origin.more)
        note_more(query.is_bounded);
    if (dot)
        printf("}\n");
    return cli_list_end(&a, &origin, rc);
}

const struct cli_command cli_provenance = {"provenance", "workflow|dataset action?", run,
                                           CLI_PRINTS(&pingo__view_origin)};
