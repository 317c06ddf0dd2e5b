/* test_reclaim.c - what lies in the trash and is no dataset's, and what failed attempts hold. */
#include "unit/manager/dataset/removing.h"

/* ---- the trash ----------------------------------------------------------------------------------- */

static bool is_in_trash(struct box *b, const char *name)
{
    char path[160];

    snprintf(path, sizeof path, "%s/pool/trash/%s", b->dir, name);
    return access(path, F_OK) == 0;
}

static void test_reclaim__empties_the_trash_of_the_dead(void **state)
{
    struct box *b = finished(TWO);
    struct pingo_scheduler *first = b->s;
    char ours[64], theirs[64];

    UNUSED(state);
    tick_alone(b);
    box_open_scheduler(b); /* two that live */
    tick_alone(b);
    sql(b, "UPDATE dataset SET state = 8, owner = (SELECT min(id) FROM owner) WHERE id = 1");
    snprintf(theirs, sizeof theirs, "o.%lld.0123456789abcdef.1", (long long)first->context.owner);
    snprintf(ours, sizeof ours, "o.%lld.0123456789abcdef.1", (long long)b->s->context.owner);
    trash(b, "0123456789abcdef.7"); /* put there by anyone */
    trash(b, ".pingo-0123.5");
    trash(b, "o.4711.0123456789abcdef.1");
    trash(b, "o.nobody");
    trash(b, "d.4711"); /* of no row */
    trash(b, "d.2");    /* of one that is not DELETING */
    trash(b, "d.01");
    trash(b, "d.1"); /* another is at it */
    trash(b, theirs);
    trash(b, ours); /* in our own hand */
    b->s->datasets.reclaimer.must_look = true;
    box_tick(b);
    assert_true(is_in_trash(b, "d.1"));
    assert_true(is_in_trash(b, theirs));
    assert_true(is_in_trash(b, ours));
    assert_int_equal(entries(b, "trash"), 3);
    pingo_scheduler_close(first);
    b->s->datasets.reclaimer.must_look = true;
    sql(b, "UPDATE dataset SET owner = NULL WHERE id = 1");
    b->s->datasets.looked_ms = 0;
    assert_int_equal(box_tick(b).deleted, 1);
    assert_false(is_in_trash(b, theirs));
    assert_int_equal(entries(b, "trash"), 1);
    box_reopen(b); /* who comes after us finds what we had */
    box_tick(b);
    assert_int_equal(entries(b, "trash"), 0);
    box_close(b);
}

static void test_reclaim__stuck_trash_is_left_alone_for_a_while(void **state)
{
    struct box *b = finished(ONE);
    char path[160];
    int64_t before = used(b);
    int fd;

    UNUSED(state);
    trash(b, "x");
    snprintf(path, sizeof path, "%s/pool/trash/x", b->dir);
    assert_int_equal(chmod(path, 0700), 0);
    fd = open(path, O_RDONLY | O_DIRECTORY);
    put_file(fd, "stubborn");
    close(fd);
    be_stubborn(b, -EBUSY, 0);
    b->s->datasets.reclaimer.must_look = true;
    box_tick(b);
    assert_non_null(strstr(b->log, "/stubborn: cannot be deleted"));
    *b->log = '\0';
    b->s->datasets.reclaimer.must_look = true;
    box_tick(b);
    assert_string_equal(b->log, "");
    assert_int_equal(entries(b, "trash"), 1);
    assert_int_equal(used(b), before + 1); /* it is nobody's, and takes space */
    be_stubborn(b, 0, 0);
    box_reopen(b);
    box_tick(b);
    assert_int_equal(entries(b, "trash"), 0);
    box_tick(b);
    assert_int_equal(used(b), before);
    assert_int_equal(box_int(b, "SELECT count(*) FROM orphan"), 0);
    box_close(b);
}

static int64_t ahead_ns;

static int64_t later_ns(void *context)
{
    return pingo__world_real()->monotonic_ns(context) + ahead_ns;
}

/* Each is tried again when its time has come, by whoever found it. */
static void test_reclaim__stuck_trash_is_tried_again(void **state)
{
    static const char *const names[] = {"x", "y", "z"};
    struct box *b = finished(ONE);
    struct pingo__world world = *b->s->context.world;
    char path[160];

    UNUSED(state);
    for (size_t i = 0; i < 3; i++) {
        trash(b, names[i]);
        snprintf(path, sizeof path, "%s/pool/trash/%s", b->dir, names[i]);
        assert_int_equal(chmod(path, 0700), 0);
        int fd = open(path, O_RDONLY | O_DIRECTORY);
        put_file(fd, "stubborn");
        close(fd);
    }
    be_stubborn(b, -EBUSY, 0);
    b->s->datasets.reclaimer.must_look = true;
    box_tick(b);
    be_stubborn(b, 0, 0);
    world.monotonic_ns = later_ns;
    b->s->context.world = &world;
    ahead_ns = INT64_C(5000000000);
    box_tick(b);
    assert_int_equal(entries(b, "trash"), 3);
    ahead_ns = INT64_C(20000000000);
    box_tick(b);
    box_tick(b);
    assert_int_equal(entries(b, "trash"), 0);
    b->s->context.world = pingo__world_real();
    box_close(b);
}

/* ---- what failed attempts hold ------------------------------------------------------------------------- */

static void make_scratch(const char *dir)
{
    int fd;

    assert_int_equal(mkdir(dir, 0700), 0);
    fd = open(dir, O_RDONLY | O_DIRECTORY);
    assert_int_equal(mkdirat(fd, "work", 0700), 0);
    put_file(fd, "stdout");
    put_file(fd, "work/a");
    assert_int_equal(symlinkat("abc", fd, "work/link"), 0);
    close(fd);
}

static void test_reclaim__failed_attempts_count(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, ",'retries':1") "," A(2, "")));
    box_tick(b);
    make_scratch(fake_job(&b->fake, "a1")->dir);
    box_fail(b, "a1");
    assert_int_equal(used(b), 0); /* it is tried again, and what it had has gone */
    assert_int_equal(entries(b, "attempts"), 0);
    assert_int_equal(entries(b, "trash"), 0);
    make_scratch(fake_job(&b->fake, "a1")->dir);
    box_fail(b, "a1");
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FAILED);
    assert_in_range(used(b), 2, 5); /* two files, and what the link takes on this file system */
    box_finish(b, "a2");
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE scratch_bytes IS NOT NULL"), 1);

    well(pingo_store_set(b->store, "pool.failedDays", "0", &err), &err);
    sql(b, "DELETE FROM meta WHERE key = 'sweep.at'");
    box_reopen(b);
    box_tick(b);
    assert_int_equal(used(b), 2); /* the dataset of a2 */
    assert_int_equal(entries(b, "attempts"), 0);
    assert_int_equal(entries(b, "trash"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE scratch_bytes IS NOT NULL"), 0);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reclaim__empties_the_trash_of_the_dead),
        cmocka_unit_test(test_reclaim__stuck_trash_is_left_alone_for_a_while),
        cmocka_unit_test(test_reclaim__stuck_trash_is_tried_again),
        cmocka_unit_test(test_reclaim__failed_attempts_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
