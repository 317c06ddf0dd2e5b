/* digests.h - hashes that a store kept, made into a struct pingo_digests again. */
#ifndef PINGO__DIGEST_DIGESTS_H
#define PINGO__DIGEST_DIGESTS_H

#include <pingo/digest.h>

/* hashes are copied; there are no descriptions.  *digests: yours. */
int pingo__digests_restore(const struct pingo_hash *hashes, size_t n,
                           struct pingo_digests **digests, struct pingo_error *err);

#endif
