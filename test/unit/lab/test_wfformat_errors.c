/* WfFormat: what is refused, where it stands, and what would be right. */
#include "unit/lab/wfformat_texts.h"

#define HEAD "{'name':'w','schemaVersion':'1.4','workflow':{'tasks':["
#define SPLIT "{'name':'w','schemaVersion':'1.5','workflow':{'specification':{"

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
    {HEAD "{'name':'a','children':['a']}]}}",
     "/workflow/tasks/0/children/0: a task is not its own child"},
    {HEAD "{'name':'a'},{'name':'a'}]}}",
     "/workflow/tasks/1: two tasks have the name \"a\" and no id"},
    {HEAD "{'name':'a','id':'1'},{'name':'b','id':'1'}]}}",
     "/workflow/tasks/1: two tasks have the id \"1\""},
    {HEAD "{'name':'a','id':'1'},{'name':'a','id':'2'},{'name':'b','parents':['a']}]}}",
     "/workflow/tasks/2/parents/0: several tasks have the name \"a\"; expected an id"},
    {HEAD
     "{'name':'a','parents':['b']},{'name':'b','parents':['c']},{'name':'c','parents':['b']}]}}",
     "/workflow/tasks/1: tasks make a cycle, each a child of the next: \"b\", \"c\", \"b\""},
    {HEAD "{'name':'a','runtimeInSeconds':-0.1}]}}",
     "/workflow/tasks/0/runtimeInSeconds: expected a number from 0 to 9007199254740"},
    {HEAD "{'name':'a','runtime':1e13}]}}", "/workflow/tasks/0/runtime: expected a number from 0"},
    {HEAD "{'name':'a','runtimeInSeconds':null}]}}",
     "/workflow/tasks/0/runtimeInSeconds: expected a number, found null"},
    {HEAD "{'name':'a','command':['x']}]}}",
     "/workflow/tasks/0/command: expected an object, found an array"},
    {HEAD "{'name':'a','command':{'arguments':['x',{}]}}]}}",
     "/workflow/tasks/0/command/arguments/1: expected a string, found an object"},
    {HEAD "{'name':'a','files':[{'link':'input'}]}]}}",
     "/workflow/tasks/0/files/0: expected \"name\" here, a string"},
    {HEAD "{'name':'a','files':[{'name':'f','size':1}]}]}}",
     "/workflow/tasks/0/files/0: expected \"link\" here, a string"},
    {HEAD "{'name':'a','files':[{'name':'f','link':'both'}]}]}}",
     "/workflow/tasks/0/files/0/link: expected \"input\" or \"output\""},
    {HEAD "{'name':'a','files':[{'name':'f','size':'1','link':'input'}]}]}}",
     "/workflow/tasks/0/files/0/size: expected a number, found a string"},
    {HEAD "{'name':'a','files':[{'name':'f','link':'output'}]},"
          "{'name':'b','files':[{'name':'f','link':'output'}]}]}}",
     "/workflow/tasks/1/files/0: \"f\" is an output of two tasks, also of \"a\""},
    {HEAD "{'name':'a','files':[{'name':'f','size':9007199254740991,'link':'output'},"
          "{'name':'g','size':1,'link':'output'}]}]}}",
     "/workflow/tasks/0: the outputs of a task together have up to 2^53-1 bytes"},
    {SPLIT "'tasks':[{'name':'a'}]}}}",
     "/workflow/specification/tasks/0: expected \"id\" here, a string"},
    {SPLIT "'files':[{'id':'f'}],'tasks':[]}}}",
     "/workflow/specification/files/0: expected \"sizeInBytes\" here, a number"},
    {SPLIT "'files':[{'id':'f','sizeInBytes':1},{'id':'f','sizeInBytes':1}],'tasks':[]}}}",
     "/workflow/specification/files/1: two files have the id \"f\""},
    {SPLIT "'files':[],'tasks':[{'name':'a','id':'a','inputFiles':['f']}]}}}",
     "/workflow/specification/tasks/0/inputFiles/0: no file in /workflow/specification/files has "
     "the id \"f\""},
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
};

static void test_wfformat_errors__tell_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = wf_quoted(rows[i].text);
        struct pingo__lab_wf_instance run;
        struct pingo_error err = {0};
        int rc = pingo__lab_wfformat_read(text, strlen(text), &run, &err);

        if (rc != PINGO_EINVAL || err.code != rc || !strstr(err.message, rows[i].message))
            fail_msg("%s\ngave %d: %s", rows[i].text, rc, err.message);
        assert_int_equal(strncmp(err.message, "line ", 5), 0);
        pingo__lab_wf_instance_clear(&run);
        free(text);
    }
}

/* A long cycle, long names: the message is cut, and stays UTF-8. */
static void test_wfformat_errors__long_names(void **state)
{
    static char text[40000];
    struct pingo__lab_wf_instance run;
    struct pingo_error err = {0};
    char name[200];
    size_t n;

    (void)state;
    for (size_t i = 0; i < sizeof name - 2; i += 2)
        memcpy(name + i, "\xc3\xa9", 3);
    n = (size_t)snprintf(text, sizeof text, "%s", HEAD);
    for (int i = 0; i < 20; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%s{'name':'x%d%s','id':'%d','parents':['%d']}", i ? "," : "", i,
                              name, i, (i + 1) % 20);
    snprintf(text + n, sizeof text - n, "]}}");
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    assert_int_equal(pingo__lab_wfformat_read(text, strlen(text), &run, &err), PINGO_EINVAL);
    assert_non_null(strstr(err.message, "tasks make a cycle, each a child of the next: \"x0"));
    assert_non_null(strstr(err.message, "..., \"x0"));
    for (const char *c = err.message; *c; c++)
        if ((*c & 0xe0) == 0xc0)
            assert_int_equal(c[1] & 0xc0, 0x80);
    pingo__lab_wf_instance_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wfformat_errors__tell_the_place),
        cmocka_unit_test(test_wfformat_errors__long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
