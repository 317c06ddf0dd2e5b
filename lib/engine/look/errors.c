/* errors.c - what failed: sums, and the attempts that they are of. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "engine/look/page.h"
#include "store/action/summary.h"

#define STEP PINGO__SUMMARY_STEP_MS
#define HALVES 48                         /* in a day */
#define NEVER (INT64_C(4000000) * HALVES) /* no half hour comes so late */

/* ---- sums ------------------------------------------------------------------------------------ */

/* Half hours, to the beginning of their day. */
static int64_t down(int64_t n)
{
    return n / HALVES * HALVES;
}

/* Half hours from which on they are kept; whole days where they are not. */
static void find_period(struct pingo_store *store, const struct pingo_summary_query *q,
                        struct pingo__store_summary_query *asked)
{
    int64_t kept = pingo__store_db_now_ms(&store->db) / STEP - PINGO__SUMMARY_KEPT + 1;
    int64_t from = q->since_ms / STEP, to = q->until_ms ? (q->until_ms + STEP - 1) / STEP : NEVER;
    if (q->step == PINGO_SUMMARY_DAY || (q->step == PINGO_SUMMARY_ALL && from < kept))
        from = down(from);
    if (q->step == PINGO_SUMMARY_DAY || (q->step == PINGO_SUMMARY_ALL && to < kept))
        to = down(to + HALVES - 1);
    int64_t first = down(from + HALVES - 1), last = down(to);
    if (q->step == PINGO_SUMMARY_30M ||
        first >= last) { /* no whole day is in it, or none is wanted */
        asked->halves[0][0] = from;
        asked->halves[0][1] = to;
    } else {
        asked->halves[0][0] = from;
        asked->halves[0][1] = first;
        asked->days[0] = first / HALVES;
        asked->days[1] = last / HALVES;
        asked->halves[1][0] = last;
        asked->halves[1][1] = to;
    }
    asked->from_ms = from * STEP;
    asked->to_ms = to * STEP;
    asked->new_ms = from > 0 ? from * STEP : INT64_MAX;
}

/* "WORKFLOW.ID.EPOCH ..." */
static size_t read_examples(const char *text, struct pingo_summary_example examples[3])
{
    size_t n = 0;
    while (n < 3 && *text) {
        long long w = 0, id = 0, epoch = 0;
        if (sscanf(text, "%lld.%lld.%lld", &w, &id, &epoch) != 3)
            break;
        examples[n++] = (struct pingo_summary_example){w, id, epoch};
        text += strcspn(text, " ");
        text += *text == ' ';
    }
    return n;
}

static int tell(const struct pingo__store_summary_query *asked, struct pingo__store_summary_row *r,
                pingo_summary_fn fn, void *context)
{
    const struct pingo_summary_query *q = &asked->of;
    struct pingo_summary_example examples[3];
    struct pingo_summary_row *row = &r->told;
    if (q->by == PINGO_SUMMARY_BY_NOTHING || q->by == PINGO_SUMMARY_BY_ERROR || row->is_other)
        row->value = NULL;
    row->until_ms = row->from_ms + (q->step == PINGO_SUMMARY_30M ? STEP : STEP * HALVES);
    if (q->step == PINGO_SUMMARY_ALL) {
        row->from_ms = asked->from_ms > 0 ? asked->from_ms : -1;
        row->until_ms = q->until_ms ? asked->to_ms : -1;
    }
    row->examples = examples;
    row->nexamples = read_examples(r->examples, examples);
    return fn(context, row);
}

static int check_times(int64_t since_ms, int64_t until_ms, struct pingo_error *err)
{
    return since_ms < 0 || until_ms < 0 || until_ms > NEVER * STEP
               ? pingo__fail(err, PINGO_EINVAL, "the query has a time that is none")
               : 0;
}

int pingo_store_summary(struct pingo_store *store, const struct pingo_summary_query *query,
                        pingo_summary_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_summary_query q;
    struct pingo__arena arena = {0};
    struct pingo__store_summary_list list = {.arena = &arena};
    int rc = PINGO__OPTIONS_TAKE(pingo_summary_query, query, &q, err);
    if (!rc)
        rc = check_times(q.since_ms, q.until_ms, err);
    if (!rc && (q.by > PINGO_SUMMARY_BY_NAME || q.step > PINGO_SUMMARY_DAY || q.error < 0))
        rc = pingo__fail(err, PINGO_EINVAL, "the query is by what is not known");
    if (rc)
        return rc;
    struct pingo__store_summary_query asked = {.of = q};
    find_period(store, &q, &asked);
    rc = pingo__store_summary_list(&store->db, &asked, &list, err);
    if (!rc && q.error && list.n == 0)
        rc = pingo__store_failure_find(&store->db, q.error, err);
    for (size_t i = 0; !rc && i < list.n; i++)
        if (tell(&asked, &list.rows[i], fn, context))
            rc = pingo__engine_stopped(err);
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- attempts -------------------------------------------------------------------------------- */

int pingo_store_failures(struct pingo_store *store, const struct pingo_failure_query *query,
                         pingo_failure_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_failure_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_failure_query, query, &q, err);
    if (!rc)
        rc = check_times(q.since_ms, q.until_ms, err);
    struct pingo__engine_page p = {"x", q.limit, q.after, .next = q.next};
    rc = pingo__engine_page_begin(&p, rc, err);
    struct pingo__store_failed_query asked = {q, {INT64_MAX, 0, 0}, PINGO__PAGE_ROWS};
    while (pingo__engine_page_goes_on(&p, rc)) {
        struct pingo__store_attempt_told_list list = {.arena = &p.arena};
        if (p.begun || p.told)
            memcpy(asked.at, p.at, sizeof asked.at);
        rc = pingo__store_attempt_list_failed(&store->db, &asked, &list, err);
        for (size_t i = 0; pingo__engine_page_takes(&p, rc, i, list.n); i++) {
            struct pingo_attempt *a = &list.rows[i].told.attempt;
            p.at[0] = a->ended_ms;
            p.at[1] = a->row;
            p.at[2] = a->epoch;
            rc = pingo__pool_attempt_left(&store->pool, &p.arena,
                                          (struct pingo_job_key){a->row, a->epoch}, &a->attempt_dir,
                                          err);
            if (!rc && fn(context, &list.rows[i].told))
                rc = pingo__engine_stopped(err);
        }
    }
    if (!rc && q.row && !p.told)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "no attempt %lld.%lld has ended", (long long)q.row,
                         (long long)q.epoch);
    else if (!rc && q.error && !p.told)
        rc = pingo__store_failure_find(&store->db, q.error, err);
    return pingo__engine_page_end(&p, rc);
}
