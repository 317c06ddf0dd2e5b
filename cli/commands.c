/* commands.c - the commands of pingo, in the order in which help shows them. */
#include "elsewhere.h"

extern const struct cli_command cli_init, cli_validate, cli_hash, cli_plan, cli_submit, cli_run,
    cli_wait, cli_tick, cli_status, cli_log, cli_kill, cli_datasets, cli_path, cli_export, cli_exec,
    cli_provenance, cli_why, cli_rm, cli_release, cli_fsck, cli_config, cli_version, cli_help,
    cli_completion, cli_history, cli_decide, cli_keep, cli_report, cli_pause, cli_resume, cli_audit,
    cli_forget, cli_destroy, cli_adopt, cli_token, cli_shares, cli_errors, cli_trace, cli_archive,
    cli_hooks, cli_rerun, cli_priority;

static const struct cli_command cli_import = {"import", .program = "pingo-lab"};
static const struct cli_command cli_simulate = {"simulate", .program = "pingo-lab"};
static const struct cli_command cli_generate = {"generate", .program = "pingo-lab"};
static const struct cli_command cli_serve = {"serve", .program = "pingo-server"};

static const struct cli_command *const commands[] = {
    &cli_init,    &cli_validate, &cli_hash,       &cli_plan,   &cli_submit,   &cli_run,
    &cli_rerun,   &cli_exec,     &cli_wait,       &cli_tick,   &cli_status,   &cli_log,
    &cli_audit,   &cli_kill,     &cli_pause,      &cli_resume, &cli_priority, &cli_datasets,
    &cli_history, &cli_report,   &cli_trace,      &cli_path,   &cli_export,   &cli_provenance,
    &cli_why,     &cli_rm,       &cli_adopt,      &cli_keep,   &cli_release,  &cli_forget,
    &cli_fsck,    &cli_config,   &cli_version,    &cli_help,   &cli_destroy,  &cli_decide,
    &cli_import,  &cli_simulate, &cli_generate,   &cli_token,  &cli_shares,   &cli_errors,
    &cli_archive, &cli_hooks,    &cli_completion, &cli_serve,  NULL,
};

const struct cli_command *const *cli_commands(void)
{
    return commands;
}

const char cli_overview[] =
    "usage: pingo [-C DIR | --server URL] COMMAND [OPTION]... [OPERAND]...\n\n"
    "Pingo runs workflows, DAGs of commands in JSON, and never computes the same thing\n"
    "twice: what was computed before, in any workflow, is reused.\n\ncommands:\n";
