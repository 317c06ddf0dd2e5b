/* parameters.h - algorithms, and showing parameters: of an algorithm, of a family of histories. */
#ifndef CLI_PARAMETERS_H
#define CLI_PARAMETERS_H

#include <stddef.h>

#include <pingo/decision.h>

/* "    NAME=DEFAULT  MEANING (BOUNDS)" on a line of its own. */
void cli_parameter_print(const struct pingo_decision_parameter *parameter);

/* For completion: the i-th built-in algorithm, and what it is; NULL past the end. */
const char *cli_algorithm_at(size_t i, const char **summary);

#endif
