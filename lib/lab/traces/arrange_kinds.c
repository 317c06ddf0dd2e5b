/* arrange_kinds.c - in what order runs are submitted: growth, sweep, users, code-change, targets.
 *
 * Only the choice of what is submitted is synthetic.  Random numbers are whole ones. */
#include "lab/traces/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "lab/traces/wfformat_names.h"

static bool is_done(const struct pingo__lab_arranger *a)
{
    return pingo_history_count_submissions(a->history) >= a->options.nsubmissions;
}

static uint32_t any_run(struct pingo__lab_arranger *a)
{
    return (uint32_t)pingo__lab_random_below(&a->random, a->import->nruns);
}

/* ---- growth and code-change ---------------------------------------------------------------- */

/* Each application is its user's own.  Before it, where it is time, a program changes. */
static int submit_whole(struct pingo__lab_arranger *a, uint32_t run)
{
    uint32_t before = pingo_history_count_submissions(a->history);
    if (a->changes && before && before % a->options.every == 0)
        a->changes[a->by_name[pingo__lab_random_below(&a->random, a->import->programs.n)]]++;
    return pingo__lab_arrange_submit(a, run, a->import->runs[run]->application, NULL);
}

/* The smallest run of each application, then the second of each, ...; then any run, again and again. */
int pingo__lab_arrange_growth(struct pingo__lab_arranger *a)
{
    size_t submitted = 0;
    int rc = 0;
    for (uint32_t k = 0; submitted < a->import->nruns; k++) {
        for (uint32_t i = 0; i < a->import->napplications; i++) {
            const struct pingo__lab_application *app = &a->import->applications[i];
            if (k >= app->n)
                continue;
            if (rc || is_done(a))
                return rc;
            rc = submit_whole(a, app->first + k);
            submitted++;
        }
    }
    while (!rc && !is_done(a))
        rc = submit_whole(a, any_run(a));
    return rc;
}

/* ---- sweep ------------------------------------------------------------------------------------ */

#define AXES 8

/* A number with nine decimals; -1: there is none. */
struct point {
    int64_t axes[AXES];
    uint32_t run;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "12" is 12, "05" is 0.5, in units of 10^-9. */
static int64_t coordinate(const char *digits, size_t n)
{
    int64_t value = 0, unit = digits[0] == '0' && n > 1 ? 1 : 1000000000;
    for (size_t i = unit == 1; i < n && i < 10; i++)
        value = value * 10 + (digits[i] - '0');
    for (size_t i = n; unit == 1 && i < 10; i++)
        value *= 10;
    return value * unit;
}

/* The words of a label that are digits with letters behind them: in "cycles-chameleon-2l-1c-9p-001" 2, 1
 * and 9.  What stands before the last slash does not count. */
static void read_point(const char *label, struct point *point)
{
    const char *at = pingo__path_last(label);
    size_t n = 0;
    for (size_t i = 0; i < AXES; i++)
        point->axes[i] = -1;
    while (*at && n < AXES) {
        size_t digits = 0, letters = 0;
        while (pingo__lab_wf_is_digit(at[digits]))
            digits++;
        while (is_letter(at[digits + letters]))
            letters++;
        if (digits && letters && !pingo__lab_wf_is_digit(at[digits + letters]))
            point->axes[n++] = coordinate(at, digits);
        while (pingo__lab_wf_is_digit(*at) || is_letter(*at))
            at++;
        at += *at != '\0';
    }
}

/* last_first: a bool. */
static int by_axes(const void *a, const void *b, void *last_first)
{
    const struct point *x = a, *y = b;
    for (int i = 0; i < AXES; i++) {
        int axis = *(const bool *)last_first ? AXES - 1 - i : i;
        if (x->axes[axis] != y->axes[axis])
            return x->axes[axis] < y->axes[axis] ? -1 : 1;
    }
    return x->run < y->run ? -1 : x->run > y->run;
}

/* The grid of each application in turn; the first number is the outermost loop, in the next sweep the last
 * one is, and so on. */
int pingo__lab_arrange_sweep(struct pingo__lab_arranger *a)
{
    struct point *points = pingo__arena_array(&a->arena, a->import->nruns, sizeof *points);
    int rc = points ? 0 : pingo__fail_memory(a->err);
    for (uint32_t i = 0; !rc && i < a->import->nruns; i++) {
        read_point(a->import->runs[i]->label, &points[i]);
        points[i].run = i;
    }
    for (bool last_first = false; !rc && !is_done(a); last_first = !last_first) {
        for (uint32_t i = 0; !rc && i < a->import->napplications; i++) {
            const struct pingo__lab_application *app = &a->import->applications[i];
            qsort_r(points + app->first, app->n, sizeof *points, by_axes, &last_first);
            for (uint32_t k = 0; !rc && !is_done(a) && k < app->n; k++)
                rc = pingo__lab_arrange_submit(a, points[app->first + k].run, i, NULL);
        }
    }
    return rc;
}

/* ---- users ------------------------------------------------------------------------------------ */

#define CHANGES_ONE_IN 16 /* of a user's submissions begins with another application */

struct user {
    uint32_t application, position;
    bool has_one, goes_down;
};

struct zipf {
    uint32_t *ranked; /* applications, in an order of chance */
    uint64_t *sums;   /* of the weights up to each, 2^32 / rank */
};

static bool zipf_init(struct zipf *z, struct pingo__lab_arranger *a)
{
    uint32_t n = a->import->napplications;
    uint64_t sum = 0;
    z->ranked = pingo__arena_array(&a->arena, n, sizeof *z->ranked);
    z->sums = pingo__arena_array(&a->arena, n, sizeof *z->sums);
    if (!z->ranked || !z->sums)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = (uint32_t)pingo__lab_random_below(&a->random, i + UINT64_C(1));
        z->ranked[i] = z->ranked[k];
        z->ranked[k] = i;
        z->sums[i] = sum += (UINT64_C(1) << 32) / (i + UINT64_C(1));
    }
    return true;
}

