/* memory.h - an allocation that fails, in the program that includes this: what an engine may say of it. */
#ifndef TEST_ENGINE_MEMORY_H
#define TEST_ENGINE_MEMORY_H

#include <pingo/error.h>

#include "digest/sha256.h"
#include "unit/memory.h"

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
    return pingo__digest_sha256("", 0, &hash);
}

#endif
