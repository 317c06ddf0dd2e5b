/* test_fitting.c - while a list is made: what fits holds what it asks for, what was refused is not weighed again, and of
 * what is not ours nothing is said. */
#include "unit/engine/box.h"

#include "manager/attempt/flight.h"

static const char gpu[] = "{\"gpus\":1}", two[] = "{\"gpus\":2}",
                  licence[] = "{\"licences\":{\"x\":1}}",
                  both[] = "{\"gpus\":1,\"licences\":{\"x\":1}}",
                  both_again[] = "{\"licences\":{\"x\":1},\"gpus\":1}";

/* Of the type that the box's executor runs, unless it is another. */
static struct pingo__store_action_row row_of(int64_t id, const char *type, const char *resources)
{
    return (struct pingo__store_action_row){.id = id, .type = type, .resources = resources};
}

struct fit {
    struct box *b;
    struct pingo__arena arena;
    struct pingo__manager_fitting f;
};

static struct fit fit_new(int64_t counted)
{
    struct fit t = {.b = box_new()};
    t.b->fake.counted = counted;
    return t;
}

static void fit_begin(struct fit *t)
{
    t->f = (struct pingo__manager_fitting){
        .m = &t->b->s->actions, .arena = &t->arena, .how = PINGO__WEIGH_TAKES};
}

static void fit_close(struct fit *t)
{
    pingo__arena_clear(&t->arena);
    box_close(t->b);
}

static bool takes(struct fit *t, int64_t id, const char *resources)
{
    struct pingo__store_action_row row = row_of(id, "command-line", resources);
    struct pingo_error err;
    bool does = false;
    well(pingo__manager_fitting_fits(&t->f, &row, &does, &err), &err);
    return does;
}

static void test_fitting__what_fits_holds_what_it_asks_for(void **state)
{
    struct fit t = fit_new(2);

    UNUSED(state);
    fit_begin(&t);
    t.f.how = PINGO__WEIGH_BARS;
    assert_true(takes(&t, 1, two)); /* it could, and holds nothing */
    t.f.how = PINGO__WEIGH_TAKES;
    assert_true(takes(&t, 2, gpu));
    assert_true(takes(&t, 3, gpu));
    assert_false(takes(&t, 4, gpu));
    assert_true(takes(&t, 5, licence)); /* asks for nothing of the kind */
    fit_close(&t);
}

static void test_fitting__what_was_refused_stands_for_its_kind(void **state)
{
    struct fit t = fit_new(1);
    const struct pingo__store_asking same = {.action = 3, .type = "command-line", .resources = gpu};
    const struct pingo__store_asking other = {
        .action = 4, .type = "command-line", .resources = licence};

    UNUSED(state);
    fit_begin(&t);
    assert_true(takes(&t, 1, gpu));
    assert_false(pingo__manager_fitting_waits(&t.f, &same));
    assert_false(takes(&t, 2, gpu));
    assert_true(pingo__manager_fitting_waits(&t.f, &same));
    assert_false(pingo__manager_fitting_waits(&t.f, &other));
    assert_false(pingo__manager_fitting_passes(&t.f, 2, true));
    assert_false(pingo__manager_fitting_passes(&t.f, 3, true)); /* known since it was asked about */
    assert_true(pingo__manager_fitting_passes(&t.f, 2, false));
    assert_true(pingo__manager_fitting_passes(&t.f, 4, true));
    fit_begin(&t); /* in the next list they are weighed anew */
    assert_true(pingo__manager_fitting_passes(&t.f, 2, true));
    assert_true(takes(&t, 2, gpu));
    fit_close(&t);
}

static void test_fitting__who_only_asks_keeps_nothing_for_himself(void **state)
{
    struct fit t = fit_new(1);

    UNUSED(state);
    fit_begin(&t);
    assert_true(takes(&t, 1, licence));
    t.f.how = PINGO__WEIGH_ASKS;
    for (int i = 0; i < 3; i++)
        assert_true(takes(&t, 2, gpu));
    assert_false(takes(&t, 3, both));
    assert_true(takes(&t, 4, gpu));
    t.f.how = PINGO__WEIGH_BARS;
    assert_false(takes(&t, 5, both_again));
    assert_false(takes(&t, 6, gpu)); /* behind it */
    fit_close(&t);
}

static void test_fitting__of_what_is_not_ours_nothing_is_said(void **state)
{
    struct fit t = fit_new(1);
    struct pingo__store_action_row row = row_of(1, "no-such-type", gpu);
    const struct pingo__store_asking asking = {.action = 1, .type = "no-such-type"};
    struct pingo_error err;

    UNUSED(state);
    fit_begin(&t);
    for (int does = 0; does < 2; does++) {
        bool answer = does;
        well(pingo__manager_fitting_fits(&t.f, &row, &answer, &err), &err);
        assert_true(answer == (bool)does);
    }
    assert_false(pingo__manager_fitting_waits(&t.f, &asking));
    assert_null(t.f.counters); /* nobody was asked how much there is */
    assert_true(pingo__manager_fitting_passes(&t.f, 1, true));
    pingo__manager_fitting_foreign(&t.f, 1);
    assert_false(pingo__manager_fitting_passes(&t.f, 1, true));
    assert_false(pingo__manager_fitting_passes(&t.f, 1, false));
    fit_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fitting__what_fits_holds_what_it_asks_for),
        cmocka_unit_test(test_fitting__what_was_refused_stands_for_its_kind),
        cmocka_unit_test(test_fitting__who_only_asks_keeps_nothing_for_himself),
        cmocka_unit_test(test_fitting__of_what_is_not_ours_nothing_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
