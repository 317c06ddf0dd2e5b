/* report_print.c - a report as text that a person reads at a glance, and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "message.h"
#include "report.h"

void cli_report_percent(char out[PINGO__UNITS_SIZE], double share)
{
    snprintf(out, PINGO__UNITS_SIZE, share < 0 ? "-" : "%.1f %%", share * 100);
}

const char *cli_report_state(int state)
{
    const char *name = pingo_dataset_state_name(state);
    return name != NULL ? name : "-";
}

int64_t cli_report_peak(const struct pingo_report *r)
{
    int64_t peak = 0;
    for (size_t i = 0; i < r->nsteps; i++)
        peak = r->steps[i].held_bytes > peak ? r->steps[i].held_bytes : peak;
    return peak;
}

#define BARS 50 /* characters of the line that shows the budget's use */

/* ---- text --------------------------------------------------------------------------- */

static void heading(const char *text)
{
    printf("\n%s%s%s\n", cli_colour(stdout, CLI_BOLD), text, cli_colour(stdout, CLI_PLAIN));
}

/* " (12.3 % of the budget)" */
static void print_share(const struct pingo_pool_usage *u, int64_t bytes)
{
    if (u->budget_bytes > 0)
        printf(" (%.1f %% of the budget)", (double)bytes / (double)u->budget_bytes * 100);
}

static void print_sums(const struct cli *cli, const struct pingo_report *r)
{
    const struct pingo_history_row *h = r->history;
    char from[PINGO__UNITS_SIZE], until[PINGO__UNITS_SIZE], spent[PINGO__UNITS_SIZE],
        saved[PINGO__UNITS_SIZE];
    char lost[PINGO__UNITS_SIZE], rate[PINGO__UNITS_SIZE], evicted[PINGO__UNITS_SIZE];
    cli_format_time(from, r->from_ms, cli->time_style);
    cli_format_time(until, r->until_ms, cli->time_style);
    pingo__units_print_duration(spent, h->spent_ms);
    pingo__units_print_duration(saved, h->saved_ms);
    pingo__units_print_duration(lost, r->lost_ms);
    pingo__units_print_size(evicted, r->evicted_bytes);
    cli_report_percent(rate, pingo_history_reuse_rate(h));
    printf("period          %s to %s\n", from, until);
    printf("submissions     %" PRIu64 "\n", h->nsubmissions);
    printf("actions         %" PRIu64 ": %" PRIu64 " computed, %" PRIu64 " joined, %" PRIu64
           " reused, %" PRIu64 " skipped\n",
           h->nmentions, h->ncomputed, h->njoined, h->nreused, h->nskipped);
    printf("hit rate        %s\n", rate);
    printf("compute time    %s spent, %s saved by reuse, %s lost to evictions\n", spent, saved,
           lost);
    printf("evictions       %zu, %s\n", r->nevictions, evicted);
}

/* A line of the pool's table, where there is something to tell. */
static void print_part(const struct pingo_pool_usage *u, const char *name, int64_t bytes,
                       const char *more)
{
    char size[PINGO__UNITS_SIZE];
    if (bytes == 0)
        return;
    pingo__units_print_size(size, bytes);
    printf("  %-13s %9s", name, size);
    print_share(u, bytes);
    printf("%s\n", more);
}

static void print_pool(const struct pingo_pool_usage *u)
{
    char budget[PINGO__UNITS_SIZE], used[PINGO__UNITS_SIZE], high[PINGO__UNITS_SIZE],
        low[PINGO__UNITS_SIZE];
    char left[PINGO__UNITS_SIZE];
    pingo__units_print_size(budget, u->budget_bytes);
    pingo__units_print_size(used, u->used_bytes);
    pingo__units_print_size(high, u->high_bytes);
    pingo__units_print_size(low, u->low_bytes);
    pingo__units_print_size(left, u->file_system_bytes);
    heading("The pool now");
    if (u->budget_bytes < 0)
        printf("  used          %9s, and no budget (pingo config pool.budget)\n", used);
    else
        printf("  used          %9s of a budget of %s; above %s it frees down to %s\n", used,
               budget, high, low);
    print_part(u, "  may go", u->candidate_bytes, "");
    print_part(u, "  claimed", u->claimed_bytes, "");
    print_part(u, "  kept", u->kept_bytes, "");
    print_part(u, "  leaves", u->leaf_bytes, "  pingo release lets them go");
    print_part(u, "  undeletable", u->undeletable_bytes, "  will be tried again");
    print_part(u, "  failed", u->failed_bytes, "  scratch directories of failed actions");
    print_part(u, "  orphans", u->orphan_bytes, "  no dataset's; will be tried again");
    print_part(u, "on its way out", u->leaving_bytes - u->undeletable_bytes, "");
    printf("  %-13s %9s\n", "disk free", left);
}

