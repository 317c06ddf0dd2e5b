/* test_bundle.c - the lists of array jobs: what is written, what is read again, what is no list, and which of them go. */
#include "unit/executor/slurm_way.h"

#include <errno.h>
#include <sys/syscall.h>

#include "digest/sha256.h"

enum { KEYS = 3 };

/* Lists cannot be read, as on a file server that is away. */
static bool is_away;

int openat(int dir, const char *name, int flags, ...)
{
    const char *slash = strrchr(name, '/');
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!is_away || !slash || strcmp(slash, "/list") != 0)
        return (int)syscall(SYS_openat, dir, name, flags, mode);
    errno = EIO;
    return -1;
}

static struct pingo__executor_slurm_bundle *make(int64_t first)
{
    struct pingo__executor_slurm_bundle *b;
    struct pingo_job_key keys[KEYS];
    for (int i = 0; i < KEYS; i++)
        keys[i] = (struct pingo_job_key){first + i, 2};
    assert_int_equal(pingo__executor_slurm_bundle_make(fake.s, keys, KEYS, &b), 0);
    return b;
}

static void path_of(char path[160], const char *name, const char *file)
{
    snprintf(path, 160, "%s/attempts/.bundles/%s%s%s", fake.pool, name, *file ? "/" : "", file);
}

static bool is_there(const char *name)
{
    char path[160];
    struct stat st;
    path_of(path, name, "");
    return lstat(path, &st) == 0;
}

static void grow_old(const char *name, const char *file)
{
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char path[160];
    path_of(path, name, file);
    assert_int_equal(utimensat(AT_FDCWD, path, old, AT_SYMLINK_NOFOLLOW), 0);
}

/* A list under the name that is its text's own. */
static void plant(const char *text, char name[PINGO__BUNDLE_SIZE])
{
    char path[160];
    pingo__digest_short(text, strlen(text), name);
    path_of(path, "", "");
    mkdir(path, 0755);
    path_of(path, name, "");
    assert_int_equal(mkdir(path, 0755), 0);
    path_of(path, name, "list");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void forget_all(void)
{
    pingo__executor_slurm_bundles_forget(fake.s, true);
    assert_null(fake.s->bundles);
}

/* Who comes after us finds the same, task by task. */
static void test_bundle__is_read_as_it_was_written(void **state)
{
    char name[PINGO__BUNDLE_SIZE], path[160], text[64];
    (void)state;
    struct pingo__executor_slurm_bundle *b = make(7);
    assert_ptr_equal(make(7), b); /* the same attempts are the same list */
    memcpy(name, b->name, sizeof name);
    path_of(path, name, "list");
    assert_true(pingo__file_read(AT_FDCWD, path, text, sizeof text) > 0);
    assert_string_equal(text, "7.2\n8.2\n9.2\n");
    path_of(path, name, "list.new");
    assert_int_equal(access(path, F_OK), -1);
    forget_all();
    assert_null(pingo__executor_slurm_bundle_find(fake.s, name));
    pingo__executor_slurm_bundles_load(fake.s);
    pingo__executor_slurm_bundles_load(fake.s);
    b = pingo__executor_slurm_bundle_find(fake.s, name);
    assert_non_null(b);
    assert_null(b->next);
    assert_int_equal(b->n, KEYS);
    assert_int_equal(b->left, KEYS);
    for (int i = 0; i < KEYS; i++) {
        assert_int_equal(b->keys[i].action, 7 + i);
        assert_int_equal(b->keys[i].epoch, 2);
    }
}

/* What another program or a broken disk has put there leads to nobody's attempts. */
static void test_bundle__what_is_no_list(void **state)
{
    static const char *const texts[] = {"7.2\n8\n", "7.2\n\n", "99999999999999999999.1\n"};
    char name[PINGO__BUNDLE_SIZE], path[160];
    (void)state;
    memcpy(name, make(7)->name, sizeof name);
    forget_all();
    path_of(path, name, "list");
    FILE *list = fopen(path, "a"); /* not the text of this name any more */
    assert_non_null(list);
    fputs("10.2\n", list);
    fclose(list);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        plant(texts[i], name);
    path_of(path, "a-name-that-is-far-too-long", "");
    assert_int_equal(mkdir(path, 0755), 0);
    path_of(path, "0000000000000000", "");
    assert_int_equal(symlink(fake.pool, path), 0);
    pingo__executor_slurm_bundles_load(fake.s);
    assert_null(fake.s->bundles);
}

static void test_bundle__that_cannot_be_written_is_none(void **state)
{
    char path[160];
    struct pingo__executor_slurm_bundle *b;
    (void)state;
    snprintf(path, sizeof path, "%s/attempts/.bundles", fake.pool);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    assert_int_equal(pingo__executor_slurm_bundle_make(fake.s, &key, 1, &b), PINGO_EIO);
    assert_null(b);
    assert_null(fake.s->bundles);
}

/* Only what was seen not to be there is: its attempts are cancelled then. */
static void test_bundle__is_gone_where_the_pool_is_in_sight(void **state)
{
    char name[PINGO__BUNDLE_SIZE], attempts[96], away[96];
    (void)state;
    const struct pingo__executor_slurm_bundle *b = make(7);
    memcpy(name, b->name, sizeof name);
    assert_false(pingo__executor_slurm_bundle_is_gone(fake.s, name));
    snprintf(attempts, sizeof attempts, "%s/attempts", fake.pool);
    snprintf(away, sizeof away, "%s/away", fake.pool);
    assert_int_equal(rename(attempts, away), 0);
    assert_false(pingo__executor_slurm_bundle_is_gone(fake.s, name));
    assert_int_equal(rename(away, attempts), 0);
    pingo__executor_bundle_remove(fake.pool, b->name);
    assert_true(pingo__executor_slurm_bundle_is_gone(fake.s, name));
}

/* As where a disk or a server of files is in trouble. */
static void test_bundle__what_cannot_be_read_stays(void **state)
{
    char name[PINGO__BUNDLE_SIZE], path[160];
    (void)state;
    memcpy(name, make(7)->name, sizeof name);
    path_of(path, name, "list");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("list", path), 0);
    grow_old(name, "list");
    grow_old(name, "");
    pingo__executor_slurm_bundles_trim(fake.s, NULL, 0);
    assert_true(is_there(name));
    assert_int_equal(unlink(path), 0);
    grow_old(name, "");
    pingo__executor_slurm_bundles_trim(fake.s, NULL, 0);
    assert_false(is_there(name));
}

