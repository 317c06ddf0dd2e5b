/* Users take turns in the simulator: Columbus thesis 6.6, a newcomer, weights, joined actions. */
#include "story.h"

#include "unit/share.h"

enum { USERS = 8 };

struct run {
    struct pingo_history *history;
    struct pingo_simulation_options options;
    struct pingo_simulation_result result;
    struct pingo_simulation_user users[USERS];
    size_t nusers;
    char starts[4096]; /* a letter each: the first one of the name of whose submission it is */
    size_t nstarts;
    char names[64]; /* of the submissions */
    uint32_t nsubmissions;
};

static int on_user(void *context, const struct pingo_simulation_user *user)
{
    struct run *r = context;
    assert_true(r->nusers < USERS);
    r->users[r->nusers++] = *user;
    return 0;
}

static int on_event(void *context, const struct pingo_simulation_event *e)
{
    struct run *r = context;
    if (e->kind == PINGO_SIMULATION_RUN && r->nstarts < sizeof r->starts - 1)
        r->starts[r->nstarts++] = r->names[e->submission];
    return 0;
}

static void open_run(struct run *r, unsigned slots)
{
    *r = (struct run){.result.size = sizeof r->result};
    r->options = (struct pingo_simulation_options){.version = 2,
                                                   .budget_bytes = -1,
                                                   .slots = slots,
                                                   .arrive = PINGO_SIMULATION_ARRIVE_TIMES,
                                                   .user = on_user,
                                                   .event = on_event,
                                                   .context = r};
    assert_int_equal(pingo_history_new(&r->history, NULL), 0);
}

/* n actions from number first on, of ms and up to spread more. */
static void submit(struct run *r, const char *user, int64_t at_ms, uint32_t first, uint32_t n,
                   int64_t ms, int64_t spread)
{
    struct pingo_history_mention *m = calloc(n, sizeof *m);
    struct pingo_history_entry e = {
        .at_ms = at_ms, .user = user, .workflow = user, .mentions = m, .nmentions = n};
    struct pingo_error err = {0};
    assert_non_null(m);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = first + i, mixed = id * 2654435761u;
        memcpy(m[i].hash.bytes, &mixed, sizeof mixed); /* their order is not that of their numbers */
        memcpy(m[i].hash.bytes + 4, &id, sizeof id);
        m[i].size_bytes = 1;
        m[i].compute_ms = ms + (spread ? mixed % spread : 0);
        m[i].flags = PINGO_HISTORY_LEAF;
    }
    if (pingo_history_append(r->history, &e, NULL, &err) != 0)
        fail_msg("%s", err.message);
    r->names[r->nsubmissions++] = user[0];
    free(m);
}

static void simulate(struct run *r)
{
    struct pingo_workload *w = NULL;
    struct pingo_error err = {0};
    assert_int_equal(pingo_workload_new(r->history, &w, &err), 0);
    r->nusers = r->nstarts = 0;
    memset(r->starts, 0, sizeof r->starts);
    if (pingo_workload_simulate(w, &r->options, &r->result, &err) != 0)
        fail_msg("%s", err.message);
    pingo_workload_free(w);
}

