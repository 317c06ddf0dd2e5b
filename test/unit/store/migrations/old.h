/* old.h - databases as older versions of Pingo left them (test/data/store-*), opened by this one. */
#ifndef TEST_STORE_OLD_H
#define TEST_STORE_OLD_H

#include "unit/engine/box.h"

#include "store/migrations/migrations.h"

static const char *const old_stores[] = {"store-0.1/pingo.sql", "store-0.2/store.sql",
                                         "store-5/store.sql"};

struct old {
    char root[64];
    sqlite3 *file; /* as it is before anybody of this version has seen it */
};

static inline void old_run(const struct old *o, const char *sql)
{
    if (sqlite3_exec(o->file, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(o->file));
}

static inline void old_make(struct old *o, const char *name)
{
    char path[200];

    strcpy(o->root,
           access("/dev/shm", W_OK) == 0 ? "/dev/shm/pingo-unit-XXXXXX" : "/tmp/pingo-unit-XXXXXX");
    assert_non_null(mkdtemp(o->root));
    snprintf(path, sizeof path, "%s/pingo.db", o->root);
    assert_int_equal(sqlite3_open(path, &o->file), SQLITE_OK);
    assert_int_equal(chmod(path, 0600), 0);
    snprintf(path, sizeof path, "test/data/%s", name);
    FILE *sql = fopen(path, "r");
    assert_non_null(sql);
    char *text = NULL;
    size_t size = 0;
    assert_true(getdelim(&text, &size, '\0', sql) > 0);
    fclose(sql);
    old_run(o, text);
    free(text);
}

/* Opens it, which migrates it; the file is closed. */
static inline int old_open(struct old *o, struct pingo__store_db *db, struct pingo_error *err)
{
    assert_int_equal(sqlite3_close(o->file), SQLITE_OK);
    o->file = NULL;
    return pingo__store_db_open(db, o->root, 0, err);
}

static inline void old_remove(struct old *o)
{
    sqlite3_close(o->file);
    box_remove(o->root);
}

static inline int64_t old_number(struct pingo__store_db *db, const char *sql)
{
    struct pingo_error err;
    int64_t n = -1;

    well(pingo__db_number(db, &err, &n, sql, NONE), &err);
    return n;
}

/* What a query gives, one text; yours, free(). */
static inline char *old_text(sqlite3 *file, const char *sql)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(file, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(file));
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    const unsigned char *text = sqlite3_column_text(stmt, 0);
    char *copy = strdup(text ? (const char *)text : "");
    sqlite3_finalize(stmt);
    return copy;
}

static inline void old_assert(struct pingo__store_db *db, const char *sql, const char *expected)
{
    char *text = old_text(db->sqlite, sql);

    assert_string_equal(text, expected);
    free(text);
}

#endif
