/* walk.c - see walk.h.
 *
 * What always holds: the visits of a submission are the actions that some policy computes there,
 * and their indexes fall, so children come before parents.  An action without a visit is
 * there whatever the policy, or nothing needs it.
 * That what was never made is made by every policy at the same submission: the set of what was
 * made is closed under ancestors, for whatever is computed has its parents, and each of them
 * was made; so what was never made has no descendant that was, and a leaf that needs it
 * makes it, whatever is stored. */
#include "lab/bound/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* Of an action. */
#define MADE 1u  /* an earlier submission has made it */
#define STAYS 2u /* a leaf: it is there for good */
/* Of an action in one submission. */
#define ASKED 4u
#define FORCED 8u /* it, or an ancestor */
#define MENTIONED 16u
#define IS_PARENT 32u
#define OF_SUBMISSION (ASKED | FORCED | MENTIONED | IS_PARENT)

int pingo__lab_bound_walk_open(struct pingo__lab_bound_walk *w, const struct pingo_history *history,
                               int64_t budget_bytes, bool leaves_inside, struct pingo_error *err)
{
    *w = (struct pingo__lab_bound_walk){
        .history = history, .leaves_inside = leaves_inside, .capacity_bytes = budget_bytes};
    w->actions = calloc((size_t)pingo_history_count_actions(history) + 1, sizeof *w->actions);
    return w->actions ? 0 : pingo__fail_memory(err);
}

void pingo__lab_bound_walk_clear(struct pingo__lab_bound_walk *w)
{
    free(w->actions);
    free(w->visits);
    free(w->list);
    *w = (struct pingo__lab_bound_walk){0};
}

/* ---- what is asked for and what is forced ------------------------------------------- */

/* In rising order each mention comes after its parents, which are mentioned too. */
static int look_at_parents(struct pingo__lab_bound_walk *w,
                           const struct pingo_history_submission *s, struct pingo_error *err)
{
    if (!PINGO__ARRAY_ROOM(w->list, w->list_capacity, 0, s->nactions))
        return pingo__fail_memory(err);
    memcpy(w->list, s->actions, s->nactions * sizeof *w->list);
    qsort(w->list, s->nactions, sizeof *w->list, pingo__array_by_number);
    for (size_t k = 0; k < s->nactions; k++) {
        size_t nparents = 0;
        const uint32_t *parents = pingo_history_parents(w->history, w->list[k], &nparents);
        for (size_t j = 0; j < nparents; j++) {
            w->actions[w->list[k]].flags |= w->actions[parents[j]].flags & FORCED;
            w->actions[parents[j]].flags |= IS_PARENT;
        }
    }
    return 0;
}

/* Where a submission has no leaf, the planner takes the actions without a child for what is asked for;
 * a mention that is there twice has none the second time. */
static void ask_for_last(struct pingo__lab_bound_walk *w, const struct pingo_history_submission *s)
{
    for (size_t k = 0; k < s->nactions; k++) {
        struct pingo__lab_bound_action *a = &w->actions[s->actions[k]];
        if (!(a->flags & IS_PARENT) || (a->flags & MENTIONED))
            a->flags |= ASKED;
        a->flags |= MENTIONED;
    }
}

static int read_flags(struct pingo__lab_bound_walk *w, const struct pingo_history_submission *s,
                      struct pingo_error *err)
{
    uint8_t all = 0;
    for (size_t k = 0; k < s->nactions; k++) {
        all |= s->flags[k];
        if (s->flags[k] & PINGO_HISTORY_LEAF)
            w->actions[s->actions[k]].flags |= ASKED;
        if (s->flags[k] & PINGO_HISTORY_FORCED)
            w->actions[s->actions[k]].flags |= FORCED;
    }
    if ((all & PINGO_HISTORY_LEAF) && !(all & PINGO_HISTORY_FORCED))
        return 0;
    int rc = look_at_parents(w, s, err);
    if (rc == 0 && !(all & PINGO_HISTORY_LEAF))
        ask_for_last(w, s);
    return rc;
}

/* ---- visits ----------------------------------------------------------------------------- */

