/* test_objects.c - two generations with the same bytes: they count once, they go when the last one goes, and what
 * happens to them happens to both; and bytes that could not be removed wait longer each time, and count meanwhile. */
#include "unit/engine/box.h"

#include <inttypes.h>

#include "store/decision/history.h"
#include "store/dataset/objects.h"
#include "store/decision/usage.h"

/* a1 and a2 are STORED, and a3, which read both, is a LEAF. */
#define FAN W(A(1, "") "," A(2, "") "," A(3, P(FROM(1) "," FROM(2))))

static void path_of(struct box *b, int64_t object, char path[400])
{
    struct pingo_error err;
    sqlite3_stmt *stmt = NULL;

    well(pingo__db_query(&b->store->db, &err, &stmt, "SELECT path FROM object WHERE id = ?",
                         INT(object)),
         &err);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    snprintf(path, 400, "%s/pool/%s", b->dir, (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_reset(stmt);
}

/* Both a1 and a2 have the bytes of a1. */
static struct box *shared(const char *workflow, char path[400])
{
    struct box *b = box_new();
    char other[400];

    box_submit(b, workflow);
    box_finish_all(b);
    path_of(b, 1, path);
    path_of(b, 2, other);
    assert_int_equal(unlink(other), 0);
    box_run(b, "UPDATE dataset SET object = 1, shared = 1 WHERE id IN (1, 2)");
    box_run(b, "DELETE FROM object WHERE id = 2");
    /* Both STORED: the bytes once. */
    box_run(
        b, "UPDATE usage SET bytes = (SELECT size_bytes FROM object WHERE id = 1) WHERE state = 4");
    box_clean(b);
    return b;
}

static struct pingo__store_usage usage_of(struct box *b)
{
    struct pingo__store_usage u;
    struct pingo_error err;

    well(pingo__store_usage_read(&b->store->db, &u, NULL, &err), &err);
    return u;
}

static void let_go(struct box *b, const char *action)
{
    struct pingo_hash hash;
    struct pingo_error err;

    well(pingo_store_resolve_dataset(b->store, "1", action, &hash, &err), &err);
    well(pingo_store_remove(b->store, &hash, &err), &err);
}

static void test_objects__one_that_goes_leaves_the_bytes(void **state)
{
    char path[400];
    struct box *b = shared(FAN, path);
    struct pingo__store_usage before = usage_of(b), after;

    UNUSED(state);
    let_go(b, "a1");
    after = usage_of(b);
    assert_int_equal(pingo__store_usage_used(&after), pingo__store_usage_used(&before));
    assert_int_equal(after.ndatasets[PINGO_DATASET_STORED], 1);
    assert_int_equal(after.bytes[PINGO_DATASET_STORED_TO_DELETE], 0);
    assert_int_equal(box_tick(b).deleted, 1);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_STORED);
    assert_int_equal(access(path, F_OK), 0);
    box_clean(b);
    let_go(b, "a2");
    assert_int_equal(box_tick(b).deleted, 1);
    assert_int_equal(access(path, F_OK), -1);
    after = usage_of(b);
    assert_int_equal(pingo__store_usage_used(&after), after.bytes[PINGO_DATASET_LEAF]);
    assert_int_equal(box_int(b, "SELECT path IS NULL AND size_bytes > 0 FROM object WHERE id = 1"),
                     1);
    box_clean(b);
    box_close(b);
}

/* Also when both are let go at once, and the second finds the first on its way. */
static void test_objects__both_go(void **state)
{
    char path[400];
    struct box *b = shared(FAN, path);

    UNUSED(state);
    let_go(b, "a1");
    let_go(b, "a2");
    for (int i = 0; i < 3; i++)
        box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_DELETED);
    assert_int_equal(access(path, F_OK), -1);
    box_clean(b);
    box_close(b);
}

