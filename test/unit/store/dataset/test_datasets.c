/* test_datasets.c - generations: which one is current, what the planner is told, the lists, and who claims or holds them. */
#include "unit/store/rows.h"

#include "store/dataset/datasets.h"
#include "store/transition.h"

/* a1 and a2 are STORED (generations 1 and 2 by number), a3 is a LEAF (3). */
static struct box *made(void)
{
    struct box *b = box_new();

    box_submit(b, FAN);
    box_finish_all(b);
    return rows_begin(b);
}

static struct pingo__store_dataset_row get(struct box *b, int64_t id)
{
    struct pingo__store_dataset_row row;
    struct pingo_error err;

    well(pingo__store_dataset_get(&b->store->db, id, NULL, &row, &err), &err);
    return row;
}

static void move(struct box *b, int64_t id, enum pingo_dataset_state to)
{
    struct pingo__store_dataset_row row = get(b, id);
    struct pingo_error err;

    well(pingo__store_dataset_move(&b->store->db, &row, to, &err), &err);
}

/* The numbers of a list as digits, in its order. */
#define LIST(b, text, call)                                                                        \
    do {                                                                                           \
        struct pingo__arena arena_ = {0};                                                          \
        struct pingo__store_dataset_list list = {.arena = &arena_};                                \
        char numbers_[32] = "";                                                                    \
        well(call, &err);                                                                          \
        for (size_t i_ = 0; i_ < list.n; i_++)                                                     \
            snprintf(numbers_ + strlen(numbers_), sizeof numbers_ - strlen(numbers_), "%d",        \
                     (int)list.rows[i_].id);                                                       \
        assert_string_equal(numbers_, text);                                                       \
        pingo__arena_clear(&arena_);                                                               \
    } while (0)

static struct pingo__store_dataset_known known(struct box *b, const struct pingo_hash *hash)
{
    struct pingo__store_dataset_known k;
    struct pingo_error err;

    well(pingo__store_dataset_known(&b->store->db, hash, false, &k, &err), &err);
    return k;
}

static void test_datasets__the_planner_is_told_what_is_there(void **state)
{
    struct box *b = made();
    struct pingo_hash hash = box_hash(b, 1, 1), nobody = {{1}};

    UNUSED(state);
    assert_int_equal(known(b, &nobody).known, PINGO_KNOWN_NOTHING);
    struct pingo__store_dataset_known k = known(b, &hash);
    assert_int_equal(k.known, PINGO_KNOWN_STORED);
    assert_int_equal(k.id, 1);
    assert_int_equal(k.action, 1);
    move(b, 1, PINGO_DATASET_STORED_TO_DELETE); /* it can be rescued */
    assert_int_equal(known(b, &hash).id, 1);
    rows_run(b, "UPDATE dataset SET state = 9, current = 0 WHERE id = 1");
    k = known(b, &hash);
    assert_int_equal(k.known, PINGO_KNOWN_DELETED);
    rows_close(b);
}

