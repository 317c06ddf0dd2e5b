/* mix.h - numbers that look random, as a function of other numbers. */
#ifndef PINGO__BASE_MIX_H
#define PINGO__BASE_MIX_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* SplitMix64: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.  Its generator adds
 * PINGO__MIX_STEP to x from number to number. */
#define PINGO__MIX_STEP UINT64_C(0x9e3779b97f4a7c15)
static inline uint64_t pingo__mix(uint64_t x)
{
    x += PINGO__MIX_STEP;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Eight bytes, the highest first. */
static inline uint64_t pingo__mix_read(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return be64toh(value);
}

#endif
