/* select.h - which actions or datasets a command means: WORKFLOW [ACTION]... [--label KEY=VALUE]..., or HASH.... */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include <pingo.h>

#include "args.h"
#include "json.h"

#define CLI_LABEL_OPTION                                                                           \
    {                                                                                              \
        0, "label", "KEY=VALUE", "only actions with this label; repeatable, all must match"        \
    }

struct cli_selected {
    int64_t id;
    char *name;
    struct pingo_hash hash;
    bool is_named; /* not by a pattern or a label */
    size_t place;  /* in the order in which they were found */
};
struct cli_selection {
    int64_t workflow;   /* 0: by hashes */
    bool is_everything; /* a workflow alone: no action and no label was given */
    struct cli_selected *list;
    size_t n, capacity;
};

/* operands: WORKFLOW, then nactions actions.  CLI_OK, or the exit status after a message. */
int cli_select_actions(struct cli *cli, const struct cli_args *args, size_t nactions,
                       struct cli_selection *selection);
/* All operands: a workflow and actions, or hashes.  Each dataset once.  alone: a workflow without actions and
 * labels is meant whole (the list stays empty); else that is wrong usage.  Digits alone are a workflow's number where
 * there is one, else the beginning of a hash. */
int cli_select_datasets(struct cli *cli, const struct cli_args *args, bool alone,
                        struct cli_selection *selection);
void cli_selection_clear(struct cli_selection *selection);

/* {"KEY": "VALUE", ...} under "labels". */
void cli_labels_json(cJSON *object, const char *const *labels, size_t n);

#endif
