/* parameters.h - checking the table of an algorithm and the values of its parameters. */
#ifndef PINGO__DECISION_PARAMETERS_H
#define PINGO__DECISION_PARAMETERS_H

#include <pingo/decision.h>

/* Is the table complete and of this ABI?  0, PINGO_EVERSION or PINGO_EINVAL. */
int pingo__decision_check_table(const struct pingo_decision_algorithm *algorithm,
                                struct pingo_error *err);
/* pingo_decision_values() of a table that is known to be sound: looks at its name and its parameters
 * alone, so whatever has such parameters can be read. */
int pingo__decision_read_values(const struct pingo_decision_algorithm *algorithm, const char *text,
                                double *values, struct pingo_error *err);
/* Are values, which somebody handed in, within their bounds?  0 or PINGO_EINVAL. */
int pingo__decision_check_values(const struct pingo_decision_algorithm *algorithm,
                                 const double *values, struct pingo_error *err);
/* All names, as "random, lru, ...", for messages. */
void pingo__decision_names(char *text, size_t size);
/* The built-in name nearest to a word, or NULL. */
const char *pingo__decision_nearest(const char *word);

#endif
