/* settling.c - see callback.h: what an end does to files, before the transaction and after it. */
#include "manager/attempt/callback.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "digest/originals.h"
#include "manager/attempt/inputs.h"
#include "manager/attempt/job.h"
#include "manager/dataset/outside.h"
#include "manager/dataset/suspects.h"
#include "store/dataset/objects.h"
#include "store/submission/workflows.h"

/* ---- before the transaction ------------------------------------------------------------ */

/* LOST: somebody removed its output from the pool: as if it had never run. */
static int end_as(struct pingo__manager_settling *s, enum pingo_end_reason reason,
                  const char *message)
{
    s->end.reason = reason;
    snprintf(s->end.message, sizeof s->end.message, "%.190s", message);
    return 0;
}

/* To the outputPath.  *is_there: else it was given up, or is refused. */
static int publish_outside(struct pingo__manager_settling *s, bool *is_there,
                           struct pingo_error *err)
{
    char staged[PINGO__NAME_SIZE];
    struct pingo__manager_outside x = {.c = s->c,
                                       .path = s->p.action.output_path,
                                       .from = staged,
                                       .made = {.kind = s->end.output_kind == PINGO_OUTPUT_DIRECTORY
                                                            ? PINGO__WRITTEN_DIRECTORY
                                                            : PINGO__WRITTEN_FILE,
                                                .content = s->end.content,
                                                .size_bytes = s->end.size_bytes}};
    pingo__name_staged(staged, s->end.key.action, s->end.key.epoch);
    int rc = pingo__pool_fetch(s->c->pool, staged, err); /* from where it is copied */
    if (rc == PINGO_ENOTFOUND)                           /* told by who publishes it */
        rc = 0;
    if (!rc)
        rc = pingo__manager_outside_publish(&x, s->end.key, is_there, err);
    s->end.content = x.made.content; /* as it is there, whatever the pool says */
    s->current = rc || *is_there;
    if (rc == PINGO_EEXISTS) {
        s->refused = pingo__arena_format(s->arena, "%s", err->message);
        return s->refused ? 0 : pingo__fail_memory(err);
    }
    return rc;
}

/* A pool that lies elsewhere may have no place for what every directory of this machine has: it never will. */
static bool is_refused(int rc)
{
    return rc == PINGO_EINPUT || rc == PINGO_EINVAL || rc == PINGO_ELIMIT;
}

/* Where it will lie: of all that lead to it one path, for what comes there later takes its place. */
static const char *object_of(const struct pingo__manager_settling *s)
{
    const struct pingo__store_action_row *a = &s->p.action;
    if (!a->output_path)
        return pingo__pool_object_name(s->arena, &a->hash, s->end.key);
    char *real = pingo__manager_outside_resolve(s->c->world, a->output_path);
    const char *object = real ? pingo__arena_text(s->arena, real, strlen(real)) : NULL;
    free(real);
    return object;
}

