/* transaction.c - the lock file, transactions, and when the log is written back.
 *
 * What always holds: see db.h.  The lock is an flock, asked for without
 * blocking and with jitter, because a blocking one has no time-out and is not
 * fair; the holder writes its pid into the file, for the busy message.  Behind it
 * stand numbers that no older database takes back: the next one of an action, and
 * that of the newest change, by which a database that was put back is known. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "store/action/actions.h"
#include "store/db.h"
#include "store/feed.h"
#include "store/reserve.h"
#include "store/action/summary.h"
#include "store/submission/users.h"

#define WAL_CHECKPOINT_PAGES (64 * 1024 * 1024 / 4096)
#define WAL_CLOSE_PAGES (4 * 1024 * 1024 / 4096)
#define WAL_SOON_PAGES (1024 * 1024 / 4096)
#define CHECKPOINT_AGAIN_MS 1000
#define LET_OTHERS_MS 20
#define PID_WIDTH 20
#define SPACE_WIDTH ((int)sizeof((struct pingo__store_db *)0)->space - 1)
#define HOLDER_LENGTH (PID_WIDTH + SPACE_WIDTH + 1)
#define HOLDER_SIZE (HOLDER_LENGTH + 1)
#define NUMBER_LENGTH 21
#define BEYOND 1000000 /* epochs: more than an action had since the copy was made */

/* ---- the lock ------------------------------------------------------------------ */

/* Of one length: to cut the file costs as much as all else here. */
static int print_holder(const struct pingo__store_db *db, char text[HOLDER_SIZE])
{
    return snprintf(text, HOLDER_SIZE, "%-*ld%-*s\n", PID_WIDTH, (long)getpid(), SPACE_WIDTH,
                    db->space);
}

static int lock_busy(struct pingo__store_db *db, struct pingo_error *err)
{
    char holder[HOLDER_SIZE] = "", ours[HOLDER_SIZE];
    ssize_t n = pread(db->lock_fd, holder, sizeof holder - 1, 0);
    print_holder(db, ours);
    bool is_here = n > 0 && strcmp(holder + PID_WIDTH, ours + PID_WIDTH) == 0;
    holder[strcspn(holder, " \n")] = '\0';
    return pingo__fail(err, PINGO_EBUSY,
                       "%s: the store's lock was not free for %" PRId64 " ms; %s%s holds it",
                       db->lock_path, db->lock_timeout_ms, is_here ? "process " : "",
                       is_here ? holder : "a process of another container (PID namespace)");
}

enum number { NEXT_ACTION, CHANGE, LIFE_BEFORE, LIFE_EPOCH, NUMBERS };

static void numbers_get(const struct pingo__store_db *db, int64_t numbers[NUMBERS])
{
    char text[NUMBERS * NUMBER_LENGTH + 1] = "";
    bool any = pread(db->lock_fd, text, sizeof text - 1, HOLDER_LENGTH) > 0;
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = any ? strtoll(text + (ptrdiff_t)i * NUMBER_LENGTH, NULL, 10) : 0;
}

static void number_set(const struct pingo__store_db *db, enum number which, int64_t number)
{
    char text[NUMBER_LENGTH + 1];
    int n = snprintf(text, sizeof text, "%-20" PRId64 "\n", number);
    if (pwrite(db->lock_fd, text, (size_t)n, HOLDER_LENGTH + (off_t)which * NUMBER_LENGTH) != n)
        return; /* only a database that is put back needs it */
}

int64_t pingo__store_db_next_action(const struct pingo__store_db *db)
{
    int64_t numbers[NUMBERS];
    numbers_get(db, numbers);
    return numbers[NEXT_ACTION];
}

void pingo__store_db_set_next_action(const struct pingo__store_db *db, int64_t number)
{
    number_set(db, NEXT_ACTION, number);
}

/* Is this an older database than the one that the lock was last used with?  Then what is unfinished in it may have had
 * attempts since, whose ends and outputs lie about: they go on with epochs that none of these had; and changes with
 * numbers that none had, so that one which is put back after it is known, too. */
