/* feed.c - see feed.h. */
#include "store/feed.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"

enum { ONE_BY_ONE = 256, RING = 200000, TRIM = 4096, LEAST_BYTES = 11 };

/* ---- noting ------------------------------------------------------------------------------- */

/* Once for each submission; and where these are too many, once for all. */
static void note_many(struct pingo__store_db *db, int64_t workflow)
{
    for (size_t i = 0; i < db->nnoted; i++)
        if (db->noted[i].workflow == workflow || db->noted[i].workflow < 0)
            return;
    if (db->nnoted == ONE_BY_ONE) {
        db->nnoted = 0;
        workflow = -1;
    }
    db->noted[db->nnoted++] =
        (struct pingo_event){.kind = PINGO_EVENT_MANY, .workflow = workflow, .id = -1};
}

static void fold(struct pingo__store_db *db)
{
    size_t n = db->nnoted;
    db->are_many = true;
    db->nnoted = 0; /* what is written stands before what is read */
    for (size_t i = 0; i < n; i++)
        note_many(db, db->noted[i].workflow);
}

static int note(struct pingo__store_db *db, const struct pingo_event *event, struct pingo_error *err)
{
    if (!db->are_many && db->nnoted == ONE_BY_ONE)
        fold(db);
    if (db->are_many) {
        note_many(db, event->workflow);
        return 0;
    }
    if (!PINGO__ARRAY_ROOM(db->noted, db->cnoted, db->nnoted, 1))
        return pingo__fail_memory(err);
    db->noted[db->nnoted++] = *event;
    return 0;
}

int pingo__store_db_note(struct pingo__store_db *db, const struct pingo_event *event,
                         struct pingo_error *err)
{
    int rc = note(db, event, err);
    if (rc || !db->on_event)
        return rc;
    if (!PINGO__ARRAY_ROOM(db->events, db->cevents, db->nevents, 1))
        return pingo__fail_memory(err);
    struct pingo_event *told = &db->events[db->nevents++];
    *told = *event;
    if (event->name)
        told->name = pingo__arena_text(&db->events_arena, event->name, strlen(event->name));
    return event->name && !told->name ? pingo__fail_memory(err) : 0;
}

int pingo__store_db_note_workflow(struct pingo__store_db *db, int64_t workflow, int from, int to,
                                  struct pingo_error *err)
{
    struct pingo_event event = {
        .kind = PINGO_EVENT_WORKFLOW, .workflow = workflow, .from = from, .to = to, .id = -1};
    return pingo__store_db_note(db, &event, err);
}

/* ---- bytes -------------------------------------------------------------------------------- */

static void put_event(struct pingo__buffer *b, const struct pingo_event *e)
{
    pingo__buffer_u8(b, (uint8_t)e->kind);
    pingo__buffer_u8(b, (uint8_t)e->from);
    pingo__buffer_u8(b, (uint8_t)e->to);
    pingo__buffer_u64(b, (uint64_t)e->workflow);
    if (e->kind != PINGO_EVENT_ACTION && e->kind != PINGO_EVENT_DATASET)
        return;
    pingo__buffer_u64(b, (uint64_t)e->epoch);
    pingo__buffer_append(b, e->hash.bytes, sizeof e->hash.bytes);
    if (e->kind == PINGO_EVENT_DATASET)
        return;
    pingo__buffer_u64(b, (uint64_t)e->action);
    pingo__buffer_u64(b, (uint64_t)e->id);
}

static struct pingo_event get_event(struct pingo__buffer_reader *r)
{
    struct pingo_event e = {.id = -1};
    e.kind = (enum pingo_event_kind)pingo__buffer_read_u8(r);
    e.from = pingo__buffer_read_u8(r);
    e.to = pingo__buffer_read_u8(r);
    e.workflow = (int64_t)pingo__buffer_read_u64(r);
    if (e.kind != PINGO_EVENT_ACTION && e.kind != PINGO_EVENT_DATASET)
        return e;
    e.epoch = (int64_t)pingo__buffer_read_u64(r);
    const char *hash = pingo__buffer_read_bytes(r, sizeof e.hash.bytes);
    if (hash)
        memcpy(e.hash.bytes, hash, sizeof e.hash.bytes);
    if (e.kind == PINGO_EVENT_DATASET)
        return e;
    e.action = (int64_t)pingo__buffer_read_u64(r);
    e.id = (int64_t)pingo__buffer_read_u64(r);
    return e;
}

int pingo__store_feed_read(const struct pingo__store_feed_row *row, struct pingo__arena *arena,
                           struct pingo_event **events, size_t *n, struct pingo_error *err)
{
    struct pingo__buffer_reader r = {.data = row->events, .length = row->size};
    *events = pingo__arena_array(arena, row->size / LEAST_BYTES + 1, sizeof **events);
    if (!*events)
        return pingo__fail_memory(err);
    for (*n = 0; r.at < r.length && !r.failed;)
        (*events)[(*n)++] = get_event(&r);
    return r.failed ? pingo__fail(err, PINGO_ECORRUPT, "the database is damaged: a row of the feed")
                    : 0;
}

/* ---- rows --------------------------------------------------------------------------------- */

#define ROW(F, T) F(T, INT, id, "id") F(T, INT, at_ms, "at_ms") F(T, BYTES, events, "events")
PINGO__KIND(rows, struct pingo__store_feed_row, ROW);

int pingo__store_feed_save(struct pingo__store_db *db, struct pingo_error *err)
{
    int64_t n = (int64_t)db->nnoted;
    struct pingo__buffer *b = &db->feed_bytes;
    if (!n)
        return 0;
    pingo__buffer_reset(b);
    for (int64_t i = 0; i < n; i++)
        put_event(b, &db->noted[i]);
    if (b->failed)
        return pingo__fail_memory(err);
    int rc = pingo__db_write(db, err,
                             "INSERT INTO feed(id, at_ms, events) VALUES("
                             "coalesce((SELECT max(id) FROM feed), 0) + ?1, ?2, ?3)",
                             INT(n), INT(pingo__store_db_now_ms(db)), BLOB(b->data, b->length));
    int64_t last = rc ? 0 : sqlite3_last_insert_rowid(db->sqlite);
    db->change = last;
    if (last / TRIM != (last - n) / TRIM)
        rc = pingo__db_write(db, err, "DELETE FROM feed WHERE id <= ?1", INT(last - RING));
    return rc;
}

int pingo__store_feed_leap(struct pingo__store_db *db, int64_t number, struct pingo_error *err)
{
    db->change = number;
    return pingo__db_write(db, err, "INSERT INTO feed(id, at_ms, events) VALUES(?1, ?2, x'')",
                           INT(number), INT(pingo__store_db_now_ms(db)));
}

PINGO__LIST(pingo__store_feed_list(DB, int64_t after, int64_t n,
                                   struct pingo__store_feed_list *list, ERR),
            rows, list, PINGO__SELECT(ROW) " FROM feed WHERE id > ? ORDER BY id LIMIT ?",
            INT(after), INT(n));
