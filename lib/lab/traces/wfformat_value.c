/* wfformat_value.c - see wfformat_value.h. */
#include "lab/traces/wfformat_value.h"

#include <inttypes.h>

/* The digits of a number, without sign and exponent: the first 18 that count, and the power of ten
 * that belongs to them. */
static size_t read_digits(const char *text, size_t length, uint64_t *digits, int *power)
{
    bool fraction = false;
    size_t i = 0;
    for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            fraction = true;
        } else if (*digits < UINT64_C(100000000000000000)) {
            *digits = *digits * 10 + (uint64_t)(text[i] - '0');
            *power -= fraction;
        } else {
            *power += !fraction;
        }
    }
    return i;
}

static int read_exponent(const char *text, size_t length)
{
    bool below = length > 0 && text[0] == '-';
    int exponent = 0;
    for (size_t i = length > 0 && (text[0] == '-' || text[0] == '+'); i < length; i++)
        if (exponent < 10000)
            exponent = exponent * 10 + (text[i] - '0');
    return below ? -exponent : exponent;
}

bool pingo__lab_wf_decimal(const char *text, size_t length, int shift, int64_t max, int64_t *number)
{
    bool below = length > 0 && text[0] == '-';
    size_t at = below;
    uint64_t digits = 0, weight = 1;
    int power = shift;
    at += read_digits(text + at, length - at, &digits, &power);
    if (at < length)
        power += read_exponent(text + at + 1, length - at - 1);
    if (digits == 0 || power < -18) {
        *number = 0;
        return digits == 0 || !below;
    }
    for (; power > 0 && digits <= (uint64_t)max; power--)
        digits *= 10;
    for (; power < 0; power++)
        weight *= 10;
    digits = digits / weight + (digits % weight >= weight - digits % weight);
    *number = (int64_t)digits;
    return !below && digits <= (uint64_t)max;
}

int64_t pingo__lab_wf_number(struct pingo__json_reader *r, const struct pingo__json_value *v,
                             int shift)
{
    int64_t number, max = PINGO__WF_NUMBER_MAX;
    size_t length;
    if (!pingo__json_reader_expect(r, v, PINGO__JSON_NUMBER))
        return -1;
    const char *spelling = pingo__json_spelling(&r->element, v, &length);
    if (!spelling) {
        pingo__json_reader_no_memory(r);
        return -1;
    }
    if (pingo__lab_wf_decimal(spelling, length, shift, max, &number))
        return number;
    for (; shift > 0; shift--)
        max /= 10;
    pingo__json_reader_wrong(r, v, "expected a number from 0 to %" PRId64, max);
    return -1;
}
