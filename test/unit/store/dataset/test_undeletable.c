/* test_undeletable.c - what could not be removed: it waits longer each time, and counts as used meanwhile. */
#include "unit/engine/box.h"

#include "store/dataset/undeletable.h"
#include "store/decision/usage.h"

static int64_t note(struct box *b, int64_t dataset, const char *message)
{
    struct pingo_error err;
    int64_t wait_ms = -1;

    well(pingo__store_undeletable_note(&b->store->db, dataset, message, &wait_ms, &err), &err);
    return wait_ms;
}

static void test_undeletable__waits_twice_as_long_each_time(void **state)
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

static int64_t orphan_bytes(struct box *b)
{
    struct pingo__store_usage usage;
    struct pingo_error err;

    well(pingo__store_usage_read(&b->store->db, &usage, NULL, &err), &err);
    return usage.orphan_bytes;
}

static void test_undeletable__orphans_count_until_they_have_gone(void **state)
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
    assert_int_equal(orphan_bytes(b), 320);
    well(pingo__store_orphan_forget(&b->store->db, "ab/two", &err), &err);
    well(pingo__store_orphan_forget(&b->store->db, "ab/three", &err), &err);
    assert_int_equal(orphan_bytes(b), 300);
    well(pingo__store_orphan_list(&b->store->db, &list, &err), &err);
    assert_int_equal(list.n, 1);
    assert_string_equal(list.rows[0], "ab/one");
    pingo__arena_clear(&arena);
    pingo__store_db_rollback(&b->store->db);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undeletable__waits_twice_as_long_each_time),
        cmocka_unit_test(test_undeletable__orphans_count_until_they_have_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
