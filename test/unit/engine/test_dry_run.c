/* test_dry_run.c - what a submission would do, and what its actions hash to: told, and nothing is submitted. */
#include "unit/engine/look/pool.h"

#include "unit/manager/dataset/outside_files.h"

struct told {
    struct box *b;
    char text[1200];
    size_t n, stop_at;
    struct pingo_planned last; /* its texts are gone */
    bool has_nearest;
    size_t ndifferences;
};

/* "ID:DECISION:REASON ".  It may call back. */
static int on_planned(void *context, const struct pingo_planned *p)
{
    static const char *const decisions[] = {"skip", "reuse", "join", "compute"};
    struct told *t = context;
    size_t n = strlen(t->text);
    struct pingo_error err;

    well(pingo_store_set(t->b->store, "pool.logDays", t->n % 2 ? "7" : "8", &err), &err);
    snprintf(t->text + n, sizeof t->text - n, "%d:%s:%s ", (int)p->id, decisions[p->decision],
             p->reason_text);
    t->last = *p;
    t->has_nearest = p->why && p->why->has_nearest;
    t->ndifferences = p->why ? p->why->ndifferences : 0;
    return ++t->n == t->stop_at;
}

static int plan(struct box *b, const char *text, struct pingo_submit_options o, struct told *t,
                struct pingo_plan_totals *totals)
{
    char *json = json_of(text);
    struct pingo_error err;

    o.version = 2;
    o.base_dir = b->root;
    o.planned = on_planned;
    o.context = t;
    *t = (struct told){.b = b, .stop_at = t->stop_at};
    int rc = pingo_store_plan(b->store, &(struct pingo_document){json, strlen(json), NULL}, &o,
                              totals, &err);
    free(json);
    if (rc < 0 && rc != PINGO_EINTERRUPTED)
        snprintf(t->text, sizeof t->text, "%s", err.message);
    return rc;
}

static void test_dry_run__says_what_would_be_done_and_why(void **state)
{
    static const char *const forced[] = {"a1"}, *const targets[] = {"4"};
    struct box *b = box_new();
    struct told t = {.b = b};
    struct pingo_plan_totals totals = {.size = sizeof totals};

    UNUSED(state);
#define FOUR W(A(1, "") "," A(2, P(FROM(1))) "," A(3, P(FROM(2))) "," A(4, P(FROM(1))))
    assert_int_equal(plan(b, FOUR, (struct pingo_submit_options){0}, &t, &totals), 0);
    assert_string_equal(t.text, "1:compute:never computed 2:compute:never computed 3:compute:never "
                                "computed 4:compute:never computed ");
    assert_int_equal(totals.summary.compute, 4);
    assert_int_equal(totals.unknown, 4);
    assert_int_equal(totals.expected_ms + totals.expected_bytes, 0);
    box_submit(b, CHAIN);
    box_tick(b);
    assert_int_equal(plan(b, FOUR, (struct pingo_submit_options){0}, &t, &totals), 0);
    assert_string_equal(t.text, "1:join:workflow 1 computes it 2:skip:not needed 3:join:workflow 1 "
                                "computes it 4:compute:never computed ");
    box_finish_all(b);
    assert_int_equal(plan(b, FOUR, (struct pingo_submit_options){0}, &t, NULL), 0);
    assert_string_equal(
        t.text, "1:reuse:stored 2:skip:not needed 3:reuse:stored 4:compute:never computed ");
    evict(b, 1, "a1", 5000);
    assert_int_equal(plan(b, FOUR, (struct pingo_submit_options){0}, &t, NULL), 0);
    assert_non_null(strstr(t.text, "1:reuse:stored, and saved from deletion "));
    box_tick(b);
    assert_int_equal(plan(b, FOUR, (struct pingo_submit_options){0}, &t, &totals), 0);
    assert_non_null(strstr(t.text, "1:compute:evicted 1970-01-01 by lru 2:skip"));
    assert_int_equal(totals.unknown, 1);
    assert_int_equal(totals.expected_ms, 10); /* as the last time */
    assert_int_equal(totals.expected_bytes, 2);
    assert_int_equal(
        plan(b, FOUR, (struct pingo_submit_options){.forced = forced, .nforced = 1}, &t, &totals),
        0);
    assert_string_equal(
        t.text, "1:compute:forced 2:compute:descends from a forced action 3:compute:descends"
                " from a forced action 4:compute:descends from a forced action ");
    assert_int_equal(
        plan(b, FOUR, (struct pingo_submit_options){.targets = targets, .ntargets = 1}, &t, NULL),
        0);
    assert_non_null(strstr(t.text, "3:skip:not needed 4:compute"));
    /* Two of one hash, and one outside the pool. */
    assert_int_equal(plan(b,
                          W("{'id':5,'name':'p','type':'command-line','command':'x'},"
                            "{'id':6,'name':'q','type':'command-line','command':'x'},"
                            "{'id':7,'name':'r','type':'command-line','command':'x',"
                            "'isManaged':false,'outputPath':'out'}"),
                          (struct pingo_submit_options){0}, &t, NULL),
                     0);
    assert_string_equal(t.text, "5:compute:never computed 6:join:the same as action 5 7:compute:"
                                "unmanaged ");
    assert_int_equal(box_int(b,
                             "SELECT (SELECT count(*) FROM workflow) * 10 + (SELECT count(*) FROM"
                             " document)"),
                     11);
    box_clean(b);
    box_close(b);
}

