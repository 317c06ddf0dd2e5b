/* db.c - see db.h.  Opening and the lock are in open.c. */
#include "store/db.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/array.h"
#include "base/error.h"

/* A month file that may not be read or written may be whole. */
static const char *month_trouble(struct pingo__store_db *db)
{
    switch (sqlite3_errcode(db->sqlite)) {
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
        return "this month file of the archive cannot be read or written";
    default:
        return "this month file of the archive is damaged: put it back from a copy of the store";
    }
}

bool pingo__store_db_is_full(sqlite3 *sqlite)
{
    int code = sqlite3_errcode(sqlite);
    return code == SQLITE_FULL ||
           (code == SQLITE_IOERR && pingo__error_is_full(sqlite3_system_errno(sqlite)));
}

const char *pingo__store_db_hint(sqlite3 *sqlite)
{
    struct rlimit limit;
    return sqlite3_errcode(sqlite) == SQLITE_IOERR && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
                   limit.rlim_cur != RLIM_INFINITY
               ? " (is the limit of the size of files low? ulimit -f)"
               : "";
}

int pingo__store_db_fail(struct pingo__store_db *db, struct pingo_error *err, const char *what)
{
    int code = PINGO_ESTORE;
    switch (sqlite3_errcode(db->sqlite)) {
    case SQLITE_NOMEM:
        return pingo__fail_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        code = PINGO_EBUSY;
        break;
    case SQLITE_FULL:
    case SQLITE_IOERR:
        code = pingo__store_db_is_full(db->sqlite) ? PINGO_ENOSPACE : PINGO_EIO;
        break;
    case SQLITE_TOOBIG:
        code = PINGO_ELIMIT;
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        what = "the database pingo.db is damaged";
        break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        what = "the database pingo.db cannot be written";
        break;
    default:
        break;
    }
    if (db->is_month && (code == PINGO_ESTORE || code == PINGO_EIO)) {
        code = PINGO_ECORRUPT;
        what = month_trouble(db);
    }
    return pingo__fail(err, code, "%s: %s: %s%s", db->directory, what, sqlite3_errmsg(db->sqlite),
                       pingo__store_db_hint(db->sqlite));
}

/* ---- statements ------------------------------------------------------------ */

/* By the address of its text. */
static int prepare(struct pingo__store_db *db, const char *sql, sqlite3_stmt **stmt,
                   struct pingo_error *err)
{
    uint32_t at = pingo__map_get(&db->prepared, &sql, sizeof sql);
    if (at != PINGO__MAP_NONE) {
        *stmt = db->statements[at];
        return 0;
    }
    if (!PINGO__ARENA_ROOM(&db->statements_arena, db->statements, db->nstatements, db->cstatements))
        return pingo__fail_memory(err);
    if (sqlite3_prepare_v3(db->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL) != SQLITE_OK)
        return pingo__store_db_fail(db, err, "preparing SQL");
    db->statements[db->nstatements++] =
        *stmt; /* finalized with the others, also if it is not known */
    return pingo__map_keep(&db->prepared, &db->statements_arena, &sql, sizeof sql,
                           (uint32_t)db->nstatements - 1)
               ? 0
               : pingo__fail_memory(err);
}

static int bind_value(sqlite3_stmt *s, int at, const struct pingo__store_bind *b)
{
    switch (b->kind) {
    case 'd':
        return sqlite3_bind_double(s, at, b->v.real);
    case 't':
        return sqlite3_bind_text64(s, at, b->v.text, b->v.text ? strlen(b->v.text) : 0,
                                   SQLITE_STATIC, SQLITE_UTF8);
    case 'b':
        return sqlite3_bind_blob64(s, at, b->v.bytes, b->length, SQLITE_STATIC);
    case 'o':
        if (b->v.number < 0)
            return sqlite3_bind_null(s, at);
        break;
    case 'z':
        if (b->v.number == 0)
            return sqlite3_bind_null(s, at);
        break;
    default:
        break;
    }
    return sqlite3_bind_int64(s, at, b->v.number);
}

