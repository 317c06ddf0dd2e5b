/* workflow.h - a workflow: from JSON text or from C structures, under the same rules.
 *
 * A workflow is immutable once made, lies in one arena and is freed at once.
 * Nothing here touches a clock, a file, a database or a network.
 * Any thread may read a workflow; nothing in this header keeps global state.
 * Source: the workflow definition language, thesis section 3.2; pingo-workflow(5). */
#ifndef PINGO_WORKFLOW_H
#define PINGO_WORKFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PINGO_ID_MAX INT64_C(9007199254740991) /* 2^53 - 1: the largest id */

struct pingo_workflow;         /* opaque, immutable */
struct pingo_problems;         /* opaque list of problems */
struct pingo_workflow_builder; /* opaque */
struct pingo_action_type;      /* <pingo/action_type.h> */

/* ---- what an action is made of ---------------------------------------- */

enum pingo_identity {
    PINGO_IDENTITY_CONTENT = 0, /* the bytes (and a tree's names, kinds, x bits) */
    PINGO_IDENTITY_STAT = 1     /* absolute path, size and mtime in ns */
};

enum pingo_keep {
    PINGO_KEEP_DEFAULT = 0, /* the decision algorithm decides */
    PINGO_KEEP_NEVER = 1,   /* "keep": false: delete as soon as its readers have finished */
    PINGO_KEEP_ALWAYS = 2   /* "keep": true: never evict */
};

enum pingo_sandbox {
    PINGO_SANDBOX_DEFAULT = 0, /* as the store's setting says */
    PINGO_SANDBOX_OFF = 1,     /* "sandbox": false */
    PINGO_SANDBOX_ON = 2       /* "sandbox": true */
};

/* An original dataset: either path or (uri and version). */
struct pingo_input {
    const char *name;             /* in/NAME, up to 8 words joined by '/'; unique within the action,
                                     and no folder of another link */
    const char *path;             /* built: absolute, lexically normal; NULL with uri */
    const char *uri;              /* NULL with path */
    const char *version;          /* goes with uri */
    const char *sha256;           /* 64 lower-case hex digits, or NULL */
    enum pingo_identity identity; /* for path without sha256 */
};

/* A type's own field, such as "command".  Values by kind:
 * TEXT one string; TEXTS a list; FLAG one string "true" or "false"; PAIRS an
 * even list k1,v1,k2,v2,... in byte order of the keys, no key twice; NUMBER one
 * string, the decimal digits of an integer from 0 to 2^53-1. */
enum pingo_field_kind {
    PINGO_FIELD_TEXT = 1,
    PINGO_FIELD_TEXTS = 2,
    PINGO_FIELD_FLAG = 3,
    PINGO_FIELD_PAIRS = 4,
    PINGO_FIELD_NUMBER = 5
};

struct pingo_field {
    const char *key;
    enum pingo_field_kind kind;
    const char *const *values;
    size_t nvalues;
};

/* A parent within the same workflow. */
struct pingo_parent {
    size_t index;     /* of the parent among the workflow's actions */
    const char *role; /* the link in/ROLE; never NULL */
};

/* A command whose output says which version of something an action uses. */
struct pingo_version_command {
    const char *const *argv; /* the first is found as a tool is */
    size_t nargv;            /* at least 1 */
};

/* What the first, second, ... try of an action gets; beyond the end the last holds.  n 0: every try gets
 * the same.  What counts is each try, by retries or because memory grew. */
struct pingo_by_try {
    const int64_t *values;
    size_t n; /* up to 100 */
};

/* So many of something countable, such as licences. */
struct pingo_counter {
    const char *name;
    int64_t n; /* at least 1 */
};

/* What few actions have.  Actions that have the same share it; only appended to in later versions. */
struct pingo_action_more {
    const struct pingo_version_command *versions; /* in the order given */
    size_t nversions;
    const char *const *labels; /* k1,v1,k2,v2,... in byte order of the keys; the workflow's among them */
    size_t nlabels;            /* strings: twice the number of labels */
    const char *executor;      /* the executor's name; NULL: as the store's setting says */
    const char *executor_options; /* a JSON object of strings and numbers, in byte order of the keys, the
                                     workflow's merged; NULL when there are none */
    enum pingo_sandbox sandbox;
    int64_t gpus;          /* 0 by default */
    int64_t max_memory_mb; /* how far memory may grow; 0: as far as there is */
    bool no_growth;        /* "grow": false: dying of memory is a failure like others */
    const struct pingo_counter *licences; /* in byte order of the names */
    size_t nlicences;
    /* Lists in place of the numbers, which then are the first try's. */
    struct pingo_by_try cpus_by_try, memory_mb_by_try, time_limit_seconds_by_try, gpus_by_try;
};

/* An action of a finished workflow.  Owned by the workflow; only appended to
 * in later versions, so reach it through pingo_workflow_action() alone. */
