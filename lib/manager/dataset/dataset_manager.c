/* dataset_manager.c - see dataset_manager.h. */
#include "manager/dataset/dataset_manager.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "manager/asking.h"
#include "store/dataset/objects.h"
#include "store/transition.h"

#define QUEUE_MAX 1024     /* PROCESSING */
#define HAND_MAX 512       /* DELETING */
#define SCRAPE_AT_ONCE 512 /* the lock is held meanwhile */
#define LOOK_EVERY_MS 1000 /* for what is nobody's */
#define HOLD_MS 10000      /* a read-only file system keeps everything */
#define WARNINGS_MAX 3     /* a tick */

struct deletion {
    struct pingo__manager_chore chore;
    struct pingo__manager_datasets *m;
    struct pingo__store_dataset_row row;        /* as it was when it was found */
    enum { WAITS = 0, TAKEN, DROPPED } verdict; /* of the running transaction */
    int64_t wait_ms; /* it could not be removed: until it is tried again */
    struct pingo__pool_removal removal;
    char path[]; /* "": there is nothing that is ours to remove */
};

/* What one tick has to do. */
struct round {
    struct pingo__arena arena;
    struct pingo__store_dataset_list deletable, left;
    struct pingo__manager_chores fresh; /* taken up in this transaction: from deletable */
    struct pingo__manager_chores adopted;
    size_t deleted;
    bool read_only;
};

/* ---- on the threads of the deletors ----------------------------------------------------- */

static void run_deletion(struct pingo__manager_chore *chore)
{
    struct deletion *x = (struct deletion *)chore;
    if (*x->path)
        pingo__pool_remove_dataset(x->m->c->patient, x->row.id, x->path, &x->removal);
}

/* The store is told by the next tick. */
static int take_deletion(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    (void)err;
    pingo__manager_chores_add(&((struct deletion *)chore)->m->done, chore);
    return 0;
}

/* ---- life --------------------------------------------------------------------------------- */

void pingo__manager_datasets_init(struct pingo__manager_datasets *m,
                                  struct pingo__manager_context *c)
{
    *m = (struct pingo__manager_datasets){.c = c, .reclaimer = {.c = c, .must_look = true}};
}

static bool is_held(const struct pingo__manager_datasets *m)
{
    return pingo__manager_asking_is_away(m->c) ||
           (m->held_until_ms && pingo__manager_elapsed_ms(m->c) < m->held_until_ms);
}

size_t pingo__manager_datasets_load(const struct pingo__manager_datasets *m)
{
    return m->queue.n + m->nhand;
}

bool pingo__manager_datasets_is_idle(const struct pingo__manager_datasets *m)
{
    return !m->nhand && (!m->queue.n || is_held(m)) &&
           pingo__manager_reclaimer_is_idle(&m->reclaimer);
}

static void free_all(struct pingo__manager_chores *chores)
{
    while (chores->n)
        free(pingo__manager_chores_take(chores));
}

/* ---- transitions: inside the transaction ---------------------------------------------------- */

/* *is_done (may be NULL): it was so still. */
static int change(const struct deletion *x, enum pingo_dataset_state from,
                  enum pingo_dataset_state to, bool *is_done, struct pingo_error *err)
{
    int64_t owner = x->m->c->owner;
    bool leaves_us = to == PINGO_DATASET_DELETED || to == PINGO_DATASET_STORED_TO_DELETE;
    bool is_back = to == PINGO_DATASET_STORED_TO_DELETE, is_gone = from == PINGO_DATASET_DELETING;
    struct pingo__store_dataset_row row = x->row;
    row.state = from;
    struct pingo__store_dataset_change c = {.row = &row,
                                            .to = to,
                                            .owner = leaves_us ? 0 : owner,
                                            .former =
                                                from == PINGO_DATASET_STORED_TO_DELETE ? 0 : owner,
                                            .unclaimed = !is_back && !is_gone};
    return pingo__store_dataset_change(x->m->c->db, &c, is_done, err);
}

