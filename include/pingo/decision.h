/* decision.h - what to delete when the pool is full: the table of a decision algorithm.
 *
 * An algorithm is a constant struct pingo_decision_algorithm: built in, handed
 * in by the embedder, or loaded from a shared object.  It names datasets by the
 * index that their action has in a history (<pingo/history.h>), and is told of
 * each submission and of each dataset that comes or goes.
 *
 * What is kept and what is exact.  Between decisions an algorithm keeps what
 * follows from the submissions 0..S-1 in their order (what became of their actions
 * included), and which datasets are present; a decision looks at nothing else but the sizes and times that the
 * history has at that moment.  So a decision of an algorithm that was there all
 * the time (warm) equals that of one opened just now on the same history and told
 * the same datasets (cold), to the byte, on every machine: ages count
 * submissions, never seconds, fits fall on submission numbers, and nothing but +,
 * -, *, / and sqrt of doubles is used.  An algorithm whose table says
 * remembers_evictions is a function of the sequence of calls instead.
 *
 * Source: thesis sections 2.2.2, 3.7 and 3.8; how to write one: pingo-decision(7). */
#ifndef PINGO_DECISION_H
#define PINGO_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/error.h>
#include <pingo/history.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PINGO_DECISION_ABI 1
/* A plug-in exports a constant of this name: the address of its table, as
 *
 *     const struct pingo_decision_algorithm *const
 *         pingo_decision_plugin = &mine; */
#define PINGO_DECISION_SYMBOL "pingo_decision_plugin"

enum pingo_parameter_kind {
    PINGO_PARAMETER_INTEGER = 1, /* up to 2^53 */
    PINGO_PARAMETER_NUMBER = 2,
    PINGO_PARAMETER_CHOICE = 3 /* one of some words; its value is the word's index */
};

/* Fixed: it never grows. */
struct pingo_decision_parameter {
    const char *name; /* lower case */
    enum pingo_parameter_kind kind;
    double minimum, maximum;    /* both allowed; not of a choice */
    double value;               /* the default */
    const char *const *choices; /* of a choice: its words; ends with NULL */
    const char *meaning;        /* one phrase */
};

struct pingo_decision_victim {
    uint32_t dataset;
    double score; /* the smallest goes first; finite */
};
/* Is told of a victim.  0, or a number other than 0 that ends the decision. */
typedef int (*pingo_decision_victim_fn)(void *context, const struct pingo_decision_victim *victim);

/* What a decision is asked for. */
struct pingo_decision_request {
    unsigned version;    /* 1 */
    uint64_t free_bytes; /* F: what the victims shall hold together */
    /* Which present datasets may go: not what is claimed, kept or a leaf.  NULL: all. */
    bool (*is_candidate)(void *context, uint32_t dataset);
    pingo_decision_victim_fn victim; /* called for each, in the order in which they go */
    void *context;                   /* of both, which must not call back */
    /* NULL, or all that is_candidate allows, each once, in any order, and perhaps others: who looks at
     * these alone need not look at all that is present. */
    const uint32_t *candidates;
    size_t ncandidates;
};

