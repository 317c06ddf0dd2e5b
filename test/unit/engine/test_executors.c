/* test_executors.c - executors are checked as algorithms are: tables, what functions return, ends; and a
 * scheduler without an executor says so instead of waiting. */
#include "unit/engine/box.h"

#include <signal.h>
#include <sys/wait.h>

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

/* ---- none at all ----------------------------------------------------------------------------- */

static void test_executors__a_missing_helper_is_an_error(void **state)
{
    struct box *b = box_new();
    struct pingo_scheduler_options options = {.version = 1, .helper_dir = "/nowhere"};
    struct pingo_scheduler *s = NULL;
    struct pingo_error err = {0};

    UNUSED(state);
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), PINGO_EEXECUTOR);
    assert_null(s);
    assert_non_null(strstr(err.message, "\"local\""));
    assert_non_null(strstr(err.message, "/nowhere/pingo-supervisor"));
    box_close(b);
}

/* What succeeds leaves err alone: with the local executor this was not so where nothing had run yet. */
static void test_executors__err_is_untouched_by_success(void **state)
{
    struct box *b = box_new();
    char helper[256], *slash;
    struct pingo_scheduler_options options = {.version = 1, .helper_dir = helper};
    struct pingo_scheduler *s = NULL;
    struct pingo_error err = {.code = 4711, .message = "as it was"};
    ssize_t n = readlink("/proc/self/exe", helper, sizeof helper - 16);

    UNUSED(state);
    assert_true(n > 0);
    helper[n] = '\0';
    for (int i = 0; i < 4; i++) { /* BUILD/test/unit/engine/test_executors */
        slash = strrchr(helper, '/');
        assert_non_null(slash);
        *slash = '\0';
    }
    strcat(helper, "/libexec");
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), 0);
    assert_int_equal(err.code, 4711);
    assert_string_equal(err.message, "as it was");
    pingo_scheduler_close(s);
    box_close(b);
}

static void test_executors__external_alone_runs_nobodys_commands(void **state)
{
    struct box *b = box_new();
    int64_t workflow = 1;
    struct pingo_error err = {0};

    UNUSED(state);
    for (int i = 0; i < 2; i++) {
        struct pingo_scheduler_options options = {
            .version = 1, .external = i == 0, .no_executors = i == 1, .helper_dir = "/nowhere"};

        pingo_scheduler_close(b->s);
        b->s = NULL;
        well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
        if (i == 0)
            box_submit(b, W(A(1, "")));
        assert_int_equal(box_tick(b).started, 0);
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
        assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    }
    assert_true(access(b->dir, F_OK) == 0);
    assert_int_equal(open_with(b, &fake_type, ""), 0);
    box_clean(b);
    box_close(b);
}

static void test_executors__a_job_in_hand_does_not_hide_it(void **state)
{
    struct box *b = box_new();
    struct pingo_scheduler_options options = {.version = 1, .external = true};
    const struct pingo_external_job *job = NULL;
    int64_t workflow = 2;
    struct pingo_error err = {0};

    UNUSED(state);
    pingo_scheduler_close(b->s);
    b->s = NULL;
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
    box_submit(b, W("{'id':1,'name':'a1','type':'external','description':'work'}"));
    box_tick(b);
    well(pingo_external_next(b->s, &job, &err), &err);
    assert_non_null(job); /* nobody goes on with it while pingo_scheduler_run() has the thread */
    box_submit(b, W(A(1, "")));
    assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    box_close(b);
}

static void test_executors__none_and_some_is_a_mistake(void **state)
{
    struct box *b = box_new();
    struct pingo_scheduler_options options = {
        .version = 1, .executors = fake_list, .nexecutors = 1, .no_executors = true};
    const struct pingo_executor_type *twice[] = {&fake_type, &fake_type};
    struct pingo_scheduler *s = NULL;
    struct pingo_error err = {0};

    UNUSED(state);
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), PINGO_EINVAL);
    options = (struct pingo_scheduler_options){.version = 1, .nexecutors = 2};
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), PINGO_EINVAL);
    options.executors = twice;
    assert_int_equal(pingo_scheduler_open(b->store, &options, &s, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "twice"));
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

static int on_message(void *context, const struct pingo_action_status *s)
{
    snprintf(context, 128, "%s", s->message);
    return 0;
}

