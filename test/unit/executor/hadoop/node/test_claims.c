/* test_claims.c - which attempt of a bundle a container tries next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/hadoop/node/node.h"

static void order(const char *list, const char *container, size_t shares, char text[256])
{
    struct pingo__executor_node_claims c;
    struct pingo_job_key key;
    size_t n = 0;
    char own[64];
    text[0] = '\0';
    snprintf(own, sizeof own, "%s", list);
    assert_int_equal(pingo__executor_node_claims_read(&c, own), 0);
    pingo__executor_node_claims_divide(&c, container, shares);
    while (pingo__executor_node_claims_next(&c, &key))
        n += (size_t)snprintf(text + n, 256 - n, "%lld.%lld ", (long long)key.action,
                              (long long)key.epoch);
    pingo__executor_node_claims_clear(&c);
}

static void test_claims__its_own_share_first(void **state)
{
    static const char list[] = "1.1\n2.1\n3.7\n4.1\n5.1\n";
    static const struct {
        const char *container;
        size_t shares;
        const char *order;
    } rows[] = {
        {"container_1410450250506_0001_01_000002", 1, "1.1 2.1 3.7 4.1 5.1 "},
        {"container_1410450250506_0001_01_000002", 2, "1.1 3.7 5.1 2.1 4.1 "},
        {"container_e17_1410450250506_0001_01_000003", 2, "2.1 4.1 1.1 3.7 5.1 "},
        {"container_1410450250506_0001_01_000005", 3,
         "1.1 4.1 2.1 3.7 5.1 "}, /* one more was asked for */
        {"container_1410450250506_0001_01_000009", 9, "1.1 2.1 3.7 4.1 5.1 "},
        {"nonsense", 0, "1.1 2.1 3.7 4.1 5.1 "},
    };
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        order(list, rows[i].container, rows[i].shares, text);
        assert_string_equal(text, rows[i].order);
    }
    order("", "container_1_1_1_2", 3, text);
    assert_string_equal(text, "");
}

static void test_claims__what_others_have_is_passed_over(void **state)
{
    struct pingo__executor_node_claims c;
    struct pingo_job_key key;
    (void)state;
    assert_int_equal(pingo__executor_node_claims_read(&c, (char[]){"1.1\n2.1\n2.2\n"}), 0);
    pingo__executor_node_claims_pass(&c, (struct pingo_job_key){2, 1});
    pingo__executor_node_claims_pass(&c, (struct pingo_job_key){9, 9});
    assert_true(pingo__executor_node_claims_next(&c, &key) && key.action == 1);
    assert_true(pingo__executor_node_claims_next(&c, &key) && key.action == 2 && key.epoch == 2);
    assert_false(pingo__executor_node_claims_next(&c, &key));
    pingo__executor_node_claims_clear(&c);
}

static void test_claims__a_list_that_is_none(void **state)
{
    static const char *const lists[] = {"1.1\nx\n", "1.1",          "1\n",
                                        "-1.1\n",   "1.1\n\n2.1\n", "1.0\n"};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct pingo__executor_node_claims c;
        char *list = strdup(lists[i]);
        assert_int_equal(pingo__executor_node_claims_read(&c, list), PINGO_ECORRUPT);
        free(list);
        pingo__executor_node_claims_clear(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims__its_own_share_first),
        cmocka_unit_test(test_claims__what_others_have_is_passed_over),
        cmocka_unit_test(test_claims__a_list_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
