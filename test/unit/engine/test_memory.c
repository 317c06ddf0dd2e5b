/* test_memory.c - every allocation fails once, SQLite's included, while a store is opened, a workflow
 * submitted, a tick made. */
#include "unit/engine/faults.h"
#include "unit/engine/memory.h"

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

/* What one that failed has begun is no obstacle to the next one.  Its last allocations are those after the pool was made:
 * there are too many to try each.  Of the last twelve SQLite does without some. */
static void test_memory__fails_in_init(void **state)
{
    static const long before_end[] = {0, 200, 50, 20};
    const long many = 1000000000;
    struct box *b = box_new();
    long all = many;

    UNUSED(state);
    for_good = false;
    for (int i = 0; i < 4; i++) {
        struct pingo_error err = {0};
        char dir[PATH_MAX];
        int rc;

        snprintf(dir, sizeof dir, "%s/made%d", b->dir, i);
        arm(all - before_end[i]);
        rc = pingo_store_init(dir, NULL, &err);
        if (i == 0)
            all = many - left;
        assert_true(disarm() == (i > 0));
        assert_true(i == 0 ? rc == 0 : may_return(rc));
        if (rc != 0 && pingo_store_init(dir, NULL, &err) != 0)
            fail_msg("%ld before its end, again: %s", before_end[i], err.message);
    }
    box_close(b);
}

/* The default may be far from what is set: old submissions would be moved, a mark be set that is above the other. */
static void test_memory__a_setting_that_cannot_be_read_is_not_its_default(void **state)
{
    struct box *b = box_new();
    const struct pingo_setting set[] = {
        {"pool.lowWatermark", "0.5"}, {"pool.highWatermark", "0.5"}, {"archive.afterDays", "never"}};
    struct pingo_archive_options options = {.version = 1, .dry_run = true};
    struct pingo_error err = {0};
    bool more = true;

    UNUSED(state);
    well(pingo_store_set_several(b->store, set, 3, &err), &err);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    box_run(b, "UPDATE workflow SET ended_ms = 1000");
    for (long n = 0; more; n++) {
        struct pingo_archived told = {.size = sizeof told};
        int rc;

        for_good = n % 2 == 0;
        arm(n / 2);
        rc = pingo_store_archive(b->store, &options, &told, &err);
        more = disarm();
        if (rc ? !may_return(rc) : told.workflows > 0)
            fail_msg("N %ld: %s: %d move", n / 2, pingo_error_name(rc), (int)told.workflows);
        for_good = false;
        arm(n / 2);
        rc = pingo_store_set(b->store, "pool.lowWatermark", "0.6", &err);
        more = disarm() || more;
        if (rc != PINGO_EINVAL && !may_return(rc))
            fail_msg("N %ld: %s: %s", n / 2, pingo_error_name(rc), err.message);
    }
    box_close(b);
}

/* None is taken out of the list and then told to nobody. */
static void test_memory__fails_in_taking_external_jobs(void **state)
{
    struct box *b = calloc(1, sizeof *b);
    const struct pingo_external_job *jobs[4];
    size_t n = 0, taken = 0;
    bool more = true;
    struct pingo_error err;

    UNUSED(state);
    assert_non_null(b);
    b->external = true;
    box_open(b);
    for (int i = 0; i < 40; i++) {
        char text[200];

        snprintf(
            text, sizeof text,
            "{'name':'w','actions':[{'id':1,'name':'e','type':'external','description':'%d'}]}", i);
        box_submit(b, text);
    }
    for (long i = 0; more || n > 0; i++) {
        box_tick(b);
        for_good = i % 2 == 0;
        arm(i / 2);
        int rc = pingo_external_take(b->s, jobs, 4, &n, &err);
        more = disarm();
        assert_true(rc == 0 || (may_return(rc) && n == 0));
        taken += n;
    }
    assert_int_equal(taken, 40);
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

static int ignore_setting(void *context, const char *key, const char *value,
                          const char *default_value, const char *meaning)
{
    UNUSED(context);
    return !key || !meaning || (!value && default_value);
}

static int ignore_row(void *context, const struct pingo_summary_row *row)
{
    UNUSED(context);
    return row->ended < 0;
}

/* A report, a list with values, the ledger, failures by name, settings, and what the pool holds. */
static int look(struct box *b, struct pingo_error *err)
{
    struct pingo_summary_query by_name = {.version = 1, .by = PINGO_SUMMARY_BY_NAME};
    struct pingo_pool_usage usage = {.size = sizeof usage};
    struct pingo_dataset_query query = {
        .version = 1, .user = "tester", .order = PINGO_DATASETS_BY_VALUE};
    struct pingo_report *report = NULL;
    int rc = pingo_store_report(b->store, NULL, &report, err);

    assert_true((rc == 0) == (report != NULL));
    pingo_report_free(report);
    if (!rc)
        rc = pingo_store_datasets(b->store, &query, ignore_dataset, NULL, err);
    if (!rc)
        rc = pingo_store_evictions(b->store, NULL, ignore_eviction, NULL, err);
    if (!rc)
        rc = pingo_store_summary(b->store, &by_name, ignore_row, NULL, err);
    if (!rc)
        rc = pingo_store_settings(b->store, ignore_setting, NULL, err);
    return rc ? rc : pingo_store_usage(b->store, &usage, err);
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
        assert_true(sqlite3_get_autocommit(b->store->db.sqlite));
    }
    assert_true(met > 50);
    well(look(b, NULL), NULL);
    box_clean(b);
    box_close(b);
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
        cmocka_unit_test(test_memory__fails_in_init),
        cmocka_unit_test(test_memory__fails_in_open),
        cmocka_unit_test(test_memory__a_setting_that_cannot_be_read_is_not_its_default),
        cmocka_unit_test(test_memory__fails_in_taking_external_jobs),
        cmocka_unit_test(test_memory__fails_in_looking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
