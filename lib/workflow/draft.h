/* draft.h - a workflow that is being made, from text or from C structures.
 *
 * Both ways say what an action is with a struct pingo_action_spec and hand it to
 * pingo__workflow_draft_add(), so both obey the same rules with the same words.  What
 * breaks a rule is noted and the making goes on, so that all problems are told
 * at once; what is broken takes a harmless value, and no workflow comes of it. */
#ifndef PINGO__WORKFLOW_DRAFT_H
#define PINGO__WORKFLOW_DRAFT_H

#include <pingo/action_type.h>

#include "base/arena.h"
#include "base/map.h"
#include "json/value.h"
#include "workflow/workflow.h"

/* In a spec from text: given, but wrongly, and reported already. */
extern const char pingo__workflow_reported[];
extern const char *const pingo__workflow_reported_list; /* for lists: its address */
#define PINGO__REPORTED_ID INT64_MIN
#define PINGO__REPORTED_KIND ((enum pingo_field_kind)0x100)

#define PINGO__WORDS_MAX 8 /* of an input's name */
#define PINGO__WORD_RULE "a letter, a digit or _, then up to 63 letters, digits, _ . -"

#define PINGO__RETRIES_MAX 1000
#define PINGO__CPUS_MAX 65536
#define PINGO__MEMORY_MB_MAX 1000000000
#define PINGO__TIME_LIMIT_SECONDS_MAX 1000000000

#define PINGO__NO_ACTION SIZE_MAX

/* The text behind a workflow that is being made, and where in it things stand.
 *
 * One value of the text is open at a time: an action, or a member of the outermost object.  While an action is read,
 * problems are noted of it alone, so its values stay open; afterwards a problem opens the action that it is of again,
 * and problems that come action by action cost linear time. */
struct pingo__workflow_source {
    struct pingo__json_document document;
    struct pingo__json_element element;
    size_t owner; /* what is open: a member's index, or nmembers + an action's; SIZE_MAX: nothing */
    uint32_t *offsets; /* of each action */
    size_t noffsets, capacity;
};

/* So many errors are told, and so many warnings: more than anybody reads, and few enough for a server that has many
 * such texts at once. */
#define PINGO__PROBLEMS_MAX 1000

struct pingo__workflow_noted {
    struct pingo_problem problem;
    size_t place;  /* by which problems are sorted: offset in the text, or number of the action */
    size_t number; /* then by the order in which they were noted */
};

struct pingo_problems {
    struct pingo__arena arena;
    struct pingo__workflow_noted *items;
    size_t count, capacity;
    struct pingo__map warnings; /* from the message to the place in items */
    size_t nerrors, nwarnings;  /* all that were met; of warnings that are not equal */
    struct pingo_problem more[2]; /* what stands for the warnings, and for the errors, that are not told */
};

/* k1,v1,k2,v2,... */
struct pingo__workflow_pairs {
    const char **list;
    size_t n; /* strings in it */
};

/* A place for problems: an action, or the document. */
struct pingo_problem_sink {
    struct pingo__workflow_draft *draft;
    size_t action; /* PINGO__NO_ACTION: pointers are of the document */
};

struct pingo__workflow_draft {
    struct pingo_problem_sink document; /* for what is of no action */
    struct pingo_workflow *workflow;
    size_t capacity;                        /* of workflow->actions */
    struct pingo_workflow_options options;  /* base_dir: in the workflow's arena */
    const struct pingo_action_type **types; /* the built-in ones and the options' */
    size_t ntypes;
    const struct pingo_action_type *ordered; /* the type whose keys `keys` are, in byte order */
    const struct pingo_key **keys;
    size_t keys_capacity;
    struct pingo_problems *problems;
    struct pingo__workflow_source *source;           /* NULL: there is no text */
    const struct pingo__workflow_parts_check *check; /* NULL: none */
    /* The workflow's, in byte order of the names; values of executorOptions are JSON texts. */
    struct pingo__workflow_pairs env, labels, executor_options;
    struct pingo_field shell;                 /* the workflow's; no values: not given */
    struct pingo_action_more more;            /* of the action that is being made */
    const struct pingo_action_more *previous; /* the last that was made; may be NULL */
    const char *options_text; /* executor_options as an action has them; NULL: none, or not yet made */
    struct pingo__map output_paths;
    struct pingo__arena scratch; /* for one action */
    bool no_memory;              /* sticky */
    bool actions_reported;       /* why there are none was told already */
};

/* ---- draft.c ------------------------------------------------------------------- */

/* options: may be NULL.  The draft must be cleared in each case.
 * Errors: PINGO_EINVAL, PINGO_EVERSION (a type's ABI), PINGO_ENOMEM. */
int pingo__workflow_draft_init(struct pingo__workflow_draft *d,
                               const struct pingo_workflow_options *options,
                               struct pingo_error *err);
