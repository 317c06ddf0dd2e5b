/* test_machine.c - what this machine has to give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "base/machine.h"

static void test_machine__has_something_to_give(void **state)
{
    char path[4096], name[16];
    FILE *file = fopen("/proc/meminfo", "re");
    long long all_kb = 0;
    (void)state;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%15s %lld", name, &all_kb), 2);
    fclose(file);
    assert_true(pingo__machine_slots() >= 1);
    assert_true(pingo__machine_slots() <= sysconf(_SC_NPROCESSORS_CONF));
    assert_true(pingo__machine_memory() >= 1);
    assert_true(pingo__machine_memory() / 1024 <= all_kb + 1);
    assert_int_equal(pingo__machine_cgroup("no-such-controller", path, sizeof path), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine__has_something_to_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
