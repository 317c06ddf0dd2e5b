/* tool.c - where a tool lies: on the PATH of the command that uses it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "digest/originals_list.h"

#define EXECUTE_BITS ((mode_t)(S_IXUSR | S_IXGRP | S_IXOTH))

static bool is_executable(const struct pingo__world *world, const char *path)
{
    struct stat st;
    return world->stat(world->context, AT_FDCWD, path, 0, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_mode & EXECUTE_BITS) != 0;
}

static int refuse(struct pingo__digest_original *tool, const char *name, const char *what,
                  const char *where)
{
    char *message;
    if (asprintf(&message, "%s%s%s", name, what, where) < 0)
        return PINGO_ENOMEM;
    tool->error = PINGO_EINPUT;
    tool->message = message;
    return 0;
}

static int take_path(const struct pingo__world *world, struct pingo__digest_original *tool,
                     const char *name)
{
    if (name[0] != '/')
        return refuse(tool, name, ": a tool is a name on the command's PATH or an absolute path",
                      "");
    if (!is_executable(world, name))
        return refuse(tool, name, ": there is no executable file", "");
    tool->path = strdup(name);
    return tool->path ? 0 : PINGO_ENOMEM;
}

/* Relative elements would be meant from a scratch directory that is not there yet. */
static int search(const struct pingo__world *world, struct pingo__digest_original *tool,
                  const char *name, const char *path)
{
    size_t n;
    for (const char *at = path; *at != '\0'; at += n + (at[n] == ':')) {
        n = strcspn(at, ":");
        char *candidate;
        if (at[0] != '/')
            continue;
        if (asprintf(&candidate, "%.*s/%s", (int)n, at, name) < 0)
            return PINGO_ENOMEM;
        if (is_executable(world, candidate)) {
            tool->path = candidate;
            return 0;
        }
        free(candidate);
    }
    return refuse(tool, name, ": there is no such executable on ", path);
}

int pingo__digest_tool_find(const struct pingo__world *world,
                            struct pingo__digest_original *original, const char *name,
                            const char *path, struct pingo_error *err)
{
    int r =
        strchr(name, '/') ? take_path(world, original, name) : search(world, original, name, path);
    return r == 0 ? 0 : pingo__fail_memory(err);
}
