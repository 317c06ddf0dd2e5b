/* commands.c - which commands ask a server, and when. */
#include <string.h>

#include "remote/remote.h"

static const struct {
    const char *name, *options; /* that it takes there, besides those of all */
} commands[] = {
    {"submit", "strict|target|force|force-outputs|tag|once|priority"},
    {"plan", "strict|target|force|force-outputs|check|all|why"},
    {"rerun", ""},
    {"status", "limit|after|attempts|follow|groups|label"},
    {"wait", "grace"},
    {"kill", ""},
    {"pause", ""},
    {"resume", ""},
    {"priority", "set"},
    {"log", "stdout|stderr|follow|command"},
    {"datasets",
     "state|user|workflow|label|min-size|max-size|newer|older|all|sort|reverse|limit|after"},
    {"export", "label|force"},
    {"errors", "since|until|by|step|error|executor|node|user|name|list|limit|after|csv"},
    {"why", ""},
    {"provenance", "depth|limit"},
    {"report", "since|until|limit|evictions|after"},
    {"archive", ""},
    {"shares", "weight|slots|actions|bytes|csv"},
};
#define COMMON "server|directory|quiet|json|time-style|help"
/* Commands that ask no store, unless they are told to by --store; decide does as its options say. */
#define ALONE "help|version|completion|complete|validate|hash|init|import|generate|simulate"

static bool is_alone(const struct cli_args *args)
{
    if (strcmp(args->command->name, "decide") == 0)
        return cli_flag(args, "scenario") || cli_flag(args, "list");
    return pingo__text_is_among(ALONE, args->command->name) && !cli_flag(args, "store");
}

static int refuse(const struct cli_args *args, const char *option)
{
    char *names = NULL;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        cli_append(&names, "%s%s", i == 0 ? "" : ", ", commands[i].name);
    if (option)
        cli_message("--%s of %s does not work with a server", option, args->command->name);
    else
        cli_message("%s does not work with a server; %s do", args->command->name, names);
    if (strcmp(args->command->name, "run") == 0)
        cli_try("pingo submit, which leaves it to the server to run, and pingo wait");
    else if (strcmp(args->command->name, "trace") == 0)
        cli_try("pingo status WORKFLOW --attempts --json, which tells of each attempt");
    else if (is_alone(args))
        cli_try("it without --server: it asks no store");
    else
        cli_try("it on the machine of the store, without --server and PINGO_SERVER");
    return CLI_USAGE;
}

bool cli_remote_is_meant(struct cli *cli, const struct cli_args *args, const char **where, int *rc)
{
    const char *given = cli_value(args, "server");
    bool is_asked = !cli->directory && !is_alone(args);
    *where = given ? given : is_asked ? cli_environment("PINGO_SERVER") : NULL;
    *rc = CLI_OK;
    if (!*where)
        return false;
    if (cli->directory)
        *rc = cli_usage(args, "--server and --directory do not go together");
    else if (is_alone(args))
        *rc = refuse(args, NULL);
    return true;
}

int cli_remote_run(struct cli *cli, const struct cli_args *args, const char *where)
{
    size_t k = 0, n = sizeof commands / sizeof *commands;
    while (k < n && strcmp(commands[k].name, args->command->name) != 0)
        k++;
    if (k == n)
        return refuse(args, NULL);
    for (size_t i = 0; i < args->ngiven; i++) {
        const char *option = args->given[i].option->long_name;
        if (!pingo__text_is_among(COMMON, option) &&
            !pingo__text_is_among(commands[k].options, option))
            return refuse(args, option);
    }
    return cli_remote_with(cli, args, where, args->command->run);
}
