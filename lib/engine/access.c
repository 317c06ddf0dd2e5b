/* access.c - tokens, and what was done by whom.
 *
 * What always holds: the text of a token is nowhere but where it was told once. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/path.h"
#include "digest/sha256.h"
#include "engine/engine.h"
#include "engine/look/page.h"

/* ---- tokens ------------------------------------------------------------------------------- */

#define PREFIX "pingo_"
#define EXPIRES_MS (90LL * 24 * 60 * 60 * 1000)
#define USED_MS (60 * 60 * 1000)
enum { BITS_BYTES = 32, NDIGITS = PINGO_TOKEN_SIZE - sizeof PREFIX };

/* The number that the bytes are, in base 62: 43 digits have room for it. */
static void print(uint8_t bytes[BITS_BYTES], char *text)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    memcpy(text, PREFIX, sizeof PREFIX);
    text[PINGO_TOKEN_SIZE - 1] = '\0';
    for (size_t i = NDIGITS; i-- > 0;) {
        unsigned rest = 0;
        for (size_t k = 0; k < BITS_BYTES; k++) {
            rest = rest << 8 | bytes[k];
            bytes[k] = (uint8_t)(rest / 62);
            rest %= 62;
        }
        text[sizeof PREFIX - 1 + i] = digits[rest];
    }
}

static int check_options(const struct pingo_token_options *o, int64_t now_ms,
                         struct pingo_error *err)
{
    if (!o->name)
        return pingo__fail(err, PINGO_EINVAL, "a token has a name");
    if (!pingo_role_name(o->role))
        return pingo__fail(err, PINGO_EINVAL, "a token's role is viewer, submitter or admin");
    if (o->expires_ms != 0 && o->expires_ms != -1 && o->expires_ms <= now_ms)
        return pingo__fail(err, PINGO_EINVAL, "a token expires at a time to come, or never");
    int rc = pingo__engine_label_check(o->name, "a token's name", PINGO_TOKEN_NAME_SIZE - 1, err);
    if (!rc &&
        !pingo__path_is_plain(o->name)) /* it is part of the path by which a server revokes it */
        rc = pingo__fail(err, PINGO_EINVAL,
                         "a token's name has no \"/\", and is not \".\" or \"..\"");
    return rc ? rc : pingo__engine_label_check(o->user, "a user", PINGO__LABEL_MAX, err);
}

static bool has_expired(const struct pingo__store_token_row *row, int64_t now_ms)
{
    return row->expires_ms >= 0 && row->expires_ms <= now_ms;
}

