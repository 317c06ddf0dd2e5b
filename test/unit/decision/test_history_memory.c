/* test_history_memory.c - every allocation fails once: no crash, no leak, PINGO_ENOMEM, and the history as it was
 * before. */
#include "unit/decision/submissions.h"
#include "unit/memory.h"

/* One step of the way; each is tried until nothing fails, and a failure changes nothing. */
struct way {
    struct pingo_history *h;
    const struct pingo_history *whole; /* that h follows */
    char *line;
    int round;
};

static int read_step(struct way *w)
{
    char text[1024], *p = text;

    /* 24 actions, each below the former, so that tables must grow */
    p += sprintf(p,
                 "{\"at\":\"2026-11-20T12:00:00Z\",\"user\":\"u\\u00e4%d\",\"workflow\":\"w%d\","
                 "\"actions\":[",
                 w->round, w->round);
    for (int i = 0; i < 4; i++)
        p += sprintf(p, "%s{\"hash\":\"%062x%02x\",\"parents\":[%s%.*s%s]}", i ? "," : "", w->round,
                     i, i ? "\"" : "", i ? 64 : 0, i ? strstr(text, "\"hash\":\"") + 8 : "",
                     i ? "\"" : "");
    p += sprintf(p, "]}");
    return pingo_history_read_line(w->h, text, (size_t)(p - text), 1, NULL);
}

static int again_step(struct way *w)
{
    char user[16];

    snprintf(user, sizeof user, "v%d", w->round);
    return pingo_history_append_again(w->h, &(struct pingo_history_again){0, 5, user, NULL}, NULL);
}

static int follow_step(struct way *w)
{
    static const uint8_t flags[4] = {PINGO_HISTORY_COMPUTED, PINGO_HISTORY_COMPUTED,
                                     PINGO_HISTORY_COMPUTED, PINGO_HISTORY_LEAF};

    return pingo_history_follow(w->h, w->whole, flags, NULL);
}

static int evict_step(struct way *w)
{
    return pingo_history_note_eviction(w->h, &(struct pingo_history_eviction){0, 0, 1, 1}, NULL);
}

static int print_step(struct way *w)
{
    free(w->line);
    return pingo_history_print_line(w->h, 0, NULL, &w->line, NULL);
}

static int on_row(void *context, const struct pingo_history_row *row)
{
    (void)context;
    (void)row;
    return 0;
}

static int query_step(struct way *w)
{
    struct pingo_history_query q = {.version = 1, .by = PINGO_HISTORY_BY_USER};

    return pingo_history_query(w->h, &q, on_row, NULL, NULL);
}

static int value_step(struct way *w)
{
    int64_t values[200];

    assert_true(pingo_history_count_actions(w->h) <= 200);
    return pingo_history_values(w->h, values, NULL);
}

/* Lets each allocation of a step fail; how many there were. */
static long fail_each(int (*step)(struct way *), struct way *w, bool changes)
{
    long n = 0;

    for (;; n++) {
        uint32_t actions = pingo_history_count_actions(w->h);
        uint32_t submissions = pingo_history_count_submissions(w->h);
        uint64_t mentions = pingo_history_count_mentions(w->h);
        int rc;

        arm(n);
        rc = step(w);
        assert_int_equal(rc, disarm() ? PINGO_ENOMEM : 0);
        if (!has_failed) {
            assert_int_equal(pingo_history_count_submissions(w->h), submissions + changes);
            return n;
        }
        assert_int_equal(pingo_history_count_actions(w->h), actions);
        assert_int_equal(pingo_history_count_submissions(w->h), submissions);
        assert_int_equal(pingo_history_count_mentions(w->h), mentions);
    }
}

static void test_history_memory__each_step(void **state)
{
    (void)state;
    struct way w = {.round = 0};
    long n = 0;

    for (int k = 0;; k++) {
        int rc;

        arm(k);
        rc = pingo_history_new(&w.h, NULL);
        assert_int_equal(rc, disarm() ? PINGO_ENOMEM : 0);
        if (!rc)
            break;
        assert_null(w.h);
        n++;
    }
    assert_true(n >= 3);
    for (n = 0; w.round < 40; w.round++) {
        n += fail_each(read_step, &w, true);
        n += fail_each(again_step, &w, true);
        n += fail_each(evict_step, &w, false);
    }
    assert_true(n > 100);
    assert_true(fail_each(print_step, &w, false) > 0);
    assert_true(fail_each(query_step, &w, false) > 3);
    assert_true(fail_each(value_step, &w, false) == 3);
    assert_int_equal(pingo_history_count_actions(w.h), 160);

    struct way f = {.h = new_history(), .whole = w.h};
    for (n = 0; f.round < 80; f.round++)
        n += fail_each(follow_step, &f, true);
    assert_true(n > 20);
    assert_int_equal(pingo_history_count_actions(f.h), 160);
    free(w.line);
    pingo_history_free(f.h);
    pingo_history_free(w.h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history_memory__each_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
