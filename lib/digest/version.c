/* version.c - what a command of "versions" says: its program is found as a tool is, and run in the
 * environment of the action's command.
 *
 * What it said is remembered by the command, the environment, the content of the program and the
 * witnesses: what changes when a package is installed, for most programs say of their libraries what
 * lies beside them.  The memory itself forgets after a while. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/program.h"
#include "base/text.h"
#include "digest/originals_list.h"
#include "digest/sha256.h"
#include "workflow/types/command_line.h"

#define TIMEOUT_MS 60000
#define MOST_BYTES ((size_t)1 << 20)
#define TEXT_BYTES 200  /* kept of the first line */
#define TAIL_BYTES 300  /* shown of standard error */
#define SHOWN_BYTES 120 /* of the command, in messages */

/* ---- the name: "NARGS LENGTH:ARGUMENT... LENGTH:NAME=VALUE..." -------------------------------- */

static void put_string(struct pingo__buffer *b, const char *name, const char *value)
{
    size_t n = strlen(name), m = value ? strlen(value) + 1 : 0;
    pingo__buffer_format(b, "%zu:%s", n + m, name);
    if (value)
        pingo__buffer_format(b, "=%s", value);
}

void pingo__digest_version_name(struct pingo__buffer *name, const struct pingo_action *action,
                                const struct pingo_version_command *command)
{
    const struct pingo_field *env = pingo_action_field(action, "env");
    size_t n = !env || env->kind != PINGO_FIELD_PAIRS ? 0 : env->nvalues;
    pingo__buffer_format(name, "%zu ", command->nargv);
    for (size_t i = 0; i < command->nargv; i++)
        put_string(name, command->argv[i], NULL);
    for (size_t c = 0; c < PINGO__COMMAND_CONSTANTS; c++) {
        const char *const *constant = pingo__workflow_command_constants[c];
        bool declared = false;
        for (size_t i = 0; i < n; i += 2)
            declared = declared || strcmp(env->values[i], constant[0]) == 0;
        if (!declared)
            put_string(name, constant[0], constant[1]);
    }
    for (size_t i = 0; i < n; i += 2)
        put_string(name, env->values[i], env->values[i + 1]);
    put_string(name, "HOME", "/dev/null");
}

/* What the name says. */
struct question {
    struct pingo__arena arena;
    const char **argv, **env; /* end with NULL */
    size_t nargv;
};

static bool read_number(const char **at, char end, size_t *n)
{
    int64_t number;
    bool is = pingo__text_digits(at, &number) && *(*at)++ == end;
    *n = (size_t)number;
    return is;
}

/* 0, PINGO_ENOMEM, or PINGO_ECORRUPT. */
static int parse(struct question *q, const char *name)
{
    const char *at = name;
    size_t n = 0;
    if (!read_number(&at, ' ', &q->nargv) || q->nargv == 0)
        return PINGO_ECORRUPT;
    /* Each takes two bytes at least; and a NULL behind both lists. */
    q->argv = pingo__arena_array(&q->arena, strlen(at) / 2 + 2, sizeof *q->argv);
    if (!q->argv)
        return PINGO_ENOMEM;
    while (*at != '\0') {
        size_t length;
        if (!read_number(&at, ':', &length) || length > strlen(at))
            return PINGO_ECORRUPT;
        n += n == q->nargv;
        if (!(q->argv[n++] = pingo__arena_text(&q->arena, at, length)))
            return PINGO_ENOMEM;
        at += length;
    }
    if (n < q->nargv)
        return PINGO_ECORRUPT;
    q->env = q->argv + q->nargv + 1;
    return 0;
}

static const char *path_of(const struct question *q)
{
    for (size_t i = 0; q->env[i]; i++)
        if (strncmp(q->env[i], "PATH=", 5) == 0)
            return q->env[i] + 5;
    return "";
}

/* The command for people. */
static void show(const struct question *q, char *text, size_t size)
{
    size_t n = 0, i = 0;
    for (; i < q->nargv && n + 1 < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i == 0 ? "" : " ", q->argv[i]);
    if (i == q->nargv && n < size)
        return;
    for (n = size - 4; n > 0 && pingo__text_is_inside(text[n]);)
        n--;
    memcpy(text + n, "...", 4);
}

/* ---- the key ------------------------------------------------------------------------------------ */

static void witness(const struct pingo__world *w, const char *path, struct pingo__buffer *key)
{
    struct pingo__digest_file_stat fs = {0};
    struct stat st;
    if (w->stat(w->context, AT_FDCWD, path, 0, &st) == 0)
        fs = pingo__digest_file_stat_of(&st);
    pingo__buffer_u64(key, fs.inode);
    pingo__buffer_u64(key, (uint64_t)fs.mtime_ns);
    pingo__buffer_u64(key, (uint64_t)fs.ctime_ns);
}

