/* failed.h - 400 attempts, of which two thirds failed. */
#ifndef TEST_ENGINE_LOOK_FAILED_H
#define TEST_ENGINE_LOOK_FAILED_H

#include "unit/engine/box.h"

#define DAY INT64_C(86400000)
#define HALF INT64_C(1800000)
#define DAY_OF " ended_ms >= %lld AND ended_ms < %lld"

static inline int64_t number(struct box *b, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int64_t n = -1;
    assert_int_equal(sqlite3_prepare_v2(b->store->db.sqlite, sql, -1, &stmt, NULL), SQLITE_OK);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        n = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return n;
}

struct got {
    struct box *b;
    const char *and;
    int64_t rows, failed, ended, last_ms, epoch;
    bool wrong;
};

/* 400 attempts, one each nine minutes, the last one now; a third of them did not fail. */
static inline int64_t fill(struct box *b)
{
    static const char sql[] =
        "INSERT INTO error(id, digest, category, reason, text) VALUES(32, randomblob(32), 1, 0,"
        " 'one'), (33, randomblob(32), 5, 0, 'two');"
        "WITH RECURSIVE i(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < 399)"
        " INSERT INTO attempt(action, epoch, executor, host, owner, state, reason, exit_code,"
        " handed_ms, started_ms, ended_ms, wall_ms, user_ms, system_ms, error)"
        " SELECT 1, 1000 + i, iif(i %% 2, 'e1', 'e2'), 'n' || (i %% 5), 1, 3, 0, iif(i %% 3, 1, 0),"
        " t - 900, t - 500, t, 500, 3, 4, iif(i %% 3, 31 + i %% 3, 0)"
        " FROM (SELECT i, %lld - i * 540000 AS t FROM i);";
    struct pingo_fsck_options options = {.version = 1, .repair = true};
    struct pingo_error err;
    char text[sizeof sql + 40];
    bool clean = false;
    int64_t now = b->store->db.world->now_ns(b->store->db.world->context) / 1000000;
    box_submit(b, W(A(1, "")));
    snprintf(text, sizeof text, sql, (long long)now);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(sqlite3_exec(b->store->db.sqlite, text, NULL, NULL, NULL), SQLITE_OK);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    well(pingo_store_fsck(b->store, &options, &clean, &err), &err);
    well(pingo_store_fsck(b->store, &options, &clean, &err), &err);
    assert_true(clean);
    return now / DAY * DAY - DAY;
}

static inline int count_steps(void *context)
{
    ++*(int64_t *)context;
    return 0;
}

#endif
