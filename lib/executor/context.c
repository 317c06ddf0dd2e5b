/* context.c - see context.h; and for executors of others: where programs lie, how long to wait, and what the end of a
 * job says of its output. */
#include "executor/context.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/path.h"
#include "base/world.h"
#include "digest/content.h"
#include "digest/sha256.h"
#include "runner/record/job.h"

#define LOG_BYTES INT64_C(10485760)
#define GRACE_MS 5000
#define CLOCKS_MS 10000 /* clocks that differ by more are worth a word */

char *pingo_executor_context_program(const struct pingo_executor_context *context, const char *name)
{
    return pingo__path_child(context->helper_dir ? context->helper_dir : PINGO_LIBEXECDIR, name);
}

int64_t pingo_backoff_next(struct pingo_backoff *backoff)
{
    return pingo__backoff_next(&backoff->next_ms, backoff->first_ms, backoff->most_ms);
}

char *pingo__executor_context_copy(struct pingo__executor_reading *r, const char *text)
{
    char *own = text && *text ? pingo__arena_text(r->arena, text, strlen(text)) : NULL;
    r->failed = r->failed || (text && *text && !own);
    return own;
}

char *pingo__executor_context_read(struct pingo__executor_reading *r, const char *key)
{
    return pingo__executor_context_copy(r, pingo_executor_context_text(r->context, key));
}

void pingo__executor_mark(char mark[PINGO__EXECUTOR_MARK_SIZE], const char *store_id,
                          const char *pool)
{
    char hash[PINGO__DIGEST_SHORT_SIZE];
    pingo__digest_short(pool, strlen(pool), hash);
    snprintf(mark, PINGO__EXECUTOR_MARK_SIZE, "%.60s-%s", store_id, hash);
}

struct pingo_runner_options pingo__executor_context_runner(const struct pingo_executor_context *c)
{
    return (struct pingo_runner_options){.version = 1,
                                         .log_bytes = c->log_bytes > 0 ? c->log_bytes : LOG_BYTES,
                                         .grace_ms = c->grace_ms > 0 ? c->grace_ms : GRACE_MS};
}

void pingo__executor_end(struct pingo_job_end *end, enum pingo_end_reason reason,
                         const char *message)
{
    pingo__runner_fail(end, reason, "%s", message);
    if (reason == PINGO_END_EXITED && !end->exit_code)
        end->exit_code = 126;
}

int pingo_job_end_output(struct pingo_job_end *end, const char *staged_path, struct pingo_error *err)
{
    struct pingo__digest_content_options options = {.make_readonly = true, .no_follow = true};
    struct pingo__digest_content content;
    struct pingo_error why = {0};
    struct pingo_job_end own;
    int rc = pingo__growing_result_check(end, "pingo_job_end", err);
    if (rc)
        return rc;
    pingo__growing_result_take(end, &own, sizeof own);
    rc = pingo__digest_content_read(staged_path, &options, &content, &why);
    own.output_kind = PINGO_OUTPUT_NONE;
    if (rc) {
        snprintf(own.message, sizeof own.message, "%.199s", why.message);
        rc = pingo__fail(err, rc, "%s", why.message);
    } else {
        own.output_kind = content.is_directory ? PINGO_OUTPUT_DIRECTORY : PINGO_OUTPUT_FILE;
        own.size_bytes = content.size_bytes;
        own.content = content.hash;
    }
    pingo__growing_result_put(end, &own, sizeof own);
    return rc;
}

void pingo__executor_say(const struct pingo__executor_log *log, const char *format, ...)
{
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (log->take)
        log->take(log->context, message);
}

void pingo__executor_tell(const struct pingo_check_options *options, enum pingo_check_result result,
                          const char *what, const char *format, ...)
{
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    options->found(options->context, result, what, message);
}

