/* exit.h - the exit statuses of pingo, in one place.
 *
 * pingo(1) tells them all, each command's page the ones that it can end with.  Numbers keep their meaning within a
 * major version. */
#ifndef CLI_EXIT_H
#define CLI_EXIT_H

enum cli_exit {
    CLI_OK = 0,        /* all well */
    CLI_FAILED = 1,    /* a workflow or a check failed */
    CLI_USAGE = 2,     /* wrong usage */
    CLI_INVALID = 3,   /* the workflow breaks a rule */
    CLI_NOSTORE = 4,   /* no store, or one that cannot be used */
    CLI_NOTFOUND = 5,  /* not found, ambiguous, or in the wrong state */
    CLI_BUSY = 6,      /* the store's lock was not had in time */
    CLI_NOSPACE = 7,   /* the disk is full and nothing can go */
    CLI_INPUT = 8,     /* an original dataset is missing or unreadable */
    CLI_INTERNAL = 9,  /* out of memory, refused by the operating system, damaged */
    CLI_HELPER = 10,   /* a program that this needs is not installed */
    CLI_UNDRIVEN = 11, /* a workflow is unfinished, and nobody goes on with it */
    CLI_INTERRUPTED = 130
};

#endif
