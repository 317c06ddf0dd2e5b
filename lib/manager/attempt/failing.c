/* failing.c - see callback.h: what the end of an attempt does that is no success.
 *
 * What always holds: what is nobody's fault counts no retry of the action; what is tried again waits longer each
 * time, and what was lost is not tried for ever. */
#include "manager/attempt/callback.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/units.h"
#include "manager/decision/disk.h"
#include "manager/submission/workflow_manager.h"
#include "store/action/full.h"
#include "store/submission/workflows.h"

/* How often what an attempt read may change while it is read, and back, before the action fails. */
#define UNSTABLE_TRIES 3
#define DELAY_FIRST_MS INT64_C(100)
#define DELAY_DOUBLINGS 10 /* to 102.4 s */
#define TOLD_REFUSALS 4    /* after 0.7 s */

int pingo__manager_callback_again(struct pingo__manager_settling *s,
                                  const struct pingo__manager_again *again, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    int64_t now = pingo__manager_now_ms(s->c);
    struct pingo__store_action_again row = {.retries = a->retries + again->retries,
                                            .tries = a->tries + again->tries,
                                            .refusals = a->refusals + again->refusals,
                                            .not_before_ms =
                                                again->delay_ms ? now + again->delay_ms : 0,
                                            .message = again->message};
    int rc = pingo__store_action_set_again(s->c->db, a->id, &row, err);
    if (!rc)
        rc = pingo__store_action_move(s->c->db, a, PINGO_ACTION_READY, now, err);
    s->outcome = PINGO__SETTLED_AGAIN;
    return rc;
}

/* message NULL: there was no memory for it. */
static int fail(struct pingo__manager_settling *s, const char *message, struct pingo_error *err)
{
    s->outcome = PINGO__SETTLED_FAILED;
    return message ? pingo__manager_action_end(s->c, &s->p.action, PINGO_ACTION_FAILED, message, err)
                   : pingo__fail_memory(err);
}

static const char closed_pipe[] =
    "exit status 141: a reader such as head closed the pipe before all was written, and pipefail "
    "makes that a failure; write instead what reads to the end (sed -n 1,10p for head), or "
    "\"shell\": \"sh\"";

/* Did a shell with pipefail report that a program of a pipe was ended by SIGPIPE? */
static bool is_closed_pipe(const struct pingo__manager_settling *s)
{
    struct pingo_description *description = NULL;
    size_t n = 0;
    bool found = false;
    if (s->end.reason != PINGO_END_EXITED || s->end.exit_code != 128 + SIGPIPE ||
        pingo__store_definition_decoded(s->c->db, &s->p.action.hash, &description, NULL) ||
        !description)
        return false; /* only words are lost */
    const struct pingo_field *fields = pingo_description_fields(description, &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; strcmp(fields[i].key, "shell") == 0 && k < fields[i].nvalues; k++)
            found = found || strcmp(fields[i].values[k], "bash") == 0 ||
                    strstr(fields[i].values[k], "pipefail");
    pingo_description_free(description);
    return found;
}

/* 0.1 s, 0.2 s, ... up to 102.4 s. */
static int64_t delay_after(int64_t times)
{
    return DELAY_FIRST_MS << (times < DELAY_DOUBLINGS ? times : DELAY_DOUBLINGS);
}

static bool is_lost(const struct pingo__manager_settling *s)
{
    return s->end.reason == PINGO_END_LOST ||
           (s->end.reason == PINGO_END_KILLED && !s->was_asked); /* as if the node had gone */
}

void pingo__manager_tell_waiting(struct pingo__manager_context *c, const char *name,
                                 const char *reason)
{
    if (pingo__manager_trouble_is_new(c, reason))
        pingo__manager_log(c, PINGO_LOG_WARNING, "action %s waits: could not be started: %s", name,
                           reason);
}

