/* touched.h - was what an attempt read touched while it ran?
 *
 * The sandbox keeps a command from writing into its inputs, but not from changing their modes and times; and
 * not every command runs in one.  Of originals numbers are kept with the attempt in the store, for whoever
 * settles it; directories of the pool are compared with what was published. */
#ifndef PINGO__MANAGER_TOUCHED_H
#define PINGO__MANAGER_TOUCHED_H

#include "manager/attempt/job.h"

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

struct pingo__manager_change {
    int64_t since_ms; /* asked: when its reader began */
    bool is_touched; /* it is another, or cannot be read; else it is what it was, or nothing is known */
    bool later;      /* than since_ms */
    const char *what; /* "it changed the mode of bin/tool"; NULL: nobody knows; in the arena */
};
/* Is a dataset that is there another one than was published, though its root is the same?  Outside any
 * transaction.  Where a directory was touched its content is read, and if that is the same, its row learns how
 * it looks now. */
int pingo__manager_touched_dataset(struct pingo__manager_context *c,
                                   struct pingo__store_dataset_row *row, struct pingo__arena *arena,
                                   struct pingo__manager_change *change, struct pingo_error *err);

#endif
