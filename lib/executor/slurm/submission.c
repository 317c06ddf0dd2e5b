/* submission.c - what Slurm is asked to run, see slurm.h. */
#include "executor/slurm/slurm.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/quoting.h"
#include "base/text.h"
#include "base/writer.h"
#include "json/reader.h"

#define MEGABYTE (INT64_C(1) << 20)
#define RUNNER_MS 30000  /* what it needs before and after the command: the same of its time */
#define WORD_MOST 131072 /* bytes, with its NUL: Linux's MAX_ARG_STRLEN */
#define MINUTE_MS INT64_C(60000)
#define SHOWN_NAME 64 /* bytes of an action's name in a comment */

const struct pingo__executor_slurm_option pingo__executor_slurm_options[PINGO__SLURM_OPTIONS + 1] = {
    {"partition", NULL, "--partition", PINGO__SLURM_TEXT},
    {"account", NULL, "--account", PINGO__SLURM_TEXT},
    {"qos", NULL, "--qos", PINGO__SLURM_TEXT},
    {"constraints", NULL, "--constraint", PINGO__SLURM_TEXT},
    {"prefer", NULL, "--prefer", PINGO__SLURM_TEXT},
    {"reservation", NULL, "--reservation", PINGO__SLURM_TEXT},
    {"nodelist", "required_nodes", "--nodelist", PINGO__SLURM_NODE_LIST},
    {"exclude_nodes", "excluded_nodes", "--exclude", PINGO__SLURM_NODE_LIST},
    {"licenses", NULL, "--licenses", PINGO__SLURM_TEXT},
    {"gres", "tres_per_node", "--gres", PINGO__SLURM_GRES},
    {"wckey", NULL, "--wckey", PINGO__SLURM_TEXT},
    {"nice", NULL, "--nice", PINGO__SLURM_NUMBER},
    {NULL, NULL, NULL, PINGO__SLURM_TEXT}};

void pingo__executor_slurm_script(struct pingo__buffer *b, const char *runner, const char *path,
                                  bool is_list)
{
    pingo__buffer_text(b, "#!/bin/sh\nexec ");
    pingo__quoting_shell(b, runner);
    pingo__buffer_text(b, is_list ? " --list " : " ");
    pingo__quoting_shell(b, path);
    pingo__buffer_text(b, is_list ? " \"$SLURM_ARRAY_TASK_ID\"\n" : "\n");
}

bool pingo__executor_slurm_pattern(struct pingo__buffer *b, const char *path)
{
    if (strchr(path, '\\') || strchr(path, '\n'))
        return false;
    for (; *path; path++) {
        if (*path == '%')
            pingo__buffer_char(b, '%');
        pingo__buffer_char(b, *path);
    }
    return true;
}

/* The key, and the action's name as far as it is harmless in any list. */
static char *comment_of(struct pingo__arena *arena, const char *key, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    char text[PINGO__SLURM_NAME_SIZE + SHOWN_NAME + 2];
    int n = snprintf(text, sizeof text, "%s ", key);
    for (size_t i = 0; name && name[i] && i < SHOWN_NAME; i++)
        text[n++] = strchr(plain, name[i]) ? name[i] : '_';
    return pingo__arena_text(arena, text, (size_t)n);
}

static int64_t rounded_up(int64_t n, int64_t unit)
{
    return n / unit + (n % unit > 0);
}

/* What was written, in the arena; NULL: no memory.  The buffer is given back. */
static const char *keep(struct pingo__arena *arena, struct pingo__buffer *b)
{
    const char *text = b->failed ? NULL : pingo__arena_text(arena, b->data, b->length);
    pingo__buffer_clear(b);
    return text;
}

/* The pattern of a file in this directory. */
static const char *log_in(struct pingo__arena *arena, const char *dir, const char *name)
{
    struct pingo__buffer log = {0};
    bool fits = pingo__executor_slurm_pattern(&log, dir);
    pingo__buffer_text(&log, fits ? name : "/dev/null");
    return keep(arena, &log);
}

