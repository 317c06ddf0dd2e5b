/* parameters.h - showing parameters: of a decision algorithm, of a family of histories. */
#ifndef CLI_PARAMETERS_H
#define CLI_PARAMETERS_H

#include <pingo/decision.h>

#include "json.h"

/* "    NAME=DEFAULT  MEANING (BOUNDS)" on a line of its own. */
void cli_parameter_print(const struct pingo_decision_parameter *parameter);
/* {"name", "default", "minimum", "maximum" or "choices", "meaning"} */
cJSON *cli_parameter_json(const struct pingo_decision_parameter *parameter);

#endif
