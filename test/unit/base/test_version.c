/* test_version.c - the version of the library is that of its header, and what it gives away can be freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pingo/version.h>
#include <stdlib.h>

static void test_version__is_that_of_the_header(void **state)
{
    (void)state;
    assert_string_equal(pingo_version(), PINGO_VERSION);
}

/* That it is freed, a sanitizer sees. */
static void test_version__frees_what_was_given_away(void **state)
{
    (void)state;
    pingo_free(malloc(1));
    pingo_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version__is_that_of_the_header),
        cmocka_unit_test(test_version__frees_what_was_given_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
