/* ends.h - ends of attempts that are noted and summed by hand, of the first submission. */
#ifndef TEST_STORE_ENDS_H
#define TEST_STORE_ENDS_H

#include "unit/store/rows.h"

#include "store/action/summary.h"

/* The category is its number; 0: it is no failure. */
struct ends_kind {
    int category;
    int64_t exit_code;
    const char *text;
};

/* Notes and sums the end of a try of an action; the number of its failure. */
static inline int64_t ends_add(struct box *b, struct pingo_job_key key, struct ends_kind kind,
                               int64_t ended_ms)
{
    struct pingo__rules_failure failure = {.category = (enum pingo_failure_category)kind.category,
                                           .reason = 1,
                                           .exit_code = kind.exit_code,
                                           .signal = -1};
    struct pingo_job_end end = {.size = sizeof end,
                                .key = key,
                                .started_ms = ended_ms - 100,
                                .ended_ms = ended_ms,
                                .wall_ms = 100,
                                .user_ms = 30,
                                .system_ms = -1};
    struct pingo__store_ended ended = {.end = &end,
                                       .failure = &failure,
                                       .workflow = 1,
                                       .id = key.action,
                                       .executor = "fake",
                                       .handed_ms = ended_ms - 150,
                                       .started_ms = ended_ms - 100,
                                       .node = "n1",
                                       .ran = true};
    struct pingo_error err;
    int64_t error = -1;

    snprintf(failure.text, sizeof failure.text, "%s", kind.text ? kind.text : "");
    well(pingo__store_failure_note(&b->store->db, &ended, &error, &err), &err);
    well(pingo__store_summary_add(&b->store->db, &ended, error, &err), &err);
    return error;
}

static inline void ends_save(struct box *b)
{
    struct pingo_error err;

    well(pingo__store_summary_save(&b->store->db, &err), &err);
}

#endif
