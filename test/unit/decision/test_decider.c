/* Parameters, ties, and algorithms that lie: what a decider lets through and what it refuses. */
#include "reference.h"

/* ---- parameters ---------------------------------------------------------------------- */

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

static void test_decider__reads_parameters(void **unused)
{
    (void)unused;
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

static void test_decider__lists_the_algorithms(void **unused)
{
    (void)unused;
    size_t n = 0;
    for (const struct pingo_decision_algorithm *a; (a = pingo_decision_at(n)) != NULL; n++) {
        double values[8];
        assert_ptr_equal(pingo_decision_find(a->name), a);
        assert_int_equal(a->abi_version, PINGO_DECISION_ABI);
        assert_int_equal(pingo_decision_values(a, NULL, values, NULL), 0);
    }
    assert_int_equal(n, 7);
    assert_null(pingo_decision_find("no-such"));
    assert_non_null(pingo_decision_find(PINGO_DECISION_DEFAULT));
}

static void test_decider__refuses_values_out_of_bounds(void **unused)
{
    (void)unused;
    static const double bad[][4] = {
        {0, 16, 0.5, 8}, {128.5, 16, 0.5, 8}, {128, 16, NAN, 8}, {128, 16, 0.5, INFINITY}};
    struct world w;
    world_open(&w, 1);
    for (size_t i = 0; i < 4; i++) {
        struct pingo_decider *decider = NULL;
        struct pingo_error err = {0};
        assert_int_equal(
            pingo_decider_new(pingo_decision_find("chain"), bad[i], w.history, &decider, &err),
            PINGO_EINVAL);
        assert_non_null(strstr(err.message, "chain: "));
    }
    pingo_history_free(w.history);
}

/* ---- ties, edges ------------------------------------------------------------------------ */

/* Four equal datasets but for last use, size and hash. */
static void test_decider__breaks_ties_by_use_size_and_hash(void **unused)
{
    (void)unused;
    static struct said said;
    struct world w;
    world_open(&w, 1);
    struct pingo_hash hashes[4] = {{{3}}, {{2}}, {{1}}, {{4}}};
    int64_t sizes[4] = {100, 100, 100, 200};
    struct pingo_history_mention mentions[4];
    memset(mentions, 0, sizeof mentions);
    for (int i = 0; i < 4; i++) {
        mentions[i].hash = hashes[i];
        mentions[i].size_bytes = sizes[i];
        mentions[i].compute_ms = 0; /* all of chain's scores are 0 */
    }
    struct pingo_history_entry all = {1, "u", "w", mentions, 4},
                               one = {1, "u", "w", &mentions[2], 1};
    assert_int_equal(pingo_history_append(w.history, &all, NULL, NULL), 0);
    assert_int_equal(pingo_history_append(w.history, &one, NULL, NULL), 0);
    w.n = 4;
    struct pingo_decider *decider = NULL;
    assert_int_equal(
        pingo_decider_new(pingo_decision_find("chain"), NULL, w.history, &decider, NULL), 0);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pingo_decider_present(decider, i, NULL), 0);
    ask(decider, &w, 500, &said);
    assert_int_equal(said.n, 4);
    static const uint8_t wanted[] = {4, 2, 3, 1}; /* the large one, by hash, the one used last */
    for (int i = 0; i < 4; i++)
        assert_int_equal(pingo_history_hash(w.history, said.victims[i].dataset)->bytes[0],
                         wanted[i]);
    pingo_decider_free(decider);
    pingo_history_free(w.history);
}

