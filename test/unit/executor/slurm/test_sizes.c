/* test_sizes.c - how much memory an attempt can ask for: asked once, answered by nodes, and for its own partitions. */
#include "unit/executor/slurm_way.h"

#define MB INT64_C(1048576)

static void tell(const char *partition, int64_t memory_mb, bool is_default)
{
    const struct pingo__executor_slurm_record record = {
        .partition = partition, .memory_mb = memory_mb, .is_default = is_default};
    pingo__executor_slurm_saw(fake.s, &fake.last[PINGO__SLURM_NODES], &record);
}

static int64_t most(const char *options)
{
    return pingo__executor_slurm.memory_most(fake.s, options);
}

static void answer_both(enum pingo__executor_slurm_said said)
{
    answer(PINGO__SLURM_NODES, said, 0);
    answer(PINGO__SLURM_PARTITIONS, said, 0);
    step();
}

static void test_sizes__of_the_partitions_that_are_meant(void **state)
{
    static const struct {
        const char *options;
        int64_t mb;
    } rows[] = {{NULL, 4000},
                {"{}", 4000},
                {"{\"partition\":\"big\"}", 64000},
                {"{\"partition\":\"big,short\"}", 64000},
                {"{\"partition\":\"short,big\"}", 64000},
                {"{\"partition\":\"short\"}", 4000},
                {"{\"partition\":\"bi\"}", 16},
                {"{\"partition\":\"bigger\"}", 16},
                {"{\"partition\":\"tiny\"}", 16},
                {"{", 4000}};
    char name[80];
    (void)state;
    assert_int_equal(most(NULL), -1);
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_NODES], 1);
    memset(name, 'n', sizeof name - 1);
    name[79] = '\0';
    tell("short", 2000, false);
    tell("short", 4000, false);
    tell("short", 3000, true);
    tell("big", 64000, false);
    tell("tiny", 8, false); /* less than the runner takes itself */
    tell(name, 99000, true);
    answer(PINGO__SLURM_NODES, PINGO__SLURM_DONE, 0);
    step();
    assert_int_equal(most(NULL), -1); /* which one is the default may be told yet */
    answer(PINGO__SLURM_PARTITIONS, PINGO__SLURM_DONE, 0);
    step();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(most(rows[i].options), (rows[i].mb - 16) * MB);
    assert_int_equal(fake.asked[PINGO__SLURM_NODES], 1);
}

/* Some versions of the interface do not say which partition is the default: it is known where there is one. */
static void test_sizes__of_a_default_that_is_not_told(void **state)
{
    (void)state;
    most(NULL);
    step();
    tell("short", 4000, false);
    tell("short", 2000, false);
    answer_both(PINGO__SLURM_DONE);
    assert_int_equal(most(NULL), (4000 - 16) * MB);
    tell("big", 64000, false);
    assert_int_equal(most(NULL), 0);
    assert_int_equal(most("{\"partition\":\"big\"}"), (64000 - 16) * MB);
}

/* The setting counts where an attempt names none. */
static void test_sizes__of_the_partition_that_is_set(void **state)
{
    static char defaults[] = "{\"partition\":\"big\"}";
    (void)state;
    fake.s->defaults = defaults;
    most(NULL);
    step();
    tell("short", 4000, true);
    tell("big", 64000, false);
    answer_both(PINGO__SLURM_DONE);
    assert_int_equal(most(NULL), (64000 - 16) * MB);
    assert_int_equal(most("{\"partition\":\"short\"}"), (4000 - 16) * MB);
}

/* Who died of memory waits for the answer, and not for ever. */
static void test_sizes__an_answer_that_does_not_come(void **state)
{
    (void)state;
    assert_true(pingo__executor_slurm_sizes_are_awaited(fake.s));
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_PARTITIONS], 1);
    answer_both(PINGO__SLURM_REFUSED);
    assert_true(pingo__executor_slurm_sizes_are_awaited(fake.s));
    assert_int_equal(fake.asked[PINGO__SLURM_NODES], 1); /* not again and again */
    fake.s->sizes.asked_ms -= 6000;
    assert_false(pingo__executor_slurm_sizes_are_awaited(fake.s));
    assert_int_equal(most(NULL), -1);
    fake.s->sizes.asked_ms -= 60000; /* a minute later it is asked anew */
    assert_true(pingo__executor_slurm_sizes_are_awaited(fake.s));
    step();
    assert_int_equal(fake.asked[PINGO__SLURM_NODES], 2);
    fake.s->in_trouble = true;
    assert_false(pingo__executor_slurm_sizes_are_awaited(fake.s));
}

/* A cluster changes: what was told long ago is asked anew. */
static void test_sizes__are_not_known_for_ever(void **state)
{
    (void)state;
    most(NULL);
    step();
    tell("big", 64000, true);
    answer_both(PINGO__SLURM_DONE);
    fake.s->sizes.asked_ms -= 500000;
    assert_int_equal(most(NULL), (64000 - 16) * MB);
    fake.s->sizes.asked_ms -= 200000;
    assert_int_equal(most(NULL), -1);
    step();
    tell("big", 4000, true);
    answer_both(PINGO__SLURM_DONE);
    assert_int_equal(most(NULL), (4000 - 16) * MB);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_sizes__##name, set_up_idle, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(of_the_partitions_that_are_meant), TEST(of_a_default_that_is_not_told),
        TEST(of_the_partition_that_is_set),     TEST(an_answer_that_does_not_come),
        TEST(are_not_known_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
