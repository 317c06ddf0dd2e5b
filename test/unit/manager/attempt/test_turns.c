/* test_turns.c - whose action is claimed next, and when nobody's is: turns.c, and the simulator beside it. */
#include <pingo-lab/simulate.h>

#include "unit/engine/box.h"

#include "manager/attempt/flight.h"

/* n actions of a user, named by the first letter of his name and their number; each asks for GPUs. */
static void submit_gpus(struct box *b, const char *user, int n, int gpus)
{
    struct pingo_submit_options o = {.version = 2, .base_dir = b->root, .user = user};
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo__buffer text = {0};
    struct pingo_error err;

    pingo__buffer_format(&text, "{'name':'%s','actions':[", user);
    for (int i = 0; i < n; i++)
        pingo__buffer_format(&text,
                             "%s{'id':%d,'name':'%c%d','type':'command-line','command':['%s%d',"
                             "'%d'],'resources':{'gpus':%d}}",
                             i ? "," : "", i, *user, i, user, i, gpus, gpus);
    pingo__buffer_format(&text, "]}");
    assert_false(text.failed);
    well(box_try_submit(b, text.data, &o, &submission, &err), &err);
    pingo__buffer_clear(&text);
}

static void submit(struct box *b, const char *user, int n)
{
    submit_gpus(b, user, n, 0);
}

static void set_share(struct box *b, const char *user, int64_t weight, int64_t slots)
{
    struct pingo_share_options o = {.version = 1, .weight = weight, .max_slots = slots};
    struct pingo_error err;

    well(pingo_store_set_share(b->store, user, &o, &err), &err);
}

static bool is_live(const struct job *j)
{
    return !j->revoked && !j->killed && !j->ended;
}

/* Jobs of a user, by his letter, among the first so many that were handed out. */
static size_t live(const struct box *b, char user, size_t among)
{
    size_t n = 0;

    for (size_t i = 0; i < among; i++)
        n += b->fake.jobs[i].name[0] == user && is_live(&b->fake.jobs[i]);
    return n;
}

/* Is there anything to take the lock for? */
static bool is_any(struct box *b)
{
    struct pingo__arena arena = {0};
    struct pingo_error err;
    size_t nclaim = 0;
    bool any = true;

    well(pingo__manager_claim_look(&b->s->actions, &nclaim, &any, &arena, &err), &err);
    pingo__arena_clear(&arena);
    return any;
}

/* Its command has ended, and what that had is another's. */
static void test_turns__what_waits_for_a_closed_place_holds_nothing(void **state)
{
    UNUSED(state);
    for (int gpus = 0; gpus < 2; gpus++) {
        struct box *b = box_new();
        char place[32];

        b->fake.counted = 1;
        if (!gpus)
            set_share(b, "a", 0, 1);
        submit_gpus(b, "a", 2, gpus);
        box_tick(b);
        assert_int_equal(b->fake.n, 1);
        snprintf(place, sizeof place, ".%d.1", (int)b->fake.jobs[0].key.action);
        box_shut_place(b, place);
        box_finish(b, b->fake.jobs[0].name);
        box_tick(b);
        assert_int_equal(b->fake.n, 2);
        box_tick(b);
        box_shut_place(b, NULL);
        box_try_again(b);
        box_finish_all(b);
        assert_int_equal(box_workflow(b, 1), PINGO_WORKFLOW_FINISHED);
        assert_int_equal(box_int(b, "SELECT sum(running) FROM user"), 0);
        box_clean(b);
        box_close(b);
    }
}

static void test_turns__who_is_at_his_quota_takes_no_lock(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    set_share(b, "a", 0, 1);
    submit(b, "a", 3);
    assert_true(is_any(b));
    box_tick(b);
    assert_int_equal(live(b, 'a', b->fake.n), 1);
    assert_false(is_any(b)); /* two are ready, and there are slots */
    submit(b, "b", 2);
    assert_true(is_any(b));
    box_tick(b); /* the others go on */
    assert_int_equal(live(b, 'a', b->fake.n), 1);
    assert_int_equal(live(b, 'b', b->fake.n), 2);
    assert_false(is_any(b));
    const struct job *first = b->fake.jobs[0].name[0] == 'a' ? &b->fake.jobs[0] : &b->fake.jobs[1];
    box_finish(b, first->name);
    assert_int_equal(live(b, 'a', b->fake.n), 1); /* his next one */
    assert_false(is_any(b));
    set_share(b, "a", 0, -1);
    assert_true(is_any(b));
    box_tick(b);
    assert_int_equal(live(b, 'a', b->fake.n), 2);
    box_finish_all(b);
    assert_int_equal(b->fake.n, 5);
    box_close(b);
}