static int look_back(struct pingo__store_db *db, struct pingo_error *err)
{
    int64_t numbers[NUMBERS], last = 0, next = 0;
    int rc = pingo__store_feed_last(db, &last, err);
    numbers_get(db, numbers);
    int64_t newest = numbers[CHANGE];
    db->change = 0;
    db->life = (struct pingo__store_db_life){numbers[LIFE_BEFORE], numbers[LIFE_EPOCH]};
    /* A lock that tells of an action, and no change, is that of an older Pingo. */
    bool is_known = newest ? newest <= last : !last || numbers[NEXT_ACTION];
    if (rc || is_known)
        return rc;
    rc = pingo__db_number(db, err, &next,
                          "SELECT seq + 1 FROM sqlite_sequence WHERE name = 'action'", NONE);
    if (rc)
        return rc;
    db->life = (struct pingo__store_db_life){next, db->life.epoch + BEYOND};
    number_set(db, LIFE_BEFORE, db->life.before);
    number_set(db, LIFE_EPOCH, db->life.epoch);
    return pingo__store_feed_leap(db, (newest > last ? newest : last) + 1, err);
}

/* Whoever waits has a read lock, of the other kind that files have, on the first byte. */
static void note_waiting(struct pingo__store_db *db, bool waits)
{
    struct flock l = {.l_type = waits ? F_RDLCK : F_UNLCK, .l_whence = SEEK_SET, .l_len = 1};
    fcntl(db->lock_fd, F_OFD_SETLK, &l); /* without it we wait longer */
}

