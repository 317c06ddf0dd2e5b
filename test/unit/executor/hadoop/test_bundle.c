/* test_bundle.c - what is one application of YARN is known on this machine's disk before anybody is asked, and found again. */
#include "unit/executor/hadoop/before.h"
#include "unit/unread.h"

#include <time.h>

#include "executor/bundles.h"
#include "executor/hadoop/bundle.h"

#define ID "application_1_0001"

typedef struct pingo__executor_hadoop_bundle bundle_of;

static const struct pingo_job_key keys[] = {{7, 1}, {8, 2}};

static bundle_of *kept(const char *id)
{
    bundle_of *b = pingo__executor_hadoop_bundle_know(&h, id, keys, 2);
    assert_non_null(b);
    WELL(pingo__executor_hadoop_bundle_keep(&h, b, err));
    return b;
}

static void test_bundle__is_found_by_a_key(void **state)
{
    (void)state;
    assert_null(pingo__executor_hadoop_bundle_of(&h, keys[0]));
    bundle_of *b = kept(ID);
    assert_ptr_equal(pingo__executor_hadoop_bundle_of(&h, keys[0]), b);
    assert_ptr_equal(pingo__executor_hadoop_bundle_of(&h, keys[1]), b);
    assert_null(pingo__executor_hadoop_bundle_of(&h, (struct pingo_job_key){7, 2}));
}

/* As by the process that comes after us. */
static void test_bundle__is_found_on_the_disk(void **state)
{
    (void)state;
    kept(ID);
    pingo__executor_hadoop_bundles_close(&h);
    is_away = true; /* it is not known which there are */
    pingo__executor_hadoop_bundles_load(&h);
    assert_int_not_equal(h.unlisted, 0);
    is_away = false;
    pingo__executor_hadoop_bundles_load(&h);
    assert_int_equal(h.unlisted, 0);
    bundle_of *b = pingo__executor_hadoop_bundle_of(&h, keys[1]);
    assert_non_null(b);
    assert_string_equal(b->id, ID);
    assert_int_equal(b->n, 2);
    pingo__executor_hadoop_bundle_undo(&h, b);
    pingo__executor_hadoop_bundles_close(&h);
    pingo__executor_hadoop_bundles_load(&h);
    assert_null(pingo__executor_hadoop_bundle_of(&h, keys[1]));
}

static void test_bundle__what_cannot_be_read_is_none(void **state)
{
    static const char *const texts[] = {"", "application_1_0001", "other\n7.1\n", ID "\nx\n"};
    char dir[128], path[160];
    (void)state;
    snprintf(dir, sizeof dir, "%s/attempts/.bundles", near_dir);
    assert_int_equal(mkdir(dir, 0755), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snprintf(path, sizeof path, "%s/%zu", dir, i);
        assert_int_equal(mkdir(path, 0755), 0);
        snprintf(path, sizeof path, "%s/%zu/list", dir, i);
        write_file(path, texts[i], 0644);
    }
    pingo__executor_hadoop_bundles_load(&h);
    assert_null(pingo__executor_hadoop_bundle_of(&h, keys[0]));
}

static void test_bundle__goes_with_the_last_of_its_jobs(void **state)
{
    struct pingo__executor_hadoop_attempt own[2] = {{.bundle = NULL}};
    (void)state;
    bundle_of *b = kept(ID);
    job_of *job[2];
    for (int i = 0; i < 2; i++) {
        job[i] = pingo_jobs_add(h.jobs, keys[i]);
        job[i]->own = &own[i];
        pingo__executor_hadoop_bundle_bind(&h, job[i], b);
        assert_string_equal(job[i]->application, ID);
    }
    pingo__executor_hadoop_bundle_bind(&h, job[0], NULL);
    assert_false(b->is_forgotten);
    pingo__executor_hadoop_bundle_bind(&h, job[1], NULL);
    assert_true(b->is_forgotten && h.step_at_ms > 0);
    b->look_at_ms = 0;
    pingo__executor_hadoop_bundles_step(&h); /* YARN is away: it is kept until that is sure */
    assert_ptr_equal(pingo__executor_hadoop_bundle_of(&h, keys[0]), b);
    job[0]->own = job[1]->own = NULL;
}

