/* inspect.c - see inspect.h.  The threads are libuv's, as those of the deletors. */
#include "manager/attempt/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "manager/dataset/deletors.h"
#include "manager/attempt/flight.h"
#include "manager/attempt/output.h"
#include "manager/attempt/reading.h"
#include "store/actions.h"

#define NAMES 64 /* more of them take long */
#define LOOK_EVERY_MS 100

struct inspection {
    struct pingo__manager_chore chore; /* the first member */
    struct pingo__manager_context c;   /* of its own: */
    struct pingo__pool pool;
    struct pingo_job_end end;
    char name[PINGO__NAME_SIZE];
    int rc;
    struct pingo_error why;
};

/* On another thread: files alone. */
static void run(struct pingo__manager_chore *chore)
{
    struct inspection *x = (struct inspection *)chore;
    x->rc = pingo__manager_output_look(&x->c, x->name, false, &x->end, &x->why);
}

bool pingo__manager_inspect_give(struct pingo__manager_actions *m, const struct pingo_job_end *end)
{
    char name[PINGO__NAME_SIZE];
    if (end->reason != PINGO_END_EXITED || end->exit_code != 0)
        return false;
    pingo__name_staged(name, end->key.action, end->key.epoch);
    if (!pingo__pool_is_large(m->c->pool, name, PINGO__LARGE, NAMES) ||
        !pingo__manager_reading_has_threads(m) ||
        !pingo__array_room((void **)&m->told, &m->ctold, m->ntold, 1, sizeof *m->told))
        return false;
    struct inspection *x = calloc(1, sizeof *x);
    if (!x)
        return false;
    x->chore.run = run;
    x->c = *m->c;
    x->pool = pingo__pool_fork(m->c->pool, end->key);
    x->c.pool = &x->pool;
    x->end = *end;
    memcpy(x->name, name, sizeof x->name);
    m->told[m->ntold++] = *end;
    m->inspecting++;
    pingo__manager_deletors_give(m->inspectors, &x->chore);
    return true;
}

int pingo__manager_inspect_save(struct pingo__manager_actions *m, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < m->ntold; i++)
        rc = pingo__store_attempt_set_told(m->c->db, &m->told[i], err);
    return rc;
}

void pingo__manager_inspect_saved(struct pingo__manager_actions *m)
{
    m->ntold = 0;
}

int pingo__manager_inspect_resume(struct pingo__manager_actions *m, struct pingo_job_key key,
                                  struct pingo_error *err)
{
    struct pingo__manager_flight *f = pingo__manager_flight_find(m, key);
    struct pingo_job_end end = {.size = sizeof end};
    int rc = pingo__store_attempt_told(m->c->db, key, &end, err);
    if (rc != 1 || !f || f->has_ended)
        return rc < 0 ? rc : 0;
    f->has_ended = true;
    return pingo__manager_inspect_give(m, &end) ? 0 : pingo__manager_end_add(m, &end, err);
}

int pingo__manager_inspect_collect(struct pingo__manager_actions *m, struct pingo_error *err)
{
    struct pingo__manager_chores done = {NULL, NULL, 0};
    struct pingo__manager_chore *chore;
    int rc = 0;
    if (m->inspectors)
        pingo__manager_deletors_collect(m->inspectors, &done);
    while ((chore = pingo__manager_chores_take(&done))) {
        struct inspection *x = (struct inspection *)chore;
        m->inspecting--;
        if (pingo__manager_reading_take(m, chore, &rc, err))
            continue;
        struct pingo__manager_flight *f = pingo__manager_flight_find(m, x->end.key);
        m->c->pool->trashed += x->pool.trashed;
        if (f && !rc) {
            f->was_inspected =
                x->rc == 0; /* else it is looked at again, and the trouble told there */
            rc = pingo__manager_end_add(m, &x->end, err);
        }
        free(x);
    }
    return rc;
}

int pingo__manager_inspect_finish(struct pingo__manager_actions *m, struct pingo_error *err)
{
    int rc = pingo__manager_inspect_collect(m, err);
    while (!rc && m->inspecting) {
        pingo__manager_deletors_wait(m->inspectors, LOOK_EVERY_MS);
        rc = pingo__manager_inspect_collect(m, err);
    }
    return rc;
}

void pingo__manager_inspect_close(struct pingo__manager_actions *m)
{
    struct pingo__manager_chores done = {NULL, NULL, 0};
    pingo__manager_deletors_close(m->inspectors, &done);
    m->inspectors = NULL;
    struct pingo__manager_chore *chore;
    while ((chore = pingo__manager_chores_take(&done)))
        if (chore->run == run) /* the others are the list's */
            free(chore);
    pingo__manager_reading_clear(m);
    free(m->told);
}
