/* read.h - from JSON values to what a program would say with C structures. */
#ifndef PINGO__WORKFLOW_READ_H
#define PINGO__WORKFLOW_READ_H

#include "workflow/draft.h"

struct pingo__read {
    struct pingo__draft *draft;
    struct pingo_problem_sink sink;
};

/* Each reads a value of one kind, and reports any other under this pointer. */

/* Borrowed from the value; pingo__reported where it is no string. */
const char *pingo__read_text(struct pingo__read *r, const struct pingo__json_value *v,
                             const char *pointer);
/* Borrowed; the list is in the scratch arena.  NULL where it is no array; wrong elements are
 * pingo__reported. */
const char *const *pingo__read_texts(struct pingo__read *r, const struct pingo__json_value *v,
                                     const char *pointer, size_t *n);
/* n1,v1,n2,v2,...; *n strings.  Otherwise as texts. */
const char *const *pingo__read_pairs(struct pingo__read *r, const struct pingo__json_value *v,
                                     const char *pointer, size_t *n);
/* executorOptions as JSON text, in the scratch arena; pingo__reported where it is no object. */
const char *pingo__read_options(struct pingo__read *r, const struct pingo__json_value *v,
                                const char *pointer);
bool pingo__read_flag(struct pingo__read *r, const struct pingo__json_value *v, const char *pointer,
                      bool fallback);
/* From min to max, else reported and fallback. */
struct pingo__range {
    int64_t min, max, fallback;
    bool takes_meant; /* in place of fallback what was meant, where that is plain: an id that is spelled
                         wrongly is known to those who name it */
};
int64_t pingo__read_integer(struct pingo__read *r, const struct pingo__json_value *v,
                            const char *pointer, const struct pingo__range *range);
/* Is v of this kind?  Else reported: "KEY" must be WORDS. */
bool pingo__read_is(struct pingo__read *r, const struct pingo__json_value *v, const char *pointer,
                    enum pingo__json_kind kind, const char *words);
/* How many elements or members. */
size_t pingo__read_count(const struct pingo__json_value *v);
/* A key for annotations? */
bool pingo__is_free_key(const char *key);

/* The next action of the text, which begins at offset: reads it and adds it to the draft. */
void pingo__read_action(struct pingo__draft *d, size_t offset);

#endif
