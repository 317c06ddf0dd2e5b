/* driving.c - pausing, resuming and killing workflows, their priority, and who drives them. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/process.h"
#include "engine/engine.h"
#include "manager/attempt/callback.h"
#include "store/submission/driving.h"
#include "store/submission/users.h"

static int set_paused(struct pingo_store *store, int64_t workflow, bool paused, bool *changed,
                      struct pingo_error *err)
{
    int rc = pingo__store_db_begin(&store->db, err);
    struct pingo__store_workflow_row row;
    if (!rc)
        rc = pingo__engine_may_workflow(store, paused ? "pause" : "resume", workflow, err);
    if (!rc)
        rc = pingo__engine_workflow_row(store, workflow, NULL, &row, err);
    if (!rc)
        rc = pingo__engine_workflow_running(&row, err);
    bool is_new = false;
    if (!rc)
        rc = pingo__store_workflow_set_paused(&store->db, workflow, paused, &is_new, err);
    if (changed)
        *changed = is_new;
    return pingo__store_db_end(&store->db, rc, err);
}

int pingo_store_pause_workflow(struct pingo_store *store, int64_t workflow, bool *changed,
                               struct pingo_error *err)
{
    return set_paused(store, workflow, true, changed, err);
}

int pingo_store_resume_workflow(struct pingo_store *store, int64_t workflow, bool *changed,
                                struct pingo_error *err)
{
    return set_paused(store, workflow, false, changed, err);
}

int pingo_store_set_priority(struct pingo_store *store, int64_t workflow, int64_t priority,
                             struct pingo_error *err)
{
    struct pingo__store_workflow_row row = {.id = 0};
    char object[64];
    int rc = pingo__store_db_begin(&store->db, err);
    snprintf(object, sizeof object, "workflow %" PRId64, workflow);
    if (!rc)
        rc = pingo__engine_may_rule(store, "set the priority of", object, err);
    if (!rc)
        rc = pingo__engine_workflow_row(store, workflow, NULL, &row, err);
    if (!rc)
        rc = pingo__engine_workflow_running(&row, err);
    if (!rc && row.priority != priority)
        rc = pingo__store_queue_set_priority(&store->db, workflow, priority, err);
    if (!rc && row.priority != priority) /* schedulers look anew at what they may claim */
        rc = pingo__store_driving_changed(&store->db, err);
    return pingo__store_db_end(&store->db, rc, err);
}

/* ---- kill ------------------------------------------------------------------------------------------- */

static int check_kill(const struct pingo__engine_named *named, const char *action,
                      struct pingo_error *err)
{
    if (!action || (named->row.id && !pingo_action_state_is_final(named->row.state)))
        return 0;
    int rc = pingo__engine_workflow_running(&named->workflow, err);
    if (rc)
        return rc;
    if (!named->row.id)
        return pingo__fail(err, PINGO_ESTATE, "action %s was not computed by workflow %" PRId64,
                           action, named->workflow.id);
    return pingo__fail(err, PINGO_ESTATE, "action %s has ended already (%s)", action,
                       pingo_action_state_name(named->row.state));
}

/* Of one that was killed, what nobody needs any more. */
static int kill_found(struct pingo_store *store, const struct pingo__engine_named *named, size_t *n,
                      struct pingo_error *err)
{
    int64_t row = named->row.id;
    const struct pingo__store_number_list one = {.rows = &row, .n = 1};
    int rc = pingo__manager_workflow_kill_actions(&store->context, named->workflow.id,
                                                  row ? &one : NULL, n, err);
    return rc || *n ? rc : pingo__engine_workflow_running(&named->workflow, err);
}

int pingo_store_kill(struct pingo_store *store, const struct pingo_action_name *of, size_t *killed,
                     struct pingo_error *err)
{
    struct pingo__engine_named named;
    size_t n = 0;
    int rc = pingo__engine_named_find(store, of, &named, err);
    if (!rc)
        rc = check_kill(&named, of->action, err);
    if (!rc)
        rc = pingo__store_db_begin(&store->db, err);
    if (!rc) {
        rc = pingo__engine_may_workflow(store, "kill", named.workflow.id, err);
        if (!rc)
            rc = kill_found(store, &named, &n, err);
        rc = pingo__store_db_end(&store->db, rc, err);
    }
    if (killed)
        *killed = n;
    pingo__arena_clear(&named.arena);
    return rc;
}

/* ---- kill: several ------------------------------------------------------------------------------ */

enum { AT_ONCE = 100 }; /* in a transaction: others wait no longer than for a submission */

