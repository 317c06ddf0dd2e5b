/* way.h - the way from a text to its hashes, which submissions and dry runs share. */
#ifndef PINGO__ENGINE_WAY_H
#define PINGO__ENGINE_WAY_H

#include "engine/engine.h"
#include "manager/attempt/inputs.h"
#include "manager/dataset/suspects.h"

/* What is gathered on the way. */
struct pingo__engine_way {
    struct pingo_store *store;
    struct pingo_submit_options options;
    const char *base_dir; /* NULL: none */
    const char *text;     /* borrowed; NULL: none, or not read */
    size_t length;
    struct pingo_problems **problems; /* the caller's, where there is a text; may be NULL */
    struct pingo_workflow *parsed;    /* ours */
    const struct pingo_workflow *workflow;
    struct pingo_originals *originals;
    struct pingo_digests *digests;
    struct pingo__manager_content_memory memory;
    struct pingo__digest_content_cache cache;
    struct pingo__manager_suspects suspects;
    size_t *targets, *forced;
};

/* Always to be closed, also after an error. */
int pingo__engine_way_open(struct pingo__engine_way *w, struct pingo_store *store,
                           const struct pingo_submit_options *options, struct pingo_error *err);
void pingo__engine_way_close(struct pingo__engine_way *w);
int pingo__engine_way_parse(struct pingo__engine_way *w, const char *text, size_t length,
                            struct pingo_problems **problems, struct pingo_error *err);
void pingo__engine_way_parse_options(struct pingo__engine_way *w,
                                     struct pingo_workflow_options *options);
/* Identifies and hashes w->workflow. */
int pingo__engine_way_hash(struct pingo__engine_way *w, struct pingo_error *err);
/* Puts in the place of the problems all that is wrong with the text, and with inputs, tools and versions
 * that cannot be read.  unreadable.c */
void pingo__engine_way_tell_unreadable(struct pingo__engine_way *w);
int pingo__engine_way_plan_options(struct pingo__engine_way *w, struct pingo_plan_options *plan,
                                   struct pingo_error *err);
/* Datasets that lie there as other files than were published are compared by content, outside any transaction. */
int pingo__engine_way_read_suspects(struct pingo__engine_way *w, struct pingo_error *err);

#endif