/* What others have in hand of executors of their own takes none of our slots, but counts for its user; of those that all
 * share, it does. */
static void test_turns__who_has_much_elsewhere_leaves_our_slots_to_others(void **state)
{
    UNUSED(state);
    for (int own = 0; own < 2; own++) {
        struct box *b = box_new();

        b->s->actions.max_jobs = 4; /* none ahead */
        b->s->actions.executors[0].type.in_process = own;
        submit(b, "a", 9);
        submit(b, "b", 9);
        box_run(b, "UPDATE user SET running = 8 WHERE name = 'a'");
        for (int i = 0; i < 2; i++) {
            box_tick(b);
            assert_int_equal(live(b, 'a', b->fake.n), 0);
            assert_int_equal(live(b, 'b', b->fake.n), own ? 4 : 2);
        }
        box_finish(b, b->fake.jobs[0].name);
        assert_int_equal(live(b, 'b', b->fake.n), own ? 4 : 2); /* his next one */
        box_close(b);
    }
}

/* What is in our own hands is not elsewhere: it opens no more slots. */
static void test_turns__what_is_in_our_hands_is_not_elsewhere(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->s->actions.executors[0].type.in_process = true;
    submit(b, "a", 9);
    submit(b, "b", 9);
    for (int i = 0; i < 3; i++) {
        box_tick(b);
        assert_int_equal(live(b, 'a', b->fake.n), 2);
        assert_int_equal(live(b, 'b', b->fake.n), 2);
    }
    box_close(b);
}

/* Of two GPUs one is free: who waits for both keeps it from nobody whose turn comes before his. */
static void test_turns__who_waits_for_much_is_before_nobody_whose_turn_it_is(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.counted = 2;
    submit_gpus(b, "a", 1, 1);
    box_tick(b);
    submit_gpus(b, "a", 2, 2);
    box_tick(b);
    assert_int_equal(live(b, 'a', b->fake.n), 1);
    assert_false(is_any(b));
    submit_gpus(b, "b", 1, 1);
    assert_true(is_any(b));
    box_tick(b);
    assert_int_equal(live(b, 'b', b->fake.n), 1);
    submit_gpus(b, "c", 1, 1); /* no GPU is free */
    assert_false(is_any(b));
    box_tick(b);
    assert_int_equal(live(b, 'c', b->fake.n), 0);
    box_finish_all(b); /* who waits for both has them at last */
    assert_int_equal(b->fake.n, 5);
    box_close(b);
}

/* Two others have one GPU each, and always one more that wants it: he who waits for both has them as soon as both are free,
 * which nobody who comes after him puts off. */
static void test_turns__who_waits_for_much_is_not_starved(void **state)
{
    struct box *b = box_new();
    size_t n = 0, ended = 0;

    UNUSED(state);
    b->fake.counted = 2;
    submit_gpus(b, "b", 20, 1);
    submit_gpus(b, "c", 20, 1);
    box_tick(b);
    assert_int_equal(b->fake.n, 2);
    submit_gpus(b, "a", 1, 2);
    while (live(b, 'a', b->fake.n) == 0 && ended < b->fake.n) {
        n = b->fake.n;
        box_finish(b, b->fake.jobs[ended++].name);
        box_tick(b);
        assert_true(b->fake.n <= n + 1);
    }
    assert_int_equal(live(b, 'a', b->fake.n), 1);
    assert_int_equal(b->fake.n, 3); /* the first two, and he */
    box_finish_all(b);
    assert_int_equal(b->fake.n, 41);
    box_close(b);
}

/* However many are armed ahead, what comes new has no more of them before it than there are slots. */
static void test_turns__what_is_armed_ahead_lets_a_newcomer_pass(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_actions *m = &b->s->actions;
    size_t at = SIZE_MAX;

    UNUSED(state);
    submit(b, "b", 1); /* there are two, so that turns are taken */
    submit(b, "a", 700);
    box_tick(b);
    box_finish(b, "b0");
    box_finish(b, b->fake.jobs[b->fake.jobs[0].name[0] == 'b'].name);
    m->mean_wall_ms = 0.1; /* as if very many short ones had ended */
    for (size_t i = 0; i < m->nmeans; i++)
        m->means[i].wall_ms = 0.1;
    box_tick(b);
    assert_true(live(b, 'a', b->fake.n) >= 512);
    submit(b, "c", 2);
    for (int i = 0; i < 9 && at == SIZE_MAX; i++) {
        box_tick(b);
        for (size_t k = b->fake.n; k-- > 0;)
            at = b->fake.jobs[k].name[0] == 'c' ? k : at;
    }
    assert_true(at != SIZE_MAX);
    assert_true(live(b, 'a', at) <= 4);
    box_close(b);
}

