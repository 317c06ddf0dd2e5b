/* test_hooks.c - who was told, or is to be told, that submissions have ended: the newest first, in pages, by state. */
#include "unit/engine/look/told.h"

#include <pingo/feed.h>

static int on_hook(void *context, const struct pingo_hook *h)
{
    add(context, "%lld:%s:%s ", (long long)h->number, pingo_hook_way_name(h->way),
        pingo_hook_state_name(h->state));
    return 0;
}

/* Of the first submission, delivered and given up in turn; of the last one, to be tried. */
static struct box *hooked(int n)
{
    struct box *b = box_new();
    char sql[400];

    box_submit(b, W(A(1, "")));
    snprintf(
        sql, sizeof sql,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " INSERT INTO hook(id, workflow, way, state, target, tries, made_ms, due_ms, done_ms,"
        " message) SELECT i, 1, 1 + i %% 2, iif(i = %d, 1, 2 + i %% 2), 't' || i, 3, 1000 + i, 5,"
        " iif(i = %d, NULL, 7), iif(i %% 2, 'm' || i, '') FROM n",
        n, n, n);
    box_run(b, sql);
    return b;
}

static void expect(struct box *b, struct pingo_hook_query q, const char *text)
{
    struct told t = {.n = 0};
    struct pingo_error err;

    q.version = 1;
    well(pingo_store_hooks(b->store, &q, on_hook, &t, &err), &err);
    assert_string_equal(t.text, text);
}

static void test_hooks__are_told_the_newest_first(void **state)
{
    struct box *b = hooked(4);
    char cursor[PINGO_CURSOR_SIZE] = "";
    struct pingo_hook_query q = {.version = 1, .limit = 3, .after = cursor, .next = cursor};
    struct told t = {.n = 0};
    struct pingo_error err;

    UNUSED(state);
    expect(b, (struct pingo_hook_query){.limit = 0},
           "4:command:pending 3:url:given up 2:command:delivered 1:url:given up ");
    expect(b, (struct pingo_hook_query){.states = 1u << PINGO_HOOK_GIVEN_UP},
           "3:url:given up 1:url:given up ");
    expect(b,
           (struct pingo_hook_query){
               .states = 1u << PINGO_HOOK_PENDING | 1u << PINGO_HOOK_DELIVERED, .limit = 1},
           "4:command:pending ");
    well(pingo_store_hooks(b->store, &q, on_hook, &t, &err), &err);
    assert_int_equal(t.n, 3);
    well(pingo_store_hooks(b->store, &q, on_hook, &t, &err), &err);
    assert_string_equal(t.text,
                        "4:command:pending 3:url:given up 2:command:delivered 1:url:given up ");
    assert_string_equal(cursor, "");
    q.after = "w.1.0.0.0";
    assert_int_equal(pingo_store_hooks(b->store, &q, on_hook, &t, &err), PINGO_EINVAL);
    q.version = 2;
    assert_int_equal(pingo_store_hooks(b->store, &q, on_hook, &t, &err), PINGO_EINVAL);
    assert_int_equal(t.n, 4);
    box_close(b);
}

static int on_last(void *context, const struct pingo_hook *h)
{
    size_t *n = context;

    if (++*n == 1) { /* it waits */
        assert_int_equal(h->workflow, 1);
        assert_string_equal(h->target, "t600");
        assert_int_equal(h->tries, 3);
        assert_int_equal(h->made_ms, 1600);
        assert_int_equal(h->due_ms, 5);
        assert_int_equal(h->done_ms, -1);
        assert_string_equal(h->message, "");
    } else if (*n == 2) {
        assert_int_equal(h->done_ms, 7);
        assert_string_equal(h->message, "m599");
    }
    return *n == 700;
}

/* More than are read at once; query: NULL. */
static void test_hooks__of_many_each_once(void **state)
{
    struct box *b = hooked(600);
    size_t n = 0;
    struct pingo_error err;

    UNUSED(state);
    well(pingo_store_hooks(b->store, NULL, on_last, &n, &err), &err);
    assert_int_equal(n, 600);
    assert_int_equal(pingo_store_hooks(b->store, NULL, on_last, &n, &err), PINGO_EINTERRUPTED);
    assert_int_equal(n, 700);
    box_close(b);
}

static void test_hooks__words_of_what_is_none(void **state)
{
    UNUSED(state);
    assert_null(pingo_hook_state_name(0));
    assert_null(pingo_hook_state_name((enum pingo_hook_state)4));
    assert_null(pingo_hook_state_name((enum pingo_hook_state) - 1));
    assert_null(pingo_hook_way_name(0));
    assert_null(pingo_hook_way_name((enum pingo_hook_way)3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hooks__are_told_the_newest_first),
        cmocka_unit_test(test_hooks__of_many_each_once),
        cmocka_unit_test(test_hooks__words_of_what_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
