/* callback.c - see callback.h: what happens in the transaction.  What is found out before it, and what is
 * cleaned up after it, is in settling.c; how an action ends otherwise than well in ending.c. */
#include "manager/callback.h"

#include <inttypes.h>
#include <stdio.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "manager/runaway.h"
#include "manager/workflow_manager.h"
#include "store/evictions.h"
#include "store/transition.h"
#include "store/workflows.h"
#include "store/wishes.h"

/* How often an attempt may be lost or not be started before the action fails. */
#define MAX_TRIES 10

/* ---- success ------------------------------------------------------------------------------- */

/* Children have what they waited for: a claim on it (data), and one action less to wait for. */
static int wake_children(struct pingo__context *c, int64_t parent, int64_t dataset,
                         struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__action_list data, all;
    int rc = pingo__action_list_children(c->db, parent, true, arena, &data, err);

    for (size_t i = 0; !rc && i < data.n; i++)
        rc = pingo__claim_insert(c->db, dataset, data.rows[i].id, err);
    if (!rc)
        rc = pingo__action_list_children(c->db, parent, false, arena, &all, err);
    for (size_t i = 0; !rc && i < all.n; i++)
        rc = pingo__action_wait_is_over(c, &all.rows[i], err);
    return rc;
}

int pingo__action_wait_is_over(struct pingo__context *c, const struct pingo__action_row *a,
                               struct pingo_error *err)
{
    int64_t waits = 0;
    int rc = pingo__action_wait_done(c->db, a->id, &waits, err);

    if (rc || waits > 0 || a->state != PINGO_ACTION_WAITING)
        return rc;
    rc = pingo__action_move(c->db, a, PINGO_ACTION_READY, pingo__now_ms(c), err);
    return rc < 0 ? rc : 0;
}

static int change_dataset(struct pingo__context *c, const struct pingo__dataset_row *d, int to,
                          struct pingo_error *err)
{
    int rc = pingo__dataset_move(c->db, d, to, err);

    return rc < 0 ? rc : 0;
}

/* What the new generation replaces: it goes as soon as nobody claims it; of an unmanaged output nothing is
 * left to go. */
static int retire(struct pingo__context *c, const struct pingo__dataset_row *d, int64_t former,
                  struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__dataset_row old;
    struct pingo__dataset_list there;
    int rc = 0;

    if (former && d->managed) {
        rc = pingo__dataset_get(c->db, former, arena, &old, err);
        if (rc == 1 && (old.state == PINGO_DATASET_STORED || old.state == PINGO_DATASET_LEAF))
            rc = change_dataset(c, &old, PINGO_DATASET_STORED_TO_DELETE, err);
        return rc < 0 ? rc : 0;
    }
    if (d->managed)
        return 0;
    rc = pingo__dataset_list_at(c->db, d->path, arena, &there, err);
    for (size_t i = 0; !rc && i < there.n; i++) {
        if (there.rows[i].id == d->id || there.rows[i].state != PINGO_DATASET_LEAF)
            continue;
        rc = change_dataset(c, &there.rows[i], PINGO_DATASET_DELETED, err);
        if (!rc)
            rc = pingo__dataset_clear_path(c->db, there.rows[i].id, err);
    }
    return rc;
}

static int settled_state(const struct pingo__dataset_row *made,
                         const struct pingo__dataset_row *former)
{
    int to = made->state == PINGO_DATASET_TO_LEAF    ? PINGO_DATASET_LEAF
             : made->state == PINGO_DATASET_TO_STORE ? PINGO_DATASET_STORED
                                                     : PINGO_DATASET_STORED_TO_DELETE;

    if (former->state == PINGO_DATASET_LEAF)
        return PINGO_DATASET_LEAF; /* retention is never lowered */
    if (former->state == PINGO_DATASET_STORED && to == PINGO_DATASET_STORED_TO_DELETE)
        return PINGO_DATASET_STORED;
    return to;
}

