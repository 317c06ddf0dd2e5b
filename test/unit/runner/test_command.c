/* test_command.c - from a job to a process: its environment, where its program is looked for, and what it begins with:
 * command.c. */
#include "unit/runner/ground.h"

#include "base/file.h"
#include "runner/steps.h"

static const char *value_of(const struct pingo__runner_command *command, const char *name)
{
    const char *found = NULL;
    size_t n = strlen(name);
    for (size_t i = 0; command->env[i]; i++)
        if (strncmp(command->env[i], name, n) == 0 && command->env[i][n] == '=') {
            assert_null(found); /* once */
            found = command->env[i] + n + 1;
        }
    return found;
}

static void test_command__environment(void **state)
{
    static const char *own[] = {"PATH=/bin", "HOME=/mine", "PINGO_CPUS=99", "PINGO_MEMORY_MB=1",
                                NULL};
    struct pingo__runner_command command;
    struct ground *g = ground_new();
    char path[256];
    (void)state;
    assert_int_equal(
        pingo__runner_command_init(&command, &g->job, &(struct pingo__runner_grant){3, 0}), 0);
    snprintf(path, sizeof path, "%s/work", g->pool.dir);
    assert_string_equal(value_of(&command, "HOME"), path);
    snprintf(path, sizeof path, "%s/tmp", g->pool.dir);
    assert_string_equal(value_of(&command, "TMPDIR"), path);
    assert_string_equal(value_of(&command, "PINGO_CPUS"), "3");
    assert_null(value_of(&command, "PINGO_MEMORY_MB"));
    pingo__runner_command_clear(&command);
    g->job.env = own;
    g->job.nenv = 4;
    assert_int_equal(pingo__runner_command_init(
                         &command, &g->job,
                         &(struct pingo__runner_grant){2, 1048577}), /* told in MiB, rounded up */
                     0);
    assert_string_equal(value_of(&command, "HOME"), "/mine");
    assert_string_equal(value_of(&command, "PINGO_CPUS"), "2");
    assert_string_equal(value_of(&command, "PINGO_MEMORY_MB"), "2");
    pingo__runner_command_clear(&command);
    ground_free(g);
}

static void test_command__where_a_program_is_looked_for(void **state)
{
    static const struct {
        const char *path, *name, *wanted[4];
    } rows[] = {
        {"PATH=/a:/b", "x", {"/a/x", "/b/x"}},
        {"PATH=/a::/b", "x", {"/a/x", "./x", "/b/x"}},
        {"PATH=", "x", {"./x"}},
        {"PATH=/a:/b", "./x", {"./x"}},
        {"PATH=/a:/b", "/c/x", {"/c/x"}},
        {"OTHER=1", "x", {"/usr/local/bin/x", "/usr/bin/x", "/bin/x"}},
    };
    struct ground *g = ground_new();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__runner_command command;
        const char *env[] = {rows[i].path, NULL};
        g->job.env = env;
        g->argv[0] = rows[i].name;
        assert_int_equal(
            pingo__runner_command_init(&command, &g->job, &(struct pingo__runner_grant){1, 0}), 0);
        for (size_t k = 0; k < 4; k++) {
            if (!rows[i].wanted[k]) {
                assert_null(command.paths[k]);
                break;
            }
            assert_string_equal(command.paths[k], rows[i].wanted[k]);
        }
        pingo__runner_command_clear(&command);
    }
    ground_free(g);
}

/* What start gives; out: where its output goes. */
static pid_t start(struct ground *g, int out, bool *at_exec)
{
    struct pingo__runner_command command;
    char before[16], after[16];
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int score = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    assert_int_equal(
        pingo__runner_command_init(&command, &g->job, &(struct pingo__runner_grant){1, 0}), 0);
    assert_true(pingo__file_read(AT_FDCWD, "/proc/self/oom_score_adj", before, sizeof before) > 0);
    const struct pingo__runner_command_places places = {
        g->scratch.work, {null, out < 0 ? null : out, null}, -1, -1, score};
    pid_t pid = pingo__runner_command_start(&command, &places, at_exec);
    assert_true(pingo__file_read(AT_FDCWD, "/proc/self/oom_score_adj", after, sizeof after) > 0);
    assert_string_equal(after, before); /* the command's is another, in vain or not */
    pingo__runner_command_clear(&command);
    close(score);
    close(null);
    return pid;
}

