/* test_driving.c - pausing and resuming submissions, their priorities, and who drives them. */
#include "unit/engine/box.h"

#include <signal.h>
#include <sys/wait.h>

/* ---- priorities ------------------------------------------------------------------------------ */

static int64_t submit_at(struct box *b, const char *user, int64_t priority, const char *text)
{
    struct pingo_submit_options options = {
        .version = 3, .base_dir = b->root, .user = user, .priority = priority};
    struct pingo_submission s = {.size = sizeof s};
    struct pingo_error err;

    well(box_try_submit(b, text, &options, &s, &err), &err);
    return s.workflow;
}

/* In whose queue the actions of the first submission stand: ",1,2," of several, "1" of one, "0": before all. */
static void stand(struct box *b, const char *first, const char *second)
{
    struct pingo_error err;

    for (int i = 0; i < 2; i++) {
        int64_t is = 0;
        well(pingo__db_number(
                 &b->store->db, &err, &is,
                 "SELECT coalesce((SELECT users FROM joint j WHERE j.id = a.queue),"
                 " CAST(a.queue AS TEXT)) = ?1 FROM action a WHERE workflow = 1 AND position = ?2",
                 TEXT(i ? second : first), INT(i)),
             &err);
        if (!is)
            fail_msg("action %d is not in %s", i + 1, i ? second : first);
    }
}

static void set_priority(struct box *b, int64_t workflow, int64_t priority)
{
    struct pingo_error err;

    well(pingo_store_set_priority(b->store, workflow, priority, &err), &err);
}

static void test_driving__a_priority_that_was_set_leaves_each_his_place(void **state)
{
    struct box *b = box_new();
    const char *text = W(A(1, "") "," A(2, P(FROM(1))));

    UNUSED(state);
    int64_t ada = submit_at(b, "ada", 0, text);
    int64_t bob = submit_at(b, "bob", 0, text);
    stand(b, ",1,2,", ",1,2,");
    /* Hers, though it was in hand in his turn and was taken back. */
    box_int(b, "UPDATE action SET user = 2 WHERE workflow = 1 RETURNING 1");
    set_priority(b, ada, 5);
    stand(b, "0", "0");
    set_priority(b, ada, 0);
    stand(b, ",1,2,", ",1,2,");
    /* His, who joined it. */
    set_priority(b, bob, 5);
    stand(b, "0", "0");
    set_priority(b, bob, 0);
    stand(b, ",1,2,", ",1,2,");
    /* Her own, who asks for a part of it in haste. */
    int64_t urgent = submit_at(b, "ada", 1, W(A(1, "")));
    stand(b, "0", ",1,2,");
    set_priority(b, urgent, 0);
    stand(b, ",1,2,", ",1,2,");
    submit_at(b, "ada", 0, text);
    stand(b, ",1,2,", ",1,2,");
    submit_at(b, "cat", 0, W(A(1, "")));
    stand(b, ",1,2,3,", ",1,2,");
    set_priority(b, ada, 1);
    set_priority(b, ada, -2);
    stand(b, ",1,2,3,", ",1,2,");
    box_finish_all(b);
    assert_int_equal(box_int(b, "SELECT sum(running) FROM user"), 0);
    box_clean(b);
    box_close(b);
}

/* With one user alone too, and where a run claims for the submission that has what was lifted. */
static void test_driving__ones_own_haste_lifts_what_it_waits_for(void **state)
{
    struct box *b = box_new();
    int64_t only = submit_at(b, "ada", 0, W(A(1, "") "," A(2, "")));
    struct pingo_error err;

    UNUSED(state);
    submit_at(b, "ada", 1, W(A(2, "")));
    stand(b, "1", "0");
    well(pingo_scheduler_scope(b->s, &only, 1, &err), &err);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    assert_string_equal(b->fake.jobs[0].name, "a2");
    box_clean(b);
    box_close(b);
}

