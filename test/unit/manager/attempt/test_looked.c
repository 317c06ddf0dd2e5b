/* test_looked.c - that nothing can start is known until something changes, and each thing that it depends on is
 * something: looked.c. */
#include "unit/engine/box.h"

#include "manager/attempt/flight.h"

enum { WAITING = 300, FEW_STEPS = 300 }; /* to read a row takes several */

/* Quotes in more are single ones. */
static void submit_many(struct box *b, const char *name, int n, const char *more)
{
    struct pingo__buffer text = {0};

    pingo__buffer_format(&text, "{'name':'%s','actions':[", name);
    for (int i = 0; i < n; i++)
        pingo__buffer_format(&text,
                             "%s{'id':%d,'name':'%s%d','type':'command-line','command':"
                             "['%s','%d']%s}",
                             i ? "," : "", i, name, i, name, i, more);
    pingo__buffer_format(&text, "]}");
    assert_false(text.failed);
    box_submit(b, text.data);
    pingo__buffer_clear(&text);
}

#define GPU ",'resources':{'gpus':1}"

/* Can any start?  *nsteps: of SQLite's machine, which that took. */
static bool look(struct box *b, int64_t *nsteps)
{
    struct pingo__arena arena = {0};
    struct pingo_error err;
    size_t nclaim = 0;
    bool any = true;
    int64_t before = box_steps(b);

    well(pingo__manager_claim_look(&b->s->actions, &nclaim, &any, &arena, &err), &err);
    pingo__arena_clear(&arena);
    *nsteps = box_steps(b) - before;
    return any;
}

/* Nothing can start, and to know that takes no reading. */
static void rests(struct box *b)
{
    int64_t nsteps = 0;

    box_tick(b);
    assert_false(look(b, &nsteps));
    assert_false(look(b, &nsteps));
    assert_true(nsteps < FEW_STEPS);
}

static bool is_any(struct box *b)
{
    int64_t nsteps;

    return look(b, &nsteps);
}

/* The first of very many has the one GPU that there is. */
static struct box *waiting(void)
{
    struct box *b = box_new();

    b->fake.counted = 1;
    submit_many(b, "w", WAITING, GPU);
    box_tick(b);
    assert_int_equal(b->fake.n, 1);
    return b;
}

static void test_looked__is_read_once(void **state)
{
    struct box *b = waiting();
    int64_t nsteps;

    UNUSED(state);
    b->s->actions.looked.known = false;
    assert_false(look(b, &nsteps));
    assert_true(nsteps > WAITING);
    assert_false(look(b, &nsteps));
    assert_true(nsteps < FEW_STEPS);
    rests(b);
    box_tick(b); /* a tick that finds nothing to do changes nothing */
    assert_false(look(b, &nsteps));
    assert_true(nsteps < FEW_STEPS);
    box_finish(b, b->fake.jobs[0].name);
    assert_int_equal(b->fake.n, 2);
    box_close(b);
}

static void test_looked__who_is_there_is_known_too(void **state)
{
    struct box *b = waiting();
    int64_t nsteps;

    UNUSED(state);
    submit_many(b, "x", 1, "");
    assert_true(look(b, &nsteps));
    assert_true(look(b, &nsteps));
    assert_true(nsteps < FEW_STEPS);
    box_tick(b);
    assert_int_equal(b->fake.n, 2);
    rests(b);
    box_close(b);
}

static void test_looked__what_we_change(void **state)
{
    struct box *b = waiting();
    struct pingo_error err;

    UNUSED(state);
    rests(b);
    submit_many(b, "x", 1, "");
    assert_true(is_any(b));
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "x0"));
    rests(b);
    submit_many(b, "v", 1, GPU);
    rests(b);
    well(pingo_store_set_priority(b->store, 3, 5, &err), &err);
    rests(b);
    box_finish(b, b->fake.jobs[0].name);
    assert_non_null(fake_job(&b->fake, "v0")); /* before those that came first */
    rests(b);
    box_fail(b, "v0");
    assert_int_equal(b->fake.n, 4);
    box_close(b);
}

/* The same store, as another process has it. */
static struct box *beside(const struct box *b)
{
    struct box *c = calloc(1, sizeof *c);

    assert_non_null(c);
    memcpy(c->root, b->root, sizeof c->root);
    memcpy(c->dir, b->dir, sizeof c->dir);
    c->fake.counted = b->fake.counted;
    box_open_store(c);
    box_open_scheduler(c);
    return c;
}

