/* test_owner.c - who is alive: owner.c. */
#include "unit/engine/box.h"

#include <signal.h>
#include <sys/wait.h>

static bool is_alive(struct box *b, int64_t owner)
{
    return pingo__manager_owner_is_alive(&b->store->context, owner);
}

static const char *path_of(struct box *b, int64_t owner)
{
    static char path[160];

    snprintf(path, sizeof path, "%s/owners/%d", b->dir, (int)owner);
    return path;
}

static void test_owner__lives_as_long_as_it_holds_its_file(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_context c = b->store->context, other = c;
    struct pingo__manager_owner one, two;
    struct pingo_error err;

    UNUSED(state);
    assert_false(is_alive(b, 77)); /* never was */
    box_submit(b, W(A(1, "")));
    well(pingo__manager_owner_register(&one, &c, NULL, &err), &err);
    well(pingo__manager_owner_register(&two, &other, NULL, &err), &err);
    int64_t first = c.owner, second = other.owner;
    assert_int_not_equal(first, second);
    assert_true(is_alive(b, first) && is_alive(b, second));
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 2);
    box_run(b, "UPDATE action SET state = 3, epoch = 1, owner = (SELECT min(id) FROM owner)");
    pingo__manager_owner_release(&one, &c); /* it has left something */
    assert_int_equal(c.owner, 0);
    assert_false(is_alive(b, first));
    assert_true(is_alive(b, second));
    assert_int_equal(access(path_of(b, first), F_OK), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 2);
    assert_int_equal(unlink(path_of(b, first)), 0);
    assert_false(is_alive(b, first));
    pingo__manager_owner_release(&two, &other);
    assert_int_not_equal(access(path_of(b, second), F_OK), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 1); /* of the first */
    assert_int_equal(chmod(path_of(b, first), 0), -1);
    box_close(b);
}

static sqlite3 *others; /* what they see */

static int64_t seen_owners(void)
{
    sqlite3_stmt *stmt = NULL;

    assert_int_equal(sqlite3_prepare_v2(others, "SELECT count(*) FROM owner", -1, &stmt, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return n;
}

static int64_t owners_at_unlink;

static int note_unlink(void *context, int dir, const char *name, int flags)
{
    owners_at_unlink = seen_owners();
    return pingo__world_real()->unlink(context, dir, name, flags);
}

/* Killed while it lets go, it leaves a row, by which others find what is left of it. */
static void test_owner__its_file_goes_before_its_row(void **state)
{
    struct box *b = box_new();
    struct pingo__world world = *pingo__world_real();
    struct pingo__manager_context c = b->store->context;
    struct pingo__manager_owner own;
    struct pingo_error err;
    char path[160];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/pingo.db", b->dir);
    assert_int_equal(sqlite3_open(path, &others), SQLITE_OK);
    world.unlink = note_unlink;
    c.world = &world;
    well(pingo__manager_owner_register(&own, &c, NULL, &err), &err);
    pingo__manager_owner_release(&own, &c);
    assert_int_equal(owners_at_unlink, 1);
    assert_int_equal(seen_owners(), 0);
    assert_int_not_equal(access(path_of(b, 1), F_OK), 0);
    sqlite3_close(others);
    box_close(b);
}

/* However it died. */
static void test_owner__the_dead_hold_nothing(void **state)
{
    struct box *b = box_new();
    int64_t owner = 0;
    int ends[2];

    UNUSED(state);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct pingo__manager_owner own;
        struct pingo_store *store;
        if (pingo_store_open(b->dir, NULL, &store, NULL) != 0 ||
            pingo__manager_owner_register(&own, &store->context, NULL, NULL) != 0 ||
            write(ends[1], &store->context.owner, sizeof owner) != sizeof owner)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], &owner, sizeof owner), sizeof owner);
    assert_true(is_alive(b, owner));
    assert_int_equal(box_int(b, "SELECT pid FROM owner"), pid);
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_true(is_alive(b, owner));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(is_alive(b, owner));
    close(ends[0]);
    close(ends[1]);
    box_close(b);
}

static void test_owner__without_its_file_it_is_none(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_owner own;
    struct pingo_error err;
    char path[160];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/owners", b->dir);
    close(open(path, O_WRONLY | O_CREAT, 0600)); /* a file is in the way */
    assert_int_equal(pingo__manager_owner_register(&own, &b->store->context, NULL, &err), PINGO_EIO);
    assert_non_null(strstr(err.message, "owners/1"));
    assert_int_equal(own.fd, -1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 0);
    assert_true(is_alive(b, 1)); /* when in doubt, hands off */
    assert_int_equal(unlink(path), 0);
    box_close(b);
}

static void test_owner__tells_for_whom_it_claims(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_owner own;
    struct pingo__manager_scope scope = {.db = &b->store->db, .all = true};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    well(pingo__manager_owner_register(&own, &b->store->context, NULL, &err), &err);
    assert_int_equal(box_int(b, "SELECT scope FROM owner"), PINGO__OWNER_NOBODY);
    well(pingo__manager_owner_tell_scope(&b->store->context, &scope, &err), &err);
    assert_int_equal(box_int(b, "SELECT scope FROM owner"), PINGO__OWNER_ALL);
    well(pingo__manager_scope_set(&scope, (const int64_t[]){1}, 1, &err), &err);
    well(pingo__manager_owner_tell_scope(&b->store->context, &scope, &err), &err);
    assert_int_equal(box_int(b, "SELECT scope FROM owner"), PINGO__OWNER_LISTED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner_scope"), 1);
    assert_int_equal(box_int(b, "SELECT workflow FROM owner_scope"), 1);
    pingo__manager_owner_release(&own, &b->store->context);
    pingo__manager_scope_clear(&scope);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owner__lives_as_long_as_it_holds_its_file),
        cmocka_unit_test(test_owner__its_file_goes_before_its_row),
        cmocka_unit_test(test_owner__the_dead_hold_nothing),
        cmocka_unit_test(test_owner__without_its_file_it_is_none),
        cmocka_unit_test(test_owner__tells_for_whom_it_claims),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
