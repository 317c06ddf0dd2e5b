/* test_parts.c - the nodes of a graph as they are written: equal ones are the same part wherever they stand, one that differs
 * in anything is another, and nothing is left of what could not be read. */
#include "unit/store/rows.h"

#include "store/submission/labels.h"
#include "store/submission/parts.h"

/* Nodes that are equal but for their numbers and hashes, and what of one is changed. */
struct made {
    size_t changed; /* which; SIZE_MAX: none */
    void (*change)(struct pingo__store_whole_node *w);
    size_t zero;     /* its hash begins with a zero */
    size_t fails_at; /* and reading this one fails; SIZE_MAX */
    size_t shift;    /* so many others stand before them */
};
static const struct pingo_parent before = {0, "p0"};
static const struct pingo__store_node_input input = {PINGO__ORIGINAL_CONTENT, "in", "/base/data/x"};
static const char *const labels[] = {"k", "v"};

static int read_made(void *context, size_t position, struct pingo__arena *arena,
                     struct pingo__store_whole_node *w, struct pingo_error *err)
{
    const struct made *m = context;
    if (position == m->fails_at) {
        snprintf(err->message, sizeof err->message, "it cannot be read");
        return PINGO_ECORRUPT;
    }
    bool is_shift = position < m->shift;
    size_t i = is_shift ? 5000 + position : position - m->shift;
    struct pingo_parent *parent = pingo__arena_alloc(arena, sizeof *parent);
    *parent = before;
    parent->index = position ? position - 1 : 0;
    w->node = (struct pingo__store_node){
        .user_id = (int64_t)i, .name = "n", .type = "command-line", .retries = 1};
    memset(w->node.hash.bytes, 0x77, sizeof w->node.hash.bytes);
    w->node.hash.bytes[0] = i == m->zero ? 0 : 1;
    w->node.hash.bytes[1] = (uint8_t)(i >> 8);
    w->node.hash.bytes[2] = (uint8_t)i;
    if (position) {
        w->parents = parent;
        w->nparents = 1;
    }
    w->inputs = &input;
    w->ninputs = 1;
    w->labels = labels;
    w->nlabels = 2;
    if (i == m->changed && !is_shift)
        m->change(w);
    return 0;
}

static int64_t new_graph(struct box *b)
{
    static int64_t n;
    struct pingo__store_graph graph = {.document = 1};
    struct pingo_error err;
    memcpy(graph.originals.bytes, &n, sizeof n);
    n++;
    well(pingo__store_graph_insert(&b->store->db, &graph, &err), &err);
    return graph.id;
}

static int fill(struct box *b, int64_t graph, struct made *m, size_t n, const char *base_dir,
                struct pingo_error *err)
{
    struct pingo__store_node_source source = {
        .read = read_made, .context = m, .n = n, .base_dir = base_dir};
    return pingo__store_graph_fill(&b->store->db, graph, &source, err);
}

static int64_t filled(struct box *b, struct made m, size_t n, const char *base_dir)
{
    struct pingo_error err;
    int64_t graph = new_graph(b);
    well(fill(b, graph, &m, n, base_dir, &err), &err);
    return graph;
}

/* What a query says that is no literal text. */
static void says(struct box *b, const char *sql, const char *text)
{
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_prepare_v2(b->store->db.sqlite, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 0), text);
    sqlite3_finalize(stmt);
}

/* "FIRST+N FIRST+N ..." */
static void has_parts(struct box *b, int64_t graph, const char *parts)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT coalesce(group_concat(first || '+' || n, ' '), '') FROM (SELECT"
             " * FROM graph_part WHERE graph = %d ORDER BY first)",
             (int)graph);
    says(b, sql, parts);
}

#define NONE_SUCH SIZE_MAX
static const struct made plain = {NONE_SUCH, NULL, NONE_SUCH, NONE_SUCH, 0};

