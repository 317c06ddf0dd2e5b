/* test_slurm_arrays.c - several attempts as one array job: who is in it, what Slurm's answers do to its tasks, and what is
 * left of it; against a way to Slurm that says what a test wants. */
#include "unit/executor/slurm_way.h"

#include <errno.h>
#include <sys/syscall.h>

/* Outcomes cannot be read, as on a disk that is in trouble. */
static bool is_away;

int openat(int dir, const char *name, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!is_away || strcmp(name, "outcome") != 0)
        return (int)syscall(SYS_openat, dir, name, flags, mode);
    errno = EIO;
    return -1;
}

static bool bundle_is_there(void)
{
    char path[160];
    snprintf(path, sizeof path, "%s/attempts/.bundles/%s/list", fake.pool,
             fake.last[PINGO__SLURM_SUBMIT].bundle->name);
    return access(path, F_OK) == 0;
}

/* ---- who is in it ----------------------------------------------------------------------------- */

static void test_arrays__those_that_ask_for_the_same(void **state)
{
    char path[160], *text, *dir;
    size_t n;
    (void)state;
    memset(&fake, 0, sizeof fake);
    open_one();
    start_all(2);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 2);
    assert_null(fake.last[PINGO__SLURM_SUBMIT].bundle); /* the last is another job, and one alone */
    assert_int_equal(task(0)->bundle->n, N - 1);
    assert_int_equal(task(3)->task, 3);
    snprintf(path, sizeof path, "%s/attempts/.bundles/%s/list", fake.pool, task(0)->bundle->name);
    assert_int_equal(pingo__file_read_whole(AT_FDCWD, path, 4096, &text, &n), 0);
    for (int i = -1; i <= N - 1; i++) { /* as pingo-runner reads it */
        snprintf(path + strlen(fake.pool), 40, "/attempts/%d.1", 10 + i);
        char list[160];
        snprintf(list, sizeof list, "%s/attempts/.bundles/%s/list", fake.pool,
                 task(0)->bundle->name);
        dir = pingo__name_listed(list, text, i);
        if (i < 0 || i == N - 1)
            assert_null(dir);
        else
            assert_string_equal(dir, path);
        free(dir);
    }
    free(text);
}

static void test_arrays__no_more_than_the_setting(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    open_one();
    fake.s->at_once_most = fake.s->bundle_most = 3;
    start_all(1);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 3);
    assert_int_equal(fake.last[PINGO__SLURM_SUBMIT].bundle->n, 2);
    fake.s->at_once_most = fake.s->bundle_most = 1;
    assert_int_equal(start((struct pingo_job_key){30, 1}, 1), 0);
    assert_int_equal(start((struct pingo_job_key){31, 1}, 1), 0);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 5);
    assert_null(fake.last[PINGO__SLURM_SUBMIT].bundle);
}

/* MaxArraySize, MaxJobCount: half as many, at last one, and that one later. */
static void test_arrays__fewer_where_slurm_takes_no_more(void **state)
{
    (void)state;
    for (int n = N; n > 1; n /= 2) {
        fake.nanswers = 0;
        assert_int_equal(fake.last[PINGO__SLURM_SUBMIT].bundle->n, n);
        for (int k = 0; k < N / n; k++) /* all that are on their way */
            answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_FULL, 0);
        for (int i = 0; i < N; i++) /* each answers for its own */
            if (i % n == 0)
                fake.answers[i / n].call.bundle = task(i)->bundle;
        step();
    }
    assert_null(fake.last[PINGO__SLURM_SUBMIT].bundle);
    assert_int_equal(fake.s->asked[PINGO__SLURM_SUBMIT], N);
    for (int i = 0; i < N; i++) {
        answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_FULL, 0);
        fake.answers[i].call.key = nth(i);
    }
    step();
    assert_int_equal(fake.s->asked[PINGO__SLURM_SUBMIT], 0); /* not at once */
    assert_int_equal(fake.nends, 0);
    assert_int_equal(fake.nlogs, 1);
    assert_non_null(strstr(fake.logged, "takes no more"));
    fake.s->room_at_ms = 1;
    step();
    assert_int_equal(fake.s->asked[PINGO__SLURM_SUBMIT], 1); /* one tries */
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_DONE, 9);
    step();
    assert_int_equal(fake.s->asked[PINGO__SLURM_SUBMIT], 4); /* seven, two by two */
}

/* ---- what is told of its tasks --------------------------------------------------------------------- */

static void test_arrays__tasks_end_each_by_its_own(void **state)
{
    (void)state;
    list_as("2-7", "PENDING");
    assert_int_equal(task(2)->id, 9);
    assert_int_equal(fake.nends, 2); /* 0 and 1 are in no list any more */
    assert_int_equal(fake.end.reason, PINGO_END_NOT_STARTED);
    step();
    saw_tasks(PINGO__SLURM_LIST, 9, "4-7", "PENDING");
    saw_tasks(PINGO__SLURM_LIST, 9, "2", "RUNNING");
    saw_tasks(PINGO__SLURM_LIST, 9, "3", "COMPLETED");
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(task(2)->state, PINGO__SLURM_RUNS);
    assert_int_equal(task(4)->state, PINGO__SLURM_WAITS);
    assert_true(pingo_jobs_has_ended(task(3)));
    assert_false(pingo_jobs_has_ended(task(4)));
}

