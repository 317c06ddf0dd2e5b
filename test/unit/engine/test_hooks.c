/* test_hooks.c - who asked for it is told of ends: what they are told, in whose hand a try is, when it is tried again. */
#include "unit/engine/box.h"

static const char *path_of(struct box *b, const char *name)
{
    static char path[160];

    snprintf(path, sizeof path, "%s/%s", b->root, name);
    return path;
}

/* hook.command is a script that does this. */
static void tell_by(struct box *b, const char *text)
{
    struct pingo_error err;
    FILE *f = fopen(path_of(b, "told.new"), "we");

    assert_non_null(f);
    fprintf(f, "#!/bin/sh\ncd '%s' || exit 99\n%s\n", b->root, text);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path_of(b, "told.new"), 0700), 0);
    char making[160];
    snprintf(making, sizeof making, "%s", path_of(b, "told.new"));
    assert_int_equal(rename(making, path_of(b, "told")), 0);
    well(pingo_store_set(b->store, "hook.command", path_of(b, "told"), &err), &err);
}

static void finish(struct box *b)
{
    struct pingo_error err;

    well(pingo__engine_hooks_finish(&b->s->hooks, &err), &err);
}

static int64_t in_state(struct box *b, enum pingo_hook_state state)
{
    struct pingo_error err;
    int64_t n = 0;

    well(pingo__db_number(&b->store->db, &err, &n, "SELECT count(*) FROM hook WHERE state = ?",
                          INT(state)),
         &err);
    return n;
}

static int on_hook(void *context, const struct pingo_hook *h)
{
    snprintf(context, 200, "%d %s", (int)h->tries, h->message);
    return 1;
}

/* Of the newest: how often it was tried, and why that failed. */
static void has(struct box *b, const char *expected)
{
    char text[200] = "";
    struct pingo_error err;

    assert_int_equal(pingo_store_hooks(b->store, NULL, on_hook, text, &err), PINGO_EINTERRUPTED);
    assert_string_equal(text, expected);
}

static void test_hooks__tell_what_has_ended(void **state)
{
    struct box *b = box_new();
    struct pingo_submit_options o = {
        .version = 2, .base_dir = b->root, .user = "ada", .tag = "t \"1\""};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;
    char got[1000] = "", expected[300];

    UNUSED(state);
    tell_by(b, "cat >got; test \"$PINGO_HOOK_ID\"");
    well(box_try_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(2)))), &o, &s, &err), &err);
    box_tick(b);
    box_finish(b, "a1");
    assert_int_equal(box_int(b, "SELECT count(*) FROM hook"), 0);
    box_fail(b, "a2");
    finish(b);
    assert_int_equal(in_state(b, PINGO_HOOK_DELIVERED), 1);
    has(b, "1 ");
    int fd = open(path_of(b, "got"), O_RDONLY);
    assert_true(read(fd, got, sizeof got - 1) > 0);
    close(fd);
    char *json = strstr(got, "\"submitted\"");
    assert_non_null(json);
    *json = '\0';
    snprintf(expected, sizeof expected,
             "{\"event\":\"workflow.ended\",\"id\":\"%s-1\",\"store\":\"%s\",\"workflow\":1,"
             "\"name\":\"w\",\"state\":\"FAILED\",\"user\":\"ada\",\"tag\":\"t \\\"1\\\"\",",
             pingo_store_id(b->store), pingo_store_id(b->store));
    assert_string_equal(got, expected);
    json = strstr(json + 1, "\"actionCount\"");
    assert_non_null(json);
    assert_string_equal(json, "\"actionCount\":3,\"counts\":{\"finished\":1,\"failed\":2,"
                              "\"reused\":0,\"skipped\":0}}\n");
    box_close(b);
}

/* More than are in hand at once, where nobody ticks any more. */
static void test_hooks__all_that_is_due_is_told_before_we_go(void **state)
{
    struct box *b = box_new();
    int64_t workflows[7];
    struct pingo_error err;

    UNUSED(state);
    tell_by(b, "echo >>got");
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    assert_int_equal(in_state(b, PINGO_HOOK_DELIVERED), 1);
    for (int i = 0; i < 7; i++) /* they have ended when they are submitted */
        workflows[i] = box_submit(b, W(A(1, ""))).workflow;
    assert_int_equal(in_state(b, PINGO_HOOK_PENDING), 7);
    well(pingo_scheduler_run(b->s, workflows, 7, NULL, &err), &err);
    assert_int_equal(in_state(b, PINGO_HOOK_DELIVERED), 8);
    struct stat st;
    assert_int_equal(stat(path_of(b, "got"), &st), 0);
    assert_int_equal(st.st_size, 8); /* each once */
    box_close(b);
}

/* After each try that failed the pause is twice as long; five are enough. */
static void test_hooks__what_fails_is_tried_again_later(void **state)
{
    struct box *b = box_new();
    int64_t pause_ms = 30000;
    char expected[80];

    UNUSED(state);
    tell_by(b, "echo oh >&2; exit 3");
    box_submit(b, W(A(1, "")));
    for (int i = 1; i <= 5; i++) {
        int64_t before = pingo__manager_now_ms(&b->s->context);
        if (i == 1)
            box_finish_all(b);
        else
            finish(b);
        snprintf(expected, sizeof expected, "%d it ended with the status 3: oh", i);
        has(b, expected);
        assert_int_equal(in_state(b, i < 5 ? PINGO_HOOK_PENDING : PINGO_HOOK_GIVEN_UP), 1);
        if (i < 5)
            assert_true(box_int(b, "SELECT due_ms FROM hook") >= before + pause_ms);
        pause_ms *= 2;
        finish(b); /* it is not due */
        has(b, expected);
        box_run(b, "UPDATE hook SET due_ms = 0");
    }
    assert_non_null(strstr(b->log, "hook.command could not be told of the end of workflow 1: "));
    assert_non_null(strstr(b->log, "/told: it ended with the status 3: oh"));
    finish(b);
    has(b, expected); /* it is over */
    box_close(b);
}

