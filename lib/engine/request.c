/* request.c - see request.h. */
#include "engine/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"

int pingo__engine_request_open(struct pingo__engine_request *r, struct pingo_store *store,
                               const struct pingo_submit_options *options, struct pingo_error *err)
{
    static const struct pingo__growing_options_type type = {
        "pingo_submit_options",
        {offsetof(struct pingo_submit_options, user), sizeof(struct pingo_submit_options)}};
    memset(r, 0, sizeof *r);
    r->store = store;
    int rc = pingo__growing_options_take(&type, options, &r->options, err);
    r->base_dir = r->options.base_dir;
    pingo__manager_content_memory_init(&r->memory, &store->db, &r->cache);
    pingo__manager_suspects_init(&r->suspects, &store->context);
    return rc ? rc : pingo__engine_tag_check(r->options.tag, err);
}

void pingo__engine_request_close(struct pingo__engine_request *r)
{
    pingo__manager_suspects_clear(&r->suspects);
    pingo__manager_content_memory_clear(&r->memory);
    pingo_digests_free(r->digests);
    pingo_originals_free(r->originals);
    pingo_workflow_free(r->parsed);
    free(r->targets);
    free(r->forced);
}

int pingo__engine_request_parse(struct pingo__engine_request *r, const char *text, size_t length,
                                struct pingo_problems **problems, struct pingo_error *err)
{
    struct pingo_workflow_options options;
    pingo__engine_request_parse_options(r, &options);
    int rc = pingo_workflow_parse(text, length, &options, &r->parsed, problems, err);
    r->workflow = r->parsed;
    r->text = text;
    r->length = length;
    r->problems = problems;
    if (rc == PINGO_EWORKFLOW)
        pingo__engine_request_tell_unreadable(r);
    return rc;
}

static struct pingo_identify_options identify_options(const struct pingo__engine_request *r)
{
    return (struct pingo_identify_options){
        .version = 1, .progress = r->options.progress, .context = r->options.context};
}

int pingo__engine_request_identify(struct pingo__engine_request *r,
                                   struct pingo__digest_identify *what,
                                   struct pingo_originals **originals, struct pingo_error *err)
{
    struct pingo_identify_options options = identify_options(r);
    what->options = &options;
    what->world = r->store->context.world;
    what->cache = &r->cache;
    return pingo__digest_originals_identify(what, originals, err);
}

int pingo__engine_request_hash(struct pingo__engine_request *r, struct pingo_error *err)
{
    int rc = pingo__engine_outputs_check(r->store, r->workflow, err);
    if (!rc)
        rc = pingo__engine_request_identify(
            r, &(struct pingo__digest_identify){.workflow = r->workflow}, &r->originals, err);
    if (!rc)
        rc = pingo_workflow_hash(r->workflow, r->originals, &r->digests, err);
    if (rc == PINGO_EINPUT && r->originals)
        pingo__engine_request_tell_unreadable(r);
    return rc;
}

static int resolve(const struct pingo__engine_request *r, const char *const *names, size_t n,
                   size_t **indexes, struct pingo_error *err)
{
    int rc = 0;
    *indexes = calloc(n + 1, sizeof **indexes);
    if (!*indexes)
        return pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = pingo_workflow_resolve(r->workflow, names[i], &(*indexes)[i], err);
    return rc;
}

int pingo__engine_request_plan_options(struct pingo__engine_request *r,
                                       struct pingo_plan_options *plan, struct pingo_error *err)
{
    int rc = resolve(r, r->options.targets, r->options.ntargets, &r->targets, err);
    if (!rc)
        rc = resolve(r, r->options.forced, r->options.nforced, &r->forced, err);
    *plan = (struct pingo_plan_options){.version = 1,
                                        .targets = r->targets,
                                        .ntargets = r->options.ntargets,
                                        .forced = r->forced,
                                        .nforced = r->options.nforced};
    return rc;
}

int pingo__engine_request_read_suspects(struct pingo__engine_request *r, struct pingo_error *err)
{
    struct pingo_identify_options options = identify_options(r);
    return pingo__manager_suspects_read(&r->suspects, &options, err);
}
