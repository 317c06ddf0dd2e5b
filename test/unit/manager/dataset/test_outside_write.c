/* test_outside_write.c - a name outside the pool on a file system that does less than others, and while others write there at
 * each moment: nothing of theirs is lost, and what could not be placed leaves nothing behind. */
#include "digest/sha256.h"
#include "unit/manager/dataset/outside_files.h"

#include <stdio.h>

#include "manager/dataset/outside.h"
#include "store/dataset/written.h"

#define EXCHANGE 2u

/* The real world, but for renames. */
static struct {
    struct pingo__world world;
    const struct pingo__world *real;
    int exchange_fails; /* errno of every exchange; 0: none */
    int fails;          /* errno of all */
    void (*before)(int nth, const char *from, const char *to);
    int n;
} fs;

static int told_rename(void *context, int dir, const char *from, const char *to, unsigned flags)
{
    if (fs.fails)
        return -fs.fails;
    if (fs.before)
        fs.before(fs.n++, from, to);
    if (flags == EXCHANGE && fs.exchange_fails)
        return -fs.exchange_fails;
    return fs.real->rename(context, dir, from, to, flags);
}

struct at {
    struct box *b;
    struct pingo__manager_context *c;
    char dir[96], path[128];
    char why[sizeof((struct pingo_error *)0)->message];
    char kept[256]; /* what stays beside the path; "": nothing */
};

static void open_at(struct at *at)
{
    memset(&fs, 0, sizeof fs);
    memset(at, 0, sizeof *at);
    at->b = box_new();
    at->c = &at->b->s->context;
    well(pingo__engine_scheduler_register(at->b->s, NULL), &(struct pingo_error){0});
    snprintf(at->dir, sizeof at->dir, "%s/there", at->b->root);
    snprintf(at->path, sizeof at->path, "%s/name", at->dir);
    assert_int_equal(mkdir(at->dir, 0755), 0);
    fs.real = at->c->world;
    fs.world = *fs.real;
    fs.world.rename = told_rename;
    at->c->world = &fs.world;
}

static void close_at(struct at *at)
{
    at->c->world = fs.real;
    box_close(at->b);
}

/* By the steps that an export takes. */
static int put(struct at *at, const char *text, bool force)
{
    struct pingo__manager_context *c = at->c;
    struct pingo__manager_outside x = {
        .c = c,
        .path = at->path,
        .from = text,
        .hint = "move it away",
        .force = force,
        .made = {.kind = PINGO__WRITTEN_LINK, .size_bytes = (int64_t)strlen(text)}};
    struct pingo_error err = {0};
    pingo__digest_sha256(text, strlen(text), &x.made.content);
    well(pingo__manager_outside_look(&x, &err), &err);
    int rc = pingo__manager_outside_allowed(&x, &err);
    if (!rc) {
        well(pingo__store_db_begin(c->db, &err), &err);
        well(pingo__store_db_end(c->db, pingo__manager_outside_begin(&x, &err), &err), &err);
        well(pingo__manager_outside_copy(&x, &err), &err);
        rc = pingo__manager_outside_place(&x, &err);
    }
    if (!rc) {
        well(pingo__store_db_begin(c->db, &err), &err);
        well(pingo__store_db_end(c->db, pingo__manager_outside_end(&x, &err), &err), &err);
    }
    memcpy(at->why, err.message, sizeof at->why);
    snprintf(at->kept, sizeof at->kept, "%s", x.stuck ? x.temporary : "");
    pingo__manager_outside_clear(&x);
    return rc;
}

static void is_settled(struct at *at, int n)
{
    assert_int_equal(outside_entries(at->dir), n);
    assert_int_equal(box_int(at->b, "SELECT count(*) FROM writing"), 0);
    assert_string_equal(at->kept, "");
}

static void changed(int nth, const char *from, const char *to)
{
    UNUSED(from);
    if (nth == 0)
        outside_write(to, "changed");
}

static void test_outside_write__where_nothing_can_be_exchanged(void **state)
{
    static const int errors[] = {EINVAL, ENOSYS, EOPNOTSUPP};
    UNUSED(state);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct at at;
        open_at(&at);
        fs.exchange_fails = errors[i];
        assert_int_equal(put(&at, "/first", false), 0);
        assert_int_equal(put(&at, "/second", false), 0); /* the first was ours */
        outside_holds(at.path, "/second");
        outside_write(at.path, "somebody's");
        assert_int_equal(put(&at, "/third", false), PINGO_EEXISTS);
        outside_holds(at.path, "somebody's");
        assert_int_equal(put(&at, "/third", true), 0);
        outside_holds(at.path, "/third");
        fs.before = changed; /* since it was looked at */
        fs.n = 0;
        assert_int_equal(put(&at, "/fourth", false), PINGO_EEXISTS);
        outside_holds(at.path, "changed");
        is_settled(&at, 1);
        close_at(&at);
    }
}

