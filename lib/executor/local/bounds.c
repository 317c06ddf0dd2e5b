/* bounds.c - see wire.h. */
#include "executor/local/wire.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/mix.h"

static const char *const names[PINGO__BOUNDS_LIMITS] = {
    [RLIMIT_CPU] = "ulimit -t",      [RLIMIT_FSIZE] = "ulimit -f",
    [RLIMIT_DATA] = "ulimit -d",     [RLIMIT_STACK] = "ulimit -s",
    [RLIMIT_CORE] = "ulimit -c",     [RLIMIT_RSS] = "ulimit -m",
    [RLIMIT_NPROC] = "ulimit -u",    [RLIMIT_NOFILE] = "ulimit -n",
    [RLIMIT_MEMLOCK] = "ulimit -l",  [RLIMIT_AS] = "ulimit -v",
    [RLIMIT_LOCKS] = "ulimit -x",    [RLIMIT_SIGPENDING] = "ulimit -i",
    [RLIMIT_MSGQUEUE] = "ulimit -q", [RLIMIT_NICE] = "ulimit -e",
    [RLIMIT_RTPRIO] = "ulimit -r",   [RLIMIT_RTTIME] = "ulimit -R"};

/* Of the kernel's namespaces, not files of anybody. */
static bool is_of_kernel(const char *mount)
{
    static const char *const types[] = {"proc ", "sysfs ", "devpts ", "mqueue ", "cgroup"};
    const char *type = strstr(mount, " - ");
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strncmp(type + 3, types[i], strlen(types[i])) == 0)
            return true;
    return false;
}

/* A line is "ID PARENT DEVICE ROOT PLACE ...": a number of the last three. */
static uint64_t number_of_mount(const char *line)
{
    int from = 0, to = 0;
    uint64_t number = 0;
    sscanf(line, "%*s %*s %n%*s %*s %*s%n", &from, &to);
    for (int i = from; i < to; i++)
        number = pingo__mix(number ^ (unsigned char)line[i]);
    return number;
}

uint64_t pingo__executor_bounds_view(void)
{
    static const char *const places[] = {"/", "/proc/self/ns/user", "/proc/self/ns/net"};
    char line[8192];
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct stat st = {.st_ino = 0};
        stat(places[i], &st);
        number = pingo__mix(pingo__mix(number ^ st.st_dev) ^ st.st_ino);
    }
    FILE *file = fopen("/proc/self/mountinfo", "re");
    while (file && fgets(line, sizeof line, file))
        if (!is_of_kernel(line))
            number += number_of_mount(line);
    if (file)
        fclose(file);
    return number;
}

void pingo__executor_bounds_read(struct pingo__executor_bounds *b)
{
    memset(b, 0, sizeof *b);
    for (int i = 0; i < PINGO__BOUNDS_LIMITS; i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
            b->hard[i] = limit.rlim_max;
    }
    int nice_value = getpriority(PRIO_PROCESS, 0);
    b->nice = nice_value > 0 ? nice_value : 0; /* a supervisor asks for no more than 0 */
    b->view = pingo__executor_bounds_view();
}

void pingo__executor_bounds_put(struct pingo__buffer *out, const struct pingo__executor_bounds *b)
{
    for (int i = 0; i < PINGO__BOUNDS_LIMITS; i++)
        pingo__buffer_u64(out, b->hard[i]);
    pingo__buffer_u64(out, (uint64_t)b->nice);
    pingo__buffer_u64(out, b->view);
}

bool pingo__executor_bounds_get(struct pingo__buffer_reader *in, struct pingo__executor_bounds *b)
{
    for (int i = 0; i < PINGO__BOUNDS_LIMITS; i++)
        b->hard[i] = pingo__buffer_read_u64(in);
    b->nice = (int64_t)pingo__buffer_read_u64(in);
    b->view = pingo__buffer_read_u64(in);
    return !in->failed;
}

const char *pingo__executor_bounds_stricter(const struct pingo__executor_bounds *ours,
                                            const struct pingo__executor_bounds *theirs)
{
    for (int i = 0; i < PINGO__BOUNDS_LIMITS; i++)
        if (ours->hard[i] < theirs->hard[i])
            return names[i];
    return ours->nice > theirs->nice ? "nice" : NULL;
}
