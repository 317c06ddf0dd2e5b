/* random.c - xoshiro256**, and the distributions made of it.
 *
 * Doubles must be computed as doubles, neither wider nor fused: so it is where
 * FLT_EVAL_METHOD is 0 and -ffp-contract is off, and the golden values of the tests tell. */
#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "lab/simulate/random.h"

/* log 2 in two parts: the first has 32 bits, so that its product with an exponent is exact. */
#define LOG2_HIGH 6.93147180369123816490e-01
#define LOG2_LOW 1.90821492927058770002e-10
#define SQRT2 1.41421356237309514547
#define EXP_MAX 700.0

/* ---- numbers -------------------------------------------------------------------------------- */

static uint64_t rotate(uint64_t x, int n)
{
    return (x << n) | (x >> (64 - n));
}

void pingo__lab_random_seed(struct pingo__lab_random_stream *r, uint64_t seed)
{
    *r = (struct pingo__lab_random_stream){.spare = 0};
    for (int i = 0; i < 4; i++, seed += PINGO__MIX_STEP)
        r->state[i] = pingo__mix(seed);
}

uint64_t pingo__lab_random_next(struct pingo__lab_random_stream *r)
{
    uint64_t *s = r->state, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

void pingo__lab_random_jump(struct pingo__lab_random_stream *r)
{
    static const uint64_t polynomial[] = {0x180ec6d33cfd0aba, 0xd5a61266f0c9392c,
                                          0xa9582618e03fc9aa, 0x39abdc4529b1661c};
    uint64_t sum[4] = {0};
    for (int i = 0; i < 256; i++) {
        for (int k = 0; k < 4 && (polynomial[i / 64] >> (i % 64) & 1); k++)
            sum[k] ^= r->state[k];
        pingo__lab_random_next(r);
    }
    memcpy(r->state, sum, sizeof sum);
    r->has_spare = false;
}

uint64_t pingo__lab_random_below(struct pingo__lab_random_stream *r, uint64_t n)
{
    uint64_t skip = (0 - n) % n, x; /* 2^64 mod n: what would make the first numbers likelier */
    do {
        x = pingo__lab_random_next(r);
    } while (x < skip);
    return x % n;
}

double pingo__lab_random_unit(struct pingo__lab_random_stream *r)
{
    return (double)(pingo__lab_random_next(r) >> 11) * 0x1p-53;
}

/* ---- distributions ---------------------------------------------------------------------------- */

double pingo__lab_random_normal(struct pingo__lab_random_stream *r)
{
    double x, y, s;
    if (r->has_spare) {
        r->has_spare = false;
        return r->spare;
    }
    do {
        x = 2 * pingo__lab_random_unit(r) - 1;
        y = 2 * pingo__lab_random_unit(r) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s == 0);
    double scale = sqrt(-2 * pingo__lab_math_log(s) / s);
    r->spare = y * scale;
    r->has_spare = true;
    return x * scale;
}

double pingo__lab_random_exponential(struct pingo__lab_random_stream *r, double mean)
{
    return -mean * pingo__lab_math_log(1 - pingo__lab_random_unit(r));
}

static double gamma_of(struct pingo__lab_random_stream *r, double a)
{
    double boost = 1;
    if (a < 1) {
        boost = pingo__lab_math_power(1 - pingo__lab_random_unit(r), 1 / a);
        a += 1;
    }
    double d = a - 1.0 / 3;
    double c = 1 / sqrt(9 * d);
    double x, v, u;
    do {
        do {
            x = pingo__lab_random_normal(r);
            v = 1 + c * x;
        } while (v <= 0);
        v = v * v * v;
        u = 1 - pingo__lab_random_unit(r);
    } while (pingo__lab_math_log(u) >= 0.5 * x * x + d - d * v + d * pingo__lab_math_log(v));
    return d * v * boost;
}

double pingo__lab_random_beta(struct pingo__lab_random_stream *r, double a, double b)
{
    double x = gamma_of(r, a), y = gamma_of(r, b);
    return x / (x + y);
}

/* ---- functions ----------------------------------------------------------------------------------- */

static double power_of_two(int n) /* -1022 .. 1023 */
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x = 2^e * m, m near 1; log m = 2 artanh s, s = (m - 1) / (m + 1) below 0.172. */
double pingo__lab_math_log(double x)
{
    uint64_t bits;
    double sum = 0;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > SQRT2) {
        m /= 2;
        e++;
    }
    double s = (m - 1) / (m + 1);
    double z = s * s;
    for (int k = 23; k >= 3; k -= 2)
        sum = (sum + 1.0 / k) * z;
    return e * LOG2_HIGH + (2 * s + (2 * s * sum + e * LOG2_LOW));
}

/* x = k log 2 + rest; the rest, below 0.347, by Taylor's series. */
double pingo__lab_math_exp(double x)
{
    double sum = 1;
    if (x < -EXP_MAX)
        return 0;
    if (x > EXP_MAX)
        x = EXP_MAX;
    int k = (int)(x / (LOG2_HIGH + LOG2_LOW) + (x < 0 ? -0.5 : 0.5));
    double rest = (x - k * LOG2_HIGH) - k * LOG2_LOW;
    for (int i = 15; i >= 1; i--)
        sum = 1 + sum * rest / i;
    return sum * power_of_two(k);
}

double pingo__lab_math_power(double x, double y)
{
    return pingo__lab_math_exp(y * pingo__lab_math_log(x));
}