/* It holds the store's lock meanwhile: of its own actions none is looked for above another. */
static void test_driving__the_priority_of_many_is_set_in_few_steps(void **state)
{
    enum { MANY = 500 };
    struct box *b = box_new();

    UNUSED(state);
    box_submit_layers(b, MANY);
    int64_t before = box_steps(b);
    set_priority(b, 1, -1);
    assert_in_range(box_steps(b) - before, MANY, 160 * MANY);
    assert_int_equal(box_int(b, "SELECT count(*) FROM action WHERE priority = -1"), MANY);
    box_clean(b);
    box_close(b);
}

static void test_driving__what_has_ended_has_no_priority(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    submit_at(b, "ada", 2, W(A(1, "")));
    box_finish_all(b);
    assert_int_equal(pingo_store_set_priority(b->store, 1, 3, &err), PINGO_ESTATE);
    assert_string_equal(err.message, "workflow 1 has ended already (FINISHED)");
    assert_int_equal(pingo_store_set_priority(b->store, 2, 3, &err), PINGO_ENOTFOUND);
    assert_int_equal(box_int(b, "SELECT priority FROM workflow"), 2);
    box_close(b);
}

/* ---- kill ------------------------------------------------------------------------------------ */

static int kill_it(struct box *b, const char *action, size_t *n, struct pingo_error *err)
{
    return pingo_store_kill(b->store, &(struct pingo_action_name){1, action}, n, err);
}

static int count_commit(void *context)
{
    ++*(int *)context;
    return 0;
}

/* Of 250 actions. */
static void test_driving__many_are_killed_in_few_commits(void **state)
{
    static const char *const some[] = {"a1?", "a12"}, *const all[] = {"a*"},
                             *const two[] = {"3", "a15"};
    struct pingo_selection meant = {.version = 1, .workflow = 1, .actions = some, .nactions = 2};
    const struct pingo_caller ada = {1, "ada", PINGO_ROLE_ADMIN, "socket"};
    struct box *b = box_new();
    struct pingo_error err;
    char text[40000];
    size_t n = (size_t)snprintf(text, sizeof text, "{\"name\": \"w\", \"actions\": [");
    int commits = 0;

    UNUSED(state);
    for (int i = 1; i <= 250; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%s{\"id\": %d, \"name\": \"a%d\", \"type\": \"command-line\","
                              " \"command\": \"echo %d\"}",
                              i > 1 ? ", " : "", i, i, i);
    snprintf(text + n, sizeof text - n, "]}");
    box_submit(b, text);
    well(pingo_store_act_for(b->store, &ada, &err), &err);
    sqlite3_commit_hook(b->store->db.sqlite, count_commit, &commits);
    well(pingo_store_kill_selected(b->store, &meant, &n, &err), &err);
    assert_int_equal(n, 10);
    assert_int_equal(commits, 1);
    assert_int_equal(pingo_store_kill_selected(b->store, &meant, &n, &err), PINGO_ESTATE);
    assert_int_equal(n, 0);
    assert_int_equal(commits, 1);
    assert_non_null(strstr(err.message, "has ended already (KILLED)"));
    meant.actions = two; /* one has ended */
    well(pingo_store_kill_selected(b->store, &meant, &n, &err), &err);
    assert_int_equal(n, 1);
    meant.actions = all;
    meant.nactions = 1;
    well(pingo_store_kill_selected(b->store, &meant, &n, &err), &err);
    assert_int_equal(n, 239);
    assert_int_equal(commits, 5);
    sqlite3_commit_hook(b->store->db.sqlite, NULL, NULL);
    assert_int_equal(box_int(b, "SELECT count(*) FROM audit"), 5);
    assert_int_equal(pingo_store_kill_selected(b->store, &meant, NULL, &err), PINGO_ESTATE);
    meant.actions = some + 1;
    meant.workflow = 2;
    assert_int_equal(pingo_store_kill_selected(b->store, &meant, &n, &err), PINGO_ENOTFOUND);
    well(pingo_store_act_for(b->store, NULL, &err), &err);
    box_clean(b);
    box_close(b);
}

/* What a killed workflow has left, and nobody needs any more, as older versions did, can be killed. */
static void test_driving__what_a_kill_had_left_can_be_killed(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    size_t n;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_run(b, "UPDATE workflow SET state = 4, ended_ms = 1");
    assert_int_equal(kill_it(b, "a9", &n, &err), PINGO_ENOTFOUND);
    well(kill_it(b, NULL, &n, &err), &err);
    assert_int_equal(n, 2);
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_KILLED);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kill_it(b, i ? "a1" : NULL, &n, &err), PINGO_ESTATE);
        assert_string_equal(err.message, "workflow 1 has ended already (KILLED)");
        assert_int_equal(n, 0);
    }
    box_clean(b);
    box_close(b);
}

