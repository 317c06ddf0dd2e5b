/* What the pool and its decisions came to: the ledger, the report, keeping, and datasets by query. */
#include "unit/engine/box.h"

#include "base/error.h"
#include "engine/look/report_steps.h"
#include "store/dataset/datasets.h"
#include "store/decision/evictions.h"
#include "store/transition.h"

/* ---- helpers ----------------------------------------------------------------------------- */

static struct pingo_hash hash_of(struct box *b, int64_t workflow, const char *action)
{
    struct pingo_hash hash;
    struct pingo_error err;
    char number[24];

    snprintf(number, sizeof number, "%lld", (long long)workflow);
    well(pingo_store_resolve_dataset(b->store, number, action, &hash, &err), &err);
    return hash;
}

#define box_run(b, ...) box_run_sql(b, __VA_ARGS__)
static void box_run_sql(struct box *b, const char *sql)
{
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_db_end(&b->store->db,
                             box_changed(&b->store->db, &err, sql, NONE) < 0 ? -1 : 0, &err),
         &err);
}

/* As a decision does it: a row in the ledger, and on its way out; the next tick takes the bytes. */
static void evict(struct box *b, int64_t workflow, const char *action, int64_t at_ms)
{
    struct pingo_hash hash = hash_of(b, workflow, action);
    struct pingo__store_eviction_row row = {.hash = hash,
                                            .evicted_ms = at_ms,
                                            .workflow = workflow,
                                            .algorithm = "lru",
                                            .score = 1.5,
                                            .remake_ms = 20,
                                            .reason = "last used long ago"};
    struct pingo__store_dataset_row d;
    struct pingo__arena arena;
    struct pingo_error err;

    pingo__arena_init(&arena);
    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_dataset_current(&b->store->db, &hash, &arena, &d, &err), &err);
    row.dataset = d.id;
    row.size_bytes = d.size_bytes;
    well(pingo__store_eviction_insert(&b->store->db, &row, &err), &err);
    if (d.state == PINGO_DATASET_LEAF) {
        well(pingo__store_dataset_move(&b->store->db, &d, PINGO_DATASET_STORED, &err), &err);
        d.state = PINGO_DATASET_STORED;
    }
    well(pingo__store_dataset_move(&b->store->db, &d, PINGO_DATASET_STORED_TO_DELETE, &err), &err);
    well(pingo__store_dataset_get(&b->store->db, d.id, &arena, &d, &err), &err);
    assert_int_equal(d.state, PINGO_DATASET_STORED_TO_DELETE);
    well(pingo__store_db_end(&b->store->db, 0, &err), &err);
    pingo__arena_clear(&arena);
}

static void regret(struct box *b, const struct pingo_hash *hash, int64_t regret_ms, int64_t at_ms)
{
    struct pingo_error err;

    well(pingo__store_db_begin(&b->store->db, &err), &err);
    well(pingo__store_db_end(
             &b->store->db,
             pingo__store_eviction_regret(&b->store->db, hash, regret_ms, at_ms, &err), &err),
         &err);
}

static struct pingo_report *report(struct box *b, int64_t since_ms, int64_t until_ms, size_t limit)
{
    struct pingo_report_options options = {
        .version = 1, .since_ms = since_ms, .until_ms = until_ms, .limit = limit};
    struct pingo_report *r = NULL;
    struct pingo_error err;

    well(pingo_store_report(b->store, &options, &r, &err), &err);
    assert_non_null(r);
    return r;
}

/* Names of datasets, in order, each with its state: "a1 STORED, a2 LEAF". */
struct names {
    char text[1024];
    struct pingo_dataset_status last;
    size_t n;
};

static int add_name(void *context, const struct pingo_dataset_status *s)
{
    struct names *n = context;
    size_t length = strlen(n->text);

    snprintf(n->text + length, sizeof n->text - length, "%s%s", n->n++ ? " " : "", s->name);
    n->last = *s;
    n->last.name = n->last.user = n->last.path = NULL;
    return 0;
}

