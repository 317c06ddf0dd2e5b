/* test_dataset_manager.c - datasets on their way out: the queue, rescue, what cannot be removed, what dead deletors
 * left, and trees of every shape. */
#include "unit/manager/dataset/removing.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

/* ---- the way out --------------------------------------------------------------------------------- */

static void test_dataset_manager__goes_through_all_states(void **state)
{
    static const int way[] = {PINGO_DATASET_STORED_TO_DELETE, PINGO_DATASET_PROCESSING,
                              PINGO_DATASET_DELETING, PINGO_DATASET_DELETED};
    struct box *b = finished(ONE);
    char path[400];
    size_t seen = 0;

    UNUSED(state);
    path_of(b, "SELECT path FROM object", path);
    b->nevents = 0;
    let_go(b, "a1");
    struct pingo_tick_result r = tick_alone(b);
    assert_int_equal(r.deleted, 0); /* it waits for nothing */
    assert_int_equal(r.deleting, 1);
    assert_false(r.idle);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETING);
    box_clean(b);
    for (int i = 0; i < 1000 && !r.deleted; i++) {
        struct pollfd fd = {.fd = pingo_scheduler_poll_fd(b->s), .events = POLLIN};

        assert_int_equal(poll(&fd, 1, 10000), 1); /* it wakes us */
        r = tick_alone(b);
    }
    assert_int_equal(r.deleted, 1);
    assert_int_equal(r.deleting, 0);
    assert_int_not_equal(access(path, F_OK), 0);
    for (size_t i = 0; i < b->nevents; i++)
        if (b->events[i].kind == PINGO_EVENT_DATASET)
            assert_int_equal(b->events[i].to, way[seen++]);
    assert_int_equal(seen, 4);
    assert_int_equal(box_int(b, "SELECT path IS NULL AND owner IS NULL FROM dataset d JOIN object "
                                "o ON o.id = d.object"),
                     1);
    assert_int_equal(entries(b, "trash"), 0);
    box_clean(b);
    box_close(b);
}

static void test_dataset_manager__close_waits(void **state)
{
    struct box *b = finished(TWO);

    UNUSED(state);
    let_go(b, "a1");
    let_go(b, "a2");
    tick_alone(b);
    box_reopen(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_DELETED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 0);
    box_close(b);
}

static void test_dataset_manager__more_than_the_queue_holds(void **state)
{
    struct box *b = finished(ONE);
    struct pingo_error err;
    size_t deleted = 0;

    UNUSED(state);
    sql(b, "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)"
           " INSERT INTO object(id, path, directory, mark, size_bytes)"
           " SELECT i, 'objects/00/' || i, 0, 0, 1 FROM n");
    sql(b, "INSERT INTO dataset(id, hash, generation, state, current, managed, pinned, object,"
           " made_ms, changed) SELECT id, (SELECT hash FROM dataset WHERE id = 1), id, 6,"
           " 0, 1, 0, id, 1, 0 FROM object WHERE id > 1");
    tick_alone(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state IN (7, 8)"), 512);
    well(pingo_scheduler_drain(b->s, &deleted, &err), &err);
    assert_int_equal(deleted, 1199);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state = 9"), 1199);
    box_close(b);
}

/* ---- rescue ------------------------------------------------------------------------------------------ */

static void test_dataset_manager__rescued_from_the_queue(void **state)
{
    struct box *b = finished(ONE);
    char path[400];

    UNUSED(state);
    path_of(b, "SELECT path FROM object", path);
    b->s->datasets.held_until_ms = INT64_MAX; /* nothing leaves the queue */
    let_go(b, "a1");
    assert_int_equal(tick_alone(b).deleting, 1);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_PROCESSING);
    assert_int_equal(box_submit(b, ONE).summary.reuse, 1);
    b->s->datasets.held_until_ms = 0;
    assert_int_equal(box_tick(b).deleted, 0);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_LEAF);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(tick_alone(b).deleting, 0);
    box_clean(b);
    box_close(b);
}

static struct box *rescue_in;

/* Between the look for what may go and the transaction that takes it, somebody wants it again. */
static int64_t now_and_rescue(void *context)
{
    struct box *b = rescue_in;

    rescue_in = NULL;
    if (b)
        box_submit(b, ONE);
    return pingo__world_real()->now_ns(context);
}