static void test_datasets__a_new_generation_takes_the_place_of_the_last(void **state)
{
    struct box *b = made();
    struct pingo__store_db *db = &b->store->db;
    struct pingo__arena arena = {0};
    struct pingo_hash hash = box_hash(b, 1, 1);
    struct pingo__store_dataset_row row = {.id = 9,
                                           .hash = hash,
                                           .state = PINGO_DATASET_TO_STORE,
                                           .managed = true,
                                           .action = 1},
                                    now;
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_dataset_insert(db, &row, &err), &err);
    assert_int_equal(get(b, 9).generation, 2);
    assert_false(get(b, 9).current);
    assert_int_equal(known(b, &hash).id, 1); /* what is there comes before what is being computed */
    well(pingo__store_dataset_current(db, &hash, &arena, &now, &err), &err);
    assert_int_equal(now.id, 1);
    int64_t sorted = box_counted(b, SQLITE_STMTSTATUS_SORT);
    well(pingo__store_dataset_newest(db, &hash, &arena, &now, &err), &err);
    assert_int_equal(now.id, 1);
    rows_run(b, "UPDATE dataset SET current = 0 WHERE id = 1");
    well(pingo__store_dataset_current(db, &hash, &arena, &now, &err), &err);
    assert_int_equal(now.id, 0);
    well(pingo__store_dataset_newest(db, &hash, &arena, &now, &err), &err);
    assert_int_equal(box_counted(b, SQLITE_STMTSTATUS_SORT), sorted); /* an index tells */
    assert_int_equal(now.id, 9);
    rows_run(b, "UPDATE dataset SET current = 1 WHERE id = 1");
    row = get(b, 9);
    row.path = "objects/aa/x";
    row.size_bytes = 5;
    row.compute_ms = 30;
    row.made_ms = row.last_used_ms = 77;
    row.content = (struct pingo_hash){{6}};
    row.epoch = 1;
    well(pingo__store_dataset_publish(db, &row, 1, PINGO_DATASET_LEAF, &err), &err);
    assert_int_equal(get(b, 9).state, PINGO_DATASET_LEAF);
    well(pingo__store_dataset_current(db, &hash, &arena, &now, &err), &err);
    assert_int_equal(now.id, 9);
    assert_string_equal(now.path, "objects/aa/x");
    assert_int_equal(now.size_bytes, 5);
    assert_false(get(b, 1).current);
    /* By content the one that was made with it is found. */
    struct pingo__store_dataset_made made = {hash, {{6}}};
    well(pingo__store_dataset_made_with(db, &made, &arena, &now, &err), &err);
    assert_int_equal(now.id, 9);
    made.content.bytes[0] = 7;
    well(pingo__store_dataset_made_with(db, &made, &arena, &now, &err), &err);
    assert_int_equal(now.id, 0);
    int64_t compute_ms = 0, size_bytes = 0;
    well(pingo__store_dataset_expect(db, &hash, &compute_ms, &size_bytes, &err), &err);
    assert_int_equal(compute_ms, 20); /* 10 and 30 */
    assert_int_equal(size_bytes, 5);
    row = (struct pingo__store_dataset_row){
        .id = 10, .hash = hash, .state = PINGO_DATASET_TO_STORE, .managed = true, .action = 1};
    well(pingo__store_dataset_insert(db, &row, &err), &err);
    row = get(b, 10);
    row.path = "objects/aa/y";
    row.compute_ms = -1; /* nobody knows how long that took */
    row.epoch = 1;
    well(pingo__store_dataset_publish(db, &row, 9, PINGO_DATASET_STORED, &err), &err);
    well(pingo__store_dataset_expect(db, &hash, &compute_ms, &size_bytes, &err), &err);
    assert_int_equal(compute_ms, 20); /* 10 and 30 still */
    assert_int_equal(get(b, 10).compute_ms, -1);
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_datasets__move_only_from_the_state_they_are_in(void **state)
{
    struct box *b = made();
    struct pingo__store_dataset_row stale = get(b, 1);
    struct pingo_error err;

    UNUSED(state);
    assert_true(pingo__store_dataset_is_whole(&stale) == (stale.path != NULL));
    move(b, 1, PINGO_DATASET_STORED_TO_DELETE);
    well(pingo__store_dataset_move(&b->store->db, &stale, PINGO_DATASET_LEAF, &err), &err);
    assert_int_equal(get(b, 1).state, PINGO_DATASET_STORED_TO_DELETE);
    rows_close(b);
}

static void test_datasets__on_their_way_out_are_listed(void **state)
{
    struct box *b = made();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;

    UNUSED(state);
    LIST(b, "", pingo__store_dataset_list_deletable(db, &list, &err));
    move(b, 1, PINGO_DATASET_STORED_TO_DELETE);
    move(b, 2, PINGO_DATASET_STORED_TO_DELETE);
    well(pingo__store_claim_insert(db, 2, 3, &err), &err);
    LIST(b, "1", pingo__store_dataset_list_deletable(db, &list, &err)); /* one is claimed */
    LIST(b, "2", pingo__store_dataset_list_claimed(db, 3, &list, &err));
    well(pingo__store_claim_drop_one(db, 2, 3, &err), &err);
    rows_run(b, "INSERT INTO owner(id, boot_id, pid, started_ms) VALUES(50, '', 1, 1)");
    well(pingo__store_hold_insert(db, 2, 50, &err), &err);
    LIST(b, "1", pingo__store_dataset_list_deletable(db, &list, &err)); /* it is held */
    rows_run(b, "DELETE FROM owner WHERE id = 50"); /* and the hold goes with who has it */
    LIST(b, "12", pingo__store_dataset_list_deletable(db, &list, &err));
    rows_run(b, "UPDATE dataset SET state = 7, owner = 60 WHERE id = 1");
    rows_run(b, "UPDATE dataset SET state = 8, owner = NULL WHERE id = 2");
    LIST(b, "1", pingo__store_dataset_list_leaving(db, 60, &list, &err));
    LIST(b, "2", pingo__store_dataset_list_left(db, -1, 0, &list, &err));
    LIST(b, "12", pingo__store_dataset_list_left(db, 60, 0, &list, &err));
    rows_close(b);
}

