/* rows.h - a store whose rows are looked at and changed by hand, in one transaction that is never committed. */
#ifndef TEST_STORE_ROWS_H
#define TEST_STORE_ROWS_H

#include "unit/engine/box.h"

/* a1 and a2, and a3, which reads both. */
#define FAN W(A(1, "") "," A(2, "") "," A(3, P(FROM(1) "," FROM(2))))

/* A box in a write transaction. */
static inline struct box *rows_begin(struct box *b)
{
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    return b;
}

/* The same, of a submission of this text; NULL: of none. */
static inline struct box *rows_new(const char *text)
{
    struct box *b = box_new();

    if (text)
        box_submit(b, text);
    return rows_begin(b);
}

static inline void rows_close(struct box *b)
{
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

static inline void rows_run(struct box *b, const char *sql)
{
    if (sqlite3_exec(b->store->db.sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(b->store->db.sqlite));
}

/* Counts the rows that an each function tells, and stops where it is told to. */
struct rows_count {
    int n, stop_at; /* 0: never */
};
static inline int rows_tell(void *context, const void *row, struct pingo_error *err)
{
    struct rows_count *count = context;

    UNUSED(row);
    UNUSED(err);
    return ++count->n == count->stop_at ? 1 : 0;
}

#endif
