/* digests.c - a workflow -> the hash and canonical description of every action.
 *
 * What always holds: the hash of an action is the SHA-256 of its description, and
 * parents are hashed before children, along pingo_workflow_order(), so nothing
 * recurses.  The descriptions lie in one arena. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "digest/digests.h"
#include "digest/encoding.h"
#include "digest/originals_list.h"
#include "digest/sha256.h"

struct span {
    const char *bytes;
    size_t length;
};

struct pingo_digests {
    size_t n;
    struct pingo_hash *hashes;
    bool are_distinct;
    struct span *spans; /* the description of each action; NULL: there is none */
    struct pingo__arena arena;
};

static struct pingo_digests *allocate(size_t n)
{
    struct pingo_digests *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->n = n;
    d->hashes = calloc(n + 1, sizeof *d->hashes);
    if (!d->hashes) {
        pingo_digests_free(d);
        return NULL;
    }
    return d;
}

/* What the hashes of all actions are made with. */
struct work {
    struct pingo__digest_encoder encoder;
    struct pingo__digest_hasher hasher;
    struct pingo__buffer description;
};

static int hash_action(struct work *work, const struct pingo_originals *originals, size_t i,
                       struct pingo_digests *d, struct pingo_error *err)
{
    struct pingo__digest_encode_source source = {
        .originals = originals->list,
        .refs = originals->refs + originals->first[i],
        .hashes = d->hashes,
    };
    struct pingo__buffer *b = &work->description;
    pingo__buffer_reset(b);
    int rc = pingo__digest_encode_action(
        &work->encoder, pingo_workflow_action(originals->workflow, i), &source, b, err);
    if (rc != 0)
        return rc;
    d->spans[i] = (struct span){pingo__arena_text(&d->arena, b->data, b->length), b->length};
    if (!d->spans[i].bytes ||
        pingo__digest_hasher_message(&work->hasher, b->data, b->length, &d->hashes[i]) != 0)
        rc = pingo__fail_memory(err);
    return rc;
}

static int hash_all(const struct pingo_workflow *workflow, const struct pingo_originals *originals,
                    struct pingo_digests *d, struct pingo_error *err)
{
    const uint32_t *order = pingo_workflow_order(workflow);
    struct work work = {.description = {0}};
    int rc = 0;
    pingo__digest_encoder_init(&work.encoder);
    if (pingo__digest_hasher_init(&work.hasher) != 0)
        rc = pingo__fail_memory(err);
    for (size_t k = 0; rc == 0 && k < d->n; k++)
        rc = hash_action(&work, originals, order[k], d, err);
    pingo__digest_hasher_clear(&work.hasher);
    pingo__digest_encoder_clear(&work.encoder);
    pingo__buffer_clear(&work.description);
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
    pingo__arena_clear(&digests->arena);
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
    return digests->spans[i].bytes;
}
