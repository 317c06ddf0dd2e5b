/* ended.h - ends of local attempts as they lie in the store's directory, for who only looks. */
#ifndef PINGO__EXECUTOR_ENDED_H
#define PINGO__EXECUTOR_ENDED_H

#include <pingo/executor.h>

/* Calls fn for each end of this boot that is still kept, in no order; none where nothing ever ran.
 * Errors: PINGO_EIO, PINGO_ENOMEM. */
int pingo__local_ends(const char *store_dir,
                      void (*fn)(void *context, const struct pingo_job_end *end), void *context,
                      struct pingo_error *err);

#endif
