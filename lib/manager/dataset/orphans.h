/* orphans.h - what lies in objects/ and staged/ and no row knows.
 *
 * What always holds: nothing is called an orphan that an open attempt, or whoever adopts an output, may be about to
 * publish. */
#ifndef PINGO__MANAGER_ORPHANS_H
#define PINGO__MANAGER_ORPHANS_H

#include "manager/context.h"

/* name: below the pool, an entry of staged/ or of a directory of objects/.  *orphan: no row knows it, and no attempt
 * will publish it; else it is wanted. */
int pingo__manager_is_orphan(struct pingo__manager_context *c, const char *name, bool *orphan,
                             struct pingo_error *err);
/* An orphan of objects/ by the name of a computation whose dataset is not there any more, and with the content that
 * was made before: the store was put back, or its datasets were given up too soon.  It is current again, STORED, or
 * LEAF where a submission wants it.
 * Reads it, outside any transaction.  *adopted false: it is none of that. */
int pingo__manager_orphan_adopt(struct pingo__manager_context *c, const char *name, bool *adopted,
                                struct pingo_error *err);

#endif
