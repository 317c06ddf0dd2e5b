/* nearest.h - the nearest action that was known before another, and what differs, for people. */
#ifndef PINGO__ENGINE_NEAREST_H
#define PINGO__ENGINE_NEAREST_H

#include "digest/originals.h"
#include "engine/engine.h"

/* Whose nearest is asked for. */
struct pingo__engine_subject {
    struct pingo_store *store;
    struct pingo__arena *arena;          /* of what is told */
    const struct pingo_description *own; /* what it is; NULL: the store knows */
    int64_t before;                      /* only rows of actions below this one */
    const struct pingo_originals *originals; /* of a workflow that is not submitted; NULL: the store knows */
    const struct pingo_action *action; /* in it */
};

/* Fills in nearest, differences and inherited of *why, whose id, name and hash are set. */
int pingo__engine_nearest_tell(const struct pingo__engine_subject *subject, struct pingo_why *why,
                               struct pingo_error *err);

/* A description with where its inputs, tools and version programs lay, in this order. */
struct pingo__engine_placed {
    const struct pingo_description *description;
    const struct pingo_described_input *inputs;
    const struct pingo_described_tool *tools;
    const struct pingo_described_version *versions;
    size_t ninputs, ntools, nversions;
    const struct pingo_place *places; /* in the arena */
};
/* The description of a hash is given, and so its lists are borrowed. */
int pingo__engine_placed_read(struct pingo__engine_placed *p, struct pingo_store *store,
                              const struct pingo_hash *hash, struct pingo__arena *arena,
                              struct pingo_error *err);

#endif
