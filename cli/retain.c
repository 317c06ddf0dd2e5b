/* retain.c - what pingo keep and pingo release share. */
#include "retain.h"

#include <inttypes.h>
#include <string.h>

#include "json.h"
#include "message.h"
#include "select.h"
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

/* What a pattern or label meets and what is not there is passed over; what was named must be. */
static int each(struct cli *cli, const struct cli_selection *s, const struct cli_retain *how,
                struct pingo_released *all)
{
    size_t done = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct pingo_released one = {.size = sizeof one};
        struct pingo_error err = {0};
        int rc = how->of_dataset(cli->store, s->workflow, &s->list[i].hash, &one, &err);
        if (rc != 0 && (s->list[i].is_named || (rc != PINGO_ESTATE && rc != PINGO_ENOTFOUND)))
            return cli_error(cli, &err);
        done += rc == 0;
        all->released += one.released;
        all->wanted += one.wanted;
        all->wanted_by = one.wanted > 0 ? one.wanted_by : all->wanted_by;
        all->wanted_by_others = all->wanted_by_others || one.wanted_by_others;
    }
    if (done > 0)
        return CLI_OK;
    cli_message("nothing of what is meant is stored");
    return CLI_NOTFOUND;
}

int cli_retain(struct cli *cli, const struct cli_args *args, const struct cli_retain *how)
{
    struct cli_selection s;
    struct pingo_error err = {0};
    struct pingo_released released = {.size = sizeof released};
    int status = cli_open(cli);
    if (status == CLI_OK)
        status = cli_select_datasets(cli, args, true, &s);
    if (status != CLI_OK)
        return status;
    if (!s.is_everything)
        status = each(cli, &s, how, &released);
    else if (how->of_workflow(cli->store, s.workflow, &released, &err) != 0)
        status = cli_error(cli, &err);
    cli_selection_clear(&s);
    return status == CLI_OK ? cli_retain_tell(cli, how, &released) : status;
}
