/* test_copies.c - small originals are copied, and what is copied is what was hashed. */
#include "unit/runner/attempts.h"
#include "unit/runner/late.h"

#include "runner/steps.h"

static void write_file(const struct pool *p, const char *name, const char *text, mode_t mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", p->root, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void test_copies__what_was_hashed_is_what_is_read(void **state)
{
    struct pingo_hash content;
    struct stat st;
    struct pool p;
    char target[256];
    bool copied = false;
    (void)state;
    pool_open(&p);
    int dir = open(p.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(target, sizeof target, "%s/original", p.root);
    write_file(&p, "original", "right", 0755);
    assert_int_equal(pingo_content_hash(target, &content, NULL), 0);
    struct pingo_job_link link = {.name = "in", .target = target, .copy = true, .content = &content};
    assert_int_equal(pingo__runner_copies_put(dir, "in", &link, &copied), 0);
    assert_true(copied);
    assert_int_equal(fstatat(dir, "in", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISREG(st.st_mode) && (st.st_mode & 07777) == 0555 && st.st_size == 5);
    ino_t inode = st.st_ino;
    assert_int_equal(pingo__runner_copies_put(dir, "in", &link, &copied), 0);
    assert_int_equal(fstatat(dir, "in", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(st.st_ino, inode); /* it was there */
    assert_int_equal(fchmodat(dir, "in", 0755, 0), 0);
    write_file(&p, "in", "wrong", 0755); /* a command has changed it */
    assert_int_equal(pingo__runner_copies_put(dir, "in", &link, &copied), 0);
    assert_true(copied);
    write_file(&p, "original", "wrong", 0755);
    assert_int_equal(pingo__runner_copies_put(dir, "in", &link, &copied), -ESTALE);
    assert_false(copied);
    link.content = NULL;
    assert_int_equal(pingo__runner_copies_put(dir, "in", &link, &copied), 0);
    assert_true(copied);
    assert_int_equal(truncate(target, PINGO_JOB_COPY_MAX + 1), 0); /* too large: a link */
    assert_int_equal(pingo__runner_copies_put(dir, "in", &link, &copied), 0);
    assert_false(copied);
    assert_int_equal(truncate(target, 3), 0);
    is_late = true;
    assert_int_equal(pingo__runner_copies_put(dir, "late", &link, &copied), -EDQUOT);
    assert_false(copied);
    is_late = false;
    link.target = p.root; /* a directory, and nothing at all: likewise */
    assert_int_equal(pingo__runner_copies_put(dir, "in", &link, &copied), 0);
    assert_false(copied);
    link.target = "/nowhere/at/all";
    assert_int_equal(pingo__runner_copies_put(dir, "in", &link, &copied), 0);
    assert_false(copied);
    close(dir);
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies__what_was_hashed_is_what_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
