/* history_table.c - from a hash to the index of its action.
 *
 * Open addressing with linear probing over 32-bit numbers alone: the hashes lie
 * with the actions.  Places come from multilinear hashing under random keys,
 * which is universal, so that nobody can choose hashes that collide; no result
 * depends on the keys. */
#include <stdlib.h>
#include <string.h>

#include "decision/history.h"

#define SMALLEST ((size_t)64)

/* The generator splitmix64: keys from the map's random seed. */
static void make_keys(uint64_t *keys, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        keys[i] = z ^ z >> 31;
    }
}

bool pingo__decision_history_table_open(struct pingo_history *h)
{
    if (!pingo__map_reserve(&h->list_map, 1))
        return false;
    make_keys(h->keys, sizeof h->keys / sizeof h->keys[0], h->list_map.seed);
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