static void test_arrays__a_list_that_is_cut_says_nothing_of_the_rest(void **state)
{
    (void)state;
    list_as("1,3,...", "PENDING");
    for (int i = 0; i < N; i++)
        assert_int_equal(pingo_jobs_has_ended(task(i)), i == 0 || i == 2);
}

/* The few that run are asked for one by one; that one is not known is no word of one that waits. */
static void test_arrays__one_alone(void **state)
{
    (void)state;
    list_as("0", "RUNNING");
    step();
    assert_int_equal(fake.last[PINGO__SLURM_LOOK].id, 9);
    assert_int_equal(fake.last[PINGO__SLURM_LOOK].ntasks, 1);
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_UNKNOWN, 0);
    step();
    assert_false(pingo_jobs_has_ended(task(0)));
    assert_int_equal(fake.asked[PINGO__SLURM_LIST], 2);
    saw_tasks(PINGO__SLURM_LIST, 9, "0", "RUNNING");
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(pingo__executor_slurm.kill(fake.s, nth(0), NULL), 0);
    saw_tasks(PINGO__SLURM_LIST, 9, "0", "RUNNING");
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1);
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].id, 9);
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].task, 0);
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].ntasks, 1);
}

/* The id is another's by now. */
static void test_arrays__an_id_that_was_given_away(void **state)
{
    (void)state;
    list_as("0", "RUNNING");
    step();
    saw(PINGO__SLURM_LOOK, other, 9, "RUNNING");
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(task(0)->state, PINGO__SLURM_GONE);
}

static void test_arrays__a_lost_reply(void **state)
{
    (void)state;
    answer(PINGO__SLURM_SUBMIT, PINGO__SLURM_UNSURE, 0);
    step();
    step();
    saw_tasks(PINGO__SLURM_LIST, 9, "1-7", "PENDING");
    saw_tasks(PINGO__SLURM_LIST, 9, "0", "RUNNING");
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    step();
    for (int i = 0; i < N; i++) {
        assert_int_equal(task(i)->phase, PINGO__SLURM_SUBMITTED);
        assert_int_equal(task(i)->id, 9);
    }
    assert_int_equal(fake.asked[PINGO__SLURM_SUBMIT], 1);
}

/* Our process was killed, and another has the attempts now. */
static void take_over(void)
{
    static struct pingo__executor_slurm_bundle bundle;
    struct pingo_job_key keys[N];
    bool found[N];
    bundle.n = N;
    memcpy(bundle.name, fake.last[PINGO__SLURM_SUBMIT].bundle->name, sizeof bundle.name);
    memset(fake.s->asked, 0, sizeof fake.s->asked);
    pingo__executor_slurm.close(fake.s);
    open_one();
    fake.last[PINGO__SLURM_SUBMIT].bundle = &bundle;
    fake.held = true;
    for (int i = 0; i < N; i++)
        keys[i] = nth(i);
    fake.s->in_trouble = fake.s->trouble_told = true; /* so that nobody is waited for */
    assert_int_equal(pingo__executor_slurm.adopt(fake.s, keys, N, found, NULL), 0);
    fake.s->in_trouble = fake.held = false;
    for (int i = 0; i < N; i++)
        assert_true(found[i]);
}

/* It finds whose the tasks are by the list. */
static void test_arrays__are_taken_over(void **state)
{
    (void)state;
    take_over();
    step();
    saw_tasks(PINGO__SLURM_LIST, 9, "3-7", "PENDING");
    saw_tasks(PINGO__SLURM_LIST, 9, "1", "RUNNING");
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    step();
    for (int i = 0; i < N; i++)
        assert_int_equal(pingo_jobs_has_ended(task(i)), i == 0 || i == 2);
}

/* One whose directory cannot be read holds nobody up, and is neither taken for gone nor forgotten. */
static void test_arrays__are_taken_over_where_one_cannot_be_read(void **state)
{
    char path[160];
    (void)state;
    snprintf(path, sizeof path, "%s/attempts/12.1/outcome", fake.pool);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    snprintf(path, sizeof path, "%s/attempts/14.1/outcome", fake.pool);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    is_away = true;
    size_t said = fake.nlogs;
    take_over();
    assert_non_null(strstr(fake.logged, "/attempts/12.1"));
    assert_non_null(strstr(fake.logged, "1 more"));
    assert_int_equal(fake.nlogs, said + 1);
    for (int i = 0; i < 2; i++) {
        step();
        saw_tasks(PINGO__SLURM_LIST, 9, "3-7", "PENDING");
        answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
        step();
        assert_true(pingo_jobs_has_ended(task(0)) && pingo_jobs_has_ended(task(1)));
        assert_int_equal(pingo_jobs_has_ended(task(2)), i);
        is_away = false;
        task(2)->look_at_ms = 0;
    }
}

