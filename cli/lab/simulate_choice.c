/* simulate_choice.c - pingo simulate: algorithms, budgets, slots, seeds and conditions from the options. */
#include <string.h>

#include "histories.h"
#include "message.h"
#include "simulate.h"

#define MAX_LIST 1000 /* of each kind */

/* ---- lists ------------------------------------------------------------------------- */

/* Does a piece between two commas go on with the element before?  KEY=VALUE does. */
static bool goes_on(const char *piece, size_t length)
{
    size_t plain = strcspn(piece, ":=/,");
    return plain < length && piece[plain] == '=';
}

/* The length of the first element of a text. */
static size_t element_length(const char *text)
{
    size_t length = strcspn(text, ",");
    while (text[length] == ',') {
        size_t more = strcspn(text + length + 1, ",");
        if (!goes_on(text + length + 1, more))
            break;
        length += 1 + more;
    }
    return length;
}

char **cli_elements(const struct cli_args *args, const char *option, const char *absent, size_t *n)
{
    size_t nvalues;
    const char **values = cli_values(args, option, &nvalues), *only[] = {absent};
    char **list = NULL;
    *n = 0;
    if (!values && absent) {
        values = only;
        nvalues = 1;
    }
    for (size_t i = 0; i < nvalues; i++) {
        const char *at = values[i];
        for (;;) {
            size_t length = element_length(at);
            list = cli_more(list, *n, sizeof *list);
            list[(*n)++] = cli_format("%.*s", (int)length, at);
            if (at[length] == '\0')
                break;
            at += length + 1;
        }
    }
    return list;
}

static int read_list(const struct cli_args *args, const char *option, const char *absent,
                     char ***list, size_t *n)
{
    *list = cli_elements(args, option, absent, n);
    if (*n > MAX_LIST)
        return cli_usage(args, "--%s names more than %d", option, MAX_LIST);
    return CLI_OK;
}

/* ---- algorithms ---------------------------------------------------------------------- */

/* clairvoyant, or clairvoyant:KEY=VALUE: only the simulator has it. */
static bool is_clairvoyant(const char *text)
{
    const char *name = pingo_clairvoyant()->name;
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && (text[length] == '\0' || text[length] == ':');
}

static int select_one(struct cli_experiment *x, const struct cli_args *args, size_t i)
{
    const char *text = x->algorithm_names[i], *colon = strchr(text, ':');
    int rc;
    if (is_clairvoyant(text)) {
        double *values = cli_alloc((pingo_clairvoyant()->nparameters + 1) * sizeof *values);
        rc = pingo_decision_values(pingo_clairvoyant(), colon ? colon + 1 : NULL, values,
                                   &x->cli->err);
        x->algorithms[i] = (struct pingo_experiment_algorithm){pingo_clairvoyant(), values};
    } else {
        rc = pingo_decision_select(text, &x->selections[i], &x->cli->err);
        if (rc == 0)
            x->algorithms[i] = (struct pingo_experiment_algorithm){
                pingo_decision_selection_algorithm(x->selections[i]),
                pingo_decision_selection_values(x->selections[i])};
    }
    if (rc == PINGO_EINVAL || rc == PINGO_EVERSION || rc == PINGO_EIO)
        return cli_usage(args, "%s", x->cli->err.message);
    return rc == 0 ? CLI_OK : cli_error(x->cli);
}

int cli_experiment_read_algorithms(struct cli_experiment *x, const struct cli_args *args)
{
    char *all = NULL;
    for (size_t i = 0; pingo_decision_at(i); i++)
        cli_append(&all, "%s%s", i > 0 ? "," : "", pingo_decision_at(i)->name);
    int rc = read_list(args, "algorithm", all, &x->algorithm_names, &x->e.nalgorithms);
    size_t n = x->e.nalgorithms;
    x->selections = cli_alloc(n * sizeof *x->selections);
    x->algorithms = cli_alloc(n * sizeof *x->algorithms);
    for (size_t i = 0; rc == CLI_OK && i < n; i++)
        rc = select_one(x, args, i);
    return rc;
}

/* ---- budgets and slots ------------------------------------------------------------------ */

bool cli_decimal(const char *text, double max, double *value)
{
    return text[0] != '-' && pingo__text_to_real(text, value) && *value <= max;
}

static bool read_budget(const char *text, struct pingo_experiment_budget *budget)
{
    size_t length = strlen(text);
    budget->percent = -1;
    if (length == 0 || text[length - 1] != '%')
        return pingo_size_parse(text, &budget->bytes);
    char *number = cli_format("%.*s", (int)length - 1, text);
    return cli_decimal(number, 1000, &budget->percent);
}

