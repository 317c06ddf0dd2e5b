/* test_arrange_kinds.c - in what order runs are submitted, by whom and how much of them: growth, sweep, users, code-change,
 * targets. */
#include "unit/lab/arranged.h"

static void test_arrange_kinds__growth(void **state)
{
    struct pingo_import_options options = {.version = 1, .as = PINGO_IMPORT_GROWTH};
    struct pingo_import *import = three_and_two(false);
    struct pingo_history *history = arrange(import, NULL);
    struct pingo_history_submission s = submission(history, 0);

    (void)state;
    assert_int_equal(pingo_history_count_submissions(history), 20);
    assert_string_equal(s.workflow, "a");
    assert_string_equal(s.user, "u1");
    assert_int_equal(s.at_ms, INT64_C(1577836800000));
    assert_int_equal(s.flags[0], 0);
    assert_int_equal(s.flags[1], PINGO_HISTORY_LEAF);
    s = submission(history, 1);
    assert_string_equal(s.user, "u2");
    assert_int_equal(s.at_ms, INT64_C(1577840400000));
    /* a: 5 tasks, b: 9. */
    assert_int_equal(pingo_history_count_actions(history), 14);
    pingo_history_free(history);
    options.nsubmissions = 5;
    history = arrange(import, &options);
    check_order(history, "a3 b2 a5 b9 a5");
    pingo_history_free(history);
    options.nsubmissions = 2;
    history = arrange(import, &options);
    check_order(history, "a3 b2");
    pingo_history_free(history);
    /* With another seed other repeats, and the same ones again. */
    options.nsubmissions = 13;
    history = arrange(import, &options);
    check_order(history, "a3 b2 a5 b9 a5 a3 a5 b2 a5 a5 b2 b9 b2");
    pingo_history_free(history);
    options.seed = 7;
    history = arrange(import, &options);
    check_order(history, "a3 b2 a5 b9 a5 b9 b9 b2 b9 b9 a5 a5 a5");
    pingo_history_free(history);
    pingo_import_free(import);
}

static void test_arrange_kinds__sweep(void **state)
{
    static const struct {
        const char *label;
        int n;
    } runs[] = {{"w-2l-10c-001.json", 2},       {"w-1l-2c-001.json", 3},
                {"1l/w-10l-2c-001.json", 4},    {"w-1l-10c-001.json", 5},
                {"w-2l-2c-001.json", 6},        {"w-nothing.json", 7},
                {"3l-1c-x9-9/w-2l2-5.json", 8}, {"w-05l-2c.json", 9}};
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_SWEEP, .nsubmissions = 17};
    struct pingo_import *import = new_import();
    struct pingo_history *history;

    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        add_run(import, "a", runs[i].n, 1, runs[i].label);
    history = arrange(import, &options);
    /* Without numbers first; 0.5 l; 1 l: 2 c, 10 c; 2 l: 2 c, 10 c; 10 l.  Then by c first. */
    check_order(history, "a7 a8 a9 a3 a5 a6 a2 a4 a7 a8 a9 a3 a6 a4 a5 a2 a7");
    pingo_history_free(history);
    pingo_import_free(import);
}

static void test_arrange_kinds__users_walk_up_and_down(void **state)
{
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_USERS, .nsubmissions = 2000, .nusers = 5, .seed = 1};
    struct pingo_import *import = new_import();
    struct pingo_history *history;
    size_t last[5] = {0}, steps = 0, starts = 0, down = 0, up = 0, ofone[3] = {0};
    char app[5] = {0};

    (void)state;
    for (int n = 2; n < 6; n++) {
        add_run(import, "a", n, 1, "x");
        add_run(import, "b", n, 1, "x");
    }
    add_run(import, "c", 4, 1, "x");
    history = arrange(import, &options);
    for (uint32_t i = 0; i < 2000; i++) {
        struct pingo_history_submission s = submission(history, i);
        int who = atoi(s.user + 1) - 1;

        assert_in_range(who, 0, 4);
        ofone[*s.workflow - 'a']++;
        if (app[who] == *s.workflow &&
            (*s.workflow == 'c' || s.nactions + 1 == last[who] || s.nactions == last[who] + 1)) {
            steps++;
            down += s.nactions == 2;
            up += s.nactions == 5;
        } else { /* begins at the smallest */
            assert_int_equal(s.nactions, *s.workflow == 'c' ? 4 : 2);
            starts++;
        }
        app[who] = *s.workflow;
        last[who] = s.nactions;
    }
    assert_in_range(steps, 1800, 1950);
    assert_in_range(starts, 50, 200);
    assert_in_range(down, 100, 400); /* to both ends */
    assert_in_range(up, 100, 400);
    /* 6 : 3 : 2 in some order. */
    for (int k = 0; k < 3; k++)
        assert_in_range(ofone[k], 150, 1500);
    pingo_history_free(history);
    pingo_import_free(import);
}

