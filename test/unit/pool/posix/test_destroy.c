/* test_destroy.c - a pool in a directory is taken apart: what is ours goes, and nothing else. */
#include "unit/pool/posix.h"

struct kept {
    char paths[16][256], whys[16][64];
    size_t n, stop_at; /* 0: never */
};

static int keep(void *context, const char *path, const char *why)
{
    struct kept *k = context;

    assert_true(k->n < 16);
    snprintf(k->paths[k->n], sizeof k->paths[0], "%s", path);
    snprintf(k->whys[k->n], sizeof k->whys[0], "%s", why);
    return ++k->n == k->stop_at;
}

static bool was_kept(const struct kept *k, const char *path)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->paths[i], path) == 0)
            return true;
    return false;
}

static int destroy_telling(struct pools *p, struct kept *k)
{
    struct pingo__pool_told told = {keep, k};

    return pingo__pool_destroy(&p->site, ID, &told, NULL);
}

/* What has no name of ours stays, in each of its directories, and is told. */
static void test_destroy__what_is_not_ours_stays(void **state)
{
    static const char *const theirs[] = {"notes", "objects/notes", "objects/aa/notes",
                                         "attempts/notes", "staged/notes"};
    struct pools *p = new ();
    struct kept k = {.n = 0};

    (void)state;
    pools_tree(in(p, "staged/7.2"));
    WELL(publish(p));
    pools_tree(in(p, "staged/8.1"));
    pools_tree(in(p, "attempts/8.1"));
    pools_tree(in(p, "trash/whatever")); /* the trash is ours, whole */
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        pools_write(in(p, theirs[i]), "x", 0644);
    assert_int_equal(destroy_telling(p, &k), 0);
    assert_int_equal(k.n, sizeof theirs /
                              sizeof *theirs); /* not the parts in which they are, which are ours */
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
        assert_true(is_there(in(p, theirs[i])));
        assert_true(was_kept(&k, in(p, theirs[i])));
    }
    for (size_t i = 0; i < k.n; i++)
        assert_string_equal(k.whys[i], "Pingo did not make it");
    assert_false(is_there(in(p, OBJECT)) || is_there(in(p, "staged/8.1")));
    assert_false(is_there(in(p, "attempts/8.1")) || is_there(in(p, "trash")));
    assert_false(is_there(in(p, "pingo-pool")));
    assert_int_equal(pingo__tree_remove(AT_FDCWD, p->place), 0);
    pools_free(p);
}

static void test_destroy__follows_no_link(void **state)
{
    struct pools *p = new ();
    struct kept k = {.n = 0};

    (void)state;
    assert_int_equal(mkdir(pools_path(p, "outside"), 0755), 0);
    pools_write(pools_path(p, "outside/8.1"), "x", 0644);
    assert_int_equal(rmdir(in(p, "staged")), 0);
    assert_int_equal(symlink("../outside", in(p, "staged")), 0); /* in the place of a part */
    pools_tree(in(p, "attempts/9.1"));
    assert_int_equal(destroy_telling(p, &k), PINGO_ESTORE);
    assert_true(is_there(in(p, "attempts/9.1/a"))); /* that is not the pool which we made */
    assert_int_equal(unlink(in(p, "staged")), 0);
    assert_int_equal(symlink("../../outside", in(p, "attempts/8.1")), 0); /* by a name of ours */
    assert_int_equal(destroy_telling(p, &k), 0);
    assert_int_equal(k.n, 0);
    assert_true(is_there(pools_path(p, "outside/8.1")));
    assert_false(is_there(p->place));
    pools_free(p);
}

