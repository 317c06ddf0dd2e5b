/* test_model.c - the linear program of a history and a budget, number by number; and where there is no memory for it.
 *
 * The solver is not asked. */
#include <math.h>

#include "unit/lab/exhaustive.h"
#include "unit/lab/story.h"

#include "lab/bound/model.h"
#include "unit/memory.h"

/* A program as text: "COST*COLUMN ... ; NUMBER*COLUMN ... <= LIMIT ; ..." with times in ms and sizes in bytes.  Columns are
 * k, m (kept, remade) with the name of the dataset, or u and v for what is used at a row of the room, in their order. */
static void print_program(const struct pingo__lab_bound_model *m, const char *const *columns,
                          double byte, char *text)
{
    const struct pingo__lab_program *p = &m->program;
    for (int j = 0; j < p->ncolumns; j++)
        text += sprintf(text, "%s%g*%s", j ? " " : "", p->costs[j] / m->cost_scale, columns[j]);
    for (int i = 0; i < p->nrows; i++) {
        text += sprintf(text, " ;");
        for (int j = 0; j < p->ncolumns; j++)
            for (int k = p->starts[j]; k < p->starts[j + 1]; k++)
                if (p->rows[k] == i)
                    text += sprintf(text, " %g*%s",
                                    p->values[k] * (fabs(p->values[k]) < 1 ? byte : 1), columns[j]);
        text += sprintf(text, " <= %g", p->limits[i]);
    }
}

static const struct {
    const char *lines[4];
    int64_t budget;
    const char *columns[8];
    double byte; /* sizes are told in so many bytes */
    const char *expected;
    int64_t ideal_ms, least_ms, constant_ms;
} rows[] = {
    /* Two that are needed share the room. */
    {{"a/10/60 b/6/60 c/1/1*<a,b", "a b d/1/1*<a,b"},
     80,
     {"kb", "ka", "u"},
     128,
     "-6*kb -10*ka 0*u ; 60*kb 60*ka -1*u <= 0",
     18,
     18,
     34},
    /* Room for all: no row. */
    {{"a/10/60 b/6/60 c/1/1*<a,b", "a b d/1/1*<a,b"}, 120, {"kb", "ka"}, 1, "-6*kb -10*ka", 18, 18, 34},
    /* No room for either: made again, whatever is kept. */
    {{"a/10/60 b/6/60 c/1/1*<a,b", "a b d/1/1*<a,b"}, 59, {NULL}, 1, "", 18, 34, 34},
    /* a is perhaps needed: made again only for b, and there for b if it is. */
    {{"a/10/50 b/20/60<a c/1/1*<b", "a b d/1/1*<b"},
     60,
     {"kb", "ka", "ma", "u"},
     64,
     "-20*kb 0*ka 10*ma 0*u ; 1*kb 1*ma <= 1 ; -1*kb -1*ka -1*ma <= -1 ; 60*kb 50*ka -1*u <= 0",
     32,
     32,
     52},
    /* And twice: kept for the second time only where it was there after the first. */
    {{"a/10/50 b/20/60<a c/1/1*<b", "a b d/1/1*<b", "a e/1/1*<a"},
     60,
     {"kb", "ka", "ma", "ka2", "u", "v"},
     64,
     "-20*kb 0*ka 10*ma -10*ka2 0*u 0*v ; 1*kb 1*ma <= 1 ; -1*kb -1*ka -1*ma <= -1 ; "
     "-1*ka -1*ma 1*ka2 <= 0 ; 60*kb 50*ka -1*u <= 0 ; -60*kb -50*ka 50*ka2 1*u -1*v <= 0",
     33,
     33,
     63},
};

static void test_model__is_the_program_of_the_history(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__lab_bound_model m = {0};
        struct pingo_history *h = NULL;
        char text[1024] = "";
        assert_int_equal(pingo_history_new(&h, NULL), 0);
        for (size_t k = 0; rows[i].lines[k]; k++)
            story_submit(h, rows[i].lines[k]);
        assert_int_equal(pingo__lab_bound_model_build(&m, h, rows[i].budget, false, NULL), 0);
        print_program(&m, rows[i].columns, rows[i].byte, text);
        if (strcmp(text, rows[i].expected) != 0)
            fail_msg("row %zu: %s", i, text);
        assert_int_equal(m.ideal_ms, rows[i].ideal_ms);
        assert_int_equal(m.least_ms, rows[i].least_ms);
        assert_int_equal(m.constant_ms, rows[i].constant_ms);
        pingo__lab_bound_model_clear(&m);
        pingo_history_free(h);
    }
}

