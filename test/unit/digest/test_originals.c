/* Originals and tools of a workflow: found once each, read in parallel, what is
 * missing noted, and the list usable without the workflow. */
#include "unit/digest/files.h"
#include "unit/digest/workflows.h"

#include <pthread.h>
#include <stdatomic.h>

#include "digest/originals.h"

static struct pingo_error error;

static struct pingo_originals *identify_with(const struct pingo_workflow *workflow,
                                             const struct pingo_identify_options *options,
                                             const struct pingo__digest_content_cache *cache)
{
    struct pingo__digest_identify what = {.workflow = workflow, .options = options, .cache = cache};
    struct pingo_originals *originals = NULL;

    if (pingo__digest_originals_identify(&what, &originals, &error) != 0)
        fail_msg("%s", error.message);
    return originals;
}

static struct pingo_originals *identify(const struct pingo_workflow *workflow)
{
    return identify_with(workflow, NULL, NULL);
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
    " \"tools\": [\"tool\", \"sh\"], \"env\": {\"PATH\": \"%s:/usr/bin:/bin\"},"
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
    assert_memory_equal(list[3].name, "sh\n/", 4);
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

static void test_originals__of_another_workflow_are_refused(void **state)
{
    static const char text[] = "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"n\", "
                               "\"type\": \"external\", \"description\": \"x\"}]}";
    struct pingo_workflow *one = parse_in(text, "/"), *other = parse_in(text, "/");
    struct pingo_originals *originals = identify(one);
    struct pingo_digests *digests = NULL;

    (void)state;
    assert_int_equal(pingo_workflow_hash(other, originals, &digests, &error), PINGO_EINVAL);
    assert_int_equal(pingo_workflow_hash(one, NULL, &digests, &error), PINGO_EINVAL);
    pingo_originals_free(originals);
    pingo_workflow_free(one);
    pingo_workflow_free(other);
}

static void test_originals__options_of_another_version_are_refused(void **state)
{
    struct pingo_identify_options options = {.version = 2};
    struct pingo_workflow *workflow =
        parse_in("{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"n\", \"type\": "
                 "\"external\", \"description\": \"x\"}]}",
                 "/");
    struct pingo_originals *originals = NULL;

    (void)state;
    assert_int_equal(pingo_originals_identify(workflow, &options, &originals, &error), PINGO_EINVAL);
    assert_null(originals);
    pingo_workflow_free(workflow);
}

/* ---- in parallel ----------------------------------------------------------------------------- */

#define FILES 400

static struct pingo_workflow *parse_many(void)
{
    static bool made;
    char *text = malloc(FILES * 100 + 1000);
    struct pingo_workflow *workflow;
    size_t used;
    char name[32], content[64];