/* Its functions must not call back the store or the scheduler: what they look at is the history. */
struct pingo_decision_algorithm {
    unsigned abi_version; /* PINGO_DECISION_ABI */
    const char *name;     /* [a-z0-9-]+ */
    const char *summary;  /* one phrase */
    const struct pingo_decision_parameter *parameters;
    size_t nparameters;
    bool remembers_evictions; /* a function of the sequence of calls: see above */
    /* values: one a parameter, checked.  The history outlives the state; nothing of it is observed yet. */
    int (*open)(const struct pingo_history *history, const double *values, void **state,
                struct pingo_error *err);
    void (*close)(void *state); /* takes NULL */
    /* The next submission of the history is to be taken in: 0, 1, 2, ...  After an error nothing has
     * changed, and the same one comes again. */
    int (*observe)(void *state, uint32_t submission, struct pingo_error *err);
    /* A dataset of an observed action is there now; it was not before.  After an error it is not. */
    int (*present)(void *state, uint32_t dataset, struct pingo_error *err);
    /* A dataset that was there is gone; evicted: by a decision. */
    void (*missing)(void *state, uint32_t dataset, bool evicted);
    /* Chooses.  Changes nothing that a later decision could see: whoever carries it out calls missing.
     * Where the candidates hold less than free_bytes, all go.  Errors: PINGO_EINTERRUPTED (victim
     * returned other than 0), PINGO_ENOMEM. */
    int (*choose)(void *state, const struct pingo_decision_request *request,
                  struct pingo_error *err);
    /* Says in a phrase what the score of a present dataset is made of, as things stand now.  Writes at
     * most size bytes with the NUL.  May be NULL. */
    void (*reason)(void *state, uint32_t dataset, char *text, size_t size);
};

/* ---- the built-in ones --------------------------------------------------------- */

#define PINGO_DECISION_DEFAULT "chain" /* the default algorithm */

/* The i-th algorithm, by name; NULL past the end.  Static.  Any thread. */
PINGO_API const struct pingo_decision_algorithm *pingo_decision_at(size_t i);
/* NULL where there is none of this name.  Static.  Any thread. */
PINGO_API const struct pingo_decision_algorithm *pingo_decision_find(const char *name);

/* Reads "KEY=VALUE,KEY=VALUE" (NULL or "": all defaults) into values, one a parameter.
 * Errors: PINGO_EINVAL (an unknown key, one given twice, a value out of bounds; the message tells what
 * would be right). */
PINGO_API int pingo_decision_values(const struct pingo_decision_algorithm *algorithm,
                                    const char *text, double *values, struct pingo_error *err);

/* An algorithm with its values, as people write it: NAME, NAME:KEY=VALUE,... or ./PLUG-IN.so:KEY=VALUE,... */
struct pingo_decision_selection; /* opaque */
/* What has a slash before the first colon is the path of a plug-in, which is loaded.  It calls the functions
 * of <pingo/history.h> in the program that loads it: a program that links the static library exports
 * them (-rdynamic).  *selection: yours.  Errors: PINGO_EINVAL (no such algorithm, a bad parameter, a table
 * that lacks functions), PINGO_EVERSION (another ABI), PINGO_EIO (the object cannot be loaded, or does not
 * export pingo_decision_plugin), PINGO_ENOMEM. */
PINGO_API int pingo_decision_select(const char *text, struct pingo_decision_selection **selection,
                                    struct pingo_error *err);
/* Frees the selection and unloads the plug-in: nothing opened from it may be left.  NULL is fine. */
PINGO_API void pingo_decision_selection_free(struct pingo_decision_selection *selection);
/* Its algorithm; good until the selection is freed. */
PINGO_API const struct pingo_decision_algorithm *pingo_decision_selection_algorithm(
    const struct pingo_decision_selection *selection);
/* Its values, one a parameter; borrowed. */
PINGO_API const double *pingo_decision_selection_values(
    const struct pingo_decision_selection *selection);

/* ---- driving one ----------------------------------------------------------------- */

/* A state of an algorithm on a history, used by one thread at a time.  It keeps to the order of calls that
 * the table demands, and checks what the algorithm says. */
struct pingo_decider; /* opaque */

/* values NULL: defaults.  The table, and the history (which may grow), outlive it.  *decider: yours.
 * Errors: PINGO_EINVAL (a table that lacks functions, a value out of bounds), PINGO_EVERSION,
 * PINGO_ENOMEM, those of the algorithm. */
PINGO_API int pingo_decider_new(const struct pingo_decision_algorithm *algorithm,
                                const double *values, const struct pingo_history *history,
                                struct pingo_decider **decider, struct pingo_error *err);