int pingo__executor_slurm_request_make(const struct pingo_job *job, const char *runner,
                                       int64_t grace_ms, struct pingo__arena *arena,
                                       struct pingo__executor_slurm_request *r)
{
    struct pingo__buffer script = {0};
    char name[PINGO__SLURM_NAME_SIZE];
    pingo__executor_slurm_name(name, job->store_id, job->key);
    pingo__executor_slurm_script(&script, runner, job->attempt_dir, false);
    r->name = pingo__arena_text(arena, name, strlen(name));
    r->comment = comment_of(arena, name, job->name);
    r->script = keep(arena, &script);
    r->log = log_in(arena, job->attempt_dir, "/" PINGO__SLURM_LOG);
    r->cpus = job->cpus;
    r->memory_mb =
        job->memory_bytes ? rounded_up(job->memory_bytes, MEGABYTE) + PINGO__SLURM_RUNNER_MB : 0;
    r->minutes =
        job->time_limit_ms ? rounded_up(job->time_limit_ms + grace_ms + RUNNER_MS, MINUTE_MS) : 0;
    return r->name && r->comment && r->script && r->log ? 0 : PINGO_ENOMEM;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool pingo__executor_slurm_request_is_like(const struct pingo__executor_slurm_request *a,
                                           const struct pingo__executor_slurm_request *b)
{
    bool same = a->cpus == b->cpus && a->memory_mb == b->memory_mb && a->minutes == b->minutes;
    for (size_t i = 0; same && i < PINGO__SLURM_OPTIONS; i++)
        same = is_same(a->options[i], b->options[i]);
    return same;
}

int pingo__executor_slurm_request_array(struct pingo__executor_slurm_request *r,
                                        const struct pingo__executor_slurm_array *array,
                                        struct pingo__arena *arena)
{
    struct pingo__buffer script = {0};
    const char *list = pingo__arena_format(arena, "%s/list", array->dir);
    if (!list)
        return PINGO_ENOMEM;
    pingo__executor_slurm_script(&script, array->runner, list, true);
    r->array = pingo__arena_format(arena, "0-%zu", array->ntasks - 1);
    r->name = array->name;
    r->comment = pingo__arena_format(arena, "%s %zu actions", array->name, array->ntasks);
    r->script = keep(arena, &script);
    r->log = log_in(arena, array->dir, "/%a.log");
    return r->array && r->comment && r->script && r->log ? 0 : PINGO_ENOMEM;
}

/* ---- options --------------------------------------------------------------------------------- */

static int refuse_option(const char *key, struct pingo_error *err)
{
    char known[200] = "";
    for (size_t i = 0, at = 0; i < PINGO__SLURM_OPTIONS && at < sizeof known; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "",
                               pingo__executor_slurm_options[i].name);
    return pingo__fail(err, PINGO_EINVAL, "executorOptions: slurm has no option \"%s\"; it has %s",
                       key, known);
}

static int take_option(struct pingo__json_element *e, const struct pingo__json_value *v,
                       struct pingo__arena *arena, struct pingo__executor_slurm_request *r,
                       struct pingo_error *err)
{
    const char *key = pingo__json_key(v), *text = pingo__json_text(v);
    size_t i = 0, n = text ? strlen(text) : 0;
    while (i < PINGO__SLURM_OPTIONS && strcmp(pingo__executor_slurm_options[i].name, key) != 0)
        i++;
    if (i == PINGO__SLURM_OPTIONS)
        return refuse_option(key, err);
    if (pingo__json_kind(v) == PINGO__JSON_NUMBER)
        text = pingo__json_spelling(e, v, &n);
    char *copy = text ? pingo__arena_text(arena, text, n) : NULL;
    int64_t number;
    if (!copy)
        return pingo__fail_memory(err);
    if (pingo__executor_slurm_options[i].kind == PINGO__SLURM_NUMBER &&
        !pingo__text_to_int64(copy, INT32_MIN, INT32_MAX, &number))
        return pingo__fail(err, PINGO_EINVAL,
                           "executorOptions: \"%s\" of slurm is a whole number, not \"%s\"", key,
                           copy);
    r->options[i] = copy;
    return 0;
}

int pingo__executor_slurm_request_options(const char *json, struct pingo__arena *arena,
                                          struct pingo__executor_slurm_request *r,
                                          struct pingo_error *err)
{
    struct pingo__json_reader reader;
    pingo__json_reader_open(&reader, json, strlen(json), "executorOptions", err);
    const struct pingo__json_value *v =
        pingo__json_first(pingo__json_reader_value(&reader, reader.document.offset, ""));
    int rc = reader.rc;
    if (rc == PINGO_EINVAL)
        pingo__error_prefix(err, "executorOptions");
    for (; !rc && v; v = pingo__json_next(v))
        rc = take_option(&reader.element, v, arena, r, err);
    pingo__json_reader_clear(&reader);
    return rc;
}

static int check_words(const char *const *words, const char *what, size_t *sum,
                       struct pingo_error *err)
{
    for (size_t i = 0; words && words[i]; i++) {
        size_t n = strlen(words[i]) + 1;
        *sum += n;
        if (n > WORD_MOST)
            return pingo__fail(err, PINGO_EINVAL,
                               "%s \"%.30s...\" has %zu bytes, and a program can be given %d at "
                               "once: let it read a file",
                               what, words[i], n - 1, WORD_MOST - 1);
    }
    return 0;
}

int pingo__executor_slurm_request_check(const struct pingo_job *job,
                                        const struct pingo__executor_slurm_request *r,
                                        struct pingo_error *err)
{
    size_t words = 0, submission = strlen(r->script);
    for (size_t i = 0; i < PINGO__SLURM_OPTIONS; i++)
        submission += r->options[i] ? strlen(r->options[i]) : 0;
    int rc = check_words(job->argv, "its command", &words, err);
    if (!rc)
        rc = check_words(job->env, "its environment", &words, err);
    size_t n = words > submission ? words : submission;
    if (!rc && n > PINGO__SLURM_SUBMISSION_MOST)
        rc = pingo__fail(err, PINGO_EINVAL, "its %s have %zu bytes; Slurm takes %d",
                         n == words ? "command and environment" : "executorOptions", n,
                         PINGO__SLURM_SUBMISSION_MOST);
    return rc;
}

/* Puts what was written behind an option's own.  0 or PINGO_ENOMEM. */
static int join_option(const char *name, struct pingo__buffer *more, struct pingo__arena *arena,
                       struct pingo__executor_slurm_request *r)
{
    size_t i = 0;
    while (strcmp(pingo__executor_slurm_options[i].name, name) != 0)
        i++;
    const char *own = r->options[i] && *r->options[i] ? r->options[i] : NULL;
    if (pingo__buffer_cstr(more))
        r->options[i] =
            pingo__arena_format(arena, "%s%s%s", own ? own : "", own ? "," : "", more->data);
    int rc = more->failed || !r->options[i] ? PINGO_ENOMEM : 0;
    pingo__buffer_clear(more);
    return rc;
}

int pingo__executor_slurm_request_counters(const struct pingo_job *job, struct pingo__arena *arena,
                                           struct pingo__executor_slurm_request *r)
{
    struct pingo__buffer gpus = {0}, licences = {0};
    bool is_told = false;
    for (size_t i = 0; i < PINGO__SLURM_OPTIONS; i++)
        is_told = is_told || (strcmp(pingo__executor_slurm_options[i].name, "gres") == 0 &&
                              r->options[i] && strstr(r->options[i], "gpu"));
    int rc = 0;
    if (job->gpus > 0 && !is_told) {
        pingo__buffer_format(&gpus, "gpu:%lld", (long long)job->gpus);
        rc = join_option("gres", &gpus, arena, r);
    }
    for (size_t i = 0; i < job->nlicences; i++)
        pingo__buffer_format(&licences, "%s%s:%lld", i ? "," : "", job->licences[i].name,
                             (long long)job->licences[i].n);
    if (!rc && job->nlicences)
        rc = join_option("licenses", &licences, arena, r);
    pingo__buffer_clear(&licences);
    return rc;
}

/* ---- the body ------------------------------------------------------------------------------------ */

static void put_environment(struct pingo__writer *w, int version)
{
    if (version >= 40) {
        pingo__writer_open(w, "environment", PINGO__WRITER_ARRAY);
        pingo__writer_text(w, NULL, "PATH=" PINGO__PATH_OF_COMMANDS);
    } else {
        pingo__writer_open(w, "environment", PINGO__WRITER_OBJECT);
        pingo__writer_text(w, "PATH", PINGO__PATH_OF_COMMANDS);
    }
    pingo__writer_close(w);
}

/* From v0.0.40 on gres are TRES: "gpu:1" is "gres/gpu:1". */
static void put_gres(struct pingo__writer *w, const char *gres)
{
    struct pingo__buffer text = {0};
    for (const char *end = gres; *gres; gres = *end ? end + 1 : end) {
        end = gres + strcspn(gres, ",");
        bool is_tres = strncmp(gres, "gres", 4) == 0;
        pingo__buffer_format(&text, "%s%s%.*s", text.length ? "," : "", is_tres ? "" : "gres/",
                             (int)(end - gres), gres);
    }
    pingo__writer_text(w, "tres_per_node", pingo__buffer_cstr(&text));
    w->out.failed = w->out.failed || text.failed;
    pingo__buffer_clear(&text);
}

static void put_nodes(struct pingo__writer *w, int version)
{
    if (version >= 40) {
        pingo__writer_text(w, "nodes", "1");
        return;
    }
    pingo__writer_open(w, "nodes", PINGO__WRITER_ARRAY);
    pingo__writer_int(w, NULL, 1);
    pingo__writer_int(w, NULL, 1);
    pingo__writer_close(w);
}

/* Since v0.0.40 a number that may be left out says that it is none of Slurm's marks for that. */
static void put_number(struct pingo__writer *w, const char *key, int64_t number, int version)
{
    if (number && version >= 40) {
        pingo__writer_open(w, key, PINGO__WRITER_OBJECT);
        pingo__writer_raw(w, "set", "true");
        pingo__writer_raw(w, "infinite", "false");
        pingo__writer_int(w, "number", number);
        pingo__writer_close(w);
    } else if (number) {
        pingo__writer_int(w, key, number);
    }
}

static void put_option(struct pingo__writer *w, const struct pingo__executor_slurm_option *o,
                       const char *value, int version)
{
    const char *key = version >= 40 && o->later ? o->later : o->name;
    if (o->kind == PINGO__SLURM_NUMBER) {
        pingo__writer_raw(w, key, value);
    } else if (o->kind == PINGO__SLURM_NODE_LIST && version >= 40) {
        pingo__writer_open(w, key, PINGO__WRITER_ARRAY); /* as Slurm writes it: "n[1-3]" is one */
        pingo__writer_text(w, NULL, value);
        pingo__writer_close(w);
    } else if (o->kind == PINGO__SLURM_GRES && version >= 40) {
        put_gres(w, value);
    } else {
        pingo__writer_text(w, key, value);
    }
}

void pingo__executor_slurm_body(struct pingo__buffer *b,
                                const struct pingo__executor_slurm_request *r, int version)
{
    struct pingo__writer w = {.out = *b};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    if (version < 40)
        pingo__writer_text(&w, "script", r->script);
    pingo__writer_open(&w, "job", PINGO__WRITER_OBJECT);
    if (version >= 40)
        pingo__writer_text(&w, "script", r->script);
    pingo__writer_text(&w, "name", r->name);
    pingo__writer_text(&w, "comment", r->comment);
    put_environment(&w, version);
    pingo__writer_text(&w, "current_working_directory", "/");
    pingo__writer_text(&w, "standard_input", "/dev/null");
    pingo__writer_text(&w, "standard_output", r->log);
    pingo__writer_text(&w, "standard_error", r->log);
    pingo__writer_int(&w, "tasks", 1);
    if (r->array)
        pingo__writer_text(&w, "array", r->array);
    put_nodes(&w, version);
    pingo__writer_int(&w, "cpus_per_task", r->cpus);
    put_number(&w, "memory_per_node", r->memory_mb, version);
    put_number(&w, "time_limit", r->minutes, version);
    for (size_t i = 0; i < PINGO__SLURM_OPTIONS; i++)
        if (r->options[i])
            put_option(&w, &pingo__executor_slurm_options[i], r->options[i], version);
    pingo__writer_close(&w);
    pingo__writer_close(&w);
    *b = w.out;
}
