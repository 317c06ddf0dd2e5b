/* test_digests.c - the hashes of a workflow with their descriptions, without them, and from a store. */
#include "unit/digest/whole.h"

#include "digest/digests.h"

static void test_digests__are_the_sha256_of_descriptions(void **state)
{
    struct pingo_workflow *workflow = parse_in(whole, "/base");
    struct pingo_digests *digests = digest(workflow);
    size_t length, past;
    const void *bytes = pingo_digests_description(digests, 2, &length);
    char command[64] = "sha256sum > /dev/null", hex[PINGO_HASH_HEX_SIZE], line[128] = "";
    char path[] = "/tmp/pingo-description-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");

    (void)state;
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    snprintf(command, sizeof command, "sha256sum < %s", path);
    file = popen(command, "r");
    assert_non_null(fgets(line, sizeof line, file));
    pclose(file);
    remove(path);
    pingo_hash_to_hex(pingo_digests_hash(digests, 2), hex);
    assert_memory_equal(line, hex, 64);
    assert_null(pingo_digests_hash(digests, 4));
    assert_null(pingo_digests_description(digests, 4, &past));
    pingo_digests_free(digests);
    pingo_workflow_free(workflow);
}

static void test_digests__restored_from_a_store_have_hashes_alone(void **state)
{
    struct pingo_hash hashes[2] = {{{1}}, {{2}}};
    struct pingo_digests *digests = NULL;
    size_t length = 1;

    (void)state;
    assert_int_equal(pingo__digest_digests_restore(hashes, 2, true, &digests, NULL), 0);
    assert_true(pingo__digest_digests_are_distinct(digests));
    assert_true(same_hash(pingo_digests_hash(digests, 1), &hashes[1]));
    assert_null(pingo_digests_hash(digests, 2));
    assert_null(pingo_digests_description(digests, 0, &length));
    assert_int_equal(length, 0);
    pingo_digests_free(digests);
    assert_int_equal(pingo__digest_digests_restore(hashes, 2, false, &digests, NULL), 0);
    assert_false(pingo__digest_digests_are_distinct(digests));
    pingo_digests_free(digests);
}

static void test_digests__without_descriptions_make_them_again(void **state)
{
    struct pingo_workflow *workflow = parse_in(whole, "/base");
    struct pingo_digests *kept = digest(workflow), *lean = NULL;
    struct pingo_originals *originals = NULL;
    struct pingo__digest_describer made = {.bytes = NULL}, lent = {.bytes = NULL};
    size_t length, n = pingo_workflow_count(workflow);

    (void)state;
    assert_int_equal(pingo_originals_identify(workflow, NULL, &originals, NULL), 0);
    assert_int_equal(pingo__digest_workflow_hash(originals, &lean, NULL), 0);
    for (size_t i = n; i-- > 0;) {
        assert_true(same_hash(pingo_digests_hash(lean, i), pingo_digests_hash(kept, i)));
        assert_null(pingo_digests_description(lean, i, &length));
        assert_int_equal(pingo__digest_describe(&made, lean, i, NULL), 0);
        assert_int_equal(pingo__digest_describe(&lent, kept, i, NULL), 0);
        assert_ptr_equal(lent.bytes, pingo_digests_description(kept, i, &length));
        assert_int_equal(made.length, length);
        assert_memory_equal(made.bytes, lent.bytes, length);
    }
    assert_null(lent.buffer.data);
    pingo__digest_describer_clear(&made);
    pingo_digests_free(lean);
    pingo_digests_free(kept);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
}

static void test_digests__need_the_originals_of_the_workflow(void **state)
{
    static const char text[] = "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"n\", "
                               "\"type\": \"external\", \"description\": \"x\"}]}";
    struct pingo_workflow *one = parse_in(text, "/"), *other = parse_in(text, "/");
    struct pingo_originals *originals = NULL;
    struct pingo_digests *digests = NULL;
    struct pingo_error error = {0};

    (void)state;
    assert_int_equal(pingo_originals_identify(one, NULL, &originals, NULL), 0);
    assert_int_equal(pingo_workflow_hash(other, originals, &digests, &error), PINGO_EINVAL);
    assert_string_equal(error.message, "the originals are not those of this workflow");
    assert_int_equal(pingo_workflow_hash(one, NULL, &digests, &error), PINGO_EINVAL);
    pingo_originals_free(originals);
    pingo_workflow_free(one);
    pingo_workflow_free(other);
}

/* An original that is needed and not there: no hashes at all. */
static void test_digests__are_none_where_an_original_is_missing(void **state)
{
    struct pingo_workflow *workflow = parse_in(
        "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"n\", \"type\": \"external\","
        " \"description\": \"x\", \"inputs\": [{\"name\": \"i\", \"path\": \"/no/such\"}]}]}",
        "/");
    struct pingo_originals *originals = NULL;
    struct pingo_digests *digests = (struct pingo_digests *)workflow;
    struct pingo_error error = {0};

    (void)state;
    assert_int_equal(pingo_originals_identify(workflow, NULL, &originals, NULL), 0);
    assert_int_equal(pingo_workflow_hash(workflow, originals, &digests, &error), PINGO_EINPUT);
    assert_null(digests);
    assert_non_null(strstr(error.message, "input \"i\": /no/such: "));
    assert_int_equal(pingo__digest_workflow_hash(originals, &digests, NULL), PINGO_EINPUT);
    assert_null(digests);
    pingo_digests_free(NULL);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digests__are_the_sha256_of_descriptions),
        cmocka_unit_test(test_digests__restored_from_a_store_have_hashes_alone),
        cmocka_unit_test(test_digests__without_descriptions_make_them_again),
        cmocka_unit_test(test_digests__need_the_originals_of_the_workflow),
        cmocka_unit_test(test_digests__are_none_where_an_original_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
