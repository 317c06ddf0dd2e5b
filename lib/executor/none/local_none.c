/* local_none.c - stands for the local executor in builds WITHOUT="local".
 *
 * Compiled in such builds alone, so that programs link either way and can ask. */
#include <pingo/executor.h>

const struct pingo_executor_type *pingo_executor_local(void)
{
    return NULL;
}
