/* links.h - in/NAME: the links, and the copies of small originals, by which a command finds its inputs.
 *
 * Making and removing a link takes an inode each time, which some file systems
 * are slow at.  So the directory of links is kept aside between jobs, and what
 * the next one wants alike stays. */
#ifndef PINGO__RUNNER_LINKS_H
#define PINGO__RUNNER_LINKS_H

#include "runner/orders.h"
#include "runner/scratch.h"
#include "runner/record/job.h"

/* Makes work/in with the job's links, if it has any.  0, -EINVAL for a name that is none, -ESTALE for an
 * original that has not the content which it should have, or another negative errno; *at (may be
 * NULL afterwards): which link it was. */
int pingo__runner_links_make(const struct pingo__runner_scratch *scratch,
                             const struct pingo__runner_job *job, const struct pingo_job_link **at);
/* Nobody of the job runs any more: are the directories behind the links as the job says that they were published?
 * false as well where it was told to stop looking. */
bool pingo__runner_links_are_same(const struct pingo__runner_job *job,
                                  struct pingo__runner_orders *orders);
/* Keeps work/in of a job that succeeded for the next one. */
void pingo__runner_links_keep(const struct pingo__runner_scratch *scratch,
                              const struct pingo__runner_job *job);
/* Removes what is kept. */
void pingo__runner_links_clear(const struct pingo__runner_scratch *scratch);

#endif
