/* users.c - users, what falls to them, and their quotas. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

#include "base/text.h"

SERVE_ROWS(on_share, struct pingo_share)
SERVE_ONE(on_one, struct pingo_share, pingo__view_share)

/* They are few, and come in one page. */
void serve_api_shares(struct serve_worker *worker, const struct serve_request *request,
                      struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    struct serve_list list;
    serve_list(&list, &ask, &pingo__view_share);
    *list.next = '\0';
    int rc = ask.is_wrong ? PINGO_EINVAL
                          : pingo_store_shares(worker->store, NULL, on_share, &list, &worker->err);
    serve_list_end(&list, rc);
}

/* Absent: as it is (0); null: none (-1). */
static int64_t number_of(struct serve_ask *ask, const struct serve_member *m, int64_t most)
{
    int64_t n = 0;
    if (ask->is_wrong || !m->is_there)
        return 0;
    if (!m->value)
        return -1;
    if (pingo__text_to_int64(m->value, 1, most, &n) ||
        (most == INT64_MAX && pingo_size_parse(m->value, &n) && n > 0))
        return n;
    serve_refuse(ask->answer, 400, "%s is a number from 1 on, or null, not \"%.64s\"", m->key,
                 m->value);
    ask->is_wrong = true;
    return 0;
}

void serve_api_set_share(struct serve_worker *worker, const struct serve_request *request,
                         struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    struct serve_member m[] = {
        {.key = "weight"}, {.key = "maxSlots"}, {.key = "maxActions"}, {.key = "maxBytes"}};
    serve_ask_members(&ask, m, 4);
    struct pingo_share_options options = {.version = 1,
                                          .weight = number_of(&ask, &m[0], 10000),
                                          .max_slots = number_of(&ask, &m[1], INT64_C(1) << 30),
                                          .max_actions = number_of(&ask, &m[2], INT64_C(1) << 40),
                                          .max_bytes = number_of(&ask, &m[3], INT64_MAX)};
    struct pingo_share_query query = {.version = 1, .user = request->parts[0]};
    if (!ask.is_wrong && options.weight < 0)
        options.weight = 1;
    if (!serve_begin(&ask))
        return;
    int rc = pingo_store_set_share(worker->store, request->parts[0], &options, &worker->err);
    if (rc == 0)
        rc = pingo_store_shares(worker->store, &query, on_one, answer, &worker->err);
    serve_done(&ask, rc);
}
