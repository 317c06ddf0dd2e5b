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

#endif
