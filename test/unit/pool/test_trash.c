/* test_trash.c - the way out of a pool: names in the trash are each one's own, and what stays is told.  What holds of it
 * for every kind of pool stands in test_pool.c too. */
#include "unit/pool/posix.h"

static bool has_trash(struct pools *p, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "trash/%s", name);
    return is_there(in(p, path));
}

/* The names in the trash, up to limit, and how many there are. */
static size_t list(struct pools *p, size_t limit, struct pingo__buffer *names, bool *more)
{
    size_t n = 0;

    pingo__buffer_reset(names);
    WELL(pingo__pool_list_trash(&p->pool, limit, names, more, err));
    for (size_t at = 0; at < names->length; at += strlen(names->data + at) + 1)
        n++;
    return n;
}

static void test_trash__each_has_a_name_of_its_own(void **state)
{
    struct pools *p = new ();
    struct pingo__pool one = pingo__pool_fork(&p->pool, (struct pingo_job_key){1, 1}),
                       two = pingo__pool_fork(&p->pool, (struct pingo_job_key){1, 2});
    struct pingo__buffer names = {0};
    uint64_t before = p->pool.trashed;
    bool more = true;

    (void)state;
    assert_int_equal(list(p, 9, &names, &more), 0);
    assert_false(more);
    for (int i = 0; i < 3;
         i++) { /* the same name again and again, from here and from other threads */
        pools_write(in(p, "staged/7.2"), "x", 0644);
        WELL(pingo__pool_trash(&p->pool, "staged/7.2", err));
        pools_write(in(p, "staged/7.2"), "x", 0644);
        WELL(pingo__pool_trash(&one, "staged/7.2", err));
        pools_write(in(p, "staged/7.2"), "x", 0644);
        WELL(pingo__pool_trash(&two, "staged/7.2", err));
    }
    assert_int_equal(p->pool.trashed - before, 3);
    assert_int_equal(list(p, 9, &names, &more), 9);
    assert_false(more);
    assert_int_equal(list(p, 8, &names, &more), 8);
    assert_true(more);
    assert_int_equal(list(p, 0, &names, &more), 0);
    assert_true(more);
    pingo__buffer_clear(&names);
    pools_free(p);
}

/* A file in the place of an attempt's directory says that it was given up: that is not to be lost. */
static void test_trash__a_mark_of_an_attempt_stays(void **state)
{
    struct pools *p = new ();

    (void)state;
    WELL(pingo__pool_trash_attempt(&p->pool, "attempts/7.2", err)); /* nothing there is fine */
    pools_write(in(p, "attempts/7.2"), "", 0644);
    WELL(pingo__pool_trash_attempt(&p->pool, "attempts/7.2", err));
    assert_true(is_there(in(p, "attempts/7.2")));
    pools_tree(in(p, "attempts/8.1"));
    WELL(pingo__pool_trash_attempt(&p->pool, "attempts/8.1", err));
    assert_false(is_there(in(p, "attempts/8.1")));
    WELL(pingo__pool_trash(&p->pool, "attempts/7.2", err));
    assert_false(is_there(in(p, "attempts/7.2")));
    pools_free(p);
}

/* Of two who remove an entry one has it; for the other it is gone. */
static void test_trash__an_entry_is_in_one_hand(void **state)
{
    struct pools *p = new ();
    struct pingo__pool_removal one = {.serial = 1}, two = {.serial = 2};

    (void)state;
    pools_tree(in(p, "trash/left"));
    pingo__pool_remove_trash(&p->pool, "trash/left", 5, &one);
    assert_false(one.failed || one.in_trash);
    pingo__pool_remove_trash(&p->pool, "trash/left", 6, &two);
    assert_false(two.failed || two.in_trash);
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    pools_free(p);
}

static int refused; /* -errno of a removal below the trash, or (is_move) of a move */
static bool is_move;

static int refusing_unlink(void *context, int dir, const char *name, int flags)
{
    return refused && !is_move && strcmp(name, "c") == 0
               ? refused
               : pingo__world_real()->unlink(context, dir, name, flags);
}

static int refusing_rename(void *context, int dir, const char *from, const char *to, unsigned flags)
{
    return refused && is_move ? refused : pingo__world_real()->rename(context, dir, from, to, flags);
}

static struct pools *refusing(int error, bool moves)
{
    struct pools *p = new ();

    p->world.unlink = refusing_unlink;
    p->world.rename = refusing_rename;
    refused = error;
    is_move = moves;
    return p;
}

