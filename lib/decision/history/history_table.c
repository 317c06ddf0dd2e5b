/* history_table.c - from a hash to the index of its action.
 *
 * Open addressing with linear probing over 32-bit numbers alone: the hashes lie
 * with the actions.  Places come from multilinear hashing under random keys,
 * which is universal, so that nobody can choose hashes that collide; no result
 * depends on the keys. */
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "decision/history/history.h"

#define SMALLEST ((size_t)64)

bool pingo__decision_history_table_open(struct pingo_history *h)
{
    if (!pingo__map_reserve(&h->lists.map, 1))
        return false;
    uint64_t seed = h->lists.map.seed;
    for (size_t i = 0; i < sizeof h->keys / sizeof h->keys[0]; i++, seed += PINGO__MIX_STEP)
        h->keys[i] = pingo__mix(seed);
    h->slots = calloc(SMALLEST, sizeof *h->slots);
    h->nslots = h->slots ? SMALLEST : 0;
    return h->slots;
}

static size_t start_of(const struct pingo_history *h, const struct pingo_hash *hash)
{
    uint64_t sum = h->keys[8];
    for (size_t i = 0; i < 8; i++) {
        uint32_t word;
        memcpy(&word, hash->bytes + 4 * i, 4);
        sum += h->keys[i] * word;
    }
    return (size_t)(sum >> 32) & (h->nslots - 1);
}

size_t pingo__decision_history_slot(const struct pingo_history *h, const struct pingo_hash *hash)
{
    size_t at = start_of(h, hash);
    while (h->slots[at] &&
           memcmp(h->actions[h->slots[at] - 1].hash.bytes, hash->bytes, PINGO_HASH_SIZE) != 0)
        at = (at + 1) & (h->nslots - 1);
    return at;
}

bool pingo__decision_history_table_room(struct pingo_history *h, size_t more)
{
    size_t n = h->nslots;
    uint32_t *slots, *old = h->slots;
    while ((size_t)h->nactions + more > n / 4 * 3)
        n *= 2;
    if (n == h->nslots)
        return true;
    slots = calloc(n, sizeof *slots);
    if (!slots)
        return false;
    h->slots = slots;
    h->nslots = n;
    for (uint32_t i = 0; i < h->nactions; i++) {
        size_t at = start_of(h, &h->actions[i].hash);
        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = i + 1;
    }
    free(old);
    return true;
}