/* Is it nobody's fault?  Then the action is READY again; else it is over. */
static int try_again(struct pingo__manager_settling *s, bool *is_again, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    struct pingo__manager_again again = {.tries = 0};
    const char *sep = *s->end.message ? ": " : "";
    char message[320];
    *is_again = true;
    if (s->end.reason == PINGO_END_NOT_STARTED) { /* a state of the world: it waits */
        again.refusals = 1;
        again.delay_ms = delay_after(a->refusals);
        again.message = message;
        snprintf(message, sizeof message, "could not be started%s%s", sep, s->end.message);
        if (a->refusals + 1 >= TOLD_REFUSALS) /* what passes soon is not worth a word */
            pingo__manager_tell_waiting(s->c, a->name, s->end.message);
    } else if (is_lost(s) && a->tries + 1 < s->c->max_starts) {
        again.tries = 1;
        again.delay_ms = a->tries ? delay_after(a->tries - 1) : 0;
        again.message = message;
        snprintf(message, sizeof message, "its attempt was lost (%" PRId64 " of them so far)%s%s",
                 a->tries + 1, sep, s->end.message);
    } else if (is_lost(s) || s->end.reason != PINGO_END_KILLED) {
        *is_again = false; /* else it was interrupted: killed would be another epoch */
        return 0;
    }
    return pingo__manager_callback_again(s, &again, err);
}

/* What the sandbox denied can be listed, where there is a command that does. */
static void add_audit(const struct pingo__manager_settling *s, char *text, size_t size)
{
    size_t n = strlen(text);
    if (s->end.denied && n < size)
        snprintf(text + n, size - n, "; what it touches tells: pingo audit %" PRId64 " %" PRId64,
                 s->p.action.workflow, s->p.action.user_id);
}

/* r: what this try was given. */
static void describe_failure(const struct pingo__manager_settling *s,
                             const struct pingo__workflow_resources *r, char *text, size_t size)
{
    const struct pingo_job_end *e = &s->end;
    const char *sep = *e->message ? ": " : "";
    bool is_unknown = e->reason == PINGO_END_EXITED && e->exit_code == 127 && !*e->message;
    switch (e->reason) {
    case PINGO_END_EXITED:
        snprintf(text, size, "exit status %d%s%s%s", e->exit_code,
                 is_unknown ? ": a command was not found; PATH is " PINGO__PATH_OF_COMMANDS
                              ", or what \"env\" says"
                 : e->exit_code ? ""
                                : ", but its executor tells of no output",
                 sep, e->message);
        break;
    case PINGO_END_SIGNALED:
        snprintf(text, size, "ended by signal %d (%s)%s%s", e->signal,
                 sigdescr_np(e->signal) ? sigdescr_np(e->signal) : "?", sep, e->message);
        break;
    case PINGO_END_TIME_LIMIT:
        if (r->time_limit_s) /* a message would say it in other words */
            snprintf(text, size, "took longer than its time limit of %" PRId64 " s",
                     r->time_limit_s);
        else /* an engine's own */
            snprintf(text, size, "%s", *e->message ? e->message : "took longer than its time limit");
        break;
    case PINGO_END_MEMORY_LIMIT:
        if (*e->message)
            snprintf(text, size, "%s", e->message);
        else if (r->memory_mb)
            snprintf(text, size, "used more than its memory limit of %" PRId64 " MB", r->memory_mb);
        else
            snprintf(text, size, "used more than its memory limit");
        break;
    case PINGO_END_BAD_OUTPUT:
        snprintf(text, size, "exit status 0, but its output cannot be kept%s%s", sep, e->message);
        break;
    case PINGO_END_NO_OUTPUT:
        snprintf(text, size, "exit status 0, but %s",
                 *e->message ? e->message : "its output is missing");
        break;
    case PINGO_END_LOST:
    case PINGO_END_KILLED:
        snprintf(text, size, "%s %" PRId64 " time%s, setting executor.maxStarts%s%s",
                 e->reason == PINGO_END_LOST ? "its attempt was lost"
                                             : "it was killed, and not by Pingo,",
                 s->p.action.tries + 1, s->p.action.tries ? "s" : "", sep, e->message);
        break;
    default:
        snprintf(text, size, "could not be run%s%s", sep, e->message);
        break;
    }
}

