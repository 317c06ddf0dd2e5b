/* Whether something changed: stamps, the cache of content hashes, and changes in
 * the middle of reading, through a world whose clock and file times obey the test. */
#include "unit/digest/files.h"

#include <sys/mman.h>

#include "digest/content.h"

#define SECOND INT64_C(1000000000)
#define MS INT64_C(1000000)

/* The real world, but: every file has the same two times, and the clock is what we say. */
static struct fake {
    struct pingo__world world;
    int64_t now_ns;
    int64_t file_time_ns; /* 0: the real one */
    int opened;
    void (*on_read)(void); /* called once, after the first block was read */
} fake;

static int64_t fake_now(void *context)
{
    (void)context;
    return fake.now_ns;
}

static int fake_open(void *context, int dir, const char *name, int flags, mode_t mode)
{
    fake.opened++;
    return pingo__world_real()->open(context, dir, name, flags, mode);
}

static int fake_stat(void *context, int dir, const char *name, int flags, struct stat *st)
{
    int r = pingo__world_real()->stat(context, dir, name, flags, st);

    if (r == 0 && fake.file_time_ns != 0) {
        st->st_mtim.tv_sec = st->st_ctim.tv_sec = fake.file_time_ns / SECOND;
        st->st_mtim.tv_nsec = st->st_ctim.tv_nsec = fake.file_time_ns % SECOND;
    }
    return r;
}

static ssize_t fake_read(void *context, int fd, void *bytes, size_t n)
{
    ssize_t got = pingo__world_real()->read(context, fd, bytes, n);

    if (fake.on_read != NULL) {
        void (*once)(void) = fake.on_read;

        fake.on_read = NULL;
        once();
    }
    return got;
}

/* A cache of one file. */
static struct {
    struct pingo__digest_file_stat st;
    struct pingo_hash hash;
    bool full;
    int found, remembered;
} memory;

static bool find(void *context, const struct pingo__digest_file_stat *st, struct pingo_hash *hash)
{
    (void)context;
    if (!memory.full || memcmp(&memory.st, st, sizeof *st) != 0)
        return false;
    memory.found++;
    *hash = memory.hash;
    return true;
}

static void remember(void *context, const struct pingo__digest_file_stat *st,
                     const struct pingo_hash *hash)
{
    (void)context;
    memory.st = *st;
    memory.hash = *hash;
    memory.full = true;
    memory.remembered++;
}

static const struct pingo__digest_content_cache cache = {.find = find, .remember = remember};
static struct pingo_error error;

static int set_up(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    memset(&memory, 0, sizeof memory);
    fake.world = *pingo__world_real();
    fake.world.now_ns = fake_now;
    fake.world.open = fake_open;
    fake.world.stat = fake_stat;
    fake.world.read = fake_read;
    fake.now_ns = pingo__world_real()->now_ns(NULL);
    return 0;
}

static struct pingo__digest_content read_as(const char *name, bool only_stamp, bool with_cache)
{
    struct pingo__digest_content_options options = {
        .world = &fake.world, .cache = with_cache ? &cache : NULL, .only_stamp = only_stamp};
    struct pingo__digest_content content;

    error.message[0] = '\0';
    if (pingo__digest_content_read(at(name), &options, &content, &error) != 0)
        fail_msg("%s", error.message);
    return content;
}

#define assert_same(a, b) assert_memory_equal(&(a), &(b), sizeof(struct pingo_hash))
#define assert_other(a, b) assert_memory_not_equal(&(a), &(b), sizeof(struct pingo_hash))