    assert_non_null(text);
    if (!made) {
        put_dir("many");
        for (int i = 0; i < FILES; i++) {
            snprintf(name, sizeof name, "many/%d", i);
            snprintf(content, sizeof content, "content of %d", i);
            put_file(name, content);
        }
        made = true;
    }
    used = (size_t)sprintf(text, "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"n\", "
                                 "\"type\": \"external\", \"description\": \"x\", \"inputs\": ["
                                 "{\"name\": \"all\", \"path\": \"many\"}");
    for (int i = 0; i < FILES; i++)
        used += (size_t)sprintf(text + used, ",\n{\"name\": \"f%d\", \"path\": \"many/%d\"}", i, i);
    sprintf(text + used, "]}]}");
    workflow = parse_in(text, scratch);
    free(text);
    return workflow;
}

static void test_identify__gives_the_same_with_any_number_of_threads(void **state)
{
    struct pingo_workflow *workflow = parse_many();
    struct pingo_hash first = {{0}};

    (void)state;
    for (unsigned threads = 1; threads <= 9; threads += 2) {
        struct pingo_identify_options options = {.version = 1, .threads = threads};
        struct pingo_originals *originals = identify_with(workflow, &options, NULL);
        struct pingo_hash hash = digest_of(originals);

        if (threads == 1)
            first = hash;
        assert_true(same_hash(&first, &hash));
        pingo_originals_free(originals);
    }
    pingo_workflow_free(workflow);
}

static struct {
    atomic_int inside, found, remembered, overlaps;
    struct pingo__digest_file_stat st[2 * FILES];
    struct pingo_hash hash[2 * FILES];
    int n;
} memory;

static bool find(void *context, const struct pingo__digest_file_stat *st, struct pingo_hash *hash)
{
    bool found = false;

    (void)context;
    if (atomic_fetch_add(&memory.inside, 1) != 0)
        memory.overlaps++;
    for (int i = 0; i < memory.n && !found; i++)
        if (memcmp(&memory.st[i], st, sizeof *st) == 0) {
            *hash = memory.hash[i];
            found = true;
        }
    memory.found += found;
    memory.inside--;
    return found;
}

static void remember(void *context, const struct pingo__digest_file_stat *st,
                     const struct pingo_hash *hash, int64_t hashed_at_ns)
{
    (void)context;
    (void)hashed_at_ns;
    if (atomic_fetch_add(&memory.inside, 1) != 0)
        memory.overlaps++;
    assert_true(memory.n < 2 * FILES);
    memory.st[memory.n] = *st;
    memory.hash[memory.n++] = *hash;
    memory.remembered++;
    memory.inside--;
}

static void test_identify__asks_the_cache_one_at_a_time(void **state)
{
    static const struct pingo__digest_content_cache cache = {.find = find, .remember = remember};
    struct pingo_identify_options options = {.version = 1, .threads = 4};
    struct pingo_workflow *workflow = parse_many();
    struct pingo_originals *first, *second;
    struct pingo_hash a, b;

    (void)state;
    usleep(50000); /* what is too young is not remembered */
    first = identify_with(workflow, &options, &cache);
    assert_true(memory.remembered >= FILES);
    memory.found = 0;
    second = identify_with(workflow, &options, &cache);
    assert_int_equal(memory.found, 2 * FILES); /* alone, and in the directory */
    assert_int_equal(memory.overlaps, 0);
    a = digest_of(first);
    b = digest_of(second);
    assert_true(same_hash(&a, &b));
    pingo_originals_free(first);
    pingo_originals_free(second);
    pingo_workflow_free(workflow);
}

static struct {
    pthread_t caller;
    int calls, stop_at;
    struct pingo_identify_progress last;
} seen;

static int on_progress(void *context, const struct pingo_identify_progress *progress)
{
    (void)context;
    assert_true(pthread_equal(pthread_self(), seen.caller));
    assert_true(progress->files_done >= seen.last.files_done);
    assert_true(progress->files >= progress->files_done);
    assert_true(progress->bytes >= progress->bytes_done);
    seen.last = *progress;
    return ++seen.calls == seen.stop_at;
}

static void test_identify__tells_its_progress_in_the_callers_thread(void **state)
{
    struct pingo_workflow *workflow = parse_many();

    (void)state;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct pingo_identify_options options = {
            .version = 1, .threads = threads, .progress = on_progress};

        memset(&seen, 0, sizeof seen);
        seen.caller = pthread_self();
        pingo_originals_free(identify_with(workflow, &options, NULL));
        assert_true(seen.calls > 0);
        assert_int_equal(seen.last.files_done, 2 * FILES);
        assert_int_equal(seen.last.files, 2 * FILES);
        assert_int_equal(seen.last.bytes, seen.last.bytes_done);
    }
    pingo_workflow_free(workflow);
}

static void test_identify__stops_when_told(void **state)
{
    struct pingo_identify_options options = {.version = 1, .threads = 2, .progress = on_progress};
    struct pingo_workflow *workflow = parse_many();
    struct pingo_originals *originals = NULL;

    (void)state;
    memset(&seen, 0, sizeof seen);
    seen.caller = pthread_self();
    seen.stop_at = 1;
    assert_int_equal(pingo_originals_identify(workflow, &options, &originals, &error),
                     PINGO_EINTERRUPTED);
    assert_null(originals);
    pingo_workflow_free(workflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_originals__each_is_listed_once_and_sorted),
        cmocka_unit_test(test_originals__are_found_by_action),
        cmocka_unit_test(test_originals__list_is_identified_again_without_the_workflow),
        cmocka_unit_test(test_originals__what_is_missing_is_named),
        cmocka_unit_test(test_originals__of_another_workflow_are_refused),
        cmocka_unit_test(test_originals__options_of_another_version_are_refused),
        cmocka_unit_test(test_identify__gives_the_same_with_any_number_of_threads),
        cmocka_unit_test(test_identify__asks_the_cache_one_at_a_time),
        cmocka_unit_test(test_identify__tells_its_progress_in_the_callers_thread),
        cmocka_unit_test(test_identify__stops_when_told),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
