/* arrange.c - an import: runs are added, looked at, and made into a history.
 *
 * What the history gets does not depend on the order in which runs were added:
 * before anything is asked for they are sorted by what they are (arrange_settle.c).
 * In what order they are submitted is decided in arrange_kinds.c. */
#include "lab/traces/arrange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "digest/sha256.h"

#define START_MS INT64_C(1577836800000) /* 2020-01-01 */
#define STEP_MS INT64_C(3600000)
#define REPEATS 4
#define USERS 8
#define TARGETS 3

/* ---- runs ------------------------------------------------------------------------------- */

int pingo_import_new(struct pingo_import **import, struct pingo_error *err)
{
    struct pingo_import *im = calloc(1, sizeof *im);
    *import = NULL;
    if (!im)
        return pingo__fail_memory(err);
    *import = im;
    return 0;
}

void pingo_import_free(struct pingo_import *import)
{
    if (!import)
        return;
    for (size_t i = 0; i < import->nruns; i++)
        pingo__lab_wf_instance_clear(&import->runs[i]->instance);
    pingo__map_clear(&import->programs.numbers);
    pingo__buffer_clear(&import->buffer);
    pingo__arena_clear(&import->settled);
    pingo__arena_clear(&import->arena);
    free(import);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(struct pingo_hash));
}

/* The hash of each task of a run.  changes: how often each program of the import was changed; NULL: never.
 * hashes: room for all of them.  0, or PINGO_ENOMEM. */
static int hash_run(struct pingo_import *import, const struct pingo__lab_run *run,
                    const uint32_t *changes, struct pingo_hash *hashes)
{
    static const char domain[] = "pingo wfformat task 1";
    const struct pingo__lab_wf_instance *instance = &run->instance;
    struct pingo__buffer *b = &import->buffer;
    for (uint32_t i = 0; i < instance->ntasks; i++) {
        const struct pingo__lab_wf_task *task = &instance->tasks[i];
        pingo__buffer_reset(b);
        pingo__buffer_counted(b, domain, sizeof domain - 1);
        pingo__buffer_append(b, &task->self, sizeof task->self);
        pingo__buffer_u32(b, changes ? changes[run->programs[task->program]] : 0);
        pingo__buffer_u32(b, task->nparents);
        size_t head = b->length;
        for (uint32_t k = 0; k < task->nparents; k++) {
            const struct pingo__lab_wf_parent *parent = &instance->parents[task->first_parent + k];
            pingo__buffer_append(b, &hashes[parent->task], sizeof *hashes);
            pingo__buffer_append(b, &parent->files, sizeof parent->files);
        }
        if (b->failed)
            return PINGO_ENOMEM;
        qsort(b->data + head, task->nparents, 2 * sizeof *hashes, by_bytes);
        pingo__digest_sha256(b->data, b->length, &hashes[i]);
    }
    return 0;
}

/* What is known of a run by itself. */
static bool complete(struct pingo_import *im, struct pingo__lab_run *run, const char *label)
{
    struct pingo__lab_wf_instance *instance = &run->instance;
    struct pingo__arena *arena = &instance->arena;
    run->label = pingo__arena_text(arena, label, strlen(label));
    run->programs = pingo__arena_array(arena, instance->programs.n, sizeof *run->programs);
    run->hashes = pingo__arena_array(arena, instance->ntasks, sizeof *run->hashes);
    run->mean_ms = pingo__arena_array(arena, instance->ntasks, sizeof *run->mean_ms);
    run->mean_bytes = pingo__arena_array(arena, instance->ntasks, sizeof *run->mean_bytes);
    if (!run->label || !run->programs || !run->hashes || !run->mean_ms || !run->mean_bytes)
        return false;
    for (size_t i = 0; i < instance->programs.n; i++)
        if (!pingo__lab_wf_number_program(&im->programs, &im->arena, instance->programs.names[i],
                                          &run->programs[i]))
            return false;
    for (uint32_t i = 0; i < instance->ntasks; i++) {
        int64_t ms = instance->tasks[i].compute_ms;
        if (ms > 0)
            run->compute_ms = ms > INT64_MAX - run->compute_ms ? INT64_MAX : run->compute_ms + ms;
    }
    if (hash_run(im, run, NULL, run->hashes))
        return false;
    pingo__digest_sha256(run->hashes, instance->ntasks * sizeof *run->hashes, &run->digest);
    return true;
}

