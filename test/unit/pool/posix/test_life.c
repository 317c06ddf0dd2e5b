/* test_life.c - a pool in a directory: whose it is, by its marker, and what is no pool. */
#include "unit/pool/posix.h"

static void test_life__takes_no_directory_of_somebody_else(void **state)
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

static void test_life__is_known_by_its_marker(void **state)
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
static void test_life__a_copy_is_another(void **state)
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

static bool is_broken; /* what follows fails while it is set */

/* The first text of a file is on the disk, the rest is not. */
static ssize_t broken_write(void *context, int fd, const void *bytes, size_t n)
{
    ssize_t put = is_broken && n == 1 ? -ENOSPC : pingo__world_real()->write(context, fd, bytes, n);
    return put;
}

static void test_life__a_pool_that_was_not_made_can_be_made_again(void **state)
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

static const char *mounted;

static int mounted_stat(void *context, int dir, const char *name, int flags, struct stat *st)
{
    int rc = pingo__world_real()->stat(context, dir, name, flags, st);
    st->st_dev += mounted && strcmp(name, mounted) == 0;
    return rc;
}

static void test_life__a_part_is_no_file_system_of_its_own(void **state)
{
    static const char *const parts[] = {"objects", "attempts", "staged"};
    struct pools *p = new ();
    struct pingo__pool again;
    struct pingo_error why = {0};
    (void)state;
    p->world.stat = mounted_stat;
    for (size_t i = 0; i < 3; i++) {
        mounted = parts[i];
        assert_int_equal(pingo__pool_open(&again, &p->site, ID, &why), PINGO_ESTORE);
        assert_non_null(strstr(why.message, parts[i]));
        assert_non_null(strstr(why.message, "is a file system of its own"));
    }
    mounted = "trash"; /* from which nothing comes back */
    WELL(pingo__pool_open(&again, &p->site, ID, err));
    pingo__pool_close(&again);
    pools_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life__takes_no_directory_of_somebody_else),
        cmocka_unit_test(test_life__is_known_by_its_marker),
        cmocka_unit_test(test_life__a_copy_is_another),
        cmocka_unit_test(test_life__a_pool_that_was_not_made_can_be_made_again),
        cmocka_unit_test(test_life__a_part_is_no_file_system_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
