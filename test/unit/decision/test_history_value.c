/* The value of a dataset: small histories by hand, and random ones against the definition read aloud. */
#include "unit/decision/submissions.h"

static void set(struct pingo_history *h, const char *name, int64_t compute_ms)
{
    pingo_history_set_compute(h, find(h, name), compute_ms);
}

/* "a=5 b=0": the values of these actions. */
static void expect(const struct pingo_history *h, const char *text)
{
    uint32_t n = pingo_history_count_actions(h);
    int64_t *values = malloc((n + 1) * sizeof *values);

    assert_non_null(values);
    values[n] = 77;
    assert_int_equal(pingo_history_values(h, values, NULL), 0);
    assert_int_equal(values[n], 77);
    for (const char *p = text; *p; p += *p == ' ') {
        size_t length = strcspn(p, "=");
        struct pingo_hash hash = named(p, length);
        uint32_t action = pingo_history_find(h, &hash);
        char *end;
        long long value = strtoll(p + length + 1, &end, 10);

        assert_true(action < n);
        if (values[action] != value)
            fail_msg("%.*s: %lld, not %lld", (int)length, p, (long long)values[action], value);
        p = end;
    }
    free(values);
}

static void test_value__reused_saves_itself_and_what_was_skipped_above(void **state)
{
    struct pingo_history *h = new_history();

    (void)state;
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<a:C c<b:C*"), 0);
    set(h, "a", 100);
    set(h, "b", 10);
    set(h, "c", 1);
    expect(h, "a=0 b=0 c=0");
    assert_int_equal(submit(h, 2, "u", "w", "a:S b:S c:R*"), 0);
    expect(h, "a=0 b=0 c=111");
    assert_int_equal(submit(h, 3, "u", "w", "a:S b:R c:C*"), 0);
    expect(h, "a=0 b=110 c=111");
    /* The same again twice more. */
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){1, 4, "u", NULL}, NULL), 0);
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){1, 5, "u", NULL}, NULL), 0);
    expect(h, "a=0 b=110 c=333");
    pingo_history_free(h);
}

static void test_value__a_skipped_action_counts_once(void **state)
{
    struct pingo_history *h = new_history();

    (void)state;
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<a:C c<a:C*"), 0);
    set(h, "a", 100);
    set(h, "b", 10);
    set(h, "c", 1);
    /* Of two readers the first in the definition; joined is as good as reused. */
    assert_int_equal(submit(h, 2, "u", "w", "a:S b:J c:R*"), 0);
    expect(h, "a=0 b=110 c=1");
    assert_int_equal(submit(h, 3, "u", "w", "c:R b:R a:S*"), 0);
    expect(h, "a=0 b=120 c=102");
    pingo_history_free(h);
}

static void test_value__what_nobody_reaches_counts_for_itself(void **state)
{
    struct pingo_history *h = new_history();

    (void)state;
    assert_int_equal(submit(h, 1, "u", "w", "a<:S b<a:C* c<b:R* d<:S*"), 0);
    set(h, "a", 100);
    set(h, "b", 10);
    set(h, "c", 1);
    set(h, "d", 1000);
    /* a lies above c, but a computed action lies between. */
    expect(h, "a=100 b=0 c=1 d=1000");
    pingo_history_free(h);
}

static void test_value__unknown_times_and_outcomes_count_nothing(void **state)
{
    struct pingo_history *h = new_history();

    (void)state;
    expect(h, "");
    assert_int_equal(submit(h, 1, "u", "w", "a<:S b<a:R* c<:? d<:R"), 0);
    set(h, "b", 10);
    set(h, "c", 5);
    set(h, "d", 0);
    expect(h, "a=0 b=10 c=0 d=0");
    pingo_history_free(h);
}

static void test_value__stays_at_the_end_of_its_range(void **state)
{
    struct pingo_history *h = new_history();

    (void)state;
    assert_int_equal(submit(h, 1, "u", "w", "a<:S b<a:R*"), 0);
    set(h, "a", INT64_MAX);
    set(h, "b", INT64_MAX - 3);
    expect(h, "a=0 b=9223372036854775807");
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){0, 4, "u", NULL}, NULL), 0);
    expect(h, "a=0 b=9223372036854775807");
    pingo_history_free(h);
}

/* ---- random ones ------------------------------------------------------------------------ */

enum { ACTIONS = 30, MENTIONS = 12, SUBMISSIONS = 120 };

static uint64_t seed;

static int pick(int n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)(seed >> 33) % n;
}

