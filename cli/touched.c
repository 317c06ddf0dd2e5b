/* touched.c - see touched.h.
 *
 * Rights hold for files, wherever links to them lie, so paths are compared by their real ones. */
#include "touched.h"

#include <limits.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/path.h"
#include "text.h"

#define FILES_MOST 10 /* of one directory; of more the directory is named */

/* ---- lists of paths -------------------------------------------------------------------- */

static void add(struct cli_paths *paths, const char *path)
{
    if (lfind(&path, paths->list, &paths->n, sizeof path, pingo__array_by_text))
        return;
    paths->list = cli_more(paths->list, paths->n, sizeof *paths->list);
    paths->list[paths->n++] = cli_copy(path);
}

static void sort(struct cli_paths *paths)
{
    if (paths->n > 1)
        qsort(paths->list, paths->n, sizeof *paths->list, pingo__array_by_text);
}

static bool is_below_any(const struct cli_paths *paths, const char *path)
{
    for (size_t i = 0; i < paths->n; i++)
        if (pingo__path_is_below(path, paths->list[i]))
            return true;
    return false;
}

/* ---- where a path belongs ---------------------------------------------------------------- */

static bool exists_in(const char *directory, size_t n, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%.*s/%s", (int)n, directory, name);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

/* The length of the virtual or conda environment that the path lies in; 0: none. */
static size_t environment_of(const char *path)
{
    for (size_t n = strlen(path); n > 1; n--)
        if (path[n] == '/' && (exists_in(path, n, "pyvenv.cfg") || exists_in(path, n, "conda-meta")))
            return n;
    return 0;
}

/* The length of what the path shares with other modules of an interpreter; 0: nothing. */
static size_t modules_of(const char *path)
{
    static const char *const folders[] = {"/site-packages/", "/dist-packages/", "/node_modules/"};
    const char *found;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if ((found = strstr(path, folders[i])))
            return (size_t)(found - path) + strlen(folders[i]) - 1;
    found = strstr(path, "/lib/python");
    return found ? (size_t)(found - path) + 5 + strcspn(found + 5, "/") : 0;
}

static size_t directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
}

static bool is_library(const char *path)
{
    const char *so = strstr(path + directory_of(path), ".so");
    return so && (so[3] == '\0' || so[3] == '.');
}

static void add_part(struct cli_paths *paths, const char *path, size_t n)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%.*s", (int)n, path);
    add(paths, part);
}

static void add_read(struct cli_touched *t, const char *path)
{
    size_t n = environment_of(path);
    if (n == 0)
        n = modules_of(path);
    if (n == 0 && is_library(path))
        n = directory_of(path);
    struct stat st;
    if (n > 0)
        add_part(&t->places, path, n);
    else if (stat(path, &st) != 0)
        add(&t->inputs, path);
    else if (S_ISDIR(st.st_mode) && pingo__path_is_below(t->around, path))
        add(&t->listed, path);
    else
        add(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? &t->inputs : &t->places, path);
}

static bool is_allowed(const struct cli_touched *t, const char *path)
{
    return pingo__path_is_below(path, t->own) || is_below_any(&t->allowed, path);
}

/* A script's interpreter is executed as well. */
static bool interpreter_of(const char *path, char interpreter[PATH_MAX])
{
    char line[PATH_MAX + 2];
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    line[n] = '\0';
    if (n < 3 || line[0] != '#' || line[1] != '!')
        return false;
    const char *at = line + 2 + strspn(line + 2, " \t");
    snprintf(interpreter, PATH_MAX, "%.*s", (int)strcspn(at, " \t\r\n"), at);
    return interpreter[0] == '/';
}

/* Of compiled Python its source: "d/__pycache__/m.cpython-311.pyc" is d/m.py. */
static bool source_of(const char *path, char source[PATH_MAX])
{
    static const char folder[] = "/__pycache__/";
    const char *found = strstr(path, folder);
    if (!found)
        return false;
    const char *name = found + sizeof folder - 1;
    int n = snprintf(source, PATH_MAX, "%.*s/%.*s.py", (int)(found - path), path,
                     (int)strcspn(name, "."), name);
    return n > 0 && n < PATH_MAX && access(source, F_OK) == 0;
}

/* The real path of a name in a directory, which need not be there. */
static bool real_name(const char *path, char real[PATH_MAX])
{
    char directory[PATH_MAX];
    size_t n = directory_of(path), length;
    snprintf(directory, sizeof directory, "%.*s", (int)n, path);
    if (n == 0 || !realpath(directory, real))
        return false;
    length = strlen(real);
    return snprintf(real + length, PATH_MAX - length, "%s", path + n) < (int)(PATH_MAX - length);
}

