/* path.c - pingo path: where a dataset lies. */
#include <stdlib.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "select.h"
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

static void tell(const struct cli *cli, const struct cli_selected *one, const struct found *found,
                 cJSON *list)
{
    if (!cli->json) {
        cli_print_data(stdout, found->path);
        putchar('\n');
        return;
    }
    cJSON *o = cli_json_object();
    cli_json_hash(o, "hash", &one->hash);
    cli_json_text(o, "path", found->path);
    cli_json_text(o, "state", pingo_dataset_state_name((int)found->state));
    cli_json_text(o, "name", one->name);
    cli_json_add(list, NULL, o);
}

static int nothing(const struct cli_selected *one, const struct found *found)
{
    cli_message("%s%sthere is nothing to find: the dataset is %s",
                one->name == NULL ? "" : one->name, one->name == NULL ? "" : ": ",
                found->was_made || pingo_dataset_state_is_pending(found->state)
                    ? pingo_dataset_state_name((int)found->state)
                    : "not made, for its action did not finish");
    cli_try("running the workflow again, which computes it");
    return CLI_NOTFOUND;
}

/* What a pattern or label meets and what is not there is passed over; what was named must be. */
static int one_path(struct cli *cli, const struct cli_selected *one, cJSON *list, size_t *n)
{
    struct found found = {0};
    struct pingo_error err = {0};
    int rc = pingo_store_dataset(cli->store, &one->hash, take, &found, &err), status = CLI_OK;
    bool there = rc == 0 && found.path != NULL && pingo_dataset_state_is_there(found.state);
    if (there && pingo_store_check_dataset(cli->store, &one->hash, &err) != 0) {
        status = cli_error(cli, &err);
    } else if (there) {
        tell(cli, one, &found, list);
        ++*n;
    } else if (rc != 0 && (one->is_named || rc != PINGO_ENOTFOUND)) {
        status = cli_error(cli, &err);
    } else if (rc == 0 && one->is_named) {
        status = nothing(one, &found);
    }
    free(found.path);
    return status;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_selection s;
    size_t n = 0;
    int status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_select_datasets(cli, args, false, &s);
    if (status != CLI_OK)
        return status;
    cJSON *list = cli_json_array();
    for (size_t i = 0; i < s.n; i++) {
        int one = one_path(cli, &s.list[i], list, &n);
        status = status == CLI_OK ? one : status;
    }
    if (n == 0 && status == CLI_OK) {
        cli_message("nothing of what is meant is stored");
        status = CLI_NOTFOUND;
    }
    if (cli->json && n > 0 && s.n == 1)
        cli_json_print(stdout, cJSON_DetachItemFromArray(list, 0));
    else if (cli->json && n > 0)
        cli_json_print(stdout, cJSON_Duplicate(list, 1));
    cJSON_Delete(list);
    cli_selection_clear(&s);
    return status;
}

static const struct cli_option options[] = {CLI_LABEL_OPTION};
static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow|dataset", "action", NULL};

const struct cli_command cli_path = {
    .name = "path",
    .synopsis = "WORKFLOW ACTION... | HASH...",
    .summary = "print where outputs lie",
    .description =
        "Prints the paths of the outputs of actions, or of datasets whose hashes begin so (at\n"
        "least 4 digits).  An action is an id, a name, or a pattern such as 'kmers*'; with\n"
        "--label those with the label are meant.  What lies there is read-only and may be\n"
        "deleted later unless it is a leaf or pinned: pingo export makes a copy of your own.",
    .example = "  less \"$(pingo path last rank)\"\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
