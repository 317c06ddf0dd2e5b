/* Every decision and reason of the planner, on graphs of a line each.
 *
 * Known: ID and S stored, L leaf, R rescuable, C computing, D deleted; the rest was
 * never computed.  Expected, for each action: ID and
 *   CN CD CF Cd CU  compute: never computed, deleted, forced, descends from forced, unmanaged
 *   RS RR           reuse: stored, rescued
 *   JC JS           join: computing, same hash
 *   --              skip
 * then "!" where a generation of its own is computed, "*" where its dataset is wanted. */
#include "graph.h"

#include "digest/digests.h"

struct row {
    const char *name, *graph, *known, *targets, *forced, *expected;
};

static const struct row rows[] = {
    {"a new action computes", "1", "", "", "", "1CN*"},
    {"a new chain computes", "1 2<1 3<2", "", "", "", "1CN 2CN 3CN*"},
    {"a deleted leaf computes from its stored parent", "1 2<1", "1S 2D", "", "", "1RS 2CD*"},
    {"a stored leaf skips what is above", "1 2<1 3<2", "3S", "", "", "1-- 2-- 3RS*"},
    {"a leaf in state LEAF is reused", "1 2<1", "2L", "", "", "1-- 2RS*"},
    {"a parent in state LEAF is reused", "1 2<1", "1L", "", "", "1RS 2CN*"},
    {"a skipped action may be deleted or unknown", "1 2<1 3<2", "1D 3L", "", "", "1-- 2-- 3RS*"},
    {"what is about to be deleted is rescued", "1 2<1", "1R", "", "", "1RR 2CN*"},
    {"a rescued leaf", "1 2<1", "2R", "", "", "1-- 2RR*"},
    {"what is being computed is joined", "1 2<1 3<2", "2C", "", "", "1-- 2JC 3CN*"},
    {"parents of a joined leaf are not visited", "1 2<1", "1D 2C", "", "", "1-- 2JC*"},
    {"a diamond visits its top once", "1 2<1 3<1 4<2,3", "", "", "", "1CN 2CN 3CN 4CN*"},
    {"one side of a diamond is there", "1 2<1 3<1 4<2,3", "2S", "", "", "1CN 2RS 3CN 4CN*"},
    {"both sides are there", "1 2<1 3<1 4<2,3", "2S 3L", "", "", "1-- 2RS 3RS 4CN*"},
    {"leaves are judged on their own", "1 2<1 3<1", "2S", "", "", "1CN 2RS* 3CN*"},
    {"parents may be defined after children", "3<2 2<1 1", "1S", "", "", "3CN* 2CN 1RS"},

    {"a forced action computes though stored", "1!", "1S", "", "", "1CF!*"},
    {"a forced action computes though being computed", "1!", "1C", "", "", "1CF!*"},
    {"descendants of a forced action compute", "1! 2<1 3<2", "1S 2S 3L", "", "", "1CF! 2Cd! 3Cd!*"},
    {"a descendant of a forced action joins nothing", "1! 2<1", "2C", "", "", "1CF! 2Cd!*"},
    {"a forced action reuses its parents", "1 2!<1", "1S 2S", "", "", "1RS 2CF!*"},
    {"siblings of a forced action are not touched", "1 2!<1 3<1", "1S 2S 3S", "", "",
     "1RS 2CF!* 3RS*"},
    {"a forced action below a forced one", "1! 2!<1", "1S 2S", "", "", "1CF! 2CF!*"},
    {"a descendant visits its other parents", "1! 2 3<1,2", "3S", "", "", "1CF! 2CN 3Cd!*"},
    {"an option forces", "1 2<1 3<2", "1S 2S 3S", "", "2", "1RS 2CF! 3Cd!*"},
    {"an option forces what is forced already", "1!", "1S", "", "1 1", "1CF!*"},

    {"an unmanaged action computes", "1~", "1L", "", "", "1CU*"},
    {"an unmanaged action in the middle computes, its stored child does not", "1 2~<1 3<2",
     "1S 2L 3L", "", "", "1RS 2CU 3RS*"},
    {"an unmanaged action computes though skipped", "1~ 2<1 3<2", "3S", "", "", "1CU 2-- 3RS*"},
    {"an unmanaged action visits its parents", "1 2~<1 3<2", "3S", "", "", "1CN 2CU 3RS*"},
    {"an unmanaged action below a forced one", "1! 2~<1 3<2", "1S 3S", "", "", "1CF! 2Cd! 3Cd!*"},
    {"a forced unmanaged action", "1~! 2<1", "2S", "", "", "1CF! 2Cd!*"},

    {"equal actions are computed once", "1 2=1", "", "", "", "1CN* 2JS*"},
    {"the lowest id computes, wherever it is defined", "7=1 3=1 5=1", "", "", "", "7JS* 3CN* 5JS*"},
    {"equal stored actions are reused", "1 2=1", "2S", "", "", "1RS* 2RS*"},
    {"equal rescued actions", "1 2=1", "1R", "", "", "1RR* 2RR*"},
    {"equal actions join what is being computed", "1 2=1", "1C", "", "", "1JC* 2JC*"},
    {"equal actions are skipped together", "1 2=1 3<1 4=3<2", "3S", "", "", "1-- 2-- 3RS* 4RS*"},
    {"a member that is no leaf is not wanted, its representative is", "1 2=1 3<1", "", "", "",
     "1CN* 2JS* 3CN*"},
    {"a representative that is a leaf, a member that is not", "1 2=1 3<2", "", "", "",
     "1CN* 2JS 3CN*"},
    {"equal subgraphs", "1 2=1 3<1 4=3<2 5<3,4", "1S", "", "", "1RS 2RS 3CN 4JS 5CN*"},
    {"one forced member forces all", "1 2=1! 3<1", "1S 3S", "", "", "1CF!* 2JS* 3Cd!*"},
    {"a forced member forces what descends from the others", "5=1 2=1! 3<5 4<3", "3S 4S", "", "",
     "5JS 2CF!* 3Cd! 4Cd!*"},
    {"descendants of both members are one group", "5=1 2=1! 3<5 4=3<2", "3S", "", "",
     "5JS 2CF! 3Cd!* 4JS*"},
    {"the mark reaches a child before the lowest id of its parent's group", "9=1! 8=3<9 7<8 1 3<1",
     "3S 7S", "", "", "9JS 8JS 7Cd!* 1CF! 3Cd!*"},

    {"only targets are computed", "1 2<1 3<1", "", "2", "", "1CN 2CN* 3--"},
    {"a target may be in the middle", "1 2<1 3<2", "1S", "2", "", "1RS 2CN* 3--"},
    {"a stored target needs nothing", "1 2<1 3<2", "2S", "2", "", "1-- 2RS* 3--"},
    {"a target named twice", "1 2<1", "", "1 1", "", "1CN* 2--"},
    {"several targets", "1 2<1 3<1 4<3", "", "2 3", "", "1CN 2CN* 3CN* 4--"},
    {"a forced action is computed whatever the target", "1 2! 3<2", "", "1", "", "1CN* 2CF! 3--"},
    {"an unmanaged action is computed whatever the target", "1 2~ 3<2", "1S", "1", "",
     "1RS* 2CU 3--"},
    {"a target below a forced action", "1! 2<1 3<2", "1S 2S 3S", "2", "", "1CF! 2Cd!* 3--"},
    {"a target whose equal is elsewhere", "4=1 1 2<4", "", "4", "", "4JS* 1CN* 2--"},
    {"a target and a force", "1 2<1 3<2", "1S 2S 3S", "3", "1", "1CF! 2Cd! 3Cd!*"},
};

