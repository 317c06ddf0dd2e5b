/* check_archive.c - see check.h: month files against the store, and what all attempts, wherever they are, come to.
 *
 * The ends of all attempts are summed once, by half hours, in temp.ends, of which the checks of sums are made. */
#include <stdio.h>

#include "base/error.h"
#include "store/archive/archive_file.h"
#include "store/check.h"
#include "store/action/summary.h"

struct looking {
    pingo__store_check_fn fn;
    void *context;
};

static int tell(void *context, const char *object, const char *message, struct pingo_error *err)
{
    const struct looking *l = context;
    (void)err;
    return l->fn(l->context, "I8", object, message, false);
}

/* ---- sums --------------------------------------------------------------------------------------- */

/* clang-format off */
#define END(F, T)                                                                                  \
    F(T, INT, step, ) F(T, INT, error, ) F(T, TEXT, executor, ) F(T, TEXT, node, )                 \
    F(T, TEXT, user, ) F(T, INT, n, ) F(T, INT, wall_ms, ) F(T, INT, cpu_ms, )                     \
    F(T, INT, wait_ms, ) F(T, INT, retried, ) F(T, INT, retried_ms, )
/* clang-format on */
PINGO__ROW(end_kind, struct end_row, END);

static int add(void *context, const void *row, struct pingo_error *err)
{
    return pingo__store_db_put(
        context, "INSERT INTO temp.ends VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" PINGO__SUMS_ADDED,
        &end_kind, row, err);
}

static int sum_here(struct pingo__store_db *db, struct pingo_error *err)
{
    int rc = pingo__db_write(db, err, "DELETE FROM temp.ends", NONE);
    return rc ? rc : pingo__db_write(db, err, "INSERT INTO temp.ends " PINGO__SUMS_30M, NONE);
}

/* ---- files -------------------------------------------------------------------------------------- */

/* Opened anew: what lies there now is to be checked. */
static int check_file(struct pingo__store_db *db, const struct pingo__store_archive_row *row,
                      struct looking *l, struct pingo_error *err)
{
    struct pingo__store_db month;
    int rc = pingo__store_archive_file_open(db, row, PINGO__ARCHIVE_READ, &month, err);
    if (rc)
        return rc;
    rc = pingo__store_archive_file_look(&month, true, tell, l, err);
    if (!rc)
        rc = pingo__db_each(&month, err, &end_kind, add, db,
                            "SELECT 0, * FROM (" PINGO__SUMS_30M ")", NONE);
    pingo__store_db_close(&month);
    return rc;
}

int pingo__store_check_archive(struct pingo__store_db *db, pingo__store_check_fn fn, void *context,
                               bool *summed, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_archive_list files = {.arena = &arena};
    struct looking l = {fn, context};
    int rc = sum_here(db, err);
    *summed = true;
    if (!rc)
        rc = pingo__store_archive_list(db, &files, err);
    for (size_t i = 0; !rc && i < files.n; i++) {
        struct pingo_error why = {0};
        char object[128];
        if (!files.rows[i].workflows) /* it is being made */
            continue;
        rc = check_file(db, &files.rows[i], &l, &why);
        if (rc == PINGO_ECORRUPT) { /* what is in it cannot be counted */
            *summed = false;
            snprintf(object, sizeof object, "archive/%s", files.rows[i].name);
            rc = fn(context, "I8", object, why.message, false);
        } else if (*why.message) {
            rc = pingo__fail(err, rc, "%s", why.message);
        }
    }
    pingo__arena_clear(&arena);
    return rc;
}
