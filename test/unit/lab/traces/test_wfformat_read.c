/* test_wfformat_read.c - a document of any version, taken apart; what is refused, where it stands, and what would be right; numbers, which
 * are read by their digits, rounded, and refused where they are out of range. */
#include "unit/lab/wfformat_texts.h"

#include "lab/traces/wfformat_read.h"

/* "NAME/ID/PROGRAM/CATEGORY:MS" of each task, "-" where there is none; "!": it was executed; then its arguments, and "<"
 * the positions of its parents, ">" those of its children. */
static void tell(const char *document, char *text)
{
    struct pingo__lab_wf_document d;
    struct pingo_error err = {0};
    char *quoted = wf_quoted(document);
    if (pingo__lab_wf_document_read(&d, quoted, strlen(quoted), &err))
        fail_msg("%s\n%s", err.message, document);
    text += sprintf(text, "%s %d", d.name, (int)d.system);
    for (uint32_t i = 0; i < d.ntasks; i++) {
        const struct pingo__lab_wf_draft *t = &d.tasks[i];
        text += sprintf(text, " | %s/%s/%s/%s:%lld%s", t->name, t->id ? t->id : "-",
                        t->program ? t->program : "-", t->category ? t->category : "-",
                        (long long)t->compute_ms, t->executed ? "!" : "");
        for (const struct pingo__json_value *v = pingo__json_first(t->arguments); v;
             v = pingo__json_next(v))
            text += sprintf(text, " %s", pingo__json_text(v));
        for (const struct pingo__json_value *v = pingo__json_first(t->parents); v;
             v = pingo__json_next(v))
            text += sprintf(text, "<%u", pingo__lab_wf_task_of(&d, v));
        for (const struct pingo__json_value *v = pingo__json_first(t->children); v;
             v = pingo__json_next(v))
            text += sprintf(text, ">%u", pingo__lab_wf_task_of(&d, v));
        if (t->pingo_hash)
            text += sprintf(text, " #%s", t->pingo_hash);
    }
    assert_int_equal(d.r.rc, 0);
    pingo__lab_wf_document_clear(&d);
    free(quoted);
}

static const struct {
    const char *document, *expected;
} documents[] = {
    /* 1.2 calls them jobs. */
    {"{'name':'w','schemaVersion':'1.2','workflow':{'jobs':[{'name':'a','runtime':1.5,'category':'"
     "c'},"
     "{'name':'b','parents':['a']}],'tasks':7}}",
     "w 0 | a/-/-/c:1500 | b/-/-/-:-1<0"},
    /* A task is known by its id, its name, or both; an id comes before a name. */
    {HEAD
     "{'name':'x','id':'1'},{'name':'y','id':'2','parents':['1','x_1','y_2'],'children':['3']},"
     "{'name':'2','id':'3','parents':['2']},{'name':'x','id':'4','parents':['x_1','x_4']}]}}",
     "w 0 | x/1/-/-:-1 | y/2/-/-:-1<0<0<1>2 | 2/3/-/-:-1<1 | x/4/-/-:-1<0<3"},
    /* runtimeInSeconds before runtime; nothing takes no time at all, and with Nextflow 50 ms. */
    {HEAD "{'name':'a','runtime':9,'runtimeInSeconds':0.0004},{'name':'b','runtime':0}]}}",
     "w 0 | a/-/-/-:1 | b/-/-/-:1"},
    {"{'name':'w','schemaVersion':'1.3','wms':{'name':'NEXTFLOW'},'workflow':{'tasks':[{'name':'a',"
     "'runtime':0.0494},{'name':'b','runtime':0.0514}]}}",
     "w 2 | a/-/-/-:50 | b/-/-/-:51"},
    {"{'name':'w','schemaVersion':'1.4','wms':{'name':'x'},'runtimeSystem':{'name':'makeflow'},"
     "'workflow':{'tasks':[{'name':'a'}]}}",
     "w 1 | a/-/-/-:-1"},
    /* From 1.5 on: what was measured stands apart; a command there comes before that of the specification. */
    {SPLIT "'tasks':[{'name':'a','id':'1','command':{'program':'p','arguments':['u','v']},"
           "'runtimeInSeconds':5},{'name':'b','id':'2','parents':['1']}]},'execution':{'tasks':[{'"
           "id':'2',"
           "'runtimeInSeconds':2,'command':{'program':'q','arguments':['x']}}]}}}",
     "w 0 | a/1/p/-:-1 u v | b/2/q/-:2000! x<0"},
    {SPLIT "'tasks':[{'name':'a','id':'1','command':{'program':'p','arguments':['u']}}]},"
           "'execution':{'tasks':[{'id':'1'}]}}}",
     "w 0 | a/1/p/-:-1! u"},
    {"{'name':'','schemaVersion':'1.6','workflow':{'specification':{'tasks':[{'name':'a','id':'1',"
     "'pingoHash':'h'}]}}}",
     " 0 | a/1/-/-:-1 #h"},
};

