/* destroy.c - pingo destroy: removes a store with its pool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"
#include "text.h"

struct kept {
    const struct cli *cli;
    cJSON *list; /* with --json */
    size_t n;
};

static int on_kept(void *context, const char *path, const char *why)
{
    struct kept *k = context;
    k->n++;
    if (k->cli->json) {
        cJSON *o = cli_json_object();
        cli_json_text(o, "path", path);
        cli_json_text(o, "reason", why);
        cJSON_AddItemToArray(k->list, o);
    } else {
        cli_message("kept: %s: %s", path, why);
    }
    return 0;
}

struct found {
    char *directory, *pool;
    size_t ndatasets;
    int64_t bytes;
};

static int add_dataset(void *context, const struct pingo_dataset_status *status)
{
    struct found *f = context;
    if (!status->is_managed || status->path == NULL)
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

/* The store here, where -C says or $PINGO_DIR; one that lies above is not meant by accident. */
static int find(struct cli *cli, struct found *f)
{
    const char *environment = getenv("PINGO_DIR");
    struct pingo_error err = {0};
    if (environment != NULL && *environment == '\0')
        environment = NULL;
    char *here = cli_absolute(".");
    int rc =
        pingo_store_discover(cli->directory == NULL && environment == NULL ? here : cli->directory,
                             environment, here, &f->directory, &err);
    free(here);
    return rc == 0 ? CLI_OK : cli_error(cli, &err);
}

/* What would go is said before it is asked for. */
static bool is_meant(const struct found *f)
{
    char size[PINGO__UNITS_SIZE], answer[16] = "";
    pingo__units_print_size(size, f->bytes);
    fprintf(stderr, "This removes the store %s\n", f->directory);
    if (f->pool != NULL)
        fprintf(stderr, "with its pool %s: %zu dataset%s, %s.\n", f->pool, f->ndatasets,
                f->ndatasets == 1 ? "" : "s", size);
    fprintf(stderr, "Remove it? [y/N] ");
    fflush(stderr);
    return fgets(answer, sizeof answer, stdin) != NULL &&
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

static void print_json(const struct found *f, struct kept *kept)
{
    cJSON *o = cli_json_object();
    cli_json_text(o, "directory", f->directory);
    cli_json_text(o, "pool", f->pool);
    cli_json_int(o, "datasets", (int64_t)f->ndatasets);
    cli_json_int(o, "sizeBytes", f->bytes);
    cli_json_add(o, "kept", kept->list);
    kept->list = NULL;
    cli_json_print(stdout, o);
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_error err = {0};
    struct kept kept = {.cli = cli, .list = cli->json ? cJSON_CreateArray() : NULL};
    struct found found = {0};
    int status = find(cli, &found);
    if (status == CLI_OK)
        measure(&found);
    if (status == CLI_OK)
        status = ask(args, &found);
    if (status == CLI_OK && pingo_store_destroy(found.directory, on_kept, &kept, &err) != 0)
        status = cli_error(cli, &err);
    if (status == CLI_OK && cli->json)
        print_json(&found, &kept);
    else if (status == CLI_OK)
        cli_note("removed the store %s", found.directory);
    cJSON_Delete(kept.list);
    free(found.directory);
    free(found.pool);
    return status;
}

static const struct cli_option options[] = {
    {'y', "yes", NULL, "do not ask"},
};
static const int exits[] = {CLI_FAILED, 0};

const struct cli_command cli_destroy = {
    .name = "destroy",
    .synopsis = "",
    .summary = "remove a store with its pool",
    .description =
        "Removes the store that lies here (with -C DIR: in DIR; never one above), its history\n"
        "and its pool with all datasets.  Asks first on a terminal, and needs --yes elsewhere.\n"
        "What was exported stays, and so does what lies in the pool's directory and was not\n"
        "made by Pingo.  It is refused while a process uses the store.",
    .example = "  pingo destroy\n  pingo -C /scratch/old destroy --yes\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .run = run,
};
