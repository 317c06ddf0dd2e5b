/* completion.c - pingo completion: the scripts by which shells complete command lines.
 *
 * They hold no list of their own: they ask `pingo complete` (complete.c), which reads the tables
 * of the commands and, for workflows and actions, the store. */
#include <string.h>

#include "args.h"
#include "message.h"
#include "texts.h"

static int run(struct cli *cli, const struct cli_args *args)
{
    const char *name = cli_format("pingo.%s", cli_operand(args, 0));
    const struct cli_file *script = cli_files;
    (void)cli;
    while (script->file && strcmp(script->file, name) != 0)
        script++;
    if (!script->file)
        return cli_usage(args, "there are scripts for bash, zsh and fish");
    cli_text_print(stdout, script->lines);
    return CLI_OK;
}

static const char *const shells[] = {"bash", "", "zsh", "", "fish", "", NULL};

const struct cli_command cli_completion = {
    .name = "completion", .operands = "verb", .run = run, .verbs = shells};