static bool is_wanted(const struct pingo__store_db *db)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    return fcntl(db->lock_fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

void pingo__store_db_let_others(struct pingo__store_db *db)
{
    int64_t until_ms = pingo__world_monotonic_ms() + LET_OTHERS_MS;
    while (is_wanted(db) && pingo__world_monotonic_ms() < until_ms)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static int wait_for_lock(struct pingo__store_db *db, struct pingo_error *err)
{
    int64_t deadline = pingo__world_monotonic_ms() + db->lock_timeout_ms;
    long wait_us = 100;
    unsigned jitter = (unsigned)getpid() * 2654435761u;
    while (flock(db->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return pingo__fail_os(err, errno, "locking", db->lock_path);
        if (pingo__world_monotonic_ms() >= deadline)
            return lock_busy(db, err);
        jitter = jitter * 1664525u + 1013904223u;
        nanosleep(&(struct timespec){0, (wait_us + (long)(jitter >> 16) % wait_us) * 1000}, NULL);
        wait_us = wait_us < 4000 ? wait_us * 2 : 4000;
    }
    return 0;
}

int pingo__store_db_lock(struct pingo__store_db *db, struct pingo_error *err)
{
    char holder[HOLDER_SIZE];
    if (flock(db->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        int64_t from_ns = db->world->monotonic_ns(db->world->context);
        note_waiting(db, true);
        int rc = wait_for_lock(db, err);
        note_waiting(db, false);
        db->waited_ns += db->world->monotonic_ns(db->world->context) - from_ns;
        if (rc)
            return rc;
    }
    db->locked_ms = pingo__world_monotonic_ms();
    int n = print_holder(db, holder);
    if (pwrite(db->lock_fd, holder, (size_t)n, 0) != n)
        return 0; /* only the busy message needs it */
    return 0;
}

void pingo__store_db_unlock(struct pingo__store_db *db)
{
    int64_t held_ms = pingo__world_monotonic_ms() - db->locked_ms;
    flock(db->lock_fd, LOCK_UN);
    db->held_ms = held_ms > db->held_ms ? held_ms : db->held_ms;
}

/* ---- transactions ---------------------------------------------------------------- */

/* Nobody is waited for: while somebody reads an old state, what is newer stays in the log, and it is tried again a
 * second later. */
bool pingo__store_db_write_back(struct pingo__store_db *db, bool shorten)
{
    int mode = shorten ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
    sqlite3_busy_timeout(db->sqlite, 0);
    int rc = sqlite3_wal_checkpoint_v2(db->sqlite, NULL, mode, NULL, NULL);
    sqlite3_busy_timeout(db->sqlite, PINGO__DB_BUSY_MS);
    if (shorten && rc == SQLITE_OK)
        db->wal_pages = 0;
    else if (shorten)
        db->checkpoint_at_ms = pingo__world_monotonic_ms() + CHECKPOINT_AGAIN_MS;
    return rc == SQLITE_OK;
}

/* What a checkpoint takes out of the log meanwhile was synced by it: in the log, and then in the database. */
int pingo__store_db_sync(struct pingo__store_db *db, struct pingo_error *err)
{
    sqlite3_file *log = NULL;
    int64_t version = 0;
    int rc = pingo__store_db_check_open(db, err);
    if (!rc) /* it is opened by whoever reads first */
        rc = pingo__db_number(db, err, &version, "PRAGMA schema_version", NONE);
    if (rc)
        return rc;
    if (sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK ||
        !log || !log->pMethods)
        return pingo__fail(err, PINGO_ESTORE, "%s: the database has no log", db->directory);
    if (log->pMethods->xSync(log, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY) != SQLITE_OK)
        return pingo__fail(err, PINGO_EIO, "%s: the database's log cannot be synced to the disk",
                           db->directory);
    return 0;
}

void pingo__store_db_write_back_soon(struct pingo__store_db *db)
{
    if (db->wal_pages <= WAL_SOON_PAGES || pingo__store_db_lock(db, NULL))
        return;
    pingo__store_db_write_back(db, false);
    pingo__store_db_unlock(db);
}

bool pingo__store_db_is_ours(const struct pingo__store_db *db)
{
    return db->pid == (int64_t)getpid();
}

/* What a file system that was rolled back has in its place may be of the same number, on another device.  A month file
 * may have been sealed by another process: it is the same under another name. */
static bool is_in_place(const struct pingo__store_db *db)
{
    struct stat ours, there;
    int has_moved = 0;
    if (db->is_month)
        return true;
    sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    return !has_moved && fstat(db->lock_fd, &ours) == 0 && stat(db->lock_path, &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

int pingo__store_db_check_open(const struct pingo__store_db *db, struct pingo_error *err)
{
    if (!pingo__store_db_is_ours(db))
        return pingo__fail(err, PINGO_ESTATE,
                           "%s: the store was opened by process %lld; a child of fork() opens its"
                           " own",
                           db->directory, (long long)db->pid);
    if (!is_in_place(db))
        return pingo__fail(err, PINGO_ENOSTORE,
                           "%s: the store was removed while it was in use, or moved, or another "
                           "database put in its place",
                           db->directory);
    return 0;
}

int pingo__store_db_version(struct pingo__store_db *db, int64_t *version, struct pingo_error *err)
{
    int rc = pingo__db_number(db, err, version, "PRAGMA user_version", NONE);
    if (rc)
        return rc;
    if (*version > db->knows)
        return pingo__fail(
            err, PINGO_EVERSION,
            "%s: the store is of version %d, this Pingo knows up to %d: use a newer Pingo",
            db->directory, (int)*version, (int)db->knows);
    if (*version < 0) /* else it would be an index */
        return pingo__fail(err, PINGO_ESTORE,
                           "%s: the database pingo.db is damaged: its version is %d", db->directory,
                           (int)*version);
    return 0;
}

int pingo__store_db_begin(struct pingo__store_db *db, struct pingo_error *err)
{
    int64_t version;
    int rc = pingo__store_db_check_open(db, err);
    if (!rc)
        rc = pingo__store_db_lock(db, err);
    if (rc)
        return rc;
    if (db->viewing)
        pingo__store_db_rollback(db);
    db->is_low = pingo__store_reserve_is_low(db);
    if (db->is_low) /* what follows uses the bytes of the log again */
        pingo__store_db_write_back(db, false);
    db->writing = true;
    rc = pingo__db_write(db, err, "BEGIN IMMEDIATE", NONE);
    if (!rc) /* a newer Pingo may have changed what rows mean since it was opened */
        rc = pingo__store_db_version(db, &version, err);
    if (!rc && version >= PINGO__FEED_SINCE)
        rc = look_back(db, err);
    if (rc) /* without memory it may have begun, and have failed then */
        pingo__store_db_rollback(db);
    return rc;
}

static void end_sayings(struct pingo__store_db *db, bool say)
{
    for (size_t i = 0; i < db->nsayings; i++) {
        struct pingo__store_db_saying *s = &db->sayings[i];
        if (say)
            s->say(s->context, s->level, s->message);
        free(s->message);
    }
    db->nsayings = 0;
}

static void forget_events(struct pingo__store_db *db)
{
    db->nnoted = db->nevents = 0;
    db->are_many = false;
    pingo__arena_reset(&db->events_arena);
}

int pingo__store_db_commit(struct pingo__store_db *db, struct pingo_error *err)
{
    int rc = pingo__store_progress_save(db, err);
    if (!rc)
        rc = pingo__store_user_save(db, err);
    if (!rc)
        rc = pingo__store_summary_save(db, err);
    if (!rc)
        rc = pingo__store_feed_save(db, err);
    if (!rc)
        rc = pingo__db_write(db, err, "COMMIT", NONE);
    if (rc == PINGO_ENOSPACE) {
        pingo__store_reserve_spend(db->directory);
        db->has_reserve = false;
    }
    if (rc)
        return rc;
    db->writing = false;
    if (db->change)
        number_set(db, CHANGE, db->change);
    if (db->wal_pages > WAL_CHECKPOINT_PAGES && pingo__world_monotonic_ms() >= db->checkpoint_at_ms)
        pingo__store_db_write_back(db, true);
    pingo__store_db_unlock(db);
    for (size_t i = 0; i < db->nevents; i++)
        db->on_event(db->event_context, &db->events[i]);
    forget_events(db);
    end_sayings(db, true);
    return 0;
}

void pingo__store_db_rollback(struct pingo__store_db *db)
{
    /* Once more, in vain: where a temporary table goes with the transaction it has to be prepared anew, and that is to
     * be done now, not when there is no memory. */
    for (int i = sqlite3_get_autocommit(db->sqlite) ? 1 : 0; i < 2; i++) {
        sqlite3_step(db->rollback);
        sqlite3_reset(db->rollback);
    }
    if (db->writing)
        pingo__store_db_unlock(db);
    db->writing = db->viewing = false;
    forget_events(db);
    memset(&db->moves, 0, sizeof db->moves);
    db->nbookings = 0;
    pingo__store_summary_drop(db);
    end_sayings(db, false);
}

int pingo__store_db_begin_read(struct pingo__store_db *db, struct pingo_error *err)
{
    int rc = pingo__store_db_check_open(db, err);
    if (!rc)
        rc = pingo__db_write(db, err, "BEGIN", NONE);
    db->viewing = rc == 0;
    if (rc && !db->writing && pingo__store_db_is_ours(db))
        pingo__store_db_rollback(db);
    return rc;
}

int pingo__store_db_end(struct pingo__store_db *db, int rc, struct pingo_error *err)
{
    if (!rc)
        rc = pingo__store_db_commit(db, err);
    if (rc && pingo__store_db_is_ours(db))
        pingo__store_db_rollback(db);
    return rc;
}

int64_t pingo__store_db_data_version(struct pingo__store_db *db)
{
    int64_t version = -1;
    pingo__db_number(db, NULL, &version, "PRAGMA data_version", NONE);
    return version;
}

int64_t pingo__store_db_changes(const struct pingo__store_db *db)
{
    return sqlite3_total_changes64(db->sqlite);
}

void pingo__store_db_leave_log_short(struct pingo__store_db *db)
{
    if (db->wal_pages <= WAL_CLOSE_PAGES || flock(db->lock_fd, LOCK_EX | LOCK_NB) != 0)
        return;
    db->locked_ms = pingo__world_monotonic_ms();
    pingo__store_db_write_back(db, true);
    pingo__store_db_unlock(db);
}
