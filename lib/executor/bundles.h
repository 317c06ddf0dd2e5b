/* bundles.h - which attempts a cluster runs together, on this machine's disk: POOL/attempts/.bundles/NAME/list.
 *
 * A list is never changed, and is there whole or not at all.  NAME is of a text that is this bundle's alone. */
#ifndef PINGO__EXECUTOR_BUNDLES_H
#define PINGO__EXECUTOR_BUNDLES_H

#include <pingo/executor.h>

#include "base/buffer.h"

#define PINGO__BUNDLE_SIZE 17 /* of a name */

/* Returns name. */
const char *pingo__executor_bundle_name(const char *text, size_t n, char name[PINGO__BUNDLE_SIZE]);
/* NAME's directory, or a file in it; of no name, that of all.  Yours; NULL: no memory. */
char *pingo__executor_bundle_path(const char *pool, const char *name, const char *file);
/* A line each: ACTION.EPOCH. */
void pingo__executor_bundle_put(struct pingo__buffer *text, const struct pingo_job_key *keys,
                                size_t n);
/* Of such lines alone.  Yours; NULL: it is another text, or no memory.  The text is spoiled. */
struct pingo_job_key *pingo__executor_bundle_keys(char *text, size_t *n);

/* synced: it lies on the disk afterwards.  0 or a negative errno. */
int pingo__executor_bundle_save(const char *pool, const char *name,
                                const struct pingo__buffer *text, bool synced);
void pingo__executor_bundle_remove(const char *pool, const char *name);
/* Tells each with the text of its list, "" where there is none; what cannot be read is passed over.  is_old: nobody is
 * about to submit it any more.  The text may be spoiled. */
typedef void pingo__executor_bundle_found(void *context, const char *name, char *text, bool is_old);
void pingo__executor_bundles_each(const char *pool, pingo__executor_bundle_found *found,
                                  void *context);

#endif
