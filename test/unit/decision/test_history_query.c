/* Questions to a history, compared with counting by hand over a random one. */
#include "unit/decision/submissions.h"

enum { ACTIONS = 40, SUBMISSIONS = 300, EVICTIONS = 60, ROWS = 400 };

/* ---- a random history, and a plain copy of it ----------------------------------------- */

struct plain {
    struct {
        int64_t at_ms;
        int user, workflow, n;
        int actions[8];
        unsigned flags[8];
    } submissions[SUBMISSIONS];
    struct {
        int64_t at_ms, bytes;
        int action, submission; /* -1: none */
    } evictions[EVICTIONS];
    int nevictions;
    int64_t size[ACTIONS], compute[ACTIONS];
    struct pingo_history *h;
};

static uint64_t seed;

static int pick(int n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)(seed >> 33) % n;
}

static const char *const users[] = {"zoe", "ann", "bob"};
static const char *const workflows[] = {"w", "a", "w2", "\xff"};

static struct pingo_hash hash_of(int action)
{
    char name[16];

    snprintf(name, sizeof name, "n%d", action);
    return named(name, strlen(name));
}

static void add_submission(struct plain *p, int i)
{
    struct pingo_history_mention mentions[8] = {{.nparents = 0}};
    struct pingo_history_entry entry = {.mentions = mentions};

    p->submissions[i].at_ms = (int64_t)pick(5 * 86400) * 1000 + pick(1000);
    p->submissions[i].user = pick(3);
    p->submissions[i].workflow = pick(4);
    p->submissions[i].n = 1 + pick(8);
    for (int k = 0; k < p->submissions[i].n; k++) {
        int action = pick(ACTIONS);

        p->submissions[i].actions[k] = action;
        p->submissions[i].flags[k] = (unsigned)pick(5) | (unsigned)pick(4) * 8;
        mentions[k] = (struct pingo_history_mention){.hash = hash_of(action),
                                                     .size_bytes = p->size[action],
                                                     .compute_ms = p->compute[action],
                                                     .flags = p->submissions[i].flags[k]};
    }
    entry.at_ms = p->submissions[i].at_ms;
    entry.user = users[p->submissions[i].user];
    entry.workflow = workflows[p->submissions[i].workflow];
    entry.nmentions = (size_t)p->submissions[i].n;
    assert_int_equal(pingo_history_append(p->h, &entry, NULL, NULL), 0);
}

static void add_evictions(struct plain *p, bool undated)
{
    for (int i = 0; i < EVICTIONS; i++) {
        struct pingo_hash hash = hash_of(pick(ACTIONS));
        uint32_t action = pingo_history_find(p->h, &hash);

        if (action == PINGO_HISTORY_NONE)
            continue;
        p->evictions[p->nevictions].at_ms = undated && i == 7 ? -1 : (int64_t)pick(7 * 86400) * 1000;
        p->evictions[p->nevictions].bytes = i == 7 ? 50 : pick(1000);
        p->evictions[p->nevictions].submission = pick(SUBMISSIONS + 50);
        if (p->evictions[p->nevictions].submission >= SUBMISSIONS)
            p->evictions[p->nevictions].submission = -1;
        p->evictions[p->nevictions].action = (int)action;
        assert_int_equal(
            pingo_history_note_eviction(
                p->h,
                &(struct pingo_history_eviction){
                    action, (uint32_t)p->evictions[p->nevictions].submission,
                    p->evictions[p->nevictions].at_ms, p->evictions[p->nevictions].bytes},
                NULL),
            0);
        p->nevictions++;
    }
}

static struct plain *make(uint64_t from, bool undated)
{
    struct plain *p = calloc(1, sizeof *p);

    assert_non_null(p);
    seed = from;
    p->h = new_history();
    for (int i = 0; i < ACTIONS; i++) {
        p->size[i] = pick(5) ? pick(100000) : -1;
        p->compute[i] = pick(5) ? pick(100000) : -1;
    }
    for (int i = 0; i < SUBMISSIONS; i++)
        add_submission(p, i);
    add_evictions(p, undated);
    return p;
}

