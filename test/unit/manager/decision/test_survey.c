/* test_survey.c - what a decision looks at: gone on with, a survey is what a new one would be, whatever happened meanwhile; and
 * nothing that is held is chosen. */
#include "unit/engine/box.h"

#include "manager/decision/survey.h"

static void open_survey(struct pingo__manager_survey *s, struct box *b, const char *algorithm)
{
    struct pingo_error err;
    pingo__manager_survey_init(s, &b->s->context);
    well(pingo__manager_survey_use(s, algorithm, &err), &err);
}

static void choose(struct pingo__manager_survey *s, int64_t old_leaf_ms, int64_t bytes,
                   struct pingo__manager_choice *choice)
{
    struct pingo_error err;
    *choice = (struct pingo__manager_choice){.n = 0};
    well(pingo__manager_survey_read(s, old_leaf_ms, &err), &err);
    well(pingo__manager_survey_choose(s, bytes, choice, &err), &err);
    assert_false(s->at_fault);
}

/* The names of the actions whose datasets go, in order. */
static void goes(struct box *b, const struct pingo__manager_choice *choice, const char *names)
{
    char all[128] = "";
    for (size_t i = 0; i < choice->n; i++) {
        sqlite3_stmt *stmt = NULL;
        assert_int_equal(sqlite3_prepare_v2(b->store->db.sqlite,
                                            "SELECT name FROM node WHERE hash = ? LIMIT 1", -1,
                                            &stmt, NULL),
                         SQLITE_OK);
        sqlite3_bind_blob(stmt, 1, choice->victims[i].hash.bytes, PINGO_HASH_SIZE, SQLITE_STATIC);
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "",
                 (const char *)sqlite3_column_text(stmt, 0));
        sqlite3_finalize(stmt);
    }
    assert_string_equal(all, names);
}

/* The one that was there all the time, and a new one. */
static void are_alike(struct box *b, struct pingo__manager_survey *warm, const char *algorithm,
                      int64_t bytes)
{
    struct pingo__manager_survey cold;
    struct pingo__manager_choice a, z;
    open_survey(&cold, b, algorithm);
    choose(warm, -1, bytes, &a);
    choose(&cold, -1, bytes, &z);
    assert_int_equal(a.n, z.n);
    assert_int_equal(a.together_ms, z.together_ms);
    for (size_t i = 0; i < a.n; i++) {
        assert_memory_equal(&a.victims[i].hash, &z.victims[i].hash, sizeof z.victims[i].hash);
        assert_memory_equal(&a.victims[i].score, &z.victims[i].score, sizeof(double));
        assert_int_equal(a.victims[i].size_bytes, z.victims[i].size_bytes);
        assert_int_equal(a.victims[i].remake_ms, z.victims[i].remake_ms);
        assert_string_equal(a.victims[i].reason, z.victims[i].reason);
    }
    assert_memory_equal(&warm->usage, &cold.usage, sizeof cold.usage);
    assert_memory_equal(&warm->held_bytes, &cold.held_bytes, sizeof cold.held_bytes);
    assert_int_equal(warm->present.npresent, cold.present.npresent);
    pingo__manager_choice_clear(&a);
    pingo__manager_choice_clear(&z);
    pingo__manager_survey_clear(&cold);
}

static void submit_and_finish(struct box *b, const char *text)
{
    box_submit(b, text);
    box_finish_all(b);
}

#define FOUR W(A(1, "") "," A(2, "") "," A(3, P(FROM(1) "," FROM(2))) "," A(4, P(FROM(3))))

static void test_survey__gone_on_with_it_is_what_a_new_one_is(void **state)
{
    static const char *const algorithms[] = {"chain", "lru", "dtr", "largest-first",
                                             "most-commonly-used"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        struct box *b = box_new();
        struct pingo__manager_survey warm;
        const char *with = algorithms[i];
        open_survey(&warm, b, with);
        assert_string_equal(pingo__manager_survey_algorithm(&warm), with);
        are_alike(b, &warm, with, 1); /* of nothing */
        submit_and_finish(b, FOUR);
        are_alike(b, &warm, with, 1);
        submit_and_finish(b, W(A(1, "") "," A(5, P(FROM(1))) "," A(6, P(FROM(5)))));
        are_alike(b, &warm, with, 1000000);
        box_run(b, "UPDATE dataset SET pinned = 1 WHERE id = 2");
        are_alike(b, &warm, with, 1000000);
        box_run(b, "UPDATE dataset SET pinned = 0 WHERE id = 2");
        are_alike(b, &warm, with, 3);
        box_submit(b,
                   W(A(3, P(FROM(1) "," FROM(2))) "," A(1, "") "," A(2, "") "," A(7, P(FROM(3)))));
        are_alike(b, &warm, with, 1000000); /* a3 is claimed */
        box_finish_all(b);
        are_alike(b, &warm, with, 4);
        pingo__manager_survey_clear(&warm);
        box_close(b);
    }
}

