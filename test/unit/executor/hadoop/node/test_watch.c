/* test_watch.c - the thread that ends an attempt: by an order in HDFS, by a signal, or when nobody wants it any more. */
#include "unit/executor/hadoop/node/fake.h"

#include <stdatomic.h>

static atomic_int looks;

static void count_looks(const char *op, const char *path)
{
    (void)path;
    atomic_fetch_add(&looks, strcmp(op, "LISTSTATUS_BATCH") == 0);
}

static struct pingo__executor_node_watch *begin(struct pingo__executor_node *n)
{
    struct pingo__hdfs *fs = pingo__executor_node_open(n, NULL);
    atomic_store(&looks, 0);
    hdfs.on_question = count_looks;
    assert_int_equal(pingo__executor_node_watch_start(&n->watch, fs, n->alone.signals), 0);
    return &n->watch;
}

/* The thread has looked so often. */
static void await_looks(int times)
{
    while (atomic_load(&looks) < times)
        poll(NULL, 0, 1);
}

static bool is_ended(const struct pingo__executor_node_watch *w)
{
    return poll(&(struct pollfd){w->ended, POLLIN, 0}, 1, 0) == 1;
}

static void await_end(const struct pingo__executor_node_watch *w)
{
    while (poll(&(struct pollfd){w->ended, POLLIN, 0}, 1, -1) != 1)
        continue;
}

static bool is_stopped(struct pingo__hdfs *data)
{
    return pingo__hdfs_make(data, "x", NULL) == PINGO_EINTERRUPTED;
}

static void test_watch__why_an_attempt_ends(void **state)
{
    static const char *const lies[] = {
        "attempts/1.1/kill", /* beside started.* */
        "attempts/2.1/started.container_1_0001_01_000003.node2.1.2",
        NULL,
    };
    struct pingo__executor_node *n = *state;
    struct pingo__executor_node_watch *w = begin(n);
    hdfs_put("attempts/1.1/" STARTED, "");
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct pingo__hdfs *data = pingo__executor_node_open(n, NULL);
        char attempt[32];
        snprintf(attempt, sizeof attempt, "attempts/%zu.1", i + 1);
        if (lies[i])
            hdfs_put(lies[i], "");
        assert_false(is_ended(w));
        pingo__executor_node_watch_set(w, attempt, STARTED, data);
        await_end(w);
        assert_true(is_stopped(data));
        int before = atomic_load(&looks);
        pingo__executor_node_watch_set(w, NULL, NULL, NULL);
        assert_false(is_ended(w)); /* the next one hears nothing of it */
        assert_in_range(atomic_load(&looks), before, before + 1);
        pingo__hdfs_close(data);
    }
}

static void test_watch__who_is_wanted_goes_on(void **state)
{
    struct pingo__executor_node *n = *state;
    struct pingo__executor_node_watch *w = begin(n);
    struct pingo__hdfs *data = pingo__executor_node_open(n, NULL);
    hdfs_put("attempts/1.1/" STARTED, "");
    hdfs_put("attempts/1.1/killer", "");
    pingo__executor_node_watch_set(w, "attempts/1.1", STARTED, data);
    await_looks(3);
    /* That it cannot be seen says nothing. */
    hdfs_refuse("LISTSTATUS_BATCH", "attempts", "AccessControlException", 1000000);
    await_looks(atomic_load(&looks) + 3);
    assert_false(is_ended(w));
    assert_false(is_stopped(data));
    pingo__executor_node_watch_set(w, NULL, NULL, NULL);
    pingo__hdfs_close(data);
}

/* A signal is for good: all later attempts end too. */
static void test_watch__a_signal(void **state)
{
    struct pingo__executor_node *n = *state;
    struct pingo__executor_node_watch *w = begin(n);
    hdfs_put("attempts/1.1/" STARTED, "");
    for (int i = 0; i < 2; i++) {
        struct pingo__hdfs *data = pingo__executor_node_open(n, NULL);
        pingo__executor_node_watch_set(w, "attempts/1.1", STARTED, data);
        if (i == 0) {
            assert_false(is_ended(w));
            kill(getpid(), SIGTERM);
            await_end(w);
        }
        assert_true(is_ended(w));
        assert_true(is_stopped(data));
        pingo__executor_node_watch_set(w, NULL, NULL, NULL);
        pingo__hdfs_close(data);
    }
    assert_true(pingo__runner_alone_told(&n->alone, 0)); /* it was looked at, and not read */
    assert_int_equal(n->alone.signal, SIGTERM);
}

/* While the thread asks about one attempt the next one begins. */
static void next_one(const char *op, const char *path)
{
    if (strcmp(op, "LISTSTATUS_BATCH") == 0 && strcmp(path, "/p/attempts/1.1") == 0)
        pingo__executor_node_watch_set(&container.n.watch, "attempts/2.1", STARTED, NULL);
    count_looks(op, path);
}

static void test_watch__an_order_is_for_one_attempt(void **state)
{
    struct pingo__executor_node *n = *state;
    struct pingo__executor_node_watch *w = begin(n);
    hdfs_put("attempts/1.1/kill", "");
    hdfs_put("attempts/2.1/" STARTED, "");
    hdfs.on_question = next_one;
    pingo__executor_node_watch_set(w, "attempts/1.1", STARTED, NULL);
    await_looks(3);
    assert_false(is_ended(w));
    pingo__executor_node_watch_set(w, NULL, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_watch__why_an_attempt_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_watch__who_is_wanted_goes_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_watch__a_signal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_watch__an_order_is_for_one_attempt, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
