/* confine.c - see confine.h.  Landlock confines a thread and what it starts, so a thread of its own
 * enters, starts the program, and ends; the rest of this process stays free. */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444 /* on every machine */
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define ASK_VERSION 1u
#define PATH_BENEATH 1

enum {
    WRITE_FILE = 1 << 1,
    REMOVE_AND_MAKE = ((1 << 13) - 1) & ~((1 << 4) - 1), /* entries of any kind */
    REFER = 1 << 13,                                     /* ABI 2: between directories */
    TRUNCATE = 1 << 14                                   /* ABI 3 */
};

struct start {
    pid_t *pid;
    const char *path, *writable;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
    char *const *argv, *const *env;
    int failed;
};

static int allow(int ruleset, const char *path, uint64_t rights)
{
    struct {
        uint64_t allowed;
        int32_t parent;
    } __attribute__((packed)) rule = {rights, open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent < 0)
        return errno;
    long rc = syscall(SYS_landlock_add_rule, ruleset, PATH_BENEATH, &rule, 0);
    int failed = rc == 0 ? 0 : errno;
    close(rule.parent);
    return failed;
}

static int enter(const char *writable)
{
    static const char *const devices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                          "/dev/random", "/dev/urandom", "/dev/tty"};
    long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, ASK_VERSION);
    uint64_t of_files = WRITE_FILE | (abi >= 3 ? TRUNCATE : 0);
    uint64_t rights = of_files | REMOVE_AND_MAKE | (abi >= 2 ? REFER : 0);
    if (abi < 1)
        return 0;
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0);
    if (ruleset < 0)
        return errno;
    int rc = allow(ruleset, writable, rights);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        allow(ruleset, devices[i], of_files); /* one that is not there is not missed */
    if (rc == 0 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
                    syscall(SYS_landlock_restrict_self, ruleset, 0) != 0))
        rc = errno;
    close(ruleset);
    return rc;
}

static void *start(void *argument)
{
    struct start *s = argument;
    s->failed = s->writable ? enter(s->writable) : 0;
    if (s->failed == 0)
        s->failed = posix_spawn(s->pid, s->path, s->actions, s->attributes, s->argv, s->env);
    return NULL;
}

int cli_spawn_confined(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const env[],
                       const char *writable)
{
    struct start s = {.pid = pid,
                      .path = path,
                      .writable = writable,
                      .actions = actions,
                      .attributes = attributes,
                      .argv = argv,
                      .env = env};
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, start, &s);
    if (rc == 0)
        rc = pthread_join(thread, NULL);
    return rc != 0 ? rc : s.failed;
}
