/* share.c - see share.h. */
#include "plan/share.h"

#define STEPS 1024 /* of a half-life */

static bool may_start(const struct pingo__plan_sharer *u)
{
    bool fits = (!u->quota || u->running < u->quota) && (!u->most || u->running < u->most);
    return u->next && (fits || u->next->priority > 0);
}

static int compare(const struct pingo__plan_sharer *a, const struct pingo__plan_sharer *b)
{
    if (a->next->priority > 0 || b->next->priority > 0)
        return pingo__plan_rank_compare(a->next, b->next);
    int64_t x = a->running * b->weight, y = b->running * a->weight;
    if (x == y) {
        x = a->usage_ms / a->weight;
        y = b->usage_ms / b->weight;
    }
    if (x == y) {
        x = a->user;
        y = b->user;
    }
    return (x > y) - (x < y);
}

size_t pingo__plan_share_next(const struct pingo__plan_sharer *users, size_t n)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < n; i++)
        if (may_start(&users[i]) && (best == SIZE_MAX || compare(&users[i], &users[best]) < 0))
            best = i;
    return best;
}

/* What it could fill; more than there is stands for any number.  Never below 0, as a count may be that is damaged, or
 * more than can be multiplied: a part below 0 is one that is not known yet. */
static int64_t demand(const struct pingo__plan_sharer *u, int64_t slots)
{
    int64_t most = u->next || u->running > slots ? slots + 1 : u->running > 0 ? u->running : 0;
    return u->quota && u->quota < most ? u->quota : most;
}

void pingo__plan_share_allot(struct pingo__plan_sharer *users, size_t n, int64_t slots)
{
    int64_t left = slots;
    bool again = true;
    for (size_t i = 0; i < n; i++) /* of many users most have nothing */
        users[i].part = demand(&users[i], slots) ? -1 : 0;
    while (again) {
        int64_t weights = 0;
        again = false;
        for (size_t i = 0; i < n; i++)
            weights += users[i].part < 0 ? users[i].weight : 0;
        for (size_t i = 0; i < n && !again; i++) {
            int64_t wants = demand(&users[i], slots);
            if (users[i].part >= 0 || wants * weights > left * users[i].weight)
                continue;
            users[i].part = wants; /* what it leaves is divided anew */
            left -= wants;
            again = true;
        }
        for (size_t i = 0; i < n && !again; i++)
            if (users[i].part < 0)
                users[i].part = (left * users[i].weight + weights - 1) / weights;
    }
}

int64_t pingo__plan_share_decay(int64_t usage_ms, int64_t *as_of_ms, int64_t now_ms,
                                int64_t half_life_ms)
{
    /* 2^32 * 2^(-2^i / 1024): what is left after 2^i steps. */
    static const uint64_t left[] = {4292061010, 4289156690, 4283353945, 4271771996, 4248701965,
                                    4202935003, 4112874773, 3938502376, 3611622603, 3037000500};
    int64_t step_ms = half_life_ms / STEPS > 0 ? half_life_ms / STEPS : 1;
    if (now_ms - *as_of_ms < step_ms) /* or the clock was set back */
        return usage_ms;
    int64_t steps = (now_ms - *as_of_ms) / step_ms;
    uint64_t u = steps / STEPS < 63 ? (uint64_t)usage_ms >> (steps / STEPS) : 0;
    *as_of_ms += steps * step_ms;
    for (int i = 0; i < 10; i++)
        if (steps >> i & 1)
            u = (u >> 32) * left[i] + (((u & UINT32_MAX) * left[i]) >> 32);
    return (int64_t)u;
}