/* What it has left to another one is not. */
static void test_driving__what_is_needed_stays_after_a_kill(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    size_t n;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_submit(b, W(A(1, "")));
    well(kill_it(b, NULL, NULL, &err), &err);
    assert_int_equal(kill_it(b, NULL, &n, &err), PINGO_ESTATE);
    assert_string_equal(err.message, "workflow 1 has ended already (KILLED)");
    assert_int_equal(box_state(b, 1, 1), PINGO_ACTION_READY);
    box_finish_all(b);
    assert_int_equal(box_workflow(b, 2), PINGO_WORKFLOW_FINISHED);
    box_clean(b);
    box_close(b);
}

/* ---- pauses ---------------------------------------------------------------------------------- */

static void test_driving__nothing_more_starts_while_it_is_paused(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;
    bool changed = false;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    b->fake.cannot_revoke = true; /* it runs, and goes on */
    box_tick(b);
    well(pingo_store_pause_workflow(b->store, 1, &changed, &err), &err);
    assert_true(changed);
    well(pingo_store_pause_workflow(b->store, 1, &changed, &err), &err);
    assert_false(changed);
    box_finish(b, "a1");
    assert_int_equal(box_tick(b).active, 0);
    assert_int_equal(box_state(b, 1, 2), PINGO_ACTION_READY);
    well(pingo_store_resume_workflow(b->store, 1, &changed, &err), &err);
    assert_true(changed);
    well(pingo_store_resume_workflow(b->store, 1, &changed, &err), &err);
    assert_false(changed);
    assert_int_equal(box_tick(b).started, 1);
    box_finish_all(b);
    changed = true;
    assert_int_equal(pingo_store_pause_workflow(b->store, 1, &changed, &err), PINGO_ESTATE);
    assert_string_equal(err.message, "workflow 1 has ended already (FINISHED)");
    assert_false(changed);
    assert_int_equal(pingo_store_resume_workflow(b->store, 1, NULL, &err), PINGO_ESTATE);
    assert_int_equal(pingo_store_pause_workflow(b->store, 2, NULL, &err), PINGO_ENOTFOUND);
    box_close(b);
}

/* ---- who drives ------------------------------------------------------------------------------ */

struct driven {
    int n;
    struct pingo_driver last;
};

static int on_driver(void *context, const struct pingo_driver *driver)
{
    struct driven *d = context;

    d->n++;
    d->last = *driver;
    return 0;
}

static int stop(void *context, const struct pingo_driver *driver)
{
    UNUSED(context);
    UNUSED(driver);
    return 1;
}

static struct driven drivers(struct box *b, int64_t workflow)
{
    struct driven d = {.n = 0};
    struct pingo_error err;

    well(pingo_store_drivers(b->store, workflow, on_driver, &d, &err), &err);
    return d;
}

