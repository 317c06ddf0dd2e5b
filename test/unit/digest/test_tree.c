/* test_tree.c - the content of a directory tree: what it depends on, what it is made of, and what is refused. */
#include "digest/sha256.h"
#include "unit/digest/contents.h"

#include <sys/resource.h>

#include "base/buffer.h"
#include "digest/originals.h"

static void test_tree__ignores_place_times_and_other_modes(void **state)
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

static void test_tree__shows_every_edit(void **state)
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

static void test_tree__depends_on_no_order_of_creation(void **state)
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

static void test_tree__refuses_special_files(void **state)
{
    (void)state;
    put_dir("special");
    put_dir("special/sub");
    assert_int_equal(mkfifo(at("special/sub/pipe"), 0644), 0);
    assert_refused("special/sub/pipe", "special/sub/pipe", "neither");
    assert_refused("special", "special/sub/pipe", "neither");
}

static void test_tree__refuses_links_that_lead_out(void **state)
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

static void test_tree__lets_links_lead_out_of_outputs(void **state)
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

static void test_tree__counts_files_and_bytes(void **state)
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

static void test_tree__walks_any_depth_with_few_descriptors(void **state)
{
    struct rlimit old, few;
    struct pingo_hash first, second;
    int dir = open(at("."), O_RDONLY | O_DIRECTORY);

    (void)state;
    for (int i = 0; i < 2500; i++) { /* more than a path can name */
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

/* pingo-hash(7), by hand: entries by the bytes of their names, what is in a directory behind it, and an end. */
static void test_tree__is_the_hash_of_its_listing(void **state)
{
    static const char *const words[] = {"alpha", "", "#!"};
    struct pingo_hash hashes[3], wanted, hash;
    struct pingo__buffer b = {0};

    (void)state;
    put_dir("listing");
    put_file("listing/a", words[0]);
    put_dir("listing/a.d");
    put_dir("listing/a.d/in");
    put_file("listing/a.d/x", words[1]);
    put_link("listing/B", "a.d/x");
    put_file("listing/run", words[2]);
    assert_int_equal(chmod(at("listing/run"), 0700), 0);
    for (int i = 0; i < 3; i++)
        pingo__digest_sha256(words[i], strlen(words[i]), &hashes[i]);
    pingo__buffer_text(&b, "pingo-tree-1\nl");
    pingo__buffer_counted(&b, "B", 1);
    pingo__buffer_counted(&b, "a.d/x", 5);
    pingo__buffer_char(&b, 'f');
    pingo__buffer_counted(&b, "a", 1);
    pingo__buffer_append(&b, hashes[0].bytes, 32);
    pingo__buffer_char(&b, 'd');
    pingo__buffer_counted(&b, "a.d", 3);
    pingo__buffer_char(&b, 'd');
    pingo__buffer_counted(&b, "in", 2);
    pingo__buffer_text(&b, "ef");
    pingo__buffer_counted(&b, "x", 1);
    pingo__buffer_append(&b, hashes[1].bytes, 32);
    pingo__buffer_text(&b, "ex");
    pingo__buffer_counted(&b, "run", 3);
    pingo__buffer_append(&b, hashes[2].bytes, 32);
    pingo__buffer_text(&b, "e");
    pingo__digest_sha256(b.data, b.length, &wanted);
    hash = hash_of("listing");
    assert_same(hash, wanted);
    pingo__buffer_clear(&b);
}

/* The text of a link does not tell where it leads if it goes up from what is a link itself. */
static void test_tree__knows_links_that_go_up_from_links(void **state)
{
    static const struct {
        const char *target;
        bool out;
    } rows[] = {
        {"loop/..", true},       {"loop/../secret", true}, {"d/../loop/../secret", true},
        {"loop/x", false},       {"d/../a", false},        {"loop/..x", false},
        {"d/../nothing", false}, {"nothing/../a", false},
    };

    (void)state;
    put_dir("up-links");
    put_dir("up-links/d");
    put_link("up-links/loop", ".");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_hash hash;

        put_link("up-links/link", rows[i].target);
        if (rows[i].out)
            assert_refused("up-links", "up-links/link", "is a link that leads out of the tree, to ");
        else if (pingo_content_hash(at("up-links"), &hash, &error) != 0)
            fail_msg("%s: %s", rows[i].target, error.message);
        assert_int_equal(unlink(at("up-links/link")), 0);
    }
}

/* An output may lead to the system's directories, not elsewhere; the pool is named so, and a long path is cut. */
static void test_tree__says_which_link_leaves_an_output(void **state)
{
    static const struct {
        const char *target;
        const char *said; /* NULL: it may */
    } rows[] = {
        {"/usr/bin/env", NULL},
        {"a", NULL},
        {"/pool/x/y", "to POOL/x/y"},
        {"../x", "to ../x"},
        {"/home/somebody/with/a/long/path/to/a/file/called/x.txt",
         "to /home/somebody/wit...a/file/called/x.txt"},
    };
    struct pingo__digest_content_options options = {.output_of = "/pool", .label = "OUT"};
    struct pingo__digest_content content;

    (void)state;
    put_dir("left");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char said[200];

        put_link("left/link", rows[i].target);
        int rc = pingo__digest_content_read(at("left"), &options, &content, &error);
        assert_int_equal(rc, rows[i].said ? PINGO_EINPUT : 0);
        snprintf(said, sizeof said,
                 "OUT/link: is a link out of the output (wanted: a copy, cp -L), %s", rows[i].said);
        if (rc != 0)
            assert_string_equal(error.message, said);
        assert_int_equal(unlink(at("left/link")), 0);
    }
}

