/* test_parts_of_graphs.c - graphs with rows of their own become parts that they share: what was said of each action is said
 * still, and a graph that lacks one is told, not cut short. */
#include "unit/store/migrations/old.h"

#include "store/submission/graph.h"

#define SAYS "graph || '.' || position || ':' || name || ':' || hex(hash) || ':' || leaf AS x"
#define EDGES "SELECT group_concat(parent, ' ') FROM edge WHERE graph = %d AND child = %d"

/* Its parents, as they are read now, are those that it had. */
static void assert_parents(struct pingo__store_db *db, sqlite3 *before, int graph, int position)
{
    struct pingo__arena arena = {0};
    struct pingo__store_position_list list = {.arena = &arena};
    struct pingo_error err;
    char sql[200], now[100] = "";

    well(pingo__store_node_parents(db, &(struct pingo__store_at){graph, position}, &list, &err),
         &err);
    for (size_t i = 0; i < list.n; i++)
        snprintf(now + strlen(now), sizeof now - strlen(now), "%s%u", i ? " " : "", list.rows[i]);
    snprintf(sql, sizeof sql, EDGES, graph, position);
    char *then = old_text(before, sql);
    assert_string_equal(now, then);
    free(then);
    pingo__arena_clear(&arena);
}

static void test_parts_of_graphs__all_is_said_that_was(void **state)
{
    struct old before, o;
    struct pingo__store_db db;
    struct pingo_error err;

    UNUSED(state);
    old_make(&before, "store-5/store.sql");
    old_make(&o, "store-5/store.sql");
    well(old_open(&o, &db, &err), &err);
    char *nodes = old_text(before.file, "SELECT group_concat(x) FROM (SELECT " SAYS
                                        " FROM node ORDER BY graph, position)");
    old_assert(&db,
               "SELECT group_concat(x) FROM (SELECT " SAYS
               " FROM graph_node ORDER BY graph, position)",
               nodes);
    for (int graph = 1; graph <= 4; graph++)
        for (int position = 0; position < (graph < 3 ? 3 : 2); position++)
            assert_parents(&db, before.file, graph, position);
    old_assert(&db,
               "SELECT group_concat(kind || name || path, ' ') FROM (SELECT i.* FROM input i JOIN"
               " graph_node n ON n.id = i.node WHERE n.graph = 1 ORDER BY n.position, ordinal)",
               "1aone.txt 1btwo.txt");
    old_assert(&db,
               "SELECT group_concat(l.value, ' ') FROM graph_node n JOIN label l ON l.node = n.id"
               " WHERE n.graph = 2",
               "root leaf");
    pingo__store_db_close(&db);
    free(nodes);
    old_remove(&before);
    old_remove(&o);
}

static void test_parts_of_graphs__a_graph_that_lacks_a_node_is_told(void **state)
{
    struct old o;
    struct pingo__store_db db;
    struct pingo_error err;
    char path[100];

    UNUSED(state);
    old_make(&o, "store-5/store.sql");
    old_run(&o, "DELETE FROM node WHERE graph = 2 AND position = 1");
    assert_int_equal(old_open(&o, &db, &err), PINGO_ECORRUPT);
    assert_non_null(strstr(err.message, "row 2 of table graph cannot be taken over"));
    assert_non_null(strstr(err.message, "it has no node 1"));
    snprintf(path, sizeof path, "%s/pingo.db", o.root);
    assert_int_equal(sqlite3_open(path, &o.file), SQLITE_OK);
    char *version = old_text(o.file, "PRAGMA user_version");
    assert_string_equal(version, "5"); /* and the older Pingo still has it */
    free(version);
    old_remove(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_of_graphs__all_is_said_that_was),
        cmocka_unit_test(test_parts_of_graphs__a_graph_that_lacks_a_node_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
