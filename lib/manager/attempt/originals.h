/* originals.h - what an attempt reads from outside the pool: is it still what was hashed, and was it touched meanwhile?
 *
 * Originals and tools are compared when an attempt starts and again before it is published: by
 * stamp (stat), and where that differs or is too young, by content; a tool is looked for anew.
 * What changed meanwhile, and back, is seen by numbers that are kept with the attempt in the store
 * (pingo__store_attempt_set_touched()), for whoever settles it. */
#ifndef PINGO__MANAGER_ORIGINALS_H
#define PINGO__MANAGER_ORIGINALS_H

#include "manager/attempt/job.h"

struct pingo__manager_originals_check {
    const struct pingo__manager_prepared
        *p; /* description: on its PATH tools are looked for again; NULL: where they were */
    struct pingo__arena *arena;
    uint64_t *stamps; /* room for one an original, or NULL: each is another when what it stands for was touched */
    /* found: */
    const char *changed; /* one changed or is gone: which, and since when; NULL: none */
};
int pingo__manager_originals_check(struct pingo__manager_context *c,
                                   struct pingo__manager_originals_check *check,
                                   struct pingo_error *err);

#endif
