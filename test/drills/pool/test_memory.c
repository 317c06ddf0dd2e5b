/* test_memory.c - where pools in memory lie; what they do is tested as that of every kind (test_pool.c). */
#include "unit/pool/pools.h"

extern const struct pingo__pool_backend pingo__pool_memory;

static void test_memory__a_place_is_a_name(void **state)
{
    static const char *const none[] = {"memory://", "memory://a/b", "memory://..", "memory://a b"};
    struct pingo__pool_site site = {.world = pingo__world_real()};
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct pingo_error err = {0};
        site.place = none[i];
        assert_int_equal(pingo__pool_memory.create(&site, ID, &err), PINGO_EINVAL);
        assert_non_null(strstr(err.message, "memory://NAME"));
        assert_false(pingo__pool_memory.is_of(&site, ID));
    }
}

static void test_memory__processes_find_it_in_memory(void **state)
{
    char place[64], path[80], *found = NULL;
    struct pingo__pool_site site = {.world = pingo__world_real(), .place = place};
    void *pool = NULL;
    (void)state;
    snprintf(place, sizeof place, "memory://test-%ld", (long)getpid());
    snprintf(path, sizeof path, "/dev/shm/pingo-pool-test-%ld/objects", (long)getpid());
    WELL(pingo__pool_memory.create(&site, ID, err));
    WELL(pingo__pool_memory.open(&site, ID, &pool, err));
    WELL(pingo__pool_memory.path(pool, "objects", &found, err));
    assert_string_equal(found, path);
    free(found);
    WELL(pingo__pool_memory.destroy(pool, NULL, err));
    pingo__pool_memory.close(pool);
    assert_true(pingo__pool_memory.is_destroyed(&site));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__a_place_is_a_name),
        cmocka_unit_test(test_memory__processes_find_it_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
