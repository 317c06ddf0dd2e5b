/* version.c - pingo version. */
#include <pingo.h>
#include <string.h>

#include "args.h"
#include "json.h"

static int run(struct cli *cli, const struct cli_args *args)
{
    (void)args;
    if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_text(o, "version", PINGO_VERSION);
        cli_json_text(o, "library", pingo_version());
        cli_json_print(stdout, o);
    } else if (strcmp(PINGO_VERSION, pingo_version()) == 0) {
        printf("pingo %s\n", PINGO_VERSION);
    } else {
        printf("pingo %s, with libpingo %s\n", PINGO_VERSION, pingo_version());
    }
    return CLI_OK;
}

const struct cli_command cli_version = {
    .name = "version",
    .synopsis = "",
    .summary = "print the version",
    .description = "Prints the version of the program, and of the library where it differs.",
    .example = "  pingo version\n",
    .flags = CLI_TAKES_JSON,
    .run = run,
};
