/* test_executors.c - executors are checked as algorithms are: tables, what functions return, ends; which one an action goes
 * to, and older tables. */
#include "unit/engine/box.h"

static int open_with(struct box *b, const struct pingo_executor_type *type, const char *said)
{
    const struct pingo_executor_type *list[] = {type};
    struct pingo_scheduler_options options = {.version = 1, .executors = list, .nexecutors = 1};
    struct pingo_scheduler *s = NULL;
    struct pingo_error err = {0};
    int rc;

    fake_now = &b->fake;
    rc = pingo_scheduler_open(b->store, &options, &s, &err);
    assert_true(rc <= 0);
    assert_true((s != NULL) == (rc == 0));
    assert_int_equal(err.code, rc);
    if (rc && !strstr(err.message, said))
        fail_msg("not \"%s\": %s", said, err.message);
    pingo_scheduler_close(s);
    return rc;
}

static void test_executors__a_table_that_lacks_something_is_refused(void **state)
{
    struct box *b = box_new();
    static const char *const no_types[] = {NULL};
    struct pingo_executor_type t;

    UNUSED(state);
    assert_int_equal(open_with(b, &fake_type, ""), 0);
    assert_int_equal(open_with(b, NULL, "NULL"), PINGO_EINVAL);
#define WITHOUT(member)                                                                            \
    t = fake_type;                                                                                 \
    t.member = NULL;                                                                               \
    assert_int_equal(open_with(b, &t, "\"fake\" has no function " #member), PINGO_EINVAL)
    WITHOUT(open);
    WITHOUT(close);
    WITHOUT(start);
    WITHOUT(revoke);
    WITHOUT(kill);
    WITHOUT(adopt);
    WITHOUT(collect);
    WITHOUT(forget);
    WITHOUT(poll_fd);
    WITHOUT(timeout_ms);
    WITHOUT(slots);
    t = fake_type; /* it may be missing */
    t.trim = NULL;
    assert_int_equal(open_with(b, &t, ""), 0);
    t.name = NULL;
    assert_int_equal(open_with(b, &t, "(NULL)"), PINGO_EINVAL);
    t.name = "a name";
    assert_int_equal(open_with(b, &t, "\"a name\""), PINGO_EINVAL);
    t.name = "local";
    assert_int_equal(open_with(b, &t, "\"local\": that name is the library's own"), PINGO_EINVAL);
    t.name = "external";
    assert_int_equal(open_with(b, &t, "\"external\": that name"), PINGO_EINVAL);
    t = fake_type;
    t.abi_version++;
    assert_int_equal(open_with(b, &t, "ABI"), PINGO_EVERSION);
    t = fake_type;
    t.action_types = NULL;
    assert_int_equal(open_with(b, &t, "no type"), PINGO_EINVAL);
    t.action_types = no_types;
    assert_int_equal(open_with(b, &t, "no type"), PINGO_EINVAL);
    box_close(b);
}

/* ---- what functions return --------------------------------------------------------------- */

static int says, collect_says; /* what the functions below return */

static int bad_open(const struct pingo_executor_context *context, void **executor,
                    struct pingo_error *err)
{
    fake_open(context, executor, err);
    return says;
}

static int bad_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    int rc = fake_start(executor, job, err);

    return says ? says : rc;
}

static int bad_collect(void *executor, const struct pingo_executor_reports *r,
                       struct pingo_error *err)
{
    fake_collect(executor, r, err);
    return collect_says;
}

static void test_executors__what_they_return_is_checked(void **state)
{
    struct box *b = box_new();
    struct pingo_executor_type t = fake_type;
    const struct pingo_executor_type *list[] = {&t};
    struct pingo_scheduler_options options = {.version = 1, .executors = list, .nexecutors = 1};
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err = {0};

    UNUSED(state);
    t.open = bad_open;
    says = 77;
    assert_int_equal(open_with(b, &t, "\"fake\": open returned 77"), PINGO_EEXECUTOR);
    says = -4711;
    assert_int_equal(open_with(b, &t, "open returned -4711"), PINGO_EEXECUTOR);
    says = PINGO_EIO;
    assert_int_equal(open_with(b, &t, "executor \"fake\": "), PINGO_EIO);
    t = fake_type;
    t.start = bad_start;
    t.collect = bad_collect;
    pingo_scheduler_close(b->s);
    says = 0;
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
    box_submit(b, W(A(1, "")));
    says = collect_says = 5;
    assert_int_equal(pingo_scheduler_tick(b->s, &r, &err), PINGO_EEXECUTOR);
    assert_non_null(strstr(err.message, "\"fake\": collect returned 5"));
    collect_says = 0;
    box_tick(b);
    assert_non_null(strstr(b->log, "start returned 5"));
    assert_true(b->fake.jobs[0].revoked);
    assert_int_equal(box_tick(b).active, 0);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    says = 0;
    box_close(b);
}

static void test_executors__ends_of_others_change_nothing(void **state)
{
    struct box *b = box_new();
    struct job *j;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    j = &b->fake.jobs[b->fake.n++]; /* which nobody gave it */
    *j = (struct job){.key = {55, 1}, .ended = true, .end = {.key = {55, 1}}};
    box_tick(b);
    assert_non_null(strstr(b->log, "attempt 55.1"));
    strcpy(b->log, "");
    box_tick(b);
    assert_string_equal(b->log, ""); /* said once */
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
    box_finish(b, "a1");
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_executors__a_success_without_an_output_is_told(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "");
    b->fake.jobs[0].end.output_kind = PINGO_OUTPUT_NONE;
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message ="
                                " 'exit status 0, but its executor tells of no output'"),
                     1);
    box_clean(b);
    box_close(b);
}