int pingo__store_db_select(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                           sqlite3_stmt **stmt, struct pingo_error *err)
{
    int rc = prepare(db, sql->text, stmt, err);
    if (rc)
        return rc;
    if (sqlite3_stmt_busy(*stmt)) /* somebody left it; what ended was reset then */
        sqlite3_reset(*stmt);
    for (int i = 0; sql->binds && sql->binds[i].kind; i++)
        if (bind_value(*stmt, i + 1, &sql->binds[i]) != SQLITE_OK)
            return pingo__store_db_fail(db, err, "binding");
    return 0;
}

int pingo__store_db_next(struct pingo__store_db *db, sqlite3_stmt *stmt, bool *is_row,
                         struct pingo_error *err)
{
    int code = sqlite3_step(stmt);
    *is_row = code == SQLITE_ROW;
    if (*is_row)
        return 0;
    int rc = code == SQLITE_DONE ? 0 : pingo__store_db_fail(db, err, sqlite3_sql(stmt));
    sqlite3_reset(stmt);
    return rc;
}

int pingo__store_db_write(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                          struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool is_row = false;
    int rc = pingo__store_db_select(db, sql, &stmt, err);
    if (!rc)
        do
            rc = pingo__store_db_next(db, stmt, &is_row, err);
        while (is_row);
    return rc;
}

int pingo__store_db_simple(struct pingo__store_db *db, const char *sql, struct pingo_error *err)
{
    if (sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        return pingo__store_db_fail(db, err, sql);
    return 0;
}

int pingo__store_db_number(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                           int64_t *value, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool is_row = false;
    int rc = pingo__store_db_select(db, sql, &stmt, err);
    if (!rc)
        rc = pingo__store_db_next(db, stmt, &is_row, err);
    if (is_row) {
        if (sqlite3_column_type(stmt, 0) != SQLITE_NULL)
            *value = sqlite3_column_int64(stmt, 0);
        sqlite3_reset(stmt);
    }
    return rc;
}

/* ---- rows ---------------------------------------------------------------------- */

static void read_number(sqlite3_stmt *s, int column, const struct pingo__store_field *f, void *to)
{
    if (f->size == sizeof(int64_t))
        *(int64_t *)to = sqlite3_column_int64(s, column);
    else if (f->size == sizeof(int))
        *(int *)to = sqlite3_column_int(s, column);
    else
        *(bool *)to = sqlite3_column_int(s, column) != 0;
}

static bool read_text(sqlite3_stmt *s, int column, const struct pingo__store_field *f,
                      struct pingo__arena *arena, const char **to)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    if (!text || !*text)
        *to = text || f->kind == PINGO__FIELD_TEXT ? "" : NULL;
    else
        *to = arena ? pingo__arena_text(arena, text, strlen(text)) : text;
    return !text || *to;
}

static void read_hash(sqlite3_stmt *s, int column, struct pingo_hash *hash)
{
    const void *bytes = sqlite3_column_blob(s, column);
    if (bytes && sqlite3_column_bytes(s, column) == PINGO_HASH_SIZE)
        memcpy(hash->bytes, bytes, PINGO_HASH_SIZE);
    else
        memset(hash, 0, sizeof *hash);
}

/* Aligned for what they may hold. */
static bool read_bytes(sqlite3_stmt *s, int column, struct pingo__arena *arena, void *to)
{
    struct {
        void *bytes;
        size_t n;
    } copy = {NULL, 0};
    const void *bytes = sqlite3_column_blob(s, column);
    bool is_null = sqlite3_column_type(s, column) == SQLITE_NULL;
    copy.n = (size_t)sqlite3_column_bytes(s, column);
    copy.bytes = is_null ? NULL
                 : arena ? pingo__arena_alloc(arena, copy.n + 1)
                         : (void *)(uintptr_t)bytes;
    if (arena && copy.bytes && copy.n)
        memcpy(copy.bytes, bytes, copy.n);
    memcpy(to, &copy, sizeof copy);
    return is_null || !arena || copy.bytes;
}

