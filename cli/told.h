/* told.h - what a command tells alike of the store here and of one behind a server. */
#ifndef CLI_TOLD_H
#define CLI_TOLD_H

#include <pingo.h>
#include <pingo/summary.h>

#include "answer.h"
#include "base/map.h"
#include "status.h"

/* reasons.c: why actions are computed, and what differs, equal reasons together */
struct cli_reason;
struct cli_reasons {         /* none: zeroed */
    struct cli_reason *list; /* one a group, in the order of their first actions */
    size_t n;
    struct pingo__map groups; /* their indexes */
    size_t inherited;         /* actions that differ through their parents alone: in no group */
};

void cli_reasons_clear(struct cli_reasons *reasons);
/* Takes it into the group of its reason and differences (parents do not count); returns the group's number, from 1.
 * groups_inherited: else one that differs through its parents alone is only counted, and 0 comes back. */
size_t cli_reasons_add(struct cli_reasons *reasons, const struct pingo_why *why,
                       bool groups_inherited);
/* The groups, of what would be computed, or was to be. */
void cli_reasons_print(const struct cli_reasons *reasons, bool is_plan);

/* status --follow */
struct cli_following {
    struct cli *cli;
    int64_t workflow; /* 0: all */
    bool has_ended;
    bool is_unread; /* nobody reads what is told */
    enum pingo_workflow_state state;
};
/* A change, if it is meant; and the workflow's state, as it is, not as it changed.  0, or a PINGO_E* in cli->err. */
int cli_follow_change(void *following, const struct pingo_change *change);
int cli_follow_state(struct cli_following *f, int64_t number);

/* log: what was reused, skipped or joined has that of another run: whose, before it is shown. */
void cli_log_whose(const struct pingo_action_status *action, const struct pingo__view_ran *ran);
/* Where nothing was shown: nothing yet, empty, or nothing ran. */
void cli_log_empty(const struct pingo_action_status *action, const struct pingo__view_ran *ran);

/* export */
struct cli_exports {
    struct cli_answer answer;
    size_t n;
    int64_t workflow;
};
extern const struct pingo__view_table cli_exports_view;
/* The end.  is_all: nothing failed; else what was exported is told all the same. */
void cli_exports_end(struct cli_exports *exports, bool is_all);
int cli_exported(void *exports, int64_t id, const char *name, const char *path, int64_t size_bytes);

#endif
