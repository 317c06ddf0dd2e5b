/* memory.h - an allocation that fails: malloc, calloc and realloc are interposed in the program that includes this, so
 * that the calls of the library come by here. */
#ifndef TEST_MEMORY_H
#define TEST_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "unit/share.h"

/* How many allocations still succeed; negative: all of them. */
static long left = -1;
static bool for_good; /* after the failure the others fail as well */
static bool has_failed;

/* The functions that are hidden by those here: the sanitizer's, or the C library's. */
#if IS_SLOW
#define HIDDEN(name) __interceptor_##name
#else
#define HIDDEN(name) __libc_##name
#endif

/* The sanitizer cannot start a thread without memory, so there only the one that armed goes without. */
static _Thread_local bool has_armed;

static inline bool may_allocate(void)
{
    if (left < 0 || (IS_SLOW && !has_armed))
        return true;
    if (left == 0) {
        has_failed = true;
        if (!for_good)
            left = -1;
        errno = ENOMEM; /* the C library itself looks at it */
        return false;
    }
    left--;
    return true;
}

extern void *HIDDEN(malloc)(size_t size);
extern void *HIDDEN(calloc)(size_t n, size_t size);
extern void *HIDDEN(realloc)(void *old, size_t size);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size)
{
    return may_allocate() ? HIDDEN(malloc)(size) : NULL;
}

EXPORTED void *calloc(size_t n, size_t size)
{
    return may_allocate() ? HIDDEN(calloc)(n, size) : NULL;
}

EXPORTED void *realloc(void *old, size_t size)
{
    return may_allocate() ? HIDDEN(realloc)(old, size) : NULL;
}

/* n allocations succeed, and the next one fails. */
static inline void arm(long n)
{
    has_armed = true;
    has_failed = false;
    left = n;
}

/* All succeed again.  Has one failed? */
static inline bool disarm(void)
{
    left = -1;
    return has_failed;
}

#endif