int cli_experiment_read_budgets(struct cli_experiment *x, const struct cli_args *args)
{
    int rc = read_list(args, "budget", "5%,10%,25%,50%", &x->budget_names, &x->e.nbudgets);
    x->budgets = cli_alloc(x->e.nbudgets * sizeof *x->budgets);
    for (size_t i = 0; rc == CLI_OK && i < x->e.nbudgets; i++) {
        const char *name = x->budget_names[i];
        if (!read_budget(name, &x->budgets[i]))
            rc = cli_usage(args,
                           "\"%s\" is no budget: give a share such as 5%% or 2.5%%, up to "
                           "1000%%, or a size such as 500M, 2GiB or 2GB",
                           name);
        else if (x->budgets[i].percent < 0 && x->budgets[i].bytes > 0 && x->budgets[i].bytes < 100)
            cli_note("a budget of %s is so many bytes; a share would be %s%%", name, name);
    }
    return rc;
}

int cli_experiment_read_slots(struct cli_experiment *x, const struct cli_args *args)
{
    char **list = NULL;
    int rc = read_list(args, "slots", "1", &list, &x->e.nslots);
    x->slots = cli_alloc(x->e.nslots * sizeof *x->slots);
    for (size_t i = 0; rc == CLI_OK && i < x->e.nslots; i++) {
        int64_t number;
        if (pingo__text_to_int64(list[i], 1, 1000000, &number))
            x->slots[i] = (unsigned)number;
        else
            rc = cli_usage(args, "--slots takes numbers from 1 to 1000000");
    }
    return rc;
}

/* ---- conditions ---------------------------------------------------------------------------- */

/* N: 1 to N; A-B: A to B. */
int cli_experiment_read_seeds(struct cli_experiment *x, const struct cli_args *args)
{
    const char *text = cli_value(args, "seeds");
    char first[20] = "1";
    x->first_seed = x->last_seed = 1;
    if (!text)
        return CLI_OK;
    size_t digits = strspn(text, "0123456789");
    const char *last = text;
    if (text[digits] == '-' && digits > 0 && digits < sizeof first) {
        memcpy(first, text, digits);
        first[digits] = '\0';
        last = text + digits + 1;
    }
    if (!pingo__text_to_int64(first, 1, 1000000000, &x->first_seed) ||
        !pingo__text_to_int64(last, x->first_seed, 1000000000, &x->last_seed) ||
        x->last_seed - x->first_seed >= 100000)
        return cli_usage(args,
                         "--seeds takes how many, such as 6, or which, such as 101-106: at most "
                         "100000 of those from 1 to 1000000000");
    return CLI_OK;
}

int cli_experiment_read_conditions(struct cli_experiment *x, const struct cli_args *args)
{
    const char *low = cli_value(args, "low"), *noise = cli_value(args, "noise");
    bool at_end = cli_choice(args, "decide", 0) == 1;
    double percent = 0;
    x->e.leaves_outside = cli_choice(args, "leaves", 0) == 1;
    x->e.threads = (unsigned)cli_number(args, "threads", 1, 256, 0);
    if (cli_check(args) != CLI_OK)
        return CLI_USAGE;
    x->e.decide = at_end ? PINGO_SIMULATION_DECIDE_WORKFLOW_END : PINGO_SIMULATION_DECIDE_PUBLISH;
    bool is_low = low && cli_decimal(low, 100, &percent) && percent >= 0.1;
    x->e.low_permille = (unsigned)(percent * 10 + 0.5);
    if (low && (!is_low || x->e.low_permille / 10.0 != percent))
        return cli_usage(args,
                         "--low takes a share of the budget in percent, from 0.1 to 100, with "
                         "at most one digit behind the point");
    if (noise && !cli_decimal(noise, 10, &x->e.noise))
        return cli_usage(args,
                         "--noise takes a coefficient of variation from 0 to 10, such as 0.1");
    return CLI_OK;
}

const char *cli_simulate_choice(const char *option, size_t i, const char **meaning)
{
    *meaning = NULL;
    if (strcmp(option, "family") == 0)
        return cli_family_at(i, meaning);
    if (strcmp(option, "algorithm") != 0)
        return NULL;
    if (i > 0 && !pingo_decision_at(i - 1))
        return NULL;
    if (pingo_decision_at(i))
        return cli_algorithm_at(i, meaning);
    *meaning = pingo_clairvoyant()->summary;
    return pingo_clairvoyant()->name;
}
