/* backoff.c - see backoff.h. */
#include "base/backoff.h"

#include "base/world.h"

int64_t pingo__backoff_next(int64_t *next_ms, int64_t first_ms, int64_t most_ms)
{
    const struct pingo__world *world = pingo__world_real();
    int64_t pause = *next_ms > first_ms ? *next_ms : first_ms;
    uint16_t chance = 0;
    if (world->random(world->context, &chance, sizeof chance) != 0)
        chance = UINT16_MAX / 2;
    if (pause > most_ms)
        pause = most_ms;
    *next_ms = pause > most_ms / 2 ? most_ms : 2 * pause;
    return pause - pause / 4 + pause / 2 * chance / UINT16_MAX;
}