int pingo__store_db_read(sqlite3_stmt *stmt, const struct pingo__store_kind *kind,
                         struct pingo__arena *arena, void *row, struct pingo_error *err)
{
    bool has_memory = true;
    int column = 1;
    for (const struct pingo__store_field *f = kind->fields; f->kind; f++, column++) {
        void *to = (char *)row + f->at;
        if (f->kind <= PINGO__FIELD_REF) { /* as most are */
            read_number(stmt, column, f, to);
            continue;
        }
        switch ((enum pingo__store_field_kind)f->kind) {
        case PINGO__FIELD_OPT:
            *(int64_t *)to = sqlite3_column_type(stmt, column) == SQLITE_NULL
                                 ? -1
                                 : sqlite3_column_int64(stmt, column);
            break;
        case PINGO__FIELD_REAL:
            *(double *)to = sqlite3_column_double(stmt, column);
            break;
        case PINGO__FIELD_TEXT:
        case PINGO__FIELD_MAYBE:
            has_memory &= read_text(stmt, column, f, arena, to);
            break;
        case PINGO__FIELD_HASH:
            read_hash(stmt, column, to);
            break;
        case PINGO__FIELD_BYTES:
            has_memory &= read_bytes(stmt, column, arena, to);
            break;
        default:
            break;
        }
    }
    return has_memory ? 0 : pingo__fail_memory(err);
}

static struct pingo__store_bind bind_of(const struct pingo__store_field *f, const void *from)
{
    int64_t number = f->size == sizeof(int64_t) ? *(const int64_t *)from
                     : f->size == sizeof(int)   ? *(const int *)from
                                                : *(const unsigned char *)from;
    switch ((enum pingo__store_field_kind)f->kind) {
    case PINGO__FIELD_OPT:
        return OPT(number);
    case PINGO__FIELD_REF:
        return REF(number);
    case PINGO__FIELD_REAL:
        return REAL(*(const double *)from);
    case PINGO__FIELD_TEXT:
    case PINGO__FIELD_MAYBE:
        return TEXT(*(const char *const *)from);
    case PINGO__FIELD_HASH:
        return HASH((const struct pingo_hash *)from);
    case PINGO__FIELD_BYTES:
        return BLOB(*(const void *const *)from, *(const size_t *)((const void *const *)from + 1));
    default:
        return INT(number);
    }
}

int pingo__store_db_put(struct pingo__store_db *db, const char *sql,
                        const struct pingo__store_kind *kind, const void *row,
                        struct pingo_error *err)
{
    struct pingo__store_bind binds[32];
    const struct pingo__store_field *f = kind->fields;
    struct pingo__store_bind *b = binds;
    for (; f->kind; f++)
        *b++ = bind_of(f, (const char *)row + f->at);
    b->kind = 0;
    return pingo__store_db_write(db, &(const struct pingo__store_sql){sql, binds}, err);
}

/* Texts that were borrowed from a query. */
static void drop_texts(const struct pingo__store_kind *kind, void *row)
{
    for (const struct pingo__store_field *f = kind->fields; f->kind; f++) {
        const char **text = (const char **)(void *)((char *)row + f->at);
        if (f->kind == PINGO__FIELD_TEXT || f->kind == PINGO__FIELD_MAYBE)
            *text = f->kind == PINGO__FIELD_TEXT ? "" : NULL;
        else if (f->kind == PINGO__FIELD_BYTES)
            memset(text, 0, sizeof(struct pingo__store_bytes));
    }
}

/* Small numbers are one byte. */
static void append_number(struct pingo__buffer *bytes, int64_t number)
{
    if (number >= 0 && number < UINT8_MAX) {
        pingo__buffer_char(bytes, (char)number);
        return;
    }
    pingo__buffer_u8(bytes, UINT8_MAX);
    pingo__buffer_u64(bytes, (uint64_t)number);
}

void pingo__store_db_append(struct pingo__buffer *bytes, const struct pingo__store_kind *kind,
                            const void *row)
{
    for (const struct pingo__store_field *f = kind->fields; f->kind; f++) {
        struct pingo__store_bind b = bind_of(f, (const char *)row + f->at);
        bool is_text = b.kind == 't', is_null = (is_text || b.kind == 'b') && !b.v.bytes;
        if (!is_text && b.kind != 'b') {
            append_number(bytes, b.v.number);
            continue;
        }
        size_t n = is_null ? 0 : is_text ? strlen(b.v.text) : b.length;
        append_number(bytes, is_null ? -1 : (int64_t)n);
        pingo__buffer_append(bytes, b.v.bytes, n);
    }
}