static void expect_datasets(struct box *b, struct pingo_dataset_query query, const char *text)
{
    struct names names = {.n = 0};
    struct pingo_error err;

    char cursor[PINGO_CURSOR_SIZE] = "";

    query.version = 1;
    well(pingo_store_datasets(b->store, &query, add_name, &names, &err), &err);
    assert_string_equal(names.text, text);
    if (query.limit)
        return;
    /* The same in pages of one and of two. */
    query.after = query.next = cursor;
    for (query.limit = 1; query.limit < 3; query.limit++) {
        names = (struct names){.n = 0};
        do {
            size_t before = names.n;

            well(pingo_store_datasets(b->store, &query, add_name, &names, &err), &err);
            assert_true(names.n - before <= query.limit && names.n < 100);
        } while (*cursor);
        assert_string_equal(names.text, text);
    }
}

static void expect_none(struct box *b, struct pingo_dataset_query query, const char *message)
{
    struct names names = {.n = 0};
    struct pingo_error err;

    query.version = 1;
    assert_int_equal(pingo_store_datasets(b->store, &query, add_name, &names, &err),
                     PINGO_ENOTFOUND);
    assert_non_null(strstr(err.message, message));
    assert_int_equal(names.n, 0);
}

/* a1, of which a2 is made, of which a3 is made. */
#define CHAIN W(A(1, ) "," A(2, P(FROM(1))) "," A(3, P(FROM(2))))

/* ---- keeping ------------------------------------------------------------------------------- */

static void test_keep__pins_until_released(void **state)
{
    struct box *b = box_new();
    struct pingo_hash leaf, inner;
    struct pingo_error err;
    struct pingo_released released = {.size = sizeof released};
    bool changed = false;
    size_t n = 77;

    UNUSED(state);
    box_submit(b, CHAIN);
    leaf = hash_of(b, 1, "a3");
    inner = hash_of(b, 1, "a1");
    assert_int_equal(pingo_store_keep(b->store, &leaf, NULL, &err), PINGO_ESTATE);
    well(pingo_store_keep_workflow(b->store, 1, &n, &err), &err);
    assert_int_equal(n, 0); /* not made yet */
    box_finish_all(b);
    well(pingo_store_keep(b->store, &inner, &changed, &err), &err);
    assert_true(changed);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE pinned = 1"), 1);
    well(pingo_store_keep(b->store, &inner, &changed, &err), &err);
    assert_false(changed);
    well(pingo_store_keep_workflow(b->store, 1, &n, &err), &err);
    assert_int_equal(n, 1);
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_LEAF);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE pinned = 1"), 2);
    well(pingo_store_release(b->store, &inner, &changed, &err), &err);
    assert_true(changed);
    well(pingo_store_release(b->store, &inner, &changed, &err), &err);
    assert_false(changed);
    well(pingo_store_release_workflow(b->store, 1, &released, &err), &err);
    assert_int_equal(released.released, 1);
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_STORED);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE pinned = 1"), 0);
    memset(&inner, 7, sizeof inner);
    assert_int_equal(pingo_store_keep(b->store, &inner, NULL, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_store_keep_workflow(b->store, 9, NULL, &err), PINGO_ENOTFOUND);
    box_clean(b);
    box_close(b);
}

static void test_keep__rescues_what_is_on_its_way_out(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash;
    struct pingo_error err;
    bool changed = false;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    evict(b, 1, "a1", 5000);
    hash = hash_of(b, 1, "a1");
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED_TO_DELETE);
    well(pingo_store_keep(b->store, &hash, &changed, &err), &err);
    assert_true(changed);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    assert_int_equal(box_int(b, "SELECT rescued_ms IS NOT NULL FROM eviction"), 1);
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_STORED);
    box_clean(b);
    /* What is deleted cannot be kept. */
    evict(b, 1, "a3", 5000);
    box_tick(b);
    hash = hash_of(b, 1, "a3");
    assert_int_equal(box_dataset(b, 3), PINGO_DATASET_DELETED);
    assert_int_equal(pingo_store_keep(b->store, &hash, NULL, &err), PINGO_ESTATE);
    box_close(b);
}

