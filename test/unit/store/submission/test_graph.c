/* test_graph.c - the nodes of a graph lie in parts: what is the same in another graph is the same part, and each node is
 * found at its position with its parents. */
#include "unit/engine/box.h"

#include "store/submission/graph.h"
#include "store/submission/labels.h"

enum { N = 1500, LAST = 9999 };

/* Each action of a chain also reads the first one; the one before the last of the text is the parent of a middle one.
 * extra: stands behind the fifth action; base_dir: NULL: the box's. */
static void submit_chain(struct box *b, const char *extra, const char *first, const char *base_dir)
{
    struct pingo__buffer text = {0};
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_submit_options o = {.version = 2, .base_dir = base_dir, .user = "tester"};
    struct pingo_error err;

    pingo__buffer_format(&text, "{\"name\":\"w\",\"actions\":[");
    for (int i = 0; i < N; i++) {
        pingo__buffer_format(&text, "%s{\"id\":%d,\"name\":\"n%d\",\"type\":\"command-line\"",
                             i ? "," : "", i, i);
        pingo__buffer_format(&text, ",\"command\":[\"%s%d\"],\"labels\":{\"k\":\"v%d\"}",
                             i == N - 10 ? first : "x", i, i);
        if (i == 10)
            pingo__buffer_text(&text, ",\"inputs\":[{\"name\":\"in\",\"path\":\"in.txt\"}]");
        if (i == 1000)
            pingo__buffer_format(&text, ",\"parentActions\":[{\"id\":%d}]", LAST);
        else if (i > 1)
            pingo__buffer_format(
                &text, ",\"parentActions\":[{\"id\":%d},{\"id\":0,\"as\":\"zero\"}]", i - 1);
        pingo__buffer_char(&text, '}');
        if (i == 5)
            pingo__buffer_text(&text, extra);
    }
    pingo__buffer_format(
        &text, ",{\"id\":%d,\"name\":\"far\",\"type\":\"command-line\",\"command\":[\"y\"]}]}",
        LAST);
    well(pingo_store_submit(b->store,
                            &(struct pingo_document){pingo__buffer_cstr(&text), text.length, NULL},
                            &o, &submission, &err),
         &err);
    pingo__buffer_clear(&text);
}

static void check_chain(struct box *b, int64_t graph, uint32_t shift)
{
    struct pingo__arena arena = {0};
    struct pingo__store_parents p = {.arena = &arena, .n = N + 1 + shift};
    struct pingo__store_position_list one = {.arena = &arena};
    struct pingo__store_text_list labels = {.arena = &arena};
    struct pingo__store_node node;
    struct pingo_error err;

    well(pingo__store_graph_parents(&b->store->db, graph, &p, &err), &err);
    for (uint32_t i = 6 + shift; i < N + shift; i++) {
        bool is_middle = i == 1000 + shift;
        uint32_t before = i == 6 + shift ? 5 : i - 1;

        assert_int_equal(p.first[i + 1] - p.first[i], is_middle ? 1 : 2);
        assert_int_equal(p.parents[p.first[i]], is_middle ? N + shift : before);
        if (!is_middle)
            assert_int_equal(p.parents[p.first[i] + 1], 0);
    }
    assert_int_equal(p.first[N + 1 + shift] - p.first[N + shift], 0);
    well(pingo__store_node_parents(&b->store->db, &(struct pingo__store_at){graph, 1000 + shift},
                                   &one, &err),
         &err);
    assert_int_equal(one.n, 1);
    assert_int_equal(one.rows[0], N + shift);
    well(pingo__store_node_get(&b->store->db, &(struct pingo__store_at){graph, 1234 + shift},
                               &arena, &node, &err),
         &err);
    assert_string_equal(node.name, "n1234");
    assert_int_equal(node.position, 1234 + shift);
    well(pingo__store_labels_read(&b->store->db, node.id, &labels, &err), &err);
    assert_int_equal(labels.n, 2);
    assert_string_equal(labels.rows[1], "v1234");
    well(pingo__store_node_get(&b->store->db, &(struct pingo__store_at){graph, N + 1 + shift},
                               &arena, &node, &err),
         &err);
    assert_null(node.name);
    pingo__arena_clear(&arena);
}

static int64_t added(struct box *b, const char *sql, int64_t *before)
{
    int64_t now = box_int(b, sql), n = now - *before;

    *before = now;
    return n;
}

static void write_input(const char *directory)
{
    char path[400];

    mkdir(directory, 0755);
    snprintf(path, sizeof path, "%s/in.txt", directory);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("in\n", f);
    fclose(f);
}