static void print_states(const struct pingo_report *r)
{
    heading("Managed datasets by state");
    for (int state = 1; pingo_dataset_state_name(state); state++) {
        char size[PINGO__UNITS_SIZE];
        if (r->ndatasets[state] == 0 || !pingo_dataset_state_takes_space(state))
            continue;
        pingo__units_print_size(size, r->bytes[state]);
        printf("  %-16s  %8zu  %9s\n", pingo_dataset_state_name(state), r->ndatasets[state], size);
    }
}

/* The most of each piece of the period, as a line of bars that are as high as the budget, or the peak. */
static void print_use(const struct cli *cli, const struct pingo_report *r)
{
    static const char *const bars[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                       "\u2585", "\u2586", "\u2587", "\u2588"};
    int64_t peak = cli_report_peak(r),
            top = r->usage->budget_bytes > peak ? r->usage->budget_bytes : peak;
    char most[PINGO__UNITS_SIZE], from[PINGO__UNITS_SIZE];
    size_t n = r->nsteps < BARS ? r->nsteps : BARS;
    if (peak == 0)
        return;
    pingo__units_print_size(most, peak);
    cli_format_time(from, r->from_ms, cli->time_style);
    heading("The budget's use over time");
    printf("  |");
    for (size_t i = 0; i < n; i++) {
        int64_t high = 0;
        for (size_t k = i * r->nsteps / n; k < (i + 1) * r->nsteps / n; k++)
            high = r->steps[k].held_bytes > high ? r->steps[k].held_bytes : high;
        fputs(bars[high == 0 ? 0 : 1 + (int)((double)high / (double)top * 7)], stdout);
    }
    printf("|  at most %s were held", most);
    print_share(r->usage, peak);
    putchar('\n');
}

static void print_algorithms(const struct pingo_report *r)
{
    if (r->nalgorithms == 0)
        return;
    heading("Evictions by algorithm");
    printf("  %-20s  EVICTIONS      BYTES  RESCUED  MADE AGAIN         LOST\n", "ALGORITHM");
    for (size_t i = 0; i < r->nalgorithms; i++) {
        const struct pingo_report_algorithm *a = &r->algorithms[i];
        char name[32], size[PINGO__UNITS_SIZE], lost[PINGO__UNITS_SIZE];
        cli_clean(name, sizeof name, a->name);
        pingo__units_print_size(size, a->evicted_bytes);
        pingo__units_print_duration(lost, a->lost_ms);
        printf("  ");
        cli_pad(stdout, name, 20);
        printf("  %9zu  %9s  %7zu  %10zu  %11s\n", a->nevictions, size, a->nrescued, a->nregretted,
               lost);
    }
}

static void print_datasets(const char *title, const struct pingo_report_dataset *list, size_t n)
{
    if (n == 0)
        return;
    heading(title);
    printf("  DATASET         VALUE       LOST       SIZE    COMPUTE  STATE             NAME\n");
    for (size_t i = 0; i < n; i++) {
        char hash[CLI_SHORT_HASH], value[PINGO__UNITS_SIZE], lost[PINGO__UNITS_SIZE],
            size[PINGO__UNITS_SIZE];
        char time[PINGO__UNITS_SIZE], name[40];
        cli_short_hash(hash, &list[i].hash);
        pingo__units_print_duration(value, list[i].value_ms);
        pingo__units_print_duration(lost, list[i].lost_ms);
        pingo__units_print_size(size, list[i].size_bytes);
        pingo__units_print_duration(time, list[i].compute_ms);
        cli_clean(name, sizeof name, list[i].name);
        printf("  %s  %11s  %9s  %9s  %9s  %-16s  %s\n", hash, value, lost, size, time,
               cli_report_state(list[i].state), name);
    }
}

void cli_report_text(const struct cli *cli, const struct pingo_report *r)
{
    print_sums(cli, r);
    print_pool(r->usage);
    print_states(r);
    print_use(cli, r);
    print_algorithms(r);
    print_datasets("The most valuable datasets", r->valuable, r->nvaluable);
    print_datasets("The most regretted evictions", r->regretted, r->nregretted);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static cJSON *rate_item(double rate)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.4f", rate);
    return cJSON_CreateRaw(digits);
}

static cJSON *sums_json(const struct pingo_report *r)
{
    const struct pingo_history_row *h = r->history;
    double rate = pingo_history_reuse_rate(h);
    cJSON *o = cli_json_object();
    cli_json_time(o, "from", r->from_ms);
    cli_json_time(o, "until", r->until_ms);
    cli_json_int(o, "submissions", (int64_t)h->nsubmissions);
    cli_json_int(o, "mentions", (int64_t)h->nmentions);
    cli_json_int(o, "computed", (int64_t)h->ncomputed);
    cli_json_int(o, "joined", (int64_t)h->njoined);
    cli_json_int(o, "reused", (int64_t)h->nreused);
    cli_json_int(o, "skipped", (int64_t)h->nskipped);
    if (rate < 0)
        cli_json_null(o, "hitRate");
    else
        cli_json_add(o, "hitRate", rate_item(rate));
    cli_json_int(o, "spentMs", h->spent_ms);
    cli_json_int(o, "savedMs", h->saved_ms);
    cli_json_int(o, "lostMs", r->lost_ms);
    cli_json_int(o, "evictions", (int64_t)r->nevictions);
    cli_json_int(o, "evictedBytes", r->evicted_bytes);
    return o;
}

