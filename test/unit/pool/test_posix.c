/* test_posix.c - pools in directories: what others may have put there or done to it, and what is cut short.
 *
 * life.c, files.c and destroy.c of lib/pool/posix; what holds for every kind is in test_pool.c. */
#include "pools.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/error.h"
#include "pool/posix/posix.h"

#define OBJECT "objects/aa/" HASH ".7.2"
static const struct pingo_job_key key = {7, 2};

static struct pools *new (void)
{
    return pools_new(&pingo__pool_posix);
}

static const char *in(const struct pools *p, const char *name)
{
    static char paths[4][512];
    static size_t n;
    char *path = paths[n++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", p->place, name);
    return path;
}

static bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void test_posix__takes_no_directory_of_somebody_else(void **state)
{
    static const char *const parts[] = {"objects", "attempts", "staged", "trash"};
    char dir[32], path[128];
    struct pingo_error why = {0};

    (void)state;
    for (size_t i = 0; i < 12; i++) { /* what is in it, a link, a file */
        const struct pingo__pool_site site = {pingo__world_real(), dir, NULL};
        pools_scratch(dir);
        snprintf(path, sizeof path, "%s/%s", dir, parts[i % 4]);
        if (i < 4) {
            assert_int_equal(mkdir(path, 0755), 0);
            strcat(path, "/precious");
            pools_write(path, "x", 0644);
        } else if (i < 8) {
            assert_int_equal(symlink("/tmp", path), 0);
        } else {
            pools_write(path, "x", 0644);
        }
        assert_int_equal(pingo__pool_create(&site, ID, &why), PINGO_EEXISTS);
        assert_non_null(strstr(why.message, parts[i % 4]));
        assert_true(is_there(path));
        assert_int_equal(pingo__tree_remove(AT_FDCWD, dir), 0);
    }
}

static void test_posix__is_known_by_its_marker(void **state)
{
    struct pools *p = new ();
    struct pingo__pool again;
    struct pingo_error why = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(unlink(in(p, "pingo-pool")), 0);
        if (i == 1)
            assert_int_equal(symlink("CACHEDIR.TAG", in(p, "pingo-pool")), 0);
        if (i == 2)
            assert_int_equal(mkfifo(in(p, "pingo-pool"), 0644), 0);
        assert_int_equal(pingo__pool_open(&again, &p->site, ID, &why), PINGO_ESTORE);
        assert_int_equal(pingo__pool_destroy(&p->site, ID, NULL, &why), PINGO_ESTORE);
        unlink(in(p, "pingo-pool"));
        pools_write(in(p, "pingo-pool"), ID "\n", 0444);
    }
    /* Parts that a copy left out come back; a link in the place of one is refused. */
    assert_int_equal(rmdir(in(p, "trash")), 0);
    WELL(pingo__pool_open(&again, &p->site, ID, err));
    pingo__pool_close(&again);
    assert_true(is_there(in(p, "trash")));
    assert_int_equal(rmdir(in(p, "trash")), 0);
    assert_int_equal(symlink("/tmp", in(p, "trash")), 0);
    assert_int_equal(pingo__pool_open(&again, &p->site, ID, &why), PINGO_ESTORE);
    assert_int_equal(unlink(in(p, "trash")), 0);
    pools_free(p);
}

/* A copy has another identity, and does not believe what was noted in what it was copied from. */
static void test_posix__a_copy_is_another(void **state)
{
    struct pools *p = new (), *q = new ();
    char one[64], two[64], noted[64];

    (void)state;
    p->kind->note(p->pool.handle, "/store");
    pools_write(in(q, "pingo-store"), "/store\n1\n", 0644);
    WELL(p->kind->identity(p->pool.handle, one, err));
    WELL(q->kind->identity(q->pool.handle, two, err));
    assert_string_not_equal(one, two);
    p->kind->noted(p->pool.handle, noted, sizeof noted);
    assert_string_equal(noted, "/store");
    q->kind->noted(q->pool.handle, noted, sizeof noted);
    assert_string_equal(noted, "");
    pools_free(p);
    pools_free(q);
}

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

static void test_posix__odd_modes(void **state)
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
static void test_posix__follows_no_link(void **state)
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
    assert_int_equal(unlink(in(p, "trash")), 0);
    assert_int_equal(mkdir(in(p, "trash"), 0700), 0);
    pools_free(p);
}

/* What we put there by another name of somebody's file: theirs does not change. */
static void test_posix__a_private_copy_leaves_theirs(void **state)
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