static void test_graph__an_edit_makes_few_parts(void **state)
{
    struct box *b = box_new();
    char elsewhere[300];
    int64_t parts = 0, nodes = 0;

    UNUSED(state);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", b->root);
    write_input(b->root);
    write_input(elsewhere);
    submit_chain(b, "", "x", b->root);
    assert_in_range(added(b, "SELECT count(*) FROM part", &parts), 2, 24);
    assert_int_equal(added(b, "SELECT count(*) FROM node", &nodes), N + 1);
    check_chain(b, 1, 0);

    submit_chain(b, "", "x", elsewhere); /* the same text: the same parts, and other inputs */
    assert_int_equal(added(b, "SELECT count(*) FROM part", &parts), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM graph"), 2);
    struct pingo__arena arena = {0};
    struct pingo__store_node_input_list inputs = {.arena = &arena};
    struct pingo_error err;
    char path[400];
    snprintf(path, sizeof path, "%s/in.txt", elsewhere);
    well(pingo__store_node_inputs(&b->store->db, &(struct pingo__store_at){2, 10}, &inputs, &err),
         &err);
    assert_int_equal(inputs.n, 1);
    assert_string_equal(inputs.rows[0].path, path);
    pingo__arena_clear(&arena);

    submit_chain(b, "", "z", b->root); /* an action near the end, and what comes after it */
    assert_in_range(added(b, "SELECT count(*) FROM part", &parts), 1, 3);
    check_chain(b, 3, 0);

    /* An action more: what stands behind it is as far from its parents as before, or from the beginning. */
    submit_chain(b, ",{\"id\":7777,\"name\":\"more\",\"type\":\"command-line\",\"command\":[\"m\"]}",
                 "x", b->root);
    assert_in_range(added(b, "SELECT count(*) FROM part", &parts), 1, 8);
    added(b, "SELECT count(*) FROM node", &nodes);
    check_chain(b, 4, 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM graph_node WHERE graph = 4"), N + 2);
    box_close(b);
}

static void test_graph__nodes_are_found_in_their_graph(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    int64_t at = 0;

    UNUSED(state);
    write_input(b->root);
    submit_chain(b, "", "x", b->root);
    submit_chain(b, ",{\"id\":7777,\"name\":\"more\",\"type\":\"command-line\",\"command\":[\"m\"]}",
                 "x", b->root);
    well(pingo__store_node_resolve(&b->store->db, 2, "more", &at, &err), &err);
    assert_int_equal(at, 6);
    assert_int_equal(pingo__store_node_resolve(&b->store->db, 1, "more", &at, &err),
                     PINGO_ENOTFOUND);
    well(pingo__store_node_resolve(&b->store->db, 1, "n1400", &at, &err), &err);
    assert_int_equal(at, 1400);
    well(pingo__store_node_resolve(&b->store->db, 2, "n1400", &at, &err), &err);
    assert_int_equal(at, 1401);
    well(pingo__store_node_find(&b->store->db, 1, 7777, &at, &err), &err);
    assert_int_equal(at, -1);
    well(pingo__store_node_find(&b->store->db, 2, LAST, &at, &err), &err);
    assert_int_equal(at, N + 1);
    /* Bytes that nobody packed lead out of the graph, which is said. */
    struct pingo__arena arena = {0};
    struct pingo__store_parents p = {.arena = &arena, .n = N + 1};
    box_int(b, "UPDATE node SET parents = x'ffffffff7f' WHERE name = 'n3' RETURNING 1");
    assert_int_equal(pingo__store_graph_parents(&b->store->db, 1, &p, &err), PINGO_ECORRUPT);
    box_int(b, "UPDATE node SET parents = x'ffffffffff' WHERE name = 'n3' RETURNING 1");
    assert_int_equal(pingo__store_graph_parents(&b->store->db, 1, &p, &err), PINGO_ECORRUPT);
    pingo__arena_clear(&arena);
    box_close(b);
}

/* Rows that are not there, as after damage, leave no numbers of theirs: whoever goes by them would leave the lists. */
static void test_graph__nodes_that_lack_are_told(void **state)
{
    static const char *const damages[] = {
        "DELETE FROM graph_part WHERE first > 0 AND first < 500 RETURNING 1", /* a gap */
        "DELETE FROM graph_part WHERE first > 1000 RETURNING 1",              /* the end */
        "DELETE FROM node WHERE name = 'n700' RETURNING 1",
        ("INSERT INTO graph_part SELECT graph, 1, part, n FROM graph_part WHERE first = 0"
         " RETURNING 1"),
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct box *b = box_new();
        struct pingo__arena arena = {0};
        struct pingo__store_parents p = {.arena = &arena, .n = N + 1};
        struct pingo_error err;
        write_input(b->root);
        submit_chain(b, "", "x", b->root);
        well(pingo__store_graph_parents(&b->store->db, 1, &p, &err), &err);
        box_int(b, damages[i]);
        assert_int_equal(pingo__store_graph_parents(&b->store->db, 1, &p, &err), PINGO_ECORRUPT);
        pingo__arena_clear(&arena);
        box_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph__an_edit_makes_few_parts),
        cmocka_unit_test(test_graph__nodes_are_found_in_their_graph),
        cmocka_unit_test(test_graph__nodes_that_lack_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
