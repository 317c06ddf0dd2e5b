/* copies.h - a small original is copied into in/, so that a script never resolves to the folder that
 * it came from, and so that what is read is what was hashed. */
#ifndef PINGO__RUNNER_COPIES_H
#define PINGO__RUNNER_COPIES_H

#include <pingo/executor.h>

/* Puts a copy of link->target, as it is now, to dir/name, unless it is no regular file or too
 * large.  A copy that is there already and equal stays; anything else there is removed first.
 * 0, and *copied: it is there; false: this wants a link.  -ESTALE: its content is not link->content, or
 * it changed meanwhile; or another negative errno. */
int pingo__runner_copies_put(int dir, const char *name, const struct pingo_job_link *link,
                             bool *copied);

#endif
