/* destroy.c - pingo destroy: removes a store with its pool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "view/columns.h"

struct kept {
    char *path, *why;
};

struct found {
    struct cli *cli;
    char *directory, *pool;
    size_t ndatasets;
    int64_t bytes;
    struct kept *kept;
    size_t nkept;
};

#define ROW struct kept
static const struct pingo__view_column kept_columns[] = {
    COLUMN("path", TEXT, path, "where it lies"),
    COLUMN("reason", TEXT, why, "why it stays"),
};
static const struct pingo__view_table kept_view = VIEW("kept", kept_columns, ROW);
#undef ROW
#define ROW struct found
static const struct pingo__view_column columns[] = {
    COLUMN("directory", TEXT, directory, "of the store"),
    COLUMN("pool", TEXT, pool, "its pool; null where it could not be opened", MISSING),
    COLUMN("datasets", COUNT, ndatasets, "how many lay in it"),
    COLUMN("sizeBytes", BYTES, bytes, "what they held"),
    LIST("kept", kept, nkept, &kept_view, "what stays"),
};
static const struct pingo__view_table view =
    VIEW_TEXT("store", columns, ROW, "removed the store {directory}");
#undef ROW

static int on_kept(void *context, const char *path, const char *why)
{
    struct found *f = context;
    if (!f->cli->json)
        cli_message("kept: %s: %s", path, why);
    f->kept = cli_more(f->kept, f->nkept, sizeof *f->kept);
    f->kept[f->nkept++] = (struct kept){cli_copy(path), cli_copy(why)};
    return 0;
}

static int add_dataset(void *context, const struct pingo_dataset_status *status)
{
    struct found *f = context;
    if (!status->is_managed || !status->path)
        return 0;
    f->ndatasets++;
    f->bytes += status->size_bytes > 0 ? status->size_bytes : 0;
    return 0;
}

/* Its size, as far as it can be had: what was cut short cannot be opened any more. */
static void measure(struct found *f)
{
    struct pingo_store *store = NULL;
    if (pingo_store_open(f->directory, NULL, &store, NULL) != 0)
        return;
    f->pool = cli_copy(pingo_store_pool(store));
    pingo_store_datasets(store, NULL, add_dataset, f, NULL);
    pingo_store_close(store);
}

/* Who wanted to remove one is not told to make one. */
static int failed(struct cli *cli)
{
    if (cli->err.code != PINGO_ENOSTORE)
        return cli_error(cli);
    cli_message("%s", cli->err.message);
    return cli_exit_of(cli->err.code);
}

/* The store here, where -C says or $PINGO_DIR; one that lies above is not meant by accident. */
static int find(struct cli *cli, struct found *f)
{
    const char *environment = cli_environment("PINGO_DIR");
    char *here = cli_absolute(".");
    int rc = pingo_store_discover(!cli->directory && !environment ? here : cli->directory,
                                  environment, here, &f->directory, &cli->err);
    return rc == 0 ? CLI_OK : failed(cli);
}

/* What would go is said before it is asked for. */
static bool is_meant(const struct found *f)
{
    char answer[16] = "";
    char *question = cli_text(f->cli,
                              "This removes the store {directory}\n[pool?with its pool {pool}: "
                              "{datasets} dataset{datasets||s}, {sizeBytes}.\n]",
                              &view, f);
    fprintf(stderr, "%sRemove it? [y/N] ", question);
    fflush(stderr);
    return fgets(answer, sizeof answer, stdin) &&
           (strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0);
}

static int ask(const struct cli_args *args, const struct found *f)
{
    if (cli_flag(args, "yes"))
        return CLI_OK;
    if (!isatty(STDIN_FILENO))
        return cli_usage(args, "nothing is removed unasked: say --yes");
    if (is_meant(f))
        return CLI_OK;
    cli_message("nothing was removed");
    return CLI_FAILED;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct found found = {.cli = cli};
    int rc = find(cli, &found);
    if (rc == CLI_OK)
        measure(&found);
    if (rc == CLI_OK)
        rc = ask(args, &found);
    if (rc == CLI_OK && pingo_store_destroy(found.directory, on_kept, &found, &cli->err) != 0)
        rc = failed(cli);
    if (rc == CLI_OK)
        cli_answer(cli, CLI_NOTE, &view, &found);
    free(found.directory);
    return rc;
}

const struct cli_command cli_destroy = {"destroy", NULL, run, CLI_PRINTS(&view)};
