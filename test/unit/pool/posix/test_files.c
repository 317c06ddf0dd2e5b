/* test_files.c - a pool in a directory: what others may have put there or done to it, what cannot be done, and what is cut short. */
#include "unit/pool/posix.h"

#include <sys/statvfs.h>

#include "base/error.h"

/* ---- what others did ------------------------------------------------------------------------ */

/* A tree that its maker closed to everybody. */
static void closed_tree(const char *path)
{
    char at[512];

    pools_tree(path);
    snprintf(at, sizeof at, "%s/b/c", path);
    assert_int_equal(chmod(at, 0), 0);
    snprintf(at, sizeof at, "%s/b/d", path);
    assert_int_equal(chmod(at, 0), 0);
    snprintf(at, sizeof at, "%s/b", path);
    assert_int_equal(chmod(at, 0), 0);
    assert_int_equal(chmod(path, 0555), 0);
}

static void test_files__odd_modes(void **state)
{
    struct pools *p = new ();
    struct pingo__pool_removal removal = {.serial = 1};
    struct stat st;

    (void)state;
    closed_tree(in(p, "staged/7.2"));
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    assert_int_equal(lstat(in(p, OBJECT), &st), 0);
    assert_int_equal(st.st_mode & 0222, 0);
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_false(removal.failed);
    pools_write(in(p, "staged/7.2"), "x", 0666);
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    assert_int_equal(lstat(in(p, OBJECT), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0444);
    WELL(pingo__pool_trash(&p->pool, OBJECT, err));
    closed_tree(in(p, "attempts/7.2"));
    WELL(pingo__pool_trash(&p->pool, "attempts/7.2", err));
    assert_false(is_there(in(p, "attempts/7.2")));
    assert_int_equal(pools_count(p, PINGO__TRASH), 2);
    pools_free(p);
}

/* Nothing outside is read, moved or removed, wherever a link stands. */
static void test_files__follows_no_link(void **state)
{
    struct pools *p = new ();
    struct pingo__pool_removal removal = {.serial = 1};
    struct pingo_error why = {0};
    char outside[64], precious[192];

    (void)state;
    snprintf(outside, sizeof outside, "%s/outside", p->dir);
    assert_int_equal(mkdir(outside, 0755), 0);
    snprintf(precious, sizeof precious, "%s/precious", outside);
    pools_write(precious, "x", 0644);

    /* In the tree, and as the thing itself. */
    pools_tree(in(p, "trash/d.3"));
    assert_int_equal(symlink(outside, in(p, "trash/d.3/b/link")), 0);
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_false(removal.failed);
    assert_int_equal(symlink(outside, in(p, "trash/d.3")), 0);
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_false(removal.failed);
    assert_true(is_there(precious));

    /* In the place of a directory of objects: it is in the way, and goes itself. */
    assert_int_equal(symlink(outside, in(p, "objects/aa")), 0);
    pools_write(in(p, "staged/7.2"), "x", 0644);
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    assert_true(pools_has(p, OBJECT));
    snprintf(precious, sizeof precious, "%s/" HASH ".7.2", outside);
    assert_false(is_there(precious));

    /* In the place of the trash, after the pool was opened: nothing is moved through it, nor removed behind it. */
    WELL(p->kind->list(p->pool.handle, "trash", pools_count_name, &(size_t){0}, err));
    assert_int_equal(pingo__tree_remove(AT_FDCWD, in(p, "trash")), 0);
    assert_int_equal(symlink(outside, in(p, "trash")), 0);
    snprintf(precious, sizeof precious, "%s/precious", outside);
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_true(removal.failed && !removal.in_trash);
    assert_int_not_equal(pingo__pool_trash(&p->pool, OBJECT, &why), 0);
    assert_true(pools_has(p, OBJECT));
    pingo__pool_remove_trash(&p->pool, "trash/precious", 5, &removal);
    assert_true(is_there(precious));
    assert_false(p->kind->remove(p->pool.handle, "trash/precious", &removal.rest));
    assert_true(is_there(precious));
    assert_int_equal(unlink(in(p, "trash")), 0);
    assert_int_equal(mkdir(in(p, "trash"), 0700), 0);
    pools_free(p);
}

/* What we put there by another name of somebody's file: theirs does not change. */
static void test_files__a_private_copy_leaves_theirs(void **state)
{
    struct pools *p = new ();
    struct pingo__digest_content_options readonly = {.make_readonly = true};
    struct pingo__digest_content content;
    struct stat st;

    (void)state;
    pools_write(pools_path(p, "theirs"), "text", 0644);
    assert_int_equal(link(pools_path(p, "theirs"), in(p, "staged/7.2")), 0);
    WELL(pingo__pool_make_private(&p->pool, "staged/7.2", err));
    WELL(pingo__pool_read(&p->pool, "staged/7.2", &readonly, &content, err));
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    assert_false(content.has_other_names);
    assert_int_equal(lstat(pools_path(p, "theirs"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0644);
    assert_true(pools_is(p, OBJECT, "text"));
    pools_free(p);
}

/* ---- what cannot be done ------------------------------------------------------------------------ */

static int refused; /* -errno of what is called so, or of every change */
static const char *refused_name;

static int refusing_unlink(void *context, int dir, const char *name, int flags)
{
    if (refused && (!refused_name || strcmp(name, refused_name) == 0))
        return refused;
    return pingo__world_real()->unlink(context, dir, name, flags);
}

static int refusing_rename(void *context, int dir, const char *from, const char *to, unsigned flags)
{
    if (refused && (!refused_name || strcmp(from, refused_name) == 0))
        return refused;
    return pingo__world_real()->rename(context, dir, from, to, flags);
}

static struct pools *refusing(void)
{
    struct pools *p = new ();

    p->world.unlink = refusing_unlink;
    p->world.rename = refusing_rename;
    refused = 0;
    return p;
}

/* What is immutable stays where it is told; all beside it goes; and it goes when it can. */
static void test_files__what_cannot_be_removed(void **state)
{
    struct pools *p = refusing();
    struct pingo__pool_removal removal = {.serial = 1};

    (void)state;
    pools_put_tree(p, "staged/7.2");
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    refused = -EPERM;
    refused_name = "c";
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_true(removal.failed && removal.in_trash && !removal.rest.read_only);
    assert_string_equal(removal.name, "trash/d.3");
    assert_string_equal(removal.rest.what, "b/c");
    assert_string_equal(removal.rest.why, strerror(EPERM));
    assert_true(pools_has(p, "trash/d.3/b/c"));
    assert_false(pools_has(p, "trash/d.3/a") || pools_has(p, "trash/d.3/b/d"));
    refused = 0;
    pingo__pool_remove_dataset(&p->pool, 3, "trash/d.3", &removal);
    assert_false(removal.failed);
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    pools_free(p);
}

static void test_files__what_cannot_be_moved(void **state)
{
    struct pools *p = refusing();
    struct pingo__pool_removal removal = {.serial = 1};
    struct pingo_error why = {0};

    (void)state;
    pools_put_tree(p, "staged/7.2");
    refused_name = NULL;
    refused = -ENOSPC;
    assert_int_equal(pingo__pool_publish(&p->pool, key, OBJECT, &why), PINGO_ENOSPACE);
    refused = -EROFS;
    assert_int_not_equal(pingo__pool_publish(&p->pool, key, OBJECT, &why), 0);
    refused = 0;
    WELL(pingo__pool_publish(&p->pool, key, OBJECT, err));
    refused = -EROFS;
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_true(removal.failed && removal.rest.read_only && !removal.in_trash);
    assert_string_equal(removal.name, OBJECT);
    assert_true(pools_has(p, OBJECT "/b/c"));
    refused = 0;
    pools_free(p);
}

/* ---- killed in the middle ------------------------------------------------------------------------- */

static void test_files__a_publisher_is_killed(void **state)
{
    bool over = false;

    (void)state;
    for (int n = 0; !over; n++) {
        struct pools *p = new ();
        struct pingo_hash hash;

        pools_put(p, "staged/7.2", "former life");
        WELL(publish(p));
        pools_put_tree(p, "staged/7.2");
        hash = pools_hash(p, "staged/7.2");
        over = killed_at(p, n, publish);
        assert_true(n < 50);
        if (pools_has(p, "staged/7.2")) /* it is in one place, whole */
            assert_memory_equal(&hash, &(struct pingo_hash[]){pools_hash(p, "staged/7.2")}, 32);
        WELL(publish(p));
        assert_memory_equal(&hash, &(struct pingo_hash[]){pools_hash(p, OBJECT)}, 32);
        assert_int_equal(pools_count(p, PINGO__STAGED), 0);
        assert_int_equal(pools_count(p, PINGO__TRASH), 1);
        pools_free(p);
    }
}

static int make_private(struct pools *p)
{
    return pingo__pool_make_private(&p->pool, "staged/7.2", NULL);
}

/* The copy is whole before the original goes. */
static void test_files__a_copier_is_killed(void **state)
{
    bool over = false;

    (void)state;
    for (int n = 0; !over; n++) {
        struct pools *p = new ();
        struct pingo_hash hash;
        bool original, copy;

        pools_put_tree(p, "staged/7.2");
        hash = pools_hash(p, "staged/7.2");
        over = killed_at(p, n, make_private);
        assert_true(n < 50);
        original = pools_has(p, "staged/7.2");
        copy = pools_has(p, "staged/7.2.copy");
        if (!over)
            assert_true(original || copy);
        if (original)
            assert_memory_equal(&hash, &(struct pingo_hash[]){pools_hash(p, "staged/7.2")}, 32);
        else
            assert_memory_equal(&hash, &(struct pingo_hash[]){pools_hash(p, "staged/7.2.copy")}, 32);
        pools_free(p);
    }
}

static int remove_object(struct pools *p)
{
    struct pingo__pool_removal removal = {.serial = 1};

    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    return removal.failed;
}

/* It is whole at its name, or in the trash; whoever comes next removes what is left. */
static void test_files__a_deletor_is_killed(void **state)
{
    bool over = false;

    (void)state;
    for (int n = 0; !over; n++) {
        struct pools *p = new ();
        struct pingo_hash hash;

        pools_tree(in(p, "staged/7.2"));
        hash = pools_hash(p, "staged/7.2");
        WELL(publish(p));
        over = killed_at(p, n, remove_object);
        assert_true(n < 50);
        if (pools_has(p, OBJECT))
            assert_memory_equal(&hash, &(struct pingo_hash[]){pools_hash(p, OBJECT)}, 32);
        assert_int_equal(remove_object(p), 0);
        assert_int_equal(pools_count(p, PINGO__OBJECTS) + pools_count(p, PINGO__TRASH), 0);
        pools_free(p);
    }
}

static bool is_broken; /* what follows fails while it is set */

static int broken_next(void *context, struct pingo__dir *dir, const char **name)
{
    return is_broken ? -ESTALE : pingo__world_real()->dir_next(context, dir, name);
}

static int broken_stat(void *context, int dir, const char *name, int flags, struct stat *st)
{
    return is_broken ? -EIO : pingo__world_real()->stat(context, dir, name, flags, st);
}

static int refuse_name(void *context, const char *name, struct pingo_error *err)
{
    (void)context;
    (void)name;
    return pingo__fail(err, PINGO_ESTORE, "refused");
}

static int shut_open(void *context, int dir, const char *name, int flags, mode_t mode)
{
    return strcmp(name, "objects/aa") == 0
               ? -EACCES
               : pingo__world_real()->open(context, dir, name, flags, mode);
}

static int count_name(void *context, const char *name, struct pingo_error *err)
{
    (void)name;
    (void)err;
    ++*(int *)context;
    return 0;
}

/* Who looks at all of them passes over what is in a directory of objects that is closed. */
static void test_files__a_closed_directory_keeps_nobody_from_the_others(void **state)
{
    struct pools *p = new ();
    int n = 0;

    (void)state;
    pools_tree(in(p, "staged/7.2"));
    WELL(publish(p));
    assert_int_equal(mkdir(in(p, "objects/ab"), 0700), 0);
    pools_write(in(p, "objects/ab/x"), "x", 0444);
    p->world.open = shut_open;
    struct pingo_error why;
    assert_int_equal(pingo__pool_each(&p->pool, PINGO__OBJECTS, count_name, &n, &why), PINGO_EAWAY);
    assert_non_null(strstr(why.message, "objects/aa: reading: Permission denied"));
    assert_int_equal(n, 1);
    pools_free(p);
}

/* An error number is not one of ours, though it may look like one. */
static void test_files__errors_of_the_system_are_told_as_ours(void **state)
{
    struct pools *p = new ();
    struct pingo_error why = {0};
    (void)state;
    pools_tree(in(p, "staged/7.2"));
    WELL(publish(p));
    assert_int_equal(pingo__pool_each(&p->pool, PINGO__OBJECTS, refuse_name, NULL, &why),
                     PINGO_ESTORE);
    assert_string_equal(why.message, "refused");
    p->world.dir_next = broken_next;
    is_broken = true;
    assert_int_equal(pingo__pool_each(&p->pool, PINGO__OBJECTS, refuse_name, NULL, &why),
                     PINGO_EAWAY);
    is_broken = false;
    p->world.stat = broken_stat;
    is_broken = true; /* it may be there: who wants it gone must hear of that */
    assert_int_equal(pingo__pool_trash(&p->pool, OBJECT, &why), PINGO_EAWAY);
    is_broken = false;
    assert_true(pools_has(p, OBJECT));
    WELL(pingo__pool_trash(&p->pool, OBJECT, err));
    assert_false(pools_has(p, OBJECT));
    pools_free(p);
}

static bool is_full;

int fstatvfs(int fd, struct statvfs *fs)
{
    (void)fd;
    *fs = (struct statvfs){.f_frsize = 4096, .f_bavail = is_full ? 0 : 1 << 20};
    return 0;
}

/* The mark of a time long ago, after something was removed from a disk. */
static time_t marked(struct pools *p, bool full)
{
    struct pingo__pool_removal removal = {.serial = 1};
    struct timespec old[2] = {{1, 0}, {1, 0}};
    struct stat st;
    pools_tree(in(p, "trash/left"));
    assert_int_equal(utimensat(AT_FDCWD, in(p, "pingo-pool"), old, 0), 0);
    is_full = full;
    pingo__pool_remove_trash(&p->pool, "trash/left", 5, &removal);
    is_full = false;
    assert_false(removal.failed);
    assert_int_equal(lstat(in(p, "pingo-pool"), &st), 0);
    return st.st_mtim.tv_sec;
}

/* Who fails for it looks when there is room again. */
static void test_files__that_it_was_full_stays_known(void **state)
{
    struct pools *p = new ();
    (void)state;
    assert_int_equal(marked(p, false), 1);
    assert_true(marked(p, true) > 1);
    pools_free(p);
}

static int no_room; /* an error number; 0: there is room */

int posix_fallocate(int fd, off_t at, off_t size)
{
    return no_room ? no_room : ftruncate(fd, at + size) == 0 ? 0 : errno;
}

static int syncfs_fails(void *context, int fd)
{
    (void)context;
    (void)fd;
    return -EIO;
}

/* The kernel tells of a quota that is full on a server as of a disk that fails. */
static void test_files__a_full_quota_is_no_failing_disk(void **state)
{
    struct pools *p = new ();
    struct pingo_error err;

    (void)state;
    p->world.syncfs = syncfs_fails;
    assert_int_equal(pingo__pool_sync(&p->pool, &err), PINGO_EIO);
    no_room = EDQUOT;
    assert_int_equal(pingo__pool_sync(&p->pool, &err), PINGO_ENOSPACE);
    no_room = 0;
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    pools_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files__odd_modes),
        cmocka_unit_test(test_files__follows_no_link),
        cmocka_unit_test(test_files__a_private_copy_leaves_theirs),
        cmocka_unit_test(test_files__what_cannot_be_removed),
        cmocka_unit_test(test_files__what_cannot_be_moved),
        cmocka_unit_test(test_files__a_publisher_is_killed),
        cmocka_unit_test(test_files__a_copier_is_killed),
        cmocka_unit_test(test_files__a_deletor_is_killed),
        cmocka_unit_test(test_files__a_closed_directory_keeps_nobody_from_the_others),
        cmocka_unit_test(test_files__errors_of_the_system_are_told_as_ours),
        cmocka_unit_test(test_files__that_it_was_full_stays_known),
        cmocka_unit_test(test_files__a_full_quota_is_no_failing_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
