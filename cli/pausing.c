/* pausing.c - see pausing.h. */
#include "pausing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "json.h"
#include "message.h"
#include "session.h"
#include "status.h"

static int change_one(struct cli *cli, const struct cli_pausing *pausing, int64_t workflow,
                      cJSON *list)
{
    struct pingo_workflow_status s;
    struct pingo_error err = {0};
    bool changed = false;
    if (pausing->change(cli->store, workflow, &changed, &err) != 0 ||
        cli_workflow_status(cli, workflow, &s, &err) != 0)
        return cli_error(cli, &err);
    if (cli->json) {
        cJSON *o = cli_json_object();
        cli_json_int(o, "workflow", workflow);
        cli_json_text(o, "state", pingo_workflow_state_name((int)s.state));
        cli_json_flag(o, "changed", changed);
        cli_json_add(list, NULL, o);
        return CLI_OK;
    }
    cli_note("workflow %" PRId64 " %s", workflow, changed ? pausing->done : pausing->before);
    if (pausing->next != NULL)
        pausing->next(cli, workflow);
    return CLI_OK;
}

int cli_pausing(struct cli *cli, const struct cli_args *args, const struct cli_pausing *pausing)
{
    int64_t *workflows = cli_alloc(args->noperands * sizeof *workflows);
    cJSON *list = cli_json_array();
    int status = cli_open(cli);
    for (size_t i = 0; status == CLI_OK && i < args->noperands; i++)
        status = cli_workflow_of(cli, cli_operand(args, i), &workflows[i]);
    for (size_t i = 0; status == CLI_OK && i < args->noperands; i++)
        status = change_one(cli, pausing, workflows[i], list);
    if (status == CLI_OK && cli->json) {
        cJSON *o = cli_json_object();
        cli_json_add(o, "workflows", list);
        cli_json_print(stdout, o);
        list = NULL;
    }
    cJSON_Delete(list);
    free(workflows);
    return status;
}
