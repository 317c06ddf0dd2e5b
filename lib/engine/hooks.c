/* hooks.c - see hooks.h. */
#include "engine/hooks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/times.h"
#include "base/writer.h"
#include "engine/engine.h"
#include "manager/workers.h"
#include "store/hooks.h"

#define HAND_MOST 4
#define LOOK_MS 200
#define TRIES_MOST 5
#define LEASE_MORE_MS 60000 /* behind the end of a try, before others take it from one who lives */

struct delivery {
    struct pingo__manager_chore chore; /* the first member */
    struct pingo__engine_hooks *hooks;
    struct pingo__arena arena; /* holds the rest: */
    struct pingo__store_hook_row row;
    struct pingo__engine_hook_try try;
    int64_t retry_ms;
    enum pingo__engine_hook_result result;
    struct pingo_error message;
};

/* ---- what is told ------------------------------------------------------------------------------------ */

static void put_time(struct pingo__writer *w, const char *key, int64_t ms)
{
    char text[PINGO__TIMES_SIZE];
    pingo__writer_text(w, key, ms >= 0 ? pingo__times_print(text, ms) : NULL);
}

static int write_body(struct delivery *d, struct pingo_error *err)
{
    struct pingo_workflow_status s;
    struct pingo__writer w = {0};
    int rc = pingo__store_workflow_status(d->hooks->c->db, d->row.told.workflow, &d->arena, &s, err);
    if (rc)
        return rc;
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&w, "event", "workflow.ended");
    pingo__writer_text(&w, "id", d->try.id);
    pingo__writer_text(&w, "store", d->hooks->c->store_id);
    pingo__writer_int(&w, "workflow", d->row.told.workflow);
    pingo__writer_text(&w, "name", s.name);
    pingo__writer_text(&w, "state", pingo_workflow_state_name(s.state));
    pingo__writer_text(&w, "user", s.user);
    pingo__writer_text(&w, "tag", s.tag);
    put_time(&w, "submitted", s.submitted_ms);
    put_time(&w, "ended", s.ended_ms);
    pingo__writer_int(&w, "actionCount", (int64_t)s.actions);
    pingo__writer_open(&w, "counts", PINGO__WRITER_OBJECT);
    pingo__writer_int(&w, "finished", (int64_t)s.finished);
    pingo__writer_int(&w, "failed", (int64_t)s.failed);
    pingo__writer_int(&w, "reused", (int64_t)s.summary.reuse);
    pingo__writer_int(&w, "skipped", (int64_t)s.summary.skip);
    pingo__writer_close(&w);
    pingo__writer_close(&w);
    const char *text = pingo__buffer_cstr(&w.out);
    d->try.body = text ? pingo__arena_text(&d->arena, text, strlen(text)) : NULL;
    pingo__writer_clear(&w);
    return d->try.body ? 0 : pingo__fail_memory(err);
}

static int read_settings(struct delivery *d, struct pingo_error *err)
{
    struct pingo_store *store = d->hooks->store;
    char *hosts = NULL;
    int64_t limit_s = 0, retry_s = 0;
    int rc = pingo__engine_setting_number(store, "hook.seconds", &limit_s, err);
    if (!rc)
        rc = pingo__engine_setting_number(store, "hook.retrySeconds", &retry_s, err);
    if (!rc)
        rc = pingo_store_get(store, "hook.hosts", &hosts, err);
    if (!rc) /* "none" is no host */
        d->try.hosts = pingo__arena_format(&d->arena, "%s", strcmp(hosts, "none") == 0 ? "" : hosts);
    if (!rc && !d->try.hosts)
        rc = pingo__fail_memory(err);
    d->try.limit_ms = limit_s * 1000;
    d->retry_ms = retry_s * 1000;
    free(hosts);
    return rc;
}

/* ---- one ---------------------------------------------------------------------------------------------- */

static void do_try(struct pingo__manager_chore *chore)
{
    struct delivery *d = (struct delivery *)chore;
    d->result = pingo__engine_hook_do(&d->try, &d->message);
}

static void free_delivery(struct delivery *d)
{
    struct pingo__arena arena = d->arena;
    pingo__arena_clear(&arena);
    free(d);
}

/* What the row is after this try. */
static void judge(struct delivery *d, int64_t now_ms)
{
    struct pingo_hook *hook = &d->row.told;
    bool is_done = d->result == PINGO__HOOK_DONE;
    bool is_over = is_done || d->result == PINGO__HOOK_REFUSED ||
                   (d->result == PINGO__HOOK_FAILED && hook->tries >= TRIES_MOST);
    int64_t pause_ms = d->result == PINGO__HOOK_CUT ? 0 : d->retry_ms << (hook->tries - 1);
    hook->state = is_done   ? PINGO_HOOK_DELIVERED
                  : is_over ? PINGO_HOOK_GIVEN_UP
                            : PINGO_HOOK_PENDING;
    hook->done_ms = is_over ? now_ms : -1;
    hook->due_ms = now_ms + (is_over ? 0 : pause_ms);
    hook->message = is_done ? "" : d->message.message;
    hook->tries -= d->result == PINGO__HOOK_CUT; /* that was none: we leave */
}

