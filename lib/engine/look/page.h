/* page.h - lists in pages: a cursor names the last row that was told, by the values that the list is ordered by.
 *
 * What comes or goes meanwhile moves no other row: each row that is there all the time is told once. */
#ifndef PINGO__ENGINE_PAGE_H
#define PINGO__ENGINE_PAGE_H

#include <pingo/dataset.h>

#include "base/arena.h"

enum { PINGO__PAGE_KEYS = 4, PINGO__PAGE_ROWS = 256 }; /* so many rows are read at a time */

struct pingo__engine_page {
    const char *list; /* a letter or two: a cursor of another list, or order, is refused */
    size_t limit;     /* 0: none */
    const char *after;
    char *next;
    bool begun; /* `after` was read: at is where it was */
    size_t told;
    int64_t at[PINGO__PAGE_KEYS]; /* of the last row that was told */
    struct pingo__arena arena;    /* of the rows that were read last */
    size_t n;                     /* how many they are */
    bool more;                    /* there is one that the page has no room for */
};

/* rc, where it is not 0: of what was done so far; then nothing more is. */
/* The first four are set.  Errors: PINGO_EINVAL: `after` is no cursor of this list. */
int pingo__engine_page_begin(struct pingo__engine_page *p, int rc, struct pingo_error *err);
/* Are there more rows to read, behind `at`? */
bool pingo__engine_page_goes_on(struct pingo__engine_page *p, int rc);
/* Is there a row i among the n that were read, and room for it?  Then it counts as told. */
bool pingo__engine_page_takes(struct pingo__engine_page *p, int rc, size_t i, size_t n);
/* rc: of the list.  Returns it. */
int pingo__engine_page_end(struct pingo__engine_page *p, int rc);

#endif
