/* views.h - the views of the public structs, and the rows of those that are put together of several. */
#ifndef PINGO__VIEW_VIEWS_H
#define PINGO__VIEW_VIEWS_H

#include <pingo/access.h>
#include <pingo/archive.h>
#include <pingo/feed.h>
#include <pingo/pool.h>
#include <pingo/scheduler.h>
#include <pingo/store.h>
#include <pingo/summary.h>
#include <pingo/users.h>

#include "view/view.h"

/* A part of a list, as a stream of rows. */
struct pingo__view_page {
    const char *next; /* "": it is the end */
};
extern const struct pingo__view_table pingo__view_workflow_page, pingo__view_attempt_page,
    pingo__view_dataset_page, pingo__view_eviction_page;

/* action.c: struct pingo_action_status */
extern const struct pingo__view_table pingo__view_action;
/* Why an action failed: what the store says of it, else how its last attempt ended. */
void pingo__view_failure(struct pingo__buffer *b, const struct pingo_action_status *status);

/* feed.c */
struct pingo__view_change {
    struct pingo_change change;
    const char *name; /* of the action; NULL: none */
};
extern const struct pingo__view_table pingo__view_change;

/* group.c: struct pingo_group, struct pingo_neighbour */
extern const struct pingo__view_table pingo__view_group, pingo__view_neighbour;
extern const struct pingo__view_table pingo__view_cost;     /* struct pingo_cost */
extern const struct pingo__view_table pingo__view_critical; /* struct pingo_critical */

/* users.c: struct pingo_share */
extern const struct pingo__view_table pingo__view_share;
/* archive.c: struct pingo_archive_file */
extern const struct pingo__view_table pingo__view_archive_file;
/* access.c: struct pingo_token */
extern const struct pingo__view_table pingo__view_token; /* struct pingo_token */
extern const struct pingo__view_table pingo__view_audit; /* struct pingo_audit */
struct pingo__view_made_token {
    struct pingo_token token;
    const char *text; /* of what is revoked: its name */
    const char *name; /* what was made is looked for by it: what is checked counts as used */
};
int pingo__view_take_made(void *made, const struct pingo_token *token); /* for pingo_store_tokens() */
extern const struct pingo__view_table pingo__view_token_made, pingo__view_token_revoked;
struct pingo__view_way_in {
    const char *code, *url;
};
extern const struct pingo__view_table pingo__view_way_in; /* the way in for a browser */
struct pingo__view_me {
    const char *user; /* NULL: it is not known who asks */
    enum pingo_role role;
};
extern const struct pingo__view_table pingo__view_me; /* who asks */

/* attempt.c: struct pingo_attempt */
extern const struct pingo__view_table pingo__view_attempt;

/* errors.c.  Options: which of the columns is shown. */
enum { PINGO__VIEW_BY_STEP = 1, PINGO__VIEW_BY_ERROR, PINGO__VIEW_BY_VALUE };
extern const struct pingo__view_table pingo__view_errors;      /* struct pingo_summary_row */
extern const struct pingo__view_table pingo__view_error_kinds; /* the same by error, in words */
extern const struct pingo__view_table pingo__view_used; /* struct pingo_summary_row: what was used */
extern const struct pingo__view_table pingo__view_failed; /* struct pingo_failure */
extern const struct pingo__view_table pingo__view_failed_page;

/* hooks.c: struct pingo_hook */
extern const struct pingo__view_table pingo__view_hook, pingo__view_hook_page;

/* workflow.c */
/* So many of its actions have a row. */
static inline size_t pingo__view_workflow_rows(const struct pingo_workflow_status *s)
{
    return s->waiting + s->ready + s->running + s->finished + s->failed;
}
struct pingo__view_workflow {
    struct pingo_workflow_status status;
    bool has_drivers; /* it is unfinished, and it was asked who goes on with it */
    bool driven;
    const struct pingo_driver *drivers;
    size_t ndrivers;
    const char *blocked; /* why some of what is ready cannot start; NULL: it can, or it was not asked */
    size_t nblocked;     /* how many actions that says */
    size_t nothers;      /* and how many say something else */
    const char *next; /* where the list of actions goes on; NULL or "": it is the end */
};
extern const char pingo__view_driven[]; /* a template: who goes on with it, and what to do */
extern const struct pingo__view_table pingo__view_workflow;
extern const struct pingo__view_table
    pingo__view_workflow_actions; /* the same, with the stream of its actions */
extern const struct pingo__view_table pingo__view_summary;    /* struct pingo_plan_summary */
extern const struct pingo__view_table pingo__view_submission; /* struct pingo_submission */
extern const struct pingo__view_table pingo__view_submitted; /* the same, with the stream of its warnings */