/* Who wanted it may have released it while it was made. */
static int still_wanted(struct pingo__context *c, const struct pingo_hash *hash, int *to,
                        struct pingo_error *err)
{
    int64_t workflow = 0;
    int rc = pingo__wish_find(c->db, hash, 0, &workflow, err);

    if (rc == 0)
        *to = PINGO_DATASET_STORED;
    return rc < 0 ? rc : 0;
}

static int publish_dataset(struct pingo__context *c, struct pingo__settling *s,
                           struct pingo__arena *arena, struct pingo_error *err)
{
    const struct pingo_job_end *e = &s->end;
    struct pingo__dataset_row d, former;
    int64_t former_id = 0;
    int to, rc = pingo__dataset_get(c->db, s->p.action.dataset, arena, &d, err);

    memset(&former, 0, sizeof former);
    if (rc == 1)
        rc = pingo__dataset_current(c->db, &d.hash, arena, &former, err);
    if (rc < 0)
        return rc;
    to = settled_state(&d, &former);
    rc = to == PINGO_DATASET_LEAF && d.managed ? still_wanted(c, &d.hash, &to, err) : 0;
    if (rc)
        return rc;
    d.pinned = d.pinned || former.pinned;
    d.epoch = e->key.epoch;
    d.action = e->key.action;
    d.path = s->object;
    d.directory = s->root.directory;
    d.inode = s->root.inode;
    d.mtime_ns = s->root.mtime_ns;
    d.size_bytes = e->size_bytes;
    d.content = e->content;
    d.compute_ms = e->wall_ms;
    d.made_ms = e->ended_ms;
    rc = pingo__dataset_publish(c->db, &d, &former_id, err);
    if (!rc)
        rc = change_dataset(c, &d, to, err);
    if (!rc)
        rc = retire(c, &d, former_id, arena, err);
    if (!rc) /* what it would have cost anyway is no regret */
        rc = pingo__eviction_regret(c->db, &d.hash, s->p.action.forced ? 0 : d.compute_ms,
                                    pingo__now_ms(c), err);
    if (!rc && former_id && memcmp(&former.content, &d.content, sizeof d.content) != 0)
        pingo__log(c, PINGO_LOG_WARNING,
                   "action %s: made again with other content than before: it, or what it descends "
                   "from, is not deterministic",
                   s->p.action.name);
    return rc;
}

static int finish_action(struct pingo__context *c, const struct pingo__action_row *a,
                         int64_t dataset, struct pingo__arena *arena, struct pingo_error *err)
{
    int rc = pingo__action_move(c->db, a, PINGO_ACTION_FINISHED, pingo__now_ms(c), err);

    if (rc >= 0)
        rc = pingo__claim_drop(c->db, a->id, err);
    if (rc >= 0)
        rc = wake_children(c, a->id, dataset, arena, err);
    return rc < 0 ? rc : 0;
}

static int apply_success(struct pingo__context *c, struct pingo__settling *s,
                         struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__action_list joiners;
    int rc = publish_dataset(c, s, arena, err);

    if (!rc) /* own state first: whoever looks at the children sees a finished parent */
        rc = finish_action(c, &s->p.action, s->p.action.dataset, arena, err);
    if (!rc)
        rc = pingo__action_list_joiners(c->db, s->p.action.id, arena, &joiners, err);
    for (size_t i = 0; !rc && i < joiners.n; i++)
        rc = finish_action(c, &joiners.rows[i], s->p.action.dataset, arena, err);
    s->outcome = PINGO__SETTLED_PUBLISHED;
    return rc;
}

/* ---- failure ------------------------------------------------------------------------------------- */

static int ready_again(struct pingo__context *c, struct pingo__settling *s, int64_t retries,
                       int64_t tries, int64_t delay_ms, struct pingo_error *err)
{
    const struct pingo__action_row *a = &s->p.action;
    int64_t now = pingo__now_ms(c);
    int rc =
        pingo__action_set_retry(c->db, a->id, retries, tries, delay_ms ? now + delay_ms : 0, err);

    if (!rc)
        rc = pingo__action_move(c->db, a, PINGO_ACTION_READY, now, err);
    s->outcome = PINGO__SETTLED_AGAIN;
    return rc < 0 ? rc : 0;
}

