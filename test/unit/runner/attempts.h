/* attempts.h - a pool in a scratch directory, attempts that are armed there, and the program pingo-runner. */
#ifndef PINGO_TEST_RUNNER_ATTEMPTS_H
#define PINGO_TEST_RUNNER_ATTEMPTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pingo/executor.h>

struct pool {
    char root[64], dir[128], staged[128]; /* dir, staged: of the attempt in hand */
    char program[4096];
};

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static inline void pool_open(struct pool *p)
{
    char path[128];
    memset(p, 0, sizeof *p);
    snprintf(p->root, sizeof p->root, "%s/pingo-attempts.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(p->root));
    snprintf(path, sizeof path, "%s/attempts", p->root);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/staged", p->root);
    assert_int_equal(mkdir(path, 0755), 0);
    /* The test lies in BUILD/test/unit/runner. */
    ssize_t n = readlink("/proc/self/exe", p->program, sizeof p->program - 32);
    assert_true(n > 0);
    p->program[n] = '\0';
    for (int i = 0; i < 4; i++)
        *strrchr(p->program, '/') = '\0';
    strcat(p->program, "/libexec/pingo-runner");
}

static inline void pool_close(struct pool *p)
{
    nftw(p->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void name_attempt(struct pool *p, int action)
{
    snprintf(p->dir, sizeof p->dir, "%s/attempts/%d.1", p->root, action);
    snprintf(p->staged, sizeof p->staged, "%s/staged/%d.1", p->root, action);
}

/* What arm gives. */
static inline int arm(struct pool *p, int action, const char *script)
{
    static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    const char *const argv[] = {"sh", "-c", script, NULL};
    name_attempt(p, action);
    return pingo_runner_arm(&(struct pingo_job){.key = {action, 1},
                                                .cpus = 2,
                                                .attempt_dir = p->dir,
                                                .staged_path = p->staged,
                                                .output = "output",
                                                .argv = argv,
                                                .env = env},
                            &(struct pingo_runner_options){
                                .version = 1, .log_bytes = 65536, .grace_ms = 300, .unsynced = true},
                            NULL);
}

static inline struct pingo_runner_report look(const struct pool *p)
{
    struct pingo_runner_report report = {.size = sizeof report};
    struct pingo_error err = {0};
    if (pingo_runner_look(p->dir, &report, &err) != 0)
        fail_msg("%s", err.message);
    return report;
}

static inline bool give_up(const struct pool *p)
{
    struct pingo_error err = {0};
    bool revoked;
    if (pingo_runner_revoke(p->dir, &revoked, &err) != 0)
        fail_msg("%s", err.message);
    return revoked;
}

/* The program, on the attempt in hand or on what is said; its messages are dropped. */
static inline pid_t launch_with(const struct pool *p, const char *const *words)
{
    char *argv[8] = {(char *)(uintptr_t)p->program};
    posix_spawn_file_actions_t actions;
    for (size_t i = 0; words[i]; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    pid_t pid;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    for (int fd = 1; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
    assert_int_equal(posix_spawn(&pid, p->program, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static inline pid_t launch(const struct pool *p, const char *argument)
{
    return launch_with(p, (const char *const[]){argument ? argument : p->dir, NULL});
}

/* Its exit status; 128 and its number for a signal. */
static inline int reap(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void nap(void)
{
    nanosleep(&(struct timespec){0, 5000000}, NULL);
}

/* Waits for a file below the attempt's directory. */
static inline void await(const struct pool *p, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    for (int i = 0; access(path, F_OK) != 0; i++) {
        assert_true(i < 60000);
        nap();
    }
}

#endif
