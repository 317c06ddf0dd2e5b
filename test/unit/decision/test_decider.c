/* test_decider.c - ties, and algorithms that lie: what a decider lets through and what it refuses. */
#include "reference.h"

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

/* What is wrong with tables and values, test_parameters.c tells. */
static void test_decider__opens_nothing_that_is_wrong(void **unused)
{
    (void)unused;
    static const double bad[4] = {0, 16, 0.5, 8};
    struct pingo_decision_algorithm broken = liar(), other = liar();
    struct pingo_decider *decider = NULL;
    struct world w;
    world_open(&w, 3);
    broken.choose = NULL;
    other.abi_version++;
    assert_int_equal(pingo_decider_new(NULL, NULL, w.history, &decider, NULL), PINGO_EINVAL);
    assert_int_equal(pingo_decider_new(&broken, NULL, w.history, &decider, NULL), PINGO_EINVAL);
    assert_int_equal(pingo_decider_new(&other, NULL, w.history, &decider, NULL), PINGO_EVERSION);
    assert_int_equal(pingo_decider_new(pingo_decision_find("chain"), bad, w.history, &decider, NULL),
                     PINGO_EINVAL);
    assert_null(decider);
    pingo_history_free(w.history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decider__breaks_ties_by_use_size_and_hash),
        cmocka_unit_test(test_decider__edges),
        cmocka_unit_test(test_decider__can_be_stopped),
        cmocka_unit_test(test_decider__catches_algorithms_that_lie),
        cmocka_unit_test(test_decider__bears_algorithms_that_do_not_listen),
        cmocka_unit_test(test_decider__speaks_for_algorithms_that_do_not),
        cmocka_unit_test(test_decider__opens_nothing_that_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