static const char closed_pipe[] =
    "exit status 141: a reader such as head closed the pipe before all was written, and pipefail "
    "makes that a failure; write instead what reads to the end (sed -n 1,10p for head), or "
    "\"shell\": \"sh\"";

/* Did a shell with pipefail report that a program of a pipe was ended by SIGPIPE? */
static bool is_closed_pipe(struct pingo__context *c, const struct pingo__settling *s,
                           struct pingo__arena *arena)
{
    struct pingo_description *description = NULL;
    const struct pingo_field *fields;
    const void *bytes = NULL;
    size_t length = 0, n = 0;
    bool found = false;

    if (s->end.reason != PINGO_END_EXITED || s->end.exit_code != 128 + SIGPIPE ||
        pingo__definition_get(c->db, &s->p.action.hash, arena, &bytes, &length, NULL) != 1 ||
        pingo_description_decode(bytes, length, &description, NULL))
        return false; /* only words are lost */
    fields = pingo_description_fields(description, &n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; strcmp(fields[i].key, "shell") == 0 && k < fields[i].nvalues; k++)
            found = found || strcmp(fields[i].values[k], "bash") == 0 ||
                    strstr(fields[i].values[k], "pipefail");
    pingo_description_free(description);
    return found;
}

/* What the sandbox denied can be listed, where there is a command that does. */
static void add_audit(const struct pingo__settling *s, char *text, size_t size)
{
    size_t n = strlen(text);

    if (s->end.denied && n < size)
        snprintf(text + n, size - n, "; what it touches tells: pingo audit %" PRId64 " %" PRId64,
                 s->p.action.workflow, s->p.action.user_id);
}

static void describe_failure(const struct pingo__settling *s, char *text, size_t size)
{
    const struct pingo_job_end *e = &s->end;
    const char *sep = *e->message ? ": " : "";

    switch (e->reason) {
    case PINGO_END_EXITED:
        snprintf(text, size, "exit status %d%s%s", e->exit_code, sep, e->message);
        break;
    case PINGO_END_SIGNALED:
        snprintf(text, size, "ended by signal %d (%s)%s%s", e->signal,
                 sigdescr_np(e->signal) ? sigdescr_np(e->signal) : "?", sep, e->message);
        break;
    case PINGO_END_TIME_LIMIT:
        snprintf(text, size, "took longer than its time limit of %" PRId64 " s",
                 s->p.action.time_limit_s);
        break;
    case PINGO_END_MEMORY_LIMIT:
        if (*e->message)
            snprintf(text, size, "%s", e->message);
        else
            snprintf(text, size, "used more than its memory limit of %" PRId64 " MB",
                     s->p.action.memory_mb);
        break;
    case PINGO_END_BAD_OUTPUT:
        snprintf(text, size, "exit status 0, but its output cannot be kept%s%s", sep, e->message);
        break;
    case PINGO_END_NO_OUTPUT:
        snprintf(text, size, "exit status 0, but %s",
                 *e->message ? e->message : "its output is missing");
        break;
    default:
        snprintf(text, size, "could not be run%s%s", sep, e->message);
        break;
    }
}

/* Why an action whose input was not the same at its end as at its start fails. */
static const char *describe_lost(struct pingo__context *c, const struct pingo__settling *s,
                                 struct pingo__arena *arena)
{
    const struct pingo__action_row *a = &s->p.action;
    struct pingo__action_row maker;

    if (!s->changed)
        return "an input vanished from the pool for the second time";
    if (pingo__action_get(c->db, s->lost->action, arena, &maker, NULL) != 1)
        return pingo__text(
            arena, "an input changed while action %" PRId64 " (%s) ran: it writes into its inputs",
            a->user_id, a->name);
    return pingo__text(arena,
                       "the output of action %" PRId64 " (%s) changed while action %" PRId64
                       " (%s) ran: it writes into its inputs",
                       maker.user_id, maker.name, a->user_id, a->name);
}

