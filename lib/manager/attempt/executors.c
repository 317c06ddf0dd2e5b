/* executors.c - see executors.h. */
#include "manager/attempt/executors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define SLOTS_MAX 65536
#define FIRST_PAUSE_MS 100
#define LONGEST_PAUSE_MS 30000
#define SAY_EVERY_MS 60000
/* Of ends: what many of them come to, each with as many slots as there may be, fits into a row of sums. */
#define LATEST_MS INT64_C(253402300799999)                   /* the last that can be printed */
#define LONGEST_MS (INT64_C(10) * 366 * 24 * 60 * 60 * 1000) /* ten years */

/* ---- what its functions say ------------------------------------------------------------------------ */

static int checked(const struct pingo__manager_executor *e, const char *function, int rc,
                   struct pingo_error *why, struct pingo_error *err)
{
    why->message[sizeof why->message - 1] = '\0';
    if (rc == 0)
        return 0;
    if (rc > 0 || strcmp(pingo_error_name(rc), "PINGO_E?") == 0)
        return pingo__fail(err, PINGO_EEXECUTOR,
                           "executor \"%s\": %s returned %d, which is neither 0 nor a PINGO_E*",
                           e->type.name, function, rc);
    return pingo__fail(err, rc, "executor \"%s\": %s", e->type.name,
                       *why->message ? why->message : pingo_error_text(rc));
}

static bool is_away(const struct pingo__manager_executor *e)
{
    return e->ask_again_ms && pingo__manager_elapsed_ms(e->c) < e->ask_again_ms;
}

/* rc: what it gave. */
static int may_be_away(struct pingo__manager_executor *e, const char *function, int rc,
                       struct pingo_error *why, struct pingo_error *err)
{
    if (rc != PINGO_EAWAY) {
        e->ask_again_ms = e->pause.next_ms = 0;
        if (e->said_of && strcmp(e->said_of, function) == 0)
            e->said_ms = 0;
        return checked(e, function, rc, why, err);
    }
    int64_t now = pingo__manager_elapsed_ms(e->c);
    e->pause.first_ms = FIRST_PAUSE_MS;
    e->pause.most_ms = LONGEST_PAUSE_MS;
    e->ask_again_ms = now + pingo_backoff_next(&e->pause);
    if (e->said_ms && now - e->said_ms < SAY_EVERY_MS)
        return rc;
    e->said_ms = now;
    e->said_of = function;
    checked(e, function, rc, why, why);
    pingo__manager_log(e->c, PINGO_LOG_WARNING, "%s; its actions wait, and it is asked again",
                       why->message);
    return rc;
}

int pingo__manager_executor_open(struct pingo__manager_executor *e,
                                 const struct pingo_executor_type *type,
                                 const struct pingo_executor_context *context,
                                 struct pingo_error *err)
{
    struct pingo_error why = {0};
    *e = (struct pingo__manager_executor){.type = pingo__executor_table(type), .c = e->c};
    return checked(e, "open", type->open(context, &e->handle, &why), &why, err);
}

void pingo__manager_executor_close(struct pingo__manager_executor *e)
{
    e->type.close(e->handle);
}

int pingo__manager_executor_start(struct pingo__manager_executor *e, const struct pingo_job *job,
                                  struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc = e->type.start(e->handle, job, &why), told = checked(e, "start", rc, &why, err);
    if (told == rc && rc && *why.message && err) /* as an end of its would say it */
        memcpy(err->message, why.message, sizeof err->message);
    return told;
}

int pingo__manager_executor_revoke(struct pingo__manager_executor *e, struct pingo_job_key key,
                                   const char *attempt_dir, bool *revoked, struct pingo_error *err)
{
    struct pingo_error why = {0};
    *revoked = false;
    if (is_away(e))
        return PINGO_EAWAY;
    int rc = e->type.revoke(e->handle, key, attempt_dir, revoked, &why);
    *revoked = *revoked && rc == 0;
    return may_be_away(e, "revoke", rc, &why, err);
}