static void test_keep__refuses_what_is_gone_from_the_pool(void **state)
{
    struct box *b = box_new();
    struct pingo_hash hash;
    struct pingo_error err;
    char path[256], hex[PINGO_HASH_HEX_SIZE];

    UNUSED(state);
    box_submit(b, W(A(1, )));
    box_finish_all(b);
    hash = hash_of(b, 1, "a1");
    pingo_hash_to_hex(&hash, hex);
    snprintf(path, sizeof path, "%s/pool/objects/%.2s/%s.1.1", b->dir, hex, hex);
    assert_int_equal(remove(path), 0);
    assert_int_equal(pingo_store_keep(b->store, &hash, NULL, &err), PINGO_ESTATE);
    assert_int_equal(box_int(b, "SELECT count(*) FROM dataset WHERE pinned = 1"), 0);
    box_close(b);
}

/* ---- what an eviction leaves ------------------------------------------------------------------ */

static void test_evicted__is_known_for_ever_and_compared_when_made_again(void **state)
{
    struct box *b = box_new();
    struct names names = {.n = 0};
    struct pingo_dataset_query all = {.version = 1, .all = true, .reverse = true};
    struct pingo_hash hash;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, )));
    box_finish_all(b);
    hash = hash_of(b, 1, "a1");
    evict(b, 1, "a1", 5000);
    box_tick(b);
    assert_int_equal(box_dataset(b, 1), PINGO_DATASET_DELETED);
    well(pingo_store_dataset(b->store, &hash, add_name, &names, &err), &err);
    assert_int_equal(names.last.size_bytes, 2);
    assert_int_equal(names.last.compute_ms, 10);
    assert_int_equal(names.last.made_ms, 2000);
    assert_int_not_equal(names.last.content.bytes[0] | names.last.content.bytes[1], 0);
    assert_false(names.last.was_different);
    box_submit(b, W(A(1, )));
    box_tick(b);
    box_report(b, "a1", PINGO_END_EXITED, 0, "other");
    b->log[0] = '\0';
    box_tick(b);
    assert_non_null(strstr(b->log, "made again with other content"));
    well(pingo_store_dataset(b->store, &hash, add_name, &names, &err), &err);
    assert_true(names.last.was_different);
    assert_int_equal(names.last.generation, 2);
    assert_int_equal(names.last.size_bytes, 5);
    /* The evicted generation is still there to be told. */
    names.text[0] = '\0';
    names.n = 0;
    well(pingo_store_datasets(b->store, &all, add_name, &names, &err), &err);
    assert_string_equal(names.text, "a1 a1");
    box_close(b);
}

/* ---- the ledger --------------------------------------------------------------------------------- */

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

/* ---- the report ----------------------------------------------------------------------------------- */

static void test_report__of_an_empty_store(void **state)
{
    struct box *b = box_new();
    struct pingo_report_options bad = {.version = 2};
    struct pingo_report *r = report(b, 0, 0, 0);
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(r->nsteps, 0);
    assert_int_equal(r->from_ms, r->until_ms);
    assert_int_equal(r->history->nsubmissions, 0);
    assert_int_equal(r->nalgorithms + r->nvaluable + r->nregretted + r->nevictions, 0);
    assert_int_equal(r->usage->used_bytes, 0);
    pingo_report_free(r);
    assert_int_equal(pingo_store_report(b->store, &bad, &r, &err), PINGO_EINVAL);
    assert_null(r);
    pingo_report_free(NULL);
    box_close(b);
}

