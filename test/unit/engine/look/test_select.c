/* test_select.c - which actions are meant: by id, by name, by pattern, by label; each once, in the order of the definition,
 * and nothing at all where one word means nothing. */
#include "unit/engine/look/told.h"

static int on_selected(void *context, const struct pingo_selected *s)
{
    add(context, "%s%s%s ", s->name, s->is_wanted ? "!" : "", s->is_named ? "*" : "");
    return 0;
}

struct words {
    const char *actions[4], *labels[3];
};

static int select_of(struct box *b, const struct words *w, struct told *t, struct pingo_error *err)
{
    struct pingo_selection s = {
        .version = 1, .workflow = 1, .actions = w->actions, .labels = w->labels};

    *t = (struct told){.n = 0};
    for (s.nactions = 0; s.nactions < 4 && w->actions[s.nactions];)
        s.nactions++;
    for (s.nlabels = 0; s.nlabels < 3 && w->labels[s.nlabels];)
        s.nlabels++;
    return pingo_store_select(b->store, &s, on_selected, t, err);
}

static void expect(struct box *b, struct words w, const char *text)
{
    struct told t;
    struct pingo_error err;

    well(select_of(b, &w, &t, &err), &err);
    assert_string_equal(t.text, text);
}

static void expect_error(struct box *b, struct words w, int rc, const char *message)
{
    struct told t;
    struct pingo_error err;

    assert_int_equal(select_of(b, &w, &t, &err), rc);
    if (!strstr(err.message, message))
        fail_msg("%s: %s", message, err.message);
    assert_int_equal(t.n, 0);
}

#define L(id, name, labels, more)                                                                  \
    "{'id':" #id ",'name':'" name "','type':'command-line','command':['x" #id                      \
    "'],'labels':{" labels "}" more "}"

static struct box *labelled(void)
{
    struct box *b = box_new();

    box_submit(b,
               W(L(1, "map", "'s':'a1'", "") "," L(2, "map", "'s':'a2','k':''", "") "," L(
                   3, "join", "'s':'b[1]'",
                   P(FROM(1) "," FROM(2))) "," L(4, "3", "", "") "," L(5, "a*", "'ss':'a1'", "")));
    return b;
}

static void test_select__by_words(void **state)
{
    struct box *b = labelled();

    UNUSED(state);
    expect(b, (struct words){{NULL}, {NULL}}, "map map join! 3! a*! ");
    expect(b, (struct words){{"join", "1"}, {NULL}}, "map* join!* ");
    expect(b, (struct words){{"1", "1", "m*"}, {NULL}}, "map* map ");
    expect(b, (struct words){{"m?p", "*"}, {NULL}}, "map map join! 3! a*! ");
    expect(b, (struct words){{"3"}, {NULL}}, "join!* "); /* an id before a name */
    expect(b, (struct words){{"a*"}, {NULL}}, "a*!* ");  /* a name before a pattern */
    expect_error(b, (struct words){{"map"}, {NULL}}, PINGO_EAMBIGUOUS, "map");
    expect_error(b, (struct words){{"1", "nobody"}, {NULL}}, PINGO_ENOTFOUND, "nobody");
    expect_error(b, (struct words){{"1", "n*"}, {NULL}}, PINGO_ENOTFOUND,
                 "no action of workflow 1 has a name like \"n*\"");
    expect_error(b, (struct words){{""}, {NULL}}, PINGO_ENOTFOUND, "");
    box_close(b);
}

static void test_select__by_labels(void **state)
{
    struct box *b = labelled();

    UNUSED(state);
    expect(b, (struct words){{NULL}, {"s=a*"}}, "map map ");
    expect(b, (struct words){{NULL}, {"s=a*", "k="}}, "map ");
    expect(b, (struct words){{"*"}, {"s=b[1]"}}, "join! "); /* as it is before as a pattern */
    expect(b, (struct words){{"2", "join"}, {"s=*2"}}, "map* ");
    expect_error(b, (struct words){{NULL}, {"s=c"}}, PINGO_ENOTFOUND,
                 "no action of workflow 1 has the label s=c");
    expect_error(b, (struct words){{"1"}, {"s=a2", "k="}}, PINGO_ENOTFOUND,
                 "no such action of workflow 1 has the labels s=a2");
    expect_error(b, (struct words){{NULL}, {"s"}}, PINGO_EINVAL, "\"s\" is no label");
    expect_error(b, (struct words){{NULL}, {"=a"}}, PINGO_EINVAL, "\"=a\" is no label");
    expect_error(b, (struct words){{NULL}, {"=", NULL}}, PINGO_EINVAL, "write KEY=VALUE");
    box_close(b);
}

