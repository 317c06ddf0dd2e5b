/* test_originals.c - what is read from outside the pool is what was hashed, and was not touched: originals.c. */
#include "unit/engine/box.h"

#include "digest/originals.h"
#include "manager/attempt/job.h"

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* "": all are as they were hashed. */
static const char *changed(struct box *b, struct pingo__store_action_original *rows, size_t n,
                           uint64_t *stamps)
{
    static struct pingo__arena arena;
    struct pingo__manager_prepared p = {.originals = {.rows = rows, .n = n}};
    struct pingo__manager_originals_check check = {.p = &p, .arena = &arena};
    static char said[512];
    struct pingo_error err;

    check.stamps = stamps;
    well(pingo__manager_originals_check(&b->store->context, &check, &err), &err);
    snprintf(said, sizeof said, "%s", check.changed ? check.changed : "");
    pingo__arena_clear(&arena);
    return said;
}

static void test_originals__content_decides(void **state)
{
    struct box *b = box_new();
    char path[128], other[128], message[400];
    struct pingo__store_action_original rows[2] = {{.kind = PINGO__ORIGINAL_CONTENT, .name = "i"},
                                                   {.kind = PINGO__ORIGINAL_DECLARED, .name = "j"}};
    uint64_t before[2], now[2];

    UNUSED(state);
    snprintf(path, sizeof path, "%s/one", b->root);
    snprintf(other, sizeof other, "%s/two", b->root);
    put(path, "one");
    put(other, "two");
    rows[0].path = path;
    rows[1].path = other;
    assert_int_equal(pingo_content_hash(path, &rows[0].hash, NULL), 0);
    assert_int_equal(pingo_content_hash(other, &rows[1].hash, NULL), 0);
    rows[0].has_stamp = true; /* of another time: then it is read */
    assert_string_equal(changed(b, rows, 2, before), "");
    usleep(50000);
    put(path, "one"); /* the same again, but touched */
    assert_string_equal(changed(b, rows, 2, now), "");
    assert_true(before[0] != now[0] && before[1] == now[1]);
    put(path, "ONE");
    snprintf(message, sizeof message, "%s changed since submission: pingo rerun takes it as it is",
             path);
    assert_string_equal(changed(b, rows, 2, NULL), message);
    put(path, "one");
    put(other, "TWO");
    snprintf(message, sizeof message, "%s: its SHA-256 is not the one declared", other);
    assert_string_equal(changed(b, rows, 2, NULL), message);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(mkdir(other, 0755), 0);
    assert_non_null(strstr(changed(b, rows, 2, NULL), "a declared sha256 is that of a file"));
    assert_int_equal(unlink(path), 0);
    assert_non_null(strstr(changed(b, rows, 2, NULL), "one"));
    box_close(b);
}

/* Of a tree the entry that changed last is named. */
static void test_originals__a_directory(void **state)
{
    struct box *b = box_new();
    char path[128], file[160], message[400];
    struct pingo__store_action_original row = {
        .kind = PINGO__ORIGINAL_CONTENT, .name = "i", .path = path};

    UNUSED(state);
    snprintf(path, sizeof path, "%s/tree", b->root);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(file, sizeof file, "%s/a", path);
    put(file, "a");
    assert_int_equal(pingo_content_hash(path, &row.hash, NULL), 0);
    assert_string_equal(changed(b, &row, 1, NULL), "");
    usleep(50000);
    put(file, "b");
    snprintf(message, sizeof message,
             "%s changed since submission (last in it: a): pingo rerun takes it as it is", path);
    assert_string_equal(changed(b, &row, 1, NULL), message);
    box_close(b);
}

static size_t slept;

static int64_t soon_after(void *context)
{
    UNUSED(context);
    return INT64_C(1600000000500000000);
}

static void count_sleep(void *context, int64_t ns)
{
    UNUSED(context);
    UNUSED(ns);
    slept++;
}

/* "identity": "stat" believes size and time. */
static void test_originals__by_stat(void **state)
{
    struct box *b = box_new();
    char path[128];
    struct pingo__digest_original one = {.kind = PINGO__ORIGINAL_STAT, .path = path};
    struct pingo__digest_identify what = {.list = &one, .n = 1};
    struct pingo__store_action_original row = {
        .kind = PINGO__ORIGINAL_STAT, .name = "i", .path = path};
    struct timespec old[2] = {{.tv_sec = 1600000000}, {.tv_sec = 1600000000}};
    struct pingo_originals *originals;
    struct pingo_error err;
    uint64_t before, now;
    size_t n;

    UNUSED(state);
    snprintf(path, sizeof path, "%s/one", b->root);
    put(path, "one");
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    well(pingo__digest_originals_identify(&what, &originals, &err), &err);
    row.hash = pingo__digest_originals_list(originals, &n)->hash;
    pingo_originals_free(originals);
    assert_string_equal(changed(b, &row, 1, &before), "");
    usleep(50000);
    put(path, "ONE");
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0); /* made to look the same */
    assert_string_equal(changed(b, &row, 1, &now), "");
    assert_true(now != before); /* but touched it was */
    /* Who submits waits while a time is young; what is compared with it tells at once, for all wait for a scheduler. */
    const struct pingo__world *real = b->store->context.world;
    struct pingo__world world = *real;
    world.now_ns = soon_after;
    world.sleep = count_sleep;
    b->store->context.world = what.world = &world;
    put(path, "longer");
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_non_null(strstr(changed(b, &row, 1, NULL), "changed since submission"));
    assert_int_equal(slept, 0);
    well(pingo__digest_originals_identify(&what, &originals, &err), &err);
    pingo_originals_free(originals);
    assert_true(slept > 0);
    b->store->context.world = real;
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_originals__content_decides),
        cmocka_unit_test(test_originals__a_directory),
        cmocka_unit_test(test_originals__by_stat),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
