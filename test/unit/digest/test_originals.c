/* test_originals.c - originals and tools of a workflow: found once each, what is missing noted, and the list usable without the
 * workflow. */
#include "unit/digest/files.h"
#include "unit/digest/workflows.h"

#include "digest/originals.h"

static struct pingo_error error;

static struct pingo_originals *identify(const struct pingo_workflow *workflow)
{
    struct pingo__digest_identify what = {.workflow = workflow};
    struct pingo_originals *originals = NULL;

    if (pingo__digest_originals_identify(&what, &originals, &error) != 0)
        fail_msg("%s", error.message);
    return originals;
}

static struct pingo_hash digest_of(const struct pingo_originals *originals)
{
    struct pingo_hash hash;

    assert_int_equal(pingo__digest_originals_digest(originals, &hash), 0);
    return hash;
}

static const char mixed[] =
    "{\"name\": \"w\", \"actions\": ["
    "{\"id\": 1, \"name\": \"first\", \"type\": \"command-line\", \"command\": \"x\","
    " \"tools\": [\"tool\", \"sh\"], \"env\": {\"PATH\": \"/bin:%s:/usr/bin\"},"
    " \"inputs\": [{\"name\": \"b\", \"path\": \"b\"}, {\"name\": \"a\", \"path\": \"a\"},"
    "  {\"name\": \"u\", \"uri\": \"u\", \"version\": \"1\"},"
    "  {\"name\": \"d\", \"path\": \"gone\", \"sha256\": "
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}]},"
    "{\"id\": 2, \"name\": \"second\", \"type\": \"command-line\", \"command\": \"x\","
    " \"tools\": [\"sh\"],"
    " \"inputs\": [{\"name\": \"a\", \"path\": \"./x/../a\"},"
    "  {\"name\": \"s\", \"path\": \"a\", \"identity\": \"stat\"}]}]}";

static struct pingo_workflow *parse_mixed(void)
{
    char text[sizeof mixed + PATH_MAX];

    snprintf(text, sizeof text, mixed, scratch);
    put_file("a", "a");
    put_dir("b");
    put_file("b/file", "text");
    put_file("tool", "tool");
    assert_int_equal(chmod(at("tool"), 0755), 0);
    return parse_in(text, scratch);
}

static void remove_mixed(void)
{
    unlink(at("a"));
    unlink(at("b/file"));
    rmdir(at("b"));
    unlink(at("tool"));
}

static void test_originals__each_is_listed_once_and_sorted(void **state)
{
    struct pingo_workflow *workflow = parse_mixed();
    struct pingo_originals *originals = identify(workflow);
    size_t n;
    const struct pingo__digest_original *list = pingo__digest_originals_list(originals, &n);

    (void)state;
    assert_int_equal(n, 6);
    assert_int_equal(list[0].kind, PINGO__ORIGINAL_CONTENT);
    assert_string_equal(list[0].path, at("a"));
    assert_false(list[0].is_directory);
    assert_int_equal(list[1].kind, PINGO__ORIGINAL_CONTENT);
    assert_string_equal(list[1].path, at("b"));
    assert_true(list[1].is_directory);
    assert_int_equal(list[2].kind, PINGO__ORIGINAL_STAT);
    assert_int_equal(list[2].size, 1);
    assert_int_equal(list[3].kind, PINGO__ORIGINAL_TOOL);
    assert_memory_equal(list[3].name, "sh\n/bin:", 8);
    assert_memory_equal(list[4].name, "sh\n/usr/local/bin:/usr/bin:/bin", 31);
    assert_memory_equal(list[5].name, "tool\n", 5);
    assert_string_equal(list[5].path, at("tool"));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(list[i].error, 0);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
    remove_mixed();
}

static void test_originals__are_found_by_action(void **state)
{
    struct pingo_workflow *workflow = parse_mixed();
    struct pingo_originals *originals = identify(workflow);
    const struct pingo_action *first = pingo_workflow_action(workflow, 0);
    const struct pingo_action *second = pingo_workflow_action(workflow, 1);
    const struct pingo__digest_original *declared =
        pingo__digest_originals_of(originals, first, PINGO__PART_INPUT, 3);
    char hex[PINGO_HASH_HEX_SIZE];

    (void)state;
    assert_string_equal(pingo__digest_originals_of(originals, first, PINGO__PART_INPUT, 0)->path,
                        at("b"));
    assert_ptr_equal(pingo__digest_originals_of(originals, first, PINGO__PART_INPUT, 1),
                     pingo__digest_originals_of(originals, second, PINGO__PART_INPUT, 0));
    assert_null(pingo__digest_originals_of(originals, first, PINGO__PART_INPUT, 2));
    assert_int_equal(declared->kind, PINGO__ORIGINAL_DECLARED);
    assert_string_equal(declared->path, at("gone"));
    pingo_hash_to_hex(&declared->hash, hex);
    assert_string_equal(hex, first->inputs[3].sha256);
    assert_null(pingo__digest_originals_of(originals, first, PINGO__PART_INPUT, 4));
    assert_int_equal(pingo__digest_originals_of(originals, second, PINGO__PART_INPUT, 1)->kind,
                     PINGO__ORIGINAL_STAT);
    assert_string_equal(pingo__digest_originals_of(originals, first, PINGO__PART_TOOL, 0)->path,
                        at("tool"));
    assert_non_null(pingo__digest_originals_of(originals, second, PINGO__PART_TOOL, 0));
    assert_null(pingo__digest_originals_of(originals, second, PINGO__PART_TOOL, 1));
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
    remove_mixed();
}

