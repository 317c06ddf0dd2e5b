/* test_generate.c - what holds in every generated history, the same bytes everywhere, and what is refused. */
#include "digest/sha256.h"
#include "unit/lab/generated.h"

/* ---- the same everywhere ------------------------------------------------------------------ */

/* SHA-256 of the lines of pingo-history(5). */
static void digest_of(const struct pingo_history *h, char hex[PINGO_HASH_HEX_SIZE])
{
    struct pingo__digest_hasher hasher;
    struct pingo_hash hash;
    pingo__digest_hasher_init(&hasher);
    for (uint32_t i = 0; i < pingo_history_count_submissions(h); i++) {
        char *line;
        assert_int_equal(pingo_history_print_line(h, i, NULL, &line, NULL), 0);
        pingo__digest_hasher_add(&hasher, line, strlen(line));
        free(line);
    }
    pingo__digest_hasher_finish(&hasher, &hash);
    pingo_hash_to_hex(&hash, hex);
}

static const struct {
    const char *family, *parameters, *digest;
} golden[] = {
    {"uniform-n", NULL, "db000f33858ac371a786971f7a1f6fcf6d409b6fd726b632a4ee6b3278fad8db"},
    {"uniform-h", NULL, "86cb6f3eb513ab50e0bd875a7f8341a700d4c707e7d7c9e05e9fcb62ed10a914"},
    {"recent-n", NULL, "89b4d04b82af4d22b8531fa0b38ed767251980d03cc5d4e3bb050f9af4a420f9"},
    {"recent-h", NULL, "06f14a8a5a47ebf1e6999dbe722e577c1e0e9764dcfce5f4bdb1d154257146f2"},
    {"zipf-n", NULL, "720d98ef8a5c4e897ea423e0346a7a7fb7a0081d10f9bf46ecae307957155960"},
    {"zipf-h", NULL, "0ad820ece3274ede04237d1aa97e57bf7fef9fe2a31d7398d1e0d9a2c5dae9f1"},
    {"iter-n", NULL, "e775de47948b2e588276abee213b7f79742deaaa5d4a8bbb5f6bdc8010bdd5a6"},
    {"iter-h", NULL, "7fe9d5f726b435983b6c1d1d4ca9b19ed538c9fd8d342e7551e7091e5ead4f79"},
    {"zipf-h", "actions=333,new=7,previous=9,zipf-exponent=0.7,children-sd=2.5,parents-mean=3",
     "e29798f00c570a35a61314dae8356874d1513381eeee7f236724898f0ece049e"},
    {"recent-n", "actions=5000,previous=2,recent-mean=3.5,size=lognormal,time-sigma=2",
     "679216cc8d64f61e73ac6593305f18db35aeca222f2d9d164bbcebbb8a5f3f8f"},
    {"iter-h", "users=9,workflows=400,stages-min=1,stages-max=40,reach=9,fresh=0.2,change-alpha=0.5",
     "a4819af97450761c475594b25aaebfb6b680e2d0ae208305456b2e8fcb934917"},
};

static void test_generate__golden_digests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        struct pingo_history *h = generated(golden[i].family, 1, golden[i].parameters);
        char hex[PINGO_HASH_HEX_SIZE];
        digest_of(h, hex);
        if (strcmp(hex, golden[i].digest) != 0)
            print_error("%s %s: %s\n", golden[i].family,
                        golden[i].parameters != NULL ? golden[i].parameters : "", hex);
        assert_string_equal(hex, golden[i].digest);
        pingo_history_free(h);
    }
}

static void test_generate__default_is_uniform_n_with_seed_0(void **state)
{
    (void)state;
    struct pingo_history *h, *other = generated("uniform-n", 0, "");
    char hex[2][PINGO_HASH_HEX_SIZE];
    assert_int_equal(pingo_generate(NULL, &h, NULL), 0);
    digest_of(h, hex[0]);
    digest_of(other, hex[1]);
    assert_string_equal(hex[0], hex[1]);
    pingo_history_free(h);
    pingo_history_free(other);
}

static uint32_t count_common(const struct pingo_history *a, const struct pingo_history *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < pingo_history_count_actions(a); i++)
        n += pingo_history_find(b, pingo_history_hash(a, i)) != PINGO_HISTORY_NONE;
    return n;
}