/* What stays lies under the name of who has it, and can be removed by that. */
static void test_trash__what_stays_is_told_by_its_name(void **state)
{
    struct pools *p = refusing(-EPERM, false);
    struct pingo__pool_removal removal = {.serial = 1};

    (void)state;
    pools_tree(in(p, "trash/left"));
    pingo__pool_remove_trash(&p->pool, "trash/left", 5, &removal);
    assert_true(removal.failed && removal.in_trash && !removal.rest.read_only);
    assert_false(has_trash(p, "left"));
    assert_true(is_there(in(p, removal.name)));
    assert_string_equal(removal.rest.what, "b/c");
    assert_string_equal(removal.rest.why, strerror(EPERM));
    refused = 0;
    char again[PINGO__NAME_SIZE];
    snprintf(again, sizeof again, "%s", removal.name);
    removal.serial = 2;
    pingo__pool_remove_trash(&p->pool, again, 6, &removal);
    assert_false(removal.failed);
    assert_int_equal(pools_count(p, PINGO__TRASH), 0);
    pools_free(p);
}

static void test_trash__what_cannot_be_taken_stays_where_it_is(void **state)
{
    struct pools *p = refusing(-EROFS, true);
    struct pingo__pool_removal removal = {.serial = 1};
    struct pingo_error why = {0};

    (void)state;
    pools_tree(in(p, "trash/left"));
    pools_tree(in(p, "staged/8.1"));
    pingo__pool_remove_trash(&p->pool, "trash/left", 5, &removal);
    assert_true(removal.failed && removal.in_trash && removal.rest.read_only);
    assert_string_equal(removal.name, "trash/left");
    assert_true(has_trash(p, "left"));
    assert_int_not_equal(pingo__pool_trash(&p->pool, "staged/8.1", &why), 0);
    assert_true(is_there(in(p, "staged/8.1/b/c")));
    refused = 0;
    WELL(pingo__pool_trash(&p->pool, "staged/8.1", err));
    pools_free(p);
}

/* A long path does not take the reason's place: it comes last. */
static void test_trash__why_it_stays_is_told_whole(void **state)
{
    struct pools *p = refusing(0, true);
    struct pingo__pool_removal removal = {.serial = 1};

    (void)state;
    pools_write(in(p, "staged/7.2"), "x", 0644);
    WELL(publish(p));
    refused = -EIO;
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_true(removal.failed && !removal.in_trash);
    assert_non_null(strstr(removal.rest.why, strerror(EIO)));
    refused = 0;
    pools_free(p);
}

static void go_where_it_lies(int error)
{
    struct pools *p = refusing(0, true);
    struct pingo__pool_removal removal = {.serial = 1};

    pools_tree(in(p, "staged/7.2"));
    WELL(publish(p));
    pools_tree(in(p, "attempts/8.1"));
    pools_tree(in(p, "trash/left"));
    refused = error;
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_false(removal.failed);
    WELL(pingo__pool_trash_attempt(&p->pool, "attempts/8.1", err));
    pingo__pool_remove_trash(&p->pool, "trash/left", 5, &removal);
    assert_false(removal.failed);
    assert_int_equal(pools_count(p, PINGO__TRASH) + pools_count(p, PINGO__OBJECTS) +
                         pools_count(p, PINGO__ATTEMPTS),
                     0);
    pools_tree(in(p, "staged/8.1"));
    struct pingo_error why = {0};
    assert_int_not_equal(p->pool.backend->move(p->pool.handle, "staged/8.1", OBJECT, &why), 0);
    assert_true(is_there(in(p, "staged/8.1/b/c")));
    refused = 0;
    pools_free(p);
}

/* As of a store in the image of a container: an overlay moves no directory of a layer below; and as on a btrfs, where a
 * name is written before an old one goes, and a quota is reached. */
static void test_trash__what_cannot_be_moved_goes_where_it_lies(void **state)
{
    (void)state;
    go_where_it_lies(-EXDEV);
    go_where_it_lies(-EDQUOT);
    go_where_it_lies(-ENOSPC);
}

/* The half of another store's dataset of the same number is removed first; where that cannot be, the dataset stays. */
static void test_trash__a_dataset_waits_for_what_is_in_its_place(void **state)
{
    struct pools *p = refusing(-EPERM, false);
    struct pingo__pool_removal removal = {.serial = 1};

    (void)state;
    pools_write(in(p, "staged/7.2"), "x", 0644);
    WELL(publish(p));
    pools_tree(in(p, "trash/d.3"));
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_true(removal.failed);
    assert_true(is_there(in(p, OBJECT)));
    refused = 0;
    pingo__pool_remove_dataset(&p->pool, 3, OBJECT, &removal);
    assert_false(removal.failed);
    assert_int_equal(pools_count(p, PINGO__TRASH) + pools_count(p, PINGO__OBJECTS), 0);
    pools_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trash__each_has_a_name_of_its_own),
        cmocka_unit_test(test_trash__a_mark_of_an_attempt_stays),
        cmocka_unit_test(test_trash__an_entry_is_in_one_hand),
        cmocka_unit_test(test_trash__what_stays_is_told_by_its_name),
        cmocka_unit_test(test_trash__what_cannot_be_taken_stays_where_it_is),
        cmocka_unit_test(test_trash__why_it_stays_is_told_whole),
        cmocka_unit_test(test_trash__what_cannot_be_moved_goes_where_it_lies),
        cmocka_unit_test(test_trash__a_dataset_waits_for_what_is_in_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
