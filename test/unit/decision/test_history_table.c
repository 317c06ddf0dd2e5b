/* test_history_table.c - from a hash to its action: every one is found, however many there are and however they collide. */
#include "unit/decision/held.h"
#include "unit/decision/submissions.h"

#include "decision/history/history.h"

static void test_history_table__finds_every_hash_of_many(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    size_t before = in_use();
    struct pingo_history *h = new_history();
    char line[64], name[16];

    for (int i = 0; i < MANY; i++) {
        snprintf(line, sizeof line, i % 2 ? "n%d n%d<n%d" : "n%d<", i % 2 ? i - 1 : i, i, i - 1);
        assert_int_equal(submit(h, i, "u", "w", line), 0);
        if (i % 7 == 0) /* what fails leaves no trace in the table */
            assert_int_equal(submit(h, i, "u", "w", "q< r<s"), PINGO_EINVAL);
    }
    assert_int_equal(pingo_history_count_actions(h), MANY);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(find(h, name), i);
    }
    assert_int_equal(find(h, "q"), PINGO_HISTORY_NONE);
    assert_int_equal(find(h, "n20000"), PINGO_HISTORY_NONE);
    assert_true(in_use() - before < MANY * 400);
    pingo_history_free(h);
}

static struct pingo_hash numbered(uint32_t i)
{
    struct pingo_hash hash = {{0}};

    hash.bytes[i % PINGO_HASH_SIZE] =
        (uint8_t)(i / PINGO_HASH_SIZE + 1); /* each byte tells hashes apart */
    return hash;
}

static void add(struct pingo_history *h, uint32_t i)
{
    struct pingo_history_mention m = {
        .hash = numbered(i), .has_parents = true, .size_bytes = -1, .compute_ms = -1};
    struct pingo_history_entry entry = {0, "u", "w", &m, 1};

    assert_int_equal(pingo_history_append(h, &entry, NULL, NULL), 0);
}

static void find_all(const struct pingo_history *h, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct pingo_hash hash = numbered(i);

        assert_int_equal(pingo_history_find(h, &hash), i);
    }
    struct pingo_hash other = numbered(n);
    assert_int_equal(pingo_history_find(h, &other), PINGO_HISTORY_NONE);
}

/* All begin in the last slot: a search goes on from the first one, and past all the others. */
static void test_history_table__finds_hashes_that_collide(void **state)
{
    (void)state;
    enum { MANY = 300 };
    struct pingo_history *h = new_history();

    memset(h->keys, 0, sizeof h->keys);
    h->keys[8] = UINT64_MAX;
    for (uint32_t i = 0; i < MANY; i++)
        add(h, i);
    find_all(h, MANY);
    struct pingo_hash first = numbered(0);
    assert_int_equal(pingo__decision_history_slot(h, &first), h->nslots - 1);
    pingo_history_free(h);
}

static void test_history_table__grows_before_it_is_full(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    struct pingo_history *h = new_history();
    size_t before = h->nslots;
    const uint32_t *slots = h->slots;

    assert_true(pingo__decision_history_table_room(h, before / 4 * 3));
    assert_ptr_equal(h->slots, slots);
    for (uint32_t i = 0; i < MANY; i++) {
        add(h, i);
        assert_true((size_t)h->nactions <= h->nslots / 4 * 3);
        assert_int_equal(h->nslots & (h->nslots - 1), 0);
    }
    assert_true(h->nslots > before);
    find_all(h, MANY);
    slots = h->slots;
    assert_true(pingo__decision_history_table_room(h, 0));
    assert_ptr_equal(h->slots, slots);
    assert_true(pingo__decision_history_table_room(h, 100000)); /* for many at once */
    assert_int_equal(h->nslots, 262144);
    find_all(h, MANY);
    pingo_history_free(h);
}

/* Each history has keys of its own, and what comes out is the same. */
static void test_history_table__does_not_depend_on_its_keys(void **state)
{
    (void)state;
    struct pingo_history *h = new_history(), *other = new_history();

    for (size_t i = 0; i < sizeof other->keys / sizeof other->keys[0]; i++)
        other->keys[i] = h->keys[i] * 3 + 1;
    for (uint32_t i = 0; i < 200; i++) {
        add(h, i);
        add(other, i);
    }
    assert_memory_not_equal(h->slots, other->slots, h->nslots * sizeof *h->slots);
    find_all(h, 200);
    find_all(other, 200);
    for (size_t i = 1; i < sizeof h->keys / sizeof h->keys[0]; i++)
        assert_true(h->keys[i] != h->keys[i - 1]);
    pingo_history_free(h);
    pingo_history_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_table__finds_every_hash_of_many),
        cmocka_unit_test(test_history_table__finds_hashes_that_collide),
        cmocka_unit_test(test_history_table__grows_before_it_is_full),
        cmocka_unit_test(test_history_table__does_not_depend_on_its_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
