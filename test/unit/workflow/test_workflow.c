/* test_workflow.c - what a person writes for an action. */
#include "unit/workflow/many.h"

static void test_workflow__resolves_what_a_person_writes(void **state)
{
    static const char text[] =
        "{\"name\":\"w\",\"actions\":["
        "{\"id\":1,\"name\":\"one\",\"type\":\"external\",\"description\":\"d\"},"
        "{\"id\":2,\"name\":\"two\",\"type\":\"external\",\"description\":\"d\"},"
        "{\"id\":3,\"name\":\"two\",\"type\":\"external\",\"description\":\"d\"},"
        "{\"id\":4,\"name\":\"1\",\"type\":\"external\",\"description\":\"d\"},"
        "{\"id\":5,\"name\":\"77\",\"type\":\"external\",\"description\":\"d\"}]}";
    struct pingo_workflow *w;
    struct pingo_error err;
    size_t index = 99;

    (void)state;
    assert_int_equal(
        pingo_workflow_parse(&(struct pingo_document){text, sizeof text - 1, NULL}, NULL, &w, NULL),
        0);
    assert_int_equal(pingo_workflow_resolve(w, "one", &index, &err), 0);
    assert_int_equal(index, 0);
    assert_int_equal(pingo_workflow_resolve(w, "3", &index, &err), 0);
    assert_int_equal(index, 2);
    assert_int_equal(pingo_workflow_resolve(w, "1", &index, &err), 0); /* an id before a name */
    assert_int_equal(index, 0);
    assert_int_equal(pingo_workflow_resolve(w, "77", &index, &err), 0);
    assert_int_equal(index, 4);
    assert_int_equal(pingo_workflow_resolve(w, "two", &index, &err), PINGO_EAMBIGUOUS);
    assert_string_equal(err.message, "2 actions have the name \"two\": write the id of one");
    assert_int_equal(pingo_workflow_resolve(w, "six", &index, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_workflow_resolve(w, "6", &index, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_workflow_resolve(w, "", &index, &err), PINGO_ENOTFOUND);
    pingo_workflow_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workflow__resolves_what_a_person_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
