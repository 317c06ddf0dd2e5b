/* digests.h - hashes with their descriptions, or without: a description is as long as its action, and most who ask
 * for hashes need few of them. */
#ifndef PINGO__DIGEST_DIGESTS_H
#define PINGO__DIGEST_DIGESTS_H

#include <stdbool.h>

#include "digest/encoding.h"

/* As pingo_workflow_hash() of their workflow, but no description is kept: *digests borrows that and the originals. */
int pingo__digest_workflow_hash(const struct pingo_originals *originals,
                                struct pingo_digests **digests, struct pingo_error *err);

/* One description at a time; zeroed at first. */
struct pingo__digest_describer {
    struct pingo__digest_encoder encoder;
    struct pingo__buffer buffer;
    const void *bytes; /* until the next one; NULL: there is none */
    size_t length;
};
/* That of the i-th action, kept or made again. */
int pingo__digest_describe(struct pingo__digest_describer *describer,
                           const struct pingo_digests *digests, size_t i, struct pingo_error *err);
void pingo__digest_describer_clear(struct pingo__digest_describer *describer);

/* hashes are copied; there are no descriptions.  are_distinct: it is known that no two are equal.
 * *digests: yours. */
int pingo__digest_digests_restore(const struct pingo_hash *hashes, size_t n, bool are_distinct,
                                  struct pingo_digests **digests, struct pingo_error *err);
/* Is it known that no two are equal? */
bool pingo__digest_digests_are_distinct(const struct pingo_digests *digests);

#endif
