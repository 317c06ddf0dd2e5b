/* test_content.c - what is in a dataset is read while it is held; no way leads out of it. */
#include "unit/engine/box.h"

static struct pingo_hash hash_at(struct box *b, int64_t workflow, int64_t id)
{
    struct pingo_hash hash;
    char number[32], text[32];
    struct pingo_error err;

    snprintf(number, sizeof number, "%lld", (long long)workflow);
    snprintf(text, sizeof text, "%lld", (long long)id);
    well(pingo_store_resolve_dataset(b->store, number, text, &hash, &err), &err);
    return hash;
}

static int on_entry(void *context, const char *name, bool is_directory, int64_t size)
{
    UNUSED(name);
    *(int64_t *)context += is_directory ? 1000 : size;
    return 0;
}

static void test_content__is_held_while_it_is_read(void **state)
{
    struct box *b = box_new();
    struct pingo_content *c = NULL;
    struct pingo_error err;
    char byte = 0;
    int64_t size = 0, sum = 0;
    int fd = -1;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    struct pingo_hash hash = hash_at(b, 1, 1);
    assert_int_equal(pingo_store_content(b->store, &hash, &c, &err), PINGO_ESTATE);
    assert_null(c);
    box_finish_all(b);
    well(pingo_store_content(b->store, &hash, &c, &err), &err);
    assert_int_equal(pingo_store_remove(b->store, &hash, &err), PINGO_ECLAIMED);
    well(pingo_content_open(c, NULL, &fd, &size, &err), &err);
    assert_int_equal(size, 2);
    assert_int_equal(read(fd, &byte, 1), 1);
    assert_int_equal(byte, 'a');
    close(fd);
    assert_int_equal(pingo_content_open(c, "x", &fd, &size, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_content_open(c, "..", &fd, &size, &err), PINGO_EINVAL);
    assert_int_equal(pingo_content_list(c, NULL, on_entry, &sum, &err), PINGO_ESTATE);
    pingo_content_close(c);
    well(pingo_store_remove(b->store, &hash, &err), &err);
    box_tick(b);
    box_tick(b);
    assert_int_equal(pingo_store_content(b->store, &hash, &c, &err), PINGO_ESTATE);
    box_close(b);
}

/* ---- a directory ---------------------------------------------------------------------------- */

/* The bytes of the dataset of action 1 become a directory: a file of 5 bytes, one below another directory, what leads
 * out of it by links, and what is neither a file nor a directory. */
static void make_directory(struct box *b)
{
    char path[400];
    int at;

    snprintf(path, sizeof path, "%s/pool/", b->dir);
    size_t n = strlen(path);
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(
        pingo__db_query(&b->store->db, NULL, &stmt, "SELECT path FROM object WHERE id = 1", NONE),
        0);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    snprintf(path + n, sizeof path - n, "%s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_reset(stmt);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0755), 0);
    at = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(at >= 0);
    assert_int_equal(mkdirat(at, "below", 0755), 0);
    assert_int_equal(symlinkat("/etc", at, "out"), 0);
    assert_int_equal(symlinkat("below", at, "within"), 0);
    assert_int_equal(symlinkat("below/file", at, "below/link"), 0);
    assert_int_equal(mkfifoat(at, "fifo", 0644), 0);
    for (int i = 0; i < 2; i++) {
        int fd = openat(at, i ? "below/file" : "a file", O_WRONLY | O_CREAT | O_EXCL, 0644);
        assert_int_equal(write(fd, "12345", 5), 5);
        close(fd);
    }
    close(at);
}

static struct box *with_directory(struct pingo_content **c)
{
    struct box *b = box_new();
    struct pingo_error err;

    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    make_directory(b);
    struct pingo_hash hash = hash_at(b, 1, 1);
    well(pingo_store_content(b->store, &hash, c, &err), &err);
    return b;
}

static void test_content__no_path_leads_out_of_it(void **state)
{
    static const struct {
        const char *path;
        int rc;
        int64_t size;
        const char *said;
    } rows[] = {
        {NULL, 0, -1, ""},
        {"a file", 0, 5, ""},
        {"below", 0, -1, ""},
        {"below/file", 0, 5, ""},
        {"below/other", PINGO_ENOTFOUND, 0, "other: there is no such file in the dataset"},
        {"a file/below", PINGO_ENOTFOUND, 0, "below: there is no such file in the dataset"},
        {"out", PINGO_ENOTFOUND, 0, "out: there is no such file in the dataset"},
        {"out/passwd", PINGO_ENOTFOUND, 0, "out: there is no such file in the dataset"},
        {"within/file", PINGO_ENOTFOUND, 0, "within: there is no such file in the dataset"},
        {"below/link", PINGO_ENOTFOUND, 0, "link: there is no such file in the dataset"},
        {"fifo", PINGO_ENOTFOUND, 0, "fifo: is neither a file nor a directory"},
        {"..", PINGO_EINVAL, 0, "\"..\" is no path below a dataset"},
        {"below/../a file", PINGO_EINVAL, 0, "\"below/../a file\" is no path below a dataset"},
        {"./a file", PINGO_EINVAL, 0, "is no path below a dataset"},
        {"/etc/passwd", PINGO_EINVAL, 0, "\"/etc/passwd\" is no path below a dataset"},
        {"below//file", PINGO_EINVAL, 0, "is no path below a dataset"},
        {"below/", PINGO_EINVAL, 0, "is no path below a dataset"},
    };
    struct pingo_content *c = NULL;
    struct box *b = with_directory(&c);
    struct pingo_error err;
    int64_t size;
    int fd;

    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int rc = pingo_content_open(c, rows[i].path, &fd, &size, &err);
        if (rc != rows[i].rc)
            fail_msg("%s gives %s", rows[i].path, pingo_error_name(rc));
        if (rc) {
            assert_int_equal(fd, -1);
            assert_non_null(strstr(err.message, rows[i].said));
        } else {
            assert_int_equal(size, rows[i].size);
            assert_int_equal(close(fd), 0);
        }
    }
    pingo_content_close(c);
    pingo_content_close(NULL);
    box_close(b);
}

struct listed {
    const struct pingo_content *c;
    int files, directories, others;
};

/* May open what it is told. */
static int on_listed(void *context, const char *name, bool is_directory, int64_t size)
{
    struct listed *l = context;
    struct pingo_error err;

    if (!is_directory && size == 5) {
        int fd;
        well(pingo_content_open(l->c, name, &fd, &size, &err), &err);
        close(fd);
    }
    l->files += !is_directory && size == 5;
    l->directories += is_directory && size == -1;
    l->others += !is_directory && size == -1;
    return 0;
}

static int stop(void *context, const char *name, bool is_directory, int64_t size)
{
    UNUSED(name);
    UNUSED(is_directory);
    UNUSED(size);
    ++*(int *)context;
    return 1;
}

/* The file system gives no more: what was opened last is no directory any more. */
static int lose(void *context, const char *name, bool is_directory, int64_t size)
{
    int null = open("/dev/null", O_RDONLY), fd = 256;
    struct stat st;

    UNUSED(name);
    UNUSED(is_directory);
    UNUSED(size);
    while (!*(int *)context && --fd > 2)
        if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
            *(int *)context = dup2(null, fd);
    close(null);
    return 0;
}

static void test_content__a_directory_is_listed(void **state)
{
    struct pingo_content *c = NULL;
    struct box *b = with_directory(&c);
    struct listed l = {.c = c};
    struct pingo_error err;
    int n = 0;

    UNUSED(state);
    for (int i = 1; i <= 2; i++) { /* each time from the beginning */
        well(pingo_content_list(c, NULL, on_listed, &l, &err), &err);
        assert_int_equal(l.files, i);
        assert_int_equal(l.directories, i);
        assert_int_equal(l.others, 3 * i); /* two links and a pipe */
    }
    assert_int_equal(pingo_content_list(c, NULL, stop, &n, &err), PINGO_EINTERRUPTED);
    assert_int_equal(n, 1);
    assert_int_equal(pingo_content_list(c, "within", stop, &n, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_content_list(c, "a file", stop, &n, &err), PINGO_ESTATE);
    assert_string_equal(err.message, "it is no directory");
    assert_int_equal(n, 1);
    n = 0;
    assert_int_equal(pingo_content_list(c, NULL, lose, &n, &err), PINGO_EIO);
    pingo_content_close(c);
    box_close(b);
}

/* Who cannot open it holds nothing. */
static void test_content__what_is_not_there_is_not_held(void **state)
{
    struct pingo_content *c = NULL;
    struct box *b = with_directory(&c);
    struct pingo_hash hash = hash_at(b, 1, 1), nobodys = {{1}};
    struct pingo_error err;
    char path[400];

    UNUSED(state);
    assert_int_equal(box_int(b, "SELECT count(*) FROM hold"), 1);
    pingo_content_close(c);
    assert_int_equal(box_int(b, "SELECT count(*) FROM hold"), 0);
    snprintf(path, sizeof path, "%s/pool/objects", b->dir);
    box_remove(path);
    assert_int_equal(pingo_store_content(b->store, &hash, &c, &err), PINGO_ESTATE);
    assert_null(c);
    assert_non_null(strstr(err.message, "the dataset is gone from its place: /"));
    assert_int_equal(pingo_store_content(b->store, &nobodys, &c, &err), PINGO_ENOTFOUND);
    assert_null(c);
    assert_int_equal(box_int(b, "SELECT count(*) FROM hold"), 0);
    assert_int_equal(box_int(b, "SELECT count(*) FROM owner"), 1); /* the scheduler */
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content__is_held_while_it_is_read),
        cmocka_unit_test(test_content__no_path_leads_out_of_it),
        cmocka_unit_test(test_content__a_directory_is_listed),
        cmocka_unit_test(test_content__what_is_not_there_is_not_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