static uint32_t zipf_draw(const struct zipf *z, struct pingo__lab_arranger *a)
{
    uint32_t low = 0, high = a->import->napplications - 1;
    uint64_t drawn = pingo__lab_random_below(&a->random, z->sums[high]);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (drawn < z->sums[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return z->ranked[low];
}

/* One up or down; at the ends he turns. */
static void walk(struct user *user, uint32_t n)
{
    if (n < 2)
        return;
    if (user->goes_down ? user->position == 0 : user->position == n - 1)
        user->goes_down = !user->goes_down;
    user->position = user->goes_down ? user->position - 1 : user->position + 1;
}

int pingo__lab_arrange_users(struct pingo__lab_arranger *a)
{
    struct user *users = pingo__arena_array(&a->arena, a->options.nusers, sizeof *users);
    struct zipf zipf = {0};
    int rc = users && zipf_init(&zipf, a) ? 0 : pingo__fail_memory(a->err);
    while (!rc && !is_done(a)) {
        uint32_t who = (uint32_t)pingo__lab_random_below(&a->random, a->options.nusers);
        struct user *user = &users[who];
        bool begins = pingo__lab_random_below(&a->random, CHANGES_ONE_IN) == 0;
        if (begins || !user->has_one)
            *user = (struct user){.application = zipf_draw(&zipf, a), .has_one = true};
        else
            walk(user, a->import->applications[user->application].n);
        const struct pingo__lab_application *app = &a->import->applications[user->application];
        rc = pingo__lab_arrange_submit(a, app->first + user->position, who, NULL);
    }
    return rc;
}

/* ---- targets ---------------------------------------------------------------------------------- */

/* Marks which tasks of a run others read; returns how many. */
static uint32_t mark_inner(const struct pingo__lab_wf_instance *instance, uint8_t *marks)
{
    uint32_t n = 0;
    memset(marks, 0, instance->ntasks);
    for (uint32_t i = 0; i < instance->nparents; i++) {
        n += !marks[instance->parents[i].task];
        marks[instance->parents[i].task] = 1;
    }
    return n;
}

/* The index of the k-th task that is marked. */
static uint32_t marked(const uint8_t *marks, uint64_t k)
{
    uint32_t i = 0;
    for (;; i++)
        if (marks[i] && k-- == 0)
            return i;
}

/* Marks 2: a target; 1: it leads to one; 0: neither.  Targets are tasks that others read, or any where
 * there are none such. */
static void choose_targets(struct pingo__lab_arranger *a,
                           const struct pingo__lab_wf_instance *instance)
{
    uint32_t n = mark_inner(instance, a->wanted), targets[PINGO_IMPORT_TARGETS_MAX];
    uint64_t ntargets = 1 + pingo__lab_random_below(&a->random, a->options.ntargets);
    if (!n)
        memset(a->wanted, 1, n = instance->ntasks);
    for (uint64_t k = 0; k < ntargets; k++)
        targets[k] = marked(a->wanted, pingo__lab_random_below(&a->random, n));
    memset(a->wanted, 0, instance->ntasks);
    for (uint64_t k = 0; k < ntargets; k++)
        a->wanted[targets[k]] = 2;
    for (uint32_t i = instance->ntasks; i-- > 0;) {
        const struct pingo__lab_wf_task *task = &instance->tasks[i];
        for (uint32_t k = 0; a->wanted[i] && k < task->nparents; k++) {
            uint8_t *parent = &a->wanted[instance->parents[task->first_parent + k].task];
            *parent = *parent ? *parent : 1;
        }
    }
}

int pingo__lab_arrange_targets(struct pingo__lab_arranger *a)
{
    int rc = 0;
    while (!rc && !is_done(a)) {
        uint32_t run = any_run(a);
        choose_targets(a, &a->import->runs[run]->instance);
        rc = pingo__lab_arrange_submit(a, run, a->import->runs[run]->application, a->wanted);
    }
    return rc;
}
