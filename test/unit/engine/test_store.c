/* test_store.c - a store is made, found, opened, moved and copied; two stores never share a pool. */
#include "unit/engine/box.h"

#include <sys/wait.h>

#include "store/meta.h"

/* ---- a directory to work in ------------------------------------------------------------------ */

static char root[64];

static int set_up(void **state)
{
    UNUSED(state);
    strcpy(root,
           access("/dev/shm", W_OK) == 0 ? "/dev/shm/pingo-unit-XXXXXX" : "/tmp/pingo-unit-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    UNUSED(state);
    box_remove(root);
    return 0;
}

/* Below the directory, of which there are four at a time. */
static const char *at(const char *below)
{
    static char paths[4][160];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof *paths, "%s/%s", root, below);
    return path;
}

static void copy(const char *from, const char *to)
{
    char command[400];

    snprintf(command, sizeof command, "cp -a '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

static void make(const char *below, const char *pool)
{
    struct pingo_error err;

    well(pingo_store_init(at(below), pool ? at(pool) : NULL, &err), &err);
}

static void on_log(void *context, enum pingo_log_level level, const char *message)
{
    UNUSED(level);
    snprintf(context, 300, "%s", message);
}

/* Opens and closes it: which pool it has, and what was logged. */
static int looks(const char *below, char *pool, char *log, struct pingo_error *err)
{
    struct pingo_store_options options = {.version = 1, .log = on_log, .context = log};
    struct pingo_store *store = NULL;
    int rc;

    *pool = *log = '\0';
    rc = pingo_store_open(at(below), &options, &store, err);
    assert_int_equal(store != NULL, rc == 0);
    if (store) {
        assert_string_equal(pingo_store_directory(store), at(below));
        snprintf(pool, 160, "%s", pingo_store_pool(store));
    }
    pingo_store_close(store);
    return rc;
}

static void has_pool(const char *below, const char *pool, const char *said)
{
    char is[160], log[300];
    struct pingo_error err;

    well(looks(below, is, log, &err), &err);
    assert_string_equal(is, at(pool));
    if (*said ? !strstr(log, said) : *log)
        fail_msg("%s: %s", below, log);
}

/* ---- making one ------------------------------------------------------------------------------ */

/* It would be the working directory. */
static void test_store__no_directory_is_refused(void **state)
{
    struct pingo_error err = {0};
    struct pingo_store *store = NULL;
    char here[256];

    UNUSED(state);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(root), 0);
#define REFUSED(call)                                                                              \
    assert_int_equal(call, PINGO_EINVAL);                                                          \
    assert_int_equal(err.code, PINGO_EINVAL);                                                      \
    assert_non_null(strstr(err.message, "no directory"))
    REFUSED(pingo_store_init("", NULL, &err));
    REFUSED(pingo_store_init(NULL, NULL, &err));
    REFUSED(pingo_store_init("store", "", &err));
    REFUSED(pingo_store_open("", NULL, &store, &err));
    REFUSED(pingo_store_open(NULL, NULL, &store, &err));
    assert_null(store);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(rmdir(root), 0); /* and nothing was made in it */
    assert_int_equal(mkdir(root, 0700), 0);
}

/* Nor has a relative path a meaning where the working directory was removed. */
static void test_store__a_working_directory_that_is_gone_is_told(void **state)
{
    struct pingo_error err = {0};
    struct pingo_store *store = NULL;
    char here[256], *found = NULL;

    UNUSED(state);
    assert_non_null(getcwd(here, sizeof here));
    make("there", NULL);
    assert_int_equal(mkdir(at("gone"), 0700), 0);
    assert_int_equal(chdir(at("gone")), 0);
    assert_int_equal(rmdir(at("gone")), 0);
#define TOLD(call, path)                                                                           \
    assert_int_equal(call, PINGO_EIO);                                                             \
    assert_string_equal(err.message,                                                               \
                        path ": finding the working directory: No such file or directory")
    TOLD(pingo_store_init("store", NULL, &err), "store");
    TOLD(pingo_store_init(at("new"), "pool", &err), "pool");
    TOLD(pingo_store_open("store", NULL, &store, &err), "store");
    TOLD(pingo_store_discover("store", NULL, NULL, &found, &err), "store");
    TOLD(pingo_store_discover(NULL, NULL, NULL, &found, &err), ".");
    TOLD(pingo_store_destroy("store", NULL, NULL, &err), "store");
    well(pingo_store_open(at("there"), NULL, &store, &err), &err);
    TOLD(pingo_store_check_target(store, "out", &err), "out");
    pingo_store_close(store);
    assert_int_equal(chdir(here), 0);
}

static void test_store__is_closed_to_others_and_to_version_control(void **state)
{
    struct pingo_store *one = NULL, *two = NULL;
    struct pingo_error err;
    char text[16] = "";
    struct stat st;
    int fd;

    UNUSED(state);
    assert_int_equal(mkdir(at("one"), 0755), 0); /* one that is there is closed, too */
    make("one", NULL);
    make("deep/down/two", "pool");
    assert_int_equal(stat(at("one"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    fd = open(at("deep/down/two/.gitignore"), O_RDONLY);
    assert_int_equal(read(fd, text, sizeof text), 2);
    assert_string_equal(text, "*\n");
    close(fd);
    well(pingo_store_open(at("one"), NULL, &one, &err), &err);
    well(pingo_store_open(at("deep/down/two"), NULL, &two, &err), &err);
    assert_string_equal(pingo_store_pool(one), at("one/pool"));
    assert_string_equal(pingo_store_pool(two), at("pool"));
    assert_int_equal(strlen(pingo_store_id(one)), 32);
    assert_int_equal(strspn(pingo_store_id(one), "0123456789abcdef"), 32);
    assert_string_not_equal(pingo_store_id(one), pingo_store_id(two));
    pingo_store_close(one);
    pingo_store_close(two);
    pingo_store_close(NULL);
    /* What is there stays as it is. */
    assert_int_equal(mkdir(at("three"), 0755), 0);
    assert_int_equal(symlink("nowhere", at("three/.gitignore")), 0);
    make("three", NULL);
    assert_int_equal(readlink(at("three/.gitignore"), text, sizeof text), 7);
}

/* One that failed leaves nothing of its own, and what was there before it stays. */
static void test_store__nothing_half_made_is_left(void **state)
{
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(pingo_store_init(at("one"), "nothing://x", &err), PINGO_EINVAL);
    assert_int_equal(access(at("one"), F_OK), -1);
    make("two", NULL);
    assert_int_equal(mkdir(at("one"), 0700), 0);
    assert_int_equal(symlink("mine", at("one/.gitignore")), 0);
    assert_int_equal(pingo_store_init(at("one"), at("two/pool"), &err), PINGO_ESTORE);
    assert_int_equal(unlink(at("one/.gitignore")), 0);
    assert_int_equal(rmdir(at("one")), 0);
    has_pool("two", "two/pool", "");
}

/* ---- finding one ----------------------------------------------------------------------------- */

static void test_store__is_found_as_git_finds_its_own(void **state)
{
    static const struct {
        const char *explicit_dir, *environment_dir, *start_dir;
        const char *found, *said; /* below root */
    } rows[] = {
        {NULL, NULL, "project/deep/down", "project/.pingo", ""},
        {NULL, NULL, "project", "project/.pingo", ""},
        {NULL, NULL, "project/.pingo", "project/.pingo", ""},
        {NULL, NULL, "plain", NULL, "there is no store in "}, /* which is one, and is not called so */
        {"plain", NULL, "project", "plain", ""},
        {"project", "plain", "other", "project/.pingo", ""},
        {"project/.pingo", NULL, NULL, "project/.pingo", ""},
        {"project/deep", "plain", "project", NULL, "there is no store here"},
        {NULL, "plain", "project", "plain", ""},
        {NULL, "project", NULL, "project/.pingo", ""},
        {NULL, "project/deep", "project", NULL, "(it is named by PINGO_DIR)"},
        {NULL, NULL, "nowhere", NULL, "there is no store in "},
    };
    struct pingo_error err;
    char *found = NULL, here[256];

    UNUSED(state);
    make("project/.pingo", NULL);
    make("plain", NULL);
    assert_int_equal(mkdir(at("project/deep"), 0700), 0);
    assert_int_equal(mkdir(at("project/deep/down"), 0700), 0);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(root), 0); /* relative ones begin here */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int rc = pingo_store_discover(rows[i].explicit_dir, rows[i].environment_dir,
                                      rows[i].start_dir, &found, &err);
        if (rc != (rows[i].found ? 0 : PINGO_ENOSTORE) || (rc && !strstr(err.message, rows[i].said)))
            fail_msg("row %zu: %s", i, rc ? err.message : found);
        if (rc)
            assert_null(found);
        else
            assert_string_equal(found, at(rows[i].found));
        free(found);
    }
    assert_int_equal(chdir("project/deep/down"), 0);
    well(pingo_store_discover(NULL, NULL, NULL, &found, &err), &err);
    assert_string_equal(found, at("project/.pingo"));
    free(found);
    assert_int_equal(chdir(here), 0);
}

/* ---- opening one ----------------------------------------------------------------------------- */

static void test_store__one_whose_making_was_cut_short(void **state)
{
    struct pingo__store_db db;
    char pool[160], log[300];
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(mkdir(at("one"), 0700), 0);
    for (int i = 0; i < 2; i++) { /* and again over what the first has left */
        well(pingo__store_db_create(&db, at("one"), &err), &err);
        assert_int_equal(looks("one", pool, log, &err), PINGO_ENOSTORE);
        pingo__store_db_close(&db);
    }
    make("one", NULL);
    well(looks("one", pool, log, &err), &err);
    assert_int_not_equal(access(at("one/pingo.db.new"), F_OK), 0);
    make("two", NULL);
    well(pingo__store_db_open(&db, at("two"), 0, &err), &err);
    well(pingo__store_db_begin(&db, &err), &err);
    well(pingo__db_write(&db, &err, "DELETE FROM meta WHERE key = 'pool.path'", NONE), &err);
    well(pingo__store_db_end(&db, 0, &err), &err);
    pingo__store_db_close(&db);
    assert_int_equal(looks("two", pool, log, &err), PINGO_ESTORE);
    assert_non_null(strstr(err.message,
                           "two: making the store was interrupted; remove the directory"
                           " and make it anew"));
}

static void test_store__one_whose_pool_alone_was_made(void **state)
{
    char pool[160], log[300];
    struct pingo_error err;

    UNUSED(state);
    for (int i = 0; i < 3; i++) {
        const char *name = (const char *[]){"one", "two", "three"}[i];
        char below[2][64];
        make(name, "pool");
        for (int j = 0; j < 2; j++)
            snprintf(below[j], sizeof *below, "%s/pingo.db%s", name, j ? ".new" : "");
        assert_int_equal(rename(at(below[0]), at(below[1])), 0);
        if (i == 1) /* nor was its id written */
            assert_int_equal(truncate(at("pool/pingo-pool"), 0), 0);
        if (i == 2) { /* what lies in a pool is not for one that is being made */
            assert_int_equal(mkdir(at("pool/staged/x"), 0700), 0);
            assert_int_equal(pingo_store_init(at(name), at("pool"), &err), PINGO_EEXISTS);
        } else {
            make(name, "pool");
            well(looks(name, pool, log, &err), &err);
            assert_string_equal(pool, at("pool"));
        }
        box_remove(at("pool"));
    }
}

/* Makes it, or sees another do so, and opens it until it is there: whole, or not yet. */
static int races(void)
{
    char pool[160], log[300];
    struct pingo_error err;
    int rc = pingo_store_init(at("one"), NULL, &err);
    bool made = rc == 0;
    if (rc && rc != PINGO_EEXISTS)
        return 2;
    while ((rc = looks("one", pool, log, &err)) == PINGO_ENOSTORE)
        ;
    if (rc || *log)
        fprintf(stderr, "# %s\n", rc ? err.message : log);
    return rc || *log ? 2 : made;
}

static void test_store__many_make_one_at_once(void **state)
{
    enum { MANY = 12 };
    pid_t child[MANY];
    int made = 0;

    UNUSED(state);
    for (int i = 0; i < MANY; i++)
        if ((child[i] = fork()) == 0)
            _exit(races());
    for (int i = 0; i < MANY; i++) {
        int status = 0;

        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
        made += WEXITSTATUS(status);
    }
    assert_int_equal(made, 1);
}

static void test_store__tables_of_executors_are_checked(void **state)
{
    struct pingo_executor_type t = fake_type;
    const struct pingo_executor_type *list[] = {&t};
    struct pingo_store_options options = {.version = 1, .executors = list, .nexecutors = 1};
    struct pingo_store *store = NULL;
    struct pingo_error err;

    UNUSED(state);
    make("one", NULL);
    well(pingo_store_open(at("one"), &options, &store, &err), &err);
    pingo_store_close(store);
    t.start = NULL;
    assert_int_equal(pingo_store_open(at("one"), &options, &store, &err), PINGO_EINVAL);
    assert_null(store);
    assert_non_null(strstr(err.message, "\"fake\" has no function start"));
}

/* What they write others see at once, and it stays. */
static void test_store__one_syncs_later(void **state)
{
    struct box *b = box_new();
    struct pingo_store_options options = {.version = 2, .syncs_later = true};
    struct pingo_store *second = NULL;
    struct pingo_error err;
    char *value = NULL;

    UNUSED(state);
    well(pingo_store_open(b->dir, &options, &second, &err), &err);
    well(pingo_store_sync(second, &err), &err);
    well(pingo_store_set(second, "executor.slots", "7", &err), &err);
    well(pingo_store_get(b->store, "executor.slots", &value, &err), &err);
    assert_string_equal(value, "7");
    free(value);
    well(pingo_store_sync(second, &err), &err);
    well(pingo_store_sync(b->store, &err), &err);
    pingo_store_close(second);
    box_clean(b);
    box_close(b);
}

/* ---- one that is not where it was ------------------------------------------------------------ */

static void test_store__moves_with_its_pool(void **state)
{
    UNUSED(state);
    make("one/.pingo", "one/pool");
    make("one/other", NULL);
    has_pool("one/.pingo", "one/pool", "");
    has_pool("one/other", "one/other/pool", "");
    assert_int_equal(rename(at("one"), at("two")), 0);
    has_pool("two/.pingo", "two/pool", "");
    has_pool("two/other", "two/other/pool", "");
    /* The store alone: its pool is where it was. */
    assert_int_equal(mkdir(at("three"), 0700), 0);
    assert_int_equal(rename(at("two/.pingo"), at("three/.pingo")), 0);
    has_pool("three/.pingo", "two/pool", "");
}

#define COPIED "this store was copied, moved to another disk or put back from a copy"

static void test_store__a_copy_has_a_pool_of_its_own(void **state)
{
    char pool[160], log[300], said[300];
    struct pingo_error err;

    UNUSED(state);
    make("one/.pingo", "one/pool");
    has_pool("one/.pingo", "one/pool", "");
    copy(at("one"), at("two"));
    has_pool("two/.pingo", "two/pool", COPIED);
    has_pool("two/.pingo", "two/pool", ""); /* it is told once */
    has_pool("one/.pingo", "one/pool", "");
    /* Of the store alone. */
    assert_int_equal(mkdir(at("three"), 0700), 0);
    copy(at("one/.pingo"), at("three/.pingo"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(looks("three/.pingo", pool, log, &err), PINGO_ESTORE);
        snprintf(said, sizeof said,
                 "is a copy of the store %s, and would share its pool; give it"
                 " one of its own: cp -a %s %s/pool",
                 at("one/.pingo"), at("one/pool"), at("three/.pingo"));
        assert_non_null(strstr(err.message, said));
    }
    copy(at("one/pool"), at("three/.pingo/pool")); /* as it says */
    has_pool("three/.pingo", "three/.pingo/pool", COPIED);
    has_pool("one/.pingo", "one/pool", "");
    /* Where the other is gone, the pool is nobody else's. */
    copy(at("one/.pingo"), at("four"));
    assert_int_equal(looks("four", pool, log, &err), PINGO_ESTORE);
    box_remove(at("one/.pingo"));
    has_pool("four", "one/pool", "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_store__##name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_directory_is_refused),
        TEST(a_working_directory_that_is_gone_is_told),
        TEST(is_closed_to_others_and_to_version_control),
        TEST(nothing_half_made_is_left),
        TEST(is_found_as_git_finds_its_own),
        TEST(one_whose_making_was_cut_short),
        TEST(one_whose_pool_alone_was_made),
        TEST(many_make_one_at_once),
        TEST(tables_of_executors_are_checked),
        TEST(one_syncs_later),
        TEST(moves_with_its_pool),
        TEST(a_copy_has_a_pool_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
