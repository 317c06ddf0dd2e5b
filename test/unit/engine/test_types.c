/* test_types.c - a store with actions of a type that this program does not know can be looked at all the same. */
#include "unit/engine/box.h"

#include <pingo/action_type.h>

static int render(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                  struct pingo_error *err)
{
    static const char *const argv[] = {"true", NULL};

    UNUSED(fields);
    UNUSED(nfields);
    UNUSED(err);
    job->argv = job->env = argv;
    return 0;
}

static const struct pingo_key keys[] = {{.key = "query", .kinds = PINGO_KEY_TEXT, .required = true}};
static const struct pingo_action_type sql = {
    .abi_version = PINGO_ACTION_TYPE_ABI, .name = "sql", .keys = keys, .nkeys = 1, .render = render};
static const struct pingo_action_type *const types[] = {&sql};

/* A table of version 1 ends where is_embedders begins: what lies behind it is nobody's. */
static void test_types__an_older_table_is_taken(void **state)
{
    static const char text[] =
        "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"q\",\"type\":\"sql\","
        "\"query\":\"select 1\"}]}";
    struct pingo_action_type *old = malloc(sizeof *old);
    const struct pingo_action_type *const olds[] = {old};
    struct box *b = box_new();
    struct pingo_store_options options = {.version = 1, .types = olds, .ntypes = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    assert_non_null(old);
    memcpy(old, &sql, sizeof *old);
    old->is_embedders = true;
    box_leave(b);
    for (old->abi_version = 1; old->abi_version <= 2; old->abi_version++) {
        well(pingo_store_open(b->dir, &options, &b->store, &err), &err);
        well(pingo_store_submit(b->store, &(struct pingo_document){text, strlen(text), NULL}, NULL,
                                &s, &err),
             &err);
        assert_int_equal(pingo__manager_type_is_embedders(old), old->abi_version == 2);
        pingo_store_close(b->store);
    }
    old->abi_version = PINGO_ACTION_TYPE_ABI + 1;
    well(pingo_store_open(b->dir, &options, &b->store, &err), &err);
    assert_int_equal(pingo_store_submit(b->store, &(struct pingo_document){text, strlen(text), NULL},
                                        NULL, &s, &err),
                     PINGO_EVERSION);
    box_close(b);
    free(old);
}

static int on_action(void *context, const struct pingo_action_status *s)
{
    assert_string_equal(s->name, "q");
    assert_int_equal(s->state, PINGO_ACTION_READY);
    ++*(int *)context;
    return 0;
}

static int on_why(void *context, const struct pingo_why *w)
{
    assert_string_equal(w->name, "q");
    ++*(int *)context;
    return 0;
}

static int on_provenance(void *context, const struct pingo_provenance *p)
{
    assert_string_equal(p->name, "q");
    ++*(int *)context;
    return 0;
}

static void test_types__one_that_is_not_known_can_be_looked_at(void **state)
{
    static const char text[] =
        "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"q\",\"type\":\"sql\","
        "\"query\":\"select 1\",\"resources\":{\"cpus\":2}}]}";
    struct box *b = box_new();
    struct pingo_store_options options = {.version = 1, .types = types, .ntypes = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_hash hash;
    struct pingo_error err;
    char *path = NULL, *script = NULL;
    int n = 0, rc;

    UNUSED(state);
    box_leave(b);
    well(pingo_store_open(b->dir, &options, &b->store, &err), &err);
    well(pingo_store_submit(b->store, &(struct pingo_document){text, strlen(text), NULL}, NULL, &s,
                            &err),
         &err);
    box_leave(b);
    box_open_store(b); /* as the command does: it has no such type */
    well(pingo_store_actions(b->store, &(struct pingo_action_query){.version = 1, .workflow = 1},
                             on_action, &n, &err),
         &err);
    well(pingo_store_action(b->store, &(struct pingo_action_name){1, "q"}, on_action, &n, &err),
         &err);
    well(pingo_store_why(b->store, &(struct pingo_action_name){1, "q"}, on_why, &n, &err), &err);
    well(pingo_store_resolve_dataset(b->store, "1", "q", &hash, &err), &err);
    well(pingo_store_provenance(b->store,
                                &(struct pingo_provenance_query){.version = 1, .hash = hash},
                                on_provenance, &n, &err),
         &err);
    assert_int_equal(n, 4);
    well(pingo_store_log_path(b->store, &(struct pingo_action_name){1, "q"}, PINGO_STREAM_STDERR,
                              &path, &err),
         &err);
    assert_null(path);
    rc = pingo_store_script(b->store, &(struct pingo_action_name){1, "q"}, &script, &err);
    assert_int_equal(rc, PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "\"sql\""));
    /* A new submission is another matter. */
    assert_int_equal(pingo_store_plan(b->store, &(struct pingo_document){text, strlen(text), NULL},
                                      NULL, NULL, &err),
                     PINGO_EWORKFLOW);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    box_open_scheduler(b);
    box_close(b);
}

static int says; /* what this one returns */

static int bad_render(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                      struct pingo_error *err)
{
    render(fields, nfields, job, err);
    return says;
}

/* The action fails, and no tick, whatever the number is. */
static void test_types__what_render_returns_is_checked(void **state)
{
    static const char *const names[] = {"sql", NULL};
    struct pingo_action_type bad = sql;
    const struct pingo_action_type *list[] = {&bad};
    struct pingo_executor_type runs = fake_type;
    const struct pingo_executor_type *executors[] = {&runs};
    struct box *b = box_new();
    struct pingo_store_options options = {.version = 1, .types = list, .ntypes = 1};
    struct pingo_scheduler_options by = {.version = 1, .executors = executors, .nexecutors = 1};
    struct pingo_error err;

    UNUSED(state);
    bad.render = bad_render;
    runs.action_types = names;
    box_leave(b);
    well(pingo_store_open(b->dir, &options, &b->store, &err), &err);
    well(pingo_scheduler_open(b->store, &by, &b->s, &err), &err);
    for (int i = 1; i <= 3; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"q\",\"type\":\"sql\","
                 "\"query\":\"select %d\"}]}",
                 i);
        says = i == 1 ? 77 : i == 2 ? PINGO_EINVAL : 0;
        box_submit(b, text);
        box_tick(b);
        assert_int_equal(box_state(b, i, 1), says ? PINGO_ACTION_FAILED : PINGO_ACTION_SUBMITTED);
    }
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message IN ("
                                "'action type \"sql\": render returned 77 (PINGO_E?)',"
                                " 'action type \"sql\": render returned -2 (PINGO_EINVAL)')"),
                     2);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types__an_older_table_is_taken),
        cmocka_unit_test(test_types__one_that_is_not_known_can_be_looked_at),
        cmocka_unit_test(test_types__what_render_returns_is_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
