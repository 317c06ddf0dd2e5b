/* uncollected.c - see uncollected.h. */
#include "engine/look/uncollected.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/growing.h"
#include "executor/registry.h"

static int by_key(const void *a, const void *b)
{
    const struct pingo_job_key *x = &((const struct pingo_job_end *)a)->key;
    const struct pingo_job_key *y = &((const struct pingo_job_end *)b)->key;
    if (x->action != y->action)
        return x->action < y->action ? -1 : 1;
    return (x->epoch > y->epoch) - (x->epoch < y->epoch);
}

static void add(void *context, const struct pingo_job_end *end)
{
    struct pingo__engine_uncollected *u = context;
    if (pingo__array_room((void **)&u->ends, &u->capacity, u->n, 1, sizeof *u->ends))
        pingo__growing_result_take(end, &u->ends[u->n++], sizeof *u->ends);
    else
        u->failed = true;
}

static int read_ends(struct pingo__engine_uncollected *u, struct pingo_error *err)
{
    const struct pingo_executor_type *type;
    int rc = 0;
    for (size_t i = 0; !rc && !u->is_read && (type = pingo__executor_nth(i)); i++)
        rc = type->ends ? type->ends(u->store->directory, add, u, err) : 0;
    if (!rc && u->failed)
        rc = pingo__fail_memory(err);
    if (!rc && !u->is_read && u->n)
        qsort(u->ends, u->n, sizeof *u->ends, by_key);
    u->is_read = !rc;
    return rc;
}

static bool is_owned(struct pingo__engine_uncollected *u, int64_t owner)
{
    if (owner != u->owner || !owner)
        u->is_alive = owner && pingo__manager_owner_is_alive(&u->store->context, owner);
    u->owner = owner;
    return u->is_alive;
}

int pingo__engine_uncollected_end(struct pingo__engine_uncollected *u,
                                  const struct pingo__store_attempt_row *attempt,
                                  struct pingo_job_end *end, struct pingo_error *err)
{
    const struct pingo_executor_type *type = pingo__executor_builtin(attempt->executor);
    if (attempt->state == PINGO__ATTEMPT_ENDED || is_owned(u, attempt->owner))
        return 0;
    if (!type || !type->ends)
        return pingo__store_attempt_told(&u->store->db, attempt->key, end, err);
    int rc = read_ends(u, err);
    if (rc || !u->n)
        return rc;
    struct pingo_job_end key = {.key = attempt->key};
    const struct pingo_job_end *found = bsearch(&key, u->ends, u->n, sizeof *u->ends, by_key);
    if (found)
        *end = *found;
    return 0;
}

void pingo__engine_uncollected_clear(struct pingo__engine_uncollected *u)
{
    free(u->ends);
    u->ends = NULL;
}
