/* caller.c - roles; for whom a handle works: what he may, and that it is noted.
 *
 * What always holds: it is asked in the write transaction of what he does, so that nobody else changes whose it is
 * meanwhile, and the note is there where the change is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/engine.h"

/* ---- roles -------------------------------------------------------------------------------- */

static const char *const roles[] = {"viewer", "submitter", "admin"};
#define NROLES (sizeof roles / sizeof *roles)

const char *pingo_role_name(enum pingo_role role)
{
    return role >= PINGO_ROLE_VIEWER && role <= PINGO_ROLE_ADMIN ? roles[role - 1] : NULL;
}

bool pingo_role_parse(const char *text, enum pingo_role *role)
{
    for (size_t i = 0; i < NROLES; i++)
        if (strcmp(text, roles[i]) == 0) {
            *role = (enum pingo_role)(i + 1);
            return true;
        }
    return false;
}

/* ---- for whom a handle works ------------------------------------------------------------- */

int pingo_store_act_for(struct pingo_store *store, const struct pingo_caller *caller,
                        struct pingo_error *err)
{
    struct pingo_caller c;
    struct pingo__engine_caller own = {.role = 0};
    int rc = PINGO__OPTIONS_TAKE(pingo_caller, caller, &c, err);
    if (!rc && caller && (!c.user || !c.way || !pingo_role_name(c.role)))
        rc = pingo__fail(err, PINGO_EINVAL, "a caller has a user, a role and a way in");
    if (!rc && caller)
        rc = pingo__engine_label_check(c.user, "a user", PINGO__LABEL_MAX, err);
    if (!rc && caller)
        rc = pingo__engine_label_check(c.way, "a way in", PINGO__LABEL_MAX, err);
    if (rc)
        return rc; /* nobody may more for it */
    if (caller) {
        snprintf(own.user, sizeof own.user, "%s", c.user);
        snprintf(own.way, sizeof own.way, "%s", c.way);
        own.role = c.role;
    }
    store->caller = own;
    return 0;
}

static int note(struct pingo_store *store, const char *verb, const char *object,
                struct pingo_error *err)
{
    const struct pingo__engine_caller *c = &store->caller;
    struct pingo_audit audit = {
        pingo__manager_now_ms(&store->context), c->user, c->way, verb, object, "done"};
    return pingo__store_audit_insert(&store->db, &audit, err);
}

static int check_role(const struct pingo_store *store, enum pingo_role least, const char *what,
                      struct pingo_error *err)
{
    const struct pingo__engine_caller *c = &store->caller;
    return !c->role || c->role >= least
               ? 0
               : pingo__fail(err, PINGO_EFORBIDDEN, "%s is a %s, and may not %s", c->user,
                             pingo_role_name(c->role), what);
}

int pingo__engine_may_load(const struct pingo_store *store, struct pingo_error *err)
{
    return check_role(store, PINGO_ROLE_ADMIN, "have plug-ins loaded", err);
}

static int check_owner(struct pingo_store *store, int64_t workflow, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_workflow_row row;
    if (store->caller.role == PINGO_ROLE_ADMIN)
        return 0;
    int rc = pingo__engine_workflow_row(store, workflow, &arena, &row, err);
    if (!rc && strcmp(row.user, store->caller.user) != 0)
        rc = pingo__fail(err, PINGO_EFORBIDDEN,
                         "workflow %" PRId64 " is of %s: %s may not change it", workflow, row.user,
                         store->caller.user);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__engine_may_workflow(struct pingo_store *store, const char *verb, int64_t workflow,
                               struct pingo_error *err)
{
    char object[64];
    if (!store->caller.role)
        return 0;
    snprintf(object, sizeof object, "workflow %" PRId64, workflow);
    int rc = check_role(store, PINGO_ROLE_SUBMITTER, verb, err);
    if (!rc)
        rc = check_owner(store, workflow, err);
    return rc ? rc : note(store, verb, object, err);
}

int pingo__engine_may_dataset(struct pingo_store *store, const char *verb,
                              const struct pingo_hash *hash, struct pingo_error *err)
{
    char object[16 + PINGO_HASH_HEX_SIZE] = "dataset ";
    struct pingo__store_whose whose = {.is_his = true};
    if (!store->caller.role)
        return 0;
    pingo_hash_to_hex(hash, object + strlen(object));
    int rc = check_role(store, PINGO_ROLE_SUBMITTER, verb, err);
    if (!rc && store->caller.role < PINGO_ROLE_ADMIN)
        rc = pingo__store_dataset_whose(&store->db, hash, store->caller.user, &whose, err);
    if (!rc && (!whose.is_his || whose.is_others))
        rc = pingo__fail(err, PINGO_EFORBIDDEN, "%s is %s: %s may not %s it", object,
                         whose.is_his ? "a result that others want, too" : "of somebody else",
                         store->caller.user, verb);
    return rc;
}

int pingo__engine_note_dataset(struct pingo_store *store, const char *verb,
                               const struct pingo_hash *hash, struct pingo_error *err)
{
    char object[16 + PINGO_HASH_HEX_SIZE] = "dataset ";
    pingo_hash_to_hex(hash, object + strlen(object));
    return store->caller.role ? note(store, verb, object, err) : 0;
}

int pingo_store_dataset_is_of(struct pingo_store *store, const struct pingo_hash *hash,
                              const char *user, bool *is_of, struct pingo_error *err)
{
    struct pingo__store_whose whose = {.is_his = false};
    int rc = pingo__store_dataset_whose(&store->db, hash, user, &whose, err);
    *is_of = !rc && whose.is_his;
    return rc;
}

int pingo__engine_may_rule(struct pingo_store *store, const char *verb, const char *object,
                           struct pingo_error *err)
{
    char what[400];
    if (!store->caller.role)
        return 0;
    snprintf(what, sizeof what, "%s %s", verb, object);
    int rc = check_role(store, PINGO_ROLE_ADMIN, what, err);
    return rc ? rc : note(store, verb, object, err);
}

int pingo__engine_may_rule_now(struct pingo_store *store, const char *verb, const char *object,
                               struct pingo_error *err)
{
    if (!store->caller.role)
        return 0;
    int rc = pingo__store_db_begin(&store->db, err);
    if (!rc)
        rc = pingo__engine_may_rule(store, verb, object, err);
    return pingo__store_db_end(&store->db, rc, err);
}

int pingo__engine_may_submit(struct pingo_store *store, const struct pingo_submit_options *o,
                             struct pingo_error *err)
{
    const struct pingo__engine_caller *c = &store->caller;
    bool is_others = o->user && c->role > PINGO_ROLE_VIEWER && strcmp(o->user, c->user) != 0;
    return check_role(store, is_others || o->priority > 0 ? PINGO_ROLE_ADMIN : PINGO_ROLE_SUBMITTER,
                      is_others         ? "submit for others"
                      : o->priority > 0 ? "submit with a priority above 0"
                                        : "submit",
                      err);
}

int pingo__engine_submit_note(struct pingo_store *store, int64_t workflow, struct pingo_error *err)
{
    char object[64];
    snprintf(object, sizeof object, "workflow %" PRId64, workflow);
    return store->caller.role ? note(store, "submit", object, err) : 0;
}
