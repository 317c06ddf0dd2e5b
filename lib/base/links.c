/* links.c - see links.h. */
#include "base/links.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/sandbox.h"

/* Of the system besides the places that a confined command can read. */
static const char *const other_places[] = {"/dev", "/run/lock", "/nix", "/gnu", NULL};
/* Below those, but anybody's. */
static const char *const not_system[] = {"/dev/shm", "/dev/mqueue", NULL};

static bool is_below_any(const char *path, const char *const *directories)
{
    for (size_t i = 0; directories[i]; i++)
        if (pingo__path_is_below(path, directories[i]))
            return true;
    return false;
}

/* Through what the kernel shows of a process any directory is reached: /proc/self/root/home/me. */
static bool is_of_process(const char *path)
{
    if (!pingo__path_is_below(path, "/proc"))
        return false;
    for (const char *at = path; (at = strchr(at, '/')); at++) {
        size_t n = strcspn(at + 1, "/");
        if ((n == 4 && strncmp(at + 1, "root", n) == 0) ||
            (n == 3 && strncmp(at + 1, "cwd", n) == 0))
            return true;
    }
    return false;
}

static bool is_system(const char *target, const char *pool)
{
    char *path = pingo__path_join(NULL, target);
    if (!path)
        return false;
    bool found = (is_below_any(path, pingo__sandbox_places) || is_below_any(path, other_places) ||
                  strcmp(path, "/run") == 0) &&
                 !is_below_any(path, not_system) && !(*pool && pingo__path_is_below(path, pool)) &&
                 !is_of_process(path);
    free(path);
    return found;
}

/* By its text alone. */
static bool goes_out(const char *target, size_t levels_below)
{
    while (*target != '\0') {
        size_t n = strcspn(target, "/");
        if (n == 2 && target[0] == '.' && target[1] == '.') {
            if (levels_below == 0)
                return true;
            levels_below--;
        } else if (n > 1 || (n == 1 && target[0] != '.')) {
            levels_below++;
        }
        target += n;
        target += strspn(target, "/");
    }
    return false;
}

/* Does the path go up from what is itself a link?  Its text alone does not tell where that leads: with
 * "loop" a link to ".", "loop/.." is outside. */
static bool turns_at_link(const struct pingo__world *world, int dir, char *target)
{
    char *last = NULL;
    for (char *at = target; (at = strstr(at, "/..")); at += 3)
        if (at[3] == '/' || at[3] == '\0')
            last = at;
    if (!last)
        return false;
    char ignored[1];
    for (char *at = target; at <= last; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        bool found = world->readlink(world->context, dir, target, ignored, sizeof ignored) >= 0;
        *at = '/';
        if (found)
            return true;
    }
    return false;
}

bool pingo__links_lead_out(const struct pingo__links_place *place, char *target)
{
    if (target[0] == '/')
        return !place->pool || !is_system(target, place->pool);
    return goes_out(target, place->levels_below) || turns_at_link(place->world, place->dir, target);
}
