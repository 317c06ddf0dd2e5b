/* random.h - random numbers and distributions that are the same on every machine.
 *
 * The generator is xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", ACM TOMS 2021), seeded by splitmix64 as its
 * authors advise.  Distributions use +, -, * and / of doubles and sqrt alone, which
 * IEEE 754 rounds in one way; exp and log are series of our own for that reason.
 * Nothing here is fit for secrets. */
#ifndef PINGO__LAB_RANDOM_H
#define PINGO__LAB_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct pingo__lab_random_stream {
    uint64_t state[4];
    double spare; /* the second of a pair of normal numbers */
    bool has_spare;
};

void pingo__lab_random_seed(struct pingo__lab_random_stream *r, uint64_t seed);
/* 2^128 numbers further: a stream of its own for who takes fewer than that. */
void pingo__lab_random_jump(struct pingo__lab_random_stream *r);
uint64_t pingo__lab_random_next(struct pingo__lab_random_stream *r);
/* Uniform over 0 .. n-1; n: at least 1. */
uint64_t pingo__lab_random_below(struct pingo__lab_random_stream *r, uint64_t n);
/* Uniform over the multiples of 2^-53 from 0 to less than 1. */
double pingo__lab_random_unit(struct pingo__lab_random_stream *r);
/* Mean 0, deviation 1: Marsaglia's polar method (Marsaglia and Bray 1964). */
double pingo__lab_random_normal(struct pingo__lab_random_stream *r);
double pingo__lab_random_exponential(struct pingo__lab_random_stream *r, double mean);
/* Beta(a, b), a and b from 0.1 to 1000, from two gamma numbers (Marsaglia and Tsang 2000). */
double pingo__lab_random_beta(struct pingo__lab_random_stream *r, double a, double b);

/* Natural logarithm of a finite x >= 2^-1022. */
double pingo__lab_math_log(double x);
/* e^x; 0 for x < -700, and no more than e^700. */
double pingo__lab_math_exp(double x);
/* x^y, x as for the logarithm. */
double pingo__lab_math_power(double x, double y);

#endif
