/* path.c - pingo path: where a dataset lies. */
#include <stdlib.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

struct found {
    char *path;
    enum pingo_dataset_state state;
    bool was_made;
};

static int take(void *context, const struct pingo_dataset_status *status)
{
    struct found *found = context;
    found->path = cli_copy(status->path);
    found->state = status->state;
    found->was_made = status->made_ms >= 0;
    return 0;
}

static bool is_complete(enum pingo_dataset_state state)
{
    return state == PINGO_DATASET_STORED || state == PINGO_DATASET_LEAF ||
           state == PINGO_DATASET_STORED_TO_DELETE;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_hash hash;
    struct pingo_error err = {0};
    struct found found = {0};
    int status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_dataset_of(cli, args, &hash);
    if (status != CLI_OK)
        return status;
    if (pingo_store_dataset(cli->store, &hash, take, &found, &err) != 0)
        return cli_error(cli, &err);
    if (found.path == NULL || !is_complete(found.state)) {
        cli_message("there is nothing to find: the dataset is %s",
                    found.was_made || found.state < PINGO_DATASET_STORED
                        ? pingo_dataset_state_name((int)found.state)
                        : "not made, for its action did not finish");
        cli_try("running the workflow again, which computes it");
        status = CLI_NOTFOUND;
    } else if (pingo_store_check_dataset(cli->store, &hash, &err) != 0) {
        status = cli_error(cli, &err);
    } else if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_hash(o, "hash", &hash);
        cli_json_text(o, "path", found.path);
        cli_json_text(o, "state", pingo_dataset_state_name((int)found.state));
        cli_json_print(stdout, o);
    } else {
        cli_print_data(stdout, found.path);
        putchar('\n');
    }
    free(found.path);
    return status;
}

static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow|dataset", "action", NULL};

const struct cli_command cli_path = {
    .name = "path",
    .synopsis = "WORKFLOW ACTION | HASH",
    .summary = "print where an output lies",
    .description =
        "Prints the path of the output of an action, or of the dataset whose hash begins so (at\n"
        "least 4 digits).  What lies there is read-only and may be deleted later unless it is a\n"
        "leaf or pinned: pingo export makes a copy of your own.",
    .example = "  less \"$(pingo path last rank)\"\n",
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = 2,
    .operands = operands,
    .run = run,
};
