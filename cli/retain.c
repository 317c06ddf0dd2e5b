/* retain.c - what pingo keep and pingo release share. */
#include "retain.h"

#include <string.h>

#include "args.h"
#include "json.h"
#include "message.h"
#include "session.h"

static int tell(const struct cli *cli, const struct cli_retain *how, size_t n)
{
    if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_int(o, how->done, (int64_t)n);
        cli_json_print(stdout, o);
    } else if (n == 0) {
        cli_note("%s", how->nothing);
    } else {
        cli_note("%s %zu dataset%s", how->done, n, n == 1 ? "" : "s");
    }
    return CLI_OK;
}

int cli_retain(struct cli *cli, const struct cli_args *args, const struct cli_retain *how)
{
    struct pingo_hash hash;
    struct pingo_error err = {0};
    const char *first = cli_operand(args, 0);
    int64_t workflow, number;
    bool changed = false;
    int status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    bool is_number = strcmp(first, "last") == 0 || cli_number(first, 1, INT64_MAX, &number);
    /* Digits alone are a workflow's number where there is one, else the beginning of a hash. */
    if (args->noperands == 1 && is_number) {
        size_t n = 0;
        int rc = pingo_store_resolve_workflow(cli->store, first, &workflow, &err);
        if (rc == 0)
            rc = how->leaves(cli->store, workflow, &n, &err);
        if (rc == 0)
            return tell(cli, how, n);
        if (rc != PINGO_ENOTFOUND || strlen(first) < 5)
            return cli_error(cli, &err);
    }
    status = cli_dataset_of(cli, args, &hash);
    if (status != CLI_OK)
        return status;
    if (how->one(cli->store, &hash, &changed, &err) != 0)
        return cli_error(cli, &err);
    return tell(cli, how, changed);
}
