/* test_destroy.c - a store goes with its pool; what is not Pingo's stays and is told; not while somebody uses it. */
#include "unit/engine/box.h"

static void put(struct box *b, const char *below, const char *text)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", b->dir, below);
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        fail_msg("%s: %s", path, strerror(errno));
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static bool is_there(struct box *b, const char *below)
{
    struct stat st;
    char path[200];

    snprintf(path, sizeof path, "%s/%s", b->dir, below);
    return lstat(path, &st) == 0;
}

struct kept {
    size_t n, from; /* from: how long the path of the store is */
    char names[20][64];
};

static int on_kept(void *context, const char *path, const char *why)
{
    struct kept *k = context;

    assert_true(*why && k->n < 20);
    snprintf(k->names[k->n++], sizeof *k->names, "%s", path + k->from);
    return 0;
}

static bool was_told(const struct kept *k, const char *name)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->names[i], name) == 0)
            return true;
    return false;
}

/* A store that nobody uses any more, with a dataset. */
static struct box *used(void)
{
    struct box *b = box_new();

    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    box_leave(b);
    return b;
}

static void test_destroy__takes_all_that_pingo_made(void **state)
{
    static const char *const made[] = {"reserve",
                                       "serve.sock",
                                       "serve.lock",
                                       "serve.html",
                                       "owners/17",
                                       "executor/local.sock",
                                       "executor/journal.3",
                                       "executor/running.3",
                                       "runs/all.log",
                                       "runs/17.log",
                                       "archive/lock",
                                       "archive/2026-11.db",
                                       "archive/2026-11.2.db",
                                       "archive/2026-11.sealed.db",
                                       "archive/2026-11.db-wal",
                                       ".gitignore"};
    static const char *const rooms[] = {"owners", "executor", "runs", "archive"};
    struct box *b = used();
    struct kept k = {.from = strlen(b->dir) + 1};
    struct pingo_error err;
    char path[200];

    UNUSED(state);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        snprintf(path, sizeof path, "%s/%s", b->dir, rooms[i]);
        mkdir(path, 0700);
    }
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        put(b, made[i], strcmp(made[i], ".gitignore") == 0 ? "*\n" : "x");
    well(pingo_store_destroy(b->dir, on_kept, &k, &err), &err);
    for (size_t i = 0; i < k.n; i++)
        print_message("kept: %s\n", k.names[i]);
    assert_int_equal(k.n, 0);
    assert_int_equal(access(b->dir, F_OK), -1);
    assert_int_equal(pingo_store_destroy(b->dir, on_kept, &k, &err), PINGO_ENOSTORE);
    well(pingo_store_init(b->dir, NULL, &err), &err);
    box_close(b);
}

static void test_destroy__what_it_did_not_make_stays_and_is_told(void **state)
{
    static const char *const others[] = {
        "todo",           "runs/notes.log",         "runs/17.txt",     "archive/2026-11.txt",
        "archive/old.db", "archive/2026-1.db",      "owners/x1",       "executor/local.log",
        "pool/notes",     "pool/objects/mine.html", "pool/staged/link"};
    static const char *const rooms[] = {"owners", "executor", "runs", "archive"};
    enum { N = sizeof others / sizeof *others };
    struct box *b = used();
    struct kept k = {.from = strlen(b->dir) + 1};
    struct pingo_error err;
    char path[200];

    UNUSED(state);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        snprintf(path, sizeof path, "%s/%s", b->dir, rooms[i]);
        mkdir(path, 0700);
    }
    put(b, ".gitignore", "*\n!todo\n"); /* somebody has changed it */
    for (size_t i = 0; i + 1 < N; i++)
        put(b, others[i], "mine");
    snprintf(path, sizeof path, "%s/%s", b->dir, others[N - 1]);
    assert_int_equal(symlink("..", path), 0); /* followed, it would take all */
    well(pingo_store_destroy(b->dir, on_kept, &k, &err), &err);
    for (size_t i = 0; i < N; i++)
        if (!is_there(b, others[i]) || !was_told(&k, others[i]))
            fail_msg("%s: %s", others[i], is_there(b, others[i]) ? "is not told" : "has gone");
    assert_true(is_there(b, ".gitignore") && was_told(&k, ".gitignore"));
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        assert_false(was_told(&k, rooms[i])); /* they are Pingo's, and what stays in them was told */
    assert_int_equal(k.n, N + 1);
    assert_false(is_there(b, "pingo.db") || is_there(b, "lock") || is_there(b, "pool/pingo-pool"));
    box_remove(b->root);
    free(b);
}

