/* description.c - looking at a description; see description.h. */
#include "digest/description.h"

#include <stdlib.h>
#include <string.h>

#include "digest/encoding.h"

size_t pingo__digest_piece_count(const struct pingo_description *d,
                                 enum pingo__digest_piece_kind kind)
{
    const size_t counts[] = {d->nfields, d->ninputs, d->ntools, d->nversions, d->nparents};
    return counts[kind];
}

bool pingo__digest_piece_at(const struct pingo_description *d, enum pingo__digest_piece_kind kind,
                            size_t i, struct pingo__digest_piece *piece)
{
    if (i >= pingo__digest_piece_count(d, kind))
        return false;
    *piece = (struct pingo__digest_piece){.name = {.kind = PINGO_FIELD_TEXT, .nvalues = 1}};
    switch (kind) {
    case PINGO__PIECE_FIELD:
        piece->field = &d->fields[i];
        piece->name.values = &d->fields[i].key;
        break;
    case PINGO__PIECE_INPUT:
        piece->input = &d->inputs[i];
        piece->name.values = &d->inputs[i].name;
        break;
    case PINGO__PIECE_TOOL:
        piece->hash = &d->tools[i].content;
        piece->name.values = &d->tools[i].name;
        break;
    case PINGO__PIECE_VERSION:
        piece->hash = &d->versions[i].output;
        piece->name =
            (struct pingo_field){"", PINGO_FIELD_TEXTS, d->versions[i].argv, d->versions[i].nargv};
        break;
    case PINGO__PIECE_PARENT:
        piece->hash = &d->parents[i].hash;
        piece->name.values = &d->parents[i].role;
        piece->name.nvalues = d->parents[i].role ? 1 : 0;
        break;
    }
    return true;
}

int pingo__digest_piece_order(const struct pingo__digest_piece *a,
                              const struct pingo__digest_piece *b)
{
    if (a->name.nvalues == 0 && b->name.nvalues == 0)
        return memcmp(a->hash, b->hash, sizeof *a->hash);
    if (a->name.nvalues == 0 || b->name.nvalues == 0)
        return a->name.nvalues == 0 ? 1 : -1;
    return pingo__digest_encoding_compare_commands(a->name.values, a->name.nvalues, b->name.values,
                                                   b->name.nvalues);
}

/* ---- what is in it -------------------------------------------------------------------- */

void pingo_description_free(struct pingo_description *description)
{
    if (!description)
        return;
    pingo__arena_clear(&description->arena);
    free(description);
}

unsigned pingo_description_encoding(const struct pingo_description *description)
{
    return description->encoding;
}

const char *pingo_description_type(const struct pingo_description *description)
{
    return description->type;
}

const char *pingo_description_salt(const struct pingo_description *description)
{
    return description->salt;
}

const char *pingo_description_output_path(const struct pingo_description *description)
{
    return description->output_path;
}

#define TELLS_ALL(function, kind, list)                                                            \
    const struct kind *function(const struct pingo_description *description, size_t *n)            \
    {                                                                                              \
        *n = description->n##list;                                                                 \
        return description->list;                                                                  \
    }
TELLS_ALL(pingo_description_fields, pingo_field, fields)
TELLS_ALL(pingo_description_inputs, pingo_described_input, inputs)
TELLS_ALL(pingo_description_tools, pingo_described_tool, tools)
TELLS_ALL(pingo_description_versions, pingo_described_version, versions)
TELLS_ALL(pingo_description_parents, pingo_described_parent, parents)
