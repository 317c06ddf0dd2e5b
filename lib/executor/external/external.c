/* external.c - see external.h.
 *
 * What always holds: a job is in the list from start (or adopt) until forget; a job
 * that was revoked is gone from the list or marked, and so cannot be started.  What was
 * given up goes with the collect after the embedder was told. */
#include "executor/external/external.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"

struct entry {
    struct pingo_job_key key;
    struct pingo__arena arena; /* of job */
    struct pingo_job job;      /* empty when adopted */
    bool adopted, given, started, kill, kill_told, ended;
    bool revoked;    /* after it was given: who has it may still look at it */
    bool done_with;  /* revoked or about to be, and who has it knows */
    bool is_overdue; /* the kill is for its time limit */
    int64_t started_ms, limit_ms;
    struct pingo_job_end end;
};

struct pingo__external {
    struct entry **entries; /* in order of arrival; NULL: forgotten */
    size_t n, capacity, count;
    size_t next; /* the first that may not have been given */
    struct pingo__map by_key;
};

/* ---- the list ------------------------------------------------------------------------------ */

static struct entry *find(struct pingo__external *x, struct pingo_job_key key)
{
    uint32_t at = pingo__map_get(&x->by_key, &key, sizeof key);

    return at == PINGO__MAP_NONE ? NULL : x->entries[at];
}

static bool grow(struct pingo__external *x)
{
    size_t n = x->capacity ? x->capacity * 2 : 64;
    struct entry **grown = realloc(x->entries, n * sizeof *grown);

    if (!grown)
        return false;
    x->entries = grown;
    x->capacity = n;
    return true;
}

static struct entry *add(struct pingo__external *x, struct pingo_job_key key)
{
    struct entry *e;

    if (x->n == x->capacity && !grow(x))
        return NULL;
    e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->key = key;
    pingo__arena_init(&e->arena);
    if (!pingo__map_insert(&x->by_key, &e->key, sizeof e->key, (uint32_t)x->n, NULL)) {
        free(e);
        return NULL;
    }
    x->entries[x->n++] = e;
    x->count++;
    return e;
}

static void drop(struct pingo__external *x, struct pingo_job_key key)
{
    uint32_t at = pingo__map_remove(&x->by_key, &key, sizeof key);

    if (at == PINGO__MAP_NONE)
        return;
    pingo__arena_clear(&x->entries[at]->arena);
    free(x->entries[at]);
    x->entries[at] = NULL;
    if (--x->count == 0)
        x->n = x->next = 0; /* nothing is left: the places can be used again */
}

/* ---- copying a job ------------------------------------------------------------------------------ */

static const char *copy(struct pingo__arena *a, const char *text)
{
    return text ? pingo__arena_text(a, text, strlen(text)) : NULL;
}

static bool copy_job(struct entry *e, const struct pingo_job *job)
{
    struct pingo_job_link *links = pingo__arena_array(&e->arena, job->nlinks + 1, sizeof *links);
    struct pingo_job *to = &e->job;

    *to = *job;
    to->argv = NULL;
    to->env = NULL;
    to->arena = &e->arena;
    to->store_id = copy(&e->arena, job->store_id);
    to->name = copy(&e->arena, job->name);
    to->type = copy(&e->arena, job->type);
    to->payload = copy(&e->arena, job->payload);
    to->attempt_dir = copy(&e->arena, job->attempt_dir);
    to->staged_path = copy(&e->arena, job->staged_path);
    to->output = copy(&e->arena, job->output);
    to->user = copy(&e->arena, job->user);
    to->executor_options = copy(&e->arena, job->executor_options);
    to->links = links;
    to->readable = NULL;
    if (!links || !to->store_id || !to->name || !to->type || !to->attempt_dir || !to->staged_path ||
        (job->user && !to->user) || (job->executor_options && !to->executor_options) ||
        (job->payload && !to->payload))
        return false;
    for (size_t i = 0; i < job->nlinks; i++) {
        links[i] = (struct pingo_job_link){.name = copy(&e->arena, job->links[i].name),
                                           .target = copy(&e->arena, job->links[i].target),
                                           .copy = job->links[i].copy};
        if (!links[i].name || !links[i].target)
            return false;
    }
    return true;
}

/* ---- the table ------------------------------------------------------------------------------------ */

static int external_open(const struct pingo_executor_context *context, void **executor,
                         struct pingo_error *err)
{
    struct pingo__external *x = calloc(1, sizeof *x);

    (void)context;
    if (!x)
        return pingo__fail_memory(err);
    pingo__map_init(&x->by_key);
    *executor = x;
    return 0;
}

static void external_close(void *executor)
{
    struct pingo__external *x = executor;

    for (size_t i = 0; i < x->n; i++)
        if (x->entries[i]) {
            pingo__arena_clear(&x->entries[i]->arena);
            free(x->entries[i]);
        }
    free(x->entries);
    pingo__map_clear(&x->by_key);
    free(x);
}

static int external_take(void *executor, const struct pingo_job *job, struct pingo_error *err)
{
    struct pingo__external *x = executor;
    struct entry *e = add(x, job->key);

    if (!e)
        return pingo__fail_memory(err);
    if (!copy_job(e, job)) {
        drop(x, job->key);
        return pingo__fail_memory(err);
    }
    return 0;
}

static int external_revoke(void *executor, struct pingo_job_key key, const char *attempt_dir,
                           bool *revoked, struct pingo_error *err)
{
    struct entry *e = find(executor, key);

    (void)attempt_dir;
    (void)err;
    *revoked = !e || (!e->started && !e->adopted && !e->ended);
    if (e && *revoked && e->given)
        e->revoked = true;
    else if (e && *revoked)
        drop(executor, key);
    return 0;
}

