/* test_agreement.c - the simulator and the engine do the same: what runs, in which order, what goes, in
 * which order and with which score, what falls short, and how many bytes are used after each step.
 *
 * Without arguments: small histories.  test_agreement SECONDS [SEED]: larger ones of random families,
 * algorithms and budgets until the time is over, from a seed that it tells (make soak). */
#include "unit/engine/agree_engine.h"
#include "unit/engine/garble.h"
#include "unit/lab/story.h"
#include "unit/share.h"

#include <time.h>

/* With parameters that make a difference in a small history. */
static const char *const algorithms[] = {
    "random",
    "lru",
    "largest-first",
    "most-commonly-used:window=60",
    "gdsf",
    "dtr",
    "chain",
    "gdsf:cost=local",
    "chain:refit=3",
    "random:seed=7",
    "dtr:reach=2",
    "most-commonly-used",
    "chain:reach=2",
    "chain:decay=2,weight=1",
    "gdsf:reach=1000",
};
#define NALGORITHMS (sizeof algorithms / sizeof *algorithms)
#define NBUILT_IN 7 /* of them: each once */

/* What happened in all runs of a test, so that it is seen to have tested something. */
struct seen {
    uint64_t nruns, nreused, njoined, nskipped, nevictions, nshortfalls;
};

static void see(struct seen *seen, const struct pingo_simulation_result *r)
{
    seen->nruns += r->ncomputed;
    seen->nreused += r->nreused;
    seen->njoined += r->njoined;
    seen->nskipped += r->nskipped;
    seen->nevictions += r->nevictions;
    seen->nshortfalls += r->nshortfalls;
}

/* ---- by hand: see story.h ---------------------------------------------------------------------- */

/* The budgets to try each with. */
static const int64_t story_budgets[] = {0, 35, 60, 110};
#define NBUDGETS (sizeof story_budgets / sizeof *story_budgets)

static void check_story(const char *name, const char *const *lines, struct seen *seen)
{
    struct story story;
    struct agree_case c;

    story_open(&story, lines);
    agree_open(&c, story.history);
    for (size_t i = SHARE(0, 1); i < NBUDGETS; i += SHARE(1, 2))
        for (size_t k = 0; k < SHARE(2, 1); k++) {
            struct agree_conditions x = {.algorithm = algorithms[(3 * i + 4 * k) % NBUILT_IN],
                                         .budget_bytes = story_budgets[i]};
            struct pingo_simulation_result r = agree_check(&c, name, &x);

            see(seen, &r);
        }
    agree_close(&c);
    story_close(&story);
}

static void test_agreement__what_is_missing_again(void **state)
{
    static const char *const lines[] = {"a/100/10 b/200/20<a c/300/5*<b d/50/30<a e/10/2*<d",
                                        "a b<a f/70/25<b g/5/1*<f",
                                        "a b<a c*<b h/1000/40<b i/5/1*<h",
                                        "a d<a j/80/30<d k/5/1*<j",
                                        "a b<a f<b l/90/20<f m/5/1*<l",
                                        "a d<a j<d n/5/1*<d,j",
                                        "a b<a h<b o/5/1*<h",
                                        NULL};
    struct seen seen = {0};

    UNUSED(state);
    check_story("missing", lines, &seen);
    assert_true(seen.nevictions > 0 && seen.nreused > 0 && seen.nskipped > 0);
}

static void test_agreement__forced_actions(void **state)
{
    static const char *const lines[] = {
        "a/100/10 b/200/20<a c/300/5*<b",
        "a! b<a d/10/30*<b", /* what is there is replaced */
        "a b!<a c*<b e/20/30<b f/5/5*<e",
        "a b<a c*!<b", /* a leaf is replaced */
        "a! b!<a c*<b g/30/40!<a h/10/10*<g",
        "x/50/50! y/60/10<x z/1/1*<a a", /* forced, and nobody asked for it */
        "a b<a e<b f*!<e",
        NULL};
    struct seen seen = {0};

    UNUSED(state);
    check_story("forced", lines, &seen);
    assert_true(seen.nevictions > 0 && seen.nreused > 0);
}

