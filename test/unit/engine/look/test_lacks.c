/* test_lacks.c - why a READY action is not started: what others hold, or what is kept for who came before. */
#include "unit/engine/box.h"

#include "engine/look/lacks.h"
#include "executor/registry.h"

#define ACTION(id, resources)                                                                      \
    "{'id':" #id ",'name':'a" #id "','type':'command-line','command':': " #id                      \
    "','resources':{" resources "}}"

static void set(struct box *b, const char *key, const char *value)
{
    struct pingo_error err;

    well(pingo_store_set(b->store, key, value, &err), &err);
}

/* So many GPUs and licences, of which the first submission holds what it asks for. */
static struct box *held(const char *gpus, const char *licences, const char *holders)
{
    struct box *b = box_new();

    set(b, PINGO__LOCAL_GPUS, gpus);
    set(b, PINGO__LOCAL_LICENCES, licences);
    b->fake.counted = 9;
    box_submit(b, holders);
    box_tick(b);
    box_run(b, "UPDATE attempt SET executor = 'local'");
    return b;
}

/* Of a row; asked for a second time, it is the same. */
static void expect(struct pingo__engine_lacks *l, int64_t row, const char *want)
{
    for (int i = 0; i < 2; i++) {
        struct pingo__arena arena = {0};
        struct pingo__store_action_row action;
        const char *message = "as it was";
        struct pingo_error err;

        well(pingo__store_action_get(&l->store->db, row, &arena, &action, &err), &err);
        assert_int_equal(action.id, row);
        well(pingo__engine_lacks_tell(l, &action, &arena, &message, &err), &err);
        assert_string_equal(message, want);
        pingo__arena_clear(&arena);
    }
}

static void open_lacks(struct box *b, struct pingo__engine_lacks *l)
{
    struct pingo_error err;

    memset(l, 0, sizeof *l);
    well(pingo__engine_lacks_open(l, b->store, &err), &err);
}

static void test_lacks__what_others_hold(void **state)
{
    struct box *b = held("2", "x=3", W(ACTION(1, "'gpus':1,'licences':{'x':2}")));
    struct pingo__engine_lacks l;

    UNUSED(state);
    box_submit(b, W(ACTION(2, "'gpus':2") "," ACTION(3, "'licences':{'x':2}") "," ACTION(
                      4, "'licences':{'x':1},'gpus':1") "," ACTION(5, "'cpus':1")));
    open_lacks(b, &l);
    expect(&l, 2, "waits for 2 GPUs: 1 of 2 held");
    expect(&l, 3, "waits for 2 of the licence \"x\": 2 of 3 held");
    expect(&l, 5, "as it was");
    pingo__engine_lacks_close(&l);
    box_close(b);
}

/* There would be as much, but it is kept. */
static void test_lacks__what_is_kept_for_who_came_before(void **state)
{
    struct box *b = held("2", "x=1,y=1", W(ACTION(1, "'gpus':1")));
    struct pingo__engine_lacks l;

    UNUSED(state);
    /* The first is that on which another waits. */
    box_submit(b, W(ACTION(2, "'gpus':2") "," ACTION(3, "'gpus':1") "," ACTION(
                      4, "'licences':{'x':1}") "," A(6, P("{'id':2}"))));
    box_submit(b, W(ACTION(5, "'gpus':1")));
    open_lacks(b, &l);
    expect(&l, 3, "waits behind action \"a2\", which waits for 2 GPUs: 1 of 2 held");
    expect(&l, box_int(b, "SELECT id FROM action WHERE workflow = 3"),
           "waits behind action \"a2\" of submission 2, which waits for 2 GPUs: 1 of 2 held");
    expect(&l, 4, "as it was"); /* nothing keeps it */
    pingo__engine_lacks_close(&l);
    box_close(b);
}

/* Of other executors nothing is known, and what there will never be is no wait. */
static void test_lacks__what_is_not_known_here(void **state)
{
    struct box *b = held("1", "x=1", W(ACTION(1, "'gpus':1")));
    struct pingo__engine_lacks l;

    UNUSED(state);
    box_submit(
        b, W(ACTION(2, "'gpus':1") "," ACTION(3, "'gpus':2") "," ACTION(4, "'licences':{'z':1}")));
    open_lacks(b, &l);
    expect(&l, 2, "waits for 1 GPU: 1 of 1 held");
    expect(&l, 3, "as it was");
    expect(&l, 4, "as it was");
    pingo__engine_lacks_close(&l);
    set(b, "executor", "slurm");
    open_lacks(b, &l);
    expect(&l, 2, "as it was");
    pingo__engine_lacks_close(&l);
    box_close(b);
}

static int on_action(void *context, const struct pingo_action_status *s)
{
    snprintf(context, 200, "%s", s->message);
    return 0;
}

/* As a status tells it: what an action waits for goes when it is given back. */
static void test_lacks__stands_in_a_status(void **state)
{
    struct box *b = held("1", "none", W(ACTION(1, "'gpus':1")));
    struct pingo_action_name of = {2, "a2"};
    struct pingo_error err;
    char message[200];

    UNUSED(state);
    box_submit(b, W(ACTION(2, "'gpus':1")));
    well(pingo_store_action(b->store, &of, on_action, message, &err), &err);
    assert_string_equal(message, "waits for 1 GPU: 1 of 1 held");
    box_run(b, "UPDATE attempt SET executor = 'fake'");
    well(pingo_store_action(b->store, &of, on_action, message, &err), &err);
    assert_string_equal(message, "");
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lacks__what_others_hold),
        cmocka_unit_test(test_lacks__what_is_kept_for_who_came_before),
        cmocka_unit_test(test_lacks__what_is_not_known_here),
        cmocka_unit_test(test_lacks__stands_in_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
