/* test_decision_memory.c - every allocation of a decision fails once: no crash, no leak, PINGO_ENOMEM, and after it the
 * same decider goes on as if nothing had been. */
#include "reference.h"
#include "unit/memory.h"

/* Calls again after a failure of memory, which must be told as one; *nfailed counts them. */
#define RETRY(call)                                                                                \
    do {                                                                                           \
        has_failed = false;                                                                        \
        int rc_ = (call);                                                                          \
        if (has_failed && rc_ != 0) {                                                              \
            assert_int_equal(rc_, PINGO_ENOMEM);                                                   \
            nfailed++;                                                                             \
            rc_ = (call);                                                                          \
        }                                                                                          \
        assert_int_equal(rc_, 0);                                                                  \
    } while (0)

/* Opens, observes, decides, with the n-th allocation failing; the victims.  false: there was no n-th. */
static bool decide(const struct pingo_decision_algorithm *algorithm, struct world *w, long n,
                   struct said *said)
{
    struct pingo_decider *decider = NULL;
    unsigned nfailed = 0;
    arm(n);
    RETRY(pingo_decider_new(algorithm, NULL, w->history, &decider, NULL));
    RETRY(pingo_decider_observe(decider, NULL));
    for (uint32_t i = 0; i < w->n; i += 2)
        RETRY(pingo_decider_present(decider, i, NULL));
    struct pingo_decision_request request = {
        .version = 1, .free_bytes = 100000, .victim = note_victim, .context = said};
    memset(said, 0, sizeof *said);
    said->world = w;
    RETRY(pingo_decider_choose(decider, &request, NULL, NULL));
    pingo_decider_free(decider);
    bool reached = left < 0;
    disarm();
    return reached && nfailed > 0;
}

static void test_decision_memory__each_allocation_may_fail(void **unused)
{
    (void)unused;
    static struct said wanted, said;
    struct world w;
    world_open(&w, 11);
    while (w.n < 300)
        submit(&w, 10);
    for (size_t a = 0; pingo_decision_at(a) != NULL; a++) {
        long n = 0;
        assert_false(decide(pingo_decision_at(a), &w, 1000000, &wanted));
        assert_true(wanted.n > 0);
        while (decide(pingo_decision_at(a), &w, n, &said)) {
            assert_int_equal(said.n, wanted.n);
            for (uint32_t i = 0; i < wanted.n; i++)
                assert_int_equal(said.victims[i].dataset, wanted.victims[i].dataset);
            n++;
        }
        assert_true(n >= 8);
    }
    pingo_history_free(w.history);
}

static void test_decision_memory__a_scenario(void **unused)
{
    (void)unused;
    static const char text[] =
        "{\"history\":[{\"at\":\"2026-11-20T12:00:00Z\",\"user\":\"u\",\"workflow\":\"w\","
        "\"actions\":["
        "{\"hash\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\","
        "\"parents\":[],"
        "\"sizeBytes\":1}]}],\"stored\":[{\"hash\":"
        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}],\"freeBytes\":1}";
    static const char *const texts[] = {text, "{\"freeBytes\":\n1.5}", "[1,"};
    for (size_t i = 0; i < 3; i++) {
        long n = 0;
        for (;; n++) {
            struct pingo_scenario *scenario = NULL;
            arm(n);
            int rc = pingo_scenario_parse(texts[i], strlen(texts[i]), &scenario, NULL);
            bool more = disarm();
            assert_true((scenario != NULL) == (rc == 0));
            pingo_scenario_free(scenario);
            if (!more)
                break;
            assert_true(rc == PINGO_ENOMEM || rc == (i == 0 ? 0 : PINGO_EINVAL));
        }
        assert_true(n > (i == 0 ? 10 : 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decision_memory__each_allocation_may_fail),
        cmocka_unit_test(test_decision_memory__a_scenario),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