static void test_agreement__equal_actions_in_a_workflow(void **state)
{
    static const char *const lines[] = {
        "a/100/10 a b/200/20<a b<a c/300/5<b d/900/7<a e/5/1*<c,d",
        "a a a b<a f/10/30<b g/700/8<a h/5/1*<f,g",
        "a! a b<a b<a i/10/30*<b i*<b", /* one of them is forced, and with it all */
        "j/1/10 j k/1/20<j k<j k<j l/5/1*<k m/2000/1<j n/5/1*<m",
        "a b<a c<b d<a e*<c,d e*<c,d",
        NULL};
    struct seen seen = {0};

    UNUSED(state);
    check_story("equal", lines, &seen);
    assert_true(seen.njoined > 0 && seen.nevictions > 0 && seen.nskipped > 0);
}

static void test_agreement__targets_that_are_no_leaves(void **state)
{
    static const char *const lines[] = {
        "a/100/10 b/200/20*<a c/300/25<b d/5/1<c",
        "a b<a c*<b d<c",
        "a* b<a c<b d<c",
        "a! b<a c<b d*<c e/50/10<a", /* what descends from it is computed where it is asked for */
        "a b<a c<b d<c e*<a f/70/30<b g/10/10*<f",
        "a b<a f*<b g<f",
        NULL};
    struct seen seen = {0};

    UNUSED(state);
    check_story("targets", lines, &seen);
    assert_true(seen.nskipped > 0 && seen.nevictions > 0);
}

static void test_agreement__what_was_submitted_before(void **state)
{
    static const char *const lines[] = {
        "a/100/10 b/200/20<a c/300/5*<b", "a b<a c*<b", /* its graph is known, and its leaf there */
        "a b<a c*<b", "d/10/30 e/20/30<d f/30/1*<e", "a b<a c*<b", "d e<d f*<e",
        "a b<a c*<b g/40/20<b h/5/1*<g", "a b<a c*<b g<b h*<g",
        /* One of the equal ones is a leaf, the other is not. */
        "i/10/5* i* j/5/1*<i", "i* i* j*<i", NULL};
    struct seen seen = {0};

    UNUSED(state);
    check_story("again", lines, &seen);
    assert_true(seen.nskipped > 0 && seen.nevictions > 0);
}

static void test_agreement__sizes_of_every_kind(void **state)
{
    static const char *const lines[] = {
        "a/100/5000 b/200/0<a c/300/5*<b", /* more than any budget; none */
        "a b<a d<b e/0/3*<d f/0/0<e g*<f", /* d and g: nothing is known of them */
        "a h/7/0<a i/5/0*<h",              /* all that may go holds nothing */
        "a b<a d<b h<a j/5/30<b,d,h k/1/1*<j",
        "a b<a d<b j<b,d,h h<a l/9/9*<j",
        NULL};
    struct seen seen = {0};

    UNUSED(state);
    check_story("sizes", lines, &seen);
    assert_true(seen.nevictions > 0 && seen.nshortfalls > 0);
}

/* ---- generated ------------------------------------------------------------------------------- */

#define SMALL "actions=120,new=2,previous=2"
#define SMALL_ITER "workflows=60,stages-min=4,stages-max=6"

static struct pingo_history *generate(const char *family, uint64_t seed, const char *parameters)
{
    struct pingo_generate_options o = {
        .version = 1, .family = family, .seed = seed, .parameters = parameters};
    struct pingo_history *h = NULL;
    struct pingo_error err;

    well(pingo_generate(&o, &h, &err), &err);
    return h;
}

static const char *family_at(size_t i)
{
    return pingo_generate_family_at(i % 8)->name;
}

/* Those of users who change pipelines have other parameters. */
static bool is_iter(const char *family)
{
    return strncmp(family, "iter", 4) == 0;
}

/* A share of the bytes that nobody asked for, as `pingo simulate` counts it. */
static int64_t budget_of(const struct agree_case *c, int64_t permille)
{
    struct pingo_workload_facts f = {.size = sizeof f};

    pingo_workload_look(c->workload, &f);
    return (f.bytes - f.leaf_bytes) / 1000 * permille;
}

