/* test_builtin.c - the types that the library brings, each of its own name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pingo/action_type.h>

#include "workflow/workflow.h"

static void test_builtin__each_is_there_once_and_whole(void **state)
{
    size_t n = 0;
    const struct pingo_action_type *type;
    (void)state;
    for (; (type = pingo__workflow_type_builtin(n)); n++) {
        assert_int_equal(type->abi_version, PINGO_ACTION_TYPE_ABI);
        assert_non_null(type->render);
        assert_true(type->nkeys > 0);
        for (size_t i = 0; i < n; i++)
            assert_string_not_equal(type->name, pingo__workflow_type_builtin(i)->name);
        for (size_t i = 0; i < type->nkeys; i++)
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(type->keys[i].key, type->keys[k].key);
    }
    assert_int_equal(n, 4);
    assert_ptr_equal(pingo__workflow_type_builtin(0), pingo_action_type_command_line());
    assert_null(pingo__workflow_type_builtin(n + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin__each_is_there_once_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