/* ---- the engine and the simulator ------------------------------------------------------------ */

enum { USERS = 3, STARTS = 64 };

struct line {
    char text[STARTS];
    size_t n;
};

struct history {
    int n[USERS];
    int64_t weights[USERS];
    const char *starts;
};
static const char *const names[USERS] = {"a", "b", "c"};

static void start(struct line *line, char user)
{
    assert_true(line->n < STARTS - 1);
    line->text[line->n++] = user;
}

static void in_the_engine(const struct history *h, struct line *line)
{
    struct box *b = box_new();

    b->s->actions.max_jobs = 1; /* none ahead */
    for (size_t i = 0; i < USERS; i++)
        set_share(b, names[i], h->weights[i], 0);
    for (size_t i = 0; i < USERS; i++)
        submit(b, names[i], h->n[i]);
    box_tick(b);
    for (size_t i = 0; i < b->fake.n; i++) {
        start(line, b->fake.jobs[i].name[0]);
        box_finish(b, b->fake.jobs[i].name); /* 10 ms each */
    }
    box_close(b);
}

static int on_event(void *context, const struct pingo_simulation_event *e)
{
    if (e->kind == PINGO_SIMULATION_RUN)
        start(context, *names[e->submission]);
    return 0;
}

static void in_the_simulator(const struct history *h, struct line *line)
{
    struct pingo_simulation_weight weights[USERS];
    struct pingo_simulation_result result = {.size = sizeof result};
    struct pingo_simulation_options options = {.version = 2,
                                               .budget_bytes = -1,
                                               .slots = 1,
                                               .arrive = PINGO_SIMULATION_ARRIVE_TIMES,
                                               .weights = weights,
                                               .nweights = USERS,
                                               .event = on_event,
                                               .context = line};
    struct pingo_history *history;
    struct pingo_workload *w = NULL;
    struct pingo_error err;

    well(pingo_history_new(&history, &err), &err);
    for (size_t i = 0; i < USERS; i++) {
        struct pingo_history_mention m[STARTS] = {{.nparents = 0}};
        struct pingo_history_entry e = {
            .user = names[i], .workflow = names[i], .mentions = m, .nmentions = (uint32_t)h->n[i]};
        weights[i] = (struct pingo_simulation_weight){names[i], h->weights[i]};
        for (int k = 0; k < h->n[i]; k++) {
            m[k].hash.bytes[0] = (uint8_t)(i + 1);
            m[k].hash.bytes[1] = (uint8_t)k;
            m[k].size_bytes = 1;
            m[k].compute_ms = 10;
            m[k].flags = PINGO_HISTORY_LEAF;
        }
        assert_int_equal(pingo_history_append(history, &e, NULL, &err), 0);
    }
    well(pingo_workload_new(history, &w, &err), &err);
    well(pingo_workload_simulate(w, &options, &result, &err), &err);
    pingo_workload_free(w);
    pingo_history_free(history);
}

static void test_turns__are_those_of_the_simulator(void **state)
{
    static const struct history histories[] = {
        {{6, 6, 6}, {1, 1, 1}, "abcabcabcabcabcabc"},
        {{6, 6, 3}, {1, 3, 1}, NULL},
        {{9, 5, 7}, {2, 1, 4}, NULL},
        {{3, 12, 12}, {10, 1, 3}, NULL},
        {{8, 8, 8}, {7, 5, 3}, NULL},
    };

    UNUSED(state);
    for (size_t i = 0; i < sizeof histories / sizeof *histories; i++) {
        const struct history *h = &histories[i];
        struct line engine = {.n = 0}, simulator = {.n = 0};

        in_the_engine(h, &engine);
        in_the_simulator(h, &simulator);
        assert_int_equal(engine.n, h->n[0] + h->n[1] + h->n[2]);
        assert_string_equal(engine.text, simulator.text);
        if (h->starts)
            assert_string_equal(engine.text, h->starts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns__what_waits_for_a_closed_place_holds_nothing),
        cmocka_unit_test(test_turns__who_is_at_his_quota_takes_no_lock),
        cmocka_unit_test(test_turns__who_has_much_elsewhere_leaves_our_slots_to_others),
        cmocka_unit_test(test_turns__what_is_in_our_hands_is_not_elsewhere),
        cmocka_unit_test(test_turns__who_waits_for_much_is_before_nobody_whose_turn_it_is),
        cmocka_unit_test(test_turns__who_waits_for_much_is_not_starved),
        cmocka_unit_test(test_turns__what_is_armed_ahead_lets_a_newcomer_pass),
        cmocka_unit_test(test_turns__are_those_of_the_simulator),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
