/* test_room.c - whether threads and descriptors are left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/room.h"
#include "unit/share.h"

/* As in a container without a /dev of its own. */
static bool is_bare;

int open(const char *path, int flags, ...)
{
    if (!is_bare)
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
    errno = ENOENT;
    return -1;
}

static void test_room__tells_a_missing_dev_null_from_a_limit(void **state)
{
    struct pingo_error err = {0};
    (void)state;
    is_bare = true;
    int rc = pingo__room_check(PINGO__ROOM_LOOP, 0, &err);
    is_bare = false;
    assert_int_equal(rc, PINGO_EIO);
    assert_non_null(strstr(err.message, "/dev/null: opening: No such file or directory"));
    assert_null(strstr(err.message, "ulimit"));
}

static void test_room__tells_which_limit_is_short(void **state)
{
    struct pingo_error err = {0};
    struct rlimit old, low;
    (void)state;
    assert_int_equal(pingo__room_check(4, 2, &err), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    low = old;
    low.rlim_cur = 5;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    int rc = pingo__room_check(PINGO__ROOM_LOOP, 1, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(rc, PINGO_EIO);
    assert_non_null(strstr(err.message, "file descriptors are needed"));
    assert_non_null(strstr(err.message, "ulimit -n"));
    /* What it took for a moment is given back. */
    assert_int_equal(pingo__room_check(PINGO__ROOM_LOOP, 2, &err), 0);
}

/* As with ulimit -v: no stack is to be had, of which the system says what it says of too many processes. */
static void test_room__tells_memory_from_processes(void **state)
{
    struct pingo_error err = {0};
    struct rlimit old, low;
    (void)state;
    if (IS_SLOW) /* a sanitizer needs memory of its own */
        skip();
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    low = old;
    low.rlim_cur = 1 << 20; /* what there is stays */
    assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
    int rc = pingo__room_check(1, 4, &err);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    assert_int_equal(rc, PINGO_EIO);
    assert_non_null(strstr(err.message, "4 threads cannot be started: Cannot allocate memory"));
    assert_non_null(strstr(err.message, "ulimit -v"));
    assert_null(strstr(err.message, "ulimit -u"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room__tells_memory_from_processes),
        cmocka_unit_test(test_room__tells_which_limit_is_short),
        cmocka_unit_test(test_room__tells_a_missing_dev_null_from_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
