/* test_request.c - from a text to its hashes: all that cannot be read is told at once, each at its place in the text. */
#include "unit/engine/box.h"

#include "engine/request.h"
#include "unit/manager/dataset/outside_files.h"

/* Opens, parses and hashes.  The problems are the caller's; said: the last message. */
static int ask(struct box *b, const char *text, struct pingo_problems **problems,
               struct pingo_error *err)
{
    struct pingo_submit_options options = {.version = 2, .base_dir = b->root};
    struct pingo__engine_request r;
    char *json = json_of(text);
    struct pingo_document document = {json, strlen(json), problems};
    int rc = pingo__engine_request_open(&r, b->store, &options, err);

    if (problems)
        *problems = NULL;
    if (!rc)
        rc = pingo__engine_request_parse(&r, &document, err);
    if (!rc)
        rc = pingo__engine_request_hash(&r, err);
    assert_int_equal(rc == 0, r.digests != NULL);
    pingo__engine_request_close(&r);
    free(json);
    return rc;
}

/* As "POINTER: MESSAGE" lines. */
static void told(struct pingo_problems *problems, char *text, size_t size)
{
    *text = '\0';
    for (size_t i = 0; i < pingo_problems_count(problems); i++) {
        const struct pingo_problem *p = pingo_problems_at(problems, i);
        size_t n = strlen(text);
        if (p->severity == PINGO_SEVERITY_ERROR)
            snprintf(text + n, size - n, "%s: %s\n", p->pointer, p->message);
        assert_true(p->line > 0 && p->column > 0);
    }
    pingo_problems_free(problems);
}

#define READS(id, path)                                                                            \
    "{'id':" #id ",'name':'a" #id "','type':'command-line','command':'cat in/i',"                  \
    "'inputs':[{'name':'i','path':'" path "'}]}"

static void test_request__all_that_cannot_be_read_is_told(void **state)
{
    struct box *b = box_new();
    struct pingo_problems *problems = NULL;
    struct pingo_error err;
    char path[100], text[2000];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/there", b->root);
    outside_write(path, "one");
    well(ask(b, W(READS(1, "there")), &problems, &err), &err);
    pingo_problems_free(problems);
    assert_int_equal(ask(b,
                         W(READS(1, "/no/1") "," READS(2, "there") "," READS(
                             3, "/no/3") ","
                                         "{'id':4,'name':'a4','type':'command-line','command':'x',"
                                         "'tools':['no-such-tool'],'versions':[['false']]}"),
                         &problems, &err),
                     PINGO_EINPUT);
    assert_non_null(strstr(err.message, "/no/1"));
    told(problems, text, sizeof text);
    char *at = text;
    static const char *const expected[] = {
        "/actions/0/inputs/0/path: /no/1: cannot be read: No such file or directory\n",
        "/actions/2/inputs/0/path: /no/3: cannot be read: No such file or directory\n",
        "/actions/3/tools/0: no-such-tool: there is no such executable",
        "/actions/3/versions/0: \"false\" ended with exit status 1"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        at = strstr(at, expected[i]);
        if (!at)
            fail_msg("not \"%s\": %s", expected[i], text);
    }
    /* Who does not want to know each has the first. */
    assert_int_equal(ask(b, W(READS(1, "/no/1")), NULL, &err), PINGO_EINPUT);
    assert_non_null(strstr(err.message, "/no/1"));
    box_close(b);
}

/* What is missing stands beside the violations of rules, though nothing was read yet. */
static void test_request__with_the_violations_of_rules(void **state)
{
    struct box *b = box_new();
    struct pingo_problems *problems = NULL;
    struct pingo_error err;
    char text[2000];

    UNUSED(state);
    assert_int_equal(ask(b, W(READS(1, "/no/1") "," READS(1, "/no/2")), &problems, &err),
                     PINGO_EWORKFLOW);
    told(problems, text, sizeof text);
    assert_non_null(strstr(text, "/actions/0/inputs/0/path: /no/1: cannot be read: No such file"));
    assert_non_null(strstr(text, "/actions/1/inputs/0/path: /no/2: cannot be read: No such file"));
    assert_non_null(strstr(text, "/actions/1/id: "));
    assert_int_equal(ask(b, W(READS(1, "/no/1") "," READS(1, "/no/2")), NULL, &err),
                     PINGO_EWORKFLOW);
    assert_int_equal(ask(b, "{", &problems, &err), PINGO_EWORKFLOW); /* no text at all */
    assert_int_equal(pingo_problems_count(problems), 1);
    pingo_problems_free(problems);
    box_close(b);
}

static void test_request__into_the_store_is_refused_before_anything_is_read(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    char text[500];

    UNUSED(state);
    snprintf(text, sizeof text,
             W(READS(1, "/no/1") ",{'id':2,'name':'a2','type':'command-line','command':'x',"
                                 "'isManaged':false,'outputPath':'%s/out'}"),
             b->dir);
    assert_int_equal(ask(b, text, NULL, &err), PINGO_EWORKFLOW);
    assert_non_null(strstr(err.message, "lies inside the store"));
    box_close(b);
}

static void test_request__targets_are_positions(void **state)
{
    static const char *const targets[] = {"a2", "1"}, *const forced[] = {"2"}, *const bad[] = {"9"};
    struct box *b = box_new();
    struct pingo_submit_options options = {.version = 2,
                                           .base_dir = b->root,
                                           .targets = targets,
                                           .ntargets = 2,
                                           .forced = forced,
                                           .nforced = 1};
    struct pingo__engine_request r;
    struct pingo_plan_options plan;
    struct pingo_error err;
    char *json = json_of(W(A(1, "") "," A(2, "")));

    UNUSED(state);
    for (int i = 0; i < 2; i++) {
        well(pingo__engine_request_open(&r, b->store, &options, &err), &err);
        well(pingo__engine_request_parse(&r, &(struct pingo_document){json, strlen(json), NULL},
                                         &err),
             &err);
        int rc = pingo__engine_request_plan_options(&r, &plan, &err);
        assert_int_equal(rc, i ? PINGO_ENOTFOUND : 0);
        if (!i) {
            assert_int_equal(plan.ntargets, 2);
            assert_int_equal(plan.targets[0], 1);
            assert_int_equal(plan.targets[1], 0);
            assert_int_equal(plan.nforced, 1);
            assert_int_equal(plan.forced[0], 1);
        }
        pingo__engine_request_close(&r);
        options.forced = bad;
    }
    free(json);
    box_close(b);
}

/* The setting says how long a text may be, until the request does. */
static void test_request__a_text_that_is_too_long(void **state)
{
    struct box *b = box_new();
    struct pingo_submit_options options = {.version = 2, .max_bytes = 1000};
    struct pingo__engine_request r;
    struct pingo_error err;
    char *json = json_of(W(A(1, "")));
    struct pingo_document document = {json, strlen(json), NULL};

    UNUSED(state);
    well(pingo_store_set(b->store, "workflow.maxBytes", "20", &err), &err);
    assert_int_equal(ask(b, W(A(1, "")), NULL, &err), PINGO_ELIMIT);
    well(pingo__engine_request_open(&r, b->store, &options, &err), &err);
    well(pingo__engine_request_parse(&r, &document, &err), &err);
    pingo__engine_request_close(&r);
    free(json);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request__all_that_cannot_be_read_is_told),
        cmocka_unit_test(test_request__with_the_violations_of_rules),
        cmocka_unit_test(test_request__into_the_store_is_refused_before_anything_is_read),
        cmocka_unit_test(test_request__targets_are_positions),
        cmocka_unit_test(test_request__a_text_that_is_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
