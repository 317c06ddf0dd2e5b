/* test_wfformat_files.c - the files of a document: how large each is, who makes it and who reads it. */
#include "unit/lab/wfformat_texts.h"

#include "lab/traces/wfformat_read.h"

/* "NAME=SIZE<PRODUCER ..." of all files, then "| TASK: reads NAME,NAME makes NAME" of each task. */
static void tell(const char *document, char *text)
{
    struct pingo__lab_wf_document d;
    struct pingo_error err = {0};
    char *quoted = wf_quoted(document);
    if (pingo__lab_wf_document_read(&d, quoted, strlen(quoted), &err))
        fail_msg("%s\n%s", err.message, document);
    *text = '\0';
    for (size_t i = 0; i < d.nfiles; i++) {
        const struct pingo__lab_wf_file *f = &d.files[i];
        text += sprintf(text, "%s%s=%lld", i ? " " : "", f->name, (long long)f->size_bytes);
        if (f->producer != PINGO__WF_NOBODY)
            text += sprintf(text, "<%s", d.tasks[f->producer].name);
    }
    for (uint32_t i = 0; i < d.ntasks; i++) {
        const struct pingo__lab_wf_draft *t = &d.tasks[i];
        text += sprintf(text, " | %s:", t->name);
        for (uint32_t k = 0; k < t->ninputs; k++)
            text += sprintf(text, "%s%s", k ? "," : " reads ",
                            d.files[d.inputs.files[t->first_input + k]].name);
        for (uint32_t k = 0; k < t->noutputs; k++)
            text += sprintf(text, "%s%s", k ? "," : " makes ",
                            d.files[d.outputs.files[t->first_output + k]].name);
    }
    pingo__lab_wf_document_clear(&d);
    free(quoted);
}

#define OF(system)                                                                                 \
    "{'name':'w','schemaVersion':'1.4','wms':{'name':'" system "'},'workflow':{'tasks':["

static const struct {
    const char *document, *expected;
} documents[] = {
    /* The size at the task that makes it counts, else the largest. */
    {HEAD "{'name':'a','files':[{'name':'x','sizeInBytes':9,'link':'input'},"
          "{'name':'in','size':3,'link':'input'},{'name':'o','size':1,'link':'OUTPUT'}]},"
          "{'name':'b','files':[{'name':'in','size':7,'link':'Input'},{'name':'o','size':5,'link':"
          "'input'},{'name':'x','size':2,'link':'output'}]},"
          "{'name':'c','files':[{'name':'in','link':'input'},{'name':'x','size':8,'link':'input'}"
          "]}]}}",
     "x=2<b in=7 o=1<a | a: reads x,in makes o | b: reads in,o makes x | c: reads in,x"},
    /* Who makes it may leave it out: then whoever reads it knows, whichever comes first. */
    {HEAD
     "{'name':'a','files':[{'name':'o','link':'output'},{'name':'p','size':3,'link':'input'}]},"
     "{'name':'b','files':[{'name':'o','size':5,'link':'input'},{'name':'p','link':'output'}]}"
     "]}}",
     "o=5<a p=3<b | a: reads p makes o | b: reads o makes p"},
    /* One that stands among the outputs twice counts once; the path is a part of the name. */
    {HEAD "{'name':'a','files':[{'name':'o','path':'/d/','size':1,'link':'output'},"
          "{'name':'o','path':'/d/','size':2,'link':'output'},{'name':'o','link':'output'}]}]}}",
     "/d/o=2<a o=-1<a | a: makes /d/o,o"},
    /* sizeInBytes before size. */
    {HEAD "{'name':'a','files':[{'name':'o','size':1,'sizeInBytes':2,'link':'output'}]}]}}",
     "o=2<a | a: makes o"},
    /* Makeflow writes kilobytes, but for one data base. */
    {OF("makeflow") "{'name':'a','files':[{'name':'o','size':1.5,'link':'output'},{'name':'nt','"
                    "path':"
                    "'db/','size':7,'link':'input'},{'name':'nt.1','size':7,'link':'input'}]}]}}",
     "o=1500<a db/nt=7 nt.1=7000 | a: reads db/nt,nt.1 makes o"},
    {OF("Nextflow") "{'name':'a','files':[{'name':'o','size':1.5,'link':'output'}]}]}}",
     "o=2<a | a: makes o"},
    /* From 1.5 on sizes stand in a list; without one nothing is known of them. */
    {SPLIT "'files':[{'id':'o','sizeInBytes':4},{'id':'unused','sizeInBytes':1}],'tasks':[{'name':"
           "'a','id':'1','outputFiles':['o','o']},{'name':'b','id':'2','inputFiles':['o','o']}]}}}",
     "o=4<a unused=1 | a: makes o | b: reads o,o"},
    {SPLIT "'tasks':[{'name':'a','id':'1','outputFiles':['o']},{'name':'b','id':'2','inputFiles':"
           "['o','i']}]}}}",
     "o=-1<a i=-1 | a: makes o | b: reads o,i"},
    {HEAD "{'name':'a','files':[]},{'name':'b'}]}}", " | a: | b:"},
};

static void test_wfformat_files__are_who_made_them_and_how_large(void **state)
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
    {SPLIT "'files':[{'id':'f'}],'tasks':[]}}}",
     "/workflow/specification/files/0: expected \"sizeInBytes\" here, a number"},
    {SPLIT "'files':[{'id':'f','sizeInBytes':1},{'id':'f','sizeInBytes':1}],'tasks':[]}}}",
     "/workflow/specification/files/1: two files have the id \"f\""},
    {SPLIT "'files':[],'tasks':[{'name':'a','id':'a','inputFiles':['f']}]}}}",
     "/workflow/specification/tasks/0/inputFiles/0: no file in /workflow/specification/files has "
     "the id \"f\""},
    {SPLIT "'files':[7],'tasks':[]}}}",
     "/workflow/specification/files/0: expected an object, found a number"},
    {SPLIT "'files':[{'sizeInBytes':1}],'tasks':[]}}}",
     "/workflow/specification/files/0: expected \"id\" here, a string"},
    {SPLIT "'tasks':[{'name':'a','id':'a','outputFiles':[1]}]}}}",
     "/workflow/specification/tasks/0/outputFiles/0: expected a string, found a number"},
    {SPLIT "'tasks':[{'name':'a','id':'1','outputFiles':['o']},{'name':'b','id':'2','outputFiles':"
           "['o']}]}}}",
     "/workflow/specification/tasks/1/outputFiles/0: \"o\" is an output of two tasks, also of "
     "\"a\""},
    {HEAD "{'name':'a','files':[7]}]}}",
     "/workflow/tasks/0/files/0: expected an object, found a number"},
    {OF("Makeflow") "{'name':'a','files':[{'name':'o','size':9007199254741,'link':'output'}]}]}}",
     "/files/0/size: expected a number from 0 to 9007199254740"},
};

static void test_wfformat_files__tell_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        wf_refused(rows[i].text, rows[i].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wfformat_files__are_who_made_them_and_how_large),
        cmocka_unit_test(test_wfformat_files__tell_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