static void test_driving__who_claims_or_has_something_in_hand_is_told(void **state)
{
    struct box *b = box_new();
    struct driven d;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    assert_int_equal(drivers(b, 1).n, 0); /* a scheduler that has not ticked is nobody */
    b->fake.cannot_revoke = true;
    box_tick(b);
    d = drivers(b, 1);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.last.pid, getpid());
    assert_true(d.last.claims && !d.last.stopped && d.last.started_ms > 0);
    assert_int_equal(d.last.handed, 2);
    assert_int_equal(pingo_store_drivers(b->store, 1, stop, NULL, &err), PINGO_EINTERRUPTED);
    well(pingo_store_pause_workflow(b->store, 1, NULL, &err), &err);
    d = drivers(b, 1);
    assert_false(d.last.claims); /* but what runs is in its hand */
    assert_int_equal(d.last.handed, 2);
    box_finish(b, "a1");
    assert_int_equal(drivers(b, 1).last.handed, 1);
    well(pingo_store_resume_workflow(b->store, 1, NULL, &err), &err);
    box_finish_all(b);
    assert_int_equal(drivers(b, 1).n, 0); /* it has ended */
    assert_int_equal(pingo_store_drivers(b->store, 2, on_driver, &d, &err), PINGO_ENOTFOUND);
    box_close(b);
}

/* All that a submission waits for, of another one, is not looked through to tell of nobody. */
static void test_driving__where_nobody_works_what_it_waits_for_is_not_read(void **state)
{
    enum { LONG = 300 };
    static char text[LONG * 200];
    struct box *b = box_new();
    size_t n = (size_t)snprintf(text, sizeof text, "{\"name\": \"w\", \"actions\": [");

    UNUSED(state);
    for (int i = 1; i <= LONG; i++) {
        char parent[60] = "";
        if (i > 1)
            snprintf(parent, sizeof parent, ", \"parentActions\": [{\"id\": %d}]", i - 1);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%s{\"id\": %d, \"name\": \"a%d\", \"type\": \"command-line\","
                              " \"command\": \"echo\"%s}",
                              i > 1 ? ", " : "", i, i, parent);
    }
    snprintf(text + n, sizeof text - n, "]}");
    box_submit(b, text);
    box_submit(b, text); /* joins it */
    int64_t before = box_steps(b);
    assert_int_equal(drivers(b, 2).n, 0);
    assert_true(box_steps(b) - before < LONG);
    box_close(b);
}

/* Who claims for another submission goes on with this one too, where that computes what this one waits for. */
static void test_driving__by_way_of_another_submission(void **state)
{
    static const int64_t first = 1, other = 3;
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, P(FROM(1)))));
    box_submit(b, W(A(1, "") "," A(3, P(FROM(1))))); /* its first is that of 1 */
    box_submit(b, W(A(4, "")));
    well(pingo_scheduler_scope(b->s, &first, 1, &err), &err);
    box_tick(b);
    assert_true(drivers(b, 1).last.claims);
    assert_true(drivers(b, 2).last.claims);
    assert_int_equal(drivers(b, 2).last.handed, 1);
    assert_int_equal(drivers(b, 3).n, 0);
    box_finish(b, "a1");
    assert_int_equal(drivers(b, 2).n, 0); /* what is left of it is its own */
    well(pingo_scheduler_scope(b->s, &other, 1, &err), &err);
    b->fake.cannot_revoke = true;
    box_tick(b);
    assert_true(drivers(b, 3).last.claims);
    assert_false(drivers(b, 1).last.claims);
    assert_int_equal(drivers(b, 1).last.handed, 1); /* it is in hand from before */
    box_close(b);
}

/* Actions of which none needs another, from this one on, with names of their own; yours, free() it. */
static char *flat_from(const char *prefix, int first, int n)
{
    size_t size = 200 * (size_t)(n + 1);
    char *text = malloc(size);
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, size, "{\"name\": \"w\", \"actions\": [");
    for (int i = first; i < first + n; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "%s{\"id\": %d, \"name\": \"%s%d\", \"type\": \"command-line\","
                               " \"command\": \"echo %s%d\"}",
                               i > first ? ", " : "", i, prefix, i, prefix, i);
    snprintf(text + at, size - at, "]}");
    return text;
}

static char *flat(const char *prefix, int n)
{
    return flat_from(prefix, 1, n);
}

