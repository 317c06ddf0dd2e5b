/* memory.h - an allocation that fails, in the program that includes this: what an engine may say of it. */
#ifndef TEST_ENGINE_MEMORY_H
#define TEST_ENGINE_MEMORY_H

#include <pingo/error.h>

#include "unit/memory.h"

/* SQLite's I/O errors may stand for memory that it could not have. */
static inline bool may_return(int rc)
{
    return rc == PINGO_ENOMEM || rc == PINGO_EIO;
}

#endif