static void test_looked__what_others_change(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    b->fake.counted = 1;
    struct box *c = beside(b);
    submit_many(b, "w", WAITING, GPU);
    box_tick(c);
    assert_int_equal(c->fake.n, 1);
    rests(b);
    submit_many(c, "x", 1, "");
    assert_true(is_any(b));
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "x0"));
    rests(b);
    c->fake.cannot_revoke = true;
    well(pingo_scheduler_pause(c->s, &err), &err); /* what it frees is ours */
    rests(b);
    box_finish(c, c->fake.jobs[0].name);
    assert_int_equal(c->fake.n, 1);
    assert_true(is_any(b));
    box_tick(b);
    assert_int_equal(b->fake.n, 2);
    rests(b);
    box_leave(c);
    free(c);
    box_close(b);
}

static void test_looked__what_executors_have(void **state)
{
    struct box *b = waiting();
    struct pingo_error err;

    UNUSED(state);
    rests(b);
    b->fake.counted = 2;
    assert_true(is_any(b));
    box_tick(b);
    assert_int_equal(b->fake.n, 2);
    rests(b);
    /* Actions that name no executor are another's, and ours again. */
    well(pingo_store_set(b->store, "executor", "slurm", &err), &err);
    submit_many(b, "x", 1, "");
    rests(b);
    assert_null(fake_job(&b->fake, "x0"));
    well(pingo_store_set(b->store, "executor", NULL, &err), &err);
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "x0"));
    rests(b);
    box_close(b);
}

static void test_looked__for_whom_we_claim(void **state)
{
    struct box *b = waiting();
    struct pingo_error err;

    UNUSED(state);
    well(pingo_scheduler_scope(b->s, (const int64_t[]){1}, 1, &err), &err);
    submit_many(b, "x", 1, "");
    rests(b);
    well(pingo_scheduler_scope(b->s, (const int64_t[]){1, 2}, 2, &err), &err);
    assert_true(is_any(b));
    well(pingo_scheduler_scope(b->s, (const int64_t[]){1}, 1, &err), &err);
    rests(b);
    well(pingo_store_pause_workflow(b->store, 2, NULL, &err), &err);
    well(pingo_scheduler_scope(b->s, NULL, 0, &err), &err);
    rests(b);
    well(pingo_store_resume_workflow(b->store, 2, NULL, &err), &err);
    assert_true(is_any(b));
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "x0"));
    box_close(b);
}

static void test_looked__what_each_may_have(void **state)
{
    struct pingo_share_options o = {.version = 1, .max_slots = 2};
    struct box *b = waiting();
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_set_share(b->store, "tester", &o, &err), &err);
    submit_many(b, "x", 2, "");
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "x0") ? fake_job(&b->fake, "x0") : fake_job(&b->fake, "x1"));
    assert_int_equal(b->fake.n, 2);
    assert_false(is_any(b));
    assert_false(is_any(b));
    o.max_slots = 3;
    well(pingo_store_set_share(b->store, "tester", &o, &err), &err);
    assert_true(is_any(b));
    box_tick(b);
    assert_int_equal(b->fake.n, 3);
    rests(b);
    box_close(b);
}

static int64_t ahead_ms; /* of the clock */

static int64_t shifted(void *context)
{
    UNUSED(context);
    return pingo__world_real()->now_ns(NULL) + ahead_ms * 1000000;
}

static void test_looked__the_time(void **state)
{
    struct pingo__world world = *pingo__world_real();
    struct box *b = waiting();
    struct pingo_error err;
    int64_t nsteps;

    UNUSED(state);
    ahead_ms = 0;
    world.now_ns = shifted;
    b->s->context.world = &world;
    submit_many(b, "x", 1, "");
    int64_t now_ms = pingo__manager_now_ms(&b->s->context);
    assert_int_equal(box_changed(&b->store->db, &err,
                                 "UPDATE action SET not_before_ms = ? WHERE workflow = 2",
                                 INT(now_ms + 300000)),
                     1);
    rests(b);
    ahead_ms = 30000;
    assert_false(look(b, &nsteps));
    assert_true(nsteps < FEW_STEPS);
    ahead_ms = 100000; /* once a minute, whatever happened */
    assert_false(look(b, &nsteps));
    assert_true(nsteps > WAITING);
    ahead_ms = 250000;
    rests(b);
    ahead_ms = 301000;
    assert_true(is_any(b));
    ahead_ms = 290000;
    rests(b);
    ahead_ms = -3600000; /* it is set back: nobody waits for an hour */
    assert_true(is_any(b));
    box_tick(b);
    assert_non_null(fake_job(&b->fake, "x0"));
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looked__is_read_once),
        cmocka_unit_test(test_looked__who_is_there_is_known_too),
        cmocka_unit_test(test_looked__what_we_change),
        cmocka_unit_test(test_looked__what_others_change),
        cmocka_unit_test(test_looked__what_executors_have),
        cmocka_unit_test(test_looked__for_whom_we_claim),
        cmocka_unit_test(test_looked__what_each_may_have),
        cmocka_unit_test(test_looked__the_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