/* The first submission is driven, the second has joined all of it, and the third is another one's. */
static int64_t joined_steps(int n)
{
    static const int64_t first = 1, third = 3;
    struct box *b = box_new();
    struct pingo_error err;
    char *text = flat("x", n);

    b->store->db.on_event = NULL; /* they are too many for the box */
    b->fake.cannot_revoke = true;
    box_submit(b, text);
    box_submit(b, text);
    box_submit(b, W(A(1, "")));
    free(text);
    well(pingo_scheduler_scope(b->s, &first, 1, &err), &err);
    box_tick(b);
    int64_t before = box_steps(b);
    struct driven d = drivers(b, 2);
    int64_t steps = box_steps(b) - before;
    assert_true(d.n > 0 && d.last.claims);
    assert_int_equal(d.last.handed, drivers(b, 1).last.handed);
    assert_true(d.last.handed > 0);
    assert_int_equal(drivers(b, 3).n, 0);
    /* Who claims for another one is told of for what he has in hand, alone. */
    well(pingo_scheduler_scope(b->s, &third, 1, &err), &err);
    box_tick(b);
    d = drivers(b, 2);
    assert_true(d.n > 0 && !d.last.claims && d.last.handed > 0);
    box_close(b);
    return steps;
}

/* The second submission has joined all of the first, which was killed, and goes on for it: what of that nobody needs
 * any more is looked for once for many. */
static void test_driving__many_that_a_killed_one_computes_are_killed_in_few_steps(void **state)
{
    static const char *const all[] = {"x*"};
    const struct pingo_selection meant = {.version = 1, .workflow = 2, .actions = all, .nactions = 1};
    const struct pingo_action_name whole = {2, NULL};
    int64_t steps[2];
    UNUSED(state);
    for (int i = 0; i < 2; i++) {
        struct box *b = box_new();
        struct pingo_error err;
        char *text = flat("x", 200);
        size_t n;
        b->store->db.on_event = NULL;
        box_submit(b, text);
        box_submit(b, text);
        free(text);
        well(pingo_store_kill(b->store, &(struct pingo_action_name){1, NULL}, &n, &err), &err);
        assert_int_equal(n, 0);
        int64_t before = box_steps(b);
        well(i ? pingo_store_kill_selected(b->store, &meant, &n, &err)
               : pingo_store_kill(b->store, &whole, &n, &err),
             &err);
        steps[i] = box_steps(b) - before;
        assert_int_equal(n, 400);
        box_close(b);
    }
    if (steps[1] > 5 * steps[0])
        fail_msg("%lld steps where a pattern means all, %lld where all is killed",
                 (long long)steps[1], (long long)steps[0]);
}

static void test_driving__of_very_many_that_are_waited_for_few_are_looked_at(void **state)
{
    UNUSED(state);
    int64_t many = joined_steps(1500), more = joined_steps(4000);
    if (more > many + many / 4)
        fail_msg("%lld steps where 1500 are waited for, %lld of 4000", (long long)many,
                 (long long)more);
}

/* The first and the second have one action, the third very many; the fourth has joined those, and the second. Only one
 * is driven. */
static int64_t steps_of_one_driven(int n, int64_t driven)
{
    char *texts[] = {flat("y", 1), flat_from("x", n + 1, 1), flat("x", n), flat("x", n + 1)};
    struct box *b = box_new();
    struct pingo_error err;
    b->store->db.on_event = NULL;
    for (size_t i = 0; i < 4; i++) {
        box_submit(b, texts[i]);
        free(texts[i]);
    }
    b->fake.cannot_revoke = true;
    well(pingo_scheduler_scope(b->s, &driven, 1, &err), &err);
    box_tick(b);
    int64_t before = box_steps(b);
    struct driven d = drivers(b, 4);
    int64_t steps = box_steps(b) - before;
    assert_int_equal(d.n, driven == 2);
    assert_true(driven == 1 || d.last.claims);
    box_close(b);
    return steps;
}

static void test_driving__who_drives_little_is_looked_at_and_not_what_is_waited_for(void **state)
{
    UNUSED(state);
    for (int64_t driven = 1; driven <= 2; driven++) {
        int64_t many = steps_of_one_driven(1500, driven), more = steps_of_one_driven(4000, driven);
        if (more > many + many / 4)
            fail_msg("%lld steps where 1500 are waited for, %lld of 4000", (long long)many,
                     (long long)more);
    }
}