static void test_generate__other_seeds_and_values_share_nothing(void **state)
{
    (void)state;
    struct pingo_history *h = generated("zipf-n", 5, NULL), *same = generated("zipf-n", 5, NULL);
    struct pingo_history *others[] = {generated("zipf-n", 6, NULL), generated("zipf-h", 5, NULL),
                                      generated("zipf-n", 5, "users=3"),
                                      generated("zipf-n", 5, "zipf-exponent=1.31")};
    assert_int_equal(count_common(h, same), 2400);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(count_common(h, others[i]), 0);
        pingo_history_free(others[i]);
    }
    pingo_history_free(h);
    pingo_history_free(same);
}

/* Families that differ in the distribution alone can be compared workflow by workflow. */
static void test_generate__shapes_do_not_depend_on_sizes(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"uniform-n", "uniform-h"}, {"iter-n", "iter-h"}};
    for (size_t i = 0; i < 2; i++) {
        struct pingo_history *a = generated(pairs[i][0], 9, NULL);
        struct pingo_history *b = generated(pairs[i][1], 9, "interval=1");
        uint32_t n = pingo_history_count_submissions(a), ndiffer = 0;
        assert_int_equal(n, pingo_history_count_submissions(b));
        assert_int_equal(pingo_history_count_edges(a), pingo_history_count_edges(b));
        for (uint32_t k = 0; k < n; k++) {
            struct pingo_history_submission x = submission_of(a, k), y = submission_of(b, k);
            assert_int_equal(x.nactions, y.nactions);
            assert_memory_equal(x.actions, y.actions, x.nactions * sizeof *x.actions);
            assert_memory_equal(x.flags, y.flags, x.nactions);
        }
        for (uint32_t k = 0; k < pingo_history_count_actions(a); k++)
            ndiffer += pingo_history_size(a, k) != pingo_history_size(b, k);
        assert_true(ndiffer > 500);
        pingo_history_free(a);
        pingo_history_free(b);
    }
}

/* ---- what holds in all --------------------------------------------------------------------------- */

static bool mentions(const struct pingo_history_submission *s, uint32_t action, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (s->actions[i] == action)
            return true;
    return false;
}

/* Closed under ancestors, parents first, nothing twice, leaves are those without a child. */
static void check_submission(const struct pingo_history *h, uint32_t index)
{
    struct pingo_history_submission s = submission_of(h, index);
    bool *has_child = calloc(s.nactions, sizeof *has_child);
    assert_non_null(has_child);
    assert_int_equal(s.at_ms, INT64_C(1577836800000) + (int64_t)index * 600000);
    for (size_t i = 0; i < s.nactions; i++) {
        size_t n;
        const uint32_t *parents = pingo_history_parents(h, s.actions[i], &n);
        assert_false(mentions(&s, s.actions[i], i));
        for (size_t k = 0; k < n; k++) {
            assert_true(mentions(&s, parents[k], i));
            for (size_t j = 0; j < i; j++)
                has_child[j] = has_child[j] || s.actions[j] == parents[k];
        }
        assert_true(pingo_history_size(h, s.actions[i]) >= 1000000);
        assert_true(pingo_history_compute(h, s.actions[i]) >= 1000);
    }
    for (size_t i = 0; i < s.nactions; i++)
        assert_int_equal(s.flags[i], has_child[i] ? 0 : PINGO_HISTORY_LEAF);
    free(has_child);
}

static void test_generate__workflows_are_closed(void **state)
{
    (void)state;
    const struct pingo_generate_family *family;
    for (size_t i = 0; (family = pingo_generate_family_at(i)) != NULL; i++) {
        struct pingo_history *h = generated(family->name, 3, NULL);
        for (uint32_t k = 0; k < pingo_history_count_submissions(h); k += 1 + k / 20)
            check_submission(h, k);
        pingo_history_free(h);
    }
}

static double mean_of(const struct pingo_history *h,
                      int64_t (*value)(const struct pingo_history *, uint32_t), double *deviation)
{
    double sum = 0, squares = 0, n = pingo_history_count_actions(h);
    for (uint32_t i = 0; i < n; i++)
        sum += (double)value(h, i);
    for (uint32_t i = 0; i < n; i++) {
        double x = (double)value(h, i) - sum / n;
        squares += x * x;
    }
    *deviation = squares / n;
    return sum / n;
}

static void assert_between(double x, double low, double high)
{
    if (x < low || x > high)
        fail_msg("%f is not between %f and %f", x, low, high);
}

