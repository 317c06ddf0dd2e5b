/* provenance.h - the two ways to print where a dataset comes from. */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H

#include <pingo.h>

#include "answer.h"

/* Each is called once for a hash and once for every ancestor. */
void cli_provenance_text(const struct pingo_provenance *p, enum pingo__view_times style, bool first);
void cli_provenance_dot(const struct pingo_provenance *p);

#endif
