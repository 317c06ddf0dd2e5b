/* test_run.c - ticking until workflows end, fail, are paused, or somebody who was asked says stop. */
#include <fcntl.h>
#include <sys/file.h>

#include "unit/engine/box.h"

/* Nobody waits for the fake: it is asked again at once. */
static int64_t no_pause(void *executor)
{
    UNUSED(executor);
    return 0;
}

static struct box *quick(void)
{
    static struct pingo_executor_type type;
    static const struct pingo_executor_type *const list[] = {&type};
    struct pingo_scheduler_options options = {.version = 1, .executors = list, .nexecutors = 1};
    struct box *b = box_new();
    struct pingo_error err;

    type = fake_type;
    type.timeout_ms = no_pause;
    pingo_scheduler_close(b->s);
    well(pingo_scheduler_open(b->store, &options, &b->s, &err), &err);
    return b;
}

/* Asked after each tick. */
struct watcher {
    struct box *b;
    const char *fails; /* an action that fails; the others finish, */
    const char *runs;  /* but for this one */
    int level;         /* what it says once something is in hand */
    int asked;
    size_t most; /* in hand at a time */
};

static int watch(void *context, const struct pingo_tick_result *tick)
{
    struct watcher *w = context;
    struct fake *f = &w->b->fake;

    assert_true(++w->asked < 1000);
    w->most = tick->active > w->most ? tick->active : w->most;
    for (size_t i = 0; i < f->n; i++) {
        const struct job *j = &f->jobs[i];
        if (j->ended || j->revoked || (w->level && !j->killed))
            continue;
        if (j->killed)
            box_report(w->b, j->name, PINGO_END_KILLED, 0, "");
        else if (w->fails && strcmp(j->name, w->fails) == 0)
            box_report(w->b, j->name, PINGO_END_EXITED, 1, "");
        else if (!w->runs || strcmp(j->name, w->runs) != 0)
            box_report(w->b, j->name, PINGO_END_EXITED, 0, j->name);
    }
    return tick->active ? w->level : 0;
}

static int run(struct box *b, const int64_t *workflows, size_t n, struct watcher *w,
               struct pingo_error *err)
{
    struct pingo_run_options options = {
        .version = 1, .check = watch, .context = w, .fail_fast = w->fails != NULL};

    w->b = b;
    return pingo_scheduler_run(b->s, workflows, n, &options, err);
}

static void test_run__until_those_that_are_named_have_ended(void **state)
{
    static const int64_t names[] = {1, 3};
    struct box *b = quick();
    struct watcher w = {.b = b};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_submit(b, W(A(3, "")));
    box_submit(b, W(A(4, "")));
    well(run(b, names, 2, &w, &err), &err);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_state(b, 2, 3), PINGO_ACTION_READY); /* nothing was claimed for it */
    assert_int_equal(w.most, 2);
    well(run(b, names, 2, &w, &err), &err); /* there is nothing to do */
    box_tick(b);
    assert_int_equal(box_state(b, 2, 3), PINGO_ACTION_SUBMITTED); /* it claims for all again */
    well(run(b, NULL, 0, &w, &err), &err);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    well(pingo_scheduler_run(b->s, NULL, 0, NULL, &err), &err);
    assert_int_equal(run(b, (const int64_t[]){1, 9}, 2, &w, &err), PINGO_ENOTFOUND);
    assert_string_equal(err.message, "there is no workflow 9");
    box_clean(b);
    box_close(b);
}

/* A failure is no error; with fail_fast it ends those that are named, and no others. */
static void test_run__when_one_fails(void **state)
{
    static const int64_t first = 1;
    static const struct pingo_caller eve = {
        .version = 1, .user = "eve", .role = PINGO_ROLE_VIEWER, .way = "a test"};
    struct box *b = quick();
    struct watcher w = {.fails = "a1", .runs = "a2"}, all = {.b = b};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "") "," A(3, P(FROM(1)))));
    box_submit(b, W(A(4, "")));
    well(pingo_store_act_for(b->store, &eve, &err), &err); /* a scheduler works for nobody */
    well(run(b, &first, 1, &w, &err), &err);               /* a2 would run for ever */
    well(pingo_store_act_for(b->store, NULL, &err), &err);
    assert_int_equal(box_int(b, "SELECT count(*) FROM audit"), 0);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_KILLED);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_KILLED);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_RUNNING);
    well(run(b, NULL, 0, &all, &err), &err);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* The first interrupt: what runs goes on, and nothing more starts, whoever asks. */