int pingo_import_wfformat(struct pingo_import *import, const char *label, const char *text,
                          size_t length, struct pingo_error *err)
{
    struct pingo__lab_run *run = pingo__arena_alloc(&import->arena, sizeof *run);
    if (!run ||
        !PINGO__ARENA_ROOM(&import->arena, import->runs, import->nruns, import->runs_capacity))
        return pingo__fail_memory(err);
    int rc = pingo__lab_wfformat_read(text, length, &run->instance, err);
    if (!rc && !complete(import, run, label))
        rc = pingo__fail_memory(err);
    if (rc) {
        pingo__lab_wf_instance_clear(&run->instance);
        return rc;
    }
    import->runs[import->nruns++] = run;
    import->is_settled = false;
    return 0;
}

int pingo_import_look(struct pingo_import *import, struct pingo_import_facts *facts,
                      struct pingo_error *err)
{
    int rc = pingo__growing_result_check(facts, "pingo_import_facts", err);
    if (!rc)
        rc = pingo__lab_import_settle(import, err);
    struct pingo_import_facts own =
        (struct pingo_import_facts){.nruns = (uint32_t)import->nruns,
                                    .napplications = import->napplications,
                                    .ndistinct = import->ndistinct};
    for (size_t r = 0; r < import->nruns; r++) {
        const struct pingo__lab_wf_instance *instance = &import->runs[r]->instance;
        own.ntasks += instance->ntasks;
        for (uint32_t i = 0; i < instance->ntasks; i++) {
            own.nunknown_times += instance->tasks[i].compute_ms < 0;
            own.nunknown_sizes += instance->tasks[i].size_bytes < 0;
        }
    }
    pingo__growing_result_put(facts, &own, sizeof own);
    return rc;
}

/* ---- submissions ------------------------------------------------------------------------ */

/* The mention of a task. */
static void mention(struct pingo__lab_arranger *a, const struct pingo__lab_run *run, uint32_t i,
                    struct pingo_hash *parents, struct pingo_history_mention *m)
{
    const struct pingo__lab_wf_task *task = &run->instance.tasks[i];
    const struct pingo_hash *hashes = a->changes ? a->hashes : run->hashes;
    for (uint32_t k = 0; k < task->nparents; k++)
        parents[k] = hashes[run->instance.parents[task->first_parent + k].task];
    *m = (struct pingo_history_mention){.hash = hashes[i],
                                        .parents = parents,
                                        .nparents = task->nparents,
                                        .has_parents = true,
                                        .size_bytes = run->mean_bytes[i],
                                        .compute_ms = run->mean_ms[i],
                                        .flags = PINGO_HISTORY_LEAF_IF_LAST};
}

int pingo__lab_arrange_submit(struct pingo__lab_arranger *a, uint32_t number, uint32_t user,
                              const uint8_t *wanted)
{
    const struct pingo__lab_run *run = a->import->runs[number];
    int64_t before = pingo_history_count_submissions(a->history);
    struct pingo_hash *parents = a->parents;
    struct pingo_history_entry entry = {.at_ms = START_MS + before * STEP_MS,
                                        .mentions = a->mentions};
    char name[16];
    snprintf(name, sizeof name, "u%u", (unsigned)user + 1);
    entry.user = name;
    entry.workflow = a->import->applications[run->application].name;
    if (a->changes && hash_run(a->import, run, a->changes, a->hashes))
        return pingo__fail_memory(a->err);
    for (uint32_t i = 0; i < run->instance.ntasks; i++) {
        struct pingo_history_mention *m = &a->mentions[entry.nmentions];
        if (wanted && !wanted[i])
            continue;
        mention(a, run, i, parents, m);
        parents += m->nparents;
        if (wanted)
            m->flags = wanted[i] == 2 ? PINGO_HISTORY_LEAF : 0;
        entry.nmentions++;
    }
    return pingo_history_append(a->history, &entry, NULL, a->err);
}