static int refusing_rename(void *context, int from_dir, const char *from, int to_dir,
                           const char *to, unsigned flags)
{
    if (refused && (!refused_name || strcmp(from, refused_name) == 0))
        return refused;
    return pingo__world_real()->rename(context, from_dir, from, to_dir, to, flags);
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
static void test_posix__what_cannot_be_removed(void **state)
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

static void test_posix__what_cannot_be_moved(void **state)
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

/* A world that ends its process at the nth change of a file. */
static int until;

static void count(void)
{
    if (until-- == 0)
        kill(getpid(), SIGKILL);
}

static int fatal_unlink(void *context, int dir, const char *name, int flags)
{
    count();
    return pingo__world_real()->unlink(context, dir, name, flags);
}

static int fatal_rename(void *context, int from_dir, const char *from, int to_dir, const char *to,
                        unsigned flags)
{
    count();
    return pingo__world_real()->rename(context, from_dir, from, to_dir, to, flags);
}

static int fatal_mkdir(void *context, int dir, const char *name, mode_t mode)
{
    count();
    return pingo__world_real()->mkdir(context, dir, name, mode);
}

static int fatal_chmod(void *context, int dir, const char *name, mode_t mode)
{
    count();
    return pingo__world_real()->chmod(context, dir, name, mode);
}

static int fatal_open(void *context, int dir, const char *name, int flags, mode_t mode)
{
    if (flags & O_CREAT)
        count();
    return pingo__world_real()->open(context, dir, name, flags, mode);
}

typedef int (*deed_fn)(struct pools *p);

/* Does it in a process that is killed at the nth change; true: it came to its end before that. */
static bool killed_at(struct pools *p, int n, deed_fn deed)
{
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        p->world.unlink = fatal_unlink;
        p->world.rename = fatal_rename;
        p->world.mkdir = fatal_mkdir;
        p->world.chmod = fatal_chmod;
        p->world.open = fatal_open;
        until = n;
        _exit(deed(p) ? 1 : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    return WIFEXITED(status);
}

static int publish(struct pools *p)
{
    return pingo__pool_publish(&p->pool, key, OBJECT, NULL);
}

static void test_posix__a_publisher_is_killed(void **state)
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
static void test_posix__a_copier_is_killed(void **state)
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
static void test_posix__a_deletor_is_killed(void **state)
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

static int destroy(struct pools *p)
{
    return pingo__pool_destroy(&p->site, ID, NULL, NULL);
}

/* What was cut short can be done again: the marker goes last. */
static void test_posix__a_destroyer_is_killed(void **state)
{
    bool over = false;

    (void)state;
    for (int n = 0; !over; n++) {
        struct pools *p = new ();

        pools_tree(in(p, "staged/7.2"));
        WELL(publish(p));
        pools_tree(in(p, "attempts/8.1"));
        over = killed_at(p, n, destroy);
        assert_true(n < 80);
        assert_int_equal(destroy(p), 0);
        assert_false(is_there(p->place));
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

/* The first text of a file is on the disk, the rest is not. */
static ssize_t broken_write(void *context, int fd, const void *bytes, size_t n)
{
    ssize_t put = is_broken && n == 1 ? -ENOSPC : pingo__world_real()->write(context, fd, bytes, n);
    return put;
}

static int refuse_name(void *context, const char *name, struct pingo_error *err)
{
    (void)context;
    (void)name;
    return pingo__fail(err, PINGO_ESTORE, "refused");
}

/* An error number is not one of ours, though it may look like one. */
static void test_posix__errors_of_the_system_are_told_as_ours(void **state)
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
    assert_int_equal(pingo__pool_each(&p->pool, PINGO__OBJECTS, refuse_name, NULL, &why), PINGO_EIO);
    is_broken = false;
    p->world.stat = broken_stat;
    is_broken = true; /* it may be there: who wants it gone must hear of that */
    assert_int_equal(pingo__pool_trash(&p->pool, OBJECT, &why), PINGO_EIO);
    is_broken = false;
    assert_true(pools_has(p, OBJECT));
    WELL(pingo__pool_trash(&p->pool, OBJECT, err));
    assert_false(pools_has(p, OBJECT));
    pools_free(p);
}

static void test_posix__a_pool_that_was_not_made_can_be_made_again(void **state)
{
    struct pools *p = new ();
    struct pingo__world world = *pingo__world_real();
    char place[64];
    (void)state;
    const struct pingo__pool_site site = {&world, place, NULL};
    snprintf(place, sizeof place, "%s/other", p->dir);
    world.write = broken_write;
    is_broken = true;
    assert_int_equal(pingo__pool_create(&site, ID, NULL), PINGO_ENOSPACE);
    is_broken = false;
    WELL(pingo__pool_create(&site, ID, err));
    pools_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_posix__takes_no_directory_of_somebody_else),
        cmocka_unit_test(test_posix__is_known_by_its_marker),
        cmocka_unit_test(test_posix__a_copy_is_another),
        cmocka_unit_test(test_posix__odd_modes),
        cmocka_unit_test(test_posix__follows_no_link),
        cmocka_unit_test(test_posix__a_private_copy_leaves_theirs),
        cmocka_unit_test(test_posix__what_cannot_be_removed),
        cmocka_unit_test(test_posix__what_cannot_be_moved),
        cmocka_unit_test(test_posix__a_publisher_is_killed),
        cmocka_unit_test(test_posix__a_copier_is_killed),
        cmocka_unit_test(test_posix__a_deletor_is_killed),
        cmocka_unit_test(test_posix__a_destroyer_is_killed),
        cmocka_unit_test(test_posix__errors_of_the_system_are_told_as_ours),
        cmocka_unit_test(test_posix__a_pool_that_was_not_made_can_be_made_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
