/* test_db.c - rows: every kind of member is written and read back, NULL and what is not there included. */
#include "unit/engine/box.h"

#include <string.h>

#include "store/submission/graph.h"

struct thing {
    int64_t number, opt, ref;
    bool yes;
    enum pingo_keep keep;
    double real;
    const char *text, *maybe;
    struct pingo_hash hash;
    struct pingo__store_bytes bytes;
};
/* clang-format off */
#define THING(F, T)                                                                                \
    F(T, INT, number, "a") F(T, OPT, opt, "b") F(T, REF, ref, "c") F(T, INT, yes, "d")             \
    F(T, INT, keep, "e") F(T, REAL, real, "f") F(T, TEXT, text, "g") F(T, MAYBE, maybe, "h")       \
    F(T, HASH, hash, "i") F(T, BYTES, bytes.bytes, "j")
/* clang-format on */
PINGO__KIND(things, struct thing, THING);
#define SELECT "SELECT 0" THING(PINGO__COLUMN, ) " FROM thing "

static struct box *box_with_table(void)
{
    struct box *b = box_new();

    assert_int_equal(sqlite3_exec(b->store->db.sqlite,
                                  "CREATE TEMP TABLE thing(a, b, c, d, e, f, g, h, i, j)", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    return b;
}

static void put(struct box *b, const struct thing *t)
{
    struct pingo_error err;

    well(pingo__store_db_put(&b->store->db, "INSERT INTO thing VALUES(?,?,?,?,?,?,?,?,?,?)",
                             &things, t, &err),
         &err);
}

static void test_db__a_row_is_read_as_it_was_written(void **state)
{
    struct box *b = box_with_table();
    struct thing in = {1 << 20, 7,      8,       true,        PINGO_KEEP_NEVER,
                       0.5,     "text", "maybe", {{1, 2, 3}}, {"\0\1", 2}};
    struct thing nothing = {.opt = -1, .text = NULL}, out;
    struct pingo__arena arena = {0};
    struct pingo_error err;

    UNUSED(state);
    put(b, &in);
    well(pingo__db_row(&b->store->db, &err, &things, &arena, &out, SELECT, NONE), &err);
    assert_int_equal(out.number, in.number);
    assert_int_equal(out.opt, 7);
    assert_int_equal(out.ref, 8);
    assert_true(out.yes);
    assert_int_equal(out.keep, PINGO_KEEP_NEVER);
    assert_true(out.real > 0.4 && out.real < 0.6);
    assert_string_equal(out.text, "text");
    assert_string_equal(out.maybe, "maybe");
    assert_memory_equal(&out.hash, &in.hash, sizeof in.hash);
    assert_int_equal(out.bytes.n, 2);
    assert_memory_equal(out.bytes.bytes, "\0\1", 2);
    put(b, &nothing);
    assert_int_equal(box_int(b, "SELECT count(*) FROM thing WHERE b IS NULL AND c IS NULL AND"
                                " g IS NULL AND h IS NULL AND j IS NULL"),
                     1);
    well(pingo__db_row(&b->store->db, &err, &things, &arena, &out, SELECT "WHERE b IS NULL", NONE),
         &err);
    assert_int_equal(out.opt, -1);
    assert_string_equal(out.text, "");
    assert_null(out.maybe);
    assert_null(out.bytes.bytes);
    well(pingo__db_row(&b->store->db, &err, &things, &arena, &out, SELECT "WHERE a = ?", INT(5)),
         &err);
    assert_int_equal(out.opt, 0); /* no row: all of it is zero */
    assert_null(out.text);
    pingo__arena_clear(&arena);
    box_close(b);
}

static int stop_at_2(void *context, const void *row, struct pingo_error *err)
{
    UNUSED(err);
    *(int64_t *)context += *(const int64_t *)row;
    return *(const int64_t *)row == 2 ? 77 : 0;
}

static void test_db__a_list_has_all_rows_and_who_is_told_may_stop(void **state)
{
    struct box *b = box_with_table();
    struct pingo__arena arena = {0};
    struct pingo__store_number_list list = {.arena = &arena};
    struct pingo_error err;
    int64_t sum = 0;
    bool is = true;

    UNUSED(state);
    for (int64_t i = 0; i < 100; i++)
        put(b, &(struct thing){.number = i});
    well(pingo__db_list(&b->store->db, &err, &pingo__store_numbers, &list,
                        "SELECT 0, a FROM thing ORDER BY a DESC", NONE),
         &err);
    assert_int_equal(list.n, 100);
    assert_int_equal(list.rows[99], 0);
    assert_int_equal(list.rows[0], 99);
    assert_int_equal(pingo__db_each(&b->store->db, &err, &pingo__store_numbers, stop_at_2, &sum,
                                    "SELECT 0, a FROM thing ORDER BY a", NONE),
                     77);
    assert_int_equal(sum, 3);
    well(pingo__db_exists(&b->store->db, &err, &is, "SELECT 1 FROM thing WHERE a = ?", INT(100)),
         &err);
    assert_false(is);
    pingo__arena_clear(&arena);
    box_close(b);
}

PINGO__CHANGE(set_b(DB, int64_t a, int64_t to, bool *changed, ERR), changed,
              "UPDATE thing SET b = ?2 WHERE a = ?1", INT(a), OPT(to));
PINGO__NUMBER(b_of(DB, int64_t a, int64_t *n, ERR), n, -7, "SELECT b FROM thing WHERE a = ?",
              INT(a));

static void test_db__a_function_that_is_one_statement(void **state)
{
    struct box *b = box_with_table();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    bool changed = false;
    int64_t n = 0;

    UNUSED(state);
    put(b, &(struct thing){.number = 1, .opt = 5});
    well(b_of(db, 1, &n, &err), &err);
    assert_int_equal(n, 5);
    well(b_of(db, 2, &n, &err), &err);
    assert_int_equal(n, -7);
    well(set_b(db, 1, -1, &changed, &err), &err);
    assert_true(changed);
    well(b_of(db, 1, &n, &err), &err); /* NULL */
    assert_int_equal(n, -7);
    well(set_b(db, 2, 3, &changed, &err), &err);
    assert_false(changed);
    box_close(b);
}

static void test_db__nodes_are_found_by_id_and_name(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_parents parents = {.arena = &arena, .n = 3};
    struct pingo__store_node node;
    struct pingo_error err;
    int64_t at = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(1) "," FROM(2)))));
    well(pingo__store_node_resolve(&b->store->db, 1, "a3", &at, &err), &err);
    assert_int_equal(at, 2);
    assert_int_equal(pingo__store_node_resolve(&b->store->db, 1, "a9", &at, &err), PINGO_ENOTFOUND);
    well(pingo__store_node_find(&b->store->db, 1, 9, &at, &err), &err);
    assert_int_equal(at, -1);
    well(pingo__store_node_get(&b->store->db, &(struct pingo__store_at){1, 9}, &arena, &node, &err),
         &err);
    assert_null(node.name);
    well(pingo__store_graph_parents(&b->store->db, 1, &parents, &err), &err);
    assert_int_equal(parents.first[1], 0);
    assert_int_equal(parents.first[2], 1);
    assert_int_equal(parents.first[3], 3);
    assert_int_equal(parents.parents[2], 1);
    parents.n = 2; /* a graph of fewer nodes than its edges know */
    assert_int_equal(pingo__store_graph_parents(&b->store->db, 1, &parents, &err), PINGO_ECORRUPT);
    pingo__arena_clear(&arena);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_db__a_row_is_read_as_it_was_written),
        cmocka_unit_test(test_db__a_list_has_all_rows_and_who_is_told_may_stop),
        cmocka_unit_test(test_db__a_function_that_is_one_statement),
        cmocka_unit_test(test_db__nodes_are_found_by_id_and_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
