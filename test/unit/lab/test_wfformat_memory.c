/* test_wfformat_memory.c - every allocation of an import fails once: no crash, no leak, PINGO_ENOMEM, and then it
 * works. */
#include "unit/lab/wfformat_texts.h"
#include "unit/memory.h"

#include <pingo-lab/import.h>

static char *document;
static enum pingo_import_as kind;

/* All of it, once. */
static int whole(struct pingo_history **history)
{
    struct pingo_import_options options = {.version = 1, .as = kind, .every = 1, .nsubmissions = 5};
    struct pingo_import *import;
    struct pingo_import_facts facts = {.size = sizeof facts};
    int rc = pingo_import_new(&import, NULL);

    *history = NULL;
    if (!rc)
        rc = pingo_import_wfformat(import, "a-2b", document, strlen(document), NULL);
    if (!rc)
        rc = pingo_import_wfformat(import, "a-1b", document, strlen(document), NULL);
    if (!rc)
        rc = pingo_import_look(import, &facts, NULL);
    if (!rc)
        rc = pingo_import_arrange(import, &options, history, NULL);
    pingo_import_free(import);
    return rc;
}

static void fail_each(void)
{
    struct pingo_history *history;
    long n;

    assert_int_equal(whole(&history), 0);
    pingo_history_free(history);
    for (n = 0;; n++) {
        int rc;

        arm(n);
        rc = whole(&history);
        if (!disarm()) {
            assert_int_equal(rc, 0);
            assert_int_equal(pingo_history_count_submissions(history), 5);
            pingo_history_free(history);
            break;
        }
        /* What is not needed for the result, as a sort's room, may fail. */
        if (rc)
            assert_int_equal(rc, PINGO_ENOMEM);
        pingo_history_free(history);
        assert_true(n < 2000);
    }
    assert_true(n > 50);
}

static void test_wfformat_memory__fails_at_each_allocation(void **state)
{
    (void)state;
    document = wf_quoted("{'name':'w','schemaVersion':'1.4','wms':{'name':'Nextflow'},'workflow':"
                         "{'tasks':[{'name':'a','id':'1','command':{'program':'p','arguments':"
                         "['x /b6/e95c72d7ef9da13b7641118999df15/y']},'files':[{'name':'f','path':"
                         "'/d/','size':1,'link':'output'}]},{'name':'b_ID1','parents':['a'],"
                         "'files':[{'name':'f','path':'/d/','size':1,'link':'input'}]}]}}");
    for (int k = PINGO_IMPORT_GROWTH; k <= PINGO_IMPORT_TARGETS; k++) {
        kind = (enum pingo_import_as)k;
        fail_each();
    }
    free(document);
    document = wf_quoted("{'name':'w','schemaVersion':'1.4','workflow':{'tasks':[{'name':'a',"
                         "'parents':['nobody']}]}}");
    for (long n = 0; n < 100; n++) {
        struct pingo_history *history;
        int rc;

        arm(n);
        rc = whole(&history);
        assert_true((disarm() && rc == PINGO_ENOMEM) || rc == PINGO_EINVAL);
    }
    free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wfformat_memory__fails_at_each_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