/* A part is planned again: only the targets are starts, and nothing is forced. */
static const struct row rows_again[] = {
    {"planned again, only targets are starts", "1! 2~ 3<1,2 4", "1S 2S", "3", "", "1RS 2RS 3CN* 4--"},
    {"planned again, what was forced is looked up", "1! 2<1 3<2", "1S 2S", "3", "1", "1-- 2RS 3CN*"},
    {"planned again, what was unmanaged may be gone", "1 2~<1 3<2", "1S 2D", "3", "", "1RS 2CD 3CN*"},
    {"planned again, what was unmanaged may be computing", "1 2~<1 3<2", "2C", "3", "",
     "1-- 2JC 3CN*"},
    {"planned again without a target", "1! 2~<1", "", "", "", "1-- 2--"},
};

static size_t index_of(const struct graph *g, const char **text)
{
    char *end;
    size_t i = pingo_workflow_find(g->workflow, strtoll(*text, &end, 10));
    assert_true(i < g->count);
    *text = end;
    return i;
}

static void set_known(struct graph *g, const char *text)
{
    static const char letters[] = "NDSLRC"; /* in the order of enum pingo_known */
    for (; *text != '\0'; text += *text == ' ') {
        size_t i = index_of(g, &text);
        const char *letter = strchr(letters, *text++);
        assert_non_null(letter);
        for (size_t j = 0; j < g->count; j++)
            if (graph_same(g, i, j))
                g->known[j] = (enum pingo_known)(letter - letters);
    }
}

