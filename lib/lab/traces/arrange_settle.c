/* arrange_settle.c - which runs are of one application, the order of runs, and the means.
 *
 * What is found depends on the runs alone, not on the order in which they were added. */
#include "lab/traces/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "lab/traces/wfformat_names.h"

/* ---- applications ------------------------------------------------------------------------- */

/* Are at least half of the programs of two runs common to both?  Programs are sorted. */
static bool alike(const struct pingo__lab_run *x, const uint32_t *xs,
                  const struct pingo__lab_run *y, const uint32_t *ys)
{
    size_t nx = x->instance.programs.n, ny = y->instance.programs.n, i = 0, k = 0, both = 0;
    while (i < nx && k < ny) {
        int order = pingo__array_by_number(&xs[i], &ys[k]);
        both += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    return 2 * both >= nx + ny - both;
}

static uint32_t root_of(uint32_t *above, uint32_t i)
{
    while (above[i] != i)
        i = above[i] = above[above[i]];
    return i;
}

/* Gives each run the number of its application; *n: how many there are. */
static bool find_applications(struct pingo_import *im, struct pingo__arena *scratch, uint32_t *n)
{
    uint32_t nruns = (uint32_t)im->nruns;
    uint32_t *above = pingo__arena_array(scratch, nruns, sizeof *above);
    uint32_t **sorted = pingo__arena_array(scratch, nruns, sizeof *sorted);
    if (!above || !sorted)
        return false;
    for (uint32_t i = 0; i < nruns; i++) {
        size_t nprograms = im->runs[i]->instance.programs.n;
        above[i] = i;
        sorted[i] = pingo__arena_array(scratch, nprograms, sizeof **sorted);
        if (!sorted[i])
            return false;
        memcpy(sorted[i], im->runs[i]->programs, nprograms * sizeof **sorted);
        qsort(sorted[i], nprograms, sizeof **sorted, pingo__array_by_number);
        for (uint32_t k = 0; k < i; k++)
            if (root_of(above, k) != root_of(above, i) &&
                alike(im->runs[i], sorted[i], im->runs[k], sorted[k]))
                above[root_of(above, k)] = root_of(above, i);
    }
    *n = 0;
    for (uint32_t i = 0; i < nruns; i++)
        if (root_of(above, i) == i)
            im->runs[i]->application = (*n)++;
    for (uint32_t i = 0; i < nruns; i++)
        im->runs[i]->application = im->runs[root_of(above, i)]->application;
    return true;
}

/* ---- order ------------------------------------------------------------------------------------ */

/* By number of tasks, time, and at last by what keeps unequal runs apart. */
static int by_size(const struct pingo__lab_run *x, const struct pingo__lab_run *y)
{
    if (x->instance.ntasks != y->instance.ntasks)
        return x->instance.ntasks < y->instance.ntasks ? -1 : 1;
    if (x->compute_ms != y->compute_ms)
        return x->compute_ms < y->compute_ms ? -1 : 1;
    int order = memcmp(&x->digest, &y->digest, sizeof x->digest);
    if (!order)
        order = strcmp(x->label, y->label);
    return order ? order : strcmp(x->instance.name, y->instance.name);
}

static int by_application(const void *a, const void *b)
{
    const struct pingo__lab_run *const *x = a, *const *y = b;
    if ((*x)->application != (*y)->application)
        return (*x)->application < (*y)->application ? -1 : 1;
    return by_size(*x, *y);
}

/* ---- names ------------------------------------------------------------------------------------ */

/* Is it "0", or "20200401T035039Z"? */
static bool is_number_or_time(const char *word)
{
    for (; *word; word++)
        if (!pingo__lab_wf_is_digit(*word) && *word != 'T' && *word != 'Z')
            return false;
    return true;
}

/* The name of a run in lower case, without numbers and times at its end. */
static char *plain_name(struct pingo__arena *arena, const char *text)
{
    char *name = pingo__arena_text(arena, text, strlen(text)), *dash;
    while (name && (dash = strrchr(name, '-')) && is_number_or_time(dash + 1))
        *dash = '\0';
    for (char *c = name; c && *c; c++)
        *c = pingo__text_lower(*c);
    return name;
}

/* Cuts a name to the words with which both begin; leaves it as it is where there are none. */
static void cut_to_common(char *name, const char *other)
{
    size_t common = 0, i;
    for (i = 0; name[i] && name[i] == other[i]; i++)
        if (name[i] == '-')
            common = i;
    if ((!name[i] || name[i] == '-') && (!other[i] || other[i] == '-'))
        common = i;
    if (common)
        name[common] = '\0';
}

static bool name_application(struct pingo_import *im, struct pingo__lab_application *app)
{
    app->name = plain_name(&im->settled, im->runs[app->first]->instance.name);
    for (uint32_t i = 1; app->name && i < app->n; i++) {
        char *other = plain_name(&im->settled, im->runs[app->first + i]->instance.name);
        if (!other)
            return false;
        cut_to_common(app->name, other);
    }
    if (app->name && !*app->name)
        app->name = pingo__arena_text(&im->settled, "workflow", strlen("workflow"));
    return app->name;
}

/* Those of one name by their smallest runs. */
static int by_name(const void *a, const void *b, void *runs)
{
    const struct pingo__lab_application *x = a, *y = b;
    struct pingo__lab_run *const *of = runs;
    int order = strcmp(x->name, y->name);
    return order ? order : by_size(of[x->first], of[y->first]);
}

/* Names the applications of the runs, which are sorted by them, and sorts both by name. */
static bool sort_applications(struct pingo_import *im, struct pingo__arena *scratch, uint32_t n)
{
    struct pingo__lab_application *named = pingo__arena_array(scratch, n, sizeof *named);
    struct pingo__lab_run **runs = pingo__arena_array(scratch, im->nruns, sizeof *runs);
    uint32_t at = 0;
    im->applications = pingo__arena_array(&im->settled, n, sizeof *im->applications);
    if (!named || !runs || !im->applications)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        named[i].first = at;
        for (; at < im->nruns && im->runs[at]->application == i; at++)
            named[i].n++;
        if (!name_application(im, &named[i]))
            return false;
    }
    qsort_r(named, n, sizeof *named, by_name, im->runs);
    at = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct pingo__lab_application *app = &im->applications[i];
        *app = named[i];
        app->first = at;
        for (uint32_t k = 0; k < app->n; k++, at++) {
            runs[at] = im->runs[named[i].first + k];
            runs[at]->application = i;
        }
    }
    if (n)
        memcpy(im->runs, runs, im->nruns * sizeof *runs);
    im->napplications = n;
    return true;
}

