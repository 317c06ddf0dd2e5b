/* test_tags.c - a submission is found again by its tag, or by the key of its request; once means once, and a state costs
 * one row. */
#include "unit/engine/box.h"

#include <sys/wait.h>

static int submit(struct box *b, const char *text, const char *tag, bool once,
                  struct pingo_submission *submission, struct pingo_error *err)
{
    struct pingo_submit_options options = {
        .version = 1, .base_dir = b->root, .tag = tag, .once = once};

    return box_try_submit(b, text, &options, submission, err);
}

static int on_status(void *context, const struct pingo_workflow_status *s)
{
    char *tag = context;

    snprintf(tag, 32, "%s", s->tag ? s->tag : "(none)");
    return 0;
}

static void test_tags__a_submission_is_found_again(void **state)
{
    struct box *b = box_new();
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;
    int64_t workflow = 0;
    char tag[32];

    UNUSED(state);
    assert_int_equal(pingo_store_find_tag(b->store, "job 7", &workflow, &err), PINGO_ENOTFOUND);
    well(submit(b, W(A(1, "")), "job 7", false, &s, &err), &err);
    assert_false(s.found);
    well(submit(b, W(A(2, "")), NULL, false, &s, &err), &err);
    well(pingo_store_find_tag(b->store, "job 7", &workflow, &err), &err);
    assert_int_equal(workflow, 1);
    well(pingo_store_workflow(b->store, 1, on_status, tag, &err), &err);
    assert_string_equal(tag, "job 7");
    well(pingo_store_workflow(b->store, 2, on_status, tag, &err), &err);
    assert_string_equal(tag, "(none)");
    /* Again: once finds it, whatever the text is; else it is another submission. */
    well(submit(b, W(A(1, "") "," A(3, "")), "job 7", true, &s, &err), &err);
    assert_int_equal(s.workflow, 1);
    assert_true(s.found);
    assert_int_equal(s.state, PINGO_WORKFLOW_RUNNING);
    assert_int_equal(s.summary.compute, 1);
    well(submit(b, W(A(1, "") "," A(3, "")), "job 7", false, &s, &err), &err);
    assert_int_equal(s.workflow, 3);
    assert_false(s.found);
    well(pingo_store_find_tag(b->store, "job 7", &workflow, &err), &err);
    assert_int_equal(workflow, 3);
    box_finish_all(b);
    /* All of it is there: the short way in keeps the tag as well, and finds it. */
    well(submit(b, W(A(1, "")), "short", true, &s, &err), &err);
    assert_int_equal(s.workflow, 4);
    assert_false(s.found);
    well(submit(b, W(A(1, "")), "short", true, &s, &err), &err);
    assert_int_equal(s.workflow, 4);
    assert_true(s.found);
    assert_int_equal(s.state, PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_tags__what_cannot_be_one_is_refused(void **state)
{
    struct box *b = box_new();
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;
    char longest[257];

    UNUSED(state);
    memset(longest, 'x', 256);
    longest[256] = '\0';
    assert_int_equal(submit(b, W(A(1, "")), "", false, &s, &err), PINGO_EINVAL);
    assert_int_equal(submit(b, W(A(1, "")), "a\nb", false, &s, &err), PINGO_EINVAL);
    assert_int_equal(submit(b, W(A(1, "")), "\xff", false, &s, &err), PINGO_EINVAL);
    assert_int_equal(submit(b, W(A(1, "")), longest, false, &s, &err), PINGO_EINVAL);
    well(submit(b, W(A(1, "")), longest + 1, false, &s, &err), &err);
    assert_int_equal(s.workflow, 1);
    box_close(b);
}

/* Several processes at once: one of them submits, all get its number. */
static void test_tags__once_is_once_among_processes(void **state)
{
    struct box *b = box_new();
    int ended = 0, status = 0;

    UNUSED(state);
    box_leave(b);
    for (int i = 0; i < 4; i++) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0) {
            struct pingo_submission s = {.size = sizeof s, .workflow = 0};

            if (pingo_store_open(b->dir, NULL, &b->store, NULL) ||
                submit(b, W(A(1, "")), "the one", true, &s, NULL))
                _exit(2);
            _exit(s.workflow == 1 ? 0 : 3);
        }
    }
    for (; ended < 4; ended++) {
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    box_open_store(b);
    box_open_scheduler(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), 1);
    box_close(b);
}

