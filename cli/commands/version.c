/* version.c - pingo version. */
#include <string.h>

#include "answer.h"

static int run(struct cli *cli, const struct cli_args *args)
{
    (void)args;
    const char *library = pingo_version();
    cli_answer(cli, CLI_DATA, &pingo__view_versions,
               &(struct pingo__view_versions){PINGO_VERSION, library,
                                              strcmp(PINGO_VERSION, library) != 0});
    return CLI_OK;
}

const struct cli_command cli_version = {"version", NULL, run, CLI_PRINTS(&pingo__view_versions)};