struct several {
    struct pingo_store *store;
    struct pingo__arena arena;
    int64_t workflow, *ids;
    size_t nids, capacity, killed;
    struct pingo_error why; /* one of those that were passed over was, or what failed */
};

static int add_several(void *context, const struct pingo_selected *one)
{
    struct several *s = context;
    if (!PINGO__ARENA_ROOM(&s->arena, s->ids, s->nids, s->capacity))
        return 1;
    s->ids[s->nids++] = one->id;
    return 0;
}

/* One that has ended is passed over. */
static int find_or_pass(struct several *s, int64_t id, struct pingo__store_number_list *found)
{
    struct pingo__engine_named named;
    char action[24];
    snprintf(action, sizeof action, "%" PRId64, id);
    int rc = pingo__engine_named_find(s->store, &(struct pingo_action_name){s->workflow, action},
                                      &named, &s->why);
    if (!rc)
        rc = check_kill(&named, action, &s->why);
    if (!rc)
        found->rows[found->n++] = named.row.id;
    pingo__arena_clear(&named.arena);
    return rc == PINGO_ESTATE ? 0 : rc;
}

/* What is done is noted, and nothing else. */
static int kill_batch(struct several *s, const int64_t *ids, size_t n)
{
    int64_t rows[AT_ONCE];
    struct pingo__store_number_list found = {.rows = rows};
    size_t killed = 0;
    int rc = pingo__store_db_begin(&s->store->db, &s->why);
    if (!rc)
        rc = pingo__engine_may_workflow(s->store, "kill", s->workflow, &s->why);
    for (size_t i = 0; !rc && i < n; i++)
        rc = find_or_pass(s, ids[i], &found);
    if (!rc)
        rc = pingo__manager_workflow_kill_actions(&s->store->context, s->workflow, &found, &killed,
                                                  &s->why);
    if (!rc && !killed)
        rc = PINGO_ESTATE;
    rc = pingo__store_db_end(&s->store->db, rc, &s->why);
    s->killed += rc ? 0 : killed;
    return rc == PINGO_ESTATE ? 0 : rc;
}

int pingo_store_kill_selected(struct pingo_store *store, const struct pingo_selection *selection,
                              size_t *killed, struct pingo_error *err)
{
    struct several s = {.store = store};
    int rc = pingo_store_select(store, selection, add_several, &s, &s.why);
    if (rc == PINGO_EINTERRUPTED)
        rc = pingo__fail_memory(&s.why);
    s.workflow = rc ? 0 : selection->workflow;
    for (size_t at = 0; !rc && at < s.nids; at += AT_ONCE) {
        size_t left = s.nids - at;
        rc = kill_batch(&s, &s.ids[at], left < AT_ONCE ? left : AT_ONCE);
        pingo__store_db_let_others(&store->db);
    }
    if (!rc && !s.killed && s.nids)
        rc = PINGO_ESTATE;
    if (killed)
        *killed = s.killed;
    pingo__arena_clear(&s.arena);
    return rc ? pingo__fail(err, rc, "%s", s.why.message) : 0;
}

/* ---- who drives -------------------------------------------------------------------------------- */

enum { FEW = 1000 }; /* of what it waits for in others: so much is looked at for each who drives */

struct looking {
    struct pingo_store *store;
    struct pingo__arena arena;
    struct pingo__store_workflow_row row;
    struct pingo__store_needed_few_list few; /* of others than it; FEW: there may be more, */
    struct pingo__store_needed_list all;     /* which is all that, where it had to be read */
    bool has_all;
};

static int read_all(struct looking *l, struct pingo_error *err)
{
    int rc = l->has_all ? 0 : pingo__store_driving_needed(&l->store->db, l->row.id, &l->all, err);
    l->has_all = !rc;
    return rc;
}

/* Does it wait for this other workflow?  sure: also where that is not among few: for which little may wait. */
static int waits_for(struct looking *l, int64_t workflow, bool sure, bool *is,
                     struct pingo_error *err)
{
    struct pingo__store_needed_few_list needing = {.arena = &l->arena};
    int rc = 0;
    *is = false;
    for (size_t i = 0; !*is && i < l->few.n; i++)
        *is = l->few.rows[i].workflow == workflow;
    sure = sure && !*is && l->few.n == FEW && !l->has_all;
    if (sure)
        rc = pingo__store_driving_needing_few(&l->store->db, workflow, FEW, &needing, err);
    for (size_t i = 0; !*is && i < needing.n; i++)
        *is = needing.rows[i].workflow == l->row.id;
    if (!rc && sure && !*is && needing.n == FEW)
        rc = read_all(l, err);
    for (size_t i = 0; !*is && i < l->all.n; i++)
        *is = l->all.rows[i].at.workflow == workflow;
    return rc;
}

