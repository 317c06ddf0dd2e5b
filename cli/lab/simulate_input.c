/* simulate_input.c - pingo simulate: histories from files, from a family, or from the store. */
#include <inttypes.h>
#include <string.h>

#include "histories.h"
#include "session.h"
#include "simulate.h"

/* ---- workloads and samples ----------------------------------------------------------- */

/* Takes the history over. */
static int add_workload(struct cli_experiment *x, struct pingo_history *history, const char *label)
{
    struct pingo_workload_facts facts = {.size = sizeof facts};
    size_t n = x->nworkloads + 1;
    x->histories = cli_grow(x->histories, n * sizeof *x->histories);
    x->workloads = cli_grow(x->workloads, n * sizeof *x->workloads);
    x->histories[n - 1] = history;
    x->workloads[n - 1] = NULL;
    x->nworkloads = n;
    if (pingo_workload_new(history, &x->workloads[n - 1], &x->cli->err) != 0)
        return cli_error_of(x->cli, label);
    pingo_workload_look(x->workloads[n - 1], &facts);
    if (facts.nsubmissions == 0)
        cli_note("%s: nothing was ever submitted", label);
    if (facts.nunknown_times > 0 || facts.nunknown_sizes > 0)
        cli_note("%s: of %" PRIu32 " actions the time of %" PRIu32 " and the size of %" PRIu32
                 " are not known, and count as 0",
                 label, facts.nactions, facts.nunknown_times, facts.nunknown_sizes);
    return CLI_OK;
}

/* The newest workload under a seed, in the newest group. */
static void add_sample(struct cli_experiment *x, const char *name, int64_t seed)
{
    size_t n = x->e.nsamples + 1;
    x->samples = cli_grow(x->samples, n * sizeof *x->samples);
    x->names = cli_grow(x->names, n * sizeof *x->names);
    x->samples[n - 1] = (struct pingo_experiment_sample){
        x->workloads[x->nworkloads - 1], (uint64_t)seed, (uint32_t)(x->ngroups - 1)};
    x->sample_histories = cli_grow(x->sample_histories, n * sizeof *x->sample_histories);
    x->sample_histories[n - 1] = x->histories[x->nworkloads - 1];
    x->names[n - 1] = cli_copy(name);
    x->e.nsamples = n;
}

static void add_group(struct cli_experiment *x, const char *label)
{
    x->groups = cli_grow(x->groups, (x->ngroups + 1) * sizeof *x->groups);
    x->groups[x->ngroups++] = cli_copy(label);
}

/* ---- files ---------------------------------------------------------------------------- */

static int read_file(struct cli_experiment *x, const char *operand)
{
    const char *label = strcmp(operand, "-") == 0 ? "standard input" : operand;
    struct pingo_history *history = NULL;
    cli_progress_show("reading %s", label);
    int rc = cli_history_read(x->cli, operand, &history);
    cli_progress_clear();
    return rc == CLI_OK ? add_workload(x, history, label) : rc;
}

static void add_seeds(struct cli_experiment *x, const char *name)
{
    for (int64_t seed = x->first_seed; seed <= x->last_seed; seed++)
        add_sample(x, name, seed);
}

static int read_files(struct cli_experiment *x, const struct cli_args *args)
{
    bool together = cli_flag(args, "together"), has_input = false;
    int rc = CLI_OK;
    if (together && args->noperands == 0)
        return cli_usage(args, "--together is about HISTORY files, and none is named");
    if (together)
        add_group(x, "together");
    for (size_t i = 0; rc == CLI_OK && i < args->noperands; i++) {
        const char *operand = cli_operand(args, i);
        bool is_input = strcmp(operand, "-") == 0;
        if (is_input && has_input)
            return cli_usage(args, "standard input can be read once");
        has_input = has_input || is_input;
        if (!together)
            add_group(x, operand);
        rc = read_file(x, operand);
        if (rc == CLI_OK)
            add_seeds(x, operand);
    }
    return rc;
}

/* ---- families and the store -------------------------------------------------------------- */

static int generate(struct cli_experiment *x, const struct cli_args *args, const char *text,
                    int64_t seed)
{
    const char *colon = strchr(text, ':');
    char *family = cli_format("%.*s", (int)strcspn(text, ":"), text);
    struct pingo_generate_options options = {.version = 1,
                                             .family = family,
                                             .parameters = colon ? colon + 1 : NULL,
                                             .seed = (uint64_t)seed};
    struct pingo_history *history = NULL;
    cli_progress_show("generating %s", text);
    int rc = pingo_generate(&options, &history, &x->cli->err);
    cli_progress_clear();
    if (rc == PINGO_EINVAL)
        return cli_usage(args, "%s", x->cli->err.message);
    return rc == 0 ? add_workload(x, history, text) : cli_error(x->cli);
}

static int read_families(struct cli_experiment *x, const struct cli_args *args)
{
    size_t n;
    char **families = cli_elements(args, "family", NULL, &n);
    int rc = CLI_OK;
    for (size_t i = 0; rc == CLI_OK && i < n; i++) {
        add_group(x, families[i]);
        for (int64_t seed = x->first_seed; rc == CLI_OK && seed <= x->last_seed; seed++) {
            rc = generate(x, args, families[i], seed);
            if (rc == CLI_OK)
                add_sample(x, families[i], seed);
        }
    }
    return rc;
}

static int read_store(struct cli_experiment *x)
{
    struct pingo_history *history = NULL;
    int rc = cli_open(x->cli);
    if (rc != CLI_OK)
        return rc;
    if (pingo_store_history(x->cli->store, NULL, &history, &x->cli->err) != 0)
        return cli_error(x->cli);
    add_group(x, "store");
    rc = add_workload(x, history, "the store");
    if (rc == CLI_OK)
        add_seeds(x, "store");
    return rc;
}

/* Where results alone are more than a budget, nothing is to be told about algorithms: says so. */
static void note_results(const struct cli_experiment *x, size_t sample)
{
    struct pingo_workload_facts facts = {.size = sizeof facts};
    const struct pingo_workload *workload = x->samples[sample].workload;
    size_t nfull = 0;
    pingo_workload_look(workload, &facts);
    for (size_t i = 0; i < x->e.nbudgets; i++)
        nfull += facts.leaf_bytes > pingo_experiment_budget_bytes(&x->budgets[i], workload);
    if (nfull == 0)
        return;
    char results[PINGO__UNITS_SIZE];
    pingo__units_print_size(results, facts.leaf_bytes);
    cli_note(
        "%s: %zu of %zu budgets cannot even hold the results, %s in the end, which always stay; "
        "--leaves outside leaves them out",
        x->groups[x->samples[sample].group], nfull, x->e.nbudgets, results);
}

/* By the first sample of each group. */
static void note_all_results(const struct cli_experiment *x)
{
    bool is_for_people = !x->cli->csv && !x->cli->json;
    for (size_t i = 0; is_for_people && !x->e.leaves_outside && i < x->e.nsamples; i++)
        if (i == 0 || x->samples[i].group != x->samples[i - 1].group)
            note_results(x, i);
}

int cli_experiment_read_histories(struct cli_experiment *x, const struct cli_args *args)
{
    int rc = CLI_OK;
    if (cli_flag(args, "store"))
        rc = read_store(x);
    if (rc == CLI_OK)
        rc = read_families(x, args);
    if (rc == CLI_OK)
        rc = read_files(x, args);
    if (rc == CLI_OK && x->e.nsamples == 0)
        rc = cli_usage(args, "give HISTORY files, --family NAME, or --store");
    if (rc == CLI_OK)
        note_all_results(x);
    return rc;
}