/* ---- which one ------------------------------------------------------------------------------ */

static int nothers;          /* how many jobs the other one was given */
static char last_job[4][64]; /* what it was told of the last */

static int other_start(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    nothers++;
    snprintf(last_job[0], 64, "%s", job->user);
    snprintf(last_job[1], 64, "%s", job->executor_options ? job->executor_options : "(none)");
    snprintf(last_job[2], 64, "%d.%d", (int)job->workflow, (int)job->id);
    snprintf(last_job[3], 64, "%d %d", (int)job->priority, (int)job->attempt);
    return fake_start(executor, job, err);
}

static struct pingo_executor_type other(void)
{
    struct pingo_executor_type t = fake_type;

    t.name = "other";
    t.start = other_start;
    nothers = 0;
    return t;
}

static void open_list(struct box *b, const struct pingo_executor_type *const *list, size_t n)
{
    struct pingo_scheduler_options options = {.version = 1, .executors = list, .nexecutors = n};
    struct pingo_error err;

    pingo_scheduler_close(b->s);
    fake_now = &b->fake;
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
}

static void test_executors__an_action_names_its_own(void **state)
{
    struct box *b = box_new();
    const struct pingo_executor_type t = other(), *list[] = {&fake_type, &t};
    struct pingo_submit_options options = {
        .version = 2, .base_dir = b->root, .priority = 5, .user = "tester"};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    open_list(b, list, 2);
    well(box_try_submit(b,
                        W(A(1, "") "," A(7, ",'executor':'other','retries':1,"
                                            "'executorOptions':{'queue':'long','gpus':2}")),
                        &options, &s, &err),
         &err);
    box_tick(b);
    assert_int_equal(b->fake.n, 2);
    assert_int_equal(nothers, 1);
    assert_string_equal(last_job[0], "tester");
    assert_non_null(strstr(last_job[1], "\"queue\""));
    assert_non_null(strstr(last_job[1], "long"));
    assert_non_null(strstr(last_job[1], "\"gpus\""));
    assert_string_equal(last_job[2], "1.7");
    assert_string_equal(last_job[3], "5 1");
    b->fake.tells_started = true;
    box_tick(b);
    box_fail(b, "a7");
    assert_int_equal(nothers, 2);
    assert_string_equal(last_job[3], "5 2"); /* the second try */
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    /* The setting is for those that name none. */
    well(pingo_store_set(b->store, "executor", "other", &err), &err);
    box_submit(b, W(A(2, "") "," A(3, ",'executor':'fake'")));
    box_tick(b);
    assert_int_equal(nothers, 3);
    assert_string_equal(last_job[1], "(none)");
    box_finish_all(b);
    box_clean(b);
    box_close(b);
}

/* A table that ends where those of version 1 do, and whose ends do. */
static void test_executors__an_older_table_is_taken(void **state)
{
    struct box *b = box_new();
    void *room = malloc(offsetof(struct pingo_executor_type, settings)); /* no more than that */
    struct pingo_executor_type *old = room;
    struct pingo_scheduler_options options = {
        .version = 1, .executors = (const struct pingo_executor_type *const *)&old, .nexecutors = 1};
    struct pingo_error err = {0};

    UNUSED(state);
    assert_non_null(old);
    pingo_scheduler_close(b->s);
    memcpy(old, &fake_type, offsetof(struct pingo_executor_type, settings));
    old->abi_version = 1;
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_report(b, b->fake.jobs[0].name, PINGO_END_EXITED, 0, "");
    b->fake.jobs[0].end.size = offsetof(struct pingo_job_end, node);
    memset(b->fake.jobs[0].end.node, 'x', sizeof b->fake.jobs[0].end.node); /* what lies behind it */
    box_tick(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE host IS NOT NULL"), 0);
    box_close(b);
    free(room);
}

static int on_node(void *context, const struct pingo_action_status *status)
{
    snprintf(context, 200, "%s on %s", status->executor, status->node ? status->node : "NULL");
    return 0;
}

static void test_executors__the_node_is_kept(void **state)
{
    struct box *b = box_new();
    struct pingo_error err = {0};
    char text[200];

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    well(pingo_store_action(b->store, &(struct pingo_action_name){1, "1"}, on_node, text, &err),
         &err);
    assert_string_equal(text, "fake on NULL");
    box_report(b, b->fake.jobs[0].name, PINGO_END_EXITED, 0, "");
    snprintf(b->fake.jobs[0].end.node, sizeof b->fake.jobs[0].end.node, "n17");
    box_tick(b);
    well(pingo_store_action(b->store, &(struct pingo_action_name){1, "1"}, on_node, text, &err),
         &err);
    assert_string_equal(text, "fake on n17");
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executors__a_table_that_lacks_something_is_refused),
        cmocka_unit_test(test_executors__what_they_return_is_checked),
        cmocka_unit_test(test_executors__ends_of_others_change_nothing),
        cmocka_unit_test(test_executors__a_success_without_an_output_is_told),
        cmocka_unit_test(test_executors__an_action_names_its_own),
        cmocka_unit_test(test_executors__an_older_table_is_taken),
        cmocka_unit_test(test_executors__the_node_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