static void add_write(struct cli_touched *t, const char *path, bool follow)
{
    char real[PATH_MAX], *in = cli_format("%s/work/in", t->own);
    const char *at = (follow && realpath(path, real)) || real_name(path, real) ? real : path;
    struct stat st;
    bool device = stat(at, &st) == 0 && S_ISCHR(st.st_mode);
    if (pingo__path_is_below(at, t->own) || (device && is_allowed(t, at)))
        return;
    add(&t->writes, at);
    t->writes_in = t->writes_in || pingo__path_is_below(path, in);
}

enum touch {
    READ,
    EXECUTE,
    WRITE, /* what the path leads to */
    NAME   /* the name itself was made, moved or removed, and if it is a link, it is not followed */
};

static void touch(struct cli_touched *t, enum touch how, const char *path)
{
    char real[PATH_MAX], other[PATH_MAX];
    const char *at = realpath(path, real) ? real : path;
    if (how == WRITE || how == NAME) {
        add_write(t, path, how == WRITE);
        return;
    }
    if (how == EXECUTE && interpreter_of(at, other))
        touch(t, how, other);
    if (is_allowed(t, at))
        return;
    if (how == EXECUTE)
        add(&t->tools, path);
    if (how == READ)
        add_read(t, source_of(at, other) ? other : at);
    else if (environment_of(at) > 0)
        add_part(&t->places, at, environment_of(at));
}

/* ---- what strace wrote -----------------------------------------------------------------------
 *
 *   openat(AT_FDCWD</home/me>, "a", O_RDONLY) = 3</home/me/a>
 *   execve("/bin/sh", ["sh", "-c", "..."], 0x7ffd... ) = 0
 *
 * A line that is not understood is passed over: a trace is a help, no proof. */

struct reader {
    char cwd[PATH_MAX];
    struct cli_touched *touched;
};

/* What a call does with the paths that it is given as strings. */
enum use { OPENS, EXECUTES, ENTERS, WRITES, NAMES, LINKS, SYMLINKS };

static const struct {
    const char *name;
    enum use use;
} calls[] = {
    {"open", OPENS},      {"openat", OPENS},      {"openat2", OPENS},      {"creat", OPENS},
    {"execve", EXECUTES}, {"execveat", EXECUTES}, {"chdir", ENTERS},       {"fchdir", ENTERS},
    {"truncate", WRITES}, {"mkdir", NAMES},       {"mkdirat", NAMES},      {"mknod", NAMES},
    {"mknodat", NAMES},   {"unlink", NAMES},      {"unlinkat", NAMES},     {"rmdir", NAMES},
    {"rename", NAMES},    {"renameat", NAMES},    {"renameat2", NAMES},    {"link", LINKS},
    {"linkat", LINKS},    {"symlink", SYMLINKS},  {"symlinkat", SYMLINKS},
};

static int digit(char c)
{
    return c >= '0' && c <= '7' ? c - '0' : -1;
}

/* Reads up to the end character, undoing strace's escapes; the place after it, or NULL. */
static const char *take(const char *at, char end, char text[PATH_MAX])
{
    static const char plain[] = "nrtvfba", meant[] = "\n\r\t\v\f\b\a";
    size_t n = 0;
    for (; *at != '\0' && *at != end; at++) {
        char c = *at;
        if (c == '\\' && at[1] != '\0') {
            const char *letter = strchr(plain, *++at);
            int value = digit(*at);
            c = letter ? meant[letter - plain] : *at;
            for (int i = 0; value >= 0 && i < 2 && digit(at[1]) >= 0; i++)
                value = value * 8 + digit(*++at);
            if (value >= 0)
                c = (char)(unsigned char)value;
        }
        if (n + 1 >= PATH_MAX)
            return NULL;
        text[n++] = c;
    }
    text[n] = '\0';
    return *at == end ? at + 1 : NULL;
}

static bool join(char path[PATH_MAX], const char *base, const char *name)
{
    int n = name[0] == '/' ? snprintf(path, PATH_MAX, "%s", name)
                           : snprintf(path, PATH_MAX, "%s/%s", base, name);
    return n > 0 && n < PATH_MAX;
}

/* The path after "= 3<", where the call gave a descriptor. */
static bool result_path(const char *result, char path[PATH_MAX])
{
    const char *open = strchr(result, '<');
    return open && take(open + 1, '>', path) && path[0] == '/';
}

static void tell(struct reader *r, enum use use, size_t nth, const char *path)
{
    if (use == EXECUTES)
        touch(r->touched, EXECUTE, path);
    else if (use == ENTERS)
        snprintf(r->cwd, sizeof r->cwd, "%s", path);
    else if (use == WRITES)
        touch(r->touched, WRITE, path);
    else if (use == NAMES || nth == 1)
        touch(r->touched, NAME, path);
    else if (use == LINKS)
        touch(r->touched, READ, path);
}

