/* wfformat_value.h - values of a WfFormat document, checked, with the place of what is wrong.
 *
 * Functions that return int give 0, or a negative PINGO_E* after filling in the error. */
#ifndef PINGO__LAB_WFFORMAT_VALUE_H
#define PINGO__LAB_WFFORMAT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include <pingo/error.h>

#include "json/document.h"
#include "json/value.h"

#define PINGO__WF_NUMBER_MAX INT64_C(9007199254740991) /* 2^53 - 1 */

struct pingo__lab_wf_text {
    struct pingo__json_document document;
    struct pingo__json_element element; /* the member that is open */
    const char *member;                 /* its key */
    struct pingo_error *err;
};

/* PINGO_EINVAL: "line L, column C: POINTER: ..." of a value of the open member. */
int pingo__lab_wf_wrong(struct pingo__lab_wf_text *t, const struct pingo__json_value *v,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same at an offset of the document: pointer is that of the value. */
int pingo__lab_wf_wrong_at(struct pingo__lab_wf_text *t, size_t offset, const char *pointer,
                           const char *message);
/* Opens a member of the outermost object; wants: its kind.  The former one is closed. */
int pingo__lab_wf_open(struct pingo__lab_wf_text *t, const char *key, enum pingo__json_kind wants);

/* A member of an object, or NULL. */
const struct pingo__json_value *pingo__lab_wf_member(const struct pingo__json_value *object,
                                                     const char *key);
/* The member if it is there, of this kind; *v is NULL where it is not. */
int pingo__lab_wf_optional(struct pingo__lab_wf_text *t, const struct pingo__json_value *object,
                           const char *key, enum pingo__json_kind kind,
                           const struct pingo__json_value **v);
/* The member, which must be there. */
int pingo__lab_wf_needed(struct pingo__lab_wf_text *t, const struct pingo__json_value *object,
                         const char *key, enum pingo__json_kind kind,
                         const struct pingo__json_value **v);
/* Is the value of that kind? */
int pingo__lab_wf_expect(struct pingo__lab_wf_text *t, const struct pingo__json_value *v,
                         enum pingo__json_kind kind);
/* A string member; *text is NULL where it is optional and not there. */
int pingo__lab_wf_string(struct pingo__lab_wf_text *t, const struct pingo__json_value *object,
                         const char *key, bool needed, const char **text);
/* A number from 0 on, times 10^shift, rounded to the nearest integer; that must be no more than max. */
int pingo__lab_wf_number(struct pingo__lab_wf_text *t, const struct pingo__json_value *v, int shift,
                         int64_t max, int64_t *number);

/* The spelling of a JSON number, times 10^shift, rounded half up.  false: it is below 0 or above max,
 * which is less than 10^18. */
bool pingo__lab_wf_decimal(const char *spelling, size_t length, int shift, int64_t max,
                           int64_t *number);

#endif
