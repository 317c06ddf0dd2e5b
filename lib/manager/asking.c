/* asking.c - see asking.h. */
#include "manager/asking.h"

#include <search.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "manager/workers.h"
#include "pool/memo.h"
#include "store/action/actions.h"
#include "store/dataset/objects.h"

#define FIRST_PAUSE_MS 500
#define LONGEST_PAUSE_MS 4000 /* so long a run may stand when it has come back */
#define KEPT_MS 60000         /* what is known for so long is asked anew */
#define SPACE_MS 10000        /* how old what is known of the space may be, */
#define SPACE_SHARE 100       /* and as often as that took: a large pool is counted less often */
#define HOUR_MS 3600000
#define SHED_MS 10000 /* how often what was brought here is looked at */
#define CALM_MS 60000 /* without trouble: then pauses begin anew */

struct ask {
    struct pingo__manager_chore chore; /* the first member */
    struct pingo__manager_asking *all;
    struct pingo_job_key key; /* {0, 0}: what goes to the trash for nobody */
    struct pingo__pool_memo *memo;
    bool in_hand;  /* another thread has it: its memo, rc and why are that thread's */
    bool parked;   /* it is to be asked, and waits for the pool */
    bool is_cut;   /* who asked waits for the answers */
    bool is_ready; /* they are there, and it was not told */
    bool is_over;  /* nobody needs it: it goes when all is done */
    int64_t since_ms;
    int rc;
    struct pingo_error why;
};

struct looking { /* at the space */
    struct pingo__manager_chore chore;
    struct pingo__manager_asking *all;
    struct pingo__pool_space space;
    int64_t took_ms;
    int64_t trim_ms; /* what executors keep goes that was not used since; 0: it stays */
    int rc;
    struct pingo_error why;
};

struct shedding { /* what was brought here */
    struct pingo__manager_chore chore;
    struct pingo__manager_asking *all;
    struct pingo__arena arena;
    struct pingo__store_text_list needed;
    int64_t keep_bytes;
    struct pingo_error why;
    int rc;
};

struct pingo__manager_asking {
    struct pingo__manager_context *c;
    struct pingo__pool pool; /* the context's */
    struct pingo__pool_space space;
    struct looking looking;
    struct shedding shedding;
    bool is_looking, is_shedding, has_more; /* has_more: something was brought here since */
    int64_t shed_ms;
    int64_t looked_ms;
    struct ask **list;
    size_t n, capacity;
    struct ask *rest;    /* what goes to the trash between two purposes */
    bool is_away, probe; /* it does not answer; one asks whether it does again */
    struct pingo_backoff pause;
    int64_t again_ms, trouble_ms;
};

/* ---- on another thread ------------------------------------------------------------------ */

static void run_ask(struct pingo__manager_chore *chore)
{
    struct ask *x = (struct ask *)chore;
    x->rc = pingo__pool_memo_ask(x->memo, &x->why);
}

static void run_look(struct pingo__manager_chore *chore)
{
    struct looking *x = (struct looking *)chore;
    struct pingo__pool_state st;
    int64_t begun_ms = pingo__manager_elapsed_ms(x->all->c);
    x->rc = pingo__pool_state(x->all->c->patient, pingo__name_parts[PINGO__OBJECTS], &st, &x->why);
    if (!x->rc)
        x->space = pingo__pool_space(x->all->c->patient);
    x->took_ms = pingo__manager_elapsed_ms(x->all->c) - begun_ms;
    if (!x->rc && x->trim_ms)
        x->rc = pingo__pool_trim(x->all->c->patient, x->trim_ms, &x->why);
}

static bool is_needed(void *context, const char *name)
{
    struct pingo__store_text_list *needed = context;
    return lfind(&name, needed->rows, &needed->n, sizeof name, pingo__array_by_text);
}

static void run_shed(struct pingo__manager_chore *chore)
{
    struct shedding *x = (struct shedding *)chore;
    x->rc = pingo__pool_shed(x->all->c->patient, x->keep_bytes, is_needed, &x->needed, &x->why);
}

/* ---- one ------------------------------------------------------------------------------------ */

static struct ask *find(const struct pingo__manager_asking *a, struct pingo_job_key key)
{
    for (size_t i = 0; i < a->n; i++)
        if (!a->list[i]->is_over && a->list[i]->key.action == key.action &&
            a->list[i]->key.epoch == key.epoch)
            return a->list[i];
    return NULL;
}

