/* wfformat_value.h - numbers of a WfFormat document.
 *
 * They are read by digits and not by way of double, so that they are the same on every machine and in
 * every locale. */
#ifndef PINGO__LAB_WFFORMAT_VALUE_H
#define PINGO__LAB_WFFORMAT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/reader.h"

#define PINGO__WF_NUMBER_MAX INT64_C(9007199254740991) /* 2^53 - 1 */

/* A number from 0 on, times 10^shift, rounded to the nearest integer, PINGO__WF_NUMBER_MAX at most; -1 where it is
 * none, which is wrong. */
int64_t pingo__lab_wf_number(struct pingo__json_reader *r, const struct pingo__json_value *v,
                             int shift);

/* The spelling of a JSON number, times 10^shift, rounded half up.  false: it is below 0 or above max,
 * which is less than 10^18. */
bool pingo__lab_wf_decimal(const char *spelling, size_t length, int shift, int64_t max,
                           int64_t *number);

#endif
