/* trouble.c - what is in the way between a client and its supervisor, see client.h.
 *
 * What cannot pass by itself is an error at the next call.  What may (too many processes of this user, a supervisor
 * that is ending, one that is stopped, a pool that cannot be written) is logged after a second, and is an error
 * later. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/names.h"
#include "base/path.h"
#include "base/process.h"
#include "base/world.h"
#include "executor/local/client.h"
#include "executor/local/place.h"

#define SAY_MS 1000       /* what is in the way for so long is told, */
#define PATIENCE_MS 10000 /* and is an error after so long, */
#define ASK_MS 3000       /* for who waits for an answer after so long */

void pingo__executor_trouble_note(struct pingo__executor_local *local)
{
    local->failure_told = true;
    if (local->hindered_ms == 0) {
        local->hindered_ms = pingo__world_monotonic_ms();
        local->hindrance_told = false;
    }
}

void pingo__executor_trouble_meet(struct pingo__executor_local *local, const char *what)
{
    pingo__fail(&local->failure, PINGO_EEXECUTOR, "the local supervisor of %s: %s",
                local->store_dir, what);
    pingo__executor_trouble_note(local);
}

void pingo__executor_trouble_forget(struct pingo__executor_local *local)
{
    if (local->hindered_ms)
        local->failure.code = 0;
    local->hindered_ms = 0;
    local->is_pool = false;
}

/* 0, or an errno. */
static int try_pool(const struct pingo__executor_local *local)
{
    char *path = pingo__path_child(local->pool_dir, pingo__name_parts[PINGO__ATTEMPTS]);
    int rc = !path || access(path, W_OK | X_OK) == 0 ? 0 : errno;
    free(path);
    return rc;
}

void pingo__executor_trouble_look_at_pool(struct pingo__executor_local *local)
{
    char text[128];
    int rc = local->state == PINGO__LOCAL_UP ? try_pool(local) : 0;
    if (rc == 0)
        return;
    snprintf(text, sizeof text, "nothing starts, for the pool's attempts cannot be written: %s",
             strerror(rc));
    pingo__executor_trouble_meet(local, text);
    local->is_pool = local->hindrance_told = true; /* who waits for that attempt is told why */
}

bool pingo__executor_trouble_read(struct pingo__executor_local *local,
                                  struct pingo__buffer_reader *body)
{
    uint8_t kind = pingo__buffer_read_u8(body);
    const char *text = pingo__runner_get_text(body);
    if (!text || kind > PINGO__TROUBLE_NOTE)
        return false;
    if (kind == PINGO__TROUBLE_NOTE) {
        pingo__executor_say(&local->log, "%s", text);
        return true;
    }
    local->trouble = (enum pingo__executor_wire_trouble)kind;
    if (kind == PINGO__TROUBLE_PASSES) {
        pingo__executor_trouble_meet(local, text);
        return true;
    }
    pingo__executor_trouble_forget(local);
    if (kind != PINGO__TROUBLE_OVER && strcmp(local->way, text) != 0) {
        pingo__executor_say(&local->log, "the local supervisor makes way: %s", text);
        snprintf(local->way, sizeof local->way, "%s", text);
    }
    return true;
}

void pingo__executor_trouble_look(struct pingo__executor_local *local)
{
    int64_t now = pingo__world_monotonic_ms();
    if (local->is_pool && try_pool(local) == 0)
        pingo__executor_trouble_forget(local);
    if (!local->hindered_ms)
        return;
    if (!local->hindrance_told && now - local->hindered_ms >= SAY_MS) {
        pingo__executor_say(&local->log, "%s; it is tried again", local->failure.message);
        local->hindrance_told = true;
    }
    if (now - local->hindered_ms >= PATIENCE_MS) {
        local->failure_told = false;
        local->hindered_ms = 0;
    }
}

/* Of a process of another PID namespace it is not seen whether it is stopped, but that it does not answer. */
static bool is_mute(struct pingo__executor_local *local, bool is_seen)
{
    if (!is_seen)
        pingo__executor_link_prod(local);
    return (local->state == PINGO__LOCAL_GREETING || local->asked > 0) &&
           pingo__world_monotonic_ms() - local->asked_ms >= PATIENCE_MS;
}

bool pingo__executor_trouble_look_for_stop(struct pingo__executor_local *local)
{
    pid_t pid = !local->channel ? 0 : pingo__executor_place_peer(local->channel->fd);
    bool is_stopped = pid > 0 && pingo__process_is_stopped(pid);
    if (!is_stopped && !is_mute(local, pid > 0)) {
        if (local->stopped_told)
            local->failure.code = 0;
        local->stopped_told = false;
        return false;
    }
    char how[160] =
        "has not answered for ten seconds, as one in a container that is stopped: nothing "
        "new starts, and who waits for it waits on";
    if (is_stopped)
        snprintf(how, sizeof how,
                 "process %ld, is stopped: nothing new starts, and who waits for it waits on; "
                 "kill -CONT %ld lets it go on",
                 (long)pid, (long)pid);
    pingo__fail(&local->failure, PINGO_EEXECUTOR, "the local supervisor of %s, %s",
                local->store_dir, how);
    if (!local->stopped_told)
        pingo__executor_say(&local->log, "%s", local->failure.message);
    local->stopped_told = true;
    local->failure_told = true; /* not an error as long as there is nothing to ask it */
    return true;
}

bool pingo__executor_trouble_is_final(const struct pingo__executor_local *local)
{
    return local->state == PINGO__LOCAL_DOWN && local->failure.code != 0 &&
           (!local->hindered_ms || pingo__world_monotonic_ms() - local->hindered_ms >= ASK_MS);
}
