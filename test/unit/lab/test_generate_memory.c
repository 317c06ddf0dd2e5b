/* test_generate_memory.c - every allocation of the generator fails once: no crash, no leak, PINGO_ENOMEM, nothing
 * handed out. */
#include "unit/lab/generated.h"
#include "unit/memory.h"

static void make_without_memory(const char *family, const char *parameters)
{
    struct pingo_generate_options options = {
        .version = 1, .family = family, .parameters = parameters, .seed = 1};
    int nfailed = 0;
    pingo_history_free(generated(family, 2, parameters)); /* OpenSSL wants memory to begin with */
    for (long n = 0;; n++) {
        struct pingo_history *h = NULL;
        struct pingo_error err = {0};
        arm(n);
        int rc = pingo_generate(&options, &h, &err);
        bool more = disarm();
        if (rc == 0)
            assert_non_null(h);
        else
            assert_null(h);
        pingo_history_free(h);
        if (!more)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generate_memory__families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