/* Did nobody else read it while it was changed?  1 or 0. */
static int is_only_reader(struct pingo__context *c, const struct pingo__settling *s,
                          struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__action_list readers;
    int rc = pingo__action_list_claimants(c->db, s->lost->id, arena, &readers, err);

    for (size_t i = 0; !rc && i < readers.n; i++)
        if (readers.rows[i].id != s->p.action.id && (readers.rows[i].state == PINGO_ACTION_SUBMITTED ||
                                                     readers.rows[i].state == PINGO_ACTION_RUNNING))
            return 0;
    return rc < 0 ? rc : 1;
}

/* A dataset that is not what it was is made again, and who waits for it is planned again. */
static int give_up_input(struct pingo__context *c, const struct pingo__settling *s,
                         struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__dataset_row row;
    int rc = pingo__dataset_get(c->db, s->lost->id, arena, &row, err);

    if (rc == 1 && row.state >= PINGO_DATASET_STORED && row.state <= PINGO_DATASET_STORED_TO_DELETE)
        rc = pingo__dataset_lost(c, &row, err);
    return rc < 0 ? rc : 0;
}

/* Planned again, or failed. */
static int judge_reader(struct pingo__context *c, struct pingo__settling *s, bool fails,
                        struct pingo__arena *arena, struct pingo_error *err)
{
    const struct pingo__action_row *a = &s->p.action;
    const char *message;
    int rc;

    if (fails) {
        s->outcome = PINGO__SETTLED_FAILED;
        message = describe_lost(c, s, arena);
        return message ? pingo__action_fail(c, a, message, err) : pingo__fail_memory(err);
    }
    s->outcome = PINGO__SETTLED_AGAIN;
    rc = pingo__action_set_lost(c->db, a->id, &s->lost->hash, err);
    return rc ? rc : pingo__workflow_replan(c, a, err);
}

/* An input vanished under it: it is tried again, and a second loss of the same input fails it. */
static int input_is_lost(struct pingo__context *c, struct pingo__settling *s,
                         struct pingo__arena *arena, struct pingo_error *err)
{
    const struct pingo__action_row *a = &s->p.action;
    bool second = a->has_lost && memcmp(&a->lost, &s->lost->hash, sizeof a->lost) == 0;
    int rc = give_up_input(c, s, arena, err);

    return rc ? rc : judge_reader(c, s, second, arena, err);
}

/* An input was written into.  Whoever did it would do so again: it fails where nobody else read that input
 * meanwhile.  Else all its readers try again, each after another while, until one is found alone. */
static int input_was_changed(struct pingo__context *c, struct pingo__settling *s,
                             struct pingo__arena *arena, struct pingo_error *err)
{
    const struct pingo__action_row *a = &s->p.action;
    int64_t delay_ms = ((int64_t)200 << (a->tries < 6 ? a->tries : 6)) + a->id % 16 * 50;
    int alone = is_only_reader(c, s, arena, err);
    int rc = alone < 0 ? alone : pingo__action_forgive_lost(c->db, s->lost->id, a->id, err);

    if (!rc)
        rc = give_up_input(c, s, arena, err);
    if (!rc && !alone)
        rc = pingo__action_set_retry(c->db, a->id, a->retries, a->tries + 1,
                                     pingo__now_ms(c) + delay_ms, err);
    return rc ? rc : judge_reader(c, s, alone || a->tries + 1 >= MAX_TRIES, arena, err);
}

/* Nobody's failure, and it is tried again when something has gone; but one command shall not empty the pool. */
static int disk_was_full(struct pingo__context *c, struct pingo__settling *s,
                         struct pingo_error *err)
{
    const struct pingo__action_row *a = &s->p.action;
    char message[256];
    int rc = pingo__is_runaway(c, &s->end, message, sizeof message, err);

