/* fsck.c - pingo fsck: checks what must always hold of a store. */
#include <inttypes.h>

#include "answer.h"
#include "signals.h"
#include "view/columns.h"

struct printer {
    struct cli_answer answer;
    size_t found, repaired;
    bool clean, repairable; /* something is left that a repair mends */
};

#define ROW struct printer
static const struct pingo__view_column columns[] = {
    STREAM("findings", &pingo__view_finding, "what does not hold"),
    COLUMN("clean", FLAG, clean, "no finding is left"),
    SHOWN("found", COUNT, found),
    SHOWN("repaired", COUNT, repaired),
};
static const struct pingo__view_table view = VIEW("findings", columns, ROW);
#undef ROW

static int on_finding(void *context, const struct pingo_finding *finding)
{
    struct printer *p = context;
    p->found++;
    p->repaired += finding->repaired;
    p->repairable |= finding->repairable && !finding->repaired;
    cli_row(&p->answer, finding);
    return 0;
}

static int on_progress(void *context, uint64_t done, uint64_t total)
{
    (void)context;
    if (total > 0)
        cli_progress_show("checking: %" PRIu64 " of %" PRIu64, done, total);
    return cli_signal_caught() != 0;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct printer p = {0};
    struct pingo_fsck_options options = {.version = 1,
                                         .deep = cli_flag(args, "deep"),
                                         .repair = cli_flag(args, "repair"),
                                         .progress = on_progress,
                                         .finding = on_finding,
                                         .context = &p};
    bool clean = false;
    cli_signals_catch();
    cli_list_within(&p.answer, cli, &view, NULL);
    int rc = pingo_store_fsck(cli->store, &options, &clean, &cli->err);
    cli_progress_clear();
    p.clean = rc == 0 && clean;
    cli_list_end(&p.answer, &p, 0);
    if (rc != 0)
        return cli_error(cli);
    if (!cli->json)
        cli_say(cli, CLI_TALK, "[found>0?{found} finding{found||s}, {repaired} repaired|clean]",
                &view, &p);
    if (p.repairable)
        cli_try("%s fsck --repair", cli_program(cli));
    else if (!clean)
        cli_try("what a finding says, else a copy of the store: no repair mends it");
    return clean ? CLI_OK : CLI_FAILED;
}

const struct cli_command cli_fsck = {"fsck", NULL, run, CLI_OPENS_STORE, CLI_PRINTS(&view)};
