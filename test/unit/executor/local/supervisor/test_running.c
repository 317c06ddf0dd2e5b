/* test_running.c - the notes of what runs, as a supervisor reads them that comes after a sudden end of all. */
#include "unit/executor/harness.h"

#include "executor/local/supervisor/state.h"

static int fd;

static int set_up(void **state)
{
    char path[] = "/tmp/pingo-running-XXXXXX";
    (void)state;
    fd = mkstemp(path);
    return fd < 0 ? -1 : unlink(path);
}

static int tear_down(void **state)
{
    (void)state;
    return close(fd);
}

static void note(size_t slot, int64_t action, int64_t epoch)
{
    assert_int_equal(pingo__executor_running_write(fd, slot, (struct pingo_job_key){action, epoch}),
                     0);
}

static void expect(size_t slot, int64_t action, int64_t epoch)
{
    struct pingo_job_key key = {-1, -1};
    assert_true(pingo__executor_running_read(fd, slot, &key));
    assert_int_equal(key.action, action);
    assert_int_equal(key.epoch, epoch);
}

static void test_running__each_slot_has_its_own(void **state)
{
    struct pingo_job_key key;
    (void)state;
    assert_false(pingo__executor_running_read(fd, 0, &key));
    note(2, INT64_MAX, 1);
    note(0, 5, INT64_MAX);
    expect(0, 5, INT64_MAX);
    expect(1, 0, 0); /* a gap of zeroes */
    expect(2, INT64_MAX, 1);
    assert_false(pingo__executor_running_read(fd, 3, &key));
    note(0, 6, 2); /* in place */
    note(2, 0, 0);
    expect(0, 6, 2);
    expect(2, 0, 0);
    assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 1), 0);
    assert_false(pingo__executor_running_read(fd, 2, &key));
}

static void test_running__what_cannot_be_noted_is_an_error(void **state)
{
    const struct pingo_job_key key = {1, 1};
    int ends[2], full = open("/dev/full", O_RDWR | O_CLOEXEC);
    (void)state;
    assert_int_equal(pingo__executor_running_write(-1, 0, key), -EBADF);
    assert_int_equal(pingo__executor_running_write(full, 0, key), -ENOSPC);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pingo__executor_running_write(ends[1], 0, key), -ESPIPE);
    close(full);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_running__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_slot_has_its_own),
        TEST(what_cannot_be_noted_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