/* The folders in which Python's packages lie, below PREFIX/lib. */
static void witness_python(const struct pingo__world *w, const char *lib, struct pingo__buffer *key)
{
    static const char *const folders[] = {"site-packages", "dist-packages"};
    struct pingo__dir *dir = NULL;
    int fd = w->open(w->context, AT_FDCWD, lib, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0 || w->dir_open(w->context, fd, &dir) < 0)
        return;
    struct pingo__buffer path = {0};
    const char *name;
    while (w->dir_next(w->context, dir, &name) == 0 && name)
        for (size_t i = 0; strncmp(name, "python", 6) == 0 && i < 2; i++) {
            pingo__buffer_reset(&path);
            pingo__buffer_format(&path, "%s/%s/%s", lib, name, folders[i]);
            if (pingo__buffer_cstr(&path))
                witness(w, path.data, key);
        }
    key->failed = key->failed || path.failed;
    pingo__buffer_clear(&path);
    w->dir_close(w->context, dir);
}

/* What changes when packages are installed: below the directory above the program's, and below the
 * system's two. */
static void witness_all(const struct pingo__world *w, const char *program, struct pingo__buffer *key)
{
    static const char *const files[] = {"/etc/ld.so.cache", "/var/lib/dpkg/status",
                                        "/var/lib/rpm/rpmdb.sqlite", "/lib/apk/db/installed"};
    static const char *const below[] = {"/lib", "/lib64", "/conda-meta", "/lib/R/library",
                                        "/lib/R/site-library"};
    const char *prefixes[] = {program, "/usr", "/usr/local"};
    struct pingo__buffer path = {0};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        witness(w, files[i], key);
    for (size_t p = 0; p < 3; p++) {
        size_t n = strlen(prefixes[p]);
        for (int cuts = p == 0 ? 2 : 0; cuts > 0 && n > 0; cuts -= prefixes[p][n] == '/')
            n--; /* PREFIX of PREFIX/bin/PROGRAM */
        for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
            pingo__buffer_reset(&path);
            pingo__buffer_format(&path, "%.*s%s", (int)n, prefixes[p], below[i]);
            if (!pingo__buffer_cstr(&path))
                break;
            witness(w, path.data, key);
            if (i == 0)
                witness_python(w, path.data, key);
        }
    }
    key->failed = key->failed || path.failed;
    pingo__buffer_clear(&path);
}

static int make_key(const struct pingo__digest_original *version,
                    const struct pingo__digest_content *content, const struct pingo__world *w,
                    struct pingo_hash *hash)
{
    struct pingo__buffer key = {0};
    pingo__buffer_counted(&key, version->name, strlen(version->name));
    pingo__buffer_counted(&key, version->path, strlen(version->path));
    pingo__buffer_append(&key, content->hash.bytes, PINGO_HASH_SIZE);
    witness_all(w, version->path, &key);
    return pingo__digest_buffer(&key, hash);
}

/* ---- running -------------------------------------------------------------------------------------- */

static bool told_to_stop(void *context)
{
    const struct pingo__digest_content_options *o = context;
    return o->progress && o->progress(o->progress_context, 0, 0) != 0;
}

/* Control characters become blanks, and what is no UTF-8 question marks. */
static void clean(char *text)
{
    size_t length = strlen(text), n;
    for (size_t i = 0; i < length; i += n) {
        n = pingo__text_utf8_next(text + i, length - i);
        if (n == 0)
            text[i] = '?';
        else if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            text[i] = ' ';
        n = n == 0 ? 1 : n;
    }
}

/* The last of what was written to standard error, on one line. */
static void tail(const struct pingo__buffer *errors, char text[TAIL_BYTES + 1])
{
    size_t n = errors->length;
    while (n > 0 && (unsigned char)errors->data[n - 1] <= ' ')
        n--;
    size_t from = n > TAIL_BYTES ? n - TAIL_BYTES : 0;
    while (from > 0 && from < n && pingo__text_is_inside(errors->data[from]))
        from++;
    if (n > from)
        memcpy(text, errors->data + from, n - from);
    text[n - from] = '\0';
    clean(text);
}