static void test_parts__end_where_a_hash_says_so_and_are_never_too_large(void **state)
{
    static const struct {
        size_t n, zero;
        const char *parts;
    } rows[] = {
        {0, NONE_SUCH, ""},
        {1, 0, "0+1"},
        {200, NONE_SUCH, "0+200"},
        {200, 62, "0+200"}, /* it would be too small */
        {200, 63, "0+64 64+136"},
        {200, 199, "0+200"},
        {1024, NONE_SUCH, "0+1024"},
        {1025, NONE_SUCH, "0+1024 1024+1"},
        {2100, 1500, "0+1024 1024+477 1501+599"},
    };
    struct box *b = rows_new(FAN);
    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made m = plain;
        m.zero = rows[i].zero;
        has_parts(b, filled(b, m, rows[i].n, ""), rows[i].parts);
    }
    rows_close(b);
}

static void test_parts__equal_ones_are_the_same_rows(void **state)
{
    struct box *b = rows_new(FAN);
    struct made m = plain;
    UNUSED(state);
    m.zero = 99;
    filled(b, m, 300, "");
    int64_t nodes = box_int(b, "SELECT count(*) FROM node"),
            inputs = box_int(b, "SELECT count(*) FROM input");
    filled(b, m, 300, "");
    assert_int_equal(box_int(b, "SELECT count(*) FROM node"), nodes);
    assert_int_equal(box_int(b, "SELECT count(*) FROM input"), inputs);
    m.shift = 100; /* others before them, that are a part: the rest is where it was */
    filled(b, m, 100, "");
    assert_int_equal(box_int(b, "SELECT count(*) FROM node"), nodes + 100);
    rows_close(b);
}

static void change_id(struct pingo__store_whole_node *w)
{
    w->node.user_id = 77777;
}
static void change_name(struct pingo__store_whole_node *w)
{
    w->node.name = "";
}
static void change_hash(struct pingo__store_whole_node *w)
{
    w->node.hash.bytes[31] ^= 1;
}
static void change_leaf(struct pingo__store_whole_node *w)
{
    w->node.is_leaf = true;
}
static void change_memory(struct pingo__store_whole_node *w)
{
    w->node.memory_mb = INT64_MAX;
}
static void change_output(struct pingo__store_whole_node *w)
{
    w->node.output_path = ""; /* is not none */
}
static void change_resources(struct pingo__store_whole_node *w)
{
    w->node.resources = "gpus 1";
}
static void change_parents(struct pingo__store_whole_node *w)
{
    w->nparents = 0;
}
static void change_inputs(struct pingo__store_whole_node *w)
{
    w->ninputs = 0;
}
static void change_path(struct pingo__store_whole_node *w)
{
    static const struct pingo__store_node_input other = {PINGO__ORIGINAL_CONTENT, "in",
                                                         "/base/data/y"};
    w->inputs = &other;
}
static void change_kind(struct pingo__store_whole_node *w)
{
    static const struct pingo__store_node_input other = {PINGO__ORIGINAL_STAT, "in", "/base/data/x"};
    w->inputs = &other;
}
static void change_labels(struct pingo__store_whole_node *w)
{
    w->nlabels = 0;
}
static void change_label(struct pingo__store_whole_node *w)
{
    static const char *const other[] = {"k", ""};
    w->labels = other;
}

static void test_parts__one_that_differs_in_anything_is_another(void **state)
{
    static void (*const changes[])(struct pingo__store_whole_node * w) = {
        change_id,     change_name,      change_hash,    change_leaf,   change_memory,
        change_output, change_resources, change_parents, change_inputs, change_path,
        change_kind,   change_labels,    change_label};
    struct box *b = rows_new(FAN);
    struct made m = plain;
    UNUSED(state);
    filled(b, m, 70, "");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        int64_t parts = box_int(b, "SELECT count(*) FROM part");
        m.changed = 40;
        m.change = changes[i];
        filled(b, m, 70, "");
        assert_int_equal(box_int(b, "SELECT count(*) FROM part"), parts + 1);
    }
    rows_close(b);
}

