/* A workflow of a graph alone, against the same one built in the public way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pingo/workflow.h>

#include "workflow/workflow.h"

enum { N = 200 };

static uint64_t random_state = 11;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % below);
}

static struct pingo_workflow *build(const uint32_t *first, const uint32_t *parents)
{
    static const char *const text = "x";
    static const struct pingo_field field = {
        .key = "description", .kind = PINGO_FIELD_TEXT, .values = &text, .nvalues = 1};
    struct pingo_workflow_builder *builder = NULL;
    struct pingo_workflow *workflow = NULL;
    assert_int_equal(pingo_workflow_builder_new("x", NULL, &builder, NULL), 0);
    for (size_t i = 0; i < N; i++) {
        struct pingo_parent_spec specs[4];
        struct pingo_action_spec spec = {.version = 1,
                                         .id = (int64_t)i,
                                         .name = text,
                                         .type = "external",
                                         .fields = &field,
                                         .nfields = 1,
                                         .parents = specs,
                                         .nparents = first[i + 1] - first[i]};
        for (size_t k = 0; k < spec.nparents; k++)
            specs[k] = (struct pingo_parent_spec){.id = parents[first[i] + k]};
        assert_int_equal(pingo_workflow_builder_add(builder, &spec, NULL), 0);
    }
    assert_int_equal(pingo_workflow_builder_finish(builder, &workflow, NULL, NULL), 0);
    pingo_workflow_builder_free(builder);
    return workflow;
}

static void compare(const struct pingo_workflow *a, const struct pingo_workflow *b)
{
    assert_int_equal(pingo_workflow_count(a), N);
    assert_int_equal(pingo_workflow_count(b), N);
    assert_memory_equal(pingo_workflow_order(a), pingo_workflow_order(b), N * sizeof(uint32_t));
    for (size_t i = 0; i < N; i++) {
        const struct pingo_action *x = pingo_workflow_action(a, i), *y = pingo_workflow_action(b, i);
        size_t nx, ny;
        const uint32_t *cx = pingo_workflow_children(a, i, &nx);
        const uint32_t *cy = pingo_workflow_children(b, i, &ny);
        assert_int_equal(x->id, y->id);
        assert_ptr_equal(x->type, y->type);
        assert_int_equal(x->keep, y->keep);
        assert_int_equal(x->cpus, y->cpus);
        assert_int_equal(x->is_managed, y->is_managed);
        assert_int_equal(x->is_leaf, y->is_leaf);
        assert_int_equal(x->force_computation, y->force_computation);
        assert_int_equal(x->nparents, y->nparents);
        for (size_t k = 0; k < x->nparents; k++)
            assert_int_equal(x->parents[k].index, y->parents[k].index);
        assert_int_equal(nx, ny);
        if (nx > 0)
            assert_memory_equal(cx, cy, nx * sizeof *cx);
        assert_int_equal(pingo_workflow_find(a, (int64_t)i), i);
    }
}

static void test_bare__is_as_one_that_was_built(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        uint32_t first[N + 1];
        uint32_t parents[4 * N];
        uint32_t n = 0;
        struct pingo_workflow *bare = NULL, *built;
        for (uint32_t i = 0; i < N; i++) {
            first[i] = n;
            for (uint32_t k = i < 8 ? 0 : draw(5); k > 0; k--)
                parents[n++] = i - 2 * k + draw(2); /* each another one */
        }
        first[N] = n;
        assert_int_equal(pingo__workflow_bare(N, first, parents, &bare, NULL), 0);
        built = build(first, parents);
        compare(bare, built);
        pingo_workflow_free(bare);
        pingo_workflow_free(built);
    }
}

static void test_bare__refuses_what_is_no_workflow(void **state)
{
    (void)state;
    static const uint32_t none[1] = {0}, first[4] = {0, 1, 2, 3};
    static const uint32_t circle[3] = {2, 0, 1};
    struct pingo_workflow *workflow = NULL;
    struct pingo_error err = {0};
    assert_int_equal(pingo__workflow_bare(0, none, circle, &workflow, &err), PINGO_EWORKFLOW);
    assert_null(workflow);
    assert_int_equal(pingo__workflow_bare(3, first, circle, &workflow, &err), PINGO_EWORKFLOW);
    assert_null(workflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bare__is_as_one_that_was_built),
        cmocka_unit_test(test_bare__refuses_what_is_no_workflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
