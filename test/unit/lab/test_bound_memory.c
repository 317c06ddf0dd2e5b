/* Each allocation of the bound's model fails once: no crash, no leak, PINGO_ENOMEM, and then it works.
 *
 * malloc, calloc and realloc are interposed in this program.  The solver is not asked: where it
 * gets no memory, it ends the process. */
#include "exhaustive.h"

#include "lab/bound/model.h"

static long left = -1; /* how many allocations still succeed; negative: all of them */
static bool has_failed;

static bool may_allocate(void)
{
    if (left < 0)
        return true;
    if (left == 0) {
        has_failed = true;
        left = -1; /* the next ones succeed again */
        return false;
    }
    left--;
    return true;
}

/* The functions that are hidden by those here: the sanitizer's, or the C library's. */
#if defined(__has_feature)
#define HAS_FEATURE(f) __has_feature(f)
#else
#define HAS_FEATURE(f) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define HIDDEN(name) __interceptor_##name
#else
#define HIDDEN(name) __libc_##name
#endif
extern void *HIDDEN(malloc)(size_t size);
extern void *HIDDEN(calloc)(size_t n, size_t size);
extern void *HIDDEN(realloc)(void *old, size_t size);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size)
{
    return may_allocate() ? HIDDEN(malloc)(size) : NULL;
}

EXPORTED void *calloc(size_t n, size_t size)
{
    return may_allocate() ? HIDDEN(calloc)(n, size) : NULL;
}

EXPORTED void *realloc(void *old, size_t size)
{
    return may_allocate() ? HIDDEN(realloc)(old, size) : NULL;
}

static void fail_each(const struct tiny *t, int64_t budget, unsigned *nfailures)
{
    for (long n = 0;; n++) {
        struct pingo__lab_bound_model model = {0};
        struct pingo_error err = {0};
        has_failed = false;
        left = n;
        int rc = pingo__lab_bound_model_build(&model, t->history, budget, true, &err);
        left = -1;
        pingo__lab_bound_model_clear(&model);
        if (!has_failed) {
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