static void test_wfformat_read__takes_every_version_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        char text[512];
        tell(documents[i].document, text);
        assert_string_equal(text, documents[i].expected);
    }
}

static const struct {
    const char *text, *message;
} rows[] = {
    {"", "line 1, column 1: "},
    {"[]", "line 1, column 1: a WfFormat document is an object"},
    {"{'name':'w'}", "line 1, column 1: a WfFormat document has \"schemaVersion\", a string"},
    {"{'schemaVersion':'1.4'}", "line 1, column 1: a WfFormat document has \"name\", a string"},
    {"{'schemaVersion':1.4}",
     "line 1, column 18: /schemaVersion: expected a string, found a number"},
    {"{'schemaVersion':'1.1'}", "line 1, column 18: /schemaVersion: version \"1.1\" is not known; "
                                "expected \"1.2\", \"1.3\", "},
    {"{'schemaVersion':'1.50'}", "version \"1.50\" is not known"},
    {"{'name':'w','schemaVersion':'1.4'}", "a WfFormat document has \"workflow\", an object"},
    {"{'name':'w','schemaVersion':'1.4','wms':'x','workflow':{}}",
     "/wms: expected an object, found a string"},
    {"{'name':'w','schemaVersion':'1.4','workflow':{}}",
     "/workflow: expected \"tasks\" here, an array"},
    {"{'name':'w','schemaVersion':'1.2','workflow':{'tasks':[]}}",
     "/workflow: expected \"jobs\" here, an array"},
    {"{'name':'w','schemaVersion':'1.5','workflow':{'tasks':[]}}",
     "/workflow: expected \"specification\" here, an object"},
    {HEAD "]}}", "line 1, column 55: /workflow/tasks: a workflow has at least one task"},
    {HEAD "{'name':'a'},\n {'id':'b'}]}}",
     "line 2, column 2: /workflow/tasks/1: expected \"name\" here, a string"},
    {HEAD "7]}}", "/workflow/tasks/0: expected an object, found a number"},
    {HEAD "{'name':'a','parents':'b'}]}}",
     "/workflow/tasks/0/parents: expected an array, found a string"},
    {HEAD "{'name':'a','parents':[1]}]}}",
     "/workflow/tasks/0/parents/0: expected a string, found a number"},
    {HEAD "{'name':'a','parents':['b']}]}}",
     "/workflow/tasks/0/parents/0: no task has the id or the name \"b\""},
    {HEAD "{'name':'a','children':['b']}]}}",
     "/workflow/tasks/0/children/0: no task has the id or the name \"b\""},
    {HEAD "{'name':'a'},{'name':'a'}]}}",
     "/workflow/tasks/1: two tasks have the name \"a\" and no id"},
    {HEAD "{'name':'a','id':'1'},{'name':'b','id':'1'}]}}",
     "/workflow/tasks/1: two tasks have the id \"1\""},
    {HEAD "{'name':'a','id':'1'},{'name':'a','id':'2'},{'name':'b','parents':['a']}]}}",
     "/workflow/tasks/2/parents/0: several tasks have the name \"a\"; expected an id"},
    {HEAD "{'name':'a','runtimeInSeconds':-0.1}]}}",
     "/workflow/tasks/0/runtimeInSeconds: expected a number from 0 to 9007199254740"},
    {HEAD "{'name':'a','runtime':1e13}]}}", "/workflow/tasks/0/runtime: expected a number from 0"},
    {HEAD "{'name':'a','runtimeInSeconds':null}]}}",
     "/workflow/tasks/0/runtimeInSeconds: expected a number, found null"},
    {HEAD "{'name':'a','command':['x']}]}}",
     "/workflow/tasks/0/command: expected an object, found an array"},
    {HEAD "{'name':'a','command':{'arguments':['x',{}]}}]}}",
     "/workflow/tasks/0/command/arguments/1: expected a string, found an object"},
    {SPLIT "'tasks':[{'name':'a'}]}}}",
     "/workflow/specification/tasks/0: expected \"id\" here, a string"},
    {SPLIT "'tasks':[{'name':'a','id':'a'}]},'execution':{}}}",
     "/workflow/execution: expected \"tasks\" here, an array"},
    {SPLIT "'tasks':[{'name':'a','id':'a'}]},'execution':{'tasks':[{'id':'b'}]}}}",
     "/workflow/execution/tasks/0/id: no task has the id or the name \"b\""},
    {SPLIT "'tasks':[{'name':'a','id':'a'}]},'execution':{'tasks':[{'id':'a'},{'id':'a'}]}}}",
     "/workflow/execution/tasks/1: \"a\" was executed twice"},
    /* A name that is more than a line. */
    {HEAD "{'name':'a','children':['\\n\\u007f']}]}}", "has the id or the name \" ?\""},
    {"{'name':'w','name':'v'}", "line 1, column 13: "},
    {HEAD "{'name':'a'}]}} x", "line 1, column 72: "},

    {"{'name':'w','schemaVersion':'1.7'}", "version \"1.7\" is not known"},
    {HEAD "{'name':'a','id':1}]}}", "/workflow/tasks/0/id: expected a string, found a number"},
    {HEAD "{'name':'a','id':'1'},{'name':'a','id':'2'},{'name':'a_1','id':'1'}]}}",
     "/workflow/tasks/2: two tasks have the id \"1\""},
    {SPLIT "'tasks':[{'name':'a','id':'a'}]},'execution':{'tasks':[7]}}}",
     "/workflow/execution/tasks/0: expected an object, found a number"},
    {SPLIT "'tasks':[{'name':'a','id':'a'}]},'execution':{'tasks':[{}]}}}",
     "/workflow/execution/tasks/0: expected \"id\" here, a string"},
};

