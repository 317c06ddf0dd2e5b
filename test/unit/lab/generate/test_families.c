/* test_families.c - the families and their parameters: which each has, with what defaults, and how they are read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lab/generate/generate.h"

static const struct pingo_generate_family *family_of(const char *name)
{
    const struct pingo_generate_family *family;
    for (size_t i = 0; (family = pingo_generate_family_at(i)) != NULL; i++)
        if (strcmp(family->name, name) == 0)
            return family;
    fail_msg("there is no %s", name);
    return NULL;
}

/* The place in the enumeration of a parameter of a family; PINGO__GENERATE_MAX: it has none of that name. */
static size_t place_of(const struct pingo_generate_family *family, const char *name)
{
    struct pingo_decision_parameter p;
    for (size_t i = 0; pingo_generate_parameter_at(family, i, &p) == 0; i++)
        if (strcmp(p.name, name) == 0)
            return pingo__lab_generate_place(family, i);
    return PINGO__GENERATE_MAX;
}

static void test_families__have_parameters_with_sound_defaults(void **state)
{
    (void)state;
    const struct pingo_generate_family *family;
    struct pingo_decision_parameter p;
    size_t i = 0;
    for (; (family = pingo_generate_family_at(i)) != NULL; i++) {
        size_t k = 0;
        for (; pingo_generate_parameter_at(family, k, &p) == 0; k++) {
            assert_non_null(p.name);
            assert_non_null(p.meaning);
            if (p.kind == PINGO_PARAMETER_CHOICE)
                assert_true(p.value >= 0 && p.choices[(size_t)p.value] != NULL);
            else
                assert_true(p.minimum <= p.value && p.value <= p.maximum);
        }
        assert_true(k > 20);
        assert_int_equal(pingo_generate_parameter_at(family, k, &p), PINGO_ENOTFOUND);
        assert_int_equal(pingo_generate_parameter_at(family, SIZE_MAX, &p), PINGO_ENOTFOUND);
    }
    assert_int_equal(i, 8);
}

static const struct {
    const char *name;
    bool is_iter;
    double distribution, choice;
} families[] = {
    {"uniform-n", false, 0, PINGO__GENERATE_UNIFORM},
    {"uniform-h", false, 1, PINGO__GENERATE_UNIFORM},
    {"recent-n", false, 0, PINGO__GENERATE_RECENT},
    {"recent-h", false, 1, PINGO__GENERATE_RECENT},
    {"zipf-n", false, 0, PINGO__GENERATE_ZIPF},
    {"zipf-h", false, 1, PINGO__GENERATE_ZIPF},
    {"iter-n", true, 0, 0},
    {"iter-h", true, 1, 0},
};

/* What another kind of family has is 0 in the values. */
static void test_families__have_their_own_defaults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct pingo_generate_family *f = family_of(families[i].name);
        double v[PINGO__GENERATE_MAX];
        assert_int_equal(pingo__lab_generate_read(f, i % 2 ? NULL : "", v, NULL), 0);
        assert_int_equal(pingo__lab_generate_is_iter(f), families[i].is_iter);
        assert_int_equal(v[PINGO__GENERATE_SIZE], families[i].distribution);
        assert_int_equal(v[PINGO__GENERATE_TIME], families[i].distribution);
        assert_int_equal(v[PINGO__GENERATE_CHOICE], families[i].choice);
        assert_int_equal(v[PINGO__GENERATE_USERS], 4);
        assert_int_equal(v[PINGO__GENERATE_ACTIONS], families[i].is_iter ? 0 : 2400);
        assert_int_equal(v[PINGO__GENERATE_WORKFLOWS], families[i].is_iter ? 260 : 0);
    }
}

/* Each name is at its place: what is given is found there, and nowhere else. */
static void test_families__read_each_parameter_into_its_place(void **state)
{
    static const struct {
        const char *family, *text, *name;
        int place;
        double value;
    } rows[] = {
        {"zipf-n", "size=lognormal", "size", PINGO__GENERATE_SIZE, 1},
        {"zipf-h", "time=normal", "time", PINGO__GENERATE_TIME, 0},
        {"zipf-n", "interval=0", "interval", PINGO__GENERATE_INTERVAL, 0},
        {"uniform-n", "actions=7", "actions", PINGO__GENERATE_ACTIONS, 7},
        {"uniform-n", "choice=zipf", "choice", PINGO__GENERATE_CHOICE, PINGO__GENERATE_ZIPF},
        {"uniform-n", "zipf-exponent=2.5", "zipf-exponent", PINGO__GENERATE_ZIPF_EXPONENT, 2.5},
        {"iter-n", "workflows=9", "workflows", PINGO__GENERATE_WORKFLOWS, 9},
        {"iter-h", "factor-max=1000", "factor-max", PINGO__GENERATE_FACTOR_MAX, 1000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pingo_generate_family *f = family_of(rows[i].family);
        double values[PINGO__GENERATE_MAX], defaults[PINGO__GENERATE_MAX];
        assert_int_equal(place_of(f, rows[i].name), rows[i].place);
        assert_int_equal(pingo__lab_generate_read(f, NULL, defaults, NULL), 0);
        assert_int_equal(pingo__lab_generate_read(f, rows[i].text, values, NULL), 0);
        assert_true(fabs(values[rows[i].place] - rows[i].value) <= 0);
        values[rows[i].place] = defaults[rows[i].place];
        assert_memory_equal(values, defaults, sizeof values);
    }
    /* A zero has no sign: it would be another history. */
    double values[PINGO__GENERATE_MAX];
    assert_int_equal(pingo__lab_generate_read(family_of("zipf-n"), "size-sd=-0", values, NULL), 0);
    assert_false(signbit(values[PINGO__GENERATE_SIZE_SD]));
}

static void test_families__refuse_what_is_wrong(void **state)
{
    static const struct {
        const char *family, *parameters, *message;
    } rows[] = {
        {"uniform-n", "workflows=3", "uniform-n has no parameter \"workflows\""},
        {"iter-n", "actions=3", "iter-n has no parameter \"actions\""},
        {"iter-n", "stage-min=3", "did you mean \"stages-min\""},
        {"zipf-n", "actions=0", "actions is an integer from 1 to 100000000"},
        {"zipf-n", "actions=2.5", "actions is an integer"},
        {"zipf-n", "size=big", "size is normal or lognormal, not \"big\""},
        {"zipf-n", "size-mean=0", "size-mean is a number from 0.001 to 1000000000"},
        {"zipf-n", "size-mean=nan", "size-mean is a number"},
        {"zipf-n", "users", "is not KEY=VALUE"},
        {"zipf-n", "users=2,users=3", "users is given twice"},
        {"iter-n", "stages-min=9,stages-max=8", "stages-min is greater than stages-max"},
        {"iter-n", "factor-min=2", "factor-min is greater than factor-max"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double values[PINGO__GENERATE_MAX];
        struct pingo_error err = {0};
        assert_int_equal(
            pingo__lab_generate_read(family_of(rows[i].family), rows[i].parameters, values, &err),
            PINGO_EINVAL);
        if (strstr(err.message, rows[i].message) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", rows[i].message, err.message);
    }
    assert_null(pingo_generate_family_at(8));
    assert_null(pingo_generate_family_at(SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families__have_parameters_with_sound_defaults),
        cmocka_unit_test(test_families__have_their_own_defaults),
        cmocka_unit_test(test_families__read_each_parameter_into_its_place),
        cmocka_unit_test(test_families__refuse_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
