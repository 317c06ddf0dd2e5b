/* nearest.h - the nearest action that was known before another, and what differs, for people. */
#ifndef PINGO__ENGINE_NEAREST_H
#define PINGO__ENGINE_NEAREST_H

#include "digest/originals.h"
#include "engine/engine.h"

/* Whose nearest is asked for. */
struct pingo__engine_subject {
    const char *name;
    int64_t id;
    int64_t before;    /* only rows of actions below this one */
    const void *bytes; /* the canonical description */
    size_t length;
    const struct pingo_originals *originals; /* of a workflow that is not submitted; NULL: the store knows */
    const struct pingo_action *action; /* in it */
};

/* Fills in nearest, differences and inherited of *why, whose hash is set; all in the arena. */
int pingo__engine_nearest_tell(struct pingo_store *store,
                               const struct pingo__engine_subject *subject,
                               struct pingo__arena *arena, struct pingo_why *why,
                               struct pingo_error *err);

/* Why the action at this position of a workflow would be computed: what its plan says, and, where it is new, its
 * nearest. */
struct pingo__engine_hashed {
    const struct pingo_originals *originals;
    const struct pingo_digests *digests;
    const struct pingo_workflow *workflow;
    size_t position;
};
int pingo__engine_nearest_planned(struct pingo_store *store,
                                  const struct pingo__engine_hashed *hashed,
                                  const struct pingo_planned *planned, struct pingo__arena *arena,
                                  struct pingo_why *why, struct pingo_error *err);

/* Where the inputs, tools and version programs of a stored description lay, in this order. */
int pingo__engine_places_read(struct pingo_store *store, const struct pingo_hash *hash,
                              const struct pingo_description *description,
                              struct pingo__arena *arena, const struct pingo_place **places,
                              struct pingo_error *err);

#endif
