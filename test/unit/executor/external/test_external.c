/* test_external.c - jobs that are handed to an embedder: which it is given, may start and must end, and when what is kept
 * of them goes.  With a store and a scheduler: test/unit/engine/test_external.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "executor/external/external.h"

#define KEY(n) ((struct pingo_job_key){n, 1})

struct box {
    const struct pingo_executor_type *type;
    struct pingo__external *x;
    char started[64], ended[64]; /* "1 2 ": by the last collect */
    struct pingo_job_end end;    /* the last one */
};

static int set_up(void **state)
{
    static struct box box;
    void *executor = NULL;
    memset(&box, 0, sizeof box);
    box.type = &pingo__executor_external;
    int rc = box.type->open(NULL, &executor, NULL);
    box.x = executor;
    *state = &box;
    return rc;
}

static int tear_down(void **state)
{
    struct box *b = *state;
    b->type->close(b->x);
    return 0;
}

static void take(struct box *b, int64_t action)
{
    const struct pingo_job job = {.key = KEY(action), .name = "a", .time_limit_ms = 1000};
    assert_int_equal(b->type->start(b->x, &job, NULL), 0);
}

/* Takes it, and hands it to the embedder. */
static void give(struct box *b, int64_t action)
{
    take(b, action);
    assert_int_equal(pingo__executor_external_next(b->x)->key.action, action);
}

static void on_started(void *context, struct pingo_job_key key)
{
    struct box *b = context;
    size_t n = strlen(b->started);
    snprintf(b->started + n, sizeof b->started - n, "%d ", (int)key.action);
}

static void on_ended(void *context, const struct pingo_job_end *end)
{
    struct box *b = context;
    size_t n = strlen(b->ended);
    snprintf(b->ended + n, sizeof b->ended - n, "%d ", (int)end->key.action);
    b->end = *end;
}

static void collect(struct box *b)
{
    const struct pingo_executor_reports reports = {
        .context = b, .started = on_started, .ended = on_ended};
    *b->started = *b->ended = '\0';
    assert_int_equal(b->type->collect(b->x, &reports, NULL), 0);
}

static bool revoke(struct box *b, int64_t action)
{
    bool revoked = false;
    assert_int_equal(b->type->revoke(b->x, KEY(action), "/nowhere", &revoked, NULL), 0);
    return revoked;
}

static void end(struct box *b, int64_t action, enum pingo_end_reason reason)
{
    struct pingo_job_end e = {.size = sizeof e, .key = KEY(action), .reason = reason};
    memset(e.message, 'm', sizeof e.message); /* and no NUL */
    pingo__executor_external_end(b->x, &e);
}

/* What must be ended or dropped now: "ACTION:REASON ". */
static void expect_kills(struct box *b, const char *kills)
{
    char text[64] = "";
    struct pingo_job_key key;
    int reason;
    while (pingo__executor_external_next_kill(b->x, &key, &reason))
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d:%d ", (int)key.action, reason);
    assert_string_equal(text, kills);
}

static void test_external__each_is_given_once_in_order(void **state)
{
    struct box *b = *state;
    assert_null(pingo__executor_external_next(b->x));
    for (int64_t i = 1; i <= 4; i++)
        take(b, i);
    for (int64_t i = 1; i <= 2; i++)
        assert_int_equal(pingo__executor_external_next(b->x)->key.action, i);
    b->type->forget(b->x, KEY(2)); /* the one that was given last is gone */
    assert_true(revoke(b, 3));     /* and the one behind it was taken back */
    assert_int_equal(pingo__executor_external_next(b->x)->key.action, 4);
    assert_null(pingo__executor_external_next(b->x));
    take(b, 5);
    assert_int_equal(pingo__executor_external_next(b->x)->key.action, 5);
    assert_null(pingo__executor_external_next(b->x));
}