static void drop(struct plain *p)
{
    pingo_history_free(p->h);
    free(p);
}

/* ---- counting by hand -------------------------------------------------------------------- */

static const int64_t steps[] = {0, 60000, 3600000, 86400000, 0, 0};

static bool in_period(const struct pingo_history_query *q, int64_t at_ms)
{
    return at_ms >= q->since_ms && (!q->until_ms || at_ms < q->until_ms);
}

static bool fits(const struct plain *p, const struct pingo_history_query *q, int submission)
{
    return (!q->user || strcmp(q->user, users[p->submissions[submission].user]) == 0) &&
           (!q->workflow ||
            strcmp(q->workflow, workflows[p->submissions[submission].workflow]) == 0);
}

/* Does this submission (and moment) belong to a row that was told? */
static bool in_row(const struct plain *p, const struct pingo_history_query *q,
                   const struct pingo_history_row *row, int submission, int64_t at_ms)
{
    if (q->by == PINGO_HISTORY_BY_USER)
        return strcmp(row->name, users[p->submissions[submission].user]) == 0;
    if (q->by == PINGO_HISTORY_BY_WORKFLOW)
        return strcmp(row->name, workflows[p->submissions[submission].workflow]) == 0;
    return !steps[q->by] || (at_ms >= row->from_ms && at_ms < row->from_ms + steps[q->by]);
}

static void count_submission(const struct plain *p, const struct pingo_history_query *q, int i,
                             struct pingo_history_row *sum)
{
    bool has = false;

    for (int k = 0; k < p->submissions[i].n; k++) {
        int action = p->submissions[i].actions[k];
        unsigned outcome = p->submissions[i].flags[k] & 7;
        struct pingo_hash hash = hash_of(action);

        if (q->action && memcmp(q->action, &hash, sizeof hash) != 0)
            continue;
        has = true;
        sum->nmentions++;
        sum->ncomputed += outcome == 4;
        sum->njoined += outcome == 3;
        sum->nreused += outcome == 2;
        sum->nskipped += outcome == 1;
        if (p->compute[action] > 0)
            *(outcome == 4 ? &sum->spent_ms : &sum->saved_ms) += outcome ? p->compute[action] : 0;
        if (p->size[action] > 0 && outcome == 4)
            sum->made_bytes += p->size[action];
    }
    sum->nsubmissions += has;
}

static void count_row(const struct plain *p, const struct pingo_history_query *q,
                      const struct pingo_history_row *row, struct pingo_history_row *sum)
{
    bool names = q->by == PINGO_HISTORY_BY_USER || q->by == PINGO_HISTORY_BY_WORKFLOW;
    bool times = steps[q->by] || q->since_ms || q->until_ms, undated = false;

    memset(sum, 0, sizeof *sum);
    for (int i = 0; i < SUBMISSIONS; i++)
        if (fits(p, q, i) && in_period(q, p->submissions[i].at_ms) &&
            in_row(p, q, row, i, p->submissions[i].at_ms))
            count_submission(p, q, i, sum);
    for (int i = 0; i < p->nevictions; i++) {
        int s = p->evictions[i].submission;
        const struct pingo_hash *hash = pingo_history_hash(p->h, (uint32_t)p->evictions[i].action);

        if ((s < 0 && (names || q->user || q->workflow)) || (s >= 0 && !fits(p, q, s)) ||
            (q->action && memcmp(q->action, hash, sizeof *hash) != 0))
            continue;
        if (times && p->evictions[i].at_ms < 0)
            undated = true;
        else if ((!times || in_period(q, p->evictions[i].at_ms)) &&
                 in_row(p, q, row, s, p->evictions[i].at_ms))
            sum->evicted_bytes += p->evictions[i].bytes;
    }
    if (undated)
        sum->evicted_bytes = -1;
}

/* ---- comparing ------------------------------------------------------------------------------- */

struct told {
    const struct plain *p;
    const struct pingo_history_query *q;
    struct pingo_history_row rows[ROWS];
    int n;
    uint64_t nsubmissions;
};

