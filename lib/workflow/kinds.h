/* kinds.h - the kinds of values that a type's own keys take, one row each: what they are in JSON, how they
 * are called and described, and which form their values have.
 *
 * What always holds: the values of a field of kind FLAG or NUMBER have one spelling each, which is that of JSON. */
#ifndef PINGO__WORKFLOW_KINDS_H
#define PINGO__WORKFLOW_KINDS_H

#include <stdbool.h>

#include <pingo/action_type.h>
#include <pingo/workflow.h>

#include "json/document.h"

struct pingo__workflow_kind {
    const char *words;                   /* of a key that takes it: "a string" */
    const char *called;                  /* of a value: "a string" */
    bool (*is_value)(const char *value); /* has it the spelling?  NULL: any text has */
    enum pingo__json_kind json;
    char letter;    /* in the canonical encoding; never changed, never used again */
    bool is_single; /* exactly one value */
    bool is_bare;   /* in JSON the value stands without quotes */
};

/* The row of a kind; NULL where it is none. */
const struct pingo__workflow_kind *pingo__workflow_kind_find(enum pingo_field_kind kind);
/* The kind of this letter, or that a JSON value of this kind makes; 0: none. */
enum pingo_field_kind pingo__workflow_kind_of_letter(char letter);
enum pingo_field_kind pingo__workflow_kind_of_json(enum pingo__json_kind json);
/* Has it the form that its kind promises, but for the order of pairs? */
bool pingo__workflow_kind_has_form(const struct pingo_field *field);
/* Are the fields, which are handed in to be rendered, such as an action of this type has?  A flag may lack, an object,
 * and what depends on another field.  Errors: PINGO_ECORRUPT. */
int pingo__workflow_kinds_check(const struct pingo_action_type *type,
                                const struct pingo_field *fields, size_t nfields,
                                struct pingo_error *err);

#endif
