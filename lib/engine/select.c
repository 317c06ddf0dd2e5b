/* select.c - which actions of a submission are meant: by id, by name, by pattern, by label. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "engine/engine.h"

/* How an action was found. */
enum { NOT_MEANT = 0, MEANT = 1, NAMED = 2 };

static bool has_label(const struct pingo_action *a, const char *label)
{
    const char *equals = strchr(label, '=');
    size_t n = (size_t)(equals - label);

    for (size_t i = 0; i + 1 < a->nlabels; i += 2)
        if (strlen(a->labels[i]) == n && memcmp(a->labels[i], label, n) == 0)
            return strcmp(a->labels[i + 1], equals + 1) == 0 ||
                   pingo__text_glob(equals + 1, a->labels[i + 1]);
    return false;
}

static bool has_labels(const struct pingo_action *a, const struct pingo_selection *s)
{
    for (size_t i = 0; i < s->nlabels; i++)
        if (!has_label(a, s->labels[i]))
            return false;
    return true;
}

/* A word that is no id and no name may be a pattern. */
static int mark(const struct pingo__loaded *l, const char *word, uint8_t *how,
                struct pingo_error *err)
{
    size_t n = pingo_workflow_count(l->workflow), at = 0, found = 0;
    int rc = pingo_workflow_resolve(l->workflow, word, &at, err);

    if (!rc)
        how[at] = NAMED;
    if (rc != PINGO_ENOTFOUND || !pingo__text_is_glob(word))
        return rc;
    for (size_t i = 0; i < n; i++)
        if (pingo__text_glob(word, pingo_workflow_action(l->workflow, i)->name)) {
            how[i] = how[i] == NAMED ? NAMED : MEANT;
            found++;
        }
    return found ? 0
                 : pingo__fail(err, PINGO_ENOTFOUND,
                               "no action of workflow %" PRId64 " has a name like \"%s\"",
                               l->row.id, word);
}

static int mark_all(const struct pingo__loaded *l, const struct pingo_selection *s, uint8_t *how,
                    struct pingo_error *err)
{
    size_t n = pingo_workflow_count(l->workflow), found = 0;
    int rc = 0;

    for (size_t i = 0; !s->nactions && i < n; i++)
        how[i] = MEANT;
    for (size_t i = 0; !rc && i < s->nactions; i++)
        rc = mark(l, s->actions[i], how, err);
    for (size_t i = 0; !rc && i < n; i++) {
        if (how[i] && !has_labels(pingo_workflow_action(l->workflow, i), s))
            how[i] = NOT_MEANT;
        found += how[i] != NOT_MEANT;
    }
    if (!rc && !found)
        rc = pingo__fail(err, PINGO_ENOTFOUND,
                         "no %saction of workflow %" PRId64 " has the label%s %s",
                         s->nactions ? "such " : "", l->row.id, s->nlabels > 1 ? "s" : "",
                         s->nlabels ? s->labels[0] : "");
    return rc;
}

int pingo__check_labels(const char *const *labels, size_t n, struct pingo_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(labels[i], '=');

        if (!equals || equals == labels[i])
            return pingo__fail(err, PINGO_EINVAL, "\"%s\" is no label: write KEY=VALUE", labels[i]);
    }
    return 0;
}

int pingo_store_select(struct pingo_store *store, int64_t workflow,
                       const struct pingo_selection *selection, pingo_selected_fn fn, void *context,
                       struct pingo_error *err)
{
    struct pingo__loaded l;
    uint8_t *how;
    int rc = pingo__check_version(err, "the selection", selection->version);

    if (!rc)
        rc = pingo__check_labels(selection->labels, selection->nlabels, err);
    if (!rc)
        rc = pingo__loaded_open(store, workflow, &l, err);
    if (rc)
        return rc;
    how = calloc(l.graph.nhashes + 1, 1);
    rc = how ? mark_all(&l, selection, how, err) : pingo__fail_memory(err);
    for (size_t i = 0; !rc && i < l.graph.nhashes; i++) {
        const struct pingo_action *a = pingo_workflow_action(l.workflow, i);
        struct pingo_selected selected = {.id = a->id,
                                          .name = a->name,
                                          .hash = l.graph.hashes[i],
                                          .is_wanted = pingo__loaded_is_wanted(&l, i),
                                          .is_named = how[i] == NAMED};

        if (how[i] && fn(context, &selected))
            rc = pingo__fail(err, PINGO_EINTERRUPTED, "stopped by the caller");
    }
    free(how);
    pingo__loaded_close(&l);
    return rc;
}
