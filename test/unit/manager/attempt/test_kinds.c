/* test_kinds.c - what cannot start is read once, and all start as if it were read each time: fitting.c, looked.c. */
#include "unit/engine/box.h"

#include "manager/attempt/flight.h"

enum { WAITING = 300 };

#define ACTION "{'id':%d,'name':'%c%d','type':'command-line','command':['%c','%d']%s}"

/* n actions named by this letter; what the i-th is besides says more[i % nmore], with single quotes. */
static void submit_many(struct box *b, char letter, int n, const char *const *more, int nmore)
{
    struct pingo__buffer text = {0};

    pingo__buffer_format(&text, "{'name':'%c','actions':[", letter);
    for (int i = 0; i < n; i++)
        pingo__buffer_format(&text, "%s" ACTION, i ? "," : "", i, letter, i, letter, i,
                             more[i % nmore]);
    pingo__buffer_format(&text, "]}");
    assert_false(text.failed);
    box_submit(b, text.data);
    pingo__buffer_clear(&text);
}

static const char *const gpu[] = {",'resources':{'gpus':1}"};
static const char *const nothing[] = {""};

/* What it takes to find out anew whether any can start. */
static int64_t look(struct box *b, bool expected)
{
    struct pingo__arena arena = {0};
    struct pingo_error err;
    size_t nclaim = 0;
    bool any = !expected;
    int64_t before = box_steps(b);

    b->s->actions.looked.known = false;
    well(pingo__manager_claim_look(&b->s->actions, &nclaim, &any, &arena, &err), &err);
    pingo__arena_clear(&arena);
    assert_true(any == expected);
    return box_steps(b) - before;
}

static void test_kinds__rows_are_read_once(void **state)
{
    struct box *b = box_new();

    UNUSED(state);
    b->fake.counted = 1;
    submit_many(b, 'w', WAITING, gpu, 1);
    box_tick(b);
    pingo__manager_looked_clear(&b->s->actions.looked);
    int64_t all = look(b, false);
    assert_true(look(b, false) < all / 3);
    submit_many(b, 'x', 2, nothing, 1); /* what else comes and goes changes nothing of it */
    assert_true(look(b, true) < all / 3);
    box_tick(b);
    box_finish(b, "x1");
    assert_true(look(b, false) < all / 3);
    box_finish(b, b->fake.jobs[0].name);
    assert_int_equal(b->fake.n, 4);
    assert_true(look(b, false) < all / 3);
    box_close(b);
}

static void test_kinds__what_others_run_is_read_once(void **state)
{
    struct box *b = box_new();
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_set(b->store, "executor", "slurm", &err), &err);
    submit_many(b, 'w', WAITING, nothing, 1);
    box_tick(b);
    assert_int_equal(b->fake.n, 0);
    pingo__manager_looked_clear(&b->s->actions.looked);
    int64_t all = look(b, false);
    assert_true(look(b, false) < all / 3);
    well(pingo_store_set(b->store, "executor", NULL, &err), &err);
    box_tick(b);
    assert_true(b->fake.n > 0);
    box_close(b);
}

/* A commit of another process may have changed any of them. */
static void test_kinds__what_others_change_is_unknown(void **state)
{
    struct box *b = box_new(), *c = calloc(1, sizeof *c);

    UNUSED(state);
    assert_non_null(c);
    b->fake.counted = 1;
    submit_many(b, 'w', WAITING, gpu, 1);
    box_tick(b);
    int64_t once = look(b, false);
    memcpy(c->dir, b->dir, sizeof c->dir);
    memcpy(c->root, b->root, sizeof c->root);
    box_open_store(c);
    submit_many(c, 'x', 1, gpu, 1);
    assert_true(look(b, false) > 3 * once);
    assert_true(look(b, false) < 2 * once);
    pingo_store_close(c->store);
    free(c);
    box_close(b);
}

/* ---- as if there were none ------------------------------------------------------------------- */

static const char *const kinds[] = {
    "",
    ",'resources':{'gpus':1}",
    ",'resources':{'gpus':2}",
    ",'resources':{'licences':{'x':1}}",
    ",'resources':{'licences':{'x':2,'y':1}}",
    ",'resources':{'gpus':1,'licences':{'y':2}}",
};
enum { KINDS = 6, ACTIONS = 60, STEPS = 300 };

/* A job that has not ended, the one after the first so many of them; NULL: none runs. */
static const struct job *pick(const struct box *b, unsigned skip)
{
    const struct job *found[64];
    unsigned n = 0;

    for (size_t i = 0; i < b->fake.n; i++)
        if (!b->fake.jobs[i].ended && !b->fake.jobs[i].revoked && n < 64)
            found[n++] = &b->fake.jobs[i];
    return n ? found[skip % n] : NULL;
}

/* Starts in the order in which they come, of a history that seed chooses. */
static struct box *run(unsigned seed, bool forgets)
{
    struct box *b = box_new();
    char letter = 'a';

    b->fake.counted = 3;
    for (int i = 0; i < STEPS; i++) {
        seed = seed * 1103515245 + 12345;
        unsigned dice = (seed >> 16) % 100;
        const struct job *job = pick(b, seed >> 20);
        if (forgets)
            pingo__manager_looked_clear(&b->s->actions.looked);
        if (dice < 3 && letter <= 'f')
            submit_many(b, letter++, ACTIONS, kinds, KINDS);
        else if (dice < 6)
            b->fake.counted = 2 + dice % 3;
        else if (job)
            box_finish(b, job->name);
        else
            box_tick(b);
    }
    return b;
}

static void test_kinds__all_start_as_if_there_were_none(void **state)
{
    UNUSED(state);
    for (unsigned seed = 1; seed <= 4; seed++) {
        struct box *b = run(seed, false), *c = run(seed, true);
        assert_true(b->fake.n > STEPS / 2);
        assert_int_equal(b->fake.n, c->fake.n);
        for (size_t i = 0; i < b->fake.n; i++)
            assert_string_equal(b->fake.jobs[i].name, c->fake.jobs[i].name);
        box_close(b);
        box_close(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds__rows_are_read_once),
        cmocka_unit_test(test_kinds__what_others_run_is_read_once),
        cmocka_unit_test(test_kinds__what_others_change_is_unknown),
        cmocka_unit_test(test_kinds__all_start_as_if_there_were_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
