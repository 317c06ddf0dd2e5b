/* test_content.c - the content of a file or a tree by its path: what it depends on, and what is refused. */
#include "unit/digest/contents.h"

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

static void test_content__refuses_what_is_not_there(void **state)
{
    (void)state;
    assert_refused("nothing", "nothing", "No such file");
    put_link("to-nothing", "nothing");
    assert_refused("to-nothing", "to-nothing", "No such file");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content__of_a_file_is_its_sha256),
        cmocka_unit_test(test_content__of_a_large_file),
        cmocka_unit_test(test_content__of_a_file_ignores_name_mode_and_times),
        cmocka_unit_test(test_content__follows_the_named_path),
        cmocka_unit_test(test_content__refuses_what_is_not_there),
        cmocka_unit_test(test_content__makes_outputs_read_only),
        cmocka_unit_test(test_content__stops_when_told),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