static void test_command__begins_with_nothing_of_ours(void **state)
{
    struct ground *g = ground_new();
    char wanted[512];
    bool at_exec;
    sigset_t term;
    (void)state;
    int left_open = dup(2); /* not close-on-exec */
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    assert_int_equal(sigprocmask(SIG_BLOCK, &term, NULL), 0);
    const char *out = ground_path(g, "out");
    ground_write(out, "", 0600);
    int fd = open(out, O_WRONLY | O_CLOEXEC);
    g->argv[2] = "pwd; cut -d' ' -f6 /proc/$$/stat; echo $$; echo /proc/self/fd/*;"
                 "grep SigBlk /proc/$$/status | cut -f2; cat /proc/$$/oom_score_adj";
    pid_t pid = start(g, fd, &at_exec);
    assert_true(pid > 0);
    assert_int_equal(reap(pid), 0);
    snprintf(wanted, sizeof wanted,
             "%s/work\n%ld\n%ld\n/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 "
             "/proc/self/fd/3\n0000000000000000\n500\n",
             g->pool.dir, (long)pid, (long)pid);
    assert_true(ground_is(out, wanted)); /* 3: the list itself */
    close(fd);
    close(left_open);
    assert_int_equal(sigprocmask(SIG_UNBLOCK, &term, NULL), 0);
    ground_free(g);
}

static void test_command__what_cannot_be_executed(void **state)
{
    struct ground *g = ground_new();
    char path[300];
    const char *env[] = {path, NULL};
    bool at_exec = false;
    (void)state;
    snprintf(path, sizeof path, "PATH=%s:/nowhere", g->pool.root);
    g->job.env = env;
    g->argv[0] = "no-such-command";
    assert_int_equal(start(g, -1, &at_exec), -ENOENT);
    assert_true(at_exec);
    ground_write(ground_path(g, "no-such-command"), "",
                 0644); /* more telling than that it is not there */
    assert_int_equal(start(g, -1, &at_exec), -EACCES);
    ground_write(ground_path(g, "no-such-command"), "no program", 0755);
    assert_int_equal(start(g, -1, &at_exec), -ENOEXEC);
    /* It may be elsewhere on the PATH. */
    snprintf(path, sizeof path, "PATH=%s:/bin", g->pool.root);
    g->argv[0] = "true";
    ground_write(ground_path(g, "true"), "", 0644);
    assert_int_equal(reap(start(g, -1, &at_exec)), 0);
    g->argv[0] = "";
    assert_int_equal(start(g, -1, &at_exec), -ENOENT);
    close(g->scratch.work); /* not the command's fault */
    g->scratch.work = open("/dev/null", O_RDONLY | O_CLOEXEC);
    g->argv[0] = "sh";
    at_exec = true;
    assert_int_equal(start(g, -1, &at_exec), -ENOTDIR);
    assert_false(at_exec);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
    ground_free(g);
}

/* Whoever starts it dies: so does it. */
static void test_command__dies_with_its_runner(void **state)
{
    struct ground *g = ground_new();
    char byte;
    int ends[2];
    (void)state;
    g->argv[2] = "exec sleep 600";
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t runner = fork();
    if (runner == 0) {
        bool at_exec;
        close(ends[0]);
        start(g, ends[1], &at_exec);
        kill(getpid(), SIGKILL);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* nobody holds the other end any more */
    assert_int_equal(reap(runner), 128 + SIGKILL);
    close(ends[0]);
    ground_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command__environment),
        cmocka_unit_test(test_command__where_a_program_is_looked_for),
        cmocka_unit_test(test_command__begins_with_nothing_of_ours),
        cmocka_unit_test(test_command__what_cannot_be_executed),
        cmocka_unit_test(test_command__dies_with_its_runner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