/* Closes the state of the algorithm, whose table must still be loaded.  NULL is fine. */
PINGO_API void pingo_decider_free(struct pingo_decider *decider);
/* Takes in what was appended to the history.  present, missing and choose do so too.  After an error it can
 * be called again.  Errors: those of the algorithm. */
PINGO_API int pingo_decider_observe(struct pingo_decider *decider, struct pingo_error *err);
/* Tells which datasets there are; nothing happens where it is known.  Errors: PINGO_EINVAL (no such
 * action), those of the algorithm. */
PINGO_API int pingo_decider_present(struct pingo_decider *decider, uint32_t dataset,
                                    struct pingo_error *err);
/* Tells that a dataset is gone; evicted: by a decision.  Nothing happens where it is known.  Errors: likewise. */
PINGO_API int pingo_decider_missing(struct pingo_decider *decider, uint32_t dataset, bool evicted,
                                    struct pingo_error *err);

struct pingo_decision_result {
    size_t size; /* set by you: sizeof; see <pingo/version.h> */
    size_t nvictims;
    uint64_t freed_bytes;     /* what they hold */
    uint64_t shortfall_bytes; /* what is missing to free_bytes: the candidates hold no more */
};
/* Decides; deletes nothing and marks nothing missing.  result: may be NULL.  Errors: PINGO_EINVAL (no
 * victim function), PINGO_EINTERRUPTED (it returned other than 0), PINGO_ESTATE (the algorithm named
 * something that is no candidate, or twice, or a score that is no number, or stopped too early: victims
 * told so far are to be dropped; or a function of it failed with a number that is none of <pingo/error.h>),
 * PINGO_ENOMEM, those of the algorithm. */
PINGO_API int pingo_decider_choose(struct pingo_decider *decider,
                                   const struct pingo_decision_request *request,
                                   struct pingo_decision_result *result, struct pingo_error *err);
/* What a dataset's score is made of now; "" where the algorithm does not tell. */
PINGO_API void pingo_decider_reason(struct pingo_decider *decider, uint32_t dataset, char *text,
                                    size_t size);
/* What the open() of its algorithm gave, for who wrote it.  Borrowed. */
PINGO_API void *pingo_decider_state(struct pingo_decider *decider);

/* ---- scenarios --------------------------------------------------------------------- */

/* A history, what is stored, and what is to be freed, in a JSON text: an algorithm can be tried without a
 * store.  The format is told in pingo-decision(7). */
struct pingo_scenario; /* opaque */

/* *scenario: yours; it borrows nothing.  Errors: PINGO_EINVAL (line and column, or the pointer, in the
 * message), PINGO_ELIMIT, PINGO_ENOMEM. */
PINGO_API int pingo_scenario_parse(const char *text, size_t length,
                                   struct pingo_scenario **scenario, struct pingo_error *err);
/* Frees the scenario and all it lent.  NULL is fine. */
PINGO_API void pingo_scenario_free(struct pingo_scenario *scenario);

struct pingo_scenario_victim {
    uint32_t dataset;
    struct pingo_hash hash;
    double score;
    int64_t size_bytes;
    int64_t compute_ms; /* -1: unknown */
    const char *reason;
};
typedef int (*pingo_scenario_victim_fn)(void *context, const struct pingo_scenario_victim *victim);
struct pingo_scenario_options {
    unsigned version; /* 1 */
    const struct pingo_decision_algorithm *algorithm;
    const double *values; /* one a parameter; NULL: defaults */
    /* Called for each victim, in the order in which they go, when all is decided; the reason is what holds when those
     * before it are gone; it may call back. */
    pingo_scenario_victim_fn victim;
    void *context;
};
/* What an algorithm would delete.  result: may be NULL.  Errors: those of pingo_decider_new() and
 * pingo_decider_choose(). */
PINGO_API int pingo_scenario_decide(const struct pingo_scenario *scenario,
                                    const struct pingo_scenario_options *options,
                                    struct pingo_decision_result *result, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