static void test_run__the_first_interrupt_pauses(void **state)
{
    static const int64_t first = 1;
    struct box *b = quick();
    struct watcher w = {.level = 1}, go_on = {.b = b};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    assert_int_equal(run(b, &first, 1, &w, &err), PINGO_EINTERRUPTED);
    assert_string_equal(err.message, "interrupted");
    assert_true(b->fake.jobs[0].revoked); /* it had not started */
    assert_int_equal(box_int(b, "SELECT paused FROM workflow"), 1);
    assert_int_equal(run(b, &first, 1, &go_on, &err), PINGO_ESTATE);
    assert_string_equal(err.message,
                        "the scheduler is paused; pingo_scheduler_resume() is the way back");
    well(pingo_scheduler_resume(b->s, &err), &err);
    well(run(b, &first, 1, &go_on, &err), &err); /* what is paused is not waited for */
    well(run(b, NULL, 0, &go_on, &err), &err);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_RUNNING);
    assert_int_equal(b->fake.n, 1);
    well(pingo_store_resume_workflow(b->store, 1, NULL, &err), &err);
    well(run(b, &first, 1, &go_on, &err), &err);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

static void test_run__the_second_ends_what_runs_and_the_third_leaves_it(void **state)
{
    static const int64_t first = 1;
    struct box *b = quick();
    struct watcher w = {.level = 2}, leave = {.level = 3};
    struct pingo_error err;

    UNUSED(state);
    b->fake.cannot_revoke = true;
    box_submit(b, W(A(1, "")));
    assert_int_equal(run(b, &first, 1, &w, &err), PINGO_EINTERRUPTED);
    assert_true(b->fake.jobs[0].killed && b->fake.jobs[0].ended);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    well(pingo_scheduler_resume(b->s, &err), &err);
    well(pingo_store_resume_workflow(b->store, 1, NULL, &err), &err);
    assert_int_equal(run(b, &first, 1, &leave, &err), PINGO_EINTERRUPTED);
    assert_int_equal(leave.asked, 1);
    assert_false(b->fake.jobs[1].killed);
    assert_int_equal(run(b, &first, 1, &leave, &err), PINGO_EINTERRUPTED); /* it was not paused */
    assert_int_equal(box_tick(b).active, 1);
    assert_int_equal(box_int(b, "SELECT paused FROM workflow"), 0);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* It was paused elsewhere while an action ran: that is waited for, and nothing else. */
static void test_run__what_is_paused_meanwhile(void **state)
{
    static const int64_t first = 1;
    struct box *b = quick();
    struct watcher w = {.b = b};
    struct pingo_error err;

    UNUSED(state);
    b->fake.cannot_revoke = true;
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_tick(b);
    well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
    well(run(b, &first, 1, &w, &err), &err);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_RUNNING);
    assert_int_equal(b->fake.n, 1);
    box_close(b);
}

static void test_run__nothing_can_be_done_about_a_full_disk(void **state)
{
    static const int64_t first = 1;
    struct box *b = quick();
    struct watcher w = {.b = b};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    for (int i = 0; i < 3; i++) {
        assert_false(box_disk_full(b, "a1", 0).stuck_for_space);
        box_try_again(b);
    }
    assert_true(box_disk_full(b, "a1", 0).stuck_for_space);
    assert_int_equal(run(b, &first, 1, &w, &err), PINGO_ENOSPACE);
    assert_non_null(strstr(err.message, "the file system is full"));
    box_close(b);
}

/* The store's lock, which somebody else has. */
struct holder {
    struct watcher w;
    int lock, until; /* check lets it go when it is asked so often */
};

static int hold(void *context, const struct pingo_tick_result *tick)
{
    struct holder *h = context;

    if (h->w.asked + 1 == h->until)
        assert_int_equal(flock(h->lock, LOCK_UN), 0);
    return watch(&h->w, tick) || h->until == 0;
}

static int run_without_lock(struct box *b, int until, struct pingo_error *err)
{
    static const int64_t first = 1;
    struct holder h = {.w = {.b = b}, .until = until, .lock = open(b->store->db.lock_path, O_RDWR)};
    struct pingo_run_options options = {.version = 1, .check = hold, .context = &h};
    int rc;

    assert_int_equal(flock(h.lock, LOCK_EX | LOCK_NB), 0);
    rc = pingo_scheduler_run(b->s, &first, 1, &options, err);
    close(h.lock);
    return rc;
}

static void test_run__who_holds_the_lock_for_long_is_waited_for(void **state)
{
    struct box *b = quick();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    b->store->db.lock_timeout_ms = 1;
    assert_int_equal(run_without_lock(b, 0, &err), PINGO_EBUSY); /* check asks to stop */
    well(run_without_lock(b, 3, &err), &err);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run__until_those_that_are_named_have_ended),
        cmocka_unit_test(test_run__when_one_fails),
        cmocka_unit_test(test_run__the_first_interrupt_pauses),
        cmocka_unit_test(test_run__the_second_ends_what_runs_and_the_third_leaves_it),
        cmocka_unit_test(test_run__what_is_paused_meanwhile),
        cmocka_unit_test(test_run__nothing_can_be_done_about_a_full_disk),
        cmocka_unit_test(test_run__who_holds_the_lock_for_long_is_waited_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