static int check_options(struct pingo__lab_arranger *a, const struct pingo_import_options *options)
{
    struct pingo_import_options *o = &a->options;
    uint64_t nruns = a->import->nruns, most = PINGO_IMPORT_SUBMISSIONS_MAX;
    const struct {
        const char *name;
        uint32_t *number;
        uint32_t most, usual;
    } numbers[] = {
        {"nsubmissions", &o->nsubmissions, PINGO_IMPORT_SUBMISSIONS_MAX,
         (uint32_t)(nruns < most / REPEATS ? nruns * REPEATS : most)},
        {"nusers", &o->nusers, PINGO_IMPORT_USERS_MAX, USERS},
        {"ntargets", &o->ntargets, PINGO_IMPORT_TARGETS_MAX, TARGETS},
        {"every", &o->every, UINT32_MAX, (uint32_t)nruns},
    };
    int rc = PINGO__OPTIONS_TAKE(pingo_import_options, options, o, a->err);
    if (rc)
        return rc;
    if (a->import->nruns == 0)
        return pingo__fail(a->err, PINGO_EINVAL, "no run was added");
    if ((unsigned)o->as > PINGO_IMPORT_TARGETS)
        return pingo__fail(a->err, PINGO_EINVAL, "as is one of enum pingo_import_as");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (*numbers[i].number > numbers[i].most)
            return pingo__fail(a->err, PINGO_EINVAL, "%s is at most %u", numbers[i].name,
                               numbers[i].most);
        if (!*numbers[i].number)
            *numbers[i].number = numbers[i].usual;
    }
    return 0;
}

static int by_name(const void *a, const void *b, void *programs)
{
    const char *const *names = programs;
    return strcmp(names[*(const uint32_t *)a], names[*(const uint32_t *)b]);
}

/* Programs have their numbers in the order of the files, which must not matter. */
static bool make_room_for_changes(struct pingo__lab_arranger *a)
{
    size_t n = a->import->programs.n;
    a->changes = pingo__arena_array(&a->arena, n, sizeof *a->changes);
    a->by_name = pingo__arena_array(&a->arena, n, sizeof *a->by_name);
    if (!a->changes || !a->by_name)
        return false;
    for (uint32_t i = 0; i < n; i++)
        a->by_name[i] = i;
    qsort_r(a->by_name, n, sizeof *a->by_name, by_name, a->import->programs.names);
    return true;
}

/* Room for the largest run. */
static int make_room(struct pingo__lab_arranger *a)
{
    size_t ntasks = 1, nparents = 1;
    for (size_t i = 0; i < a->import->nruns; i++) {
        const struct pingo__lab_wf_instance *instance = &a->import->runs[i]->instance;
        ntasks = instance->ntasks > ntasks ? instance->ntasks : ntasks;
        nparents = instance->nparents > nparents ? instance->nparents : nparents;
    }
    a->hashes = pingo__arena_array(&a->arena, ntasks, sizeof *a->hashes);
    a->parents = pingo__arena_array(&a->arena, nparents, sizeof *a->parents);
    a->mentions = pingo__arena_array(&a->arena, ntasks, sizeof *a->mentions);
    a->wanted = pingo__arena_array(&a->arena, ntasks, sizeof *a->wanted);
    if (!a->hashes || !a->parents || !a->mentions || !a->wanted ||
        (a->options.as == PINGO_IMPORT_CODE_CHANGE && !make_room_for_changes(a)))
        return pingo__fail_memory(a->err);
    return 0;
}

static int append_all(struct pingo__lab_arranger *a)
{
    switch (a->options.as) {
    case PINGO_IMPORT_SWEEP:
        return pingo__lab_arrange_sweep(a);
    case PINGO_IMPORT_USERS:
        return pingo__lab_arrange_users(a);
    case PINGO_IMPORT_TARGETS:
        return pingo__lab_arrange_targets(a);
    case PINGO_IMPORT_GROWTH:
    case PINGO_IMPORT_CODE_CHANGE:
        break;
    }
    return pingo__lab_arrange_growth(a);
}

int pingo_import_arrange(struct pingo_import *import, const struct pingo_import_options *options,
                         struct pingo_history **history, struct pingo_error *err)
{
    struct pingo__lab_arranger a = {.import = import, .err = err};
    int rc = pingo__lab_import_settle(import, err);
    *history = NULL;
    if (!rc)
        rc = check_options(&a, options);
    if (!rc)
        rc = make_room(&a);
    if (!rc)
        rc = pingo_history_new(&a.history, err);
    if (!rc) {
        pingo__lab_random_seed(&a.random, a.options.seed);
        rc = append_all(&a);
    }
    if (!rc)
        *history = a.history;
    else
        pingo_history_free(a.history);
    pingo__arena_clear(&a.arena);
    return rc;
}
