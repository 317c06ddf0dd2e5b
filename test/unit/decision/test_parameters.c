/* test_parameters.c - KEY=VALUE,... against the parameters of an algorithm, and tables that lack something: what is accepted, and
 * what is said of the rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decision/algorithms/parameters.h"

static const struct {
    const char *name, *text;
    const char *fault; /* part of the message; NULL: accepted */
    size_t parameter;
    double value;
} parameters[] = {
    {"chain", NULL, NULL, 0, 128},
    {"chain", "", NULL, 1, 16},
    {"chain", "reach=64", NULL, 0, 64},
    {"chain", "refit=64,reach=1", NULL, 0, 1},
    {"chain", "decay=0.25", NULL, 2, 0.25},
    {"chain", "decay=0.375", NULL, 2, 0.375},
    {"chain", "decay=8", NULL, 2, 8},
    {"chain", "weight=0.001", NULL, 3, 0.001},
    {"gdsf", "cost=local", NULL, 0, 0},
    {"gdsf", "cost=chain", NULL, 0, 1},
    {"random", "seed=9007199254740992", NULL, 0, 9007199254740992.0},
    {"chain", "decay=0.999999999999999", NULL, 2, 0.999999999999999},
    {"random", "seed=9007199254740993", "is an integer from 0 to 9007199254740992", 0, 0},
    {"chain", "reach=0", "reach is an integer from 1 to 1000000, not \"0\"", 0, 0},
    {"chain", "reach=1000001", "from 1 to 1000000", 0, 0},
    {"chain", "reach=1.5", "is an integer", 0, 0},
    {"chain", "reach=-1", "is an integer", 0, 0},
    {"chain", "reach=", "is an integer", 0, 0},
    {"chain", "reach=1 ", "is an integer", 0, 0},
    {"chain", "reach=0x10", "is an integer", 0, 0},
    {"chain", "reach=1e3", "is an integer", 0, 0},
    {"chain", "reach=nan", "is an integer", 0, 0},
    {"chain", "reach=99999999999999999999999999", "is an integer", 0, 0},
    {"chain", "decay=8.1", "from 0 to 8", 0, 0},
    {"chain", "decay=.5", "is a number", 0, 0},
    {"chain", "decay=1.", "is a number", 0, 0},
    {"chain", "decay=1..5", "is a number", 0, 0},
    {"chain", "decay=inf", "is a number", 0, 0},
    {"chain", "weight=0", "from 0.001 to 1000000", 0, 0},
    {"chain", "reech=5", "did you mean \"reach\"", 0, 0},
    {"chain", "reach=1,reach=1", "reach is given twice", 0, 0},
    {"chain", "reach", "not KEY=VALUE", 0, 0},
    {"chain", "=5", "not KEY=VALUE", 0, 0},
    {"chain", "reach=5,", "not KEY=VALUE", 0, 0},
    {"chain", ",", "not KEY=VALUE", 0, 0},
    {"gdsf", "cost=Chain", "cost is local or chain, not \"Chain\"", 0, 0},
    {"gdsf", "cost=", "cost is local or chain", 0, 0},
    {"lru", "reach=5", "lru has no parameters", 0, 0},
};

static void test_parameters__reads_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++) {
        double values[8] = {0};
        struct pingo_error err = {0};
        int rc = pingo_decision_values(pingo_decision_find(parameters[i].name), parameters[i].text,
                                       values, &err);
        if (parameters[i].fault == NULL) {
            assert_int_equal(rc, 0);
            assert_memory_equal(&values[parameters[i].parameter], &parameters[i].value,
                                sizeof(double));
            continue;
        }
        assert_int_equal(rc, PINGO_EINVAL);
        if (strstr(err.message, parameters[i].fault) == NULL)
            fail_msg("%s: \"%s\" lacks \"%s\"", parameters[i].text, err.message,
                     parameters[i].fault);
    }
    char *long_text = malloc(100001);
    double values[8];
    assert_non_null(long_text);
    memset(long_text, 'r', 100000);
    long_text[100000] = '\0';
    assert_int_equal(pingo_decision_values(pingo_decision_find("chain"), long_text, values, NULL),
                     PINGO_EINVAL);
    free(long_text);
}

static void test_parameters__checks_values(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double values[4];
        const char *said; /* NULL: accepted */
    } values[] = {
        {"chain", {128, 16, 0.5, 8}, NULL},
        {"chain", {1, 1000000, 0, 0.001}, NULL},
        {"chain", {0, 16, 0.5, 8}, "chain: reach is an integer from 1 to 1000000, not \"0\""},
        {"chain", {128.5, 16, 0.5, 8}, "chain: reach is an integer from 1 to 1000000, not \"128.5\""},
        {"chain",
         {128, 1e29, 0.5, 8},
         "chain: refit is an integer from 1 to 1000000, not "
         "\"99999999999999991433150857216\""},
        {"chain", {128, 16, NAN, 8}, "chain: decay is a number from 0 to 8, not \"not a number\""},
        {"chain",
         {128, 16, 0.5, INFINITY},
         "chain: weight is a number from 0.001 to 1000000, not \"not a number\""},
        {"gdsf", {1, 128}, NULL},
        {"gdsf", {2, 128}, "gdsf: cost is local or chain, not \"2\""},
        {"gdsf", {-1, 128}, "gdsf: cost is local or chain, not \"-1\""},
        {"gdsf", {0.5, 128}, "gdsf: cost is local or chain, not \"0.5\""},
        {"random", {9007199254740992.0}, NULL},
        {"lru", {NAN}, NULL}, /* it has none */
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct pingo_error err = {0};
        int rc = pingo__decision_check_values(pingo_decision_find(values[i].name), values[i].values,
                                              &err);
        assert_int_equal(rc, values[i].said ? PINGO_EINVAL : 0);
        assert_string_equal(err.message, values[i].said ? values[i].said : "");
    }
}

