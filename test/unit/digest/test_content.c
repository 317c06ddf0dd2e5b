/* The content of files and trees: what it depends on, and what is refused. */
#include "unit/digest/files.h"

#include <sys/resource.h>

#include "digest/content.h"

static struct pingo_error error;

static struct pingo_hash hash_of(const char *name)
{
    struct pingo_hash hash;

    error.message[0] = '\0';
    if (pingo_content_hash(at(name), &hash, &error) != 0)
        fail_msg("%s", error.message);
    return hash;
}

static void assert_refused(const char *name, const char *where, const char *why)
{
    struct pingo_hash hash;

    assert_int_equal(pingo_content_hash(at(name), &hash, &error), PINGO_EINPUT);
    assert_int_equal(error.code, PINGO_EINPUT);
    if (strncmp(error.message, at(where), strlen(at(where))) != 0 ||
        error.message[strlen(at(where))] != ':' || strstr(error.message, why) == NULL)
        fail_msg("not \"%s: ...%s\": %s", at(where), why, error.message);
}

#define assert_same(a, b) assert_memory_equal(&(a), &(b), sizeof(struct pingo_hash))
#define assert_other(a, b) assert_memory_not_equal(&(a), &(b), sizeof(struct pingo_hash))

static void test_content__of_a_file_is_its_sha256(void **state)
{
    char hex[PINGO_HASH_HEX_SIZE];
    struct pingo_hash hash;

    (void)state;
    put_file("abc", "abc");
    hash = hash_of("abc");
    pingo_hash_to_hex(&hash, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    put_file("empty", "");
    hash = hash_of("empty");
    pingo_hash_to_hex(&hash, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void test_content__of_a_large_file(void **state)
{
    char *bytes = calloc(1, 1000003);
    char hex[PINGO_HASH_HEX_SIZE];
    struct pingo_hash hash;

    (void)state;
    assert_non_null(bytes);
    put_bytes("large", bytes, 1000003);
    free(bytes);
    hash = hash_of("large");
    pingo_hash_to_hex(&hash, hex);
    /* head -c 1000003 /dev/zero | sha256sum */
    assert_string_equal(hex, "9e3c25400146ab5a01345705a1916a2e76a43c45789e38e14420f4eb47d5e384");
}

static void test_content__of_a_file_ignores_name_mode_and_times(void **state)
{
    struct pingo_hash first, second;

    (void)state;
    put_file("one", "text");
    put_file("two", "text");
    assert_int_equal(chmod(at("two"), 0755), 0);
    set_mtime("two", 1000000000);
    first = hash_of("one");
    second = hash_of("two");
    assert_same(first, second);
}

static void test_content__follows_the_named_path(void **state)
{
    struct pingo_hash file, tree, linked;

    (void)state;
    put_file("target", "text");
    put_link("to-file", "target");
    put_dir("dir");
    put_file("dir/a", "a");
    put_link("to-dir", "dir");
    file = hash_of("target");
    linked = hash_of("to-file");
    assert_same(file, linked);
    tree = hash_of("dir");
    linked = hash_of("to-dir");
    assert_same(tree, linked);
}

/* A tree with one of everything below the directory name. */
static void put_tree(const char *name)
{
    char path[256];

    put_dir(name);
    snprintf(path, sizeof path, "%s/a", name);
    put_file(path, "alpha");
    snprintf(path, sizeof path, "%s/a.b", name);
    put_file(path, "dot");
    snprintf(path, sizeof path, "%s/B", name);
    put_file(path, "upper");
    snprintf(path, sizeof path, "%s/run", name);
    put_file(path, "#!/bin/sh\n");
    assert_int_equal(chmod(at(path), 0755), 0);
    snprintf(path, sizeof path, "%s/sub", name);
    put_dir(path);
    snprintf(path, sizeof path, "%s/sub/empty", name);
    put_dir(path);
    snprintf(path, sizeof path, "%s/sub/deep", name);
    put_file(path, "deep");
    snprintf(path, sizeof path, "%s/sub/up", name);
    put_link(path, "../a");
    snprintf(path, sizeof path, "%s/sub/zz", name);
    put_file(path, "last");
    snprintf(path, sizeof path, "%s/dangling", name);
    put_link(path, "nowhere");
}

static void test_content__of_a_tree_ignores_place_times_and_other_modes(void **state)
{
    struct pingo_hash first, second;

    (void)state;
    put_tree("t1");
    put_dir("else");
    put_tree("else/t2");
    set_mtime("else/t2/a", 1000000000);
    set_mtime("else/t2/sub", 1000000000);
    assert_int_equal(chmod(at("else/t2/a"), 0600), 0);
    assert_int_equal(chmod(at("else/t2/run"), 0700), 0);
    assert_int_equal(chmod(at("else/t2/sub"), 0700), 0);
    first = hash_of("t1");
    second = hash_of("else/t2");
    assert_same(first, second);
}

static void edit_content(void)
{
    put_file("edited/sub/deep", "Deep");
}
static void edit_name(void)
{
    assert_int_equal(rename(at("edited/a"), at("edited/c")), 0);
}
static void edit_executable(void)
{
    assert_int_equal(chmod(at("edited/a"), 0755), 0);
}
static void edit_link(void)
{
    assert_int_equal(unlink(at("edited/sub/up")), 0);
    put_link("edited/sub/up", "../B");
}
static void edit_link_to_file(void)
{
    assert_int_equal(unlink(at("edited/sub/up")), 0);
    put_file("edited/sub/up", "../a");
}
static void edit_no_empty_directory(void)
{
    assert_int_equal(rmdir(at("edited/sub/empty")), 0);
}
static void edit_empty_directory(void)
{
    put_dir("edited/new");
}
static void edit_directory_to_file(void)
{
    assert_int_equal(rmdir(at("edited/sub/empty")), 0);
    put_file("edited/sub/empty", "");
}
static void edit_place(void)
{
    assert_int_equal(rename(at("edited/a"), at("edited/sub/a")), 0);
}
static void edit_swap(void)
{
    put_file("edited/a", "dot");
    put_file("edited/a.b", "alpha");
}
static void edit_up_from_sub(void) /* the same names in the same order */
{
    assert_int_equal(rename(at("edited/sub/zz"), at("edited/zz")), 0);
}

static void test_content__of_a_tree_shows_every_edit(void **state)
{
    static void (*const edits[])(void) = {edit_content,         edit_name,
                                          edit_executable,      edit_link,
                                          edit_link_to_file,    edit_no_empty_directory,
                                          edit_empty_directory, edit_directory_to_file,
                                          edit_place,           edit_swap,
                                          edit_up_from_sub};
    struct pingo_hash seen[1 + sizeof edits / sizeof *edits];
    size_t n = 0;
    char command[3 * PATH_MAX];

    (void)state;
    put_tree("edited");
    seen[n++] = hash_of("edited");
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        edits[i]();
        seen[n] = hash_of("edited");
        for (size_t k = 0; k < n; k++)
            if (memcmp(&seen[k], &seen[n], sizeof *seen) == 0)
                fail_msg("edit %zu is not seen", i);
        n++;
        snprintf(command, sizeof command, "rm -rf '%s'", at("edited"));
        assert_int_equal(system(command), 0);
        put_tree("edited");
    }
}

static void test_content__of_a_tree_depends_on_no_order_of_creation(void **state)
{
    struct pingo_hash first, second;
    char name[64];

    (void)state;
    put_dir("up");
    put_dir("down");
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "up/%d", i);
        put_file(name, name + 3);
        snprintf(name, sizeof name, "down/%d", 299 - i);
        put_file(name, name + 5);
    }
    first = hash_of("up");
    second = hash_of("down");
    assert_same(first, second);
}