static int on_row(void *context, const struct pingo_history_row *row)
{
    struct told *t = context;
    struct pingo_history_row sum;

    count_row(t->p, t->q, row, &sum);
    assert_int_equal(row->nsubmissions, sum.nsubmissions);
    assert_int_equal(row->nmentions, sum.nmentions);
    assert_int_equal(row->ncomputed, sum.ncomputed);
    assert_int_equal(row->njoined, sum.njoined);
    assert_int_equal(row->nreused, sum.nreused);
    assert_int_equal(row->nskipped, sum.nskipped);
    assert_true(row->spent_ms == sum.spent_ms);
    assert_true(row->saved_ms == sum.saved_ms);
    assert_true(row->made_bytes == sum.made_bytes);
    assert_true(row->evicted_bytes == sum.evicted_bytes);
    if (t->n > 0 && row->name)
        assert_true(strcmp(t->rows[t->n - 1].name, row->name) < 0);
    else if (t->n > 0)
        assert_true(t->rows[t->n - 1].from_ms < row->from_ms);
    if (t->q->by != PINGO_HISTORY_BY_NOTHING)
        assert_true(row->nsubmissions > 0 || row->evicted_bytes != 0);
    t->nsubmissions += row->nsubmissions;
    if (t->n < ROWS)
        t->rows[t->n++] = *row;
    return 0;
}

/* All rows are right, and nothing is missing: they add up to the one row of all. */
static void ask(const struct plain *p, const struct pingo_history_query *q)
{
    struct told t = {.p = p, .q = q};
    struct pingo_history_query all = *q;
    struct pingo_history_row sum;

    assert_int_equal(pingo_history_query(p->h, q, on_row, &t, NULL), 0);
    all.by = PINGO_HISTORY_BY_NOTHING;
    count_row(p, &all, &t.rows[0], &sum);
    assert_int_equal(t.nsubmissions, sum.nsubmissions);
}

static void test_history_query__counts_as_by_hand(void **state)
{
    (void)state;
    for (uint64_t s = 1; s <= 4; s++) {
        struct plain *p = make(s, s % 2 == 0);
        struct pingo_hash hash = hash_of(3), none = hash_of(999);

        for (int i = 0; i < 6 * 3 * 3 * 3 * 3; i++) {
            struct pingo_history_query q = {.version = 1, .by = (enum pingo_history_by)(i % 6)};
            int filters = i / 6;

            q.user = filters % 3 ? users[filters % 3] : NULL;
            q.workflow = filters / 3 % 3 ? workflows[filters / 3 % 3 + 1] : NULL;
            q.since_ms = filters / 9 % 3 ? 86400000 * (filters / 9 % 3) - 12345 : 0;
            q.until_ms = filters / 9 % 3 == 2 ? 4 * 86400000 : 0;
            q.action = filters / 27 == 0 ? NULL : filters / 27 == 1 ? &hash : &none;
            ask(p, &q);
        }
        drop(p);
    }
}

static int stop(void *context, const struct pingo_history_row *row)
{
    (void)row;
    ++*(int *)context;
    return 1;
}

static int keep(void *context, const struct pingo_history_row *row)
{
    *(struct pingo_history_row *)context = *row;
    return 0;
}

static void test_history_query__says_what_is_not_there(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_history_query q = {.version = 1, .user = "nobody"};
    struct pingo_history_row row;
    int called = 0;

    assert_int_equal(pingo_history_query(h, NULL, keep, &row, NULL), 0);
    assert_int_equal(row.nsubmissions, 0);
    assert_int_equal(row.from_ms, -1);
    assert_true(pingo_history_reuse_rate(&row) < 0);
    assert_int_equal(submit(h, 61000, "u", "w", "a<:C b<a:R"), 0);
    assert_int_equal(pingo_history_query(h, &q, keep, &row, NULL), 0);
    assert_int_equal(row.nsubmissions, 0);
    q.by = PINGO_HISTORY_BY_MINUTE;
    assert_int_equal(pingo_history_query(h, &q, stop, &called, NULL), 0);
    assert_int_equal(called, 0);
    q.user = NULL;
    assert_int_equal(pingo_history_query(h, &q, stop, &called, NULL), PINGO_EINTERRUPTED);
    assert_int_equal(called, 1);
    assert_int_equal(pingo_history_query(h, &q, keep, &row, NULL), 0);
    assert_true(row.from_ms == 60000);
    assert_true(pingo_history_reuse_rate(&row) == 0.5);
    q.by = (enum pingo_history_by)6;
    assert_int_equal(pingo_history_query(h, &q, keep, &row, NULL), PINGO_EINVAL);
    q.by = PINGO_HISTORY_BY_NOTHING;
    q.since_ms = -1;
    assert_int_equal(pingo_history_query(h, &q, keep, &row, NULL), PINGO_EINVAL);
    pingo_history_free(h);
}