/* ---- tables ------------------------------------------------------------------------------- */

static int do_open(const struct pingo_history *history, const double *values, void **self,
                   struct pingo_error *err)
{
    (void)history;
    (void)values;
    (void)self;
    (void)err;
    return 0;
}

static void do_close(void *self)
{
    (void)self;
}

static int do_observe(void *self, uint32_t number, struct pingo_error *err)
{
    (void)self;
    (void)number;
    (void)err;
    return 0;
}

static void do_missing(void *self, uint32_t dataset, bool evicted)
{
    (void)self;
    (void)dataset;
    (void)evicted;
}

static int do_choose(void *self, const struct pingo_decision_request *request,
                     struct pingo_error *err)
{
    (void)self;
    (void)request;
    (void)err;
    return 0;
}

/* A table that lacks nothing. */
static struct pingo_decision_algorithm whole(void)
{
    return (struct pingo_decision_algorithm){.abi_version = PINGO_DECISION_ABI,
                                             .name = "mine-2",
                                             .open = do_open,
                                             .close = do_close,
                                             .observe = do_observe,
                                             .present = do_observe,
                                             .missing = do_missing,
                                             .choose = do_choose};
}

/* Bounds and values are told as they are. */
static void test_parameters__tells_numbers(void **state)
{
    (void)state;
    static const struct {
        double bound;
        const char *told;
    } numbers[] = {
        {0.9999999, "to 0.9999999,"},
        {0.000001, "to 0.000001,"},
        {1e-12, "to 0.0,"},
        {2.5, "to 2.5,"},
        {-0.25, "to -0.25,"},
        {1e15, "to 1000000000000000,"},
        {10, "to 10,"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct pingo_decision_parameter p = {
            "share", PINGO_PARAMETER_NUMBER, -1, numbers[i].bound, 0, NULL, "a share"};
        struct pingo_decision_algorithm a = whole();
        struct pingo_error err = {0};
        double value;
        a.parameters = &p;
        a.nparameters = 1;
        assert_int_equal(pingo_decision_values(&a, "share=2000000000000000", &value, &err),
                         PINGO_EINVAL);
        if (strstr(err.message, numbers[i].told) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", err.message, numbers[i].told);
    }
}

static void check(const struct pingo_decision_algorithm *a, int rc, const char *said)
{
    struct pingo_error err = {0};
    double value = 0;
    assert_int_equal(pingo__decision_check_table(a, &err), rc);
    if (!strstr(err.message, said))
        fail_msg("\"%s\" lacks \"%s\"", err.message, said);
    assert_int_equal(pingo_decision_values(a, "", &value, &err), rc);
}

static void test_parameters__refuses_broken_tables(void **state)
{
    (void)state;
    static const char lacks[] = "the table of the algorithm mine-2 lacks open, close, observe, "
                                "present, missing or choose";
    static const struct {
        const char *name, *said;
    } names[] = {
        {NULL, "the algorithm has no name"},
        {"", "the algorithm has no name"},
        {"My own", "the name of the algorithm, \"My own\", has other characters than a to z"},
        {"a\033[1m", "has other characters than a to z, 0 to 9 and -"},
    };
    struct pingo_decision_algorithm a = whole();
    check(&a, 0, "");
    check(NULL, PINGO_EINVAL, "there is no algorithm");
    for (int i = 0; i < 6; i++) {
        a = whole();
        a.open = i == 0 ? NULL : a.open;
        a.close = i == 1 ? NULL : a.close;
        a.observe = i == 2 ? NULL : a.observe;
        a.present = i == 3 ? NULL : a.present;
        a.missing = i == 4 ? NULL : a.missing;
        a.choose = i == 5 ? NULL : a.choose;
        check(&a, PINGO_EINVAL, lacks);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        a = whole();
        a.name = names[i].name;
        check(&a, PINGO_EINVAL, names[i].said);
    }
    a = whole();
    a.abi_version = PINGO_DECISION_ABI + 1;
    a.name = NULL; /* of another version, nothing else is looked at */
    check(&a, PINGO_EVERSION, "was made for version 2 of the decision interface");
    a.abi_version = 0;
    check(&a, PINGO_EVERSION, "was made for version 0 of the decision interface");
}

static void test_parameters__refuses_parameters_that_are_not_described(void **state)
{
    (void)state;
    static const char *const words[] = {"one", NULL};
    static const struct pingo_decision_parameter rows[] = {
        {0},
        {.name = "x"},
        {.name = "x", .kind = (enum pingo_parameter_kind)4},
        {.name = "x", .kind = PINGO_PARAMETER_CHOICE},
        {.kind = PINGO_PARAMETER_INTEGER},
    };
    struct pingo_decision_parameter both[2] = {
        {.name = "y", .kind = PINGO_PARAMETER_CHOICE, .choices = words}};
    struct pingo_decision_algorithm a = whole();
    a.nparameters = 1;
    check(&a, PINGO_EINVAL, "parameter 1 of the algorithm mine-2 is not described");
    a.parameters = both;
    check(&a, 0, "");
    a.nparameters = 2;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double values[2];
        struct pingo_error err = {0};
        both[1] = rows[i];
        assert_int_equal(pingo_decision_values(&a, "", values, &err), PINGO_EINVAL);
        assert_string_equal(err.message, "parameter 2 of the algorithm mine-2 is not described");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters__reads_parameters),
        cmocka_unit_test(test_parameters__checks_values),
        cmocka_unit_test(test_parameters__tells_numbers),
        cmocka_unit_test(test_parameters__refuses_broken_tables),
        cmocka_unit_test(test_parameters__refuses_parameters_that_are_not_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
