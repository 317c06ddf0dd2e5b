/* originals.h - what an attempt reads from outside the pool: is it still what was hashed, and was it touched meanwhile?
 *
 * Originals and tools are compared when an attempt starts and again before it is published: by
 * stamp (stat), and where that differs or is too young, by content; a tool is looked for anew.
 * What changed meanwhile, and back, is seen by numbers that are kept with the attempt in the store, for whoever
 * settles it. */
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

struct pingo__manager_touched {
    const uint64_t *numbers; /* one an original: another one when it is touched */
    size_t n;
};

/* Inside the transaction that hands the attempt out. */
int pingo__manager_touched_save(struct pingo__manager_context *c, struct pingo_job_key key,
                                const struct pingo__manager_touched *t, struct pingo_error *err);
/* When it has ended. */
int pingo__manager_touched_load(struct pingo__manager_context *c, struct pingo_job_key key,
                                struct pingo__arena *arena, struct pingo__manager_touched *t,
                                struct pingo_error *err);
/* Which of n originals, as they are now, was touched; SIZE_MAX: none, or nothing is known. */
size_t pingo__manager_touched_original(const struct pingo__manager_touched *t, const uint64_t *now,
                                       size_t n);

#endif
