/* tool.c - where a tool lies: on the PATH of the command that uses it. */
#include <fcntl.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "digest/originals_list.h"

#define EXECUTE_BITS ((mode_t)(S_IXUSR | S_IXGRP | S_IXOTH))

/* 1: an executable file lies there; 0: none. */
static bool is_executable(const struct pingo__world *world, const char *path)
{
    struct stat st;
    return world->stat(world->context, AT_FDCWD, path, 0, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_mode & EXECUTE_BITS) != 0;
}

static int refuse(struct pingo__digest_original *tool, const char *name, const char *what,
                  const char *where)
{
    struct pingo__buffer message = {0};
    pingo__buffer_format(&message, "%s%s%s", name, what, where);
    tool->error = PINGO_EINPUT;
    tool->message = pingo__buffer_take(&message);
    pingo__buffer_clear(&message);
    return tool->message ? 0 : PINGO_ENOMEM;
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
    const char *at = path;
    struct pingo__buffer candidate = {0};
    int rc = 0;
    while (!tool->path && rc == 0) {
        size_t n = strcspn(at, ":");
        pingo__buffer_reset(&candidate);
        pingo__buffer_append(&candidate, at, n);
        pingo__buffer_char(&candidate, '/');
        pingo__buffer_text(&candidate, name);
        const char *text = pingo__buffer_cstr(&candidate);
        if (!text) {
            rc = PINGO_ENOMEM;
        } else if (at[0] == '/' && is_executable(world, text)) {
            tool->path = strdup(text);
            rc = tool->path ? 0 : PINGO_ENOMEM;
        }
        if (at[n] == '\0')
            break;
        at += n + 1;
    }
    if (rc == 0 && !tool->path)
        rc = refuse(tool, name, ": there is no such executable on ", path);
    pingo__buffer_clear(&candidate);
    return rc;
}

int pingo__digest_tool_find(const struct pingo__world *world,
                            struct pingo__digest_original *original, const char *name,
                            const char *path, struct pingo_error *err)
{
    int r =
        strchr(name, '/') ? take_path(world, original, name) : search(world, original, name, path);
    return r == 0 ? 0 : pingo__fail_memory(err);
}