/* As in 6.6, and whoever computes more or longer actions: all have as much while all have work. */
static void test_simulate_users__four_of_them_the_fourth_three_minutes_later(void **state)
{
    static const struct {
        int64_t ms[4], spread;
        unsigned slots;
    } cases[] = {
        {{5000, 5000, 5000, 5000}, 0, 12},      {{5000, 5000, 5000, 5000}, 10000, 12},
        {{1000, 20000, 5000, 3000}, 2000, 12},  {{5000, 5000, 5000, 5000}, 10000, 120},
        {{60000, 1000, 1000, 1000}, 1000, 120}, {{5000, 5000, 5000, 5000}, 10000, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const names[] = {"a", "b", "c", "d"};
        struct run r;
        open_run(&r, cases[i].slots);
        for (uint32_t u = 0; u < 4; u++) {
            int64_t each = cases[i].ms[u] + cases[i].spread / 2;
            uint32_t n = (uint32_t)(850000 / 4 * cases[i].slots / each); /* ends near 850 s */
            submit(&r, names[u], u == 3 ? 180000 : 0, u * 1000000, n, cases[i].ms[u],
                   cases[i].spread);
        }
        simulate(&r);
        if (r.result.jain < 0.95)
            fail_msg("case %zu: %f", i, r.result.jain);
        assert_int_equal(r.result.nusers, 4);
        assert_int_equal(r.nusers, 4);
        assert_string_equal(r.users[3].user, "d");
        int64_t shared = 0, all = 0;
        for (size_t u = 0; u < 4; u++) {
            shared += r.users[u].shared_ms;
            all += r.users[u].compute_ms;
        }
        assert_int_equal(all, r.result.compute_ms);
        assert_true(shared > all / 4); /* they did have work at a time, for long */
        pingo_history_free(r.history);
    }
}

/* Whoever comes new beside so many is next, when a slot is free; without turns he would be last. */
static void test_simulate_users__a_newcomer_waits_for_one_action(void **state)
{
    const uint32_t n = SHARE(100000, 20000);
    (void)state;
    for (unsigned slots = 1; slots <= 64; slots *= 8) {
        struct run r;
        open_run(&r, slots);
        submit(&r, "a", 0, 0, n, 500, 1000);
        submit(&r, "b", 100000, n, 1, 1000, 0);
        simulate(&r);
        assert_int_equal(r.users[1].nstarts, 1);
        /* One slot: what runs has to end; with more of them the first of those that run. */
        assert_true(r.users[1].longest_wait_ms <= (slots == 1 ? 1500 : 1000));
        assert_true(r.users[0].longest_wait_ms > 100000);
        pingo_history_free(r.history);
    }
}

static void test_simulate_users__weights_and_order(void **state)
{
    static const struct pingo_simulation_weight weights[] = {{"b", 3}};
    struct run r;
    (void)state;
    open_run(&r, 1);
    submit(&r, "a", 0, 0, 6, 10, 0);
    submit(&r, "b", 0, 100, 6, 10, 0);
    simulate(&r);
    assert_string_equal(r.starts, "abababababab");
    assert_true(r.result.jain > 0.99);
    r.options.weights = weights;
    r.options.nweights = 1;
    simulate(&r);
    assert_string_equal(r.starts, "abbbabbbaaaa");
    /* Who comes when others have used much is served until he has had as much. */
    r.options.nweights = 0;
    submit(&r, "c", 60, 200, 4, 10, 0);
    simulate(&r);
    assert_string_equal(r.starts, "abababcccabcabab");
    pingo_history_free(r.history);
}

/* What two wait for stands in the better place, and counts for whose turn it took. */
static void test_simulate_users__joined_actions_inherit_the_better_place(void **state)
{
    struct run r;
    (void)state;
    open_run(&r, 1);
    submit(&r, "a", 0, 0, 50, 10, 0);
    submit(&r, "b", 0, 40, 1, 10, 0); /* one of them */
    simulate(&r);
    assert_int_equal(r.result.njoined, 1);
    assert_int_equal(r.result.ncomputed, 50);
    assert_int_equal(r.users[1].nstarts, 1);
    assert_true(r.users[1].longest_wait_ms <= 10);
    pingo_history_free(r.history);
}

static void test_simulate_users__refuses_what_is_no_weight(void **state)
{
    static const struct pingo_simulation_weight none = {"a", 0}, much = {"a", 10001};
    struct run r;
    struct pingo_workload *w = NULL;
    (void)state;
    open_run(&r, 1);
    submit(&r, "a", 0, 0, 1, 10, 0);
    assert_int_equal(pingo_workload_new(r.history, &w, NULL), 0);
    r.options.nweights = 1;
    assert_int_equal(pingo_workload_simulate(w, &r.options, &r.result, NULL), PINGO_EINVAL);
    r.options.weights = &none;
    assert_int_equal(pingo_workload_simulate(w, &r.options, &r.result, NULL), PINGO_EINVAL);
    r.options.weights = &much;
    assert_int_equal(pingo_workload_simulate(w, &r.options, &r.result, NULL), PINGO_EINVAL);
    pingo_workload_free(w);
    pingo_history_free(r.history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulate_users__four_of_them_the_fourth_three_minutes_later),
        cmocka_unit_test(test_simulate_users__a_newcomer_waits_for_one_action),
        cmocka_unit_test(test_simulate_users__weights_and_order),
        cmocka_unit_test(test_simulate_users__joined_actions_inherit_the_better_place),
        cmocka_unit_test(test_simulate_users__refuses_what_is_no_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
