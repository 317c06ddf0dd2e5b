/* test_likeness.c - what is alike, and what is not; and what stays of a description that is forgotten. */
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

/* ---- what stays where it is forgotten ---- */

static const char told[] =
    "{\"name\": \"w\", \"actions\": [\n"
    " {\"id\": 1, \"name\": \"one\", \"type\": \"external\", \"description\": \"x\"},\n"
    " {\"id\": 7, \"name\": \"two\", \"type\": \"command-line\", \"command\": \"secret\",\n"
    "  \"salt\": \"secret\", \"outputPath\": \"secret\", \"isManaged\": false,\n"
    "  \"tools\": [\"sh\"], \"versions\": [[\"echo\", \"secret\"]],\n"
    "  \"inputs\": [{\"name\": \"secret\", \"uri\": \"secret\", \"version\": \"secret\"}],\n"
    "  \"parentActions\": [{\"id\": 1, \"as\": \"left\"}]}]}\n";

/* The description of the action 7, to be freed with the digests. */
static const void *describe(struct pingo_digests **digests, size_t *length)
{
    struct pingo_workflow *workflow = parse_in(told, "/base");
    const void *bytes;

    *digests = digest(workflow);
    bytes = pingo_digests_description(*digests, pingo_workflow_find(workflow, 7), length);
    pingo_workflow_free(workflow);
    return bytes;
}

static void test_likeness__redacted_leaves_type_and_parents(void **state)
{
    struct pingo_digests *digests;
    size_t length, n;
    const void *bytes = describe(&digests, &length);
    struct pingo_description *d = NULL;
    struct pingo__buffer out = {0};
    const struct pingo_described_parent *parents;

    (void)state;
    assert_non_null(memmem(bytes, length, "secret", 6));
    assert_int_equal(pingo__digest_likeness_redacted(bytes, length, &out, NULL), 0);
    assert_null(memmem(out.data, out.length, "secret", 6));
    assert_int_equal(pingo_description_decode(out.data, out.length, &d, NULL), 0);
    assert_string_equal(pingo_description_type(d), "command-line");
    parents = pingo_description_parents(d, &n);
    assert_int_equal(n, 1);
    assert_string_equal(parents[0].role, "left");
    assert_null(pingo_description_salt(d));
    assert_null(pingo_description_output_path(d));
    pingo_description_fields(d, &n);
    assert_int_equal(n, 0);
    pingo_description_inputs(d, &n);
    assert_int_equal(n, 0);
    pingo_description_tools(d, &n);
    assert_int_equal(n, 0);
    pingo_description_versions(d, &n);
    assert_int_equal(n, 0);
    pingo_description_free(d);
    pingo__buffer_clear(&out);
    pingo_digests_free(digests);
}

static void test_likeness__redacted_refuses_what_is_cut_off(void **state)
{
    struct pingo_digests *digests;
    size_t length;
    const void *bytes = describe(&digests, &length);
    struct pingo__buffer out = {0};
    struct pingo_error error = {0};

    (void)state;
    assert_int_equal(pingo__digest_likeness_redacted(bytes, length - 1, &out, &error),
                     PINGO_ECORRUPT);
    assert_non_null(strstr(error.message, "cut off"));
    pingo__buffer_clear(&out);
    pingo_digests_free(digests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_likeness__keys),
        cmocka_unit_test(test_likeness__hostile_bytes),
        cmocka_unit_test(test_likeness__redacted_leaves_type_and_parents),
        cmocka_unit_test(test_likeness__redacted_refuses_what_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
