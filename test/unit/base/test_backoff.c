/* test_backoff.c - how long to wait before asking again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/backoff.h"

static void test_backoff__doubles_up_to_the_most(void **state)
{
    int64_t next_ms = 0, plain_ms = 100;
    (void)state;
    for (int i = 0; i < 12; i++) {
        int64_t pause_ms = pingo__backoff_next(&next_ms, 100, 5000);
        assert_in_range(pause_ms, plain_ms * 3 / 4, plain_ms * 5 / 4);
        plain_ms = plain_ms * 2 < 5000 ? plain_ms * 2 : 5000;
    }
    next_ms = 0;
    assert_in_range(pingo__backoff_next(&next_ms, 100, 5000), 75, 125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backoff__doubles_up_to_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
