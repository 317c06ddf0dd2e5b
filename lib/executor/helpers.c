/* helpers.c - for executors: where programs lie, and how long to wait. */
#include <pingo/executor.h>

#include "base/path.h"
#include "base/world.h"

char *pingo_executor_context_program(const struct pingo_executor_context *context, const char *name)
{
    return pingo__path_child(context->helper_dir ? context->helper_dir : PINGO_LIBEXECDIR, name);
}

int64_t pingo_backoff_next(struct pingo_backoff *backoff)
{
    const struct pingo__world *world = pingo__world_real();
    int64_t pause = backoff->next_ms > backoff->first_ms ? backoff->next_ms : backoff->first_ms;
    uint16_t chance = 0;
    if (world->random(world->context, &chance, sizeof chance) != 0)
        chance = UINT16_MAX / 2;
    if (pause > backoff->most_ms)
        pause = backoff->most_ms;
    backoff->next_ms = pause > backoff->most_ms / 2 ? backoff->most_ms : 2 * pause;
    return pause - pause / 4 + pause / 2 * chance / UINT16_MAX;
}