static void test_report__adds_up(void **state)
{
    struct box *b = box_new();
    struct pingo_report *r;
    struct pingo_hash hash;
    int64_t spent = 0, saved = 0, lost = 0, evicted = 0;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    box_submit(b, CHAIN); /* a3 reused: saves 10 of its own, and 20 above it */
    box_submit(b, W(A(1, ) "," A(2, P(FROM(1))) "," A(4, P(FROM(2))))); /* a2 reused: 20 */
    box_finish_all(b);
    box_run(b, "UPDATE workflow SET submitted_ms = 1000 * id");
    evict(b, 1, "a2", 4000);
    box_tick(b);
    hash = hash_of(b, 1, "a2");
    regret(b, &hash, 7, 5000);
    evict(b, 1, "a1", 6000);
    r = report(b, 0, 0, 0);
    assert_int_equal(r->history->nsubmissions, 3);
    assert_int_equal(r->history->ncomputed, 4);
    assert_int_equal(r->history->spent_ms, 40);
    assert_int_equal(r->history->saved_ms, 50);
    assert_int_equal(r->lost_ms, 7);
    assert_int_equal(r->nevictions, 2);
    assert_int_equal(r->evicted_bytes, 4);
    assert_int_equal(r->nalgorithms, 1);
    assert_string_equal(r->algorithms[0].name, "lru");
    assert_int_equal(r->algorithms[0].nevictions, 2);
    assert_int_equal(r->algorithms[0].nregretted, 1);
    assert_int_equal(r->algorithms[0].lost_ms, 7);
    assert_int_equal(r->nvaluable, 2);
    assert_string_equal(r->valuable[0].name, "a3");
    assert_int_equal(r->valuable[0].value_ms, 30);
    assert_int_equal(r->valuable[0].state, PINGO_DATASET_LEAF);
    assert_string_equal(r->valuable[1].name, "a2");
    assert_int_equal(r->valuable[1].value_ms, 20);
    assert_int_equal(r->valuable[1].lost_ms, 7);
    assert_int_equal(r->valuable[1].state, PINGO_DATASET_DELETED);
    assert_int_equal(r->nregretted, 1);
    assert_string_equal(r->regretted[0].name, "a2");
    assert_int_equal(r->regretted[0].nregretted, 1);
    assert_int_equal(r->regretted[0].value_ms, 20);
    /* Now: a1 on its way out, a2 gone, two leaves. */
    assert_int_equal(r->usage->leaf_bytes, 4);
    assert_int_equal(r->usage->leaving_bytes, 2);
    assert_int_equal(r->usage->used_bytes, 4);
    assert_int_equal(r->bytes[PINGO_DATASET_LEAF], 4);
    assert_int_equal(r->ndatasets[PINGO_DATASET_STORED_TO_DELETE], 1);
    assert_in_range(r->nsteps, 1, PINGO__STEPS_MAX);
    for (size_t i = 0; i < r->nsteps; i++) {
        spent += r->steps[i].spent_ms;
        saved += r->steps[i].saved_ms;
        lost += r->steps[i].lost_ms;
        evicted += r->steps[i].evicted_bytes;
        assert_int_equal(r->steps[i].from_ms, r->steps[0].from_ms + (int64_t)i * r->step_ms);
    }
    assert_int_equal(spent, 40);
    assert_int_equal(saved, 50);
    assert_int_equal(lost, 7);
    assert_int_equal(evicted, 4);
    assert_int_equal(r->steps[0].held_bytes, 8);             /* all were made at 2000 */
    assert_int_equal(r->steps[r->nsteps - 1].held_bytes, 8); /* and a2 went just now */
    assert_true(r->from_ms == 1000 && r->until_ms > 6000);
    pingo_report_free(r);
    box_close(b);
}

