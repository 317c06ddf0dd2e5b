/* request.c - see request.h. */
#include "engine/request.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "digest/digests.h"
#include "workflow/check.h"

int pingo__engine_request_open(struct pingo__engine_request *r, struct pingo_store *store,
                               const struct pingo_submit_options *options, struct pingo_error *err)
{
    static const struct pingo__growing_options_type type = {
        "pingo_submit_options",
        {offsetof(struct pingo_submit_options, user), offsetof(struct pingo_submit_options, key),
         sizeof(struct pingo_submit_options)}};
    memset(r, 0, sizeof *r);
    r->store = store;
    int rc = pingo__growing_options_take(&type, options, &r->options, err);
    r->identify = (struct pingo_identify_options){
        .version = 1, .progress = r->options.progress, .context = r->options.context};
    r->base_dir = r->options.base_dir;
    pingo__manager_content_memory_init(&r->memory, &store->db, &r->cache);
    r->suspects.c = &store->context;
    if (!rc)
        rc = pingo__engine_label_check(r->options.user, "a user", PINGO__LABEL_MAX, err);
    if (!rc)
        rc = pingo__engine_label_check(r->options.tag, "a tag", PINGO__LABEL_MAX, err);
    return !rc && r->options.once && !r->options.tag
               ? pingo__fail(err, PINGO_EINVAL, "once goes with a tag")
               : rc;
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

/* ---- what cannot be read ----------------------------------------------------------------------
 *
 * All inputs, tools and versions at once, each at its place in the text, with the violations of rules if there are any.
 * A workflow knows no places: the text is read once more, where something is wrong. */

struct asked {
    struct pingo__engine_request *r;
    char message[600];
};

/* Before anything was read: is the input there at all? */
static const char *wrong_by_stat(void *context, const struct pingo_action *action, size_t position,
                                 enum pingo__workflow_part part, size_t i)
{
    struct asked *a = context;
    const struct pingo__world *world = a->r->store->context.world;
    (void)position;
    if (part != PINGO__PART_INPUT)
        return NULL;
    struct stat st;
    int rc = world->stat(world->context, AT_FDCWD, action->inputs[i].path, 0, &st);
    if (rc == 0)
        return NULL;
    char reason[128];
    snprintf(a->message, sizeof a->message, "%.400s: cannot be read: %s", action->inputs[i].path,
             strerror_r(-rc, reason, sizeof reason));
    return a->message;
}

/* Afterwards: what was found. */
static const char *wrong_by_identity(void *context, const struct pingo_action *action,
                                     size_t position, enum pingo__workflow_part part, size_t i)
{
    struct asked *a = context;
    const struct pingo_action *known = pingo_workflow_action(a->r->workflow, position);
    (void)action;
    const struct pingo__digest_original *o =
        pingo__digest_originals_of(a->r->originals, known, part, i);
    return o && o->error ? o->message : NULL;
}

static bool file_exists(void *context, const char *path)
{
    const struct pingo__world *w = context;
    struct stat st;
    return w->stat(w->context, AT_FDCWD, path, 0, &st) == 0 && S_ISREG(st.st_mode);
}

static int parse_options(struct pingo__engine_request *r, struct pingo_workflow_options *options,
                         struct pingo_error *err)
{
    int64_t limit = 0;
    int rc = pingo__engine_setting_number(r->store, "workflow.maxBytes", &limit, err);
    *options = (struct pingo_workflow_options){
        .version = 1,
        .base_dir = r->base_dir,
        .max_bytes = r->options.max_bytes ? r->options.max_bytes : (size_t)limit,
        .strict = r->options.strict,
        .types = r->store->options.types,
        .ntypes = r->store->options.ntypes,
        .file_exists = file_exists,
        .context = (void *)(uintptr_t)r->store->context.world};
    return rc;
}

/* Puts that in the place of the problems. */
static void tell_unreadable(struct pingo__engine_request *r)
{
    struct asked asked = {.r = r};
    struct pingo__workflow_parts_check check = {
        .context = &asked, .wrong = r->originals ? wrong_by_identity : wrong_by_stat};
    struct pingo_workflow_options options;
    struct pingo__workflow_parse_source source = {
        .document = r->document, .options = &options, .check = &check};
    struct pingo_workflow *workflow = NULL;
    struct pingo_problems *all = NULL;
    source.document.problems = &all;
    if (!r->document.text || !r->document.problems)
        return;
    if (parse_options(r, &options, NULL) == 0 &&
        pingo__workflow_parse(&source, &workflow, NULL) == PINGO_EWORKFLOW && all) {
        pingo_problems_free(*r->document.problems);
        *r->document.problems = all;
    } else { /* what was missing has appeared since, or there is no memory to say more */
        pingo_problems_free(all);
    }
    pingo_workflow_free(workflow);
}

/* ---- from the text to the hashes ---------------------------------------------------------------- */

int pingo__engine_request_parse(struct pingo__engine_request *r,
                                const struct pingo_document *document, struct pingo_error *err)
{
    struct pingo_workflow_options options;
    int rc = parse_options(r, &options, err);
    if (!rc)
        rc = pingo_workflow_parse(document, &options, &r->parsed, err);
    r->workflow = r->parsed;
    r->document = *document;
    if (rc == PINGO_EWORKFLOW)
        tell_unreadable(r);
    return rc;
}

int pingo__engine_request_identify(struct pingo__engine_request *r,
                                   struct pingo__digest_identify *what,
                                   struct pingo_originals **originals, struct pingo_error *err)
{
    what->options = &r->identify;
    what->world = r->store->context.world;
    what->cache = &r->cache;
    return pingo__digest_originals_identify(what, originals, err);
}

int pingo__engine_request_hash(struct pingo__engine_request *r, struct pingo_error *err)
{
    int rc = pingo__engine_outputs_check(r->store, r->workflow, err);
    if (!rc)
        rc = pingo__engine_inputs_check(r->store, r->workflow, err);
    if (!rc)
        rc = pingo__engine_request_identify(
            r, &(struct pingo__digest_identify){.workflow = r->workflow}, &r->originals, err);
    if (!rc)
        rc = pingo__digest_workflow_hash(r->originals, &r->digests, err);
    if (rc == PINGO_EINPUT && r->originals)
        tell_unreadable(r);
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
    return pingo__manager_suspects_read(&r->suspects, &r->identify, err);
}
