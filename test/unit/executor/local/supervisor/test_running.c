/* test_running.c - the notes of what runs, as a supervisor reads them that comes after a sudden end of all. */
#include "unit/executor/harness.h"

#include "executor/local/supervisor/worker.h"

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
    const struct pingo_job_key key = {action, epoch};
    assert_int_equal(pingo__executor_running_write(fd, slot, &key), 0);
}

static void expect(size_t slot, bool wanted, int64_t action, int64_t epoch)
{
    struct pingo_job_key key = {0, 0};
    bool runs = !wanted;
    assert_true(pingo__executor_running_read(fd, slot, &key, &runs));
    assert_int_equal(runs, wanted);
    if (runs) {
        assert_int_equal(key.action, action);
        assert_int_equal(key.epoch, epoch);
    }
}

static void test_running__each_slot_has_its_own(void **state)
{
    struct pingo_job_key key;
    bool runs;
    (void)state;
    assert_false(pingo__executor_running_read(fd, 0, &key, &runs));
    note(2, INT64_MAX, 1);
    note(0, 5, INT64_MAX);
    expect(0, true, 5, INT64_MAX);
    expect(1, false, 0, 0); /* a gap of zeroes */
    expect(2, true, INT64_MAX, 1);
    assert_false(pingo__executor_running_read(fd, 3, &key, &runs));
    note(0, 6, 2); /* in place */
    assert_int_equal(pingo__executor_running_write(fd, 2, NULL), 0);
    expect(0, true, 6, 2);
    expect(2, false, 0, 0);
    assert_int_equal(lseek(fd, 0, SEEK_END), 3 * PINGO__RUNNING_RECORD);
}

/* A note leads to processes that are killed: of one that is not whole nothing counts. */
static void test_running__a_note_that_is_not_whole(void **state)
{
    struct pingo_job_key key;
    bool runs;
    char bytes[PINGO__RUNNING_RECORD];
    (void)state;
    note(0, 5, 1);
    assert_int_equal(pread(fd, bytes, sizeof bytes, 0), sizeof bytes);
    for (size_t i = 0; i < 40; i++) { /* all that the checksum is of, and itself */
        bytes[i] ^= 1;
        assert_int_equal(pwrite(fd, bytes, sizeof bytes, 0), sizeof bytes);
        expect(0, false, 0, 0);
        bytes[i] ^= 1;
    }
    for (int length = 0; length < PINGO__RUNNING_RECORD; length++) {
        assert_int_equal(ftruncate(fd, length), 0);
        assert_false(pingo__executor_running_read(fd, 0, &key, &runs));
    }
}

static void test_running__what_cannot_be_noted_is_an_error(void **state)
{
    const struct pingo_job_key key = {1, 1};
    int ends[2], full = open("/dev/full", O_RDWR | O_CLOEXEC);
    (void)state;
    assert_int_equal(pingo__executor_running_write(-1, 0, &key), -EBADF);
    assert_int_equal(pingo__executor_running_write(full, 0, &key), -ENOSPC);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pingo__executor_running_write(ends[1], 0, &key), -ESPIPE);
    close(full);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_running__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_slot_has_its_own),
        TEST(a_note_that_is_not_whole),
        TEST(what_cannot_be_noted_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
