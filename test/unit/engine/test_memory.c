/* test_memory.c - every allocation fails once, SQLite's included, while a store is opened, a workflow
 * submitted, a tick made.  malloc, calloc and realloc are interposed in this program. */
#include "unit/engine/faults.h"

#include "digest/sha256.h"

/* How many allocations still succeed; negative: all of them. */
static long left = -1;
static bool for_good; /* after the failure the others fail as well */
static bool has_failed;

/* The functions that are hidden by those here: the sanitizer's, or the C library's. */
#if defined(__has_feature)
#define HAS_FEATURE(f) __has_feature(f)
#else
#define HAS_FEATURE(f) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define HIDDEN(name) __interceptor_##name
#define IS_SLOW 1
#else
#define HIDDEN(name) __libc_##name
#define IS_SLOW 0
#endif

static _Thread_local bool is_main;

/* The sanitizer cannot start a thread without memory, so there only this one goes without. */
static bool may_allocate(void)
{
    if (left < 0 || (IS_SLOW && !is_main))
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

extern void *HIDDEN(malloc)(size_t size);
extern void *HIDDEN(calloc)(size_t n, size_t size);
extern void *HIDDEN(realloc)(void *old, size_t size);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size)
{
    return may_allocate() ? HIDDEN(malloc)(size) : NULL;
}

EXPORTED void *calloc(size_t n, size_t size)
{
    return may_allocate() ? HIDDEN(calloc)(n, size) : NULL;
}

EXPORTED void *realloc(void *old, size_t size)
{
    return may_allocate() ? HIDDEN(realloc)(old, size) : NULL;
}

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

/* SQLite's I/O errors may stand for memory that it could not have. */
static bool may_return(int rc)
{
    return rc == PINGO_ENOMEM || rc == PINGO_EIO;
}

static const struct faults memory = {arm, disarm, may_return, IS_SLOW ? 23 : 1, 50};

static void test_memory__fails_in_submit(void **state)
{
    UNUSED(state);
    for_good = false;
    faults_in_submit(&memory);
}

static void test_memory__is_gone_from_within_submit(void **state)
{
    UNUSED(state);
    for_good = true;
    faults_in_submit(&memory);
}

static void test_memory__fails_in_settle(void **state)
{
    UNUSED(state);
    for_good = false;
    faults_in_settle(&memory);
}

static void test_memory__is_gone_from_within_settle(void **state)
{
    UNUSED(state);
    for_good = true;
    faults_in_settle(&memory);
}

static void test_memory__fails_in_decide(void **state)
{
    UNUSED(state);
    for_good = false;
    faults_in_decide(&memory);
}

static void test_memory__is_gone_from_within_decide(void **state)
{
    UNUSED(state);
    for_good = true;
    faults_in_decide(&memory);
}

static void test_memory__fails_in_open(void **state)
{
    struct box *b = box_new();
    struct pingo_store_options options = {.version = 1};
    bool more = true;

    UNUSED(state);
    for (long n = 0; more; n = faults_next(&memory, n)) {
        struct pingo_store *store = NULL;
        struct pingo_error err = {0};
        int rc;

        for_good = n % 2 == 0;
        arm(n);
        rc = pingo_store_open(b->dir, &options, &store, &err);
        more = disarm();
        if (rc == 0)
            pingo_store_close(store);
        else if (!may_return(rc) || !*err.message || store)
            fail_msg("N %ld: %s: %s", n, pingo_error_name(rc), err.message);
    }
    box_submit(b, W(A(1, "")));
    box_clean(b);
    box_close(b);
}

static int ignore_dataset(void *context, const struct pingo_dataset_status *status)
{
    UNUSED(context);
    return status->hash.bytes[0] == 0 && status->generation == 0;
}

static int ignore_eviction(void *context, const struct pingo_eviction *eviction)
{
    UNUSED(context);
    return eviction->evicted_ms < 0;
}

/* A report, a list with values, and the ledger, one after the other. */
static int look(struct box *b, struct pingo_error *err)
{
    struct pingo_dataset_query query = {
        .version = 1, .user = "tester", .order = PINGO_DATASETS_BY_VALUE};
    struct pingo_report *report = NULL;
    int rc = pingo_store_report(b->store, NULL, &report, err);

    assert_true((rc == 0) == (report != NULL));
    pingo_report_free(report);
    if (!rc)
        rc = pingo_store_datasets(b->store, &query, ignore_dataset, NULL, err);
    return rc ? rc : pingo_store_evictions(b->store, NULL, ignore_eviction, NULL, err);
}

static void test_memory__fails_in_looking(void **state)
{
    struct box *b = box_new();
    bool more = true;
    long met = 0;

    UNUSED(state);
    box_submit(b, W(A(1, ) "," A(2, P(FROM(1)))));
    box_finish_all(b);
    box_submit(b, W(A(1, ) "," A(2, P(FROM(1)))));
    well(pingo__store_db_begin(&b->store->db, NULL), NULL);
    assert_true(box_changed(&b->store->db, NULL,
                            "INSERT INTO eviction(dataset, hash, evicted_ms, workflow, algorithm,"
                            " score, size_bytes, remake_ms, reason, regretted_ms, regret_ms)"
                            " SELECT id, hash, 5, 1, 'lru', 1, 2, 3, 'r', 6, 7 FROM dataset",
                            NONE) >= 0);
    well(pingo__store_db_end(&b->store->db, 0, NULL), NULL);
    for (long n = 0; more; n = faults_next(&memory, n)) {
        struct pingo_error err = {0};
        int rc;

        for_good = n % 2 == 0;
        arm(n);
        rc = look(b, &err);
        more = disarm();
        met += more;
        if (rc != 0 && (!may_return(rc) || !*err.message))
            fail_msg("N %ld: %s: %s", n, pingo_error_name(rc), err.message);
        assert_false(b->store->db.writing);
    }
    assert_true(met > 50);
    well(look(b, NULL), NULL);
    box_clean(b);
    box_close(b);
}

/* The cryptographic library cannot be woken without memory; that is not ours to mend. */
static int wake_libcrypto(void **state)
{
    struct pingo_hash hash;

    UNUSED(state);
    is_main = true;
    return pingo__digest_sha256("", 0, &hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__fails_in_submit),
        cmocka_unit_test(test_memory__is_gone_from_within_submit),
        cmocka_unit_test(test_memory__fails_in_settle),
        cmocka_unit_test(test_memory__is_gone_from_within_settle),
        cmocka_unit_test(test_memory__fails_in_decide),
        cmocka_unit_test(test_memory__is_gone_from_within_decide),
        cmocka_unit_test(test_memory__fails_in_open),
        cmocka_unit_test(test_memory__fails_in_looking),
    };

    return cmocka_run_group_tests(tests, wake_libcrypto, NULL);
}
