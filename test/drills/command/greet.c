/* greet.c - pingo greet: a command of a drill, which says what a setting of a drill is. */
#include <stdio.h>
#include <stdlib.h>

#include "answer.h"
#include "view/columns.h"

#define ROW struct pingo__view_setting
static const struct pingo__view_column columns[] = {COLUMN("whom", TEXT, value, "who is greeted")};
static const struct pingo__view_table view = VIEW("greeting", columns, ROW);
#undef ROW

static int run(struct cli *cli, const struct cli_args *args)
{
    char *whom = NULL;
    if (pingo_store_get(cli->store, "greet.whom", &whom, &cli->err) != 0)
        return cli_error(cli);
    const struct pingo__view_setting row = {.key = "greet.whom", .value = whom};
    if (cli->json)
        cli_answer(cli, CLI_DATA, &view, &row);
    else
        printf("%s, %s\n", cli_flag(args, "evening") ? "good evening" : "hello", whom);
    free(whom);
    return CLI_OK;
}

const struct cli_command cli_greet = {"greet", NULL, run, CLI_OPENS_STORE, CLI_PRINTS(&view)};
