/* test_options.c - options of a version that the library does not know are refused, and nothing happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pingo/pool.h>
#include <pingo/scheduler.h>

static const char text[] =
    "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"a\", \"type\": \"external\","
    " \"description\": \"d\"}]}";

static int remove_all(const char *directory)
{
    char command[256];

    snprintf(command, sizeof command, "chmod -R u+w '%s' && rm -r '%s'", directory, directory);
    return system(command);
}

static void refused(int rc, const struct pingo_error *err, const char *name)
{
    assert_int_equal(rc, PINGO_EINVAL);
    assert_int_equal(err->code, PINGO_EINVAL);
    assert_non_null(strstr(err->message, name));
}

/* 0 is a member that was forgotten. */
static void try_version(unsigned version)
{
    char directory[] = "/tmp/pingo-options-XXXXXX";
    struct pingo_store_options store_options = {.version = version};
    struct pingo_submit_options submit = {.version = version};
    struct pingo_scheduler_options scheduler_options = {.version = version};
    struct pingo_export_options export = {.version = version};
    struct pingo_fsck_options fsck = {.version = version};
    struct pingo_run_options run = {.version = version};
    struct pingo_scheduler *scheduler = NULL;
    struct pingo_store *store = NULL;
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_error err = {0};
    struct pingo_dataset_query query = {.version = version};
    struct pingo_decide_options decide = {.version = version};
    struct pingo_eviction_query ledger = {.version = version};
    struct pingo_report_options report = {.version = version};
    struct pingo_store_history_options history = {.version = version};
    struct pingo_workflow_options workflow_options = {.version = version};
    struct pingo_workflow *workflow = NULL;
    struct pingo_report *made = NULL;
    struct pingo_history *past = NULL;
    struct pingo_decide_summary summary = {.size = sizeof summary};
    bool clean = true;

    assert_non_null(mkdtemp(directory));
    assert_int_equal(pingo_store_init(directory, NULL, &err), 0);
    refused(pingo_store_open(directory, &store_options, &store, &err), &err, "pingo_store_options");
    assert_null(store);
    assert_int_equal(pingo_store_open(directory, NULL, &store, &err), 0);
    refused(pingo_store_submit(store, &(struct pingo_document){text, strlen(text), NULL}, &submit,
                               &submission, &err),
            &err, "pingo_submit_options");
    refused(pingo_store_plan(store, &(struct pingo_document){text, strlen(text), NULL}, &submit,
                             NULL, &err),
            &err, "pingo_submit_options");
    refused(
        pingo_store_hash(store, &(struct pingo_document){text, strlen(text), NULL}, &submit, &err),
        &err, "pingo_submit_options");
    refused(pingo_scheduler_open(store, &scheduler_options, &scheduler, &err), &err,
            "pingo_scheduler_options");
    assert_null(scheduler);
    refused(pingo_store_export(store, &(struct pingo_action_name){1, NULL}, directory, &export, &err),
            &err, "pingo_export_options");
    refused(pingo_store_fsck(store, &fsck, &clean, &err), &err, "pingo_fsck_options");
    refused(pingo_store_datasets(store, &query, NULL, NULL, &err), &err, "pingo_dataset_query");
    refused(pingo_store_decide(store, &decide, &summary, &err), &err, "pingo_decide_options");
    refused(pingo_store_evictions(store, &ledger, NULL, NULL, &err), &err, "pingo_eviction_query");
    refused(pingo_store_report(store, &report, &made, &err), &err, "pingo_report_options");
    refused(pingo_store_history(store, &history, &past, &err), &err, "pingo_store_history_options");
    refused(pingo_workflow_parse(&(struct pingo_document){text, strlen(text), NULL},
                                 &workflow_options, &workflow, &err),
            &err, "pingo_workflow_options");
    scheduler_options = (struct pingo_scheduler_options){.version = 1, .external = true};
    assert_int_equal(pingo_scheduler_open(store, &scheduler_options, &scheduler, &err), 0);
    refused(pingo_scheduler_run(scheduler, NULL, 0, &run, &err), &err, "pingo_run_options");
    pingo_scheduler_close(scheduler);
    assert_int_equal(pingo_store_resolve_workflow(store, "1", &(int64_t){0}, &err), PINGO_ENOTFOUND);
    pingo_store_close(store);
    assert_int_equal(remove_all(directory), 0);
}

static void test_options__of_another_version_are_refused(void **state)
{
    (void)state;
    try_version(0);
    try_version(9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__of_another_version_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
