/* users.c - shares and quotas of users; see <pingo/users.h>. */
#include <string.h>

#include <pingo/users.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"
#include "plan/share.h"
#include "store/submission/users.h"

struct telling {
    struct pingo_store *store;
    struct pingo__store_user_list users;
    struct pingo__store_user_bytes_list bytes;
    struct pingo__store_user_waiting_list waiting;
    int64_t weights, half_ms;
};

static int tell(struct telling *t, struct pingo__store_user_row *r, pingo_share_fn fn,
                void *context, struct pingo_error *err)
{
    int64_t now_ms = pingo__manager_now_ms(&t->store->context);
    struct pingo_share share = {
        .user = r->name,
        .weight = r->weight,
        .part = (double)r->weight / (double)t->weights,
        .running = r->running,
        .usage_ms = pingo__plan_share_decay(r->usage_ms, &r->as_of_ms, now_ms, t->half_ms),
        .max_slots = r->slots,
        .max_actions = r->actions,
        .max_bytes = r->bytes};
    for (size_t i = 0; i < t->bytes.n; i++)
        if (t->bytes.rows[i].user == r->id)
            share.bytes = t->bytes.rows[i].bytes;
    for (size_t i = 0; i < t->waiting.n; i++)
        if (t->waiting.rows[i].user == r->id)
            share.waiting = t->waiting.rows[i].n;
    return fn(context, &share) ? pingo__engine_stopped(err) : 0;
}

int pingo_store_shares(struct pingo_store *store, const struct pingo_share_query *query,
                       pingo_share_fn fn, void *context, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct telling t = {.store = store,
                        .users = {.arena = &arena},
                        .bytes = {.arena = &arena},
                        .waiting = {.arena = &arena}};
    struct pingo_share_query q;
    bool found = false;
    int rc = PINGO__OPTIONS_TAKE(pingo_share_query, query, &q, err);
    if (!rc)
        rc = pingo__store_user_list(&store->db, &t.users, err);
    if (!rc)
        rc = pingo__store_user_bytes(&store->db, &t.bytes, err);
    if (!rc)
        rc = pingo__store_user_waiting(&store->db, &t.waiting, err);
    if (!rc)
        rc = pingo__store_user_half_life(&store->db, &t.half_ms, err);
    for (size_t i = 0; i < t.users.n; i++)
        t.weights += t.users.rows[i].weight;
    for (size_t i = 0; !rc && i < t.users.n; i++) {
        if (q.user && strcmp(t.users.rows[i].name, q.user) != 0)
            continue;
        found = true;
        rc = tell(&t, &t.users.rows[i], fn, context, err);
    }
    if (!rc && q.user && !found)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "there is no user \"%s\" in this store", q.user);
    pingo__arena_clear(&arena);
    return rc;
}

static void change(int64_t *quota, int64_t to)
{
    *quota = to ? to : *quota;
}

static int check(const char *user, const struct pingo_share_options *o, struct pingo_error *err)
{
    if (!user)
        return pingo__fail(err, PINGO_EINVAL, "whose share?");
    if (o->weight < 0 || o->weight > PINGO__SHARE_WEIGHT_MOST)
        return pingo__fail(err, PINGO_EINVAL, "a weight is from 1 to %d", PINGO__SHARE_WEIGHT_MOST);
    if (o->max_slots < -1 || o->max_actions < -1 || o->max_bytes < -1)
        return pingo__fail(err, PINGO_EINVAL, "a quota is at least 1, or none");
    return pingo__engine_label_check(user, "a user", PINGO__LABEL_MAX, err);
}

int pingo_store_set_share(struct pingo_store *store, const char *user,
                          const struct pingo_share_options *options, struct pingo_error *err)
{
    struct pingo__store_user_row row;
    struct pingo_share_options o;
    int64_t id = 0;
    int rc = PINGO__OPTIONS_TAKE(pingo_share_options, options, &o, err);
    if (!rc)
        rc = check(user, &o, err);
    if (!rc)
        rc = pingo__store_db_begin(&store->db, err);
    if (rc)
        return rc;
    rc = pingo__engine_may_rule(store, "set the share of", user, err);
    if (!rc)
        rc = pingo__store_user_number(&store->db, user, &id, err);
    if (!rc)
        rc = pingo__store_user_get(&store->db, user, NULL, &row, err);
    if (!rc) {
        change(&row.weight, o.weight);
        change(&row.slots, o.max_slots);
        change(&row.actions, o.max_actions);
        change(&row.bytes, o.max_bytes);
        rc = pingo__store_user_set(&store->db, &row, err);
    }
    return pingo__store_db_end(&store->db, rc, err);
}
