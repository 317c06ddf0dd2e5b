/* errors.c - what failed: sums, and the attempts that they are of; and what was used. */
#include "serve/api/own.h"
#include "serve/route/routes.h"

#include "base/world.h"

#define DAY_MS INT64_C(86400000)
#define MOST_STEPS (31 * DAY_MS) /* by half hours */

SERVE_ROWS(on_sum, struct pingo_summary_row)
SERVE_ROWS(on_failure, struct pingo_failure)

/* Absent: so long before the end; a time of 1970: from the beginning. */
static int64_t ask_from(struct serve_ask *ask, int64_t before_ms)
{
    int64_t to_ms = serve_ask_time(ask, "to");
    return serve_query(ask->request, "from") ? serve_ask_time(ask, "from")
                                             : (to_ms ? to_ms : pingo__world_wall_ms()) - before_ms;
}

static enum pingo_summary_step ask_step(struct serve_ask *ask, int64_t from_ms, int64_t until_ms)
{
    int step = serve_ask_word(ask, "step", "30m|1d", -1);
    int64_t end_ms = until_ms ? until_ms : pingo__world_wall_ms();
    if (step == 0 && end_ms - from_ms > MOST_STEPS)
        serve_ask_refuse(ask, 400, "step=30m is for at most 31 days: step=1d");
    return (enum pingo_summary_step)(step + 1);
}

/* One page: what is beyond the limit comes together, as other. */
static void answer_sums(struct serve_ask *ask, struct pingo_summary_query *query,
                        const struct pingo__view_table *view)
{
    struct serve_list list = serve_list(ask, view);
    query->version = 1;
    query->until_ms = serve_ask_time(ask, "to");
    query->step = ask_step(ask, query->since_ms, query->until_ms);
    query->limit = list.limit;
    SERVE_LIST(&list, pingo_store_summary, query, on_sum);
}

void serve_api_errors(struct serve_ask *ask)
{
    struct pingo_summary_query query = {
        .since_ms = ask_from(ask, DAY_MS),
        .by = (enum pingo_summary_by)(PINGO_SUMMARY_BY_ERROR +
                                      serve_ask_word(ask, "by", "code|node|executor|user|name", 0)),
        .error = serve_ask_number(ask, "error", (struct serve_range){1, INT64_MAX, 0}),
        .executor = serve_query(ask->request, "executor"),
        .node = serve_query(ask->request, "node"),
        .user = serve_own_user(ask),
        .name = serve_query(ask->request, "name")};
    answer_sums(ask, &query, &pingo__view_errors);
}

void serve_api_usage(struct serve_ask *ask)
{
    static const enum pingo_summary_by by[] = {PINGO_SUMMARY_BY_USER, PINGO_SUMMARY_BY_EXECUTOR,
                                               PINGO_SUMMARY_BY_NODE};
    struct pingo_summary_query query = {.since_ms = ask_from(ask, 30 * DAY_MS),
                                        .by = by[serve_ask_word(ask, "by", "user|executor|node", 0)],
                                        .executor = serve_query(ask->request, "executor"),
                                        .node = serve_query(ask->request, "node"),
                                        .user = serve_query(ask->request, "user")};
    answer_sums(ask, &query, &pingo__view_used);
}

/* error: the number of one, 0: of all. */
static void answer_attempts(struct serve_ask *ask, int64_t error)
{
    const struct serve_request *request = ask->request;
    struct serve_list list = serve_list(ask, &pingo__view_failed);
    struct pingo_failure_query query = {.version = 1,
                                        .since_ms = serve_ask_time(ask, "from"),
                                        .until_ms = serve_ask_time(ask, "to"),
                                        .error = error,
                                        .executor = serve_query(request, "executor"),
                                        .node = serve_query(request, "node"),
                                        .user = serve_own_user(ask),
                                        .name = serve_query(request, "name"),
                                        SERVE_PART(list)};
    SERVE_LIST(&list, pingo_store_failures, &query, on_failure);
}

void serve_api_failed_attempts(struct serve_ask *ask)
{
    answer_attempts(ask, serve_ask_number(ask, "error", (struct serve_range){1, INT64_MAX, 0}));
}

void serve_api_error_attempts(struct serve_ask *ask)
{
    int64_t error = serve_ask_part(ask, 0);
    if (error == 0)
        serve_ask_refuse(ask, 404, "errors are numbered from 1");
    answer_attempts(ask, error);
}
