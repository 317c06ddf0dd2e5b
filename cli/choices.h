/* choices.h - the words that some options take, in the order of what they stand for. */
#ifndef CLI_CHOICES_H
#define CLI_CHOICES_H

/* Each list ends with NULL. */
extern const char *const cli_choices_as[]; /* enum pingo_import_as, from PINGO_IMPORT_GROWTH on */
extern const char *const cli_choices_decide[]; /* enum pingo_simulation_decide */
extern const char *const cli_choices_leaves[]; /* of the budget */

#endif
