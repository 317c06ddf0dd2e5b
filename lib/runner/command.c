/* command.c - see command.h.
 *
 * The child of vfork shares memory with this process until exec: it allocates
 * nothing and changes nothing but the variables meant for it. */
#include "runner/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "base/sandbox.h"

#define MEBIBYTE 1048576

static bool is_variable(const char *entry, const char *name)
{
    size_t n = strlen(name);
    return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static const char *find_variable(const struct pingo__runner_job *job, const char *name)
{
    for (size_t i = 0; i < job->nenv; i++)
        if (is_variable(job->env[i], name))
            return job->env[i] + strlen(name) + 1;
    return NULL;
}

static char *format_variable(const char *name, const char *text, int64_t number)
{
    size_t size = strlen(name) + (!text ? 0 : strlen(text)) + 32;
    char *entry = malloc(size);
    if (entry && text)
        snprintf(entry, size, "%s=%s", name, text);
    else if (entry)
        snprintf(entry, size, "%s=%lld", name, (long long)number);
    return entry;
}

static char *format_place(const char *name, const struct pingo__runner_job *job, const char *below)
{
    char *path = pingo__path_child(job->attempt_dir, below);
    char *entry = path ? format_variable(name, path, 0) : NULL;
    free(path);
    return entry;
}

/* The job's own, without those that are ours to say, and those.  A declared HOME stands, and so does TMPDIR. */
static int make_env(struct pingo__runner_command *command, const struct pingo__runner_job *job,
                    int64_t granted)
{
    size_t n = 0;
    command->env = calloc(job->nenv + 5, sizeof *command->env);
    command->home = format_place("HOME", job, "work");
    command->tmp = format_place("TMPDIR", job, "tmp");
    command->cpus = format_variable("PINGO_CPUS", NULL, granted);
    command->memory =
        format_variable("PINGO_MEMORY_MB", NULL, (job->memory_bytes + MEBIBYTE - 1) / MEBIBYTE);
    if (!command->env || !command->home || !command->tmp || !command->cpus || !command->memory)
        return PINGO_ENOMEM;
    for (size_t i = 0; i < job->nenv; i++) {
        const char *entry = job->env[i];
        if (!is_variable(entry, "PINGO_CPUS") && !is_variable(entry, "PINGO_MEMORY_MB"))
            command->env[n++] = (char *)(uintptr_t)entry;
    }
    if (!find_variable(job, "HOME"))
        command->env[n++] = command->home;
    if (!find_variable(job, "TMPDIR"))
        command->env[n++] = command->tmp;
    command->env[n++] = command->cpus;
    if (job->memory_bytes > 0)
        command->env[n++] = command->memory;
    return 0;
}

/* argv[0] itself if it has a slash, else that below each directory of PATH; an empty element is
 * the working directory. */
static int make_paths(struct pingo__runner_command *command, const struct pingo__runner_job *job)
{
    struct pingo__buffer *b = &command->path_memory;
    const char *name = job->argv[0], *path = find_variable(job, "PATH");
    size_t n = 1;
    if (!path)
        path = PINGO__PATH_OF_COMMANDS;
    for (const char *at = path; *at != '\0'; at++)
        n += *at == ':';
    if (strchr(name, '/'))
        n = 1;
    command->paths = calloc(n + 1, sizeof *command->paths);
    if (!command->paths)
        return PINGO_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        size_t length = strcspn(path, ":");
        if (!strchr(name, '/') && length > 0) {
            pingo__buffer_append(b, path, length);
            pingo__buffer_char(b, '/');
        } else if (!strchr(name, '/')) {
            pingo__buffer_text(b, "./");
        }
        pingo__buffer_append(b, name, strlen(name) + 1);
        path += length + (path[length] == ':');
    }
    if (b->failed)
        return PINGO_ENOMEM;
    for (size_t i = 0, at = 0; i < n; i++, at += strlen(b->data + at) + 1)
        command->paths[i] = b->data + at;
    return 0;
}

int pingo__runner_command_init(struct pingo__runner_command *command,
                               const struct pingo__runner_job *job, int64_t granted)
{
    memset(command, 0, sizeof *command);
    command->argv = (char **)(uintptr_t)job->argv;
    int rc = make_env(command, job, granted);
    return rc == 0 ? make_paths(command, job) : rc;
}

void pingo__runner_command_clear(struct pingo__runner_command *command)
{
    free(command->env);
    free(command->paths);
    free(command->home);
    free(command->tmp);
    free(command->cpus);
    free(command->memory);
    pingo__buffer_clear(&command->path_memory);
    memset(command, 0, sizeof *command);
}

/* Of several refusals "not there" is the least telling. */
static int exec_any(const struct pingo__runner_command *command)
{
    int worst = ENOENT;
    for (size_t i = 0; command->paths[i]; i++) {
        if (command->argv[0][0] == '\0')
            break;
        execve(command->paths[i], command->argv, command->env);
        if (errno != ENOENT && errno != ENOTDIR)
            worst = errno;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
            break;
    }
    return worst;
}

static int enter(const struct pingo__runner_command_places *places, pid_t parent)
{
    sigset_t none;
    int refused;
    if (setsid() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return errno;
    if (getppid() != parent)
        return ESRCH;
    if (places->memory_group >= 0) { /* refused: its memory is sampled all the same */
        ssize_t ignored = write(places->memory_group, "0", 1);
        (void)ignored;
    }
    for (int i = 0; i < 3; i++)
        if (dup2(places->standard[i], i) < 0)
            return errno;
    if (fchdir(places->work) != 0)
        return errno;
    pingo__file_put(AT_FDCWD, "/proc/self/oom_score_adj",
                    "500"); /* the action goes before its runner */
    if (places->ruleset >= 0 && (refused = pingo__sandbox_enter(places->ruleset)) != 0)
        return refused;
    close_range(3, ~0u, 0); /* what an old kernel leaves here is close-on-exec */
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL) == 0 ? 0 : errno;
}

pid_t pingo__runner_command_start(const struct pingo__runner_command *command,
                                  const struct pingo__runner_command_places *places, bool *at_exec)
{
    volatile int refused = 0;
    volatile bool by_exec = false;
    pid_t parent = getpid();
    pid_t pid = vfork();
    if (pid == 0) {
        refused = enter(places, parent);
        if (refused == 0) {
            by_exec = true;
            refused = exec_any(command);
        }
        _exit(127);
    }
    if (pid < 0)
        return -errno;
    *at_exec = by_exec && refused != 0;
    if (refused == 0 && by_exec)
        return pid;
    if (refused == 0) /* somebody ended it before it was the command */
        return -EINTR;
    /* The child is a zombie that the caller's wait for everybody takes. */
    return -refused;
}
