/* memo.c - see memo.h. */
#include "pool/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum what { STATE, READ, EACH, PUBLISH, MAKE_PRIVATE, FETCH, TRASH };

struct question {
    enum what what;
    int variant; /* of what is read, the part, whether it is an attempt's */
    struct pingo_job_key key;
    bool is_answered; /* the rest is the answer: */
    int rc;
    struct pingo_error why;
    struct pingo__pool_state state;
    struct pingo__digest_content_options options;
    struct pingo__digest_content content;
    struct pingo__digest_newest newest;
    struct pingo__buffer names; /* each ended by a NUL */
    struct question *next;
    char name[];
};

struct pingo__pool_memo {
    struct pingo__pool pool;
    struct question *first, **last;
};

struct pingo__pool_memo *pingo__pool_memo_new(const struct pingo__pool *pool,
                                              struct pingo_job_key key)
{
    struct pingo__pool_memo *memo = calloc(1, sizeof *memo);
    if (memo) {
        memo->pool = pingo__pool_fork(pool, key);
        memo->last = &memo->first;
    }
    return memo;
}

void pingo__pool_memo_free(struct pingo__pool_memo *memo)
{
    while (memo && memo->first) {
        struct question *q = memo->first;
        memo->first = q->next;
        pingo__buffer_clear(&q->newest.path);
        pingo__buffer_clear(&q->names);
        free(q);
    }
    free(memo);
}

bool pingo__pool_memo_is_open(const struct pingo__pool_memo *memo)
{
    for (const struct question *q = memo->first; q; q = q->next)
        if (!q->is_answered)
            return true;
    return false;
}

uint64_t pingo__pool_memo_trashed(struct pingo__pool_memo *memo)
{
    uint64_t n = memo->pool.trashed;
    memo->pool.trashed = 0;
    return n;
}

/* ---- on another thread -------------------------------------------------------------------- */

static int add_name(void *context, const char *name, struct pingo_error *err)
{
    struct pingo__buffer *names = context;
    pingo__buffer_append(names, name, strlen(name) + 1);
    return names->failed ? pingo__fail_memory(err) : 0;
}

static int publish(struct pingo__pool *pool, struct question *q)
{
    int rc = pingo__pool_publish(pool, q->key, q->name, &q->why);
    return rc ? rc : pingo__pool_sync(pool, &q->why);
}

static int ask(struct pingo__pool *pool, struct question *q)
{
    switch (q->what) {
    case STATE:
        return pingo__pool_state(pool, q->name, &q->state, &q->why);
    case READ:
        pingo__buffer_reset(&q->newest.path);
        return pingo__pool_read(pool, q->name, &q->options, &q->content, &q->why);
    case EACH:
        pingo__buffer_reset(&q->names);
        return pingo__pool_each(pool, (enum pingo__name_part)q->variant, add_name, &q->names,
                                &q->why);
    case PUBLISH:
        return publish(pool, q);
    case MAKE_PRIVATE:
        return pingo__pool_make_private(pool, q->name, &q->why);
    case FETCH:
        return pingo__pool_fetch(pool, q->name, &q->why);
    case TRASH:
        break;
    }
    return q->variant ? pingo__pool_trash_attempt(pool, q->name, &q->why)
                      : pingo__pool_trash(pool, q->name, &q->why);
}

/* It is down, or can do nothing just now: what it said of that says nothing of what it was asked. */
static bool is_away(int rc)
{
    return pingo__pool_is_closed(rc) || rc == PINGO_EIO || rc == PINGO_ENOMEM;
}

/* It has gone since it was looked at. */
static void doubt(struct pingo__pool_memo *memo, const char *name)
{
    for (struct question *q = memo->first; q; q = q->next)
        if (q->what == STATE && strcmp(q->name, name) == 0)
            q->is_answered = false;
}

int pingo__pool_memo_ask(struct pingo__pool_memo *memo, struct pingo_error *err)
{
    for (struct question *q = memo->first; q; q = q->next) {
        if (q->is_answered)
            continue;
        q->rc = ask(&memo->pool, q);
        if (is_away(q->rc))
            return pingo__fail(err, q->rc, "%s", q->why.message);
        q->is_answered = true;
        if (q->what == FETCH && q->rc == PINGO_ENOTFOUND)
            doubt(memo, q->name);
    }
    return 0;
}