/* plan.c */
struct pingo__view_why {
    struct pingo_why why;
    size_t group; /* the same for actions with the same reason; 0: none */
};
struct pingo__view_planned {
    struct pingo_planned planned;
    const struct pingo__view_why *why; /* NULL: it was not asked, or does not apply */
};
struct pingo__view_plan {
    const char *workflow;
    struct pingo_plan_totals totals;
};
extern const struct pingo__view_table pingo__view_why;     /* of an action of pingo why */
extern const struct pingo__view_table pingo__view_reason;  /* the same without the action */
extern const struct pingo__view_table pingo__view_planned; /* of pingo plan */
extern const struct pingo__view_table pingo__view_plan;

/* dataset.c: struct pingo_dataset_status.  Option 1: its value is shown. */
extern const struct pingo__view_table pingo__view_dataset;

/* history.c: struct pingo_history_row.  Options: which of the first columns is shown. */
enum { PINGO__VIEW_FROM = 1, PINGO__VIEW_OF_WORKFLOW, PINGO__VIEW_OF_USER };
struct pingo__view_history {
    struct pingo_history_row row;
    bool by_user; /* the row's name is that of a user */
};
extern const struct pingo__view_table pingo__view_history;
extern const struct pingo__view_table pingo__view_history_all; /* the same of everything, in words */
extern const struct pingo__view_table
    pingo__view_history_counts; /* struct pingo_history_row, without what it is of */

/* pool.c */
struct pingo__view_decision {
    struct pingo_decide_summary summary;
    struct pingo_pool_usage usage; /* that it was decided on */
};
struct pingo__view_state {
    enum pingo_dataset_state state;
    size_t ndatasets;
    int64_t bytes;
};
extern const struct pingo__view_table pingo__view_usage;    /* struct pingo_pool_usage */
extern const struct pingo__view_table pingo__view_decided;  /* struct pingo_decided */
extern const struct pingo__view_table pingo__view_decision; /* with the stream of its victims */
extern const struct pingo__view_table pingo__view_eviction; /* struct pingo_eviction */
extern const struct pingo__view_table pingo__view_report;   /* struct pingo_report */
extern const struct pingo__view_table pingo__view_state;    /* its datasets in a state */
extern const struct pingo__view_table pingo__view_report_algorithm; /* struct pingo_report_algorithm */
extern const struct pingo__view_table pingo__view_report_dataset; /* struct pingo_report_dataset */

/* algorithm.c */
struct pingo__view_scenario {
    const char *algorithm;
    struct pingo_decision_result result;
};
extern const struct pingo__view_table pingo__view_parameter; /* struct pingo_decision_parameter */
extern const struct pingo__view_table pingo__view_algorithm; /* struct pingo_decision_algorithm */
extern const struct pingo__view_table pingo__view_scenario;

/* store.c */
struct pingo__view_setting {
    const char *key, *value, *default_value, *meaning;
};
extern const struct pingo__view_table pingo__view_setting;
struct pingo__view_check {
    const char *executor, *what, *message;
    int result; /* enum pingo_check_result */
};
extern const struct pingo__view_table pingo__view_check;
extern const struct pingo__view_table pingo__view_finding; /* struct pingo_finding */
extern const struct pingo__view_table pingo__view_tick;    /* struct pingo_tick_result */
extern const struct pingo__view_table pingo__view_problem; /* struct pingo_problem */

/* change.c; kept and released: struct pingo_released */
struct pingo__view_killed {
    int64_t workflow;
    size_t killed;
};
struct pingo__view_paused {
    int64_t workflow;
    enum pingo_workflow_state state;
    bool changed;
};
struct pingo__view_priority {
    int64_t workflow;
    enum pingo_workflow_state state;
    int64_t priority;
    bool changed;
};
struct pingo__view_removed {
    struct pingo_hash first;
    char **hashes;
    size_t n, passed;
};
struct pingo__view_verdict {
    bool valid;
};
struct pingo__view_ran {
    int64_t workflow;     /* that was asked about */
    int64_t ran_workflow; /* 0: nothing ran */
    int64_t ran_id;       /* -1 likewise */
};
extern const struct pingo__view_table pingo__view_ran;
struct pingo__view_versions {
    const char *program, *library;
    bool differs;
};
extern const struct pingo__view_table pingo__view_killed, pingo__view_paused, pingo__view_priority,
    pingo__view_kept, pingo__view_released, pingo__view_removed, pingo__view_versions;
struct pingo__view_server {
    const char *version, *api;
};
struct pingo__view_health {
    const char *status;
};
extern const struct pingo__view_table pingo__view_server, pingo__view_health;
extern const struct pingo__view_table pingo__view_verdict; /* with the stream of its problems */

/* provenance.c */
struct pingo__view_origin {
    struct pingo_hash hash;
    bool more;
};
extern const struct pingo__view_table pingo__view_provenance; /* struct pingo_provenance */
extern const struct pingo__view_table pingo__view_origin; /* of a dataset, with the stream of what made it */

#endif
