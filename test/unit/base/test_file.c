/* test_file.c - small files, and the names in a directory: file.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/tree.h"

static char path[32];
static int dir;

static int set_up(void **state)
{
    (void)state;
    strcpy(path, "/tmp/pingo-file-XXXXXX");
    dir = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return dir < 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(dir);
    return pingo__tree_remove(AT_FDCWD, path);
}

static void put(const char *name, size_t n)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(write(fd, i % 2 ? "b" : "a", 1), 1);
    close(fd);
}

static void test_file__a_beginning(void **state)
{
    char text[8] = "old";
    (void)state;
    assert_int_equal(pingo__file_read(dir, "absent", text, sizeof text), -ENOENT);
    assert_string_equal(text, "");
    put("f", 3);
    assert_int_equal(pingo__file_read(dir, "f", text, sizeof text), 3);
    assert_string_equal(text, "aba");
    put("f", 20);
    assert_int_equal(pingo__file_read(dir, "f", text, sizeof text), 7);
    assert_string_equal(text, "abababa");
    assert_int_equal(symlinkat("f", dir, "link"), 0);
    assert_int_equal(pingo__file_read(dir, "link", text, sizeof text), -ELOOP);
    assert_int_equal(mkfifoat(dir, "fifo", 0600), 0); /* nobody writes to it */
    assert_int_equal(pingo__file_read(dir, "fifo", text, sizeof text), 0);
}

static void test_file__all_of_it(void **state)
{
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 9000};
    char *bytes;
    size_t n;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        put("f", sizes[i]);
        assert_int_equal(pingo__file_read_whole(dir, "f", 9000, &bytes, &n), 0);
        assert_int_equal(n, sizes[i]);
        assert_int_equal(strlen(bytes), n);
        free(bytes);
        if (sizes[i] > 0) {
            assert_int_equal(pingo__file_read_whole(dir, "f", sizes[i] - 1, &bytes, &n), -EFBIG);
            assert_null(bytes);
        }
    }
    /* What does not say how long it is. */
    assert_int_equal(pingo__file_read_whole(AT_FDCWD, "/proc/self/smaps", 1 << 24, &bytes, &n), 0);
    assert_true(n > 4096);
    free(bytes);
    assert_int_equal(pingo__file_read_whole(dir, ".", 9000, &bytes, &n), -EINVAL);
    assert_int_equal(pingo__file_read_whole(dir, "absent", 9000, &bytes, &n), -ENOENT);
}

static void test_file__a_text_is_put_into_what_is_there(void **state)
{
    char text[8];
    (void)state;
    assert_false(pingo__file_put(dir, "absent", "x"));
    put("f", 0);
    assert_true(pingo__file_put(dir, "f", "500"));
    assert_int_equal(pingo__file_read(dir, "f", text, sizeof text), 3);
    assert_string_equal(text, "500");
}

static void test_file__is_written_whole(void **state)
{
    char text[16];
    (void)state;
    put("f", 9); /* what was longer is cut */
    assert_int_equal(pingo__file_write(dir, "f", "xyz", 3, true), 0);
    assert_int_equal(pingo__file_read(dir, "f", text, sizeof text), 3);
    assert_string_equal(text, "xyz");
    assert_int_equal(pingo__file_write(dir, "new", "", 0, false), 0);
    assert_int_equal(pingo__file_read(dir, "new", text, sizeof text), 0);
    assert_int_equal(pingo__file_replace(dir, "f", "12", 2, true), 0);
    assert_int_equal(pingo__file_read(dir, "f", text, sizeof text), 2);
    assert_int_equal(faccessat(dir, "f" PINGO__FILE_PART, F_OK, 0), -1);
    /* A link in the way is not followed, and the file is as it was. */
    assert_int_equal(symlinkat("new", dir, "f" PINGO__FILE_PART), 0);
    assert_int_equal(pingo__file_replace(dir, "f", "345", 3, false), -ELOOP);
    assert_int_equal(pingo__file_read(dir, "f", text, sizeof text), 2);
    assert_int_equal(pingo__file_replace(dir, "absent/f", "1", 1, false), -ENOENT);
}

static void test_file__what_is_not_open_is_closed_too(void **state)
{
    int fd = openat(dir, ".", O_RDONLY | O_CLOEXEC);
    (void)state;
    errno = ENOSPC;
    pingo__file_close(-1);
    pingo__file_close(fd);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    pingo__file_end_list(NULL);
}

static void test_file__names(void **state)
{
    const char *name;
    size_t n = 0;
    (void)state;
    put("one", 0);
    put(".two", 0);
    for (int round = 0; round < 2; round++) { /* from the first on, each time */
        DIR *list = pingo__file_list(dir);
        assert_non_null(list);
        while ((name = pingo__file_next(list))) {
            assert_true(strcmp(name, "one") == 0 || strcmp(name, ".two") == 0);
            n++;
        }
        pingo__file_end_list(list);
    }
    assert_int_equal(n, 4);
    assert_null(pingo__file_list(-1));
    assert_null(pingo__file_next(NULL));
}

