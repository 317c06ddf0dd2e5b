/* test_callback.c - ends that are late, repeated, or published and not committed. */
#include "unit/engine/box.h"

#include "manager/attempt/callback.h"

static struct pingo_job_end end_of(struct job *j, enum pingo_end_reason reason)
{
    return (struct pingo_job_end){.size = sizeof(struct pingo_job_end),
                                  .key = j->key,
                                  .reason = reason,
                                  .ended_ms = 2000,
                                  .exit_code = 1};
}

/* Applies an end as a callback does; gives its outcome. */
static int apply(struct box *b, const struct pingo_job_end *end)
{
    struct pingo__arena arena = {0};
    struct pingo__manager_settling s = {.c = &b->s->context, .arena = &arena, .end = *end};
    struct pingo_error err;
    int outcome;

    well(pingo__manager_callback_prepare(&s, &err), &err);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_db_end(&b->store->db, pingo__manager_callback_apply(&s, &err), &err), &err);
    well(pingo__manager_callback_finish(&s, &err), &err);
    outcome = (int)s.outcome;
    pingo__arena_clear(&arena);
    return outcome;
}

static void test_callback__an_end_is_applied_once(void **state)
{
    struct box *b = box_new();
    struct pingo_job_end end = {.size = sizeof end};

    UNUSED(state);
    box_submit(b, W(A(1, ",'retries':5")));
    box_tick(b);
    end = end_of(fake_job(&b->fake, "a1"), PINGO_END_EXITED);
    assert_int_equal(apply(b, &end), PINGO__SETTLED_AGAIN);
    assert_int_equal(apply(b, &end), PINGO__SETTLED_OLD);
    assert_int_equal(box_int(b, "SELECT retries FROM action"), 4);
    end.key.action = 99;
    assert_int_equal(apply(b, &end), PINGO__SETTLED_OLD);
    end.key = (struct pingo_job_key){1, 99};
    assert_int_equal(apply(b, &end), PINGO__SETTLED_OLD);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    box_clean(b);
    box_close(b);
}

/* A success that comes after a kill touches its own attempt alone, and leaves no file. */
static void test_callback__a_late_success_changes_nothing(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    size_t killed = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "late");
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, &killed, &err), &err);
    assert_int_equal(killed, 1);
    box_tick(b);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    assert_int_equal(box_int(b, "SELECT state FROM attempt"), 3);
    assert_int_not_equal(access(b->fake.jobs[0].staged, F_OK), 0);
    box_clean(b);
    box_close(b);
}

/* Published by rename, then the process dies before the commit; meanwhile it is killed: nothing is left. */
static void test_callback__published_but_not_committed_and_killed(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__manager_settling s;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "one");
    s = (struct pingo__manager_settling){
        .c = &b->s->context, .arena = &arena, .end = b->fake.jobs[0].end};
    well(pingo__manager_callback_prepare(&s, &err), &err);
    assert_non_null(s.object);
    box_clean(b); /* its attempt is open: the file is on its way */
    pingo__arena_clear(&arena);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, NULL, &err), &err);
    box_reopen(b);
    box_tick(b);
    box_clean(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 0);
    box_close(b);
}

/* The same, and not killed: whoever takes its end next publishes it, and it does not run again. */
static void test_callback__published_but_not_committed(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__manager_settling s;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "one");
    s = (struct pingo__manager_settling){
        .c = &b->s->context, .arena = &arena, .end = b->fake.jobs[0].end};
    well(pingo__manager_callback_prepare(&s, &err), &err);
    pingo__arena_clear(&arena);
    b->fake.jobs[0].ended = false; /* who leaves would take it */
    box_reopen(b);
    b->fake.jobs[0].ended = true;
    assert_int_equal(box_tick(b).settled, 1);
    assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE state < 3"), 0);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_FINISHED);
    assert_int_equal(b->fake.n, 1);
    box_clean(b);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callback__an_end_is_applied_once),
        cmocka_unit_test(test_callback__a_late_success_changes_nothing),
        cmocka_unit_test(test_callback__published_but_not_committed_and_killed),
        cmocka_unit_test(test_callback__published_but_not_committed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
