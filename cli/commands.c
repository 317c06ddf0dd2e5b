/* commands.c - the list of commands. */
#include <string.h>

#include "command.h"

extern const struct cli_command cli_init, cli_validate, cli_hash, cli_plan, cli_submit, cli_run,
    cli_wait, cli_tick, cli_status, cli_log, cli_kill, cli_datasets, cli_path, cli_export, cli_exec,
    cli_provenance, cli_why, cli_rm, cli_release, cli_fsck, cli_config, cli_version, cli_help,
    cli_complete, cli_completion, cli_history, cli_decide, cli_import, cli_simulate, cli_keep,
    cli_report, cli_generate, cli_pause, cli_resume, cli_audit, cli_forget, cli_destroy, cli_adopt;

static const struct cli_command *const commands[] = {
    &cli_init,       &cli_validate, &cli_hash,       &cli_plan,   &cli_submit,
    &cli_run,        &cli_exec,     &cli_wait,       &cli_tick,   &cli_status,
    &cli_log,        &cli_audit,    &cli_kill,       &cli_pause,  &cli_resume,
    &cli_datasets,   &cli_history,  &cli_report,     &cli_path,   &cli_export,
    &cli_provenance, &cli_why,      &cli_rm,         &cli_adopt,  &cli_keep,
    &cli_release,    &cli_forget,   &cli_fsck,       &cli_config, &cli_version,
    &cli_help,       &cli_destroy,  &cli_decide,     &cli_import, &cli_simulate,
    &cli_generate,   &cli_complete, &cli_completion, NULL,
};

const struct cli_command *const *cli_commands(void)
{
    return commands;
}

const struct cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}