/* Pages of so many, each told with a bar behind it. */
static void expect_pages(struct box *b, struct pingo_selection s, const char *text)
{
    char cursor[PINGO_CURSOR_SIZE] = "", next[PINGO_CURSOR_SIZE];
    struct told t = {.n = 0};
    struct pingo_error err;

    s.version = 2;
    s.workflow = 1;
    s.after = cursor;
    s.next = next;
    do {
        well(pingo_store_select(b->store, &s, on_selected, &t, &err), &err);
        add(&t, "| ");
        strcpy(cursor, next);
    } while (*next);
    assert_string_equal(t.text, text);
}

static void test_select__in_pages(void **state)
{
    static const char *const named[] = {"3", "a*", "1"}, *const pattern[] = {"m*", "j*"};
    static const char *const label[] = {"s=a*"};
    struct box *b = labelled();
    struct pingo_selection s = {.version = 2, .workflow = 1, .limit = 1, .after = "a.0.0.0.0"};
    struct pingo_error err;

    UNUSED(state);
    assert_int_equal(pingo_store_select(b->store, &s, on_selected, NULL, &err), PINGO_EINVAL);
    expect_pages(b, (struct pingo_selection){.limit = 2}, "map map | join! 3! | a*! | ");
    expect_pages(b, (struct pingo_selection){.limit = 1, .actions = named, .nactions = 3},
                 "map* | join!* | a*!* | ");
    expect_pages(b, (struct pingo_selection){.limit = 3, .actions = named, .nactions = 3},
                 "map* join!* a*!* | ");
    expect_pages(b, (struct pingo_selection){.limit = 2, .actions = pattern, .nactions = 2},
                 "map map | join! | ");
    expect_pages(b, (struct pingo_selection){.limit = 1, .labels = label, .nlabels = 1},
                 "map | map | ");
    expect_pages(b, (struct pingo_selection){.labels = label, .nlabels = 1}, "map map | ");
    box_close(b);
}

static int stop(void *context, const struct pingo_selected *s)
{
    UNUSED(s);
    return ++*(int *)context == 2;
}

static void test_select__what_cannot_be_selected(void **state)
{
    struct box *b = labelled();
    struct pingo_selection s = {.version = 1, .workflow = 9}, newer = {.version = 3, .workflow = 1};
    struct pingo_error err;
    int n = 0;

    UNUSED(state);
    assert_int_equal(pingo_store_select(b->store, &s, stop, &n, &err), PINGO_ENOTFOUND);
    assert_int_equal(pingo_store_select(b->store, &newer, stop, &n, &err), PINGO_EINVAL);
    assert_int_equal(n, 0);
    s.workflow = 1;
    assert_int_equal(pingo_store_select(b->store, &s, stop, &n, &err), PINGO_EINTERRUPTED);
    assert_int_equal(n, 2);
    box_close(b);
}

/* More than are read at once: those that match stand anywhere, and what is named, or has a label,
 * is found without reading the others. */
static void test_select__among_many(void **state)
{
    enum { MANY = 2100 };
    static const char *const patterns[] = {"a?000", "a2[0-9]99"};
    struct box *b = box_new();
    struct pingo__buffer text = {0};

    UNUSED(state);
    pingo__buffer_text(&text, "{'name':'w','actions':[");
    for (int i = 1; i <= MANY; i++)
        pingo__buffer_format(&text,
                             "%s{'id':%d,'name':'a%d','labels':{'n':'%d','t':'%d'},"
                             "'type':'command-line','command':['x']}",
                             i > 1 ? "," : "", i, i, i / 3 * 3, i / 700);
    pingo__buffer_text(&text, "]}");
    b->store->db.on_event = NULL; /* they are more than the box counts */
    box_submit(b, pingo__buffer_cstr(&text));
    pingo__buffer_clear(&text);
    expect(b, (struct words){{"a?000", "a2[0-9]99"}, {NULL}}, "a1000! a2000! a2099! ");
    expect_pages(b, (struct pingo_selection){.limit = 2, .actions = patterns, .nactions = 2},
                 "a1000! a2000! | a2099! | ");
    int64_t before = box_steps(b);
    expect(b, (struct words){{"2100", "a1001", "1"}, {NULL}}, "a1!* a1001!* a2100!* ");
    expect(b, (struct words){{NULL}, {"n=1998"}}, "a1998! a1999! a2000! ");
    expect(b, (struct words){{NULL}, {"t=?", "n=2100"}}, "a2100! ");
    assert_true(box_steps(b) - before < 4000);
    /* What a pattern matches is looked for everywhere, whatever the label. */
    expect_error(b, (struct words){{"a20*"}, {"n=21"}}, PINGO_ENOTFOUND, "no such action");
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_select__by_words),
        cmocka_unit_test(test_select__by_labels),
        cmocka_unit_test(test_select__in_pages),
        cmocka_unit_test(test_select__what_cannot_be_selected),
        cmocka_unit_test(test_select__among_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
