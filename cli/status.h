/* status.h - the status of a submission, for the commands that print it. */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include <pingo.h>

#include "answer.h"
#include "select.h"

/* What its view shows, with who goes on with it; clear it. */
void cli_workflow_look(struct cli *cli, const struct pingo_workflow_status *status,
                       struct pingo__view_workflow *look);
void cli_workflow_look_clear(struct pingo__view_workflow *look);
/* The whole status of a submission, as an element of what is open.  selection: only these actions; NULL: all.
 * 0 or a PINGO_E*. */
int cli_status_write(struct cli *cli, struct pingo__writer *w, int64_t workflow,
                     const struct cli_selection *selection, struct pingo_error *err);
/* pingo_store_actions() for a selection (NULL: all). */
int cli_each_selected(struct cli *cli, int64_t workflow, const struct cli_selection *selection,
                      pingo_action_status_fn fn, void *context, struct pingo_error *err);
/* The status of one submission, copied; its strings are left out. */
int cli_workflow_status(struct cli *cli, int64_t workflow, struct pingo_workflow_status *status,
                        struct pingo_error *err);

#endif
