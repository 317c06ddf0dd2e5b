/* db.h - one connection to the store's database: lock, transactions, prepared SQL.
 *
 * What always holds: every write transaction and every checkpoint runs under
 * the advisory lock file (SQLite before 3.51.3 can lose pages when a checkpoint
 * meets a commit that resets the WAL), is BEGIN IMMEDIATE, and reads the world
 * anew.  Transitions noted in a transaction are told after its commit only.
 * Who includes this has arenas, buffers, the world and the states, too. */
#ifndef PINGO__STORE_DB_H
#define PINGO__STORE_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include <pingo/store.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/map.h"
#include "base/world.h"
#include "rules/states.h"

#define PINGO__DB_BUSY_MS                                                                          \
    10000 /* only what is not Pingo makes SQLite wait: all of us take the lock first */

struct pingo__store_db_saying {
    void (*say)(void *context, enum pingo_log_level level, const char *message);
    void *context;
    enum pingo_log_level level;
    char *message; /* ours */
};

struct pingo__store_ready_query;
struct pingo__store_db {
    sqlite3 *sqlite;
    int64_t knows;  /* so many migrations: of the schema that all SQL here is for */
    int64_t pid;    /* who opened it: a child of fork() must not touch it */
    char space[64]; /* in which that is its number: the machine's boot, and its PID namespace */
    const struct pingo__world *world;
    char *directory;
    char *lock_path;
    int lock_fd;
    int64_t lock_timeout_ms;
    int64_t locked_ms;        /* since when we have the lock, monotonic */
    int64_t waited_ns;        /* for it, in all */
    int64_t held_ms;          /* the longest that we had it; whoever asks sets it to 0 before */
    int wal_pages;            /* after the last commit of this connection */
    int64_t checkpoint_at_ms; /* not before this, monotonic: somebody reads what is old */
    bool writing;
    bool viewing;
    bool migrated;      /* this connection brought an older store up to date */
    bool has_reserve;   /* as far as this connection knows */
    bool is_low;        /* little space was left when the last write transaction began */
    bool has_functions; /* those that queries for READY actions call, about */
    const struct pingo__store_ready_query *ready; /* this one, which runs; NULL: none does */
    sqlite3_stmt *rollback; /* prepared at once: it must be had when there is no memory */
    sqlite3_stmt **statements;
    size_t nstatements, cstatements;
    struct pingo__map prepared; /* addresses of SQL, which is static text, to statements */
    struct pingo__arena statements_arena; /* of both */
    struct pingo__store_db_moves { /* of the running transaction, not yet in the table progress */
        int64_t workflow;
        int64_t by_state[PINGO__ACTION_STATES];
    } moves;
    struct pingo__store_db_booking { /* likewise, of users: store/submission/users.h */
        int64_t user, running, usage_ms;
    } bookings[8];
    size_t nbookings;
    struct pingo__store_sum *sums; /* likewise of ends, not yet in the summaries: summary.h */
    size_t nsums;
    struct pingo__arena sums_arena;
    int64_t sums_step;         /* when it was last looked whether old half hours can go */
    struct pingo_event *noted; /* of the running transaction, for the feed: store/feed.h */
    size_t nnoted, cnoted;
    bool are_many; /* they are told of submissions, no more one by one */
    struct pingo__buffer feed_bytes;
    int64_t change; /* the number of the last of these, once they are saved; 0: none */
    struct pingo__store_db_life { /* a database that was put back gives out no epoch twice */
        int64_t before, epoch;    /* actions below this number go on with this epoch */
    } life;
    struct pingo_event *events; /* of the running transaction, for on_event */
    size_t nevents, cevents;
    struct pingo__arena events_arena;                                 /* their names */
    void (*on_event)(void *context, const struct pingo_event *event); /* may be NULL */
    void *event_context;
    void (*close_months)(struct pingo__store_db *db); /* NULL: there are none */
    struct pingo__store_months
        *months;   /* of the archive, that are open: store/archive/archive.h; NULL: none */
    bool is_month; /* this is one of these, and directory its path */
    struct pingo__store_db_saying *sayings; /* of the running transaction, to be said when it is over */
    size_t nsayings, csayings;
};

/* Makes the database in directory (which is there, and in which nobody else makes one), with its tables, and opens it.
 * Nobody finds it before it appears; what was cut short is gone on with.  Errors: PINGO_EEXISTS, PINGO_ESTORE. */