static void test_survey__what_is_held_stays(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_survey s;
    struct pingo__manager_choice choice;
    UNUSED(state);
    submit_and_finish(b, FOUR); /* a4 is a leaf */
    open_survey(&s, b, "lru");
    choose(&s, -1, 1000000, &choice);
    assert_int_equal(choice.n, 3);
    pingo__manager_choice_clear(&choice);
    box_run(b, "UPDATE dataset SET pinned = 1 WHERE id = 1");
    box_run(b, "INSERT INTO claim(dataset, action) VALUES(2, 4)");
    choose(&s, -1, 1000000, &choice);
    goes(b, &choice, "a3");
    assert_int_equal(choice.victims[0].size_bytes, 2);
    assert_non_null(choice.victims[0].reason);
    pingo__manager_choice_clear(&choice);
    choose(&s, -1, 0, &choice); /* nothing is to be freed */
    assert_int_equal(choice.n, 0);
    pingo__manager_choice_clear(&choice);
    box_run(b, "DELETE FROM claim");
    box_run(b, "UPDATE dataset SET pinned = 0");
    choose(&s, INT64_MAX, 1000000, &choice); /* and leaves that have become old */
    assert_int_equal(choice.n, 4);
    pingo__manager_choice_clear(&choice);
    choose(&s, -1, 1000000, &choice); /* which may stay again */
    assert_int_equal(choice.n, 3);
    pingo__manager_choice_clear(&choice);
    pingo__manager_survey_clear(&s);
    box_close(b);
}

/* a1 takes 100 ms, a2 200, and a3, which is made of both, 1000: they go in this order, and a3 when the others have gone, so
 * that it takes 1300 ms.  What is said of each is what its score is made of; and nothing is left of it. */
static void test_survey__says_what_scores_are_made_of(void **state)
{
    static const struct {
        const char *algorithm, *reasons[3];
    } rows[] = {
        {"chain",
         {"workflows (0 missing descendants lean on it), 100 ms to make again (0 missing "
          "ancestors)",
          "workflows (0 missing descendants lean on it), 200 ms to make again (0 missing "
          "ancestors)",
          "workflows (0 missing descendants lean on it), 1300 ms to make again (2 missing"}},
        {"dtr", {"100 ms lean on it", "200 ms lean on it", "1300 ms lean on it"}},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct box *b = box_new();
        struct pingo__manager_survey s;
        struct pingo__manager_choice choice;
        submit_and_finish(b, FOUR);
        box_run(b,
                "UPDATE dataset SET compute_ms = CASE id WHEN 1 THEN 100 WHEN 2 THEN 200 ELSE 1000"
                " END");
        open_survey(&s, b, rows[i].algorithm);
        for (int again = 0; again < 2; again++) {
            choose(&s, -1, 1000000, &choice);
            goes(b, &choice, "a1 a2 a3");
            for (size_t k = 0; k < 3; k++)
                if (!strstr(choice.victims[k].reason, rows[i].reasons[k]))
                    fail_msg("%s, not %s", choice.victims[k].reason, rows[i].reasons[k]);
            assert_int_equal(choice.victims[2].remake_ms, 1300);
            pingo__manager_choice_clear(&choice);
        }
        are_alike(b, &s, rows[i].algorithm, 3);
        pingo__manager_survey_clear(&s);
        box_close(b);
    }
}

/* A victim that went is not chosen again, though the store has not been read anew. */
static void test_survey__what_went_is_gone(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_survey s;
    struct pingo__manager_choice choice;
    struct pingo_error err;
    UNUSED(state);
    submit_and_finish(b, FOUR);
    open_survey(&s, b, "lru");
    for (size_t left = 3; left > 0; left--) {
        if (left == 3)
            choose(&s, -1, 1000000, &choice);
        else
            well(pingo__manager_survey_choose(&s, 1000000, &choice, &err), &err);
        assert_int_equal(choice.n, left);
        uint32_t first = choice.victims[0].dataset;
        pingo__manager_choice_clear(&choice);
        well(pingo__manager_survey_evicted(&s, first, &err), &err);
        assert_false(pingo__decision_bit(s.present.present, first));
    }
    pingo__manager_survey_clear(&s);
    box_close(b);
}

/* What is no algorithm changes nothing; another one knows what the one before it knew. */
static void test_survey__another_algorithm(void **state)
{
    struct box *b = box_new();
    struct pingo__manager_survey s;
    struct pingo__manager_choice choice;
    struct pingo_error err;
    UNUSED(state);
    submit_and_finish(b, FOUR);
    open_survey(&s, b, "lru");
    choose(&s, -1, 1, &choice);
    pingo__manager_choice_clear(&choice);
    assert_true(pingo__manager_survey_use(&s, "none-such", &err) < 0);
    assert_true(pingo__manager_survey_use(&s, "chain:reach=x", &err) < 0);
    assert_string_equal(pingo__manager_survey_algorithm(&s), "lru");
    well(pingo__manager_survey_choose(&s, 1, &choice, &err), &err);
    assert_int_equal(choice.n, 1);
    pingo__manager_choice_clear(&choice);
    well(pingo__manager_survey_use(&s, "largest-first", &err), &err);
    well(pingo__manager_survey_choose(&s, 1000000, &choice, &err), &err);
    assert_int_equal(choice.n, 3);
    pingo__manager_choice_clear(&choice);
    are_alike(b, &s, "largest-first", 1);
    pingo__manager_survey_clear(&s);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_survey__gone_on_with_it_is_what_a_new_one_is),
        cmocka_unit_test(test_survey__what_is_held_stays),
        cmocka_unit_test(test_survey__says_what_scores_are_made_of),
        cmocka_unit_test(test_survey__what_went_is_gone),
        cmocka_unit_test(test_survey__another_algorithm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