void pingo__workflow_draft_clear(struct pingo__workflow_draft *d);
/* Room for n actions at once.  false: no memory. */
bool pingo__workflow_draft_reserve(struct pingo__workflow_draft *d, size_t n);
void pingo__workflow_draft_set_name(struct pingo__workflow_draft *d, const char *name);
/* The workflow's env and labels; each name and value is checked. */
void pingo__workflow_draft_set_env(struct pingo__workflow_draft *d, const char *const *pairs,
                                   size_t npairs);
void pingo__workflow_draft_set_labels(struct pingo__workflow_draft *d, const char *const *pairs,
                                      size_t npairs);
/* The workflow's executorOptions: a JSON text. */
void pingo__workflow_draft_set_options(struct pingo__workflow_draft *d, const char *text);
/* The workflow's shell: TEXT or TEXTS. */
void pingo__workflow_draft_set_shell(struct pingo__workflow_draft *d,
                                     const struct pingo_field *shell);
/* Adds an action; spec NULL: one that is so wrong that only its place is kept. */
void pingo__workflow_draft_add(struct pingo__workflow_draft *d,
                               const struct pingo_action_spec *spec);
/* Checks what concerns the whole, and hands over: results as pingo_workflow_parse(). */
int pingo__workflow_draft_finish(struct pingo__workflow_draft *d, struct pingo_workflow **workflow,
                                 struct pingo_problems **problems, struct pingo_error *err);
/* The type of this name, or NULL. */
const struct pingo_action_type *pingo__workflow_draft_type(const struct pingo__workflow_draft *d,
                                                           const char *name);
/* Sorts pairs (npairs strings) by name. */
void pingo__workflow_sort_pairs(const char **pairs, size_t npairs);
/* Copies n strings into the workflow's arena.  NULL: no memory, which is noted. */
const char **pingo__workflow_copy_texts(struct pingo_problem_sink *sink, const char *const *texts,
                                        size_t n, const char *pointer);
/* Merges two sorted lists of pairs of the workflow's arena; where both have a name, own wins.  Shared: what comes of
 * it may be one of them.  No list though one of them has pairs: no memory, which is noted. */
struct pingo__workflow_pairs pingo__workflow_merge_pairs(struct pingo__workflow_draft *d,
                                                         const struct pingo__workflow_pairs *own,
                                                         const struct pingo__workflow_pairs *other);

/* ---- report.c ------------------------------------------------------------------- */

/* An error, as an action type says it. */
#define pingo__workflow_report(sink, pointer, ...)                                                 \
    pingo_problem_add(sink, PINGO_SEVERITY_ERROR, pointer, __VA_ARGS__)