/* ---- on the thread of who asks ------------------------------------------------------------ */

static struct question *find(struct pingo__pool_memo *memo, enum what what, int variant,
                             const char *name)
{
    struct question *q = memo->first;
    while (q && (q->what != what || q->variant != variant || strcmp(q->name, name) != 0))
        q = q->next;
    if (q)
        return q;
    q = calloc(1, sizeof *q + strlen(name) + 1);
    if (!q)
        return NULL;
    q->what = what;
    q->variant = variant;
    strcpy(q->name, name);
    *memo->last = q;
    memo->last = &q->next;
    return q;
}

static int answer(const struct question *q, struct pingo_error *err)
{
    if (!q)
        return pingo__fail_memory(err);
    if (!q->is_answered)
        return pingo__fail(err, PINGO__POOL_LATER, "%s: the pool is asked for it", q->name);
    return q->rc ? pingo__fail(err, q->rc, "%s", q->why.message) : 0;
}

int pingo__pool_memo_state(struct pingo__pool_memo *memo, const char *name,
                           struct pingo__pool_state *state, struct pingo_error *err)
{
    const struct question *q = find(memo, STATE, 0, name);
    int rc = answer(q, err);
    if (!rc)
        *state = q->state;
    return rc;
}

int pingo__pool_memo_read(struct pingo__pool_memo *memo, const char *name,
                          const struct pingo__digest_content_options *options,
                          struct pingo__digest_content *content, struct pingo_error *err)
{
    struct question *q = find(memo, READ,
                              1 + options->only_stamp + 2 * options->make_readonly +
                                  4 * !!options->newest + 8 * !!options->output_of,
                              name);
    if (q && !q->is_answered) {
        q->options = *options;
        q->options.progress = NULL; /* nobody waits for it */
        q->options.newest = options->newest ? &q->newest : NULL;
        q->newest.ctime_ns = INT64_MIN;
    }
    int rc = answer(q, err);
    if (rc)
        return rc;
    *content = q->content;
    if (!options->newest)
        return 0;
    options->newest->mtime_ns = q->newest.mtime_ns;
    options->newest->ctime_ns = q->newest.ctime_ns;
    pingo__buffer_reset(&options->newest->path);
    pingo__buffer_append(&options->newest->path, q->newest.path.data, q->newest.path.length);
    return options->newest->path.failed ? pingo__fail_memory(err) : 0;
}

int pingo__pool_memo_each(struct pingo__pool_memo *memo, enum pingo__name_part part,
                          pingo__pool_name_fn fn, void *context, struct pingo_error *err)
{
    const struct question *q = find(memo, EACH, (int)part, "");
    int rc = answer(q, err);
    for (size_t at = 0; !rc && at < q->names.length; at += strlen(q->names.data + at) + 1)
        rc = fn(context, q->names.data + at, err);
    return rc;
}

int pingo__pool_memo_publish(struct pingo__pool_memo *memo, struct pingo_job_key key,
                             const char *object, struct pingo_error *err)
{
    struct question *q = find(memo, PUBLISH, 0, object);
    if (q && !q->is_answered)
        q->key = key;
    return answer(q, err);
}

int pingo__pool_memo_make_private(struct pingo__pool_memo *memo, const char *name,
                                  struct pingo_error *err)
{
    return answer(find(memo, MAKE_PRIVATE, 0, name), err);
}

static bool is_here(const struct pingo__pool *pool, const char *name)
{
    char *path = NULL;
    bool is = pool->backend->path(pool->handle, name, &path, NULL) == 0 && path;
    free(path);
    return is;
}

int pingo__pool_memo_fetch(struct pingo__pool_memo *memo, const char *name, struct pingo_error *err)
{
    struct question *q = find(memo, FETCH, 0, name);
    if (q && q->is_answered && !q->rc) /* unless others have shed it meanwhile */
        q->is_answered = is_here(&memo->pool, name);
    return answer(q, err);
}

int pingo__pool_memo_trash(struct pingo__pool_memo *memo, const char *name, bool is_attempt,
                           struct pingo_error *err)
{
    return find(memo, TRASH, is_attempt, name) ? 0 : pingo__fail_memory(err);
}