int pingo__store_db_create(struct pingo__store_db *db, const char *directory,
                           struct pingo_error *err);
/* Closes it.  rc: of what was written into it since.  On 0 it is found from here on; else nothing is left of it. */
int pingo__store_db_appear(struct pingo__store_db *db, int rc, struct pingo_error *err);
/* Opens it, migrates it; what is not a database of Pingo's, or another user's, stays untouched: PINGO_ESTORE.
 * db: zeroed by open, cleared by close, also after failure. */
int pingo__store_db_open(struct pingo__store_db *db, const char *directory, int64_t lock_timeout_ms,
                         struct pingo_error *err);
void pingo__store_db_close(struct pingo__store_db *db);
/* Are we the process that opened it? */
bool pingo__store_db_is_ours(const struct pingo__store_db *db);
/* That as an error, PINGO_ESTATE; PINGO_ENOSTORE: the store was removed since, or has another database by now. */
int pingo__store_db_check_open(const struct pingo__store_db *db, struct pingo_error *err);
/* Removes the file of a database, and its log. */
void pingo__store_db_unlink(const char *path);
/* Nobody else has it open, nor can have until it is closed.  Errors: PINGO_EBUSY: somebody has. */
int pingo__store_db_take_alone(struct pingo__store_db *db, struct pingo_error *err);
/* Is directory on a file system that SQLite's WAL cannot use?  0, or PINGO_ESTORE with advice. */
int pingo__store_db_check_file_system(const char *directory, struct pingo_error *err);

/* The lock alone, for what is no transaction. */
int pingo__store_db_lock(struct pingo__store_db *db, struct pingo_error *err);
void pingo__store_db_unlock(struct pingo__store_db *db);
/* The epoch of an action that comes after this one.  Inside a write transaction. */
static inline int64_t pingo__store_db_next_epoch(const struct pingo__store_db *db, int64_t action,
                                                 int64_t epoch)
{
    bool is_older = action < db->life.before && epoch < db->life.epoch;
    return is_older ? db->life.epoch : epoch + 1;
}
/* The next number of an action, beside the database, for who has the lock: a database that is put back would give those
 * again under which attempts of a later state still run, or have left an end.  0: none was given yet. */
int64_t pingo__store_db_next_action(const struct pingo__store_db *db);
void pingo__store_db_set_next_action(const struct pingo__store_db *db, int64_t number);
/* Who has it again and again, each time for long, lets others have it in between, if any wait: what waits asks only
 * every few ms.  Not while it is held. */
void pingo__store_db_let_others(struct pingo__store_db *db);
/* What is in the log is on the disk: commits of this connection, and of others. */
int pingo__store_db_sync(struct pingo__store_db *db, struct pingo_error *err);
/* Under the lock: what is in the log goes into the database, as far as nobody reads an old state.  shorten: and the log
 * gives its space back, if that can be had at once; else the next commit begins it anew.  false: not all of that. */
bool pingo__store_db_write_back(struct pingo__store_db *db, bool shorten);
/* Takes the lock for the same without shorten, if there is so much in the log since it was last begun anew that it
 * would take long later; for who writes much in small pieces.  Best effort: what was done is done. */
void pingo__store_db_write_back_soon(struct pingo__store_db *db);
/* Before it is closed: a long log is read first by each process that opens the database while nobody has it open.
 * Done only if the lock is free. */
void pingo__store_db_leave_log_short(struct pingo__store_db *db);

/* How many migrations were applied.  Errors: PINGO_EVERSION: a newer Pingo has applied more than this one knows. */
int pingo__store_db_version(struct pingo__store_db *db, int64_t *version, struct pingo_error *err);
/* Also where that is so since it was opened: PINGO_EVERSION. */
int pingo__store_db_begin(struct pingo__store_db *db, struct pingo_error *err);
int pingo__store_db_commit(struct pingo__store_db *db, struct pingo_error *err);
/* Also after a failed commit; fine when nothing is open. */
void pingo__store_db_rollback(struct pingo__store_db *db);
/* Queries that follow see one state and take one lock of SQLite's together, until rollback or the next write
 * transaction, whichever is first. */
int pingo__store_db_begin_read(struct pingo__store_db *db, struct pingo_error *err);
/* rc: of begin and the work inside.  Commits on 0, else rolls back and returns rc. */
int pingo__store_db_end(struct pingo__store_db *db, int rc, struct pingo_error *err);
/* Changes when another connection has committed. */
int64_t pingo__store_db_data_version(struct pingo__store_db *db);
/* How many rows this connection has changed so far. */
int64_t pingo__store_db_changes(const struct pingo__store_db *db);
/* The clock of its world, since 1970 UTC. */
int64_t pingo__store_db_now_ms(const struct pingo__store_db *db);

