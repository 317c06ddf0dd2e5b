/* basic.c - opening, observing and presence, as most algorithms have them, and what two of them say. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "decision/algorithms/basic.h"

void pingo__decision_basic_close(void *state)
{
    if (!state)
        return;
    pingo__decision_stored_clear(state);
    free(state);
}

int pingo__decision_basic_open(const struct pingo_history *history,
                               const struct pingo__decision_kind *kind, uint32_t reach,
                               void **state, struct pingo_error *err)
{
    struct pingo__decision_stored *made = calloc(1, kind->size);
    if (made && pingo__decision_stored_init(made, history, reach)) {
        made->kind = kind;
        *state = made;
        return 0;
    }
    pingo__decision_basic_close(made);
    return pingo__fail_memory(err);
}

int pingo__decision_basic_read(struct pingo__decision_stored *stored, uint32_t submission,
                               struct pingo_history_submission *w, struct pingo_error *err)
{
    if (pingo_history_submission(stored->history, submission, w) != 0)
        return pingo__fail(err, PINGO_EINVAL, "the history has no submission %u", submission);
    if (!pingo__decision_stored_reserve(stored, w->nknown))
        return pingo__fail_memory(err);
    return 0;
}

int pingo__decision_basic_observe(void *state, uint32_t submission, struct pingo_error *err)
{
    struct pingo_history_submission w = {.size = sizeof w};
    int rc = pingo__decision_basic_read(state, submission, &w, err);
    if (rc == 0)
        pingo__decision_stored_observe(state, &w);
    return rc;
}

int pingo__decision_basic_present(void *state, uint32_t dataset, struct pingo_error *err)
{
    (void)err;
    pingo__decision_stored_add(state, dataset);
    return 0;
}

void pingo__decision_basic_missing(void *state, uint32_t dataset, bool evicted)
{
    (void)evicted;
    pingo__decision_stored_remove(state, dataset);
}

void pingo__decision_basic_tell_use(const struct pingo__decision_stored *stored, uint32_t dataset,
                                    char *text, size_t size)
{
    if (stored->last_use[dataset] == 0) {
        snprintf(text, size, "used by no known submission");
        return;
    }
    uint32_t ago = pingo__decision_stored_age(stored, dataset) - 1;
    snprintf(text, size, "last used %u submission%s ago", ago, ago == 1 ? "" : "s");
}