/* The largest cost is about 1000, by a power of two; what a double cannot hold is rounded to where the bound is lower. */
static void test_model__rounds_and_scales_to_the_safe_side(void **state)
{
    static const struct {
        int64_t n;
        double most, least;
    } numbers[] = {{0, 0, 0},
                   {(INT64_C(1) << 53) - 1, 0x1.fffffffffffffp52, 0x1.fffffffffffffp52},
                   {INT64_C(1) << 53, 0x1p53, 0x1p53},
                   {(INT64_C(1) << 53) + 1, 0x1p53, 0x1p53 + 2048},
                   {INT64_MAX, 0x1.fffffffffffffp62 - 1024, 0x1p63}};
    static const int64_t times[] = {1, 3, 1000, 1025, (INT64_C(1) << 61) + 1};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(pingo__lab_at_most(numbers[i].n) <= numbers[i].most);
        assert_true(pingo__lab_at_most(numbers[i].n) >= numbers[i].most - 2048);
        assert_true(pingo__lab_at_least(numbers[i].n) >= numbers[i].least);
        assert_true(pingo__lab_at_least(numbers[i].n) <= numbers[i].least + 2048);
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct pingo__lab_bound_model m = {0};
        struct pingo_history *h = NULL;
        char line[64];
        int exponent;
        assert_int_equal(pingo_history_new(&h, NULL), 0);
        snprintf(line, sizeof line, "a/%lld/9 b/0/1*<a", (long long)times[i]);
        story_submit(h, line);
        story_submit(h, "a c/0/1*<a");
        assert_int_equal(pingo__lab_bound_model_build(&m, h, 9, false, NULL), 0);
        assert_int_equal(m.program.ncolumns, 1);
        assert_true(m.program.costs[0] <= -512 && m.program.costs[0] >= -1024);
        assert_true(frexp(m.cost_scale, &exponent) == 0.5);
        assert_true((int64_t)(-m.program.costs[0] / m.cost_scale) >= times[i]);
        pingo__lab_bound_model_clear(&m);
        pingo_history_free(h);
    }
}

static void test_model__refuses_times_that_are_too_long_together(void **state)
{
    struct pingo__lab_bound_model m = {0};
    struct pingo_history *h = NULL;
    struct pingo_error err = {0};
    (void)state;
    /* 2^63 - 1 alone can be made; needed again it is too much. */
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    story_submit(h, "a/9223372036854775807/9 b/0/1*<a");
    assert_int_equal(pingo__lab_bound_model_build(&m, h, 9, false, &err), 0);
    pingo__lab_bound_model_clear(&m);
    for (int i = 0; i < 2; i++) {
        story_submit(h, i == 0 ? "a c/0/1*<a" : "a d/0/1*<a");
        assert_int_equal(pingo__lab_bound_model_build(&m, h, 9, false, &err), PINGO_ELIMIT);
        pingo__lab_bound_model_clear(&m);
    }
    assert_string_equal(err.message, "the history is too large, or its times too long, for the "
                                     "linear program of the bound");
    pingo_history_free(h);
}

/* ---- no memory ------------------------------------------------------------------------------- */

static void fail_each(const struct tiny *t, int64_t budget, unsigned *nfailures)
{
    for (long n = 0;; n++) {
        struct pingo__lab_bound_model model = {0};
        struct pingo_error err = {0};
        arm(n);
        int rc = pingo__lab_bound_model_build(&model, t->history, budget, true, &err);
        bool more = disarm();
        pingo__lab_bound_model_clear(&model);
        if (!more) {
            assert_int_equal(rc, 0);
            break;
        }
        ++*nfailures;
        assert_int_equal(rc, PINGO_ENOMEM);
        assert_int_equal(err.code, PINGO_ENOMEM);
    }
}

/* No crash, no leak, and then it works. */
static void test_model__each_allocation_fails_once(void **state)
{
    unsigned nfailures = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct tiny t;
        tiny_make(&t, seed);
        fail_each(&t, tiny_sum(&t, t.sizes, (1u << t.nactions) - 1) / 2, &nfailures);
        tiny_free(&t);
    }
    assert_true(nfailures > 40 * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model__is_the_program_of_the_history),
        cmocka_unit_test(test_model__rounds_and_scales_to_the_safe_side),
        cmocka_unit_test(test_model__refuses_times_that_are_too_long_together),
        cmocka_unit_test(test_model__each_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