static size_t read_indexes(const struct graph *g, const char *text, size_t *indexes)
{
    size_t n = 0;
    for (; *text != '\0'; text += *text == ' ')
        indexes[n++] = index_of(g, &text);
    return n;
}

static const char *code_of(const struct pingo_plan_entry *entry)
{
    static const struct {
        enum pingo_plan_reason reason;
        enum pingo_plan_decision decision;
        const char *code;
    } codes[] = {
        {PINGO_REASON_NOT_NEEDED, PINGO_PLAN_SKIP, "--"},
        {PINGO_REASON_STORED, PINGO_PLAN_REUSE, "RS"},
        {PINGO_REASON_RESCUED, PINGO_PLAN_REUSE, "RR"},
        {PINGO_REASON_COMPUTING, PINGO_PLAN_JOIN, "JC"},
        {PINGO_REASON_SAME_HASH, PINGO_PLAN_JOIN, "JS"},
        {PINGO_REASON_NEVER_COMPUTED, PINGO_PLAN_COMPUTE, "CN"},
        {PINGO_REASON_DELETED, PINGO_PLAN_COMPUTE, "CD"},
        {PINGO_REASON_FORCED, PINGO_PLAN_COMPUTE, "CF"},
        {PINGO_REASON_DESCENDS_FORCED, PINGO_PLAN_COMPUTE, "Cd"},
        {PINGO_REASON_UNMANAGED, PINGO_PLAN_COMPUTE, "CU"},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].reason == entry->reason && codes[i].decision == entry->decision)
            return codes[i].code;
    return "??";
}

static void print_plan(const struct graph *g, char *text, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < g->count && at < size; i++) {
        const struct pingo_plan_entry *entry = &g->entries[i];
        unsigned known = PINGO_PLAN_FORCED | PINGO_PLAN_WANTED;
        assert_int_equal(entry->flags & ~known, 0);
        at += (size_t)snprintf(text + at, size - at, "%s%lld%s%s%s", i > 0 ? " " : "",
                               (long long)pingo_workflow_action(g->workflow, i)->id, code_of(entry),
                               entry->flags & PINGO_PLAN_FORCED ? "!" : "",
                               entry->flags & PINGO_PLAN_WANTED ? "*" : "");
    }
}

static void check_row(const struct row *row, bool again)
{
    struct graph g;
    size_t targets[8], forced[8];
    char text[256];
    graph_parse(&g, row->graph);
    set_known(&g, row->known);
    struct pingo_plan_options options = {
        .version = 1, .targets = targets, .forced = forced, .again = again};
    options.ntargets = read_indexes(&g, row->targets, targets);
    options.nforced = read_indexes(&g, row->forced, forced);
    assert_int_equal(graph_plan(&g, &options), 0);
    print_plan(&g, text, sizeof text);
    if (strcmp(text, row->expected) != 0)
        fail_msg("%s: %s\n  expected %s\n  planned  %s", row->name, row->graph, row->expected, text);
    graph_clear(&g);
}

static void test_plan__decides_each_row_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i], false);
    for (size_t i = 0; i < sizeof rows_again / sizeof *rows_again; i++)
        check_row(&rows_again[i], true);
}

static void test_plan__looks_up_only_what_it_visits_and_once(void **state)
{
    (void)state;
    struct graph g;
    /* 1 and 2 are above a stored action, 5 is forced, 6 unmanaged, 7 equals 4. */
    graph_parse(&g, "1 2<1 3<2 4<3 5! 6~ 7=4<3 8<4,7");
    set_known(&g, "3S");
    assert_int_equal(graph_plan(&g, NULL), 0);
    const unsigned expected[] = {0, 0, 1, 1, 0, 0, 0, 1};
    assert_memory_equal(g.lookups, expected, sizeof expected);
    assert_int_equal(g.entries[2].known, PINGO_KNOWN_STORED);
    assert_int_equal(g.entries[0].known, PINGO_KNOWN_NOTHING);
    graph_clear(&g);
}