/* What lies in it, a directory before what is in it. */
static void test_tree__lists_what_lies_in_it(void **state)
{
    struct pingo__digest_listing listing = {.too_long = false};
    struct pingo__digest_content_options options = {.listing = &listing};
    struct pingo__digest_content content;
    static const char *const wanted[] = {"fB",   "fa",        "fa.b",       "ldangling", "xrun",
                                         "dsub", "fsub/deep", "dsub/empty", "lsub/up",   "fsub/zz"};
    const char *p;

    (void)state;
    put_tree("told");
    assert_int_equal(pingo__digest_content_read(at("told"), &options, &content, &error), 0);
    p = listing.bytes.data;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(*p, wanted[i][0]);
        p += 1 + PINGO__LISTING_MARK;
        assert_string_equal(p, wanted[i] + 1);
        p += strlen(p) + 1;
    }
    assert_ptr_equal(p, listing.bytes.data + listing.bytes.length);
    pingo__buffer_clear(&listing.bytes);
}

/* ---- in a world whose files have times of their own --------------------------------------- */

static struct pingo__world world;
static const char *newest_name; /* the name of what changed last */

static int dated_stat(void *context, int dir, const char *name, int flags, struct stat *st)
{
    int rc = pingo__world_real()->stat(context, dir, name, flags, st);

    if (rc == 0) {
        st->st_ctim.tv_sec = strcmp(name, newest_name) == 0 ? 2000 : 1000;
        st->st_mtim.tv_sec = 500;
        st->st_ctim.tv_nsec = st->st_mtim.tv_nsec = 0;
    }
    return rc;
}

static void test_tree__tells_what_changed_last(void **state)
{
    static const char *const names[][2] = {
        {"a", "a"}, {"deep", "sub/deep"}, {"up", "sub/up"}, {"empty", "sub/empty"}};

    (void)state;
    put_tree("dated");
    world = *pingo__world_real();
    world.stat = dated_stat;
    for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
        struct pingo__digest_newest newest = {.mtime_ns = -1};
        struct pingo__digest_content_options options = {
            .world = &world, .newest = &newest, .only_stamp = true};
        struct pingo__digest_content content;
        bool is_root = i == sizeof names / sizeof *names;

        newest_name = is_root ? at("dated") : names[i][0];
        int rc = pingo__digest_content_read(at("dated"), &options, &content, &error);
        if (is_root) /* what it is when it is entered, is another time than it had */
            assert_non_null(strstr(error.message, "dated: it changed while it was read"));
        else if (names[i][0][0] != 'e')
            assert_int_equal(rc, 0);
        assert_string_equal(pingo__buffer_cstr(&newest.path), is_root ? "" : names[i][1]);
        assert_int_equal(newest.ctime_ns, INT64_C(2000000000000));
        assert_int_equal(newest.mtime_ns, INT64_C(500000000000));
        pingo__buffer_clear(&newest.path);
    }
}

/* What cannot be read is named by its path in the tree. */
static int refused; /* why "deep" cannot be read */

static int refuse_deep(void *context, int dir, const char *name, int flags, mode_t mode)
{
    return strcmp(name, "deep") == 0 ? -refused
                                     : pingo__world_real()->open(context, dir, name, flags, mode);
}

static void test_tree__names_what_cannot_be_read(void **state)
{
    static const struct {
        int refused, code; /* code: where it may be away */
        const char *reason;
    } rows[] = {
        {EACCES, PINGO_EINPUT, "Permission denied"}, /* it is ours: somebody changed its mode */
        {EPERM, PINGO_EAWAY, "Operation not permitted"},
        {EIO, PINGO_EAWAY, "Input/output error"},
        {EMFILE, PINGO_EAWAY, "Too many open files"},
        {ENOENT, PINGO_EINPUT, "No such file or directory"},
    };
    struct pingo__digest_content content;
    char said[128];

    (void)state;
    put_tree("closed");
    world = *pingo__world_real();
    world.open = refuse_deep;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        bool may_be_away = i % 2;
        struct pingo__digest_content_options options = {
            .world = &world, .may_be_away = may_be_away, .us = geteuid()};
        int code = may_be_away ? rows[i / 2].code : PINGO_EINPUT;
        refused = rows[i / 2].refused;
        assert_int_equal(pingo__digest_content_read(at("closed"), &options, &content, &error), code);
        assert_int_equal(error.code, code);
        snprintf(said, sizeof said, "/closed/sub/deep: cannot be read: %s", rows[i / 2].reason);
        assert_non_null(strstr(error.message, said));
        assert_int_equal(error.message[0], '/');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree__ignores_place_times_and_other_modes),
        cmocka_unit_test(test_tree__shows_every_edit),
        cmocka_unit_test(test_tree__depends_on_no_order_of_creation),
        cmocka_unit_test(test_tree__refuses_special_files),
        cmocka_unit_test(test_tree__refuses_links_that_lead_out),
        cmocka_unit_test(test_tree__lets_links_lead_out_of_outputs),
        cmocka_unit_test(test_tree__counts_files_and_bytes),
        cmocka_unit_test(test_tree__walks_any_depth_with_few_descriptors),
        cmocka_unit_test(test_tree__is_the_hash_of_its_listing),
        cmocka_unit_test(test_tree__knows_links_that_go_up_from_links),
        cmocka_unit_test(test_tree__says_which_link_leaves_an_output),
        cmocka_unit_test(test_tree__lists_what_lies_in_it),
        cmocka_unit_test(test_tree__tells_what_changed_last),
        cmocka_unit_test(test_tree__names_what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
