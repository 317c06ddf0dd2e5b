/* test_memory.c - control groups for jobs whose memory is limited, and whom the kernel has killed: memory.c. */
#include "unit/runner/attempts.h"

#include <sched.h>
#include <sys/mount.h>

#include "runner/steps.h"
#include "unit/runner/cgroup.h"

static void test_memory__without_a_group_nothing_is_known(void **state)
{
    (void)state;
    assert_null(pingo__runner_memory_group_open((struct pingo_job_key){1, 1}, 0));
    assert_int_equal(pingo__runner_memory_group_procs(NULL), -1);
    assert_false(pingo__runner_memory_group_over(NULL));
    assert_int_equal(pingo__runner_memory_group_peak(NULL), 0);
    pingo__runner_memory_group_kill(NULL);
    pingo__runner_memory_group_close(NULL);
}

/* Touches so much, and ends. */
static void use(size_t bytes)
{
    char *memory = malloc(bytes);
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    _exit(memory[bytes / 2] == 1 ? 0 : 1);
}

static void test_memory__a_group_of_a_job(void **state)
{
    struct pingo__runner_memory_group *group =
        pingo__runner_memory_group_open((struct pingo_job_key){7, 1}, 32 << 20);
    (void)state;
    if (!group)
        skip(); /* no controller is handed down here */
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            if (write(pingo__runner_memory_group_procs(group), "0", 1) != 1)
                _exit(126);
            use((size_t)(i == 0 ? 4 : 100) << 20);
        }
        assert_int_equal(reap(pid), i == 0 ? 0 : 128 + SIGKILL);
        assert_int_equal(pingo__runner_memory_group_over(group), i == 1);
    }
    assert_true(pingo__runner_memory_group_peak(group) >= 4 << 20);
    pid_t pid = fork();
    if (pid == 0) {
        if (write(pingo__runner_memory_group_procs(group), "0", 1) != 1)
            _exit(126);
        for (;;)
            pause();
    }
    pingo__runner_memory_group_kill(group);
    kill(pid, SIGKILL); /* it may not have been in it yet */
    assert_int_equal(reap(pid), 128 + SIGKILL);
    pingo__runner_memory_group_close(group);
}

/* Whoever made the group that we are in: its kills are counted. */
static void test_memory__kills_in_our_own_group(void **state)
{
    struct cgroup own;
    (void)state;
    if (!cgroup_new(&own, "33554432"))
        skip();
    pid_t pid = fork();
    if (pid == 0) {
        cgroup_enter(&own);
        int killings = pingo__runner_memory_killings();
        if (pingo__runner_memory_kills(killings) != 0)
            _exit(2);
        pid_t child = fork();
        if (child == 0) {
            cgroup_put(&own, "cgroup.procs", "0");
            pingo__file_put(AT_FDCWD, "/proc/self/oom_score_adj", "1000");
            use((size_t)200 << 20);
        }
        int status;
        waitpid(child, &status, 0);
        _exit(!WIFSIGNALED(status) ? 3 : pingo__runner_memory_kills(killings) == 1 ? 0 : 4);
    }
    assert_int_equal(reap(pid), 0);
    cgroup_free(&own);
}

/* With files in memory, which hand its controller down as groups do, in place of the group that we are in. */
static void test_memory__what_another_one_made_stays(void **state)
{
    static const char *const files[] = {"cgroup.controllers", "cgroup.subtree_control",
                                        "cgroup.procs"};
    struct cgroup own;
    (void)state;
    if (pingo__machine_cgroup("", own.path, sizeof own.path) != 0)
        skip();
    pid_t pid = fork();
    if (pid == 0) {
        char path[PATH_MAX + 64];
        if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("tmpfs", own.path, "tmpfs", 0, "size=1m") != 0)
            _exit(77);
        for (size_t i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "%s/%s", own.path, files[i]);
            close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
            pingo__file_put(AT_FDCWD, path, "memory");
        }
        snprintf(path, sizeof path, "%s/pingo-%ld-3.1", own.path, (long)getpid());
        bool is_other = mkdir(path, 0755) == 0;
        bool is_refused = !pingo__runner_memory_group_open((struct pingo_job_key){3, 1}, 32 << 20);
        bool has_stayed = rmdir(path) == 0;
        /* Else what is ours is tried, and goes where it can have no limit. */
        bool is_tried = !pingo__runner_memory_group_open((struct pingo_job_key){3, 1}, 32 << 20);
        _exit(is_other && is_refused && has_stayed && is_tried && access(path, F_OK) != 0 ? 0 : 1);
    }
    int end = reap(pid);
    if (end == 77)
        skip();
    assert_int_equal(end, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__without_a_group_nothing_is_known),
        cmocka_unit_test(test_memory__a_group_of_a_job),
        cmocka_unit_test(test_memory__kills_in_our_own_group),
        cmocka_unit_test(test_memory__what_another_one_made_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