static void test_content__refuses_what_is_not_there(void **state)
{
    (void)state;
    assert_refused("nothing", "nothing", "No such file");
    put_link("to-nothing", "nothing");
    assert_refused("to-nothing", "to-nothing", "No such file");
}

static void test_content__refuses_special_files(void **state)
{
    (void)state;
    put_dir("special");
    put_dir("special/sub");
    assert_int_equal(mkfifo(at("special/sub/pipe"), 0644), 0);
    assert_refused("special/sub/pipe", "special/sub/pipe", "neither");
    assert_refused("special", "special/sub/pipe", "neither");
}

static void test_content__refuses_links_that_lead_out(void **state)
{
    static const struct {
        const char *target;
        int out;
    } rows[] = {{"../x", 0},  {"../../x", 1},      {"/etc/passwd", 1},  {"..", 0},
                {"../..", 1}, {"a/../../x", 0},    {"a/../../../x", 1}, {"./../.././x", 1},
                {"...", 0},   {"a//..//../..", 1}, {"../..x/..y", 0},   {".//b", 0}};

    (void)state;
    put_dir("out");
    put_dir("out/sub");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_hash hash;
        int r;

        put_link("out/sub/link", rows[i].target);
        r = pingo_content_hash(at("out"), &hash, &error);
        if ((r != 0) != (rows[i].out != 0))
            fail_msg("%s: %d %s", rows[i].target, r, error.message);
        if (rows[i].out)
            assert_refused("out", "out/sub/link", "leads out");
        assert_int_equal(unlink(at("out/sub/link")), 0);
    }
}

static void test_content__lets_links_lead_out_of_outputs(void **state)
{
    struct pingo__digest_content_options options = {0};
    struct pingo__digest_content content;

    (void)state;
    put_dir("output");
    put_link("output/link", "/etc/passwd");
    assert_int_equal(pingo__digest_content_read(at("output"), &options, &content, &error), 0);
    assert_int_equal(content.files, 0);
    assert_int_equal(content.size_bytes, strlen("/etc/passwd"));
}

static void test_content__counts_files_and_bytes(void **state)
{
    struct pingo__digest_content_options options = {0};
    struct pingo__digest_content content;

    (void)state;
    put_tree("counted");
    assert_int_equal(pingo__digest_content_read(at("counted"), &options, &content, &error), 0);
    assert_true(content.is_directory);
    assert_int_equal(content.files, 6);
    assert_int_equal(content.size_bytes,
                     5 + 3 + 5 + 10 + 4 + 4 + strlen("../a") + strlen("nowhere"));
}

