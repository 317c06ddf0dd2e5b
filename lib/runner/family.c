/* family.c - see runner.h.  The kernel's lists of children may miss one while others end, so a caller that must be sure
 * asks again until wait(2) finds no child. */
#include "runner/runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/process.h"

void pingo__runner_family_clear(struct pingo__runner_family *family)
{
    free(family->pids);
    memset(family, 0, sizeof *family);
}

static bool is_among(pid_t pid, const pid_t *pids, size_t n)
{
    return lfind(&pid, pids, &n, sizeof pid, pingo__array_by_number);
}

static bool add(struct pingo__runner_family *family, pid_t pid, const pid_t *spared, size_t nspared)
{
    if (is_among(pid, spared, nspared))
        return true;
    if (!PINGO__ARRAY_ROOM(family->pids, family->capacity, family->n, 1))
        return false;
    family->pids[family->n++] = pid;
    return true;
}

/* "12 13 14 " */
static bool add_children(struct pingo__runner_family *family, const char *path, const pid_t *spared,
                         size_t nspared)
{
    FILE *file = fopen(path, "re");
    long pid;
    bool fine = true;
    if (!file)
        return false;
    while (fine && fscanf(file, "%ld", &pid) == 1)
        fine = add(family, (pid_t)pid, spared, nspared);
    fclose(file);
    return fine;
}

static bool add_children_of(struct pingo__runner_family *family, pid_t pid, const pid_t *spared,
                            size_t nspared)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *tasks = opendir(path);
    const char *name;
    bool fine = true;
    if (!tasks)
        return errno == ENOENT; /* it ended */
    while (fine && (name = pingo__file_next(tasks))) {
        snprintf(path, sizeof path, "/proc/%ld/task/%.20s/children", (long)pid, name);
        if (!add_children(family, path, spared, nspared))
            fine = access(path, F_OK) != 0;
    }
    fine = fine && (errno == 0 || errno == ENOENT);
    closedir(tasks);
    return fine;
}

/* For a kernel without lists of children: who of all processes has his parent among them, until nobody more has. */
static bool find_among_all(struct pingo__runner_family *family, pid_t root, const pid_t *spared,
                           size_t nspared)
{
    DIR *proc = opendir("/proc");
    const char *name;
    size_t before = family->n;
    bool fine = proc;
    while (fine && (name = pingo__file_next(proc))) {
        struct pingo__process_state state;
        pid_t pid = (pid_t)strtol(name, NULL, 10), parent;
        if (!pid || is_among(pid, family->pids, family->n) || !pingo__process_look(pid, &state))
            continue;
        parent = (pid_t)state.parent;
        if (parent == root || is_among(parent, family->pids, family->n))
            fine = add(family, pid, spared, nspared);
    }
    fine = fine && errno == 0;
    pingo__file_end_list(proc);
    return fine && (family->n == before || find_among_all(family, root, spared, nspared));
}

bool pingo__runner_family_find(struct pingo__runner_family *family, const pid_t *spared,
                               size_t nspared)
{
    pid_t root = getpid();
    char path[64];
    family->n = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)root, (long)root);
    if (access(path, F_OK) != 0)
        return find_among_all(family, root, spared, nspared);
    bool fine = add_children_of(family, root, spared, nspared);
    for (size_t at = 0; fine && at < family->n; at++)
        fine = add_children_of(family, family->pids[at], spared, nspared);
    return fine;
}

void pingo__runner_family_kill(const struct pingo__runner_family *family)
{
    for (size_t i = 0; i < family->n; i++)
        kill(family->pids[i], SIGKILL);
}

int64_t pingo__runner_family_resident(const struct pingo__runner_family *family)
{
    char path[64], text[256];
    long long pages, sum = 0;
    for (size_t i = 0; i < family->n; i++) {
        snprintf(path, sizeof path, "/proc/%ld/statm", (long)family->pids[i]);
        if (pingo__file_read(AT_FDCWD, path, text, sizeof text) > 0 &&
            sscanf(text, "%*d %lld", &pages) == 1)
            sum += pages;
    }
    return sum * sysconf(_SC_PAGE_SIZE);
}

int64_t pingo__runner_family_proportional(const struct pingo__runner_family *family)
{
    char path[64], text[4096];
    long long kib;
    int64_t sum = -1;
    for (size_t i = 0; i < family->n; i++) {
        snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", (long)family->pids[i]);
        if (pingo__file_read(AT_FDCWD, path, text, sizeof text) <= 0)
            continue;
        const char *line = strstr(text, "\nPss:");
        if (line && sscanf(line, " Pss: %lld", &kib) == 1)
            sum = (sum < 0 ? 0 : sum) + kib * 1024;
    }
    return sum;
}
