/* test_future.c - which submissions demand a dataset. */
#include "unit/lab/story.h"

#include "lab/simulate/future.h"

static const char *name_of(const struct pingo_history *h, uint32_t action)
{
    return (const char *)pingo_history_hash(h, action)->bytes;
}

/* "NAME:SUBMISSION,SUBMISSION NAME:..." of all that is demanded. */
static void demands(const struct pingo_history *h, char *text)
{
    struct pingo__lab_future f;
    assert_int_equal(pingo__lab_future_init(&f, h, NULL), 0);
    *text = '\0';
    for (uint32_t v = 0; v < pingo_history_count_actions(h); v++) {
        uint32_t at = pingo__lab_future_next(&f, v, 0);
        if (at == PINGO_HISTORY_NONE)
            continue;
        text += sprintf(text, "%s:", name_of(h, v));
        for (; at != PINGO_HISTORY_NONE; at = pingo__lab_future_next(&f, v, at + 1))
            text += sprintf(text, "%u,", at);
        text[-1] = ' ';
    }
    pingo__lab_future_clear(&f);
}

static const struct {
    const char *what, *lines[5], *expected;
} rows[] = {
    {"nothing new, no demand", {"a/1/1 b/1/1*<a", "a b<a"}, ""},
    {"a child never seen before", {"a/1/1 b/1/1*<a", "a c/1/1*<a", "a d/1/1*<a e/1/1*<a"}, "a:1,2 "},
    {"made in the same submission", {"a/1/1 b/1/1*<a", "c/1/1 d/1/1*<c"}, ""},
    {"through a new one", {"a/1/1 b/1/1*<a", "a c/1/1<a d/1/1*<c", "a c<a e/1/1*<c"}, "a:1 c:2 "},
    {"asked for itself", {"a/1/1 b/1/1*<a", "a*"}, "a:1 "},
    {"a leaf stays, whoever asks again", {"a/1/1*", "a*", "a*"}, ""},
    {"a forced child", {"a/1/1 b/1/1<a c/1/1*<b", "a b!<a c*<b", "a b<a c*<b"}, "a:1 "},
    {"forced, children first", {"a/1/1 b/1/1<a c/1/1<b d/1/1*<c", "d c b! a"}, "a:1 "},
    {"below what is forced", {"a/1/1 b/1/1 c/1/1<a,b d/1/1*<c", "a b! c d"}, "a:1 "},
};

static void test_future__knows_who_demands_what(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo_history *h;
        char text[256];
        assert_int_equal(pingo_history_new(&h, NULL), 0);
        for (size_t k = 0; rows[i].lines[k] != NULL; k++)
            story_submit(h, rows[i].lines[k]);
        demands(h, text);
        if (strcmp(text, rows[i].expected) != 0)
            fail_msg("%s: %s, not %s", rows[i].what, text, rows[i].expected);
        pingo_history_free(h);
    }
}

static void test_future__finds_the_next_demand_from_anywhere(void **state)
{
    struct pingo_history *h;
    struct pingo__lab_future f;
    (void)state;
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    assert_int_equal(pingo__lab_future_init(&f, h, NULL), 0); /* of nothing */
    pingo__lab_future_clear(&f);
    story_submit(h, "z/1/1* a/1/1 b/1/1*<a");
    for (int i = 1; i < 10; i++) /* a is demanded by 1, 4 and 7 */
        story_submit(h, i == 1   ? "a c/1/1*<a"
                        : i == 4 ? "a d/1/1*<a"
                        : i == 7 ? "a e/1/1*<a"
                                 : "z");
    uint32_t a = 1, z = 0;
    assert_int_equal(pingo__lab_future_init(&f, h, NULL), 0);
    for (uint32_t from = 0; from < 12; from++) {
        uint32_t expected = from <= 1 ? 1 : from <= 4 ? 4 : from <= 7 ? 7 : PINGO_HISTORY_NONE;
        assert_int_equal(pingo__lab_future_next(&f, a, from), expected);
        assert_int_equal(pingo__lab_future_next(&f, z, from), PINGO_HISTORY_NONE);
    }
    pingo__lab_future_clear(&f);
    pingo__lab_future_clear(&f); /* again is fine */
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_future__knows_who_demands_what),
        cmocka_unit_test(test_future__finds_the_next_demand_from_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