static void test_executors__one_that_nobody_has_is_told(void **state)
{
    struct box *b = box_new();
    char message[128];
    int64_t workflow;
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(pingo_store_set(b->store, "executor", "no name", &err), PINGO_EINVAL);
    box_submit(b, W(A(1, ",'executor':'slurm'")));
    assert_int_equal(box_tick(b).started, 0);
    well(pingo_store_action(b->store, &(struct pingo_action_name){1, "1"}, on_message, message, &err),
         &err);
    assert_non_null(strstr(message, "executor \"slurm\""));
    for (workflow = 1; workflow >= 0; workflow--) { /* 0: whatever there is */
        assert_int_equal(pingo_scheduler_run(b->s, &workflow, (size_t)workflow, NULL, &err),
                         PINGO_EUNSUPPORTED);
        assert_non_null(strstr(err.message, "executor \"slurm\""));
    }
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    well(pingo_store_set(b->store, "executor", "pbs", &err), &err);
    box_submit(b, W(A(2, "")));
    workflow = 2;
    assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "executor \"pbs\""));
    assert_int_equal(b->fake.n, 0);
    well(pingo_store_set(b->store, "executor", "local", &err), &err); /* whichever runs their type */
    assert_int_equal(box_tick(b).started, 1);
    box_close(b);
}

/* What a dead scheduler had handed to an executor that we do not have is neither recovered nor waited for. */
static void test_executors__attempts_of_one_that_nobody_has(void **state)
{
    struct box *b = box_new();
    const struct pingo_executor_type t = other(), *list[] = {&t};
    int64_t workflow = 1;
    int status = 0;
    struct pingo_error err;
    pid_t pid;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_leave(b);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        box_open_store(b);
        open_list(b, list, 1);
        b->fake.tells_started = true;
        pingo_scheduler_tick(b->s, NULL, NULL);
        pingo_scheduler_tick(b->s, NULL, NULL);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    box_open_store(b);
    box_open_scheduler(b);
    for (int i = 0; i < 3; i++) {
        struct pingo_tick_result r = box_tick(b);

        assert_int_equal(r.recovered, 0);
        assert_true(r.idle);
    }
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_RUNNING);
    assert_int_equal(pingo_scheduler_run(b->s, &workflow, 1, NULL, &err), PINGO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "executor \"other\""));
    assert_int_equal(pingo_scheduler_run(b->s, NULL, 0, NULL, &err), PINGO_EUNSUPPORTED);
    /* Who has it goes on. */
    open_list(b, list, 1);
    assert_int_equal(box_tick(b).recovered, 1);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* ---- settings of its own ------------------------------------------------------------------- */

static const struct pingo_executor_setting own_settings[] = {
    {"url", PINGO_SETTING_TEXT, 0, 0, NULL, "where it listens"},
    {"jobs", PINGO_SETTING_NUMBER, 1, 50, "7", "how many at once"},
    {"room", PINGO_SETTING_SIZE, 0, 0, "1K", "bytes"},
    {"fast", PINGO_SETTING_SWITCH, 0, 0, "off", "or slow"},
};
static char own_said[2][200]; /* what open was told, by tables in the order of their names */

static int own_open(const struct pingo_executor_context *context, void **executor,
                    struct pingo_error *err)
{
    const char *url = pingo_executor_context_text(context, "url");

    assert_int_equal(context->version, 3);
    assert_null(pingo_executor_context_text(context, "nothing"));
    assert_int_equal(pingo_executor_context_number(context, "nothing"), -1);
    assert_int_equal(pingo_executor_context_number(context, "url"), -1);
    snprintf(own_said[strcmp(context->name, "one") != 0], sizeof own_said[0], "%s %s %d %d %d",
             context->name, url ? url : "-", (int)pingo_executor_context_number(context, "jobs"),
             (int)pingo_executor_context_number(context, "room"),
             (int)pingo_executor_context_number(context, "fast"));
    return fake_open(context, executor, err);
}

static int write_line(void *context, const char *key, const char *value, const char *def,
                      const char *meaning)
{
    char *text = context;

    if (strncmp(key, "executor", 8) == 0)
        snprintf(text + strlen(text), 4000 - strlen(text), "%s=%s/%s %s\n", key,
                 value ? value : "NULL", def ? def : "NULL", meaning);
    return 0;
}

static int set(struct box *b, const char *key, const char *value, const char *said)
{
    struct pingo_error err = {0};
    int rc = pingo_store_set(b->store, key, value, &err);

    if (rc && !strstr(err.message, said))
        fail_msg("not \"%s\": %s", said, err.message);
    return rc;
}