/* Where the pause is none, it is not tried twice by the same. */
static void test_hooks__who_goes_tries_once(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    tell_by(b, "exit 3");
    well(pingo_store_set(b->store, "hook.retrySeconds", "0", &err), &err);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "");
    b->s->hooks.looked_ms = INT64_MAX; /* not by the tick */
    well(pingo_scheduler_tick(b->s, NULL, &err), &err);
    assert_int_equal(box_int(b, "SELECT tries FROM hook"), 0);
    finish(b);
    assert_int_equal(box_int(b, "SELECT tries FROM hook"), 1);
    finish(b);
    assert_int_equal(box_int(b, "SELECT tries FROM hook"), 2);
    b->s->hooks.looked_ms = 0;
    box_close(b);
}

static void test_hooks__a_host_that_is_not_listed_is_given_up(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_set(b->store, "hook.url", "http://127.0.0.1:1/x", &err), &err);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    assert_int_equal(in_state(b, PINGO_HOOK_GIVEN_UP), 1);
    has(b, "1 127.0.0.1 does not stand in hook.hosts");
    assert_true(box_int(b, "SELECT done_ms FROM hook") > 0);
    box_close(b);
}

/* What is not needed any more has not failed. */
static void test_hooks__what_was_adopted_leaves_no_failure(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    char got[1000] = "";

    UNUSED(state);
    tell_by(b, "cat >got");
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    FILE *f = fopen(path_of(b, "old"), "we");
    assert_non_null(f);
    fputs("made before", f);
    assert_int_equal(fclose(f), 0);
    well(pingo_store_adopt(b->store, &(struct pingo_action_name){1, "a2"}, path_of(b, "old"), NULL,
                           &err),
         &err);
    finish(b);
    int fd = open(path_of(b, "got"), O_RDONLY);
    assert_true(read(fd, got, sizeof got - 1) > 0);
    close(fd);
    assert_non_null(strstr(got, "\"state\":\"FINISHED\""));
    assert_non_null(strstr(got, "\"finished\":1,\"failed\":0,"));
    box_close(b);
}

static void test_hooks__none_is_no_host(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_set(b->store, "hook.hosts", "none", &err), &err);
    well(pingo_store_set(b->store, "hook.url", "http://none:1/x", &err), &err);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    assert_int_equal(in_state(b, PINGO_HOOK_GIVEN_UP), 1);
    has(b, "1 none does not stand in hook.hosts");
    box_close(b);
}

static void count_log(void *context, enum pingo_log_level level, const char *message)
{
    UNUSED(level);
    *(int *)context += strstr(message, "does not stand in hook.hosts") != NULL;
}

static void test_hooks__settings_that_come_together_warn_once(void **state)
{
    struct pingo_setting both[] = {{"hook.url", "http://one:1/x"}, {"hook.hosts", "other"}};
    struct box *b = box_new();
    struct pingo_error err;
    int nwarnings = 0;

    UNUSED(state);
    b->store->context.log = count_log;
    b->store->context.log_context = &nwarnings;
    well(pingo_store_set_several(b->store, both, 2, &err), &err);
    assert_int_equal(nwarnings, 1);
    box_close(b);
}

/* A try is ours in the store before it begins; when we leave it was none, and another may try at once. */
static void test_hooks__a_try_that_is_cut_short_does_not_count(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    tell_by(b, "exec sleep 600");
    box_submit(b, W(A(1, "")));
    int64_t before = pingo__manager_now_ms(&b->s->context);
    b->s->hooks.looked_ms = 0;
    well(pingo__engine_hooks_tick(&b->s->hooks, &err), &err);
    assert_int_equal(b->s->hooks.nhand, 1);
    assert_int_equal(box_int(b, "SELECT tries FROM hook"), 1);
    assert_int_equal(box_int(b, "SELECT owner FROM hook"), b->s->context.owner);
    assert_true(box_int(b, "SELECT due_ms FROM hook") >= before + 10000 + 60000);
    pingo_scheduler_close(b->s);
    b->s = NULL;
    assert_int_equal(in_state(b, PINGO_HOOK_PENDING), 1);
    has(b, "0 ");
    assert_true(box_int(b, "SELECT due_ms FROM hook") <= pingo__manager_now_ms(&b->store->context));
    tell_by(b, "exit 0"); /* the same program by now does better */
    box_open_scheduler(b);
    box_tick(b);
    assert_int_equal(in_state(b, PINGO_HOOK_DELIVERED), 1);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hooks__tell_what_has_ended),
        cmocka_unit_test(test_hooks__all_that_is_due_is_told_before_we_go),
        cmocka_unit_test(test_hooks__what_fails_is_tried_again_later),
        cmocka_unit_test(test_hooks__who_goes_tries_once),
        cmocka_unit_test(test_hooks__a_host_that_is_not_listed_is_given_up),
        cmocka_unit_test(test_hooks__what_was_adopted_leaves_no_failure),
        cmocka_unit_test(test_hooks__none_is_no_host),
        cmocka_unit_test(test_hooks__settings_that_come_together_warn_once),
        cmocka_unit_test(test_hooks__a_try_that_is_cut_short_does_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
