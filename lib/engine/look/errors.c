/* errors.c - what failed: sums, and the attempts that they are of. */
#include <pingo/summary.h>

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

static int64_t down(int64_t n, int64_t unit)
{
    return n / unit * unit;
}

/* Half hours from which on they are kept; whole days where they are not. */
static void find_period(struct pingo_store *store, const struct pingo_summary_query *q,
                        struct pingo__store_summary_query *asked)
{
    const struct pingo__world *world = store->db.world;
    int64_t kept = world->now_ns(world->context) / 1000000 / STEP - PINGO__SUMMARY_KEPT + 1;
    int64_t from = q->since_ms / STEP, to = q->until_ms ? (q->until_ms + STEP - 1) / STEP : NEVER;
    if (q->step == PINGO_SUMMARY_DAY || (q->step == PINGO_SUMMARY_ALL && from < kept))
        from = down(from, HALVES);
    if (q->step == PINGO_SUMMARY_DAY || (q->step == PINGO_SUMMARY_ALL && to < kept))
        to = down(to + HALVES - 1, HALVES);
    int64_t first = down(from + HALVES - 1, HALVES), last = down(to, HALVES);
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

static int tell(const struct pingo_summary_query *q, const struct pingo__store_summary_query *asked,
                const struct pingo__store_summary_row *r, pingo_summary_fn fn, void *context)
{
    struct pingo_summary_example examples[3];
    bool is_error = q->by == PINGO_SUMMARY_BY_ERROR && !r->is_other;
    bool has_value = q->by != PINGO_SUMMARY_BY_NOTHING && !is_error && !r->is_other;
    int64_t length = q->step == PINGO_SUMMARY_30M ? STEP : STEP * HALVES;
    struct pingo_summary_row row = {.from_ms = r->at_ms,
                                    .until_ms = r->at_ms + length,
                                    .value = has_value ? r->value : NULL,
                                    .exit_code = -1,
                                    .signal = -1,
                                    .text = "",
                                    .is_other = r->is_other,
                                    .ended = r->ended,
                                    .failed = r->failed,
                                    .wall_ms = r->wall_ms,
                                    .cpu_ms = r->cpu_ms,
                                    .wait_ms = r->wait_ms,
                                    .retried = r->retried,
                                    .retried_ms = r->retried_ms,
                                    .used_ms = r->used_ms,
                                    .used_cpu_ms = r->used_cpu_ms,
                                    .first_ms = -1,
                                    .last_ms = -1,
                                    .examples = examples};
    if (q->step == PINGO_SUMMARY_ALL) {
        row.from_ms = asked->from_ms > 0 ? asked->from_ms : -1;
        row.until_ms = q->until_ms ? asked->to_ms : -1;
    }
    if (is_error) {
        row.error = r->error;
        row.category = (enum pingo_failure_category)r->category;
        row.text = r->text;
        row.exit_code = (int)r->exit_code;
        row.signal = (int)r->signal;
        row.is_new = r->is_new;
        row.first_ms = r->first_ms;
        row.last_ms = r->last_ms;
        row.nexamples = read_examples(r->examples, examples);
    }
    return fn(context, &row);
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
    struct pingo__store_summary_query asked = {.by = (int)q.by,
                                               .step = (int)q.step,
                                               .error = q.error,
                                               .executor = q.executor,
                                               .node = q.node,
                                               .user = q.user,
                                               .name = q.name,
                                               .limit = q.limit ? (int64_t)q.limit : -1};
    find_period(store, &q, &asked);
    rc = pingo__store_summary_list(&store->db, &asked, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++)
        if (tell(&q, &asked, &list.rows[i], fn, context))
            rc = pingo__engine_stopped(err);
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- attempts -------------------------------------------------------------------------------- */

static int tell_failure(struct pingo_store *store, const struct pingo__store_attempt_row *r,
                        struct pingo__arena *arena, struct pingo_failure *f, struct pingo_error *err)
{
    *f = (struct pingo_failure){.workflow = r->workflow,
                                .user = r->user,
                                .error = r->error,
                                .category = (enum pingo_failure_category)r->category,
                                .text = r->text,
                                .retried = r->retried,
                                .attempt = pingo__engine_attempt_of(r)};
    return pingo__pool_attempt_left(&store->pool, arena, r->key, &f->attempt.attempt_dir, err);
}

int pingo_store_failures(struct pingo_store *store, const struct pingo_failure_query *query,
                         pingo_failure_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_failure_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_failure_query, query, &q, err);
    if (!rc)
        rc = check_times(q.since_ms, q.until_ms, err);
    struct pingo__engine_page p = {"x", q.limit, q.after, .next = q.next};
    if (!rc)
        rc = pingo__engine_page_begin(&p, err);
    struct pingo__store_failed_query asked = {q.since_ms,      q.until_ms ? q.until_ms : INT64_MAX,
                                              q.error,         q.executor,
                                              q.node,          q.user,
                                              q.name,          q.row,
                                              q.epoch,         {INT64_MAX, 0, 0},
                                              PINGO__PAGE_ROWS};
    while (pingo__engine_page_goes_on(&p, rc)) {
        struct pingo__store_attempt_list list = {.arena = &p.arena};
        struct pingo_failure f;
        if (p.begun || p.told)
            memcpy(asked.at, p.at, sizeof asked.at);
        rc = pingo__store_attempt_list_failed(&store->db, &asked, &list, err);
        p.n = rc ? 0 : list.n;
        for (size_t i = 0; !rc && pingo__engine_page_takes(&p, i); i++) {
            p.at[0] = list.rows[i].ended_ms;
            p.at[1] = list.rows[i].key.action;
            p.at[2] = list.rows[i].key.epoch;
            rc = tell_failure(store, &list.rows[i], &p.arena, &f, err);
            if (!rc && fn(context, &f))
                rc = pingo__engine_stopped(err);
        }
    }
    if (!rc && q.row && !p.told)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "no attempt %lld.%lld has ended", (long long)q.row,
                         (long long)q.epoch);
    return pingo__engine_page_end(&p, rc);
}