static void drop(struct ask *x)
{
    struct pingo__manager_asking *a = x->all;
    size_t i = 0;
    while (a->list[i] != x)
        i++;
    a->list[i] = a->list[--a->n];
    pingo__pool_memo_free(x->memo);
    free(x);
}

static int add(struct pingo__manager_asking *a, struct pingo_job_key key, struct ask **ask,
               struct pingo_error *err)
{
    struct ask *x = calloc(1, sizeof *x);
    /* Two for the same purpose, one after the other, have names of their own in the trash. */
    struct pingo_job_key names = {key.action, key.epoch + (int64_t)(++a->pool.serial << 32)};
    if (x)
        x->memo = pingo__pool_memo_new(a->c->patient, names);
    if (!x || !x->memo || !PINGO__ARRAY_ROOM(a->list, a->capacity, a->n, 1)) {
        pingo__pool_memo_free(x ? x->memo : NULL);
        free(x);
        return pingo__fail_memory(err);
    }
    x->all = a;
    x->key = key;
    x->since_ms = pingo__manager_elapsed_ms(a->c);
    a->list[a->n++] = x;
    *ask = x;
    return 0;
}

static int take_answers(struct pingo__manager_chore *chore, struct pingo_error *err);

static void give(struct ask *x)
{
    struct pingo__manager_asking *a = x->all;
    x->parked = (a->is_away && a->probe) || a->is_shedding;
    if (x->parked)
        return;
    a->probe = a->is_away;
    x->in_hand = true;
    x->chore = (struct pingo__manager_chore){PINGO__ASKING, run_ask, take_answers, NULL};
    pingo__manager_workers_give(a->c->workers, &x->chore);
}

/* ---- what they bring -------------------------------------------------------------------- */

static void note_away(struct pingo__manager_asking *a, const char *why)
{
    int64_t now = pingo__manager_elapsed_ms(a->c);
    if (now - a->trouble_ms > CALM_MS)
        a->pause = (struct pingo_backoff){FIRST_PAUSE_MS, LONGEST_PAUSE_MS, 0};
    if (pingo__manager_trouble_is_new(a->c, why))
        pingo__manager_log(a->c, PINGO_LOG_WARNING,
                           "the pool cannot be used now: %s; what needs it waits, and it is tried "
                           "again",
                           why);
    a->trouble_ms = now;
    a->is_away = a->probe = true; /* until its time has come */
    a->again_ms = now + pingo_backoff_next(&a->pause);
}

static void note_back(struct pingo__manager_asking *a)
{
    a->is_away = a->probe = false;
}

static int take_answers(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct ask *x = (struct ask *)chore;
    struct pingo__manager_asking *a = x->all;
    (void)err;
    x->in_hand = false;
    x->since_ms = pingo__manager_elapsed_ms(a->c);
    a->pool.trashed += pingo__pool_memo_trashed(x->memo);
    if (x->rc) {
        note_away(a, x->why.message);
        x->parked = true;
        return 0;
    }
    note_back(a);
    a->has_more = true;
    x->is_ready = x->is_cut && !x->is_over;
    x->is_cut = false;
    if (x->is_over && pingo__pool_memo_is_open(x->memo))
        give(x);
    else if (x->is_over)
        drop(x);
    return 0;
}

static int take_space(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct looking *x = (struct looking *)chore;
    x->all->is_looking = false;
    x->all->looked_ms = pingo__manager_elapsed_ms(x->all->c);
    if (x->rc) {
        note_away(x->all, x->why.message);
        return 0;
    }
    note_back(x->all);
    x->all->space = x->space;
    x->all->c->must_trim = x->all->c->must_trim && !x->trim_ms;
    x->all->pool.trashed += x->trim_ms != 0;
    return pingo__manager_copies_learn(x->all->c, &x->space, err);
}

/* ---- asking --------------------------------------------------------------------------------- */

int pingo__manager_ask_begin(struct pingo__manager_context *c, struct pingo_job_key key,
                             bool *waits, struct pingo_error *err)
{
    struct pingo__manager_asking *a = c->asking;
    *waits = false;
    if (!a)
        return 0;
    struct ask *x = find(a, key);
    if (x && !x->in_hand && !x->parked && a->is_shedding && !key.epoch) {
        x->parked = x->is_cut = true; /* what was brought here for it may be going just now */
        x->is_ready = false;
    }
    *waits = x && (x->in_hand || x->parked);
    if (*waits)
        return 0;
    int rc = x ? 0 : add(a, key, &x, err);
    if (rc)
        return rc;
    x->is_ready = false;
    a->pool.memo = x->memo;
    return 0;
}

