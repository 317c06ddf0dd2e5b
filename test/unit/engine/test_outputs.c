/* test_outputs.c - where outputs may go that are not in the pool: never into the store or over it, and over nothing that is
 * not ours unless somebody says so; and no input is read that holds the store. */
#include "unit/engine/box.h"

#include "unit/manager/dataset/outside_files.h"

/* A path in the scratch directory of the test. */
static const char *at(struct box *b, const char *below)
{
    static char path[200];

    snprintf(path, sizeof path, "%s%s%s", b->root, *below ? "/" : "", below);
    return path;
}

/* Ways to the store and to its pool, and past them. */
static const struct {
    const char *path, *harm; /* below the scratch directory; harm NULL: none */
} paths[] = {
    {".pingo", "lies inside the store"},
    {".pingo/out", "lies inside the store"},
    {".pingo/pool/objects/x", "lies inside the store"},
    {".pingo/new/and/deep", "lies inside the store"},
    {"elsewhere/pool", "lies inside the store"},
    {"elsewhere/pool/out", "lies inside the store"},
    {"link/out", "lies inside the store"},
    {"link", NULL}, /* it is replaced, not what it leads to */
    {"", "would replace the directory that holds the store"},
    {"elsewhere", "would replace the directory that holds the store"},
    {".pingo-2", NULL},
    {".pin", NULL},
    {"elsewhere/pool2", NULL},
    {"elsewhere/new/out", NULL},
    {"out", NULL},
};

/* A store whose pool lies elsewhere, and a link to the store. */
static struct box *outside_box(void)
{
    struct box *b = box_new();
    struct pingo_error err;
    char pool[200];

    box_leave(b);
    box_remove(b->dir);
    snprintf(pool, sizeof pool, "%s", at(b, "elsewhere/pool"));
    assert_int_equal(mkdir(at(b, "elsewhere"), 0755), 0);
    well(pingo_store_init(b->dir, pool, &err), &err);
    box_open_store(b);
    assert_int_equal(symlink(".pingo", at(b, "link")), 0);
    return b;
}

static void test_outputs__never_into_the_store(void **state)
{
    struct box *b = outside_box();
    struct pingo__engine_kept kept;
    struct pingo_error err;

    UNUSED(state);
    pingo__engine_kept_find(b->store, &kept);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct pingo__manager_outside x = {.c = &b->store->context, .path = at(b, paths[i].path)};
        int rc = pingo__engine_target_check(&kept, &x, &err);
        pingo__manager_outside_clear(&x);
        if (rc != (paths[i].harm ? PINGO_EINVAL : 0))
            fail_msg("%s gives %s", paths[i].path, pingo_error_name(rc));
        if (rc && (!strstr(err.message, paths[i].harm) ||
                   strncmp(err.message, b->root, strlen(b->root)) != 0))
            fail_msg("%s: %s", paths[i].path, err.message);
    }
    box_close(b);
}

static struct pingo_workflow *workflow_of(struct box *b, const char *text)
{
    struct pingo_workflow_options options = {.version = 1, .base_dir = b->root};
    struct pingo_workflow *workflow = NULL;
    struct pingo_error err;
    char *json = json_of(text);

    well(pingo_workflow_parse(&(struct pingo_document){json, strlen(json), NULL}, &options,
                              &workflow, &err),
         &err);
    free(json);
    return workflow;
}

/* An action whose output lies there; beside it one without. */
static struct pingo_workflow *unmanaged(struct box *b, const char *below)
{
    char text[500];

    snprintf(text, sizeof text,
             W(A(1, "") ",{'id':2,'name':'a2','type':'command-line','command':'x',"
                        "'isManaged':false,'outputPath':'%s'}"),
             at(b, below));
    return workflow_of(b, text);
}