static int settle(struct pingo__manager_chore *chore, struct pingo_error *err)
{
    struct delivery *d = (struct delivery *)chore;
    struct pingo__manager_context *c = d->hooks->c;
    const int64_t taken = d->row.told.tries;
    judge(d, pingo__manager_now_ms(c));
    int rc = pingo__store_db_begin(c->db, err);
    if (!rc)
        rc = pingo__store_hook_settle(c->db, &d->row, taken, err);
    rc = pingo__store_db_end(c->db, rc, err);
    /* Behind a host may stand a secret by which the receiver knows us. */
    struct pingo__engine_hook_place place;
    bool is_url =
        d->row.told.way == PINGO_HOOK_URL && !pingo__engine_hook_place(d->row.told.target, &place);
    if (d->row.told.state == PINGO_HOOK_GIVEN_UP)
        pingo__manager_log(c, PINGO_LOG_WARNING,
                           "hook.%s could not be told of the end of workflow %" PRId64 ": %s: %s",
                           pingo_hook_way_name(d->row.told.way), d->row.told.workflow,
                           is_url ? place.server : d->row.told.target, d->message.message);
    d->hooks->nhand--;
    free_delivery(d);
    return rc;
}

static int take(struct delivery *d, const struct pingo__store_hook_row *row, bool *is_ours,
                struct pingo_error *err)
{
    struct pingo__manager_context *c = d->hooks->c;
    d->row = *row;
    d->try.target = pingo__arena_format(&d->arena, "%s", row->told.target);
    d->try.id = pingo__arena_format(&d->arena, "%s-%" PRId64, c->store_id, row->told.number);
    if (!d->try.target || !d->try.id)
        return pingo__fail_memory(err);
    d->row.told.target = d->try.target;
    d->row.told.message = "";
    d->try.way = row->told.way;
    d->try.leaves = &d->hooks->leaves;
    int rc = read_settings(d, err);
    if (!rc)
        rc = write_body(d, err);
    if (!rc)
        rc = pingo__store_db_begin(c->db, err);
    if (rc)
        return rc;
    d->row.owner = c->owner;
    d->row.told.due_ms = pingo__manager_now_ms(c) + d->try.limit_ms + LEASE_MORE_MS;
    rc = pingo__store_hook_take(c->db, &d->row, is_ours, err);
    d->row.told.tries++;
    return pingo__store_db_end(c->db, rc, err);
}

static int give(struct pingo__engine_hooks *h, const struct pingo__store_hook_row *row,
                struct pingo_error *err)
{
    struct delivery *d = calloc(1, sizeof *d);
    bool is_ours = false;
    if (!d)
        return pingo__fail_memory(err);
    d->chore = (struct pingo__manager_chore){PINGO__TELLING, do_try, settle, NULL};
    d->hooks = h;
    int rc = take(d, row, &is_ours, err);
    if (rc || !is_ours) {
        free_delivery(d);
        return rc;
    }
    h->nhand++;
    pingo__manager_workers_give(h->c->workers, &d->chore);
    return 0;
}

/* ---- all ---------------------------------------------------------------------------------------------- */

static int give_due(struct pingo__engine_hooks *h, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_hook_list list = {.arena = &arena};
    int rc = 0;
    if (h->nhand < HAND_MOST)
        rc = pingo__store_hook_list_due(h->c->db, pingo__manager_now_ms(h->c),
                                        (int64_t)(HAND_MOST - h->nhand), &list, err);
    for (size_t i = 0; !rc && i < list.n; i++)
        rc = give(h, &list.rows[i], err);
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__engine_hooks_tick(struct pingo__engine_hooks *h, struct pingo_error *err)
{
    int64_t now_ms = pingo__manager_elapsed_ms(h->c);
    int rc = h->nhand ? pingo__manager_workers_collect(h->c->workers, PINGO__TELLING, err) : 0;
    if (rc || (h->looked_ms && now_ms - h->looked_ms < LOOK_MS))
        return rc;
    h->looked_ms = now_ms ? now_ms : 1;
    return give_due(h, err);
}

/* What is due now, however much that is, a few at a time; what fails meanwhile is another's to try again. */
int pingo__engine_hooks_finish(struct pingo__engine_hooks *h, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_hook_list list = {.arena = &arena};
    size_t given = 0;
    int rc =
        pingo__store_hook_list_due(h->c->db, pingo__manager_now_ms(h->c), INT64_MAX, &list, err);
    while (!rc && (given < list.n || h->nhand)) {
        if (given < list.n && h->nhand < HAND_MOST) {
            rc = give(h, &list.rows[given++], err);
            continue;
        }
        pingo__manager_workers_wait(h->c->workers, LOOK_MS);
        rc = pingo__manager_workers_collect(h->c->workers, PINGO__TELLING, err);
    }
    pingo__arena_clear(&arena);
    return rc;
}

void pingo__engine_hooks_close(struct pingo__engine_hooks *h)
{
    atomic_store(&h->leaves, true);
    if (h->nhand)
        pingo__manager_workers_finish(h->c->workers, PINGO__TELLING, NULL);
}
