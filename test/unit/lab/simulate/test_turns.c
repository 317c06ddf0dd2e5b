/* test_turns.c - users take turns in the simulator: Columbus thesis 6.6, a newcomer, weights, joined actions. */
#include "unit/lab/story.h"
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

/* Their order is not that of their numbers. */
static struct pingo_hash hash_of(uint32_t id)
{
    struct pingo_hash hash = {{0}};
    uint32_t mixed = id * 2654435761u;
    memcpy(hash.bytes, &mixed, sizeof mixed);
    memcpy(hash.bytes + 4, &id, sizeof id);
    return hash;
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
        m[i].hash = hash_of(id);
        m[i].size_bytes = 1;
        m[i].compute_ms = ms + (spread ? mixed % spread : 0);
        m[i].flags = PINGO_HISTORY_LEAF;
    }
    if (pingo_history_append(r->history, &e, NULL, &err) != 0)
        fail_msg("%s", err.message);
    r->names[r->nsubmissions++] = user[0];
    free(m);
}

/* Two actions of 10 ms, the second made of the first. */
static void submit_chain(struct run *r, const char *user, uint32_t first)
{
    struct pingo_hash parent = hash_of(first);
    struct pingo_history_mention m[] = {
        {.hash = parent, .size_bytes = 1, .compute_ms = 10, .has_parents = true},
        {.hash = hash_of(first + 1),
         .size_bytes = 1,
         .compute_ms = 10,
         .parents = &parent,
         .nparents = 1,
         .has_parents = true,
         .flags = PINGO_HISTORY_LEAF}};
    struct pingo_history_entry e = {.user = user, .workflow = user, .mentions = m, .nmentions = 2};
    assert_int_equal(pingo_history_append(r->history, &e, NULL, NULL), 0);
    r->names[r->nsubmissions++] = user[0];
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
static void test_turns__four_of_them_the_fourth_three_minutes_later(void **state)
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
static void test_turns__a_newcomer_waits_for_one_action(void **state)
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

static void test_turns__weights_and_order(void **state)
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
static void test_turns__joined_actions_inherit_the_better_place(void **state)
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

/* What runs counts as used already; and what is told of each user. */
static void test_turns__counts_what_runs_and_tells_each_user(void **state)
{
    static const struct {
        const char *user;
        uint64_t nstarts;
        int64_t compute_ms, wait_ms, longest_wait_ms, end_ms;
    } rows[] = {
        {"c", 2, 160, 0, 0, 100}, {"a", 3, 2010, 1000, 1000, 3010}, {"b", 2, 2000, 100, 70, 1100}};
    struct run r;
    (void)state;
    open_run(&r, 3);
    submit(&r, "c", 0, 0, 1, 60, 0);
    submit(&r, "c", 0, 1, 1, 100, 0);
    submit(&r, "a", 0, 10, 2, 1000, 0);
    submit(&r, "b", 30, 20, 2, 1000, 0);
    submit(&r, "a", 3000, 30, 1, 10, 0);
    simulate(&r);
    /* At 100 both have one that runs, but that of b since 60 alone: b is next. */
    assert_string_equal(r.starts, "cacbbaa");
    assert_int_equal(r.nusers, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(r.users[i].user, rows[i].user);
        assert_int_equal(r.users[i].weight, 1);
        assert_int_equal(r.users[i].nstarts, rows[i].nstarts);
        assert_int_equal(r.users[i].compute_ms, rows[i].compute_ms);
        assert_int_equal(r.users[i].wait_ms, rows[i].wait_ms);
        assert_int_equal(r.users[i].longest_wait_ms, rows[i].longest_wait_ms);
        assert_int_equal(r.users[i].end_ms, rows[i].end_ms);
        assert_int_equal(r.users[i].shared_ms, 0); /* they had never all something ready */
    }
    assert_int_equal(r.result.wait_ms, 1100);
    assert_int_equal(r.result.longest_wait_ms, 1000);
    assert_true(r.result.jain < 0);
    pingo_history_free(r.history);
}

/* Jain's index is of what was had for a weight, while all had something ready. */
static void test_turns__compares_what_was_had_while_all_waited(void **state)
{
    static const struct pingo_simulation_weight weights[] = {{"b", 2}};
    struct run r;
    (void)state;
    open_run(&r, 1);
    submit(&r, "a", 0, 0, 3, 10, 0);
    submit(&r, "b", 0, 10, 2, 10, 0);
    simulate(&r);
    assert_string_equal(r.starts, "ababa");
    assert_int_equal(r.users[0].shared_ms, 20);
    assert_int_equal(r.users[1].shared_ms, 10); /* its second one ran when it had nothing more */
    assert_true(r.result.jain > 0.8999 && r.result.jain < 0.9001); /* 30^2 / (2 * (20^2 + 10^2)) */
    r.options.weights = weights;
    r.options.nweights = 1;
    simulate(&r);
    assert_int_equal(r.users[1].weight, 2);
    double x = (double)r.users[0].shared_ms, y = (double)r.users[1].shared_ms / 2;
    double jain = (x + y) * (x + y) / (2 * (x * x + y * y));
    assert_true(x > 0 && y > 0 && r.result.jain > jain - 1e-9 && r.result.jain < jain + 1e-9);
    pingo_history_free(r.history);
}

/* What leads to what is joined is waited for too, though it is another's and stands behind much of his. */
static void test_turns__joined_actions_hurry_what_leads_to_them(void **state)
{
    struct run r;
    (void)state;
    open_run(&r, 1);
    submit(&r, "a", 0, 0, 30, 10, 0);
    submit_chain(&r, "a", 100);
    submit_chain(&r, "b", 100);
    simulate(&r);
    assert_int_equal(r.result.njoined, 1);
    assert_int_equal(r.users[1].nstarts, 2); /* both in his turns */
    assert_true(r.users[1].end_ms <= 40);
    pingo_history_free(r.history);
}

/* And so on, where what leads there is joined itself. */
static void test_turns__joins_of_joins_hurry_too(void **state)
{
    struct run r;
    (void)state;
    open_run(&r, 1);
    submit(&r, "b", 0, 0, 30, 10, 0);
    submit(&r, "a", 0, 50, 30, 10, 0);
    submit(&r, "a", 0, 200, 1, 10, 0);
    submit_chain(&r, "b", 200); /* joins 200, makes 201 */
    submit_chain(&r, "c", 200); /* joins 201, and so waits for 200 */
    simulate(&r);
    assert_int_equal(r.result.njoined, 2);
    assert_string_equal(r.users[2].user, "c");
    assert_int_equal(r.users[2].nstarts, 2);
    assert_true(r.users[2].end_ms <= 70);
    pingo_history_free(r.history);
}

/* What was joined has ended, and its submission with it, before somebody joins what waited for it. */
static void test_turns__what_was_joined_may_be_gone(void **state)
{
    struct run r;
    (void)state;
    open_run(&r, 1);
    submit(&r, "d", 0, 0, 9, 10, 0);
    submit(&r, "a", 0, 200, 1, 10, 0);
    submit_chain(&r, "b", 200);         /* joins 200, makes 201 */
    submit(&r, "d", 20, 300, 1, 10, 0); /* perhaps where that of 200 was in memory */
    submit_chain(&r, "c", 200);         /* reuses 200, which has ended just now, and joins 201 */
    simulate(&r);
    assert_int_equal(r.result.njoined, 2);
    assert_string_equal(r.users[3].user, "c");
    assert_int_equal(r.users[3].nstarts, 0);
    pingo_history_free(r.history);
}

static void test_turns__refuses_what_is_no_weight(void **state)
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
        cmocka_unit_test(test_turns__four_of_them_the_fourth_three_minutes_later),
        cmocka_unit_test(test_turns__a_newcomer_waits_for_one_action),
        cmocka_unit_test(test_turns__weights_and_order),
        cmocka_unit_test(test_turns__joined_actions_inherit_the_better_place),
        cmocka_unit_test(test_turns__counts_what_runs_and_tells_each_user),
        cmocka_unit_test(test_turns__compares_what_was_had_while_all_waited),
        cmocka_unit_test(test_turns__joined_actions_hurry_what_leads_to_them),
        cmocka_unit_test(test_turns__joins_of_joins_hurry_too),
        cmocka_unit_test(test_turns__what_was_joined_may_be_gone),
        cmocka_unit_test(test_turns__refuses_what_is_no_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
