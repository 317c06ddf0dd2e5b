/* executors.c - see executors.h. */
#include "manager/executors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "executor/external/external.h"

#define SLOTS_MAX 65536

/* ---- the table --------------------------------------------------------------------------------- */

bool pingo__executor_is_name(const char *name)
{
    size_t n = name ? strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "_.-")
                    : 0;

    return n > 0 && n <= 64 && name[n] == '\0';
}

/* The name of a function that is missing; NULL: none is. */
static const char *missing(const struct pingo_executor_type *t)
{
    return !t->open         ? "open"
           : !t->close      ? "close"
           : !t->start      ? "start"
           : !t->revoke     ? "revoke"
           : !t->kill       ? "kill"
           : !t->adopt      ? "adopt"
           : !t->collect    ? "collect"
           : !t->forget     ? "forget"
           : !t->poll_fd    ? "poll_fd"
           : !t->timeout_ms ? "timeout_ms"
           : !t->slots      ? "slots"
                            : NULL;
}

static int check_table(const struct pingo_executor_type *t, struct pingo_error *err)
{
    if (!t)
        return pingo__fail(err, PINGO_EINVAL, "an executor is NULL");
    if (!pingo__executor_is_name(t->name))
        return pingo__fail(err, PINGO_EINVAL,
                           "executor \"%s\": a name is 1 to 64 letters, digits, '_', '.' or '-'",
                           t->name ? t->name : "(NULL)");
    if ((strcmp(t->name, "local") == 0 && t != pingo_executor_local()) ||
        (strcmp(t->name, "external") == 0 && t != pingo__executor_external()))
        return pingo__fail(err, PINGO_EINVAL,
                           "executor \"%s\": that name is the library's own; with another one no "
                           "other program takes its attempts over",
                           t->name);
    if (t->abi_version != PINGO_EXECUTOR_ABI)
        return pingo__fail(err, PINGO_EVERSION,
                           "executor \"%s\" is made for ABI %u, this library has %u", t->name,
                           t->abi_version, PINGO_EXECUTOR_ABI);
    if (!t->action_types || !t->action_types[0])
        return pingo__fail(err, PINGO_EINVAL, "executor \"%s\" runs no type of actions", t->name);
    if (missing(t))
        return pingo__fail(err, PINGO_EINVAL, "executor \"%s\" has no function %s", t->name,
                           missing(t));
    return 0;
}

/* ---- what its functions say ------------------------------------------------------------------------ */

static int checked(const struct pingo__executor *e, const char *function, int rc,
                   struct pingo_error *why, struct pingo_error *err)
{
    why->message[sizeof why->message - 1] = '\0';
    if (rc == 0)
        return 0;
    if (rc > 0 || strcmp(pingo_error_name(rc), "PINGO_E?") == 0)
        return pingo__fail(err, PINGO_EEXECUTOR,
                           "executor \"%s\": %s returned %d, which is neither 0 nor a PINGO_E*",
                           e->type->name, function, rc);
    return pingo__fail(err, rc, "executor \"%s\": %s", e->type->name,
                       *why->message ? why->message : pingo_error_text(rc));
}

int pingo__executor_open(struct pingo__executor *e, const struct pingo_executor_type *type,
                         const struct pingo_executor_context *context, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc = check_table(type, err);

    if (rc)
        return rc;
    *e = (struct pingo__executor){.type = type};
    return checked(e, "open", type->open(context, &e->handle, &why), &why, err);
}

void pingo__executor_close(struct pingo__executor *e)
{
    e->type->close(e->handle);
}

int pingo__executor_start(struct pingo__executor *e, const struct pingo_job *job,
                          struct pingo_error *err)
{
    struct pingo_error why = {0};

    return checked(e, "start", e->type->start(e->handle, job, &why), &why, err);
}

int pingo__executor_revoke(struct pingo__executor *e, struct pingo_job_key key,
                           const char *attempt_dir, bool *revoked, struct pingo_error *err)
{
    struct pingo_error why = {0};
    int rc = e->type->revoke(e->handle, key, attempt_dir, revoked, &why);

    *revoked = *revoked && rc == 0;
    return checked(e, "revoke", rc, &why, err);
}

int pingo__executor_kill(struct pingo__executor *e, struct pingo_job_key key,
                         struct pingo_error *err)
{
    struct pingo_error why = {0};

    return checked(e, "kill", e->type->kill(e->handle, key, &why), &why, err);
}

int pingo__executor_adopt(struct pingo__executor *e, const struct pingo_job_key *keys, size_t n,
                          bool *found, struct pingo_error *err)
{
    struct pingo_error why = {0};

    return checked(e, "adopt", e->type->adopt(e->handle, keys, n, found, &why), &why, err);
}

int pingo__executor_collect(struct pingo__executor *e, const struct pingo_executor_reports *reports,
                            struct pingo_error *err)
{
    struct pingo_error why = {0};

    return checked(e, "collect", e->type->collect(e->handle, reports, &why), &why, err);
}

int64_t pingo__executor_slots(const struct pingo__executor *e)
{
    int64_t n = e->type->slots(e->handle);

    return n < 0 ? 0 : n > SLOTS_MAX ? SLOTS_MAX : n;
}

bool pingo__executor_runs(const struct pingo__executor *e, const char *action_type)
{
    for (const char *const *t = e->type->action_types; *t; t++)
        if (strcmp(*t, action_type) == 0)
            return true;
    return false;
}

/* ---- ends ---------------------------------------------------------------------------------------------- */

bool pingo__end_is_valid(const struct pingo_job_end *e, char *wrong, size_t size)
{
    if (e->reason < PINGO_END_EXITED || e->reason > PINGO_END_BAD_OUTPUT)
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
    else
        return true;
    return false;
}