static void test_dry_run__the_nearest_is_told_where_it_is_asked_for(void **state)
{
    struct box *b = box_new();
    struct told t = {.b = b};

    UNUSED(state);
    box_submit(b, W(A(1, "")));
    box_finish_all(b);
    const char *other = W("{'id':1,'name':'a1','type':'command-line','command':['x1','more']}");
    assert_int_equal(plan(b, other, (struct pingo_submit_options){.why = true}, &t, NULL), 0);
    assert_true(t.has_nearest);
    assert_int_equal(t.ndifferences, 1);
    assert_int_equal(plan(b, other, (struct pingo_submit_options){0}, &t, NULL), 0);
    assert_null(t.last.why);
    assert_int_equal(plan(b, W(A(1, "")), (struct pingo_submit_options){.why = true}, &t, NULL), 0);
    assert_null(t.last.why); /* it is not computed */
    box_close(b);
}

static void test_dry_run__finds_what_a_submission_would_fail_for(void **state)
{
    struct box *b = box_new();
    struct told t = {.b = b};
    struct pingo_plan_totals totals = {.size = 0};
    char path[200];

    UNUSED(state);
#define DECLARED                                                                                   \
    W(A(1, ",'inputs':[{'name':'i','path':'gone','sha256':"                                        \
           "'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'}]"))
    /* Its hash is known; the file is needed where it is computed. */
    assert_int_equal(plan(b, DECLARED, (struct pingo_submit_options){0}, &t, NULL), PINGO_EINPUT);
    snprintf(path, sizeof path,
             "%s/gone: input \"i\" of action 1 (a1) is not there, and the action must be computed",
             b->root);
    assert_string_equal(t.text, path);
    snprintf(path, sizeof path, "%s/gone", b->root);
    outside_write(path, "");
    box_submit(b, DECLARED);
    box_finish_all(b);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(plan(b, DECLARED, (struct pingo_submit_options){0}, &t, NULL), 0);
    assert_string_equal(t.text, "1:reuse:stored ");
    /* What lies at an outputPath, until it is said that it may go. */
#define UNMANAGED                                                                                  \
    W("{'id':1,'name':'a1','type':'command-line','command':'x','isManaged':false,"                 \
      "'outputPath':'out'}")
    snprintf(path, sizeof path, "%s/out", b->root);
    outside_write(path, "mine");
    assert_int_equal(plan(b, UNMANAGED, (struct pingo_submit_options){0}, &t, NULL), PINGO_EEXISTS);
    assert_int_equal(
        plan(b, UNMANAGED, (struct pingo_submit_options){.force_outputs = true}, &t, NULL), 0);
    assert_int_equal(plan(b, UNMANAGED, (struct pingo_submit_options){0}, &t, NULL), PINGO_EEXISTS);
    outside_holds(path, "mine");
    t.stop_at = 1;
    assert_int_equal(plan(b, CHAIN, (struct pingo_submit_options){0}, &t, NULL), PINGO_EINTERRUPTED);
    assert_int_equal(t.n, 1);
    assert_int_equal(plan(b, CHAIN, (struct pingo_submit_options){0}, &t, &totals), PINGO_EINVAL);
    assert_int_equal(box_int(b, "SELECT count(*) FROM workflow"), 1);
    box_close(b);
}

/* ---- hashes alone ---------------------------------------------------------------------------- */

static void test_dry_run__hashes_are_those_of_the_submission(void **state)
{
    struct box *b = box_new();
    struct told t = {.b = b};
    struct pingo_submit_options o = {
        .version = 2, .base_dir = b->root, .planned = on_planned, .context = &t};
    char path[200], *json = json_of(W(A(1, ",'inputs':[{'name':'i','path':'i'}]")));
    struct pingo_document document = {json, strlen(json), NULL};
    struct pingo_error err;

    UNUSED(state);
    snprintf(path, sizeof path, "%s/i", b->root);
    outside_write(path, "one");
    well(pingo_store_hash(b->store, &document, &o, &err), &err);
    assert_int_equal(t.n, 1);
    struct pingo_hash hash = t.last.hash;
    assert_int_equal(t.last.expected_ms, -1);
    assert_int_equal(t.last.expected_bytes, -1);
    assert_null(t.last.why);
    assert_string_equal(t.text, "1:skip: "); /* nothing is said of that */
    assert_int_equal(box_int(b, "SELECT count(*) FROM document"), 0);
    assert_true(box_int(b, "SELECT count(*) FROM file_content") <= 1); /* at most that is remembered */
    box_submit(b, W(A(1, ",'inputs':[{'name':'i','path':'i'}]")));
    struct pingo_hash submitted = box_hash(b, 1, 1);
    assert_memory_equal(&hash, &submitted, sizeof hash);
    outside_write(path, "other");
    well(pingo_store_hash(b->store, &document, &o, &err), &err);
    assert_memory_not_equal(&t.last.hash, &hash, sizeof hash);
    t.stop_at = t.n + 1;
    assert_int_equal(pingo_store_hash(b->store, &document, &o, &err), PINGO_EINTERRUPTED);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(pingo_store_hash(b->store, &document, &o, &err), PINGO_EINPUT);
    o.planned = NULL;
    outside_write(path, "other");
    well(pingo_store_hash(b->store, &document, &o, &err), &err);
    free(json);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dry_run__says_what_would_be_done_and_why),
        cmocka_unit_test(test_dry_run__the_nearest_is_told_where_it_is_asked_for),
        cmocka_unit_test(test_dry_run__finds_what_a_submission_would_fail_for),
        cmocka_unit_test(test_dry_run__hashes_are_those_of_the_submission),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