static void test_outputs__an_action_says_which(void **state)
{
    struct box *b = outside_box();
    struct pingo_error err;
    char said[400];

    UNUSED(state);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct pingo_workflow *workflow = unmanaged(b, paths[i].path);
        int rc = pingo__engine_outputs_check(b->store, workflow, &err);
        assert_int_equal(rc, paths[i].harm ? PINGO_EWORKFLOW : 0);
        snprintf(said, sizeof said, "action 2 (a2): outputPath %s %s", at(b, paths[i].path),
                 paths[i].harm ? paths[i].harm : "");
        if (rc)
            assert_string_equal(err.message, said);
        pingo_workflow_free(workflow);
    }
    box_close(b);
}

/* Two paths of one file: the text alone does not tell. */
static void test_outputs__each_action_has_a_file_of_its_own(void **state)
{
    struct box *b = outside_box();
    struct pingo_error err;
    char said[500];

    UNUSED(state);
    assert_int_equal(symlink("elsewhere", at(b, "other")), 0);
    struct pingo_workflow *workflow = workflow_of(
        b,
        W(A(1, ",'isManaged':false,'outputPath':'elsewhere/x'") "," A(
            2, ",'isManaged':false,'outputPath':'elsewhere/y'") "," A(3, ",'isManaged':false,'"
                                                                         "outputPath':'other/x'")));
    assert_int_equal(pingo__engine_outputs_check(b->store, workflow, &err), PINGO_EWORKFLOW);
    snprintf(said, sizeof said,
             "action 3 (a3): outputPath %s/other/x: the action 1 (a1) writes there too, as "
             "%s/elsewhere/x: give each action a path of its own",
             b->root, b->root);
    assert_string_equal(err.message, said);
    pingo_workflow_free(workflow);
    /* In a directory that is replaced whole, whichever comes first. */
    for (int i = 0; i < 2; i++) {
        workflow = workflow_of(
            b,
            i ? W(A(1, ",'isManaged':false,'outputPath':'elsewhere/x/y/z'") "," A(
                    2, ",'isManaged':false,'outputPath':'other/x'"))
              : W(A(2, ",'isManaged':false,'outputPath':'other/x'") "," A(
                    3,
                    ",'isManaged':false,'"
                    "outputPath':'"
                    "elsewhere/x2'") "," A(1,
                                           ",'isManaged':false,'outputPath':'elsewhere/x/y/z'")));
        assert_int_equal(pingo__engine_outputs_check(b->store, workflow, &err), PINGO_EWORKFLOW);
        snprintf(said, sizeof said,
                 "action 1 (a1): outputPath %s/elsewhere/x/y/z: the action 2 (a2) writes the "
                 "directory in which it lies, as %s/other/x: give each action a path of its own",
                 b->root, b->root);
        assert_string_equal(err.message, said);
        pingo_workflow_free(workflow);
    }
    box_close(b);
}

static void test_outputs__what_is_not_ours_is_replaced_when_that_is_said(void **state)
{
    struct box *b = box_new();
    struct pingo_workflow *workflow = unmanaged(b, "out");
    struct pingo_error err;

    UNUSED(state);
    well(pingo__engine_outputs_check_there(b->store, workflow, false, &err), &err);
    for (int i = 0; i < 2; i++) { /* the second time it was changed since it was said */
        outside_write(at(b, "out"), i ? "another" : "mine");
        assert_int_equal(pingo__engine_outputs_check_there(b->store, workflow, false, &err),
                         PINGO_EEXISTS);
        assert_non_null(strstr(err.message, "action 2 (a2): outputPath"));
        assert_non_null(strstr(err.message, at(b, "out")));
        assert_non_null(strstr(err.message, "move it away, or submit with --force-outputs"));
        well(pingo__engine_outputs_check_there(b->store, workflow, true, &err), &err);
        well(pingo__engine_outputs_check_there(b->store, workflow, false, &err), &err);
    }
    outside_holds(at(b, "out"), "another"); /* nobody has touched it */
    /* What is no file cannot be replaced, whatever is said. */
    assert_int_equal(unlink(at(b, "out")), 0);
    assert_int_equal(mkfifo(at(b, "out"), 0644), 0);
    assert_int_equal(pingo__engine_outputs_check_there(b->store, workflow, true, &err),
                     PINGO_EEXISTS);
    pingo_workflow_free(workflow);
    box_close(b);
}

