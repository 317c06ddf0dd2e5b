/* process.c - see process.h. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

int pingo__process_pipe(int ends[2], int least)
{
    int low[2], rc = 0;
    ends[0] = ends[1] = -1;
    if (pipe2(low, O_CLOEXEC) != 0)
        return -errno;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, least);
        if (!rc && (ends[i] < 0 || (i == 0 && fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0)))
            rc = -errno;
        close(low[i]);
    }
    for (int i = 0; rc && i < 2; i++) {
        pingo__file_close(ends[i]);
        ends[i] = -1;
    }
    return rc;
}

/* None of these can fail: they take no memory, and the flags are known. */
static void set_attributes(posix_spawnattr_t *attributes, const struct pingo__process_start *start)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setpgroup(attributes, 0);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                (start->in_group ? POSIX_SPAWN_SETPGROUP : 0) |
                (start->in_session ? POSIX_SPAWN_SETSID : 0);
    posix_spawnattr_setflags(attributes, (short)flags);
}

static int set_descriptors(posix_spawn_file_actions_t *actions,
                           const struct pingo__process_start *start)
{
    int rc = start->at_root ? posix_spawn_file_actions_addchdir_np(actions, "/") : 0;
    for (int i = 0; !rc && i < start->nfds; i++)
        if (start->fds[i] == PINGO__PROCESS_NULL)
            rc = posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0);
        else if (start->fds[i] != PINGO__PROCESS_SAME)
            rc = posix_spawn_file_actions_adddup2(actions, start->fds[i], i);
    return rc;
}

int pingo__process_start(const struct pingo__process_start *start, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    set_attributes(&attributes, start);
    posix_spawn_file_actions_init(&actions);
    int rc = set_descriptors(&actions, start);
    if (!rc)
        rc = posix_spawnp(pid, start->path, &actions, &attributes,
                          (char *const *)(uintptr_t)start->argv,
                          (char *const *)(uintptr_t)start->env);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return -rc;
}

bool pingo__process_look(long pid, struct pingo__process_state *state)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    bool is = pingo__file_read(AT_FDCWD, path, text, sizeof text) > 0;
    const char *after = is ? strrchr(text, ')') : NULL; /* the name before it may hold anything */
    return after && sscanf(after + 1, " %c %ld %*d %*d %ld", &state->letter, &state->parent,
                           &state->terminal) == 3;
}

bool pingo__process_is_stopped(long pid)
{
    struct pingo__process_state state;
    return pingo__process_look(pid, &state) && (state.letter == 'T' || state.letter == 't');
}

bool pingo__process_user(char name[PINGO__PROCESS_USER_SIZE])
{
    char texts[4096];
    struct passwd row, *found = NULL;
    bool has = getpwuid_r(geteuid(), &row, texts, sizeof texts, &found) == 0 && found &&
               strlen(found->pw_name) < PINGO__PROCESS_USER_SIZE;
    snprintf(name, PINGO__PROCESS_USER_SIZE, "%s", has ? found->pw_name : "");
    return has;
}

gid_t pingo__process_group(void)
{
    return getegid();
}

unsigned long long pingo__process_namespace(void)
{
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? (unsigned long long)st.st_ino : 0;
}

bool pingo__process_is_in_proc(void)
{
    char self[32];
    ssize_t n = readlink("/proc/self", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = '\0';
    return strtol(self, NULL, 10) == getpid();
}