static void test_dataset_manager__rescued_before_it_was_taken(void **state)
{
    struct box *b = finished(ONE);
    struct pingo__world world = *pingo__world_real();
    struct pingo_error err;
    size_t deleted = 0;

    UNUSED(state);
    b->s->datasets.held_until_ms = INT64_MAX; /* what is taken would stay in the queue */
    let_go(b, "a1");
    b->s->datasets.looked_ms = 0; /* it asks for the time when it has looked */
    rescue_in = b;
    world.now_ns = now_and_rescue;
    b->s->context.world = &world;
    well(pingo__manager_datasets_tick(&b->s->datasets, true, &deleted, &err), &err);
    b->s->context.world = pingo__world_real();
    assert_null(rescue_in);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_LEAF);
    assert_int_equal(pingo__manager_datasets_load(&b->s->datasets), 0);
    box_clean(b);
    box_close(b);
}

/* Rescued, let go again and taken by another: the first one's place in the queue means nothing any more. */
static void test_dataset_manager__another_took_it(void **state)
{
    struct box *b = finished(ONE);
    struct pingo_scheduler *first = b->s;
    struct pingo_tick_result r = {.size = sizeof r};
    struct pingo_error err;
    char path[400];

    UNUSED(state);
    path_of(b, "SELECT path FROM object", path);
    first->datasets.held_until_ms = INT64_MAX;
    let_go(b, "a1");
    tick_alone(b);
    box_submit(b, ONE);
    let_go(b, "a1");
    box_open_scheduler(b);
    b->s->datasets.held_until_ms = INT64_MAX;
    tick_alone(b);
    assert_int_equal(box_int(b, "SELECT owner FROM dataset"), b->s->context.owner);
    first->datasets.held_until_ms = 0;
    well(pingo_scheduler_tick(first, &r, &err), &err);
    assert_int_equal(r.deleting, 0);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_PROCESSING);
    assert_int_equal(access(path, F_OK), 0);
    b->s->datasets.held_until_ms = 0;
    assert_int_equal(box_tick(b).deleted, 1);
    pingo_scheduler_close(first);
    box_clean(b);
    box_close(b);
}

/* ---- what cannot be removed ------------------------------------------------------------------------- */

static void test_dataset_manager__undeletable_is_tried_again(void **state)
{
    struct box *b = finished(ONE);
    char path[400];
    int fd = make_directory(b, path);

    UNUSED(state);
    put_file(fd, "stubborn");
    put_file(fd, "other");
    assert_int_equal(mkdirat(fd, "below", 0555), 0);
    close(fd);
    be_stubborn(b, -EPERM, 0);
    let_go(b, "a1");
    assert_int_equal(used(b), 0);
    assert_int_equal(box_tick(b).deleted, 0);
    assert_non_null(strstr(b->log, "/pool/trash/d.1/stubborn: cannot be deleted"));
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETING);
    assert_int_equal(used(b), 2); /* as long as it is there */
    assert_int_equal(box_int(b, "SELECT tries FROM undeletable"), 1);
    assert_int_equal(box_int(b, "SELECT owner IS NULL AND path = 'trash/d.1' FROM dataset d JOIN "
                                "object o ON o.id = d.object"),
                     1);
    assert_int_not_equal(access(path, F_OK), 0);
    path_of(b, "SELECT path FROM object", path);
    assert_int_equal(entries(b, "trash/d.1"), 1); /* the rest has gone */
    box_clean(b);

    b->s->datasets.looked_ms = 0; /* as after a second */
    assert_int_equal(box_tick(b).deleting, 0);
    assert_int_equal(box_int(b, "SELECT tries FROM undeletable"), 1); /* not before its time */
    for (int64_t tries = 2; tries <= 12; tries++) {
        int64_t wait_s = INT64_C(10) << (tries - 1);

        sql(b, "UPDATE undeletable SET not_before_ms = 0");
        b->s->datasets.looked_ms = 0;
        assert_int_equal(box_tick(b).deleted, 0);
        assert_int_equal(box_int(b, "SELECT tries FROM undeletable"), tries);
        wait_s = wait_s > 3600 ? 3600 : wait_s;
        assert_in_range(box_int(b, "SELECT not_before_ms FROM undeletable"),
                        pingo__manager_now_ms(&b->store->context) + wait_s * 1000 - 30000,
                        pingo__manager_now_ms(&b->store->context) + wait_s * 1000);
    }
    assert_int_equal(b->s->context.removed_bytes, 0); /* what is there still made no room */
    be_stubborn(b, 0, 0);
    box_reopen(b); /* another process, and a clock that was a day ahead and was set right */
    sql(b, "UPDATE undeletable SET not_before_ms = not_before_ms + 86400000");
    assert_int_equal(box_tick(b).deleted, 1);
    assert_int_equal(b->s->context.removed_bytes, 2);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM undeletable"), 0);
    assert_int_equal(used(b), 0);
    assert_int_equal(entries(b, "trash"), 0);
    box_clean(b);
    box_close(b);
}

