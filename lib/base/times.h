/* times.h - times of RFC 3339, and of HTTP, by arithmetic alone: no zone, no locale, no clock. */
#ifndef PINGO__BASE_TIMES_H
#define PINGO__BASE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#define PINGO__TIMES_SIZE 64 /* room for a time as text */

/* "2026-11-20T12:00:00Z", with a fraction of a second and an offset if you like, where may_be_day also a
 * day alone (midnight UTC): ms since 1970.  false: it is no time from 1970 on. */
bool pingo__times_parse(const char *text, bool may_be_day, int64_t *time_ms);
/* "2026-11-20T12:00:00.000Z"; what is past the year 9999 is its end.  Returns out. */
const char *pingo__times_print(char out[PINGO__TIMES_SIZE], int64_t time_ms);
/* The same without the fraction: "2026-11-20T12:00:00Z". */
const char *pingo__times_print_seconds(char out[PINGO__TIMES_SIZE], int64_t time_ms);
/* As HTTP writes it (RFC 9110, section 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT". */
const char *pingo__times_print_http(char out[PINGO__TIMES_SIZE], int64_t time_ms);

#endif
