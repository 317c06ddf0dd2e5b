/* workflow.c - reading a finished workflow. */
#include "workflow/workflow.h"

#include <stdlib.h>
#include <string.h>

#include <pingo/action_type.h>

#include "base/error.h"
#include "base/text.h"

const struct pingo_action_more pingo__workflow_nothing_more = {.nversions = 0};

void pingo_workflow_free(struct pingo_workflow *workflow)
{
    if (!workflow)
        return;
    pingo__map_clear(&workflow->ids);
    pingo__arena_clear(&workflow->arena);
    free(workflow->actions);
    free(workflow);
}

const char *pingo_workflow_name(const struct pingo_workflow *workflow)
{
    return workflow->name;
}

const char *const *pingo_workflow_labels(const struct pingo_workflow *workflow, size_t *n)
{
    *n = workflow->nlabels;
    return workflow->labels;
}

size_t pingo_workflow_count(const struct pingo_workflow *workflow)
{
    return workflow->nactions;
}

const struct pingo_action *pingo_workflow_action(const struct pingo_workflow *workflow, size_t i)
{
    return i < workflow->nactions ? &workflow->actions[i] : NULL;
}

const uint32_t *pingo_workflow_order(const struct pingo_workflow *workflow)
{
    return workflow->graph.order;
}

int pingo_workflow_resolve(const struct pingo_workflow *workflow, const char *text, size_t *index,
                           struct pingo_error *err)
{
    size_t found = SIZE_MAX, n = 0;
    bool is_id = false;
    int64_t id;
    if (pingo__text_to_int64(text, 0, PINGO_ID_MAX, &id)) {
        found = pingo_workflow_find(workflow, id);
        is_id = found != SIZE_MAX;
        n = is_id;
    }
    for (size_t i = 0; i < workflow->nactions && !is_id; i++) {
        if (strcmp(workflow->actions[i].name, text) != 0)
            continue;
        found = i;
        n++;
    }
    if (n == 0)
        return pingo__fail(err, PINGO_ENOTFOUND, "no action has the id or the name \"%s\"", text);
    if (n > 1)
        return pingo__fail(err, PINGO_EAMBIGUOUS,
                           "%zu actions have the name \"%s\": write the id of one", n, text);
    *index = found;
    return 0;
}

const struct pingo_field *pingo__workflow_field(const struct pingo_field *fields, size_t n,
                                                const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

const struct pingo_field *pingo_action_field(const struct pingo_action *action, const char *key)
{
    return pingo__workflow_field(action->fields, action->nfields, key);
}

const char *pingo_action_type_name(const struct pingo_action *action)
{
    return action->type->name;
}
