/* test_written.c - what lies outside the pool by our hand, and what is on its way there. */
#include "unit/store/rows.h"

#include "store/dataset/written.h"

static const struct pingo_hash zero;

static struct pingo__store_written get(struct box *b, const char *path)
{
    struct pingo__store_written row;
    struct pingo_error err;

    well(pingo__store_written_get(&b->store->db, path, &row, &err), &err);
    return row;
}

static void test_written__keeps_the_last_of_a_path(void **state)
{
    struct pingo__store_written file = {.kind = PINGO__WRITTEN_FILE,
                                        .content = {{1}},
                                        .stamp = {{2}},
                                        .size_bytes = 3,
                                        .told = {{4}}},
                                bare = {.kind = PINGO__WRITTEN_LINK, .size_bytes = -1};
    struct box *b = rows_new(NULL);
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(get(b, "/x").kind, 0);
    well(pingo__store_written_set(&b->store->db, "/x", &file, &err), &err);
    struct pingo__store_written row = get(b, "/x");
    assert_int_equal(row.kind, PINGO__WRITTEN_FILE);
    assert_memory_equal(&row.content, &file.content, sizeof row.content);
    assert_memory_equal(&row.stamp, &file.stamp, sizeof row.stamp);
    assert_memory_equal(&row.told, &file.told, sizeof row.told);
    assert_int_equal(row.size_bytes, 3);
    /* What is not known is not taken from the row before. */
    well(pingo__store_written_set(&b->store->db, "/x", &bare, &err), &err);
    row = get(b, "/x");
    assert_int_equal(row.kind, PINGO__WRITTEN_LINK);
    assert_memory_equal(&row.content, &zero, sizeof zero);
    assert_memory_equal(&row.stamp, &zero, sizeof zero);
    assert_memory_equal(&row.told, &zero, sizeof zero);
    assert_int_equal(row.size_bytes, -1);
    assert_int_equal(
        box_int(b, "SELECT content IS NULL AND stamp IS NULL AND told IS NULL FROM written"), 1);
    assert_int_equal(get(b, "/x/").kind, 0); /* a path is a text */
    bare.kind = 4;
    assert_int_equal(pingo__store_written_set(&b->store->db, "/x", &bare, &err), PINGO_ESTORE);
    rows_close(b);
}

static size_t list(struct box *b, const char *path, struct pingo__store_writing first[1])
{
    struct pingo__arena arena = {0};
    struct pingo__store_writing_list list = {.arena = &arena};
    struct pingo_error err;

    well(pingo__store_writing_list(&b->store->db, path, &list, &err), &err);
    *first = list.n ? list.rows[0] : (struct pingo__store_writing){0};
    if (list.n) /* in order of names */
        assert_string_equal(first->temporary, "/.a");
    first->temporary = first->path = NULL; /* of the arena */
    pingo__arena_clear(&arena);
    return list.n;
}

static void test_written__knows_what_is_on_its_way(void **state)
{
    struct pingo__store_writing one = {.temporary = "/.b", .path = "/x", .owner = 1, .kind = 1},
                                two = {.temporary = "/.a", .path = "/x", .owner = 2, .kind = 2}, got;
    struct pingo_hash content = {{5}};
    struct box *b = rows_new(NULL);
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(list(b, NULL, &got), 0);
    well(pingo__store_writing_insert(&b->store->db, &one, &err), &err);
    well(pingo__store_writing_insert(&b->store->db, &two, &err), &err);
    assert_int_equal(pingo__store_writing_insert(&b->store->db, &two, &err), PINGO_ESTORE);
    assert_int_equal(list(b, "/x", &got), 2);
    assert_int_equal(got.owner, 2);
    assert_false(got.placed);
    assert_int_equal(list(b, "/y", &got), 0);
    well(pingo__store_writing_set_content(&b->store->db, "/.a", &content, &err), &err);
    well(pingo__store_writing_set_placed(&b->store->db, "/.a", &err), &err);
    assert_int_equal(list(b, NULL, &got), 2);
    assert_true(got.placed);
    assert_int_equal(got.content.bytes[0], 5);
    well(pingo__store_writing_delete(&b->store->db, "/.b", &err), &err);
    well(pingo__store_writing_delete(&b->store->db, "/.b", &err), &err); /* gone is gone */
    assert_int_equal(list(b, NULL, &got), 1);
    assert_int_equal(list(b, "/x", &got), 0); /* nothing is to come there any more */
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written__keeps_the_last_of_a_path),
        cmocka_unit_test(test_written__knows_what_is_on_its_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
