/* links.c - see links.h. */
#include "digest/links.h"

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
                 !is_below_any(path, not_system) && !pingo__path_is_below(path, pool) &&
                 !is_of_process(path);
    free(path);
    return found;
}

bool pingo__digest_link_leads_out(const char *target, size_t levels_below, const char *pool)
{
    if (target[0] == '/')
        return !pool || !is_system(target, pool);
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