int pingo__store_db_row(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                        const struct pingo__store_into *into, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool is_row = false;
    int rc = pingo__store_db_select(db, sql, &stmt, err);
    if (!rc)
        rc = pingo__store_db_next(db, stmt, &is_row, err);
    memset(*into->rows, 0, into->kind->size); /* not before: a parameter may be a member */
    if (is_row) {
        rc = pingo__store_db_read(stmt, into->kind, into->arena, *into->rows, err);
        if (!into->arena)
            drop_texts(into->kind, *into->rows);
        sqlite3_reset(stmt);
    }
    return rc;
}

int pingo__store_db_list(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                         const struct pingo__store_into *into, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    size_t capacity = 0, size = into->kind->size;
    bool is_row = false;
    int rc = pingo__store_db_select(db, sql, &stmt, err);
    *into->rows = NULL;
    *into->n = 0;
    while (!rc && !(rc = pingo__store_db_next(db, stmt, &is_row, err)) && is_row) {
        rc = pingo__arena_room(into->arena, into->rows, *into->n, &capacity, size)
                 ? pingo__store_db_read(stmt, into->kind, into->arena,
                                        (char *)*into->rows + *into->n * size, err)
                 : pingo__fail_memory(err);
        if (rc) {
            sqlite3_reset(stmt);
            break;
        }
        ++*into->n;
    }
    return rc;
}

int pingo__store_db_each(struct pingo__store_db *db, const struct pingo__store_sql *sql,
                         const struct pingo__store_each *each, struct pingo_error *err)
{
    sqlite3_stmt *stmt = NULL;
    union {
        max_align_t aligned;
        char bytes[256];
    } row;
    bool is_row = false;
    int rc = pingo__store_db_select(db, sql, &stmt, err);
    assert(each->kind->size <= sizeof row);
    while (!rc && !(rc = pingo__store_db_next(db, stmt, &is_row, err)) && is_row) {
        rc = pingo__store_db_read(stmt, each->kind, NULL, &row, err);
        if (!rc)
            rc = each->fn(each->context, &row, err);
        if (rc)
            sqlite3_reset(stmt);
    }
    return rc;
}

static const struct pingo__store_field one_hash[] = {{PINGO__FIELD_HASH, 32, 0}, {0, 0, 0}};
static const struct pingo__store_field one_number[] = {{PINGO__FIELD_INT, 8, 0}, {0, 0, 0}};
static const struct pingo__store_field one_position[] = {{PINGO__FIELD_INT, 4, 0}, {0, 0, 0}};
static const struct pingo__store_field one_blob[] = {{PINGO__FIELD_BYTES, 8, 0}, {0, 0, 0}};
static const struct pingo__store_field one_text[] = {{PINGO__FIELD_TEXT, 8, 0}, {0, 0, 0}};
const struct pingo__store_kind pingo__store_hashes = {sizeof(struct pingo_hash), one_hash};
const struct pingo__store_kind pingo__store_numbers = {sizeof(int64_t), one_number};
const struct pingo__store_kind pingo__store_positions = {sizeof(uint32_t), one_position};
const struct pingo__store_kind pingo__store_blobs = {sizeof(struct pingo__store_bytes), one_blob};
const struct pingo__store_kind pingo__store_texts = {sizeof(const char *), one_text};

int pingo__store_db_exists(struct pingo__store_db *db, const struct pingo__store_sql *sql, bool *is,
                           struct pingo_error *err)
{
    int64_t one = 0;
    int rc = pingo__store_db_number(db, sql, &one, err);
    *is = one != 0;
    return rc;
}

/* ---- events and sayings -------------------------------------------------------------------- */

void pingo__store_db_say(struct pingo__store_db *db, const struct pingo__store_db_saying *saying)
{
    struct pingo__store_db_saying kept = *saying;
    if (!db->writing) {
        kept.say(kept.context, kept.level, kept.message);
        return;
    }
    kept.message = strdup(saying->message);
    if (!kept.message || !PINGO__ARRAY_ROOM(db->sayings, db->csayings, db->nsayings, 1)) {
        free(kept.message);
        return;
    }
    db->sayings[db->nsayings++] = kept;
}

int64_t pingo__store_db_now_ms(const struct pingo__store_db *db)
{
    return db->world->now_ns(db->world->context) / 1000000;
}
