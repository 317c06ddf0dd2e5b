/* test_chain.c - how likely a dataset is needed, with all that leans on it, times what it costs to make it again.
 *
 * How likely: hazard.h tells; here, what counts as a demand, and what leans on what. */
#include "unit/decision/one.h"

static void size_all(const struct one *o, const char *names)
{
    for (; *names; names++)
        one_set(o, *names, 10, 100);
}

/* All are of one age and were never demanded: equally likely.  b of a; c and d of b; x alone. */
static void test_chain__counts_what_is_missing_around_it(void **state)
{
    (void)state;
    static const struct {
        const char *present, *parameters;
        char name;
        double times; /* as much as x, which stands alone */
        unsigned nbelow, nabove;
    } rows[] = {
        {"abcdx", "", 'a', 1, 0, 0},     {"acdx", "", 'a', 2, 1, 0}, /* demand for b falls on a */
        {"adx", "", 'a', 3, 2, 0},                                   /* and for c, through b */
        {"ax", "", 'a', 4, 3, 0},        {"ax", "reach=2", 'a', 3, 2, 0}, {"abx", "", 'b', 3, 2, 0},
        {"bcdx", "", 'b', 2, 0, 1},   /* a has to be made again with it */
        {"bx", "", 'b', 3 * 2, 2, 1}, /* three may be asked for, and cost two */
        {"dx", "", 'd', 3, 0, 2},     /* nobody leans on it from the side */
        {"dx", "reach=1", 'd', 2, 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct one o = one_open("chain", rows[i].parameters, "a<:C b<a:C c<b:C d<b:C x<:C");
        char parts[160];
        size_all(&o, "abcdx");
        one_present(&o, rows[i].present);
        double alone = one_score(&o, 'x'), score = one_score(&o, rows[i].name);
        if (score != rows[i].times * alone)
            fail_msg("row %zu: %g times as much", i, score / alone);
        snprintf(
            parts, sizeof parts,
            " workflows (%u missing %s on it), %u ms to make again (%u missing %s), holds 10 bytes",
            rows[i].nbelow, rows[i].nbelow == 1 ? "descendant leans" : "descendants lean",
            100 * (rows[i].nabove + 1), rows[i].nabove,
            rows[i].nabove == 1 ? "ancestor" : "ancestors");
        assert_non_null(strstr(one_reason(&o, rows[i].name), parts));
        one_close(&o);
    }
}

/* What is new is needed once in 20 workflows; what n missing ones lean on, n + 1 times as often. */
static void test_chain__says_how_often_it_is_needed(void **state)
{
    static const struct {
        size_t n;
        const char *said;
    } rows[] = {{0, "needed about once in 20 workflows (0"},
                {4, "needed about once in 4 workflows (4"},
                {12, "needed about once in 2 workflows (12"},       /* 0.65 */
                {20, "needed about once in each workflow (20"},     /* 1.05 */
                {31, "needed about 2 times in each workflow (31"}}; /* 1.6 */
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[400] = "a<:C";
        for (size_t k = 0; k < rows[i].n; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), " %c<a:C",
                     (int)(k < 24 ? 'b' + k : 'A' + k - 24));
        struct one o = one_open("chain", "", text);
        one_present(&o, "a");
        if (strncmp(one_reason(&o, 'a'), rows[i].said, strlen(rows[i].said)) != 0)
            fail_msg("%s, not %s", o.text, rows[i].said);
        one_close(&o);
    }
}

static void test_chain__goes_by_time_and_size(void **state)
{
    (void)state;
    struct one o = one_open("chain", "", "a<:C b<:C c<:C d<:C");
    size_all(&o, "abcd");
    one_set(&o, 'b', 20, 100);
    one_set(&o, 'c', 10, 300);
    one_set(&o, 'd', 0, -1); /* nothing is known of it */
    one_present(&o, "abcd");
    double a = one_score(&o, 'a');
    assert_true(a > 0);
    assert_true(one_score(&o, 'b') == a / 2);
    assert_true(one_score(&o, 'c') == a * 3);
    assert_true(one_score(&o, 'd') == 0);
    assert_string_equal(one_choose(&o, 15), "b"); /* what is small stays where it is not needed */
    assert_string_equal(one_choose(&o, 41), "dbac");
    one_close(&o);
}

/* A demand: a child that is new, computed by force or unmanaged, or to be a result for the first time.  Two are as old as each
 * other, but for that. */