static void test_report__of_a_period(void **state)
{
    struct box *b = box_new();
    struct pingo_report *r;
    struct pingo_hash hash;

    UNUSED(state);
    box_submit(b, CHAIN);
    box_finish_all(b);
    box_submit(b, CHAIN);
    box_run(b, "UPDATE workflow SET submitted_ms = 1000 * id");
    evict(b, 1, "a1", 4000);
    box_tick(b);
    box_run(b, "UPDATE dataset SET deleted_ms = 4500 WHERE deleted_ms IS NOT NULL");
    hash = hash_of(b, 1, "a1");
    regret(b, &hash, 7, 6000);
    r = report(b, 1500, 5000, 1);
    assert_int_equal(r->from_ms, 1500);
    assert_int_equal(r->until_ms, 5000);
    assert_int_equal(r->history->nsubmissions, 1);
    assert_int_equal(r->history->spent_ms, 0);
    assert_int_equal(r->history->saved_ms, 30);
    assert_int_equal(r->nevictions, 1);
    assert_int_equal(r->lost_ms, 0);
    assert_int_equal(r->nregretted, 0);
    assert_int_equal(r->nvaluable, 1);
    assert_int_equal(r->step_ms, 20);
    assert_int_equal(r->steps[0].from_ms, 1500);
    assert_int_equal(r->steps[0].held_bytes, 0);
    assert_int_equal(r->steps[24].held_bytes, 0);
    assert_int_equal(r->steps[25].held_bytes, 6); /* made at 2000 */
    assert_int_equal(r->steps[149].held_bytes, 6);
    assert_int_equal(r->steps[150].held_bytes, 4); /* deleted at 4500 */
    assert_int_equal(r->nsteps, 175);
    assert_int_equal(r->steps[174].held_bytes, 4);
    pingo_report_free(r);
    /* What was there before counts. */
    r = report(b, 5000, 7000, 1);
    assert_int_equal(r->steps[0].held_bytes, 4);
    assert_int_equal(r->history->nsubmissions, 0);
    assert_int_equal(r->nevictions, 0);
    assert_int_equal(r->lost_ms, 7);
    assert_int_equal(r->algorithms[0].nevictions, 0);
    assert_int_equal(r->algorithms[0].nregretted, 1);
    pingo_report_free(r);
    r = report(b, INT64_MAX - 1, INT64_MAX, 1);
    assert_int_equal(r->nsteps, 0);
    pingo_report_free(r);
    /* A generation of which nobody noted when it was deleted is left out. */
    box_run(b, "UPDATE dataset SET deleted_ms = NULL");
    r = report(b, 2000, 7000, 1);
    assert_int_equal(r->steps[0].held_bytes, 4);
    pingo_report_free(r);
    box_close(b);
}

/* ---- steps ------------------------------------------------------------------------------------------ */

static uint64_t seed = 5;

static int pick(int n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)(seed >> 33) % n;
}

/* What is held is compared with looking at every moment of the period. */
static void test_steps__hold_the_most_of_each(void **state)
{
    UNUSED(state);
    for (int round = 0; round < 40; round++) {
        struct pingo__engine_steps s;
        struct pingo__arena arena;
        int64_t from = pick(500), until = from + 1 + pick(1500), held = 0, at_ms = 0;
        int64_t at[300], bytes[300];
        int n = pick(300), k = 0;

        pingo__arena_init(&arena);
        assert_int_equal(pingo__engine_steps_open(&s, from, until, &arena, NULL), 0);
        assert_in_range(s.n, 1, PINGO__STEPS_MAX);
        for (int i = 0; i < n; i++) {
            at[i] = at_ms += 1 + pick(12);
            bytes[i] = pick(2) && held ? -(int64_t)pick((int)held + 1) : pick(100);
            held += bytes[i];
            pingo__engine_steps_hold(&s, at[i], bytes[i]);
        }
        pingo__engine_steps_hold_end(&s);
        held = 0;
        for (size_t i = 0; i < s.n; i++) {
            int64_t begin = s.steps[i].from_ms > from ? s.steps[i].from_ms : from, most = -1;
            int64_t end = s.steps[i].from_ms + s.length_ms;

            for (int64_t t = begin; t < end && t < until; t++) {
                while (k < n && at[k] <= t)
                    held += bytes[k++];
                most = held > most ? held : most;
            }
            assert_int_equal(s.steps[i].held_bytes, most);
        }
        pingo__arena_clear(&arena);
    }
}

