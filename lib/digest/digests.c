/* digests.c - a workflow -> the hash and canonical description of every action.
 *
 * What always holds: the hash of an action is the SHA-256 of its description, and
 * parents are hashed before children, along pingo_workflow_order(), so nothing
 * recurses.  The descriptions lie in one arena, where they are kept. */
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
    struct span *spans; /* the description of each action; NULL: none is kept */
    struct pingo__arena arena;
    /* Of which they are made, and where none is kept made again; borrowed; NULL: they cannot be. */
    const struct pingo_originals *originals;
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

static int describe(struct pingo__digest_describer *describer, const struct pingo_digests *d,
                    size_t i, struct pingo_error *err)
{
    const struct pingo_originals *originals = d->originals;
    struct pingo__digest_encode_source source = {
        .originals = originals->list,
        .refs = originals->refs + originals->first[i],
        .hashes = d->hashes,
    };
    pingo__buffer_reset(&describer->buffer);
    int rc = pingo__digest_encode_action(&describer->encoder,
                                         pingo_workflow_action(originals->workflow, i), &source,
                                         &describer->buffer, err);
    describer->bytes = describer->buffer.data;
    describer->length = describer->buffer.length;
    return rc;
}

static int keep(struct pingo_digests *d, const struct pingo__digest_describer *made, size_t i,
                struct pingo_error *err)
{
    const char *bytes = pingo__arena_text(&d->arena, made->bytes, made->length);
    d->spans[i] = (struct span){bytes, made->length};
    return bytes ? 0 : pingo__fail_memory(err);
}

static int hash_all(struct pingo_digests *d, struct pingo_error *err)
{
    const uint32_t *order = pingo_workflow_order(d->originals->workflow);
    struct pingo__digest_describer made = {.bytes = NULL};
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < d->n; k++) {
        rc = describe(&made, d, order[k], err);
        if (rc == 0 && d->spans)
            rc = keep(d, &made, order[k], err);
        if (rc == 0)
            pingo__digest_sha256(made.bytes, made.length, &d->hashes[order[k]]);
    }
    pingo__digest_describer_clear(&made);
    return rc;
}

static int hash(const struct pingo_originals *originals, bool keeps, struct pingo_digests **digests,
                struct pingo_error *err)
{
    struct pingo_digests *d = allocate(pingo_workflow_count(originals->workflow));
    *digests = NULL;
    if (!d)
        return pingo__fail_memory(err);
    d->originals = originals;
    if (keeps)
        d->spans = calloc(d->n + 1, sizeof *d->spans);
    int rc = keeps && !d->spans ? pingo__fail_memory(err) : hash_all(d, err);
    if (rc != 0)
        pingo_digests_free(d);
    else
        *digests = d;
    return rc;
}

int pingo_workflow_hash(const struct pingo_workflow *workflow,
                        const struct pingo_originals *originals, struct pingo_digests **digests,
                        struct pingo_error *err)
{
    *digests = NULL;
    if (!originals || originals->workflow != workflow)
        return pingo__fail(err, PINGO_EINVAL, "the originals are not those of this workflow");
    return hash(originals, true, digests, err);
}

int pingo__digest_workflow_hash(const struct pingo_originals *originals,
                                struct pingo_digests **digests, struct pingo_error *err)
{
    return hash(originals, false, digests, err);
}

int pingo__digest_describe(struct pingo__digest_describer *describer,
                           const struct pingo_digests *digests, size_t i, struct pingo_error *err)
{
    if (digests->originals && !digests->spans)
        return describe(describer, digests, i, err);
    describer->bytes = pingo_digests_description(digests, i, &describer->length);
    return 0;
}

void pingo__digest_describer_clear(struct pingo__digest_describer *describer)
{
    pingo__digest_encoder_clear(&describer->encoder);
    pingo__buffer_clear(&describer->buffer);
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
        return NULL; /* past the end, or without descriptions */
    *length = digests->spans[i].length;
    return digests->spans[i].bytes;
}