static void test_objects__a_leaf_counts_as_one(void **state)
{
    char path[400];
    struct box *b = shared(FAN, path);
    struct pingo__store_usage before = usage_of(b), after;
    struct pingo__store_dataset_row row;
    struct pingo__arena arena = {0};
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_dataset_get(&b->store->db, 2, &arena, &row, &err), &err);
    well(pingo__store_dataset_move(&b->store->db, &row, PINGO_DATASET_LEAF, &err), &err);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    pingo__arena_clear(&arena);
    after = usage_of(b);
    assert_int_equal(after.bytes[PINGO_DATASET_STORED], 0);
    assert_int_equal(after.bytes[PINGO_DATASET_LEAF],
                     before.bytes[PINGO_DATASET_LEAF] + before.bytes[PINGO_DATASET_STORED]);
    assert_int_equal(pingo__store_usage_used(&after), pingo__store_usage_used(&before));
    box_clean(b);
    box_close(b);
}

/* ---- decisions ------------------------------------------------------------------------ */

static void budget(struct box *b, int64_t bytes)
{
    struct pingo_error err;
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, bytes);
    well(pingo_store_set(b->store, "pool.budget", text, &err), &err);
}

static void test_objects__a_decision_takes_all_that_share(void **state)
{
    char path[400];
    struct box *b = shared(FAN, path);
    struct pingo__store_usage u = usage_of(b);

    UNUSED(state);
    budget(b, pingo__store_usage_used(&u) - 1);
    assert_int_equal(box_tick(b).evicted, 1);
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_DELETED);
    assert_int_equal(access(path, F_OK), -1);
    /* The bytes are freed once, and so say the evictions. */
    assert_int_equal(box_int(b, "SELECT count(*) FROM eviction"), 2);
    assert_int_equal(box_int(b, "SELECT sum(size_bytes) FROM eviction"),
                     u.bytes[PINGO_DATASET_STORED]);
    box_clean(b);
    box_close(b);
}

static void test_objects__what_another_keeps_frees_nothing(void **state)
{
    char path[400];
    struct box *b = shared(FAN, path);
    struct pingo__store_usage u = usage_of(b);
    struct pingo_tick_result r;
    struct pingo__store_held held;
    struct pingo_error err;

    UNUSED(state);
    box_run(b, "UPDATE dataset SET pinned = 1 WHERE id = 2");
    well(pingo__store_usage_read(&b->store->db, &(struct pingo__store_usage){0}, &held, &err), &err);
    assert_int_equal(held.kept_bytes, u.bytes[PINGO_DATASET_STORED]);
    assert_int_equal(held.claimed_bytes, 0);
    budget(b, 0);
    r = box_tick(b);
    assert_int_equal(r.evicted, 0);
    assert_int_equal(r.shortfall_bytes, pingo__store_usage_used(&u));
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    box_run(b, "UPDATE dataset SET pinned = 0 WHERE id = 2");
    box_submit(b, W(A(2, "") "," A(4, P(FROM(2))))); /* claims it */
    r = box_tick(b);
    assert_int_equal(r.evicted, 0);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    box_finish_all(b);
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    box_clean(b);
    box_close(b);
}

/* ---- losses --------------------------------------------------------------------------------- */

static void test_objects__bytes_that_are_lost_are_lost_for_all(void **state)
{
    char path[400];
    struct box *b = shared(FAN, path);

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(4, P(FROM(1)))));
    box_submit(b, W(A(2, "") "," A(5, P(FROM(2)))));
    assert_int_equal(unlink(path), 0);
    box_tick(b); /* whoever is first finds it out, and both inputs are made again */
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_DELETED);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_int(b, "SELECT max(generation) FROM dataset"), 2);
    box_clean(b);
    box_close(b);
}

/* ---- over time ------------------------------------------------------------------------------- */

static int add_bytes(void *context, const void *row, struct pingo_error *err)
{
    UNUSED(err);
    *(int64_t *)context += ((const struct pingo__store_history_held *)row)->bytes;
    return 0;
}

static void test_objects__are_held_once_over_time(void **state)
{
    char path[400];
    struct box *b = shared(FAN, path);
    struct pingo__store_usage u = usage_of(b);
    struct pingo_error err;
    int64_t bytes = 0;

    UNUSED(state);
    well(pingo__store_history_each_held(&b->store->db, add_bytes, &bytes, &err), &err);
    assert_int_equal(bytes, pingo__store_usage_used(&u));
    let_go(b, "a1");
    box_tick(b);
    bytes = 0;
    well(pingo__store_history_each_held(&b->store->db, add_bytes, &bytes, &err), &err);
    assert_int_equal(bytes, pingo__store_usage_used(&u));
    box_close(b);
}

