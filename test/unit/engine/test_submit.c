/* test_submit.c - a text or a workflow becomes a submission, in one piece or not at all; a text that was seen before has a
 * short way. */
#include "unit/engine/box.h"

#include "unit/manager/dataset/outside_files.h"

/* ---- whose it is ----------------------------------------------------------------------------- */

static int on_user(void *context, const struct pingo_workflow_status *s)
{
    snprintf(context, 32, "%s", s->user);
    return 0;
}

/* One handle serves many users: each submission has its own, and who gives none is who runs the program. */
static void test_submit__a_submission_has_its_user(void **state)
{
    static const char *const users[] = {"ada", "grace", NULL};
    struct box *b = box_new();
    char user[32], nobody[32] = "";
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < 3; i++) {
        struct pingo_submit_options options = {.version = 2, .base_dir = b->root, .user = users[i]};
        struct pingo_submission s = {.size = sizeof s};

        well(box_try_submit(b, W(A(1, "")), &options, &s, &err), &err);
        well(pingo_store_workflow(b->store, s.workflow, on_user, user, &err), &err);
        if (users[i])
            assert_string_equal(user, users[i]);
        else
            strcpy(nobody, user);
    }
    assert_true(*nobody && strcmp(nobody, "grace") != 0);
    box_finish_all(b);
    /* The short way in, with all of it there, and options that end before the user. */
    struct pingo_submit_options old = {.version = 1, .base_dir = b->root, .user = "unseen"};
    struct pingo_submit_options new = {.version = 2, .base_dir = b->root, .user = "ada"};
    struct pingo_submission s = {.size = sizeof s};
    well(box_try_submit(b, W(A(1, "")), &old, &s, &err), &err);
    well(pingo_store_workflow(b->store, s.workflow, on_user, user, &err), &err);
    assert_string_equal(user, nobody);
    well(box_try_submit(b, W(A(1, "")), &new, &s, &err), &err);
    well(pingo_store_workflow(b->store, s.workflow, on_user, user, &err), &err);
    assert_string_equal(user, "ada");
    box_clean(b);
    box_close(b);
}

/* It is the label that shares and quotas go by. */
static void test_submit__who_is_none_is_refused(void **state)
{
    char longest[257];
    const char *const rows[] = {"", "a\nb", "\xff", longest};
    struct box *b = box_new();
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_submit_options o = {.version = 2, .base_dir = b->root};
    struct pingo_error err;

    UNUSED(state);
    memset(longest, 'x', 256);
    longest[256] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        o.user = rows[i];
        assert_int_equal(box_try_submit(b, W(A(1, "")), &o, &s, &err), PINGO_EINVAL);
        assert_string_equal(err.message,
                            "a user is 1 to 255 bytes of UTF-8 without control characters");
    }
    o.user = longest + 1;
    well(box_try_submit(b, W(A(1, "")), &o, &s, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM user"), 1);
    box_close(b);
}

/* ---- what fails ------------------------------------------------------------------------------ */

static void test_submit__what_fails_leaves_nothing(void **state)
{
    static const char *const nobody[] = {"nobody"}, *const twice[] = {"b"};
#define TWICE                                                                                      \
    "{'id':2,'name':'b','type':'command-line','command':'x'},"                                     \
    "{'id':3,'name':'b','type':'command-line','command':'y'}"
    static const struct {
        const char *text;
        struct pingo_submit_options options;
        int rc;
        const char *said;
    } rows[] = {
        {"", {.version = 2}, PINGO_EWORKFLOW, ""},
        {"{'name':'w'}", {.version = 2}, PINGO_EWORKFLOW, "actions"},
        {W(A(1, "")), {.version = 9}, PINGO_EINVAL, "pingo_submit_options"},
        {W(A(1, "")), {.version = 2, .tag = ""}, PINGO_EINVAL, "a tag is"},
        {W(A(1, "")), {.version = 2, .once = true}, PINGO_EINVAL, "once goes with a tag"},
        {W(A(1, "")), {.version = 2, .max_bytes = 9}, PINGO_ELIMIT, ""},
        {W(TWICE), {.version = 2, .targets = nobody, .ntargets = 1}, PINGO_ENOTFOUND, "nobody"},
        {W(TWICE), {.version = 2, .forced = twice, .nforced = 1}, PINGO_EAMBIGUOUS, "\"b\""},
        {W(A(1, ",'inputs':[{'name':'i','path':'/nowhere/i'}]")),
         {.version = 2},
         PINGO_EINPUT,
         "/nowhere/i"},
        {W(A(1, ",'inputs':[{'name':'i','path':'i'}]")), {.version = 2}, PINGO_EWORKFLOW, "i"},
    };
    struct box *b = box_new();
    struct pingo_submission s = {.size = sizeof s, .workflow = 7};
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int rc = box_try_submit(b, rows[i].text, &rows[i].options, &s, &err);
        if (rc != rows[i].rc || !strstr(err.message, rows[i].said))
            fail_msg("row %zu: %s: %s", i, pingo_error_name(rc), err.message);
        assert_int_equal(s.workflow, 0); /* none was made */
    }
    s.size = 0;
    assert_int_equal(box_try_submit(b, W(A(1, "")), NULL, &s, &err), PINGO_EINVAL);
    assert_int_equal(box_int(b, "SELECT (SELECT count(*) FROM workflow) + (SELECT count(*) FROM"
                                " document) + (SELECT count(*) FROM graph)"),
                     0);
    well(box_try_submit(b, W(A(1, "")), NULL, NULL, &err), &err); /* nobody wants to know */
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), 1);
    box_close(b);
}