/* The same, with the place of the key. */
void pingo__workflow_report_key(struct pingo_problem_sink *sink, const char *pointer,
                                const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A fault of syntax, at an offset of the text. */
void pingo__workflow_report_fault(struct pingo__workflow_draft *d, const char *pointer,
                                  size_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A pointer in the scratch arena; "" when memory runs out, which is noted. */
const char *pingo__workflow_pointer(struct pingo__workflow_draft *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* prefix/key, with the key's ~ and / escaped. */
const char *pingo__workflow_pointer_to_key(struct pingo__workflow_draft *d, const char *prefix,
                                           const char *key);
/* The words of a text for those who wrote one, those of C for those who built with structures. */
const char *pingo__workflow_words(const struct pingo__workflow_draft *d, const char *of_text,
                                  const char *of_c);
/* How many bytes of a text to quote in a message: at most 60, no character cut.  For "%.*s". */
int pingo__workflow_quoted(const char *text);
/* "unknown key ...", with the nearest of n known ones. */
void pingo__workflow_report_unknown_key(struct pingo_problem_sink *sink, const char *pointer,
                                        const char *key, const char *const *known, size_t n);
/* A copy in the workflow's arena.  Where no strict pass saw it, UTF-8 is checked.  Never NULL. */
const char *pingo__workflow_copy_text(struct pingo_problem_sink *sink, const char *text,
                                      const char *pointer);
/* n elements of this size in an arena, zeroed; NULL when memory runs out, which is noted. */
void *pingo__workflow_draft_array(struct pingo__workflow_draft *d, struct pingo__arena *arena,
                                  size_t n, size_t size);
/* A list of an action: n elements in the workflow's arena, zeroed; NULL, and *count 0, where n is 0 or memory
 * runs out, which is noted. */
void *pingo__workflow_draft_list(struct pingo__workflow_draft *d, size_t n, size_t size,
                                 size_t *count);

/* ---- problems.c, source.c --------------------------------------------------------- */

/* Are as many of them told as may be?  Then this one was counted, and that was all. */
bool pingo__workflow_problems_are_enough(struct pingo_problems *p, enum pingo_severity severity);
/* Notes a problem with its place: its pointer and the formatted message are copied, control characters in
 * the message become blanks.  is_warning: an equal one before is counted once more instead, also where
 * warnings are errors.  false: no memory. */
bool pingo__workflow_problems_note(struct pingo_problems *p,
                                   const struct pingo__workflow_noted *problem, bool is_warning,
                                   const char *format, va_list args);
/* Into the order of the text, and each gets its line and column.  text: NULL where there is none. */
void pingo__workflow_problems_sort(struct pingo_problems *p,
                                   const struct pingo__json_document *text);
/* Fills err with the first error: "LINE:COLUMN: POINTER: message (and N more)".  PINGO_EWORKFLOW. */
int pingo__workflow_problems_fail(const struct pingo_problems *p, struct pingo_error *err);
void pingo__workflow_source_clear(struct pingo__workflow_source *s);
/* Opens a member's value.  NULL: no memory. */
const struct pingo__json_value *pingo__workflow_source_member(
    struct pingo__workflow_source *s, const struct pingo__json_member *member);
/* Opens the next action, which begins at offset, and notes where.  NULL: no memory. */
const struct pingo__json_value *pingo__workflow_source_action(struct pingo__workflow_source *s,
                                                              size_t offset);
/* Where the value stands that pointer names within an action, or, with PINGO__NO_ACTION, within the
 * document; with at_key its key.  false: no memory. */
bool pingo__workflow_source_find(struct pingo__workflow_source *s, size_t action,
                                 const char *pointer, bool at_key, size_t *offset);

/* ---- the parts of an action: links.c, inputs.c, fields.c, unhashed.c, action.c ---- */

/* Sets action->parents, with ids in place of indexes, and their roles. */
void pingo__workflow_add_parents(struct pingo_problem_sink *sink,
                                 const struct pingo_action_spec *spec, struct pingo_action *action);
/* Sets action->inputs. */
void pingo__workflow_add_inputs(struct pingo_problem_sink *sink,
                                const struct pingo_action_spec *spec, struct pingo_action *action);
/* Roles and input names must differ: all are links in one directory. */
void pingo__workflow_check_links(struct pingo_problem_sink *sink,
                                 const struct pingo_action_spec *spec);
/* Of the i-th of an action's links, first the parents, then the inputs; "" where it was wrong. */
const char *pingo__workflow_link_name(const struct pingo_action *action, size_t i);
/* Does it match [A-Za-z0-9_][A-Za-z0-9_.-]{0,63}? */
bool pingo__workflow_is_word(const char *name);
/* Is it up to PINGO__WORDS_MAX such words, joined by '/'? */
bool pingo__workflow_is_link_name(const char *name);
/* Sets action->fields from what the type's table says. */
void pingo__workflow_add_fields(struct pingo_problem_sink *sink,
                                const struct pingo_action_spec *spec, struct pingo_action *action);
/* Checks a shell that was given: a name that is known, or a program and its arguments. */
void pingo__workflow_check_shell(struct pingo_problem_sink *sink, const char *pointer,
                                 const struct pingo_field *shell);
/* Sets the draft's more.labels; more.executor and more.executor_options. */
void pingo__workflow_add_labels(struct pingo_problem_sink *sink,
                                const struct pingo_action_spec *spec);
void pingo__workflow_add_executor(struct pingo_problem_sink *sink,
                                  const struct pingo_action_spec *spec);
/* Checks names and values of an env; prefix is the pointer of the object. */
void pingo__workflow_check_env(struct pingo_problem_sink *sink, const char *prefix,
                               const char *const *pairs, size_t npairs);
/* "a string", "a string or an array of strings", ...; kinds: PINGO_KEY_* or-ed. */
const char *pingo__workflow_kind_words(struct pingo__workflow_draft *d, unsigned kinds);
/* The i-th of the keys that every action may have; NULL: there are no more. */
const char *pingo__workflow_action_key(size_t i);
/* The type's own key of this name; NULL: it has none, or type is NULL. */
const struct pingo_key *pingo__workflow_type_key(const struct pingo_action_type *type,
                                                 const char *key);
/* The absolute path, in the workflow's arena.  NULL: there is none, which is reported, or no memory. */
const char *pingo__workflow_absolute_path(struct pingo_problem_sink *sink, const char *pointer,
                                          const char *given);

/* ---- graph.c, cycles.c ------------------------------------------------------------ */

/* Resolves ids, finds children, order, leaves and what breaks rules 2 to 5. */
void pingo__workflow_draft_connect(struct pingo__workflow_draft *d);
/* waiting[i]: how many parents of action i no order could be found for. */
void pingo__workflow_report_cycles(struct pingo__workflow_draft *d, const uint32_t *waiting);

#endif
