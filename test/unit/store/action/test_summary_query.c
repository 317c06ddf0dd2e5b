/* test_summary_query.c - sums as they are asked for: by what, of which period, the most first, and the rest as one. */
#include "unit/store/action/ends.h"

#include <pingo/archive.h>
#include <pingo/summary.h>

enum { STEP = 1800000 };
#define DAY PINGO__SUMMARY_DAY_MS
/* A day's begin, some days ago. */
static int64_t day_ms(void)
{
    return ((int64_t)time(NULL) * 1000 / DAY - 3) * DAY;
}

/* Two ends of the first kind and one of the second in the first half hour, one without failure in the next one, and one of
 * the day after. */
static struct box *filled(void)
{
    struct box *b = rows_new(FAN);
    int64_t at = day_ms();
    const struct ends_kind first = {1, 2, "one"}, second = {2, 3, "two"}, none = {0, 0, NULL};

    ends_add(b, (struct pingo_job_key){1, 1}, first, at);
    ends_add(b, (struct pingo_job_key){1, 2}, first, at + 1);
    ends_add(b, (struct pingo_job_key){2, 1}, second, at + STEP - 1);
    ends_add(b, (struct pingo_job_key){3, 1}, none, at + STEP);
    ends_add(b, (struct pingo_job_key){2, 2}, second, at + DAY);
    ends_save(b);
    return b;
}

/* "value:kind:ended:failed" of each row, after its step where that is asked for. */
static void expect(struct box *b, struct pingo__store_summary_query q, const char *text)
{
    struct pingo__arena arena = {0};
    struct pingo__store_summary_list list = {.arena = &arena};
    struct pingo_error err;
    char said[600] = "";

    well(pingo__store_summary_list(&b->store->db, &q, &list, &err), &err);
    for (size_t i = 0; i < list.n; i++) {
        const struct pingo_summary_row *r = &list.rows[i].told;
        size_t n = strlen(said);

        if (q.of.step)
            n += (size_t)snprintf(said + n, sizeof said - n, "+%lld ",
                                  (long long)(r->from_ms - day_ms()) / STEP);
        snprintf(said + n, sizeof said - n, "%s%s:%lld:%lld:%lld%s; ", r->is_other ? "(rest)" : "",
                 r->error ? r->text : r->value, (long long)r->exit_code, (long long)r->ended,
                 (long long)r->failed, r->is_new ? " new" : "");
    }
    assert_string_equal(said, text);
    pingo__arena_clear(&arena);
}

/* All half hours from then on for so many. */
static struct pingo__store_summary_query period(int64_t from, int64_t n)
{
    int64_t step = (day_ms() + from) / STEP;
    struct pingo__store_summary_query q = {.halves = {{step, step + n}, {0, 0}},
                                           .from_ms = step * STEP,
                                           .to_ms = (step + n) * STEP,
                                           .new_ms = INT64_MAX};
    return q;
}

static void test_summary_query__of_a_period(void **state)
{
    struct box *b = filled();

    UNUSED(state);
    expect(b, period(0, 1), ":-1:3:3; ");
    expect(b, period(0, 2), ":-1:4:3; ");
    expect(b, period(0, 100), ":-1:5:4; ");
    expect(b, period(STEP * 3, 10), "");
    struct pingo__store_summary_query days = {.days = {day_ms() / DAY, day_ms() / DAY + 1},
                                              .new_ms = INT64_MAX};
    expect(b, days, ":-1:4:3; ");
    rows_close(b);
}

static void test_summary_query__by_what_the_most_first(void **state)
{
    struct box *b = filled();
    struct pingo__store_summary_query q = period(0, 2);

    UNUSED(state);
    q.of.by = PINGO_SUMMARY_BY_ERROR;
    expect(b, q, "one:2:2:2; two:3:1:1; ");
    q.of.limit = 1;
    expect(b, q, "one:2:2:2; (rest):-1:1:1; ");
    q.of.limit = 0;
    q.new_ms = day_ms() + STEP - 1; /* what was not met before is told first */
    expect(b, q, "two:3:1:1 new; one:2:2:2; ");
    q.of.limit = 1; /* and is not of the rest, however few there are */
    expect(b, q, "two:3:1:1 new; (rest):-1:2:2; ");
    q.of.limit = 0;
    q.of.by = PINGO_SUMMARY_BY_NODE;
    expect(b, q, "n1:-1:4:3; ");
    q.of.node = "n2";
    expect(b, q, "");
    q.of.node = NULL;
    q.of.error = PINGO__FAILURE_FIRST + 1;
    expect(b, q, "n1:-1:1:1; ");
    rows_close(b);
}

static void test_summary_query__by_steps(void **state)
{
    struct box *b = filled();
    struct pingo__store_summary_query q = period(0, 49);

    UNUSED(state);
    q.of.step = 1;
    expect(b, q, "+0 :-1:3:3; +1 :-1:1:0; +48 :-1:1:1; ");
    q.of.by = PINGO_SUMMARY_BY_ERROR;
    expect(b, q, "+0 one:2:2:2; +0 two:3:1:1; +48 two:3:1:1; ");
    q.of.limit = 1; /* the same one in every step, whatever is new */
    q.new_ms = day_ms() + STEP - 1;
    expect(b, q, "+0 one:2:2:2; +0 (rest):-1:1:1; +48 (rest):-1:1:1; ");
    rows_close(b);
}

/* Names are in no sum: the attempts are read, here and in the archive. */
static void test_summary_query__by_name_reads_attempts(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, FAN);
    box_tick(b);
    box_fail(b, "a1");
    box_finish_all(b);
    box_finish_all(b);
    struct pingo__store_summary_query q = {
        .of = {.by = PINGO_SUMMARY_BY_NAME}, .to_ms = INT64_MAX, .new_ms = INT64_MAX};
    expect(b, q, "a1:-1:1:1; ");
    struct pingo_archive_options options = {.version = 1, .before_ms = INT64_MAX};
    struct pingo_archived done = {.size = sizeof done};
    struct pingo_error err;
    well(pingo_store_archive(b->store, &options, &done, &err), &err);
    assert_int_equal(done.workflows, 1);
    expect(b, q, "a1:-1:1:1; ");
    q.of.name = "a2";
    expect(b, q, "");
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary_query__of_a_period),
        cmocka_unit_test(test_summary_query__by_what_the_most_first),
        cmocka_unit_test(test_summary_query__by_steps),
        cmocka_unit_test(test_summary_query__by_name_reads_attempts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