static void test_datasets__left_ones_are_taken_once(void **state)
{
    struct box *b = made();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    bool is_ours = false;

    UNUSED(state);
    well(pingo__store_dataset_adopt(db, 1, 60, &is_ours, &err), &err);
    assert_false(is_ours); /* it stays */
    rows_run(b, "UPDATE dataset SET state = 8, owner = NULL WHERE id = 1");
    well(pingo__store_dataset_adopt(db, 1, 60, &is_ours, &err), &err);
    assert_true(is_ours);
    assert_int_equal(get(b, 1).owner, 60);
    well(pingo__store_dataset_adopt(db, 1, 61, &is_ours, &err), &err);
    assert_false(is_ours);
    well(pingo__store_dataset_let_go(db, 1, &err), &err);
    assert_int_equal(get(b, 1).owner, 0);
    well(pingo__store_dataset_adopt(db, 1, 61, &is_ours, &err), &err);
    assert_true(is_ours);
    /* What could not be removed waits for its time. */
    well(pingo__store_dataset_let_go(db, 1, &err), &err);
    rows_run(b, "INSERT INTO undeletable VALUES(1, 1, 5000, 'busy')");
    LIST(b, "", pingo__store_dataset_list_left(db, -1, 4999, &list, &err));
    LIST(b, "1", pingo__store_dataset_list_left(db, -1, 5000, &list, &err));
    rows_close(b);
}

static void test_datasets__pages_and_counts(void **state)
{
    struct box *b = made();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    int64_t n = 0;

    UNUSED(state);
    LIST(b, "123", pingo__store_dataset_list_after(db, 0, &list, &err));
    LIST(b, "3", pingo__store_dataset_list_after(db, 2, &list, &err));
    LIST(b, "12", (list.limit = 2, pingo__store_dataset_list_after(db, 0, &list, &err)));
    rows_run(b, "UPDATE dataset SET current = 0, state = 9 WHERE id = 2");
    rows_run(b, "UPDATE object SET path = NULL WHERE id = 2");
    LIST(b, "13", pingo__store_dataset_list_after(db, 0, &list, &err));
    well(pingo__store_dataset_count(db, &n, &err), &err);
    assert_int_equal(n, 2);
    rows_close(b);
}

static void test_datasets__changes_are_told_in_their_order(void **state)
{
    struct box *b = made();
    struct rows_count count = {0};
    struct pingo_error err;
    int64_t last = box_int(b, "SELECT max(changed) FROM dataset");

    UNUSED(state);
    well(pingo__store_dataset_each_changed(&b->store->db, -1, rows_tell, &count, &err), &err);
    assert_int_equal(count.n, 3);
    count.n = 0;
    well(pingo__store_dataset_each_changed(&b->store->db, last, rows_tell, &count, &err), &err);
    assert_int_equal(count.n, 0);
    move(b, 2, PINGO_DATASET_STORED_TO_DELETE);
    well(pingo__store_dataset_each_changed(&b->store->db, last, rows_tell, &count, &err), &err);
    assert_int_equal(count.n, 1);
    rows_close(b);
}

static void test_datasets__are_pinned_touched_and_adopted(void **state)
{
    struct box *b = made();
    struct pingo__arena arena = {0};
    struct pingo_error err;
    const char *path = "?";

    UNUSED(state);
    well(pingo__store_dataset_set_pinned(&b->store->db, 1, true, &err), &err);
    assert_true(get(b, 1).pinned);
    well(pingo__store_dataset_set_pinned(&b->store->db, 1, false, &err), &err);
    assert_false(get(b, 1).pinned);
    well(pingo__store_dataset_touch(&b->store->db, 1, INT64_C(9000000000000), &err), &err);
    assert_int_equal(get(b, 1).last_used_ms, INT64_C(9000000000000));
    well(pingo__store_adopted_from(&b->store->db, 1, &arena, &path, &err), &err);
    assert_null(path);
    well(pingo__store_adopted_note(&b->store->db, 1, "/before", &err), &err);
    well(pingo__store_adopted_from(&b->store->db, 1, &arena, &path, &err), &err);
    assert_string_equal(path, "/before");
    assert_int_equal(get(b, 1).compute_ms, -1);
    pingo__arena_clear(&arena);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_datasets__the_planner_is_told_what_is_there),
        cmocka_unit_test(test_datasets__a_new_generation_takes_the_place_of_the_last),
        cmocka_unit_test(test_datasets__move_only_from_the_state_they_are_in),
        cmocka_unit_test(test_datasets__on_their_way_out_are_listed),
        cmocka_unit_test(test_datasets__left_ones_are_taken_once),
        cmocka_unit_test(test_datasets__pages_and_counts),
        cmocka_unit_test(test_datasets__changes_are_told_in_their_order),
        cmocka_unit_test(test_datasets__are_pinned_touched_and_adopted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
