/* orphans.h - what lies in objects/ and staged/ and no row knows.
 *
 * What always holds: nothing is called an orphan that an open attempt, or whoever adopts an output, may be about to
 * publish. */
#ifndef PINGO__MANAGER_ORPHANS_H
#define PINGO__MANAGER_ORPHANS_H

#include "digest/content.h"
#include "manager/context.h"
#include "store/dataset/datasets.h"

/* name: below the pool, an entry of staged/ or of a directory of objects/.  *orphan: no row knows it, and no attempt
 * will publish it; else it is wanted. */
int pingo__manager_is_orphan(struct pingo__manager_context *c, const char *name, bool *orphan,
                             struct pingo_error *err);
/* The same in one view of the rows, which it begins where none is, and the caller ends; an orphan ends it.  Of a pool
 * that is not on this machine there is none. */
int pingo__manager_is_orphan_of_many(struct pingo__manager_context *c, const char *name,
                                     bool *orphan, struct pingo_error *err);
/* An orphan of objects/ by the name of a computation whose dataset is not there any more, and with the content that
 * was made before: the store was put back, or its datasets were given up too soon. */
struct pingo__manager_orphan {
    struct pingo__manager_context *c;
    struct pingo__arena *arena; /* of its texts */
    const char *name;
    struct pingo_hash hash;
    struct pingo__pool_state st;
    struct pingo__digest_content content;
    struct pingo__store_dataset_row row; /* whose bytes are not where it says; id 0: none is there */
    bool may_be, adopted;
};
/* Reads it, outside any transaction.  orphan->may_be false: it is none of that. */
int pingo__manager_orphan_read(struct pingo__manager_context *c, const char *name,
                               struct pingo__arena *arena, struct pingo__manager_orphan *orphan,
                               struct pingo_error *err);
/* In a write transaction: orphan->adopted: it is current again, STORED, or LEAF where a submission wants it. */
int pingo__manager_orphan_adopt(struct pingo__manager_orphan *orphan, struct pingo_error *err);
/* After it: what lies where the row had said goes. */
int pingo__manager_orphan_adopted(const struct pingo__manager_orphan *orphan,
                                  struct pingo_error *err);

#endif
