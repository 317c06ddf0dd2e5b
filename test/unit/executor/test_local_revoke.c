/* Giving up against starting: exactly one wins. */
#include "unit/executor/harness.h"

static void test_local_revoke__what_was_not_sent_is_taken_back(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    box_start(&b, &(struct spec){.action = 1, .script = "echo x > output"});
    assert_true(box_revoke(&b, 1));
    box_expect_count(&b, "attempts", 0);
    box_run(&b, &(struct spec){.action = 2, .script = "echo x > output"});
    assert_int_equal(b.nends, 1);
    box_close(&b);
}

static void test_local_revoke__armed_jobs_are_dropped(void **state)
{
    enum { N = 200 };
    struct box b;
    (void)state;
    box_open(&b);
    for (int64_t i = 1; i <= 2; i++) /* both slots are taken */
        box_start(&b, &(struct spec){.action = i,
                                     .script = "echo $$ > up.tmp; mv up.tmp up; "
                                               "while ! test -e ../../go; do sleep 0.01; done; "
                                               "echo x > output"});
    for (int64_t i = 3; i < 3 + N; i++)
        box_start(&b, &(struct spec){.action = i, .script = "echo x > output"});
    box_wait_pid(&b, "attempts/1.1/work/up");
    box_wait_pid(&b, "attempts/2.1/work/up");
    for (int64_t i = 3; i < 3 + N; i++)
        assert_true(box_revoke(&b, i));
    for (int64_t i = 3; i < 10; i++)
        assert_true(box_revoke(&b, i)); /* again */
    assert_false(box_revoke(&b, 1));
    /* One that is sent afterwards comes after them all. */
    box_start(&b, &(struct spec){.action = 1000, .script = "echo x > output"});
    char path[160];
    snprintf(path, sizeof path, "%s/attempts/go", b.pool);
    assert_int_equal(mkdir(path, 0755), 0);
    box_wait(&b, 1000, 1);
    box_wait_all(&b, 3);
    assert_int_equal(b.nends, 3);
    box_expect_count(&b, "attempts", 1); /* go: no file was left */
    assert_int_equal(box_count(&b, "staged"), 3);
    box_close(&b);
}

static void test_local_revoke__a_job_that_has_ended_is_not_revoked(void **state)
{
    struct box b;
    (void)state;
    box_open(&b);
    b.remember = true;
    box_run(&b, &(struct spec){.action = 1, .script = "echo x > output"});
    box_expect_count(&b, "attempts", 0); /* the directory is used again, so its name is free */
    assert_false(box_revoke(&b, 1));
    box_expect_count(&b, "attempts", 0);
    b.type->forget(b.executor, (struct pingo_job_key){1, 1});
    assert_false(box_revoke(&b, 1)); /* also when nothing is known of it here */
    box_close(&b);
}

/* Jobs are revoked while the workers take them: each either was revoked or has ended, never both and never neither; what
 * was revoked did not run, and what ended did, unless its end says that a worker saw it given up before the revoke did. */
static void test_local_revoke__hammered_against_starts(void **state)
{
    enum { N = 400 };
    struct box b;
    bool revoked[N + 1] = {false};
    size_t nrevoked = 0;
    unsigned seed = 4711;
    (void)state;
    box_open(&b);
    for (int64_t i = 1; i <= N; i++) {
        char script[200];
        snprintf(script, sizeof script, "echo x > output; : > %s/ran.%lld", b.root, (long long)i);
        box_start(&b, &(struct spec){.action = i, .script = script});
        if (i % 8 != 0)
            continue;
        box_collect(&b);
        seed = seed * 1103515245 + 12345;
        for (unsigned spin = 0; spin < seed % 400; spin++)
            nap(0);
        for (int64_t j = i; j > i - 8; j--) {
            if (j % 3 == 0)
                continue;
            revoked[j] = box_revoke(&b, j);
            nrevoked += revoked[j];
        }
    }
    box_wait_all(&b, N - nrevoked);
    for (int k = 0; k < 20; k++)
        box_turn(&b, 5); /* nothing more comes */
    assert_int_equal(b.nends, N - nrevoked);
    for (int64_t i = 1; i <= N; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/ran.%lld", b.root, (long long)i);
        const struct pingo_job_end *end = box_find(&b, i, 1);
        bool ran = access(path, F_OK) == 0, ended = end != NULL;
        if (ended == revoked[i] || ran != (end && end->reason == PINGO_END_EXITED) ||
            (end && !ran && end->reason != PINGO_END_NOT_STARTED))
            fail_msg("%lld: revoked %d ran %d ended %d: reason %d, exit code %d, %s", (long long)i,
                     revoked[i], ran, ended, end ? (int)end->reason : -1,
                     end ? (int)end->exit_code : -1, end ? end->message : "");
    }
    assert_in_range(nrevoked, 1, N - 1);
    box_expect_count(&b, "attempts", 0);
    box_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_revoke__what_was_not_sent_is_taken_back),
        cmocka_unit_test(test_local_revoke__armed_jobs_are_dropped),
        cmocka_unit_test(test_local_revoke__a_job_that_has_ended_is_not_revoked),
        cmocka_unit_test(test_local_revoke__hammered_against_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
