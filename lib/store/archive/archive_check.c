/* archive_check.c - a month file against what the store says of it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/archive/archive_file.h"

/* Of what the store says is read there. */
#define THERE "w.archived = (SELECT archive FROM here)"
static const struct {
    const char *message, *sql;
    bool counts; /* attempts */
} checks[] = {
    {"is in the archive, but its month file does not have it",
     "SELECT 0, 'workflow ' || w.id FROM workflow w WHERE " THERE
     " AND NOT EXISTS (SELECT 1 FROM moved m WHERE m.workflow = w.id AND m.ended_ms = w.ended_ms)",
     false},
    {"has another number of attempts in its month file than were moved there",
     "SELECT 0, 'workflow ' || w.id FROM moved m CROSS JOIN workflow w ON w.id = m.workflow "
     "WHERE " THERE
     " AND m.attempts <> (SELECT count(*) FROM action a CROSS JOIN attempt t ON t.action = a.id"
     " WHERE a.workflow = w.id)",
     true},
    {"is said to hold other numbers of workflows and attempts than it does",
     "SELECT 0, 'archive/' || name FROM archive WHERE id = (SELECT archive FROM here) AND"
     " (workflows, attempts) <> (SELECT count(*), coalesce(sum(m.attempts), 0) FROM moved m CROSS"
     " JOIN workflow w ON w.id = m.workflow WHERE " THERE ")",
     false},
};

/* Is what SQLite wrote whole?  The first thing that is wrong.  Its own limit is no argument here: a newer SQLite takes
 * any for the name of a table. */
static int check_pages(struct pingo__store_db *month, struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    const char *said = NULL;
    int rc =
        pingo__db_row(month, err, &pingo__store_texts, &arena, &said,
                      "SELECT 0, quick_check FROM pragma_quick_check(NULL, 'main') LIMIT 1", NONE);
    if (said && strcmp(said, "ok") != 0)
        rc = pingo__fail(err, PINGO_ECORRUPT, "%s: this month file of the archive is damaged: %s",
                         month->directory, said);
    pingo__arena_clear(&arena);
    return rc;
}

struct telling {
    pingo__store_archive_tell_fn fn;
    void *context;
    const char *message;
    bool any; /* was told */
};

static int tell(void *context, const void *row, struct pingo_error *err)
{
    struct telling *t = context;
    t->any = true;
    return t->fn(t->context, *(const char *const *)row, t->message, err);
}

/* Has a sealed file the bytes that it had then?  Older ones have no digest. */
static int check_digest(struct pingo__store_db *month, const struct telling *t,
                        struct pingo_error *err)
{
    struct pingo__arena arena = {0};
    const char *kept = NULL;
    struct pingo_hash hash;
    char object[128], hex[PINGO_HASH_HEX_SIZE];
    int rc = pingo__db_row(month, err, &pingo__store_texts, &arena, &kept,
                           "SELECT 0, value FROM meta WHERE key = '" PINGO__ARCHIVE_DIGEST
                           "' || (SELECT archive FROM here)",
                           NONE);
    if (!rc && kept && (rc = pingo_content_hash(month->directory, &hash, err)) == PINGO_EINPUT)
        rc = PINGO_ECORRUPT; /* it cannot be read */
    if (!rc && kept)
        pingo_hash_to_hex(&hash, hex);
    if (!rc && kept && strcmp(hex, kept) != 0) {
        snprintf(object, sizeof object, PINGO__ARCHIVE "/%s", strrchr(month->directory, '/') + 1);
        rc = t->fn(t->context, object, "has other bytes than when it was sealed", err);
    }
    pingo__arena_clear(&arena);
    return rc;
}

int pingo__store_archive_file_look(struct pingo__store_db *month, bool whole,
                                   pingo__store_archive_tell_fn fn, void *context,
                                   struct pingo_error *err)
{
    struct telling t = {fn, context, NULL, false};
    int rc = whole ? check_pages(month, err) : 0;
    for (size_t i = 0; !rc && i < sizeof checks / sizeof *checks; i++) {
        t.message = checks[i].message;
        if (whole || !checks[i].counts)
            rc = pingo__db_each(month, err, &pingo__store_texts, tell, &t, checks[i].sql, NONE);
    }
    return rc || !whole || t.any ? rc : check_digest(month, &t, err); /* else it is known */
}

static int refuse(void *context, const char *object, const char *message, struct pingo_error *err)
{
    const struct pingo__store_db *month = context;
    return pingo__fail(err, PINGO_ECORRUPT,
                       "%s: this month file of the archive is not the one that the store wrote, or "
                       "is damaged: %s: %s; put it back from a copy of the store",
                       month->directory, object, message);
}

int pingo__store_archive_file_check(struct pingo__store_db *month, bool whole,
                                    struct pingo_error *err)
{
    return pingo__store_archive_file_look(month, whole, refuse, month, err);
}
