/* noise.c - how long a run takes: the history's time, with noise if asked for.
 *
 * The noise of the n-th run of an action is a function of the seed, the action's hash
 * and n, so that policies are compared under the same noise.  It is lognormal with
 * mean 1 and the coefficient of variation that was asked for: measured times of
 * repeated runs are skewed so. */
#include <math.h>

#include "base/mix.h"
#include "lab/simulate/random.h"
#include "lab/simulate/run.h"

static double factor(const struct pingo__lab_run *r, uint32_t dataset)
{
    const struct pingo_hash *hash = pingo_history_hash(r->workload->history, dataset);
    double variance = pingo__lab_math_log(1 + r->options->noise * r->options->noise);
    uint64_t seed = pingo__mix(r->options->seed);
    seed = pingo__mix(seed ^ pingo__mix_read(hash->bytes));
    seed = pingo__mix(seed ^ pingo__mix_read(hash->bytes + PINGO_HASH_SIZE - 8));
    struct pingo__lab_random_stream stream;
    pingo__lab_random_seed(&stream, pingo__mix(seed ^ r->datasets[dataset].generation));
    return pingo__lab_math_exp(sqrt(variance) * pingo__lab_random_normal(&stream) - variance / 2);
}

int64_t pingo__lab_run_time(const struct pingo__lab_run *r, uint32_t dataset)
{
    int64_t ms = pingo_history_compute(r->workload->history, dataset);
    if (ms <= 0)
        return 0;
    if (r->options->noise <= 0)
        return ms;
    double noisy = (double)ms * factor(r, dataset) + 0.5;
    return noisy < 9e18 ? (int64_t)noisy : INT64_MAX;
}
