/* reader.h - a document read member by member, with the place of what is wrong.
 *
 * What always holds: the first failure stays, PINGO_EINVAL with "line L, column C: POINTER: ..." or
 * PINGO_ENOMEM; from then on nothing is found, so that one may read on and look at it in the end.
 * Keys that nobody asks for are not looked at. */
#ifndef PINGO__JSON_READER_H
#define PINGO__JSON_READER_H

#include <pingo/error.h>

#include "json/value.h"

struct pingo__json_reader {
    struct pingo__json_document document;
    struct pingo__json_element element; /* the value that is open */
    char pointer[48];                   /* of it */
    const char *what;                   /* the document is: "a scenario" */
    struct pingo_error *err;
    int rc;
};

/* Opens a text whose outermost value is an object.  Clear it in each case. */
int pingo__json_reader_open(struct pingo__json_reader *r, const char *text, size_t length,
                            const char *what, struct pingo_error *err);
void pingo__json_reader_clear(struct pingo__json_reader *r);

/* Says what is wrong with a value that is open.  Returns r->rc. */
int pingo__json_reader_wrong(struct pingo__json_reader *r, const struct pingo__json_value *v,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Puts line and column before the message that is there. */
int pingo__json_reader_place(struct pingo__json_reader *r, size_t offset);
int pingo__json_reader_no_memory(struct pingo__json_reader *r);
/* A key that is none of those known, and does not begin with "x-", is wrong.  pointer: of its object. */
void pingo__json_reader_check_key(struct pingo__json_reader *r, size_t offset, const char *pointer,
                                  const char *key, const char *const *known);

/* Opens the value at an offset; the one before is closed.  NULL: no memory. */
const struct pingo__json_value *pingo__json_reader_value(struct pingo__json_reader *r,
                                                         size_t offset, const char *pointer);
/* A member of the outermost object, which must be there, of this kind; its value is opened. */
const struct pingo__json_value *pingo__json_reader_open_member(struct pingo__json_reader *r,
                                                               const char *key,
                                                               enum pingo__json_kind kind);
/* Is the value of that kind?  If not, it is wrong. */
bool pingo__json_reader_expect(struct pingo__json_reader *r, const struct pingo__json_value *v,
                               enum pingo__json_kind kind);
/* A member of this kind; NULL where it is not there, which is wrong if it is needed. */
const struct pingo__json_value *pingo__json_reader_member(struct pingo__json_reader *r,
                                                          const struct pingo__json_value *object,
                                                          const char *key,
                                                          enum pingo__json_kind kind, bool needed);
/* The same of a string. */
const char *pingo__json_reader_text(struct pingo__json_reader *r,
                                    const struct pingo__json_value *object, const char *key,
                                    bool needed);
/* An integer from 0 to 2^53-1; -1 where it is none, which is wrong. */
int64_t pingo__json_reader_integer(struct pingo__json_reader *r, const struct pingo__json_value *v);

#endif
