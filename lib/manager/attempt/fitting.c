/* fitting.c - while a list of READY actions is made: what fits into the counters of its executor. */
#include "manager/attempt/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

#define PAGE 4096         /* actions */
#define PAGES_MAX 1000000 /* no more than that are known */

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

/* ---- kinds ------------------------------------------------------------------------------------ */

static unsigned kind_of(const struct pingo__manager_fitting *f, int64_t action)
{
    const struct pingo__manager_looked *l = &f->m->looked;
    size_t page = (size_t)action / PAGE;
    return page < l->npages && l->pages[page] ? l->pages[page][(size_t)action % PAGE]
                                              : PINGO__KIND_UNKNOWN;
}

/* Where there is no memory it stays unknown. */
static void set_kind(struct pingo__manager_fitting *f, int64_t action, unsigned kind)
{
    struct pingo__manager_looked *l = &f->m->looked;
    size_t page = (size_t)action / PAGE, more = page < l->npages ? 0 : page + 1 - l->npages;
    if (kind_of(f, action) == kind || page >= PAGES_MAX ||
        !PINGO__ARRAY_ROOM(l->pages, l->cpages, l->npages, more))
        return;
    for (; more; more--)
        l->pages[l->npages++] = NULL;
    if (!l->pages[page])
        l->pages[page] = calloc(PAGE, 1);
    if (l->pages[page])
        l->pages[page][(size_t)action % PAGE] = (uint8_t)kind;
}

static bool is_of(const struct pingo__manager_kind *kind, size_t executor,
                  const struct pingo__store_asking *asking)
{
    return kind->executor == executor && kind->nfailed == asking->nfailed &&
           strcmp(kind->resources, asking->resources) == 0;
}

/* The kind of what asks for so much; a new one is made where it has none.  PINGO__KIND_UNKNOWN: there is none, or there
 * are too many. */
static unsigned find_kind(struct pingo__manager_fitting *f, size_t executor,
                          const struct pingo__store_asking *asking, bool make)
{
    struct pingo__manager_looked *l = &f->m->looked;
    size_t i = 0, most = PINGO__KINDS - PINGO__KIND_FOREIGN - 1;
    while (i < l->nkinds && !is_of(&l->kinds[i], executor, asking))
        i++;
    if (i == l->nkinds && make && i < most &&
        PINGO__ARENA_ROOM(&l->kept, l->kinds, l->nkinds, l->capacity)) {
        char *text = pingo__arena_text(&l->kept, asking->resources, strlen(asking->resources));
        l->kinds[i] = (struct pingo__manager_kind){executor, text, asking->nfailed};
        l->nkinds += !!text;
    }
    return i < l->nkinds ? PINGO__KIND_FOREIGN + 1 + (unsigned)i : PINGO__KIND_UNKNOWN;
}

bool pingo__manager_fitting_passes(void *fitting, int64_t action, bool rare)
{
    const struct pingo__manager_fitting *f = fitting;
    unsigned kind = kind_of(f, action);
    return kind != PINGO__KIND_FOREIGN && !(rare && f->refused[kind]);
}

void pingo__manager_fitting_foreign(void *fitting, int64_t action)
{
    set_kind(fitting, action, PINGO__KIND_FOREIGN);
}

/* ---- weighing --------------------------------------------------------------------------------- */

/* Did one not fit that asks for the same?  Neither does this one. */
static bool is_refused(struct pingo__manager_fitting *f, size_t executor,
                       const struct pingo__store_asking *asking)
{
    unsigned kind = find_kind(f, executor, asking, false);
    if (f->refused[kind])
        set_kind(f, asking->action, kind);
    return f->refused[kind];
}

bool pingo__manager_fitting_waits(void *fitting, const struct pingo__store_asking *asking)
{
    struct pingo__manager_fitting *f = fitting;
    size_t e = pingo__manager_executor_for(f->m, asking->type, asking->executor);
    return e != SIZE_MAX && is_refused(f, e, asking);
}

int pingo__manager_fitting_fits(void *fitting, const struct pingo__store_action_row *row,
                                bool *fits, struct pingo_error *err)
{
    struct pingo__manager_fitting *f = fitting;
    struct pingo__manager_ask answer;
    const struct pingo__store_asking asking = {
        .action = row->id, .resources = row->resources, .nfailed = row->nfailed};
    size_t e = pingo__manager_executor_for(f->m, row->type, row->executor);
    if (e == SIZE_MAX) /* it is not ours */
        return 0;
    *fits = false;
    if (is_refused(f, e, &asking))
        return 0;
    int rc = have_counters(f, err);
    if (!rc)
        rc = pingo__manager_counters_weigh(&f->counters[e], row, f->how, &answer, err);
    if (rc)
        return rc;
    *fits = answer.fit != PINGO__WAITS; /* who never fits will be refused */
    unsigned kind = *fits ? PINGO__KIND_UNKNOWN : find_kind(f, e, &asking, true);
    f->refused[kind] = kind != PINGO__KIND_UNKNOWN;
    set_kind(f, row->id, kind);
    return 0;
}
