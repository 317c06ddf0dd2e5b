/* memory.c - how much memory an attempt is given, and what its end teaches.
 *
 * What always holds: a try because memory grew uses up no retry; what an action that died of memory is given next is in
 * the same transaction as its end.  Source: Columbus thesis 5.3, the shelf.
 *
 * An action is remembered by its hash without salt when it grows, for that one will need as much again; its program, in
 * the words of its command, when what has grown ends well: what never does teaches nobody else. */
#include "manager/attempt/callback.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "digest/likeness.h"
#include "manager/attempt/executors.h"
#include "rules/memory.h"
#include "store/action/memory.h"
#include "store/submission/workflows.h"

#define MEGABYTE INT64_C(1048576)

static int64_t rounded_up(int64_t bytes)
{
    return bytes <= 0 ? 0 : (bytes - 1) / MEGABYTE + 1;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static int own_key(struct pingo__manager_context *c, const struct pingo_hash *hash,
                   const struct pingo_description *description, struct pingo_hash *key,
                   struct pingo_error *err)
{
    struct pingo__store_bytes bytes = {.n = 0};
    struct pingo__arena arena = {0};
    *key = *hash;
    if (!pingo_description_salt(description))
        return 0;
    int rc = pingo__store_definition_get(c->db, hash, &arena, &bytes, err);
    if (!rc && pingo__digest_likeness_unsalted(bytes.bytes, bytes.n, key))
        rc = pingo__fail_memory(err);
    pingo__arena_clear(&arena);
    return rc;
}

static int program_key(const struct pingo_description *description, struct pingo_hash *key,
                       struct pingo_error *err)
{
    return pingo__digest_likeness_program(description, key) ? pingo__fail_memory(err) : 0;
}

/* ---- before a try ------------------------------------------------------------------------------ */

/* Of its program only where it asks for memory at all: what was never limited is not limited for others' sake. */
static int recall(struct pingo__manager_context *c, const struct pingo__manager_prepared *p,
                  int64_t *mb, struct pingo_error *err)
{
    struct pingo_hash key;
    int rc = own_key(c, &p->action.hash, p->description, &key, err);
    if (!rc)
        rc = pingo__store_memory_get(c->db, &key, mb, err);
    if (rc || *mb || !p->resources.memory_mb)
        return rc;
    rc = program_key(p->description, &key, err);
    return rc ? rc : pingo__store_memory_get(c->db, &key, mb, err);
}

int pingo__manager_memory_give(struct pingo__manager_context *c, struct pingo__manager_prepared *p,
                               const struct pingo__manager_executor *e, bool remembers,
                               struct pingo_error *err)
{
    const struct pingo__workflow_resources *r = &p->resources;
    int64_t more_mb = p->action.given_mb, most_mb = 0;
    int rc = 0;
    p->job.grew = p->action.growths > 0;
    p->memory_from = p->job.grew ? PINGO_MEMORY_GREW : PINGO_MEMORY_DEFINED;
    if (!more_mb && remembers && !r->no_growth)
        rc = recall(c, p, &more_mb, err);
    if (rc || !more_mb)
        return rc;
    most_mb = pingo__rules_memory_most(
        r->max_memory_mb, pingo__manager_executor_memory_mb(e, p->action.executor_options));
    p->job.memory_bytes = pingo__rules_memory_first(r->memory_mb, more_mb, most_mb) * MEGABYTE;
    if (!p->job.grew && p->job.memory_bytes > r->memory_mb * MEGABYTE)
        p->memory_from = PINGO_MEMORY_REMEMBERED;
    return 0;
}

int pingo__manager_memory_given(struct pingo__manager_context *c,
                                const struct pingo__manager_prepared *p, struct pingo_error *err)
{
    int64_t mb = p->job.memory_bytes / MEGABYTE, known = p->action.given_mb;
    return mb == (known ? known : p->resources.memory_mb)
               ? 0
               : pingo__store_action_set_given(c->db, p->action.id, mb, err);
}

/* ---- after it ------------------------------------------------------------------------------------ */

static void advise(const struct pingo__manager_settling *s,
                   const struct pingo__workflow_resources *r,
                   const struct pingo__store_attempt_row *attempt,
                   const struct pingo__rules_memory_death *d, char message[256])
{
    int64_t mb = d->had_mb ? d->had_mb : d->seen_mb;
    if (r->no_growth)
        snprintf(message, 256,
                 "; raise resources.memoryMB, or let it grow, without \"grow\": false");
    else if (!mb)
        snprintf(message, 256, "; how much it had is not known: set resources.memoryMB");
    else if (!d->most_mb)
        snprintf(message, 256,
                 "; it needs more than %" PRId64 " MB, and executor \"%s\" does not say how much "
                 "there is: set resources.maxMemoryMB",
                 mb, attempt->executor);
    else if (r->max_memory_mb && (!s->largest_mb || r->max_memory_mb <= s->largest_mb))
        snprintf(message, 256, "; it needs more than %" PRId64 " MB: raise resources.maxMemoryMB",
                 mb);
    else
        snprintf(message, 256,
                 "; it needs more than %" PRId64 " MB, and executor \"%s\" has no more for one "
                 "action",
                 mb, attempt->executor);
}

static int remember(struct pingo__manager_context *c, const struct pingo_hash *hash, bool program,
                    int64_t mb, struct pingo_error *err)
{
    struct pingo_description *description = NULL;
    struct pingo_hash key;
    int rc = pingo__store_definition_decoded(c->db, hash, &description, err);
    if (!rc && description)
        rc = program ? program_key(description, &key, err)
                     : own_key(c, hash, description, &key, err);
    if (!rc && description)
        rc = pingo__store_memory_set(c->db, &key, mb, err);
    pingo_description_free(description);
    return rc;
}

int pingo__manager_memory_grow(const struct pingo__manager_settling *s,
                               struct pingo__manager_growth *growth, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    struct pingo__workflow_resources r = {.memory_mb = 0};
    struct pingo__store_attempt_row attempt;
    int rc = pingo__store_attempt_get(s->c->db, s->end.key, s->arena, &attempt, err);
    if (!rc) /* of the next try */
        rc = pingo__workflow_resources_take(&r, a->resources, 2 + a->nfailed, s->arena, err);
    if (rc)
        return rc;
    struct pingo__rules_memory_death death = {
        .had_mb = attempt.memory_mb < 0 ? a->memory_mb : attempt.memory_mb,
        .seen_mb = rounded_up(s->end.max_rss_bytes),
        .listed_mb = r.memory_mb,
        .most_mb = pingo__rules_memory_most(r.max_memory_mb, s->largest_mb)};
    int64_t next_mb = r.no_growth ? 0 : pingo__rules_memory_grown(&death);
    growth->again = next_mb > 0;
    if (!next_mb) {
        advise(s, &r, &attempt, &death, growth->message);
        return 0;
    }
    snprintf(growth->message, sizeof growth->message,
             "needs more than %" PRId64 " MB of memory: it is tried again with %" PRId64 " MB",
             death.had_mb ? death.had_mb : death.seen_mb, next_mb);
    pingo__manager_log(s->c, PINGO_LOG_INFO, "action %s %s", a->name, growth->message);
    rc = remember(s->c, &a->hash, false, next_mb, err);
    return rc ? rc : pingo__store_action_grow(s->c->db, a->id, next_mb, err);
}

int pingo__manager_memory_learn(const struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    return !a->given_mb
               ? 0
               : remember(s->c, &a->hash, true,
                          pingo__rules_memory_needed(a->given_mb, rounded_up(s->end.max_rss_bytes)),
                          err);
}
