/* What goes wrong around the planner: a failing look-up, wrong arguments, a hash
 * collision, no memory.
 *
 * The hashes here are made by hand: this program has a struct pingo_digests of its
 * own, so that two unequal descriptions can have one hash. */
#include "graph.h"

#include "digest/digests.h"
#include "unit/memory.h"

/* ---- hashes made by hand ------------------------------------------------------------ */

struct pingo_digests {
    struct pingo_hash hashes[8];
    const char *descriptions[8];
    size_t count;
};

const struct pingo_hash *pingo_digests_hash(const struct pingo_digests *digests, size_t i)
{
    return i < digests->count ? &digests->hashes[i] : NULL;
}

int pingo__digest_describe(struct pingo__digest_describer *describer,
                           const struct pingo_digests *digests, size_t i, struct pingo_error *err)
{
    (void)err;
    describer->bytes = digests->descriptions[i];
    describer->length = strlen(digests->descriptions[i]);
    return 0;
}

/* Nothing was made. */
void pingo__digest_describer_clear(struct pingo__digest_describer *describer)
{
    assert_null(describer->buffer.data);
}

bool pingo__digest_digests_are_distinct(const struct pingo_digests *digests)
{
    (void)digests;
    return false;
}

/* They lie in the fixture; no graph here has others. */
void pingo_digests_free(struct pingo_digests *digests)
{
    assert_null(digests);
}

/* ---- a chain of four ------------------------------------------------------------------ */

struct fixture {
    struct graph graph;
    struct pingo_digests digests;
    struct pingo_plan_entry entries[4];
    unsigned asked;
};

static void setup(struct fixture *f)
{
    *f = (struct fixture){.digests = {.descriptions = {"a", "b", "c", "d"}, .count = 4}};
    for (size_t i = 0; i < 4; i++)
        f->digests.hashes[i].bytes[0] = (uint8_t)(i + 1);
    graph_read(&f->graph, "1 2<1 3<2 4<3");
}

static int lookup_fails_third(void *context, const struct pingo_hash *hash, size_t action,
                              enum pingo_known *known, struct pingo_error *err)
{
    unsigned *asked = context;
    (void)hash;
    *known = PINGO_KNOWN_NOTHING;
    if (++*asked < 3)
        return 0;
    err->code = PINGO_ESTORE;
    snprintf(err->message, sizeof err->message, "the store is gone, at action %zu", action);
    return PINGO_ESTORE;
}

static void test_plan__passes_on_an_error_of_the_lookup(void **state)
{
    (void)state;
    struct fixture f;
    struct pingo_error err = {0};
    setup(&f);
    assert_int_equal(pingo_plan(f.graph.workflow, &f.digests,
                                &(struct pingo_plan_options){
                                    .version = 1, .lookup = lookup_fails_third, .context = &f.asked},
                                f.entries, &err),
                     PINGO_ESTORE);
    assert_int_equal(err.code, PINGO_ESTORE);
    assert_string_equal(err.message, "the store is gone, at action 1");
    assert_int_equal(f.asked, 3);
    graph_clear(&f.graph);
}

static int lookup_gives(void *context, const struct pingo_hash *hash, size_t action,
                        enum pingo_known *known, struct pingo_error *err)
{
    (void)hash, (void)action, (void)err;
    *known = *(const enum pingo_known *)context;
    return 0;
}

static void test_plan__refuses_what_is_no_known_state(void **state)
{
    (void)state;
    const enum pingo_known bad[] = {(enum pingo_known)6, (enum pingo_known)256};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        struct pingo_error err = {0};
        enum pingo_known known = bad[i];
        setup(&f);
        assert_int_equal(pingo_plan(f.graph.workflow, &f.digests,
                                    &(struct pingo_plan_options){
                                        .version = 1, .lookup = lookup_gives, .context = &known},
                                    f.entries, &err),
                         PINGO_EINVAL);
        assert_non_null(strstr(err.message, "look-up"));
        graph_clear(&f.graph);
    }
}

static void test_plan__refuses_no_digests(void **state)
{
    (void)state;
    struct fixture f;
    struct pingo_error err = {0};
    setup(&f);
    assert_int_equal(pingo_plan(f.graph.workflow, NULL, NULL, f.entries, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "digests"));
    graph_clear(&f.graph);
}

static void refuse_options(const struct pingo_plan_options *options, const char *part)
{
    struct fixture f;
    struct pingo_error err = {0};
    setup(&f);
    assert_int_equal(pingo_plan(f.graph.workflow, &f.digests, options, f.entries, &err),
                     PINGO_EINVAL);
    assert_non_null(strstr(err.message, part));
    assert_int_equal(pingo_plan(f.graph.workflow, &f.digests, options, f.entries, NULL),
                     PINGO_EINVAL);
    graph_clear(&f.graph);
}

static void test_plan__refuses_indexes_out_of_range(void **state)
{
    (void)state;
    const size_t indexes[] = {3, 4};
    refuse_options(&(struct pingo_plan_options){.version = 1, .targets = indexes, .ntargets = 2},
                   "target 4");
    refuse_options(&(struct pingo_plan_options){.version = 1, .forced = indexes, .nforced = 2},
                   "forced 4");
    refuse_options(&(struct pingo_plan_options){.version = 2}, "version is 2");
}

static void test_plan__refuses_the_hashes_of_another_workflow(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f);
    f.digests.count = 3;
    assert_int_equal(pingo_plan(f.graph.workflow, &f.digests, NULL, f.entries, NULL), PINGO_EINVAL);
    graph_clear(&f.graph);
}

static void test_plan__reports_a_collision_within_the_workflow(void **state)
{
    (void)state;
    const char *others[] = {"d", "ab", ""};
    for (size_t i = 0; i < 3; i++) {
        struct fixture f;
        struct pingo_error err = {0};
        setup(&f);
        f.digests.hashes[3] = f.digests.hashes[0];
        f.digests.descriptions[3] = others[i];
        assert_int_equal(pingo_plan(f.graph.workflow, &f.digests, NULL, f.entries, &err),
                         PINGO_ECOLLISION);
        assert_non_null(strstr(err.message, "actions 1 and 4"));
        graph_clear(&f.graph);
    }
}

static void test_plan__reports_each_allocation_that_fails(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f);
    int rc = PINGO_ENOMEM;
    long granted = 0;
    for_good = true;
    for (; rc != 0 && granted < 100; granted++) {
        struct pingo_error err = {0};
        arm(granted);
        rc = pingo_plan(f.graph.workflow, &f.digests, NULL, f.entries, &err);
        disarm();
        assert_int_equal(rc, err.code);
        assert_true(rc == 0 || rc == PINGO_ENOMEM);
    }
    assert_int_equal(rc, 0);
    assert_true(granted > 2); /* the map and the queue at least were refused once */
    assert_int_equal(f.entries[0].decision, PINGO_PLAN_COMPUTE);
    graph_clear(&f.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__passes_on_an_error_of_the_lookup),
        cmocka_unit_test(test_plan__refuses_what_is_no_known_state),
        cmocka_unit_test(test_plan__refuses_no_digests),
        cmocka_unit_test(test_plan__refuses_indexes_out_of_range),
        cmocka_unit_test(test_plan__refuses_the_hashes_of_another_workflow),
        cmocka_unit_test(test_plan__reports_a_collision_within_the_workflow),
        cmocka_unit_test(test_plan__reports_each_allocation_that_fails),
    };
    return cmocka_run_group_tests_name("plan_errors", tests, NULL, NULL);
}
