/* wfformat_names.h - names of files and arguments without what differs from run to run.
 *
 * Nextflow puts the directory where a task ran, "/b6/e95c72d7ef9da13b7641118999df15", into the
 * names of files.  Some Pegasus workflows (soykb) put the time of the run before the names
 * of all that they make, "20200407-225740-".  Both are taken out, so that equal work
 * has equal names. */
#ifndef PINGO__LAB_WFFORMAT_NAMES_H
#define PINGO__LAB_WFFORMAT_NAMES_H

#include "lab/traces/wfformat_read.h"

#define PINGO__WF_STAMP 16 /* bytes of a time of a run */

struct pingo__lab_wf_names {
    bool has_work_directories;
    char stamp[PINGO__WF_STAMP + 1]; /* ""; or the one that all stamped outputs of the run have */
};

static inline bool pingo__lab_wf_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void pingo__lab_wf_names_init(struct pingo__lab_wf_names *names,
                              const struct pingo__lab_wf_document *d);
/* The text without them: itself, or a copy in the arena.  NULL: no memory. */
const char *pingo__lab_wf_plain(const struct pingo__lab_wf_names *names, struct pingo__arena *arena,
                                const char *text);
/* How long the name of a task is without "_ID0000001" at its end. */
size_t pingo__lab_wf_stem(const char *name);

#endif
