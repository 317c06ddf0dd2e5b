/* choices.c - the words themselves, for those who read them and for completion. */
#include "choices.h"

#include <stddef.h>

const char *const cli_choices_as[] = {"growth", "sweep", "users", "code-change", "targets", NULL};
const char *const cli_choices_decide[] = {"publish", "workflow-end", NULL};
const char *const cli_choices_leaves[] = {"inside", "outside", NULL};
