/* places.h - where originals and tools lay when they were last hashed for a submission, and what was in
 * directories: remarks for people, which enter no hash and which nothing depends on.
 *
 * A definition refers to the places of its inputs, its tools, and the programs of its version commands, in
 * the order of its description; 0: none. */
#ifndef PINGO__STORE_PLACES_H
#define PINGO__STORE_PLACES_H

#include "digest/originals.h"
#include "store/db.h"

/* Notes where one is, in a write transaction; *id: its number. */
int pingo__store_place_note(struct pingo__store_db *db,
                            const struct pingo__digest_original *original, int64_t now_ms,
                            uint32_t *id, struct pingo_error *err);
/* In the arena; place->path NULL: it is not known. */
int pingo__store_place_get(struct pingo__store_db *db, uint32_t id, struct pingo__arena *arena,
                           struct pingo_place *place, struct pingo_error *err);

/* The canonical description behind a hash, with its places.  Insert: PINGO_ECOLLISION when the hash is there with
 * another description; places that are known already give way.  *is_known: was it there?  Before, a guess, which may
 * save work: as a rule what comes next is as known as what came before. */
struct pingo__store_definition {
    struct pingo_hash hash;
    const void *description;
    size_t length;
    const uint32_t *places; /* NULL: none are told, those that are known stay */
    size_t nplaces;
};
int pingo__store_definition_insert(struct pingo__store_db *db,
                                   const struct pingo__store_definition *definition, bool *is_known,
                                   struct pingo_error *err);
/* In the arena; n 0: none are known. */
struct pingo__store_places {
    const uint32_t *ids;
    size_t n;
};
int pingo__store_definition_places(struct pingo__store_db *db, const struct pingo_hash *hash,
                                   struct pingo__arena *arena, struct pingo__store_places *list,
                                   struct pingo_error *err);

/* What lay in a directory of this content, as listing.h says; in the arena; NULL: it is not known. */
static inline PINGO__GET(pingo__store_tree_listing(DB, const struct pingo_hash *tree,
                                                   struct pingo__arena *arena,
                                                   struct pingo__store_bytes *listing, ERR),
                         pingo__store_blobs, arena, listing,
                         "SELECT 0, listing FROM tree_listing WHERE tree = ?", HASH(tree));

#endif