int pingo__manager_executor_kill(struct pingo__manager_executor *e, struct pingo_job_key key,
                                 struct pingo_error *err)
{
    struct pingo_error why = {0};
    if (is_away(e))
        return PINGO_EAWAY;
    return may_be_away(e, "kill", e->type.kill(e->handle, key, &why), &why, err);
}

int pingo__manager_executor_adopt(struct pingo__manager_executor *e,
                                  const struct pingo_job_key *keys, size_t n, bool *found,
                                  struct pingo_error *err)
{
    struct pingo_error why = {0};
    if (is_away(e))
        return PINGO_EAWAY;
    return may_be_away(e, "adopt", e->type.adopt(e->handle, keys, n, found, &why), &why, err);
}

int pingo__manager_executor_collect(struct pingo__manager_executor *e,
                                    const struct pingo_executor_reports *reports,
                                    struct pingo_error *err)
{
    struct pingo_error why = {0};
    if (is_away(e))
        return PINGO_EAWAY;
    return may_be_away(e, "collect", e->type.collect(e->handle, reports, &why), &why, err);
}

int64_t pingo__manager_executor_slots(const struct pingo__manager_executor *e)
{
    int64_t n = e->type.slots(e->handle);
    return n < 0 ? 0 : n > SLOTS_MAX ? SLOTS_MAX : n;
}

int64_t pingo__manager_executor_granted(const struct pingo__manager_executor *e, int64_t slots)
{
    int64_t most =
        pingo__executor_is_default(e->type.name) ? pingo__manager_executor_slots(e) : slots;
    return slots < most ? slots : most;
}

int64_t pingo__manager_executor_memory_mb(const struct pingo__manager_executor *e,
                                          const char *executor_options)
{
    int64_t n = e->type.memory_most ? e->type.memory_most(e->handle, executor_options) : 0;
    return n < 0 ? INT64_MAX / 1048576 : n / 1048576;
}

int64_t pingo__manager_executor_counted(const struct pingo__manager_executor *e, const char *licence)
{
    return e->type.counted ? e->type.counted(e->handle, licence) : -1;
}

/* ---- ends ---------------------------------------------------------------------------------------------- */

bool pingo__manager_end_is_valid(const struct pingo_job_end *e, char *wrong, size_t size)
{
    if (e->size <= offsetof(struct pingo_job_end, reason))
        snprintf(wrong, size, "its size is not set");
    else if (e->reason < PINGO_END_EXITED || e->reason > PINGO_END_BAD_OUTPUT)
        snprintf(wrong, size, "reason %d is none of PINGO_END_*", (int)e->reason);
    else if (e->reason == PINGO_END_EXITED && e->exit_code < 0)
        snprintf(wrong, size, "exit_code is %d", e->exit_code);
    else if (e->reason == PINGO_END_SIGNALED && (e->signal < 1 || e->signal > 64))
        snprintf(wrong, size, "signal is %d", e->signal);
    else if (e->output_kind < PINGO_OUTPUT_NONE || e->output_kind > PINGO_OUTPUT_DIRECTORY)
        snprintf(wrong, size, "output_kind %d is none of PINGO_OUTPUT_*", (int)e->output_kind);
    else if (e->started_ms < 0 || e->ended_ms < 0)
        snprintf(wrong, size, "it started at %" PRId64 " and ended at %" PRId64 " ms",
                 e->started_ms, e->ended_ms);
    else if (e->wall_ms < -1 || e->user_ms < -1 || e->system_ms < -1 || e->max_rss_bytes < -1)
        snprintf(wrong, size, "a time or a size is negative");
    else if (e->started_ms > LATEST_MS || e->ended_ms > LATEST_MS || e->wall_ms > LONGEST_MS ||
             e->user_ms > LATEST_MS || e->system_ms > LATEST_MS)
        snprintf(wrong, size, "a time is longer than any can be");
    else
        return true;
    return false;
}