static int publish_files(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    struct pingo_error why = {0};
    const char *object = object_of(s);
    if (!object)
        return pingo__fail_memory(err);
    bool is_there = true;
    int rc = a->output_path ? publish_outside(s, &is_there, &why)
                            : pingo__pool_publish(s->c->pool, s->end.key, object, &why);
    if (!rc && !is_there)
        return 0;
    s->object = object;
    if (!a->output_path && is_refused(rc))
        return end_as(s, PINGO_END_BAD_OUTPUT, why.message);
    if (!rc)
        rc = pingo__manager_output_published(s->c, s->object, &s->root, &s->end, &why);
    if (rc == PINGO_ENOTFOUND)
        return end_as(s, PINGO_END_LOST, why.message);
    if (rc == PINGO_ENOSPACE) {
        s->end.reason = PINGO_END_NO_SPACE;
        if (!a->output_path || pingo__pool_shares_space(s->c->pool, a->output_path))
            return 0; /* else nothing of the pool is in its way */
        s->elsewhere = pingo__arena_format(s->arena, "%s", why.message);
        return s->elsewhere ? 0 : pingo__fail_memory(err);
    }
    if (rc == PINGO_EIO &&
        a->output_path) { /* the user's path cannot be written: the action's failure */
        s->end.reason = PINGO_END_NO_OUTPUT;
        snprintf(s->end.message, sizeof s->end.message, "its output cannot be put there: %.160s",
                 why.message);
        return 0;
    }
    /* It stays where it is. */
    if (rc == PINGO_EIO || (rc == PINGO_ESTATE && !pingo__pool_is_remote(s->c->pool)))
        return pingo__fail(err, PINGO_EAWAY, "%s; it goes there once this user can write there",
                           why.message);
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

/* Of a file nothing but its mode may be another. */
static int look_at_mode(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo__store_dataset_row *row = s->lost;
    struct pingo__pool_state st;
    int rc = row->directory ? 0 : pingo__pool_state(s->c->pool, row->path, &st, err);
    if (!rc && !row->directory && pingo__stamp_is_same(&st.stamp, &row->stamp))
        s->what = "it changed its mode";
    return rc;
}

static bool may_be_touched(const struct pingo_job_end *end)
{
    return !end->inputs_same && end->reason != PINGO_END_NOT_STARTED;
}

/* It was given up, and its claims with it; what it did to its inputs is done. */
static int find_damaged(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo_described_parent *parents = NULL;
    struct pingo__store_dataset_row *row = pingo__arena_array(s->arena, 1, sizeof *row);
    size_t n = 0;
    int rc = row ? 0 : pingo__fail_memory(err);
    if (!rc && may_be_touched(&s->end))
        rc = pingo__store_definition_decoded(s->c->db, &s->p.action.hash, &s->p.description, err);
    if (!rc && s->p.description)
        parents = pingo_description_parents(s->p.description, &n);
    for (size_t i = 0; !rc && i < n && !s->lost; i++) {
        struct pingo__manager_change change = {.since_ms = s->end.started_ms};
        rc = pingo__store_dataset_current(s->c->db, &parents[i].hash, s->arena, row, err);
        if (!rc && row->id)
            rc = pingo__manager_dataset_touched(s->c, row, s->arena, &change, err);
        s->lost = !rc && change.is_touched ? row : NULL;
        s->changed = s->lost;
        rc = pingo__pool_is_shut(s->c->pool, rc) ? 0 : rc; /* what was given up waits for nothing */
    }
    pingo__manager_prepared_clear(&s->p);
    return rc;
}

/* A command may have failed, or made something else, only because an input was taken away under it, or written
 * into. */
static int find_lost(struct pingo__manager_settling *s, struct pingo_error *err)
{
    s->p.claimed.arena = s->arena;
    int rc = pingo__store_dataset_list_claimed(s->c->db, s->p.action.id, &s->p.claimed, err);
    if (!rc)
        rc = pingo__manager_datasets_ask(s->c, &s->p.claimed, false, err);
    for (size_t i = 0; !rc && i < s->p.claimed.n && !s->lost; i++) {
        struct pingo__store_dataset_row *row = &s->p.claimed.rows[i];
        struct pingo__manager_change change = {.since_ms = s->end.started_ms};
        enum pingo__manager_presence is;
        rc = pingo__manager_dataset_verify(s->c, row, &is, err);
        s->changed = !rc && is == PINGO__CHANGED;
        if (!rc && is != PINGO__THERE)
            s->lost = row;
        else if (!rc && may_be_touched(&s->end)) {
            rc = pingo__manager_dataset_touched(s->c, row, s->arena, &change, err);
            s->lost = !rc && change.is_touched ? row : NULL;
            s->changed = s->lost;
            s->before = s->lost && !change.later;
            s->what = change.what;
        }
    }
    if (!rc && s->lost && s->changed && !s->what)
        rc = look_at_mode(s, err);
    return rc;
}

/* On the PATH of its command tools are looked for again. */
static int load_description(struct pingo__manager_settling *s, struct pingo_error *err)
{
    bool any = false;
    for (size_t i = 0; i < s->p.originals.n; i++)
        any = any || s->p.originals.rows[i].kind == PINGO__ORIGINAL_TOOL;
    return any ? pingo__store_definition_decoded(s->c->db, &s->p.action.hash, &s->p.description, err)
               : 0;
}

/* Which original is not as it was when the attempt began, though it may be the same again.  NULL: none, or nothing is
 * known. */
static int find_touched(struct pingo__manager_settling *s, const uint64_t *now,
                        struct pingo_error *err)
{
    struct pingo__store_bytes then;
    int rc = pingo__store_attempt_touched(s->c->db, s->end.key, s->arena, &then, err);
    const uint64_t *stamps = then.bytes;
    size_t n = then.n / sizeof *stamps < s->p.originals.n ? 0 : s->p.originals.n;
    for (size_t i = 0; !rc && !s->unstable && i < n; i++)
        if (stamps[i] != now[i])
            s->unstable = s->p.originals.rows[i].path;
    return rc;
}

/* What was read was what was hashed, from the beginning to the end. */
static int check_originals(struct pingo__manager_settling *s, struct pingo_error *err)
{
    if (!s->p.originals.n)
        return 0;
    uint64_t *now = pingo__arena_array(s->arena, s->p.originals.n, sizeof *now);
    struct pingo__manager_originals_check check = {.p = &s->p, .arena = s->arena, .stamps = now};
    int rc = now ? load_description(s, err) : pingo__fail_memory(err);
    if (!rc)
        rc = pingo__manager_originals_check(s->c, &check, err);
    s->refused = check.changed;
    if (!rc && !s->refused)
        rc = find_touched(s, now, err);
    pingo__manager_prepared_clear(&s->p);
    return rc;
}

/* An earlier try may have published it, and died before its commit: then it lies there. */
static int look_at_output(struct pingo__manager_settling *s, struct pingo_error *err)
{
    const struct pingo__store_action_row *a = &s->p.action;
    struct pingo__pool_state st = {.exists = false};
    struct pingo_error why = {0};
    char staged[PINGO__NAME_SIZE];
    const char *path = staged;
    pingo__name_staged(staged, s->end.key.action, s->end.key.epoch);
    int rc = pingo__pool_state(s->c->pool, staged, &st, err);
    if (!rc && !st.exists && !a->output_path) {
        path = pingo__pool_object_name(s->arena, &a->hash, s->end.key);
        rc = path ? 0 : pingo__fail_memory(err);
    }
    if (!rc && !st.exists && a->output_path && s->end.output_kind != PINGO_OUTPUT_NONE)
        return 0; /* publishing sees whether it is at its place */
    if (rc)
        return rc;
    /* A pool that lies elsewhere tells content in its own way: it was compared before it went there. */
    bool is_sent = path != staged && pingo__pool_is_remote(s->c->pool);
    rc = pingo__manager_output_look(s->c, path, s->checked || is_sent, &s->end, &why);
    if (rc == PINGO_ENOTFOUND)
        return end_as(s, PINGO_END_LOST, why.message);
    if (rc == PINGO_ENOSPACE) {
        s->end.reason = PINGO_END_NO_SPACE;
        return 0;
    }
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

static int prepare_success(struct pingo__manager_settling *s, struct pingo_error *err)
{
    int rc = check_originals(s, err);
    if (s->refused) /* nothing is published */
        return rc;
    if (!rc)
        rc = find_lost(s, err);
    if (s->lost || s->unstable)
        return rc;
    if (!rc)
        rc = look_at_output(s, err);
    if (!rc && pingo_job_end_is_success(&s->end))
        rc = publish_files(s, err);
    return rc;
}

static bool may_be_success(const struct pingo__manager_settling *s)
{
    const struct pingo_job_end *end = &s->end;
    const struct pingo_action_type *type = pingo__manager_type_find(s->c, s->p.action.type);
    return pingo_job_end_is_success(end) ||
           (end->reason == PINGO_END_EXITED && end->exit_code == 0 &&
            pingo__manager_type_is_embedders(type));
}

static int look(struct pingo__manager_settling *s, struct pingo_error *err)
{
    s->current = pingo__manager_is_in_epoch(&s->p.action, s->end.key.epoch);
    if (!s->current)
        return find_damaged(s, err);
    s->p.originals.arena = s->arena;
    int rc = pingo__store_action_original_list(s->c->db, s->p.action.id, &s->p.originals, err);
    if (rc)
        return rc;
    return may_be_success(s) ? prepare_success(s, err) : find_lost(s, err);
}

/* What is said of an input that was not the same from the beginning to the end; NULL: they all were. */
static const char *input_trouble(const struct pingo__manager_settling *s)
{
    if (s->refused)
        return s->refused;
    if (s->lost)
        return s->what ? s->what : s->changed ? "an input changed" : "an input vanished";
    return s->unstable ? "an original changed while it was read, and back" : NULL;
}

/* The end of a log is read where that lies on this machine; nobody is waited for. */
static int classify(struct pingo__manager_settling *s, struct pingo_error *err)
{
    char log[PINGO__FAILURE_LOG + 1] = "";
    struct pingo__rules_ended ended = {.reason = s->end.reason,
                                       .exit_code = s->end.exit_code,
                                       .signal = s->end.signal,
                                       .is_success = pingo_job_end_is_success(&s->end),
                                       .was_asked = s->was_asked,
                                       .input = input_trouble(s),
                                       .message = s->end.message,
                                       .log = log};
    const char *dir = NULL;
    int rc = 0;
    if (!ended.is_success)
        rc = pingo__pool_attempt_left(s->c->pool, s->arena, s->end.key, &dir, err);
    const char *path = dir ? pingo__arena_format(s->arena, "%s/stderr", dir) : NULL;
    if (path)
        pingo__file_read_end(AT_FDCWD, path, log, sizeof log);
    pingo__rules_failure_of(&ended, &s->failure);
    return rc;
}

int pingo__manager_callback_prepare(struct pingo__manager_settling *s, struct pingo_error *err)
{
    int rc = pingo__store_action_get(s->c->db, s->end.key.action, s->arena, &s->p.action, err);
    if (rc || !s->p.action.id)
        return rc;
    rc = look(s, err);
    return rc ? rc : classify(s, err);
}

/* ---- after the commit ---------------------------------------------------------------------- */

/* What an attempt that was not published has in the pool.  Its object is looked for in any case: who had it
 * before may have died between the rename and the commit, and then it was given up. */
static int trash_outputs(const struct pingo__manager_settling *s, struct pingo_error *err)
{
    struct pingo_job_key key = s->end.key;
    char name[PINGO__NAME_SIZE];
    pingo__name_staged(name, key.action, key.epoch);
    int rc = pingo__pool_trash(s->c->pool, name, err);
    if (rc || !s->p.action.id || s->p.action.output_path)
        return rc;
    struct pingo__arena arena = {0};
    const char *object = pingo__pool_object_name(&arena, &s->p.action.hash, key);
    bool is_published = false;
    rc = object ? pingo__store_object_has_path(s->c->db, object, &is_published, err)
                : pingo__fail_memory(err);
    if (!rc && !is_published)
        rc = pingo__pool_trash(s->c->pool, object, err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__manager_callback_finish(struct pingo__manager_settling *s, struct pingo_error *err)
{
    struct pingo_job_key key = s->end.key;
    int rc = 0;
    /* Whoever applied it first cleans up, but does not know of what we put there since. */
    if (s->outcome == PINGO__SETTLED_OLD && !s->object)
        return 0;
    if (s->outcome != PINGO__SETTLED_PUBLISHED || s->p.action.output_path)
        rc = trash_outputs(s, err);
    if (!rc && s->outcome == PINGO__SETTLED_AGAIN) {
        char name[PINGO__NAME_SIZE];
        pingo__name_attempt(name, key.action, key.epoch);
        rc = pingo__pool_trash_attempt(s->c->pool, name, err);
    }
    return rc;
}
