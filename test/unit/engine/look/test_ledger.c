/* test_ledger.c - what was evicted: of a period, of a dataset, in pages; rescued and regretted ones are marked. */
#include "unit/engine/look/pool.h"

struct ledger {
    char text[1024];
    size_t n, stop;
};

static int add_entry(void *context, const struct pingo_eviction *e)
{
    struct ledger *l = context;
    size_t length = strlen(l->text);

    snprintf(l->text + length, sizeof l->text - length, "%s@%lld%s%s ", e->name,
             (long long)e->evicted_ms, e->rescued_ms >= 0 ? "!" : "",
             e->regretted_ms >= 0 ? "?" : "");
    assert_string_equal(e->algorithm, "lru");
    assert_string_equal(e->reason, "last used long ago");
    assert_int_equal(e->remake_ms, 20);
    assert_int_equal(e->size_bytes, 2);
    return ++l->n == l->stop;
}

static void expect_ledger(struct box *b, struct pingo_eviction_query options, const char *text)
{
    struct ledger l = {.n = 0};
    struct pingo_error err;

    char cursor[PINGO_CURSOR_SIZE] = "";

    options.version = 1;
    well(pingo_store_evictions(b->store, &options, add_entry, &l, &err), &err);
    assert_string_equal(l.text, text);
    if (options.limit)
        return;
    options.after = options.next = cursor;
    options.limit = 1;
    l = (struct ledger){.n = 0};
    do
        well(pingo_store_evictions(b->store, &options, add_entry, &l, &err), &err);
    while (*cursor && l.n < 100);
    assert_string_equal(l.text, text);
}

static void test_ledger__lists_evictions_of_a_period_and_of_a_dataset(void **state)
{
    struct box *b = box_new();
    struct pingo_eviction_query bad = {.version = 1, .since_ms = -1};
    struct ledger l = {.stop = 1};
    struct pingo_hash hash;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    expect_ledger(b, (struct pingo_eviction_query){0}, "");
    evict(b, 1, "a1", 1000);
    evict(b, 1, "a2", 2000);
    evict(b, 1, "a3", 3000);
    hash = hash_of(b, 1, "a1");
    well(pingo_store_keep(b->store, &hash, NULL, &err), &err);
    hash = hash_of(b, 1, "a2");
    regret(b, &hash, 5, 4000);
    expect_ledger(b, (struct pingo_eviction_query){0}, "a1@1000! a2@2000? a3@3000 ");
    expect_ledger(b, (struct pingo_eviction_query){.newest_first = true, .limit = 2},
                  "a3@3000 a2@2000? ");
    expect_ledger(b, (struct pingo_eviction_query){.limit = 1}, "a1@1000! ");
    expect_ledger(b, (struct pingo_eviction_query){.since_ms = 2000, .until_ms = 3000}, "a2@2000? ");
    expect_ledger(b, (struct pingo_eviction_query){.hash = &hash}, "a2@2000? ");
    expect_ledger(b, (struct pingo_eviction_query){.hash = &hash, .newest_first = true},
                  "a2@2000? ");
    assert_int_equal(pingo_store_evictions(b->store, NULL, add_entry, &l, &err), PINGO_EINTERRUPTED);
    assert_int_equal(l.n, 1);
    assert_int_equal(pingo_store_evictions(b->store, &bad, add_entry, &l, &err), PINGO_EINVAL);
    box_close(b);
}

static void test_ledger__is_told_whole_over_many_pages(void **state)
{
    struct box *b = box_new();
    struct ledger l = {.n = 0};
    struct pingo_eviction_query newest = {.version = 1, .newest_first = true};
    struct pingo_report *r;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    box_run(b, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 512)"
               " INSERT INTO eviction(dataset, hash, evicted_ms, workflow, algorithm, score,"
               " size_bytes, remake_ms, reason) SELECT 1, (SELECT hash FROM dataset WHERE id = 1),"
               " i, 1, 'lru', 0, 2, 20, 'last used long ago' FROM n");
    well(pingo_store_evictions(b->store, NULL, add_entry, &l, &err), &err);
    assert_int_equal(l.n, 512);
    well(pingo_store_evictions(b->store, &newest, add_entry, &l, &err), &err);
    assert_int_equal(l.n, 1024);
    r = report(b, 0, 0, 0);
    assert_int_equal(r->nevictions, 512);
    assert_int_equal(r->evicted_bytes, 1024);
    pingo_report_free(r);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ledger__lists_evictions_of_a_period_and_of_a_dataset),
        cmocka_unit_test(test_ledger__is_told_whole_over_many_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
