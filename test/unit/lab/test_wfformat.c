/* test_wfformat.c - every version says the same, quirks of systems, and what makes tasks equal. */
#include "unit/lab/wfformat_texts.h"

/* split makes words and rest of text; count reads words. */
static const char *const versions[] = {
    "{'name':'w','schemaVersion':'1.2','wms':{'name':'Pegasus','version':'4'},'workflow':{'jobs':["
    "{'name':'split_ID01','id':'ID01','category':'split','command':{'program':'split','arguments':"
    "['-n','2']},'parents':[],'runtime':1.25,'files':[{'name':'text','size':100,'link':'input'},"
    "{'name':'words','size':90,'link':'output'},{'name':'rest','size':10,'link':'output'}]},"
    "{'name':'count_ID02','id':'ID02','command':{'program':'count'},'parents':['split_ID01'],"
    "'runtime':7e-1,'files':[{'name':'words','size':90,'link':'input'},"
    "{'name':'n','size':3,'link':'output'}]}]}}",
    /* Without categories and ids; a parent by its name. */
    "{'name':'w','schemaVersion':'1.3','wms':{'name':'Pegasus'},'workflow':{'tasks':["
    "{'name':'split_ID01','command':{'program':'split','arguments':['-n','2']},'runtime':1.25,"
    "'files':[{'name':'text','size':100,'link':'input'},{'name':'words','size':90,'link':'output'},"
    "{'name':'rest','size':10,'link':'output'}]},"
    "{'name':'count_ID02','parents':['split_ID01'],'runtime':0.7,'files':["
    "{'name':'words','size':1,'link':'INPUT'},{'name':'n','size':3,'link':'output'}]}]}}",
    /* A parent by its id; unknown keys; the names of 1.4. */
    "{'x':[1],'name':'w','schemaVersion':'1.4','workflow':{'makespanInSeconds':3,'tasks':["
    "{'name':'split_ID01','id':'ID01','type':'compute','command':{'program':'split','arguments':"
    "['-n','2']},'runtimeInSeconds':1.25,'children':['count_ID02'],'cores':1.0,'files':["
    "{'name':'text','sizeInBytes':100,'link':'input'},{'name':'words','sizeInBytes':90.0,"
    "'link':'output'},{'name':'rest','sizeInBytes':10,'link':'output'}]},"
    "{'name':'count_ID02','id':'ID02','category':'count','parents':['ID01'],"
    "'runtimeInSeconds':0.7,'files':[{'name':'words','sizeInBytes':90,'link':'input'},"
    "{'name':'n','sizeInBytes':3,'link':'output'}]}]}}",
    "{'name':'w','schemaVersion':'1.5','runtimeSystem':{'name':'Pegasus'},'workflow':{"
    "'execution':{'tasks':[{'id':'b','runtimeInSeconds':0.7,'command':{'program':'count'}},"
    "{'id':'a','runtimeInSeconds':1.25,'command':{'program':'split','arguments':['-n','2']}}]},"
    "'specification':{'tasks':["
    "{'name':'count_ID02','id':'b','parents':['a'],'inputFiles':['words'],'outputFiles':['n']},"
    "{'name':'split_ID01','id':'a','parents':[],'inputFiles':['text'],"
    "'outputFiles':['words','rest','rest']}],"
    "'files':[{'id':'n','sizeInBytes':3},{'id':'text','sizeInBytes':100},"
    "{'id':'words','sizeInBytes':90},{'id':'rest','sizeInBytes':10}]}}}",
    "{'name':'w','schemaVersion':'1.6','workflow':{'specification':{'files':["
    "{'id':'n','sizeInBytes':3},{'id':'text','sizeInBytes':100},{'id':'words','sizeInBytes':90},"
    "{'id':'rest','sizeInBytes':10}],'tasks':["
    "{'name':'split_ID01','id':'a','inputFiles':['text','text'],'outputFiles':['words','rest'],"
    "'children':['b']},{'name':'count_ID02','id':'b','inputFiles':['words'],'outputFiles':['n']}]},"
    "'execution':{'tasks':[{'id':'a','runtimeInSeconds':1.25,'metrics':{'a':1},"
    "'command':{'program':'split','arguments':['-n','2']}},{'id':'b','runtimeInSeconds':0.7}]}}}",
};