/* Nothing of a copy leads to the memory of who handed it over. */
static void test_external__a_job_is_copied(void **state)
{
    struct box *b = *state;
    char name[] = "name", payload[] = "payload", in[] = "in", target[] = "/target", *place = target;
    const char *const words[] = {"x", NULL};
    const struct pingo_counter licences[] = {{.name = name, .n = 1}};
    const struct pingo_job_link links[] = {{.name = in, .target = target, .mark = 7}};
    const struct pingo_job job = {.key = KEY(1),
                                  .name = name,
                                  .payload = payload,
                                  .argv = words,
                                  .env = words,
                                  .readable = words,
                                  .links = links,
                                  .nlinks = 1,
                                  .licences = licences,
                                  .nlicences = 1,
                                  .places = (const char *const *)&place,
                                  .attempt_place = target,
                                  .staged_place = target,
                                  .attempt = 3};
    assert_int_equal(b->type->start(b->x, &job, NULL), 0);
    *name = *payload = *in = *target = '?';
    const struct pingo_job *own = pingo__executor_external_next(b->x);
    assert_string_equal(own->name, "name");
    assert_string_equal(own->payload, "payload");
    assert_int_equal(own->nlinks, 1);
    assert_string_equal(own->links[0].name, "in");
    assert_string_equal(own->links[0].target, "/target");
    assert_int_equal(own->attempt, 3);
    assert_null(own->user);
    assert_true(own->argv != words && own->env != words && own->readable != words);
    assert_string_equal(own->places[0], "/target");
    assert_string_equal(own->attempt_place, "/target");
    assert_string_equal(own->staged_place, "/target");
    assert_string_equal(own->licences[0].name, "name");
}

static void test_external__from_start_to_end(void **state)
{
    struct box *b = *state;
    give(b, 1);
    assert_true(pingo__executor_external_may_start(b->x, KEY(1)));
    assert_false(pingo__executor_external_may_start(b->x, KEY(2))); /* nobody knows it */
    collect(b);
    assert_string_equal(b->started, "");
    pingo__executor_external_start(b->x, KEY(1), 50);
    pingo__executor_external_start(b->x, KEY(2), 50);
    collect(b);
    assert_string_equal(b->started, "1 ");
    assert_false(revoke(b, 1)); /* it has started */
    assert_int_equal(b->type->timeout_ms(b->x), -1);
    end(b, 1, PINGO_END_EXITED);
    end(b, 1, PINGO_END_LOST); /* the first one counts */
    end(b, 2, PINGO_END_LOST);
    assert_false(pingo__executor_external_may_start(b->x, KEY(1)));
    assert_int_equal(b->type->timeout_ms(b->x), 0);
    for (int i = 0; i < 2; i++) { /* told until it was taken */
        collect(b);
        assert_string_equal(b->ended, "1 ");
    }
    assert_int_equal(b->end.reason, PINGO_END_EXITED);
    assert_int_equal(strlen(b->end.message), sizeof b->end.message - 1);
    b->type->forget(b->x, KEY(1));
    collect(b);
    assert_string_equal(b->ended, "");
    assert_int_equal(b->type->poll_fd(b->x), -1);
}

/* An end of an embedder that knows a shorter one: what it does not know is not read. */
static void test_external__an_end_of_another_age(void **state)
{
    struct box *b = *state;
    struct pingo_job_end e = {.key = KEY(1), .exit_code = 3, .node = "unread"};
    e.size = offsetof(struct pingo_job_end, node);
    give(b, 1);
    pingo__executor_external_end(b->x, &e);
    collect(b);
    assert_int_equal(b->end.exit_code, 3);
    assert_string_equal(b->end.node, "");
}

static void test_external__what_was_given_is_dropped_when_it_is_known(void **state)
{
    struct box *b = *state;
    give(b, 1);
    assert_true(revoke(b, 1));
    assert_true(revoke(b, 1)); /* again */
    assert_false(pingo__executor_external_may_start(b->x, KEY(1)));
    collect(b);
    assert_true(revoke(b, 1)); /* nothing is known of it any more */
    expect_kills(b, "");       /* who wanted to start it has heard it */
    for (int64_t i = 2; i <= 4; i++)
        give(b, i);
    assert_true(revoke(b, 2));
    expect_kills(b, "2:4 "); /* PINGO_KILL_REVOKED */
    expect_kills(b, "");
    assert_true(revoke(b, 3));
    end(b, 3, PINGO_END_EXITED); /* nobody waits for it */
    pingo__executor_external_give_up(b->x, KEY(4));
    collect(b);
    assert_string_equal(b->ended, "");
    expect_kills(b, "");
    for (int64_t i = 2; i <= 4; i++)
        assert_false(pingo__executor_external_may_start(b->x, KEY(i)));
}

