/* test_workflow.c - a submission as a workflow: its graph, commands and hashes, whatever the history is like. */
#include <math.h>

#include "unit/decision/submissions.h"
#include "unit/lab/generated.h"
#include "unit/memory.h"

static struct pingo_workflow *parsed(const struct pingo_history *h, uint32_t submission,
                                     const struct pingo_generate_workflow_options *options)
{
    struct pingo_workflow_options strict = {.version = 1, .strict = true};
    struct pingo_workflow *w = NULL;
    struct pingo_error err = {0};
    char *text = NULL;
    if (pingo_generate_workflow(h, submission, options, &text, &err) != 0 ||
        pingo_workflow_parse(&(struct pingo_document){text, strlen(text), NULL}, &strict, &w,
                             &err) != 0)
        fail_msg("%s", err.message);
    free(text);
    return w;
}

static const char *command_of(const struct pingo_workflow *w, size_t i)
{
    return pingo_action_field(pingo_workflow_action(w, i), "command")->values[0];
}

static void assert_in(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

/* Without a warning, with the actions of the submission in their order, the same parents and leaves. */
static void test_workflow__is_the_submission(void **state)
{
    (void)state;
    struct pingo_history *h = generated("zipf-h", 8, "actions=200");
    for (uint32_t i = 0; i < pingo_history_count_submissions(h); i++) {
        struct pingo_history_submission s = submission_of(h, i);
        struct pingo_workflow *w = parsed(h, i, NULL);
        assert_string_equal(pingo_workflow_name(w), s.workflow);
        assert_int_equal(pingo_workflow_count(w), s.nactions);
        for (size_t k = 0; k < s.nactions; k++) {
            const struct pingo_action *a = pingo_workflow_action(w, k);
            size_t n;
            const uint32_t *parents = pingo_history_parents(h, s.actions[k], &n);
            char hex[PINGO_HASH_HEX_SIZE], name[16], size[48];
            snprintf(name, sizeof name, "a%u", s.actions[k]);
            snprintf(size, sizeof size, "| head -c %lld >output",
                     (long long)pingo_history_size(h, s.actions[k]));
            assert_string_equal(a->name, name);
            assert_in(command_of(w, k), size);
            assert_int_equal(a->is_leaf, (s.flags[k] & PINGO_HISTORY_LEAF) != 0);
            assert_false(a->force_computation);
            assert_int_equal(a->nparents, n);
            for (size_t j = 0; j < n; j++) {
                assert_int_equal(s.actions[a->parents[j].index], parents[j]);
                pingo_hash_to_hex(pingo_history_hash(h, parents[j]), hex);
                hex[16] = '\0';
                assert_string_equal(a->parents[j].role, hex);
            }
        }
        pingo_workflow_free(w);
    }
    pingo_history_free(h);
}

/* An action has one hash in all workflows, and another one where anything above it differs. */
static void test_workflow__equal_actions_have_equal_hashes(void **state)
{
    (void)state;
    struct pingo_history *h = generated("iter-n", 8, "workflows=40");
    uint32_t n = pingo_history_count_actions(h);
    struct pingo_hash *hashes = calloc(n, sizeof *hashes);
    static const struct pingo_hash none;
    assert_non_null(hashes);
    for (uint32_t i = 0; i < pingo_history_count_submissions(h); i++) {
        struct pingo_history_submission s = submission_of(h, i);
        struct pingo_workflow *w = parsed(h, i, NULL);
        struct pingo_originals *originals;
        struct pingo_digests *digests;
        assert_int_equal(pingo_originals_identify(w, NULL, &originals, NULL), 0);
        assert_int_equal(pingo_workflow_hash(w, originals, &digests, NULL), 0);
        for (size_t k = 0; k < s.nactions; k++) {
            struct pingo_hash *known = &hashes[s.actions[k]];
            if (memcmp(known, &none, sizeof none) != 0)
                assert_memory_equal(known, pingo_digests_hash(digests, k), sizeof *known);
            *known = *pingo_digests_hash(digests, k);
        }
        pingo_digests_free(digests);
        pingo_originals_free(originals);
        pingo_workflow_free(w);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_memory_not_equal(&hashes[i], &hashes[k], sizeof *hashes);
    free(hashes);
    pingo_history_free(h);
}

static void test_workflow__scales(void **state)
{
    (void)state;
    static const struct {
        double time, size;
        const char *sleep, *head;
    } rows[] = {{0, 0, "sleep 12.345000 & ", "head -c 1000003 "},
                {1, 1, "sleep 12.345000 & ", "head -c 1000003 "},
                {0.001, 0.001, "sleep 0.012345 & ", "head -c 1000 "},
                {0.0000001, 0.0000005, "sleep 0.000001 & ", "head -c 1 "},
                {10, 1000000, "sleep 123.450000 & ", "head -c 1000003000000 "}};
    struct pingo_history *h;
    struct pingo_workflow *w;
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    submit(h, 1, "u", "w", "a<");
    pingo_history_set_size(h, 0, 1000003);
    pingo_history_set_compute(h, 0, 12345);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pingo_generate_workflow_options options = {1, rows[i].time, rows[i].size};
        w = parsed(h, 0, &options);
        assert_in(command_of(w, 0), rows[i].sleep);
        assert_in(command_of(w, 0), rows[i].head);
        pingo_workflow_free(w);
    }
    struct pingo_generate_workflow_options no_wait = {1, -1, 1};
    w = parsed(h, 0, &no_wait);
    assert_null(strstr(command_of(w, 0), "sleep"));
    assert_null(strstr(command_of(w, 0), "wait"));
    pingo_workflow_free(w);
    pingo_history_free(h);
}

static int made(const struct pingo_history *h, uint32_t submission, unsigned version, double time,
                double size)
{
    struct pingo_generate_workflow_options options = {version, time, size};
    char *text = (char *)&options;
    int rc = pingo_generate_workflow(h, submission, &options, &text, NULL);
    if (rc == 0) {
        free(text);
        return 0;
    }
    assert_null(text);
    return rc;
}

static void test_workflow__refuses_what_is_wrong(void **state)
{
    (void)state;
    struct pingo_history *h;
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    submit(h, 1, "u", "w", "a<");
    assert_int_equal(made(h, 0, 1, 1, 1), 0);
    assert_int_equal(made(h, 1, 1, 1, 1), PINGO_ENOTFOUND);
    assert_int_equal(made(h, UINT32_MAX, 1, 1, 1), PINGO_ENOTFOUND);
    assert_int_equal(made(h, 0, 2, 1, 1), PINGO_EINVAL);
    assert_int_equal(made(h, 0, 1, 1, -1), PINGO_EINVAL);
    assert_int_equal(made(h, 0, 1, 1e7, 1), PINGO_EINVAL);
    assert_int_equal(made(h, 0, 1, 1, 1e7), PINGO_EINVAL);
    assert_int_equal(made(h, 0, 1, NAN, 1), PINGO_EINVAL);
    /* "twins-of-one-mark" differ behind their first 8 bytes. */
    submit(h, 2, "u", "w", "twins-of1<");
    submit(h, 3, "u", "w", "twins-of2<");
    submit(h, 4, "u", "w", "twins-of1 twins-of2 c<twins-of1,twins-of2");
    assert_int_equal(made(h, 3, 1, 1, 1), PINGO_EWORKFLOW);
    pingo_history_free(h);
}

/* What a generated history never has: forced and equal actions, what is not known, children first. */
static void test_workflow__any_history(void **state)
{
    (void)state;
    struct pingo_history *h;
    struct pingo_workflow *w;
    assert_int_equal(pingo_history_new(&h, NULL), 0);
    assert_int_equal(submit(h, 1, "u", "", "a< b<a c<a,b* a! c"), 0);
    assert_int_equal(submit(h, 2, "u", "later", "c! b a"), 0);
    w = parsed(h, 0, NULL);
    assert_int_equal(pingo_workflow_count(w), 3);
    assert_string_equal(pingo_workflow_name(w), "unnamed");
    assert_true(pingo_workflow_action(w, 0)->force_computation);
    assert_false(pingo_workflow_action(w, 1)->force_computation);
    assert_in(command_of(w, 0), "head -c 0 >output");
    assert_null(strstr(command_of(w, 0), "sleep"));
    pingo_workflow_free(w);
    w = parsed(h, 1, NULL);
    assert_int_equal(pingo_workflow_count(w), 3);
    assert_int_equal(pingo_workflow_action(w, 0)->nparents, 2);
    assert_true(pingo_workflow_action(w, 0)->force_computation);
    assert_false(pingo_workflow_action(w, 1)->force_computation);
    pingo_workflow_free(w);
    pingo_history_free(h);
}

static void test_workflow__each_allocation_fails_once(void **state)
{
    (void)state;
    struct pingo_history *h = generated("recent-n", 1, "actions=80");
    int nfailed = 0;
    for (long n = 0;; n++) {
        char *text;
        struct pingo_error err = {0};
        arm(n);
        int rc = pingo_generate_workflow(h, 7, NULL, &text, &err);
        bool more = disarm();
        free(text);
        if (!more) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_int_equal(rc, PINGO_ENOMEM);
        nfailed++;
    }
    assert_true(nfailed > 15);
    pingo_history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workflow__is_the_submission),
        cmocka_unit_test(test_workflow__equal_actions_have_equal_hashes),
        cmocka_unit_test(test_workflow__scales),
        cmocka_unit_test(test_workflow__refuses_what_is_wrong),
        cmocka_unit_test(test_workflow__any_history),
        cmocka_unit_test(test_workflow__each_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
