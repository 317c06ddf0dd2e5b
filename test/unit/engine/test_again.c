/* test_again.c - what was submitted once is submitted once more: the text, where its paths begin, and its targets. */
#include "unit/engine/box.h"

#include "unit/manager/dataset/outside_files.h"

static struct pingo_submission again(struct box *b, int64_t workflow,
                                     const struct pingo_submit_options *options)
{
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    well(pingo_store_submit_again(b->store, workflow, options, &s, &err), &err);
    return s;
}

static void test_again__what_failed_is_made(void **state)
{
    struct box *b = box_new();
    struct pingo_submit_options elsewhere = {.version = 1, .base_dir = "/nowhere"};
    struct pingo_submission s;
    char path[100];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/i", b->root);
    outside_write(path, "one");
    box_submit(b, W(A(1, ",'inputs':[{'name':'i','path':'i'}]") "," A(2, P(FROM(1)))));
    box_tick(b);
    box_finish(b, "a1");
    box_fail(b, "a2");
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    s = again(b, 1, NULL);
    assert_int_equal(s.workflow, 2);
    assert_false(s.found);
    assert_int_equal(s.summary.compute, 1);
    assert_int_equal(s.summary.reuse, 1);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    s = again(b, 2, &elsewhere); /* its paths begin where they began */
    assert_int_equal(s.summary.compute, 0);
    assert_int_equal(s.state, PINGO_WORKFLOW_FINISHED);
    box_close(b);
}

/* Two actions have one name: the targets of then are told by their ids. */
static void test_again__has_the_targets_of_then(void **state)
{
    static const char *const targets[] = {"2", "7"}, *const one[] = {"3"};
    struct box *b = box_new();
    struct pingo_submit_options o = {
        .version = 2, .base_dir = b->root, .user = "ada", .targets = targets, .ntargets = 2};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    well(box_try_submit(
             b,
             W(A(1, "") ",{'id':2,'name':'b','type':'command-line','command':'y'},"
                        "{'id':7,'name':'b','type':'command-line','command':'z'}," A(3, P(FROM(1)))),
             &o, &s, &err),
         &err);
    assert_int_equal(s.summary.compute, 2);
    s = again(b, 1, NULL);
    assert_int_equal(s.summary.join, 2);
    assert_int_equal(s.summary.skip, 2);
    s = again(b, 2, NULL); /* and those of the second time */
    assert_int_equal(s.summary.skip, 2);
    o = (struct pingo_submit_options){.version = 1, .targets = one, .ntargets = 1};
    s = again(b, 1, &o); /* until others are named */
    assert_int_equal(s.summary.compute, 2);
    assert_int_equal(s.summary.skip, 2);
    s = again(b, 4, NULL);
    assert_int_equal(s.summary.join, 1);
    assert_int_equal(s.summary.skip, 3);
    box_close(b);
}

static void test_again__what_is_asked_for_besides(void **state)
{
    static const char *const forced[] = {"a1"};
    struct box *b = box_new();
    struct pingo_submit_options o = {.version = 3,
                                     .forced = forced,
                                     .nforced = 1,
                                     .user = "ada",
                                     .priority = 4,
                                     .tag = "once more",
                                     .once = true};
    struct pingo_submission s;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    s = again(b, 1, &o);
    assert_int_equal(s.summary.compute, 1);
    assert_int_equal(box_int(b, "SELECT priority FROM workflow WHERE id = 2"), 4);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow WHERE user = 'ada'"), 1);
    s = again(b, 1, &o);
    assert_true(s.found);
    assert_int_equal(s.workflow, 2);
    box_close(b);
}

static void test_again__not_what_is_gone_or_of_somebody_else(void **state)
{
    struct box *b = box_new();
    struct pingo_caller bob = {1, "bob", PINGO_ROLE_SUBMITTER, "a test"};
    struct pingo_submit_options bad = {.version = 9}, label = {.version = 1, .tag = ""};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;
    char path[100];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/i", b->root);
    outside_write(path, "one");
    box_submit(b, W(A(1, ",'inputs':[{'name':'i','path':'i'}]")));
    box_finish_all(b);
#define REFUSED(options, number, rc, said)                                                         \
    assert_int_equal(pingo_store_submit_again(b->store, number, options, &s, &err), rc);           \
    assert_non_null(strstr(err.message, said))
    REFUSED(NULL, 2, PINGO_ENOTFOUND, "there is no workflow 2");
    REFUSED(&bad, 1, PINGO_EINVAL, "pingo_submit_options");
    REFUSED(&label, 1, PINGO_EINVAL, "a tag is");
    well(pingo_store_act_for(b->store, &bob, &err), &err);
    REFUSED(NULL, 1, PINGO_EFORBIDDEN, "workflow 1 is of tester: bob may not change it");
    well(pingo_store_act_for(b->store, NULL, &err), &err);
    assert_int_equal(unlink(path), 0);
    REFUSED(NULL, 1, PINGO_EINPUT, path);
    well(pingo_store_forget(b->store, (const int64_t[]){1}, 1, NULL, &err), &err);
    REFUSED(NULL, 1, PINGO_ESTATE, "workflow 1 was forgotten (pingo forget): its text is gone");
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), 1);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_again__what_failed_is_made),
        cmocka_unit_test(test_again__has_the_targets_of_then),
        cmocka_unit_test(test_again__what_is_asked_for_besides),
        cmocka_unit_test(test_again__not_what_is_gone_or_of_somebody_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
