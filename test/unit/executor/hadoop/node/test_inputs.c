/* test_inputs.c - what is fetched into a container: each once, as long as nobody has touched it, and as far as there is
 * room. */
#include "unit/executor/hadoop/node/fake.h"

static struct pingo_job_link links[8];
static char urls[8][160];

/* A job that reads these, which lie below the pool; those that begin with '/' on this machine; others are urls. */
static struct pingo__runner_job job_of(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        snprintf(urls[i], sizeof urls[i], "%s%s%s", strpbrk(names[i], ":/") ? "" : container.pool,
                 strpbrk(names[i], ":/") ? "" : "/", names[i]);
        links[i] = (struct pingo_job_link){.name = names[i], .target = urls[i], .mark = 7};
    }
    return (struct pingo__runner_job){.key = KEY(1), .links = links, .nlinks = n};
}

static int fetch(struct pingo__executor_node *n, struct pingo__hdfs *data, const char *name,
                 struct pingo_error *err)
{
    const char *const names[] = {name};
    const struct pingo_job_link *at;
    struct pingo__runner_job job = job_of(names, 1);
    return pingo__executor_node_inputs_fetch(&n->inputs, &job, data, &at, err);
}

static void expect(const char *path, const char *text)
{
    char own[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && read(fd, own, sizeof own - 1) >= 0);
    close(fd);
    assert_string_equal(own, text);
}

static size_t opened(void)
{
    return hdfs_count("OPEN");
}

static void test_inputs__each_is_fetched_once(void **state)
{
    static const char *const names[] = {"words", "/etc/passwd", "words", "dir"};
    struct pingo__executor_node *n = *state;
    const struct pingo_job_link *at = NULL;
    struct stat st;
    char path[160];
    hdfs_put("words", "some words\n");
    hdfs_put("dir/sub/a", "A");
    hdfs_put("dir/empty", NULL);
    struct pingo__runner_job job = job_of(names, 4);
    assert_int_equal(pingo__executor_node_inputs_fetch(&n->inputs, &job, n->fs, &at, NULL), 0);
    assert_string_equal(links[1].target, "/etc/passwd"); /* it is here */
    assert_ptr_equal(links[0].target, links[2].target);
    expect(links[0].target, "some words\n");
    snprintf(path, sizeof path, "%s/sub/a", links[3].target);
    expect(path, "A");
    snprintf(path, sizeof path, "%s/empty", links[3].target);
    assert_int_equal(access(path, F_OK), 0);
    assert_memory_equal(links[0].target, container.objects, strlen(container.objects));
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(links[i].mark, 0);
    assert_int_equal(stat(links[0].target, &st), 0);
    assert_int_equal(st.st_mode & 0222, 0); /* nobody is to write */
    assert_int_equal(opened(), 2);
    pingo__executor_node_inputs_check(&n->inputs);
    job = job_of(names, 4); /* the next one that reads them */
    assert_int_equal(pingo__executor_node_inputs_fetch(&n->inputs, &job, n->fs, &at, NULL), 0);
    assert_int_equal(opened(), 2);
    snprintf(path, sizeof path, "%s", links[0].target);
    pingo__executor_node_inputs_clear(&n->inputs);
    assert_int_equal(access(path, F_OK), -1);
}

