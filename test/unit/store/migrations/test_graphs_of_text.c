/* test_graphs_of_text.c - the graph and the plan as rows, of the text and the blobs of older stores; where the text is
 * forgotten, or no text of this version's, of what rows and descriptions say. */
#include "unit/store/migrations/old.h"

/* Of a submission: what a node is called, with the first digits of its hash, and its parents' distances. */
#define NODES(workflow)                                                                            \
    "SELECT group_concat(x, ' ') FROM (SELECT n.user_id || ':' || n.name || ':' ||"                \
    " substr(lower(hex(n.hash)), 1, 6) || ':' || hex(coalesce(n.parents, '')) AS x FROM workflow"  \
    " w JOIN graph_node n ON n.graph = w.graph WHERE w.id = " workflow " ORDER BY n.position)"

static void test_graphs_of_text__a_text_is_read_once_more(void **state)
{
    struct old o;
    struct pingo__store_db db;
    struct pingo_error err;

    UNUSED(state);
    old_make(&o, "store-0.1/pingo.sql");
    well(old_open(&o, &db, &err), &err);
    old_assert(&db, NODES("1"), "1:first:13c306: 2:second:5d7a82:01");
    old_assert(&db, NODES("2"), "1:first:13c306: 2:third:0b9af5:01");
    old_assert(&db,
               "SELECT group_concat(leaf, '') FROM (SELECT leaf FROM graph_node WHERE graph = 1"
               " ORDER BY position)",
               "01");
    pingo__store_db_close(&db);
    old_remove(&o);
}

static void test_graphs_of_text__labels_and_plans_are_taken_over(void **state)
{
    struct old o;
    struct pingo__store_db db;
    struct pingo_error err;

    UNUSED(state);
    old_make(&o, "store-0.2/store.sql");
    int64_t before = 0;
    char *labels = old_text(o.file, "SELECT count(*) FROM label WHERE key = 'kind'");
    before = atoll(labels);
    free(labels);
    assert_true(before > 0);
    well(old_open(&o, &db, &err), &err);
    old_assert(&db, NODES("1"), "10:big1:0b19b4: 20:leaf1:c02fc0:01");
    old_assert(
        &db,
        "SELECT group_concat(key || '=' || value, ' ') FROM (SELECT l.key, l.value FROM workflow"
        " w JOIN graph_node n ON n.graph = w.graph JOIN label l ON l.node = n.id"
        " WHERE w.id = 1 AND n.user_id = 20 ORDER BY l.key)",
        "kind=leaf sample=s1");
    pingo__store_db_close(&db);
    old_remove(&o);
}

/* Of what is forgotten the names are gone, or what the rows have; hashes and edges stay. */
static void test_graphs_of_text__a_forgotten_text_loses_no_hash(void **state)
{
    static const char *const texts[] = {"", "no text of a workflow"};

    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        struct old o;
        struct pingo__store_db db;
        struct pingo_error err;
        char sql[100];

        old_make(&o, "store-0.1/pingo.sql");
        snprintf(sql, sizeof sql, "UPDATE document SET text = CAST('%s' AS BLOB) WHERE id = 1",
                 texts[i]);
        old_run(&o, sql);
        well(old_open(&o, &db, &err), &err);
        old_assert(&db, NODES("1"), "1:first:13c306: 2:second:5d7a82:01");
        old_assert(&db, NODES("2"), "1:first:13c306: 2:third:0b9af5:01");
        pingo__store_db_close(&db);
        old_remove(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs_of_text__a_text_is_read_once_more),
        cmocka_unit_test(test_graphs_of_text__labels_and_plans_are_taken_over),
        cmocka_unit_test(test_graphs_of_text__a_forgotten_text_loses_no_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
