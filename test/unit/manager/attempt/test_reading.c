/* test_reading.c - large originals that nobody has hashed yet are read by other threads before an attempt begins. */
#include "unit/engine/box.h"

#define SIZE (3 << 20)

/* A file of 3 MiB, and its content as 64 digits. */
static void make(const char *path, char hex[PINGO_HASH_HEX_SIZE])
{
    struct pingo_hash hash;

    box_large(path, SIZE);
    assert_int_equal(pingo_content_hash(path, &hash, NULL), 0);
    pingo_hash_to_hex(&hash, hex);
}

/* One that its times tell of, so that the store remembers it. */
static void age(const char *path)
{
    struct timespec old[2] = {{.tv_sec = 1600000000, .tv_nsec = 5},
                              {.tv_sec = 1600000000, .tv_nsec = 5}};

    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    usleep(50000); /* its ctime is that of now */
}

static void submit(struct box *b, const char *path, const char *hex)
{
    char text[2048], input[512];

    snprintf(input, sizeof input, ",'inputs':[{'name':'t','path':'%s','sha256':'%s'}]", path, hex);
    snprintf(text, sizeof text,
             W("{'id':1,'name':'a1','type':'command-line','command':['x1']%s},"
               "{'id':2,'name':'a2','type':'command-line','command':['x2']%s}"),
             input, input);
    box_submit(b, text);
}

static void finish_both(struct box *b)
{
    box_report(b, "a1", PINGO_END_EXITED, 0, "1");
    box_report(b, "a2", PINGO_END_EXITED, 0, "2");
    box_read_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
}

/* In memory, where times tell nothing, and on a disk. */
static void test_reading__a_tick_does_not_wait_for_it(void **state)
{
    UNUSED(state);
    for (int on_disk = 0; on_disk < 2; on_disk++) {
        struct box *b = box_new();
        char dir[] = "/tmp/pingo-unit-XXXXXX", path[96], hex[PINGO_HASH_HEX_SIZE];

        assert_non_null(mkdtemp(dir));
        snprintf(path, sizeof path, "%s/large", on_disk ? dir : b->root);
        make(path, hex);
        age(path);
        submit(b, path, hex);
        struct pingo_tick_result r = box_tick(b);
        assert_int_equal(r.started, 0);
        assert_int_equal(r.reading, 1); /* once for both */
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_PROCESSING);
        assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_PROCESSING);
        box_read_all(b);
        assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_SUBMITTED);
        assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_SUBMITTED);
        finish_both(b);
        box_close(b);
        box_remove(dir);
    }
}

static void test_reading__another_content_fails(void **state)
{
    struct box *b = box_new();
    char path[96], hex[PINGO_HASH_HEX_SIZE];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/large", b->root);
    make(path, hex);
    hex[0] = hex[0] == '0' ? '1' : '0';
    submit(b, path, hex);
    box_read_all(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE message LIKE '%SHA-256%'"), 2);
    assert_int_equal(b->fake.n, 0);
    box_close(b);
}

/* Killed, changed, or let go of while it is read: nothing starts that must not, and nothing is stuck. */
static void test_reading__what_happens_meanwhile(void **state)
{
    struct box *b = box_new();
    char path[96], hex[PINGO_HASH_HEX_SIZE];
    struct pingo_error err;

    UNUSED(state);
    snprintf(path, sizeof path, "%s/large", b->root);
    make(path, hex);
    submit(b, path, hex);
    assert_int_equal(box_tick(b).reading, 1);
    box_leave(b); /* it is left off */
    box_open_store(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    box_open_scheduler(b);
    assert_int_equal(box_tick(b).reading, 1);
    well(pingo_scheduler_pause(b->s, &err), &err);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, "a2"}, NULL, &err), &err);
    box_read_all(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    assert_int_equal(b->fake.n, 0);
    well(pingo_scheduler_resume(b->s, &err), &err);
    assert_int_equal(truncate(path, SIZE - 1), 0); /* what was read is another file's */
    box_read_all(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_KILLED);
    assert_int_equal(b->fake.n, 0);
    box_clean(b);
    box_close(b);
}

static bool fails;

static int collect(void *executor, const struct pingo_executor_reports *r, struct pingo_error *err)
{
    return fails ? PINGO_EIO : fake_collect(executor, r, err);
}

/* What cannot be told at the end keeps nobody waiting for what is read. */
static void test_reading__is_left_off_where_an_executor_fails(void **state)
{
    struct box *b = box_new();
    struct pingo_executor_type type = fake_type;
    const struct pingo_executor_type *list[] = {&type};
    struct pingo_scheduler_options o = {.version = 1, .executors = list, .nexecutors = 1};
    struct pingo_error err;
    char dir[] = "/tmp/pingo-unit-XXXXXX", path[96], text[1024];

    UNUSED(state);
    assert_non_null(mkdtemp(dir)); /* on a disk, where it would be remembered */
    snprintf(path, sizeof path, "%s/large", dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, INT64_C(1) << 32), 0); /* for many seconds */
    close(fd);
    age(path);
    snprintf(text, sizeof text,
             W("{'id':1,'name':'a1','type':'command-line','command':['x1'],'inputs':[{'name':'t',"
               "'path':'%s','sha256':'%064d'}]}," A(2, "")),
             path, 0);
    box_submit(b, text);
    pingo_scheduler_close(b->s);
    type.in_process = true;
    type.collect = collect;
    well(pingo_scheduler_open(b->store, &o, &b->s, &err), &err);
    struct pingo_tick_result r = box_tick(b);
    assert_int_equal(r.reading, 1);
    assert_int_equal(r.started, 1);
    fails = true;
    pingo_scheduler_close(b->s);
    assert_int_equal(box_int(b, "SELECT count(*) FROM file_content"), 0);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    box_open_scheduler(b);
    box_close(b);
    box_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading__a_tick_does_not_wait_for_it),
        cmocka_unit_test(test_reading__another_content_fails),
        cmocka_unit_test(test_reading__what_happens_meanwhile),
        cmocka_unit_test(test_reading__is_left_off_where_an_executor_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
