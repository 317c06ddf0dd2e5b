/* test_room.c - the rows of the bound let exactly that be kept for which there is room at the end of each submission. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lab/bound/model.h"

enum { STRETCHES = 6, ENDS = 5 };

static uint32_t draw(uint64_t *random, uint32_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*random >> 33) % below);
}

/* A model of n ends of submissions with a column for each stretch, and nothing else. */
static void open_model(struct pingo__lab_bound_model *m, uint32_t n, const int64_t *room,
                       const struct pingo__lab_bound_stretch *stretches, size_t nstretches)
{
    *m = (struct pingo__lab_bound_model){.walk.next = n, .nstretches = nstretches};
    m->room_bytes = pingo__arena_array(&m->arena, n, sizeof *m->room_bytes);
    m->stretches = calloc(nstretches + 1, sizeof *m->stretches);
    assert_true(m->room_bytes && m->stretches);
    for (uint32_t i = 0; i < n; i++)
        m->room_bytes[i] = room[i];
    for (size_t k = 0; k < nstretches; k++) {
        m->stretches[k] = stretches[k];
        m->stretches[k].column = pingo__lab_bound_column(m, -1, 1);
    }
    pingo__lab_bound_room(m);
}

/* Is there anything for the columns of the rows with which what is kept keeps all rows?  What is used must be as much as
 * a row says, and no less helps the next one. */
static bool may_keep(const struct pingo__lab_bound_model *m, uint32_t kept)
{
    const struct pingo__lab_program *p = &m->program;
    double x[STRETCHES + ENDS] = {0};
    for (int j = 0; j < (int)m->nstretches; j++)
        x[j] = kept >> j & 1;
    for (int i = 0; i < p->nrows; i++) {
        double sum = 0;
        int used = (int)m->nstretches + i; /* the column of this row */
        for (size_t k = 0; k < m->nelements; k++)
            if (m->elements[k].row == i && m->elements[k].column != used)
                sum += m->elements[k].value * x[m->elements[k].column];
        x[used] = sum > 0 ? sum : 0;
        if (x[used] > p->uppers[used])
            return false;
    }
    return true;
}

static bool has_room(const struct pingo__lab_bound_model *m, uint32_t kept)
{
    for (uint32_t i = 0; i < m->walk.next; i++) {
        int64_t sum = 0;
        for (size_t k = 0; k < m->nstretches; k++)
            if (kept >> k & 1 && m->stretches[k].first <= i && i <= m->stretches[k].last)
                sum += m->stretches[k].size_bytes;
        if (sum > m->room_bytes[i])
            return false;
    }
    return true;
}

static void test_room__lets_that_be_kept_for_which_there_is_room(void **state)
{
    uint64_t random = 1;
    unsigned nloose = 0, nrefused = 0, nrows = 0;
    (void)state;
    for (int round = 0; round < 400; round++) {
        struct pingo__lab_bound_stretch stretches[STRETCHES];
        struct pingo__lab_bound_model m;
        int64_t room[ENDS];
        for (uint32_t i = 0; i < ENDS; i++)
            room[i] = i == 0 ? 4 + draw(&random, 30) : room[i - 1] - draw(&random, 2);
        for (int k = 0; k < STRETCHES; k++) {
            uint32_t first = draw(&random, ENDS);
            stretches[k] =
                (struct pingo__lab_bound_stretch){.first = first,
                                                  .last = first + draw(&random, ENDS - first),
                                                  .size_bytes = draw(&random, 12)};
        }
        open_model(&m, ENDS, room, stretches, STRETCHES);
        assert_int_equal(m.failure, 0);
        for (uint32_t kept = 0; kept < 1u << STRETCHES; kept++) {
            bool may = may_keep(&m, kept);
            nrefused += !may;
            assert_int_equal(may, has_room(&m, kept));
        }
        nloose += m.program.nrows == 0;
        nrows += (unsigned)m.program.nrows;
        pingo__lab_bound_model_clear(&m);
    }
    assert_in_range(nloose, 20, 380); /* both were there */
    assert_true(nrefused > 1000);
    assert_true(nrows < 400 * (ENDS - 1)); /* not one for each end */
}

static void test_room__has_no_row_where_all_can_be_kept(void **state)
{
    static const struct pingo__lab_bound_stretch stretches[] = {
        {0, 1, 0, 4}, {1, 2, 0, 6}, {2, 2, 0, 4}};
    static const int64_t just[] = {10, 10, 10}, less[] = {10, 10, 9};
    struct pingo__lab_bound_model m;
    (void)state;
    open_model(&m, 3, just, stretches, 3);
    assert_int_equal(m.program.nrows, 0);
    assert_int_equal(m.program.ncolumns, 3);
    pingo__lab_bound_model_clear(&m);
    open_model(&m, 3, less, stretches, 3);
    assert_int_equal(m.program.nrows, 2); /* where one ends: after 1 and after 2 */
    assert_int_equal(m.program.ncolumns, 5);
    pingo__lab_bound_model_clear(&m);
    /* Where nothing begins after a row, and the room stays, the next end needs none. */
    static const struct pingo__lab_bound_stretch both[] = {{0, 1, 0, 6}, {0, 2, 0, 6}};
    open_model(&m, 3, just, both, 2);
    assert_int_equal(m.program.nrows, 1);
    pingo__lab_bound_model_clear(&m);
    open_model(&m, 3, less, both, 2);
    assert_int_equal(m.program.nrows, 2);
    pingo__lab_bound_model_clear(&m);
    open_model(&m, 0, NULL, NULL, 0);
    assert_int_equal(m.program.nrows, 0);
    pingo__lab_bound_model_clear(&m);
}

/* Sizes that no sum holds; in no room nothing but what has no size is kept. */
static void test_room__takes_any_size(void **state)
{
    static const struct pingo__lab_bound_stretch huge[] = {
        {0, 0, 0, INT64_MAX}, {0, 0, 0, INT64_MAX}, {0, 0, 0, 0}};
    static const int64_t much[] = {INT64_MAX}, none[] = {0};
    struct pingo__lab_bound_model m;
    (void)state;
    open_model(&m, 1, much, huge, 3);
    assert_true(may_keep(&m, 5) && may_keep(&m, 6));
    assert_false(may_keep(&m, 3));
    pingo__lab_bound_model_clear(&m);
    open_model(&m, 1, none, huge, 3);
    assert_true(may_keep(&m, 4));
    assert_false(may_keep(&m, 1));
    pingo__lab_bound_model_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room__lets_that_be_kept_for_which_there_is_room),
        cmocka_unit_test(test_room__has_no_row_where_all_can_be_kept),
        cmocka_unit_test(test_room__takes_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
