/* export.c - pingo export: copies results out of the pool. */
#include <inttypes.h>
#include <stdlib.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "select.h"
#include "session.h"

struct printer {
    const struct cli *cli;
    struct cli_json json;
    bool opened;
    size_t n;
    int64_t workflow;
};

static void open_json(struct printer *p)
{
    if (p->opened || !p->cli->json)
        return;
    p->opened = true;
    cJSON *head = cli_json_object();
    cli_json_int(head, "workflow", p->workflow);
    cli_json_begin(&p->json, stdout);
    cli_json_open(&p->json, NULL, '{');
    cli_json_members(&p->json, head);
    cli_json_open(&p->json, "exported", '[');
}

static int on_exported(void *context, int64_t id, const char *name, const char *path,
                       int64_t size_bytes)
{
    struct printer *p = context;
    open_json(p);
    p->n++;
    if (!p->cli->json) {
        cli_print_data(stdout, path);
        putchar('\n');
        return 0;
    }
    cJSON *o = cli_json_object();
    cli_json_int(o, "id", id);
    cli_json_text(o, "name", name);
    cli_json_text(o, "path", path);
    cli_json_known(o, "sizeBytes", size_bytes);
    cli_json_item(&p->json, NULL, o);
    return 0;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct printer p = {.cli = cli};
    struct pingo_export_options options = {.version = 1,
                                           .link = cli_flag(args, "link"),
                                           .force = cli_flag(args, "force"),
                                           .name_template = cli_value(args, "template")};
    struct pingo_error err = {0};
    struct cli_selection s;
    const char *directory = cli_operand(args, args->noperands - 1);
    int status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_select_actions(cli, args, args->noperands - 2, &s);
    if (status != CLI_OK)
        return status;
    p.workflow = s.workflow;
    int64_t *ids = cli_alloc((s.n + 1) * sizeof *ids);
    for (size_t i = 0; i < s.n; i++)
        ids[i] = s.list[i].id;
    options.ids = ids;
    options.nids = s.is_everything ? 0 : s.n;
    int rc = pingo_store_export(cli->store, p.workflow, NULL, directory, &options, on_exported, &p,
                                &err);
    free(ids);
    cli_selection_clear(&s);
    if (rc == 0)
        open_json(&p);
    if (p.opened) {
        cli_json_close(&p.json);
        cli_json_close(&p.json);
    }
    if (rc == 0 && p.n == 0)
        cli_note("pingo: nothing to export: every result is unmanaged and lies where its "
                 "outputPath says");
    return rc == 0 ? CLI_OK : cli_error(cli, &err);
}

static const struct cli_option options[] = {
    CLI_LABEL_OPTION,
    {'l', "link", NULL, "symbolic links into the pool instead of copies"},
    {0, "force", NULL, "replace what lies there, whoever made it"},
    {0, "template", "TEXT",
     "the path of each below DIR, such as {name}{ext} or {workflow}/{id}{ext}"},
};
static const int exits[] = {CLI_NOTFOUND, CLI_NOSPACE, 0};
static const char *const operands[] = {"workflow", "action|directory", "directory", NULL};

const struct cli_command cli_export = {
    .name = "export",
    .synopsis = "WORKFLOW [ACTION]... DIR",
    .summary = "copy results into a directory",
    .description =
        "Puts the leaves of a workflow, or the outputs of actions, into DIR (made where it is\n"
        "not there), each under its action's name with all suffixes of the output; \"-ID\" is "
        "added\n"
        "where names repeat.  Copies share their blocks with the pool where the file system can.\n"
        "What lies there is replaced only where Pingo wrote it and it is unchanged since; else\n"
        "nothing is exported.  Prints what it wrote.\n"
        "\n"
        "A template names each output by {name}, {ext}, {id}, {hash}, {output}, {workflow} and\n"
        "{label.KEY}.",
    .example = "  pingo export last results/\n  pingo export 12 rank .\n"
               "  pingo export --template '{name}/{id}{ext}' last results\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 2,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
