/* test_submission.c - one action of a submission is looked at in as many steps, however many actions there are. */
#include "unit/engine/box.h"

/* MORE_STEPS: a leap between parts (store/submission/graph.c) is 80, and what was submitted before is compared with. */
enum { FEW = 600, MANY = 15000, MORE_STEPS = 400 };

static int on_selected(void *context, const struct pingo_selected *s)
{
    *(size_t *)context += s->is_named;
    return 0;
}

static int on_first(void *context, const struct pingo_selected *s)
{
    UNUSED(context);
    UNUSED(s);
    return 1;
}

static int on_action(void *context, const struct pingo_action_status *s)
{
    *(size_t *)context += s->id > 0;
    return 0;
}

static int on_why(void *context, const struct pingo_why *w)
{
    *(size_t *)context += w->id > 0;
    return 0;
}

static int on_provenance(void *context, const struct pingo_provenance *p)
{
    *(size_t *)context += p->workflow > 0;
    return 0;
}

/* Families of four, each a chain; no two submissions have an action in common. */
static int64_t submit_families(struct box *b, const char *command, int n)
{
    struct pingo__buffer text = {0};
    struct pingo_submission submission = {.size = sizeof submission};
    struct pingo_submit_options o = {.version = 2, .user = "tester"};
    struct pingo_error err;

    pingo__buffer_text(&text, "{\"name\":\"w\",\"actions\":[");
    for (int i = 0; i < n; i++) {
        pingo__buffer_format(&text,
                             "%s{\"id\":%d,\"name\":\"a%d\",\"type\":\"command-line\",\"command\":"
                             "[\"%s%d\"]",
                             i ? "," : "", i, i, command, i);
        if (i % 4)
            pingo__buffer_format(&text, ",\"parentActions\":[{\"id\":%d}]", i - 1);
        pingo__buffer_char(&text, '}');
    }
    pingo__buffer_text(&text, "]}");
    well(pingo_store_submit(b->store,
                            &(struct pingo_document){pingo__buffer_cstr(&text), text.length, NULL},
                            &o, &submission, &err),
         &err);
    pingo__buffer_clear(&text);
    return submission.workflow;
}

/* What SQLite did since it was asked last. */
static int64_t steps(struct box *b)
{
    int64_t all = 0;

    for (sqlite3_stmt *s = NULL; (s = sqlite3_next_stmt(b->store->db.sqlite, s)) != NULL;)
        all += sqlite3_stmt_status(s, SQLITE_STMTSTATUS_VM_STEP, 1);
    return all;
}

enum look { STATUS, WHY, LOG, PATH, PROVENANCE, SCRIPT, CHILDREN, ATTEMPTS, KILL, LOOKS };
static const char *const looks[] = {"status", "why",      "log",      "path", "provenance",
                                    "script", "children", "attempts", "kill"};

static size_t count_children(struct box *b, int64_t w, const char *action)
{
    struct pingo__engine_named named;
    struct pingo_error err;

    well(pingo__engine_named_find(b->store, &(struct pingo_action_name){w, action}, &named, &err),
         &err);
    struct pingo__store_action_list children = {.arena = &named.arena};
    well(pingo__store_action_list(&b->store->db, PINGO__ACTIONS_READERS, named.row.id, &children,
                                  &err),
         &err);
    pingo__arena_clear(&named.arena);
    return children.n;
}

static int on_attempt(void *context, const struct pingo_attempt *a)
{
    UNUSED(context);
    UNUSED(a);
    return 0;
}

