/* context.h - what every manager is given: the store, the pool, who we are.
 *
 * The managers share nothing else in memory; they meet through rows of the store. */
#ifndef PINGO__MANAGER_CONTEXT_H
#define PINGO__MANAGER_CONTEXT_H

#include <pingo/action_type.h>

#include "pool/pool.h"
#include "store/db.h"

struct pingo__manager_workers;
struct pingo__manager_asking;

struct pingo__manager_context {
    struct pingo__store_db *db;
    struct pingo__pool *pool;
    struct pingo__pool *patient; /* the same, for other threads: who asks this one waits for the answer */
    struct pingo__manager_asking *asking; /* of a scheduler whose pool lies elsewhere: asking.h; else NULL */
    struct pingo__manager_workers *workers; /* of a scheduler; else NULL */
    const struct pingo__world *world;
    const char *store_id;
    int64_t owner;                                /* the row of this scheduler; 0: none */
    const struct pingo_action_type *const *types; /* besides the built-in ones */
    size_t ntypes;
    bool sandbox;                    /* actions are confined where they can be */
    const char *const *sandbox_read; /* what they may read besides; ends with NULL; NULL: nothing */
    struct pingo__manager_trouble {
        uint64_t hash;   /* of its words; 0: none */
        int64_t seen_ms; /* last, by the monotonic clock */
    } troubles[8];       /* why actions cannot be started: each is told once */
    int64_t max_starts;  /* how often an action may be started whose attempts are lost */
    int64_t cache_bytes; /* of a pool that lies elsewhere: so much is kept here */
    int64_t failed_ms;   /* for how long what nobody uses stays in a pool that lies elsewhere */
    bool must_trim;      /* it is time to look for that */
    int64_t ncopies;     /* how often it was learned how many copies the pool keeps */
    size_t nlost;        /* datasets whose bytes were found gone, since that was told to its end */
    int64_t left_ms;     /* monotonic: when what lies beside a target could not go; 0: never */
    int64_t freed_ms;    /* when this scheduler last deleted something; 0: never */
    int64_t removed_bytes,
        removing_bytes; /* of datasets that it has deleted, and that it is deleting */
    void (*log)(void *context, enum pingo_log_level level, const char *message); /* may be NULL */
    void *log_context;
};

void pingo__manager_log(const struct pingo__manager_context *c, enum pingo_log_level level,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));
int64_t pingo__manager_now_ms(const struct pingo__manager_context *c);
/* By the monotonic clock. */
int64_t pingo__manager_elapsed_ms(const struct pingo__manager_context *c);
/* Has this reason, but for the numbers in it, not been met for a while? */
bool pingo__manager_trouble_is_new(struct pingo__manager_context *c, const char *reason);
/* In thousandths, how often the pool holds a byte with all copies that it keeps of it, as it was asked last: 1000 where
 * it keeps one, or was not asked.  Learned outside any transaction. */
int pingo__manager_copies_known(struct pingo__manager_context *c, int64_t *thousandths,
                                struct pingo_error *err);
int pingo__manager_copies_learn(struct pingo__manager_context *c,
                                const struct pingo__pool_space *space, struct pingo_error *err);
/* The table of an action type, or NULL. */
const struct pingo_action_type *pingo__manager_type_find(const struct pingo__manager_context *c,
                                                         const char *name);
/* What is run, by the type's own function.  Errors: PINGO_ENOMEM, PINGO_ECORRUPT, whatever else that returns. */
int pingo__manager_type_render(const struct pingo_action_type *type,
                               const struct pingo_description *description, struct pingo_job *job,
                               struct pingo_error *err);
/* Does whoever embeds the library run it?  type: may be NULL; an older table does not say. */
bool pingo__manager_type_is_embedders(const struct pingo_action_type *type);

#endif
