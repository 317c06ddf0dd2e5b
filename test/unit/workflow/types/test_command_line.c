/* test_command_line.c - commands: their rules, and what is handed to an executor: one row, one workflow, all that is said of it. */
#include "unit/workflow/rules.h"
#include "unit/workflow/types/rendered.h"

static const struct row rows[] = {
    {"test_command_line__command_missing",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line'}]}",
     "1:24 /actions/0 'command' is missing: command-line actions need it, a string or an "
     "array of strings",
     NULL},
    {"test_command_line__command_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':{}}]}",
     "1:75 /actions/0/command 'command' must be a string or an array of strings, not an o"
     "bject",
     NULL},
    {"test_command_line__command_empty",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':''}]}",
     "1:75 /actions/0/command 'command' is empty: write a command for the shell, or an arr"
     "ay of a program and its arguments",
     NULL},
    {"test_command_line__command_empty_array",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':[]}]}",
     "1:75 /actions/0/command 'command' is empty: write a program and its arguments", NULL},
    {"test_command_line__command_empty_program",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':['','x']}"
     "]}",
     "1:76 /actions/0/command/0 the program's name is empty: write its name or path", NULL},
    {"test_command_line__command_empty_argument",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':['printf'"
     ",'']}]}",
     "", NULL},
    {"test_command_line__command_elements",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':['x',1,nu"
     "ll]}]}",
     "1:80 /actions/0/command/1 element 1 must be a string, not a number\n"
     "1:82 /actions/0/command/2 element 2 must be a string, not null",
     NULL},
    {"test_command_line__env_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','e"
     "nv':'A=1'}]}",
     "1:88 /actions/0/env 'env' must be an object of strings, not a string", NULL},
    {"test_command_line__env",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','e"
     "nv':{'A':1,'B=':'','':'x','HOME':'/','PINGO_CPUS':'2'}}]}",
     "1:93 /actions/0/env/A 'A' must be a string, not a number\n"
     "1:95 /actions/0/env/B= the variable 'B=' has '=' in its name\n"
     "1:103 /actions/0/env/ a variable of env has an empty name\n"
     "1:110 /actions/0/env/HOME the variable HOME is set by Pingo for each run: leave it "
     "out\n"
     "1:121 /actions/0/env/PINGO_CPUS the variable PINGO_CPUS is set by Pingo for each ru"
     "n: leave it out",
     NULL},
    {"test_command_line__output_with_a_slash",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':'a/b'}]}",
     "1:91 /actions/0/output 'output' must be the plain name of a file or directory: with"
     "out a slash, not '.' or '..', at most 255 bytes",
     NULL},
    {"test_command_line__output_empty",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':''}]}",
     "1:91 /actions/0/output 'output' must be the plain name of a file or directory: with"
     "out a slash, not '.' or '..', at most 255 bytes",
     NULL},
    {"test_command_line__output_dots",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':'..'}]}",
     "1:91 /actions/0/output 'output' must be the plain name of a file or directory: with"
     "out a slash, not '.' or '..', at most 255 bytes",
     NULL},
    {"test_command_line__output_in",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':'in'}]}",
     "1:91 /actions/0/output 'output' may not be 'in': there lie the inputs", NULL},
    {"test_command_line__output_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':[]}]}",
     "1:91 /actions/0/output 'output' must be a string, not an array", NULL},
    {"test_command_line__output_too_long",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','o"
     "utput':'ooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo"
     "ooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo"
     "ooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo"
     "ooooooooooooooo'}]}",
     "1:91 /actions/0/output 'output' must be the plain name of a file or directory: with"
     "out a slash, not '.' or '..', at most 255 bytes",
     NULL},
    {"test_command_line__stdout_of_another_kind",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'true','s"
     "tdout':'true'}]}",
     "1:91 /actions/0/stdout 'stdout' must be true or false, not a string", NULL},
    {"test_command_line__all_at_once",
     "{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','output':'a/b','std"
     "out':1,'command':''}]}",
     "1:74 /actions/0/output 'output' must be the plain name of a file or directory: witho"
     "ut a slash, not '.' or '..', at most 255 bytes\n"
     "1:89 /actions/0/stdout 'stdout' must be true or false, not a number\n"
     "1:101 /actions/0/command 'command' is empty: write a command for the shell, or an ar"
     "ray of a program and its arguments",
     NULL},
};