struct pingo_action {
    int64_t id;                           /* 0 .. PINGO_ID_MAX, unique in the workflow */
    const char *name;                     /* need not be unique */
    const struct pingo_action_type *type; /* never NULL */
    const struct pingo_parent *parents;   /* in the order given */
    size_t nparents;
    const struct pingo_input *inputs; /* in the order given */
    size_t ninputs;
    const char *const *tools; /* names or paths, in the order given */
    size_t ntools;
    const struct pingo_field *fields; /* in byte order of the keys, defaults filled in, env merged */
    size_t nfields;
    const char *salt;        /* NULL when not given */
    const char *output_path; /* absolute; NULL when managed */
    enum pingo_keep keep;
    bool force_computation;
    bool is_managed;
    bool is_leaf;                         /* no child in this workflow */
    int64_t retries;                      /* 0 by default */
    int64_t cpus;                         /* 1 by default */
    int64_t memory_mb;                    /* 0: not given */
    int64_t time_limit_seconds;           /* 0: none */
    const struct pingo_action_more *more; /* never NULL */
};

/* ---- problems ----------------------------------------------------------- */

enum pingo_severity { PINGO_SEVERITY_WARNING = 1, PINGO_SEVERITY_ERROR = 2 };

struct pingo_problem {
    enum pingo_severity severity;
    size_t line;         /* from 1; 0 where there is no text (a builder) */
    size_t column;       /* in bytes from 1; 0 likewise */
    const char *pointer; /* JSON pointer (RFC 6901), "" for the whole document */
    const char *message; /* what is wrong and what would be right */
    size_t times;        /* 1, or how many equal warnings this is, at the first one's place */
};

/* How many problems there are; 0 for NULL.  Of a workflow with more than 1,000 errors, or different warnings, the
 * others of that severity are one more problem, at the end of the text and of the list: times says how many of them
 * were met. */
PINGO_API size_t pingo_problems_count(const struct pingo_problems *problems);
/* The i-th problem, in the order of the text; borrowed from problems; NULL past the end. */
PINGO_API const struct pingo_problem *pingo_problems_at(const struct pingo_problems *problems,
                                                        size_t i);
/* Frees the list and all it lent.  NULL is fine. */
PINGO_API void pingo_problems_free(struct pingo_problems *problems);

/* ---- from text ---------------------------------------------------------- */

/* The text of a workflow definition.  Fixed: it never grows. */
struct pingo_document {
    const char *text; /* length bytes; need not end with NUL; not kept */
    size_t length;
    /* Where to put what is wrong with it: yours, pingo_problems_free(); set on success (warnings) and on
     * PINGO_EWORKFLOW; NULL when there is nothing.  NULL: nowhere. */
    struct pingo_problems **problems;
};

struct pingo_workflow_options {
    unsigned version;     /* 1 */
    const char *base_dir; /* absolute; relative paths start here; NULL: relative paths are errors */
    size_t max_bytes;     /* of the text, and of what it gives to all its actions; 0: 1 GiB */
    bool strict;          /* warnings are errors */
    /* More action types than the built-in ones, each with a name of its own. */
    const struct pingo_action_type *const *types;
    size_t ntypes;
    /* Is there a file of this absolute path?  It may call back.  NULL: the warning that needs it is not given. */
    bool (*file_exists)(void *context, const char *path);
    void *context;
    /* Types that are not known are taken for what they are called, and their keys are left unread: to look at a
     * workflow, not to hash it. */
    bool any_type;
};

/* Parses a workflow definition.
 * options: may be NULL.  *workflow: yours, pingo_workflow_free(); NULL on failure.
 * Syntax: the first error alone; rules: all violations (a million at most).
 * Errors: PINGO_EWORKFLOW (message: the first problem), PINGO_ELIMIT (also past 4 GiB),
 * PINGO_ENOMEM, PINGO_EINVAL (options), PINGO_EVERSION (a type made for another version).
 * Thread rule: any.  Source: thesis 3.2. */
PINGO_API int pingo_workflow_parse(const struct pingo_document *document,
                                   const struct pingo_workflow_options *options,
                                   struct pingo_workflow **workflow, struct pingo_error *err);

/* The workflow as a JSON document that parses to an equal workflow (ids,
 * hashes, everything but white space and annotations).  *text is yours, free();
 * it ends with NUL, *length does not count it.  Errors: PINGO_ENOMEM. */
PINGO_API int pingo_workflow_print(const struct pingo_workflow *workflow, char **text,
                                   size_t *length, struct pingo_error *err);

/* Frees the workflow and all it lent.  NULL is fine. */
PINGO_API void pingo_workflow_free(struct pingo_workflow *workflow);

/* The name of the workflow; borrowed. */
PINGO_API const char *pingo_workflow_name(const struct pingo_workflow *workflow);
/* How many actions it has; at least 1. */
PINGO_API size_t pingo_workflow_count(const struct pingo_workflow *workflow);
/* The workflow's own labels: k1,v1,k2,v2,... in byte order of the keys; borrowed; *n strings, 0 where
 * there are none. */
