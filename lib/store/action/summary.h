/* summary.h - what ended: sums by half hour and by day, and the kinds of failures that were met.
 *
 * What always holds: the ends of attempts are in both sums once each, from the transaction on that settles them; a row
 * of attempt says of which failure it is (error; 0: none).  Half hours that ended more than 90 days ago are in the
 * sums of days alone.  Where attempts themselves are read for sums and lists of failures, it is by PINGO__ENDS. */
#ifndef PINGO__STORE_SUMMARY_H
#define PINGO__STORE_SUMMARY_H

#include <pingo/summary.h>

#include "rules/failure.h"
#include "store/action/actions.h"
#include "store/action/totals.h"

#define PINGO__SUMMARY_STEP_MS INT64_C(1800000)
#define PINGO__SUMMARY_DAY_MS INT64_C(86400000)
enum {
    PINGO__SUMMARY_KEPT = 90 * 48, /* half hours */
    PINGO__FAILURE_FIRST =
        32, /* those below stand for all of a category that have no row: "(other)" */
    PINGO__FAILURE_KINDS = 10000,      /* at most so many have a row */
    PINGO__FAILURE_EXAMPLES_SIZE = 200 /* "WORKFLOW.ID.EPOCH", the newest first */
};

/* ---- attempts: t, their actions a and submissions w, of those that are read here: store/archive/archive.h ---- */

#define PINGO__OF_ATTEMPT                                                                          \
    " CROSS JOIN action a ON a.id = t.action CROSS JOIN workflow w ON w.id = a.workflow"           \
    " AND w.archived = (SELECT archive FROM here)"
#define PINGO__ENDS " attempt t" PINGO__OF_ATTEMPT
/* For what ended in a period: " WHERE t.error > 0 AND t.ended_ms >= ..." */
#define PINGO__ENDS_FAILED " attempt t INDEXED BY attempt_failed" PINGO__OF_ATTEMPT
/* Of one failure: " WHERE t.error > 0 AND t.error = ..." */
#define PINGO__ENDS_OF_ERROR " attempt t INDEXED BY attempt_error" PINGO__OF_ATTEMPT
#define PINGO__END_WALL "max(coalesce(t.wall_ms, 0), 0)"
#define PINGO__END_CPU "max(coalesce(t.user_ms, 0), 0) + max(coalesce(t.system_ms, 0), 0)"
#define PINGO__END_WAIT "max(coalesce(t.started_ms, t.ended_ms, 0) - t.handed_ms, 0)"
/* Did it fail, and a later one of the action not? */
#define PINGO__END_RETRIED                                                                         \
    "iif(t.error > 0, EXISTS (SELECT 1 FROM attempt l WHERE l.action = t.action AND l.epoch >"     \
    " t.epoch AND l.state = " ATTEMPT_ENDED " AND l.error = 0), 0)"
/* The columns of a summary, of all ends of steps from ?1 on. */
#define PINGO__SUMS(step_ms)                                                                       \
    "SELECT coalesce(t.ended_ms, 0) / " step_ms " AS step, t.error, t.executor,"                   \
    " coalesce(t.host, '') AS node, w.user, count(*), sum(" PINGO__END_WALL                        \
    "), sum(" PINGO__END_CPU "), sum(" PINGO__END_WAIT "), sum(" PINGO__END_RETRIED "),"           \
    " sum(iif(" PINGO__END_RETRIED ", " PINGO__END_WALL ", 0)) FROM" PINGO__ENDS                   \
    " WHERE t.state = " ATTEMPT_ENDED " GROUP BY 1, 2, 3, 4, 5"
#define PINGO__SUMS_ADDED                                                                          \
    PINGO__TOTALS_ADDED                                                                            \
    ", retried = retried + excluded.retried, retried_ms = retried_ms + excluded.retried_ms"
#define PINGO__SUMS_30M PINGO__SUMS("1800000")
#define PINGO__SUMS_DAY PINGO__SUMS("86400000")

/* ---- filling: inside a write transaction ---- */

struct pingo__store_ended {
    const struct pingo_job_end *end;
    const struct pingo__rules_failure *failure;
    int64_t workflow, id; /* of its action, and that in it */
    const char *executor; /* of its row, like what follows */
    int64_t handed_ms, started_ms;
    const char *node; /* as it will be in its row */
    bool ran;
};
/* The failure's row, which counts one more and has a new example; 0: it is none. */
int pingo__store_failure_note(struct pingo__store_db *db, const struct pingo__store_ended *ended,
                              int64_t *error, struct pingo_error *err);
/* Errors: PINGO_ENOTFOUND: nothing of this number was ever met. */
int pingo__store_failure_find(struct pingo__store_db *db, int64_t error, struct pingo_error *err);
/* Adds it to the sums, which the tables are told when the transaction ends. */
int pingo__store_summary_add(struct pingo__store_db *db, const struct pingo__store_ended *ended,
                             int64_t error, struct pingo_error *err);
/* Tells them now. */
int pingo__store_summary_save(struct pingo__store_db *db, struct pingo_error *err);
void pingo__store_summary_drop(struct pingo__store_db *db);

/* ---- asking (summary_query.c) ---- */

struct pingo__store_summary_query {
    int64_t halves[2][2]; /* half hours, [from, to) */
    int64_t days[2];      /* and days that are counted */
    int64_t from_ms;      /* of the period, as of what is not by step */
    int64_t to_ms;
    int64_t new_ms;                /* what was not met before is new */
    struct pingo_summary_query of; /* its times are not looked at */
};
struct pingo__store_summary_row {
    struct pingo_summary_row told; /* from_ms: of its step, until_ms 0; without examples */
    const char *examples;          /* "WORKFLOW.ID.EPOCH ..." */
};
PINGO__STORE_LIST(pingo__store_summary_list, struct pingo__store_summary_row);
int pingo__store_summary_list(struct pingo__store_db *db,
                              const struct pingo__store_summary_query *query,
                              struct pingo__store_summary_list *list, struct pingo_error *err);

#endif
