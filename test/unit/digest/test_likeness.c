/* test_likeness.c - what is alike, and what is not. */
#include "unit/digest/workflows.h"

#include "digest/likeness.h"

/* Both keys of an action with these members. */
static void keys_of(const char *members, struct pingo_hash *unsalted, struct pingo_hash *program)
{
    char text[512];
    size_t n;
    struct pingo_description *d = NULL;
    struct pingo_error err;
    struct pingo_workflow_options options = {.version = 1, .base_dir = "/base"};
    snprintf(
        text, sizeof text,
        "{\"name\":\"w\",\"actions\":[{\"id\":1,\"name\":\"a\",\"type\":\"command-line\",%s}]}",
        members);
    struct pingo_workflow *workflow = parse_with(text, &options);
    struct pingo_digests *digests = digest(workflow);
    const void *bytes = pingo_digests_description(digests, 0, &n);
    assert_int_equal(pingo__digest_likeness_unsalted(bytes, n, unsalted), 0);
    assert_int_equal(pingo_description_decode(bytes, n, &d, &err), 0);
    assert_int_equal(pingo__digest_likeness_program(d, program), 0);
    if (!pingo_description_salt(d))
        assert_true(same_hash(unsalted, pingo_digests_hash(digests, 0)));
    pingo_description_free(d);
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
}

static void test_likeness__keys(void **state)
{
    static const struct {
        const char *a, *b;
        bool unsalted, program; /* the same? */
    } rows[] = {
        {"\"command\":[\"p\",\"x\"]", "\"command\":[\"p\",\"x\"],\"salt\":\"new\"", true, true},
        {"\"command\":[\"p\",\"x\"],\"salt\":\"old\"", "\"command\":[\"p\",\"x\"],\"salt\":\"new\"",
         true, true},
        {"\"command\":[\"p\",\"x\"]", "\"command\":[\"p\",\"y\"]", false, false},
        {"\"command\":[\"p\",\"--seed\",\"1\"]", "\"command\":[\"p\",\"--seed\",\"2\"]", false, true},
        {"\"command\":[\"p\",\"-q\"]", "\"command\":[\"p\"]", false, true},
        {"\"command\":[\"p\",\"x\"]", "\"command\":[\"px\"]", false, false},
        {"\"command\":\"p -a\"", "\"command\":\"p -b\"", false, false},
        {"\"command\":\"p -a\"", "\"command\":\"p -a\",\"env\":{\"N\":\"1\"}", false, true},
        {"\"command\":[\"p\",\"x\"],\"salt\":\"s\"", "\"command\":[\"p\",\"y\"],\"salt\":\"s\"",
         false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_hash a[2], b[2];
        keys_of(rows[i].a, &a[0], &a[1]);
        keys_of(rows[i].b, &b[0], &b[1]);
        assert_int_equal(same_hash(&a[0], &b[0]), rows[i].unsalted);
        assert_int_equal(same_hash(&a[1], &b[1]), rows[i].program);
        assert_false(same_hash(&a[0], &a[1]));
    }
}

/* Whatever a damaged store says. */
static void test_likeness__hostile_bytes(void **state)
{
    static const char bytes[] = "pingo-action-2\nS\xff\xff\xff\xffshort";
    struct pingo_hash key;
    (void)state;
    for (size_t n = 0; n < sizeof bytes; n++)
        assert_int_equal(pingo__digest_likeness_unsalted(bytes, n, &key), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_likeness__keys),
        cmocka_unit_test(test_likeness__hostile_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
