/* test_resolve.c - what a person writes for a submission or a dataset: a number, "last", an action, or the first digits of a
 * hash. */
#include "unit/engine/box.h"

static void expect_workflow(struct box *b, const char *text, int rc, int64_t want)
{
    int64_t workflow = 0;
    struct pingo_error err = {0};

    assert_int_equal(pingo_store_resolve_workflow(b->store, text, &workflow, &err), rc);
    if (!rc)
        assert_int_equal(workflow, want);
    else
        assert_true(*err.message);
}

static void test_resolve__a_submission(void **state)
{
    static const char *const bad[] = {"",   "0",    "3",     "-1",  "1x",
                                      " 1", "LAST", "last ", "0x1", "99999999999999999999"};
    struct box *b = box_new();
    struct pingo_error err;
    int64_t workflow;

    UNUSED(state);
    assert_int_equal(pingo_store_resolve_workflow(b->store, "last", &workflow, &err),
                     PINGO_ENOTFOUND);
    assert_non_null(strstr(err.message, "nothing was submitted to this store yet"));
    box_submit(b, W(A(1, "")));
    box_submit(b, W(A(2, "")));
    expect_workflow(b, "last", 0, 2);
    expect_workflow(b, "1", 0, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_workflow(b, bad[i], PINGO_ENOTFOUND, 0);
    box_close(b);
}

static void test_resolve__an_action(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash, want;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "") "," A(2, "")));
    want = box_hash(b, 1, 2);
    well(pingo_store_resolve_dataset(b->store, "last", "a2", &hash, &err), &err);
    assert_memory_equal(&hash, &want, sizeof hash); /* it need not be computed */
    well(pingo_store_resolve_dataset(b->store, "1", "2", &hash, &err), &err);
    assert_memory_equal(&hash, &want, sizeof hash);
    assert_int_equal(pingo_store_resolve_dataset(b->store, "1", "a3", &hash, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_store_resolve_dataset(b->store, "2", "a1", &hash, &err), PINGO_ENOTFOUND);
    assert_memory_equal(&hash, &want, sizeof hash);
    box_close(b);
}

/* A dataset with such a hash. */
static void insert(struct box *b, const char *hex)
{
    sqlite3 *db = b->store->db.sqlite;
    char sql[300];

    snprintf(sql, sizeof sql,
             "PRAGMA foreign_keys=0; INSERT INTO dataset(hash, generation, state, current, managed,"
             " pinned) VALUES(X'%s', 1, 9, 1, 1, 0); PRAGMA foreign_keys=1",
             hex);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void expect_prefix(struct box *b, const char *prefix, const char *user, int rc,
                          const char *message)
{
    struct pingo_hash hash;
    struct pingo_error err = {0};
    char hex[PINGO_HASH_HEX_SIZE];

    memset(&hash, 0, sizeof hash);
    assert_int_equal(pingo_store_resolve_dataset_of(b->store, prefix, user, &hash, &err), rc);
    pingo_hash_to_hex(&hash, hex);
    if (!strstr(rc ? err.message : hex, message))
        fail_msg("%s: %s %s", prefix, hex, err.message);
}

static void test_resolve__a_prefix_of_a_hash(void **state)
{
    struct box *b = box_new();
    char whole[PINGO_HASH_HEX_SIZE + 1] = "";

    UNUSED(state);
    memset(whole, '0', 64);
    memcpy(whole, "ffff", 4);
    insert(b, whole);
    memcpy(whole, "abcd", 4);
    insert(b, whole);
    whole[63] = '1';
    insert(b, whole);
    whole[63] = '0';
    expect_prefix(b, "ffff", NULL, 0, "ffff00");
    expect_prefix(b, "fffe", NULL, PINGO_ENOTFOUND, "no dataset has a hash that begins with fffe");
    expect_prefix(b, "abcd", NULL, PINGO_EAMBIGUOUS, "more than one dataset has a hash");
    expect_prefix(b, whole, NULL, 0, whole);
    whole[63] = '1';
    expect_prefix(b, whole, NULL, 0, whole);
    whole[63] = '2';
    expect_prefix(b, whole, NULL, PINGO_ENOTFOUND, "begins with abcd");
    strcat(whole, "0");
    static const char *const bad[] = {"", "abc", "ABCD", "abcg", "0xab", "abcd ", "last"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_prefix(b, bad[i], NULL, PINGO_ENOTFOUND, "is no prefix of a hash");
    expect_prefix(b, whole, NULL, PINGO_ENOTFOUND, "is no prefix of a hash");
    box_close(b);
}

/* So many datasets of nobody in these tests, whose hashes begin with the same eight digits, before and behind it. */
static void crowd(struct box *b, const struct pingo_hash *hash, int n)
{
    char hex[PINGO_HASH_HEX_SIZE], other[80];

    pingo_hash_to_hex(hash, hex);
    for (int i = 0; i < n; i++) {
        snprintf(other, sizeof other, "%.8s%s%054x", hex, i % 2 ? "ff" : "00", (unsigned)i);
        insert(b, other);
    }
}

/* More of others than are looked at in one read stand before one's own. */
static void test_resolve__ones_own_among_many(void **state)
{
    struct box *b = box_new();
    struct pingo_hash own, found;
    char hex[PINGO_HASH_HEX_SIZE];
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    own = box_hash(b, 1, 1);
    box_finish_all(b);
    pingo_hash_to_hex(&own, hex);
    crowd(b, &own, 300);
    expect_prefix(b, hex, NULL, 0, hex);
    expect_prefix(b, hex, "eve", PINGO_ENOTFOUND, "no dataset of yours has a hash");
    hex[8] = '\0';
    expect_prefix(b, hex, NULL, PINGO_EAMBIGUOUS, "more than one dataset has");
    expect_prefix(b, hex, "eve", PINGO_ENOTFOUND, "no dataset of yours");
    memset(&found, 0, sizeof found);
    well(pingo_store_resolve_dataset_of(b->store, hex, "tester", &found, &err), &err);
    assert_memory_equal(&found, &own, sizeof own);
    expect_prefix(b, "xyz", "tester", PINGO_ENOTFOUND, "is no prefix of a hash");
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resolve__a_submission),
        cmocka_unit_test(test_resolve__an_action),
        cmocka_unit_test(test_resolve__a_prefix_of_a_hash),
        cmocka_unit_test(test_resolve__ones_own_among_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
