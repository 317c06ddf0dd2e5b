/* wfformat_value.c - see wfformat_value.h. */
#include "lab/traces/wfformat_value.h"

#include <inttypes.h>

#include "json/scan.h"

bool pingo__lab_wf_decimal(const char *text, size_t length, int shift, int64_t max, int64_t *number)
{
    struct pingo__json_decimal d = pingo__json_decimal(text, length);
    uint64_t digits = d.digits, weight = 1;
    int power = d.power + shift;
    if (digits == 0 || power < -18) {
        *number = 0;
        return digits == 0 || !d.below;
    }
    for (; power > 0 && digits <= (uint64_t)max; power--)
        digits *= 10;
    for (; power < 0; power++)
        weight *= 10;
    digits = digits / weight + (digits % weight >= weight - digits % weight);
    *number = (int64_t)digits;
    return !d.below && digits <= (uint64_t)max;
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
