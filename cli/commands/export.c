/* export.c - pingo export: copies results out of the pool. */

#include "remote/remote.h"
#include "view/columns.h"

struct exported {
    int64_t id;
    const char *name, *path;
    int64_t size_bytes;
};
#define ROW struct exported
static const struct pingo__view_column exported[] = {
    COLUMN("id", COUNT, id, "the id in the definition"),
    COLUMN("name", TEXT, name, "the name of the action"),
    COLUMN("path", TEXT, path, "what was written"),
    COLUMN("sizeBytes", BYTES, size_bytes, "its size", MISSING),
};
static const struct pingo__view_table exported_view = VIEW("exported", exported, ROW);
#undef ROW

struct exports {
    struct cli_answer answer;
    size_t n;
    int64_t workflow;
};
#define ROW struct exports
static const struct pingo__view_column columns[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    STREAM("exported", &exported_view, "what was put into the directory"),
};
static const struct pingo__view_table view = VIEW("export", columns, ROW);
#undef ROW

static int on_exported(void *exports, int64_t id, const char *name, const char *path,
                       int64_t size_bytes)
{
    struct exports *p = exports;
    p->n++;
    if (p->answer.cli->json) {
        cli_row(&p->answer, &(struct exported){id, name, path, size_bytes});
        return 0;
    }
    cli_print_data(stdout, path);
    putchar('\n');
    return 0;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct exports p = {0};
    struct pingo_export_options options = {.version = 1,
                                           .link = cli_flag(args, "link"),
                                           .force = cli_flag(args, "force"),
                                           .name_template = cli_value(args, "template"),
                                           .exported = on_exported,
                                           .context = &p};
    struct cli_selection s;
    const char *to = cli_operand(args, args->noperands - 1), *directory = cli_absolute(to);
    if (*to == '\0')
        return cli_usage(args, "DIR is empty");
    int rc = cli_select_actions(cli, args, args->noperands - 2, &s);
    if (rc != CLI_OK)
        return rc;
    p.workflow = s.workflow;
    int64_t *ids = cli_alloc((s.n + 1) * sizeof *ids);
    for (size_t i = 0; i < s.n; i++)
        ids[i] = s.list[i].id;
    options.ids = ids;
    options.nids = s.is_everything ? 0 : s.n;
    cli_list_within(&p.answer, cli, &view, &p);
    rc = cli->remote ? cli_remote_export(cli->remote, &s, directory, &options)
                     : pingo_store_export(cli->store, &(struct pingo_action_name){p.workflow, NULL},
                                          directory, &options, &cli->err);
    if (rc == 0 || p.n > 0) /* what was exported is told, whatever became of the rest */
        cli_list_end(&p.answer, &p, 0);
    cli_list_drop(&p.answer);
    if (rc == 0 && p.n == 0)
        cli_note("pingo: nothing to export: every result is unmanaged and lies where its "
                 "outputPath says");
    return rc == 0 ? CLI_OK : cli_error(cli);
}

const struct cli_command cli_export = {"export", "workflow action|directory directory*", run,
                                       CLI_OPENS_STORE, CLI_PRINTS(&view)};