static int64_t note(struct box *b, int64_t dataset, const char *message)
{
    struct pingo_error err;
    int64_t wait_ms = -1;

    well(pingo__store_undeletable_note(&b->store->db, dataset, message, &wait_ms, &err), &err);
    return wait_ms;
}

static void test_objects__undeletable_ones_wait_twice_as_long_each_time(void **state)
{
    static const int64_t waits_s[] = {10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600};
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_finish_all(b);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    for (size_t i = 0; i < sizeof waits_s / sizeof *waits_s; i++)
        assert_int_equal(note(b, 1, i ? "again" : "busy"), 1000 * waits_s[i]);
    for (size_t i = 0; i < 40; i++) /* however often */
        assert_int_equal(note(b, 1, "again"), PINGO__UNDELETABLE_LONGEST_MS);
    assert_int_equal(note(b, 2, "busy"), 10000); /* each for itself */
    assert_int_equal(
        box_int_of(b, "SELECT count(*) FROM undeletable WHERE dataset = 1 AND message = 'again'"),
        1);
    well(pingo__store_undeletable_forget(&b->store->db, 1, &err), &err);
    well(pingo__store_undeletable_forget(&b->store->db, 1, &err), &err);
    assert_int_equal(note(b, 1, "busy"), 10000);
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

static void test_objects__orphans_count_until_they_have_gone(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_text_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_orphan_note(&b->store->db, "ab/one", 100, &err), &err);
    well(pingo__store_orphan_note(&b->store->db, "ab/two", 20, &err), &err);
    well(pingo__store_orphan_note(&b->store->db, "ab/one", 300, &err), &err); /* measured again */
    assert_int_equal(usage_of(b).orphan_bytes, 320);
    well(pingo__store_orphan_forget(&b->store->db, "ab/two", &err), &err);
    well(pingo__store_orphan_forget(&b->store->db, "ab/three", &err), &err);
    assert_int_equal(usage_of(b).orphan_bytes, 300);
    well(pingo__store_orphan_list(&b->store->db, &list, &err), &err);
    assert_int_equal(list.n, 1);
    assert_string_equal(list.rows[0], "ab/one");
    pingo__arena_clear(&arena);
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

/* What many others read that nobody has in hand is not looked at. */
static void test_objects__that_are_read(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_text_list paths = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, FAN);
    box_finish_all(b);
    box_run(b, "INSERT INTO owner(id, boot_id, pid, started_ms) VALUES(77, '', 1, 0);"
               "UPDATE action SET state = 3, owner = 77 WHERE id = 3;"
               "INSERT INTO claim(dataset, action) VALUES(1, 3), (2, 3), (3, 2);");
    well(pingo__store_object_list_read(&b->store->db, &paths, &err), &err);
    assert_int_equal(paths.n, 2);
    int64_t before = box_steps(b);
    well(pingo__store_object_list_read(&b->store->db, &paths, &err), &err);
    int64_t few = box_steps(b) - before;
    sqlite3_db_config(b->store->db.sqlite, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    box_run(b, "WITH RECURSIVE i(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM i WHERE i < 1000)"
               " INSERT INTO claim(dataset, action) SELECT 1, i FROM i");
    before = box_steps(b);
    well(pingo__store_object_list_read(&b->store->db, &paths, &err), &err);
    assert_int_equal(paths.n, 2);
    assert_true(box_steps(b) - before < few + 10);
    pingo__arena_clear(&arena);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects__that_are_read),
        cmocka_unit_test(test_objects__one_that_goes_leaves_the_bytes),
        cmocka_unit_test(test_objects__both_go),
        cmocka_unit_test(test_objects__a_leaf_counts_as_one),
        cmocka_unit_test(test_objects__a_decision_takes_all_that_share),
        cmocka_unit_test(test_objects__what_another_keeps_frees_nothing),
        cmocka_unit_test(test_objects__bytes_that_are_lost_are_lost_for_all),
        cmocka_unit_test(test_objects__are_held_once_over_time),
        cmocka_unit_test(test_objects__undeletable_ones_wait_twice_as_long_each_time),
        cmocka_unit_test(test_objects__orphans_count_until_they_have_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