/* The strings among the arguments, each from the directory that stands before it. */
static void read_arguments(struct reader *r, const char *at, enum use use)
{
    char base[PATH_MAX], name[PATH_MAX], path[PATH_MAX];
    size_t nth = 0;
    snprintf(base, sizeof base, "%s", r->cwd);
    while (at && *at != '\0') {
        if (*at == '<') {
            at = take(at + 1, '>', base);
            if (at && use == ENTERS && base[0] == '/')
                tell(r, use, 0, base); /* fchdir */
        } else if (*at == '"') {
            at = take(at + 1, '"', name);
            if (at && join(path, base[0] == '/' ? base : r->cwd, name))
                tell(r, use, nth, path);
            nth++;
            if (use == EXECUTES)
                return; /* its arguments are strings too */
        } else {
            at++;
        }
    }
}

/* Where nothing may be written, what was tried is told. */
static bool is_denied(const char *result)
{
    return strncmp(result, "-1 EACCES", 9) == 0;
}

static void read_open(struct reader *r, const char *name, const char *arguments, const char *result)
{
    char path[PATH_MAX];
    bool writes = strcmp(name, "creat") == 0 || strstr(arguments, "O_WRONLY") ||
                  strstr(arguments, "O_RDWR") || strstr(arguments, "O_CREAT");
    if (is_denied(result) && writes)
        read_arguments(r, arguments, WRITES);
    else if (!strstr(arguments, "O_PATH") && result_path(result, path))
        touch(r->touched, writes ? WRITE : READ, path);
}

static void read_line(struct reader *r, char *line)
{
    char *open = strchr(line, '('), *result = NULL;
    for (char *at = open; at && (at = strstr(at, ") = ")); at += 4)
        result = at;
    if (!result || result[4] == '?' || (result[4] == '-' && !is_denied(result + 4)))
        return; /* no call, or one that failed */
    *open = *result = '\0';
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(calls[i].name, line) != 0)
            continue;
        if (calls[i].use == OPENS)
            read_open(r, line, open + 1, result + 4);
        else if (!is_denied(result + 4) || calls[i].use >= WRITES)
            read_arguments(r, open + 1, calls[i].use);
    }
}

void cli_touched_read(struct cli_touched *t, char *text, const char *cwd)
{
    struct reader r = {.touched = t};
    char *rest = NULL;
    snprintf(r.cwd, sizeof r.cwd, "%s", cwd);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(&r, line);
}

/* ---- the whole ------------------------------------------------------------------------------ */

void cli_touched_init(struct cli_touched *t, const char *own, const char *around,
                      char *const *readable)
{
    memset(t, 0, sizeof *t);
    t->own = own;
    t->around = around;
    char real[PATH_MAX];
    for (; *readable; readable++) {
        add(&t->allowed, *readable);
        if (realpath(*readable, real))
            add(&t->allowed, real);
    }
}

/* A directory stands for what is below it. */
static void drop_below(struct cli_paths *paths, const struct cli_paths *above)
{
    for (size_t i = paths->n; i > 0; i--)
        for (size_t k = 0; k < above->n; k++)
            if ((paths != above || k != i - 1) &&
                pingo__path_is_below(paths->list[i - 1], above->list[k])) {
                paths->list[i - 1] = paths->list[--paths->n];
                break;
            }
}

static void group(struct cli_touched *t)
{
    struct cli_paths directories = {0};
    for (size_t i = 0; i < t->inputs.n; i++) {
        size_t n = directory_of(t->inputs.list[i]), same = 0;
        for (size_t k = 0; k < t->inputs.n; k++)
            same += directory_of(t->inputs.list[k]) == n &&
                    strncmp(t->inputs.list[k], t->inputs.list[i], n) == 0;
        if (same > FILES_MOST)
            add_part(&directories, t->inputs.list[i], n);
    }
    for (size_t i = 0; i < directories.n; i++)
        add(&t->inputs, directories.list[i]);
}

/* A directory that holds everything, and was only looked into on the way to what is named. */
static void add_listed(struct cli_touched *t)
{
    for (size_t i = 0; i < t->listed.n; i++) {
        const char *path = t->listed.list[i];
        bool any = false;
        for (size_t k = 0; k < t->inputs.n; k++)
            any = any || pingo__path_is_below(t->inputs.list[k], path);
        for (size_t k = 0; k < t->tools.n; k++)
            any = any || pingo__path_is_below(t->tools.list[k], path);
        if (!any)
            add(&t->places, path);
    }
}

void cli_touched_finish(struct cli_touched *t)
{
    add_listed(t);
    drop_below(&t->places, &t->places);
    drop_below(&t->inputs, &t->places);
    drop_below(&t->inputs, &t->tools); /* a script is read, too */
    group(t);
    drop_below(&t->inputs, &t->inputs);
    sort(&t->inputs);
    sort(&t->tools);
    sort(&t->places);
    sort(&t->writes);
}
