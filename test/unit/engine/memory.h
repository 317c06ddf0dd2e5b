/* memory.h - an allocation that fails: malloc, calloc and realloc are interposed in the program that includes this. */
#ifndef TEST_ENGINE_MEMORY_H
#define TEST_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include <pingo/error.h>

#include "digest/sha256.h"
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

static _Thread_local bool is_main;

/* The sanitizer cannot start a thread without memory, so there only this one goes without. */
static inline bool may_allocate(void)
{
    if (left < 0 || (IS_SLOW && !is_main))
        return true;
    if (left == 0) {
        has_failed = true;
        if (!for_good)
            left = -1;
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

static inline void arm(long n)
{
    has_failed = false;
    left = n;
}

static inline bool disarm(void)
{
    left = -1;
    return has_failed;
}

/* SQLite's I/O errors may stand for memory that it could not have. */
static inline bool may_return(int rc)
{
    return rc == PINGO_ENOMEM || rc == PINGO_EIO;
}

/* The cryptographic library cannot be woken without memory; that is not ours to mend. */
static inline int wake_libcrypto(void **state)
{
    struct pingo_hash hash;

    (void)state;
    is_main = true;
    return pingo__digest_sha256("", 0, &hash);
}

#endif
