/* test_helpers.c - what executors are helped with: where programs lie, and what an end says of the output that lies there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pingo/executor.h>

#include "base/tree.h"
#include "digest/sha256.h"

static char dir[64];

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/pingo-helpers-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    return pingo__tree_remove(AT_FDCWD, dir);
}

static const char *in_dir(const char *name)
{
    static char path[4][PATH_MAX];
    static size_t next;
    char *at = path[next++ % 4];
    snprintf(at, PATH_MAX, "%s/%s", dir, name);
    return at;
}

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void test_helpers__programs_lie_where_the_context_says(void **state)
{
    struct pingo_executor_context context = {.helper_dir = "/some/where"};
    (void)state;
    char *path = pingo_executor_context_program(&context, "pingo-runner");
    assert_string_equal(path, "/some/where/pingo-runner");
    free(path);
    context.helper_dir = NULL;
    path = pingo_executor_context_program(&context, "pingo-runner");
    assert_int_equal(path[0], '/');
    assert_string_equal(strrchr(path, '/'), "/pingo-runner");
    free(path);
}

static void test_helpers__an_output_is_a_file_or_a_directory(void **state)
{
    struct pingo_job_end end = {.size = sizeof end};
    struct pingo_error err;
    struct pingo_hash hash;
    struct stat st;
    (void)state;
    write_file(in_dir("file"), "text");
    assert_int_equal(pingo_job_end_output(&end, in_dir("file"), &err), 0);
    assert_int_equal(end.output_kind, PINGO_OUTPUT_FILE);
    assert_int_equal(end.size_bytes, 4);
    pingo__digest_sha256("text", 4, &hash);
    assert_memory_equal(&end.content, &hash, sizeof hash);
    assert_int_equal(stat(in_dir("file"), &st), 0);
    assert_int_equal(st.st_mode & 0222, 0); /* nobody writes it any more */
    assert_int_equal(mkdir(in_dir("tree"), 0755), 0);
    write_file(in_dir("tree/a"), "one");
    write_file(in_dir("tree/b"), "three");
    assert_int_equal(pingo_job_end_output(&end, in_dir("tree"), &err), 0);
    assert_int_equal(end.output_kind, PINGO_OUTPUT_DIRECTORY);
    assert_int_equal(end.size_bytes, 8);
    assert_int_equal(stat(in_dir("tree/a"), &st), 0);
    assert_int_equal(st.st_mode & 0222, 0);
    write_file(in_dir("empty"), ""); /* is one, too */
    assert_int_equal(pingo_job_end_output(&end, in_dir("empty"), &err), 0);
    assert_int_equal(end.output_kind, PINGO_OUTPUT_FILE);
    assert_int_equal(end.size_bytes, 0);
    /* One that is shorter is not written behind its end, and one without a size is refused. */
    end.size = offsetof(struct pingo_job_end, size_bytes);
    assert_int_equal(pingo_job_end_output(&end, in_dir("file"), &err), 0);
    assert_int_equal(end.size_bytes, 0);
    end.size = 0;
    assert_int_equal(pingo_job_end_output(&end, in_dir("file"), &err), PINGO_EINVAL);
}

/* What it is not is said in the end, however long the path is; and a link is not what it leads to. */
static void test_helpers__what_is_none_is_said(void **state)
{
    struct pingo_job_end end = {.size = sizeof end, .output_kind = PINGO_OUTPUT_FILE};
    struct pingo_error err = {0};
    char deep[1000];
    (void)state;
    assert_true(pingo_job_end_output(&end, in_dir("none"), &err) < 0);
    assert_int_equal(end.output_kind, PINGO_OUTPUT_NONE);
    assert_non_null(strstr(end.message, "none"));
    assert_true(*err.message);
    memset(deep, 'd', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    end.output_kind = PINGO_OUTPUT_FILE;
    assert_true(pingo_job_end_output(&end, in_dir(deep), &err) < 0);
    assert_int_equal(end.output_kind, PINGO_OUTPUT_NONE);
    assert_non_null(memchr(end.message, '\0', sizeof end.message));
    write_file(in_dir("target"), "somebody's");
    assert_int_equal(symlink("target", in_dir("link")), 0);
    end.output_kind = PINGO_OUTPUT_FILE;
    assert_true(pingo_job_end_output(&end, in_dir("link"), NULL) < 0);
    assert_int_equal(end.output_kind, PINGO_OUTPUT_NONE);
    struct stat st;
    assert_int_equal(stat(in_dir("target"), &st), 0);
    assert_int_not_equal(st.st_mode & 0200, 0); /* nor is that made read-only */
    assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
    assert_true(pingo_job_end_output(&end, in_dir("pipe"), &err) < 0); /* and nobody waits */
    assert_int_equal(end.output_kind, PINGO_OUTPUT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_helpers__programs_lie_where_the_context_says),
        cmocka_unit_test(test_helpers__an_output_is_a_file_or_a_directory),
        cmocka_unit_test(test_helpers__what_is_none_is_said),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