/* ---- means -------------------------------------------------------------------------------------- */

/* Of n numbers, each below 2^53: their sum, which could pass 64 bits, is whole * n + rest. */
struct mean {
    int64_t n, whole, rest;
};

static void add_to_mean(struct mean *mean, int64_t number)
{
    if (number < 0)
        return;
    int64_t n = ++mean->n, more = mean->rest + number - mean->whole;
    int64_t step = more / n - (more % n < 0);
    mean->whole += step;
    mean->rest = more - step * n;
}

/* Rounded; -1: of none. */
static int64_t result_of(const struct mean *mean)
{
    return mean->n ? mean->whole + (mean->rest + mean->n / 2) / mean->n : -1;
}

struct means {
    struct mean ms, bytes;
};

/* of: the number of the hash of each task of all runs. */
static void hand_out(struct pingo_import *im, const uint32_t *of, const struct means *means)
{
    for (size_t r = 0; r < im->nruns; r++) {
        struct pingo__lab_run *run = im->runs[r];
        for (uint32_t i = 0; i < run->instance.ntasks; i++, of++) {
            run->mean_ms[i] = result_of(&means[*of].ms);
            run->mean_bytes[i] = result_of(&means[*of].bytes);
        }
    }
}

static bool find_means(struct pingo_import *im, struct pingo__arena *scratch)
{
    struct pingo__map map = {0};
    size_t ntasks = 0, at = 0;
    uint32_t n = 0;
    for (size_t r = 0; r < im->nruns; r++)
        ntasks += im->runs[r]->instance.ntasks;
    uint32_t *of = pingo__arena_array(scratch, ntasks, sizeof *of);
    struct means *means = pingo__arena_array(scratch, ntasks, sizeof *means);
    bool ok = of && means && ntasks < UINT32_MAX && pingo__map_reserve(&map, ntasks);
    for (size_t r = 0; ok && r < im->nruns; r++) {
        const struct pingo__lab_run *run = im->runs[r];
        for (uint32_t i = 0; ok && i < run->instance.ntasks; i++, at++) {
            uint32_t existing;
            ok = pingo__map_insert(&map, &run->hashes[i], sizeof run->hashes[i], n, &existing);
            of[at] = existing == PINGO__MAP_NONE ? n++ : existing;
            add_to_mean(&means[of[at]].ms, run->instance.tasks[i].compute_ms);
            add_to_mean(&means[of[at]].bytes, run->instance.tasks[i].size_bytes);
        }
    }
    if (ok)
        hand_out(im, of, means);
    im->ndistinct = n;
    pingo__map_clear(&map);
    return ok;
}

int pingo__lab_import_settle(struct pingo_import *import, struct pingo_error *err)
{
    if (import->is_settled)
        return 0;
    struct pingo__arena scratch = {0};
    uint32_t n = 0;
    pingo__arena_clear(&import->settled);
    import->napplications = 0;
    bool ok = find_applications(import, &scratch, &n);
    if (ok && import->nruns)
        qsort(import->runs, import->nruns, sizeof *import->runs, by_application);
    import->is_settled =
        ok && sort_applications(import, &scratch, n) && find_means(import, &scratch);
    pingo__arena_clear(&scratch);
    return import->is_settled ? 0 : pingo__fail_memory(err);
}
