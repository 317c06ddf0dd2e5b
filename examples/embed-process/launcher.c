/* launcher.c - runs one attempt, whether or not its scheduler still lives.
 *
 *     PROGRAM --launch ATTEMPT_DIR STAGED OUTPUT [NAME TARGET]... -- COMMAND...
 *
 * in the environment of the job.  What always holds: the attempt's directory appears at its path by one rename
 * that replaces nothing, with `lock` held in it; that rename is the gate.  `lock` is held as long as somebody
 * runs the attempt.  `end` appears whole, by a rename, when it is over, and nothing is written after it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* All that the attempt needs is made under another name first: who sees the directory sees it locked. */
static int pass_gate(const char *attempt_dir)
{
    char other[4096];
    int lock;

    snprintf(other, sizeof other, "%s.launch.%d", attempt_dir, (int)getpid());
    if (mkdir(other, 0755) != 0 || chdir(other) != 0 || mkdir("work", 0755) != 0 ||
        mkdir("work/in", 0755) != 0)
        return -1;
    lock = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600); /* held until this process ends */
    if (lock < 0 || flock(lock, LOCK_EX) != 0)
        return -1;
    if (renameat2(AT_FDCWD, other, AT_FDCWD, attempt_dir, RENAME_NOREPLACE) == 0)
        return 0;
    /* It was given up (a file lies there), or another launcher was first. */
    unlink("lock");
    rmdir("work/in");
    rmdir("work");
    rmdir(other);
    return -1;
}

static int make_links(char **links, int n)
{
    for (int i = 0; i + 1 < n; i += 2) {
        char path[4096];

        snprintf(path, sizeof path, "in/%s", links[i]);
        for (char *slash = path + 3; (slash = strchr(slash, '/')) != NULL; slash++) {
            *slash = '\0'; /* names may have folders */
            mkdir(path, 0755);
            *slash = '/';
        }
        if (symlink(links[i + 1], path) != 0)
            return -1;
    }
    return 0;
}

/* The command leads a process group of its own, by which it can be ended; `pid` says which. */
static pid_t start_command(char **argv, bool output_is_stdout)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t pid = 0;
    FILE *f;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, output_is_stdout ? "output" : "../stdout",
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&files, 2, "../stderr", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    if (posix_spawnp(&pid, argv[0], &files, &attributes, argv, environ) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (pid > 0 && (f = fopen("../pid.new", "w")) != NULL) {
        fprintf(f, "%d\n", (int)pid);
        fclose(f);
        rename("../pid.new", "../pid");
    }
    return pid;
}

/* "STATUS STARTED ENDED USER SYSTEM RSS", of which all but the first are ms and bytes; whole or not at all. */
static void write_end(int status, int64_t started_ms)
{
    struct rusage use;
    FILE *f = fopen("../end.new", "w");

    getrusage(RUSAGE_CHILDREN, &use);
    if (f == NULL)
        return; /* whoever looks finds the lock free and no end: it is lost */
    fprintf(f, "%d %lld %lld %lld %lld %lld\n", status, (long long)started_ms, (long long)now_ms(),
            (long long)(use.ru_utime.tv_sec * 1000 + use.ru_utime.tv_usec / 1000),
            (long long)(use.ru_stime.tv_sec * 1000 + use.ru_stime.tv_usec / 1000),
            (long long)use.ru_maxrss * 1024);
    fflush(f);
    fsync(fileno(f));
    fclose(f);
    rename("../end.new", "../end");
}

int launch(int argc, char **argv)
{
    const char *attempt_dir = argv[2], *staged = argv[3], *output = argv[4];
    bool is_stdout = output[0] == '\0';
    int command = 5, status = -1;
    int64_t started_ms = now_ms();
    char home[4096];
    pid_t pid;

    while (command < argc && strcmp(argv[command], "--") != 0)
        command += 2;
    signal(SIGCHLD, SIG_DFL); /* the scheduler ignores it, which is inherited */
    setsid();                 /* whoever ends the scheduler's session does not end this */
    if (command + 1 >= argc || pass_gate(attempt_dir) != 0) {
        unlink(attempt_dir); /* it was given up, and nobody else is on the way */
        return 1;
    }
    snprintf(home, sizeof home, "%s/work", attempt_dir);
    setenv("HOME", home, 1);
    umask(022);
    if (chdir(home) != 0 || make_links(argv + 5, command - 5) != 0)
        return 1;
    pid = start_command(argv + command + 1, is_stdout);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0 && status == 0)
        rename(is_stdout ? "output" : output, staged); /* what is not there is told by its absence */
    write_end(status, started_ms);
    return 0;
}