/* Who is told can stop it; nothing is lost by that: the marker is there, and it is done again. */
static void test_destroy__is_stopped_and_goes_on(void **state)
{
    struct pools *p = new ();
    struct kept k = {.stop_at = 1};

    (void)state;
    pools_write(in(p, "objects/notes"), "x", 0644);
    pools_tree(in(p, "staged/8.1"));
    assert_int_equal(destroy_telling(p, &k), PINGO_EINTERRUPTED);
    assert_true(is_there(in(p, "pingo-pool")));
    assert_false(pingo__pool_is_destroyed(&p->site));
    assert_int_equal(unlink(in(p, "objects/notes")), 0);
    assert_int_equal(destroy_telling(p, &k), 0);
    assert_int_equal(k.n, 1);
    assert_true(pingo__pool_is_destroyed(&p->site));
    assert_false(is_there(p->place));
    assert_int_equal(destroy_telling(p, &k), 0); /* gone is fine */
    pools_free(p);
}

static int refuse(void *context, int dir, const char *name, int flags)
{
    return strcmp(name, "c") == 0 ? -EPERM : pingo__world_real()->unlink(context, dir, name, flags);
}

static void test_destroy__tells_what_cannot_be_removed(void **state)
{
    struct pools *p = new ();
    struct kept k = {.n = 0};

    (void)state;
    pools_tree(in(p, "staged/8.1"));
    pools_tree(in(p, "staged/9.1"));
    p->world.unlink = refuse;
    assert_int_equal(destroy_telling(p, &k), 0);
    assert_true(was_kept(&k, in(p, "staged/8.1")) && was_kept(&k, in(p, "staged/9.1")));
    assert_int_equal(k.n, 2);
    for (size_t i = 0; i < k.n; i++)
        assert_string_equal(k.whys[i], strerror(EPERM));
    assert_true(is_there(in(p, "staged/8.1/b/c")));
    assert_false(is_there(in(p, "staged/8.1/a")) || is_there(in(p, "objects")));
    assert_int_equal(pingo__tree_remove(AT_FDCWD, p->place), 0);
    pools_free(p);
}

static int refuse_part(void *context, int dir, const char *name, int flags)
{
    return strcmp(name, "trash") == 0 ? -EBUSY
                                      : pingo__world_real()->unlink(context, dir, name, flags);
}

/* As a part on which something is mounted. */
static void test_destroy__tells_of_a_part_that_stays(void **state)
{
    struct pools *p = new ();
    struct kept k = {.n = 0};

    (void)state;
    p->world.unlink = refuse_part;
    assert_int_equal(destroy_telling(p, &k), 0);
    assert_int_equal(k.n, 1);
    assert_string_equal(k.paths[0], in(p, "trash"));
    assert_string_equal(k.whys[0], strerror(EBUSY));
    assert_int_equal(pingo__tree_remove(AT_FDCWD, p->place), 0);
    pools_free(p);
}

static void test_destroy__is_of_the_store_alone(void **state)
{
    struct pools *p = new ();
    struct pingo_error why;

    (void)state;
    pools_tree(in(p, "staged/8.1"));
    assert_int_equal(pingo__pool_destroy(&p->site, "fedcba9876543210fedcba9876543210", NULL, &why),
                     PINGO_ESTORE);
    assert_true(is_there(in(p, "staged/8.1/b/c")));
    assert_false(pingo__pool_is_destroyed(&p->site));
    pools_free(p);
}

static int destroy(struct pools *p)
{
    return pingo__pool_destroy(&p->site, ID, NULL, NULL);
}

/* What was cut short can be done again: the marker goes last. */
static void test_destroy__a_destroyer_is_killed(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_destroy__what_is_not_ours_stays),
        cmocka_unit_test(test_destroy__follows_no_link),
        cmocka_unit_test(test_destroy__is_stopped_and_goes_on),
        cmocka_unit_test(test_destroy__tells_what_cannot_be_removed),
        cmocka_unit_test(test_destroy__tells_of_a_part_that_stays),
        cmocka_unit_test(test_destroy__is_of_the_store_alone),
        cmocka_unit_test(test_destroy__a_destroyer_is_killed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
