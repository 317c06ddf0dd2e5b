/* backoff.h - how long to wait before asking again what did not answer. */
#ifndef PINGO__BASE_BACKOFF_H
#define PINGO__BASE_BACKOFF_H

#include <stdint.h>

/* The pause now: each is twice as long as the one before, up to most_ms, and by chance up to a quarter more or less, so
 * that those who failed together do not come back together.  *next_ms: 0: it begins anew, with first_ms. */
int64_t pingo__backoff_next(int64_t *next_ms, int64_t first_ms, int64_t most_ms);

#endif
