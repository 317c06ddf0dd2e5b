/* test_tool.c - where a tool lies: the first executable file of its name on the PATH, in absolute folders alone. */
#include "unit/digest/files.h"

#include "digest/originals_list.h"

static const char *in(const char *format, ...)
{
    static char texts[32][PATH_MAX];
    static size_t next;
    char *text = texts[next++ % 32];
    va_list args;
    va_start(args, format);
    vsnprintf(text, PATH_MAX, format, args);
    va_end(args);
    return text;
}

static void file(const char *path, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

/* Where it is found; or, behind "!", a part of what is said. */
static void finds(const char *name, const char *path, const char *found)
{
    struct pingo__digest_original tool = {.kind = PINGO__ORIGINAL_TOOL};
    struct pingo_error err = {0};
    assert_int_equal(pingo__digest_tool_find(pingo__world_real(), &tool, name, path, &err), 0);
    if (*found == '!') {
        assert_null(tool.path);
        assert_int_equal(tool.error, PINGO_EINPUT);
        assert_non_null(strstr(tool.message, name));
        if (!strstr(tool.message, found + 1))
            fail_msg("%s: not \"%s\"", tool.message, found + 1);
    } else {
        assert_int_equal(tool.error, 0);
        assert_null(tool.message);
        assert_string_equal(tool.path, found);
    }
    free((char *)(uintptr_t)tool.path);
    free((char *)(uintptr_t)tool.message);
}

/* first/: t (not executable), d/ (a folder), o (for others alone); second/: t, d, o, l -> t, gone -> nothing. */
static int make_folders(void **state)
{
    if (make_scratch(state) != 0)
        return -1;
    mkdir(in("%s/first", scratch), 0755);
    mkdir(in("%s/second", scratch), 0755);
    file(in("%s/first/t", scratch), 0644);
    mkdir(in("%s/first/d", scratch), 0755);
    file(in("%s/first/o", scratch), 0601);
    file(in("%s/second/t", scratch), 0755);
    file(in("%s/second/d", scratch), 0755);
    file(in("%s/second/o", scratch), 0755);
    if (symlink("t", in("%s/second/l", scratch)) != 0 ||
        symlink("nothing", in("%s/second/gone", scratch)) != 0)
        return -1;
    return 0;
}

static void test_tool__is_the_first_executable_file(void **state)
{
    const char *path = in("%s/none:%s/first:%s/second", scratch, scratch, scratch);
    (void)state;
    finds("t", path, in("%s/second/t", scratch));
    finds("d", path, in("%s/second/d", scratch)); /* no folder, though one can be searched */
    finds("o", path, in("%s/first/o", scratch));
    finds("l", path, in("%s/second/l", scratch)); /* by its own name */
    finds("gone", path, "!no such executable on");
    finds("gone", path, in("!%s/second", scratch)); /* where it was looked for */
    finds("t", in("%s/first", scratch), "!no such executable on");
    finds("t", in("%s/second/t", scratch), "!no such executable on"); /* a file is no folder */
}

/* A relative folder would be meant from where the action runs: nothing is found there. */
static void test_tool__relative_folders_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(chdir(in("%s/second", scratch)), 0);
    finds("t", "", "!no such executable on");
    finds("t", ":", "!no such executable on");
    finds("t", ".", "!no such executable on");
    finds("t", "../second", "!no such executable on");
    finds("t", in("::.:%s/second:", scratch), in("%s/second/t", scratch));
    finds("t", in("%s/second/", scratch), in("%s/second//t", scratch));
    assert_int_equal(chdir("/"), 0);
}

static void test_tool__a_path_is_absolute(void **state)
{
    const char *path = in("%s/second", scratch);
    (void)state;
    finds(in("%s/second/t", scratch), "", in("%s/second/t", scratch));
    finds(in("%s/first/t", scratch), path, "!there is no executable file");
    finds(in("%s/first/d", scratch), path, "!there is no executable file");
    finds(in("%s/none", scratch), path, "!there is no executable file");
    assert_int_equal(chdir(scratch), 0);
    finds("second/t", path, "!a name on the command's PATH or an absolute path");
    finds("./second/t", path, "!a name on the command's PATH or an absolute path");
    assert_int_equal(chdir("/"), 0);
}

static void test_tool__longer_than_any_path(void **state)
{
    char name[2 * PATH_MAX];
    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    finds(name, in("%s/second", scratch), "!no such executable on");
    name[0] = '/';
    finds(name, "", "!there is no executable file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tool__is_the_first_executable_file),
        cmocka_unit_test(test_tool__relative_folders_are_passed_over),
        cmocka_unit_test(test_tool__a_path_is_absolute),
        cmocka_unit_test(test_tool__longer_than_any_path),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_scratch);
}