static void test_agreement__every_algorithm_at_every_budget(void **state)
{
    static const int64_t permille[] = {20, 100, 300};
    /* As in the generator, leaves would soon fill the budget; results are small as a rule. */
    static const struct garble small_results = {.leaves_smaller = 50};
    struct seen seen = {0};

    UNUSED(state);
    for (size_t i = 0; i < 8; i++) {
        const char *family = family_at(i);
        struct pingo_history *h = generate(family, i + 1, is_iter(family) ? SMALL_ITER : SMALL);
        struct agree_case c;

        garble_history(&small_results, i + 1, &h);
        assert_int_equal(pingo_history_count_submissions(h), 60);
        agree_open(&c, h);
        /* Each pair of an algorithm and a budget comes in some family; where that is slow, each algorithm. */
        for (size_t k = i; k < 3 * NBUILT_IN; k += SHARE(8, 3 * NBUILT_IN)) {
            struct agree_conditions x = {.algorithm = algorithms[k % NBUILT_IN],
                                         .budget_bytes = budget_of(&c, permille[k % 3])};
            struct pingo_simulation_result r = agree_check(&c, family, &x);

            assert_true(r.nevictions > 0);
            see(&seen, &r);
        }
        agree_close(&c);
        pingo_history_free(h);
    }
    assert_true(seen.nevictions > SHARE(1000, 300) && seen.nreused > SHARE(1000, 300) &&
                seen.nskipped > SHARE(1000, 300));
}

/* One random history under random conditions. */
static struct pingo_simulation_result check_random(uint64_t seed, unsigned submissions)
{
    static const int64_t permille[] = {0, 20, 50, 100, 300, 600};
    uint64_t rng = seed;
    const char *family = family_at(draw(&rng, 8));
    struct garble g = garble_draw(&rng);
    struct agree_conditions x = {.algorithm = algorithms[draw(&rng, NALGORITHMS)],
                                 .noise = draw(&rng, 3) == 0 ? 0.4 : 0,
                                 .seed = seed};
    struct pingo_simulation_result r = {.size = sizeof r};
    struct pingo_history *h;
    struct agree_case c;
    char parameters[80], name[240], more[160];

    if (is_iter(family))
        snprintf(parameters, sizeof parameters, "workflows=%u", submissions);
    else
        snprintf(parameters, sizeof parameters, "actions=%u,new=2,previous=2", 2 * submissions);
    h = generate(family, seed, parameters);
    garble_history(&g, seed, &h);
    garble_describe(&g, more);
    snprintf(name, sizeof name, "seed %" PRIu64 ": %s, %s", seed, family, more);
    agree_open(&c, h);
    x.budget_bytes = budget_of(&c, permille[draw(&rng, 6)]);
    r = agree_check(&c, name, &x);
    agree_close(&c);
    pingo_history_free(h);
    return r;
}

static void test_agreement__histories_that_are_no_better_than_people(void **state)
{
    struct seen seen = {0};

    UNUSED(state);
    for (uint64_t seed = 1; seed <= SHARE(10, 2); seed++) {
        struct pingo_simulation_result r = check_random(seed, 30);

        see(&seen, &r);
    }
    assert_true(seen.nevictions > SHARE(100, 20) && seen.njoined > SHARE(10, 2) &&
                seen.nshortfalls > SHARE(10, 2));
}

/* ---- for long ----------------------------------------------------------------------------------- */

struct longer {
    time_t until;
    uint64_t seed, nhistories;
};

static void test_agreement__for_long(void **state)
{
    struct longer *l = *state;
    struct seen seen = {0};

    for (; l->nhistories == 0 || time(NULL) < l->until; l->nhistories++) {
        uint64_t rng = l->seed + l->nhistories;
        struct pingo_simulation_result r =
            check_random(l->seed + l->nhistories, 40 + (unsigned)draw(&rng, 120));

        see(&seen, &r);
    }
    printf("simulator and engine agreed: %" PRIu64 " histories from seed %" PRIu64 ", %" PRIu64
           " actions ran, %" PRIu64 " datasets went\n",
           l->nhistories, l->seed, seen.nruns, seen.nevictions);
}

static int run_for_long(int argc, char **argv)
{
    struct longer l = {.until = time(NULL) + strtol(argv[1], NULL, 10)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_agreement__for_long, &l),
    };

    l.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement__what_is_missing_again),
        cmocka_unit_test(test_agreement__forced_actions),
        cmocka_unit_test(test_agreement__equal_actions_in_a_workflow),
        cmocka_unit_test(test_agreement__targets_that_are_no_leaves),
        cmocka_unit_test(test_agreement__what_was_submitted_before),
        cmocka_unit_test(test_agreement__sizes_of_every_kind),
        cmocka_unit_test(test_agreement__every_algorithm_at_every_budget),
        cmocka_unit_test(test_agreement__histories_that_are_no_better_than_people),
    };

    return argc > 1 ? run_for_long(argc, argv) : cmocka_run_group_tests(tests, NULL, NULL);
}
