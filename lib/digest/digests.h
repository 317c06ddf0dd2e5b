/* digests.h - hashes that a store kept, made into a struct pingo_digests again. */
#ifndef PINGO__DIGEST_DIGESTS_H
#define PINGO__DIGEST_DIGESTS_H

#include <stdbool.h>

#include <pingo/digest.h>

/* hashes are copied; there are no descriptions.  are_distinct: it is known that no two are equal.
 * *digests: yours. */
int pingo__digest_digests_restore(const struct pingo_hash *hashes, size_t n, bool are_distinct,
                                  struct pingo_digests **digests, struct pingo_error *err);
/* Is it known that no two are equal? */
bool pingo__digest_digests_are_distinct(const struct pingo_digests *digests);

#endif
