/* resolve.c - what a person writes for a submission or a dataset. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "engine/engine.h"
#include "store/dataset/datasets.h"

#define AT_ONCE 64 /* datasets that are looked at in one read */

int pingo_store_resolve_workflow(struct pingo_store *store, const char *text, int64_t *workflow,
                                 struct pingo_error *err)
{
    int rc;
    if (strcmp(text, "last") == 0) {
        rc = pingo__store_workflow_last(&store->db, workflow, err);
        if (!rc && *workflow == 0)
            rc = pingo__fail(err, PINGO_ENOTFOUND, "nothing was submitted to this store yet");
        return rc;
    }
    if (!pingo__text_to_int64(text, 1, INT64_MAX, workflow))
        return pingo__fail(err, PINGO_ENOTFOUND,
                           "\"%s\" is not a workflow's number; give a number or \"last\"", text);
    struct pingo__store_workflow_row row;
    rc = pingo__engine_workflow_row(store, *workflow, NULL, &row, err);
    return rc;
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

/* What a prefix has met so far: more than one is too many. */
struct found {
    const char *user; /* NULL: anybody's count */
    struct pingo_hash hash;
    size_t n;
};

static bool next_hash(struct pingo_hash *hash)
{
    size_t i = PINGO_HASH_SIZE;
    while (i > 0 && ++hash->bytes[i - 1] == 0)
        i--;
    return i > 0;
}

static int meet(struct pingo_store *store, const struct pingo__store_dataset_list *list,
                struct found *found, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < list->n && found->n < 2; i++) {
        bool counts = true;
        if (found->user)
            rc = pingo_store_dataset_is_of(store, &list->rows[i].hash, found->user, &counts, err);
        if (!rc && counts && found->n++ == 0)
            found->hash = list->rows[i].hash;
    }
    return rc;
}

static int resolve_prefix(struct pingo_store *store, const char *prefix, struct found *found,
                          struct pingo_error *err)
{
    struct pingo_hash low, high;
    bool goes_on = prefix_range(prefix, &low, &high);
    int rc = 0;
    if (!goes_on)
        return pingo__fail(
            err, PINGO_ENOTFOUND,
            "\"%s\" is no prefix of a hash: give at least 4 of its lower-case hex digits", prefix);
    while (!rc && goes_on && found->n < 2) {
        struct pingo__arena arena = {0};
        struct pingo__store_dataset_list list = {.arena = &arena, .limit = AT_ONCE};
        rc = pingo__store_dataset_list_between(&store->db, &low, &high, &list, err);
        if (!rc)
            rc = meet(store, &list, found, err);
        goes_on = !rc && list.n == AT_ONCE;
        if (goes_on) {
            low = list.rows[AT_ONCE - 1].hash;
            goes_on = next_hash(&low);
        }
        pingo__arena_clear(&arena);
    }
    if (rc)
        return rc;
    if (found->n == 0)
        return pingo__fail(err, PINGO_ENOTFOUND, "no dataset%s has a hash that begins with %s",
                           found->user ? " of yours" : "", prefix);
    if (found->n > 1)
        return pingo__fail(
            err, PINGO_EAMBIGUOUS,
            "more than one dataset%s has a hash that begins with %s; give more digits",
            found->user ? " of yours" : "", prefix);
    return 0;
}

int pingo_store_resolve_dataset_of(struct pingo_store *store, const char *prefix, const char *user,
                                   struct pingo_hash *hash, struct pingo_error *err)
{
    struct found found = {.user = user};
    int rc = resolve_prefix(store, prefix, &found, err);
    if (!rc)
        *hash = found.hash;
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
