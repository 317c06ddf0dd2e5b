/* test_outside_publish.c - the output of an attempt on its way to its outputPath: it is there whole, and the store says so; or
 * nothing is, where the attempt was given up, something of others lies there, or the output is gone. */
#include "digest/sha256.h"
#include "unit/manager/dataset/outside_files.h"

#include <sys/stat.h>

#include "manager/dataset/outside.h"
#include "store/dataset/written.h"

struct at {
    struct box *b;
    char dir[96], path[128], from[256];
    struct pingo_job_key key; /* of a2, which is handed out */
    char why[sizeof((struct pingo_error *)0)->message];
};

static void read_text(struct box *b, const char *sql, char *text, size_t size)
{
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_prepare_v2(b->store->db.sqlite, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    snprintf(text, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
}

/* The bytes of a1 stand for an output. */
static void open_at(struct at *at)
{
    memset(at, 0, sizeof *at);
    at->b = box_new();
    box_submit(at->b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_tick(at->b);
    box_finish(at->b, "a1");
    at->key = fake_job(&at->b->fake, "a2")->key;
    read_text(at->b, "SELECT path FROM object", at->from, sizeof at->from);
    snprintf(at->dir, sizeof at->dir, "%s/there", at->b->root);
    snprintf(at->path, sizeof at->path, "%s/out", at->dir);
    assert_int_equal(mkdir(at->dir, 0755), 0);
}

static int publish(struct at *at, int64_t epoch, bool *is_there)
{
    struct pingo__manager_outside x = {.c = &at->b->s->context,
                                       .path = at->path,
                                       .from = at->from,
                                       .made = {.kind = PINGO__WRITTEN_FILE, .size_bytes = 2}};
    struct pingo_error err = {0};
    pingo__digest_sha256("a1", 2, &x.made.content);
    int rc = pingo__manager_outside_publish(&x, (struct pingo_job_key){at->key.action, epoch},
                                            is_there, &err);
    memcpy(at->why, err.message, sizeof at->why);
    /* Whatever became of it, nothing is left to be looked after. */
    assert_int_equal(box_int(at->b, "SELECT count(*) FROM writing"), 0);
    return rc;
}

static void test_outside_publish__it_is_there_and_known(void **state)
{
    struct at at;
    bool is = false;
    struct stat before, after;
    UNUSED(state);
    open_at(&at);
    assert_int_equal(publish(&at, at.key.epoch, &is), 0);
    assert_true(is);
    outside_holds(at.path, "a1");
    assert_int_equal(outside_entries(at.dir), 1);
    assert_int_equal(box_int(at.b, "SELECT count(*) FROM written"), 1);
    /* A second time it is there already, and stays the file that it is. */
    assert_int_equal(stat(at.path, &before), 0);
    is = false;
    assert_int_equal(publish(&at, at.key.epoch, &is), 0);
    assert_true(is);
    assert_int_equal(stat(at.path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    box_close(at.b);
}

/* It was given up meanwhile: killed, or another attempt has its turn. */
static void test_outside_publish__of_what_was_given_up_nothing_is(void **state)
{
    struct at at;
    bool is = true;
    UNUSED(state);
    open_at(&at);
    assert_int_equal(publish(&at, at.key.epoch + 1, &is), 0);
    assert_false(is);
    assert_int_equal(outside_entries(at.dir), 0);
    is = true;
    assert_int_equal(publish(&at, at.key.epoch - 1, &is), 0);
    assert_false(is);
    at.key.action = 99; /* which there is not */
    is = true;
    assert_int_equal(publish(&at, 1, &is), 0);
    assert_false(is);
    assert_int_equal(outside_entries(at.dir), 0);
    assert_int_equal(box_int(at.b, "SELECT count(*) FROM written"), 0);
    box_close(at.b);
}

static void test_outside_publish__what_is_others_stays(void **state)
{
    struct at at;
    bool is = true;
    UNUSED(state);
    open_at(&at);
    int fd = open(at.path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    assert_int_equal(write(fd, "somebody's", 10), 10);
    close(fd);
    assert_int_equal(publish(&at, at.key.epoch, &is), PINGO_EEXISTS);
    assert_false(is);
    assert_non_null(strstr(at.why, "--force-outputs")); /* what to do */
    outside_holds(at.path, "somebody's");
    assert_int_equal(outside_entries(at.dir), 1);
    assert_int_equal(unlink(at.path), 0);
    assert_int_equal(mkdir(at.path, 0755), 0);
    is = true;
    assert_int_equal(publish(&at, at.key.epoch, &is), PINGO_EEXISTS);
    assert_false(is);
    assert_int_equal(rmdir(at.path), 0);
    box_close(at.b);
}

static void test_outside_publish__what_cannot_be(void **state)
{
    struct at at;
    bool is = true;
    UNUSED(state);
    open_at(&at);
    strcpy(at.from, "objects/aa/none");
    assert_int_equal(publish(&at, at.key.epoch, &is), PINGO_ENOTFOUND);
    assert_false(is);
    assert_non_null(strstr(at.why, at.from));
    assert_int_equal(outside_entries(at.dir), 0);
    read_text(at.b, "SELECT path FROM object", at.from, sizeof at.from);
    assert_int_equal(rmdir(at.dir), 0); /* its directory is gone */
    is = true;
    assert_true(publish(&at, at.key.epoch, &is) < 0);
    assert_false(is);
    assert_int_equal(access(at.dir, F_OK), -1);
    box_close(at.b);
}

static bool refuses;

/* What was put in its place is not written down. */
static int refuse_placed(void *at)
{
    char text[8] = "";
    int fd = open(((struct at *)at)->path, O_RDONLY);
    bool is = fd >= 0 && read(fd, text, sizeof text - 1) == 3 && strcmp(text, "two") == 0 && refuses;

    close(fd);
    refuses = refuses && !is;
    return is;
}

static int publish_text(struct at *at, const char *text)
{
    char from[128];
    struct pingo__manager_outside x = {
        .c = &at->b->s->context,
        .path = at->path,
        .from = from,
        .made = {.kind = PINGO__WRITTEN_FILE, .size_bytes = (int64_t)strlen(text)}};
    struct pingo_error err = {0};
    bool is_there = false;

    snprintf(from, sizeof from, "%s/made", at->b->root);
    outside_write(from, text);
    pingo__digest_sha256(text, strlen(text), &x.made.content);
    return pingo__manager_outside_publish(&x, at->key, &is_there, &err);
}

/* It is ours none the less: what comes after it may replace it, now and when we are dead. */
static void test_outside_publish__what_is_placed_and_not_committed_is_ours(void **state)
{
    UNUSED(state);
    for (int dead = 0; dead < 2; dead++) {
        struct at at;
        struct pingo_error err;

        open_at(&at);
        assert_int_equal(publish_text(&at, "one"), 0);
        refuses = true;
        sqlite3_commit_hook(at.b->store->db.sqlite, refuse_placed, &at);
        assert_int_not_equal(publish_text(&at, "two"), 0);
        sqlite3_commit_hook(at.b->store->db.sqlite, NULL, NULL);
        assert_false(refuses);
        outside_holds(at.path, "two");
        assert_int_equal(outside_entries(at.dir), 1);
        if (dead) {
            assert_int_equal(box_int(at.b, "UPDATE writing SET owner = 4711 RETURNING 1"), 1);
            well(pingo__manager_outside_recover(&at.b->s->context, &err), &err);
            assert_int_equal(box_int(at.b, "SELECT count(*) FROM writing"), 0);
        }
        assert_int_equal(publish_text(&at, "three"), 0);
        outside_holds(at.path, "three");
        box_close(at.b);
    }
}

#define OUT(directory) ",'isManaged':false,'outputPath':'" directory "/out'"
/* Also where the attempt is given up before it is settled: its file is there, and no dataset says that another one is, whichever
 * way leads to its directory. */
static void test_outside_publish__nothing_is_left_of_what_lay_there(void **state)
{
    static const char leaves[] = "SELECT count(*) FROM dataset WHERE managed = 0 AND state = 5";
    UNUSED(state);
    for (int i = 0; i < 4; i++) {
        struct at at;
        char link[128];
        struct pingo_error err;
        open_at(&at);
        snprintf(link, sizeof link, "%s/link", at.b->root);
        assert_int_equal(symlink("there", link), 0);
        box_submit(at.b, i % 2 ? W(A(7, OUT("link"))) : W(A(7, OUT("there"))));
        box_tick(at.b);
        box_finish(at.b, "a7");
        assert_int_equal(box_int(at.b, leaves), 1);
        if (i < 2) {
            assert_int_equal(publish_text(&at, "two"), 0);
        } else { /* of who died behind the rename */
            refuses = true;
            sqlite3_commit_hook(at.b->store->db.sqlite, refuse_placed, &at);
            assert_int_not_equal(publish_text(&at, "two"), 0);
            sqlite3_commit_hook(at.b->store->db.sqlite, NULL, NULL);
            assert_int_equal(box_int(at.b, leaves), 1);
            assert_int_equal(box_int(at.b, "UPDATE writing SET owner = 4711 RETURNING 1"), 1);
            well(pingo__manager_outside_recover(&at.b->s->context, &err), &err);
        }
        assert_int_equal(box_int(at.b, leaves), 0);
        box_close(at.b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outside_publish__it_is_there_and_known),
        cmocka_unit_test(test_outside_publish__of_what_was_given_up_nothing_is),
        cmocka_unit_test(test_outside_publish__what_is_others_stays),
        cmocka_unit_test(test_outside_publish__what_cannot_be),
        cmocka_unit_test(test_outside_publish__what_is_placed_and_not_committed_is_ours),
        cmocka_unit_test(test_outside_publish__nothing_is_left_of_what_lay_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
