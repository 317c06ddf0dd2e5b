/* links.h - in/NAME: the links by which a command finds its inputs.
 *
 * Making and removing a link takes an inode each time, which some file systems
 * are slow at.  So the directory of links is kept aside between jobs, and what
 * the next one wants alike stays. */
#ifndef PINGO__SUPERVISOR_LINKS_H
#define PINGO__SUPERVISOR_LINKS_H

#include "executor/local/supervisor/scratch.h"
#include "executor/local/wire.h"

/* Makes work/in with the job's links, if it has any.  0, -EINVAL for a name that is not plain, or
 * another negative errno. */
int pingo__links_make(const struct pingo__scratch *scratch, const struct pingo__wire_job *job);
/* Keeps work/in of a job that succeeded for the next one. */
void pingo__links_keep(const struct pingo__scratch *scratch, const struct pingo__wire_job *job);
/* Removes what is kept. */
void pingo__links_clear(const struct pingo__scratch *scratch);

#endif
