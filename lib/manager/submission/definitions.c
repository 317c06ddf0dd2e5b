/* definitions.c - see definitions.h. */
#include "manager/submission/definitions.h"

#include <stdlib.h>

#include "base/error.h"
#include "digest/digests.h"
#include "store/places.h"

/* The number of the place of each original; *ids: yours. */
static int note_places(struct pingo__manager_context *c, const struct pingo_originals *originals,
                       uint32_t **ids, struct pingo_error *err)
{
    size_t n = 0;
    const struct pingo__digest_original *all = pingo__digest_originals_all(originals, &n);
    int64_t now_ms = pingo__manager_now_ms(c);
    int rc = 0;
    *ids = calloc(n + 1, sizeof **ids);
    if (!*ids)
        return pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = pingo__store_place_note(c->db, &all[i], now_ms, &(*ids)[i], err);
    return rc;
}

static int places_of(const struct pingo__manager_submit *s, const struct pingo_action *action,
                     const uint32_t *ids, struct pingo__arena *arena,
                     struct pingo__store_definition *d)
{
    size_t n = 0, all = 0;
    const struct pingo__digest_original *const *list,
        *first = pingo__digest_originals_all(s->originals, &all);
    uint32_t *places;
    if (action->ninputs + action->ntools + action->nversions == 0)
        return 0;
    if (pingo__digest_originals_described(s->originals, action, arena, &list, &n) != 0 ||
        !(places = pingo__arena_array(arena, n, sizeof *places)))
        return PINGO_ENOMEM;
    for (size_t i = 0; i < n; i++)
        places[i] = list[i] ? ids[list[i] - first] : 0;
    d->places = places;
    d->nplaces = n;
    return 0;
}

int pingo__manager_definitions_insert(struct pingo__manager_context *c,
                                      const struct pingo__manager_submit *s, struct pingo_error *err)
{
    size_t n = pingo_workflow_count(s->workflow);
    uint32_t *ids = NULL;
    int rc = note_places(c, s->originals, &ids, err);
    for (size_t i = 0; !rc && i < n; i++) {
        struct pingo__store_definition d = {.hash = *pingo_digests_hash(s->digests, i)};
        struct pingo__arena arena;
        pingo__arena_init(&arena);
        d.description = pingo_digests_description(s->digests, i, &d.length);
        rc = places_of(s, pingo_workflow_action(s->workflow, i), ids, &arena, &d);
        rc = rc ? pingo__fail_memory(err) : pingo__store_definition_insert(c->db, &d, err);
        pingo__arena_clear(&arena);
    }
    free(ids);
    return rc;
}