static void test_destroy__not_while_somebody_uses_it(void **state)
{
    struct box *b = box_new();
    char said[120];
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    assert_int_equal(pingo_store_destroy(b->dir, NULL, NULL, &err), PINGO_EBUSY);
    snprintf(said, sizeof said, "%s: a process runs workflows of this store", b->dir);
    assert_string_equal(err.message, said);
    box_finish_all(b);
    pingo_scheduler_close(b->s);
    b->s = NULL;
    assert_int_equal(pingo_store_destroy(b->dir, NULL, NULL, &err), PINGO_EBUSY); /* a handle */
    box_clean(b);
    box_leave(b);
    well(pingo_store_destroy(b->dir, NULL, NULL, &err), &err);
    assert_int_equal(access(b->dir, F_OK), -1);
    box_remove(b->root);
    free(b);
}

static void test_destroy__not_the_pool_of_another(void **state)
{
    struct box *b = used();
    struct pingo_error err;
    char marker[120], id[34] = "";

    UNUSED(state);
    snprintf(marker, sizeof marker, "%s/pool/pingo-pool", b->dir);
    int fd = open(marker, O_RDONLY);
    assert_int_equal(read(fd, id, 32), 32);
    close(fd);
    put(b, "pool/pingo-pool", "another\n");
    assert_int_equal(pingo_store_destroy(b->dir, NULL, NULL, &err), PINGO_ESTORE);
    assert_non_null(strstr(err.message, "is not this store's pool"));
    assert_true(is_there(b, "pingo.db") && is_there(b, ".gitignore") && is_there(b, "pool/objects"));
    put(b, "pool/pingo-pool", strcat(id, "\n"));
    box_open_store(b);
    box_clean(b);
    box_leave(b);
    /* One that was cut short behind its pool is done again. */
    snprintf(marker, sizeof marker, "%s/pool", b->dir);
    box_remove(marker);
    well(pingo_store_destroy(b->dir, NULL, NULL, &err), &err);
    assert_int_equal(access(b->dir, F_OK), -1);
    box_remove(b->root);
    free(b);
}

/* "" would be the working directory. */
static void test_destroy__nothing_is_no_store(void **state)
{
    struct box *b = used();
    struct pingo_error err;
    char here[256];

    UNUSED(state);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(b->dir), 0);
    assert_int_equal(pingo_store_destroy("", NULL, NULL, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "no directory is given for the store");
    assert_int_equal(pingo_store_destroy(NULL, NULL, NULL, &err), PINGO_EINVAL);
    assert_int_equal(pingo_store_destroy("..", NULL, NULL, &err), PINGO_ENOSTORE);
    assert_true(is_there(b, "pingo.db"));
    well(pingo_store_destroy(".", NULL, NULL, &err), &err);
    assert_int_equal(access(b->dir, F_OK), -1);
    assert_int_equal(chdir(here), 0);
    box_remove(b->root);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_destroy__takes_all_that_pingo_made),
        cmocka_unit_test(test_destroy__what_it_did_not_make_stays_and_is_told),
        cmocka_unit_test(test_destroy__not_while_somebody_uses_it),
        cmocka_unit_test(test_destroy__not_the_pool_of_another),
        cmocka_unit_test(test_destroy__nothing_is_no_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