/* What is wrong with an end, or 0. */
static int judge(const struct question *q, const struct pingo__program_end *end,
                 struct pingo_error *err)
{
    char command[SHOWN_BYTES], said[TAIL_BYTES + 1];
    bool silent = end->out.length == 0 && end->errors.length == 0;
    const char *hint = "";
    if (end->reason == PINGO__PROGRAM_EXITED && end->number == 0 && !silent)
        return 0;
    show(q, command, sizeof command);
    tail(&end->errors, said);
    const char *colon = said[0] == '\0' ? "" : ": ";
    if (strstr(said, "ermission denied"))
        hint = " (it can write below its TMPDIR alone)";
    switch (end->reason) {
    case PINGO__PROGRAM_EXITED:
        if (end->number == 0)
            return pingo__fail(err, PINGO_EINPUT, "\"%s\" printed nothing", command);
        return pingo__fail(err, PINGO_EINPUT, "\"%s\" ended with exit status %d%s%s%s", command,
                           end->number, colon, said, hint);
    case PINGO__PROGRAM_SIGNALED:
        return pingo__fail(err, PINGO_EINPUT, "\"%s\" was ended by signal %d%s%s", command,
                           end->number, colon, said);
    case PINGO__PROGRAM_TIME_LIMIT:
        return pingo__fail(err, PINGO_EINPUT, "\"%s\" did not end within %d s%s%s", command,
                           TIMEOUT_MS / 1000, colon, said);
    case PINGO__PROGRAM_TOO_MUCH:
        return pingo__fail(err, PINGO_EINPUT, "\"%s\" printed more than %zu bytes", command,
                           MOST_BYTES);
    case PINGO__PROGRAM_STOPPED:
        break;
    }
    return pingo__fail(err, PINGO_EINTERRUPTED, "stopped while the versions were asked for");
}

/* The first line, readable. */
static char *first_line(const struct pingo__buffer *said)
{
    size_t from = 0, n;
    while (from < said->length && (unsigned char)said->data[from] <= ' ')
        from++;
    for (n = from; n < said->length && said->data[n] != '\n' && n - from < TEXT_BYTES; n++)
        continue;
    char *line = strndup(said->data + from, n - from);
    if (line)
        clean(line);
    return line;
}

static int run(struct pingo__digest_original *version, const struct question *q,
               const struct pingo__digest_content_options *options, struct pingo_error *err)
{
    struct pingo__program program = {.path = version->path,
                                     .argv = q->argv,
                                     .env = q->env,
                                     .timeout_ms = TIMEOUT_MS,
                                     .max_bytes = MOST_BYTES,
                                     .stop = told_to_stop,
                                     .stop_context = (void *)(uintptr_t)options};
    struct pingo__program_end end;
    int rc = options->world->run(options->world->context, &program, &end);
    if (rc == -ENOMEM) {
        rc = pingo__fail_memory(err);
    } else if (rc < 0) {
        char command[SHOWN_BYTES];
        show(q, command, sizeof command);
        char reason[128];
        rc = pingo__fail(err, PINGO_EINPUT, "\"%s\" cannot be run: %s", command,
                         strerror_r(-rc, reason, sizeof reason));
    } else {
        rc = judge(q, &end, err);
    }
    const struct pingo__buffer *said = end.out.length > 0 ? &end.out : &end.errors;
    if (rc == 0)
        pingo__digest_sha256(said->data, said->length, &version->hash);
    if (rc == 0 && !(version->text = first_line(said)))
        rc = pingo__fail_memory(err);
    pingo__buffer_clear(&end.out);
    pingo__buffer_clear(&end.errors);
    return rc;
}

/* The program is there: from the memory, or by running it. */
static int ask(struct pingo__digest_original *version, const struct question *q,
               const struct pingo__digest_content_options *options, struct pingo_error *err)
{
    const struct pingo__digest_content_cache *cache = options->cache;
    struct pingo__digest_content content;
    struct pingo_hash key;
    char *text = NULL;
    int rc = pingo__digest_content_read(version->path, options, &content, err);
    if (rc == 0 && make_key(version, &content, options->world, &key) != 0)
        rc = pingo__fail_memory(err);
    if (rc != 0)
        return rc;
    version->program = content.hash;
    version->stamp = content.stamp;
    version->stamp_is_young = content.stamp_is_young;
    pingo__digest_content_cache_lock(cache);
    bool known =
        cache->find_version && cache->find_version(cache->context, &key, &version->hash, &text);
    pingo__digest_content_cache_unlock(cache);
    version->text = text;
    if (known)
        return 0;
    rc = run(version, q, options, err);
    if (rc == 0 && cache->remember_version) {
        pingo__digest_content_cache_lock(cache);
        cache->remember_version(cache->context, &key, &version->hash, version->text);
        pingo__digest_content_cache_unlock(cache);
    }
    return rc;
}

int pingo__digest_version_read(struct pingo__digest_original *version,
                               const struct pingo__digest_content_options *options,
                               struct pingo_error *err)
{
    struct question q = {.argv = NULL};
    int rc = parse(&q, version->name);
    if (rc == PINGO_ECORRUPT)
        rc = pingo__fail(err, PINGO_EINPUT,
                         "a command of \"versions\" cannot be read back from the store");
    else if (rc != 0)
        pingo__fail_memory(err);
    if (rc == 0)
        rc = pingo__digest_tool_find(options->world, version, q.argv[0], path_of(&q), err);
    if (rc == 0 && version->error == 0)
        rc = ask(version, &q, options, err);
    pingo__arena_clear(&q.arena);
    return rc;
}