/* What a deletor is through with. */
static int settle(struct pingo__manager_datasets *m, struct deletion *x, struct round *r,
                  struct pingo_error *err)
{
    const struct pingo__pool_removal *removal = &x->removal;
    struct pingo__store_db *db = m->c->db;
    bool is_done = false;
    int rc;
    x->wait_ms = 0;
    if (!removal->failed) {
        rc = change(x, PINGO_DATASET_DELETING, PINGO_DATASET_DELETED, &is_done, err);
        r->deleted += is_done;
        return rc ? rc : pingo__store_undeletable_forget(db, x->row.id, err);
    }
    r->read_only = r->read_only || removal->rest.read_only;
    char message[700];
    snprintf(message, sizeof message, "%s%s%s: %s", removal->name, *removal->rest.what ? "/" : "",
             removal->rest.what, removal->rest.why);
    rc = pingo__store_undeletable_note(db, x->row.id, message, &x->wait_ms, err);
    if (!rc && removal->in_trash)
        rc = pingo__store_object_set_path(db, x->row.object, removal->name, err);
    return rc ? rc : pingo__store_dataset_let_go(db, x->row.id, err);
}

static struct deletion *deletion_of(struct pingo__manager_datasets *m,
                                    const struct pingo__store_dataset_row *row)
{
    const char *path = row->managed && row->path ? row->path : "";
    struct deletion *x = calloc(1, sizeof *x + strlen(path) + 1);
    if (!x)
        return NULL;
    x->chore = (struct pingo__manager_chore){PINGO__DELETING, run_deletion, take_deletion, NULL};
    x->m = m;
    x->row = *row;
    x->row.path = NULL;
    x->row.size_bytes = row->size_bytes > 0 ? row->size_bytes : 0;
    x->removal.serial = m->c->pool->serial++;
    strcpy(x->path, path);
    return x;
}

/* What was found.  The scraper takes what is to go; what a deletor that died, or could not remove it, left DELETING is
 * adopted; what should be in our queue and is not goes back to where the scraper finds it. */
static int take_up(struct pingo__manager_datasets *m, const struct pingo__store_dataset_list *found,
                   struct round *r, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < found->n; i++) {
        enum pingo_dataset_state state = found->rows[i].state;
        struct deletion *x = deletion_of(m, &found->rows[i]);
        bool is_ours = false;
        if (!x)
            return pingo__fail_memory(err);
        if (state == PINGO_DATASET_STORED_TO_DELETE)
            rc = change(x, state, PINGO_DATASET_PROCESSING, &is_ours, err);
        else if (state == PINGO_DATASET_DELETING)
            rc = pingo__store_dataset_adopt(m->c->db, x->row.id, m->c->owner, &is_ours, err);
        else
            rc = change(x, state, PINGO_DATASET_STORED_TO_DELETE, NULL, err);
        if (is_ours)
            pingo__manager_chores_add(state == PINGO_DATASET_DELETING ? &r->adopted : &r->fresh,
                                      &x->chore);
        else /* somebody rescued or took it: the loser drops it */
            free(x);
    }
    return rc;
}

/* The deletor's first step.  Who was rescued is dropped; who is read by somebody has to wait anew; whose bytes
 * another generation has goes without them. */
static int take(struct pingo__manager_datasets *m, const struct pingo__manager_chores *queue,
                size_t *room, size_t *deleted, struct pingo_error *err)
{
    int rc = 0;
    for (struct pingo__manager_chore *i = queue->first; !rc && *room && i; i = i->next) {
        struct deletion *x = (struct deletion *)i;
        bool alone = true, is_done = false;
        rc = pingo__store_object_is_alone(m->c->db, x->row.id, &alone, err);
        if (!rc)
            rc = change(x, PINGO_DATASET_PROCESSING,
                        alone ? PINGO_DATASET_DELETING : PINGO_DATASET_DELETED, &is_done, err);
        x->verdict = is_done && alone ? TAKEN : DROPPED;
        *room -= x->verdict == TAKEN;
        *deleted += is_done && !alone;
        if (!rc && !is_done)
            rc = change(x, PINGO_DATASET_PROCESSING, PINGO_DATASET_STORED_TO_DELETE, NULL, err);
    }
    return rc;
}

