/* trash.c - see pool.h: the way out of a pool, through its trash. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "pool/memo.h"

static int trash(struct pingo__pool *pool, const char *name, bool is_attempt,
                 struct pingo_error *err)
{
    char to[PINGO__NAME_SIZE];
    struct pingo__pool_state state;
    if (pool->memo)
        return pingo__pool_memo_trash(pool->memo, name, is_attempt, err);
    /* An output that was fetched on its way to its path lies there, too. */
    bool is_twice = pingo__pool_is_remote(pool) && pingo__name_is_in(PINGO__STAGED, name);
    for (int i = 0; i < (is_twice ? 2 : 1); i++) {
        int rc = pingo__pool_state(pool, name, &state, err);
        if (rc || !state.exists || (is_attempt && !state.directory))
            return rc;
        pingo__name_dropped(to, pool->token, pool->serial++);
        rc = pool->backend->move(pool->handle, name, to, err);
        pool->trashed++;
        if (rc && rc != PINGO_ENOTFOUND)
            return rc;
    }
    return 0;
}

int pingo__pool_trash(struct pingo__pool *pool, const char *name, struct pingo_error *err)
{
    return trash(pool, name, false, err);
}

int pingo__pool_trash_attempt(struct pingo__pool *pool, const char *name, struct pingo_error *err)
{
    return trash(pool, name, true, err);
}

static void fail_removal(struct pingo__pool_removal *r, const char *why)
{
    r->failed = true;
    snprintf(r->rest.why, sizeof r->rest.why, "%.399s", why);
}

/* Gives it the name under which it is removed: into the trash, or in it. */
static bool take_in_hand(const struct pingo__pool *pool, const char *name, const char *mine,
                         struct pingo__pool_removal *r)
{
    const struct pingo__pool_backend *b = pool->backend;
    struct pingo_error why = {0};
    int rc = b->move(pool->handle, name, mine, &why);
    if (rc == PINGO_EEXISTS &&
        pingo__pool_has(pool, mine)) { /* left there by a store that is no more */
        r->failed = !b->remove(pool->handle, mine, &r->rest);
        rc = r->failed ? 0 : b->move(pool->handle, name, mine, &why);
    }
    if (rc && rc != PINGO_ENOTFOUND)
        fail_removal(r, why.message);
    r->rest.read_only = r->rest.read_only || pingo__pool_is_closed(rc);
    return !r->failed;
}

static void remove_mine(const struct pingo__pool *pool, const char *mine,
                        struct pingo__pool_removal *r)
{
    r->failed = !pool->backend->remove(pool->handle, mine, &r->rest);
    r->in_trash = r->failed;
    if (r->failed)
        snprintf(r->name, sizeof r->name, "%s", mine);
}

static void begin(struct pingo__pool_removal *r, const char *name)
{
    *r = (struct pingo__pool_removal){.serial = r->serial};
    snprintf(r->name, sizeof r->name, "%s", name);
}

void pingo__pool_remove_dataset(const struct pingo__pool *pool, int64_t dataset, const char *name,
                                struct pingo__pool_removal *r)
{
    char mine[PINGO__NAME_SIZE];
    begin(r, name);
    pingo__name_deleting(mine, dataset);
    if (strcmp(name, mine) != 0 && (!pingo__name_is_in(PINGO__OBJECTS, name) || strstr(name, "..")))
        fail_removal(r, "it is no name of a dataset");
    else if (strcmp(name, mine) == 0 || take_in_hand(pool, name, mine, r))
        remove_mine(pool, mine, r);
}

void pingo__pool_remove_trash(const struct pingo__pool *pool, const char *name, int64_t owner,
                              struct pingo__pool_removal *r)
{
    char mine[PINGO__NAME_SIZE];
    struct pingo_error why = {0};
    begin(r, name);
    pingo__name_held(mine, owner, pool->token, r->serial);
    int rc = pool->backend->move(pool->handle, name, mine, &why);
    if (rc == 0) {
        remove_mine(pool, mine, r);
    } else if (rc != PINGO_ENOTFOUND) {
        r->in_trash = true;
        r->rest.read_only = pingo__pool_is_closed(rc);
        fail_removal(r, why.message);
    }
}

struct names {
    struct pingo__buffer *to;
    size_t n, limit;
};

static int add_name(void *context, const char *name, struct pingo_error *err)
{
    struct names *names = context;
    if (names->n++ == names->limit)
        return PINGO_EINTERRUPTED;
    pingo__buffer_append(names->to, name, strlen(name) + 1);
    return names->to->failed ? pingo__fail_memory(err) : 0;
}

int pingo__pool_list_trash(const struct pingo__pool *pool, size_t limit,
                           struct pingo__buffer *names, bool *more, struct pingo_error *err)
{
    struct names to = {names, 0, limit};
    int rc = pingo__pool_each(pool, PINGO__TRASH, add_name, &to, err);
    *more = rc == PINGO_EINTERRUPTED;
    return *more ? 0 : rc;
}
