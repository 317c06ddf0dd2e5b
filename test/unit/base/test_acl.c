/* test_acl.c - the access control list of a file: acl.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/acl.h"

/* rw-, user 1: r--, group: ---, mask: r--, other: ---. */
/* clang-format off */
static const unsigned char list[] = {2, 0, 0, 0,
    0x01, 0, 6, 0, 255, 255, 255, 255,
    0x02, 0, 4, 0, 1, 0, 0, 0,
    0x04, 0, 0, 0, 255, 255, 255, 255,
    0x10, 0, 4, 0, 255, 255, 255, 255,
    0x20, 0, 0, 0, 255, 255, 255, 255};
/* clang-format on */

static char *file(void)
{
    static char paths[2][32];
    static size_t n;
    char *path = strcpy(paths[n++ % 2], "/var/tmp/pingo-acl-XXXXXX");
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    return path;
}

static void test_acl__goes_from_one_file_to_another(void **state)
{
    const char *from = file(), *to = file();
    struct pingo__acl acl;
    struct stat st;

    (void)state;
    pingo__acl_read(from, &acl);
    assert_int_equal(acl.n, 0);
    pingo__acl_read("/nowhere", &acl);
    assert_int_equal(acl.n, 0);
    int rc = setxattr(from, "system.posix_acl_access", list, sizeof list, 0);
    if (rc == 0) {
        pingo__acl_read(from, &acl);
        assert_int_equal(acl.n, sizeof list);
        assert_int_equal(pingo__acl_write(to, &acl, 0750), 0);
        pingo__acl_read(to, &acl);
        assert_int_equal(stat(to, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0750);
        assert_int_equal(acl.bytes[14], 5); /* who may read may run it */
        assert_int_equal(acl.bytes[22], 0); /* the group may no more than it did */
        assert_int_equal(pingo__acl_write("/nowhere", &acl, 0600), -ENOENT);
        acl.n = 0;
        assert_int_equal(pingo__acl_write(to, &acl, 0640), 0);
        pingo__acl_read(to, &acl);
        assert_int_equal(acl.n, 0);
        assert_int_equal(stat(to, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0640);
        assert_int_equal(pingo__acl_write(to, &acl, 0644), 0); /* it has none to lose */
    }
    unlink(from);
    unlink(to);
    if (rc != 0) /* the file system has none */
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acl__goes_from_one_file_to_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