/* Why an action whose input was not the same at its end as at its start fails. */
static const char *describe_lost(const struct pingo__manager_settling *s)
{
    const struct pingo__store_action_row *a = &s->p.action;
    struct pingo__store_action_row maker;
    const char *input = "an input";
    if (!s->changed)
        return "an input vanished from the pool for the second time";
    if (!pingo__store_action_get(s->c->db, s->lost->action, s->arena, &maker, NULL) && maker.id)
        input = pingo__arena_format(s->arena, "the output of action %" PRId64 " (%s)",
                                    maker.user_id, maker.name);
    if (!input)
        return NULL;
    return s->before
               ? pingo__arena_format(s->arena,
                                     "%s was changed by others, %" PRId64
                                     " times, before action %" PRId64 " (%s) began",
                                     input, a->tries + 1, a->user_id, a->name)
               : pingo__arena_format(s->arena, "%s changed while action %" PRId64 " (%s) ran: %s",
                                     input, a->user_id, a->name,
                                     s->what ? s->what : "it writes into its inputs");
}

/* Does another action than this one read a dataset just now? */
static int is_read_by_others(struct pingo__manager_context *c, int64_t action, int64_t dataset,
                             bool *others, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_action_list readers = {.arena = &arena};
    int rc = pingo__store_action_list(c->db, PINGO__ACTIONS_CLAIMANTS, dataset, &readers, err);
    for (size_t i = 0; !rc && i < readers.n; i++)
        *others = *others || (readers.rows[i].id != action &&
                              pingo__rules_action_is_handed(readers.rows[i].state));
    pingo__arena_clear(&arena);
    return rc;
}

/* Did nobody else read it, or what shares its bytes, while it was changed?  What was given up since we looked, was so
 * for another reader. */
static int is_only_reader(const struct pingo__manager_settling *s, bool *alone,
                          struct pingo_error *err)
{
    struct pingo__store_dataset_list sharers = {.arena = s->arena};
    struct pingo__store_dataset_row row;
    bool others = s->before;
    int rc = pingo__store_dataset_get(s->c->db, s->lost->id, s->arena, &row, err);
    others = others || (!rc && !pingo_dataset_state_is_there(row.state));
    if (!rc)
        rc = is_read_by_others(s->c, s->p.action.id, s->lost->id, &others, err);
    if (!rc)
        rc = pingo__store_dataset_list_sharers(s->c->db, s->lost, &sharers, err);
    for (size_t i = 0; !rc && i < sharers.n; i++)
        rc = is_read_by_others(s->c, s->p.action.id, sharers.rows[i].id, &others, err);
    *alone = !others;
    return rc;
}

/* What was written into is nobody's second loss. */
int pingo__manager_callback_give_up(const struct pingo__manager_settling *s, struct pingo_error *err)
{
    struct pingo__store_dataset_row row;
    int rc = s->changed ? pingo__store_action_forgive_lost(s->c->db, s->lost->id, err) : 0;
    if (!rc)
        rc = pingo__store_dataset_get(s->c->db, s->lost->id, s->arena, &row, err);
    if (!rc && pingo_dataset_state_is_there(row.state))
        rc = pingo__manager_dataset_lost(s->c, &row, err);
    return rc;
}

/* Planned again, or failed. */
static int judge_reader(struct pingo__manager_settling *s, bool fails, struct pingo_error *err)
{
    if (fails)
        return fail(s, describe_lost(s), err);
    s->outcome = PINGO__SETTLED_AGAIN;
    return pingo__manager_workflow_replan(s->c, &s->p.action, 1, err);
}

/* An input vanished under it: it is tried again, and a second loss of the same input fails it. */
static int input_is_lost(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    bool second = a->has_lost && memcmp(&a->lost, &s->lost->hash, sizeof a->lost) == 0;
    int rc = pingo__manager_callback_give_up(s, err);
    if (!rc && !second)
        rc = pingo__store_action_set_lost(s->c->db, a->id, &s->lost->hash, err);
    return rc ? rc : judge_reader(s, second, err);
}

/* An input was written into.  Whoever did it would do so again: it fails where nobody else read that input
 * meanwhile.  Else all its readers try again, each after another while, until one is found alone. */
