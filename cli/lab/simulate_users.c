/* simulate_users.c - pingo simulate --arrive times: what each user had of a run. */
#include <inttypes.h>
#include <string.h>

#include "message.h"
#include "simulate.h"
#include "view/columns.h"

#define ROW struct pingo_simulation_user
static const struct pingo__view_column columns[] = {
    COLUMN("user", TEXT, user, "who"),
    COLUMN("weight", COUNT, weight, "the weight"),
    COLUMN("starts", COUNT, nstarts, "actions that ran in the user's turns"),
    COLUMN("computeMs", MS, compute_ms, "the time that they took"),
    COLUMN("waitMs", MS, wait_ms, "how long they were ready before they started, all together"),
    COLUMN("longestWaitMs", MS, longest_wait_ms, "the longest of these waits"),
    COLUMN("sharedMs", MS, shared_ms, "slots by time while all users had something ready"),
    COLUMN("endMs", MS, end_ms, "when the last of them ended"),
};
const struct pingo__view_table cli_run_user_view = VIEW("user", columns, ROW);
#undef ROW

/* USER=N,USER=N: a piece between two commas is one of its own here. */
static int add_weights(struct cli_experiment *x, const struct cli_args *args, char *text)
{
    for (char *next; text; text = next) {
        if ((next = strchr(text, ',')))
            *next++ = '\0';
        struct pingo_simulation_weight weight = {.user = text};
        char *equals = strrchr(text, '=');
        if (!equals || equals == text || !pingo__text_to_int64(equals + 1, 1, 10000, &weight.weight))
            return cli_usage(args, "--weight takes USER=N, N from 1 to 10000, not \"%s\"",
                             cli_shown(text));
        *equals = '\0';
        x->weights = cli_more(x->weights, x->e.nweights, sizeof *x->weights);
        x->weights[x->e.nweights++] = weight;
    }
    x->e.weights = x->weights;
    return CLI_OK;
}

int cli_experiment_read_arrivals(struct cli_experiment *x, const struct cli_args *args)
{
    size_t n;
    const char **values = cli_values(args, "weight", &n);
    bool by_times = cli_choice(args, "arrive", 0) == 1;
    int rc = cli_check(args);
    x->e.arrive = by_times ? PINGO_SIMULATION_ARRIVE_TIMES : PINGO_SIMULATION_ARRIVE_IDLE;
    if (rc == CLI_OK && !by_times && n > 0)
        return cli_usage(args, "--weight needs --arrive times: only then users take turns");
    for (size_t i = 0; rc == CLI_OK && i < n; i++)
        rc = add_weights(x, args, cli_copy(values[i]));
    return rc;
}

void cli_experiment_note_weights(const struct cli_experiment *x)
{
    for (size_t i = 0; i < x->e.nweights; i++) {
        size_t k = 0;
        while (k < x->nusers && strcmp(x->users[k].user.user, x->weights[i].user) != 0)
            k++;
        if (k == x->nusers)
            cli_note("--weight: no user is called %s", cli_shown(x->weights[i].user));
    }
}

void cli_experiment_each_user(const struct cli_experiment *x, size_t row,
                              void (*fn)(void *context, const void *user), void *context)
{
    size_t low = 0, high = x->nusers; /* they stand by row */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x->users[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < x->nusers && x->users[low].row == row; low++)
        fn(context, &x->users[low].user);
}

static void print_one(void *context, const void *of)
{
    const struct pingo_simulation_user *u = of;
    char wait[PINGO__UNITS_SIZE], longest[PINGO__UNITS_SIZE], end[PINGO__UNITS_SIZE];
    char compute[PINGO__UNITS_SIZE];
    int width = *(const int *)context;
    pingo__units_print_duration(compute, u->compute_ms);
    pingo__units_print_duration(wait, u->nstarts ? u->wait_ms / (int64_t)u->nstarts : 0);
    pingo__units_print_duration(longest, u->longest_wait_ms);
    pingo__units_print_duration(end, u->end_ms);
    cli_pad(stdout, cli_shown(u->user), width);
    printf("  %6" PRId64 "  %7" PRIu64 "  %8s  %9s  %12s  %8s\n", u->weight, u->nstarts, compute,
           wait, longest, end);
}

static void measure(void *context, const void *of)
{
    size_t length = strlen(((const struct pingo_simulation_user *)of)->user);
    int *width = context;
    *width = (int)length > *width && length < 48 ? (int)length : *width;
}

void cli_experiment_print_users(const struct cli_experiment *x, size_t row)
{
    double jain = x->rows[row].result.jain;
    int width = 4;
    if (x->e.arrive != PINGO_SIMULATION_ARRIVE_TIMES)
        return;
    cli_experiment_each_user(x, row, measure, &width);
    putchar('\n');
    cli_pad(stdout, "USER", width);
    printf("  WEIGHT   STARTS   COMPUTE  MEAN WAIT  LONGEST WAIT       END\n");
    cli_experiment_each_user(x, row, print_one, &width);
    if (jain < 0)
        printf("Jain's index: none, for they had never all something ready at a time\n");
    else
        printf("Jain's index while all had something ready: %.3f\n", jain);
}
