/* jobs.h - what this scheduler had before it met Pingo: its job table and its slots. */
#ifndef JOBS_H
#define JOBS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <pingo.h>
#include <pingo/executor.h>

#define SLOTS 2
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A job as this scheduler knows it: its command writes to $1 and reads its parents' outputs, $2 and $3. */
struct job {
    int64_t id;
    const char *name, *command;
    struct pingo_parent_spec parents[2];
    size_t nparents;
};

static const struct job harvest[] = {
    {1, "fruit", "printf 'pear\\napple\\nfig\\n' >\"$1\"", {{0, NULL}}, 0},
    {2, "nuts", "printf 'walnut\\nhazel\\n' >\"$1\"", {{0, NULL}}, 0},
    {3, "basket", "sort \"$2\" \"$3\" >\"$1\"", {{1, "a"}, {2, "b"}}, 2},
};
static const struct job siesta[] = {{1, "siesta", "exec sleep 60", {{0, NULL}}, 0}};

/* A place for one running child. */
struct slot {
    pid_t pid; /* 0: free */
    struct pingo_job_key key;
    int64_t started_ms;
    bool killed; /* Pingo asked for it */
    char name[64];
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

#endif
