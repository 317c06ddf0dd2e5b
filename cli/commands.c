/* commands.c - the commands of pingo, in the order in which help shows them. */
#include "elsewhere.h"

/* clang-format off */
#define COMMANDS(_) \
    _(init) _(validate) _(hash) _(plan) _(submit) _(run) _(rerun) _(exec) _(wait) _(tick) _(status) _(log) _(audit) \
    _(kill) _(pause) _(resume) _(priority) _(datasets) _(history) _(report) _(trace) _(path) _(export) _(provenance) \
    _(why) _(rm) _(adopt) _(keep) _(release) _(forget) _(fsck) _(config) _(version) _(help) _(destroy) _(decide) \
    _(import) _(simulate) _(generate) _(token) _(shares) _(errors) _(archive) _(hooks) _(completion) _(serve)
/* clang-format on */
#define DECLARED(name) extern const struct cli_command cli_##name;
COMMANDS(DECLARED)

const struct cli_command cli_import = {"import", .program = "pingo-lab"};
const struct cli_command cli_simulate = {"simulate", .program = "pingo-lab"};
const struct cli_command cli_generate = {"generate", .program = "pingo-lab"};
const struct cli_command cli_serve = {"serve", .program = "pingo-server"};

#define LISTED(name) &cli_##name,
static const struct cli_command *const commands[] = {COMMANDS(LISTED) NULL};

const struct cli_command *const *cli_commands(void)
{
    return commands;
}

const char cli_overview[] =
    "usage: pingo [-C DIR | --server URL] COMMAND [OPTION]... [OPERAND]...\n\n"
    "Pingo runs workflows, DAGs of commands in JSON, and never computes the same thing\n"
    "twice: what was computed before, in any workflow, is reused.\n\ncommands:\n";