static void test_outputs__their_directory_is_there(void **state)
{
    struct box *b = box_new();
    struct pingo_workflow *workflow = unmanaged(b, "new/out");
    struct pingo_error err;
    char said[500];

    UNUSED(state);
    snprintf(said, sizeof said,
             "action 2 (a2): outputPath %s/new/out: there is no directory %s/new: make it first",
             b->root, b->root);
    for (int force = 0; force < 2; force++) {
        assert_int_equal(pingo__engine_outputs_check_there(b->store, workflow, force, &err),
                         PINGO_EWORKFLOW);
        assert_string_equal(err.message, said);
    }
    outside_write(at(b, "new"), "a file"); /* is no directory either */
    assert_int_equal(pingo__engine_outputs_check_there(b->store, workflow, false, &err),
                     PINGO_EWORKFLOW);
    assert_string_equal(err.message, said);
    assert_int_equal(unlink(at(b, "new")), 0);
    assert_int_equal(mkdir(at(b, "new"), 0755), 0);
    well(pingo__engine_outputs_check_there(b->store, workflow, false, &err), &err);
    pingo_workflow_free(workflow);
    box_close(b);
}

/* The workflow names it: it is as wrong as one whose directory is not there. */
static void test_outputs__a_place_that_cannot_be_looked_at_is_no_place(void **state)
{
    struct box *b = box_new();
    struct pingo_workflow *workflow = unmanaged(b, "loop/out");
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(symlink("loop", at(b, "loop")), 0);
    assert_int_equal(pingo__engine_outputs_check_there(b->store, workflow, false, &err),
                     PINGO_EWORKFLOW);
    assert_non_null(strstr(err.message, "action 2 (a2): outputPath: /"));
    assert_non_null(strstr(err.message, "/loop/out: looking at: "));
    pingo_workflow_free(workflow);
    box_close(b);
}

/* ---- inputs ---- */

static void test_outputs__no_input_holds_the_store(void **state)
{
    static const struct {
        const char *below, *more;
        bool holds;
    } rows[] = {
        {"", "", true},
        {".pingo", "", true},
        {"elsewhere", "", true},
        {"elsewhere/pool", "", true},
        {"", ",'identity':'stat'", false}, /* not what is in it */
        {".pingo/pool", "", false},        /* the pool lies elsewhere */
        {"elsewhere/pool/objects", "", false},
        {".pin", "", false},
    };
    struct box *b = outside_box();
    struct pingo_error err;
    char text[500];

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, W(A(1, ",'inputs':[{'name':'src','path':'%s'%s}]")),
                 at(b, rows[i].below), rows[i].more);
        struct pingo_workflow *workflow = workflow_of(b, text);
        int rc = pingo__engine_inputs_check(b->store, workflow, &err);
        if (rc != (rows[i].holds ? PINGO_EINPUT : 0))
            fail_msg("%s%s gives %s", rows[i].below, rows[i].more, pingo_error_name(rc));
        if (rc)
            assert_non_null(strstr(err.message, "action 1 (a1): input src: /"));
        pingo_workflow_free(workflow);
    }
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs__never_into_the_store),
        cmocka_unit_test(test_outputs__an_action_says_which),
        cmocka_unit_test(test_outputs__each_action_has_a_file_of_its_own),
        cmocka_unit_test(test_outputs__what_is_not_ours_is_replaced_when_that_is_said),
        cmocka_unit_test(test_outputs__their_directory_is_there),
        cmocka_unit_test(test_outputs__a_place_that_cannot_be_looked_at_is_no_place),
        cmocka_unit_test(test_outputs__no_input_holds_the_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