/* N(500 MB, 200), N(60 s, 25); lognormal with the same means: variance mean^2 (e^1.44 - 1). */
static void test_generate__sizes_and_times_are_distributed(void **state)
{
    (void)state;
    struct pingo_history *n = generated("uniform-n", 2, "actions=40000,previous=1");
    struct pingo_history *h = generated("uniform-h", 2, "actions=40000,previous=1,size-sigma=0.5");
    double variance;
    assert_between(mean_of(n, pingo_history_size, &variance), 498e6, 506e6);
    assert_between(variance, 190e6 * 190e6, 201e6 * 201e6); /* the tail below 0 is drawn again */
    assert_between(mean_of(n, pingo_history_compute, &variance), 59.9e3, 61e3);
    assert_between(variance, 23.5e3 * 23.5e3, 25.1e3 * 25.1e3);
    assert_between(mean_of(h, pingo_history_size, &variance), 495e6, 505e6);
    assert_between(variance, 500e6 * 500e6 * 0.26, 500e6 * 500e6 * 0.31);
    assert_between(mean_of(h, pingo_history_compute, &variance), 57e3, 63e3);
    assert_between(variance, 60e3 * 60e3 * 2, 60e3 * 60e3 * 5);
    pingo_history_free(n);
    pingo_history_free(h);
}

static void test_generate__refuses_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *family, *parameters, *message;
    } rows[] = {
        {"uniform", NULL, "the families are uniform-n, uniform-h"},
        {"zipf_n", NULL, "did you mean \"zipf-n\""},
        {"", NULL, "there is no family \"\""},
        {"zipf-n", "users", "is not KEY=VALUE"},
        {"uniform-n", "actions=3000000,new=1,interval=86400", "after the year 9999"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo_generate_options options = {
            .version = 1, .family = rows[i].family, .parameters = rows[i].parameters};
        struct pingo_history *h = (struct pingo_history *)&options;
        struct pingo_error err;
        assert_int_equal(pingo_generate(&options, &h, &err), PINGO_EINVAL);
        assert_null(h);
        if (strstr(err.message, rows[i].message) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", rows[i].message, err.message);
    }
    struct pingo_generate_options later = {.version = 2};
    struct pingo_history *h;
    assert_int_equal(pingo_generate(&later, &h, NULL), PINGO_EINVAL);
}

/* Values at the ends of their ranges end, and give something sound. */
static void test_generate__extremes(void **state)
{
    (void)state;
    static const struct {
        const char *family, *parameters;
    } rows[] = {
        {"uniform-n", "actions=1"},
        {"uniform-n", "actions=200,new=200,children-mean=1000,parents-mean=1000"},
        {"uniform-n", "actions=200,new=10,previous=20000,children-mean=1000"},
        {"recent-n", "actions=100,new=10,previous=90,recent-mean=0,parents-mean=20"},
        {"recent-n", "actions=50,recent-mean=1000000000"},
        {"zipf-n", "actions=2000,zipf-exponent=10,previous=8"},
        {"zipf-n", "actions=200,zipf-exponent=0,children-mean=0,children-sd=0"},
        {"uniform-n",
         "actions=100,size-mean=0.001,size-sd=1000000000,time-mean=0.001,size-least=0"},
        {"uniform-h", "actions=100,size-mean=1000000000,size-sigma=5,time-sigma=5"},
        {"iter-n", "stages-min=1,stages-max=1,users=1,fresh=0"},
        {"iter-n", "users=100000,workflows=50,reach=1,one-parent=0"},
        {"iter-n", "factor-min=1000,factor-max=1000,workflows=300,size-mean=1000000000"},
        {"iter-n", "change-alpha=1000,change-beta=0.1,latest=0"},
        {"iter-n", "change-alpha=0.1,change-beta=1000,fresh=1,adopt=1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo_history *h = generated(rows[i].family, 11, rows[i].parameters);
        assert_true(pingo_history_count_actions(h) > 0);
        for (uint32_t k = 0; k < pingo_history_count_actions(h); k++) {
            assert_true(pingo_history_size(h, k) >= 0);
            assert_true(pingo_history_size(h, k) <= INT64_C(9007199254740991));
            assert_true(pingo_history_compute(h, k) <= INT64_C(9007199254740991));
        }
        pingo_history_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generate__golden_digests),
        cmocka_unit_test(test_generate__default_is_uniform_n_with_seed_0),
        cmocka_unit_test(test_generate__other_seeds_and_values_share_nothing),
        cmocka_unit_test(test_generate__shapes_do_not_depend_on_sizes),
        cmocka_unit_test(test_generate__workflows_are_closed),
        cmocka_unit_test(test_generate__sizes_and_times_are_distributed),
        cmocka_unit_test(test_generate__refuses_what_is_wrong),
        cmocka_unit_test(test_generate__extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