static void test_wfformat__every_version_says_the_same(void **state)
{
    struct pingo__lab_wf_instance first, other;

    (void)state;
    wf_read(versions[0], &first);
    assert_int_equal(first.ntasks, 2);
    assert_int_equal(first.nparents, 1);
    assert_int_equal(first.parents[0].task, 0);
    assert_int_equal(first.tasks[0].size_bytes, 100);
    assert_int_equal(first.tasks[0].compute_ms, 1250);
    assert_int_equal(first.tasks[1].size_bytes, 3);
    assert_int_equal(first.tasks[1].compute_ms, 700);
    assert_string_equal(first.name, "w");
    assert_int_equal(first.programs.n, 2);
    assert_string_equal(first.programs.names[first.tasks[0].program], "split");
    assert_string_equal(first.programs.names[first.tasks[1].program], "count");
    for (size_t i = 1; i < sizeof versions / sizeof *versions; i++) {
        wf_read(versions[i], &other);
        assert_true(wf_equal(&first, &other));
        for (int k = 0; k < 2; k++) {
            assert_int_equal(first.tasks[k].size_bytes, other.tasks[k].size_bytes);
            assert_int_equal(first.tasks[k].compute_ms, other.tasks[k].compute_ms);
        }
        pingo__lab_wf_instance_clear(&other);
    }
    pingo__lab_wf_instance_clear(&first);
}

#define FILES                                                                                      \
    "{'id':'in','sizeInBytes':5},{'id':'x','sizeInBytes':6},{'id':'y','sizeInBytes':7},"           \
    "{'id':'z','sizeInBytes':8},{'id':'out','sizeInBytes':9}"
#define A "{'name':'a','id':'a','inputFiles':['in'],'outputFiles':['x','y']}"
#define B "{'name':'b','id':'b','inputFiles':['in'],'outputFiles':['z']}"
#define C "{'name':'c','id':'c','parents':['a','b'],'inputFiles':['x','z'],'outputFiles':['out']}"
#define TIMES                                                                                      \
    "{'id':'a','runtimeInSeconds':1,'command':{'program':'p','arguments':['1','2']}},"             \
    "{'id':'b','runtimeInSeconds':2,'command':{'program':'q'}},{'id':'c','runtimeInSeconds':3}"

/* Against the one that is made of FILES, A B C and TIMES. */
static const struct {
    const char *files, *tasks, *execution;
    bool equal;
} variants[] = {
    {FILES, A "," B "," C, TIMES, true},
    /* Sizes of what tasks make, times and machines are no part of it. */
    {"{'id':'in','sizeInBytes':5},{'id':'x','sizeInBytes':1},{'id':'y','sizeInBytes':2},"
     "{'id':'z','sizeInBytes':3},{'id':'out','sizeInBytes':4}",
     A "," B "," C,
     "{'id':'b','runtimeInSeconds':9,'command':{'program':'q'},'machines':['m']},"
     "{'id':'a','command':{'arguments':['1','2'],'program':'p'}}",
     true},
    /* The order of parents and inputs, and what an output is called that nobody reads. */
    {FILES ",{'id':'Y','sizeInBytes':7}",
     "{'name':'a','id':'a','inputFiles':['in'],'outputFiles':['Y','x']}," B
     ",{'name':'c','id':'c','parents':['b','a'],'inputFiles':['z','x'],'outputFiles':['out']}",
     TIMES, true},
    /* Parents that are known by their children alone, or by the files. */
    {FILES,
     "{'name':'a','id':'a','children':['c'],'inputFiles':['in'],'outputFiles':['x','y']}," B
     ",{'name':'c','id':'c','inputFiles':['x','z'],'outputFiles':['out']}",
     TIMES, true},
    /* An argument, its order, a program. */
    {FILES, A "," B "," C,
     "{'id':'a','command':{'program':'p','arguments':['2','1']}},{'id':'b','command':{'program':"
     "'q'}}",
     false},
    {FILES, A "," B "," C,
     "{'id':'a','command':{'program':'p','arguments':['12']}},{'id':'b','command':{'program':'q'}}",
     false},
    {FILES, A "," B "," C,
     "{'id':'a','command':{'program':'p','arguments':['1','2']}},{'id':'b','command':{'program':"
     "'r'}}",
     false},
    /* An original's size, an original's name. */
    {"{'id':'in','sizeInBytes':50},{'id':'x','sizeInBytes':6},{'id':'y','sizeInBytes':7},"
     "{'id':'z','sizeInBytes':8},{'id':'out','sizeInBytes':9}",
     A "," B "," C, TIMES, false},
    {FILES ",{'id':'im','sizeInBytes':5}",
     "{'name':'a','id':'a','inputFiles':['im'],'outputFiles':['x','y']}," B "," C, TIMES, false},
    /* Another file of the same parent, one more, none. */
    {FILES, A "," B ",{'name':'c','id':'c','parents':['a','b'],'inputFiles':['y','z']}", TIMES,
     false},
    {FILES, A "," B ",{'name':'c','id':'c','parents':['a','b'],'inputFiles':['x','y','z']}", TIMES,
     false},
    {FILES, A "," B ",{'name':'c','id':'c','parents':['a','b'],'inputFiles':['x']}", TIMES, false},
    /* A parent less. */
    {FILES, A "," B ",{'name':'c','id':'c','parents':['a'],'inputFiles':['x']}", TIMES, false},
};

