/* resolve.c - what a person writes for a submission or a dataset. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "engine/engine.h"

int pingo_store_resolve_workflow(struct pingo_store *store, const char *text, int64_t *workflow,
                                 struct pingo_error *err)
{
    if (strcmp(text, "last") == 0) {
        int rc = pingo__store_workflow_last(&store->db, workflow, err);
        if (!rc && *workflow == 0)
            rc = pingo__fail(err, PINGO_ENOTFOUND, "nothing was submitted to this store yet");
        return rc;
    }
    if (!pingo__text_to_int64(text, 1, INT64_MAX, workflow))
        return pingo__fail(err, PINGO_ENOTFOUND,
                           "\"%s\" is not a workflow's number; give a number or \"last\"", text);
    struct pingo__store_workflow_row row;
    return pingo__engine_workflow_row(store, *workflow, NULL, &row, err);
}

static bool prefix_range(const char *prefix, struct pingo_hash *low, struct pingo_hash *high)
{
    size_t n = strlen(prefix);
    char hex[PINGO_HASH_HEX_SIZE];
    if (n < 4 || n > 2 * PINGO_HASH_SIZE || strspn(prefix, "0123456789abcdef") != n)
        return false;
    memset(hex, '0', sizeof hex);
    memcpy(hex, prefix, n);
    hex[2 * PINGO_HASH_SIZE] = '\0';
    pingo_hash_from_hex(hex, low);
    memset(hex + n, 'f', 2 * PINGO_HASH_SIZE - n);
    return pingo_hash_from_hex(hex, high) == 0;
}

int pingo_store_resolve_dataset_of(struct pingo_store *store, const char *prefix, const char *user,
                                   struct pingo_hash *hash, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_hash_range range = {.user = user};
    struct pingo__store_hash_list found = {.arena = &arena};
    if (!prefix_range(prefix, &range.low, &range.high))
        return pingo__fail(
            err, PINGO_ENOTFOUND,
            "\"%s\" is no prefix of a hash: give at least 4 of its lower-case hex digits", prefix);
    int rc = pingo__store_dataset_first_two(&store->db, &range, &found, err);
    if (!rc && found.n == 0)
        rc = pingo__fail(err, PINGO_ENOTFOUND, "no dataset%s has a hash that begins with %s",
                         user ? " of yours" : "", prefix);
    else if (!rc && found.n > 1)
        rc = pingo__fail(err, PINGO_EAMBIGUOUS,
                         "more than one dataset%s has a hash that begins with %s; give more digits",
                         user ? " of yours" : "", prefix);
    else if (!rc)
        *hash = found.rows[0];
    pingo__arena_clear(&arena);
    return rc;
}

int pingo_store_resolve_dataset(struct pingo_store *store, const char *workflow, const char *action,
                                struct pingo_hash *hash, struct pingo_error *err)
{
    int64_t number = 0;
    if (!action)
        return pingo_store_resolve_dataset_of(store, workflow, NULL, hash, err);
    int rc = pingo_store_resolve_workflow(store, workflow, &number, err);
    if (rc)
        return rc;
    struct pingo__engine_named named;
    rc = pingo__engine_named_find(store, &(struct pingo_action_name){number, action}, &named, err);
    if (!rc)
        *hash = named.action.node.hash;
    pingo__arena_clear(&named.arena);
    return rc;
}
