/* context.c - see context.h. */
#include "executor/context.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/world.h"
#include "digest/sha256.h"

#define LOG_BYTES INT64_C(10485760)
#define GRACE_MS 5000
#define CLOCKS_MS 10000 /* clocks that differ by more are worth a word */

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
    end->reason = reason;
    end->output_kind = PINGO_OUTPUT_NONE;
    if (reason == PINGO_END_EXITED && !end->exit_code)
        end->exit_code = 126;
    snprintf(end->message, sizeof end->message, "%s", message);
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
