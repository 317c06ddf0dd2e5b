/* simulate_print.c - pingo simulate: means and pairs for people; each run in JSON and CSV. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "message.h"
#include "simulate.h"
#include "text.h"

/* ---- for people ------------------------------------------------------------------------ */

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_head(const struct cli_experiment *x, const struct pingo_experiment_summary *s)
{
    char ideal[PINGO__UNITS_SIZE], bound[PINGO__UNITS_SIZE];
    unsigned slots = x->slots[s->slots];
    pingo__units_print_duration(ideal, (int64_t)s->ideal_ms);
    pingo__units_print_duration(bound, (int64_t)s->schedule_ms);
    printf("%s", cli_colour(stdout, CLI_BOLD));
    cli_print_clean(stdout, x->groups[s->group]);
    printf("%s: %zu sample%s, %u slot%s; ideal %s", cli_colour(stdout, CLI_PLAIN), s->nsamples,
           plural(s->nsamples), slots, plural(slots), ideal);
    if (slots > 1)
        printf(" (no schedule takes less than %s)", bound);
    printf(", without storage %.3f times as long\n", s->none_rho);
}

static void print_columns(const struct cli_experiment *x, int width)
{
    char first[64];
    cli_clean(first, sizeof first, x->algorithm_names[0]);
    printf("%s", cli_colour(stdout, CLI_BOLD));
    cli_pad(stdout, "ALGORITHM", width);
    printf("  BUDGET      SIZE    RHO     +-%s  RECOVERED      PEAK  EVICTIONS  SHORTFALLS",
           x->has_bounds ? "  BOUND" : "");
    if (x->nalgorithms > 1)
        printf("  AGAINST %s", first);
    printf("%s\n", cli_colour(stdout, CLI_PLAIN));
}

static void print_summary(const struct cli_experiment *x, const struct pingo_experiment_summary *s,
                          int width)
{
    char name[64], size[PINGO__UNITS_SIZE], peak[PINGO__UNITS_SIZE];
    cli_clean(name, sizeof name, x->algorithm_names[s->algorithm]);
    pingo__units_print_size(size, (int64_t)s->budget_bytes);
    pingo__units_print_size(peak, (int64_t)s->peak_bytes);
    cli_pad(stdout, name, width);
    printf("  ");
    cli_pad_left(stdout, x->budget_names[s->budget], 6);
    printf("  ");
    cli_pad_left(stdout, size, 8);
    printf("  %.3f  %.3f  ", s->rho, s->rho_deviation);
    if (x->has_bounds && cli_experiment_bound_rho(x, s) >= 0)
        printf("%.3f  ", cli_experiment_bound_rho(x, s));
    else if (x->has_bounds)
        printf("    -  ");
    printf("%7.1f %%  ", s->recovered * 100);
    cli_pad_left(stdout, peak, 8);
    printf("  %9.0f  %10.0f", s->evictions, s->shortfalls);
    if (x->nalgorithms > 1 && s->algorithm > 0)
        printf("  %+.3f +- %.3f", s->difference, s->difference_deviation);
    putchar('\n');
}

int cli_experiment_print(const struct cli_experiment *x)
{
    struct pingo_experiment_summary *summaries = NULL;
    struct pingo_error err = {0};
    size_t n = 0;
    int width = 9;
    if (pingo_experiment_summarize(&x->e, x->rows, x->nrows, &summaries, &n, &err) != 0)
        return cli_error(x->cli, &err);
    for (size_t i = 0; i < x->nalgorithms; i++) {
        size_t length = strlen(x->algorithm_names[i]);
        width = (int)length > width && length < 48 ? (int)length : width;
    }
    for (size_t i = 0; i < n; i++) {
        const struct pingo_experiment_summary *s = &summaries[i];
        if (i > 0 && s->algorithm == 0 && (s->budget == 0 || x->nalgorithms > 1))
            putchar('\n');
        if (s->algorithm == 0 && s->budget == 0) {
            print_head(x, s);
            print_columns(x, width);
        }
        print_summary(x, s, width);
    }
    free(summaries);
    return CLI_OK;
}

/* ---- for programs ------------------------------------------------------------------------- */

static void add_ratio(cJSON *o, const char *key, double value)
{
    char digits[64];
    snprintf(digits, sizeof digits, "%.6f", value);
    cli_json_add(o, key, cJSON_CreateRaw(digits));
}

static cJSON *row_json(const struct cli_experiment *x, const struct pingo_experiment_row *r)
{
    const struct pingo_simulation_result *s = &r->result;
    cJSON *o = cli_json_object();
    cli_json_text(o, "history", x->names[r->sample]);
    cli_json_text(o, "algorithm", x->algorithm_names[r->algorithm]);
    cli_json_text(o, "budget", x->budget_names[r->budget]);
    cli_json_int(o, "budgetBytes", r->budget_bytes);
    cli_json_int(o, "slots", x->slots[r->slots]);
    cli_json_int(o, "seed", (int64_t)x->samples[r->sample].seed);
    cli_json_int(o, "actualMs", r->actual_ms);
    cli_json_int(o, "idealMs", r->ideal_ms);
    cli_json_int(o, "noneMs", r->none_ms);
    cli_json_int(o, "scheduleMs", r->schedule_ms);
    cli_json_known(o, "boundMs", cli_experiment_bound(x, r));
    add_ratio(o, "rho", r->rho);
    add_ratio(o, "recovered", r->recovered);
    cli_json_int(o, "computeMs", s->compute_ms);
    cli_json_int(o, "computed", (int64_t)s->ncomputed);
    cli_json_int(o, "reused", (int64_t)s->nreused);
    cli_json_int(o, "joined", (int64_t)s->njoined);
    cli_json_int(o, "skipped", (int64_t)s->nskipped);
    cli_json_int(o, "peakBytes", s->peak_bytes);
    cli_json_int(o, "evictions", (int64_t)s->nevictions);
    cli_json_int(o, "evictedBytes", s->evicted_bytes);
    cli_json_int(o, "shortfalls", (int64_t)s->nshortfalls);
    cli_json_int(o, "shortfallBytes", s->shortfall_bytes);
    return o;
}

void cli_experiment_print_json(const struct cli_experiment *x)
{
    struct cli_json json;
    cli_json_begin(&json, stdout);
    cli_json_open(&json, NULL, '[');
    for (size_t i = 0; i < x->nrows; i++)
        cli_json_item(&json, NULL, row_json(x, &x->rows[i]));
    cli_json_close(&json);
}

/* The keys of JSON, as columns. */
void cli_experiment_print_csv(const struct cli_experiment *x)
{
    for (size_t i = 0; i < x->nrows; i++) {
        cJSON *o = row_json(x, &x->rows[i]);
        for (const cJSON *item = i == 0 ? o->child : NULL; item != NULL; item = item->next)
            printf("%s%c", item->string, item->next != NULL ? ',' : '\n');
        for (const cJSON *item = o->child; item != NULL; item = item->next) {
            if (!cJSON_IsNull(item))
                cli_print_csv_field(item->valuestring);
            putchar(item->next != NULL ? ',' : '\n');
        }
        cJSON_Delete(o);
    }
}