int pingo__manager_ask_end(struct pingo__manager_context *c, struct pingo_job_key key, int rc,
                           bool *waits)
{
    struct pingo__manager_asking *a = c->asking;
    *waits = false;
    if (!a)
        return rc;
    a->pool.memo = a->rest->memo;
    if (rc != PINGO__POOL_LATER)
        return rc;
    struct ask *x = find(a, key);
    *waits = x->is_cut = true;
    give(x);
    return 0;
}

void pingo__manager_ask_forget(struct pingo__manager_context *c, struct pingo_job_key key)
{
    struct ask *x = c->asking ? find(c->asking, key) : NULL;
    if (!x)
        return;
    x->is_over = true;
    x->is_cut = x->is_ready = false;
    if (x->in_hand || x->parked)
        return;
    if (pingo__pool_memo_is_open(x->memo))
        give(x);
    else
        drop(x);
}

/* ---- life ----------------------------------------------------------------------------------- */

int pingo__manager_asking_open(struct pingo__manager_context *c, struct pingo_error *err)
{
    struct pingo__manager_asking *a;
    if (!pingo__pool_is_remote(c->patient))
        return 0;
    a = calloc(1, sizeof *a);
    if (!a)
        return pingo__fail_memory(err);
    a->c = c;
    a->pool = pingo__pool_fork(c->patient, (struct pingo_job_key){0, 0});
    a->trouble_ms = pingo__manager_elapsed_ms(c) - CALM_MS - 1;
    a->space = (struct pingo__pool_space){.free_bytes = -1, .taken_bytes = -1};
    a->pool.known_space = &a->space;
    a->looking.all = a;
    int rc = add(a, (struct pingo_job_key){0, 0}, &a->rest, err);
    if (rc) {
        free(a->list);
        free(a);
        return rc;
    }
    a->pool.memo = a->rest->memo;
    c->asking = a;
    c->pool = &a->pool;
    return 0;
}

/* ---- a tick --------------------------------------------------------------------------------- */

/* What was put into the trash between two purposes goes there now. */
static int give_rest(struct pingo__manager_asking *a, struct pingo_error *err)
{
    struct ask *fresh;
    if (!pingo__pool_memo_is_open(a->rest->memo))
        return 0;
    int rc = add(a, (struct pingo_job_key){0, 0}, &fresh, err);
    if (rc)
        return rc;
    a->pool.memo = fresh->memo;
    a->rest->is_over = true;
    give(a->rest);
    a->rest = fresh;
    return 0;
}

/* Which tells, too, whether it is back, where nobody else finds that out. */
static int look_at_space(struct pingo__manager_asking *a, struct pingo_error *err)
{
    int64_t oldest_ms = 0;
    int rc = 0;
    int64_t now = pingo__manager_elapsed_ms(a->c);
    int64_t pause_ms = a->is_looking ? 0 : SPACE_MS + SPACE_SHARE * a->looking.took_ms;
    bool is_due =
        a->is_away ? !a->probe : !a->looked_ms || a->c->must_trim || now - a->looked_ms >= pause_ms;
    if (a->is_looking || !is_due)
        return 0;
    a->looking.trim_ms = 0;
    if (a->c->must_trim) /* an attempt that is open may use what was touched before it was handed over */
        rc = pingo__store_attempt_oldest(a->c->db, &oldest_ms, err);
    if (a->c->must_trim && !rc) {
        int64_t until_ms = pingo__manager_now_ms(a->c) - a->c->failed_ms;
        until_ms = oldest_ms && oldest_ms < until_ms ? oldest_ms : until_ms;
        a->looking.trim_ms = until_ms - PINGO__TOUCHED_MS - HOUR_MS;
    }
    if (rc)
        return rc;
    a->probe = a->is_away;
    a->is_looking = true;
    a->looking.chore = (struct pingo__manager_chore){PINGO__ASKING, run_look, take_space, NULL};
    pingo__manager_workers_give(a->c->workers, &a->looking.chore);
    return 0;
}

static bool is_any_in_hand(const struct pingo__manager_asking *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->list[i]->in_hand)
            return true;
    return false;
}