static void test_decider__edges(void **unused)
{
    (void)unused;
    for (size_t a = 0; pingo_decision_at(a) != NULL; a++) {
        static struct said said;
        struct world w;
        struct pingo_decider *decider = NULL;
        char text[200] = "x", tiny[4];
        world_open(&w, a);
        assert_int_equal(pingo_decider_new(pingo_decision_at(a), NULL, w.history, &decider, NULL),
                         0);
        ask(decider, &w, 1000, &said); /* no submission at all */
        assert_int_equal(said.n, 0);
        assert_int_equal(pingo_decider_present(decider, 0, NULL), PINGO_EINVAL);
        submit(&w, 1);
        while (w.n < 3)
            submit(&w, 3);
        ask(decider, &w, UINT64_MAX, &said); /* nothing present */
        assert_int_equal(said.n, 0);
        pingo_decider_reason(decider, 0, text, sizeof text);
        assert_string_equal(text, "");
        for (uint32_t i = 0; i < 3; i++) {
            pingo_history_set_size(w.history, i, INT64_MAX);
            pingo_history_set_compute(w.history, i, INT64_MAX);
            assert_int_equal(pingo_decider_present(decider, i, NULL), 0);
            assert_int_equal(pingo_decider_present(decider, i, NULL), 0); /* again: nothing */
        }
        ask(decider, &w, 0, &said);
        assert_int_equal(said.n, 0);
        ask(decider, &w, UINT64_MAX, &said); /* sizes that overflow */
        assert_int_equal(said.n, 3);
        pingo_decider_reason(decider, 0, text, sizeof text);
        assert_string_not_equal(text, "");
        pingo_decider_reason(decider, 0, tiny, sizeof tiny);
        assert_in_range(strlen(tiny), 1, 3);
        pingo_decider_reason(decider, 77, text, sizeof text);
        assert_string_equal(text, "");
        for (uint32_t i = 0; i < 3; i++)
            w.blocked[i] = true;
        ask(decider, &w, 1, &said);
        assert_int_equal(said.n, 0);
        assert_int_equal(pingo_decider_missing(decider, 0, true, NULL), 0);
        assert_int_equal(pingo_decider_missing(decider, 0, true, NULL), 0);
        assert_int_equal(pingo_decider_missing(decider, 99, true, NULL), PINGO_EINVAL);
        pingo_decider_free(decider);
        pingo_history_free(w.history);
    }
    pingo_decider_free(NULL);
}

static int stop(void *context, const struct pingo_decision_victim *victim)
{
    (void)victim;
    ++*(int *)context;
    return 1;
}

static void test_decider__can_be_stopped(void **unused)
{
    (void)unused;
    struct world w;
    struct pingo_decider *decider = NULL;
    int calls = 0;
    world_open(&w, 3);
    while (w.n < 20)
        submit(&w, 6);
    assert_int_equal(pingo_decider_new(pingo_decision_find("lru"), NULL, w.history, &decider, NULL),
                     0);
    for (uint32_t i = 0; i < w.n; i++)
        assert_int_equal(pingo_decider_present(decider, i, NULL), 0);
    struct pingo_decision_request request = {
        .version = 1, .free_bytes = UINT64_MAX, .victim = stop, .context = &calls};
    assert_int_equal(pingo_decider_choose(decider, &request, NULL, NULL), PINGO_EINTERRUPTED);
    assert_int_equal(calls, 1);
    request.victim = NULL;
    assert_int_equal(pingo_decider_choose(decider, &request, NULL, NULL), PINGO_EINVAL);
    pingo_decider_free(decider);
    pingo_history_free(w.history);
}

/* ---- algorithms that lie ------------------------------------------------------------------- */

static struct pingo_decision_victim script[8];
static size_t nscript;

static int lie_open(const struct pingo_history *history, const double *values, void **state,
                    struct pingo_error *err)
{
    (void)history;
    (void)values;
    (void)err;
    *state = NULL;
    return 0;
}

static void lie_close(void *state)
{
    (void)state;
}

static int lie_observe(void *state, uint32_t submission, struct pingo_error *err)
{
    (void)state;
    (void)submission;
    (void)err;
    return 0;
}

static void lie_missing(void *state, uint32_t dataset, bool evicted)
{
    (void)state;
    (void)dataset;
    (void)evicted;
}

static int lie_choose(void *state, const struct pingo_decision_request *request,
                      struct pingo_error *err)
{
    (void)state;
    (void)err;
    for (size_t i = 0; i < nscript; i++)
        if (request->victim(request->context, &script[i]) != 0)
            return PINGO_EINTERRUPTED;
    return 0;
}

/* Goes on, whatever it is told. */
static int deaf_choose(void *state, const struct pingo_decision_request *request,
                       struct pingo_error *err)
{
    (void)state;
    (void)err;
    for (size_t i = 0; i < nscript; i++)
        request->victim(request->context, &script[i]);
    return 0;
}

/* Asks for datasets that nobody ever saw. */
static int curious_choose(void *state, const struct pingo_decision_request *request,
                          struct pingo_error *err)
{
    (void)state;
    (void)err;
    for (uint32_t bit = 0; bit < 32; bit++)
        assert_false(request->is_candidate(request->context, (UINT32_C(1) << bit) + 3));
    assert_false(request->is_candidate(request->context, UINT32_MAX));
    return 0;
}

static int failing_code;

static int failing_choose(void *state, const struct pingo_decision_request *request,
                          struct pingo_error *err)
{
    (void)state;
    (void)request;
    (void)err;
    return failing_code;
}

static int failing_open(const struct pingo_history *history, const double *values, void **state,
                        struct pingo_error *err)
{
    (void)history;
    (void)values;
    (void)state;
    (void)err;
    return failing_code;
}