/* Who has no sandbox can write into what he was given: the next one has it as it was. */
static void test_inputs__what_was_touched_is_fetched_anew(void **state)
{
    static const char *const names[] = {"a", "b"};
    struct pingo__executor_node *n = *state;
    const struct pingo_job_link *at;
    hdfs_put("a", "one");
    hdfs_put("b", "two");
    struct pingo__runner_job job = job_of(names, 2);
    assert_int_equal(pingo__executor_node_inputs_fetch(&n->inputs, &job, n->fs, &at, NULL), 0);
    assert_int_equal(chmod(links[0].target, 0644), 0);
    int fd = open(links[0].target, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_int_equal(write(fd, "???", 3), 3);
    close(fd);
    pingo__executor_node_inputs_check(&n->inputs);
    assert_int_equal(n->inputs.n, 1);
    job = job_of(names, 2);
    assert_int_equal(pingo__executor_node_inputs_fetch(&n->inputs, &job, n->fs, &at, NULL), 0);
    expect(links[0].target, "one");
    assert_int_equal(opened(), 3);
    assert_int_equal(unlink(links[1].target), 0);
    pingo__executor_node_inputs_check(&n->inputs);
    assert_int_equal(n->inputs.n, 1);
    assert_int_equal(fetch(n, n->fs, "b", NULL), 0);
    expect(links[0].target, "two");
}

static void test_inputs__what_cannot_be_fetched(void **state)
{
    static const char *const names[] = {"a", "gone", "b"};
    struct pingo__executor_node *n = *state;
    const struct pingo_job_link *at = NULL;
    struct pingo_error err = {0};
    hdfs_put("a", "one");
    hdfs_put("b", "two");
    struct pingo__runner_job job = job_of(names, 3);
    assert_int_equal(pingo__executor_node_inputs_fetch(&n->inputs, &job, n->fs, &at, &err),
                     PINGO_ENOTFOUND);
    assert_ptr_equal(at, &links[1]);
    assert_non_null(strstr(err.message, "gone"));
    assert_int_equal(n->inputs.n, 1);
    assert_memory_equal(links[0].target, container.pool, strlen(container.pool)); /* as it was */
    pingo__hdfs_stop(n->fs);
    assert_int_equal(fetch(n, n->fs, "b", &err), PINGO_EINTERRUPTED);
    assert_int_equal(fetch(n, n->fs, "a", &err), 0); /* it is here */
}

/* The handle serves the pool's file system, whoever asks; of another one a handle is opened. */
static void test_inputs__of_which_file_system(void **state)
{
    struct pingo__executor_node *n = *state;
    const struct {
        const char *format;
        bool is_ours;
    } rows[] = {
        {"webhdfs://me@127.0.0.1:%d/p/a", true},
        {"webhdfs://other@127.0.0.1:%d/p/b", true},
        {"webhdfs://127.0.0.1:%d/p/c", true},
        {"webhdfs://me@127.0.0.1:%d,127.0.0.1:1/p/d", false},
        {"webhdfs://me@localhost:%d/p/e", false},
    };
    hdfs_put("a", "");
    hdfs_put("b", "");
    hdfs_put("c", "");
    hdfs_put("d", "");
    hdfs_put("e", "");
    pingo__hdfs_stop(n->fs); /* it is of no use */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char url[128];
        snprintf(url, sizeof url, rows[i].format, hdfs.port);
        if (fetch(n, n->fs, url, NULL) != (rows[i].is_ours ? PINGO_EINTERRUPTED : 0))
            fail_msg("%s", url);
    }
    assert_int_equal(fetch(n, n->fs, "webhdfs://me@", NULL), 0); /* no url of a file: left alone */
    assert_string_equal(links[0].target, "webhdfs://me@");
}

/* The disk is full until so many files were removed. */
static int too_many;

static ssize_t write_to_full(void *context, int fd, const void *bytes, size_t size)
{
    (void)context;
    if (access(container.objects, F_OK) == 0 && too_many > 0) {
        char path[128];
        snprintf(path, sizeof path, "%s/%d", container.objects, too_many - 1);
        if (access(path, F_OK) == 0)
            return -ENOSPC;
    }
    return pingo__world_real()->write(NULL, fd, bytes, size);
}

static void test_inputs__room_is_made_of_what_nobody_reads(void **state)
{
    struct pingo__executor_node *n = *state;
    struct pingo__world world = *pingo__world_real();
    struct pingo__hdfs_options options = hdfs_options;
    struct pingo__hdfs *data;
    struct pingo_error err = {0};
    options.world = &world;
    world.write = write_to_full;
    too_many = 0;
    hdfs_put("a", "one");
    hdfs_put("b", "two");
    hdfs_put("c", "three");
    assert_int_equal(pingo__hdfs_open(container.pool, &options, &data, NULL), 0);
    assert_int_equal(fetch(n, data, "a", NULL), 0); /* objects/0 */
    pingo__executor_node_inputs_check(&n->inputs);
    too_many = 1; /* as long as that is there */
    assert_int_equal(fetch(n, data, "b", NULL), 0);
    expect(links[0].target, "two");
    assert_int_equal(n->inputs.n, 1);
    /* What the job itself reads stays. */
    static const char *const names[] = {"b", "c"};
    const struct pingo_job_link *at;
    struct pingo__runner_job job = job_of(names, 2);
    too_many = (int)n->inputs.made;
    assert_int_equal(pingo__executor_node_inputs_fetch(&n->inputs, &job, data, &at, &err),
                     PINGO_ENOSPACE);
    assert_ptr_equal(at, &links[1]);
    assert_int_equal(n->inputs.n, 1);
    pingo__hdfs_close(data);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_inputs__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_is_fetched_once),
        TEST(what_was_touched_is_fetched_anew),
        TEST(what_cannot_be_fetched),
        TEST(of_which_file_system),
        TEST(room_is_made_of_what_nobody_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
