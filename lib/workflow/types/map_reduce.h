/* map_reduce.h - MapReduce actions: what others need of their types. */
#ifndef PINGO__WORKFLOW_MAP_REDUCE_H
#define PINGO__WORKFLOW_MAP_REDUCE_H

#include <pingo/workflow.h>

#include "base/buffer.h"

/* A command as Hadoop's streaming takes it: a string goes to bash, an array is executed as it is. */
void pingo__workflow_streaming_command(struct pingo__buffer *b, const struct pingo_field *command);

/* ---- map_reduce_property.c ---- */

enum pingo__workflow_property_owner {
    PINGO__PROPERTY_FREE = 0,
    PINGO__PROPERTY_KEYS,    /* a key of the action says it */
    PINGO__PROPERTY_RUNS,    /* set for each run: places, names */
    PINGO__PROPERTY_OPTIONS, /* changes no output: executorOptions */
};
/* Who may set a property of Hadoop's; *key: which key, for KEYS. */
enum pingo__workflow_property_owner pingo__workflow_property_owner(const char *property,
                                                                   const char **key);

#endif
