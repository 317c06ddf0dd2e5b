/* Every allocation of the generator fails once: no crash, no leak, PINGO_ENOMEM, nothing handed out.
 *
 * malloc, calloc and realloc are interposed in this program. */
#include "unit/lab/generated.h"

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

static void make_without_memory(const char *family, const char *parameters)
{
    struct pingo_generate_options options = {
        .version = 1, .family = family, .parameters = parameters, .seed = 1};
    int nfailed = 0;
    pingo_history_free(generated(family, 2, parameters)); /* OpenSSL wants memory to begin with */
    for (long n = 0;; n++) {
        struct pingo_history *h = NULL;
        struct pingo_error err = {0};
        has_failed = false;
        left = n;
        int rc = pingo_generate(&options, &h, &err);
        left = -1;
        if (rc == 0)
            assert_non_null(h);
        else
            assert_null(h);
        pingo_history_free(h);
        if (!has_failed)
            break;
        /* OpenSSL does without some of what it asks for. */
        assert_true(rc == 0 || rc == PINGO_ENOMEM);
        nfailed += rc == PINGO_ENOMEM;
    }
    assert_true(nfailed > 15);
}

static void test_generate_memory__families(void **state)
{
    (void)state;
    make_without_memory("uniform-n", "actions=120");
    make_without_memory("zipf-h", "actions=90,new=30");
    make_without_memory("iter-n", "workflows=20");
}

static void test_generate_memory__workflow(void **state)
{
    (void)state;
    struct pingo_history *h = generated("recent-n", 1, "actions=80");
    int nfailed = 0;
    for (long n = 0;; n++) {
        char *text;
        struct pingo_error err = {0};
        has_failed = false;
        left = n;
        int rc = pingo_generate_workflow(h, 7, NULL, &text, &err);
        left = -1;
        free(text);
        if (!has_failed) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_int_equal(rc, PINGO_ENOMEM);
        nfailed++;
    }
    assert_true(nfailed > 15);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generate_memory__families),
        cmocka_unit_test(test_generate_memory__workflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