/* The command of this name looks at an action; found: one or more. */
static int64_t look_at(struct box *b, enum look look, int64_t w, const char *action)
{
    struct pingo_selection one = {.version = 1, .workflow = w, .actions = &action, .nactions = 1};
    struct pingo_attempt_query attempts = {.version = 1, .workflow = w, .action = action};
    struct pingo_provenance_query q = {.version = 1};
    struct pingo_error err;
    char number[32], *text = NULL;
    int64_t ran_workflow, ran_id;
    size_t found = 0;

    steps(b);
    switch (look) {
    case STATUS:
        well(pingo_store_select(b->store, &one, on_selected, &found, &err), &err);
        well(pingo_store_action(b->store, &(struct pingo_action_name){w, action}, on_action, &found,
                                &err),
             &err);
        break;
    case WHY:
        well(pingo_store_why(b->store, &(struct pingo_action_name){w, action}, on_why, &found, &err),
             &err);
        break;
    case LOG:
        well(pingo_store_ran(b->store, &(struct pingo_action_name){w, action}, &ran_workflow,
                             &ran_id, &err),
             &err);
        well(pingo_store_log_path(b->store, &(struct pingo_action_name){w, action},
                                  PINGO_STREAM_STDOUT, &text, &err),
             &err);
        found += ran_workflow == w;
        break;
    case PATH:
    case PROVENANCE:
        snprintf(number, sizeof number, "%lld", (long long)w);
        well(pingo_store_resolve_dataset(b->store, number, action, &q.hash, &err), &err);
        found++;
        if (look == PROVENANCE)
            well(pingo_store_provenance(b->store, &q, on_provenance, &found, &err), &err);
        break;
    case SCRIPT:
        assert_int_equal(
            pingo_store_script(b->store, &(struct pingo_action_name){w, action}, &text, &err),
            PINGO_ESTATE);
        found++; /* all of it but the input, which nobody has computed */
        break;
    case CHILDREN:
        found += count_children(b, w, action);
        break;
    case ATTEMPTS:
        well(pingo_store_attempts(b->store, &attempts, on_attempt, NULL, &err), &err);
        found++; /* none: it has not started */
        break;
    case KILL:
        well(pingo_store_kill(b->store, &(struct pingo_action_name){w, action}, &found, &err), &err);
        break;
    case LOOKS:
        break;
    }
    free(text);
    assert_true(found > 0);
    return steps(b);
}

static void test_submission__one_action_costs_the_same_among_many(void **state)
{
    static const char *const names[] = {"a301", "a593", "305", "317"};
    struct box *b = box_new();

    UNUSED(state);
    b->store->db.on_event = NULL; /* they are too many for the box */
    int64_t few = submit_families(b, "x", FEW), many = submit_families(b, "y", MANY);
    assert_true(box_int(b, "SELECT count(*) FROM graph_part") > 40);
    for (enum look look = 0; look < LOOKS; look++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            int64_t least = look_at(b, look, few, names[i]), most = look_at(b, look, many, names[i]);
            if (most > least + MORE_STEPS || least < 20)
                fail_msg("%s of %s: %lld steps, and %lld among many", looks[look], names[i],
                         (long long)least, (long long)most);
        }
    for (enum look look = 0; look < LOOKS; look++) { /* at the far end */
        int64_t least = look_at(b, look, few, "a401"), most = look_at(b, look, many, "a14901");
        assert_true(most <= least + MORE_STEPS);
    }
    box_close(b);
}

static void test_submission__who_stops_at_the_first_reads_no_more(void **state)
{
    struct pingo_selection everything = {.version = 1};
    struct box *b = box_new();
    struct pingo_error err;
    size_t named = 0;

    UNUSED(state);
    b->store->db.on_event = NULL;
    int64_t w = submit_families(b, "z", MANY);
    everything.workflow = w;
    steps(b);
    assert_int_equal(pingo_store_select(b->store, &everything, on_first, NULL, &err),
                     PINGO_EINTERRUPTED);
    int64_t first = steps(b);
    well(pingo_store_select(b->store, &everything, on_selected, &named, &err), &err);
    assert_true(first > 0 && first * 5 < steps(b));
    box_close(b);
}

static void test_submission__a_number_of_actions_that_is_damaged_is_told(void **state)
{
    static const char *const numbers[] = {"-1", "4000000000", "-9223372036854775808"};
    struct box *b = box_new();
    struct pingo_states *s = NULL;
    struct pingo_error err;

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char sql[96];
        snprintf(sql, sizeof sql, "UPDATE document SET nactions = %s RETURNING 1", numbers[i]);
        box_int(b, sql);
        assert_int_equal(pingo_store_states(b->store, 1, true, &s, &err), PINGO_ECORRUPT);
    }
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_submission__who_stops_at_the_first_reads_no_more),
        cmocka_unit_test(test_submission__a_number_of_actions_that_is_damaged_is_told),
        cmocka_unit_test(test_submission__one_action_costs_the_same_among_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
