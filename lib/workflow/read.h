/* read.h - from JSON values to what a program would say with C structures. */
#ifndef PINGO__WORKFLOW_READ_H
#define PINGO__WORKFLOW_READ_H

#include "workflow/draft.h"

/* Each reads a value of one kind, and reports any other to r under this pointer. */

/* Borrowed from the value; pingo__workflow_reported where it is no string. */
const char *pingo__workflow_read_text(struct pingo_problem_sink *r,
                                      const struct pingo__json_value *v, const char *pointer);
/* Borrowed; the list is in the scratch arena.  NULL where it is no array; wrong elements are
 * pingo__workflow_reported. */
const char *const *pingo__workflow_read_texts(struct pingo_problem_sink *r,
                                              const struct pingo__json_value *v,
                                              const char *pointer, size_t *n);
/* n1,v1,n2,v2,...; *n strings.  Otherwise as texts. */
const char *const *pingo__workflow_read_pairs(struct pingo_problem_sink *r,
                                              const struct pingo__json_value *v,
                                              const char *pointer, size_t *n);
/* The text of an object of options, in the scratch arena; pingo__workflow_reported where it is none. */
const char *pingo__workflow_read_options(struct pingo_problem_sink *r,
                                         const struct pingo__json_value *v);
bool pingo__workflow_read_flag(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                               const char *pointer, bool fallback);
/* From min to max, else reported and fallback. */
struct pingo__workflow_range {
    int64_t min, max, fallback;
    bool takes_meant; /* in place of fallback what was meant, where that is plain: an id that is spelled
                         wrongly is known to those who name it */
};
int64_t pingo__workflow_read_integer(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                                     const char *pointer, const struct pingo__workflow_range *range);
/* Is v of this kind?  Else reported: "KEY" must be WORDS. */
bool pingo__workflow_read_is(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                             const char *pointer, enum pingo__json_kind kind, const char *words);
/* A key of a type, or one alike: fills in values and kind, which is PINGO__REPORTED_KIND before and where the value is
 * wrong. */
void pingo__workflow_read_field(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                                const struct pingo_key *key, struct pingo_field *field);
/* How many elements or members. */
size_t pingo__workflow_read_count(const struct pingo__json_value *v);
/* A key for annotations? */
bool pingo__workflow_is_free_key(const char *key);

/* The next action of the text, which begins at offset: reads it and adds it to the draft. */
void pingo__workflow_read_action(struct pingo__workflow_draft *d, size_t offset);

#endif
