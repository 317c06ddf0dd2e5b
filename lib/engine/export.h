/* export.h - what export.c and export_names.c share. */
#ifndef PINGO__ENGINE_EXPORT_H
#define PINGO__ENGINE_EXPORT_H

#include "engine/engine.h"

/* The relative paths under which positions of a submission are exported: names[i] (yours) for each chosen[i].
 * pattern: pingo_export_options.name_template; NULL: the name with the output's suffixes, "-ID" where names repeat.
 * What always holds: no part of a path begins with a dot, no path is another's or lies below it.
 * Errors: PINGO_EINVAL (the pattern), PINGO_ENOTFOUND (a label that an action lacks), PINGO_EAMBIGUOUS (two outputs
 * would get one path). */
int pingo__export_names(const struct pingo__loaded *l, const bool *chosen, const char *pattern,
                        char **names, struct pingo_error *err);

#endif
