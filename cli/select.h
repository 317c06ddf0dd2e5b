/* select.h - which actions or datasets a command means: WORKFLOW [ACTION]... [--label KEY=VALUE]..., or HASH.... */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include <pingo.h>

#include "args.h"

/* WORKFLOW of an operand (NULL: "last").  CLI_OK, or the exit status after a message. */
int cli_workflow_of(struct cli *cli, const char *operand, int64_t *workflow);
/* What the library did not find in a workflow that was named so (NULL: no workflow was): the error, and where to
 * look. */
int cli_not_found(struct cli *cli, const char *workflow);
/* All operands as workflows; yours, free() it.  CLI_OK, or the exit status after a message. */
int cli_workflows_of(struct cli *cli, const struct cli_args *args, int64_t **workflows);
/* Are the operands such: WORKFLOW ACTION or HASH?  Else it is told that they are wrong. */
bool cli_is_dataset(const struct cli_args *args);
/* The dataset that they mean.  CLI_OK, or the exit status after a message. */
int cli_dataset_of(struct cli *cli, const struct cli_args *args, struct pingo_hash *hash);

struct cli_selection {
    int64_t workflow;   /* 0: by hashes */
    bool is_everything; /* a workflow alone: no action and no label was given; the list is empty */
    struct pingo_selected *list; /* of one that was named by its hash: that alone */
    size_t n;
};

/* One more that is meant: row is the status of an action.  0. */
int cli_mean_action(void *selection, const void *row);

/* operands: WORKFLOW, then nactions actions.  CLI_OK, or the exit status after a message. */
int cli_select_actions(struct cli *cli, const struct cli_args *args, size_t nactions,
                       struct cli_selection *selection);
/* All operands: a workflow and actions, or hashes.  Each dataset once.  alone: a workflow without actions and
 * labels is meant whole; else that is wrong usage.  Digits alone are a workflow's number where
 * there is one, else the beginning of a hash. */
int cli_select_datasets(struct cli *cli, const struct cli_args *args, bool alone,
                        struct cli_selection *selection);
/* Calls fn for each dataset that is meant, which returns 0 or a PINGO_E*.  What a pattern or a label
 * meets and is not there (PINGO_ESTATE, PINGO_ENOTFOUND) is passed over, what was named must be there; others are done
 * all the same.  CLI_OK, or the exit status after messages. */
typedef int (*cli_dataset_fn)(void *context, const struct cli_selection *selection,
                              const struct pingo_selected *one);
struct cli_each {
    struct cli *cli;
    const struct cli_selection *selection;
    size_t done, passed;
    int status; /* of the first message */
};
/* The same for who does all of them together: what came of the one at a place of the list, whose error is cli->err; and
 * at the end. */
void cli_each_note(struct cli_each *each, size_t at, int failed);
int cli_each_end(const struct cli_each *each);
int cli_each_dataset(struct cli *cli, const struct cli_selection *selection, cli_dataset_fn fn,
                     void *context);

/* Has this user (NULL: anybody) submitted anything at all, and was there a workflow of this name (NULL: any)?  CLI_OK,
 * or CLI_NOTFOUND after a message, which suggests what is spelt alike. */
int cli_check_submitted(struct cli *cli, const char *user, const char *workflow);

#endif