/* What may have started stays until its end. */
static void test_external__what_has_started_is_not_given_up(void **state)
{
    struct box *b = *state;
    give(b, 1);
    pingo__executor_external_start(b->x, KEY(1), 50);
    pingo__executor_external_give_up(b->x, KEY(1));
    pingo__executor_external_give_up(b->x, KEY(9));
    collect(b);
    assert_string_equal(b->started, "1 ");
    end(b, 1, PINGO_END_EXITED);
    collect(b);
    assert_string_equal(b->ended, "1 ");
}

static void test_external__kills_are_told_once(void **state)
{
    struct box *b = *state;
    for (int64_t i = 1; i <= 3; i++)
        give(b, i);
    pingo__executor_external_start(b->x, KEY(2), 50);
    end(b, 3, PINGO_END_EXITED);
    for (int64_t i = 1; i <= 4; i++)
        assert_int_equal(b->type->kill(b->x, KEY(i), NULL), 0);
    assert_false(pingo__executor_external_may_start(b->x, KEY(1)));
    expect_kills(b, "1:0 2:0 "); /* the store knows why; the third is over */
    expect_kills(b, "");
}

static void test_external__limits(void **state)
{
    struct box *b = *state;
    for (int64_t i = 1; i <= 4; i++)
        give(b, i);
    pingo__executor_external_start(b->x, KEY(1), 5000); /* the job's: 1000 */
    pingo__executor_external_limit(b->x, KEY(2), 2000); /* its own */
    pingo__executor_external_start(b->x, KEY(2), 5000);
    pingo__executor_external_start(b->x, KEY(3), 5000);
    assert_int_equal(b->type->kill(b->x, KEY(3), NULL), 0);
    pingo__executor_external_look_at_limits(b->x, 5999);
    expect_kills(b, "3:0 ");
    pingo__executor_external_look_at_limits(b->x, 6000);
    expect_kills(
        b, "1:3 "); /* PINGO_KILL_TIME_LIMIT; the third was killed before, the fourth has not begun */
    pingo__executor_external_look_at_limits(b->x, 7000);
    expect_kills(b, "2:3 ");
    end(b, 1, PINGO_END_KILLED);
    collect(b);
    assert_int_equal(b->end.reason, PINGO_END_TIME_LIMIT); /* that was why */
    b->type->forget(b->x, KEY(1));
    end(b, 3, PINGO_END_KILLED);
    collect(b);
    assert_int_equal(b->end.reason, PINGO_END_KILLED);
    b->type->forget(b->x, KEY(3));
    end(b, 2, PINGO_END_EXITED); /* it was done in time all the same */
    collect(b);
    assert_int_equal(b->end.reason, PINGO_END_EXITED);
}

/* What an earlier process handed out is here until the embedder says what became of it. */
static void test_external__adopted(void **state)
{
    struct box *b = *state;
    const struct pingo_job_key keys[] = {KEY(1), KEY(2), KEY(3)};
    bool found[3] = {false};
    const void *at = NULL;
    struct pingo_job_key key;
    take(b, 9);
    assert_int_equal(b->type->adopt(b->x, keys, 3, found, NULL), 0);
    assert_true(found[0] && found[1] && found[2]);
    assert_int_equal(pingo__executor_external_next(b->x)->key.action, 9); /* they are with it */
    assert_null(pingo__executor_external_next(b->x));
    assert_false(revoke(b, 1));
    pingo__executor_external_give_up(b->x, KEY(1));
    end(b, 2, PINGO_END_LOST);
    for (int64_t i = 1; i <= 3; i += 2) {
        assert_true(pingo__executor_external_adopted(b->x, &at, &key));
        assert_int_equal(key.action, i);
    }
    assert_false(pingo__executor_external_adopted(b->x, &at, &key));
    collect(b);
    assert_string_equal(b->ended, "2 ");
    assert_int_equal(b->type->kill(b->x, KEY(3), NULL), 0);
    expect_kills(b, "3:0 ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_external__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(each_is_given_once_in_order),
        TEST(a_job_is_copied),
        TEST(from_start_to_end),
        TEST(an_end_of_another_age),
        TEST(what_was_given_is_dropped_when_it_is_known),
        TEST(what_has_started_is_not_given_up),
        TEST(kills_are_told_once),
        TEST(limits),
        TEST(adopted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
