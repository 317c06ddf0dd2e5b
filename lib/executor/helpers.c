/* helpers.c - for executors: where programs lie, and how long to wait. */
#include <pingo/executor.h>

#include "base/backoff.h"
#include "base/path.h"

char *pingo_executor_context_program(const struct pingo_executor_context *context, const char *name)
{
    return pingo__path_child(context->helper_dir ? context->helper_dir : PINGO_LIBEXECDIR, name);
}

int64_t pingo_backoff_next(struct pingo_backoff *backoff)
{
    return pingo__backoff_next(&backoff->next_ms, backoff->first_ms, backoff->most_ms);
}
