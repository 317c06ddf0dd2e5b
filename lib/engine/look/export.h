/* export.h - what export.c and export_names.c share. */
#ifndef PINGO__ENGINE_EXPORT_H
#define PINGO__ENGINE_EXPORT_H

#include "engine/engine.h"

/* An action whose output is exported. */
struct pingo__engine_exported {
    struct pingo__store_node node;
    const char *output; /* what its command calls its output; "": standard output */
    const char *const *labels;
    size_t nlabels;
};

struct pingo__engine_export_list {
    struct pingo__engine_named named;       /* the submission, and the memory of all that is here */
    struct pingo__engine_exported *actions; /* by position */
    size_t n;
};
/* The relative paths under which outputs of a submission are exported: names[i] (yours), NULL before.
 * pattern: pingo_export_options.name_template; NULL: the name with the output's suffixes, "-ID" where names repeat.
 * What always holds: no part of a path begins with a dot, no path is another's or lies below it.
 * Errors: PINGO_EINVAL (the pattern), PINGO_ENOTFOUND (a label that an action lacks), PINGO_EAMBIGUOUS (two outputs
 * would get one path). */
int pingo__engine_export_names(const struct pingo__engine_export_list *list, const char *pattern,
                               char **names, struct pingo_error *err);

#endif
