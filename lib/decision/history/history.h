/* history.h - the insides of a history, for this room alone.
 *
 * What always holds: the parents of action i are parents[first_edge of i ..
 * first_edge of i + 1), rising, each once, each smaller than i; edges has an entry
 * beside each of them; what lies in the arena never moves. */
#ifndef PINGO__DECISION_HISTORY_H
#define PINGO__DECISION_HISTORY_H

#include <string.h>

#include <pingo/history.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"

struct pingo__decision_history_action {
    struct pingo_hash hash;
    uint32_t first_edge;
    uint32_t first_child; /* an edge that leads to the newest child; NONE */
    uint32_t mentioned,
        parent; /* stamps of the append that mentioned it last, or had a child of it last */
};

/* What is known of an action; apart, because a decision looks at those of all datasets. */
struct pingo__decision_history_facts {
    int64_t size_bytes, compute_ms; /* -1 */
};

struct pingo__decision_history_edge {
    uint32_t child;
    uint32_t next; /* an edge to an older child of the same parent; NONE */
};

/* Bytes that many may share: each piece once, numbered as they come. */
struct pingo__decision_history_piece {
    const void *bytes; /* in an arena; NUL follows, where that is ours */
    size_t n;
};
struct pingo__decision_history_pieces {
    struct pingo__decision_history_piece *all;
    uint32_t n;
    size_t capacity;
    struct pingo__map map;
};

struct pingo__decision_history_item { /* a submission */
    int64_t at_ms;
    uint32_t user, workflow; /* names */
    uint32_t content;
    uint32_t nknown; /* distinct actions after it */
};

struct pingo__decision_history_eviction {
    int64_t at_ms, size_bytes;
    uint32_t action, submission;
};

struct pingo_history {
    struct pingo__arena arena;
    struct pingo__decision_history_action *actions;
    struct pingo__decision_history_facts *facts; /* of each action */
    uint32_t nactions;
    size_t actions_capacity, facts_capacity;
    uint32_t *slots; /* index + 1 by hash, 0: free; a power of two, at most 3/4 of it taken */
    size_t nslots;
    uint64_t keys[9]; /* of the hash over hashes */
    uint32_t *parents;
    struct pingo__decision_history_edge *edges;
    uint32_t nedges;
    size_t parents_capacity, edges_capacity;
    struct pingo__decision_history_pieces lists; /* the actions of a submission, uint32_t each */
    struct pingo__decision_history_pieces contents; /* the number of a list, 4 bytes, then a flag an action */
    struct pingo__decision_history_item *items;
    uint32_t nitems;
    size_t items_capacity;
    uint64_t nmentions;
    struct pingo__decision_history_pieces users, workflows; /* names */
    struct pingo__decision_history_eviction *evictions;
    size_t nevictions, evictions_capacity;
    uint32_t stamp;    /* of the append that goes on */
    uint32_t *scratch; /* of append */
    size_t scratch_capacity;
    const struct pingo_history *whole; /* of which it is the beginning; NULL once anything else came */
};

/* ---- the table ---- */
bool pingo__decision_history_table_open(struct pingo_history *h);
/* Room for more hashes at once. */
bool pingo__decision_history_table_room(struct pingo_history *h, size_t more);
/* The slot of a hash, or the free one where it goes. */
size_t pingo__decision_history_slot(const struct pingo_history *h, const struct pingo_hash *hash);

/* What a submission mentions. */
struct pingo__decision_history_content {
    const uint32_t *actions;
    const uint8_t *flags;
    uint32_t n, list;
};
static inline struct pingo__decision_history_content pingo__decision_history_content(
    const struct pingo_history *h, uint32_t number)
{
    const uint8_t *bytes = h->contents.all[number].bytes;
    struct pingo__decision_history_content c = {.flags = bytes + 4};
    memcpy(&c.list, bytes, 4);
    c.actions = h->lists.all[c.list].bytes;
    c.n = (uint32_t)(h->lists.all[c.list].n / sizeof *c.actions);
    return c;
}

/* How many parents an action has; those begin at its first_edge. */
static inline uint32_t pingo__decision_history_nparents(const struct pingo_history *h,
                                                        uint32_t action)
{
    uint32_t end = action + 1 < h->nactions ? h->actions[action + 1].first_edge : h->nedges;
    return end - h->actions[action].first_edge;
}

/* ---- append ---- */
/* What is common to each kind of append: from here on actions are indexes. */
struct pingo__decision_history_tail {
    const uint32_t *actions;
    uint32_t n;
    uint8_t *key;  /* 4 bytes for the list's number, then n flags */
    uint32_t list; /* NONE: to be looked up */
    const char *user, *workflow;
    int64_t at_ms;
    /* After prepare: of each its number, or, where it is new, NONE and a copy. */
    struct pingo__decision_history_found {
        uint32_t number;
        struct pingo__decision_history_piece copy;
    } found_user, found_workflow, found_list, found_content;
};
/* Finds the list, where it is not given, and the flags, or makes copies of them, and room for the submission. */
int pingo__decision_history_tail_prepare(struct pingo_history *h,
                                         struct pingo__decision_history_tail *t,
                                         struct pingo_error *err);
void pingo__decision_history_tail_commit(struct pingo_history *h,
                                         const struct pingo__decision_history_tail *t);

/* Copies the flags of n mentions that are handed in.  false: some are none. */
bool pingo__decision_history_flags(uint8_t *to, const uint8_t *flags, uint32_t n);

/* As the public one.  *blame, where it fails with PINGO_EINVAL: the mention that is wrong, or NONE; the
 * message does not tell it. */
int pingo__decision_history_append(struct pingo_history *h, const struct pingo_history_entry *entry,
                                   uint32_t *blame, struct pingo_error *err);

/* ---- read ---- */
struct pingo__decision_history_text {
    const char *text;
    size_t length;
    const char *pointer; /* JSON pointer of the text in the document that it is a piece of; "" */
    size_t wrong;        /* where it is wrong: an offset */
};
/* As pingo_history_read_line(), but a message has no place: text->wrong is it where this fails with
 * PINGO_EINVAL. */
int pingo__decision_history_read(struct pingo_history *h, struct pingo__decision_history_text *text,
                                 struct pingo_error *err);

#endif
