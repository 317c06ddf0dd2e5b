/* request.h - a workflow that is asked for, on its way from the text to its hashes: submissions and dry runs share
 * it. */
#ifndef PINGO__ENGINE_REQUEST_H
#define PINGO__ENGINE_REQUEST_H

#include "digest/originals.h"
#include "engine/engine.h"
#include "manager/attempt/inputs.h"
#include "manager/dataset/suspects.h"

/* What is gathered on the way. */
struct pingo__engine_request {
    struct pingo_store *store;
    struct pingo_submit_options options;
    struct pingo_identify_options identify;
    const char *base_dir;           /* NULL: none */
    struct pingo_document document; /* borrowed; text NULL: none, or not read */
    struct pingo_workflow *parsed;  /* ours */
    const struct pingo_workflow *workflow;
    struct pingo_originals *originals;
    struct pingo_digests *digests;
    struct pingo__manager_content_memory memory;
    struct pingo__digest_content_cache cache;
    struct pingo__manager_suspects suspects;
    size_t *targets, *forced;
};

/* Always to be closed, also after an error. */
int pingo__engine_request_open(struct pingo__engine_request *r, struct pingo_store *store,
                               const struct pingo_submit_options *options, struct pingo_error *err);
void pingo__engine_request_close(struct pingo__engine_request *r);
int pingo__engine_request_parse(struct pingo__engine_request *r,
                                const struct pingo_document *document, struct pingo_error *err);
/* what: a workflow or a list; the rest is set here. */
int pingo__engine_request_identify(struct pingo__engine_request *r,
                                   struct pingo__digest_identify *what,
                                   struct pingo_originals **originals, struct pingo_error *err);
/* Identifies and hashes r->workflow.  What cannot be read is told with the problems. */
int pingo__engine_request_hash(struct pingo__engine_request *r, struct pingo_error *err);
int pingo__engine_request_plan_options(struct pingo__engine_request *r,
                                       struct pingo_plan_options *plan, struct pingo_error *err);
/* Datasets that lie there as other files than were published are compared by content, outside any transaction. */
int pingo__engine_request_read_suspects(struct pingo__engine_request *r, struct pingo_error *err);

#endif