/* ---- prepared statements ------------------------------------------------------------------ */

/* A value for a parameter. */
struct pingo__store_bind {
    char kind; /* 0: none is left */
    union {
        int64_t number;
        double real;
        const char *text;
        const void *bytes;
    } v;
    size_t length; /* of bytes */
};
#define PINGO__BIND(k, member, x) ((struct pingo__store_bind){.kind = k, .v.member = (x)})
#define INT(x) PINGO__BIND('i', number, (int64_t)(+(x)))
#define OPT(x) PINGO__BIND('o', number, x) /* NULL when negative */
#define REF(x) PINGO__BIND('z', number, x) /* NULL when zero */
#define REAL(x) PINGO__BIND('d', real, x)
#define TEXT(x) PINGO__BIND('t', text, x) /* NULL: NULL */
#define BLOB(p, n)                                                                                 \
    ((struct pingo__store_bind){.kind = 'b', .v.bytes = (p), .length = (n)}) /* NULL: NULL */
#define HASH(x) BLOB((x)->bytes, sizeof(x)->bytes)
#define NONE ((struct pingo__store_bind){.kind = 0})

/* A statement and the values of its parameters, in order. */
struct pingo__store_sql {
    const char *text; /* static: its address is the key of the prepared statement */
    const struct pingo__store_bind *binds;
};
#define SQL(string, ...)                                                                           \
    (&(const struct pingo__store_sql){string,                                                      \
                                      (const struct pingo__store_bind[]){__VA_ARGS__, NONE}})

/* Starts a query; read rows with next, end with sqlite3_reset. */
int pingo__store_db_select(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                           sqlite3_stmt **stmt, struct pingo_error *err);
/* The next row, if there is one; else, and after an error, the query is reset. */
int pingo__store_db_next(struct pingo__store_db *db, sqlite3_stmt *stmt, bool *is_row,
                         struct pingo_error *err);
struct pingo__store_bytes {
    const void *bytes;
    size_t n;
};
/* How a member of a struct is read from a column, and written as a parameter. */
enum pingo__store_field_kind {
    PINGO__FIELD_END,
    PINGO__FIELD_INT,   /* an integer, an enum, a bool; 0 for NULL */
    PINGO__FIELD_REF,   /* the same; 0 is written as NULL */
    PINGO__FIELD_OPT,   /* int64_t; what is negative is NULL, and that -1 */
    PINGO__FIELD_REAL,  /* double */
    PINGO__FIELD_TEXT,  /* "" for NULL */
    PINGO__FIELD_MAYBE, /* text; NULL for NULL */
    PINGO__FIELD_HASH,  /* zero for NULL */
    PINGO__FIELD_BYTES  /* a pointer, and behind it a size_t; NULL and 0 for NULL */
};
struct pingo__store_field {
    uint8_t kind, size;
    uint16_t at;
};
/* A struct whose members are columns.  They stand in one list, of which the columns of a query and the kind are made:
 *     #define THING(F, T) F(T, INT, id, "t.id") F(T, TEXT, name, "t.name")
 *     PINGO__KIND(thing, struct thing, THING);
 *     ... PINGO__SELECT(THING) " FROM thing t" ... */