/* Takes an action in, unless it is there whatever the policy. */
static int visit(struct pingo__lab_bound_walk *w, uint32_t action, struct pingo_error *err)
{
    struct pingo__lab_bound_action *a = &w->actions[action];
    if (a->seen == w->next + 1 || (a->flags & (MADE | STAYS | FORCED)) == (MADE | STAYS))
        return 0;
    if (!PINGO__ARRAY_ROOM(w->visits, w->visits_capacity, w->nvisits, 1))
        return pingo__fail_memory(err);
    a->seen = w->next + 1;
    a->need = a->flags & ASKED ? PINGO__BOUND_NEEDED : PINGO__BOUND_MAYBE;
    w->visits[w->nvisits++] = (struct pingo__lab_bound_visit){.action = action};
    return 0;
}

static int by_number_falling(const void *x, const void *y)
{
    const struct pingo__lab_bound_visit *a = x, *b = y;
    return (a->action < b->action) - (a->action > b->action);
}

/* From what is asked for or forced itself to the parents. */
static int search(struct pingo__lab_bound_walk *w, const struct pingo_history_submission *s,
                  struct pingo_error *err)
{
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < s->nactions; k++)
        if ((s->flags[k] & PINGO_HISTORY_FORCED) || (w->actions[s->actions[k]].flags & ASKED))
            rc = visit(w, s->actions[k], err);
    for (size_t k = 0; rc == 0 && k < w->nvisits; k++) {
        size_t nparents = 0;
        const uint32_t *parents = pingo_history_parents(w->history, w->visits[k].action, &nparents);
        for (size_t j = 0; rc == 0 && j < nparents; j++)
            rc = visit(w, parents[j], err);
    }
    if (w->nvisits > 0)
        qsort(w->visits, w->nvisits, sizeof *w->visits, by_number_falling);
    return rc;
}

/* What is needed follows from the children, which were judged before. */
static void judge(struct pingo__lab_bound_walk *w, struct pingo__lab_bound_visit *v)
{
    struct pingo__lab_bound_action *a = &w->actions[v->action];
    int64_t size = pingo__lab_bound_size(w->history, v->action);
    size_t nparents = 0;
    const uint32_t *parents = pingo_history_parents(w->history, v->action, &nparents);
    v->since = a->since;
    v->can_be_kept = (a->flags & MADE) && size <= w->capacity_bytes;
    v->stays = (a->flags & (STAYS | ASKED)) != 0;
    if (!(a->flags & MADE) || (a->flags & FORCED))
        a->need = PINGO__BOUND_MADE;
    else if (a->need == PINGO__BOUND_NEEDED && !v->can_be_kept)
        a->need = PINGO__BOUND_REMADE;
    v->need = a->need;
    if (v->need != PINGO__BOUND_MADE && v->need != PINGO__BOUND_REMADE)
        return;
    for (size_t j = 0; j < nparents; j++)
        w->actions[parents[j]].need =
            PINGO__BOUND_NEEDED; /* not looked at where there is no visit */
}

int pingo__lab_bound_walk_look(struct pingo__lab_bound_walk *w, struct pingo_error *err)
{
    struct pingo_history_submission s = {.size = sizeof s};
    int rc = pingo_history_submission(w->history, w->next, &s);
    if (rc != 0)
        return pingo__fail(err, rc, "there is no submission %lu", (unsigned long)w->next);
    w->nvisits = 0;
    rc = read_flags(w, &s, err);
    if (rc == 0)
        rc = search(w, &s, err);
    for (size_t k = 0; rc == 0 && k < w->nvisits; k++)
        judge(w, &w->visits[k]);
    for (size_t k = 0; k < s.nactions; k++)
        w->actions[s.actions[k]].flags &= (uint8_t)~OF_SUBMISSION;
    return rc;
}

void pingo__lab_bound_walk_step(struct pingo__lab_bound_walk *w)
{
    for (size_t k = 0; k < w->nvisits; k++) {
        const struct pingo__lab_bound_visit *v = &w->visits[k];
        struct pingo__lab_bound_action *a = &w->actions[v->action];
        int64_t size = pingo__lab_bound_size(w->history, v->action);
        a->flags |= MADE;
        a->since = w->next;
        if (!v->stays || (a->flags & STAYS))
            continue;
        a->flags |= STAYS;
        if (w->leaves_inside)
            w->capacity_bytes -= size < w->capacity_bytes ? size : w->capacity_bytes;
    }
    w->next++;
}
