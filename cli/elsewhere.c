/* elsewhere.c - see elsewhere.h. */
#include "elsewhere.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

/* A build tree, an installation wherever it was moved, where it was installed; and, for files alone, beside a program
 * that lies there. */
static const char *const places[] = {"libexec", PINGO_LIBEXECDIR_FROM_BINDIR, PINGO_LIBEXECDIR, "."};
#define NFILES (sizeof places / sizeof places[0])
#define NPLACES (NFILES - 1)

static bool place(size_t i, char directory[PATH_MAX])
{
    char here[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    here[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(here, '/');
    int length = places[i][0] == '/' ? 0 : slash ? (int)(slash - here) + 1 : -1;
    return length >= 0 &&
           snprintf(directory, PATH_MAX, "%.*s%s", length, here, places[i]) < PATH_MAX;
}

bool cli_elsewhere_find(const char *program, char directory[PATH_MAX])
{
    char path[2 * PATH_MAX];
    for (size_t i = 0; i < NPLACES; i++) {
        if (!place(i, directory))
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

bool cli_elsewhere_file(const char *name, char path[PATH_MAX])
{
    char directory[PATH_MAX];
    for (size_t i = 0; i < NFILES; i++)
        if (place(i, directory) && snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX &&
            access(path, R_OK) == 0)
            return true;
    return false;
}

/* What people may start as pingo NAME: the supervisor and the runners are for executors alone, the server is
 * pingo serve, and jobcomp is started by Slurm's controller. */
static bool is_name(const char *name)
{
    return *name != '\0' &&
           !pingo__text_is_among("supervisor|runner|hadoop-runner|server|jobcomp", name) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static int is_other(const struct dirent *entry)
{
    return strncmp(entry->d_name, "pingo-", 6) == 0 && is_name(entry->d_name + 6) &&
           strcmp(entry->d_name, "pingo-lab") != 0;
}

void cli_elsewhere_list(FILE *out)
{
    char directory[PATH_MAX];
    struct dirent **found = NULL;
    int n = -1;
    for (size_t i = 0; i < NPLACES && n < 0; i++)
        n = place(i, directory) ? scandir(directory, &found, is_other, alphasort) : -1;
    for (int i = 0; i < n; i++) {
        fprintf(out, "%s%s%s", i == 0 ? "\nother programs: " : " ", found[i]->d_name + 6,
                i + 1 == n ? "\n" : "");
        free(found[i]);
    }
    free(found);
}

/* Returns where it could not be started. */
static void become(const char *program, char **argv)
{
    char directory[PATH_MAX], path[2 * PATH_MAX];
    if (!cli_elsewhere_find(program, directory)) {
        errno = ENOENT;
        return;
    }
    snprintf(path, sizeof path, "%s/%s", directory, program);
    fflush(stdout);
    execv(path, argv);
}

int cli_elsewhere_run(struct cli *cli, const struct cli_command *command)
{
    become(command->program, cli->argv);
    cli_message("%s is a command of %s, which cannot be started: %s", command->name,
                command->program, strerror(errno));
    return CLI_HELPER;
}

void cli_elsewhere_try(struct cli *cli, int at)
{
    const char *name = cli->argv[at];
    if (!is_name(name))
        return;
    char *program = cli_format("pingo-%s", name);
    char **argv = cli_alloc(((size_t)cli->argc + 1) * sizeof *argv);
    size_t n = 0;
    argv[n++] = program;
    for (int i = 1; i < cli->argc; i++)
        if (i != at)
            argv[n++] = cli->argv[i];
    argv[n] = NULL;
    become(program, argv);
}