static int failing_observe(void *state, uint32_t submission, struct pingo_error *err)
{
    (void)state;
    (void)submission;
    (void)err;
    return failing_code;
}

static struct pingo_decision_algorithm liar(void)
{
    return (struct pingo_decision_algorithm){.abi_version = PINGO_DECISION_ABI,
                                             .name = "liar",
                                             .open = lie_open,
                                             .close = lie_close,
                                             .observe = lie_observe,
                                             .present = lie_observe,
                                             .missing = lie_missing,
                                             .choose = lie_choose};
}

static const struct {
    struct pingo_decision_victim script[3];
    size_t n;
    const char *fault; /* NULL: accepted */
} lies[] = {
    {{{0, 1}, {1, 2}}, 2, NULL},
    {{{0, 1}}, 1, "stopped before enough"},
    {{{0, 1}, {0, 1}}, 2, "twice"},
    {{{2, 1}}, 1, "no candidate"},      /* claimed */
    {{{3, 1}}, 1, "no candidate"},      /* missing */
    {{{400000, 1}}, 1, "no candidate"}, /* nowhere */
    {{{UINT32_MAX, 1}}, 1, "no candidate"},
    {{{0, NAN}}, 1, "no number"},
    {{{0, INFINITY}}, 1, "no number"},
};

