/* test_orphans.c - what lies in the pool and no row knows: what is one, what is taken back, and what it costs. */
#include "unit/manager/dataset/removing.h"

#include "manager/dataset/orphans.h"

static void put_object(struct box *b, char name[PINGO__NAME_SIZE], const struct pingo_hash *hash,
                       int64_t epoch, const char *text)
{
    char hex[65], path[400];
    int fd;

    pingo_hash_to_hex(hash, hex);
    pingo__name_object(name, hex, 4711, epoch);
    snprintf(path, sizeof path, "%s/pool/objects/%.2s", b->dir, hex);
    assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
    snprintf(path, sizeof path, "%s/pool/%s", b->dir, name);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0444);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static bool is_orphan(struct box *b, const char *name)
{
    struct pingo_error err;
    bool orphan = false;

    well(pingo__manager_is_orphan(&b->store->context, name, &orphan, &err), &err);
    return orphan;
}

static bool is_orphan_of_many(struct box *b, const char *name)
{
    struct pingo_error err;
    bool orphan = false;

    well(pingo__manager_is_orphan_of_many(&b->store->context, name, &orphan, &err), &err);
    assert_int_equal(sqlite3_get_autocommit(b->store->db.sqlite), orphan);
    return orphan;
}

static bool adopts(struct box *b, const char *name)
{
    struct pingo__manager_context *c = &b->store->context;
    struct pingo__manager_orphan orphan;
    struct pingo__arena arena = {0};
    struct pingo_error err;

    well(pingo__manager_orphan_read(c, name, &arena, &orphan, &err), &err);
    if (orphan.may_be) {
        well(pingo__store_db_begin(&b->store->db, &err), &err);
        well(pingo__manager_orphan_adopt(&orphan, &err), &err);
        well(pingo__store_db_commit(&b->store->db, &err), &err);
    }
    if (orphan.adopted)
        well(pingo__manager_orphan_adopted(&orphan, &err), &err);
    bool adopted = orphan.adopted;
    pingo__arena_clear(&arena);
    return adopted;
}

static void test_orphans__is_what_no_row_knows(void **state)
{
    struct box *b = finished(ONE);
    struct pingo_hash hash = hash_of(b, "a1");
    char name[PINGO__NAME_SIZE], known[256];

    UNUSED(state);
    text_of(b, "SELECT path FROM object", known, sizeof known);
    assert_false(is_orphan(b, known));
    put_object(b, name, &hash, 9, "a1");
    assert_true(is_orphan(b, name));
    assert_true(is_orphan(b, "staged/4711.1"));
    assert_true(is_orphan(b, "objects/aa/notes")); /* no name of ours */
    box_close(b);
}

/* Who was published after the view of the rows began is none. */
static void test_orphans__of_many_is_what_no_row_knows_now(void **state)
{
    struct box *b = finished(ONE);
    struct pingo_hash hash = hash_of(b, "a1");
    char name[PINGO__NAME_SIZE], known[256], path[400];
    sqlite3 *other = NULL;
    struct pingo_error err;
    bool orphan = true;

    UNUSED(state);
    text_of(b, "SELECT path FROM object", known, sizeof known);
    assert_false(is_orphan_of_many(b, known));
    put_object(b, name, &hash, 9, "a1");
    snprintf(path, sizeof path, "%s/pingo.db", b->dir);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    char *sql = sqlite3_mprintf(
        "INSERT INTO object(path, directory, mark, size_bytes) VALUES(%Q, 0, 0, 2)", name);
    assert_int_equal(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
    well(pingo__manager_is_orphan_of_many(&b->store->context, name, &orphan, &err), &err);
    assert_false(orphan);
    assert_true(is_orphan_of_many(b, "staged/4711.1"));
    sqlite3_free(sql);
    sqlite3_close(other);
    box_close(b);
}

/* What an open attempt is about to publish is wanted: its output, and, as long as it runs, what has its number. */
static void test_orphans__none_is_what_an_attempt_will_publish(void **state)
{
    struct box *b = box_new();
    char staged[PINGO__NAME_SIZE], object[PINGO__NAME_SIZE], hex[65];
    struct pingo_hash hash;

    UNUSED(state);
    box_submit(b, ONE);
    box_tick(b);
    struct pingo_job_key key = fake_job(&b->fake, "a1")->key;
    hash = box_hash(b, 1, 1);
    pingo_hash_to_hex(&hash, hex);
    pingo__name_staged(staged, key.action, key.epoch);
    pingo__name_object(object, hex, key.action, key.epoch);
    assert_false(is_orphan(b, staged));
    assert_false(is_orphan(b, object));
    pingo__name_staged(staged, key.action, key.epoch + 1);
    assert_true(is_orphan(b, staged));
    pingo__name_staged(staged, key.action, key.epoch);
    box_fail(b, "a1"); /* it has ended */
    assert_true(is_orphan(b, staged));
    assert_true(is_orphan(b, object));
    box_close(b);
}

/* The row is there, and its bytes are gone: they lie here. */
static void test_orphans__bytes_of_a_dataset_are_found_again(void **state)
{
    struct box *b = finished(ONE);
    struct pingo_hash hash = hash_of(b, "a1");
    char name[PINGO__NAME_SIZE], path[400], now[256];

    UNUSED(state);
    path_of(b, "SELECT path FROM object", path);
    put_object(b, name, &hash, 9, "a1");
    assert_false(adopts(b, name)); /* one too many: its own are there */
    assert_int_equal(unlink(path), 0);
    assert_true(adopts(b, name));
    text_of(b, "SELECT path FROM object", now, sizeof now);
    assert_string_equal(now, name);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_LEAF);
    assert_false(is_orphan(b, name));
    box_clean(b);
    box_close(b);
}