static void test_file__files_and_directories_are_opened_and_nothing_else(void **state)
{
    char byte;
    int fd;
    (void)state;
    put("plain", 1);
    assert_int_equal(pingo__file_open(dir, "plain", &fd), 0);
    assert_int_equal(read(fd, &byte, 1), 1);
    close(fd);
    assert_int_equal(pingo__file_open(dir, ".", &fd), 0);
    close(fd);
    assert_int_equal(symlinkat("plain", dir, "link"), 0);
    assert_int_equal(mkfifoat(dir, "fifo", 0600), 0); /* nobody waits for a writer */
    assert_int_equal(pingo__file_open(dir, "link", &fd), -ENOENT);
    assert_int_equal(fd, -1);
    assert_int_equal(pingo__file_open(dir, "fifo", &fd), -EINVAL);
    assert_int_equal(fd, -1);
    assert_int_equal(pingo__file_open(dir, "plain/below", &fd), -ENOENT);
    assert_int_equal(pingo__file_open(dir, "none", &fd), -ENOENT);
}

static void test_file__a_directory_and_those_above_it(void **state)
{
    const struct pingo__world *w = pingo__world_real();
    char deep[64], file[64];
    struct stat st;
    (void)state;
    snprintf(deep, sizeof deep, "%s/one/two/three", path);
    assert_int_equal(pingo__file_make_directory(w, deep, 0700), 0);
    assert_int_equal(pingo__file_make_directory(w, deep, 0700), 0); /* it is there */
    assert_int_equal(stat(deep, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    snprintf(deep, sizeof deep, "%s/one/two", path);
    assert_int_equal(stat(deep, &st), 0);
    assert_int_equal(st.st_mode & 0700, 0700);
    assert_true((st.st_mode & 07077) != 0); /* as the umask leaves it of 0755 */
    put("plain", 1);
    snprintf(file, sizeof file, "%s/plain/below/it", path);
    assert_int_equal(pingo__file_make_directory(w, file, 0700), -ENOTDIR);
}

/* Whole, or what was there before. */
static void test_file__what_is_kept_is_whole(void **state)
{
    char at[64], text[8];
    (void)state;
    snprintf(at, sizeof at, "%s/kept", path);
    put("kept.part", 6000); /* what an earlier try has left */
    assert_int_equal(pingo__file_keep(at, "one", 3), 0);
    assert_int_equal(pingo__file_read(dir, "kept", text, sizeof text), 3);
    assert_string_equal(text, "one");
    assert_int_equal(faccessat(dir, "kept.part", F_OK, 0), -1);
    assert_int_equal(mkdirat(dir, "kept.part", 0700), 0);
    assert_int_equal(pingo__file_keep(at, "two", 3), -EISDIR);
    assert_int_equal(pingo__file_read(dir, "kept", text, sizeof text), 3);
    assert_string_equal(text, "one");
}

static void test_file__blocks_in_bytes(void **state)
{
    struct statvfs fs = {.f_frsize = 4096};
    (void)state;
    assert_int_equal(pingo__file_blocks(&fs, 3), 3 * 4096);
    assert_int_equal(pingo__file_blocks(&fs, UINT64_MAX), INT64_MAX);
    assert_int_equal(pingo__file_blocks(&fs, UINT64_C(1) << 51), INT64_MAX);
    assert_int_equal(pingo__file_blocks(&(struct statvfs){.f_frsize = 0}, 3), 0);
}

static void test_file__times_past_what_64_bits_hold(void **state)
{
    (void)state;
    assert_int_equal(pingo__file_time_ns(&(struct timespec){1, 5}), 1000000005);
    assert_int_equal(pingo__file_time_ns(&(struct timespec){-2, 500000000}), -1500000000);
    assert_true(pingo__file_time_ns(&(struct timespec){INT64_C(9999999999), 0}) == INT64_MAX);
    assert_true(pingo__file_time_ns(&(struct timespec){INT64_C(-9999999999), 0}) == INT64_MIN);
}

/* What writes to a file, or closes it to others, has changed it. */
static void test_file__what_changed_is_told_by_its_stat(void **state)
{
    struct stat before, now;
    (void)state;
    put("one", 10);
    assert_int_equal(fstatat(dir, "one", &before, 0), 0);
    now = before;
    assert_true(pingo__file_is_unchanged(&before, &now));
    now.st_ctim.tv_nsec ^= 1;
    assert_false(pingo__file_is_unchanged(&before, &now));
    assert_int_equal(fchmodat(dir, "one", 0400, 0), 0);
    assert_int_equal(fstatat(dir, "one", &now, 0), 0);
    assert_false(pingo__file_is_unchanged(&before, &now));
    put("two", 10);
    assert_int_equal(fstatat(dir, "two", &now, 0), 0);
    assert_false(pingo__file_is_unchanged(&before, &now));
}

/* Who was kept out stays out, and another group is others. */
static void test_file__what_others_may(void **state)
{
    (void)state;
    assert_int_equal(pingo__file_may(0100644, true), 044);
    assert_int_equal(pingo__file_may(0640, true), 040);
    assert_int_equal(pingo__file_may(0640, false), 0);
    assert_int_equal(pingo__file_may(0604, false), 04);
    assert_int_equal(pingo__file_may(0775, false), 055);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file__what_others_may),
        cmocka_unit_test_setup_teardown(test_file__a_beginning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file__all_of_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file__what_is_kept_is_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file__a_text_is_put_into_what_is_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_file__is_written_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file__what_is_not_open_is_closed_too, set_up, tear_down),
        cmocka_unit_test(test_file__blocks_in_bytes),
        cmocka_unit_test(test_file__times_past_what_64_bits_hold),
        cmocka_unit_test_setup_teardown(test_file__what_changed_is_told_by_its_stat, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_file__names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            test_file__files_and_directories_are_opened_and_nothing_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file__a_directory_and_those_above_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
