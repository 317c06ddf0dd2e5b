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

static int have_counters(struct pingo__manager_fitting *f, struct pingo_error *err)
{
    if (f->counters)
        return 0;
    f->counters = pingo__arena_array(f->arena, f->m->nexecutors, sizeof *f->counters);
    if (!f->counters)
        return pingo__fail_memory(err);
    for (size_t i = 0; i < f->m->nexecutors; i++)
        f->counters[i] = pingo__manager_counters_of(f->m, i, f->arena);
    return 0;
}

bool pingo__manager_fitting_passes(void *fitting, int64_t action, bool rare)
{
    const struct pingo__manager_fitting *f = fitting;
    unsigned kind = pingo__manager_wants_get(&f->m->wants, action);
    return kind != PINGO__WANT_FOREIGN && !(rare && f->refused[kind]);
}

void pingo__manager_fitting_foreign(void *fitting, int64_t action)
{
    struct pingo__manager_fitting *f = fitting;
    pingo__manager_wants_set(&f->m->wants, action, PINGO__WANT_FOREIGN);
}

/* Did one not fit that asks for the same?  Neither does this one. */
static bool is_refused(struct pingo__manager_fitting *f, size_t executor,
                       const struct pingo__store_asking *asking)
{
    unsigned kind = pingo__manager_wants_find(&f->m->wants, executor, asking);
    if (f->refused[kind])
        pingo__manager_wants_set(&f->m->wants, asking->action, kind);
    return f->refused[kind];
}

static void refuse(struct pingo__manager_fitting *f, size_t executor,
                   const struct pingo__store_asking *asking)
{
    unsigned kind = pingo__manager_wants_kind(&f->m->wants, executor, asking);
    f->refused[kind] = kind != PINGO__WANT_UNKNOWN;
    pingo__manager_wants_set(&f->m->wants, asking->action, kind);
}

bool pingo__manager_fitting_waits(void *fitting, const struct pingo__store_asking *asking)
{
    struct pingo__manager_fitting *f = fitting;
    size_t e = pingo__manager_executor_for(f->m, asking->type, asking->executor);
    return e != SIZE_MAX && is_refused(f, e, asking);
}

typedef int weigh_fn(struct pingo__manager_counters *c, const struct pingo__store_action_row *row,
                     bool *fits, struct pingo_error *err);

static int weigh(struct pingo__manager_fitting *f, const struct pingo__store_action_row *row,
                 weigh_fn *how, bool *does, struct pingo_error *err)
{
    const struct pingo__store_asking asking = {
        .action = row->id, .resources = row->resources, .nfailed = row->nfailed};
    size_t e = pingo__manager_executor_for(f->m, row->type, row->executor);
    if (e == SIZE_MAX) /* it is not ours */
        return 0;
    *does = false;
    if (is_refused(f, e, &asking))
        return 0;
    int rc = have_counters(f, err);
    if (!rc)
        rc = how(&f->counters[e], row, does, err);
    if (!rc && *does)
        pingo__manager_wants_set(&f->m->wants, row->id, PINGO__WANT_UNKNOWN);
    else if (!rc)
        refuse(f, e, &asking);
    return rc;
}

int pingo__manager_fitting_take(void *fitting, const struct pingo__store_action_row *row,
                                bool *does, struct pingo_error *err)
{
    return weigh(fitting, row, pingo__manager_counters_take, does, err);
}

int pingo__manager_fitting_could(void *fitting, const struct pingo__store_action_row *row,
                                 bool *does, struct pingo_error *err)
{
    return weigh(fitting, row, pingo__manager_counters_could, does, err);
}

int pingo__manager_fitting_give(void *fitting, const struct pingo__store_action_row *row,
                                struct pingo_error *err)
{
    struct pingo__manager_fitting *f = fitting;
    size_t e = pingo__manager_executor_for(f->m, row->type, row->executor);
    int rc = e == SIZE_MAX ? 0 : have_counters(f, err);
    return rc || e == SIZE_MAX ? rc : pingo__manager_counters_give(&f->counters[e], row, err);
}
