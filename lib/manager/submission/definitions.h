/* definitions.h - the definitions of a submission, with remarks on where its originals and tools lie. */
#ifndef PINGO__MANAGER_DEFINITIONS_H
#define PINGO__MANAGER_DEFINITIONS_H

#include "manager/context.h"
#include "manager/submission/workflow_manager.h"

/* Inserts those that the store does not know, in the submission's transaction.  Errors: PINGO_ECOLLISION. */
int pingo__manager_definitions_insert(struct pingo__manager_context *c,
                                      const struct pingo__manager_submit *s,
                                      struct pingo_error *err);

#endif