static void test_steps__are_never_too_many(void **state)
{
    static const int64_t spans[] = {
        1, 2, 199, 200, 201, 1000000, 86400000, 999999999, INT64_C(1) << 45, INT64_MAX - 7};
    UNUSED(state);
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        struct pingo__engine_steps s;
        struct pingo__arena arena;

        pingo__arena_init(&arena);
        assert_int_equal(pingo__engine_steps_open(&s, 7, 7 + spans[i], &arena, NULL), 0);
        assert_in_range(s.n, 1, PINGO__STEPS_MAX);
        assert_ptr_equal(pingo__engine_steps_at(&s, 7), &s.steps[0]);
        assert_ptr_equal(pingo__engine_steps_at(&s, 6 + spans[i]), &s.steps[s.n - 1]);
        assert_null(pingo__engine_steps_at(&s, 6));
        assert_null(pingo__engine_steps_at(&s, 7 + spans[i]));
        pingo__arena_clear(&arena);
    }
}

/* ---- datasets by query --------------------------------------------------------------------------------- */

/* Four datasets of two workflows of two users. */
static struct box *four(void)
{
    struct box *b = box_new();

    box_submit(b, CHAIN);
    box_finish_all(b);
    box_submit(b, "{'name':'other','actions':[" A(1, ) "," A(9, P(FROM(1))) "]}");
    box_finish_all(b);
    box_run(b, "UPDATE workflow SET user = iif(id = 1, 'zoe', 'ann')");
    box_run(b, "UPDATE dataset SET last_used_ms = 1000 * id");
    box_run(b, "UPDATE object SET size_bytes = 100 - 10 * id");
    return b;
}

static void test_datasets__in_any_order(void **state)
{
    struct box *b = four();
    struct pingo_dataset_query q = {.version = 1};
    struct pingo_error err;

    UNUSED(state);
    expect_datasets(b, q, "a9 a3 a2 a1");
    q.reverse = true;
    expect_datasets(b, q, "a1 a2 a3 a9");
    q.limit = 2;
    expect_datasets(b, q, "a1 a2");
    q = (struct pingo_dataset_query){.order = PINGO_DATASETS_BY_SIZE};
    expect_datasets(b, q, "a1 a2 a3 a9");
    q.order = PINGO_DATASETS_BY_STATE;
    expect_datasets(b, q, "a2 a1 a9 a3");
    q.order = PINGO_DATASETS_BY_USER;
    expect_datasets(b, q, "a9 a3 a2 a1");
    q.order = PINGO_DATASETS_BY_WORKFLOW;
    expect_datasets(b, q, "a9 a3 a2 a1");
    q.order = PINGO_DATASETS_BY_NAME;
    expect_datasets(b, q, "a1 a2 a3 a9");
    q.order = PINGO_DATASETS_BY_VALUE; /* a1 was reused */
    expect_datasets(b, q, "a1 a9 a3 a2");
    q.reverse = true;
    expect_datasets(b, q, "a2 a3 a9 a1");
    q.version = 1;
    q.order = (enum pingo_dataset_order)7;
    assert_int_equal(pingo_store_datasets(b->store, &q, add_name, NULL, &err), PINGO_EINVAL);
    q = (struct pingo_dataset_query){.version = 2};
    assert_int_equal(pingo_store_datasets(b->store, &q, add_name, NULL, &err), PINGO_EINVAL);
    box_close(b);
}

