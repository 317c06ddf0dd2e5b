/* retain.c - what pingo keep and pingo release share. */
#include "retain.h"

#include <inttypes.h>
#include <string.h>

#include "json.h"
#include "message.h"
#include "session.h"

int cli_retain_tell(const struct cli *cli, const struct cli_retain *how,
                    const struct pingo_released *r)
{
    if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_int(o, how->done, (int64_t)r->released);
        if (how->of_workflow == pingo_store_release_workflow) {
            cli_json_int(o, "wanted", (int64_t)r->wanted);
            if (r->wanted)
                cli_json_int(o, "wantedBy", r->wanted_by);
            else
                cli_json_null(o, "wantedBy");
        }
        cli_json_print(stdout, o);
        return CLI_OK;
    }
    if (r->released > 0)
        cli_note("%s %zu dataset%s", how->done, r->released, r->released == 1 ? "" : "s");
    else if (r->wanted == 0)
        cli_note("%s", how->nothing);
    if (r->wanted > 0)
        cli_note("%zu of these %s: %s also %s of workflow %" PRId64 "%s", r->wanted,
                 r->wanted == 1 ? "stays" : "stay", r->wanted == 1 ? "it is" : "they are",
                 r->wanted == 1 ? "a result" : "results", r->wanted_by,
                 r->wanted_by_others ? " and others" : "");
    return CLI_OK;
}

int cli_retain(struct cli *cli, const struct cli_args *args, const struct cli_retain *how)
{
    struct pingo_hash hash;
    struct pingo_error err = {0};
    struct pingo_released released = {0};
    const char *first = cli_operand(args, 0);
    int64_t workflow = 0, number;
    int status = cli_open(cli);
    if (status != CLI_OK)
        return status;
    bool is_number = strcmp(first, "last") == 0 || cli_number(first, 1, INT64_MAX, &number);
    /* Digits alone are a workflow's number where there is one, else the beginning of a hash. */
    if (args->noperands == 1 && is_number) {
        int rc = pingo_store_resolve_workflow(cli->store, first, &workflow, &err);
        if (rc == 0)
            rc = how->of_workflow(cli->store, workflow, &released, &err);
        if (rc == 0)
            return cli_retain_tell(cli, how, &released);
        if (rc != PINGO_ENOTFOUND || strlen(first) < 5)
            return cli_error(cli, &err);
        workflow = 0;
    }
    if (args->noperands > 1 && (status = cli_workflow_of(cli, first, &workflow)) != CLI_OK)
        return status;
    status = cli_dataset_of(cli, args, &hash);
    if (status != CLI_OK)
        return status;
    if (how->of_dataset(cli->store, workflow, &hash, &released, &err) != 0)
        return cli_error(cli, &err);
    return cli_retain_tell(cli, how, &released);
}
