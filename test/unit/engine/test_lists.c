/* test_lists.c - whoever is told of something may call back; what others changed is seen. */
#include "unit/engine/box.h"

/* ---- callbacks that call back ------------------------------------------------------------------- */

struct caller {
    struct box *b;
    size_t n;
};

/* Writes, in a transaction of its own, and reads: where the function that calls it has one open, that fails. */
static int call_back(void *context)
{
    struct caller *c = context;
    struct pingo_hash hash;
    struct pingo_error err;
    int64_t workflow;

    assert_false(c->b->store->db.writing);
    assert_true(sqlite3_get_autocommit(c->b->store->db.sqlite));
    well(pingo_store_set(c->b->store, "pool.logDays", c->n++ % 2 ? "7" : "8", &err), &err);
    well(pingo_store_resolve_workflow(c->b->store, "last", &workflow, &err), &err);
    well(pingo_store_resolve_dataset(c->b->store, "1", "a1", &hash, &err), &err);
    return 0;
}

#define CALLER(name, type)                                                                         \
    static int name(void *context, const struct type *told)                                        \
    {                                                                                              \
        UNUSED(told);                                                                              \
        return call_back(context);                                                                 \
    }
CALLER(at_workflow, pingo_workflow_status)
CALLER(at_action, pingo_action_status)
CALLER(at_attempt, pingo_attempt)
CALLER(at_selected, pingo_selected)
CALLER(at_provenance, pingo_provenance)
CALLER(at_why, pingo_why)
CALLER(at_driver, pingo_driver)
CALLER(at_dataset, pingo_dataset_status)
CALLER(at_decided, pingo_decided)
CALLER(at_planned, pingo_planned)
CALLER(at_finding, pingo_finding)

static int at_setting(void *context, const char *key, const char *value, const char *usual,
                      const char *meaning)
{
    UNUSED(key);
    UNUSED(value);
    UNUSED(usual);
    UNUSED(meaning);
    return call_back(context);
}

static int at_exported(void *context, int64_t id, const char *name, const char *path, int64_t size)
{
    UNUSED(id);
    UNUSED(name);
    UNUSED(path);
    UNUSED(size);
    return call_back(context);
}

static int at_progress(void *context, uint64_t done, uint64_t total)
{
    UNUSED(done);
    UNUSED(total);
    return call_back(context);
}

static void test_lists__every_callback_may_call_back(void **state)
{
    struct box *b = box_new();
    struct caller c = {b, 0};
    struct pingo_selection all = {.version = 1, .workflow = 1};
    struct pingo_action_query actions = {.version = 1, .workflow = 1};
    struct pingo_attempt_query attempts = {.version = 1, .workflow = 1};
    struct pingo_provenance_query from = {.version = 1};
    struct pingo_decide_options decide = {
        .version = 1, .free_bytes = 1, .decided = at_decided, .context = &c};
    struct pingo_submit_options submit = {
        .version = 1, .base_dir = b->root, .planned = at_planned, .context = &c};
    struct pingo_fsck_options fsck = {
        .version = 1, .repair = true, .progress = at_progress, .finding = at_finding, .context = &c};
    char path[300], *json = json_of(W(A(1, "") "," A(7, P(FROM(1)))));
    struct pingo_error err;
    bool clean = false;
    size_t n = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    box_submit(b, W(A(3, "")));
    box_tick(b);
    well(pingo_store_resolve_dataset(b->store, "1", "a2", &from.hash, &err), &err);
    snprintf(path, sizeof path, "%s/out", b->root);
    struct pingo_store *s = b->store;
#define CALLS(call)                                                                                \
    do {                                                                                           \
        well(call, &err);                                                                          \
        if (c.n == n)                                                                              \
            fail_msg("%s called nothing", #call);                                                  \
        n = c.n;                                                                                   \
    } while (0)
    CALLS(pingo_store_workflows(s, NULL, at_workflow, &c, &err));
    CALLS(pingo_store_workflow(s, 1, at_workflow, &c, &err));
    CALLS(pingo_store_actions(s, &actions, at_action, &c, &err));
    CALLS(pingo_store_action(s, &(struct pingo_action_name){1, "a1"}, at_action, &c, &err));
    CALLS(pingo_store_attempts(s, &attempts, at_attempt, &c, &err));
    CALLS(pingo_store_select(s, &all, at_selected, &c, &err));
    CALLS(pingo_store_provenance(s, &from, at_provenance, &c, &err));
    CALLS(pingo_store_why(s, &(struct pingo_action_name){1, NULL}, at_why, &c, &err));
    CALLS(pingo_store_why(s, &(struct pingo_action_name){1, "a1"}, at_why, &c, &err));
    CALLS(pingo_store_drivers(s, 2, at_driver, &c, &err));
    CALLS(pingo_store_datasets(s, NULL, at_dataset, &c, &err));
    CALLS(pingo_store_dataset(s, &from.hash, at_dataset, &c, &err));
    CALLS(pingo_store_decide(s, &decide, NULL, &err));
    CALLS(pingo_store_settings(s, at_setting, &c, &err));
    CALLS(pingo_store_export(
        s, &(struct pingo_action_name){1, NULL}, path,
        &(struct pingo_export_options){.version = 1, .exported = at_exported, .context = &c}, &err));
    CALLS(pingo_store_plan(s, &(struct pingo_document){json, strlen(json), NULL}, &submit, NULL,
                           &err));
    CALLS(pingo_store_hash(s, &(struct pingo_document){json, strlen(json), NULL}, &submit, &err));
    CALLS(pingo_store_fsck(s, &fsck, &clean, &err));
    assert_true(clean);
    /* Something to find, and to mend. */
    snprintf(path, sizeof path, "%s/objects/00", b->store->pool_dir);
    mkdir(path, 0755);
    box_int(b, "UPDATE workflow SET unfinished = 5 WHERE id = 1 RETURNING 1");
    fsck.progress = NULL;
    CALLS(pingo_store_fsck(s, &fsck, &clean, &err));
    free(json);
    box_close(b);
}

/* ---- what others did ------------------------------------------------------------------------------ */

static int64_t changes_of(struct pingo_store *store)
{
    struct pingo_error err;
    int64_t n = -1;

    well(pingo_store_changes(store, &n, &err), &err);
    return n;
}

static void test_lists__changes_of_others_are_seen(void **state)
{
    struct box *b = box_new();
    struct pingo_store *other = NULL;
    struct pingo_error err;
    int64_t before;

    UNUSED(state);
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    before = changes_of(other);
    box_submit(b, W(A(1, "")));
    assert_true(changes_of(other) > before);
    assert_int_equal(changes_of(other), changes_of(b->store));
    before = changes_of(other);
    box_tick(b);
    assert_true(changes_of(other) > before); /* it was handed out */
    before = changes_of(other);
    box_tick(b);
    well(pingo_store_set(b->store, "pool.logDays", "8", &err), &err);
    assert_int_equal(changes_of(other), before); /* nothing changed its state */
    box_finish(b, "a1");
    assert_true(changes_of(other) > before);
    before = changes_of(other);
    well(pingo_store_pause_workflow(other, 1, NULL, &err) == PINGO_ESTATE ? 0 : PINGO_EIO, &err);
    assert_int_equal(changes_of(b->store), before); /* what was refused */
    pingo_store_close(other);
    well(pingo_store_open(b->dir, NULL, &other, &err), &err);
    assert_int_equal(changes_of(other), before);
    pingo_store_close(other);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists__every_callback_may_call_back),
        cmocka_unit_test(test_lists__changes_of_others_are_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
