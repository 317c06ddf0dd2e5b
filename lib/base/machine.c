/* machine.c - see machine.h.  A limit of a cgroup holds for all below it, so each directory
 * from this process's up to the root is asked. */
#include "base/machine.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"

#define ROOT "/sys/fs/cgroup"

static bool read_file(const char *directory, const char *name, char *text, size_t size)
{
    char path[PATH_MAX];
    return (size_t)snprintf(path, sizeof path, "%s/%s", directory, name) < sizeof path &&
           pingo__file_read(AT_FDCWD, path, text, size) > 0;
}

/* A line of /proc/self/cgroup is "ID:CONTROLLERS:/PATH"; v2 has no controllers there. */
static bool own_path(const char *controller, char *path, size_t size)
{
    char line[PATH_MAX];
    bool found = false;
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file)) {
        char *rest = line, *word;
        strsep(&rest, ":");
        char *list = strsep(&rest, ":");
        if (!rest)
            continue;
        while (!found && (word = strsep(&list, ",")))
            found = strcmp(word, controller) == 0;
        rest[strcspn(rest, "\n")] = '\0';
        if (found && (size_t)snprintf(path, size, "%s", rest) >= size)
            found = false;
    }
    fclose(file);
    return found;
}

int pingo__machine_cgroup(const char *controller, char *path, size_t size)
{
    char own[PATH_MAX], root[64], line[256];
    bool is_v1 = controller[0] != '\0', is = own_path(controller, own, sizeof own);
    snprintf(root, sizeof root, ROOT "%s%s", is_v1 ? "/" : "", controller);
    if (is && !is_v1 && !read_file(root, "cgroup.controllers", line, sizeof line)) {
        snprintf(root, sizeof root, ROOT "/unified"); /* beside those of v1 */
        is = read_file(root, "cgroup.controllers", line, sizeof line);
    }
    is = is && (size_t)snprintf(path, size, "%s%s", root, own) < size && access(path, F_OK) == 0;
    return is ? 0 : -1;
}

/* Calls limit for each directory from this process's cgroup up to the hierarchy's root; the
 * least of what it gives. */
static int64_t least(const char *controller, int64_t (*limit)(const char *directory))
{
    char path[PATH_MAX];
    int64_t result = INT64_MAX;
    if (pingo__machine_cgroup(controller, path, sizeof path) != 0)
        return result;
    while (strlen(path) > strlen(ROOT)) {
        int64_t here = limit(path);
        if (here < result)
            result = here;
        *strrchr(path, '/') = '\0';
    }
    return result;
}

static int64_t round_up(long long quota, long long period)
{
    return quota > 0 && period > 0 ? (quota + period - 1) / period : INT64_MAX;
}

static int64_t cpus_v2(const char *directory)
{
    char line[128];
    long long quota, period;
    if (!read_file(directory, "cpu.max", line, sizeof line) ||
        sscanf(line, "%lld %lld", &quota, &period) != 2)
        return INT64_MAX;
    return round_up(quota, period);
}

static int64_t cpus_v1(const char *directory)
{
    char quota[64], period[64];
    if (!read_file(directory, "cpu.cfs_quota_us", quota, sizeof quota) ||
        !read_file(directory, "cpu.cfs_period_us", period, sizeof period))
        return INT64_MAX;
    return round_up(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

static int64_t bytes_of(const char *directory, const char *name)
{
    char line[64], *end;
    if (!read_file(directory, name, line, sizeof line))
        return INT64_MAX;
    long long bytes = strtoll(line, &end, 10); /* "max" is no number */
    return end == line || bytes <= 0 ? INT64_MAX : bytes;
}

static int64_t memory_v2(const char *directory)
{
    return bytes_of(directory, "memory.max");
}

static int64_t memory_v1(const char *directory)
{
    return bytes_of(directory, "memory.limit_in_bytes");
}

static int64_t affinity(void)
{
    for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        if (!set)
            break;
        size_t size = CPU_ALLOC_SIZE((size_t)cpus);
        int got = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (got > 0)
            return got;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? online : 1;
}

static int64_t min3(int64_t a, int64_t b, int64_t c)
{
    int64_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

int64_t pingo__machine_slots(void)
{
    int64_t slots = min3(affinity(), least("", cpus_v2), least("cpu", cpus_v1));
    return slots > 0 ? slots : 1;
}

int64_t pingo__machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    int64_t all = pages > 0 && page > 0 ? (int64_t)pages * page : INT64_MAX;
    return min3(all, least("", memory_v2), least("memory", memory_v1));
}

void pingo__machine_host(char host[64])
{
    struct utsname system = {.nodename = ""};
    uname(&system);
    snprintf(host, 64, "%.63s", *system.nodename ? system.nodename : "unknown");
    for (char *c = host; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", *c))
            *c = '_';
}