static int input_was_changed(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    int64_t delay_ms = ((int64_t)200 << (a->tries < 6 ? a->tries : 6)) + a->id % 16 * 50;
    bool alone = false;
    int rc = is_only_reader(s, &alone, err);
    if (!rc)
        rc = pingo__manager_callback_give_up(s, err);
    if (!rc && !alone)
        rc = pingo__store_action_set_again(
            s->c->db, a->id,
            &(struct pingo__store_action_again){a->retries, a->tries + 1, a->refusals,
                                                pingo__manager_now_ms(s->c) + delay_ms, NULL},
            err);
    return rc ? rc : judge_reader(s, alone || a->tries + 1 >= s->c->max_starts, err);
}

static int wait_for_space(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    struct pingo__manager_again again = {.delay_ms = 1000, .message = s->elsewhere};
    int rc;
    if (s->elsewhere) {
        rc = pingo__store_full_clear(s->c->db, a->id, err);
    } else {
        char held[PINGO__UNITS_SIZE];
        pingo__manager_log(
            s->c, PINGO_LOG_WARNING,
            "action %s: the disk of the pool was full when it had written %s; it is tried"
            " again when there is more room",
            a->name, pingo__units_print_size(held, s->end.size_bytes));
        rc = pingo__store_full_note(s->c->db, a->id, s->end.size_bytes, err);
    }
    return rc ? rc : pingo__manager_callback_again(s, &again, err);
}

/* Nobody's failure, and it is tried again when something has gone; but a command may want whatever there is. */
static int disk_was_full(struct pingo__manager_settling *s, struct pingo_error *err)
{
    char message[PINGO__RUNAWAY_SIZE] = "";
    int rc = s->elsewhere ? 0 : pingo__manager_disk_is_runaway(s->c, &s->end, message, err);
    if (rc)
        return rc;
    return *message ? fail(s, message, err) : wait_for_space(s, err);
}

/* What it read may be neither what was hashed nor what is there now. */
static int read_again(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    if (a->tries + 1 >= UNSTABLE_TRIES)
        return fail(
            s,
            pingo__arena_format(s->arena,
                                "%s changed while it was read, and back, %d times (its mode and "
                                "times count): leave it alone while this runs; if the command does "
                                "it, let it work on a copy",
                                s->unstable, UNSTABLE_TRIES),
            err);
    pingo__manager_log(
        s->c, PINGO_LOG_WARNING,
        "action %s: %s was written while it was read, though it is the same again: it is run "
        "once more",
        a->name, s->unstable);
    return pingo__manager_callback_again(s, &(struct pingo__manager_again){.tries = 1}, err);
}

int pingo__manager_callback_fail(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    bool is_again = false;
    if (s->end.reason == PINGO_END_NO_SPACE)
        return disk_was_full(s, err);
    int rc = pingo__store_full_clear(s->c->db, a->id, err);
    if (!rc)
        rc = try_again(s, &is_again, err);
    if (rc || is_again)
        return rc;
    if (s->refused)
        return fail(s, s->refused, err);
    if (s->lost)
        return s->changed ? input_was_changed(s, err) : input_is_lost(s, err);
    if (s->unstable)
        return read_again(s, err);
    struct pingo__manager_growth growth = {.again = false};
    if (s->end.reason == PINGO_END_MEMORY_LIMIT)
        rc = pingo__manager_memory_grow(s, &growth, err);
    if (!rc && growth.again)
        rc = pingo__manager_callback_again(
            s, &(struct pingo__manager_again){.message = growth.message}, err);
    if (rc || growth.again)
        return rc;
    if (a->retries > 0 && s->end.reason != PINGO_END_BAD_OUTPUT)
        return pingo__manager_callback_again(s, &(struct pingo__manager_again){.retries = -1}, err);
    struct pingo__workflow_resources r = {.memory_mb = a->memory_mb,
                                          .time_limit_s = a->time_limit_s};
    rc = pingo__workflow_resources_take(&r, a->resources, 1 + a->nfailed, s->arena, err);
    if (rc)
        return rc;
    if (a->given_mb)
        r.memory_mb = a->given_mb;
    char message[512];
    if (is_closed_pipe(s))
        snprintf(message, sizeof message, "%s", closed_pipe);
    else
        describe_failure(s, &r, message, sizeof message);
    strncat(message, growth.message, sizeof message - strlen(message) - 1);
    add_audit(s, message, sizeof message);
    return fail(s, message, err);
}
