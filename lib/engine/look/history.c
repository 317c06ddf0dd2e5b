/* history.c - the history of a store, for whoever asks; and what makes it anonymous.
 *
 * All is read in one view of the database. */
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "digest/sha256.h"
#include "engine/engine.h"
#include "manager/submission/history.h"

int pingo__engine_history_in_view(struct pingo_store *store,
                                  const struct pingo_store_history_options *options,
                                  bool with_evictions, struct pingo_history **history,
                                  struct pingo_error *err)
{
    struct pingo__manager_history_load l;
    int rc = pingo__manager_history_load_init(&l, &store->db, err);
    if (!rc)
        rc = pingo__manager_history_load_more(&l, options->since_ms, options->until_ms, err);
    if (!rc)
        rc = pingo__manager_history_load_known(&l, err);
    if (!rc && with_evictions)
        rc = pingo__manager_history_load_evictions(&l, err);
    *history = rc ? NULL : l.history;
    l.history = rc ? l.history : NULL;
    pingo__manager_history_load_clear(&l);
    return rc;
}

int pingo_store_history(struct pingo_store *store, const struct pingo_store_history_options *options,
                        struct pingo_history **history, struct pingo_error *err)
{
    struct pingo_store_history_options own;
    int rc = PINGO__OPTIONS_TAKE(pingo_store_history_options, options, &own, err);
    *history = NULL;
    if (!rc)
        rc = pingo__store_db_begin_read(&store->db, err);
    if (rc)
        return rc;
    rc = pingo__engine_history_in_view(store, &own, true, history, err);
    pingo__store_db_rollback(&store->db);
    return rc;
}

/* ---- anonymity ---------------------------------------------------------------------------- */

int pingo_history_salt(struct pingo_hash *salt, struct pingo_error *err)
{
    const struct pingo__world *world = pingo__world_real();
    int rc = world->random(world->context, salt->bytes, sizeof salt->bytes);
    return rc < 0 ? pingo__fail_os(err, -rc, "reading", "the system's randomness") : 0;
}

int pingo_history_rehash(void *salt, const struct pingo_hash *hash, struct pingo_hash *other)
{
    const struct pingo_hash *secret = salt;
    uint8_t both[2 * PINGO_HASH_SIZE];
    memcpy(both, secret->bytes, PINGO_HASH_SIZE);
    memcpy(both + PINGO_HASH_SIZE, hash->bytes, PINGO_HASH_SIZE);
    pingo__digest_sha256(both, sizeof both, other);
    return 0;
}
