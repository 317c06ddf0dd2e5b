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

bool pingo__manager_fitting_waits(void *fitting, const struct pingo__store_asking *asking)
{
    struct pingo__manager_fitting *f = fitting;
    size_t e =
        f->counters ? pingo__manager_executor_for(f->m, asking->type, asking->executor) : SIZE_MAX;
    return e != SIZE_MAX &&
           pingo__manager_counters_waits(&f->counters[e], asking->resources, asking->nfailed);
}

int pingo__manager_fitting_take(void *fitting, const struct pingo__store_action_row *row,
                                bool *does, struct pingo_error *err)
{
    struct pingo__manager_counters *counters;
    int rc = find(fitting, row, &counters, err);
    return rc || !counters ? rc : pingo__manager_counters_take(counters, row, does, err);
}

int pingo__manager_fitting_could(void *fitting, const struct pingo__store_action_row *row,
                                 bool *does, struct pingo_error *err)
{
    struct pingo__manager_counters *counters;
    int rc = find(fitting, row, &counters, err);
    return rc || !counters ? rc : pingo__manager_counters_could(counters, row, does, err);
}

int pingo__manager_fitting_give(void *fitting, const struct pingo__store_action_row *row,
                                struct pingo_error *err)
{
    struct pingo__manager_counters *counters;
    int rc = find(fitting, row, &counters, err);
    return rc || !counters ? rc : pingo__manager_counters_give(counters, row, err);
}
