/* local_none.c - stands for the local executor in builds WITHOUT="local".
 *
 * Compiled in such builds alone, so that programs link either way and can ask. */
#include <pingo/executor.h>

#include "executor/ended.h"

const struct pingo_executor_type *pingo_executor_local(void)
{
    return NULL;
}

int pingo__local_ends(const char *store_dir,
                      void (*fn)(void *context, const struct pingo_job_end *end), void *context,
                      struct pingo_error *err)
{
    (void)store_dir;
    (void)fn;
    (void)context;
    (void)err;
    return 0;
}
