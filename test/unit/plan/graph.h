/* graph.h - small workflows for the planner's tests, in one line each.
 *
 * Words, one an action: ID [=SAME] [!] [~] [<PARENT,PARENT...].  "=SAME" gives the
 * action the description of another id, so that with equal parents the hashes are
 * equal; "!" forces it, "~" makes it unmanaged.  The order of the words is the order
 * of the definition. */
#ifndef TEST_PLAN_GRAPH_H
#define TEST_PLAN_GRAPH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pingo/plan.h>

struct graph {
    struct pingo_workflow_builder *builder;
    struct pingo_workflow *workflow;
    struct pingo_digests *digests;
    struct pingo_plan_entry *entries;
    enum pingo_known *known; /* by action; equal hashes have equal values */
    unsigned *lookups;       /* how often an action was asked for */
    size_t count;
    struct pingo_plan_summary summary;
};

static inline void graph_init(struct graph *g)
{
    *g = (struct graph){0};
    assert_int_equal(pingo_workflow_builder_new("graph", NULL, &g->builder, NULL), 0);
}

struct graph_node {
    int64_t id;
    int64_t same; /* whose description */
    const int64_t *parents;
    size_t nparents;
    bool forced, unmanaged;
};

static inline void graph_add(struct graph *g, const struct graph_node *node)
{
    char name[32], description[32], output_path[48];
    snprintf(name, sizeof name, "n%lld", (long long)node->id);
    snprintf(description, sizeof description, "work %lld", (long long)node->same);
    snprintf(output_path, sizeof output_path, "/results/%lld", (long long)node->id);
    const char *value = description;
    struct pingo_field field = {
        .key = "description", .kind = PINGO_FIELD_TEXT, .values = &value, .nvalues = 1};
    struct pingo_parent_spec *parents = calloc(node->nparents + 1, sizeof *parents);
    assert_non_null(parents);
    for (size_t i = 0; i < node->nparents; i++)
        parents[i].id = node->parents[i];
    struct pingo_action_spec spec = {.version = 1,
                                     .id = node->id,
                                     .name = name,
                                     .type = "external",
                                     .parents = parents,
                                     .nparents = node->nparents,
                                     .fields = &field,
                                     .nfields = 1,
                                     .force_computation = node->forced,
                                     .unmanaged = node->unmanaged,
                                     .output_path = node->unmanaged ? output_path : NULL};
    assert_int_equal(pingo_workflow_builder_add(g->builder, &spec, NULL), 0);
    free(parents);
}

static inline void graph_build(struct graph *g)
{
    struct pingo_error err = {0};
    struct pingo_problems *problems = NULL;
    int rc = pingo_workflow_builder_finish(g->builder, &g->workflow, &problems, &err);
    if (rc != 0)
        fail_msg("builder: %s", err.message);
    pingo_problems_free(problems);
    g->count = pingo_workflow_count(g->workflow);
}

static inline void graph_hash(struct graph *g)
{
    struct pingo_error err = {0};
    struct pingo_originals *originals = NULL;
    assert_int_equal(pingo_originals_identify(g->workflow, NULL, &originals, &err), 0);
    assert_int_equal(pingo_workflow_hash(g->workflow, originals, &g->digests, &err), 0);
    pingo_originals_free(originals);
    g->entries = calloc(g->count, sizeof *g->entries);
    g->known = calloc(g->count, sizeof *g->known);
    g->lookups = calloc(g->count, sizeof *g->lookups);
    assert_true(g->entries && g->known && g->lookups);
}

static inline void graph_finish(struct graph *g)
{
    graph_build(g);
    graph_hash(g);
}

static inline void graph_clear(struct graph *g)
{
    pingo_workflow_builder_free(g->builder);
    pingo_workflow_free(g->workflow);
    pingo_digests_free(g->digests);
    free(g->entries);
    free(g->known);
    free(g->lookups);
}

static inline bool graph_same(const struct graph *g, size_t a, size_t b)
{
    return memcmp(pingo_digests_hash(g->digests, a), pingo_digests_hash(g->digests, b),
                  sizeof(struct pingo_hash)) == 0;
}

static inline int graph_lookup(void *context, const struct pingo_hash *hash, size_t action,
                               enum pingo_known *known, struct pingo_error *err)
{
    struct graph *g = context;
    (void)err;
    assert_true(action < g->count);
    assert_memory_equal(hash, pingo_digests_hash(g->digests, action), sizeof *hash);
    g->lookups[action]++;
    *known = g->known[action];
    return 0;
}

static inline int graph_plan(struct graph *g, const struct pingo_plan_options *options)
{
    memset(g->lookups, 0, g->count * sizeof *g->lookups);
    struct pingo_plan_options o = options ? *options : (struct pingo_plan_options){.version = 1};
    o.lookup = graph_lookup;
    o.context = g;
    int rc = pingo_plan(g->workflow, g->digests, &o, g->entries, NULL);
    g->summary = pingo_plan_sum(g->entries, g->count);
    return rc;
}

/* Reads the notation, without hashes. */
static inline void graph_read(struct graph *g, const char *text)
{
    graph_init(g);
    while (*text != '\0') {
        int64_t parents[16];
        char *end;
        struct graph_node node = {.id = strtoll(text, &end, 10), .parents = parents};
        node.same = node.id;
        for (; *end != '\0' && *end != ' ';) {
            char sign = *end++;
            if (sign == '!')
                node.forced = true;
            else if (sign == '~')
                node.unmanaged = true;
            else if (sign == '=')
                node.same = strtoll(end, &end, 10);
            else if (sign == '<' || sign == ',')
                parents[node.nparents++] = strtoll(end, &end, 10);
            else
                fail_msg("bad notation at '%s'", end - 1);
        }
        graph_add(g, &node);
        for (text = end; *text == ' ';)
            text++;
    }
    graph_build(g);
}

/* Reads the notation, with hashes. */
static inline void graph_parse(struct graph *g, const char *text)
{
    graph_read(g, text);
    graph_hash(g);
}

#endif