static void test_originals__list_is_identified_again_without_the_workflow(void **state)
{
    struct pingo_workflow *workflow = parse_mixed();
    struct pingo_originals *originals = identify(workflow), *again = NULL;
    struct pingo_hash first = digest_of(originals), second;
    size_t n;
    struct pingo__digest_identify what = {.list = pingo__digest_originals_list(originals, &n)};

    (void)state;
    what.n = n;
    assert_int_equal(pingo__digest_originals_identify(&what, &again, &error), 0);
    second = digest_of(again);
    assert_true(same_hash(&first, &second));
    assert_null(pingo__digest_originals_of(again, pingo_workflow_action(workflow, 0),
                                           PINGO__PART_INPUT, 0));
    pingo_originals_free(again);
    put_file("b/file", "test");
    assert_int_equal(pingo__digest_originals_identify(&what, &again, &error), 0);
    second = digest_of(again);
    assert_false(same_hash(&first, &second));
    pingo_originals_free(again);
    put_file("b/file", "text");
    unlink(at("tool"));
    assert_int_equal(pingo__digest_originals_identify(&what, &again, &error), 0);
    second = digest_of(again);
    assert_false(same_hash(&first, &second));
    pingo_originals_free(again);
    what = (struct pingo__digest_identify){.list = NULL};
    assert_int_equal(pingo__digest_originals_identify(&what, &again, &error), 0);
    pingo_originals_free(again);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
    remove_mixed();
}

/* ---- what is missing ---------------------------------------------------------------------- */

static void assert_missing(const char *rest, const char *message)
{
    char text[4096], expected[2 * PATH_MAX];
    struct pingo_workflow *workflow;
    struct pingo_originals *originals;
    struct pingo_digests *digests = NULL;

    snprintf(text, sizeof text,
             "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"fine\", \"type\": "
             "\"external\", \"description\": \"x\"}, {\"id\": 5, \"name\": \"reader\", \"type\": "
             "\"command-line\", \"command\": \"x\", %s}]}",
             rest);
    snprintf(expected, sizeof expected, message, scratch);
    workflow = parse_in(text, scratch);
    originals = identify(workflow);
    assert_int_equal(pingo_workflow_hash(workflow, originals, &digests, &error), PINGO_EINPUT);
    assert_int_equal(error.code, PINGO_EINPUT);
    assert_string_equal(error.message, expected);
    assert_null(digests);
    pingo_originals_free(originals);
    pingo_workflow_free(workflow);
}

static void test_originals__what_is_missing_is_named(void **state)
{
    (void)state;
    assert_missing("\"inputs\": [{\"name\": \"text\", \"path\": \"no/such\"}]",
                   "action 5 (\"reader\"): input \"text\": %s/no/such: cannot be read: "
                   "No such file or directory");
    assert_missing("\"inputs\": [{\"name\": \"t\", \"path\": \"none\", \"identity\": \"stat\"}]",
                   "action 5 (\"reader\"): input \"t\": %s/none: cannot be read: "
                   "No such file or directory");
    assert_missing("\"tools\": [\"no-such-tool\"], \"env\": {\"PATH\": \"/nowhere:in\"}",
                   "action 5 (\"reader\"): tool \"no-such-tool\": no-such-tool: there is no such "
                   "executable on /nowhere:in");
    assert_missing("\"tools\": [\"/no/such\"]",
                   "action 5 (\"reader\"): tool \"/no/such\": /no/such: there is no executable "
                   "file");
    assert_missing("\"tools\": [\"sh\\nx\"]",
                   "action 5 (\"reader\"): tool \"sh x\": the name of a tool has no line breaks");
    put_file("plain", "not executable");
    assert_missing("\"tools\": [\"plain\"], \"env\": {\"PATH\": \"\"}",
                   "action 5 (\"reader\"): tool \"plain\": plain: there is no such executable on ");
    put_dir("holder");
    put_link("holder/out", "/etc/passwd");
    assert_missing("\"inputs\": [{\"name\": \"t\", \"path\": \"holder\"}]",
                   "action 5 (\"reader\"): input \"t\": %s/holder/out: is a link that leads out "
                   "of the tree, to /etc/passwd");
    assert_missing("\"inputs\": [{\"name\": \"t\", \"path\": \"/dev/null\"}]",
                   "action 5 (\"reader\"): input \"t\": /dev/null: is neither a file nor a "
                   "directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_originals__each_is_listed_once_and_sorted),
        cmocka_unit_test(test_originals__are_found_by_action),
        cmocka_unit_test(test_originals__list_is_identified_again_without_the_workflow),
        cmocka_unit_test(test_originals__what_is_missing_is_named),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