static void test_wfformat__what_makes_tasks_equal(void **state)
{
    char *text = wf_split("Pegasus", FILES, A "," B "," C, TIMES);
    struct pingo__lab_wf_instance first, other;

    (void)state;
    wf_read(text, &first);
    free(text);
    assert_int_equal(first.nparents, 2);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        text = wf_split("Pegasus", variants[i].files, variants[i].tasks, variants[i].execution);
        wf_read(text, &other);
        if (wf_equal(&first, &other) != variants[i].equal)
            fail_msg("variant %zu: %s", i, text);
        pingo__lab_wf_instance_clear(&other);
        free(text);
    }
    pingo__lab_wf_instance_clear(&first);
}

static void test_wfformat__parents_stand_first(void **state)
{
    /* d <- c <- b <- a, and e alone, written the wrong way round. */
    char *text = wf_split("", "",
                          "{'name':'d','id':'d','parents':['c']},{'name':'e','id':'e'},"
                          "{'name':'c','id':'c','parents':['b','a','b']},"
                          "{'name':'b','id':'b','children':['c']},"
                          "{'name':'a','id':'a','children':['b','d']}",
                          "");
    struct pingo__lab_wf_instance run;

    (void)state;
    wf_read(text, &run);
    assert_int_equal(run.ntasks, 5);
    assert_int_equal(run.nparents, 5);
    for (uint32_t i = 0; i < run.ntasks; i++) {
        const struct pingo__lab_wf_task *task = &run.tasks[i];

        assert_int_equal(task->compute_ms, -1);
        assert_int_equal(task->size_bytes, -1);
        for (uint32_t k = 0; k < task->nparents; k++)
            assert_true(run.parents[task->first_parent + k].task < i);
    }
    pingo__lab_wf_instance_clear(&run);
    free(text);
}

#define W1 "/b6/e95c72d7ef9da13b7641118999df15"
#define W2 "/3d/7a64449bc37c576aba41bbd65e7f04"
#define WORK(w, v, hash)                                                                           \
    "{'id':'" w "/x','sizeInBytes':5},{'id':'" v "/y','sizeInBytes':5},{'id':'/d/i','sizeInBytes'" \
    ":5}",                                                                                         \
        "{'name':'N.A','id':'N.A_1','inputFiles':['/d/i'],'outputFiles':['" w "/x']},"             \
        "{'name':'N.A','id':'N.A_2','inputFiles':['" w "/x'],'outputFiles':['" v "/y']}",          \
        "{'id':'N.A_1','command':{'program':'make /home/work" w "/x\\n" hash "'}},"                \
        "{'id':'N.A_2','runtimeInSeconds':0.0,'command':{'program':'cat x'}}"
#define STAMPED(s, t)                                                                              \
    "{'id':'in','sizeInBytes':5},{'id':'" s "o','sizeInBytes':5},{'id':'" t "p','sizeInBytes':5}", \
        "{'name':'a','id':'a','inputFiles':['in'],'outputFiles':['" s "o']},"                      \
        "{'name':'b','id':'b','inputFiles':['" s "o'],'outputFiles':['" t "p']}",                  \
        "{'id':'a','command':{'program':'a','arguments':['-o','" s "o']}}"

/* Pairs of runs. */
static const struct {
    const char *system, *files[2], *tasks[2], *execution[2];
    bool equal;
} pairs[] = {
#define PAIR(system, equal, ...) PAIR_(system, equal, __VA_ARGS__)
#define PAIR_(system, equal, f1, t1, e1, f2, t2, e2)                                               \
    {                                                                                              \
        system, {f1, f2}, {t1, t2}, {e1, e2}, equal                                                \
    }
    PAIR("Nextflow", true, WORK(W1, W2, ""), WORK(W2, W1, "")),
    PAIR("nextflow", true, WORK(W1, W2, ""), WORK("/00/000000000000000000000000000000", W1, "")),
    PAIR("Nextflow", false, WORK(W1, W2, "a"), WORK(W2, W1, "b")),
    /* A digit too many is no directory of Nextflow. */
    PAIR("Nextflow", false, WORK(W1 "0", W2, ""), WORK(W2 "0", W1, "")),
    PAIR("Pegasus", false, WORK(W1, W2, ""), WORK(W2, W1, "")),
    PAIR("Pegasus", true, STAMPED("20200407-225740-", "20200407-225740-"),
         STAMPED("20210101-000000-", "20210101-000000-")),
    /* Two times in a run are not the time of the run. */
    PAIR("Pegasus", false, STAMPED("20200407-225740-", "20200407-225741-"),
         STAMPED("20210101-000000-", "20210101-000001-")),
    PAIR("Pegasus", false, STAMPED("2020047-225740-", "x"), STAMPED("2021011-000000-", "x")),
};

