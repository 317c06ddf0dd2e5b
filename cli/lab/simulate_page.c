/* simulate_page.c - pingo simulate --html: the document from which the page answers which algorithm, and how much
 * storage. */
#include <stdlib.h>

#include "json.h"
#include "message.h"
#include "page.h"
#include "simulate.h"

static void put_number(cJSON *o, const char *key, double value)
{
    cli_json_add(o, key, cJSON_CreateNumber(value));
}

/* Below 0: null. */
static void put_known(cJSON *o, const char *key, double value)
{
    if (value < 0)
        cli_json_null(o, key);
    else
        put_number(o, key, value);
}

static cJSON *row_json(const struct cli_experiment *x, const struct pingo_experiment_summary *s)
{
    cJSON *o = cli_json_object();
    cli_json_text(o, "algorithm", x->algorithm_names[s->algorithm]);
    cli_json_text(o, "budget", x->budget_names[s->budget]);
    put_known(o, "budgetPercent", x->budgets[s->budget].percent);
    put_number(o, "budgetBytes", s->budget_bytes);
    put_number(o, "idealMs", s->ideal_ms);
    put_number(o, "noneRho", s->none_rho);
    put_number(o, "rho", s->rho);
    put_number(o, "rhoDeviation", s->rho_deviation);
    put_known(o, "bound", cli_experiment_bound_rho(x, s));
    put_number(o, "difference", s->difference);
    put_number(o, "differenceDeviation", s->difference_deviation);
    put_number(o, "recovered", s->recovered);
    put_number(o, "peakBytes", s->peak_bytes);
    put_number(o, "evictions", s->evictions);
    put_number(o, "shortfalls", s->shortfalls);
    return o;
}

static cJSON *least_json(const struct cli_experiment *x,
                         const struct pingo_experiment_storage *found)
{
    cJSON *o = cli_json_object();
    cli_json_text(o, "algorithm", x->algorithm_names[found->algorithm]);
    cli_json_flag(o, "seesFuture", x->selections[found->algorithm] == NULL);
    put_known(o, "percent", found->percent);
    put_number(o, "bytes", found->budget_bytes);
    put_number(o, "rho", found->rho);
    return o;
}

/* The budget in the middle of the others. */
static size_t middle(const struct cli_experiment *x, const struct pingo_experiment_summary *list)
{
    for (size_t i = 0; i < x->nbudgets; i++) {
        double bytes = list[i * x->nalgorithms].budget_bytes;
        size_t nbelow = 0;
        for (size_t k = 0; k < x->nbudgets; k++) {
            double other = list[k * x->nalgorithms].budget_bytes;
            nbelow += other < bytes || (other == bytes && k < i);
        }
        if (nbelow == x->nbudgets / 2)
            return i;
    }
    return 0;
}

static cJSON *cost_json(const struct cli_experiment *x, const struct cli_cost *cost)
{
    cJSON *o = cli_json_object(), *lines = cli_json_array();
    cli_json_text(o, "budget", x->budget_names[cost->budget]);
    cli_json_int(o, "seed", (int64_t)cost->seed);
    cli_json_add(o, "submissions", cJSON_CreateDoubleArray(cost->submissions, (int)cost->n));
    for (size_t k = 0; k < cost->nalgorithms; k++)
        cli_json_add(lines, NULL, cJSON_CreateDoubleArray(cost->lost_ms[k], (int)cost->n));
    cli_json_add(o, "lostMs", lines);
    return o;
}

/* A workload with a number of slots; list: its summaries, by budget, then algorithm. */
static int put_part(const struct cli_experiment *x, const struct pingo_experiment_summary *list,
                    struct cli_json *json)
{
    struct cli_cost cost = {.budget = middle(x, list), .slots = list->slots};
    int status = cli_experiment_cost(x, list->group, &cost);
    if (status != CLI_OK)
        return status;
    cJSON *o = cli_json_object();
    cli_json_text(o, "history", x->groups[list->group]);
    cli_json_int(o, "slots", x->slots[list->slots]);
    cli_json_int(o, "samples", (int64_t)list->nsamples);
    cli_json_open(json, NULL, '{');
    cli_json_members(json, o);
    cli_json_item(json, "cost", cost_json(x, &cost));
    cli_cost_clear(&cost);
    cli_json_open(json, "least", '[');
    const struct pingo_experiment_storage *least =
        &x->storage[(list->group * x->nslots + list->slots) * x->nalgorithms];
    for (size_t i = 0; i < x->nalgorithms; i++)
        cli_json_item(json, NULL, least_json(x, &least[i]));
    cli_json_close(json);
    cli_json_open(json, "rows", '[');
    for (size_t i = 0; i < x->nbudgets * x->nalgorithms; i++)
        cli_json_item(json, NULL, row_json(x, &list[i]));
    cli_json_close(json);
    cli_json_close(json);
    return CLI_OK;
}

static cJSON *conditions_json(const struct cli_experiment *x)
{
    const struct pingo_experiment *e = &x->e;
    cJSON *o = cli_json_object();
    cli_json_text(o, "decide",
                  e->decide == PINGO_SIMULATION_DECIDE_PUBLISH ? "after each publish"
                                                               : "at the end of workflows");
    cli_json_text(o, "leaves", e->leaves_outside ? "outside" : "inside");
    put_number(o, "lowPercent",
               (e->low_permille > 0 ? e->low_permille : PINGO_SIMULATION_LOW_PERMILLE) / 10.0);
    put_number(o, "noise", e->noise);
    cli_json_int(o, "firstSeed", x->first_seed);
    cli_json_int(o, "lastSeed", x->last_seed);
    put_number(o, "storagePercent", e->most_percent);
    cli_json_flag(o, "hasBounds", x->has_bounds);
    return o;
}

int cli_experiment_write_page(const struct cli_experiment *x, const char *path)
{
    struct pingo_experiment_summary *list = NULL;
    struct pingo_error err = {0};
    struct cli_page page;
    struct cli_json json;
    size_t n = 0, nrows = x->nbudgets * x->nalgorithms;
    if (pingo_experiment_summarize(&x->e, x->rows, x->nrows, &list, &n, &err) != 0)
        return cli_error(x->cli, &err);
    int status = cli_page_open(&page, path);
    if (status == CLI_OK) {
        cli_json_begin(&json, page.data);
        cli_json_open(&json, NULL, '{');
        cli_json_members(&json, conditions_json(x));
        cli_json_open(&json, "parts", '[');
        for (size_t i = 0; i < n && status == CLI_OK; i += nrows)
            status = put_part(x, &list[i], &json);
        cli_json_close(&json);
        cli_json_close(&json);
        int closed = cli_page_close(&page, status == CLI_OK);
        if (status == CLI_OK && closed == CLI_OK)
            cli_note("wrote %s", path);
        status = status != CLI_OK ? status : closed;
    }
    free(list);
    return status;
}
