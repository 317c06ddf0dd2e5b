/* test_random.c - victims by lot: another draw each time, the same on every machine. */
#include "reference.h"

/* Random has no formula to compare with; what must hold: repeatable, other seeds and other times give
 * other victims, and each dataset gets its turn about equally often. */
static void test_random__is_fair_and_repeatable(void **unused)
{
    (void)unused;
    static struct said said, again;
    unsigned first[MAX_ACTIONS] = {0};
    struct world w;
    world_open(&w, 7);
    while (w.n < 10)
        submit(&w, 10);
    for (uint32_t i = 0; i < w.n; i++)
        pingo_history_set_size(w.history, i, 1000);
    for (int seed = 0; seed < 4000; seed++) {
        double values[] = {seed};
        struct pingo_decider *deciders[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++) {
            assert_int_equal(pingo_decider_new(pingo_decision_find("random"), values, w.history,
                                               &deciders[k], NULL),
                             0);
            for (uint32_t i = 0; i < 10; i++)
                assert_int_equal(pingo_decider_present(deciders[k], i, NULL), 0);
            ask(deciders[k], &w, 1000, k == 0 ? &said : &again);
            pingo_decider_free(deciders[k]);
        }
        assert_int_equal(said.n, 1);
        assert_memory_equal(&said.victims[0], &again.victims[0], sizeof said.victims[0].dataset);
        assert_true(said.victims[0].score >= 0 && said.victims[0].score < 1);
        first[said.victims[0].dataset]++;
    }
    for (uint32_t i = 0; i < 10; i++) /* 400 each; 5 standard deviations are 95 */
        assert_in_range(first[i], 305, 495);
    pingo_history_free(w.history);
}

/* The number depends on the seed, the hash and how many submissions there were, and on nothing else. */
static double draw_of(struct world *w, uint32_t dataset, double seed, const char **reason)
{
    static struct said said;
    static char text[32];
    struct pingo_decider *decider = NULL;
    assert_int_equal(
        pingo_decider_new(pingo_decision_find("random"), &seed, w->history, &decider, NULL), 0);
    assert_int_equal(pingo_decider_present(decider, dataset, NULL), 0);
    ask_with(decider, w, UINT64_MAX, NULL, &said);
    assert_int_equal(said.n, 1);
    pingo_decider_reason(decider, dataset, text, sizeof text);
    *reason = text;
    pingo_decider_free(decider);
    return said.victims[0].score;
}

/* By hand, of its definition. */
static void test_random__is_the_same_everywhere(void **unused)
{
    (void)unused;
    struct pingo_history_mention mentions[2] = {{.size_bytes = 5, .compute_ms = 5},
                                                {.size_bytes = 5, .compute_ms = 5}};
    struct pingo_history_entry entry = {1, "u", "w", mentions, 2};
    const char *reason = NULL;
    struct world w;
    world_open(&w, 1);
    mentions[0].hash = hash_of(0);
    mentions[1].hash = hash_of(1);
    assert_int_equal(pingo_history_append(w.history, &entry, NULL, NULL), 0);
    w.n = 2;
    double first = draw_of(&w, 0, 1, &reason);
    assert_true(first == 7735185814811170 / 9007199254740992.0);
    assert_string_equal(reason, "drawn by lot");
    assert_true(draw_of(&w, 1, 1, &reason) == 7130571228913736 / 9007199254740992.0);
    assert_true(draw_of(&w, 0, 2, &reason) == 3102865037955548 / 9007199254740992.0);
    pingo_history_set_size(w.history, 0, 77);
    pingo_history_set_compute(w.history, 0, 77);
    assert_true(draw_of(&w, 0, 1, &reason) == first);
    assert_int_equal(pingo_history_append(w.history, &entry, NULL, NULL), 0);
    assert_true(draw_of(&w, 0, 1, &reason) == 2427644864936648 / 9007199254740992.0);
    pingo_history_free(w.history);
}

/* A hash counts to its last byte. */
static void test_random__tells_hashes_apart(void **unused)
{
    (void)unused;
    struct pingo_history_mention mentions[3] = {{.hash = {{0}}}, {.hash = {{1}}}, {.hash = {{0}}}};
    struct pingo_history_entry entry = {1, "u", "w", mentions, 3};
    const char *reason = NULL;
    struct world w;
    world_open(&w, 1);
    mentions[2].hash.bytes[PINGO_HASH_SIZE - 1] = 1;
    assert_int_equal(pingo_history_append(w.history, &entry, NULL, NULL), 0);
    w.n = 3;
    double a = draw_of(&w, 0, 1, &reason), b = draw_of(&w, 1, 1, &reason),
           c = draw_of(&w, 2, 1, &reason);
    assert_true(a != b && a != c && b != c);
    pingo_history_free(w.history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random__is_fair_and_repeatable),
        cmocka_unit_test(test_random__is_the_same_everywhere),
        cmocka_unit_test(test_random__tells_hashes_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
