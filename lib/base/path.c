/* path.c - paths as text; nothing here looks at a file system. */
#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends the parts of path to out, which holds *used bytes of a normal path
 * without a slash at its end ("" is the root). */
static void append_parts(char *out, size_t *used, const char *path)
{
    while (*path != '\0') {
        size_t n = strcspn(path, "/");
        if (n == 2 && path[0] == '.' && path[1] == '.') {
            while (*used > 0 && out[--*used] != '/') {
            }
        } else if (n > 0 && !(n == 1 && path[0] == '.')) {
            out[(*used)++] = '/';
            memcpy(out + *used, path, n);
            *used += n;
        }
        path += n;
        path += *path == '/';
    }
}

char *pingo__path_join(const char *base_dir, const char *path)
{
    bool absolute = path[0] == '/';
    size_t used = 0;
    if (!absolute && (!base_dir || base_dir[0] != '/'))
        return NULL;
    /* Each part takes at most one byte more than it has, for the slash before it. */
    char *out = malloc((absolute ? 0 : strlen(base_dir)) + strlen(path) + 3);
    if (!out)
        return NULL;
    if (!absolute)
        append_parts(out, &used, base_dir);
    append_parts(out, &used, path);
    if (used == 0)
        out[used++] = '/';
    out[used] = '\0';
    return out;
}

char *pingo__path_child(const char *directory, const char *name)
{
    size_t n = strlen(directory);
    bool slash = n > 0 && directory[n - 1] != '/';
    char *out;
    return asprintf(&out, "%s%s%s", directory, slash ? "/" : "", name) < 0 ? NULL : out;
}

char *pingo__path_below(const char *directory, const char *name)
{
    return *name ? pingo__path_child(directory, name) : strdup(directory);
}

const char *pingo__path_last(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool pingo__path_is_plain(const char *name)
{
    return name[0] != '\0' && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

bool pingo__path_is_below(const char *path, const char *directory)
{
    size_t n = strlen(directory);
    if (n > 0 && directory[n - 1] == '/')
        n--; /* the root */
    return strncmp(path, directory, n) == 0 && (path[n] == '\0' || path[n] == '/');
}
