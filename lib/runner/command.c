/* command.c - see steps.h.
 *
 * The child of vfork shares memory with this process until exec: it allocates
 * nothing and changes nothing but the variables meant for it. */
#include "runner/steps.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

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

/* The job's own, without those that are ours to say, and those.  A declared HOME stands, and so does TMPDIR. */
static int make_env(struct pingo__runner_command *command, const struct pingo__runner_job *job,
                    const struct pingo__runner_grant *granted)
{
    struct pingo__arena *memory = &command->memory;
    int64_t mebibytes = (granted->memory_bytes + MEBIBYTE - 1) / MEBIBYTE;
    char *const ours[] = {pingo__arena_format(memory, "HOME=%s/work", job->attempt_dir),
                          pingo__arena_format(memory, "TMPDIR=%s/tmp", job->attempt_dir),
                          pingo__arena_format(memory, "PINGO_CPUS=%" PRId64, granted->cpus),
                          pingo__arena_format(memory, "PINGO_MEMORY_MB=%" PRId64, mebibytes)};
    const bool are_said[] = {!find_variable(job, "HOME"), !find_variable(job, "TMPDIR"), true,
                             granted->memory_bytes > 0};
    size_t n = 0;
    command->env = pingo__arena_array(memory, job->nenv + 5, sizeof *command->env);
    if (!command->env)
        return PINGO_ENOMEM;
    for (size_t i = 0; i < job->nenv; i++) {
        const char *entry = job->env[i];
        if (!is_variable(entry, "PINGO_CPUS") && !is_variable(entry, "PINGO_MEMORY_MB"))
            command->env[n++] = (char *)(uintptr_t)entry;
    }
    for (size_t i = 0; i < 4; i++) {
        if (!ours[i])
            return PINGO_ENOMEM;
        if (are_said[i])
            command->env[n++] = ours[i];
    }
    return 0;
}

/* argv[0] itself if it has a slash, else that below each directory of PATH; an empty element is
 * the working directory. */
static int make_paths(struct pingo__runner_command *command, const struct pingo__runner_job *job)
{
    const char *name = job->argv[0], *path = find_variable(job, "PATH");
    bool is_path = strchr(name, '/');
    size_t n = 1;
    if (!path)
        path = PINGO__PATH_OF_COMMANDS;
    for (const char *at = path; *at != '\0' && !is_path; at++)
        n += *at == ':';
    command->paths = pingo__arena_array(&command->memory, n + 1, sizeof *command->paths);
    for (size_t i = 0; command->paths && i < n; i++) {
        int length = is_path ? 0 : (int)strcspn(path, ":");
        const char *between = is_path ? "" : length > 0 ? "/" : "./";
        command->paths[i] =
            pingo__arena_format(&command->memory, "%.*s%s%s", length, path, between, name);
        if (!command->paths[i])
            return PINGO_ENOMEM;
        path += length + (path[length] == ':');
    }
    return command->paths ? 0 : PINGO_ENOMEM;
}

int pingo__runner_command_init(struct pingo__runner_command *command,
                               const struct pingo__runner_job *job,
                               const struct pingo__runner_grant *granted)
{
    memset(command, 0, sizeof *command);
    command->argv = (char **)(uintptr_t)job->argv;
    int rc = make_env(command, job, granted);
    return rc == 0 ? make_paths(command, job) : rc;
}

void pingo__runner_command_clear(struct pingo__runner_command *command)
{
    pingo__arena_clear(&command->memory);
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
    if (places->ruleset >= 0 && (refused = pingo__sandbox_enter(places->ruleset)) != 0)
        return refused;
    close_range(3, ~0u, 0); /* what an old kernel leaves here is close-on-exec */
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL) == 0 ? 0 : errno;
}

static void set_score(int fd, const char *score, ssize_t n)
{
    ssize_t ignored = n > 0 ? pwrite(fd, score, (size_t)n, 0) : 0;
    (void)ignored;
}

pid_t pingo__runner_command_start(const struct pingo__runner_command *command,
                                  const struct pingo__runner_command_places *places, bool *at_exec)
{
    volatile int refused = 0;
    volatile bool by_exec = false;
    pid_t parent = getpid();
    char own[16];
    ssize_t n = pread(places->score, own, sizeof own, 0);
    set_score(places->score, "500", n > 0 ? 3 : 0); /* inherited: the action goes before its runner */
    pid_t pid = vfork();
    if (pid == 0) {
        refused = enter(places, parent);
        if (refused == 0) {
            by_exec = true;
            refused = exec_any(command);
        }
        _exit(127);
    }
    int why = errno;
    set_score(places->score, own, n);
    if (pid < 0)
        return -why;
    *at_exec = by_exec && refused != 0;
    if (refused == 0 && by_exec)
        return pid;
    if (refused == 0) /* somebody ended it before it was the command */
        return -EINTR;
    /* The child is a zombie that the caller's wait for everybody takes. */
    return -refused;
}