static void test_dataset_manager__stays_where_it_cannot_be_moved(void **state)
{
    struct box *b = finished(TWO);
    char path[400];

    UNUSED(state);
    path_of(b, "SELECT path FROM object WHERE id = 1", path);
    be_stubborn(b, 0, -EPERM);
    let_go(b, "a1");
    assert_int_equal(box_tick(b).deleted, 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(box_int(b, "SELECT path LIKE 'objects/%' FROM object WHERE id = 1"), 1);
    box_clean(b);
    be_stubborn(b, 0, 0);
    let_go(b, "a2"); /* it does not keep others from going */
    assert_int_equal(box_tick(b).deleted, 1);
    sql(b, "UPDATE undeletable SET not_before_ms = 0");
    b->s->datasets.looked_ms = 0;
    assert_int_equal(box_tick(b).deleted, 1);
    assert_int_equal(entries(b, "trash"), 0);
    box_close(b);
}

/* On a read-only file system nothing can go: what waits stays where it can be rescued. */
static void test_dataset_manager__read_only(void **state)
{
    struct box *b = finished(TWO);

    UNUSED(state);
    be_stubborn(b, 0, -EROFS);
    let_go(b, "a1");
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETING);
    let_go(b, "a2");
    box_tick(b);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_PROCESSING);
    be_stubborn(b, 0, 0);
    box_reopen(b);
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_STORED_TO_DELETE);
    box_submit(b, W(A(2, "")));
    assert_int_equal(box_dataset(b, 2), PINGO_DATASET_LEAF);
    sql(b, "UPDATE undeletable SET not_before_ms = 0");
    assert_int_equal(box_tick(b).deleted, 1);
    box_clean(b);
    box_close(b);
}

/* ---- after others died ---------------------------------------------------------------------------------- */

/* Nobody holds the file of owner 77. */
#define DEAD "INSERT INTO owner(id, boot_id, pid, started_ms) VALUES(77, '', 1, 1)"

static void test_dataset_manager__goes_on_for_the_dead(void **state)
{
    static const char *const left[] = {"before the rename", "in the trash", "half of it", "nothing"};
    char path[400], trash[160];

    UNUSED(state);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        struct box *b = finished(TWO);
        int fd = make_directory(b, path);

        put_file(fd, "a");
        close(fd);
        snprintf(trash, sizeof trash, "%s/pool/trash/d.1", b->dir);
        if (i > 0)
            assert_int_equal(rename(path, trash), 0);
        if (i > 1)
            assert_int_equal(unlinkat(open(trash, O_RDONLY), "a", 0), 0);
        if (i > 2)
            assert_int_equal(rmdir(trash), 0);
        box_leave(b);
        box_open_store(b);
        sql(b, DEAD);
        sql(b, "UPDATE dataset SET state = 8, owner = 77 WHERE id = 1");
        sql(b, "UPDATE dataset SET state = 7, owner = 77 WHERE id = 2");
        sql(b, BOX_COUNT);
        box_open_scheduler(b);
        b->s->datasets.held_until_ms = INT64_MAX;
        tick_alone(b);
        assert_int_equal(box_dataset(b, 2), PINGO_DATASET_PROCESSING); /* ours now */
        assert_int_equal(box_int(b, "SELECT count(*) FROM owner WHERE id = 77"), 0);
        b->s->datasets.held_until_ms = 0;
        if (box_tick(b).deleted + (size_t)(box_dataset(b, 1) == PINGO_DATASET_DELETED) < 2)
            fail_msg("left: %s", left[i]);
        assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
        assert_int_equal(box_dataset(b, 2), PINGO_DATASET_DELETED);
        assert_int_not_equal(access(path, F_OK), 0);
        assert_int_equal(entries(b, "trash"), 0);
        box_clean(b);
        box_close(b);
    }
}

