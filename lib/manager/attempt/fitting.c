/* fitting.c - see fitting.h. */
#include "manager/attempt/fitting.h"

#include "base/error.h"

static int64_t total(void *executor, const char *licence)
{
    struct pingo__manager_executor *e = executor;
    return pingo__manager_executor_counted(e, licence);
}

struct pingo__manager_counters pingo__manager_counters_of(struct pingo__manager_actions *m,
                                                          size_t executor,
                                                          struct pingo__arena *arena)
{
    struct pingo__manager_executor *e = &m->executors[executor];
    return (struct pingo__manager_counters){
        .db = m->c->db, .arena = arena, .executor = e->type.name, .total = total, .context = e};
}

/* Those of the executor that runs it; NULL: it is not ours. */
static int find(struct pingo__manager_fitting *f, const struct pingo__store_action_row *row,
                struct pingo__manager_counters **counters, struct pingo_error *err)
{
    size_t e = pingo__manager_executor_for(f->m, row->type, row->executor);
    *counters = NULL;
    if (e == SIZE_MAX)
        return 0;
    if (!f->counters) {
        f->counters = pingo__arena_array(f->arena, f->m->nexecutors, sizeof *f->counters);
        if (!f->counters)
            return pingo__fail_memory(err);
        for (size_t i = 0; i < f->m->nexecutors; i++)
            f->counters[i] = pingo__manager_counters_of(f->m, i, f->arena);
    }
    *counters = &f->counters[e];
    return 0;
}

/* It does not fit, and so does none of its kind. */
static void refuse(struct pingo__manager_fitting *f, size_t executor,
                   const struct pingo__store_asking *asking)
{
    unsigned kind = pingo__manager_wants_kind(&f->m->wants, executor, asking);
    f->refused[kind] = true;
    pingo__manager_wants_set(&f->m->wants, asking->action, kind);
}

/* What became of a row that was read. */
static void note(struct pingo__manager_fitting *f, const struct pingo__store_action_row *row,
                 bool fits)
{
    const struct pingo__store_asking asking = {.action = row->id,
                                               .type = row->type,
                                               .executor = row->executor,
                                               .resources = row->resources,
                                               .nfailed = row->nfailed};
    if (fits)
        pingo__manager_wants_set(&f->m->wants, row->id, PINGO__WANT_UNKNOWN);
    else
        refuse(f, pingo__manager_executor_for(f->m, row->type, row->executor), &asking);
}

bool pingo__manager_fitting_passes(void *fitting, int64_t action, bool rare)
{
    const struct pingo__manager_fitting *f = fitting;
    unsigned kind = pingo__manager_wants_get(&f->m->wants, action);
    return kind == PINGO__WANT_UNKNOWN ||
           (kind != PINGO__WANT_FOREIGN && !(rare && f->refused[kind]));
}

void pingo__manager_fitting_foreign(void *fitting, int64_t action)
{
    struct pingo__manager_fitting *f = fitting;
    pingo__manager_wants_set(&f->m->wants, action, PINGO__WANT_FOREIGN);
}

bool pingo__manager_fitting_waits(void *fitting, const struct pingo__store_asking *asking)
{
    struct pingo__manager_fitting *f = fitting;
    size_t e =
        f->counters ? pingo__manager_executor_for(f->m, asking->type, asking->executor) : SIZE_MAX;
    if (e == SIZE_MAX ||
        !pingo__manager_counters_waits(&f->counters[e], asking->resources, asking->nfailed))
        return false;
    refuse(f, e, asking);
    return true;
}

int pingo__manager_fitting_take(void *fitting, const struct pingo__store_action_row *row,
                                bool *does, struct pingo_error *err)
{
    struct pingo__manager_counters *counters;
    int rc = find(fitting, row, &counters, err);
    if (rc || !counters)
        return rc;
    rc = pingo__manager_counters_take(counters, row, does, err);
    if (!rc)
        note(fitting, row, *does);
    return rc;
}

int pingo__manager_fitting_could(void *fitting, const struct pingo__store_action_row *row,
                                 bool *does, struct pingo_error *err)
{
    struct pingo__manager_counters *counters;
    int rc = find(fitting, row, &counters, err);
    if (rc || !counters)
        return rc;
    rc = pingo__manager_counters_could(counters, row, does, err);
    if (!rc)
        note(fitting, row, *does);
    return rc;
}

int pingo__manager_fitting_give(void *fitting, const struct pingo__store_action_row *row,
                                struct pingo_error *err)
{
    struct pingo__manager_counters *counters;
    int rc = find(fitting, row, &counters, err);
    return rc || !counters ? rc : pingo__manager_counters_give(counters, row, err);
}