static void test_datasets__of_what_is_asked_for(void **state)
{
    static const char *const names_of[] = {"a[2-2]", "?9"};
    struct box *b = four();
    struct names names = {.n = 0};
    struct pingo_dataset_query q = {.version = 1, .limit = 1, .values = true, .reverse = true};
    struct pingo_error err;

    UNUSED(state);
    expect_datasets(b, (struct pingo_dataset_query){.states = 1u << PINGO_DATASET_LEAF}, "a9 a3");
    expect_datasets(b,
                    (struct pingo_dataset_query){.states = 1u << PINGO_DATASET_LEAF |
                                                           1u << PINGO_DATASET_STORED},
                    "a9 a3 a2 a1");
    expect_datasets(b, (struct pingo_dataset_query){.min_bytes = 80}, "a2 a1");
    expect_datasets(b, (struct pingo_dataset_query){.min_bytes = 70, .below_bytes = 80}, "a3");
    expect_datasets(b, (struct pingo_dataset_query){.since_ms = 2000, .until_ms = 4000}, "a3 a2");
    expect_datasets(b, (struct pingo_dataset_query){.min_value_ms = 10}, "a1");
    expect_datasets(b, (struct pingo_dataset_query){.min_value_ms = 11}, "");
    expect_datasets(b, (struct pingo_dataset_query){.user = "ann"}, "a9 a1");
    expect_none(b, (struct pingo_dataset_query){.user = "nobody"}, "user nobody");
    expect_datasets(b, (struct pingo_dataset_query){.names = names_of, .nnames = 2}, "a9 a2");
    expect_datasets(b, (struct pingo_dataset_query){.workflow = 1}, "a3 a2 a1");
    expect_none(b, (struct pingo_dataset_query){.workflow = 9}, "no workflow 9");
    expect_datasets(b, (struct pingo_dataset_query){.workflow_name = "other"}, "a9 a1");
    expect_none(b, (struct pingo_dataset_query){.workflow_name = "other", .user = "zoe"}, "by zoe");
    expect_none(b, (struct pingo_dataset_query){.workflow_name = "othre"}, "\"other\"?");
    well(pingo_store_datasets(b->store, &q, add_name, &names, &err), &err);
    assert_int_equal(names.last.value_ms, 10);
    assert_int_equal(names.last.workflow, 1);
    assert_int_equal(names.last.compute_ms, 10);
    q.values = false;
    well(pingo_store_datasets(b->store, &q, add_name, &names, &err), &err);
    assert_int_equal(names.last.value_ms, -1);
    well(pingo_store_datasets(b->store, NULL, add_name, &names, &err), &err);
    assert_int_equal(names.n, 6);
    box_close(b);
}

static void test_datasets__over_many_pages(void **state)
{
    struct box *b = box_new();
    struct names names = {.n = 0};
    struct pingo_dataset_query q = {.version = 1, .all = true};
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, )));
    box_finish_all(b);
    box_run(b, "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 600)"
               " INSERT INTO dataset(hash, generation, state, current, managed, pinned, action)"
               " SELECT (SELECT hash FROM definition), i, 9, 0, 1, 0, 1 FROM n");
    well(pingo_store_datasets(b->store, &q, add_name, &names, &err), &err);
    assert_int_equal(names.n, 600);
    q.all = false;
    names.n = 0;
    well(pingo_store_datasets(b->store, &q, add_name, &names, &err), &err);
    assert_int_equal(names.n, 1); /* the others are DELETED */
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keep__pins_until_released),
        cmocka_unit_test(test_keep__rescues_what_is_on_its_way_out),
        cmocka_unit_test(test_keep__refuses_what_is_gone_from_the_pool),
        cmocka_unit_test(test_evicted__is_known_for_ever_and_compared_when_made_again),
        cmocka_unit_test(test_ledger__lists_evictions_of_a_period_and_of_a_dataset),
        cmocka_unit_test(test_ledger__is_told_whole_over_many_pages),
        cmocka_unit_test(test_report__of_an_empty_store),
        cmocka_unit_test(test_report__adds_up),
        cmocka_unit_test(test_report__of_a_period),
        cmocka_unit_test(test_steps__hold_the_most_of_each),
        cmocka_unit_test(test_steps__are_never_too_many),
        cmocka_unit_test(test_datasets__in_any_order),
        cmocka_unit_test(test_datasets__of_what_is_asked_for),
        cmocka_unit_test(test_datasets__over_many_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
