/* provenance.h - the three ways to print where a dataset comes from. */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H

#include <pingo.h>

#include "json.h"
#include "text.h"

/* Each is called once for a hash and once for every ancestor. */
void cli_provenance_text(const struct pingo_provenance *p, enum cli_time_style style, bool first);
void cli_provenance_json(struct cli_json *json, const struct pingo_provenance *p);
void cli_provenance_dot(const struct pingo_provenance *p);

#endif
