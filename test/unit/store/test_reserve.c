/* test_reserve.c - the store's own space: made where there is room, given up where there is none, and nobody else's file. */
#include "unit/store/rows.h"

#include <fcntl.h>
#include <sys/statvfs.h>

#include "store/reserve.h"

#define ROOM (UINT64_C(8) << 20)
#define HELD 524288

static int refusal; /* of a quota: in no number of the file system */
static off_t left;  /* until it refuses */

int posix_fallocate(int fd, off_t offset, off_t length)
{
    return refusal && length > left ? refusal : fallocate(fd, 0, offset, length) ? errno : 0;
}

static char path[128];

static struct box *store_of(void)
{
    struct box *b = box_new();
    snprintf(path, sizeof path, "%s/reserve", b->dir);
    pingo__store_reserve_spend(b->store->db.directory);
    b->store->db.has_reserve = false;
    assert_int_equal(access(path, F_OK), -1);
    return b;
}

/* NULL: there is not enough beside the store that it holds some. */
static struct box *store_with_room(void)
{
    struct box *b = store_of();
    struct statvfs fs;
    assert_int_equal(fstatvfs(b->store->db.lock_fd, &fs), 0);
    if ((uint64_t)fs.f_bavail * fs.f_frsize > 2 * ROOM)
        return b;
    box_close(b);
    return NULL;
}

/* As if its directory were on a file system with nothing left. */
static bool is_low_without_space(struct box *b)
{
    int fd = b->store->db.lock_fd;
    b->store->db.lock_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(b->store->db.lock_fd >= 0);
    bool is = pingo__store_reserve_is_low(&b->store->db);
    close(b->store->db.lock_fd);
    b->store->db.lock_fd = fd;
    return is;
}

static void test_reserve__is_made_and_given_up(void **state)
{
    struct box *b = store_with_room();
    struct stat st;
    UNUSED(state);
    if (!b)
        skip();
    for (int i = 0; i < 2; i++) { /* and anew, when there is room again */
        assert_false(pingo__store_reserve_is_low(&b->store->db));
        assert_true(b->store->db.has_reserve);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, HELD);
        assert_int_equal(st.st_blocks * 512 >= HELD, 1); /* it holds them, and does not only say so */
        assert_int_equal(st.st_mode & 0777, 0600);
        assert_true(is_low_without_space(b));
        assert_false(b->store->db.has_reserve);
        assert_int_equal(access(path, F_OK), -1);
        assert_true(is_low_without_space(b)); /* there is none any more */
    }
    box_close(b);
}

static void test_reserve__what_another_process_made_is_ours_too(void **state)
{
    struct box *b = store_with_room();
    UNUSED(state);
    if (!b)
        skip();
    assert_false(pingo__store_reserve_is_low(&b->store->db));
    b->store->db.has_reserve = false; /* as far as we knew */
    assert_false(pingo__store_reserve_is_low(&b->store->db));
    assert_true(b->store->db.has_reserve);
    b->store->db.has_reserve = false; /* given up all the same */
    assert_true(is_low_without_space(b));
    assert_int_equal(access(path, F_OK), -1);
    box_close(b);
}

static void test_reserve__a_quota_is_a_full_disk(void **state)
{
    struct box *b = store_with_room();
    UNUSED(state);
    if (!b)
        skip();
    refusal = EDQUOT;
    assert_true(pingo__store_reserve_is_low(&b->store->db));
    assert_int_equal(access(path, F_OK), -1);
    left = 2 * HELD; /* some more, and not as much as it is made of */
    assert_false(pingo__store_reserve_is_low(&b->store->db));
    assert_int_equal(access(path, F_OK), -1);
    left = 0;
    refusal = EOPNOTSUPP; /* that is another matter */
    assert_false(pingo__store_reserve_is_low(&b->store->db));
    refusal = 0;
    assert_false(pingo__store_reserve_is_low(&b->store->db));
    assert_true(b->store->db.has_reserve);
    refusal = EDQUOT; /* as long as it is there it holds what it should */
    assert_false(pingo__store_reserve_is_low(&b->store->db));
    refusal = 0;
    box_close(b);
}

/* What makes the store grow is refused then, and nothing else. */
static void test_reserve__what_is_left_is_kept(void **state)
{
    struct box *b = store_of();
    struct pingo__store_db *db = &b->store->db;
    struct pingo_error err;
    UNUSED(state);
    db->is_low = true;
    assert_int_equal(pingo__store_reserve_check(db, &err), PINGO_ENOSPACE);
    assert_non_null(strstr(err.message, "the disk of the store is full"));
    db->is_low = false;
    assert_int_equal(pingo__store_reserve_check(db, &err), 0);
    box_close(b);
}

/* A link of that name is neither followed nor filled, and what it leads to stays. */
static void test_reserve__a_link_leads_nowhere(void **state)
{
    struct box *b = store_of();
    char target[128];
    struct stat st;
    UNUSED(state);
    snprintf(target, sizeof target, "%s/target", b->root);
    assert_int_equal(symlink(target, path), 0);
    assert_false(pingo__store_reserve_is_low(&b->store->db));
    assert_false(b->store->db.has_reserve);
    assert_int_equal(access(target, F_OK), -1);
    box_large(target, 10);
    assert_false(pingo__store_reserve_is_low(&b->store->db));
    pingo__store_reserve_spend(b->store->db.directory);
    assert_int_equal(lstat(path, &st), -1);
    assert_int_equal(stat(target, &st), 0);
    assert_int_equal(st.st_size, 10);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reserve__is_made_and_given_up),
        cmocka_unit_test(test_reserve__what_another_process_made_is_ours_too),
        cmocka_unit_test(test_reserve__a_quota_is_a_full_disk),
        cmocka_unit_test(test_reserve__what_is_left_is_kept),
        cmocka_unit_test(test_reserve__a_link_leads_nowhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