/* What is not settled, in hand or young stays. */
static void test_bundle__what_was_left_behind_is_trimmed(void **state)
{
    (void)state;
    bundle_of *b = kept(ID);
    pingo__executor_hadoop_bundles_trim(&h, keys, 1);
    assert_false(b->is_forgotten);
    pingo__executor_hadoop_bundles_trim(&h, NULL, 0);
    assert_false(b->is_forgotten); /* another process may be about to submit it */
}

/* What a broken disk has made of a line leads to nobody's attempts: the application goes when nobody is waited for. */
static void test_bundle__with_a_line_that_does_not_read_back(void **state)
{
    char name[PINGO__BUNDLE_SIZE];
    (void)state;
    kept(ID);
    pingo__executor_hadoop_bundles_close(&h);
    pingo__digest_short(ID, strlen(ID), name);
    char *path = pingo__executor_bundle_path(near_dir, name, "list");
    assert_int_equal(unlink(path), 0);
    write_file(path, ID "\n7.1\n8/\n", 0644);
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    free(path);
    pingo__executor_hadoop_bundles_load(&h);
    assert_null(pingo__executor_hadoop_bundle_of(&h, keys[0]));
    const bundle_of *b = h.bundles;
    assert_non_null(b);
    pingo__executor_hadoop_bundles_trim(&h, (struct pingo_job_key[]){{9, 1}}, 1);
    assert_false(b->is_forgotten);
    pingo__executor_hadoop_bundles_trim(&h, NULL, 0);
    assert_true(b->is_forgotten);
}

/* As many as a store can have in flight. */
static void test_bundle__many_are_trimmed_at_once(void **state)
{
    enum { MANY = 65536, BUNDLES = 300, EACH = 500 };
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct pingo_job_key *unsettled = calloc(MANY + 1, sizeof *unsettled), own[EACH];
    (void)state;
    assert_non_null(unsettled);
    for (int i = 0; i < MANY; i++)
        unsettled[i] = ATTEMPT(1000000 + i);
    unsettled[MANY] = ATTEMPT(EACH);
    for (int i = 0; i < EACH; i++)
        own[i] = ATTEMPT(i + 1);
    for (int i = 0; i < BUNDLES; i++) {
        char id[64], name[PINGO__BUNDLE_SIZE];
        snprintf(id, sizeof id, "application_1_%04d", i);
        const struct pingo__executor_bundle_list list = {id, own, EACH};
        assert_int_equal(pingo__executor_bundle_save(near_dir, &list, false, name), 0);
        char *path = pingo__executor_bundle_path(near_dir, name, "list");
        assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
        free(path);
    }
    clock_t begun = clock();
    pingo__executor_hadoop_bundles_trim(&h, unsettled, MANY + 1);
    assert_true(clock() - begun < CLOCKS_PER_SEC);
    for (const bundle_of *b = h.bundles; b; b = b->next)
        assert_false(b->is_forgotten);
    free(unsettled);
}

static void test_bundle__its_program_is_needed(void **state)
{
    static char nowhere[] = "/nowhere";
    (void)state;
    h.helper_dir = nowhere;
    FAILS(pingo__executor_hadoop_bundle_program(&h, err), PINGO_EEXECUTOR,
          "/nowhere/pingo-hadoop-runner cannot be read");
    h.helper_dir = scratch;
    write_file(at("%s/%s", "pingo-hadoop-runner"), "program", 0755);
    WELL(pingo__executor_hadoop_bundle_program(&h, err));
    assert_int_equal(h.program.n, 7);
    assert_memory_equal(h.program.bytes, "program", 7);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_bundle__##name, begin, finish)
    const struct CMUnitTest tests[] = {
        TEST(is_found_by_a_key),
        TEST(is_found_on_the_disk),
        TEST(what_cannot_be_read_is_none),
        TEST(goes_with_the_last_of_its_jobs),
        TEST(what_was_left_behind_is_trimmed),
        TEST(with_a_line_that_does_not_read_back),
        TEST(many_are_trimmed_at_once),
        TEST(its_program_is_needed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
