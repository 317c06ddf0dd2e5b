/* test_redact.c - what stays of a description that is forgotten. */
#include "unit/digest/workflows.h"

#include "base/buffer.h"
#include "digest/redact.h"

static const char text[] =
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
    struct pingo_workflow *workflow = parse_in(text, "/base");
    const void *bytes;

    *digests = digest(workflow);
    bytes = pingo_digests_description(*digests, pingo_workflow_find(workflow, 7), length);
    pingo_workflow_free(workflow);
    return bytes;
}

static void test_redact__leaves_type_and_parents(void **state)
{
    struct pingo_digests *digests;
    size_t length, n;
    const void *bytes = describe(&digests, &length);
    struct pingo_description *d = NULL;
    struct pingo__buffer out = {0};
    const struct pingo_described_parent *parents;

    (void)state;
    assert_non_null(memmem(bytes, length, "secret", 6));
    assert_int_equal(pingo__digest_description_redact(bytes, length, &out, NULL), 0);
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

static void test_redact__refuses_what_is_cut_off(void **state)
{
    struct pingo_digests *digests;
    size_t length;
    const void *bytes = describe(&digests, &length);
    struct pingo__buffer out = {0};
    struct pingo_error error = {0};

    (void)state;
    assert_int_equal(pingo__digest_description_redact(bytes, length - 1, &out, &error),
                     PINGO_ECORRUPT);
    assert_non_null(strstr(error.message, "cut off"));
    pingo__buffer_clear(&out);
    pingo_digests_free(digests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redact__leaves_type_and_parents),
        cmocka_unit_test(test_redact__refuses_what_is_cut_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
