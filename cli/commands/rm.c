/* rm.c - pingo rm: deletes datasets from the pool. */
#include <stdlib.h>

#include "json.h"
#include "message.h"
#include "select.h"
#include "session.h"

struct removal {
    cJSON *hashes;
    size_t removed, passed; /* passed over: a pattern or label met what is not there */
    int status;
};

/* What a pattern meets and what is not there is passed over; what was named must be. */
static void remove_one(struct cli *cli, const struct cli_selected *one, struct removal *r)
{
    struct pingo_error err = {0};
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(&one->hash, hex);
    int rc = pingo_store_remove(cli->store, &one->hash, &err);
    if (rc == 0) {
        r->removed++;
        cli_json_text(r->hashes, NULL, hex);
        if (!cli->json)
            cli_note("deleted %.12s%s%s; a tick removes the bytes", hex,
                     one->name != NULL ? "  " : "", one->name != NULL ? one->name : "");
        return;
    }
    if (!one->is_named && (rc == PINGO_ESTATE || rc == PINGO_ENOTFOUND)) {
        r->passed++;
        return;
    }
    int status = cli_error(cli, &err);
    r->status = r->status == CLI_OK ? status : r->status;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct cli_selection s;
    int status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_select_datasets(cli, args, false, &s);
    if (status != CLI_OK)
        return status;
    struct removal r = {.hashes = cli_json_array()};
    for (size_t i = 0; i < s.n; i++)
        remove_one(cli, &s.list[i], &r);
    if (r.removed == 0 && r.status == CLI_OK) {
        cli_message("nothing of what is meant is stored");
        r.status = CLI_NOTFOUND;
    }
    if (cli->json && r.removed > 0) {
        cJSON *o = cli_json_object();
        cli_json_text(o, "hash", cJSON_GetStringValue(cJSON_GetArrayItem(r.hashes, 0)));
        cli_json_add(o, "hashes", r.hashes);
        cli_json_int(o, "passedOver", (int64_t)r.passed);
        cli_json_print(stdout, o);
    } else {
        cJSON_Delete(r.hashes);
    }
    cli_selection_clear(&s);
    return r.status;
}

static const struct cli_option options[] = {CLI_LABEL_OPTION};
static const int exits[] = {CLI_NOTFOUND, 0};
static const char *const operands[] = {"workflow|dataset", "action", NULL};

const struct cli_command cli_rm = {
    .name = "rm",
    .synopsis = "WORKFLOW ACTION... | HASH...",
    .summary = "delete datasets",
    .description =
        "Deletes the datasets of actions, or those whose hashes begin so (at least 4 digits).\n"
        "An action is an id, a name, or a pattern such as 'kmers*'; with --label those with the\n"
        "label are meant.  The next tick of anyone removes the bytes.  What an unfinished action\n"
        "claims is not deleted.  A later workflow that needs it computes it again.",
    .example = "  pingo rm last split\n  pingo rm last 'kmers*' other\n"
               "  pingo rm last --label sample=3\n  pingo rm 3f2a91b0\n",
    CLI_OPTIONS(options),
    .flags = CLI_TAKES_JSON | CLI_NEEDS_STORE,
    .exits = exits,
    .min_operands = 1,
    .max_operands = CLI_ANY,
    .operands = operands,
    .run = run,
};