/* The name is free, or becomes it. */
static int take_name(struct pingo_store *store, const char *name, int64_t now_ms,
                     struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_token_row row;
    int rc = pingo__store_token_named(&store->db, name, &arena, &row, err);
    if (!rc && row.id && !has_expired(&row, now_ms))
        rc = pingo__fail(err, PINGO_EEXISTS,
                         "there is a token \"%s\" (of %s): revoke it, or choose another name", name,
                         row.user);
    else if (!rc && row.id)
        rc = pingo__store_token_revoke(&store->db, row.id, now_ms, err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_token_create(struct pingo_store *store, const struct pingo_token_options *options,
                             char *text, struct pingo_error *err)
{
    const struct pingo__world *world = store->context.world;
    struct pingo_token_options o;
    uint8_t bytes[BITS_BYTES];
    int64_t now_ms = pingo__manager_now_ms(&store->context);
    int rc = PINGO__OPTIONS_TAKE(pingo_token_options, options, &o, err);
    *text = '\0';
    if (!rc)
        rc = check_options(&o, now_ms, err);
    if (!rc && (rc = world->random(world->context, bytes, sizeof bytes)) < 0)
        rc = pingo__fail_os(err, -rc, "random numbers", "the system");
    if (rc)
        return rc;
    print(bytes, text);
    struct pingo__store_token_row row = {.name = o.name,
                                         .user = o.user ? o.user : pingo__engine_store_user(store),
                                         .role = o.role,
                                         .created_ms = now_ms,
                                         .expires_ms =
                                             o.expires_ms ? o.expires_ms : now_ms + EXPIRES_MS};
    pingo__digest_sha256(text, strlen(text), &row.digest);
    rc = pingo__store_db_begin(&store->db, err);
    if (!rc)
        rc = pingo__engine_may_rule(store, "token create", o.name, err);
    if (!rc)
        rc = take_name(store, o.name, now_ms, err);
    if (!rc)
        rc = pingo__store_token_insert(&store->db, &row, err);
    rc = pingo__store_db_end(&store->db, rc, err);
    if (rc)
        *text = '\0';
    return rc;
}

int pingo_store_token_revoke(struct pingo_store *store, const char *name, struct pingo_error *err)
{
    struct pingo__store_token_row row = {.id = 0};
    int rc = pingo__store_db_begin(&store->db, err);
    if (!rc)
        rc = pingo__engine_may_rule(store, "token revoke", name, err);
    if (!rc)
        rc = pingo__store_token_named(&store->db, name, NULL, &row, err);
    if (!rc && !row.id)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "there is no token \"%s\" that is good", name);
    if (!rc)
        rc = pingo__store_token_revoke(&store->db, row.id, pingo__manager_now_ms(&store->context),
                                       err);
    return pingo__store_db_end(&store->db, rc, err);
}

static struct pingo_token token_of(const struct pingo__store_token_row *row)
{
    struct pingo_token t = {.size = sizeof t,
                            .role = row->role,
                            .created_ms = row->created_ms,
                            .expires_ms = row->expires_ms,
                            .used_ms = row->used_ms,
                            .revoked_ms = row->revoked_ms};
    snprintf(t.name, sizeof t.name, "%s", row->name);
    snprintf(t.user, sizeof t.user, "%s", row->user);
    return t;
}

/* Nobody waits for the lock to note that a token was used, and nobody fails for it. */
static void note_use(struct pingo_store *store, const struct pingo__store_token_row *row,
                     int64_t now_ms)
{
    int64_t patience_ms = store->db.lock_timeout_ms;
    if (row->used_ms >= 0 && now_ms - row->used_ms < USED_MS)
        return;
    store->db.lock_timeout_ms = 0;
    if (pingo__store_db_begin(&store->db, NULL) == 0)
        pingo__store_db_end(&store->db, pingo__store_token_use(&store->db, row->id, now_ms, NULL),
                            NULL);
    store->db.lock_timeout_ms = patience_ms;
}

int pingo_store_token_check(struct pingo_store *store, const char *text, struct pingo_token *token,
                            struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_token_row row = {.id = 0};
    struct pingo_hash digest;
    int64_t now_ms = pingo__manager_now_ms(&store->context);
    int rc = pingo__growing_result_check(token, "pingo_token", err);
    pingo__digest_sha256(text, strlen(text), &digest);
    if (!rc)
        rc = pingo__store_token_find(&store->db, &digest, &arena, &row, err);
    if (!rc && !row.id)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "this is no token of the store");
    else if (!rc && row.revoked_ms >= 0)
        rc = pingo__fail(err, PINGO_ESTATE, "the token \"%s\" was revoked", row.name);
    else if (!rc && has_expired(&row, now_ms))
        rc = pingo__fail(err, PINGO_ESTATE, "the token \"%s\" has expired", row.name);
    if (!rc) {
        struct pingo_token own = token_of(&row);
        note_use(store, &row, now_ms);
        pingo__growing_result_put(token, &own, sizeof own);
    }
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_tokens(struct pingo_store *store, const struct pingo_token_query *query,
                       pingo_token_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_token_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_token_query, query, &q, err);
    struct pingo__store_token_query asked = {0, q.all ? -1 : pingo__manager_now_ms(&store->context),
                                             PINGO__PAGE_ROWS};
    struct pingo__engine_page p = {"k", q.limit, q.after, .next = q.next};
    rc = pingo__engine_page_begin(&p, rc, err);
    while (pingo__engine_page_goes_on(&p, rc)) {
        struct pingo__store_token_list list = {.arena = &p.arena};
        asked.after = p.at[0];
        rc = pingo__store_token_list(&store->db, &asked, &list, err);
        for (size_t i = 0; pingo__engine_page_takes(&p, rc, i, list.n); i++) {
            struct pingo_token token = token_of(&list.rows[i]);
            p.at[0] = list.rows[i].id;
            rc = fn(context, &token) ? pingo__engine_stopped(err) : 0;
        }
    }
    return pingo__engine_page_end(&p, rc);
}

/* ---- what was done ------------------------------------------------------------------------ */

int pingo_store_audit(struct pingo_store *store, const struct pingo_audit *audit,
                      struct pingo_error *err)
{
    struct pingo_audit own = *audit;
    own.at_ms = pingo__manager_now_ms(&store->context);
    if (!own.user || !own.way || !own.verb || !own.object || !own.result)
        return pingo__fail(err, PINGO_EINVAL, "what was done is told with all its texts");
    int rc = pingo__store_db_begin(&store->db, err);
    if (!rc)
        rc = pingo__store_audit_insert(&store->db, &own, err);
    return pingo__store_db_end(&store->db, rc, err);
}

int pingo_store_audits(struct pingo_store *store, const struct pingo_audit_query *query,
                       pingo_audit_fn fn, void *context, struct pingo_error *err)
{
    struct pingo_audit_query q;
    int rc = PINGO__OPTIONS_TAKE(pingo_audit_query, query, &q, err);
    struct pingo__store_audit_query asked = {0, q.since_ms, q.until_ms, PINGO__PAGE_ROWS, q.user};
    struct pingo__engine_page p = {"u", q.limit, q.after, .next = q.next};
    if (!rc && (q.since_ms < 0 || q.until_ms < 0))
        rc = pingo__fail(err, PINGO_EINVAL, "the query has a time that is none");
    rc = pingo__engine_page_begin(&p, rc, err);
    if (!rc && !p.begun)
        p.at[0] = INT64_MAX;
    while (pingo__engine_page_goes_on(&p, rc)) {
        struct pingo__store_audit_list list = {.arena = &p.arena};
        asked.below = p.at[0];
        rc = pingo__store_audit_list(&store->db, &asked, &list, err);
        for (size_t i = 0; pingo__engine_page_takes(&p, rc, i, list.n); i++) {
            p.at[0] = list.rows[i].id;
            rc = fn(context, &list.rows[i].audit) ? pingo__engine_stopped(err) : 0;
        }
    }
    return pingo__engine_page_end(&p, rc);
}
