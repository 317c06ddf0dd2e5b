/* users.c - users, what falls to them, and their quotas. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

#include <inttypes.h>

#include "base/text.h"

SERVE_ROWS(on_share, struct pingo_share)

static int on_one(void *ask, const struct pingo_share *share)
{
    serve_tell(ask, &pingo__view_share, share);
    return 0;
}

/* They are few, and come in one page. */
void serve_api_shares(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_share);
    SERVE_LIST(&list, pingo_store_shares, NULL, on_share);
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
    serve_ask_refuse(ask, 400, "%s is a number from 1 to %" PRId64 ", or null, not \"%.64s\"",
                     m->key, most, m->value);
    return 0;
}

void serve_api_set_share(struct serve_ask *ask)
{
    struct serve_member m[] = {
        {.key = "weight"}, {.key = "maxSlots"}, {.key = "maxActions"}, {.key = "maxBytes"}};
    serve_ask_members(ask, m, 4);
    struct pingo_share_options options = {.version = 1,
                                          .weight = number_of(ask, &m[0], 10000),
                                          .max_slots = number_of(ask, &m[1], INT64_C(1) << 30),
                                          .max_actions = number_of(ask, &m[2], INT64_C(1) << 40),
                                          .max_bytes = number_of(ask, &m[3], INT64_MAX)};
    struct pingo_share_query query = {.version = 1, .user = ask->request->parts[0]};
    if (!ask->is_wrong && options.weight < 0)
        options.weight = 1;
    SERVE_CALL(ask, pingo_store_set_share, query.user, &options);
    SERVE_CALL(ask, pingo_store_shares, &query, on_one, ask);
}