PINGO_API const char *const *pingo_workflow_labels(const struct pingo_workflow *workflow, size_t *n);
/* The i-th action, in the order of the definition; borrowed; NULL past the end. */
PINGO_API const struct pingo_action *pingo_workflow_action(const struct pingo_workflow *workflow,
                                                           size_t i);
/* The index of the action with this id; SIZE_MAX where there is none.  O(1). */
PINGO_API size_t pingo_workflow_find(const struct pingo_workflow *workflow, int64_t id);
/* The indexes of an action's children, ascending, each once; borrowed; *n their number. */
PINGO_API const uint32_t *pingo_workflow_children(const struct pingo_workflow *workflow, size_t i,
                                                  size_t *n);
/* Every action once, parents before children; borrowed; pingo_workflow_count() indexes. */
PINGO_API const uint32_t *pingo_workflow_order(const struct pingo_workflow *workflow);
/* Resolves what a person writes for an action: an id in decimal, else a name
 * that only one action has.  Errors: PINGO_ENOTFOUND, PINGO_EAMBIGUOUS. */
PINGO_API int pingo_workflow_resolve(const struct pingo_workflow *workflow, const char *text,
                                     size_t *index, struct pingo_error *err);
/* The field with this key; borrowed; NULL where there is none. */
PINGO_API const struct pingo_field *pingo_action_field(const struct pingo_action *action,
                                                       const char *key);
/* The name of an action's type, such as "command-line"; borrowed. */
PINGO_API const char *pingo_action_type_name(const struct pingo_action *action);

/* ---- from C structures --------------------------------------------------- */

struct pingo_parent_spec {
    int64_t id;
    const char *as; /* the role; NULL: its position */
};

/* What a caller says of an action; everything is copied.  Zero means default. */
struct pingo_action_spec {
    unsigned version; /* 2; 1: the members from gpus on do not exist */
    int64_t id;
    const char *name;
    const char *type; /* "command-line", "external", ... */
    const struct pingo_parent_spec *parents;
    size_t nparents;
    const struct pingo_input *inputs;
    size_t ninputs;
    const char *const *tools;
    size_t ntools;
    const struct pingo_field *fields; /* any order; PAIRS in any order */
    size_t nfields;
    const char *salt;
    const char *output_path; /* with unmanaged */
    enum pingo_keep keep;
    bool force_computation;
    bool unmanaged;
    int64_t retries;
    int64_t cpus;
    int64_t memory_mb;
    int64_t time_limit_seconds;
    const struct pingo_version_command *versions;
    size_t nversions;
    const char *const *labels; /* k1,v1,k2,v2,... in any order */
    size_t nlabels;            /* strings: twice the number of labels */
    const char *executor;
    const char *executor_options; /* a JSON object of strings and numbers */
    enum pingo_sandbox sandbox;
    int64_t gpus;
    int64_t max_memory_mb;
    bool no_growth;
    const struct pingo_counter *licences; /* any order */
    size_t nlicences;
    /* Where n is not 0, they hold in place of the numbers above. */
    struct pingo_by_try cpus_by_try, memory_mb_by_try, time_limit_seconds_by_try, gpus_by_try;
};

/* Starts a workflow of this name.  *builder: yours, pingo_workflow_builder_free().
 * options: as for pingo_workflow_parse(), may be NULL; copied, but for the types themselves.
 * Errors: PINGO_ENOMEM, PINGO_EINVAL, PINGO_EVERSION. */
PINGO_API int pingo_workflow_builder_new(const char *name,
                                         const struct pingo_workflow_options *options,
                                         struct pingo_workflow_builder **builder,
                                         struct pingo_error *err);
/* Adds a variable to the env of every action whose type has one.  Errors: PINGO_ENOMEM, PINGO_EINVAL. */
PINGO_API int pingo_workflow_builder_env(struct pingo_workflow_builder *builder, const char *name,
                                         const char *value, struct pingo_error *err);
/* Adds a label to the workflow, and so to every action that has none of this name.
 * Errors: PINGO_ENOMEM, PINGO_EINVAL. */
PINGO_API int pingo_workflow_builder_label(struct pingo_workflow_builder *builder, const char *name,
                                           const char *value, struct pingo_error *err);
/* Adds an action.  What breaks a rule is noted, and told by _finish().  Parents may come later.
 * Errors: PINGO_ENOMEM, PINGO_EINVAL (spec NULL or of an unknown version). */
PINGO_API int pingo_workflow_builder_add(struct pingo_workflow_builder *builder,
                                         const struct pingo_action_spec *spec,
                                         struct pingo_error *err);
/* Checks every rule and makes the workflow.  Empties the builder, which can only be freed then.
 * Results and errors as pingo_workflow_parse(); problems as those of a document. */
PINGO_API int pingo_workflow_builder_finish(struct pingo_workflow_builder *builder,
                                            struct pingo_workflow **workflow,
                                            struct pingo_problems **problems,
                                            struct pingo_error *err);
/* Frees the builder and what it holds.  NULL is fine. */
PINGO_API void pingo_workflow_builder_free(struct pingo_workflow_builder *builder);

#ifdef __cplusplus
}
#endif
#endif
