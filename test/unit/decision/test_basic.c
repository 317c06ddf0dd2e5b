/* test_basic.c - opening, observing and presence as most algorithms have them: an error changes nothing. */
#include "unit/decision/submissions.h"

#include "decision/algorithms/basic.h"

/* As an algorithm's: what is stored comes first. */
struct state {
    struct pingo__decision_stored stored;
    double own[4];
};

static const struct pingo__decision_kind kind = {.size = sizeof(struct state)};

static struct state *open_state(const struct pingo_history *h, uint32_t reach)
{
    void *made = NULL;
    assert_int_equal(pingo__decision_basic_open(h, &kind, reach, &made, NULL), 0);
    return made;
}

static void test_basic__opens_an_empty_state(void **state)
{
    (void)state;
    static const double zero[4];
    struct pingo_history *h = new_history();
    struct state *s = open_state(h, 5);
    assert_memory_equal(s->own, zero, sizeof zero);
    assert_ptr_equal(s->stored.history, h);
    assert_ptr_equal(s->stored.kind, &kind);
    assert_int_equal(s->stored.reach, 5);
    assert_int_equal(s->stored.nobserved, 0);
    pingo__decision_basic_close(s);
    pingo__decision_basic_close(NULL);
    pingo_history_free(h);
}

static void test_basic__observes_one_after_the_other(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_error err = {0};
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<:S"), 0);
    assert_int_equal(submit(h, 2, "u", "w", "c<:C a:S b:J"), 0);
    struct state *s = open_state(h, 0);
    assert_int_equal(pingo__decision_basic_observe(s, 2, &err), PINGO_EINVAL);
    assert_string_equal(err.message, "the history has no submission 2");
    assert_int_equal(s->stored.nobserved, 0);
    assert_int_equal(pingo__decision_basic_observe(s, 0, &err), 0);
    assert_int_equal(s->stored.nobserved, 1);
    assert_int_equal(s->stored.nknown, 2);
    assert_true(s->stored.capacity >= 2);
    assert_int_equal(s->stored.last_use[0], 1);
    assert_int_equal(s->stored.last_use[1], 0); /* skipped */
    assert_int_equal(pingo__decision_basic_observe(s, 1, &err), 0);
    assert_int_equal(s->stored.nknown, 3);
    assert_int_equal(s->stored.last_use[0], 1);
    assert_int_equal(s->stored.last_use[1], 2);
    assert_int_equal(s->stored.last_use[2], 2);
    pingo__decision_basic_close(s);
    pingo_history_free(h);
}

/* To read one makes room for what it brings, and takes nothing in. */
static void test_basic__reads_without_taking_in(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    struct pingo_history_submission w = {.size = sizeof w};
    struct pingo_error err = {0};
    char text[16];
    for (int i = 0; i < 200; i++) {
        snprintf(text, sizeof text, "n%d<:C", i);
        assert_int_equal(submit(h, 1, "u", "w", text), 0);
    }
    struct state *s = open_state(h, 0);
    assert_int_equal(pingo__decision_basic_read(&s->stored, 199, &w, &err), 0);
    assert_int_equal(w.nknown, 200);
    assert_true(s->stored.capacity >= 200);
    assert_int_equal(s->stored.nobserved, 0);
    assert_int_equal(s->stored.nknown, 0);
    assert_int_equal(s->stored.last_use[199], 0);
    pingo__decision_basic_close(s);
    pingo_history_free(h);
}

static void test_basic__knows_what_is_there(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<:C"), 0);
    struct state *s = open_state(h, 0);
    assert_int_equal(pingo__decision_basic_observe(s, 0, NULL), 0);
    for (int again = 0; again < 2; again++)
        assert_int_equal(pingo__decision_basic_present(s, 1, NULL), 0);
    assert_int_equal(s->stored.npresent, 1);
    assert_false(pingo__decision_bit(s->stored.present, 0));
    assert_true(pingo__decision_bit(s->stored.present, 1));
    for (int again = 0; again < 2; again++)
        pingo__decision_basic_missing(s, 1, again);
    assert_int_equal(s->stored.npresent, 0);
    assert_false(pingo__decision_bit(s->stored.present, 1));
    pingo__decision_basic_close(s);
    pingo_history_free(h);
}

static void test_basic__tells_the_last_use(void **state)
{
    (void)state;
    struct pingo_history *h = new_history();
    char text[48], tiny[5];
    assert_int_equal(submit(h, 1, "u", "w", "a<:C b<:S"), 0);
    assert_int_equal(submit(h, 1, "u", "w", "b:S"), 0);
    struct state *s = open_state(h, 0);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pingo__decision_basic_observe(s, i, NULL), 0);
    pingo__decision_basic_tell_use(&s->stored, 0, text, sizeof text);
    assert_string_equal(text, "last used 1 submission ago");
    pingo__decision_basic_tell_use(&s->stored, 1, text, sizeof text);
    assert_string_equal(text, "used by no known submission");
    pingo__decision_basic_tell_use(&s->stored, 1, tiny, sizeof tiny);
    assert_string_equal(tiny, "used");
    pingo__decision_basic_close(s);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basic__opens_an_empty_state),
        cmocka_unit_test(test_basic__observes_one_after_the_other),
        cmocka_unit_test(test_basic__reads_without_taking_in),
        cmocka_unit_test(test_basic__knows_what_is_there),
        cmocka_unit_test(test_basic__tells_the_last_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
