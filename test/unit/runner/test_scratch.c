/* test_scratch.c - directories of attempts: made ready, claimed, used again where they are clean, emptied on a full disk. */
#include "unit/runner/attempts.h"

#include <sys/syscall.h>

#include "runner/runner.h"

static int renames =
    -1; /* -1: as it is; else no flags are known, and after so many a rename fails */

/* In place of the C library's. */
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    errno = EINVAL;
    return renames >= 0 ? -1 : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    errno = EIO;
    return renames >= 0 && renames-- == 0
               ? -1
               : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}

static bool dies; /* who removes anything */

int unlinkat(int dir, const char *name, int flags)
{
    if (dies)
        _exit(0);
    return (int)syscall(SYS_unlinkat, dir, name, flags);
}

static int open_attempts(const struct pool *p)
{
    char path[128];
    snprintf(path, sizeof path, "%s/attempts", p->root);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void put(const struct pool *p, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static bool has(const struct pool *p, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    return access(path, F_OK) == 0;
}

static void claim(struct pool *p, struct pingo__runner_scratch *scratch, int action)
{
    name_attempt(p, action);
    assert_int_equal(pingo__runner_scratch_claim(scratch, p->dir), 0);
    assert_true(has(p, "work") && has(p, "tmp") && has(p, "stdout") && has(p, "stderr"));
}

static void test_scratch__a_clean_directory_comes_back(void **state)
{
    struct pingo__runner_scratch scratch;
    struct pool p;
    (void)state;
    pool_open(&p);
    pingo__runner_scratch_init(&scratch, open_attempts(&p));
    claim(&p, &scratch, 1);
    unsigned long made = scratch.made;
    put(&p, "work/left", "x");
    pingo__runner_scratch_release(&scratch, p.dir);
    assert_false(has(&p, ""));
    claim(&p, &scratch, 2);
    assert_int_equal(scratch.made, made); /* the same */
    assert_false(has(&p, "work/left"));
    put(&p, "stderr", "why"); /* what people read stays, and nothing else */
    put(&p, "work/left", "x");
    pingo__runner_scratch_release(&scratch, p.dir);
    assert_true(has(&p, "stderr"));
    assert_false(has(&p, "work"));
    claim(&p, &scratch, 3);
    assert_int_equal(scratch.made, made + 1);
    put(&p, "unknown", "x"); /* meddled with */
    pingo__runner_scratch_release(&scratch, p.dir);
    claim(&p, &scratch, 4);
    assert_int_equal(scratch.made, made + 2);
    put(&p, "work/left", "x");
    pingo__runner_scratch_leave(&scratch);
    assert_true(has(&p, "work/left"));
    assert_false(has(&p, "tmp"));
    pingo__runner_scratch_clear(&scratch);
    close(scratch.attempts);
    pool_close(&p);
}

static void test_scratch__of_who_has_a_directory_already(void **state)
{
    struct pingo__runner_scratch scratch;
    struct pool p;
    (void)state;
    pool_open(&p);
    pingo__runner_scratch_init(&scratch, open_attempts(&p));
    name_attempt(&p, 1);
    assert_int_equal(mkdir(p.dir, 0755), 0);
    put(&p, "mine", "x");
    int dir = open(p.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(pingo__runner_scratch_enter(&scratch, dir), 0);
    put(&p, "work/left", "xxx");
    put(&p, "tmp/left", "xxx");
    put(&p, "stdout", "xxx");
    assert_true(pingo__runner_scratch_drop(&scratch, true) > 0);
    assert_false(has(&p, "work/left") || has(&p, "tmp/left"));
    pingo__runner_scratch_finish(&scratch);
    assert_true(has(&p, "mine") && has(&p, "stdout"));
    assert_false(has(&p, "work") || has(&p, "tmp"));
    assert_int_equal(pingo__runner_scratch_enter(&scratch, dir), -EEXIST); /* its logs are there */
    pingo__runner_scratch_leave(&scratch);
    close(dir);
    close(scratch.attempts);
    pool_close(&p);
}

static void test_scratch__given_up_or_somebody_elses(void **state)
{
    struct pingo__runner_scratch scratch;
    struct pool p;
    (void)state;
    pool_open(&p);
    pingo__runner_scratch_init(&scratch, open_attempts(&p));
    name_attempt(&p, 1);
    close(open(p.dir, O_WRONLY | O_CREAT, 0644));
    assert_int_equal(pingo__runner_scratch_claim(&scratch, p.dir), -EEXIST);
    name_attempt(&p, 2);
    assert_int_equal(mkdir(p.dir, 0755), 0); /* an empty one would be replaced by a plain rename */
    assert_int_equal(pingo__runner_scratch_claim(&scratch, p.dir), -EEXIST);
    snprintf(p.dir, sizeof p.dir, "%s/attempts/%.40s", p.root, scratch.ready);
    assert_true(has(&p, "work"));
    pingo__runner_scratch_sweep(scratch.attempts, getpid() + 1); /* another's */
    assert_true(has(&p, "work"));
    pingo__runner_scratch_sweep(scratch.attempts, getpid());
    assert_false(has(&p, ""));
    pingo__runner_scratch_clear(&scratch);
    close(scratch.attempts);
    pool_close(&p);
}

/* NFS: mkdir is the gate.  What is moved in by halves is no directory for the next one. */
static void test_scratch__where_a_rename_would_replace(void **state)
{
    struct pingo__runner_scratch scratch;
    struct pool p;
    (void)state;
    pool_open(&p);
    pingo__runner_scratch_init(&scratch, open_attempts(&p));
    renames = 2;
    name_attempt(&p, 1);
    assert_int_equal(pingo__runner_scratch_claim(&scratch, p.dir), -EIO);
    assert_true(has(&p, "work"));
    assert_false(has(&p, "stdout"));
    renames = 9;
    claim(&p, &scratch, 2);
    put(&p, "work/output", "x"); /* that is where it works */
    assert_int_equal(faccessat(scratch.work, "output", F_OK, 0), 0);
    assert_int_equal(pingo__runner_scratch_claim(&scratch, p.dir), -EEXIST);
    renames = -1;
    pingo__runner_scratch_clear(&scratch);
    close(scratch.attempts);
    pool_close(&p);
}

static void test_scratch__who_dies_while_he_empties_it_leaves_nothing(void **state)
{
    struct pingo__runner_scratch scratch;
    struct pool p;
    (void)state;
    pool_open(&p);
    for (int i = 1; i <= 2; i++) {
        name_attempt(&p, i);
        pid_t pid = fork();
        if (pid == 0) {
            pingo__runner_scratch_init(&scratch, open_attempts(&p));
            claim(&p, &scratch, i);
            put(&p, "work/left", "x");
            if (i == 2)
                put(&p, "stderr", "why");
            dies = true;
            pingo__runner_scratch_release(&scratch, p.dir);
            _exit(1);
        }
        assert_int_equal(reap(pid), 0);
        int attempts = open_attempts(&p);
        pingo__runner_scratch_sweep(attempts, pid);
        close(attempts);
        assert_false(has(&p, "work"));
        assert_int_equal(has(&p, ""), i == 2);
        assert_int_equal(has(&p, "stderr"), i == 2);
    }
    pool_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scratch__a_clean_directory_comes_back),
        cmocka_unit_test(test_scratch__of_who_has_a_directory_already),
        cmocka_unit_test(test_scratch__given_up_or_somebody_elses),
        cmocka_unit_test(test_scratch__where_a_rename_would_replace),
        cmocka_unit_test(test_scratch__who_dies_while_he_empties_it_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
