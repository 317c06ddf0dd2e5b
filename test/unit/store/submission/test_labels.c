/* test_labels.c - labels of actions: written once, read by key, and found by value or pattern. */
#include "unit/store/rows.h"

#include "store/submission/labels.h"

#define L(...) ",'labels':{" __VA_ARGS__ "}"
#define LABELLED                                                                                   \
    W(A(1, L("'kind':'raw','size':'big'")) "," A(2, L("'kind':'raw2'")) "," A(                     \
        3, P(FROM(1)) L("'kind':'sum','raw':'kind'")))

static int64_t node_of(struct box *b, int64_t id)
{
    int64_t node = 0;

    assert_int_equal(pingo__db_number(&b->store->db, NULL, &node,
                                      "SELECT id FROM node WHERE user_id = ?", INT(id)),
                     0);
    return node;
}

static void test_labels__are_read_by_key(void **state)
{
    static const char *const pairs[] = {"z", "1", "b", "2", "a b", ""};
    struct box *b = rows_new(LABELLED);
    struct pingo__arena arena = {0};
    struct pingo__store_text_list list = {.arena = &arena};
    struct pingo_error err;

    UNUSED(state);
    well(pingo__store_labels_read(&b->store->db, node_of(b, 1), &list, &err), &err);
    assert_int_equal(list.n, 4);
    assert_string_equal(list.rows[0], "kind");
    assert_string_equal(list.rows[1], "raw");
    assert_string_equal(list.rows[2], "size");
    assert_string_equal(list.rows[3], "big");
    rows_run(b, "DELETE FROM label");
    well(pingo__store_labels_read(&b->store->db, node_of(b, 1), &list, &err), &err);
    assert_int_equal(list.n, 0);
    well(pingo__store_labels_insert(&b->store->db, node_of(b, 2), pairs, 6, &err), &err);
    well(pingo__store_labels_read(&b->store->db, node_of(b, 2), &list, &err), &err);
    assert_int_equal(list.n, 6);
    assert_string_equal(list.rows[0], "a b");
    assert_string_equal(list.rows[1], "");
    assert_string_equal(list.rows[4], "z");
    well(pingo__store_labels_insert(&b->store->db, node_of(b, 3), pairs, 0, &err), &err);
    well(pingo__store_labels_read(&b->store->db, node_of(b, 3), &list, &err), &err);
    assert_int_equal(list.n, 0);
    /* A key stands once. */
    assert_int_equal(pingo__store_labels_insert(&b->store->db, node_of(b, 2), pairs, 2, &err),
                     PINGO_ESTORE);
    pingo__arena_clear(&arena);
    rows_close(b);
}

static void test_labels__are_found(void **state)
{
    static const struct {
        const char *key, *value;
        int n;
    } rows[] = {
        {"kind", "raw", 1}, {"kind", "raw*", 2}, {"kind", "*", 3},     {"kind", "ra", 0},
        {"kind", "?um", 1}, {"raw", "kind", 1},  {"size", "big", 1},   {"none", "*", 0},
        {"kind", "RAW", 0}, {"kin", "raw", 0},   {"kind", "[rs]*", 3},
    };
    struct box *b = rows_new(LABELLED);
    struct pingo_error err;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rows_count count = {0};
        const struct pingo__store_each each = {.fn = rows_tell, .context = &count};
        well(pingo__store_labels_each_hash(
                 &b->store->db,
                 &(struct pingo__store_label_asked){rows[i].key, rows[i].value, NULL}, &each, &err),
             &err);
        if (count.n != rows[i].n)
            fail_msg("%s=%s: %d, not %d", rows[i].key, rows[i].value, count.n, rows[i].n);
    }
    struct rows_count count = {.stop_at = 2}; /* who is told can have enough */
    const struct pingo__store_each each = {.fn = rows_tell, .context = &count};
    assert_int_equal(
        pingo__store_labels_each_hash(
            &b->store->db, &(struct pingo__store_label_asked){"kind", "*", NULL}, &each, &err),
        1);
    assert_int_equal(count.n, 2);
    rows_close(b);
}

/* Of who made a dataset by an action that has it, and of nobody else. */
static void test_labels__are_found_of_who_made_it(void **state)
{
    static const struct {
        const char *maker, *value;
        int n;
    } rows[] = {{"ann", "raw", 1}, {"ann", "*", 3}, {"bob", "raw", 0}, {"bob", "*", 0}};
    struct box *b = rows_new(LABELLED);
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "UPDATE workflow SET user = 'ann'");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rows_count count = {0};
        const struct pingo__store_each each = {.fn = rows_tell, .context = &count};
        const struct pingo__store_label_asked asked = {"kind", rows[i].value, rows[i].maker};
        well(pingo__store_labels_each_hash(&b->store->db, &asked, &each, &err), &err);
        assert_int_equal(count.n, rows[i].n);
    }
    rows_close(b);
}

/* In each graph they are where its nodes are. */
static void test_labels__tell_where_they_are(void **state)
{
    static const struct {
        const char *label[2];
        int n;
        int64_t at[2];
    } rows[] = {{{"kind", "raw"}, 1, {0, 0}},
                {{"kind", "sum"}, 1, {2, 0}},
                {{"all", "x"}, 2, {0, 2}},
                {{"kind", "raw*"}, 0, {0, 0}},
                {{"none", "raw"}, 0, {0, 0}}};
    struct box *b = rows_new(LABELLED);
    struct pingo__arena arena = {0};
    struct pingo_error err;

    UNUSED(state);
    rows_run(b, "INSERT INTO label(node, key, value) SELECT id, 'all', 'x' FROM node"
                " WHERE user_id IN (3, 1)");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__store_number_list list = {.arena = &arena};
        well(pingo__store_labels_positions(&b->store->db, 1, rows[i].label, &list, &err), &err);
        assert_int_equal(list.n, rows[i].n);
        for (size_t k = 0; k < list.n; k++)
            assert_int_equal(list.rows[k], rows[i].at[k]);
        well(pingo__store_labels_positions(&b->store->db, 2, rows[i].label, &list, &err), &err);
        assert_int_equal(list.n, 0);
    }
    pingo__arena_clear(&arena);
    rows_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels__are_read_by_key),
        cmocka_unit_test(test_labels__are_found),
        cmocka_unit_test(test_labels__are_found_of_who_made_it),
        cmocka_unit_test(test_labels__tell_where_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
