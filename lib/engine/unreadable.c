/* unreadable.c - telling of all inputs, tools and versions at once that cannot be read, each at its
 * place in the text, with the violations of rules if there are any.
 *
 * A workflow knows no places: the text is read once more, where something is wrong. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "digest/originals.h"
#include "engine/request.h"
#include "workflow/check.h"

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

void pingo__engine_request_parse_options(struct pingo__engine_request *r,
                                         struct pingo_workflow_options *options)
{
    int64_t limit = pingo__engine_setting_number(r->store, "workflow.maxBytes");
    *options = (struct pingo_workflow_options){
        .version = 1,
        .base_dir = r->base_dir,
        .max_bytes = r->options.max_bytes ? r->options.max_bytes : (size_t)limit,
        .strict = r->options.strict,
        .types = r->store->options.types,
        .ntypes = r->store->options.ntypes,
        .file_exists = file_exists,
        .context = (void *)(uintptr_t)r->store->context.world};
}

void pingo__engine_request_tell_unreadable(struct pingo__engine_request *r)
{
    struct asked asked = {.r = r};
    struct pingo__workflow_parts_check check = {
        .context = &asked, .wrong = r->originals ? wrong_by_identity : wrong_by_stat};
    struct pingo_workflow_options options;
    struct pingo__workflow_parse_source source = {
        .text = r->text, .length = r->length, .options = &options, .check = &check};
    struct pingo_workflow *workflow = NULL;
    struct pingo_problems *all = NULL;
    if (!r->text || !r->problems)
        return;
    pingo__engine_request_parse_options(r, &options);
    if (pingo__workflow_parse(&source, &workflow, &all, NULL) == PINGO_EWORKFLOW && all) {
        pingo_problems_free(*r->problems);
        *r->problems = all;
    } else { /* what was missing has appeared since, or there is no memory to say more */
        pingo_problems_free(all);
    }
    pingo_workflow_free(workflow);
}
