/* test_replan.c - what is planned again, and who computes in the stead of what failed, has the place of all that wait for it. */
#include "unit/engine/box.h"

static void lose(struct box *b, const char *link)
{
    UNUSED(b);
    assert_int_equal(unlink(link), 0);
}

static void submit_as(struct box *b, const char *user, int64_t priority, const char *text)
{
    struct pingo_submit_options options = {
        .version = 3, .base_dir = b->root, .user = user, .priority = priority};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    well(box_try_submit(b, text, &options, &s, &err), &err);
}

/* The queue of the newest row of an action. */
static int64_t queue_of(struct box *b, int64_t workflow, int64_t id)
{
    int64_t value = INT64_MAX;
    struct pingo_error err;

    well(pingo__db_number(&b->store->db, &err, &value,
                          "SELECT queue FROM action WHERE workflow = ? AND position = ?"
                          " ORDER BY id DESC LIMIT 1",
                          INT(workflow), INT(id - 1)),
         &err);
    return value;
}

static void made_again(int64_t priority)
{
    struct box *b = box_new();
    const char *text = W(A(1, "") "," A(2, P(FROM(1))));

    submit_as(b, "ada", 0, text);
    box_tick(b);
    box_finish(b, "a1");
    submit_as(b, "bob", priority, text);
    int64_t queue = queue_of(b, 1, 2);
    assert_true(priority ? queue == 0 : queue < 0);
    lose(b, fake_job(&b->fake, "a2")->links[0]);
    box_report(b, "a2", PINGO_END_EXITED, 1, "");
    box_tick(b);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE position = 0 AND state < 6"), 1);
    assert_int_equal(queue_of(b, 1, 1), queue);
    assert_int_equal(queue_of(b, 1, 2), queue);
    box_finish(b, "a1");
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* Somebody else waits for what is planned again: what it waits for now is in the place of both. */
static void test_replan__made_again_in_the_better_place(void **state)
{
    UNUSED(state);
    made_again(0);
    made_again(1);
}

/* Who computes in the stead of what failed has the place of all that wait for it. */
static void test_replan__handed_on_in_the_better_place(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    submit_as(b, "ada", 0, W(A(1, "")));
    box_tick(b);
    submit_as(b, "bob", 0, W(A(1, "")));
    submit_as(b, "cat", 0, W(A(1, "")));
    box_fail(b, "a1");
    int64_t queue = queue_of(b, 2, 1);
    assert_true(queue < 0);
    assert_int_equal(box_int(b, "SELECT j.users = ',2,3,' FROM joint j JOIN action a ON a.queue ="
                                " j.id WHERE a.workflow = 2"),
                     1);
    submit_as(b, "dan", 1, W(A(1, "")));
    assert_int_equal(queue_of(b, 2, 1), 0);
    box_fail(b, "a1");
    assert_int_equal(queue_of(b, 3, 1), 0);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 3), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_workflow(b, 4), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

#define OUTSIDE ",'isManaged':false,'outputPath':'mine'"

/* An action of a submission waits for nobody but one in its own. */
static int64_t waits_at_home(struct box *b, int64_t workflow, int64_t id)
{
    int64_t value = -1;

    assert_int_equal(
        pingo__db_number(&b->store->db, NULL, &value,
                         "SELECT count(*) = 1 AND min(p.workflow = a.workflow) FROM action a JOIN"
                         " dependency d ON d.child = a.id JOIN action p ON p.id = d.parent AND"
                         " p.state < 6 WHERE a.workflow = ? AND a.position = ? AND a.state = 1",
                         INT(workflow), INT(id - 1)),
        0);
    return value;
}

/* Who lost an input tries again after a while. */
static void all_finished(struct box *b, int64_t from, int64_t to)
{
    for (int i = 0; i < 500 && box_int(b, "SELECT max(state < 6) FROM action") == 1; i++) {
        box_finish_all(b);
        usleep(10000);
    }
    for (; from <= to; from++)
        assert_int_equal(box_workflow(b, from), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* An unmanaged output is made by each workflow for itself, though another one makes it now. */
static void test_replan__joins_nobody_for_an_unmanaged_output(void **state)
{
    struct box *b = box_new();
    const char *text = W(A(1, OUTSIDE) "," A(2, P(FROM(1))));
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, text);
    box_submit(b, text);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){2, "a1"}, NULL, &err), &err);
    box_submit(b, text);
    box_tick(b);
    box_fail(b, "a1");
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FAILED);
    assert_int_equal(waits_at_home(b, 2, 2), 1);
    all_finished(b, 2, 3);
}

/* What a workflow makes outside itself is waited for, and not what lies there until then. */
static void test_replan__waits_for_its_own_unmanaged_output(void **state)
{
    struct box *b = box_new();
    const char *text = W(A(1, OUTSIDE) "," A(2, P(FROM(1))));

    UNUSED(state);
    box_submit(b, text);
    box_tick(b);
    box_finish(b, "a1");
    box_submit(b, text);
    box_fail(b, "a2");
    assert_int_equal(waits_at_home(b, 2, 2), 1);
    all_finished(b, 2, 2);
}