static void test_plan__counts_every_action_in_the_summary(void **state)
{
    (void)state;
    struct graph g;
    graph_parse(&g, "1 2<1 3<2 4=3<2 5 6 7=5");
    set_known(&g, "2S 5C");
    assert_int_equal(graph_plan(&g, NULL), 0);
    assert_int_equal(g.summary.compute, 2); /* 3, 6 */
    assert_int_equal(g.summary.reuse, 1);   /* 2 */
    assert_int_equal(g.summary.join, 3);    /* 4, 5, 7 */
    assert_int_equal(g.summary.skip, 1);    /* 1 */
    assert_int_equal(
        pingo_plan(g.workflow, g.digests,
                   &(struct pingo_plan_options){.version = 1, .lookup = graph_lookup, .context = &g},
                   g.entries, NULL),
        0);
    graph_clear(&g);
}

static void test_plan__knows_nothing_without_a_lookup(void **state)
{
    (void)state;
    struct graph g;
    graph_parse(&g, "1 2<1 3=1");
    assert_int_equal(pingo_plan(g.workflow, g.digests, NULL, g.entries, NULL), 0);
    g.summary = pingo_plan_sum(g.entries, g.count);
    assert_int_equal(g.summary.compute, 2);
    assert_int_equal(g.summary.join, 1);
    graph_clear(&g);
}

static void test_plan__takes_the_word_of_digests_that_none_are_equal(void **state)
{
    struct graph g;
    struct pingo_hash hashes[5];
    struct pingo_plan_entry entries[5];
    struct pingo_digests *distinct = NULL;
    (void)state;
    graph_parse(&g, "1 2<1 3!<1 4<2,3 5<2");
    assert_int_equal(graph_plan(&g, NULL), 0);
    for (size_t i = 0; i < 5; i++)
        hashes[i] = *pingo_digests_hash(g.digests, i);
    assert_int_equal(pingo__digest_digests_restore(hashes, 5, true, &distinct, NULL), 0);
    assert_int_equal(
        pingo_plan(g.workflow, distinct,
                   &(struct pingo_plan_options){.version = 1, .lookup = graph_lookup, .context = &g},
                   entries, NULL),
        0);
    assert_memory_equal(entries, g.entries, sizeof entries);
    pingo_digests_free(distinct);
    assert_int_equal(pingo__digest_digests_restore(hashes, 4, true, &distinct, NULL), 0);
    assert_int_equal(
        pingo_plan(g.workflow, distinct,
                   &(struct pingo_plan_options){.version = 1, .lookup = graph_lookup, .context = &g},
                   entries, NULL),
        PINGO_EINVAL);
    pingo_digests_free(distinct);
    graph_clear(&g);
}

static void test_plan__names_every_decision_and_reason(void **state)
{
    (void)state;
    assert_string_equal(pingo_plan_decision_name(PINGO_PLAN_SKIP), "skip");
    assert_string_equal(pingo_plan_decision_name(PINGO_PLAN_REUSE), "reuse");
    assert_string_equal(pingo_plan_decision_name(PINGO_PLAN_JOIN), "join");
    assert_string_equal(pingo_plan_decision_name(PINGO_PLAN_COMPUTE), "compute");
    assert_string_equal(pingo_plan_decision_name((enum pingo_plan_decision)77), "?");
    for (int a = PINGO_REASON_NOT_NEEDED; a <= PINGO_REASON_UNMANAGED; a++) {
        assert_string_not_equal(pingo_plan_reason_text((enum pingo_plan_reason)a), "?");
        for (int b = 0; b < a; b++)
            assert_string_not_equal(pingo_plan_reason_text((enum pingo_plan_reason)a),
                                    pingo_plan_reason_text((enum pingo_plan_reason)b));
    }
    assert_string_equal(pingo_plan_reason_text((enum pingo_plan_reason)77), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__decides_each_row_of_the_table),
        cmocka_unit_test(test_plan__looks_up_only_what_it_visits_and_once),
        cmocka_unit_test(test_plan__counts_every_action_in_the_summary),
        cmocka_unit_test(test_plan__knows_nothing_without_a_lookup),
        cmocka_unit_test(test_plan__takes_the_word_of_digests_that_none_are_equal),
        cmocka_unit_test(test_plan__names_every_decision_and_reason),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
