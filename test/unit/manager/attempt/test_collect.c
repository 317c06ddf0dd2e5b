/* test_collect.c - what executors report is believed as far as it can be: nothing of others' attempts, no end that cannot
 * be, and each end once. */
#include "unit/engine/box.h"

#include "manager/attempt/flight.h"

/* An executor that says what is put here, and nothing of itself. */
static void (*says)(const struct pingo_executor_reports *r, struct pingo_job_key key);

static int collect_said(void *executor, const struct pingo_executor_reports *r,
                        struct pingo_error *err)
{
    const struct fake *f = executor;

    UNUSED(err);
    says(r, f->jobs[0].key);
    return 0;
}

/* One action that is handed out, whose executor tells that from now on. */
static struct box *told(void (*what)(const struct pingo_executor_reports *, struct pingo_job_key))
{
    struct box *b = box_new();

    box_submit(b, W(A(1, "")));
    box_tick(b);
    assert_int_equal(b->fake.n, 1);
    says = what;
    b->s->actions.executors[0].type.collect = collect_said;
    return b;
}

static void collect(struct box *b)
{
    struct pingo_error err;

    well(pingo__manager_collect(&b->s->actions, &err), &err);
}

static struct pingo_job_end lost(struct pingo_job_key key)
{
    return (struct pingo_job_end){
        .size = sizeof(struct pingo_job_end), .key = key, .reason = PINGO_END_LOST, .ended_ms = 2000};
}

static void twice(const struct pingo_executor_reports *r, struct pingo_job_key key)
{
    struct pingo_job_end end = lost(key);

    r->started(r->context, key);
    r->started(r->context, key);
    r->ended(r->context, &end);
    r->ended(r->context, &end);
}

static void test_collect__what_is_repeated_counts_once(void **state)
{
    struct box *b = told(twice);

    UNUSED(state);
    collect(b);
    collect(b);
    assert_true(b->s->actions.flights[0]->news.started);
    assert_int_equal(b->s->actions.nends, 1);
    box_close(b);
}

static void of_others(const struct pingo_executor_reports *r, struct pingo_job_key key)
{
    struct pingo_job_key other = {key.action + 1, key.epoch}, later = {key.action, key.epoch + 1};
    struct pingo_job_end ends[] = {lost(other), lost(later)};

    r->started(r->context, other);
    r->named(r->context, later, "17_4");
    r->progress(r->context, other, "{}");
    r->ended(r->context, &ends[0]);
    r->ended(r->context, &ends[1]);
}

static void test_collect__what_is_not_its_own_changes_nothing(void **state)
{
    struct box *b = told(of_others);
    const struct pingo__manager_actions *m = &b->s->actions;

    UNUSED(state);
    collect(b);
    assert_int_equal(m->nends, 0);
    assert_false(m->has_news);
    assert_non_null(strstr(b->log, "which it was not given or has told before"));
    b->log[0] = '\0';
    collect(b);
    assert_string_equal(b->log, ""); /* that is said once */
    box_close(b);
}

static void impossible(const struct pingo_executor_reports *r, struct pingo_job_key key)
{
    struct pingo_job_end end = lost(key);

    end.reason = (enum pingo_end_reason)77;
    memset(end.message, 'x', sizeof end.message);
    memset(end.node, 'y', sizeof end.node);
    r->ended(r->context, &end);
}

static void two_lines(const struct pingo_executor_reports *r, struct pingo_job_key key)
{
    struct pingo_job_end end = lost(key);

    snprintf(end.message, sizeof end.message, "one\n\x1b[31mtwo\xff");
    r->ended(r->context, &end);
}

static void test_collect__what_is_said_is_one_line(void **state)
{
    struct box *b = told(two_lines);

    UNUSED(state);
    collect(b);
    const char *said = b->s->actions.ends[0].message;
    assert_null(strpbrk(said, "\n\x1b\xff"));
    assert_true(strncmp(said, "one", 3) == 0 && strstr(said, "two"));
    box_close(b);
}

static void test_collect__an_end_that_cannot_be_is_lost(void **state)
{
    struct box *b = told(impossible);

    UNUSED(state);
    collect(b);
    assert_int_equal(b->s->actions.nends, 1);
    const struct pingo_job_end *end = &b->s->actions.ends[0];
    assert_int_equal(end->reason, PINGO_END_LOST);
    assert_true(end->ended_ms > 2000);
    assert_non_null(strstr(end->message, "executor \"fake\" told an end that cannot be"));
    assert_string_equal(end->node, "");
    assert_non_null(strstr(b->log, "told an end that cannot be"));
    box_close(b);
}