/* Some actions with all their ancestors, each perhaps twice, in any order. */
static void submit_random(struct pingo_history *h, struct pingo_hash (*parents)[2])
{
    struct pingo_history_mention m[MENTIONS * 2 + 2 * ACTIONS];
    struct pingo_history_entry entry = {.user = "u", .workflow = "w", .mentions = m};
    bool in[ACTIONS] = {false};
    size_t n = 0;

    for (int i = 0; i < 3; i++)
        in[pick(ACTIONS)] = true;
    for (int i = ACTIONS - 1; i >= 0; i--)
        for (int k = 0; in[i] && k < 2; k++)
            in[parents[i][k].bytes[0] - 1] = true;
    for (int i = 0; i < ACTIONS; i++)
        for (int k = 0; in[i] && k < 1 + (pick(5) == 0); k++) {
            bool root = parents[i][0].bytes[0] == i + 1;

            m[n] = (struct pingo_history_mention){.parents = parents[i],
                                                  .nparents = root ? 0 : 2,
                                                  .has_parents = true,
                                                  .size_bytes = -1,
                                                  .compute_ms = pick(4) ? pick(1000) : -1,
                                                  .flags = (unsigned)pick(5)};
            m[n++].hash.bytes[0] = (uint8_t)(i + 1);
        }
    for (size_t i = n; i-- > 1;) {
        size_t k = (size_t)pick((int)i + 1);
        struct pingo_history_mention kept = m[i];

        m[i] = m[k];
        m[k] = kept;
    }
    entry.nmentions = n;
    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
}

/* The first reused or joined mention, in order, from which skipped parents lead to an action. */
static bool leads_to(const struct pingo_history *h, const struct pingo_history_submission *s,
                     uint32_t from, uint32_t to)
{
    size_t n;
    const uint32_t *parents = pingo_history_parents(h, from, &n);

    for (size_t i = 0; i < n; i++) {
        bool skipped = false;

        for (size_t k = 0; k < s->nactions; k++)
            skipped |= s->actions[k] == parents[i] &&
                       (s->flags[k] & PINGO_HISTORY_OUTCOME) == PINGO_HISTORY_SKIPPED;
        if (skipped && (parents[i] == to || leads_to(h, s, parents[i], to)))
            return true;
    }
    return false;
}

static void by_definition(const struct pingo_history *h, int64_t *values)
{
    struct pingo_history_submission s = {.size = sizeof s};

    for (uint32_t i = 0; pingo_history_submission(h, i, &s) == 0; i++) {
        for (size_t k = 0; k < s.nactions; k++) {
            unsigned outcome = s.flags[k] & PINGO_HISTORY_OUTCOME;
            int64_t ms = pingo_history_compute(h, s.actions[k]);
            uint32_t to = s.actions[k];

            for (size_t j = 0; outcome == PINGO_HISTORY_SKIPPED && j < s.nactions; j++) {
                unsigned other = s.flags[j] & PINGO_HISTORY_OUTCOME;

                if ((other == PINGO_HISTORY_REUSED || other == PINGO_HISTORY_JOINED) &&
                    leads_to(h, &s, s.actions[j], to)) {
                    to = s.actions[j];
                    break;
                }
            }
            if (outcome != PINGO_HISTORY_UNKNOWN && outcome != PINGO_HISTORY_COMPUTED && ms > 0)
                values[to] += ms;
        }
    }
}

static int keep_row(void *context, const struct pingo_history_row *row)
{
    *(struct pingo_history_row *)context = *row;
    return 0;
}

static void test_value__is_the_definition_and_adds_up(void **state)
{
    (void)state;
    for (seed = 1; seed < 2000; seed += 97) {
        struct pingo_history *h = new_history();
        struct pingo_hash parents[ACTIONS][2];
        struct pingo_history_row row;
        int64_t values[ACTIONS], wanted[ACTIONS] = {0}, sum = 0;
        uint64_t before = seed;

        memset(parents, 0, sizeof parents);
        for (int i = 0; i < ACTIONS; i++)
            for (int k = 0; k < 2; k++)
                parents[i][k].bytes[0] = (uint8_t)(i < 4 ? i + 1 : 1 + pick(i));
        for (int i = 0; i < SUBMISSIONS; i++) {
            uint32_t n = pingo_history_count_submissions(h);

            if (i > 5 && pick(3) == 0)
                assert_int_equal(
                    pingo_history_append_again(
                        h, &(struct pingo_history_again){(uint32_t)pick((int)n), i, "u", NULL}, NULL),
                    0);
            else
                submit_random(h, parents);
        }
        assert_int_equal(pingo_history_values(h, values, NULL), 0);
        by_definition(h, wanted);
        for (uint32_t i = 0; i < pingo_history_count_actions(h); i++) {
            assert_int_equal(values[i], wanted[i]);
            sum += values[i];
        }
        assert_int_equal(pingo_history_query(h, NULL, keep_row, &row, NULL), 0);
        assert_int_equal(sum, row.saved_ms);
        assert_true(sum > 0);
        pingo_history_free(h);
        seed = before;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value__reused_saves_itself_and_what_was_skipped_above),
        cmocka_unit_test(test_value__a_skipped_action_counts_once),
        cmocka_unit_test(test_value__what_nobody_reaches_counts_for_itself),
        cmocka_unit_test(test_value__unknown_times_and_outcomes_count_nothing),
        cmocka_unit_test(test_value__stays_at_the_end_of_its_range),
        cmocka_unit_test(test_value__is_the_definition_and_adds_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
