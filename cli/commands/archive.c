/* archive.c - pingo archive: month files of what ended long ago, and moving it there. */
#include <inttypes.h>

#include "remote/remote.h"
#include "signals.h"
#include "view/columns.h"

#define ROW struct pingo_archived
static const struct pingo__view_column columns[] = {
    COLUMN("workflows", COUNT, workflows, "how many were moved, or would be"),
    COLUMN("attempts", COUNT, attempts, "theirs"),
    COLUMN("sealed", COUNT, sealed, "month files that never change from now on"),
    COLUMN("heldMs", MS, held_ms, "the longest that the store's lock was held for it"),
};
static const struct pingo__view_table moved = VIEW("archived", columns, ROW);
#undef ROW

CLI_ROWS(on_file, struct pingo_archive_file)

static int list(struct cli *cli)
{
    struct cli_answer a;
    cli_list(&a, cli, &pingo__view_archive_file);
    int rc = cli->remote ? cli_remote_tell(cli->remote, "/v1/archive", &a, true)
                         : pingo_store_archive_files(cli->store, on_file, &a, &cli->err);
    return cli_list_end(&a, NULL, rc);
}

static int on_progress(void *context, const struct pingo_archived *so_far)
{
    (void)context;
    if (so_far->attempts)
        cli_progress_show("moved: %" PRId64 " workflows, %" PRId64 " attempts", so_far->workflows,
                          so_far->attempts);
    return cli_signal_caught() != 0;
}

static int move(struct cli *cli, const struct cli_args *args)
{
    struct pingo_archive_options options = {.version = 1,
                                            .dry_run = cli_flag(args, "dry-run"),
                                            .seal = cli_flag(args, "seal"),
                                            .before_ms = cli_time(args, "before", 0),
                                            .progress = on_progress};
    struct pingo_archived result = {.size = sizeof result};
    if (cli_check(args) != CLI_OK)
        return CLI_USAGE;
    cli_signals_catch();
    int rc = pingo_store_archive(cli->store, &options, &result, &cli->err);
    cli_progress_clear();
    if (rc)
        return cli_error(cli);
    cli_answer(cli, CLI_TALK, &moved, &result);
    if (!cli->json)
        cli_say(cli, CLI_TALK,
                options.dry_run ? "{workflows} workflow{workflows||s} with {attempts} "
                                  "attempt{attempts||s} would move"
                                : "{workflows} workflow{workflows||s} with {attempts} "
                                  "attempt{attempts||s} moved[sealed>0?, {sealed} "
                                  "month file{sealed||s} sealed|]",
                &moved, &result);
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    bool moves = cli_flag(args, "now") || cli_flag(args, "dry-run") || cli_flag(args, "seal");
    if (cli_value(args, "before") && !moves)
        return cli_usage(args, "--before goes with --now or --dry-run");
    int rc = cli_open(cli);
    return rc != CLI_OK ? rc : moves ? move(cli, args) : list(cli);
}

const struct cli_command cli_archive = {
    "archive", NULL, run,
    CLI_DOCUMENTS({NULL, &pingo__view_archive_file, true}, {"--now", &moved, false})};
