/* generate.h - histories that are made by chance, for trying decision algorithms.
 *
 * A family is a way to make a history, with a default for each of its parameters.
 * The same family, seed and parameters give the same history on every machine: the
 * random numbers are xoshiro256**'s, and only + - * / of doubles and sqrt are used.
 *
 * The uniform, recent and zipf families are the generators of thesis section 4.2 and
 * appendix B: a workflow has new actions and picks among the known ones; each action
 * takes some of the new ones for children, while those still want parents; with
 * all their ancestors they are the workflow.  In the iter families users change their
 * pipelines, one stage at a time.  The rules are told in pingo-generate(1).
 *
 * Any thread; nothing here keeps global state. */
#ifndef PINGO_GENERATE_H
#define PINGO_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include <pingo/decision.h>
#include <pingo/error.h>
#include <pingo/history.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PINGO_GENERATE_DEFAULT "uniform-n"

struct pingo_generate_family {
    const char *name;    /* as in "recent-h" */
    const char *summary; /* one phrase */
};

/* The i-th family; NULL past the end.  Static. */
PINGO_API const struct pingo_generate_family *pingo_generate_family_at(size_t i);
/* The i-th parameter of a family, with the family's default.  What it points to is static.
 * 0, or PINGO_ENOTFOUND past the end. */
PINGO_API int pingo_generate_parameter_at(const struct pingo_generate_family *family, size_t i,
                                          struct pingo_decision_parameter *parameter);

struct pingo_generate_options {
    unsigned version;       /* 1 */
    const char *family;     /* NULL: PINGO_GENERATE_DEFAULT */
    const char *parameters; /* "KEY=VALUE,KEY=VALUE"; NULL or "": the family's defaults */
    uint64_t seed;
};

/* Makes a history.  options: may be NULL, for uniform-n with seed 0.  *history: yours, pingo_history_free().
 *
 * Submissions are at regular steps from 2020 on, by users "u1", "u2", ..., of workflows "w1", "w2", ...
 * (iter: "p1", ..., the pipeline), whose actions stand with parents before children.  Nothing is forced,
 * what became of an action is not known, and the leaves are the actions without a child in the
 * submission.  The k-th distinct action has index k, and the hash SHA-256(base, k), base =
 * SHA-256("pingo-generate 1", NUL, family, NUL, seed, values of the parameters); k and seed as 64 bits,
 * little-endian, values as the 64 bits of a double in the order of the family's list.  So other
 * seeds, families or values have no action in common.
 *
 * Time and memory grow with what is mentioned; in the families with ancestors of any age this may be the
 * square of the number of actions.  Errors: PINGO_EINVAL (no such family, an unknown parameter, a value out
 * of bounds; the message tells what would be right), PINGO_ELIMIT (more than a history holds),
 * PINGO_ENOMEM.  Source: thesis section 4.2 and appendix B. */
PINGO_API int pingo_generate(const struct pingo_generate_options *options,
                             struct pingo_history **history, struct pingo_error *err);

struct pingo_generate_workflow_options {
    unsigned version; /* 1 */
    double time_scale; /* seconds to wait for each second of the history; 0: 1; less than 0: do not wait */
    double size_scale; /* bytes to write for each byte of the history; 0: 1 */
};

/* Makes of a submission, of any history, a workflow that can be run: the text of a definition in the format
 * of pingo-workflow(5), its distinct actions in the order in which they are mentioned, each named
 * "aK" after its index K in the history.
 * An action is a command of /bin/sh that checks that its parents' outputs begin as they should, and
 * makes, in the time of the history, an output of its size (unknown: 0), which repeats a line with
 * the first 16 digits of its hash.  So the output depends on the action's description alone.  Equal actions of
 * several submissions have equal hashes in a store; these are other ones than in the history.
 * options: may be NULL.  *text: yours, free(); it ends with NUL, and has no other.
 * Errors: PINGO_ENOTFOUND (no such submission), PINGO_EINVAL (a scale that is no number, or out of
 * bounds), PINGO_EWORKFLOW (two parents of an action whose hashes begin alike, a name that is not UTF-8),
 * PINGO_ENOMEM.  Source: thesis section 4.2. */
PINGO_API int pingo_generate_workflow(const struct pingo_history *history, uint32_t submission,
                                      const struct pingo_generate_workflow_options *options,
                                      char **text, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
