/* test_walk.c - which datasets each submission may need, and what follows for every policy. */
#include "unit/lab/story.h"

#include "lab/bound/walk.h"

/* The visits of all submissions: "NAME:need", M made, R remade, N needed, ? maybe; "+SUBMISSION": it can be kept since
 * that one; "*": it is a leaf from here on. */
static void tell(struct pingo__lab_bound_walk *w, char *text)
{
    static const char needs[] = " MRN?";
    uint32_t n = pingo_history_count_submissions(w->history);
    *text = '\0';
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(pingo__lab_bound_walk_look(w, NULL), 0);
        for (size_t k = 0; k < w->nvisits; k++) {
            const struct pingo__lab_bound_visit *v = &w->visits[k];
            assert_true(pingo__lab_bound_is_visited(w, v->action));
            text += sprintf(text, "%s%s:%c", k ? " " : "",
                            (const char *)pingo_history_hash(w->history, v->action)->bytes,
                            needs[v->need]);
            if (v->can_be_kept)
                text += sprintf(text, "+%u", v->since);
            text += sprintf(text, "%s", v->stays ? "*" : "");
        }
        pingo__lab_bound_walk_step(w);
        text += sprintf(text, "%s", i + 1 < n ? " | " : "");
    }
}

static const struct {
    const char *lines[5];
    int64_t budget;
    bool inside;
    const char *expected;
    int64_t capacity;
} rows[] = {
    /* What is made is needed by what it is made for; what leads to it, perhaps. */
    {{"a/10/60 b/20/50<a c/30/10*<b", "a b d/1/1*<b"}, 60, false, "c:M* b:M a:M | d:M* b:N+0 a:?+0", 60},
    /* Too large to be kept: made again, and then what leads to it is needed too. */
    {{"a/10/60 b/20/50<a c/30/10*<b", "a b d/1/1*<b"}, 49, false, "c:M* b:M a:M | d:M* b:R a:R", 49},
    {{"a/10/40 b/20/50<a c/30/10*<b", "a b d/1/1*<b"}, 49, false, "c:M* b:M a:M | d:M* b:R a:N+0", 49},
    /* A maybe that cannot be kept stays one: nobody may ask for it. */
    {{"a/10/60 b/20/50<a c/30/10*<b", "a b d/1/1*<b"}, 50, false, "c:M* b:M a:M | d:M* b:N+0 a:?", 50},
    /* Leaves stay, and inside the budget they take their room for good. */
    {{"a/10/60 b/20/50*<a", "a b*", "a b c/1/1*<b"}, 60, false, "b:M* a:M |  | c:M*", 60},
    {{"a/10/30 b/20/50*<a", "a c/5/40*<a", "a d/1/1*<a"},
     80,
     true,
     "b:M* a:M | c:M* a:N+0 | d:M* a:R",
     0},
    /* What is asked for later is needed, and a leaf from then on. */
    {{"a/10/60 b/20/50<a c/30/10*<b", "a b*", "a b e/2/1*<b"},
     100,
     true,
     "c:M* b:M a:M | b:N+0* a:?+0 | e:M*",
     39},
    /* Forced: what descends from it is made again, and what it is made of is needed. */
    {{"a/10/60 b/20/50<a c/30/10<b d/1/1*<c", "a b! c<b d*<c"},
     100,
     false,
     "d:M* c:M b:M a:M | d:M+0* c:M+0 b:M+0 a:N+0",
     100},
    /* A leaf that is made again takes its room once. */
    {{"a/10/30 b/20/50*<a", "a b!*<a"}, 100, true, "b:M* a:M | b:M+0* a:N+0", 50},
    /* Nothing is asked for: then what has no child in it is, though it stands there twice. */
    {{"a/10/60 b/20/50<a", "a c/1/1<a a", "a"}, 100, false, "b:M* a:M | c:M* a:N+0* | ", 100},
    /* Since its last visit. */
    {{"a/1/5 b/1/1*<a", "a c/1/1*<a", "x/1/1*", "a d/1/1*<a"},
     9,
     false,
     "b:M* a:M | c:M* a:N+0 | x:M* | d:M* a:N+1",
     9},
    /* What is unknown counts as nothing. */
    {{"a/-1/-1 b/-1/-1*<a", "a c/-1/-1*<a"}, 0, true, "b:M* a:M | c:M* a:N+0", 0},
};

static void test_walk__tells_what_each_submission_may_need(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo_history *h = NULL;
        struct pingo__lab_bound_walk walk;
        char text[512];
        assert_int_equal(pingo_history_new(&h, NULL), 0);
        for (size_t k = 0; rows[i].lines[k]; k++)
            story_submit(h, rows[i].lines[k]);
        assert_int_equal(pingo__lab_bound_walk_open(&walk, h, rows[i].budget, rows[i].inside, NULL),
                         0);
        tell(&walk, text);
        if (strcmp(text, rows[i].expected) != 0)
            fail_msg("row %zu: %s", i, text);
        assert_int_equal(walk.capacity_bytes, rows[i].capacity);
        pingo__lab_bound_walk_clear(&walk);
        pingo_history_free(h);
    }
}

static void test_walk__ends_where_the_history_does(void **state)
{
    struct pingo_history *h = NULL;
    struct pingo__lab_bound_walk walk;
    struct pingo_error err = {0};
    (void)state;
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    story_submit(h, "a/1/1*");
    story_submit(h, "b/1/1*");
    assert_int_equal(pingo__lab_bound_walk_open(&walk, h, 9, false, &err), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pingo__lab_bound_walk_look(&walk, &err), 0);
        pingo__lab_bound_walk_step(&walk);
    }
    assert_int_equal(pingo__lab_bound_walk_look(&walk, &err), PINGO_ENOTFOUND);
    assert_string_equal(err.message, "there is no submission 2");
    pingo__lab_bound_walk_clear(&walk);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk__tells_what_each_submission_may_need),
        cmocka_unit_test(test_walk__ends_where_the_history_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
