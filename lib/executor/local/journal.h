/* journal.h - the ends of attempts, as workers leave them for the schedulers.
 *
 * STORE/executor/journal.BOOTID.START.PID.HOST.SERIAL holds records of one size, each
 * appended in a single write and checksummed, so that an end is there whole or
 * not at all.  Readers skip what is torn.  A journal of another boot is void.
 * Nothing here is synced: a power loss ends attempts without a record. */
#ifndef PINGO__LOCAL_JOURNAL_H
#define PINGO__LOCAL_JOURNAL_H

#include <limits.h>

#include "runner/record/job.h"

#define PINGO__JOURNAL_BOOT_SIZE 37

typedef void (*pingo__executor_end_fn)(void *context, const struct pingo_job_end *end);

/* Appends in one write to a descriptor opened with O_APPEND.  0 or a negative errno. */
int pingo__executor_journal_append(int fd, const struct pingo_job_end *end);
/* The same of an end that is no command's, and is now. */
int pingo__executor_journal_say(int fd, struct pingo_job_key key, enum pingo_end_reason reason,
                                const char *message);

/* The boot id, 36 characters.  0 or a negative errno. */
int pingo__executor_journal_boot_id(char boot[PINGO__JOURNAL_BOOT_SIZE]);
/* Is name "PREFIX.BOOT...", of this boot or of any (boot NULL)? */
bool pingo__executor_journal_is(const char *name, const char *prefix, const char *boot);

struct pingo__executor_journal_file {
    char name[NAME_MAX + 1];
    char node[64]; /* on which machine they ended; "": a supervisor of an earlier version does not say */
    int fd;
    int64_t offset; /* all before it was read */
    int64_t marked; /* for the owner of the journals: an earlier offset */
    bool is_seen;
};

/* All journals of this boot, each read on from where it was left. */
struct pingo__executor_journals {
    int dir; /* borrowed */
    char boot[PINGO__JOURNAL_BOOT_SIZE];
    struct pingo__executor_journal_file **files;
    size_t nfiles, capacity;
};

/* 0 or a negative errno: no boot is known. */
int pingo__executor_journals_init(struct pingo__executor_journals *journals, int dir);
void pingo__executor_journals_clear(struct pingo__executor_journals *journals);
/* Finds new ones, forgets those that are gone.  0, PINGO_ENOMEM or PINGO_EIO. */
int pingo__executor_journals_rescan(struct pingo__executor_journals *journals);
/* Calls fn for each new record.  0, or PINGO_EIO. */
int pingo__executor_journals_read(struct pingo__executor_journals *journals,
                                  pingo__executor_end_fn fn, void *context);
/* Goes to the end of all that are known, without reading. */
void pingo__executor_journals_skip(struct pingo__executor_journals *journals);
/* Calls fn for each record of one journal, from its start.  0 or PINGO_EIO. */
int pingo__executor_journal_scan(int dir, const char *name, pingo__executor_end_fn fn,
                                 void *context);
/* The same of all journals of this boot. */
int pingo__executor_journals_scan(int dir, pingo__executor_end_fn fn, void *context);
/* Is the end of this job in one of them? */
int pingo__executor_journals_find(int dir, struct pingo_job_key key, bool *found);

#endif
