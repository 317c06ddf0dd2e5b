/* claims.h - which attempt of a bundle is tried next.  Pure. */
#ifndef PINGO__EXECUTOR_NODE_CLAIMS_H
#define PINGO__EXECUTOR_NODE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

#include <pingo/executor.h>

struct pingo__executor_node_claims {
    struct pingo_job_key *keys;
    bool *tried; /* or known to be of no use */
    size_t n;
    size_t share, shares; /* it begins with those whose number is share, modulo shares */
};

/* PINGO_ECORRUPT: a line of the list is no key; PINGO_ENOMEM.  Clear it in each case. */
int pingo__executor_node_claims_read(struct pingo__executor_node_claims *c, const char *list);
void pingo__executor_node_claims_clear(struct pingo__executor_node_claims *c);
/* Of the container of this id, of so many; the first container of an application, its master, is number 1. */
void pingo__executor_node_claims_divide(struct pingo__executor_node_claims *c,
                                        const char *container, size_t shares);
/* The next, its own share before those of others; it is not told again.  false: there are no more. */
bool pingo__executor_node_claims_next(struct pingo__executor_node_claims *c,
                                      struct pingo_job_key *key);
/* Somebody has that one, or had. */
void pingo__executor_node_claims_pass(struct pingo__executor_node_claims *c,
                                      struct pingo_job_key key);

#endif
