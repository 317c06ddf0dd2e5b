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

/* What people call a command elsewhere; those that there are, are told. */
static const struct {
    const char *word, *commands[3];
} meanings[] = {
    {"clean", {"release", "rm", NULL}},
    {"cleanup", {"release", "rm", NULL}},
    {"gc", {"release", "rm", NULL}},
    {"prune", {"release", "rm", "forget"}},
    {"purge", {"rm", "forget", "destroy"}},
    {"evict", {"release", "decide", NULL}},
    {"free", {"release", "rm", NULL}},
    {"delete", {"rm", "release", NULL}},
    {"remove", {"rm", "release", NULL}},
    {"unpin", {"release", NULL, NULL}},
    {"pin", {"keep", NULL, NULL}},
    {"unkeep", {"release", NULL, NULL}},
    {"stop", {"pause", "kill", NULL}},
    {"cancel", {"kill", "pause", NULL}},
    {"abort", {"kill", "pause", NULL}},
    {"interrupt", {"pause", "kill", NULL}},
    {"suspend", {"pause", NULL, NULL}},
    {"continue", {"resume", "run", NULL}},
    {"unpause", {"resume", NULL, NULL}},
    {"restart", {"resume", "run", NULL}},
    {"retry", {"run", NULL, NULL}},
    {"start", {"run", "submit", NULL}},
    {"execute", {"run", "exec", NULL}},
    {"build", {"run", NULL, NULL}},
    {"make", {"run", NULL, NULL}},
    {"dry-run", {"plan", NULL, NULL}},
    {"diff", {"plan", "why", NULL}},
    {"explain", {"why", "plan", NULL}},
    {"reason", {"why", NULL, NULL}},
    {"lint", {"validate", NULL, NULL}},
    {"check", {"validate", "fsck", NULL}},
    {"verify", {"fsck", "validate", NULL}},
    {"repair", {"fsck", NULL, NULL}},
    {"list", {"status", "datasets", NULL}},
    {"ls", {"status", "datasets", NULL}},
    {"ps", {"status", NULL, NULL}},
    {"jobs", {"status", NULL, NULL}},
    {"workflows", {"status", NULL, NULL}},
    {"show", {"status", "provenance", "log"}},
    {"watch", {"wait", "status", NULL}},
    {"logs", {"log", NULL, NULL}},
    {"strace", {"audit", NULL, NULL}},
    {"trace", {"audit", NULL, NULL}},
    {"output", {"path", "log", "export"}},
    {"outputs", {"datasets", "export", NULL}},
    {"cat", {"path", "log", NULL}},
    {"get", {"export", "path", NULL}},
    {"copy", {"export", NULL, NULL}},
    {"results", {"export", "datasets", NULL}},
    {"lineage", {"provenance", NULL, NULL}},
    {"graph", {"provenance", NULL, NULL}},
    {"dag", {"provenance", NULL, NULL}},
    {"tree", {"provenance", NULL, NULL}},
    {"settings", {"config", NULL, NULL}},
    {"set", {"config", NULL, NULL}},
    {"du", {"datasets", "report", NULL}},
    {"stats", {"report", NULL, NULL}},
    {"import-output", {"adopt", NULL, NULL}},
    {"create", {"init", NULL, NULL}},
    {"new", {"init", NULL, NULL}},
};

static const char *nearest(const char *word)
{
    const char *names[sizeof commands / sizeof commands[0]];
    size_t n = 0;
    for (size_t i = 0; commands[i] != NULL; i++)
        if ((commands[i]->flags & CLI_HIDDEN) == 0)
            names[n++] = commands[i]->name;
    return cli_nearest(word, names, n);
}

const char *cli_command_hint(char hint[CLI_HINT_SIZE], const char *word)
{
    const char *said[3];
    size_t n = 0;
    for (size_t i = 0; n == 0 && i < sizeof meanings / sizeof meanings[0]; i++)
        for (size_t k = 0; strcmp(meanings[i].word, word) == 0 && k < 3; k++)
            if (meanings[i].commands[k] != NULL && cli_command_find(meanings[i].commands[k]) != NULL)
                said[n++] = meanings[i].commands[k];
    if (n == 0 && (said[0] = nearest(word)) != NULL)
        n = 1;
    hint[0] = '\0';
    for (size_t i = 0, at = 0; i < n && at < CLI_HINT_SIZE; i++) {
        const char *before = i == 0 ? "; did you mean " : i + 1 < n ? ", " : " or ";
        at += (size_t)snprintf(hint + at, CLI_HINT_SIZE - at, "%s\"%s\"%s", before, said[i],
                               i + 1 == n ? "?" : "");
    }
    return hint;
}
