/* action_type.h - for those who add an action type: one table, one file.
 *
 * The workflow room reads the keys that the table declares, checks their
 * kinds, fills in defaults and merges env; the table's functions see fields.
 * Tables are static and constant; the library keeps no registry: further
 * types are handed in with struct pingo_workflow_options and
 * struct pingo_store_options.  Any thread may call the functions of a table. */
#ifndef PINGO_ACTION_TYPE_H
#define PINGO_ACTION_TYPE_H

#include <pingo/executor.h>
#include <pingo/workflow.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PINGO_ACTION_TYPE_ABI 2 /* those of version 1 end before is_embedders */

/* Bits of pingo_key.kinds: which JSON values the key takes. */
#define PINGO_KEY_TEXT (1u << PINGO_FIELD_TEXT)     /* a string */
#define PINGO_KEY_TEXTS (1u << PINGO_FIELD_TEXTS)   /* an array of strings */
#define PINGO_KEY_FLAG (1u << PINGO_FIELD_FLAG)     /* a boolean */
#define PINGO_KEY_PAIRS (1u << PINGO_FIELD_PAIRS)   /* an object of strings */
#define PINGO_KEY_NUMBER (1u << PINGO_FIELD_NUMBER) /* an integer from 0 to 2^53-1 */

struct pingo_key {
    const char *key;
    unsigned kinds; /* PINGO_KEY_* or-ed */
    bool required;
    const char *default_text; /* for TEXT, FLAG and NUMBER when absent; NULL: none, no field is made
                                 (PAIRS: an empty field is made) */
    bool merges_env;          /* PAIRS that takes in the workflow's env */
    bool takes_shell;         /* TEXT or TEXTS: a shell; when absent, the workflow's "shell" */
    const char *with_text; /* another key: where that one is given and is no string, there is no field of
                              this one, and none may be given; NULL: it goes with all */
};

struct pingo_problem_sink; /* opaque: where validate says what is wrong */

/* Says what is wrong with an action: only within validate, with the sink that it was given.  pointer is relative to
 * the action, such as "/command".  The message is made as by printf(), and copied. */
PINGO_API void pingo_problem_add(struct pingo_problem_sink *sink, enum pingo_severity severity,
                                 const char *pointer, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* Its functions must not call back the store or the scheduler, which may be in the middle of a transaction. */
struct pingo_action_type {
    unsigned abi_version; /* PINGO_ACTION_TYPE_ABI */
    const char *name;     /* as in "type" */
    const struct pingo_key *keys;
    size_t nkeys;
    bool parents_are_unordered; /* parents are sorted by hash in the canonical description */
    /* Checks what the kinds cannot say.  A field that was given wrongly is absent, also a required
     * one, and parents' indexes are not known yet.  options: never NULL; their file_exists may be.
     * May be NULL. */
    void (*validate)(const struct pingo_action *action, struct pingo_problem_sink *sink,
                     const struct pingo_workflow_options *options);
    /* Which fields are hashed; NULL: all of them.  Returns whether this one is. */
    bool (*describes)(const struct pingo_field *field);
    /* Fills in what to run from the described fields: argv, env, output, payload.  A field that came
     * with a later version of the type may be absent.  Allocates with pingo_job_text().
     * Errors: PINGO_ENOMEM, PINGO_ECORRUPT (fields that this type never described). */
    int (*render)(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                  struct pingo_error *err);
    /* Whoever embeds the library runs it: the setting executor does not speak of it, and an end of it may leave the
     * output to be looked at by the scheduler. */
    bool is_embedders;
};

/* The built-in type "command-line": a command on this machine or a batch system.  Static.  Any thread. */
PINGO_API const struct pingo_action_type *pingo_action_type_command_line(void);
/* The built-in type "external": an opaque description for embedders that run the work themselves.  Static.
 * Any thread. */
PINGO_API const struct pingo_action_type *pingo_action_type_external(void);
/* The built-in type "map-reduce-1": a MapReduce job by Hadoop's old interface, org.apache.hadoop.mapred, or by its
 * streaming.  Static.  Any thread.  Source: thesis 3.2.1. */
PINGO_API const struct pingo_action_type *pingo_action_type_map_reduce_1(void);
/* The built-in type "map-reduce-2": a MapReduce job by Hadoop's new interface, org.apache.hadoop.mapreduce.  Static.
 * Any thread.  Source: thesis 3.2.1. */
PINGO_API const struct pingo_action_type *pingo_action_type_map_reduce_2(void);

#ifdef __cplusplus
}
#endif
#endif