static void write_list(const char *name, const char *text)
{
    char path[160];
    path_of(path, name, "list");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    grow_old(name, "list");
}

/* Whose its tasks are is not known: they may be anybody's who is waited for, and nobody's when nobody is. */
static void test_bundle__with_a_line_that_does_not_read_back(void **state)
{
    const struct pingo_job_key wanted = {8, 2};
    char names[3][PINGO__BUNDLE_SIZE];
    (void)state;
    plant("7.2\n8.2\n9/\n", names[0]);
    memcpy(names[1], make(7)->name, sizeof names[1]);
    memcpy(names[2], make(20)->name, sizeof names[2]);
    forget_all();
    write_list(names[0], "7.2\n8.2\n9/\n");
    write_list(names[1], "7.2\n8.3\n9.2\n");
    write_list(names[2], "");
    pingo__executor_slurm_bundles_load(fake.s);
    assert_null(fake.s->bundles);
    pingo__executor_slurm_bundles_trim(fake.s, &wanted, 1);
    for (int i = 0; i < 3; i++)
        assert_true(is_there(names[i]));
    pingo__executor_slurm_bundles_trim(fake.s, NULL, 0);
    for (int i = 0; i < 3; i++)
        assert_false(is_there(names[i]));
}

/* A store may run attempts by Hadoop, too, and keeps its lists beside ours. */
static void test_bundle__of_another_executor_is_left_alone(void **state)
{
    static const char id[] = "application_1_0001";
    char name[PINGO__BUNDLE_SIZE];
    (void)state;
    plant(id, name);
    write_list(name, "application_1_0001\n7.1\n");
    pingo__executor_slurm_bundles_trim(fake.s, NULL, 0);
    assert_true(is_there(name));
}

static void test_bundle__old_ones_go_that_nobody_waits_for(void **state)
{
    const struct pingo_job_key wanted = {8, 2}, other_epoch = {8, 1};
    char name[PINGO__BUNDLE_SIZE], broken[PINGO__BUNDLE_SIZE];
    (void)state;
    struct pingo__executor_slurm_bundle *b = make(7);
    memcpy(name, b->name, sizeof name);
    plant("no list", broken);
    pingo__executor_slurm_bundles_trim(fake.s, NULL, 0);
    assert_true(is_there(name) && is_there(broken)); /* they are young */
    assert_null(fake.s->bundles);                    /* and in nobody's hand */
    grow_old(name, "list");
    grow_old(broken, "list");
    is_away = true;
    grow_old(name, "");
    pingo__executor_slurm_bundles_trim(fake.s, &wanted, 1);
    is_away = false;
    assert_true(is_there(name));
    pingo__executor_slurm_bundles_trim(fake.s, &wanted, 1);
    assert_true(is_there(name));
    b = make(20);
    b->users = 1;
    pingo__executor_slurm_bundles_trim(fake.s, &other_epoch, 1);
    assert_false(is_there(name));
    assert_true(is_there(broken) && is_there(b->name));
    assert_ptr_equal(fake.s->bundles, b);
    pingo__executor_slurm_bundles_trim(fake.s, NULL, 0);
    assert_false(is_there(broken));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_bundle__##name, set_up_idle, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(is_read_as_it_was_written),           TEST(what_is_no_list),
        TEST(that_cannot_be_written_is_none),      TEST(is_gone_where_the_pool_is_in_sight),
        TEST(old_ones_go_that_nobody_waits_for),   TEST(what_cannot_be_read_stays),
        TEST(with_a_line_that_does_not_read_back), TEST(of_another_executor_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
