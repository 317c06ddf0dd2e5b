/* version.c - pingo version. */
#include <pingo.h>
#include <string.h>

#include "answer.h"
#include "view/columns.h"

struct versions {
    const char *program, *library;
};

#define ROW struct versions
static const struct pingo__view_column columns[] = {
    COLUMN("version", TEXT, program, "of the program"),
    COLUMN("library", TEXT, library, "of the library that it runs with"),
};
static const struct pingo__view_table view = VIEW("version", columns, ROW);
#undef ROW

static int run(struct cli *cli, const struct cli_args *args)
{
    (void)args;
    if (cli_answer(cli, &view, &(struct versions){PINGO_VERSION, pingo_version()}))
        return CLI_OK;
    bool same = strcmp(PINGO_VERSION, pingo_version()) == 0;
    printf("pingo %s%s%s\n", PINGO_VERSION, same ? "" : ", with libpingo ",
           same ? "" : pingo_version());
    return CLI_OK;
}

const struct cli_command cli_version = {
    .name = "version",
    .synopsis = "",
    .summary = "print the version",
    .description = "Prints the version of the program, and of the library where it differs.",
    .example = "  pingo version\n",
    CLI_PRINTS(&view),
    .flags = CLI_TAKES_JSON,
    .run = run,
};
