/* events.c - what changes, as it does: an event stream (HTML standard, 9.2) over the store's feed.
 *
 * The newest changes are read once for all streams.  A stream that asks for older ones, because it is resumed, reads
 * for itself until it has caught up.  Of what changed since it was told something an object is told once, as it is
 * now. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/world.h"
#include "serve/work/counts.h"
#include "serve/work/work.h"

#define NKEPT 4096 /* changes: of some seconds, and what one message may tell */

/* All changes above from, up to to. */
static struct {
    pthread_mutex_t mutex;
    struct pingo_change changes[NKEPT];
    size_t first, n;
    int64_t from, to; /* to -1: nobody has looked yet */
} kept = {.mutex = PTHREAD_MUTEX_INITIALIZER, .to = -1};

struct stream {
    int64_t at, workflow; /* workflow 0: of all */
    unsigned kinds;       /* 1u << PINGO_EVENT_*; 0: all */
    bool has_begun;
};

/* What a stream is told now. */
struct batch {
    const struct stream *stream;
    struct pingo__arena *arena;
    struct pingo_change *changes;
    size_t n, capacity;
    bool lacks_memory;
};

static const char *kind_name(int kind)
{
    static const char *const names[] = {NULL, "action", "dataset", "workflow", "reset"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

/* ---- what there is ------------------------------------------------------------------------------- */

static int keep(void *context, const struct pingo_change *change)
{
    (void)context;
    if (kept.n == NKEPT) {
        kept.from = kept.changes[kept.first].number;
        kept.first = (kept.first + 1) % NKEPT;
        kept.n--;
    }
    kept.changes[(kept.first + kept.n++) % NKEPT] = *change;
    return 0;
}

static bool is_wanted(const struct stream *s, const struct pingo_event *e)
{
    if (e->kind == PINGO_EVENT_MANY)
        return s->workflow == 0 || e->workflow == s->workflow || e->workflow < 0;
    return (s->kinds == 0 || (s->kinds & 1u << e->kind) != 0) &&
           (s->workflow == 0 || e->workflow == s->workflow);
}

static int add(void *context, const struct pingo_change *change)
{
    struct batch *b = context;
    if (!is_wanted(b->stream, &change->event))
        return 0;
    b->lacks_memory = !PINGO__ARENA_ROOM(b->arena, b->changes, b->n, b->capacity);
    if (!b->lacks_memory)
        b->changes[b->n++] = *change;
    return b->lacks_memory || b->n == NKEPT;
}

/* Reads what is new since somebody looked. */
static int look(struct serve_worker *w)
{
    int64_t newest = -1;
    bool is_first = kept.to < 0;
    int rc = pingo_store_changes(w->store, &newest, &w->err);
    bool is_new = rc == 0 && newest != kept.to;
    if (is_new)
        rc = pingo_store_follow(w->store, &kept.to, keep, NULL, &w->err);
    if (is_first)
        kept.from = kept.to;
    else if (is_new && kept.n > 0)
        w->serve->counts->lag_ms =
            pingo__world_wall_ms() - kept.changes[(kept.first + kept.n - 1) % NKEPT].at_ms;
    return rc;
}

/* What the stream has not been told, of what is kept; *is_behind: it wants what is not, or was told what this store,
 * which was put back from a backup, has yet to see. */
static int take_kept(struct serve_worker *w, struct stream *s, struct batch *b, bool *is_behind)
{
    pthread_mutex_lock(&kept.mutex);
    int rc = look(w);
    if (s->at < 0)
        s->at = kept.to;
    *is_behind = s->at < kept.from || s->at > kept.to;
    for (size_t i = kept.n; rc == 0 && !*is_behind && i-- > 0;) {
        const struct pingo_change *c = &kept.changes[(kept.first + i) % NKEPT];
        if (c->number <= s->at || (add(b, c) && b->lacks_memory))
            break;
    }
    if (rc == 0 && !*is_behind)
        s->at = kept.to;
    pthread_mutex_unlock(&kept.mutex);
    return rc;
}

static int take(struct serve_worker *w, struct stream *s, struct batch *b)
{
    bool is_behind;
    int rc = take_kept(w, s, b, &is_behind);
    if (rc != 0 || !is_behind)
        return rc;
    rc = pingo_store_follow(w->store, &s->at, add, b, &w->err);
    return b->n == NKEPT ? 0 : rc; /* the rest comes with the next message */
}

/* ---- what is told -------------------------------------------------------------------------------- */

/* By what they are of. */
static int compare(const struct pingo_event *e, const struct pingo_event *f)
{
    return e->kind != f->kind           ? (int)e->kind - (int)f->kind
           : e->workflow != f->workflow ? (e->workflow > f->workflow) - (e->workflow < f->workflow)
           : e->kind == PINGO_EVENT_DATASET ? memcmp(&e->hash, &f->hash, sizeof e->hash)
                                            : (e->id > f->id) - (e->id < f->id);
}

static int by_object(const void *a, const void *b)
{
    const struct pingo_change *x = a, *y = b;
    int order = compare(&x->event, &y->event);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* An event of each kind, with all objects of it. */
static void tell(struct serve_answer *answer, const struct stream *s, struct batch *b)
{
    if (b->n > 0)
        qsort(b->changes, b->n, sizeof *b->changes, by_object);
    for (size_t i = 0; i < b->n;) {
        int kind = (int)b->changes[i].event.kind;
        struct pingo__writer w = {0};
        char id[24];
        pingo__writer_open(&w, NULL, PINGO__WRITER_ARRAY);
        for (; i < b->n && (int)b->changes[i].event.kind == kind; i++)
            if (i + 1 == b->n || compare(&b->changes[i].event, &b->changes[i + 1].event) != 0)
                pingo__view_object(&w, NULL, &pingo__view_change,
                                   &(struct pingo__view_change){b->changes[i], NULL});
        pingo__writer_close(&w);
        /* The number stands with the last, so that a stream that breaks between them is told all again. */
        snprintf(id, sizeof id, "%" PRId64, s->at);
        serve_event(answer, i == b->n ? id : NULL, kind_name(kind), w.out.data,
                    w.out.length > 0 ? w.out.length - 1 : 0);
        answer->body.failed = answer->body.failed || w.out.failed;
        pingo__writer_clear(&w);
    }
}

static void tell_begin(struct serve_answer *answer, const struct stream *s)
{
    char id[24], data[48];
    snprintf(id, sizeof id, "%" PRId64, s->at);
    int n = snprintf(data, sizeof data, "{\"number\":%" PRId64 "}", s->at);
    pingo__buffer_text(&answer->body, "retry: 1000\n");
    serve_event(answer, id, "begin", data, (size_t)n);
}

/* ---- the handler --------------------------------------------------------------------------------- */

static struct stream *begin(struct serve_ask *ask)
{
    const char *last = serve_asked(ask->request, "last-event-id");
    struct stream s = {.at = -1, .kinds = serve_ask_names(ask, "kind", kind_name, 1)};
    if (serve_query(ask->request, "workflow"))
        s.workflow = serve_ask_number(ask, "workflow", (struct serve_range){1, INT64_MAX, 0});
    if (last && !pingo__text_to_int64(last, 0, INT64_MAX, &s.at))
        s.at = -1; /* not one of ours: it begins now */
    struct stream *stream = ask->is_wrong ? NULL : malloc(sizeof s);
    if (stream)
        *stream = s;
    else if (!ask->is_wrong)
        serve_refuse(ask->answer, 503, "out of memory");
    return stream;
}

void serve_api_events(struct serve_ask *ask)
{
    struct stream *s = ask->request->state ? ask->request->state : begin(ask);
    struct batch b = {.stream = s, .arena = ask->arena};
    if (!s)
        return;
    ask->answer->state = s;
    ask->answer->drop = free;
    ask->answer->type = "text/event-stream";
    serve_end(ask, take(ask->worker, s, &b));
    if (!ask->is_wrong && b.lacks_memory)
        serve_refuse(ask->answer, 503, "out of memory");
    if (ask->is_wrong || b.lacks_memory)
        return;
    if (!s->has_begun)
        tell_begin(ask->answer, s);
    s->has_begun = true;
    tell(ask->answer, s, &b);
    ask->answer->next = SERVE_STREAM;
    ask->answer->on_change = b.n < NKEPT;
}