static void test_arrange_kinds__a_change_misses_what_descends(void **state)
{
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_CODE_CHANGE, .nsubmissions = 41, .every = 4, .seed = 5};
    struct pingo_import *import = new_import();
    struct pingo_history *history;
    int all = 0, but_one = 0;

    (void)state;
    add_run(import, "a", 6, 1, "x");
    history = arrange(import, &options);
    for (uint32_t i = 0; i < 41; i++) {
        struct pingo_history_submission s = submission(history, i);
        uint32_t new = s.nknown - s.nknown_before;

        if (i == 0 || i % 4 != 0) {
            assert_int_equal(new, i ? 0 : 6);
            continue;
        }
        /* Either the first program, or that of the others. */
        assert_true(new == 6 || new == 5);
        all += new == 6;
        but_one += new == 5;
        if (new == 5)
            assert_int_equal(s.actions[0], submission(history, i - 1).actions[0]);
        assert_int_equal(pingo_history_compute(history, s.actions[5]), 1000);
    }
    assert_true(all > 0 && but_one > 0 && all + but_one == 10);
    pingo_history_free(history);
    pingo_import_free(import);
}

static void test_arrange_kinds__targets_with_what_leads_to_them(void **state)
{
    /* a <- b <- c <- d <- e, and f beside them. */
    char *text = wf_quoted(
        "{'name':'w','schemaVersion':'1.4','workflow':{'tasks':[{'name':'a'},{'name':'b','parents':"
        "['a']},{'name':'c','parents':['b']},{'name':'d','parents':['c']},{'name':'e','parents':"
        "['d']},{'name':'f'}]}}");
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_TARGETS, .nsubmissions = 300, .ntargets = 2};
    struct pingo_import *import = new_import();
    struct pingo_history *history;
    size_t nleaves[3] = {0}, longest[5] = {0};

    (void)state;
    assert_int_equal(pingo_import_wfformat(import, "", text, strlen(text), NULL), 0);
    history = arrange(import, &options);
    assert_int_equal(pingo_history_count_actions(history), 4);
    for (uint32_t i = 0; i < 300; i++) {
        struct pingo_history_submission s = submission(history, i);
        size_t n = 0, nparents;

        assert_in_range(s.nactions, 1, 4);
        for (size_t k = 0; k < s.nactions; k++) {
            n += (s.flags[k] & PINGO_HISTORY_LEAF) != 0;
            pingo_history_parents(history, s.actions[k], &nparents);
            assert_int_equal(nparents, k > 0);
        }
        assert_true(s.flags[s.nactions - 1] & PINGO_HISTORY_LEAF);
        assert_in_range(n, 1, 2);
        nleaves[n]++;
        longest[s.nactions]++;
    }
    assert_in_range(nleaves[2], 60, 180);
    for (int k = 1; k < 5; k++)
        assert_true(longest[k] > 20);
    pingo_history_free(history);
    pingo_import_free(import);
    free(text);
}

/* Where no task reads of another any may be a target. */
static void test_arrange_kinds__targets_are_any_where_nothing_is_read(void **state)
{
    char *text = wf_quoted(HEAD "{'name':'a'},{'name':'b'},{'name':'c'}]}}");
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_TARGETS, .nsubmissions = 60, .ntargets = 1};
    struct pingo_import *import = new_import();
    struct pingo_history *history;
    unsigned nofone[3] = {0};

    (void)state;
    assert_int_equal(pingo_import_wfformat(import, "", text, strlen(text), NULL), 0);
    history = arrange(import, &options);
    assert_int_equal(pingo_history_count_actions(history), 3);
    for (uint32_t i = 0; i < 60; i++) {
        struct pingo_history_submission s = submission(history, i);

        assert_int_equal(s.nactions, 1);
        assert_int_equal(s.flags[0], PINGO_HISTORY_LEAF);
        nofone[s.actions[0]]++;
    }
    for (int k = 0; k < 3; k++)
        assert_in_range(nofone[k], 10, 30);
    pingo_history_free(history);
    pingo_import_free(import);
    free(text);
}

/* Each application is the first choice, the second, ... of the users: 1 : 1/2 : 1/3 : ... of the times. */
static void test_arrange_kinds__users_prefer_some_applications(void **state)
{
    struct pingo_import_options options = {
        .version = 1, .as = PINGO_IMPORT_USERS, .nsubmissions = 3000, .nusers = 1000, .seed = 2};
    struct pingo_import *import = new_import();
    struct pingo_history *history;
    unsigned nofone[4] = {0}, most = 0, least = 3000;

    (void)state;
    for (char name[] = "a"; *name <= 'd'; ++*name)
        add_run(import, name, 1, 1, "x");
    history = arrange(import, &options);
    for (uint32_t i = 0; i < 3000; i++)
        nofone[*submission(history, i).workflow - 'a']++;
    for (int k = 0; k < 4; k++) {
        most = nofone[k] > most ? nofone[k] : most;
        least = nofone[k] < least ? nofone[k] : least;
    }
    assert_in_range(most, 1300, 1580); /* of 3000: 12 of 25 */
    assert_in_range(least, 260, 460);  /* 3 of 25 */
    pingo_history_free(history);
    pingo_import_free(import);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrange_kinds__growth),
        cmocka_unit_test(test_arrange_kinds__sweep),
        cmocka_unit_test(test_arrange_kinds__users_walk_up_and_down),
        cmocka_unit_test(test_arrange_kinds__a_change_misses_what_descends),
        cmocka_unit_test(test_arrange_kinds__targets_with_what_leads_to_them),
        cmocka_unit_test(test_arrange_kinds__targets_are_any_where_nothing_is_read),
        cmocka_unit_test(test_arrange_kinds__users_prefer_some_applications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
