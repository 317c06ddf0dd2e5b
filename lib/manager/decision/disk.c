/* disk.c - see disk.h.
 *
 * What an attempt had written is known when it has gone: then as much is free again.  The next try gets twice that,
 * so that few tries find out what an action needs, and no more goes than a few of them show to be needed. */
#include "manager/decision/disk.h"

#include <stdio.h>

#include "manager/decision/shortfall.h"
#include "rules/effects.h"

/* An attempt that is said to have met a full disk may have left so much free. */
#define NEARLY_FULL (INT64_C(4) << 20)
#define TRIES_WITH_ROOM 4

/* The size is a hint: what cannot be read now is found out by freeing more and more. */
static int64_t wanted(const struct pingo__manager_settling *s)
{
    int64_t ms, bytes = 0, held = s->end.size_bytes;
    int64_t twice = held < INT64_MAX / 2 ? 2 * held : INT64_MAX;
    if (pingo__store_dataset_expect(s->c->db, &s->p.action.hash, &ms, &bytes, NULL) != 0)
        bytes = 0;
    return bytes > twice ? bytes : twice;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t started_ms(const struct pingo_job_end *end)
{
    return end->started_ms > 0 ? end->started_ms : end->ended_ms;
}

/* Then it may not have had all the room that there is now. */
static bool was_freed_since(const struct pingo__manager_context *c, const struct pingo_job_end *end)
{
    return c->freed_ms >= started_ms(end) && c->freed_ms <= pingo__manager_now_ms(c);
}

void pingo__manager_disk_explain(struct pingo__manager_context *c, int64_t removed_bytes,
                                 struct pingo_job_end *end)
{
    int64_t freed = c->removed_bytes - removed_bytes + c->removing_bytes;
    if (freed <= 0 || !pingo__rules_end_is_failure(end))
        return;
    int64_t free_bytes = pingo__pool_space(c->pool).free_bytes;
    if (free_bytes < 0 || free_bytes - freed >= NEARLY_FULL)
        return;
    end->reason = PINGO_END_NO_SPACE;
    snprintf(end->message, sizeof end->message,
             "it failed while the pool's disk was full; something was deleted meanwhile");
}

/* Attempts that ran side by side are one try. */
static void count_try(struct pingo__manager_disk *d, const struct pingo__manager_context *c,
                      const struct pingo_job_end *end)
{
    if (d->ntries && started_ms(end) < d->tried_ms)
        return;
    d->ntries++;
    d->tried_ms = pingo__manager_now_ms(c);
}

void pingo__manager_disk_learn(struct pingo__manager_disk *d,
                               const struct pingo__manager_settling *s)
{
    d->is_full = s->end.reason == PINGO_END_NO_SPACE && s->outcome != PINGO__SETTLED_FAILED;
    if (!d->is_full) {
        d->ntries = 0;
        return;
    }
    count_try(d, s->c, &s->end);
    snprintf(d->elsewhere, sizeof d->elsewhere, "%s", s->elsewhere ? s->elsewhere : "");
    if (s->elsewhere)
        return;
    if (!d->is_new)
        d->held_bytes = d->wanted_bytes = 0;
    d->is_new = true;
    d->was_freed = was_freed_since(s->c, &s->end);
    d->started_ms = started_ms(&s->end);
    d->held_bytes = larger(d->held_bytes, s->end.size_bytes);
    d->wanted_bytes = larger(d->wanted_bytes, wanted(s));
}

void pingo__manager_disk_freed(struct pingo__manager_disk *d, struct pingo__manager_context *c)
{
    d->was_freed = true;
    d->ntries = 0;
    c->freed_ms = pingo__manager_now_ms(c);
}

void pingo__manager_disk_look(struct pingo__manager_disk *d, struct pingo__manager_context *c)
{
    int64_t free_bytes = d->held_bytes ? larger(pingo__pool_space(c->pool).free_bytes, 0) : 0;
    d->lacking_bytes = larger(d->wanted_bytes - free_bytes, 0);
}

/* More than who had written so much has let go of: others filled the disk with it. */
static bool is_more_room(struct pingo__manager_context *c, int64_t held_bytes)
{
    return pingo__pool_space(c->pool).free_bytes - held_bytes > held_bytes / 8 + NEARLY_FULL;
}

bool pingo__manager_disk_has_more_room(const struct pingo__manager_disk *d,
                                       struct pingo__manager_context *c)
{
    return d->ntries < TRIES_WITH_ROOM && is_more_room(c, d->held_bytes);
}

int pingo__manager_disk_may_be_freed(struct pingo__manager_context *c, bool *may,
                                     struct pingo_error *err)
{
    struct pingo__store_usage usage;
    struct pingo__store_held held;
    int64_t leaving = 0;
    int rc = pingo__store_usage_read(c->db, &usage, &held, err);
    if (!rc)
        rc = pingo__store_candidate_leaving(c->db, &leaving, err);
    *may = !rc && (leaving > 0 || pingo__store_usage_candidates(&usage, &held) > 0);
    return rc;
}

int pingo__manager_disk_is_runaway(struct pingo__manager_context *c, const struct pingo_job_end *end,
                                   char message[PINGO__RUNAWAY_SIZE], struct pingo_error *err)
{
    int64_t others_bytes = pingo__pool_space(c->pool).taken_bytes;
    bool may_be_freed = true;
    if (others_bytes < 0 || end->size_bytes / 2 <= others_bytes || was_freed_since(c, end) ||
        is_more_room(c, end->size_bytes))
        return 0;
    int rc = pingo__manager_disk_may_be_freed(c, &may_be_freed, err);
    if (rc || may_be_freed)
        return rc;
    char held[PINGO__UNITS_SIZE], others[PINGO__UNITS_SIZE];
    snprintf(message, PINGO__RUNAWAY_SIZE,
             "it filled the disk: it had written %s when nothing in the pool was left that may go, "
             "and all else there"
             " holds %s: taken for a runaway; if it needs that much, it needs a larger disk",
             pingo__units_print_size(held, end->size_bytes),
             pingo__units_print_size(others, others_bytes));
    return 0;
}
