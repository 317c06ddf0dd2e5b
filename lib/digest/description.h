/* description.h - the inside of struct pingo_description, for this room alone. */
#ifndef PINGO__DIGEST_DESCRIPTION_H
#define PINGO__DIGEST_DESCRIPTION_H

#include <pingo/digest.h>

#include "base/arena.h"

struct pingo_description {
    struct pingo__arena arena; /* everything below lies in it */
    unsigned encoding;         /* 1 or 2 */
    const char *type;
    const char *salt;        /* NULL: not given */
    const char *output_path; /* NULL: managed */
    struct pingo_field *fields;
    struct pingo_described_input *inputs;
    struct pingo_described_tool *tools;
    struct pingo_described_version *versions;
    struct pingo_described_parent *parents; /* all with roles, or all without */
    size_t nfields, ninputs, ntools, nversions, nparents;
    size_t nunordered; /* how many of the parents have no role: none or all */
};

/* What the lists of a description have in common: by what they are sorted, and what is compared. */
enum pingo__digest_piece_kind {
    PINGO__PIECE_FIELD,
    PINGO__PIECE_INPUT,
    PINGO__PIECE_TOOL,
    PINGO__PIECE_VERSION,
    PINGO__PIECE_PARENT
};
struct pingo__digest_piece {
    /* A text, or the arguments of a command; no values: it has none, as parents without a role. */
    struct pingo_field name;
    /* What it is: the others are NULL. */
    const struct pingo_field *field;
    const struct pingo_described_input *input;
    const struct pingo_hash *hash;
};
size_t pingo__digest_piece_count(const struct pingo_description *d,
                                 enum pingo__digest_piece_kind kind);
/* The i-th of a kind.  false: there are no more. */
bool pingo__digest_piece_at(const struct pingo_description *d, enum pingo__digest_piece_kind kind,
                            size_t i, struct pingo__digest_piece *piece);
/* By name; without names by hash; and those with a name first, where a type has changed its mind. */
int pingo__digest_piece_order(const struct pingo__digest_piece *a,
                              const struct pingo__digest_piece *b);

#endif
