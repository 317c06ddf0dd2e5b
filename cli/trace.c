/* trace.c - see touched.h.  A line that is not understood is passed over: a trace is a help, no proof.
 *
 *   openat(AT_FDCWD</home/me>, "a", O_RDONLY) = 3</home/me/a>
 *   execve("/bin/sh", ["sh", "-c", "..."], 0x7ffd... ) = 0 */
#include "touched.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct reader {
    char cwd[PATH_MAX];
    void (*fn)(void *context, enum cli_touch touch, const char *path);
    void *context;
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
        r->fn(r->context, CLI_TOUCH_EXECUTE, path);
    else if (use == ENTERS)
        snprintf(r->cwd, sizeof r->cwd, "%s", path);
    else if (use == WRITES)
        r->fn(r->context, CLI_TOUCH_WRITE, path);
    else if (use == NAMES || nth == 1)
        r->fn(r->context, CLI_TOUCH_NAME, path);
    else if (use == LINKS)
        r->fn(r->context, CLI_TOUCH_READ, path);
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
        r->fn(r->context, writes ? CLI_TOUCH_WRITE : CLI_TOUCH_READ, path);
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

void cli_trace_read(char *text, const char *cwd,
                    void (*fn)(void *context, enum cli_touch touch, const char *path), void *context)
{
    struct reader r = {.fn = fn, .context = context};
    char *rest = NULL;
    snprintf(r.cwd, sizeof r.cwd, "%s", cwd);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_line(&r, line);
}
