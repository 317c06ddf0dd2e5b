/* import.h - recorded runs of other workflow systems, made into histories.
 *
 * What was recorded is a set of runs; a history is an order of submissions.  The graphs, times
 * and sizes of such a history are real, what was submitted when and by whom is
 * arranged.  The rules are told in pingo-import(1).
 *
 * Equal work has equal hashes: the hash of a task is made of its program, its arguments, the names
 * and sizes of the files that no task makes, and of each parent the hash and the
 * names of the files taken from it.  Where tasks with equal hashes took unequal times
 * or made unequal bytes, the mean over all runs that were added counts.
 *
 * Nothing here reads files or keeps global state.  An import belongs to one thread at a time. */
#ifndef PINGO_IMPORT_H
#define PINGO_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include <pingo/error.h>
#include <pingo/history.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pingo_import; /* opaque: runs that were read */

/* An empty import.  *import: yours, pingo_import_free().  Errors: PINGO_ENOMEM. */
PINGO_API int pingo_import_new(struct pingo_import **import, struct pingo_error *err);
/* Frees the import.  NULL is fine. */
PINGO_API void pingo_import_free(struct pingo_import *import);

/* Adds the run that a WfFormat document (WfCommons), version 1.2 to 1.6, describes.  label: the
 * name of its file or what you like, UTF-8; the numbers in it are what a sweep goes by.
 * Nothing is added on failure.  Errors: PINGO_EINVAL (it is none; the message names line, column and JSON
 * pointer, and what would be right), PINGO_ELIMIT (more than 4 GiB, or than a history holds),
 * PINGO_ENOMEM.  Source: the schemas of github.com/wfcommons/WfFormat. */
PINGO_API int pingo_import_wfformat(struct pingo_import *import, const char *label,
                                    const char *text, size_t length, struct pingo_error *err);

struct pingo_import_facts {
    size_t size; /* set by you: sizeof; see <pingo/version.h> */
    uint32_t nruns;
    uint32_t napplications; /* runs with at least half of their programs in common are of one */
    uint64_t ntasks;        /* of all runs */
    uint64_t ndistinct;     /* hashes of them */
    uint64_t nunknown_times, nunknown_sizes; /* tasks without */
};
/* What was read up to now.  Errors: PINGO_ENOMEM. */
PINGO_API int pingo_import_look(struct pingo_import *import, struct pingo_import_facts *facts,
                                struct pingo_error *err);

/* How submissions are arranged. */
enum pingo_import_as {
    PINGO_IMPORT_GROWTH =
        1, /* the runs of each application from the smallest to the largest, then repeats */
    PINGO_IMPORT_SWEEP = 2,       /* by the numbers in their labels, as a grid is swept */
    PINGO_IMPORT_USERS = 3,       /* users who walk up and down the runs of an application */
    PINGO_IMPORT_CODE_CHANGE = 4, /* as growth, and now and then a program changes */
    PINGO_IMPORT_TARGETS = 5      /* only some results within a run are asked for */
};

struct pingo_import_options {
    unsigned version;        /* 1 */
    enum pingo_import_as as; /* 0: growth */
    uint64_t seed;
    uint32_t nsubmissions; /* up to 1,000,000; 0: four times the runs */
    uint32_t nusers;       /* of users, up to 100,000; 0: 8 */
    uint32_t every; /* of code-change: submissions from a change to the next; 0: as many as runs */
    uint32_t ntargets; /* of targets: at most so many a submission, up to 1,000; 0: 3 */
};

/* The most of each. */
#define PINGO_IMPORT_SUBMISSIONS_MAX 1000000
#define PINGO_IMPORT_USERS_MAX 100000
#define PINGO_IMPORT_TARGETS_MAX 1000

/* Makes a history of what was read.  The same runs, in whatever order they were added, and the same options
 * give the same history on every machine.  Submissions are an hour apart from 2020 on; what became of an
 * action is not known, and leaves are the tasks without a child (of targets: the targets, and only
 * what leads to them is in the submission).  options: may be NULL.  *history: yours,
 * pingo_history_free().  Errors: PINGO_EINVAL (an option; no run was added), PINGO_ELIMIT (more than
 * a history holds), PINGO_ENOMEM. */
PINGO_API int pingo_import_arrange(struct pingo_import *import,
                                   const struct pingo_import_options *options,
                                   struct pingo_history **history, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
