/* test_ends.c - the ends that a client learns of from the journals: which are its own, and which are too old. */
#include "unit/executor/local/fake.h"

#define KEY(n) ((struct pingo_job_key){n, 1})

static int set_up(void **state)
{
    static struct fake f;
    fake_init(&f);
    *state = &f;
    return 0;
}

static void add(struct fake *f, int64_t action)
{
    assert_non_null(pingo_jobs_add(f->local->jobs, KEY(action)));
}

static bool has_ended(struct fake *f, int64_t action)
{
    return pingo_jobs_has_ended(pingo_jobs_find(f->local->jobs, KEY(action)));
}

static bool has(struct fake *f, int64_t action)
{
    bool ended = false;
    assert_int_equal(pingo__executor_ends_has(f->local, KEY(action), &ended, NULL), 0);
    return ended;
}

/* What ended before the client came is not that of a job that has the same key by now. */
static void test_ends__those_before_are_passed_over(void **state)
{
    struct fake *f = *state;
    fake_end(f, 1, 1);
    fake_open(f);
    add(f, 1);
    add(f, 2);
    assert_int_equal(pingo__executor_ends_read(f->local, NULL), 0);
    assert_false(has_ended(f, 1));
    fake_end(f, 1, 3);
    fake_end(f, 9, 3); /* nobody's here */
    assert_int_equal(pingo__executor_ends_read(f->local, NULL), 0);
    assert_true(has_ended(f, 1));
    assert_false(has_ended(f, 2));
    pingo_jobs_remove(f->local->jobs, KEY(2)); /* else a supervisor is started for it */
    f->b.remember = true;
    box_collect(&f->b);
    assert_int_equal(f->b.nends, 1);
    assert_int_equal(f->b.ends[0].exit_code, 3);
    assert_string_equal(f->b.ends[0].node, "there.example");
}

/* Nothing ever ran in the store: there is no directory, until one comes. */
static void test_ends__where_nothing_ever_ran(void **state)
{
    struct fake *f = *state;
    fake_open(f);
    add(f, 1);
    assert_int_equal(pingo__executor_ends_read(f->local, NULL), 0);
    assert_false(f->local->has_journals);
    assert_false(has(f, 1));
    assert_false(has(f, 9));
    fake_end(f, 1, 0); /* of a supervisor that came in the meantime */
    assert_int_equal(pingo__executor_ends_read(f->local, NULL), 0);
    assert_true(has_ended(f, 1));
}

/* New journals are looked for when somebody says so; then nothing is to be looked at until the next bell. */
static void test_ends__journals_that_come_later(void **state)
{
    struct fake *f = *state;
    fake_listen(f); /* there is a directory, and nothing in it */
    fake_open(f);
    add(f, 1);
    assert_int_equal(pingo__executor_ends_read(f->local, NULL), 0);
    fake_end(f, 1, 0);
    f->local->rung = true;
    assert_int_equal(pingo__executor_ends_read(f->local, NULL), 0);
    assert_false(has_ended(f, 1));
    assert_false(f->local->rung);
    f->local->rung = f->local->rescan = true;
    assert_int_equal(pingo__executor_ends_read(f->local, NULL), 0);
    assert_true(has_ended(f, 1));
    assert_false(f->local->rung || f->local->rescan);
}

/* Who adopts reads all from the start, for those jobs alone. */
static void test_ends__of_jobs_that_are_adopted(void **state)
{
    struct fake *f = *state;
    fake_end(f, 1, 5);
    fake_end(f, 2, 5);
    fake_open(f);
    add(f, 1);
    add(f, 2);
    add(f, 3);
    ((struct pingo__executor_local_job *)pingo_jobs_find(f->local->jobs, KEY(1)))->adopting = true;
    fake_end(f, 3, 5);
    assert_int_equal(pingo__executor_ends_read_adopted(f->local, NULL), 0);
    assert_true(has_ended(f, 1));
    assert_false(has_ended(f, 2));
    assert_true(has_ended(f, 3)); /* it is new */
}

static void test_ends__is_there_one(void **state)
{
    struct fake *f = *state;
    fake_end(f, 1, 5);
    fake_end(f, 3, 5);
    fake_open(f);
    add(f, 2);
    add(f, 3);
    fake_end(f, 2, 5);
    assert_true(has(f, 1)); /* of a job that nobody here knows, however old */
    assert_true(has(f, 2));
    assert_false(has(f, 3)); /* that one was of another with its key */
    assert_false(has(f, 4));
}

static void test_ends__what_only_this_client_knows(void **state)
{
    struct fake *f = *state;
    char longest[400];
    fake_open(f);
    add(f, 1);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    pingo__executor_ends_say(f->local, KEY(1), PINGO_END_LOST, longest);
    pingo__executor_ends_say(f->local, KEY(1), PINGO_END_KILLED, "later"); /* the first counts */
    pingo__executor_ends_say(f->local, KEY(2), PINGO_END_LOST, "of nobody");
    box_collect(&f->b);
    assert_int_equal(f->b.nends, 1);
    assert_int_equal(f->b.ends[0].reason, PINGO_END_LOST);
    assert_int_equal(strlen(f->b.ends[0].message), sizeof f->b.ends[0].message - 1);
}

static void count(void *context, const struct pingo_job_end *end)
{
    *(int64_t *)context += end->key.action;
}

/* All that is kept of this boot, for who has no client open. */
static void test_ends__of_a_store(void **state)
{
    struct fake *f = *state;
    struct pingo_error err = {0};
    char path[128];
    int64_t sum = 0;
    assert_int_equal(pingo__executor_local_ends(f->b.store, count, &sum, NULL), 0);
    fake_open(f);
    fake_end(f, 1, 0);
    fake_end(f, 2, 0);
    int fd = openat(f->dir, "journal.another-boot.0001.1.000001", O_WRONLY | O_CREAT, 0600);
    close(fd);
    assert_int_equal(pingo__executor_local_ends(f->b.store, count, &sum, NULL), 0);
    assert_int_equal(sum, 3);
    snprintf(path, sizeof path, "%s/executor", f->b.pool);
    close(open(path, O_WRONLY | O_CREAT, 0600)); /* no directory */
    assert_int_not_equal(pingo__executor_local_ends(f->b.pool, count, &sum, &err), 0);
    assert_non_null(strstr(err.message, path));
    assert_int_equal(sum, 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_ends__##name, set_up, fake_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(those_before_are_passed_over),
        TEST(where_nothing_ever_ran),
        TEST(journals_that_come_later),
        TEST(of_jobs_that_are_adopted),
        TEST(is_there_one),
        TEST(what_only_this_client_knows),
        TEST(of_a_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