struct pingo__store_kind {
    size_t size;
    const struct pingo__store_field *fields; /* of the columns from the second on */
};
#define PINGO__COLUMN(type, kind, member, sql) ", " sql
#define PINGO__SELECT(LIST) "SELECT 0" LIST(PINGO__COLUMN, )
#define PINGO__FIELD(type, kind, member, sql)                                                      \
    {PINGO__FIELD_##kind, sizeof((type *)0)->member, offsetof(type, member)},
#define PINGO__KIND(name, type, LIST)                                                              \
    static const struct pingo__store_field name##_fields[] = {                                     \
        LIST(PINGO__FIELD, type){PINGO__FIELD_END, 0, 0}};                                         \
    static const struct pingo__store_kind name = {sizeof(type), name##_fields}
/* And the struct itself, where one file alone knows it. */
#define PINGO__ROW(name, type, LIST)                                                               \
    type{LIST(PINGO__MEMBER, )};                                                                   \
    PINGO__KIND(name, type, LIST)
#define PINGO__MEMBER(type, kind, member, sql) PINGO__MEMBER_##kind member;
#define PINGO__MEMBER_INT int64_t
#define PINGO__MEMBER_OPT int64_t
#define PINGO__MEMBER_TEXT const char *
#define PINGO__MEMBER_MAYBE const char *
#define PINGO__MEMBER_HASH struct pingo_hash
#define PINGO__MEMBER_BYTES struct pingo__store_bytes

/* Where rows of a kind go.  Texts are copied into the arena; NULL: they are borrowed until the next row, and of a
 * single one left out ("" or NULL): whoever looks at numbers alone needs no arena. */
struct pingo__store_into {
    const struct pingo__store_kind *kind;
    struct pingo__arena *arena;
    void **rows;
    size_t *n;
};
/* Reads the row at which a query is. */
int pingo__store_db_read(sqlite3_stmt *stmt, const struct pingo__store_kind *kind,
                         struct pingo__arena *arena, void *row, struct pingo_error *err);
/* The first row of a query; into->rows points to it, and it is zeroed where there is none.  Is there one?  Where no
 * member tells, a constant among the columns does. */
int pingo__store_db_row(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                        const struct pingo__store_into *into, struct pingo_error *err);
/* All rows. */
int pingo__store_db_list(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                         const struct pingo__store_into *into, struct pingo_error *err);
/* Is called with each row, until it returns other than 0, which is returned. */
typedef int (*pingo__store_row_fn)(void *context, const void *row, struct pingo_error *err);
struct pingo__store_each {
    const struct pingo__store_kind *kind;
    pingo__store_row_fn fn;
    void *context;
};
int pingo__store_db_each(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                         const struct pingo__store_each *each, struct pingo_error *err);
/* Runs a statement whose parameters are the members of a row. */
int pingo__store_db_put(struct pingo__store_db *db, const char *sql,
                        const struct pingo__store_kind *kind, const void *row,
                        struct pingo_error *err);
/* The members of a row as bytes, which are equal only where these are. */
void pingo__store_db_append(struct pingo__buffer *bytes, const struct pingo__store_kind *kind,
                            const void *row);
#define pingo__db_row(db, err, kind, arena, row, ...)                                              \
    pingo__store_db_row(db, SQL(__VA_ARGS__),                                                      \
                        &(const struct pingo__store_into){kind, arena, &(void *){row}, NULL}, err)
/* What it fills: arena is given, the rest is found. */
#define PINGO__STORE_LIST(name, type)                                                              \
    struct name {                                                                                  \
        struct pingo__arena *arena;                                                                \
        type *rows;                                                                                \
        size_t n;                                                                                  \
    }
#define PINGO__STORE_INTO(kind, list)                                                              \
    (&(const struct pingo__store_into){kind, (list)->arena, (void **)&(list)->rows, &(list)->n})
#define pingo__db_list(db, err, kind, list, ...)                                                   \
    pingo__store_db_list(db, SQL(__VA_ARGS__), PINGO__STORE_INTO(kind, list), err)
#define pingo__db_each(db, err, kind, fn, context, ...)                                            \
    pingo__store_db_each(db, SQL(__VA_ARGS__),                                                     \
                         &(const struct pingo__store_each){kind, fn, context}, err)
/* Of one column: for queries of "SELECT 0, ...". */
extern const struct pingo__store_kind pingo__store_hashes, pingo__store_numbers, pingo__store_texts,
    pingo__store_blobs, pingo__store_positions;
PINGO__STORE_LIST(pingo__store_hash_list, struct pingo_hash);
PINGO__STORE_LIST(pingo__store_number_list, int64_t);
PINGO__STORE_LIST(pingo__store_text_list, const char *);

/* Actions of a submission, from a position on. */
struct pingo__store_page {
    int64_t workflow, from, n;
};

/* Runs a statement to its end. */
int pingo__store_db_write(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                          struct pingo_error *err);
/* SQL with neither values nor rows, of one statement or more. */
int pingo__store_db_simple(struct pingo__store_db *db, const char *sql, struct pingo_error *err);
/* Commits of this connection are in the log then, but not on the disk before somebody syncs it. */
static inline int pingo__store_db_sync_later(struct pingo__store_db *db, struct pingo_error *err)
{
    return pingo__store_db_simple(db, "PRAGMA synchronous=NORMAL", err);
}
/* Has the last statement changed a row? */
static inline bool pingo__store_db_has_changed(const struct pingo__store_db *db)
{
    return sqlite3_changes(db->sqlite) > 0;
}
/* The first column of the first row; *value is left alone where there is no row, or NULL. */
int pingo__store_db_number(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                           int64_t *value, struct pingo_error *err);
/* The same, with the statement in place: pingo__db_write(db, err, "...", INT(1), TEXT(name)). */
#define pingo__db_query(db, err, stmt, ...) pingo__store_db_select(db, SQL(__VA_ARGS__), stmt, err)
#define pingo__db_write(db, err, ...) pingo__store_db_write(db, SQL(__VA_ARGS__), err)
#define pingo__db_number(db, err, value, ...)                                                      \
    pingo__store_db_number(db, SQL(__VA_ARGS__), value, err)
#define pingo__db_exists(db, err, is, ...) pingo__store_db_exists(db, SQL(__VA_ARGS__), is, err)
/* Is there a row?  Its first column is a number, and not 0. */
int pingo__store_db_exists(struct pingo__store_db *db, const struct pingo__store_sql *sql, bool *is,
                           struct pingo_error *err);

/* ---- functions that are one statement ------------------------------------------------------- */

/* Such a function is defined by its name and parameters, where what it finds goes, SQL, and the values that this takes:
 *     PINGO__WRITE(pingo__store_thing_rename(DB, int64_t thing, const char *name, ERR),
 *                  "UPDATE thing SET name = ?2 WHERE id = ?1", INT(thing), TEXT(name));
 * One that needs no kind of its own stands in its header, and nowhere else (a list: static inline PINGO__LIST); one
 * that does is declared there, by the same head. */
#define DB struct pingo__store_db *db
#define ERR struct pingo_error *err
#define PINGO__FUNCTION(head, ...)                                                                 \
    int head                                                                                       \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    struct pingo__store_db /* takes the semicolon */
#define PINGO__INLINE(...) static inline PINGO__FUNCTION(__VA_ARGS__)
#define PINGO__WRITE(head, ...) PINGO__INLINE(head, return pingo__db_write(db, err, __VA_ARGS__))
/* *changed: it has changed a row. */
#define PINGO__CHANGE(head, changed, ...)                                                          \
    PINGO__INLINE(head, int rc = pingo__db_write(db, err, __VA_ARGS__);                            \
                  *changed = !rc && pingo__store_db_has_changed(db); return rc)
/* none: where there is no row, or NULL. */
#define PINGO__NUMBER(head, value, none, ...)                                                      \
    PINGO__INLINE(head, *value = none; return pingo__db_number(db, err, value, __VA_ARGS__))
#define PINGO__EXISTS(head, is, ...)                                                               \
    PINGO__INLINE(head, return pingo__db_exists(db, err, is, __VA_ARGS__))
#define PINGO__GET(head, kind, arena, row, ...)                                                    \
    PINGO__FUNCTION(head, return pingo__db_row(db, err, &kind, arena, row, __VA_ARGS__))
#define PINGO__LIST(head, kind, list, ...)                                                         \
    PINGO__FUNCTION(head, return pingo__db_list(db, err, &kind, list, __VA_ARGS__))
#define PINGO__EACH(head, kind, fn, context, ...)                                                  \
    PINGO__FUNCTION(head, return pingo__db_each(db, err, &kind, fn, context, __VA_ARGS__))

/* Notes a transition, for the event callback and the feed, which does it (store/feed.c). */
int pingo__store_db_note(struct pingo__store_db *db, const struct pingo_event *event,
                         struct pingo_error *err);
/* That of a submission; from 0: it is new. */
int pingo__store_db_note_workflow(struct pingo__store_db *db, int64_t workflow, int from, int to,
                                  struct pingo_error *err);

/* Says it, but in a write transaction only after the commit: who hears it may stop for long.  What was rolled back
 * is not said.  Best effort: without memory it is not said. */
void pingo__store_db_say(struct pingo__store_db *db, const struct pingo__store_db_saying *saying);

/* Did what failed last fail for a full disk, or a quota that is reached? */
bool pingo__store_db_is_full(sqlite3 *sqlite);
/* What to say behind the error of what failed last: which limit of ours it may be; "": none. */
const char *pingo__store_db_hint(sqlite3 *sqlite);
int pingo__store_db_fail(struct pingo__store_db *db, struct pingo_error *err, const char *what);

#endif