static void test_content__walks_any_depth_with_few_descriptors(void **state)
{
    struct rlimit old, few;
    struct pingo_hash first, second;
    int dir = open(at("."), O_RDONLY | O_DIRECTORY);

    (void)state;
    for (int i = 0; i < 5000; i++) {
        int next;

        assert_int_equal(mkdirat(dir, "d", 0755), 0);
        next = openat(dir, "d", O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        close(dir);
        dir = next;
    }
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    few = old;
    few.rlim_cur = 24;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    first = hash_of("d");
    close(openat(dir, "file", O_WRONLY | O_CREAT, 0644));
    second = hash_of("d");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_other(first, second);
    assert_int_equal(symlinkat("/", dir, "out"), 0);
    assert_int_equal(pingo_content_hash(at("d"), &first, &error), PINGO_EINPUT);
    close(dir);
}

static void test_content__makes_outputs_read_only(void **state)
{
    struct pingo__digest_content_options options = {.make_readonly = true};
    struct pingo__digest_content content;
    struct stat st;

    (void)state;
    put_file("outside", "outside");
    put_tree("ro");
    put_link("ro/out", at("outside"));
    assert_int_equal(chmod(at("ro"), 0777), 0);
    assert_int_equal(chmod(at("ro/sub/deep"), 0666), 0);
    assert_int_equal(pingo__digest_content_read(at("ro"), &options, &content, &error), 0);
    assert_int_equal(stat(at("ro/a"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0444);
    assert_int_equal(stat(at("ro/run"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0555);
    assert_int_equal(stat(at("ro/sub"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0555);
    assert_int_equal(stat(at("ro/sub/deep"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0444);
    assert_int_equal(stat(at("outside"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0644);
    assert_int_equal(stat(at("ro"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0755); /* so that its owner can move it */
    put_file("ro-file", "text");
    assert_int_equal(pingo__digest_content_read(at("ro-file"), &options, &content, &error), 0);
    assert_int_equal(stat(at("ro-file"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0444);
}

static int stop_after_two(void *context, uint64_t files, uint64_t bytes)
{
    uint64_t *seen = context;

    (void)bytes;
    *seen += files;
    return *seen >= 2;
}

static void test_content__stops_when_told(void **state)
{
    uint64_t seen = 0;
    struct pingo__digest_content_options options = {.progress = stop_after_two,
                                                    .progress_context = &seen};
    struct pingo__digest_content content;

    (void)state;
    put_tree("stopped");
    assert_int_equal(pingo__digest_content_read(at("stopped"), &options, &content, &error),
                     PINGO_EINTERRUPTED);
    assert_int_equal(seen, 2);
}

static void test_hash__reads_and_writes_hex(void **state)
{
    static const char hex[] = "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef";
    char upper[PINGO_HASH_HEX_SIZE], back[PINGO_HASH_HEX_SIZE];
    struct pingo_hash hash;

    (void)state;
    assert_int_equal(pingo_hash_from_hex(hex, &hash), 0);
    pingo_hash_to_hex(&hash, back);
    assert_string_equal(back, hex);
    for (size_t i = 0; i < sizeof upper; i++)
        upper[i] = (char)(hex[i] >= 'a' ? hex[i] - 32 : hex[i]);
    assert_int_equal(pingo_hash_from_hex(upper, &hash), 0);
    pingo_hash_to_hex(&hash, back);
    assert_string_equal(back, hex);
    assert_int_equal(pingo_hash_from_hex("", &hash), PINGO_EINVAL);
    assert_int_equal(pingo_hash_from_hex("0", &hash), PINGO_EINVAL);
    assert_int_equal(pingo_hash_from_hex(hex + 1, &hash), PINGO_EINVAL);
    memcpy(upper, hex, sizeof upper);
    upper[63] = 'g';
    assert_int_equal(pingo_hash_from_hex(upper, &hash), PINGO_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content__of_a_file_is_its_sha256),
        cmocka_unit_test(test_content__of_a_large_file),
        cmocka_unit_test(test_content__of_a_file_ignores_name_mode_and_times),
        cmocka_unit_test(test_content__follows_the_named_path),
        cmocka_unit_test(test_content__of_a_tree_ignores_place_times_and_other_modes),
        cmocka_unit_test(test_content__of_a_tree_shows_every_edit),
        cmocka_unit_test(test_content__of_a_tree_depends_on_no_order_of_creation),
        cmocka_unit_test(test_content__refuses_what_is_not_there),
        cmocka_unit_test(test_content__refuses_special_files),
        cmocka_unit_test(test_content__refuses_links_that_lead_out),
        cmocka_unit_test(test_content__lets_links_lead_out_of_outputs),
        cmocka_unit_test(test_content__counts_files_and_bytes),
        cmocka_unit_test(test_content__walks_any_depth_with_few_descriptors),
        cmocka_unit_test(test_content__makes_outputs_read_only),
        cmocka_unit_test(test_content__stops_when_told),
        cmocka_unit_test(test_hash__reads_and_writes_hex),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