/* A row that is ours though we have nothing in hand: a commit went another way than we heard. */
static void test_dataset_manager__finds_what_it_forgot(void **state)
{
    struct box *b = finished(TWO);

    UNUSED(state);
    tick_alone(b);
    sql(b, "UPDATE dataset SET state = 8, owner = (SELECT max(id) FROM owner) WHERE id = 1");
    sql(b, "UPDATE dataset SET state = 7, owner = (SELECT max(id) FROM owner) WHERE id = 2");
    sql(b, BOX_COUNT);
    b->s->datasets.looked_ms = 0;
    box_tick(b);
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE state = 9"), 2);
    box_clean(b);
    box_close(b);
}

/* ---- trees of every shape ------------------------------------------------------------------------------- */

/* Names of 255 bytes, one below the other. */
static void make_deep(int fd, int depth)
{
    char name[256];
    int at = dup(fd);

    memset(name, 'd', 255);
    name[255] = '\0';
    for (int i = 0; i < depth; i++) {
        int next;

        assert_int_equal(mkdirat(at, name, 0755), 0);
        next = openat(at, name, O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        put_file(next, "file");
        close(at);
        at = next;
    }
    close(at);
}

static void make_wide(int fd, int width)
{
    for (int i = 0; i < width; i++) {
        char name[32];

        snprintf(name, sizeof name, "entry %d", i);
        if (i % 10 == 0)
            assert_int_equal(mkdirat(fd, name, i % 20 ? 0000 : 0555), 0);
        else
            assert_int_equal(symlinkat("/nowhere", fd, name), 0);
    }
}

static void make_special(int fd, const char *outside)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int s = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/socket", fd);
    assert_int_equal(bind(s, (struct sockaddr *)&address, sizeof address), 0);
    close(s);
    assert_int_equal(mkfifoat(fd, "fifo", 0600), 0);
    assert_int_equal(symlinkat(outside, fd, "out"), 0);
    assert_int_equal(symlinkat("..", fd, "up"), 0);
    assert_int_equal(symlinkat("fifo", fd, ".pingo-0"), 0);
    assert_int_equal(mkdirat(fd, ".pingo-1", 0000), 0);
    assert_int_equal(mkdirat(fd, " \n\xff", 0700), 0);
}

