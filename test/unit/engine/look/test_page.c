/* test_page.c - lists in pages: a cursor leads to where the last page ended, and one of another list is refused. */
#include "unit/engine/look/told.h"

#include "engine/look/page.h"

static int on_workflow(void *context, const struct pingo_workflow_status *s)
{
    add(context, "%lld ", (long long)s->workflow);
    return 0;
}

static void test_page__a_cursor_that_is_none_is_refused(void **state)
{
    static const char *const bad[] = {"x",          "w",           "w.1",
                                      "w.1.2.3",    "w.1.2.3.4.5", "w.1.2.3.x",
                                      "a.1.0.0.0",  "w.1.2.3.",    "w.99999999999999999999.0.0.0",
                                      "..........", "w.1.2.3.4 "};
    struct box *b = box_new();
    struct told t = {.n = 0};
    struct pingo_error err;
    char wide[300];

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    memset(wide, '1', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        struct pingo_workflow_query q = {.version = 1,
                                         .after = i < sizeof bad / sizeof *bad ? bad[i] : wide};
        struct pingo_dataset_query d = {.version = 1, .after = q.after};

        assert_int_equal(pingo_store_workflows(b->store, &q, on_workflow, &t, &err), PINGO_EINVAL);
        assert_non_null(strstr(err.message, "is no place in this list"));
        assert_int_equal(pingo_store_datasets(b->store, &d, NULL, NULL, &err), PINGO_EINVAL);
    }
    assert_int_equal(t.n, 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page__a_cursor_that_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