/* Times without end would come to sums that no row can hold: no end could be settled any more. */
static void test_collect__times_that_cannot_be_are_in_no_sum(void **state)
{
    static const size_t times[] = {
        offsetof(struct pingo_job_end, started_ms), offsetof(struct pingo_job_end, ended_ms),
        offsetof(struct pingo_job_end, wall_ms), offsetof(struct pingo_job_end, user_ms),
        offsetof(struct pingo_job_end, system_ms)};

    UNUSED(state);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct box *b = box_new();
        struct pingo_tick_result r = {.size = sizeof r};
        struct pingo_error err;

        box_submit(b, W(A(1, "") "," A(2, "")));
        box_tick(b);
        for (size_t k = 0; k < 2; k++) { /* one after the other */
            struct job *j = fake_job(&b->fake, k ? "a2" : "a1");
            box_report(b, j->name, PINGO_END_EXITED, 1, "");
            memcpy((char *)&j->end + times[i], &(int64_t){INT64_MAX}, sizeof(int64_t));
            if (pingo_scheduler_tick(b->s, &r, &err) != 0)
                fail_msg("row %zu: %s", i, err.message);
        }
        assert_int_equal(box_int(b, "SELECT count(*) FROM attempt WHERE reason = 6"), 2);
        assert_non_null(strstr(b->log, "told an end that cannot be"));
        box_close(b);
    }
}

/* A table of an older version knows less of an end: what it does not say is nothing. */
static void short_end(const struct pingo_executor_reports *r, struct pingo_job_key key)
{
    struct pingo_job_end end = lost(key);

    end.size = offsetof(struct pingo_job_end, node);
    strcpy(end.node, "stale");
    end.ended_ms = 0;
    r->ended(r->context, &end);
}

static void test_collect__an_end_of_an_older_table_is_taken(void **state)
{
    struct box *b = told(short_end);

    UNUSED(state);
    collect(b);
    assert_int_equal(b->s->actions.nends, 1);
    assert_string_equal(b->s->actions.ends[0].node, "");
    assert_true(b->s->actions.ends[0].ended_ms > 0); /* when it was told */
    box_close(b);
}

static void for_people(const struct pingo_executor_reports *r, struct pingo_job_key key)
{
    static char large[70000];

    r->named(r->context, key, "a name of more than thirty-one bytes is cut");
    r->progress(r->context, key, "{\"maps\":1}");
    r->progress(r->context, key, "{\"maps\":2}");
    r->progress(r->context, key, "[1]");
    r->progress(r->context, key, "{\"maps\":");
    memset(large, ' ', sizeof large - 1);
    memcpy(large, "{}", 2);
    r->progress(r->context, key, large);
}

static void test_collect__names_and_progress_are_the_newest_that_can_be(void **state)
{
    struct box *b = told(for_people);
    struct pingo__manager_actions *m = &b->s->actions;

    UNUSED(state);
    collect(b);
    assert_int_equal(m->nflights, 1);
    assert_string_equal(m->flights[0]->news.job, "a name of more than thirty-one ");
    assert_string_equal(m->flights[0]->news.progress, "{\"maps\":2}");
    pingo__manager_news_clear(m);
    assert_null(m->flights[0]->news.progress);
    box_close(b);
}

/* Who does not answer is asked again later. */
static void test_collect__who_is_away_is_no_error(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_tick(b);
    b->fake.is_away = true;
    collect(b);
    assert_int_equal(b->s->actions.nends, 0);
    assert_int_equal(b->s->actions.nflights, 1); /* what it has is ours still */
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collect__what_is_repeated_counts_once),
        cmocka_unit_test(test_collect__what_is_not_its_own_changes_nothing),
        cmocka_unit_test(test_collect__what_is_said_is_one_line),
        cmocka_unit_test(test_collect__an_end_that_cannot_be_is_lost),
        cmocka_unit_test(test_collect__times_that_cannot_be_are_in_no_sum),
        cmocka_unit_test(test_collect__an_end_of_an_older_table_is_taken),
        cmocka_unit_test(test_collect__names_and_progress_are_the_newest_that_can_be),
        cmocka_unit_test(test_collect__who_is_away_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
