/* test_provenance.c - where a dataset comes from: its ancestors, the nearest first. */
#include "unit/engine/look/told.h"

static int on_ancestor(void *context, const struct pingo_provenance *p)
{
    add(context, "%s/%zu ", p->name, p->depth);
    return 0;
}

static void test_provenance__ancestors_as_far_as_asked_for(void **state)
{
    struct box *b = box_new();
    struct pingo_provenance_query q = {.version = 1};
    struct pingo_error err;
    bool more = true;

    UNUSED(state);
    box_submit(
        b, W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))) "," A(4, P(FROM(3) "," FROM(1)))));
    well(pingo_store_resolve_dataset(b->store, "1", "a4", &q.hash, &err), &err);
    q.more = &more;
    static const struct {
        bool is_bounded;
        size_t depth, limit;
        const char *text;
        bool more;
    } rows[] = {
        {false, 0, 0, "a4/0 a1/1 a3/1 a2/2 ", false}, {true, 0, 0, "a4/0 ", true},
        {true, 1, 0, "a4/0 a1/1 a3/1 ", true},        {true, 2, 0, "a4/0 a1/1 a3/1 a2/2 ", false},
        {true, 9, 0, "a4/0 a1/1 a3/1 a2/2 ", false},  {false, 0, 3, "a4/0 a1/1 a3/1 ", true},
        {false, 0, 4, "a4/0 a1/1 a3/1 a2/2 ", false}, {false, 0, 1, "a4/0 ", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t = {.n = 0};

        q.is_bounded = rows[i].is_bounded;
        q.depth = rows[i].depth;
        q.limit = rows[i].limit;
        well(pingo_store_provenance(b->store, &q, on_ancestor, &t, &err), &err);
        if (strcmp(t.text, rows[i].text) != 0 || more != rows[i].more)
            fail_msg("row %zu: %s %d", i, t.text, more);
    }
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_provenance__ancestors_as_far_as_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