static void test_chain__learns_what_is_demanded(void **state)
{
    (void)state;
    static const struct {
        const char *first, *later;
        bool is_demanded; /* a, not x */
    } rows[] = {
        {"a<:C x<:C", "a:S x:S", false},
        {"a<:C x<:C", "a:S n<a:C x:S", true},
        {"a<:C x<:C", "a:R* x:S", true},
        {"a<:C* x<:C*", "a:R* x:S", false}, /* it was one before */
        {"a<:C x<:C", "a:R x:C", false},    /* to be used is no demand */
        {"a<:C x<:C b<a:C", "a:S b:S x:S", false},
        {"a<:C x<:C b<a:C*", "a:R b:C!* x:S", true},            /* b reads it each time */
        {"a<:C x<:C b<:C c<a,b:C*", "a:R b:C! c:C* x:S", true}, /* c descends from b */
        {"a<:C x<:C b<a:C c<b:C*", "a:C! b:C c:C* x:S", false}, /* a is made anew, for b as well */
        {"a<:C x<:C", "a:C! n<a:C x:S", false},
        {"a<:C x<:C b<a:C^*", "a:R b:C^* x:S", true},
        {"a<:C x<:C b<:C^ c<a,b:C*", "a:S b:C^ c:R* x:S", false}, /* c is there */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct one o = one_open("chain", "", rows[i].first);
        one_submit(&o, rows[i].later);
        size_all(&o, "ax");
        for (uint32_t n = pingo_history_count_actions(o.h); n-- > 0;)
            assert_int_equal(pingo_decider_present(o.d, n, NULL), 0);
        if ((one_score(&o, 'a') > one_score(&o, 'x')) != rows[i].is_demanded)
            fail_msg("row %zu: %g and %g", i, one_score(&o, 'a'), one_score(&o, 'x'));
        if (!rows[i].is_demanded)
            assert_true(one_score(&o, 'a') == one_score(&o, 'x'));
        one_close(&o);
    }
}

/* What nobody mentions is forgotten, step by step, and how fast is a parameter. */
static void test_chain__forgets_what_is_old(void **state)
{
    (void)state;
    static const char *const decays[] = {"decay=0", "decay=0.5", "decay=4"};
    double left[3];
    for (size_t i = 0; i < 3; i++) {
        struct one o = one_open("chain", decays[i], "a<:C x<:C");
        size_all(&o, "ax");
        one_present(&o, "ax");
        for (int k = 0; k < 40; k++)
            one_submit(&o, "x:S");
        left[i] = one_score(&o, 'a') / one_score(&o, 'x');
        assert_true(left[i] > 0);
        one_close(&o);
    }
    assert_true(left[0] > left[1] && left[1] > left[2]);
    assert_true(left[1] < 1 && left[2] < 0.01);
}

/* It looks at submissions that were and at no others, and a decision leaves nothing behind: one that was there from the
 * beginning says what one says that has just come, to the bit. */
static void test_chain__is_as_warm_as_cold(void **state)
{
    (void)state;
    struct one o = one_open("chain", "refit=1", "a<:C b<a:C x<:C");
    char name[2] = "c";
    one_present(&o, "abx");
    size_all(&o, "abx");
    for (int i = 0; i < 20; i++, name[0]++) {
        char text[32];
        snprintf(text, sizeof text, "a b:R* %s<%s:C*%s", name, i % 2 ? "a" : "b",
                 i % 3 ? " x:R" : "");
        one_submit(&o, text);
        double warm = one_score(&o, 'b');
        struct one cold = {.h = o.h};
        double values[4];
        const struct pingo_decision_algorithm *a = pingo_decision_find("chain");
        assert_int_equal(pingo_decision_values(a, "refit=1", values, NULL), 0);
        assert_int_equal(pingo_decider_new(a, values, o.h, &cold.d, NULL), 0);
        one_present(&cold, "xba");
        double other = one_score(&cold, 'b');
        assert_memory_equal(&warm, &other, sizeof warm);
        pingo_decider_free(cold.d);
    }
    one_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain__counts_what_is_missing_around_it),
        cmocka_unit_test(test_chain__says_how_often_it_is_needed),
        cmocka_unit_test(test_chain__goes_by_time_and_size),
        cmocka_unit_test(test_chain__learns_what_is_demanded),
        cmocka_unit_test(test_chain__forgets_what_is_old),
        cmocka_unit_test(test_chain__is_as_warm_as_cold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
