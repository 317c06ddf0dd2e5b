/* output.h - what an executor delivers, looked at before it is published.
 *
 * What always holds: what lies at the staged path is looked at without following it; nothing but
 * what is the pool's own becomes read-only.  What the executor says of it is checked as far as that
 * does not mean reading everything once more. */
#ifndef PINGO__MANAGER_OUTPUT_H
#define PINGO__MANAGER_OUTPUT_H

#include <pingo/executor.h>

#include "manager/context.h"

/* path: the staged output, below the pool.  checked: the executor has looked at it by the same rules, and only
 * kind and size of the named path are compared.  Fills in what end leaves out (output_kind NONE); where it cannot
 * be kept, end->reason becomes BAD_OUTPUT, or NO_OUTPUT where there is none, and the message says why.
 * PINGO_ENOTFOUND: the executor told of an output, but there is none.  Other errors are the store's. */
int pingo__manager_output_look(struct pingo__manager_context *c, const char *path, bool checked,
                               struct pingo_job_end *end, struct pingo_error *err);

/* What lies at its object's name, or outside, once it is there: how its root looks; and how a pool that lies elsewhere
 * tells its content, which it does in its own way. */
int pingo__manager_output_published(struct pingo__manager_context *c, const char *object,
                                    struct pingo__pool_state *root, struct pingo_job_end *end,
                                    struct pingo_error *err);

#endif
