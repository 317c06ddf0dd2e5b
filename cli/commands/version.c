/* version.c - pingo version. */
#include <string.h>

#include "answer.h"
#include "view/columns.h"

struct versions {
    const char *program, *library;
    bool differs;
};

#define ROW struct versions
static const struct pingo__view_column columns[] = {
    COLUMN("version", TEXT, program, "of the program"),
    COLUMN("library", TEXT, library, "of the library that it runs with"),
    SHOWN("differs", FLAG, differs),
};
static const struct pingo__view_table view =
    VIEW_TEXT("version", columns, ROW, "pingo {version}[differs?, with libpingo {library}]");
#undef ROW

static int run(struct cli *cli, const struct cli_args *args)
{
    (void)args;
    const char *library = pingo_version();
    cli_answer(cli, CLI_DATA, &view,
               &(struct versions){PINGO_VERSION, library, strcmp(PINGO_VERSION, library) != 0});
    return CLI_OK;
}

const struct cli_command cli_version = {"version", NULL, run, CLI_PRINTS(&view)};
