/* access.c - who may come, what was done by whom, what falls to users, and their quotas. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

#include <inttypes.h>

#include "base/text.h"
#include "base/times.h"
#include "base/world.h"

SERVE_ROWS(on_token, struct pingo_token)
SERVE_ROWS(on_audit, struct pingo_audit)

void serve_api_tokens(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_token);
    struct pingo_token_query query = {
        .version = 1, .all = serve_ask_flag(ask, "all"), SERVE_PART(list)};
    SERVE_LIST(&list, pingo_store_tokens, &query, on_token);
}

void serve_api_audit(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_audit);
    struct pingo_audit_query query = {.version = 1,
                                      .user = serve_query(ask->request, "user"),
                                      .since_ms = serve_ask_time(ask, "since"),
                                      .until_ms = serve_ask_time(ask, "until"),
                                      SERVE_PART(list)};
    SERVE_LIST(&list, pingo_store_audits, &query, on_audit);
}

static void ask_token(struct serve_ask *ask, struct pingo_token_options *options)
{
    struct serve_member m[] = {
        {.key = "name"}, {.key = "user"}, {.key = "role"}, {.key = "expiresAt"}};
    serve_ask_members(ask, m, 4);
    const char *role = m[2].is_there ? m[2].value : "viewer", *expires = m[3].value;
    if (ask->is_wrong)
        return;
    options->name = m[0].value ? m[0].value : "";
    options->user = m[1].value ? m[1].value : ask->request->who.user;
    options->expires_ms = m[3].is_there ? -1 : 0;
    if (!role || !pingo_role_parse(role, &options->role))
        serve_ask_refuse(ask, 400, "role is viewer, submitter or admin, not \"%.64s\"",
                         role ? role : "null");
    else if (expires && (!pingo__times_parse(expires, true, &options->expires_ms) ||
                         options->expires_ms <= pingo__world_wall_ms()))
        serve_ask_refuse(
            ask, 400,
            "expiresAt is a time to come, such as 2046-11-20T12:00:00Z, or null, not \"%.64s\"",
            expires);
}

/* Nobody is told it again. */
void serve_api_make_token(struct serve_ask *ask)
{
    char text[PINGO_TOKEN_SIZE];
    struct pingo__view_made_token made = {.text = text};
    struct pingo_token_options options = {.version = 1};
    ask_token(ask, &options);
    SERVE_CALL(ask, pingo_store_token_create, &options, text);
    made.name = options.name;
    SERVE_CALL(ask, pingo_store_tokens, NULL, pingo__view_take_made, &made);
    if (ask->is_wrong)
        return;
    ask->answer->status = 201;
    serve_header(ask->answer, "Cache-Control", "no-store");
    serve_json(ask->answer, &pingo__view_token_made, &made);
}

void serve_api_revoke_token(struct serve_ask *ask)
{
    struct pingo__view_made_token revoked = {.text = ask->request->parts[0]};
    SERVE_CALL(ask, pingo_store_token_revoke, revoked.text);
    serve_tell(ask, &pingo__view_token_revoked, &revoked);
}

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