static void test_young__depends_on_the_grain_of_the_times(void **state)
{
    static const struct {
        int64_t mtime, ctime, at;
        int young;
    } rows[] = {
        {10 * SECOND + 1, 10 * SECOND + 1, 10 * SECOND + 1, 1},
        {10 * SECOND + 1, 10 * SECOND + 1, 10 * SECOND + 1 + 19 * MS, 1},
        {10 * SECOND + 1, 10 * SECOND + 1, 10 * SECOND + 1 + 20 * MS, 0},
        {9 * SECOND + 1, 10 * SECOND + 1, 10 * SECOND + 1 + 19 * MS, 1}, /* old content, new inode */
        {11 * SECOND + 1, 10 * SECOND + 1, 10 * SECOND + 500 * MS, 1},   /* from the future */
        {10 * SECOND, 10 * SECOND, 10 * SECOND + 1900 * MS, 1},          /* whole seconds: FAT */
        {10 * SECOND, 10 * SECOND, 12 * SECOND + 20 * MS, 0},
        {5 * SECOND, 10 * SECOND + 1, 10 * SECOND + 500 * MS, 0}, /* touch -d */
        {-3 * SECOND, -3 * SECOND, 10 * SECOND, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__digest_file_stat st = {.mtime_ns = rows[i].mtime, .ctime_ns = rows[i].ctime};

        if (pingo__digest_file_stat_is_young(&st, rows[i].at) != (rows[i].young != 0))
            fail_msg("row %zu", i);
    }
}

/* The racy edit: same size, same inode, same times.  Only distrust helps. */
static void test_cache__same_size_edit_within_a_tick_is_seen(void **state)
{
    struct pingo__digest_content first, second, third;

    (void)state;
    fake.file_time_ns = 1000 * SECOND + 123456789;
    fake.now_ns = fake.file_time_ns + 3 * MS;
    put_file("racy", "before");
    first = read_as("racy", false, true);
    assert_int_equal(memory.remembered, 0);
    assert_true(first.stamp_is_young);
    put_file("racy", "after!");
    second = read_as("racy", false, true);
    assert_other(first.hash, second.hash);
    assert_same(first.stamp, second.stamp); /* which is why it calls itself young */
    fake.now_ns = fake.file_time_ns + 30 * MS;
    third = read_as("racy", false, true);
    assert_int_equal(memory.remembered, 1);
    assert_false(third.stamp_is_young);
    assert_same(second.hash, third.hash);
}

/* The same on the file system that is here, with its own ticks. */
static void test_cache__same_size_edits_in_a_hurry_are_seen(void **state)
{
    const struct pingo__world *real = pingo__world_real();
    char text[16];
    struct pingo__digest_content last = {0};

    (void)state;
    for (int i = 0; i < 400; i++) {
        struct pingo__digest_content now;

        snprintf(text, sizeof text, "%06d", i);
        put_file("hurry", text);
        fake.now_ns = real->now_ns(NULL);
        now = read_as("hurry", false, true);
        assert_other(last.hash, now.hash);
        last = now;
    }
}

static void test_cache__an_unchanged_file_is_not_opened_again(void **state)
{
    struct pingo__digest_content first, second;

    (void)state;
    put_file("cached", "text");
    fake.now_ns += 5 * SECOND;
    first = read_as("cached", false, true);
    assert_int_equal(memory.remembered, 1);
    fake.opened = 0;
    second = read_as("cached", false, true);
    assert_int_equal(fake.opened, 0);
    assert_int_equal(memory.found, 1);
    assert_same(first.hash, second.hash);
    assert_same(first.stamp, second.stamp);
    assert_int_equal(second.size_bytes, 4);
}

static void test_cache__any_part_of_the_stat_makes_another_file(void **state)
{
    struct pingo__digest_content first, second;

    (void)state;
    put_file("parts", "text");
    fake.now_ns += 5 * SECOND;
    first = read_as("parts", false, true);
    assert_int_equal(chmod(at("parts"), 0600), 0); /* ctime */
    second = read_as("parts", false, true);
    assert_int_equal(memory.found, 0);
    assert_same(first.hash, second.hash);
    put_file("new", "test");
    assert_int_equal(rename(at("new"), at("parts")), 0); /* inode */
    second = read_as("parts", false, true);
    assert_int_equal(memory.found, 0);
    assert_other(first.hash, second.hash);
}

static void test_stamp__needs_no_file_opened(void **state)
{
    static const struct pingo_hash zero;
    struct pingo__digest_content full, stamp;

    (void)state;
    put_dir("tree");
    put_file("tree/a", "a");
    put_dir("tree/sub");
    put_file("tree/sub/b", "b");
    put_link("tree/sub/c", "b");
    full = read_as("tree", false, false);
    fake.opened = 0;
    stamp = read_as("tree", true, false);
    assert_int_equal(fake.opened, 5); /* each directory twice, and once ".." */
    assert_same(full.stamp, stamp.stamp);
    assert_same(stamp.hash, zero);
    assert_int_equal(full.size_bytes, stamp.size_bytes);
    assert_int_equal(full.files, stamp.files);
    assert_true(stamp.stamp_is_young);
    fake.now_ns += 3 * SECOND;
    stamp = read_as("tree", true, false);
    assert_false(stamp.stamp_is_young);
}

static void test_stamp__shows_every_edit(void **state)
{
    struct pingo__digest_content seen[8];
    size_t n = 0;

    (void)state;
    put_dir("edits");
    put_dir("edits/sub");
    put_file("edits/a", "a");
    set_mtime("edits/a", SECOND);
    seen[n++] = read_as("edits", true, false);
    usleep(20000); /* or the change time might be that of before */
    put_file("edits/a", "b");
    set_mtime("edits/a", SECOND); /* the change time tells */
    seen[n++] = read_as("edits", true, false);
    put_file("b", "c");
    set_mtime("b", SECOND);
    assert_int_equal(rename(at("b"), at("edits/a")), 0); /* the inode tells */
    seen[n++] = read_as("edits", true, false);
    assert_int_equal(rename(at("edits/a"), at("edits/b")), 0);
    seen[n++] = read_as("edits", true, false);
    assert_int_equal(rename(at("edits/b"), at("edits/sub/b")), 0);
    seen[n++] = read_as("edits", true, false);
    put_link("edits/b", "sub/b");
    seen[n++] = read_as("edits", true, false);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_other(seen[i].stamp, seen[k].stamp);
}

/* ---- while it is read ------------------------------------------------------------- */

static void append_to_file(void)
{
    FILE *file = fopen(at("busy"), "a");

    assert_non_null(file);
    fputs("more", file);
    fclose(file);
}

static void cut_file(void)
{
    assert_int_equal(truncate(at("busy"), 1), 0);
}

static void rewrite_file(void)
{
    usleep(20000);
    put_file("busy", "TEXT");
}

static void add_to_directory(void)
{
    usleep(20000);
    put_file("dir/new", "");
}

static void assert_changed(const char *name, const char *where, void (*edit)(void))
{
    struct pingo__digest_content_options options = {.world = &fake.world, .cache = &cache};
    struct pingo__digest_content content;

    fake.on_read = edit;
    assert_int_equal(pingo__digest_content_read(at(name), &options, &content, &error), PINGO_EINPUT);
    assert_non_null(strstr(error.message, "changed while it was read"));
    assert_memory_equal(error.message, at(where), strlen(at(where)));
    assert_int_equal(memory.remembered, 0);
}

static void test_content__a_change_while_it_is_read_is_an_error(void **state)
{
    (void)state;
    fake.now_ns += 60 * SECOND;
    put_file("busy", "text");
    assert_changed("busy", "busy", append_to_file);
    put_file("busy", "text");
    assert_changed("busy", "busy", cut_file);
    put_file("busy", "text");
    assert_changed("busy", "busy", rewrite_file);
    put_dir("dir");
    put_dir("dir/sub");
    put_file("dir/sub/file", "text");
    memory.full = false;
    fake.on_read = add_to_directory;
    {
        struct pingo__digest_content_options options = {.world = &fake.world};
        struct pingo__digest_content content;

        assert_int_equal(pingo__digest_content_read(at("dir"), &options, &content, &error),
                         PINGO_EINPUT);
        assert_non_null(strstr(error.message, "dir: it changed while it was read"));
    }
}

/* A page that is dirty takes more from a mapping without a new time, until it is written out. */
static void test_cache__writes_through_a_mapping_are_seen(void **state)
{
    struct pingo__digest_content first, second;
    (void)state;
    put_file("mapped", "before");
    int fd = open(at("mapped"), O_RDWR | O_CLOEXEC);
    char *bytes = mmap(NULL, 6, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(bytes != MAP_FAILED);
    memcpy(bytes, "mapped", 6);
    usleep(50000); /* older than young */
    fake.now_ns = pingo__world_real()->now_ns(NULL);
    first = read_as("mapped", false, true);
    memcpy(bytes, "after!", 6);
    second = read_as("mapped", false, true);
    assert_other(first.hash, second.hash);
    assert_other(first.stamp, second.stamp);
    munmap(bytes, 6);
    close(fd);
}

static void move_directory(void)
{
    assert_int_equal(rename(at("from/a/b"), at("elsewhere")), 0);
}

/* Going up through ".." must not lead into another tree. */
static void test_content__a_directory_moved_while_it_is_read_is_an_error(void **state)
{
    struct pingo__digest_content_options options = {.world = &fake.world};
    struct pingo__digest_content content;

    (void)state;
    put_dir("from");
    put_dir("from/a");
    put_dir("from/a/b");
    put_dir("from/a/b/c");
    put_file("from/a/b/c/file", "text");
    fake.on_read = move_directory;
    assert_int_equal(pingo__digest_content_read(at("from"), &options, &content, &error),
                     PINGO_EINPUT);
    assert_non_null(strstr(error.message, "while it was read"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_young__depends_on_the_grain_of_the_times, set_up),
        cmocka_unit_test_setup(test_cache__same_size_edit_within_a_tick_is_seen, set_up),
        cmocka_unit_test_setup(test_cache__same_size_edits_in_a_hurry_are_seen, set_up),
        cmocka_unit_test_setup(test_cache__writes_through_a_mapping_are_seen, set_up),
        cmocka_unit_test_setup(test_cache__an_unchanged_file_is_not_opened_again, set_up),
        cmocka_unit_test_setup(test_cache__any_part_of_the_stat_makes_another_file, set_up),
        cmocka_unit_test_setup(test_stamp__needs_no_file_opened, set_up),
        cmocka_unit_test_setup(test_stamp__shows_every_edit, set_up),
        cmocka_unit_test_setup(test_content__a_change_while_it_is_read_is_an_error, set_up),
        cmocka_unit_test_setup(test_content__a_directory_moved_while_it_is_read_is_an_error, set_up),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