static void test_command_line__a_string_goes_to_the_shell(void **state)
{
    static const char *const argv[] = {"/bin/bash", "-euo", "pipefail", "-c", "a | b", NULL};
    static const char *const sh[] = {"/bin/sh", "-c", "a", NULL};
    static const char *const words[] = {"python3", "-c", "a", NULL};
    static const char *const env[] = {"LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "TZ=UTC",
                                      NULL};
    struct pingo_job job;

    (void)state;
    render("{'name':'w','actions':[{'id':1,'name':'a','type':'command-line','command':'a | b'}]}",
           &job);
    check_list(job.argv, argv);
    check_list(job.env, env);
    assert_string_equal(job.output, "output");
    assert_null(job.payload);
    render("{'name':'w','shell':'sh','actions':[{'id':1,'name':'a','type':'command-line',"
           "'command':'a'}]}",
           &job);
    check_list(job.argv, sh);
    render("{'name':'w','shell':'sh','actions':[{'id':1,'name':'a','type':'command-line',"
           "'command':'a','shell':['python3','-c']}]}",
           &job);
    check_list(job.argv, words);
}

/* What Pingo 0.1 described runs as it did. */
static void test_command_line__a_description_without_shell_goes_to_sh(void **state)
{
    static const char *const argv[] = {"/bin/sh", "-c", "a | b", NULL};
    static const char *const command = "a | b", *const output = "output", *const no = "false";
    static const struct pingo_field fields[] = {{"command", PINGO_FIELD_TEXT, &command, 1},
                                                {"output", PINGO_FIELD_TEXT, &output, 1},
                                                {"stdout", PINGO_FIELD_FLAG, &no, 1}};
    struct pingo_job job = {.arena = &arena};

    (void)state;
    assert_int_equal(pingo_action_type_command_line()->render(fields, 3, &job, NULL), 0);
    check_list(job.argv, argv);
}

static void test_command_line__an_array_is_executed(void **state)
{
    static const char *const argv[] = {"cat", "", "x y", NULL};
    static const char *const env[] = {"A=1=2", "LANG=C", "PATH=/p", "TZ=UTC", "Z=", NULL};
    struct pingo_job job;

    (void)state;
    render("{'name':'w','env':{'Z':'','LANG':'C','A':'0'},'actions':[{'id':1,'name':'a',"
           "'type':'command-line','command':['cat','','x y'],'env':{'PATH':'/p','A':'1=2'},"
           "'stdout':true,'output':'unused'}]}",
           &job);
    check_list(job.argv, argv);
    check_list(job.env, env);
    assert_null(job.output);
}

static void test_command_line__refuse_fields_that_they_never_described(void **state)
{
    static const char *const text[] = {"x", "y"};
    static const struct pingo_field sound[] = {{"command", PINGO_FIELD_TEXT, text, 1},
                                               {"env", PINGO_FIELD_PAIRS, text, 2},
                                               {"output", PINGO_FIELD_TEXT, text, 1},
                                               {"stdout", PINGO_FIELD_FLAG, text, 1}};
    const struct pingo_action_type *command_line = pingo_action_type_command_line();
    const struct pingo_action_type *external = pingo_action_type_external();
    struct pingo_job job = {.arena = &arena};
    struct pingo_error err;

    (void)state;
    assert_int_equal(command_line->render(sound, 4, &job, &err), 0);
    for (size_t i = 0; i < 4; i++) {
        struct pingo_field broken[4];

        memcpy(broken, sound, sizeof broken);
        broken[i].nvalues += i == 1 ? 1 : 2;
        assert_int_equal(command_line->render(broken, 4, &job, &err), PINGO_ECORRUPT);
        memcpy(broken, sound, sizeof broken);
        broken[i].kind = i == 1 ? PINGO_FIELD_TEXTS : PINGO_FIELD_PAIRS;
        assert_int_equal(command_line->render(broken, 4, &job, &err), PINGO_ECORRUPT);
    }
    assert_int_equal(command_line->render(sound + 1, 3, &job, &err), PINGO_ECORRUPT);
    assert_int_equal(external->render(sound, 4, &job, &err), PINGO_ECORRUPT);
    assert_int_equal(external->render(NULL, 0, &job, &err), PINGO_ECORRUPT);
    job.arena = NULL;
    assert_int_equal(command_line->render(sound, 4, &job, &err), PINGO_ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_command_line__a_string_goes_to_the_shell, teardown),
        cmocka_unit_test_teardown(test_command_line__a_description_without_shell_goes_to_sh,
                                  teardown),
        cmocka_unit_test_teardown(test_command_line__an_array_is_executed, teardown),
        cmocka_unit_test_teardown(test_command_line__refuse_fields_that_they_never_described,
                                  teardown),
    };
    return run_rows_and(rows, sizeof rows / sizeof rows[0], tests, sizeof tests / sizeof tests[0]);
}
