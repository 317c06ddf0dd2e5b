/* archive.c - <pingo/archive.h>: moving what ended long ago, when asked, and when a scheduler has nothing else to
 * do. */
#include <pingo/archive.h>

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/growing.h"
#include "engine/scheduler.h"
#include "store/archive/archive.h"

#define DAY_MS (INT64_C(24) * 60 * 60 * 1000)
#define PART_BYTES (INT64_C(4) << 30)
#define LOOK_EVERY_MS 60000
#define AT_ONCE_MS 20

enum { STEP = 20000, IDLE_STEP = 2000, UNSEALED_MONTHS = 2 };

/* "2026-11", so many months ago. */
static void month_of(int64_t now_ms, int ago, char month[16])
{
    time_t now = (time_t)(now_ms / 1000);
    struct tm tm;
    gmtime_r(&now, &tm);
    int months = 12 * (tm.tm_year + 1900) + tm.tm_mon - ago;
    snprintf(month, 16, "%04u-%02u", (unsigned)months / 12 % 10000, (unsigned)months % 12 + 1);
}

/* *before_ms 0: nothing goes. */
static int find_limit(struct pingo_store *store, int64_t now_ms, int64_t *before_ms,
                      struct pingo_error *err)
{
    int64_t days = -1;
    int rc = pingo__engine_setting_number(store, "archive.afterDays", &days, err);
    *before_ms = rc || days < 0 ? 0 : now_ms - days * DAY_MS;
    return rc;
}

/* ---- when asked ----------------------------------------------------------------------------- */

struct archiving {
    const struct pingo_archive_options *options;
    struct pingo__store_move move;
    struct pingo_archived told;
};

static int tell(struct archiving *a, struct pingo_error *err)
{
    a->told.workflows = a->move.workflows;
    a->told.attempts = a->move.attempts;
    a->told.sealed = a->move.sealed;
    a->told.held_ms = a->move.db->held_ms;
    return a->options->progress && a->options->progress(a->options->context, &a->told)
               ? pingo__engine_stopped(err)
               : 0;
}

static int move_all(struct archiving *a, struct pingo_error *err)
{
    bool had = false, more = true;
    int rc = pingo__store_move_begin(&a->move, &had, err);
    if (!rc && !had)
        rc = pingo__fail(err, PINGO_EBUSY, "%s: another process moves to the archive",
                         a->move.db->directory);
    while (!rc && more) {
        rc = pingo__store_move_step(&a->move, &more, err);
        if (!rc)
            rc = tell(a, err);
    }
    pingo__store_move_end(&a->move);
    a->told.held_ms = a->move.db->held_ms;
    return rc;
}

int pingo_store_archive(struct pingo_store *store, const struct pingo_archive_options *options,
                        struct pingo_archived *result, struct pingo_error *err)
{
    struct pingo_archive_options o;
    int rc = pingo__growing_result_check(result, "pingo_archived", err);
    if (!rc)
        rc = PINGO__OPTIONS_TAKE(pingo_archive_options, options, &o, err);
    if (!rc && (o.before_ms < 0 || o.part_bytes < 0))
        rc = pingo__fail(err, PINGO_EINVAL, "a time or a size is negative");
    if (!rc && !o.dry_run)
        rc = pingo__engine_may_rule_now(store, "archive", "workflows", err);
    int64_t now_ms = pingo__manager_now_ms(&store->context);
    if (!rc && !o.before_ms)
        rc = find_limit(store, now_ms, &o.before_ms, err);
    if (rc)
        return rc;
    char month[16];
    struct archiving a = {.options = &o,
                          .move = {.db = &store->db,
                                   .before_ms = o.before_ms,
                                   .part_bytes = o.part_bytes ? o.part_bytes : PART_BYTES,
                                   .sealed_before = month,
                                   .step = STEP,
                                   .lock = -1}};
    month_of(now_ms, o.seal ? -1 : UNSEALED_MONTHS, month);
    if (o.dry_run)
        rc = pingo__store_move_count(&store->db, a.move.before_ms, &a.told.workflows,
                                     &a.told.attempts, err);
    else
        rc = move_all(&a, err);
    pingo__growing_result_put(result, &a.told, sizeof a.told);
    return rc;
}

int pingo_store_archive_files(struct pingo_store *store, pingo_archive_file_fn fn, void *context,
                              struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    struct pingo__store_archive_list list = {.arena = &arena};
    int rc = pingo__store_archive_list(&store->db, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++) {
        const struct pingo__store_archive_row *r = &list.rows[i];
        const char *path = pingo__store_archive_path(&store->db, &arena, r->name);
        struct stat st;
        struct pingo_archive_file file = {.name = r->name,
                                          .sealed = r->sealed,
                                          .workflows = r->workflows,
                                          .attempts = r->attempts,
                                          .bytes = -1,
                                          .first_ms = r->first_ms,
                                          .last_ms = r->last_ms};
        if (!path)
            rc = pingo__fail_memory(err);
        else if (lstat(path, &st) == 0)
            file.bytes = (int64_t)st.st_size;
        if (!rc && fn(context, &file))
            rc = pingo__engine_stopped(err);
    }
    pingo__arena_clear(&arena);
    return rc;
}

/* ---- by a scheduler ---------------------------------------------------------------------------- */

static int move_some(struct pingo__store_move *move, bool *more, struct pingo_error *err)
{
    int64_t until_ms = pingo__world_monotonic_ms() + AT_ONCE_MS;
    bool had = false;
    int rc = pingo__store_move_begin(move, &had, err);
    *more = had;
    while (!rc && *more && pingo__world_monotonic_ms() < until_ms)
        rc = pingo__store_move_step(move, more, err);
    pingo__store_move_end(move);
    return rc;
}

void pingo__engine_archive_tick(struct pingo_scheduler *s)
{
    int64_t now_ms = pingo__world_monotonic_ms();
    if (now_ms < s->archive_ms)
        return;
    int64_t today_ms = pingo__manager_now_ms(&s->context);
    char month[16];
    struct pingo__store_move move = {.db = &s->store->db,
                                     .part_bytes = PART_BYTES,
                                     .sealed_before = month,
                                     .step = IDLE_STEP,
                                     .lock = -1};
    struct pingo_error err = {0};
    bool more = false;
    month_of(today_ms, UNSEALED_MONTHS, month);
    int rc = find_limit(s->store, today_ms, &move.before_ms, &err);
    if (!rc)
        rc = pingo__store_move_is_due(&move, &more, &err);
    if (!rc && more)
        rc = move_some(&move, &more, &err);
    if (rc) /* what runs goes on, and so does all that is not so old */
        pingo__manager_log(&s->context, PINGO_LOG_WARNING, "nothing moves to the archive: %s",
                           err.message);
    s->archive_ms = rc || !more ? now_ms + LOOK_EVERY_MS : now_ms;
}
