/* touched.h - what an attempt reads, as it was when the attempt began.
 *
 * Kept with the attempt in the store, for whoever settles it: numbers that change when the thing is
 * touched, of each original, and of each dataset that nothing keeps the command from writing into. */
#ifndef PINGO__MANAGER_TOUCHED_H
#define PINGO__MANAGER_TOUCHED_H

#include "manager/job.h"

struct pingo__touched {
    uint64_t *numbers; /* one an original, then (dataset, number) */
    size_t n;
};

/* When an attempt begins: originals as pingo__originals_check() gave them, NULL: none. */
int pingo__touched_note(struct pingo__context *c, const struct pingo__prepared *p,
                        const uint64_t *originals, struct pingo__arena *arena,
                        struct pingo__touched *t, struct pingo_error *err);
/* Inside the transaction that hands it out. */
int pingo__touched_save(struct pingo__context *c, struct pingo_job_key key,
                        const struct pingo__touched *t, struct pingo_error *err);

/* When it has ended. */
int pingo__touched_load(struct pingo__context *c, struct pingo_job_key key,
                        struct pingo__arena *arena, struct pingo__touched *t,
                        struct pingo_error *err);
/* Which of n originals, as they are now, was touched; SIZE_MAX: none, or nothing is known. */
size_t pingo__touched_original(const struct pingo__touched *t, const uint64_t *now, size_t n);
/* Was something written into this dataset?  noriginals: how many of the numbers are theirs.  Where it was touched its
 * content is read.  1, or 0: it is as it was, or nothing is known. */
int pingo__touched_dataset(struct pingo__context *c, const struct pingo__touched *t,
                           size_t noriginals, const struct pingo__dataset_row *row,
                           struct pingo_error *err);

#endif