static void test_decider__catches_algorithms_that_lie(void **unused)
{
    (void)unused;
    static struct said said;
    struct pingo_decision_algorithm algorithm = liar();
    struct world w;
    world_open(&w, 3);
    while (w.n < 4)
        submit(&w, 4);
    for (uint32_t i = 0; i < 4; i++)
        pingo_history_set_size(w.history, i, 10);
    w.blocked[2] = true;
    struct pingo_decider *decider = NULL;
    assert_int_equal(pingo_decider_new(&algorithm, NULL, w.history, &decider, NULL), 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(pingo_decider_present(decider, i, NULL), 0);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct pingo_decision_request request = {.version = 1,
                                                 .free_bytes = 20,
                                                 .is_candidate = may_go,
                                                 .victim = note_victim,
                                                 .context = &said};
        struct pingo_decision_result result = {.size = sizeof result};
        struct pingo_error err = {0};
        memset(&said, 0, sizeof said);
        said.world = &w;
        memcpy(script, lies[i].script, sizeof lies[i].script);
        nscript = lies[i].n;
        int rc = pingo_decider_choose(decider, &request, &result, &err);
        assert_int_equal(rc, lies[i].fault == NULL ? 0 : PINGO_ESTATE);
        if (lies[i].fault != NULL && strstr(err.message, lies[i].fault) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", err.message, lies[i].fault);
        if (rc == 0)
            assert_int_equal(result.freed_bytes, 20);
    }
    pingo_decider_free(decider);
    pingo_history_free(w.history);
}

static int stop_first(void *context, const struct pingo_decision_victim *victim)
{
    (void)victim;
    ++*(int *)context;
    return 1;
}

static bool is_below_four(void *context, uint32_t dataset)
{
    (void)context;
    assert_in_range(dataset, 0, 3);
    return true;
}

/* One that does not listen is stopped all the same, and asks for nothing that is not there. */
static void test_decider__bears_algorithms_that_do_not_listen(void **unused)
{
    (void)unused;
    struct pingo_decision_algorithm deaf = liar(), curious = liar();
    struct pingo_decider *decider = NULL;
    struct pingo_error err = {0};
    struct world w;
    int calls = 0;
    world_open(&w, 3);
    while (w.n < 4)
        submit(&w, 4);
    struct pingo_decision_request request = {.version = 1,
                                             .free_bytes = 20,
                                             .is_candidate = is_below_four,
                                             .victim = stop_first,
                                             .context = &calls};
    for (uint32_t i = 0; i < 4; i++) {
        pingo_history_set_size(w.history, i, 10);
        script[i] = (struct pingo_decision_victim){i, 1};
    }
    nscript = 4;
    deaf.choose = deaf_choose;
    assert_int_equal(pingo_decider_new(&deaf, NULL, w.history, &decider, NULL), 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(pingo_decider_present(decider, i, NULL), 0);
    assert_int_equal(pingo_decider_choose(decider, &request, NULL, &err), PINGO_EINTERRUPTED);
    assert_int_equal(calls, 1);
    script[0].dataset = 3; /* a fault comes first: nobody is told of what follows */
    assert_int_equal(pingo_decider_choose(decider, &request, NULL, &err), PINGO_ESTATE);
    assert_int_equal(calls, 1);
    pingo_decider_free(decider);
    curious.choose = curious_choose;
    assert_int_equal(pingo_decider_new(&curious, NULL, w.history, &decider, NULL), 0);
    request.free_bytes = 0;
    assert_int_equal(pingo_decider_choose(decider, &request, NULL, &err), 0);
    request.version = 2;
    assert_int_equal(pingo_decider_choose(decider, &request, NULL, &err), PINGO_EINVAL);
    pingo_decider_free(decider);
    pingo_history_free(w.history);
}

/* Whatever number an algorithm fails with, without a word: it is an error that says who failed. */
static void test_decider__speaks_for_algorithms_that_do_not(void **unused)
{
    (void)unused;
    static const struct {
        int said, code;
        const char *message;
    } rows[] = {
        {7, PINGO_ESTATE, "liar failed with 7, which is no number"},
        {-12345, PINGO_ESTATE, "liar failed with -12345"},
        {PINGO_ENOMEM, PINGO_ENOMEM, "liar failed: out of memory"},
        {PINGO_EIO, PINGO_EIO, "liar failed: the operating system refused"},
    };
    struct world w;
    world_open(&w, 3);
    while (w.n < 4)
        submit(&w, 4);
    for (size_t i = 0; i < 4 * sizeof rows / sizeof rows[0]; i++) {
        struct pingo_decision_request request = {
            .version = 1, .free_bytes = 20, .victim = note_victim};
        struct pingo_decision_algorithm a = liar();
        struct pingo_decider *decider = NULL;
        struct pingo_error err = {0};
        failing_code = rows[i / 4].said;
        a.open = i % 4 == 0 ? failing_open : a.open;
        a.observe = i % 4 == 1 ? failing_observe : a.observe;
        a.present = i % 4 == 2 ? failing_observe : a.present;
        a.choose = i % 4 == 3 ? failing_choose : a.choose;
        int rc = pingo_decider_new(&a, NULL, w.history, &decider, &err);
        assert_int_equal(rc, i % 4 == 0 ? rows[i / 4].code : 0);
        if (rc == 0)
            rc = i % 4 == 3 ? pingo_decider_choose(decider, &request, NULL, &err)
                            : pingo_decider_present(decider, 0, &err);
        assert_int_equal(rc, rows[i / 4].code);
        assert_int_equal(err.code, rc);
        if (strstr(err.message, rows[i / 4].message) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", err.message, rows[i / 4].message);
        pingo_decider_free(decider);
    }
    pingo_history_free(w.history);
}

/* Bounds and values are told as they are. */
static void test_decider__tells_numbers(void **unused)
{
    (void)unused;
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
        struct pingo_decision_algorithm a = liar();
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

static void test_decider__refuses_broken_tables(void **unused)
{
    (void)unused;
    struct world w;
    world_open(&w, 3);
    for (int i = 0; i < 12; i++) {
        struct pingo_decision_algorithm a = liar();
        struct pingo_decision_parameter unnamed = {0};
        struct pingo_decider *decider = NULL;
        a.abi_version += i == 0;
        a.name = i == 1 ? "" : a.name;
        a.open = i == 2 ? NULL : a.open;
        a.close = i == 3 ? NULL : a.close;
        a.observe = i == 4 ? NULL : a.observe;
        a.present = i == 5 ? NULL : a.present;
        a.missing = i == 6 ? NULL : a.missing;
        a.choose = i == 7 ? NULL : a.choose;
        a.nparameters = i == 8 || i == 9;
        a.name = i == 10 ? "My own" : i == 11 ? "a\033[1m" : a.name;
        a.parameters = i == 9 ? &unnamed : NULL;
        assert_int_equal(pingo_decider_new(&a, NULL, w.history, &decider, NULL),
                         i == 0 ? PINGO_EVERSION : PINGO_EINVAL);
        assert_null(decider);
    }
    pingo_history_free(w.history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decider__reads_parameters),
        cmocka_unit_test(test_decider__lists_the_algorithms),
        cmocka_unit_test(test_decider__refuses_values_out_of_bounds),
        cmocka_unit_test(test_decider__breaks_ties_by_use_size_and_hash),
        cmocka_unit_test(test_decider__edges),
        cmocka_unit_test(test_decider__can_be_stopped),
        cmocka_unit_test(test_decider__catches_algorithms_that_lie),
        cmocka_unit_test(test_decider__bears_algorithms_that_do_not_listen),
        cmocka_unit_test(test_decider__speaks_for_algorithms_that_do_not),
        cmocka_unit_test(test_decider__tells_numbers),
        cmocka_unit_test(test_decider__refuses_broken_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