static void test_executors__settings_of_their_own(void **state)
{
    struct box *b = box_new();
    struct pingo_executor_type one = fake_type, two;
    const struct pingo_executor_type *list[] = {&one, &two};
    struct pingo_store_options options = {.version = 1, .executors = list, .nexecutors = 2};
    struct pingo_scheduler_options both = {.version = 1, .executors = list, .nexecutors = 2};
    struct pingo_scheduler *s = NULL;
    struct pingo_error err = {0};
    char text[4000] = "", *value;

    UNUSED(state);
    one.name = "one";
    one.open = own_open;
    one.settings = own_settings;
    one.nsettings = 4;
    two = one;
    two.name = "two";
    /* Who does not have them keeps what it is told. */
    assert_int_equal(set(b, "executor.one.jobs", "many", ""), 0);
    assert_non_null(strstr(b->log, "does not have executor \"one\""));
    assert_int_equal(set(b, "executor.external.slots", "1", "\"external\" has none of its own"),
                     PINGO_ENOTFOUND);
    assert_int_equal(pingo_store_get(b->store, "executor.one.url", &value, &err), PINGO_ENOTFOUND);
    well(pingo_store_settings(b->store, write_line, text, &err), &err);
    assert_non_null(strstr(text, "executor.one.jobs=many/NULL of executor \"one\", which"));
    pingo_scheduler_close(b->s);
    b->s = NULL;
    pingo_store_close(b->store);
    well(pingo_store_open(b->dir, &options, &b->store, &err), &err);
    /* Who opens it sees that it is wrong. */
    assert_int_equal(pingo_scheduler_open(b->store, &both, &s, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "executor.one.jobs: \"many\" is not a whole number from 1 "
                                        "to 50"));
    assert_int_equal(set(b, "executor.one.jobs", "51", "from 1 to 50"), PINGO_EINVAL);
    assert_int_equal(set(b, "executor.one.fast", "yes", "neither on nor off"), PINGO_EINVAL);
    assert_int_equal(set(b, "executor.one.room", "much", "a size"), PINGO_EINVAL);
    assert_int_equal(set(b, "executor.one.job", "3", "\"one\" has url, jobs"), PINGO_ENOTFOUND);
    assert_int_equal(set(b, "executor.one.jobs", "50", ""), 0);
    assert_int_equal(set(b, "executor.two.fast", "on", ""), 0);
    assert_int_equal(set(b, "executor.two.room", "2M", ""), 0);
    assert_int_equal(set(b, "executor.two.url", "http://x", ""), 0);
    well(pingo_scheduler_open(b->store, &both, &s, &err), &err);
    assert_string_equal(own_said[0], "one - 50 1024 0");
    assert_string_equal(own_said[1], "two http://x 7 2097152 1");
    pingo_scheduler_close(s);
    assert_int_equal(set(b, "executor.one.jobs", NULL, ""), 0);
    well(pingo_store_get(b->store, "executor.one.jobs", &value, &err), &err);
    assert_string_equal(value, "7");
    free(value);
    *text = '\0';
    well(pingo_store_settings(b->store, write_line, text, &err), &err);
    assert_non_null(strstr(text, "executor.memoryMB=0/0")); /* in byte order */
    assert_true(strstr(text, "executor.memoryMB") <
                strstr(text, "executor.one.fast=off/off or slow"));
    assert_true(strstr(text, "executor.one.url=NULL/NULL where") < strstr(text, "executor.slots="));
    assert_true(strstr(text, "executor.slots=") < strstr(text, "executor.two.fast=on/off or slow"));
    box_close(b);
}

/* A table that ends where those of version 1 do, and whose ends do. */
static void test_executors__an_older_table_is_taken(void **state)
{
    struct box *b = box_new();
    struct pingo_executor_type *old = malloc(offsetof(struct pingo_executor_type, settings));
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
    free(old);
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
        cmocka_unit_test(test_executors__a_missing_helper_is_an_error),
        cmocka_unit_test(test_executors__err_is_untouched_by_success),
        cmocka_unit_test(test_executors__external_alone_runs_nobodys_commands),
        cmocka_unit_test(test_executors__a_job_in_hand_does_not_hide_it),
        cmocka_unit_test(test_executors__none_and_some_is_a_mistake),
        cmocka_unit_test(test_executors__an_action_names_its_own),
        cmocka_unit_test(test_executors__one_that_nobody_has_is_told),
        cmocka_unit_test(test_executors__attempts_of_one_that_nobody_has),
        cmocka_unit_test(test_executors__settings_of_their_own),
        cmocka_unit_test(test_executors__an_older_table_is_taken),
        cmocka_unit_test(test_executors__the_node_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