static struct box *read_here;

/* Another process deletes the dataset while what was found is read. */
static int open_and_delete(void *context, int dir, const char *name, int flags, mode_t mode)
{
    struct box *b = read_here;

    read_here = NULL;
    if (b) {
        let_go(b, "a1");
        while (box_dataset(b, 1) != PINGO_DATASET_DELETED)
            box_tick(b);
    }
    return pingo__world_real()->open(context, dir, name, flags, mode);
}

static void test_orphans__of_what_is_deleted_meanwhile_none_is_taken(void **state)
{
    struct box *b = finished(ONE);
    struct pingo__world world = *pingo__world_real();
    struct pingo_hash hash = hash_of(b, "a1");
    char name[PINGO__NAME_SIZE], path[400];

    UNUSED(state);
    path_of(b, "SELECT path FROM object", path);
    put_object(b, name, &hash, 9, "a1");
    assert_int_equal(unlink(path), 0);
    world.open = open_and_delete;
    read_here = b;
    ((struct pingo__pool_directory *)b->store->pool.handle)->world = &world;
    assert_false(adopts(b, name));
    assert_null(read_here);
    assert_true(is_orphan(b, name)); /* the next one finds it */
    assert_int_equal(used(b), 0);
    assert_true(adopts(b, name));
    box_clean(b);
    box_close(b);
}

/* The dataset was given up: what is found is current again, a LEAF where somebody wants it. */
static void test_orphans__a_deleted_dataset_is_there_again(void **state)
{
    for (int wanted = 0; wanted < 2; wanted++) {
        struct box *b = finished(ONE);
        struct pingo_hash hash = hash_of(b, "a1");
        char name[PINGO__NAME_SIZE];

        UNUSED(state);
        let_go(b, "a1");
        assert_int_equal(box_tick(b).deleted, 1);
        if (wanted)
            sql(b, "DELETE FROM unwished");
        put_object(b, name, &hash, 9, "a1");
        assert_true(adopts(b, name));
        assert_int_equal(box_dataset(b, 1), wanted ? PINGO_DATASET_LEAF : PINGO_DATASET_STORED);
        assert_int_equal(used(b), 2);
        assert_false(adopts(b, name)); /* once */
        box_clean(b);
        box_close(b);
    }
}

static void test_orphans__other_content_is_not_taken(void **state)
{
    struct box *b = finished(ONE);
    struct pingo_hash hash = hash_of(b, "a1"), nobody = {{1}};
    char name[PINGO__NAME_SIZE], path[400];

    UNUSED(state);
    put_object(b, name, &nobody, 1, "a1"); /* of no computation that is known */
    assert_false(adopts(b, name));
    assert_false(adopts(b, "staged/4711.1"));
    assert_false(adopts(b, "objects/aa/notes"));
    path_of(b, "SELECT path FROM object", path);
    assert_int_equal(unlink(path), 0);
    put_object(b, name, &hash, 9, "b1"); /* as long, and other bytes */
    assert_false(adopts(b, name));
    put_object(b, name, &hash, 10, "a1 ");
    assert_false(adopts(b, name));
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orphans__is_what_no_row_knows),
        cmocka_unit_test(test_orphans__of_many_is_what_no_row_knows_now),
        cmocka_unit_test(test_orphans__none_is_what_an_attempt_will_publish),
        cmocka_unit_test(test_orphans__bytes_of_a_dataset_are_found_again),
        cmocka_unit_test(test_orphans__of_what_is_deleted_meanwhile_none_is_taken),
        cmocka_unit_test(test_orphans__a_deleted_dataset_is_there_again),
        cmocka_unit_test(test_orphans__other_content_is_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
