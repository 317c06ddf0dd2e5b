/* claims.c - see node.h. */
#include "executor/hadoop/node/node.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "executor/bundles.h"
#include "runner/record/job.h"

int pingo__executor_node_claims_read(struct pingo__executor_node_claims *c, char *list)
{
    *c = (struct pingo__executor_node_claims){.shares = 1};
    bool are_keys = pingo__executor_bundle_read(list, &c->keys, &c->n);
    c->tried = calloc(c->n + 1, sizeof *c->tried);
    return !c->keys || !c->tried ? PINGO_ENOMEM : are_keys ? 0 : PINGO_ECORRUPT;
}

void pingo__executor_node_claims_clear(struct pingo__executor_node_claims *c)
{
    free(c->keys);
    free(c->tried);
    memset(c, 0, sizeof *c);
}

void pingo__executor_node_claims_divide(struct pingo__executor_node_claims *c,
                                        const char *container, size_t shares)
{
    const char *last = strrchr(container, '_');
    int64_t number = 0;
    c->shares = shares > 0 ? shares : 1;
    if (last && pingo__text_to_int64(last + 1, 0, INT64_MAX, &number))
        c->share = (size_t)(number >= 2 ? number - 2 : 0) % c->shares;
}

bool pingo__executor_node_claims_next(struct pingo__executor_node_claims *c,
                                      struct pingo_job_key *key)
{
    for (int whose = 0; whose < 2; whose++)
        for (size_t i = whose ? 0 : c->share; i < c->n; i += whose ? 1 : c->shares)
            if (!c->tried[i]) {
                c->tried[i] = true;
                *key = c->keys[i];
                return true;
            }
    return false;
}

void pingo__executor_node_claims_pass(struct pingo__executor_node_claims *c,
                                      struct pingo_job_key key)
{
    for (size_t i = 0; i < c->n; i++)
        if (pingo__runner_key_is(c->keys[i], key))
            c->tried[i] = true;
}