static void test_tags__the_state_of_a_workflow(void **state)
{
    struct box *b = box_new();
    enum pingo_workflow_state is = 0;
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(pingo_store_workflow_state(b->store, 1, &is, &err), PINGO_ENOTFOUND);
    box_submit(b, W(A(1, "")));
    well(pingo_store_workflow_state(b->store, 1, &is, &err), &err);
    assert_int_equal(is, PINGO_WORKFLOW_RUNNING);
    well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
    well(pingo_store_workflow_state(b->store, 1, &is, &err), &err);
    assert_int_equal(is, PINGO_WORKFLOW_PAUSED);
    well(pingo_store_resume_workflow(b->store, 1, NULL, &err), &err);
    box_finish_all(b);
    well(pingo_store_workflow_state(b->store, 1, &is, &err), &err);
    assert_int_equal(is, PINGO_WORKFLOW_FINISHED);
    box_close(b);
}

/* ---- keys of requests --------------------------------------------------------------------- */

static int submit_with(struct pingo_store *store, const char *text, const char *key,
                       int64_t priority, struct pingo_submission *s, struct pingo_error *err)
{
    char *json = json_of(text);
    struct pingo_submit_options options = {
        .version = 3, .user = "ada", .key = key, .priority = priority};
    int rc = pingo_store_submit(store, &(struct pingo_document){json, strlen(json), NULL}, &options,
                                s, err);

    free(json);
    return rc;
}

static void test_tags__a_key_stands_for_one_request(void **state)
{
    struct box *b = box_new();
    struct pingo_submission s = {.size = sizeof s}, again = {.size = sizeof again};
    struct pingo_error err;

    UNUSED(state);
    well(submit_with(b->store, W(A(1, "")), "k1", 0, &s, &err), &err);
    assert_false(s.found);
    box_finish_all(b);
    well(submit_with(b->store, W(A(1, "")), "k1", 0, &again, &err), &err);
    assert_true(again.found);
    assert_int_equal(again.workflow, s.workflow);
    assert_int_equal(again.state, s.state); /* the same answer, whatever became of it */
    assert_int_equal(again.summary.compute, 1);
    /* A dry run of what was seen leaves nothing. */
    assert_int_equal(submit_with(b->store, W(A(2, "")), "k1", 0, &again, &err), PINGO_EKEY);
    assert_int_equal(submit_with(b->store, W(A(1, "")), "k1", -1, &again, &err), PINGO_EKEY);
    well(submit_with(b->store, W(A(1, "")), "k2", 0, &again, &err), &err);
    assert_int_equal(again.workflow, 2);
    /* What failed stands for nothing. */
    assert_int_equal(submit_with(b->store, "{'name':'w'}", "k3", 0, &again, &err), PINGO_EWORKFLOW);
    well(submit_with(b->store, W(A(3, "")), "k3", 0, &again, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), 3);
    /* After a day it is new. */
    box_int(b, "UPDATE request SET at_ms = at_ms - 86400001 WHERE key = 'k1' RETURNING 1");
    well(submit_with(b->store, W(A(2, "")), "k1", 0, &again, &err), &err);
    assert_false(again.found);
    assert_int_equal(box_int(b, "SELECT count(*) FROM request"), 3);
    assert_int_equal(submit_with(b->store, W(A(2, "")), "", 0, &again, &err), PINGO_EINVAL);
    box_close(b);
}

/* Who works on it is asked by the kernel: it is free when its process is dead. */
static void test_tags__a_key_is_worked_on_once(void **state)
{
    struct box *b = box_new();
    struct pingo__store_request asked = {.user = "ada", .key = "k1"};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;
    int up[2], status;
    bool is_taken = false;
    char byte;

    UNUSED(state);
    assert_int_equal(pipe(up), 0);
    pid_t child = fork();
    if (child == 0) {
        struct pingo_store *own = NULL;
        bool took = pingo_store_open(b->dir, NULL, &own, NULL) == 0 &&
                    pingo__store_request_take(&own->db, &asked, &is_taken, NULL) == 0 && is_taken;
        if (write(up[1], took ? "y" : "n", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(up[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_int_equal(submit_with(b->store, W(A(1, "")), "k1", 0, &s, &err), PINGO_EPENDING);
    well(submit_with(b->store, W(A(1, "")), "k2", 0, &s, &err), &err);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    well(submit_with(b->store, W(A(1, "")), "k1", 0, &s, &err), &err);
    assert_false(s.found);
    close(up[0]);
    close(up[1]);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags__a_submission_is_found_again),
        cmocka_unit_test(test_tags__what_cannot_be_one_is_refused),
        cmocka_unit_test(test_tags__once_is_once_among_processes),
        cmocka_unit_test(test_tags__the_state_of_a_workflow),
        cmocka_unit_test(test_tags__a_key_stands_for_one_request),
        cmocka_unit_test(test_tags__a_key_is_worked_on_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