/* What its tasks run nobody can tell, so nobody is said to be gone, and started anew, while there are any. */
static void test_arrays__are_taken_over_with_a_list_that_is_damaged(void **state)
{
    char path[160];
    (void)state;
    snprintf(path, sizeof path, "%s/attempts/.bundles/%s/list", fake.pool,
             fake.last[PINGO__SLURM_SUBMIT].bundle->name);
    assert_true(pingo__file_put(AT_FDCWD, path, "99"));
    take_over();
    for (int i = 0; i < 2; i++) {
        step();
        saw_tasks(PINGO__SLURM_LIST, 9, "1-7", "PENDING");
        saw_tasks(PINGO__SLURM_LIST, 9, "0", "RUNNING");
        assert_int_equal(!strstr(fake.logged, "cannot be read"), i > 0); /* once */
        answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
        step();
        assert_int_equal(fake.nends, 0);
        assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 0);
    }
    assert_int_equal(pingo__executor_slurm.kill(fake.s, nth(4), NULL), 0);
    collect(); /* whoever starts it finds its gate closed */
    assert_true(fake.nends == 1 && fake.end.reason == PINGO_END_KILLED);
    step();
    saw_tasks(PINGO__SLURM_LIST, 9, "0-7", "COMPLETED");
    answer(PINGO__SLURM_LIST, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(fake.nends, N); /* none has left an outcome */
}

/* ---- what nobody wants ------------------------------------------------------------------------------- */

static void test_arrays__what_is_revoked_is_cancelled_together(void **state)
{
    bool revoked;
    char dir[128];
    (void)state;
    list_as("0-7", "PENDING");
    for (int i = 0; i < N; i++) {
        snprintf(dir, sizeof dir, "%s/attempts/%d.1", fake.pool, 10 + i);
        if (i != 4)
            assert_int_equal(pingo__executor_slurm.revoke(fake.s, nth(i), dir, &revoked, NULL), 0);
    }
    assert_int_equal(fake.asked[PINGO__SLURM_LOOK], 1); /* once for all */
    assert_int_equal(fake.last[PINGO__SLURM_LOOK].ntasks, 0);
    saw_tasks(PINGO__SLURM_LOOK, 9, "0-7", "PENDING");
    answer(PINGO__SLURM_LOOK, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 2); /* 0-3 and 5-7 */
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].task, 5);
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].ntasks, 3);
    assert_non_null(task(4));
    assert_true(bundle_is_there());
    saw_tasks(PINGO__SLURM_LIST, 9, "4", "CANCELLED");
    step();
    pingo__executor_slurm.forget(fake.s, nth(4));
    assert_false(bundle_is_there()); /* it goes with the last of them */
}

/* Its list is gone, so all its attempts are over: a controller has forgotten that it had run. */
static void test_arrays__without_a_list_it_is_a_stray(void **state)
{
    char name[PINGO__SLURM_NAME_SIZE];
    (void)state;
    fake.last[PINGO__SLURM_LIST] =
        (struct pingo__executor_slurm_call){.kind = PINGO__SLURM_LIST, .number = 1};
    pingo__executor_slurm_bundle_name(name, fake.s->mark, "0123456789abcdef");
    pingo__executor_slurm_saw(
        fake.s, &fake.last[PINGO__SLURM_LIST],
        &(struct pingo__executor_slurm_record){
            .id = 5, .tasks = "0-3", .name = name, .state = "PENDING", .reason = "None"});
    assert_int_equal(fake.asked[PINGO__SLURM_CANCEL], 1);
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].id, 5);
    assert_int_equal(fake.last[PINGO__SLURM_CANCEL].ntasks, 0);
}

/* What a process left behind that was killed goes when nobody waits for any of it, and it is old. */
static void test_arrays__lists_are_trimmed(void **state)
{
    struct pingo_job_key wanted = nth(5), unwanted = nth(N);
    char path[160];
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    (void)state;
    snprintf(path, sizeof path, "%s/attempts/.bundles/%s/list", fake.pool,
             fake.last[PINGO__SLURM_SUBMIT].bundle->name);
    pingo__executor_slurm.trim(fake.s, &unwanted, 1);
    assert_true(bundle_is_there());
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    pingo__executor_slurm.trim(fake.s, &wanted, 1);
    assert_true(bundle_is_there());
    pingo__executor_slurm.trim(fake.s, &unwanted, 1);
    assert_false(bundle_is_there());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_arrays__##name, set_up_array, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_arrays__those_that_ask_for_the_same, tear_down),
        cmocka_unit_test_teardown(test_arrays__no_more_than_the_setting, tear_down),
        TEST(fewer_where_slurm_takes_no_more),
        TEST(tasks_end_each_by_its_own),
        TEST(a_list_that_is_cut_says_nothing_of_the_rest),
        TEST(one_alone),
        TEST(an_id_that_was_given_away),
        TEST(a_lost_reply),
        TEST(are_taken_over),
        TEST(are_taken_over_where_one_cannot_be_read),
        TEST(are_taken_over_with_a_list_that_is_damaged),
        TEST(what_is_revoked_is_cancelled_together),
        TEST(without_a_list_it_is_a_stray),
        TEST(lists_are_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