static void test_dataset_manager__removes_every_tree(void **state)
{
    struct box *b = finished(ONE);
    char path[400], outside[160], linked[400];
    struct stat st;
    int fd = make_directory(b, path), dir;

    UNUSED(state);
    snprintf(outside, sizeof outside, "%s/outside", b->root);
    assert_int_equal(mkdir(outside, 0755), 0);
    dir = open(outside, O_RDONLY | O_DIRECTORY);
    put_file(dir, "precious");
    make_deep(fd, 5000);
    make_wide(fd, 100000);
    make_special(fd, outside);
    assert_int_equal(linkat(dir, "precious", fd, "hard link", 0), 0);
    assert_int_equal(fchmod(fd, 0000), 0);
    close(fd);
    let_go(b, "a1");
    assert_int_equal(box_tick(b).deleted, 1);
    assert_string_equal(b->log, "");
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(entries(b, "trash"), 0);
    snprintf(linked, sizeof linked, "%s/precious", outside);
    assert_int_equal(stat(linked, &st), 0);
    assert_int_equal(st.st_nlink, 1);
    assert_int_equal(st.st_mode & 0777, 0444); /* nothing of it was changed either */
    assert_int_equal(stat(outside, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
    close(dir);
    box_clean(b);
    box_close(b);
}

/* What a store that was put back from a copy finds under the name that it needs. */
static void test_dataset_manager__something_is_in_the_way(void **state)
{
    struct box *b = finished(TWO);
    char path[400];
    int fd = make_directory(b, path);

    UNUSED(state);
    put_file(fd, "a");
    close(fd);
    b->s->datasets.reclaimer.must_look = false;
    trash(b, "d.1");
    snprintf(path, sizeof path, "%s/pool/trash/d.1", b->dir);
    assert_int_equal(chmod(path, 0700), 0);
    strcat(path, "/below");
    assert_int_equal(mkdir(path, 0700), 0);
    let_go(b, "a1");
    assert_int_equal(box_tick(b).deleted, 1);
    trash(b, "d.2");
    let_go(b, "a2");
    assert_int_equal(box_tick(b).deleted, 1);
    assert_int_equal(entries(b, "trash"), 0);
    box_clean(b);
    box_close(b);
}

/* A path that leads out of the pool is not one that a generation has, whatever the row says. */
static void test_dataset_manager__never_leaves_the_pool(void **state)
{
    static const char *const paths[] = {"../victim", "objects/../../victim", "trash/d.5",
                                        "pingo-pool", "trash/../pingo-pool"};
    struct box *b = finished(ONE);
    char victim[160];
    int fd;

    UNUSED(state);
    snprintf(victim, sizeof victim, "%s/victim", b->dir);
    fd = open(victim, O_WRONLY | O_CREAT, 0600);
    close(fd);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char text[200];
        struct pingo_error err;

        snprintf(text, sizeof text, "%s", paths[i]);
        well(pingo__store_db_begin(&b->store->db, &err), &err);
        assert_int_equal(
            box_changed(&b->store->db, &err, "UPDATE dataset SET state = 6, owner = NULL", NONE), 1);
        assert_int_equal(box_changed(&b->store->db, &err, "UPDATE object SET path = ?", TEXT(text)),
                         1);
        well(pingo__store_db_commit(&b->store->db, &err), &err);
        assert_int_equal(box_tick(b).deleted, 0);
        assert_int_equal(access(victim, F_OK), 0);
        assert_int_equal(entries(b, "."), 6);
    }
    box_close(b);
}

/* A dataset that is held while it is on its way out stays, byte for byte. */
static void test_dataset_manager__what_is_held_is_not_removed(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash;
    struct pingo_error err;
    char *path = NULL;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    assert_int_equal(pingo_store_resolve_dataset(b->store, "1", "a1", &hash, &err), 0);
    well(pingo_store_remove(b->store, &hash, &err), &err);
    b->s->datasets.held_until_ms = INT64_MAX; /* nothing leaves the queue */
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_PROCESSING);
    /* The deletor has it in hand, and before it goes on somebody takes hold of it. */
    b->s->datasets.held_until_ms = 0;
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(box_changed(&b->store->db, &err, "INSERT INTO hold(dataset, owner) VALUES(1, ?)",
                                 INT(b->s->context.owner)),
                     1);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    path = malloc(512);
    assert_non_null(path);
    {
        sqlite3_stmt *stmt = NULL;

        assert_int_equal(
            pingo__db_query(&b->store->db, &err, &stmt, "SELECT path FROM object", NONE), 0);
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
        snprintf(path, 512, "%s/pool/%s", b->dir, (const char *)sqlite3_column_text(stmt, 0));
        sqlite3_reset(stmt);
    }
    for (int i = 0; i < 3; i++)
        box_tick(b);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED_TO_DELETE);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    assert_int_equal(box_changed(&b->store->db, &err, "DELETE FROM hold", NONE), 1);
    well(pingo__store_db_commit(&b->store->db, &err), &err);
    box_tick(b);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    box_clean(b);
    free(path);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dataset_manager__goes_through_all_states),
        cmocka_unit_test(test_dataset_manager__close_waits),
        cmocka_unit_test(test_dataset_manager__more_than_the_queue_holds),
        cmocka_unit_test(test_dataset_manager__rescued_from_the_queue),
        cmocka_unit_test(test_dataset_manager__rescued_before_it_was_taken),
        cmocka_unit_test(test_dataset_manager__another_took_it),
        cmocka_unit_test(test_dataset_manager__undeletable_is_tried_again),
        cmocka_unit_test(test_dataset_manager__stays_where_it_cannot_be_moved),
        cmocka_unit_test(test_dataset_manager__read_only),
        cmocka_unit_test(test_dataset_manager__goes_on_for_the_dead),
        cmocka_unit_test(test_dataset_manager__finds_what_it_forgot),
        cmocka_unit_test(test_dataset_manager__removes_every_tree),
        cmocka_unit_test(test_dataset_manager__something_is_in_the_way),
        cmocka_unit_test(test_dataset_manager__never_leaves_the_pool),
        cmocka_unit_test(test_dataset_manager__what_is_held_is_not_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