/* Whoever makes what is lacking may wait for us, here for its turn at the outputPath that we read. */
static void test_replan__does_not_join_who_waits_for_it(void **state)
{
    struct box *b = box_new();
    const char *text = W(A(1, OUTSIDE) "," A(2, P(FROM(1))) "," A(3, P(FROM(1) "," FROM(2))));
    const char *const forced[] = {"a2"};
    struct pingo_submit_options options = {
        .version = 1, .base_dir = b->root, .forced = forced, .nforced = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, text);
    box_tick(b);
    box_finish(b, "a1");
    box_finish(b, "a2");
    well(box_try_submit(b, text, &options, &s, &err), &err);
    lose(b, fake_job(&b->fake, "a3")->links[1]);
    box_fail(b, "a3");
    assert_int_equal(waits_at_home(b, 1, 3), 1);
    all_finished(b, 1, 2);
}

/* What another workflow is about to replace is reused: that waits for who was handed what reads it. */
static void test_replan__reuses_what_others_replace_later(void **state)
{
    struct box *b = box_new();
    const char *text = W(A(1, OUTSIDE) "," A(2, "") "," A(3, P(FROM(1) "," FROM(2))));

    UNUSED(state);
    for (int i = 0; i < 3; i++)
        box_submit(b, text);
    box_tick(b);
    box_finish(b, "a2");
    box_finish(b, "a1");
    box_fail(b, "a3");
    box_finish(b, "a1");
    box_tick(b);
    lose(b, fake_job(&b->fake, "a3")->links[1]);
    box_fail(b, "a3");
    assert_int_equal(
        box_int(
            b, "SELECT count(*) FROM claim c JOIN dataset d ON d.id = c.dataset WHERE NOT managed"),
        1);
    assert_null(fake_job(&b->fake, "a1"));
    all_finished(b, 2, 3);
}

/* Who is handed what failed waits for nobody whom those wait for who had joined it as well. */
static void test_replan__waits_for_none_who_join_it(void **state)
{
    struct box *b = box_new();
    const char *text = W(A(1, OUTSIDE) "," A(2, P(FROM(1))) "," A(3, P(FROM(1) "," FROM(2))));
    const char *const names[] = {"a2", "a3"};
    struct pingo_submit_options target = {
        .version = 1, .base_dir = b->root, .targets = names, .ntargets = 1};
    struct pingo_submit_options forced = {
        .version = 1, .base_dir = b->root, .forced = &names[1], .nforced = 1};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, text);
    well(box_try_submit(b, text, &target, &s, &err), &err);
    well(box_try_submit(b, text, &forced, &s, &err), &err);
    well(pingo_store_kill(b->store, &(struct pingo_action_name){2, "a1"}, NULL, &err), &err);
    box_tick(b);
    box_finish(b, "a1");
    box_fail(b, "a2");
    assert_int_equal(box_state(b, 2, 2), PINGO_ACTION_SUBMITTED);
    all_finished(b, 3, 3);
}

/* Who comes to read what lies at an outputPath is waited for by who writes there next, as if it had read it from the
 * beginning: it finds its input, and what was submitted last is what lies there at the end. */
static void test_replan__is_waited_for_by_who_writes_next(void **state)
{
    struct box *b = box_new();
    const char *text = W(A(1, OUTSIDE) "," A(2, P(FROM(1))));
    char path[96], content[8] = "";
    int fd;

    UNUSED(state);
    box_submit(b, text);
    box_submit(b, text);
    box_submit(b, W(A(9, OUTSIDE)));
    box_tick(b);
    box_finish(b, "a1");
    box_fail(b, "a2");
    box_finish(b, "a1");
    assert_null(fake_job(&b->fake, "a9"));
    box_finish(b, "a2");
    box_finish(b, "a9");
    snprintf(path, sizeof path, "%s/mine", b->root);
    fd = open(path, O_RDONLY);
    assert_int_equal(read(fd, content, sizeof content - 1), 2);
    close(fd);
    assert_string_equal(content, "a9");
    all_finished(b, 2, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replan__made_again_in_the_better_place),
        cmocka_unit_test(test_replan__handed_on_in_the_better_place),
        cmocka_unit_test(test_replan__joins_nobody_for_an_unmanaged_output),
        cmocka_unit_test(test_replan__waits_for_its_own_unmanaged_output),
        cmocka_unit_test(test_replan__does_not_join_who_waits_for_it),
        cmocka_unit_test(test_replan__reuses_what_others_replace_later),
        cmocka_unit_test(test_replan__waits_for_none_who_join_it),
        cmocka_unit_test(test_replan__is_waited_for_by_who_writes_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
