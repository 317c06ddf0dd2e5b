/* test_bound_memory.c - each allocation of the bound's model fails once: no crash, no leak, PINGO_ENOMEM, and then it
 * works.
 *
 * The solver is not asked: where it gets no memory, it ends the process. */
#include "exhaustive.h"

#include "lab/bound/model.h"
#include "unit/memory.h"

static void fail_each(const struct tiny *t, int64_t budget, unsigned *nfailures)
{
    for (long n = 0;; n++) {
        struct pingo__lab_bound_model model = {0};
        struct pingo_error err = {0};
        arm(n);
        int rc = pingo__lab_bound_model_build(&model, t->history, budget, true, &err);
        bool more = disarm();
        pingo__lab_bound_model_clear(&model);
        if (!more) {
            assert_int_equal(rc, 0);
            break;
        }
        ++*nfailures;
        assert_int_equal(rc, PINGO_ENOMEM);
        assert_int_equal(err.code, PINGO_ENOMEM);
    }
}

static void test_bound_memory__each_allocation_fails_once(void **state)
{
    unsigned nfailures = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct tiny t;
        tiny_make(&t, seed);
        fail_each(&t, tiny_sum(&t, t.sizes, (1u << t.nactions) - 1) / 2, &nfailures);
        tiny_free(&t);
    }
    assert_true(nfailures > 40 * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound_memory__each_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