/* Has an owner named it, or a workflow that computes what it waits for? */
static int is_named(struct looking *l, int64_t owner, bool *is, struct pingo_error *err)
{
    struct pingo__store_number_list named = {.arena = &l->arena};
    int rc = pingo__store_owner_scope(&l->store->db, owner, &named, err);
    for (size_t i = 0; !rc && !*is && i < named.n; i++)
        *is = named.rows[i] == l->row.id && !l->row.paused;
    for (int sure = 0; sure < 2; sure++) /* what is found at once first */
        for (size_t i = 0; !rc && !*is && i < named.n; i++)
            if (named.rows[i] != l->row.id)
                rc = waits_for(l, named.rows[i], sure, is, err);
    return rc;
}

/* Of others, what it waits for; where that is more than few, all of the workflows that compute some of it. */
static int count_handed(struct looking *l, int64_t owner, bool sure, size_t *n,
                        struct pingo_error *err)
{
    struct pingo__store_needed_few_list handed = {.arena = &l->arena};
    int rc = 0;
    if (l->few.n < FEW) {
        for (size_t i = 0; i < l->few.n; i++)
            *n += l->few.rows[i].workflow && l->few.rows[i].owner == owner;
        return 0;
    }
    rc = pingo__store_owner_in_hand_of(&l->store->db, owner, l->row.id, &handed, err);
    bool is = false;
    for (size_t i = 0; !rc && i < handed.n; i++) {
        if (i == 0 || handed.rows[i].workflow != handed.rows[i - 1].workflow)
            rc = waits_for(l, handed.rows[i].workflow, sure, &is, err);
        *n += is;
    }
    return rc;
}

static int look_at(struct looking *l, const struct pingo__store_owner_row *owner,
                   struct pingo_driver *driver, struct pingo_error *err)
{
    int64_t own = 0;
    bool needs = false;
    int rc = 0;
    *driver = (struct pingo_driver){.pid = owner->pid, .started_ms = owner->started_ms};
    for (size_t i = 0; !needs && i < l->few.n; i++)
        needs = l->few.rows[i].workflow != 0;
    driver->claims = owner->scope == PINGO__OWNER_ALL && (!l->row.paused || needs);
    if (owner->scope == PINGO__OWNER_LISTED)
        rc = is_named(l, owner->id, &driver->claims, err);
    if (!rc)
        rc = pingo__store_owner_in_hand(&l->store->db, owner->id, l->row.id, &own, err);
    driver->handed = (size_t)own;
    if (!rc) /* who is told of anyway may have a little more */
        rc = count_handed(l, owner->id, !driver->claims && !own, &driver->handed, err);
    driver->stopped = pingo__process_is_stopped((long)driver->pid);
    return rc;
}

static int tell_drivers(struct looking *l, pingo_driver_fn fn, void *context,
                        struct pingo_error *err)
{
    struct pingo__store_owner_list owners = {.arena = &l->arena};
    bool knows = false;
    int rc = pingo__store_owner_rows(&l->store->db, &owners, err);
    for (size_t i = 0; !rc && i < owners.n; i++) {
        struct pingo_driver driver;
        if (!pingo__manager_owner_is_alive(&l->store->context, owners.rows[i].id))
            continue;
        if (!knows) /* all that it waits for may be much */
            rc = pingo__store_driving_needed_few(&l->store->db, l->row.id, FEW, &l->few, err);
        knows = true;
        if (!rc)
            rc = look_at(l, &owners.rows[i], &driver, err);
        if (!rc && (driver.claims || driver.handed) && fn(context, &driver))
            rc = pingo__engine_stopped(err);
    }
    return rc;
}

int pingo_store_drivers(struct pingo_store *store, int64_t workflow, pingo_driver_fn fn,
                        void *context, struct pingo_error *err)
{
    struct looking l = {.store = store, .few.arena = &l.arena, .all.arena = &l.arena};
    int rc = pingo__engine_workflow_row(store, workflow, NULL, &l.row, err);
    if (!rc && l.row.state == PINGO_WORKFLOW_RUNNING)
        rc = tell_drivers(&l, fn, context, err);
    pingo__arena_clear(&l.arena);
    return rc;
}
