/* claim.c - the scraper: which READY actions are claimed, and how many: what the slots take, and some work ahead. */
#include "base/error.h"
#include "manager/asking.h"
#include "manager/attempt/callback.h"
#include "manager/attempt/flight.h"

#define ARM_AHEAD_MS 1000 /* of work beyond what runs, so that no slot waits for a commit */
#define ARM_AHEAD_MAX 512

static struct pingo__store_ready_query ready_query(struct pingo__manager_fitting *fitting,
                                                   size_t limit, struct pingo__arena *arena)
{
    const struct pingo__manager_actions *m = fitting->m;
    return (struct pingo__store_ready_query){.types = m->types,
                                             .queue = PINGO__QUEUE_ANY,
                                             .now_ms = pingo__manager_now_ms(m->c),
                                             .limit = limit,
                                             .arena = arena,
                                             .passes = pingo__manager_fitting_passes,
                                             .foreign = pingo__manager_fitting_foreign,
                                             .waits = pingo__manager_fitting_waits,
                                             .fits = pingo__manager_fitting_fits,
                                             .fits_context = fitting};
}

/* Of the next ends, those that make room: what waits for a place has none. */
static int64_t count_freed(struct pingo__manager_actions *m)
{
    int64_t n = 0;
    for (size_t i = 0; i < pingo__manager_ends_next(m); i++) {
        const struct pingo__manager_flight *f = pingo__manager_flight_find(m, m->ends[i].key);
        n += f && !f->was_closed;
    }
    return n;
}

/* How many more may be handed out, once the next ends are settled: what the slots take, and some work ahead. */
static size_t room(struct pingo__manager_actions *m)
{
    int64_t slots = 0;
    if (m->paused)
        return 0;
    for (size_t i = 0; i < m->nexecutors; i++)
        slots += pingo__manager_executor_slots(&m->executors[i]);
    int64_t ahead = (int64_t)((double)slots * ARM_AHEAD_MS / (m->mean_wall_ms + 0.5)) + 1;
    ahead = slots + (ahead > ARM_AHEAD_MAX ? ARM_AHEAD_MAX : ahead);
    if (m->max_jobs && ahead > m->max_jobs)
        ahead = m->max_jobs;
    size_t active, running, ending, starts;
    pingo__manager_flight_count(m, &active, &running, &ending);
    pingo__manager_asking_count(m->c, &starts);
    ahead -= (int64_t)(active + pingo__manager_reading_waiting(m) + starts);
    ahead += count_freed(m);
    return ahead > 0 ? (size_t)ahead : 0;
}

/* Is there any that could start, if it were its turn?  Where turns are taken, who comes first in the list keeps nothing
 * from those whose turn is before his. */
static int find_any(struct pingo__manager_actions *m, struct pingo__arena *arena, bool *any,
                    struct pingo_error *err)
{
    struct pingo__manager_looked *l = &m->looked;
    struct pingo__manager_fitting fitting = {
        .m = m, .arena = &l->arena, .how = m->shared ? PINGO__WEIGH_ASKS : PINGO__WEIGH_BARS};
    struct pingo__store_ready_query query = ready_query(&fitting, 1, arena);
    struct pingo__store_action_list ready = {.n = 0};
    bool same = pingo__manager_looked_same(m);
    query.next_ms = &l->next_ms;
    int rc = same ? 0 : pingo__manager_scope_list_ready(&m->scope, &query, &ready, err);
    if (!same) {
        l->known = !rc;
        l->any = !rc && ready.n;
        l->counters = fitting.counters;
    }
    *any = l->any;
    return rc;
}

int pingo__manager_claim_look(struct pingo__manager_actions *m, size_t *nclaim, bool *any,
                              struct pingo__arena *arena, struct pingo_error *err)
{
    /* What was listed is not claimed. */
    struct pingo__manager_fitting anew = {.m = m, .arena = arena, .how = PINGO__WEIGH_BARS};
    struct pingo__store_ready_query afresh = ready_query(&anew, 1, arena);
    int rc = m->paused ? 0 : pingo__manager_turns_ask(m, err);
    *any = false;
    /* For what has ended the lock is taken anyway. */
    bool asks = m->shared ? !m->paused : room(m) && !m->nends;
    if (!rc && asks)
        rc = find_any(m, arena, any, err);
    if (!rc && *any && m->shared)
        rc = pingo__manager_turns_make_way(m, &afresh, err);
    *nclaim = room(m);
    *any = !rc && *any && *nclaim;
    if (*any && m->shared && !m->nends) /* else the lock is taken for them */
        rc = pingo__manager_turns_any(m, &afresh, any, err);
    return rc;
}

int pingo__manager_claim(struct pingo__manager_actions *m, size_t limit, struct pingo__arena *arena,
                         struct pingo__store_action_list *claimed, struct pingo_error *err)
{
    struct pingo__manager_fitting fitting = {.m = m, .arena = arena, .how = PINGO__WEIGH_TAKES};
    struct pingo__store_ready_query query = ready_query(&fitting, limit, arena);
    struct pingo__store_action_list ready;
    claimed->n = m->ntaken = 0;
    if (pingo__manager_looked_same(m) && !m->looked.any) /* as before the lock was ours */
        return 0;
    if (m->shared)
        return pingo__manager_turns_claim(m, &query, claimed, err);
    int rc = pingo__manager_scope_list_ready(&m->scope, &query, &ready, err);
    claimed->rows = rc ? NULL : ready.rows;
    claimed->n = 0;
    ready.n = rc ? 0 : ready.n;
    for (size_t i = 0; !rc && i < ready.n; i++) {
        struct pingo__store_action_row *a = &ready.rows[i];
        rc = pingo__manager_action_claim(m->c, a, err);
        if (a->state == PINGO_ACTION_PROCESSING)
            claimed->rows[claimed->n++] = *a;
        m->ntaken += !rc && a->state == PINGO_ACTION_FINISHED;
    }
    if (!claimed->n) /* whatever was found before */
        m->looked.known = false;
    return rc;
}
