/* units.h - sizes and durations, as people read and write them.  Nothing here looks at the locale. */
#ifndef PINGO__BASE_UNITS_H
#define PINGO__BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#define PINGO__UNITS_SIZE 64 /* room for any of these texts */

/* "17 B", "1.2 KiB", "391 KiB"; "-" below 0.  Returns out. */
const char *pingo__units_print_size(char out[PINGO__UNITS_SIZE], int64_t bytes);
/* A size: "4096", "10 GiB", "1.5G", "500MB": a number, with a part behind a point where a unit follows,
 * and a unit: B; K, M, G, T, P or KiB ... PiB (powers of 1024); kB, MB ... PB (powers of 1000), in any case.
 * What is less than a byte is cut off. */
bool pingo__units_parse_size(const char *text, int64_t *bytes);
/* "12 ms", "1.2 s", "3 min 04 s", "2 h 05 min", "3 d 04 h"; "-" below 0.  Returns out. */
const char *pingo__units_print_duration(char out[PINGO__UNITS_SIZE], int64_t duration_ms);
/* "250ms", "90s", "15m", "6h", "7d", "2w": a whole number up to 10^9 and a unit. */
bool pingo__units_parse_duration(const char *text, int64_t *duration_ms);

#endif
