/* test_history.c - the history of a store: its submissions in order, what is known of their datasets, and evictions; and
 * hashes that nobody can tell again. */
#include "unit/engine/look/pool.h"

#include <pingo/history.h>

static struct pingo_history *history_of(struct box *b, int64_t since_ms, int64_t until_ms)
{
    struct pingo_store_history_options o = {.version = 1, .since_ms = since_ms, .until_ms = until_ms};
    struct pingo_history *h = NULL;
    struct pingo_error err;

    well(pingo_store_history(b->store, &o, &h, &err), &err);
    assert_non_null(h);
    return h;
}

static void test_history__has_what_was_submitted(void **state)
{
    struct box *b = box_new();
    struct pingo_history *h = NULL;
    struct pingo_history_submission s = {.size = sizeof s};
    struct pingo_hash hash;
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_history(b->store, NULL, &h, &err), &err);
    assert_int_equal(pingo_history_count_submissions(h), 0);
    pingo_history_free(h);
    box_submit(b, CHAIN);
    box_finish_all(b);
    box_submit(b, W(A(1, ) "," A(4, P(FROM(1)))));
    h = history_of(b, 0, 0);
    assert_int_equal(pingo_history_count_submissions(h), 2);
    assert_int_equal(pingo_history_count_actions(h), 4);
    assert_int_equal(pingo_history_submission(h, 0, &s), 0);
    assert_int_equal(s.nactions, 3);
    hash = box_hash(b, 1, 2);
    uint32_t a = pingo_history_find(h, &hash);
    assert_int_not_equal(a, PINGO_HISTORY_NONE);
    assert_int_equal(pingo_history_size(h, a), 2);
    assert_int_equal(pingo_history_compute(h, a), 10);
    hash = box_hash(b, 2, 4); /* not computed yet */
    a = pingo_history_find(h, &hash);
    assert_int_equal(pingo_history_size(h, a), -1);
    assert_int_equal(pingo_history_compute(h, a), -1);
    pingo_history_free(h);
    /* Of a period: the end of it is outside. */
    box_run(b, "UPDATE workflow SET submitted_ms = 1000 * id");
    static const int64_t periods[][3] = {{0, 1000, 0}, {1000, 1001, 1}, {1000, 2000, 1},
                                         {1001, 0, 1}, {0, 2001, 2},    {2001, 0, 0}};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        h = history_of(b, periods[i][0], periods[i][1]);
        assert_int_equal(pingo_history_count_submissions(h), periods[i][2]);
        pingo_history_free(h);
    }
    box_close(b);
}

static int on_row(void *context, const struct pingo_history_row *row)
{
    *(int64_t *)context = row->evicted_bytes;
    return 0;
}

static void test_history__has_what_was_evicted(void **state)
{
    int64_t evicted = -1;
    struct box *b = box_new();
    struct pingo_history *h;
    struct pingo_hash hash;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    evict(b, 1, "a1", 5000);
    evict(b, 1, "a2", 6000);
    hash = box_hash(b, 1, 2);
    well(pingo_store_keep(b->store, &hash, NULL, &err), &err); /* rescued */
    h = history_of(b, 0, 0);
    well(pingo_history_query(h, NULL, on_row, &evicted, &err), &err);
    assert_int_equal(evicted, 2); /* the bytes of a1 */
    pingo_history_free(h);
    box_close(b);
}

static void test_history__options_of_another_version_are_refused(void **state)
{
    struct box *b = box_new();
    struct pingo_store_history_options newer = {.version = 2};
    struct pingo_history *h = (struct pingo_history *)b;
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(pingo_store_history(b->store, &newer, &h, &err), PINGO_EINVAL);
    assert_null(h);
    /* And no view is left open. */
    assert_true(sqlite3_get_autocommit(b->store->db.sqlite));
    box_submit(b, W(A(1, )));
    pingo_history_free(history_of(b, 0, 0));
    assert_true(sqlite3_get_autocommit(b->store->db.sqlite));
    box_close(b);
}

static void test_history__hashes_with_a_salt(void **state)
{
    struct pingo_hash one, two, hash = {{1}}, a, b, c;
    struct pingo_error err;
    char hex[PINGO_HASH_HEX_SIZE];

    UNUSED(state);
    well(pingo_history_salt(&one, &err), &err);
    well(pingo_history_salt(&two, &err), &err);
    assert_memory_not_equal(&one, &two, sizeof one);
    assert_int_equal(pingo_history_rehash(&one, &hash, &a), 0);
    assert_int_equal(pingo_history_rehash(&one, &hash, &b), 0);
    assert_int_equal(pingo_history_rehash(&two, &hash, &c), 0);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_not_equal(&a, &c, sizeof a);
    /* SHA-256 of the salt and the hash: of 64 zero bytes, as sha256sum(1) says. */
    memset(&one, 0, sizeof one);
    memset(&hash, 0, sizeof hash);
    assert_int_equal(pingo_history_rehash(&one, &hash, &a), 0);
    pingo_hash_to_hex(&a, hex);
    assert_string_equal(hex, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history__has_what_was_submitted),
        cmocka_unit_test(test_history__has_what_was_evicted),
        cmocka_unit_test(test_history__options_of_another_version_are_refused),
        cmocka_unit_test(test_history__hashes_with_a_salt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
