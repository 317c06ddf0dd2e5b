/* memory.h - how much memory an action is given: at first, after it has died of it, and what is remembered of it.
 *
 * All in MB; 0: none, or not known.  Pure; source: Columbus thesis 5.3, the shelf. */
#ifndef PINGO__RULES_MEMORY_H
#define PINGO__RULES_MEMORY_H

#include <stdint.h>

/* An attempt that died of memory. */
struct pingo__rules_memory_death {
    int64_t had_mb;    /* its limit */
    int64_t seen_mb;   /* its peak; counts where it had no limit of its own */
    int64_t listed_mb; /* what its definition says of the next try */
    int64_t most_mb;   /* what an attempt of it may have */
};

/* The first gets what its definition says, or what was remembered where that is more. */
int64_t pingo__rules_memory_first(int64_t own_mb, int64_t remembered_mb, int64_t most_mb);
/* The lesser of what the definition allows and what the largest node has. */
int64_t pingo__rules_memory_most(int64_t allowed_mb, int64_t largest_mb);
/* The next gets what is listed for it if that is more, else the double, up to the most.  0: there is no more, or nobody
 * knows how much there is. */
int64_t pingo__rules_memory_grown(const struct pingo__rules_memory_death *death);
/* What one that ended well needed: halved as long as a quarter is left above its peak. */
int64_t pingo__rules_memory_needed(int64_t had_mb, int64_t seen_mb);

#endif