/* An overlay exchanges no directory of a layer below, also where it is to be replaced. */
static void test_outside_write__what_an_overlay_cannot_move_is_told(void **state)
{
    struct at at;
    UNUSED(state);
    open_at(&at);
    assert_int_equal(put(&at, "/first", false), 0);
    fs.exchange_fails = EXDEV;
    assert_int_equal(put(&at, "/second", true), PINGO_EIO);
    outside_holds(at.path, "/first");
    assert_non_null(strstr(at.why, at.path));
    assert_non_null(strstr(at.why, "remove it by hand"));
    is_settled(&at, 1);
    close_at(&at);
}

/* What did not go through leaves what was there, and nothing of ours. */
static void test_outside_write__a_rename_that_fails(void **state)
{
    static const int errors[] = {EACCES, EROFS, EXDEV, EIO};
    struct at at;
    UNUSED(state);
    open_at(&at);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        fs.fails = errors[i];
        assert_true(put(&at, "/first", false) < 0);
        assert_non_null(strstr(at.why, at.path));
        is_settled(&at, 0);
    }
    fs.fails = 0;
    assert_int_equal(put(&at, "/first", false), 0);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        fs.fails = errors[i];
        assert_true(put(&at, "/second", false) < 0);
        outside_holds(at.path, "/first");
        is_settled(&at, 1);
    }
    close_at(&at);
}

static void changed_and_gone(int nth, const char *from, const char *to)
{
    changed(nth, from, to);
    if (nth == 1) /* while it was to go back, our copy was taken away there */
        unlink(to);
}

/* Right before the exchange it is another: that goes back. */
static void test_outside_write__what_came_out_is_not_what_was_seen(void **state)
{
    static void (*const ways[])(int, const char *, const char *) = {changed, changed_and_gone};
    UNUSED(state);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct at at;
        open_at(&at);
        assert_int_equal(put(&at, "/first", false), 0);
        fs.before = ways[i];
        fs.n = 0;
        assert_int_equal(put(&at, "/second", false), PINGO_EEXISTS);
        assert_int_equal(fs.n, 2 + (int)i);
        outside_holds(at.path, "changed");
        is_settled(&at, 1);
        close_at(&at);
    }
}

static void changed_twice(int nth, const char *from, const char *to)
{
    changed(nth, from, to);
    if (nth == 1)
        outside_write(to, "changed again");
}

/* Two others wrote, one before and one after: both are kept, and who comes later leaves them alone. */
static void test_outside_write__what_was_there_is_kept_beside(void **state)
{
    struct at at;
    struct pingo_error err;
    UNUSED(state);
    open_at(&at);
    assert_int_equal(put(&at, "/first", false), 0);
    fs.before = changed_twice;
    fs.n = 0;
    assert_int_equal(put(&at, "/second", false), PINGO_EEXISTS);
    fs.before = NULL;
    assert_int_equal(outside_entries(at.dir), 2);
    assert_string_not_equal(at.kept, "");
    assert_non_null(strstr(at.why, at.kept)); /* it is said where */
    outside_holds(at.path, "changed");
    outside_holds(at.kept, "changed again");
    well(pingo__manager_outside_recover(at.c, &err), &err); /* we are not dead */
    assert_int_equal(outside_entries(at.dir), 2);
    close_at(&at);
}

static void comes_and_goes(int nth, const char *from, const char *to)
{
    UNUSED(from);
    if (nth % 2 == 0)
        outside_write(to, "somebody's");
    else
        unlink(to);
}

/* Whoever forces it replaces what comes and goes, but does not try for ever. */
static void test_outside_write__is_not_tried_for_ever(void **state)
{
    struct at at;
    UNUSED(state);
    open_at(&at);
    fs.before = comes_and_goes;
    assert_int_equal(put(&at, "/first", true), PINGO_EEXISTS);
    assert_in_range(fs.n, 2, 100);
    fs.before = NULL;
    unlink(at.path);
    is_settled(&at, 0);
    close_at(&at);
}

static void test_outside_write__a_directory_is_replaced_by_force_alone(void **state)
{
    struct at at;
    char below[160];
    UNUSED(state);
    open_at(&at);
    snprintf(below, sizeof below, "%s/file", at.path);
    assert_int_equal(mkdir(at.path, 0755), 0);
    outside_write(below, "somebody's");
    assert_int_equal(put(&at, "/first", false), PINGO_EEXISTS);
    outside_holds(below, "somebody's");
    assert_int_equal(put(&at, "/first", true), 0);
    outside_holds(at.path, "/first");
    is_settled(&at, 1);
    close_at(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outside_write__where_nothing_can_be_exchanged),
        cmocka_unit_test(test_outside_write__what_an_overlay_cannot_move_is_told),
        cmocka_unit_test(test_outside_write__a_rename_that_fails),
        cmocka_unit_test(test_outside_write__what_came_out_is_not_what_was_seen),
        cmocka_unit_test(test_outside_write__what_was_there_is_kept_beside),
        cmocka_unit_test(test_outside_write__is_not_tried_for_ever),
        cmocka_unit_test(test_outside_write__a_directory_is_replaced_by_force_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
