/* months.h - a store with month files, and the files as somebody sees them who knows SQLite and not Pingo. */
#ifndef TEST_STORE_MONTHS_H
#define TEST_STORE_MONTHS_H

#include "unit/store/rows.h"

#include <sys/stat.h>

#include <pingo/archive.h>

#include "store/archive/archive_file.h"

/* Moves what has ended; a file of more than part_bytes gets no more (0: as usual).  How many submissions. */
static inline int64_t months_move(struct box *b, int64_t part_bytes, bool seal)
{
    struct pingo_archive_options options = {
        .version = 1, .before_ms = INT64_MAX, .part_bytes = part_bytes, .seal = seal};
    struct pingo_archived done = {.size = sizeof done};
    struct pingo_error err;

    well(pingo_store_archive(b->store, &options, &done, &err), &err);
    return done.workflows;
}

/* The same by another handle: what this one reads goes on. */
static inline void months_move_beside(const struct box *b, bool seal)
{
    struct box beside = *b;
    struct pingo_error err;

    well(pingo_store_open(b->dir, NULL, &beside.store, &err), &err);
    months_move(&beside, 0, seal);
    pingo_store_close(beside.store);
}

/* A finished submission of three actions, whose attempts lie in a month file. */
static inline struct box *months_box(bool seal)
{
    struct box *b = box_new();

    box_submit(b, FAN);
    box_finish_all(b);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(months_move(b, 0, seal), 1);
    return b;
}

/* One more submission, of one action, which has finished. */
static inline void months_finish(struct box *b, int i)
{
    char text[400];

    snprintf(text, sizeof text,
             "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"a\",\"type\":\"command-line\","
             "\"command\":\"echo %d\"}]}",
             i);
    box_submit(b, text);
    box_finish_all(b);
}

static inline struct pingo__store_archive_row months_row(struct box *b, int64_t id,
                                                         struct pingo__arena *arena)
{
    struct pingo__store_archive_row row;
    struct pingo_error err;

    well(pingo__store_archive_row(&b->store->db, id, arena, &row, &err), &err);
    return row;
}

static inline const char *months_path(struct box *b, int64_t id, struct pingo__arena *arena)
{
    return pingo__store_archive_path(&b->store->db, arena, months_row(b, id, arena).name);
}

/* The first file; closed, nothing of it lies beside it. */
static inline sqlite3 *months_file(struct box *b)
{
    struct pingo__arena arena = {0};
    const char *path = months_path(b, 1, &arena);
    sqlite3 *file;

    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(sqlite3_open(path, &file), SQLITE_OK);
    pingo__arena_clear(&arena);
    return file;
}

static inline void months_run(sqlite3 *file, const char *sql)
{
    if (sqlite3_exec(file, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(file));
}

/* Changes the first file behind the store's back. */
static inline void months_change(struct box *b, const char *sql)
{
    sqlite3 *file = months_file(b);

    months_run(file, sql);
    sqlite3_close(file);
}

enum { MONTHS_SAID = 900 };
/* A pingo__store_archive_tell_fn whose context is char[MONTHS_SAID]. */
static inline int months_note(void *context, const char *object, const char *message,
                              struct pingo_error *err)
{
    char *said = context;

    UNUSED(err);
    snprintf(said + strlen(said), MONTHS_SAID - strlen(said), "%s %s\n", object, message);
    return 0;
}

/* So many attempts of a submission are told, wherever they are. */
static inline int months_count(void *context, const struct pingo_attempt *attempt)
{
    UNUSED(attempt);
    ++*(int64_t *)context;
    return 0;
}
static inline int64_t months_attempts(struct box *b, int64_t workflow)
{
    struct pingo_attempt_query query = {.version = 1, .workflow = workflow};
    struct pingo_error err;
    int64_t n = 0;

    well(pingo_store_attempts(b->store, &query, months_count, &n, &err), &err);
    return n;
}

#endif