/* What is found twice is one of the few. */
static void test_driving__few_are_so_many_different_ones(void **state)
{
    struct box *b = box_new();
    struct pingo__arena arena = {0};
    struct pingo__store_needed_few_list few = {.arena = &arena};
    struct pingo_error err;
    const char *prefixes[] = {"x", "y", "z"};

    UNUSED(state);
    for (size_t i = 0; i < 3; i++) {
        char *text = flat(prefixes[i], i ? 1 : 20);
        box_submit(b, text);
        free(text);
    }
    box_run(
        b,
        "INSERT INTO dependency(parent, child, data) SELECT p.id, c.id, 0 FROM action p, action c"
        " WHERE p.workflow = 1 AND c.workflow = iif(p.id < 20, 2, 3);"
        "INSERT INTO dependency(parent, child, data) SELECT p.id, c.id, 0 FROM action p, action c"
        " WHERE p.workflow = 2 AND c.workflow = 1 AND c.id < 20;"
        "INSERT INTO dependency(parent, child, data) SELECT p.id, c.id, 0 FROM action p, action c"
        " WHERE p.workflow = 3 AND c.workflow = 1 AND c.id = 20;"
        "UPDATE action SET state = 1");
    well(pingo__store_driving_needing_few(&b->store->db, 1, 10, &few, &err), &err);
    int64_t sum = 0;
    for (size_t i = 0; i < few.n; i++)
        sum |= INT64_C(1) << few.rows[i].workflow;
    assert_int_equal(sum & 12, 12);
    well(pingo__store_driving_needed_few(&b->store->db, 1, 10, &few, &err), &err);
    sum = 0;
    for (size_t i = 0; i < few.n; i++)
        sum |= INT64_C(1) << few.rows[i].workflow;
    assert_int_equal(sum & 12, 12);
    pingo__arena_clear(&arena);
    box_close(b);
}

static void test_driving__one_that_is_stopped_or_dead(void **state)
{
    struct box *b = box_new();
    struct driven d;
    int status = 0;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_leave(b);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        box_open_store(b);
        box_open_scheduler(b);
        pingo_scheduler_tick(b->s, NULL, NULL);
        raise(SIGSTOP);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    box_open_store(b);
    d = drivers(b, 1);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.last.pid, pid);
    assert_true(d.last.claims && d.last.stopped);
    assert_int_equal(d.last.handed, 1);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(drivers(b, 1).n, 0);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_driving__a_priority_that_was_set_leaves_each_his_place),
        cmocka_unit_test(test_driving__ones_own_haste_lifts_what_it_waits_for),
        cmocka_unit_test(test_driving__the_priority_of_many_is_set_in_few_steps),
        cmocka_unit_test(test_driving__what_has_ended_has_no_priority),
        cmocka_unit_test(test_driving__many_are_killed_in_few_commits),
        cmocka_unit_test(test_driving__what_a_kill_had_left_can_be_killed),
        cmocka_unit_test(test_driving__what_is_needed_stays_after_a_kill),
        cmocka_unit_test(test_driving__nothing_more_starts_while_it_is_paused),
        cmocka_unit_test(test_driving__who_claims_or_has_something_in_hand_is_told),
        cmocka_unit_test(test_driving__where_nobody_works_what_it_waits_for_is_not_read),
        cmocka_unit_test(test_driving__by_way_of_another_submission),
        cmocka_unit_test(test_driving__many_that_a_killed_one_computes_are_killed_in_few_steps),
        cmocka_unit_test(test_driving__of_very_many_that_are_waited_for_few_are_looked_at),
        cmocka_unit_test(test_driving__who_drives_little_is_looked_at_and_not_what_is_waited_for),
        cmocka_unit_test(test_driving__few_are_so_many_different_ones),
        cmocka_unit_test(test_driving__one_that_is_stopped_or_dead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
