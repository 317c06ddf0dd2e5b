/* resources.h - what an action takes of a machine while it runs, and what of it a try gets. */
#ifndef PINGO__WORKFLOW_RESOURCES_H
#define PINGO__WORKFLOW_RESOURCES_H

#include "base/buffer.h"
#include "workflow/draft.h"

/* What is a number, or a list of numbers by the try. */
struct pingo__workflow_amount {
    const char *pointer;        /* "/resources/cpus" */
    int64_t min, max, fallback; /* fallback: what is not given */
    size_t spec, spec_list;     /* where it lies in a spec: an int64_t, a struct pingo_by_try */
    size_t built,
        list; /* and when it is built: among what all have, or of the last in more; in more */
};
/* The i-th; NULL: there are no more. */
const struct pingo__workflow_amount *pingo__workflow_amount(size_t i);

/* A word, or two joined by '@': a licence and its server, as Slurm has them. */
bool pingo__workflow_is_licence(const char *name);

/* Sets action's retries and resources, and the draft's more. */
void pingo__workflow_add_numbers(struct pingo_problem_sink *sink,
                                 const struct pingo_action_spec *spec, struct pingo_action *action);
/* The members of the JSON object "resources" with its braces; nothing where all is as it is by default.
 * only_rare: without cpus, memoryMB and timeLimitSeconds that are one number. */
void pingo__workflow_resources_print(struct pingo__buffer *b, const struct pingo_action *action,
                                     bool only_rare);

/* What one try gets. */
struct pingo__workflow_resources {
    int64_t cpus, memory_mb, time_limit_s, gpus; /* memory, time 0: not given */
    int64_t max_memory_mb; /* how far memory may grow; 0: as far as there is */
    bool no_growth;
    const struct pingo_counter *licences; /* in the arena */
    size_t nlicences;
};
/* What the rare ones, as they were printed (NULL: there are none), change for this try, from 1; the rest stays.
 * Errors: PINGO_EINVAL: it is no such text; PINGO_ENOMEM. */
int pingo__workflow_resources_take(struct pingo__workflow_resources *r, const char *rare, int64_t n,
                                   struct pingo__arena *arena, struct pingo_error *err);

#endif
