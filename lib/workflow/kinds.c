/* kinds.c - see kinds.h. */
#include "workflow/kinds.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "workflow/workflow.h"

static bool is_flag(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

static bool is_number(const char *value)
{
    int64_t number;
    return pingo__text_to_int64(value, 0, PINGO_ID_MAX, &number) && value[0] != '-' &&
           (value[0] != '0' || value[1] == '\0');
}

static const struct pingo__workflow_kind kinds[] = {
    [PINGO_FIELD_TEXT] = {.letter = 's',
                          .json = PINGO__JSON_STRING,
                          .words = "a string",
                          .called = "a string",
                          .is_single = true},
    [PINGO_FIELD_TEXTS] = {.letter = 'l',
                           .json = PINGO__JSON_ARRAY,
                           .words = "an array of strings",
                           .called = "an array"},
    [PINGO_FIELD_FLAG] = {.letter = 'b',
                          .json = PINGO__JSON_BOOLEAN,
                          .words = "true or false",
                          .called = "a boolean",
                          .is_value = is_flag,
                          .is_single = true,
                          .is_bare = true},
    [PINGO_FIELD_PAIRS] = {.letter = 'o',
                           .json = PINGO__JSON_OBJECT,
                           .words = "an object of strings",
                           .called = "an object"},
    [PINGO_FIELD_NUMBER] = {.letter = 'n',
                            .json = PINGO__JSON_NUMBER,
                            .words = "an integer from 0 to 9007199254740991",
                            .called = "a number",
                            .is_value = is_number,
                            .is_single = true,
                            .is_bare = true},
};

const struct pingo__workflow_kind *pingo__workflow_kind_find(enum pingo_field_kind kind)
{
    size_t i = (size_t)kind;
    return i > 0 && i < sizeof kinds / sizeof kinds[0] ? &kinds[i] : NULL;
}

enum pingo_field_kind pingo__workflow_kind_of_letter(char letter)
{
    for (size_t i = 1; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].letter == letter)
            return (enum pingo_field_kind)i;
    return (enum pingo_field_kind)0;
}

enum pingo_field_kind pingo__workflow_kind_of_json(enum pingo__json_kind json)
{
    for (size_t i = 1; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].json == json)
            return (enum pingo_field_kind)i;
    return (enum pingo_field_kind)0;
}

bool pingo__workflow_kind_has_form(const struct pingo_field *field)
{
    const struct pingo__workflow_kind *kind = pingo__workflow_kind_find(field->kind);
    if (!kind || (field->nvalues > 0 && !field->values))
        return false;
    for (size_t i = 0; i < field->nvalues; i++)
        if (!field->values[i] || (kind->is_value && !kind->is_value(field->values[i])))
            return false;
    if (field->kind == PINGO_FIELD_PAIRS && field->nvalues % 2 != 0)
        return false;
    return !kind->is_single || field->nvalues == 1;
}

/* A list that could have been a text is not empty. */
static bool is_of_key(const struct pingo_field *field, const struct pingo_key *key)
{
    const struct pingo__workflow_kind *kind = pingo__workflow_kind_find(field->kind);
    if (!kind || !(key->kinds & 1u << field->kind))
        return false;
    if (field->kind == PINGO_FIELD_PAIRS)
        return field->nvalues % 2 == 0;
    return kind->is_single ? field->nvalues == 1
                           : field->nvalues > 0 || !(key->kinds & PINGO_KEY_TEXT);
}

int pingo__workflow_kinds_check(const struct pingo_action_type *type,
                                const struct pingo_field *fields, size_t nfields,
                                struct pingo_error *err)
{
    for (size_t i = 0; i < type->nkeys; i++) {
        const struct pingo_key *key = &type->keys[i];
        const struct pingo_field *field = pingo__workflow_field(fields, nfields, key->key);
        bool must = key->required || (key->default_text && !(key->kinds & PINGO_KEY_FLAG));
        if (field ? !is_of_key(field, key) : must && !key->with_text)
            return pingo__fail(err, PINGO_ECORRUPT, "an action of type %s with a wrong \"%s\"",
                               type->name, key->key);
    }
    return 0;
}