static int apply(struct pingo__manager_datasets *m, struct round *r, struct pingo_error *err)
{
    size_t room = HAND_MAX - (m->nhand - m->done.n);
    int rc = pingo__store_db_begin(m->c->db, err);
    for (struct pingo__manager_chore *i = m->done.first; !rc && i; i = i->next)
        rc = settle(m, (struct deletion *)i, r, err);
    if (!rc)
        rc = take_up(m, &r->left, r, err);
    if (!rc)
        rc = take_up(m, &r->deletable, r, err);
    room -= r->adopted.n < room ? r->adopted.n : room;
    if (is_held(m) || r->read_only)
        room = 0;
    if (!rc)
        rc = take(m, &m->queue, &room, &r->deleted, err);
    if (!rc)
        rc = take(m, &r->fresh, &room, &r->deleted, err);
    return pingo__store_db_end(m->c->db, rc, err);
}

/* ---- after the commit --------------------------------------------------------------------------- */

static void warn(struct pingo__manager_datasets *m, const struct deletion *x, size_t *nwarned)
{
    const struct pingo__pool_removal *r = &x->removal;
    if (!r->failed ||
        pingo__manager_asking_note(m->c, r->rest.read_only ? PINGO_EAWAY : 0, r->rest.why) ||
        ++*nwarned > WARNINGS_MAX)
        return;
    pingo__manager_log(
        m->c, PINGO_LOG_WARNING,
        "%s/%s%s%s: cannot be deleted: %s; the %" PRId64
        " bytes of this dataset still count as used, and it is tried again in %" PRId64 " s",
        m->c->pool->place, r->name, *r->rest.what ? "/" : "", r->rest.what, r->rest.why,
        x->row.size_bytes, x->wait_ms / 1000);
}

static void give(struct pingo__manager_datasets *m, struct deletion *x)
{
    m->nhand++;
    m->c->removing_bytes += x->row.size_bytes;
    pingo__manager_workers_give(m->c->workers, &x->chore);
}

static void finish(struct pingo__manager_datasets *m, struct round *r)
{
    struct pingo__manager_chores rest = {NULL, NULL, 0};
    struct pingo__manager_chore *chore;
    size_t nwarned = 0;
    while ((chore = pingo__manager_chores_take(&m->done))) {
        struct deletion *x = (struct deletion *)chore;
        m->nhand--;
        m->c->removing_bytes -= x->row.size_bytes;
        m->c->removed_bytes += x->removal.failed ? 0 : x->row.size_bytes;
        warn(m, x, &nwarned);
        free(x);
    }
    if (nwarned > WARNINGS_MAX)
        pingo__manager_log(m->c, PINGO_LOG_WARNING, "%zu more datasets could not be deleted",
                           nwarned - WARNINGS_MAX);
    if (r->read_only)
        m->held_until_ms = pingo__manager_elapsed_ms(m->c) + HOLD_MS;
    while ((chore = pingo__manager_chores_take(&r->adopted)))
        give(m, (struct deletion *)chore);
    while ((chore = pingo__manager_chores_take(&r->fresh)))
        pingo__manager_chores_add(&m->queue, chore);
    while ((chore = pingo__manager_chores_take(&m->queue))) {
        struct deletion *x = (struct deletion *)chore;
        if (x->verdict == WAITS)
            pingo__manager_chores_add(&rest, chore);
        else if (x->verdict == TAKEN)
            give(m, x);
        else
            free(x);
    }
    m->queue = rest;
}

