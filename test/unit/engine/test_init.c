/* test_init.c - two make a store in one directory, of whom one is refused; how one is made is tried in test_store.c. */
#include "unit/engine/box.h"

#include <pthread.h>
#include <stdatomic.h>

#define TIMES 30

static char root[64];
static atomic_int at; /* the number of the store that is made now */

static const char *store(char path[80], int number)
{
    snprintf(path, 80, "%s/%d", root, number);
    return path;
}

/* There no pool can be made. */
static void *is_refused(void *context)
{
    char path[80];
    int number;

    UNUSED(context);
    while ((number = atomic_load(&at)) < TIMES)
        if (pingo_store_init(store(path, number), "/proc/pool", NULL) == 0)
            abort();
    return NULL;
}

static void test_init__who_is_refused_takes_nothing_from_the_next(void **state)
{
    struct pingo_error err;
    pthread_t other;
    char path[80];

    UNUSED(state);
    assert_int_equal(pthread_create(&other, NULL, is_refused, NULL), 0);
    for (int i = 0; i < TIMES; i++) {
        well(pingo_store_init(store(path, i), NULL, &err), &err);
        atomic_store(&at, i + 1);
    }
    pthread_join(other, NULL);
}

static void test_init__a_directory_that_was_there_stays(void **state)
{
    char path[80];

    UNUSED(state);
    assert_int_not_equal(pingo_store_init(store(path, TIMES), "/proc/pool", NULL), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_not_equal(pingo_store_init(path, "/proc/pool", NULL), 0);
    assert_int_equal(rmdir(path), 0); /* and empty */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_init__who_is_refused_takes_nothing_from_the_next),
        cmocka_unit_test(test_init__a_directory_that_was_there_stays),
    };

    snprintf(root, sizeof root, "/dev/shm/pingo-unit-XXXXXX");
    if (!mkdtemp(root))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    box_remove(root);
    return failed;
}