static int take_shed(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct shedding *x = (struct shedding *)chore;
    (void)err;
    x->all->is_shedding = false;
    if (x->rc && pingo__manager_trouble_is_new(x->all->c, x->why.message))
        pingo__manager_log(x->all->c, PINGO_LOG_WARNING, "%s", x->why.message);
    pingo__arena_clear(&x->arena);
    return 0;
}

/* Meanwhile nothing is brought here: what starts next finds what it was told is here. */
static int shed(struct pingo__manager_asking *a, struct pingo_error *err)
{
    struct shedding *x = &a->shedding;
    int64_t now = pingo__manager_elapsed_ms(a->c);
    if (a->is_shedding || !a->has_more || now - a->shed_ms < SHED_MS || is_any_in_hand(a))
        return 0;
    *x = (struct shedding){.all = a, .keep_bytes = a->c->cache_bytes};
    x->needed.arena = &x->arena;
    int rc = pingo__store_object_list_read(a->c->db, &x->needed, err);
    if (rc)
        return rc;
    a->has_more = false;
    a->is_shedding = true;
    a->shed_ms = now;
    x->chore = (struct pingo__manager_chore){PINGO__ASKING, run_shed, take_shed, NULL};
    pingo__manager_workers_give(a->c->workers, &x->chore);
    return 0;
}

int pingo__manager_asking_tick(struct pingo__manager_context *c, struct pingo_error *err)
{
    struct pingo__manager_asking *a = c->asking;
    if (!a)
        return 0;
    int64_t now = pingo__manager_elapsed_ms(c);
    int rc = pingo__manager_workers_collect(c->workers, PINGO__ASKING, err);
    if (!rc)
        rc = give_rest(a, err);
    if (a->is_away && now >= a->again_ms && !a->is_looking && !is_any_in_hand(a))
        a->probe = false;
    for (size_t i = a->n; i-- > 0;) {
        struct ask *x = a->list[i];
        if (x->parked)
            give(x);
        else if (x != a->rest && !x->in_hand && !x->is_cut && !x->is_ready &&
                 now - x->since_ms > KEPT_MS)
            drop(x); /* nobody came back for it */
    }
    if (!rc)
        rc = look_at_space(a, err);
    return rc ? rc : shed(a, err);
}

void pingo__manager_asking_close(struct pingo__manager_context *c)
{
    struct pingo__manager_asking *a = c->asking;
    if (!a)
        return;
    pingo__manager_workers_finish(c->workers, PINGO__ASKING, NULL);
    give_rest(a, NULL);
    while (is_any_in_hand(a))
        pingo__manager_workers_finish(c->workers, PINGO__ASKING, NULL);
    while (a->n)
        drop(a->list[0]); /* NOLINT(clang-analyzer-unix.Malloc): it takes that out of the list */
    if (a->pool.serial > c->patient->serial)
        c->patient->serial = a->pool.serial; /* who opens it again gives other names in the trash */
    c->pool = c->patient;
    c->asking = NULL;
    free(a->list);
    free(a);
}

void pingo__manager_ask_next(struct pingo__manager_context *c, struct pingo_job_key *key)
{
    struct pingo__manager_asking *a = c->asking;
    *key = (struct pingo_job_key){0, 0};
    for (size_t i = 0; a && i < a->n; i++) {
        if (!a->list[i]->is_ready || !a->list[i]->key.action)
            continue;
        a->list[i]->is_ready = false;
        *key = a->list[i]->key;
        return;
    }
}

size_t pingo__manager_asking_count(const struct pingo__manager_context *c, size_t *starts)
{
    const struct pingo__manager_asking *a = c->asking;
    size_t n = 0;
    *starts = 0;
    for (size_t i = 0; a && i < a->n; i++) {
        const struct ask *x = a->list[i];
        bool is = x->key.action && (x->is_cut || x->is_ready);
        n += is;
        *starts += is && !x->key.epoch;
    }
    return n;
}

bool pingo__manager_asking_note(struct pingo__manager_context *c, int rc, const char *why)
{
    bool is = c->asking && (pingo__pool_is_closed(rc) || rc == PINGO_EIO);
    if (is)
        note_away(c->asking, why);
    return is;
}

bool pingo__manager_asking_is_away(const struct pingo__manager_context *c)
{
    return c->asking && c->asking->is_away;
}

int pingo__manager_asking_wait(struct pingo__manager_context *c, bool *away, struct pingo_error *err)
{
    *away = false;
    if (!c->asking)
        return 0;
    int rc = pingo__manager_workers_finish(c->workers, PINGO__ASKING, err);
    *away = c->asking->is_away;
    return rc;
}