static int external_kill(void *executor, struct pingo_job_key key, struct pingo_error *err)
{
    struct entry *e = find(executor, key);

    (void)err;
    if (e)
        e->kill = true;
    return 0;
}

/* The embedder alone knows what became of its jobs: all are here until it says otherwise. */
static int external_adopt(void *executor, const struct pingo_job_key *keys, size_t nkeys,
                          bool *found, struct pingo_error *err)
{
    for (size_t i = 0; i < nkeys; i++) {
        struct entry *e = find(executor, keys[i]);

        if (!e && !(e = add(executor, keys[i])))
            return pingo__fail_memory(err);
        e->adopted = e->given = true;
        found[i] = true;
    }
    return 0;
}

static int external_collect(void *executor, const struct pingo_executor_reports *reports,
                            struct pingo_error *err)
{
    struct pingo__external *x = executor;

    (void)err;
    for (size_t i = 0; i < x->n; i++) {
        if (x->entries[i] && x->entries[i]->done_with)
            drop(x, x->entries[i]->key);
        if (i >= x->n || !x->entries[i])
            continue;
        if (x->entries[i]->started)
            reports->started(reports->context, x->entries[i]->key);
        if (x->entries[i]->ended)
            reports->ended(reports->context, &x->entries[i]->end);
    }
    return 0;
}

static void external_forget(void *executor, struct pingo_job_key key)
{
    drop(executor, key);
}

static int external_poll_fd(void *executor)
{
    (void)executor;
    return -1;
}

static int64_t external_timeout_ms(void *executor)
{
    struct pingo__external *x = executor;

    for (size_t i = 0; i < x->n; i++)
        if (x->entries[i] && x->entries[i]->ended)
            return 0;
    return -1;
}

/* The embedder decides how much runs at once; this is how far jobs are made ready ahead. */
static int64_t external_slots(void *executor)
{
    (void)executor;
    return 64;
}

static const char *const action_types[] = {"external", NULL};

static const struct pingo_executor_type type = {
    .abi_version = PINGO_EXECUTOR_ABI,
    .name = "external",
    .action_types = action_types,
    .open = external_open,
    .close = external_close,
    .start = external_take,
    .revoke = external_revoke,
    .kill = external_kill,
    .adopt = external_adopt,
    .collect = external_collect,
    .forget = external_forget,
    .poll_fd = external_poll_fd,
    .timeout_ms = external_timeout_ms,
    .slots = external_slots,
    .in_process = true,
};

const struct pingo_executor_type *pingo__executor_external(void)
{
    return &type;
}

/* ---- the embedder's side ------------------------------------------------------------------------------- */

const struct pingo_job *pingo__external_next(struct pingo__external *x)
{
    for (; x->next < x->n; x->next++) {
        struct entry *e = x->entries[x->next];

        if (e && !e->given) {
            e->given = true;
            return &e->job;
        }
    }
    return NULL;
}

bool pingo__external_may_start(struct pingo__external *x, struct pingo_job_key key)
{
    struct entry *e = find(x, key);

    if (e && e->revoked)
        e->done_with = true;
    return e && !e->kill && !e->ended && !e->revoked;
}

void pingo__external_start(struct pingo__external *x, struct pingo_job_key key, int64_t started_ms,
                           int64_t limit_ms)
{
    struct entry *e = find(x, key);

    if (!e)
        return;
    e->started = true;
    e->started_ms = started_ms;
    e->limit_ms = limit_ms ? limit_ms : e->job.time_limit_ms;
}

void pingo__external_give_up(struct pingo__external *x, struct pingo_job_key key)
{
    struct entry *e = find(x, key);

    /* Refused before the tick that revokes it: who has it knows already.  What may have started stays: its end is due. */
    if (e && (e->revoked || (!e->started && !e->adopted)))
        e->done_with = true;
}

void pingo__external_end(struct pingo__external *x, const struct pingo_job_end *end)
{
    struct entry *e = find(x, end->key);

    if (!e || e->ended)
        return;
    if (e->revoked) { /* nobody waits for it */
        e->done_with = true;
        return;
    }
    e->end = *end;
    e->end.message[sizeof e->end.message - 1] = '\0';
    if (e->is_overdue && e->end.reason == PINGO_END_KILLED)
        e->end.reason = PINGO_END_TIME_LIMIT;
    e->ended = true;
}

bool pingo__external_next_kill(struct pingo__external *x, struct pingo_job_key *key, int *reason)
{
    for (size_t i = 0; i < x->n; i++) {
        struct entry *e = x->entries[i];

        if (!e || e->ended || e->kill_told || e->done_with || !(e->kill || e->revoked))
            continue;
        e->kill_told = true;
        e->done_with = e->revoked;
        *reason = e->revoked ? PINGO_KILL_REVOKED : e->is_overdue ? PINGO_KILL_TIME_LIMIT : 0;
        *key = e->key;
        return true;
    }
    return false;
}

void pingo__external_look_at_limits(struct pingo__external *x, int64_t now_ms)
{
    for (size_t i = 0; i < x->n; i++) {
        struct entry *e = x->entries[i];

        if (e && e->started && !e->ended && !e->kill && e->limit_ms > 0 &&
            now_ms - e->started_ms >= e->limit_ms)
            e->kill = e->is_overdue = true;
    }
}

bool pingo__external_adopted(struct pingo__external *x, size_t *at, struct pingo_job_key *key)
{
    for (; *at < x->n; (*at)++) {
        struct entry *e = x->entries[*at];

        if (!e || !e->adopted || e->ended)
            continue;
        *key = e->key;
        (*at)++;
        return true;
    }
    return false;
}
