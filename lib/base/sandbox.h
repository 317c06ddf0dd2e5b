/* sandbox.h - what a confined command may touch, by Landlock.
 *
 * A ruleset is made before the command is started, and entered between vfork and exec by two
 * system calls.  Whoever enters can read the system's places and what was allowed, write what was
 * allowed, and nothing else, root or not; so can all that it starts.  What Landlock does not know
 * stays free: stat, chdir, connecting to sockets, changing modes, owners and times.
 * Rules hold for files and not for names: a link is followed when a rule is made. */
#ifndef PINGO__BASE_SANDBOX_H
#define PINGO__BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pingo__sandbox_right {
    PINGO__SANDBOX_READ,  /* read, list and execute; a device may be written too */
    PINGO__SANDBOX_WRITE, /* everything */
    PINGO__SANDBOX_LOG    /* of a file: read, write, truncate */
};

/* The places of the system, as every confined command may read them.  Ends with NULL. */
extern const char *const pingo__sandbox_places[];
#define PINGO__SANDBOX_PLACES_MAX 32

/* The version of the kernel's Landlock; 0: it has none, or does not let us. */
int pingo__sandbox_abi(void);
/* The rights that a Landlock of this version knows, of those that are asked for. */
uint64_t pingo__sandbox_rights(enum pingo__sandbox_right right, int abi);

struct pingo__sandbox {
    int abi; /* 0: nothing can be confined here */
    struct {
        int fd;
        uint64_t rights;
    } places[PINGO__SANDBOX_PLACES_MAX]; /* open, so that a ruleset costs little */
    size_t nplaces;
    int64_t opened_ms; /* monotonic; 0: not open.  They are opened again now and then, for mounts that came */
};
void pingo__sandbox_clear(struct pingo__sandbox *sandbox);

/* Are the places as they were at the last begin?  If not, what was made with them is old. */
bool pingo__sandbox_is_fresh(const struct pingo__sandbox *sandbox);
/* A new ruleset that allows the system's places: a descriptor, or a negative errno (-EOPNOTSUPP where
 * abi is 0).  Close it. */
int pingo__sandbox_begin(struct pingo__sandbox *sandbox);
/* 0 or a negative errno; of a path that is not there, -ENOENT. */
int pingo__sandbox_allow(const struct pingo__sandbox *sandbox, int ruleset, const char *path,
                         enum pingo__sandbox_right right);
int pingo__sandbox_allow_open(const struct pingo__sandbox *sandbox, int ruleset, int fd,
                              enum pingo__sandbox_right right);
/* Confines this process for good; for the child of a vfork too.  0 or an errno. */
int pingo__sandbox_enter(int ruleset);
/* This thread and what it starts can from now on read what they could, and write below a directory and some
 * devices alone.  0, also where the kernel has no Landlock, or an errno. */
int pingo__sandbox_enter_read_only(const char *writable);

#endif
