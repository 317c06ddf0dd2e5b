/* status.h - how the status of a submission is printed, for the commands that do. */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include <pingo.h>

#include "command.h"
#include "json.h"
#include "select.h"

/* {"compute","reuse","join","skip"} */
cJSON *cli_summary_json(const struct pingo_plan_summary *summary);
/* The members of a submission: workflow, name, state, user, submitted, ended, ..., who drives it. */
cJSON *cli_workflow_json(struct cli *cli, const struct pingo_workflow_status *status);
/* The whole status of a submission, as an element of what is open: an object with "actions".
 * selection: only these; NULL: all.  0 or a PINGO_E*. */
int cli_status_json(struct cli *cli, struct cli_json *json, int64_t workflow,
                    const struct cli_selection *selection, struct pingo_error *err);
/* pingo_store_actions() for a selection (NULL: all). */
int cli_each_selected(struct cli *cli, int64_t workflow, const struct cli_selection *selection,
                      pingo_action_status_fn fn, void *context, struct pingo_error *err);

/* The colour of a state on this stream, or "". */
const char *cli_state_colour(FILE *out, enum pingo_workflow_state state);

/* The status of one submission, copied; its strings are left out. */
int cli_workflow_status(struct cli *cli, int64_t workflow, struct pingo_workflow_status *status,
                        struct pingo_error *err);

#endif