static void test_wfformat__what_differs_from_run_to_run_is_taken_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct pingo__lab_wf_instance runs[2];

        for (int k = 0; k < 2; k++) {
            char *text = wf_split(pairs[i].system, pairs[i].files[k], pairs[i].tasks[k],
                                  pairs[i].execution[k]);

            wf_read(text, &runs[k]);
            free(text);
        }
        if (wf_equal(&runs[0], &runs[1]) != pairs[i].equal)
            fail_msg("pair %zu", i);
        pingo__lab_wf_instance_clear(&runs[0]);
        pingo__lab_wf_instance_clear(&runs[1]);
    }
}

/* One task: what its size, time and program become. */
static const struct {
    const char *system, *output, *size, *name, *execution;
    int64_t size_bytes, compute_ms;
    const char *program;
} quirks[] = {
    {"Makeflow", "o", "12", "a", "{'id':'i','runtimeInSeconds':0.052203}", 12000, 52, "a"},
    {"makeflow", "o", "0.0125", "a_ID12", "{'id':'i','runtimeInSeconds':0}", 13, 1, "a"},
    {"Makeflow", "nt", "5112425635", "a", "", 5112425635, -1, "a"},
    {"Makeflow", "db/nt", "7", "a", "", 7, -1, "a"},
    {"Makeflow", "nt.2", "7", "a", "", 7000, -1, "a"},
    {"Nextflow", "o", "12", "N.A", "{'id':'i','runtimeInSeconds':0,'command':{'program':'x'}}", 12,
     50, "N.A"},
    {"Nextflow", "o", "12", "N.A", "{'id':'i','runtimeInSeconds':0.0495}", 12, 50, "N.A"},
    {"Nextflow", "o", "12", "N.A", "{'id':'i','runtimeInSeconds':0.0515}", 12, 52, "N.A"},
    {"Pegasus", "o", "1e3", "a_ID0000001", "{'id':'i','runtimeInSeconds':1E1}", 1000, 10000, "a"},
    {"Pegasus", "o", "9007199254740991", "a_ID", "{'id':'i','runtimeInSeconds':1e-9}",
     9007199254740991, 1, "a_ID"},
    {"Pegasus", "o", "0", "_ID1", "{'id':'i','command':{'program':'p_ID1'}}", 0, -1, "p_ID1"},
};

static void test_wfformat__quirks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof quirks / sizeof *quirks; i++) {
        struct pingo__lab_wf_instance run;
        char files[128], tasks[128], *text;

        snprintf(files, sizeof files, "{'id':'%s','sizeInBytes':%s}", quirks[i].output,
                 quirks[i].size);
        snprintf(tasks, sizeof tasks, "{'name':'%s','id':'i','outputFiles':['%s']}", quirks[i].name,
                 quirks[i].output);
        text = wf_split(quirks[i].system, files, tasks, quirks[i].execution);
        wf_read(text, &run);
        assert_int_equal(run.tasks[0].size_bytes, quirks[i].size_bytes);
        assert_int_equal(run.tasks[0].compute_ms, quirks[i].compute_ms);
        assert_string_equal(run.programs.names[0], quirks[i].program);
        pingo__lab_wf_instance_clear(&run);
        free(text);
    }
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {HEAD "{'name':'a','children':['a']}]}}",
     "/workflow/tasks/0/children/0: a task is not its own child"},
    {HEAD
     "{'name':'a','parents':['b']},{'name':'b','parents':['c']},{'name':'c','parents':['b']}]}}",
     "/workflow/tasks/1: tasks make a cycle, each a child of the next: \"b\", \"c\", \"b\""},
    {HEAD "{'name':'a','files':[{'name':'f','size':9007199254740991,'link':'output'},"
          "{'name':'g','size':1,'link':'output'}]}]}}",
     "/workflow/tasks/0: the outputs of a task together have up to 2^53-1 bytes"},
};

static void test_wfformat__refuses_what_is_no_graph(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        wf_refused(wrong[i].text, wrong[i].message);
}

/* A long cycle, long names: the message is cut, and stays UTF-8. */
static void test_wfformat__names_a_long_cycle_in_short(void **state)
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
        cmocka_unit_test(test_wfformat__every_version_says_the_same),
        cmocka_unit_test(test_wfformat__what_makes_tasks_equal),
        cmocka_unit_test(test_wfformat__parents_stand_first),
        cmocka_unit_test(test_wfformat__what_differs_from_run_to_run_is_taken_out),
        cmocka_unit_test(test_wfformat__quirks),
        cmocka_unit_test(test_wfformat__refuses_what_is_no_graph),
        cmocka_unit_test(test_wfformat__names_a_long_cycle_in_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
