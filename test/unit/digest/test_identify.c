/* test_identify.c - reading the originals of a workflow, several at a time: what is told of each, and of the progress. */
#include "digest/sha256.h"
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

static struct pingo_hash digest_of(const struct pingo_originals *originals)
{
    struct pingo_hash hash;

    assert_int_equal(pingo__digest_originals_digest(originals, &hash), 0);
    return hash;
}

static void test_identify__options_of_another_version_are_refused(void **state)
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

/* ---- one original ---------------------------------------------------------------------- */

/* Reads one; the caller frees *o. */
static const struct pingo__digest_original *read_one(enum pingo__digest_original_kind kind,
                                                     const char *name, struct pingo_originals **o)
{
    struct pingo__digest_original one = {.kind = kind, .path = at(name)};
    struct pingo__digest_identify what = {.list = &one, .n = 1};
    size_t n;

    *o = NULL;
    assert_int_equal(pingo__digest_originals_identify(&what, o, &error), 0);
    const struct pingo__digest_original *list = pingo__digest_originals_list(*o, &n);
    assert_int_equal(n, 1);
    return list;
}

/* By its path, its size and its time to the last digit; nothing of its content. */
static void test_identify__tells_a_stat(void **state)
{
    struct pingo_originals *o;
    struct pingo_hash hash, stamp;
    char text[PATH_MAX];

    (void)state;
    put_file("stat", "text");
    set_mtime("stat", INT64_C(1500000000123456789));
    const struct pingo__digest_original *one = read_one(PINGO__ORIGINAL_STAT, "stat", &o);
    assert_int_equal(one->error, 0);
    assert_int_equal(one->size, 4);
    assert_int_equal(one->mtime_ns, INT64_C(1500000000123456789));
    assert_string_equal(one->mtime, "1500000000123456789");
    assert_false(one->is_directory);
    snprintf(text, sizeof text, "%s 4 1500000000123456789", at("stat"));
    pingo__digest_sha256(text, strlen(text), &hash);
    assert_true(same_hash(&one->hash, &hash));
    stamp = one->stamp;
    pingo_originals_free(o);
    put_file("stat.new", "TEXT");
    set_mtime("stat.new", INT64_C(1500000000123456789));
    assert_int_equal(rename(at("stat.new"), at("stat")), 0);
    one = read_one(PINGO__ORIGINAL_STAT, "stat", &o); /* the same, but another file */
    assert_true(same_hash(&one->hash, &hash));
    assert_false(same_hash(&one->stamp, &stamp));
    pingo_originals_free(o);
    put_dir("stat-dir");
    one = read_one(PINGO__ORIGINAL_STAT, "stat-dir", &o);
    assert_true(one->is_directory);
    pingo_originals_free(o);
}

/* A clock of which a look at a file takes 30 ms. */
static int64_t slow_now_ns;

static int64_t slow_now(void *context)
{
    (void)context;
    return slow_now_ns;
}

static int slow_stat(void *context, int dir, const char *name, int flags, struct stat *st)
{
    slow_now_ns += 30000000;
    return pingo__world_real()->stat(context, dir, name, flags, st);
}

/* It may have changed once more while it was looked at, within the tick of its time. */
static void test_identify__takes_a_stat_for_young_as_of_before_it(void **state)
{
    struct pingo__world world = *pingo__world_real();
    struct pingo__digest_original one = {.kind = PINGO__ORIGINAL_STAT, .path = at("young")};
    struct pingo__digest_identify what = {.list = &one, .n = 1, .world = &world};
    struct pingo_originals *o;
    struct stat st;
    size_t n;

    (void)state;
    put_file("young", "text");
    set_mtime("young", INT64_C(1500000000123456789));
    assert_int_equal(stat(at("young"), &st), 0);
    slow_now_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec + 1000000;
    world.now_ns = slow_now;
    world.stat = slow_stat;
    assert_int_equal(pingo__digest_originals_identify(&what, &o, &error), 0);
    assert_true(pingo__digest_originals_list(o, &n)->stamp_is_young);
    pingo_originals_free(o);
}

/* What is wrong with one stays with it. */
static void test_identify__notes_what_is_wrong(void **state)
{
    static const struct {
        enum pingo__digest_original_kind kind;
        const char *name, *said;
    } rows[] = {
        {PINGO__ORIGINAL_STAT, "absent", ": cannot be read: No such file or directory"},
        {PINGO__ORIGINAL_CONTENT, "absent", ": cannot be read: No such file or directory"},
        {PINGO__ORIGINAL_STAT, "pipe", ": is neither a file nor a directory"},
        {PINGO__ORIGINAL_CONTENT, "pipe", ": is neither a file nor a directory"},
    };

    (void)state;
    assert_int_equal(mkfifo(at("pipe"), 0644), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_originals *o;
        const struct pingo__digest_original *one = read_one(rows[i].kind, rows[i].name, &o);
        char said[2 * PATH_MAX];

        snprintf(said, sizeof said, "%s%s", at(rows[i].name), rows[i].said);
        assert_int_equal(one->error, PINGO_EINPUT);
        assert_string_equal(one->message, said);
        pingo_originals_free(o);
    }
}

/* What lies in a directory is kept of a workflow's inputs, not where it is only looked whether they changed. */
static void test_identify__lists_directories_of_a_workflow(void **state)
{
    struct pingo_workflow *workflow;
    struct pingo_originals *o;
    size_t n;

    (void)state;
    put_dir("listed");
    put_file("listed/inside", "text");
    workflow = parse_in("{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"n\", \"type\": "
                        "\"external\", \"description\": \"x\", \"inputs\": ["
                        "{\"name\": \"d\", \"path\": \"listed\"},"
                        "{\"name\": \"f\", \"path\": \"listed/inside\"}]}]}",
                        scratch);
    o = identify_with(workflow, NULL, NULL);
    const struct pingo__digest_original *list = pingo__digest_originals_list(o, &n);
    assert_int_equal(n, 2);
    assert_true(list[0].is_directory);
    assert_non_null(memmem(list[0].listing, list[0].listing_length, "inside", 7));
    assert_false(list[1].is_directory);
    assert_null(list[1].listing);
    assert_int_equal(list[1].size, 4);
    struct pingo_hash hash = list[0].hash;
    pingo_originals_free(o);
    pingo_workflow_free(workflow);
    list = read_one(PINGO__ORIGINAL_CONTENT, "listed", &o);
    assert_true(same_hash(&list->hash, &hash));
    assert_null(list->listing);
    pingo_originals_free(o);
}

/* ---- in parallel ------------------------------------------------------------------------ */

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
                     const struct pingo_hash *hash)
{
    (void)context;
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
    assert_string_equal(error.message, "stopped while the inputs were read");
    pingo_workflow_free(workflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identify__options_of_another_version_are_refused),
        cmocka_unit_test(test_identify__tells_a_stat),
        cmocka_unit_test(test_identify__takes_a_stat_for_young_as_of_before_it),
        cmocka_unit_test(test_identify__notes_what_is_wrong),
        cmocka_unit_test(test_identify__lists_directories_of_a_workflow),
        cmocka_unit_test(test_identify__gives_the_same_with_any_number_of_threads),
        cmocka_unit_test(test_identify__asks_the_cache_one_at_a_time),
        cmocka_unit_test(test_identify__tells_its_progress_in_the_callers_thread),
        cmocka_unit_test(test_identify__stops_when_told),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