static void test_wfformat_read__tells_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        wf_refused(rows[i].text, rows[i].message);
}

static const struct {
    const char *spelling;
    int shift;
    int64_t max, number; /* -1: refused */
} numbers[] = {
    {"0", 3, 9, 0},
    {"-0.0e7", 0, 9, 0},
    {"-1", 0, 9, -1},
    {"-1e-400", 0, 9, -1},
    {"9", 0, 9, 9},
    {"10", 0, 9, -1},
    {"9.49999999999999999999999", 0, 9, 9},
    {"9.5", 0, 9, -1},
    {"0.0005", 3, 9, 1},
    {"0.00049999", 3, 9, 0},
    {"1.0005", 3, 9999, 1001},
    {"12345678901234567890123e-20", 0, 999, 123},
    {"0.000000000000000000000001e24", 0, 9, 1},
    {"1e15", 0, INT64_C(9007199254740991), INT64_C(1000000000000000)},
    {"9007199254740991", 0, INT64_C(9007199254740991), INT64_C(9007199254740991)},
    {"9007199254740992", 0, INT64_C(9007199254740991), -1},
    {"9007199254740.991", 3, INT64_C(9007199254740991), INT64_C(9007199254740991)},
    {"1e999999999999", 0, 9, -1},
    {"0e999999999999", 0, 9, 0},
    {"1e-999999999999", 0, 9, 0},
    {"1E+1", 0, 99, 10},
};

static void test_wfformat_read__takes_a_number_by_its_digits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t number = -2;
        bool ok = pingo__lab_wf_decimal(numbers[i].spelling, strlen(numbers[i].spelling),
                                        numbers[i].shift, numbers[i].max, &number);

        if (ok != (numbers[i].number >= 0) || (ok && number != numbers[i].number))
            fail_msg("%s: %d, %lld", numbers[i].spelling, ok, (long long)number);
    }
}

static const struct {
    const char *text;
    int shift;
    int64_t number;
    const char *message; /* where it is refused */
} members[] = {
    {"12", 0, 12, NULL},
    {"1.2345", 3, 1235, NULL},
    {"9007199254740991", 0, INT64_C(9007199254740991), NULL},
    {"9007199254740992", 0, -1, "/n/n: expected a number from 0 to 9007199254740991"},
    {"9007199254741", 3, -1, "/n/n: expected a number from 0 to 9007199254740"},
    {"-1", 0, -1, "/n/n: expected a number from 0 to 9007199254740991"},
    {"\"1\"", 0, -1, "/n/n: expected a number, found a string"},
    {"null", 0, -1, "/n/n: expected a number, found null"},
};

static void test_wfformat_read__takes_a_number_of_a_document(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct pingo__json_reader r;
        struct pingo_error err = {0};
        char text[64];
        snprintf(text, sizeof text, "{\"n\":{\"n\":%s}}", members[i].text);
        assert_int_equal(pingo__json_reader_open(&r, text, strlen(text), "a document", &err), 0);
        const struct pingo__json_value *object =
            pingo__json_reader_open_member(&r, "n", PINGO__JSON_OBJECT);
        const struct pingo__json_value *v = pingo__json_at(object, "n");
        assert_non_null(v);
        assert_int_equal(pingo__lab_wf_number(&r, v, members[i].shift), members[i].number);
        assert_int_equal(r.rc, members[i].message ? PINGO_EINVAL : 0);
        if (members[i].message) /* which ends with it */
            assert_string_equal(strstr(err.message, "/n"), members[i].message);
        pingo__json_reader_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wfformat_read__takes_every_version_apart),
        cmocka_unit_test(test_wfformat_read__tells_the_place),
        cmocka_unit_test(test_wfformat_read__takes_a_number_by_its_digits),
        cmocka_unit_test(test_wfformat_read__takes_a_number_of_a_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