void pingo__executor_tell_machine(const struct pingo_check_options *options, const char *machine,
                                  const struct pingo__runner_probe *probe, int64_t asked_ms)
{
    int64_t now = pingo__world_wall_ms();
    int64_t ahead = probe->wall_ms > now        ? probe->wall_ms - now
                    : probe->wall_ms < asked_ms ? probe->wall_ms - asked_ms
                                                : 0;
    if (ahead > CLOCKS_MS || ahead < -CLOCKS_MS)
        pingo__executor_tell(options, PINGO_CHECK_NOTE, "clock",
                             "the clock of %s is %" PRId64
                             " s %s this machine's, and so are the times of attempts there",
                             machine, (ahead < 0 ? -ahead : ahead) / 1000,
                             ahead < 0 ? "behind" : "ahead of");
    else
        pingo__executor_tell(options, PINGO_CHECK_WELL, "clock", "%s has the same time", machine);
    if (probe->landlock > 0)
        pingo__executor_tell(options, PINGO_CHECK_WELL, "sandbox", "%s can confine actions",
                             machine);
    else
        pingo__executor_tell(
            options, PINGO_CHECK_NOTE, "sandbox",
            "%s cannot confine actions, for its kernel has no Landlock: they run there without "
            "sandbox",
            machine);
}

/* ---- copies of jobs ---------------------------------------------------------------------------- */

struct copying {
    struct pingo__arena *arena;
    bool failed;
};

static void *bytes(struct copying *c, const void *from, size_t n)
{
    void *to = c->failed || n == 0 ? NULL : pingo__arena_alloc(c->arena, n);
    if (to)
        memcpy(to, from, n);
    c->failed = c->failed || (n && !to);
    return to;
}

static char *text(struct copying *c, const char *from)
{
    return from ? bytes(c, from, strlen(from) + 1) : NULL;
}

/* n texts, or as many as there are before a NULL, which is copied, too. */
static const char *const *texts(struct copying *c, const char *const *from, size_t n, bool is_ended)
{
    while (from && is_ended && from[n])
        n++;
    const char **to = from && !c->failed ? pingo__arena_array(c->arena, n + 1, sizeof *to) : NULL;
    c->failed = c->failed || (from && !to);
    for (size_t i = 0; to && i < n; i++)
        to[i] = text(c, from[i]);
    return to;
}

static void copy_links(struct copying *c, struct pingo_job *to)
{
    struct pingo_job_link *links = bytes(c, to->links, to->nlinks * sizeof *links);
    for (size_t i = 0; links && i < to->nlinks; i++) {
        links[i].name = text(c, links[i].name);
        links[i].target = text(c, links[i].target);
        if (links[i].content)
            links[i].content = bytes(c, links[i].content, sizeof *links[i].content);
    }
    to->links = links;
}

static void copy_inputs(struct copying *c, struct pingo_job *to)
{
    struct pingo_described_input *inputs = bytes(c, to->inputs, to->ninputs * sizeof *inputs);
    for (size_t i = 0; inputs && i < to->ninputs; i++) {
        inputs[i].name = text(c, inputs[i].name);
        inputs[i].kind = text(c, inputs[i].kind);
        inputs[i].identity = text(c, inputs[i].identity);
        inputs[i].version = text(c, inputs[i].version);
    }
    to->inputs = inputs;
}

static void copy_licences(struct copying *c, struct pingo_job *to)
{
    struct pingo_counter *licences = bytes(c, to->licences, to->nlicences * sizeof *licences);
    for (size_t i = 0; licences && i < to->nlicences; i++)
        licences[i].name = text(c, licences[i].name);
    to->licences = licences;
}

int pingo__executor_copy(struct pingo__arena *arena, const struct pingo_job *job,
                         struct pingo_job *to, struct pingo_error *err)
{
    struct copying c = {.arena = arena};
    *to = *job;
    to->arena = NULL;
    const char **const single[] = {&to->store_id,      &to->name,        &to->type,
                                   &to->payload,       &to->attempt_dir, &to->staged_path,
                                   &to->output,        &to->user,        &to->executor_options,
                                   &to->attempt_place, &to->staged_place};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        *single[i] = text(&c, *single[i]);
    to->argv = texts(&c, job->argv, 0, true);
    to->env = texts(&c, job->env, 0, true);
    to->readable = texts(&c, job->readable, 0, true);
    to->places = texts(&c, job->places, job->nlinks, false);
    copy_inputs(&c, to);
    copy_links(&c, to);
    copy_licences(&c, to);
    return c.failed ? pingo__fail_memory(err) : 0;
}
