/* test_originals.c - files of this machine that attempts need are sent once, by their content, and never under a wrong one. */
#include "unit/hdfs/served.h"

#include <time.h>

#include "base/names.h"
#include "executor/hadoop/mailbox.h"

static struct pingo__executor_hadoop hadoop;
static struct pingo__executor_hadoop_job job;

static int begin(void **state)
{
    if (set_up(state))
        return -1;
    hadoop.hdfs = open_fs("/p", 5000);
    if (pingo__executor_hadoop_box_new(&hadoop.box, NULL))
        return -1;
    return pingo__executor_hadoop_originals_new(&hadoop.originals, NULL);
}

static int finish(void **state)
{
    pingo__executor_hadoop_asides_free(&hadoop, true);
    pingo__executor_hadoop_originals_free(hadoop.originals);
    pingo__executor_hadoop_originals_free(NULL);
    pingo__hdfs_close(hadoop.hdfs);
    pingo__executor_hadoop_box_leave(hadoop.box);
    pingo__executor_hadoop_box_leave(hadoop.box);
    pingo__arena_clear(&job.arena);
    return tear_down(state);
}

/* So old that its stamp tells. */
static const char *make(const char *name, const char *text, mode_t mode)
{
    static char path[128];
    const struct timespec then[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    unlink(path);
    write_file(path, text, mode);
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
    return path;
}

static int bring_link(const struct pingo_job_link *link, struct pingo_error *err)
{
    job.job.links = link;
    job.job.nlinks = 1;
    job.job.places = NULL;
    int rc = pingo__executor_hadoop_bring(&hadoop, &job, NULL, NULL, err);
    assert_true(rc == 0 && job.aside);
    while (!job.aside->is_done)
        usleep(1000);
    return pingo__executor_hadoop_bring(&hadoop, &job, NULL, NULL, err);
}

/* Its name in the pool. */
static const char *bring_as(const char *name, const char *path)
{
    const struct pingo_job_link link = {.name = name, .target = path};
    WELL(bring_link(&link, err));
    assert_null(job.aside);
    const char *found = strstr(job.job.places[0], "originals/");
    assert_non_null(found);
    return found;
}

static const char *bring(const char *path)
{
    return bring_as("a", path);
}

static void test_originals__equal_ones_are_sent_once(void **state)
{
    (void)state;
    const char *first = bring(make("one", "text", 0644));
    assert_true(holds(hadoop.hdfs, first, "text"));
    order("/clear");
    assert_string_equal(bring(make("two", "text", 0644)), first);
    assert_int_equal(order("/count/CREATE"), 0);
    assert_string_not_equal(bring(make("one", "other", 0644)), first);
    assert_int_equal(order("/count/CREATE"), 1);
    const char *program = bring(make("three", "text", 0755)); /* what can be run is another one */
    assert_string_equal(program + strlen(program) - 2, ".x");
}

/* Hadoop unpacks what its name says is packed. */
static void test_originals__a_packed_one_is_known_by_its_end(void **state)
{
    (void)state;
    const char *path = make("packed", "not really", 0644), *plain = bring(path);
    size_t n = strlen(plain);
    order("/clear");
    for (int i = 0; i < 2; i++) {
        const char *name = bring_as("d/in.gz", path);
        assert_true(strncmp(name, plain, n) == 0 && strcmp(name + n, ".gz") == 0);
        assert_true(holds(hadoop.hdfs, name, "not really"));
        assert_int_equal(order("/count/CREATE"), 1);
    }
}

/* Others are looked after meanwhile; the one that it was for may go. */
static void test_originals__one_that_takes_long(void **state)
{
    static char path[128];
    static struct pingo_job_link link = {.name = "a", .target = path};
    snprintf(path, sizeof path, "%s", make("slow", "slow", 0644));
    (void)state;
    job.job.links = &link;
    job.job.places = NULL;
    order("/clear");
    fault(0, "hang", "DATA-CREATE", 1);
    WELL(pingo__executor_hadoop_bring(&hadoop, &job, NULL, NULL, err));
    while (!order("/count/DATA-CREATE"))
        usleep(1000);
    assert_false(job.aside->is_done);
    const struct pingo__executor_hadoop_aside *slow = job.aside;
    pingo__executor_hadoop_aside_drop(&job);
    bring(make("quick", "quick", 0644));
    assert_false(slow->is_done);
}

/* As a command of this machine, which opens it, has what it leads to. */
static void test_originals__a_link_to_one(void **state)
{
    char path[128];
    (void)state;
    make("led-to", "text of it", 0644);
    snprintf(path, sizeof path, "%s/link", scratch);
    assert_int_equal(symlink("led-to", path), 0);
    assert_true(holds(hadoop.hdfs, bring(path), "text of it"));
}

static void test_originals__one_that_has_changed_is_none(void **state)
{
    const struct pingo_hash other = {{1}};
    (void)state;
    const struct pingo_job_link link = {
        .name = "a", .target = make("a", "changed", 0644), .content = &other};
    FAILS(bring_link(&link, err), PINGO_EINPUT, "has changed since its hash was taken");
    assert_null(job.job.places);
    const struct pingo_job_link none = {.name = "a", .target = "/nowhere/at/all"};
    assert_int_not_equal(bring_link(&none, NULL), 0);
}

#define BIG (48 << 20)

/* So long that it is read for a while. */
static void make_big(const char *path, char first)
{
    const struct timespec then[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(ftruncate(fd, BIG), 0);
    assert_int_equal(pwrite(fd, &first, 1, 0), 1);
    close(fd);
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

static int on_name(void *seen, const char *name, const struct pingo__hdfs_status *status,
                   struct pingo_error *err)
{
    (void)status;
    (void)err;
    pingo__buffer_format(seen, "originals/%s\n", name);
    return 0;
}

/* Not for a moment: who sent it may be killed then, and others would take it for what it is called. */
static void test_originals__one_that_changes_has_no_name(void **state)
{
    static char path[128];
    static struct pingo_job_link link = {.name = "a", .target = path};
    struct pingo__buffer seen = {0};
    (void)state;
    snprintf(path, sizeof path, "%s/big", scratch);
    make_big(path, 'r');
    job.job.links = &link;
    job.job.places = NULL;
    order("/clear");
    fault(0, "hang", "DATA-CREATE", 1);
    WELL(pingo__executor_hadoop_bring(&hadoop, &job, NULL, NULL, err));
    while (!order("/count/DATA-CREATE"))
        usleep(1000);
    make_big(path, 'w');
    struct pingo__hdfs *other = open_fs("/p", 5000);
    while (!job.aside->is_done) {
        pingo__hdfs_list(other, "originals", on_name, &seen, NULL);
        usleep(1000);
    }
    pingo__hdfs_close(other);
    FAILS(pingo__executor_hadoop_bring(&hadoop, &job, NULL, NULL, err), PINGO_EINPUT,
          "changed while it was uploaded");
    make_big(path, 'r');
    const char *name = bring(path);
    assert_null(strstr(pingo__buffer_cstr(&seen), pingo__arena_format(&job.arena, "%s\n", name)));
    pingo__buffer_clear(&seen);
}

/* What was trimmed meanwhile is sent again; one that is there is touched, so that nobody trims it. */
static void test_originals__is_there_when_it_is_needed(void **state)
{
    struct pingo__hdfs_status status;
    (void)state;
    const char *name = bring(make("kept", "kept", 0644));
    WELL(pingo__hdfs_touch(hadoop.hdfs, name, 1000, err));
    pingo__executor_hadoop_originals_free(hadoop.originals); /* another process */
    WELL(pingo__executor_hadoop_originals_new(&hadoop.originals, err));
    assert_string_equal(bring(make("kept", "kept", 0644)), name);
    WELL(pingo__hdfs_status(hadoop.hdfs, name, &status, err));
    assert_true(status.mtime_ms > 1000);
    WELL(pingo__hdfs_remove(hadoop.hdfs, name, err));
    pingo__executor_hadoop_originals_free(hadoop.originals);
    WELL(pingo__executor_hadoop_originals_new(&hadoop.originals, err));
    assert_string_equal(bring(make("kept", "kept", 0644)), name);
    assert_true(holds(hadoop.hdfs, name, "kept"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_originals__equal_ones_are_sent_once),
        cmocka_unit_test(test_originals__a_packed_one_is_known_by_its_end),
        cmocka_unit_test(test_originals__one_that_takes_long),
        cmocka_unit_test(test_originals__a_link_to_one),
        cmocka_unit_test(test_originals__one_that_has_changed_is_none),
        cmocka_unit_test(test_originals__one_that_changes_has_no_name),
        cmocka_unit_test(test_originals__is_there_when_it_is_needed),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