/* What is below the base directory is kept from there on, and nothing else is. */
static void test_parts__paths_are_kept_from_the_base_on(void **state)
{
    static const struct {
        const char *base, *kept;
    } rows[] = {{"", "/base/data/x"},       {"/base", "data/x"},
                {"/base/data", "x"},        {"/ba", "/base/data/x"},
                {"/base/", "/base/data/x"}, {"/base/data/x", "/base/data/x"},
                {"/other", "/base/data/x"}};
    struct box *b = rows_new(FAN);
    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char sql[300];
        int64_t graph = filled(b, plain, 65, rows[i].base);
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM graph_part gp JOIN input i ON i.node BETWEEN"
                 " gp.part AND gp.part + gp.n - 1 WHERE gp.graph = %d AND i.path ="
                 " '%s'",
                 (int)graph, rows[i].kept);
        says(b, sql, "65");
    }
    rows_close(b);
}

static void test_parts__who_cannot_read_one_says_why(void **state)
{
    struct box *b = rows_new(FAN);
    struct pingo_error err;
    int64_t graph = new_graph(b);
    struct made m = plain;
    UNUSED(state);
    m.fails_at = 70;
    assert_int_equal(fill(b, graph, &m, 100, "", &err), PINGO_ECORRUPT);
    assert_string_equal(err.message, "it cannot be read");
    has_parts(b, graph, "");
    rows_close(b);
}

/* A URI is the command's business; a tool has no path. */
static void test_parts__of_a_workflow_say_what_the_document_says(void **state)
{
    static const char text[] =
        "{\"name\":\"w\",\"actions\":[{\"id\":9,\"name\":\"a\",\"type\":\"command-line\","
        "\"command\":"
        "[\"x\"],\"retries\":3,\"resources\":{\"cpus\":2,\"memoryMB\":1000},\"labels\":{\"k\":"
        "\"v\"},\"tools\":"
        "[\"sh\"],\"inputs\":[{\"name\":\"u\",\"uri\":\"http://"
        "x\",\"version\":\"1\"},{\"name\":\"i\",\"path\":\"/"
        "p\"},"
        "{\"name\":\"s\",\"path\":\"/q\",\"identity\":\"stat\"}]}]}";
    struct pingo_workflow *workflow = NULL;
    struct pingo__arena arena = {0};
    struct pingo__store_whole_node w;
    struct pingo_hash hash = {{42}};
    struct pingo_error err;
    UNUSED(state);
    well(pingo_workflow_parse(&(struct pingo_document){text, sizeof text - 1, NULL}, NULL,
                              &workflow, &err),
         &err);
    struct pingo__store_workflow_source source = {workflow, &hash};
    well(pingo__store_node_of_action(&source, 0, &arena, &w, &err), &err);
    assert_int_equal(w.node.user_id, 9);
    assert_string_equal(w.node.name, "a");
    assert_int_equal(w.node.retries, 3);
    assert_int_equal(w.node.cpus, 2);
    assert_int_equal(w.node.memory_mb, 1000);
    assert_memory_equal(&w.node.hash, &hash, sizeof hash);
    assert_true(w.node.is_leaf);
    assert_null(w.node.output_path);
    assert_null(w.node.resources);
    assert_int_equal(w.nparents, 0);
    assert_int_equal(w.nlabels, 2);
    assert_string_equal(w.labels[1], "v");
    assert_int_equal(w.ninputs, 3);
    assert_string_equal(w.inputs[0].path, "/p");
    assert_int_equal(w.inputs[0].kind, PINGO__ORIGINAL_CONTENT);
    assert_int_equal(w.inputs[1].kind, PINGO__ORIGINAL_STAT);
    assert_int_equal(w.inputs[2].kind, PINGO__ORIGINAL_TOOL);
    assert_string_equal(w.inputs[2].name, "sh");
    assert_null(w.inputs[2].path);
    pingo__arena_clear(&arena);
    pingo_workflow_free(workflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts__end_where_a_hash_says_so_and_are_never_too_large),
        cmocka_unit_test(test_parts__equal_ones_are_the_same_rows),
        cmocka_unit_test(test_parts__one_that_differs_in_anything_is_another),
        cmocka_unit_test(test_parts__paths_are_kept_from_the_base_on),
        cmocka_unit_test(test_parts__who_cannot_read_one_says_why),
        cmocka_unit_test(test_parts__of_a_workflow_say_what_the_document_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