/* Reads a file beside the store, whose bytes enter the hashes, and never mentions it: that is a warning. */
#define READS W(A(1, ",'inputs':[{'name':'i','path':'i'}]") "," A(2, P(FROM(1))))

/* What is no error is told with the submission, also where it is the answer to a request that was answered before. */
static void test_submit__warnings_are_told(void **state)
{
    struct box *b = box_new();
    char path[100], *text = json_of(W(A(1, ",'inputs':[{'name':'i','path':'i'}]")));
    struct pingo_problems *problems = (struct pingo_problems *)path; /* it is set */
    struct pingo_document document = {text, strlen(text), &problems};
    struct pingo_submit_options o = {.version = 3, .base_dir = b->root, .key = "k"};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    snprintf(path, sizeof path, "%s/i", b->root);
    outside_write(path, "one");
    for (int i = 0; i < 2; i++) {
        well(pingo_store_submit(b->store, &document, &o, &s, &err), &err);
        assert_int_equal(s.found, i);
        assert_int_equal(s.workflow, 1);
        assert_int_equal(pingo_problems_count(problems), 1);
        assert_int_equal(pingo_problems_at(problems, 0)->severity, PINGO_SEVERITY_WARNING);
        pingo_problems_free(problems);
    }
    o.strict = true;
    o.key = NULL;
    assert_int_equal(pingo_store_submit(b->store, &document, &o, &s, &err), PINGO_EWORKFLOW);
    assert_int_equal(pingo_problems_count(problems), 1);
    pingo_problems_free(problems);
    free(text);
    box_close(b);
}

/* ---- a text that was seen before ------------------------------------------------------------- */

static void test_submit__what_was_seen_is_a_row(void **state)
{
    static const char *const forced[] = {"1"};
    struct box *b = box_new();
    struct pingo_submit_options o = {
        .version = 2, .base_dir = b->root, .user = "tester", .forced = forced, .nforced = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;
    char path[100];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/i", b->root);
    outside_write(path, "one");
    s = box_submit(b, READS);
    assert_int_equal(s.summary.compute, 2);
    assert_int_equal(s.state, PINGO_WORKFLOW_RUNNING);
    box_finish_all(b);
    s = box_submit(b, READS);
    assert_int_equal(s.workflow, 2);
    assert_int_equal(s.state, PINGO_WORKFLOW_FINISHED);
    assert_int_equal(s.summary.reuse, 1);
    assert_int_equal(s.summary.skip, 1);
    assert_int_equal(box_int(b, "SELECT count(DISTINCT graph) FROM workflow"), 1);
    /* The same text, and other bytes in what it reads. */
    outside_write(path, "other");
    s = box_submit(b, READS);
    assert_int_equal(s.summary.compute, 2);
    assert_int_equal(box_int(b, "SELECT count(DISTINCT graph) FROM workflow"), 2);
    assert_int_equal(box_int(b, "SELECT count(*) FROM document"), 1);
    box_finish_all(b);
    outside_write(path, "one"); /* as it was at first */
    s = box_submit(b, READS);
    assert_int_equal(s.summary.compute, 0);
    /* Who asks for more goes the whole way. */
    well(box_try_submit(b, READS, &o, &s, &err), &err);
    assert_int_equal(s.summary.compute, 2);
    /* What it reads has gone. */
    assert_int_equal(unlink(path), 0);
    o.nforced = 0;
    assert_int_equal(box_try_submit(b, READS, &o, &s, &err), PINGO_EINPUT);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), 5);
    box_close(b);
}

/* ---- a workflow ------------------------------------------------------------------------------ */

static void test_submit__a_workflow_is_as_its_text(void **state)
{
    struct box *b = box_new();
    struct pingo_workflow_options options = {.version = 1, .base_dir = b->root};
    struct pingo_submit_options o = {
        .version = 2, .user = "tester", .priority = 3, .tag = "t", .once = true};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_workflow *workflow = NULL;
    struct pingo_error err;
    char path[100];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/i", b->root);
    outside_write(path, "one");
    box_submit(b, READS);
    char *json = json_of(READS);
    well(pingo_workflow_parse(&(struct pingo_document){json, strlen(json), NULL}, &options,
                              &workflow, &err),
         &err);
    well(pingo_store_submit_workflow(b->store, workflow, &o, &s, &err), &err);
    assert_int_equal(s.workflow, 2);
    assert_false(s.found);
    assert_int_equal(s.summary.compute, 0);
    assert_int_equal(s.summary.join, 1); /* what the text asks for */
    assert_int_equal(box_int(b, "SELECT priority FROM workflow WHERE id = 2"), 3);
    well(pingo_store_submit_workflow(b->store, workflow, &o, &s, &err), &err);
    assert_true(s.found);
    assert_int_equal(s.workflow, 2);
    pingo_workflow_free(workflow);
    free(json);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_submit__a_submission_has_its_user),
        cmocka_unit_test(test_submit__who_is_none_is_refused),
        cmocka_unit_test(test_submit__what_fails_leaves_nothing),
        cmocka_unit_test(test_submit__warnings_are_told),
        cmocka_unit_test(test_submit__what_was_seen_is_a_row),
        cmocka_unit_test(test_submit__a_workflow_is_as_its_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
