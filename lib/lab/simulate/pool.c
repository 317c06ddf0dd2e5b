/* pool.c - what is there: generations, claims, candidates and bytes; see run.h. */
#include "lab/simulate/run.h"

/* Keeps the list of candidates true. */
static void update(struct pingo__lab_run *r, uint32_t dataset)
{
    struct pingo__lab_run_dataset *d = &r->datasets[dataset];
    bool is_candidate = d->presence == PINGO__STORED && d->claims == 0;
    if (is_candidate == (d->candidate != PINGO__NO_CANDIDATE))
        return;
    if (is_candidate) {
        d->candidate = r->ncandidates;
        r->candidates[r->ncandidates++] = dataset;
        r->candidate_bytes += pingo__lab_run_bytes(r, dataset);
        return;
    }
    uint32_t last = r->candidates[--r->ncandidates];
    r->candidates[d->candidate] = last;
    r->datasets[last].candidate = d->candidate;
    d->candidate = PINGO__NO_CANDIDATE;
    r->candidate_bytes -= pingo__lab_run_bytes(r, dataset);
}

/* What a dataset adds to the used bytes. */
static int64_t weight(const struct pingo__lab_run *r, uint32_t dataset)
{
    enum pingo__lab_presence presence = r->datasets[dataset].presence;
    if (presence == PINGO__NOT_THERE || (presence == PINGO__LEAF && r->options->leaves_outside))
        return 0;
    return pingo__lab_run_bytes(r, dataset);
}

void pingo__lab_run_claim(struct pingo__lab_run *r, struct pingo__lab_task *task, uint32_t dataset)
{
    struct pingo__lab_run_dataset *d = &r->datasets[dataset];
    task->claims[task->nclaims++] =
        (struct pingo__lab_claim){.dataset = dataset, .generation = d->generation};
    d->claims++;
    if (d->path_ms > task->path_ms)
        task->path_ms = d->path_ms;
    update(r, dataset);
}

void pingo__lab_run_release(struct pingo__lab_run *r, struct pingo__lab_task *task)
{
    for (uint32_t i = 0; i < task->nclaims; i++) {
        struct pingo__lab_run_dataset *d = &r->datasets[task->claims[i].dataset];
        if (d->generation != task->claims[i].generation)
            continue; /* it was replaced; its bytes were on their way out since */
        d->claims--;
        update(r, task->claims[i].dataset);
    }
    task->nclaims = 0;
}

void pingo__lab_run_present(struct pingo__lab_run *r, uint32_t dataset,
                            enum pingo__lab_presence presence)
{
    r->used -= weight(r, dataset);
    r->datasets[dataset].presence = presence;
    r->used += weight(r, dataset);
    if (r->used > r->result->peak_bytes)
        r->result->peak_bytes = r->used;
    update(r, dataset);
}
