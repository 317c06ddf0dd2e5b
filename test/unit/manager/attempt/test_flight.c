/* test_flight.c - what is handed out is found by its attempt, whatever came and went; and who runs what. */
#include "unit/engine/box.h"

#include "manager/attempt/flight.h"

static void test_flight__is_found_by_action_and_try(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_actions *m = &b->s->actions;
    struct pingo_error err;
    size_t active, running = 9, ending = 9;

    UNUSED(state);
    for (int64_t i = 1; i <= 300; i++)
        well(pingo__manager_flight_add(m, (struct pingo_job_key){i, i % 3 + 1}, 0, &err), &err);
    assert_int_equal(m->nflights, 300);
    for (int64_t i = 1; i <= 300; i += 2) /* who goes leaves its place to the last */
        pingo__manager_flight_remove(m, (struct pingo_job_key){i, i % 3 + 1});
    pingo__manager_flight_remove(m, (struct pingo_job_key){2, 9}); /* none of ours */
    assert_int_equal(m->nflights, 150);
    for (int64_t i = 1; i <= 300; i++) {
        const struct pingo__manager_flight *f =
            pingo__manager_flight_find(m, (struct pingo_job_key){i, i % 3 + 1});

        assert_int_equal(f != NULL, i % 2 == 0);
        if (f)
            assert_int_equal(f->key.action, i);
        assert_null(pingo__manager_flight_find(m, (struct pingo_job_key){i, 7}));
    }
    pingo__manager_flight_count(m, &active, &running, &ending);
    assert_int_equal(active, 150);
    assert_int_equal(running, 0);
    pingo__manager_flight_find(m, (struct pingo_job_key){2, 3})->started = true;
    pingo__manager_flight_find(m, (struct pingo_job_key){4, 2})->started = true;
    pingo__manager_flight_find(m, (struct pingo_job_key){4, 2})->ending = true;
    pingo__manager_flight_find(m, (struct pingo_job_key){6, 1})->was_closed = true;
    pingo__manager_flight_count(m, &active, &running, &ending);
    assert_int_equal(active, 149);
    assert_int_equal(running, 2);
    assert_int_equal(ending, 1);
    while (m->nflights)
        pingo__manager_flight_remove(m, m->flights[0]->key);
    box_close(b);
}

/* Taking one back needs no memory. */
static void test_flight__there_is_room_for_ends_that_wait(void **state)
{
    struct pingo_job_end waiting[64], end = {.size = sizeof end};
    struct pingo__manager_actions m = {.waiting = waiting};
    struct pingo_error err;

    UNUSED(state);
    for (int64_t i = 1; i <= 64; i++) {
        end.key = (struct pingo_job_key){i, 1};
        well(pingo__manager_end_add(&m, &end, &err), &err);
        waiting[m.nwaiting++] = m.ends[--m.nends];
    }
    assert_true(m.cends >= 64);
    end.exit_code = 7;
    pingo__manager_end_take_back(&m, (struct pingo_job_key){64, 2}, NULL); /* none of them */
    assert_int_equal(m.nends, 0);
    for (int64_t i = 1; i <= 64; i++)
        pingo__manager_end_take_back(&m, (struct pingo_job_key){i, 1}, i == 5 ? &end : NULL);
    assert_int_equal(m.nwaiting, 0);
    assert_int_equal(m.nends, 64);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(m.ends[i].exit_code, i == 4 ? 7 : 0);
    free(m.ends);
}

/* An action goes to whom it names, else to whoever is preferred, else to whoever runs its type. */
static void test_flight__executors_by_name_and_type(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_actions *m = &b->s->actions;
    struct pingo_error err;

    UNUSED(state);
    size_t fake = pingo__manager_executor_find(m, "fake");
    assert_true(fake < m->nexecutors);
    assert_int_equal(pingo__manager_executor_find(m, "none"), SIZE_MAX);
    assert_int_equal(pingo__manager_executor_for(m, "command-line", NULL), fake);
    assert_int_equal(pingo__manager_executor_for(m, "command-line", "fake"), fake);
    assert_int_equal(pingo__manager_executor_for(m, "command-line", "none"), SIZE_MAX);
    assert_int_equal(pingo__manager_executor_for(m, "map-reduce", NULL), SIZE_MAX);
    assert_int_equal(pingo__manager_executor_for(m, "map-reduce", "fake"), SIZE_MAX);
    well(pingo__manager_actions_prefer(m, "elsewhere", &err), &err);
    assert_int_equal(pingo__manager_executor_for(m, "command-line", NULL), SIZE_MAX);
    assert_int_equal(pingo__manager_executor_for(m, "command-line", "fake"), fake);
    well(pingo__manager_actions_prefer(m, NULL, &err), &err);
    assert_int_equal(pingo__manager_executor_for(m, "command-line", NULL), fake);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flight__is_found_by_action_and_try),
        cmocka_unit_test(test_flight__there_is_room_for_ends_that_wait),
        cmocka_unit_test(test_flight__executors_by_name_and_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
