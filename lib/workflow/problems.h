/* problems.h - collecting what is wrong with a workflow. */
#ifndef PINGO__WORKFLOW_PROBLEMS_H
#define PINGO__WORKFLOW_PROBLEMS_H

#include <stdarg.h>

#include <pingo/workflow.h>

#include "base/arena.h"
#include "base/map.h"
#include "json/document.h"

/* So many errors are told, and so many warnings: more than anybody reads, and few enough for a server that has many
 * such texts at once. */
#define PINGO__PROBLEMS_MAX 1000

struct pingo__workflow_noted {
    struct pingo_problem problem;
    size_t place;  /* by which problems are sorted: offset in the text, or number of the action */
    size_t number; /* then by the order in which they were noted */
};

struct pingo_problems {
    struct pingo__arena arena;
    struct pingo__workflow_noted *items;
    size_t count, capacity;
    struct pingo__map warnings; /* from the message to the place in items */
    size_t nerrors, nwarnings;  /* all that were met; of warnings that are not equal */
    struct pingo_problem more[2]; /* what stands for the warnings, and for the errors, that are not told */
};

/* Are as many of them told as may be?  Then this one was counted, and that was all. */
bool pingo__workflow_problems_are_enough(struct pingo_problems *p, enum pingo_severity severity);
/* Notes a problem with its place: its pointer and the formatted message are copied, control characters in
 * the message become blanks.  is_warning: an equal one before is counted once more instead, also where
 * warnings are errors.  false: no memory. */
bool pingo__workflow_problems_note(struct pingo_problems *p,
                                   const struct pingo__workflow_noted *problem, bool is_warning,
                                   const char *format, va_list args);
/* Into the order of the text, and each gets its line and column.  text: NULL where there is none. */
void pingo__workflow_problems_sort(struct pingo_problems *p,
                                   const struct pingo__json_document *text);
/* Fills err with the first error: "LINE:COLUMN: POINTER: message (and N more)".  PINGO_EWORKFLOW. */
int pingo__workflow_problems_fail(const struct pingo_problems *p, struct pingo_error *err);

#endif