/* Nothing of the transaction was: the queue is as it was. */
static void forget(struct pingo__manager_datasets *m, struct round *r)
{
    free_all(&r->fresh);
    free_all(&r->adopted);
    r->deleted = 0;
    for (struct pingo__manager_chore *i = m->queue.first; i; i = i->next)
        ((struct deletion *)i)->verdict = WAITS;
}

/* ---- a tick --------------------------------------------------------------------------------------- */

/* Outside the lock: is there anything to do? */
static int look(struct pingo__manager_datasets *m, struct round *r, struct pingo_error *err)
{
    int64_t now = pingo__manager_elapsed_ms(m->c);
    size_t room = HAND_MAX > m->nhand ? HAND_MAX - m->nhand : 0;
    int rc = 0;
    if (m->queue.n + SCRAPE_AT_ONCE <= QUEUE_MAX)
        rc = pingo__store_dataset_list_deletable(m->c->db, &r->deletable, err);
    if (rc || !room || (m->looked_ms && now - m->looked_ms < LOOK_EVERY_MS))
        return rc;
    /* With empty hands nothing on its way out should be ours, unless a commit went another way than we heard. */
    r->left.limit = room;
    rc = pingo__store_dataset_list_left(m->c->db, m->nhand || m->queue.n ? -1 : m->c->owner,
                                        pingo__manager_now_ms(m->c), &r->left, err);
    m->looked_ms = rc || r->left.n == room ? 0 : now;
    m->reclaimer.must_look = m->reclaimer.must_look || r->left.n > 0;
    return rc;
}

int pingo__manager_datasets_tick(struct pingo__manager_datasets *m, bool scrape, size_t *deleted,
                                 struct pingo_error *err)
{
    struct round r = {.deletable = {.arena = &r.arena, .limit = SCRAPE_AT_ONCE},
                      .left = {.arena = &r.arena}};
    *deleted = 0;
    int rc = pingo__manager_workers_collect(m->c->workers, PINGO__DELETING, err);
    if (!rc && scrape)
        rc = look(m, &r, err);
    bool may_take = m->queue.n && m->nhand <= HAND_MAX / 2 && !is_held(m);
    if (!rc && (m->done.n || r.deletable.n || r.left.n || may_take)) {
        rc = apply(m, &r, err);
        if (rc)
            forget(m, &r);
        else
            finish(m, &r);
        *deleted = r.deleted;
    }
    pingo__arena_clear(&r.arena);
    return rc ? rc : pingo__manager_reclaimer_tick(&m->reclaimer, err);
}

/* What nobody will take from the queue goes back; others may have more luck. */
static void give_back(struct pingo__manager_datasets *m)
{
    int rc = pingo__store_db_begin(m->c->db, NULL);
    if (rc)
        return;
    for (struct pingo__manager_chore *i = m->queue.first; !rc && i; i = i->next)
        rc = change((struct deletion *)i, PINGO_DATASET_PROCESSING, PINGO_DATASET_STORED_TO_DELETE,
                    NULL, NULL);
    pingo__store_db_end(m->c->db, rc, NULL);
}

void pingo__manager_datasets_close(struct pingo__manager_datasets *m)
{
    struct pingo_error why = {0};
    int rc = 0;
    if (!m->c->workers)
        return;
    while (!rc && !pingo__manager_datasets_is_idle(m)) {
        size_t deleted;
        rc = pingo__manager_datasets_tick(m, false, &deleted, &why);
        if (!rc && !pingo__manager_datasets_is_idle(m))
            pingo__manager_workers_wait(m->c->workers, 1000);
    }
    if (rc) /* the rows stay as they are, and are taken over */
        pingo__manager_log(m->c, PINGO_LOG_WARNING, "%s", why.message);
    else if (m->queue.n)
        give_back(m);
    do
        pingo__manager_workers_finish(m->c->workers, PINGO__DELETING, NULL);
    while (m->reclaimer.nhand);
    free_all(&m->done);
    free_all(&m->queue);
    pingo__manager_reclaimer_clear(&m->reclaimer);
}
