/* init.c - pingo init: makes a store. */
#include "answer.h"
#include "view/columns.h"

struct made {
    const char *directory, *pool, *id;
    bool elsewhere; /* the pool is */
};

#define ROW struct made
static const struct pingo__view_column columns[] = {
    COLUMN("directory", TEXT, directory, "of the store, absolute"),
    COLUMN("pool", TEXT, pool, "its pool, absolute"),
    COLUMN("id", TEXT, id, "of the store; it is also in the marker file of its pool"),
    SHOWN("elsewhere", FLAG, elsewhere),
};
static const struct pingo__view_table view = VIEW_TEXT(
    "store", columns, ROW, "made an empty store in {directory}", "[elsewhere?its pool is {pool}]");
#undef ROW

/* DIR/.pingo of -C, else $PINGO_DIR itself, else .pingo here. */
static char *directory_of(struct cli *cli)
{
    const char *environment = cli_environment("PINGO_DIR");
    if (cli->directory)
        return cli_absolute(cli_format("%s/.pingo", cli->directory));
    return cli_absolute(environment ? environment : ".pingo");
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_store *store = NULL;
    const char *given = cli_value(args, "pool");
    if (given && *given == '\0')
        return cli_usage(args, "--pool takes a directory");
    char *directory = directory_of(cli);
    if (pingo_store_init(directory, given, &cli->err) != 0 ||
        pingo_store_open(directory, NULL, &store, &cli->err) != 0)
        return cli_error(cli);
    cli_answer(cli, CLI_TALK, &view,
               &(struct made){pingo_store_directory(store), pingo_store_pool(store),
                              pingo_store_id(store), given});
    pingo_store_close(store);
    return CLI_OK;
}

const struct cli_command cli_init = {"init", NULL, run, CLI_PRINTS(&view)};
