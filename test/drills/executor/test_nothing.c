/* test_nothing.c - an executor that does nothing does it once, and tells it until it is forgotten. */
#include "unit/executor/harness.h"

#include "executor/nothing/nothing.h"
#include "executor/registry.h"

static size_t nends;

static void on_end(void *context, const struct pingo_job_end *end)
{
    (void)context;
    assert_int_equal(end->key.action, 7);
    assert_int_equal(end->reason, PINGO_END_EXITED);
    assert_string_equal(end->node, "nowhere");
    nends++;
}

static void test_nothing__ends_at_once(void **state)
{
    const struct pingo_executor_type *type = &pingo__executor_nothing;
    const struct pingo__executor_values values = {type->settings, 1, (char *[]){NULL}};
    const struct pingo_executor_context context = {
        .version = 3, .name = "nothing", .settings = &values};
    const struct pingo_executor_reports reports = {.ended = on_end};
    struct pingo_error err;
    struct box box;
    char path[160];
    void *executor = NULL;
    bool revoked = true;
    (void)state;
    box_init(&box);
    snprintf(path, sizeof path, "%s/staged/7.1", box.pool);
    struct pingo_job job = {.key = {7, 1}, .staged_path = path};
    assert_int_equal(pingo__executor_check(type, &err), 0);
    assert_int_equal(type->open(&context, &executor, &err), 0);
    assert_int_equal(type->start(executor, &job, &err), 0);
    assert_int_equal(type->revoke(executor, job.key, NULL, &revoked, &err), 0);
    assert_false(revoked);
    assert_int_equal(type->collect(executor, &reports, &err), 0);
    assert_int_equal(type->collect(executor, &reports, &err), 0);
    assert_int_equal(nends, 2);
    type->forget(executor, job.key);
    assert_int_equal(type->collect(executor, &reports, &err), 0);
    assert_int_equal(nends, 2);
    assert_int_not_equal(type->start(executor, &job, &err), 0); /* its output is there */
    type->close(executor);
    box_remove(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing__ends_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