static void test_history_query__sums_stay_in_range(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_history_row row;

    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<:C a:C b:R a:S"), 0);
    pingo_history_set_size(h, 0, INT64_MAX);
    pingo_history_set_size(h, 1, INT64_MAX - 1);
    pingo_history_set_compute(h, 0, INT64_MAX);
    assert_int_equal(
        pingo_history_note_eviction(h, &(struct pingo_history_eviction){0, 0, 1, INT64_MAX}, NULL),
        0);
    assert_int_equal(
        pingo_history_note_eviction(h, &(struct pingo_history_eviction){0, 0, 1, INT64_MAX}, NULL),
        0);
    assert_int_equal(
        pingo_history_append_again(h, &(struct pingo_history_again){0, 2, "u", NULL}, NULL), 0);
    assert_int_equal(pingo_history_query(h, NULL, keep, &row, NULL), 0);
    assert_true(row.made_bytes == INT64_MAX);
    assert_true(row.spent_ms == INT64_MAX);
    assert_true(row.evicted_bytes == INT64_MAX);
    pingo_history_free(h);
}

struct rows {
    struct pingo_history_row rows[ROWS * 20];
    size_t n;
};

static int keep_one(void *context, const struct pingo_history_row *row)
{
    struct rows *rows = context;

    assert_true(rows->n < sizeof rows->rows / sizeof *rows->rows);
    rows->rows[rows->n++] = *row;
    return 0;
}

/* A step of an hour is an hour, and of five days all that happened in them. */
static void test_query__by_steps_of_any_length(void **state)
{
    struct plain *p = make(3, false);
    struct rows *hours = calloc(1, sizeof *hours), *pieces = calloc(1, sizeof *pieces);
    struct pingo_history_query q = {.version = 1, .by = PINGO_HISTORY_BY_HOUR};

    (void)state;
    assert_true(hours && pieces);
    assert_int_equal(pingo_history_query(p->h, &q, keep_one, hours, NULL), 0);
    q.by = PINGO_HISTORY_BY_NOTHING;
    q.step_ms = 3600000;
    assert_int_equal(pingo_history_query(p->h, &q, keep_one, pieces, NULL), 0);
    assert_int_equal(pieces->n, hours->n);
    assert_true(pieces->n > 20);
    assert_memory_equal(pieces->rows, hours->rows, pieces->n * sizeof *pieces->rows);
    pieces->n = 0;
    q.step_ms = INT64_C(5) * 86400000;
    assert_int_equal(pingo_history_query(p->h, &q, keep_one, pieces, NULL), 0);
    assert_int_equal(pieces->rows[0].from_ms, 0);
    assert_int_equal(pieces->rows[0].nsubmissions, SUBMISSIONS);
    q.by = PINGO_HISTORY_BY_HOUR;
    assert_int_equal(pingo_history_query(p->h, &q, keep_one, pieces, NULL), PINGO_EINVAL);
    q.by = PINGO_HISTORY_BY_NOTHING;
    q.step_ms = -1;
    assert_int_equal(pingo_history_query(p->h, &q, keep_one, pieces, NULL), PINGO_EINVAL);
    free(hours);
    free(pieces);
    drop(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_query__counts_as_by_hand),
        cmocka_unit_test(test_history_query__says_what_is_not_there),
        cmocka_unit_test(test_history_query__sums_stay_in_range),
        cmocka_unit_test(test_query__by_steps_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
