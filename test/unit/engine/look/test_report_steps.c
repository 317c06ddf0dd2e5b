/* test_report_steps.c - a period cut into steps: what each holds is the most that was there, and there are never too many. */
#include "unit/engine/box.h"

#include "engine/look/report_steps.h"

static uint64_t seed = 5;

static int pick(int n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)(seed >> 33) % n;
}

/* What is held is compared with looking at every moment of the period. */
static void test_report_steps__hold_the_most_of_each(void **state)
{
    UNUSED(state);
    for (int round = 0; round < 40; round++) {
        struct pingo__engine_steps s;
        struct pingo__arena arena = {0};
        int64_t from = pick(500), until = from + 1 + pick(1500), held = 0, at_ms = 0;
        int64_t at[300], bytes[300];
        int n = pick(300), k = 0;

        assert_int_equal(pingo__engine_steps_open(&s, from, until, &arena, NULL), 0);
        assert_in_range(s.n, 1, PINGO__STEPS_MAX);
        for (int i = 0; i < n; i++) {
            at[i] = at_ms += 1 + pick(12);
            bytes[i] = pick(2) && held ? -(int64_t)pick((int)held + 1) : pick(100);
            held += bytes[i];
            pingo__engine_steps_hold(&s, at[i], bytes[i]);
        }
        pingo__engine_steps_hold_end(&s);
        held = 0;
        for (size_t i = 0; i < s.n; i++) {
            int64_t begin = s.steps[i].from_ms > from ? s.steps[i].from_ms : from, most = -1;
            int64_t end = s.steps[i].from_ms + s.length_ms;

            for (int64_t t = begin; t < end && t < until; t++) {
                while (k < n && at[k] <= t)
                    held += bytes[k++];
                most = held > most ? held : most;
            }
            assert_int_equal(s.steps[i].held_bytes, most);
        }
        pingo__arena_clear(&arena);
    }
}

static void test_report_steps__are_never_too_many(void **state)
{
    static const int64_t spans[] = {
        1, 2, 199, 200, 201, 1000000, 86400000, 999999999, INT64_C(1) << 45, INT64_MAX - 7};
    UNUSED(state);
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        struct pingo__engine_steps s;
        struct pingo__arena arena = {0};

        assert_int_equal(pingo__engine_steps_open(&s, 7, 7 + spans[i], &arena, NULL), 0);
        assert_in_range(s.n, 1, PINGO__STEPS_MAX);
        assert_ptr_equal(pingo__engine_steps_at(&s, 7), &s.steps[0]);
        assert_ptr_equal(pingo__engine_steps_at(&s, 6 + spans[i]), &s.steps[s.n - 1]);
        assert_null(pingo__engine_steps_at(&s, 6));
        assert_null(pingo__engine_steps_at(&s, 7 + spans[i]));
        pingo__arena_clear(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_steps__hold_the_most_of_each),
        cmocka_unit_test(test_report_steps__are_never_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
