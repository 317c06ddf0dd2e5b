/* test_inputs.c - what was hashed is remembered, and what a reader did to a directory that it read: inputs.c. */
#include "unit/engine/box.h"

#include "base/tree.h"
#include "manager/attempt/inputs.h"
#include "store/dataset/objects.h"

#define MADE_MS INT64_C(1700000000000) /* when the dataset was, which is long ago */

static struct pingo__arena arena;

/* ---- the memory ----------------------------------------------------------------------------- */

static void test_inputs__what_was_hashed_is_remembered(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_content_memory m;
    struct pingo__digest_content_cache cache;
    struct pingo__digest_file_stat st = {1, 2, 3, 4, 5}, other = {1, 2, 3, 4, 6};
    struct pingo_hash hash, found, said = {{7}}, key = {{8}};
    struct pingo_error err;
    char *text = NULL;

    UNUSED(state);
    memset(&hash, 9, sizeof hash);
    pingo__manager_content_memory_init(&m, &b->store->db, &cache);
    assert_false(cache.find(cache.context, &st, &found));
    cache.remember(cache.context, &st, &hash);
    cache.remember_version(cache.context, &key, &said, "tool 1.2");
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__manager_content_memory_save(&m, &err), &err);
    well(pingo__store_db_end(&b->store->db, 0, &err), &err);
    assert_int_equal(m.n + m.nversions, 0);
    pingo__manager_content_memory_clear(&m);

    pingo__manager_content_memory_init(&m, &b->store->db, &cache); /* another's */
    assert_true(cache.find(cache.context, &st, &found));
    assert_memory_equal(&found, &hash, sizeof hash);
    assert_false(cache.find(cache.context, &other, &found)); /* one part differs */
    assert_true(cache.find_version(cache.context, &key, &found, &text));
    assert_memory_equal(&found, &said, sizeof said);
    assert_string_equal(text, "tool 1.2");
    free(text);
    assert_false(cache.find_version(cache.context, &hash, &found, &text));
    assert_null(text);
    cache.remember(cache.context, &other, &hash); /* and is let go of unsaved */
    cache.remember_version(cache.context, &hash, &said, "?");
    pingo__manager_content_memory_clear(&m);
    assert_false(cache.find(cache.context, &other, &found));
    box_close(b);
}

/* ---- a directory ---------------------------------------------------------------------------- */

/* A store with one dataset, a directory: tool (executable), data. */
static struct box *with_directory(void)
{
    struct box *b = box_new();
    char path[400];
    struct job *j;

    box_submit(b, W(A(1, "")));
    box_tick(b);
    j = fake_job(&b->fake, "a1");
    j->ended = true;
    j->end = (struct pingo_job_end){
        .size = sizeof j->end, .key = j->key, .started_ms = 1000, .ended_ms = MADE_MS, .wall_ms = 1};
    assert_int_equal(mkdir(j->staged, 0755), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", j->staged, i ? "data" : "tool");
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, i ? 0644 : 0755);
        assert_int_equal(write(fd, "text\n", 5), 5);
        assert_int_equal(futimens(fd, (struct timespec[]){{.tv_sec = 1}, {.tv_sec = 1}}), 0);
        close(fd);
    }
    assert_int_equal(pingo_job_end_output(&j->end, j->staged, NULL), 0);
    box_tick(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    return b;
}

static struct pingo__store_dataset_row row_of(struct box *b)
{
    struct pingo__store_dataset_row row;
    struct pingo_error err;

    well(pingo__store_dataset_get(&b->store->db, 1, &arena, &row, &err), &err);
    assert_true(row.directory && row.mark);
    return row;
}

static const char *in(struct box *b, const char *name)
{
    static char path[500];

    snprintf(path, sizeof path, "%s/pool/%s%s%s", b->dir, row_of(b).path, *name ? "/" : "", name);
    return path;
}

static struct pingo__manager_change touched(struct box *b)
{
    struct pingo__store_dataset_row row = row_of(b);
    struct pingo__manager_change change = {.since_ms = row.made_ms};
    struct pingo_error err;

    well(pingo__manager_dataset_touched(&b->store->context, &row, &arena, &change, &err), &err);
    return change;
}

static void test_inputs__what_was_done_to_a_directory(void **state)
{
    struct box *b = with_directory();
    struct pingo__manager_change change;
    int64_t mark = row_of(b).mark;

    UNUSED(state);
    assert_false(touched(b).is_touched);
    assert_int_equal(chmod(in(b, "data"), 0600),
                     0); /* that of its owner's write bit is ours to mend */
    assert_false(touched(b).is_touched);
    assert_int_equal(row_of(b).mark == mark, false); /* how it looks now was learned */
    assert_false(touched(b).is_touched);
    assert_int_equal(chmod(in(b, "tool"), 0444), 0); /* a tool no more */
    change = touched(b);
    assert_true(change.is_touched && change.later);
    assert_string_equal(change.what, "it changed the mode of tool");
    assert_int_equal(chmod(in(b, "tool"), 0555), 0);
    assert_false(touched(b).is_touched);
    usleep(50000); /* what comes now is newer than all else by any clock */
    assert_int_equal(chmod(in(b, ""), 0755), 0);
    int fd = open(in(b, "data"), O_WRONLY | O_TRUNC);
    if (fd < 0) { /* nobody but root may */
        assert_int_equal(chmod(in(b, "data"), 0644), 0);
        fd = open(in(b, "data"), O_WRONLY | O_TRUNC);
    }
    assert_int_equal(write(fd, "TEXT\n", 5), 5);
    close(fd);
    change = touched(b);
    assert_true(change.is_touched && change.later);
    assert_string_equal(change.what, "it writes into its inputs: data");
    pingo__arena_clear(&arena);
    box_close(b);
}

static void test_inputs__what_cannot_be_read_was_touched(void **state)
{
    struct box *b = with_directory();

    UNUSED(state);
    assert_int_equal(chmod(in(b, ""), 0755), 0);
    assert_int_equal(mkfifo(in(b, "pipe"), 0644), 0);
    assert_true(touched(b).is_touched);
    assert_null(touched(b).what);
    assert_int_equal(unlink(in(b, "pipe")), 0);
    assert_false(touched(b).is_touched);
    assert_int_equal(pingo__tree_remove(AT_FDCWD, in(b, "")), 0);
    assert_true(touched(b).is_touched);
    pingo__arena_clear(&arena);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs__what_was_hashed_is_remembered),
        cmocka_unit_test(test_inputs__what_was_done_to_a_directory),
        cmocka_unit_test(test_inputs__what_cannot_be_read_was_touched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
