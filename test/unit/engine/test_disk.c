/* test_disk.c - every write of the database fails once: by an error, by a full disk, at a sync, at a
 * truncation, while a workflow is submitted and while ticks are made.  A VFS of this program stands
 * before SQLite's own. */
#include "unit/engine/faults.h"

enum what { WRITES, SYNCS, BOTH };

static long left = -1; /* operations that still succeed; negative: all */
static bool for_good;  /* after the failure the others fail as well */
static bool has_failed;
static int failure; /* the SQLite error */
static enum what what;

static bool may(enum what this)
{
    if (left < 0 || (what != BOTH && what != this))
        return true;
    if (left == 0) {
        has_failed = true;
        if (!for_good)
            left = -1;
        return false;
    }
    left--;
    return true;
}

/* ---- files ------------------------------------------------------------------------------------ */

struct file {
    sqlite3_file base;
    sqlite3_file *real;
};

static sqlite3_file *real(sqlite3_file *f)
{
    return ((struct file *)f)->real;
}

static int file_close(sqlite3_file *f)
{
    int rc = real(f)->pMethods->xClose(real(f));

    sqlite3_free(real(f));
    return rc;
}

static int file_read(sqlite3_file *f, void *bytes, int n, sqlite3_int64 at)
{
    return real(f)->pMethods->xRead(real(f), bytes, n, at);
}

/* A write that fails may have done half of its work. */
static int file_write(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at)
{
    if (may(WRITES))
        return real(f)->pMethods->xWrite(real(f), bytes, n, at);
    real(f)->pMethods->xWrite(real(f), bytes, n / 2, at);
    return failure;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return may(WRITES) ? real(f)->pMethods->xTruncate(real(f), size) : SQLITE_IOERR_TRUNCATE;
}

static int file_sync(sqlite3_file *f, int flags)
{
    return may(SYNCS) ? real(f)->pMethods->xSync(real(f), flags) : SQLITE_IOERR_FSYNC;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return real(f)->pMethods->xFileSize(real(f), size);
}

static int file_lock(sqlite3_file *f, int kind)
{
    return real(f)->pMethods->xLock(real(f), kind);
}

static int file_unlock(sqlite3_file *f, int kind)
{
    return real(f)->pMethods->xUnlock(real(f), kind);
}

static int file_check(sqlite3_file *f, int *is)
{
    return real(f)->pMethods->xCheckReservedLock(real(f), is);
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
    return real(f)->pMethods->xFileControl(real(f), op, arg);
}

static int file_sector(sqlite3_file *f)
{
    return real(f)->pMethods->xSectorSize(real(f));
}

static int file_device(sqlite3_file *f)
{
    return real(f)->pMethods->xDeviceCharacteristics(real(f));
}

static int file_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **to)
{
    return real(f)->pMethods->xShmMap(real(f), page, size, extend, to);
}

static int file_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
    return real(f)->pMethods->xShmLock(real(f), at, n, flags);
}

static void file_shm_barrier(sqlite3_file *f)
{
    real(f)->pMethods->xShmBarrier(real(f));
}

static int file_shm_unmap(sqlite3_file *f, int remove_it)
{
    return real(f)->pMethods->xShmUnmap(real(f), remove_it);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
    sqlite3_vfs *under = vfs->pAppData;
    struct file *file = (struct file *)f;
    int rc;

    file->base.pMethods = NULL;
    file->real = sqlite3_malloc(under->szOsFile);
    if (!file->real)
        return SQLITE_NOMEM;
    memset(file->real, 0, (size_t)under->szOsFile);
    rc = under->xOpen(under, name, file->real, flags, out);
    if (rc == SQLITE_OK)
        file->base.pMethods = &methods;
    else
        sqlite3_free(file->real);
    return rc;
}

static int install(void **state)
{
    static sqlite3_vfs vfs;

    UNUSED(state);
    vfs = *sqlite3_vfs_find(NULL);
    vfs.pAppData = sqlite3_vfs_find(NULL);
    vfs.zName = "faulty";
    vfs.szOsFile = (int)sizeof(struct file);
    vfs.xOpen = vfs_open;
    return sqlite3_vfs_register(&vfs, 1);
}

/* ---- tests -------------------------------------------------------------------------------------- */

static void arm(long n)
{
    has_failed = false;
    left = n;
}

static bool disarm(void)
{
    left = -1;
    return has_failed;
}

static bool may_return(int rc)
{
    return rc == (failure == SQLITE_FULL ? PINGO_ENOSPACE : PINGO_EIO) || rc == PINGO_EIO;
}

static const struct faults disk = {arm, disarm, may_return, 1, 0};

static const struct {
    int failure;
    enum what what;
    bool for_good;
} rows[] = {
    {SQLITE_IOERR_WRITE, WRITES, false},
    {SQLITE_FULL, WRITES, true},
    {SQLITE_IOERR_FSYNC, SYNCS, false},
    {SQLITE_IOERR_WRITE, BOTH, true},
};

/* Only some N reach a write at all: a submission has some dozens, a tick fewer. */
static void each(void (*test)(const struct faults *f))
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        failure = rows[i].failure;
        what = rows[i].what;
        for_good = rows[i].for_good;
        test(&disk);
    }
}

static void test_disk__fails_in_submit(void **state)
{
    UNUSED(state);
    each(faults_in_submit);
}

static void test_disk__fails_in_settle(void **state)
{
    UNUSED(state);
    each(faults_in_settle);
}

static void test_disk__fails_in_decide(void **state)
{
    UNUSED(state);
    each(faults_in_decide);
}

/* A checkpoint that fails costs nothing: the commit before it stands. */
static void test_disk__fails_in_a_checkpoint(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    failure = SQLITE_FULL;
    what = BOTH;
    for_good = true;
    box_submit(b, W(A(1, "")));
    b->store->db.wal_pages = INT32_MAX - 1; /* as after a great deal of writing */
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(box_changed(&b->store->db, &err, "UPDATE workflow SET priority = 5", NONE), 1);
    b->store->db.wal_pages = INT32_MAX - 1;
    left = -1;
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    assert_int_equal(box_int(b, "SELECT priority FROM workflow"), 5);
    box_reopen(b);
    assert_int_equal(box_int(b, "SELECT priority FROM workflow"), 5);
    box_clean(b);
    box_close(b);
}

/* It does not wait for others that read, and says no such thing. */
static void test_disk__fails_in_forgetting(void **state)
{
    struct box *b = box_new();
    bool more = true;

    UNUSED(state);
    failure = SQLITE_FULL;
    what = BOTH;
    for_good = true;
    for (long n = 0; more; n += n < 30 ? 1 : 20) {
        int64_t w = box_submit(b, W(A(1, ""))).workflow;
        struct pingo_error err = {0};
        int rc;

        well(pingo_store_kill(b->store, &(struct pingo_action_name){w, NULL}, NULL, &err), &err);
        arm(n);
        rc = pingo_store_forget(b->store, &w, 1, NULL, &err);
        more = disarm();
        if (rc != 0 && !may_return(rc))
            fail_msg("N %ld: %s: %s", n, pingo_error_name(rc), err.message);
        b->nevents = 0;
    }
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk__fails_in_submit),
        cmocka_unit_test(test_disk__fails_in_settle),
        cmocka_unit_test(test_disk__fails_in_decide),
        cmocka_unit_test(test_disk__fails_in_a_checkpoint),
        cmocka_unit_test(test_disk__fails_in_forgetting),
    };

    return cmocka_run_group_tests(tests, install, NULL);
}
