/* kinds.c - see kinds.h. */
#include "workflow/kinds.h"

#include <string.h>

#include "base/text.h"

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
