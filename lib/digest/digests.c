/* digests.c - a workflow -> the hash and canonical description of every action.
 *
 * What always holds: the hash of an action is the SHA-256 of its description, and
 * parents are hashed before children, along pingo_workflow_order(), so nothing
 * recurses.  The descriptions lie in one buffer, one after the other. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "digest/digests.h"
#include "digest/encoding.h"
#include "digest/originals_list.h"
#include "digest/sha256.h"

struct span {
    size_t start, length;
};

struct pingo_digests {
    size_t n;
    struct pingo_hash *hashes;
    bool are_distinct;
    struct span *spans; /* of each action's description in bytes; NULL: there is none */
    struct pingo__buffer bytes;
};

static struct pingo_digests *allocate(size_t n)
{
    struct pingo_digests *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    pingo__buffer_init(&d->bytes);
    d->n = n;
    d->hashes = calloc(n + 1, sizeof *d->hashes);
    if (!d->hashes) {
        pingo_digests_free(d);
        return NULL;
    }
    return d;
}

static int encode_action(const struct pingo_originals *originals, size_t i,
                         struct pingo__digest_encoder *encoder, struct pingo_digests *d,
                         struct pingo_error *err)
{
    struct pingo__digest_encode_source source = {
        .originals = originals->list,
        .refs = originals->refs + originals->first[i],
        .hashes = d->hashes,
    };
    size_t start = d->bytes.length;
    int rc = pingo__digest_encode_action(encoder, pingo_workflow_action(originals->workflow, i),
                                         &source, &d->bytes, err);
    d->spans[i] = (struct span){start, d->bytes.length - start};
    return rc;
}

static int hash_all(const struct pingo_workflow *workflow, const struct pingo_originals *originals,
                    struct pingo_digests *d, struct pingo_error *err)
{
    const uint32_t *order = pingo_workflow_order(workflow);
    struct pingo__digest_encoder encoder;
    struct pingo__digest_hasher hasher;
    int rc = 0;
    pingo__digest_encoder_init(&encoder);
    if (pingo__digest_hasher_init(&hasher) != 0)
        rc = pingo__fail_memory(err);
    for (size_t k = 0; rc == 0 && k < d->n; k++) {
        size_t i = order[k];
        rc = encode_action(originals, i, &encoder, d, err);
        if (rc == 0 && pingo__digest_hasher_message(&hasher, d->bytes.data + d->spans[i].start,
                                                    d->spans[i].length, &d->hashes[i]) != 0)
            rc = pingo__fail_memory(err);
    }
    pingo__digest_hasher_clear(&hasher);
    pingo__digest_encoder_clear(&encoder);
    return rc;
}

int pingo_workflow_hash(const struct pingo_workflow *workflow,
                        const struct pingo_originals *originals, struct pingo_digests **digests,
                        struct pingo_error *err)
{
    *digests = NULL;
    if (!originals || originals->workflow != workflow)
        return pingo__fail(err, PINGO_EINVAL, "the originals are not those of this workflow");
    struct pingo_digests *d = allocate(pingo_workflow_count(workflow));
    if (!d)
        return pingo__fail_memory(err);
    d->spans = calloc(d->n + 1, sizeof *d->spans);
    int rc = d->spans ? hash_all(workflow, originals, d, err) : pingo__fail_memory(err);
    if (rc != 0)
        pingo_digests_free(d);
    else
        *digests = d;
    return rc;
}

int pingo__digest_digests_restore(const struct pingo_hash *hashes, size_t n, bool are_distinct,
                                  struct pingo_digests **digests, struct pingo_error *err)
{
    *digests = allocate(n);
    if (!*digests)
        return pingo__fail_memory(err);
    (*digests)->are_distinct = are_distinct;
    if (n > 0)
        memcpy((*digests)->hashes, hashes, n * sizeof *hashes);
    return 0;
}

bool pingo__digest_digests_are_distinct(const struct pingo_digests *digests)
{
    return digests->are_distinct;
}

void pingo_digests_free(struct pingo_digests *digests)
{
    if (!digests)
        return;
    pingo__buffer_clear(&digests->bytes);
    free(digests->spans);
    free(digests->hashes);
    free(digests);
}

const struct pingo_hash *pingo_digests_hash(const struct pingo_digests *digests, size_t i)
{
    return i < digests->n ? &digests->hashes[i] : NULL;
}

const void *pingo_digests_description(const struct pingo_digests *digests, size_t i, size_t *length)
{
    *length = 0;
    if (i >= digests->n || !digests->spans)
        return NULL; /* past the end, or restored without descriptions */
    *length = digests->spans[i].length;
    return digests->bytes.data + digests->spans[i].start;
}
