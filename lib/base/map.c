/* map.c - a hash table with open addressing and linear probing.
 *
 * Keys are hashed with SipHash-1-3 under a random seed, so nobody can choose
 * keys that collide.  A key taken out is closed over by moving later ones back,
 * so there are no tombstones.  At most three quarters of the places are taken.
 * The keys of a small table are not hashed, for to compare them one after the
 * other takes less: all have the hash 0, and the table is a list. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

struct pingo__map_entry {
    const char *key; /* NULL: a free place */
    size_t length;
    uint32_t hash;
    uint32_t value;
};

#define SMALLEST ((size_t)4)
#define SMALLEST_HASHED ((size_t)16)

static uint64_t rotate(uint64_t v, unsigned n)
{
    return v << n | v >> (64 - n);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static uint32_t hash_key(const struct pingo__map *m, const char *key, size_t length)
{
    if (m->capacity < SMALLEST_HASHED)
        return 0;
    uint64_t k0 = m->seed, k1 = rotate(m->seed, 29) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t v[4] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                     k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    uint64_t word, last = (uint64_t)length << 56;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&word, key + i, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    for (unsigned shift = 0; i < length; i++, shift += 8)
        last |= (uint64_t)(unsigned char)key[i] << shift;
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    word = v[0] ^ v[1] ^ v[2] ^ v[3];
    return (uint32_t)(word ^ word >> 32);
}

void pingo__map_clear(struct pingo__map *m)
{
    if (!m->arena)
        free(m->entries);
    *m = (struct pingo__map){0};
}

/* Of the random bytes that the kernel gave the process at exec: asking for others takes longer. */
static uint64_t random_seed(const struct pingo__map *m)
{
    uint64_t seed = 0;
    const void *given = (const void *)getauxval(AT_RANDOM);
    if (given)
        memcpy(&seed, given, sizeof seed);
    return seed ^ (uint64_t)(uintptr_t)m;
}

static void place(struct pingo__map *m, const struct pingo__map_entry *entry)
{
    size_t i = entry->hash & (m->capacity - 1);
    while (m->entries[i].key)
        i = (i + 1) & (m->capacity - 1);
    m->entries[i] = *entry;
}

static bool grow(struct pingo__map *m, size_t capacity)
{
    struct pingo__map_entry *old = m->entries;
    size_t old_capacity = m->capacity;
    struct pingo__map_entry *entries = m->arena
                                           ? pingo__arena_array(m->arena, capacity, sizeof *entries)
                                           : calloc(capacity, sizeof *entries);
    if (!entries)
        return false;
    m->entries = entries;
    m->capacity = capacity;
    bool is_hashed_now = old_capacity < SMALLEST_HASHED && capacity >= SMALLEST_HASHED;
    if (is_hashed_now)
        m->seed = random_seed(m);
    for (size_t i = 0; i < old_capacity; i++) {
        if (!old[i].key)
            continue;
        if (is_hashed_now)
            old[i].hash = hash_key(m, old[i].key, old[i].length);
        place(m, &old[i]);
    }
    if (!m->arena)
        free(old);
    return true;
}

bool pingo__map_reserve(struct pingo__map *m, size_t n)
{
    size_t capacity = m->capacity < SMALLEST ? SMALLEST : m->capacity;
    if (n > (SIZE_MAX / 4) / sizeof *m->entries)
        return false;
    while (n > capacity / 4 * 3)
        capacity *= 2;
    return capacity == m->capacity || grow(m, capacity);
}

/* The place of the key, or the free one where it would go.  The table is not empty. */
static size_t find_place(const struct pingo__map *m, const char *key, size_t length, uint32_t hash)
{
    size_t i = hash & (m->capacity - 1);
    for (; m->entries[i].key; i = (i + 1) & (m->capacity - 1)) {
        const struct pingo__map_entry *e = &m->entries[i];
        if (e->hash == hash && e->length == length && memcmp(e->key, key, length) == 0)
            break;
    }
    return i;
}

static bool put(struct pingo__map *m, struct pingo__map_entry *e, bool replace, uint32_t *existing)
{
    if (existing)
        *existing = PINGO__MAP_NONE;
    if (m->count == m->capacity / 4 * 3 && !pingo__map_reserve(m, m->count + 1))
        return false;
    if (!e->key)
        e->key = "";
    e->hash = hash_key(m, e->key, e->length);
    size_t i = find_place(m, e->key, e->length, e->hash);
    if (m->entries[i].key) {
        if (existing)
            *existing = m->entries[i].value;
        if (replace)
            m->entries[i].value = e->value;
        return true;
    }
    m->entries[i] = *e;
    m->count++;
    return true;
}

bool pingo__map_insert(struct pingo__map *m, const void *key, size_t length, uint32_t value,
                       uint32_t *existing)
{
    struct pingo__map_entry entry = {.key = key, .length = length, .value = value};
    return put(m, &entry, false, existing);
}

bool pingo__map_set(struct pingo__map *m, const void *key, size_t length, uint32_t value)
{
    struct pingo__map_entry entry = {.key = key, .length = length, .value = value};
    return put(m, &entry, true, NULL);
}

bool pingo__map_keep(struct pingo__map *m, struct pingo__arena *keys, const void *key,
                     size_t length, uint32_t value)
{
    if (pingo__map_get(m, key, length) != PINGO__MAP_NONE)
        return true;
    const char *copy = pingo__arena_text(keys, key, length);
    return copy && pingo__map_insert(m, copy, length, value, NULL);
}

uint32_t pingo__map_get(const struct pingo__map *m, const void *key, size_t length)
{
    const char *bytes = key ? key : "";
    if (m->count == 0)
        return PINGO__MAP_NONE;
    size_t i = find_place(m, bytes, length, hash_key(m, bytes, length));
    return m->entries[i].key ? m->entries[i].value : PINGO__MAP_NONE;
}

uint32_t pingo__map_remove(struct pingo__map *m, const void *key, size_t length)
{
    const char *bytes = key ? key : "";
    size_t mask = m->capacity - 1;
    if (m->count == 0)
        return PINGO__MAP_NONE;
    size_t hole = find_place(m, bytes, length, hash_key(m, bytes, length));
    if (!m->entries[hole].key)
        return PINGO__MAP_NONE;
    uint32_t value = m->entries[hole].value;
    for (size_t next = (hole + 1) & mask; m->entries[next].key; next = (next + 1) & mask) {
        /* An entry may move back only if its own place is not after the hole. */
        if (((next - m->entries[next].hash) & mask) >= ((next - hole) & mask)) {
            m->entries[hole] = m->entries[next];
            hole = next;
        }
    }
    memset(&m->entries[hole], 0, sizeof m->entries[hole]);
    m->count--;
    return value;
}
