/* room.c - see room.h. */
#include "base/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/thread.h"

#define MOST_DESCRIPTORS 64
#define MOST_THREADS 16

static int check_descriptors(size_t wanted, struct pingo_error *err)
{
    int fds[MOST_DESCRIPTORS], error = 0;
    size_t n = 0;
    struct rlimit limit = {0, 0};
    wanted = wanted < MOST_DESCRIPTORS ? wanted : MOST_DESCRIPTORS;
    while (n < wanted && (fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        n++;
    if (n < wanted)
        error = errno;
    size_t had = n;
    while (n > 0)
        close(fds[--n]);
    if (!error)
        return 0;
    if (error != EMFILE && error != ENFILE) /* as in a container without a /dev of its own */
        return pingo__fail_os(err, error, "opening", "/dev/null");
    getrlimit(RLIMIT_NOFILE, &limit);
    return pingo__fail(err, PINGO_EIO,
                       "%zu more file descriptors are needed and %zu can be had: %s (the limit, "
                       "ulimit -n, is %llu; at least %llu are wanted)",
                       wanted, had, strerror(error), (unsigned long long)limit.rlim_cur,
                       (unsigned long long)limit.rlim_cur + wanted - had);
}

/* Stays until it may go, so that all of them are there at once. */
static void *stay(void *may_go)
{
    pthread_mutex_lock(may_go);
    pthread_mutex_unlock(may_go);
    return NULL;
}

/* The system has one word for all of it; but a stack that cannot be had is memory. */
static bool lacks_memory(void)
{
    pthread_attr_t attributes;
    size_t size = 0;
    if (pthread_getattr_default_np(&attributes) != 0)
        return false;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    void *stack = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack != MAP_FAILED)
        munmap(stack, size);
    return stack == MAP_FAILED;
}

static int check_threads(size_t nthreads, struct pingo_error *err)
{
    pthread_mutex_t may_go = PTHREAD_MUTEX_INITIALIZER;
    size_t n = 0;
    int error = 0;
    nthreads = nthreads < MOST_THREADS ? nthreads : MOST_THREADS;
    pthread_mutex_lock(&may_go);
    pthread_t threads[MOST_THREADS];
    while (!error && n < nthreads) {
        error = pingo__thread_start(&threads[n], stay, &may_go);
        n += !error;
    }
    bool is_memory = error && lacks_memory();
    pthread_mutex_unlock(&may_go);
    while (n > 0)
        pthread_join(threads[--n], NULL);
    pthread_mutex_destroy(&may_go);
    if (!error)
        return 0;
    return pingo__fail(err, PINGO_EIO, "%zu threads cannot be started: %s (%s)", nthreads,
                       strerror(is_memory ? ENOMEM : error),
                       is_memory ? PINGO__ROOM_MEMORY : PINGO__ROOM_PROCESSES);
}

int pingo__room_check(size_t ndescriptors, size_t nthreads, struct pingo_error *err)
{
    int rc = check_descriptors(ndescriptors, err);
    return rc ? rc : check_threads(nthreads, err);
}
