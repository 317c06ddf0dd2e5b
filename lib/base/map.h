/* map.h - a hash table from borrowed byte strings to 32-bit numbers (indexes).
 * Seeded, so that hostile keys do not collide on purpose; there is no iteration,
 * so that no result depends on the seed. */
#ifndef PINGO__BASE_MAP_H
#define PINGO__BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define PINGO__MAP_NONE UINT32_MAX

struct pingo__map_entry;
struct pingo__map {
    struct pingo__map_entry *entries;
    size_t count, capacity;
    uint64_t seed;
    struct pingo__arena *arena; /* may be set in an empty one: its memory lies there, and goes with it */
};

/* What is zeroed is an empty one; frees, and leaves such a one. */
void pingo__map_clear(struct pingo__map *m);
/* Makes room for n keys at once.  false: no memory. */
bool pingo__map_reserve(struct pingo__map *m, size_t n);
/* Puts key -> value unless key is there.  *existing (may be NULL): the value that was there, or
 * PINGO__MAP_NONE.  The key must outlive the map.  false: no memory. */
bool pingo__map_insert(struct pingo__map *m, const void *key, size_t length, uint32_t value,
                       uint32_t *existing);
/* As insert without existing, with a copy of the key in the arena where it is not there. */
bool pingo__map_keep(struct pingo__map *m, struct pingo__arena *keys, const void *key,
                     size_t length, uint32_t value);
/* Replaces the value of a key that is there or puts it.  false: no memory. */
bool pingo__map_set(struct pingo__map *m, const void *key, size_t length, uint32_t value);
/* The value, or PINGO__MAP_NONE. */
uint32_t pingo__map_get(const struct pingo__map *m, const void *key, size_t length);
/* Takes a key out.  Returns its value or PINGO__MAP_NONE. */
uint32_t pingo__map_remove(struct pingo__map *m, const void *key, size_t length);

#endif