    if (rc == 0)
        return ready_again(c, s, a->retries, a->tries, 1000, err);
    s->outcome = PINGO__SETTLED_FAILED;
    return rc < 0 ? rc : pingo__action_fail(c, a, message, err);
}

static int apply_failure(struct pingo__context *c, struct pingo__settling *s,
                         struct pingo__arena *arena, struct pingo_error *err)
{
    const struct pingo__action_row *a = &s->p.action;
    char message[512];
    int64_t delay_ms;

    if (s->refused) {
        s->outcome = PINGO__SETTLED_FAILED;
        return pingo__action_fail(c, a, s->refused, err);
    }
    if (s->end.reason ==
        PINGO_END_KILLED) /* interrupted, not killed: the action's epoch would be old */
        return ready_again(c, s, a->retries, a->tries, 0, err);
    if (s->end.reason == PINGO_END_NO_SPACE)
        return disk_was_full(c, s, err);
    if (s->end.reason == PINGO_END_LOST || s->end.reason == PINGO_END_NOT_STARTED) {
        delay_ms =
            s->end.reason == PINGO_END_LOST ? 0 : (int64_t)100 << (a->tries < 9 ? a->tries : 9);
        if (a->tries + 1 < MAX_TRIES)
            return ready_again(c, s, a->retries, a->tries + 1, delay_ms, err);
    }
    if (s->lost)
        return s->changed ? input_was_changed(c, s, arena, err) : input_is_lost(c, s, arena, err);
    if (a->retries > 0 && s->end.reason != PINGO_END_BAD_OUTPUT)
        return ready_again(c, s, a->retries - 1, a->tries, 0, err);
    if (is_closed_pipe(c, s, arena))
        snprintf(message, sizeof message, "%s", closed_pipe);
    else
        describe_failure(s, message, sizeof message);
    add_audit(s, message, sizeof message);
    s->outcome = PINGO__SETTLED_FAILED;
    return pingo__action_fail(c, a, message, err);
}

/* ---- both ---------------------------------------------------------------------------------------- */

static int apply_to_action(struct pingo__context *c, struct pingo__settling *s,
                           struct pingo__arena *arena, struct pingo_error *err)
{
    struct pingo__action_row now;
    int rc = s->p.action.id ? pingo__action_get(c->db, s->p.action.id, arena, &now, err) : 0;

    if (rc != 1 || !pingo__is_in_epoch(&now, s->end.key.epoch))
        return rc < 0 ? rc : 0;
    s->p.action.state = now.state;
    s->p.action.retries = now.retries;
    s->p.action.tries = now.tries;
    if (!s->current) /* it was not when we looked at its output */
        return ready_again(c, s, now.retries, now.tries, 0, err);
    if (s->object && !s->refused && pingo_job_end_is_success(&s->end))
        return apply_success(c, s, arena, err);
    return apply_failure(c, s, arena, err);
}

int pingo__callback_apply(struct pingo__context *c, struct pingo__settling *s,
                          struct pingo_error *err)
{
    struct pingo__arena arena;
    struct pingo__attempt_row attempt;
    int rc;

    pingo__arena_init(&arena);
    s->outcome = PINGO__SETTLED_OLD;
    rc = pingo__attempt_get(c->db, s->end.key, &arena, &attempt, err);
    if (rc == 1 && attempt.state < 3) {
        s->outcome = s->p.action.id ? PINGO__SETTLED_DROPPED : PINGO__SETTLED_OLD;
        rc = apply_to_action(c, s, &arena, err);
        if (!rc) /* the action first: what is handed out has an open attempt */
            rc = pingo__attempt_end(c->db, &s->end, err);
    }
    if (rc == 1 && s->outcome == PINGO__SETTLED_FAILED) /* its scratch stays, and counts */
        rc = pingo__attempt_set_scratch(c->db, s->end.key, 0, err);
    pingo__arena_clear(&arena);
    return rc < 0 ? rc : 0;
}
