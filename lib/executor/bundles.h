/* bundles.h - which attempts a cluster runs together, on this machine's disk: POOL/attempts/.bundles/NAME/list.
 *
 * A list is never changed, and is there whole or not at all: a line of its executor's, if that has one, and then a line
 * ACTION.EPOCH each.  NAME is the hash of that line, or of all of it, so that what a broken disk has made of a list is
 * none. */
#ifndef PINGO__EXECUTOR_BUNDLES_H
#define PINGO__EXECUTOR_BUNDLES_H

#include <pingo/executor.h>

#include "base/buffer.h"
#include "digest/sha256.h"

#define PINGO__BUNDLE_SIZE PINGO__DIGEST_SHORT_SIZE /* of a name */

struct pingo__executor_bundle_list {
    const char *head; /* the line of its executor's; "": it has none */
    const struct pingo_job_key *keys;
    size_t n; /* 0: they do not read back, or there is no list: whose they are nobody knows */
};

/* NAME's directory, or a file in it; of no name, that of all.  Yours; NULL: no memory. */
char *pingo__executor_bundle_path(const char *pool, const char *name, const char *file);
/* A line each: ACTION.EPOCH. */
void pingo__executor_bundle_put(struct pingo__buffer *text, const struct pingo_job_key *keys,
                                size_t n);

/* Of such lines alone, which are spoiled.  false: they are others, or no memory.  *keys: yours in each case. */
bool pingo__executor_bundle_read(char *text, struct pingo_job_key **keys, size_t *n);

/* synced: it lies on the disk afterwards.  0 or a negative errno. */
int pingo__executor_bundle_save(const char *pool, const struct pingo__executor_bundle_list *list,
                                bool synced, char name[PINGO__BUNDLE_SIZE]);
void pingo__executor_bundle_remove(const char *pool, const char *name);
typedef void pingo__executor_bundle_found(void *context, const char *name,
                                          const struct pingo__executor_bundle_list *list);
/* Tells each that can be read.  0, or the first negative errno of what cannot be read now. */
int pingo__executor_bundles_each(const char *pool, pingo__executor_bundle_found *found,
                                 void *context);
/* The same of those that nobody is about to submit any more, and none of whose attempts is unsettled; of a list that
 * does not read back, where nothing is. */
void pingo__executor_bundles_trim(const char *pool, const struct pingo_job_key *unsettled, size_t n,
                                  pingo__executor_bundle_found *found, void *context);

#endif
