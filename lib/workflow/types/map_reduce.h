/* map_reduce.h - what the types map-reduce-1 and map-reduce-2 share: their keys, their rules, and the job in
 * Hadoop's own words.
 *
 * What is hashed is what Pingo's keys say; here it becomes properties.  Places, queue and memory are the executor's. */
#ifndef PINGO__WORKFLOW_MAP_REDUCE_H
#define PINGO__WORKFLOW_MAP_REDUCE_H

#include <pingo/action_type.h>

#include "base/buffer.h"

/* A key that names a Java class, and the property that it becomes. */
struct pingo__workflow_map_reduce_class {
    const char *key, *property;
    bool of_interface; /* the class is of the one interface or the other */
};

/* One of Hadoop's two interfaces.  Static. */
struct pingo__workflow_map_reduce {
    const char *package, *other_package; /* with the dot behind it */
    const char *other_type;              /* where those classes belong */
    const char *is_new;                  /* "true" or "false" */
    const struct pingo__workflow_map_reduce_class *classes;
    size_t nclasses;
};

/* The keys of both, but for mapper, reducer and combiner. */
#define PINGO__MAP_REDUCE_KEYS                                                                      \
    {.key = "configuration", .kinds = PINGO_KEY_PAIRS}, {.key = "input", .kinds = PINGO_KEY_TEXTS}, \
        {.key = "inputFormat", .kinds = PINGO_KEY_TEXT}, {.key = "jar", .kinds = PINGO_KEY_TEXT},   \
        {.key = "libs", .kinds = PINGO_KEY_TEXTS},                                                  \
        {.key = "mapOutputKey", .kinds = PINGO_KEY_TEXT},                                           \
        {.key = "mapOutputValue", .kinds = PINGO_KEY_TEXT},                                         \
        {.key = "outputFormat", .kinds = PINGO_KEY_TEXT},                                           \
        {.key = "outputKey", .kinds = PINGO_KEY_TEXT},                                              \
        {.key = "outputValue", .kinds = PINGO_KEY_TEXT},                                            \
        {.key = "partitioner", .kinds = PINGO_KEY_TEXT},                                            \
    {                                                                                               \
        .key = "reduces", .kinds = PINGO_KEY_NUMBER, .default_text = "1"                            \
    }

/* The rules of an action of this interface; with streaming, mapper, reducer and combiner are commands. */
void pingo__workflow_map_reduce_validate(const struct pingo__workflow_map_reduce *interface,
                                         const struct pingo_action *action,
                                         struct pingo_problem_sink *sink);
/* job->payload: a JSON object of
 *   "configuration"  an object of strings: properties of the job
 *   "input"          the links that are read as data; absent: all but jar and libs
 *   "jar", "libs"    the links that hold classes; absent where there are none
 *   "streaming"      a boolean: the classes are those of Hadoop's streaming */
int pingo__workflow_map_reduce_render(const struct pingo__workflow_map_reduce *interface,
                                      const struct pingo_field *fields, size_t nfields,
                                      struct pingo_job *job, struct pingo_error *err);

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