static cJSON *pool_json(const struct pingo_pool_usage *u)
{
    cJSON *o = cli_json_object();
    cli_json_known(o, "budgetBytes", u->budget_bytes);
    cli_json_known(o, "highBytes", u->high_bytes);
    cli_json_known(o, "lowBytes", u->low_bytes);
    cli_json_int(o, "usedBytes", u->used_bytes);
    cli_json_int(o, "storedBytes", u->stored_bytes);
    cli_json_int(o, "keptBytes", u->kept_bytes);
    cli_json_int(o, "claimedBytes", u->claimed_bytes);
    cli_json_int(o, "candidateBytes", u->candidate_bytes);
    cli_json_int(o, "leafBytes", u->leaf_bytes);
    cli_json_int(o, "leavingBytes", u->leaving_bytes);
    cli_json_int(o, "undeletableBytes", u->undeletable_bytes);
    cli_json_int(o, "failedBytes", u->failed_bytes);
    cli_json_int(o, "orphanBytes", u->orphan_bytes);
    cli_json_known(o, "fileSystemBytes", u->file_system_bytes);
    return o;
}

static void states_json(struct cli_json *json, const struct pingo_report *r)
{
    cli_json_open(json, "states", '[');
    for (int state = 1; pingo_dataset_state_name(state); state++) {
        if (!pingo_dataset_state_takes_space(state))
            continue;
        cJSON *o = cli_json_object();
        cli_json_text(o, "state", pingo_dataset_state_name(state));
        cli_json_int(o, "datasets", (int64_t)r->ndatasets[state]);
        cli_json_int(o, "bytes", r->bytes[state]);
        cli_json_item(json, NULL, o);
    }
    cli_json_close(json);
}

static void steps_json(struct cli_json *json, const struct pingo_report *r)
{
    cJSON *length = cli_json_object();
    cli_json_int(length, "stepMs", r->step_ms);
    cli_json_members(json, length);
    cli_json_open(json, "steps", '[');
    for (size_t i = 0; i < r->nsteps; i++) {
        cJSON *o = cli_json_object();
        cli_json_time(o, "from", r->steps[i].from_ms);
        cli_json_int(o, "heldBytes", r->steps[i].held_bytes);
        cli_json_int(o, "spentMs", r->steps[i].spent_ms);
        cli_json_int(o, "savedMs", r->steps[i].saved_ms);
        cli_json_int(o, "lostMs", r->steps[i].lost_ms);
        cli_json_int(o, "evictedBytes", r->steps[i].evicted_bytes);
        cli_json_item(json, NULL, o);
    }
    cli_json_close(json);
}

static void algorithms_json(struct cli_json *json, const struct pingo_report *r)
{
    cli_json_open(json, "algorithms", '[');
    for (size_t i = 0; i < r->nalgorithms; i++) {
        const struct pingo_report_algorithm *a = &r->algorithms[i];
        cJSON *o = cli_json_object();
        cli_json_text(o, "algorithm", a->name);
        cli_json_int(o, "evictions", (int64_t)a->nevictions);
        cli_json_int(o, "evictedBytes", a->evicted_bytes);
        cli_json_int(o, "rescued", (int64_t)a->nrescued);
        cli_json_int(o, "regrets", (int64_t)a->nregretted);
        cli_json_int(o, "lostMs", a->lost_ms);
        cli_json_item(json, NULL, o);
    }
    cli_json_close(json);
}

static void datasets_json(struct cli_json *json, const char *key,
                          const struct pingo_report_dataset *list, size_t n)
{
    cli_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++) {
        cJSON *o = cli_json_object();
        cli_json_hash(o, "hash", &list[i].hash);
        cli_json_text(o, "name", list[i].name);
        cli_json_text(o, "state", pingo_dataset_state_name(list[i].state));
        cli_json_known(o, "sizeBytes", list[i].size_bytes);
        cli_json_known(o, "computeMs", list[i].compute_ms);
        cli_json_int(o, "valueMs", list[i].value_ms);
        cli_json_int(o, "lostMs", list[i].lost_ms);
        cli_json_int(o, "regrets", (int64_t)list[i].nregretted);
        cli_json_item(json, NULL, o);
    }
    cli_json_close(json);
}

void cli_report_json(FILE *out, const struct pingo_report *r)
{
    struct cli_json json;
    cli_json_begin(&json, out);
    cli_json_open(&json, NULL, '{');
    cli_json_members(&json, sums_json(r));
    cli_json_item(&json, "pool", pool_json(r->usage));
    states_json(&json, r);
    steps_json(&json, r);
    algorithms_json(&json, r);
    datasets_json(&json, "valuable", r->valuable, r->nvaluable);
    datasets_json(&json, "regretted", r->regretted, r->nregretted);
    cli_json_close(&json);
}
