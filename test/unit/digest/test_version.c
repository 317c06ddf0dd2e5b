/* test_version.c - what a command of "versions" says: which program is run and how, what is kept of what it writes, what is said
 * where it fails, and when it is run again.  Programs are not run: the world of the test answers for them. */
#include "digest/sha256.h"
#include "unit/digest/files.h"
#include "unit/digest/workflows.h"

#include <signal.h>

#include "base/program.h"
#include "digest/originals_list.h"

/* ---- a world in which programs say what they are told to -------------------------------------- */

static struct {
    struct pingo__world world;
    int rc; /* instead of running it */
    struct pingo__program_end end;
    const char *out, *errors;
    int runs;
    char asked[2048]; /* the last one: path, arguments, environment, a line each */
    bool asks_to_stop;
} fake;

static int run(void *context, const struct pingo__program *program, struct pingo__program_end *end)
{
    char *p = fake.asked;
    (void)context;
    p += sprintf(p, "%s\n", program->path);
    for (size_t i = 0; program->argv[i]; i++)
        p += sprintf(p, "%s\n", program->argv[i]);
    for (size_t i = 0; program->env[i]; i++)
        p += sprintf(p, "%s\n", program->env[i]);
    assert_true(program->timeout_ms > 0 && program->max_bytes > 0);
    fake.runs++;
    *end = (struct pingo__program_end){.reason = fake.end.reason, .number = fake.end.number};
    if (fake.asks_to_stop && program->stop(program->stop_context))
        end->reason = PINGO__PROGRAM_STOPPED;
    pingo__buffer_text(&end->out, fake.out);
    pingo__buffer_text(&end->errors, fake.errors);
    return fake.rc;
}

static void say(const char *out, const char *errors)
{
    fake.rc = 0;
    fake.end = (struct pingo__program_end){.reason = PINGO__PROGRAM_EXITED};
    fake.out = out;
    fake.errors = errors;
    fake.runs = 0;
    fake.asks_to_stop = false;
}

static int set_up(void **state)
{
    (void)state;
    fake.world = *pingo__world_real();
    fake.world.run = run;
    say("1.2\n", "");
    put_file("prog", "a program");
    return chmod(at("prog"), 0755);
}

/* Of a program in the scratch directory, with so many arguments. */
static const char *name_of(const char *rest)
{
    static char name[2 * PATH_MAX];
    snprintf(name, sizeof name, "%s%zu:PATH=%s", rest, strlen(scratch) + 5, scratch);
    return name;
}

static struct pingo_error error;

/* The caller clears the version. */
static int ask_with(struct pingo__digest_original *version, const char *name,
                    const struct pingo__digest_content_options *options)
{
    struct pingo__digest_content_options own = *options;
    own.world = &fake.world;
    *version = (struct pingo__digest_original){.kind = PINGO__ORIGINAL_VERSION, .name = name};
    error.message[0] = '\0';
    return pingo__digest_version_read(version, &own, &error);
}

static int ask(struct pingo__digest_original *version, const char *name)
{
    static const struct pingo__digest_content_cache none = {.context = NULL};
    struct pingo__digest_content_options options = {.cache = &none};
    return ask_with(version, name, &options);
}

static void clear(struct pingo__digest_original *version)
{
    free((char *)(uintptr_t)version->path);
    free((char *)(uintptr_t)version->message);
    free((char *)(uintptr_t)version->text);
}

/* ---- names ------------------------------------------------------------------------------------- */

static void test_version__has_command_and_environment_in_its_name(void **state)
{
    static const struct {
        const char *env, *name;
    } rows[] = {
        {"{}", "2 4:prog2:-v12:LANG=C.UTF-833:PATH=/usr/local/bin:/usr/bin:/bin6:TZ=UTC"
               "14:HOME=/dev/null"},
        {"{\"A\": \"x=y\", \"PATH\": \"/p\"}",
         "2 4:prog2:-v12:LANG=C.UTF-86:TZ=UTC5:A=x=y7:PATH=/p14:HOME=/dev/null"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct pingo__buffer name = {0};
        snprintf(text, sizeof text,
                 "{\"name\": \"w\", \"actions\": [{\"id\": 1, \"name\": \"n\", \"type\": "
                 "\"command-line\", \"command\": \"x\", \"env\": %s, \"versions\": [[\"prog\", "
                 "\"-v\"]]}]}",
                 rows[i].env);
        struct pingo_workflow *workflow = parse_in(text, "/");
        const struct pingo_action *action = pingo_workflow_action(workflow, 0);
        pingo__digest_version_name(&name, action, &action->more->versions[0]);
        assert_string_equal(pingo__buffer_cstr(&name), rows[i].name);
        pingo__buffer_clear(&name);
        pingo_workflow_free(workflow);
    }
}

static void test_version__refuses_names_that_are_none(void **state)
{
    static const char *const names[] = {"",
                                        "x",
                                        "1",
                                        "0 ",
                                        "0 1:a",
                                        "1 ",
                                        "2 1:a",
                                        "1 1",
                                        "1 1a",
                                        "1 :a",
                                        "1 2:a",
                                        "1 -1:a",
                                        "1 +1:a",
                                        "1 1:a1:b2:",
                                        "99999999999999999999 1:a",
                                        "1 99999999999999999999:a"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct pingo__digest_original version;
        if (ask(&version, names[i]) != PINGO_EINPUT)
            fail_msg("\"%s\" is taken", names[i]);
        assert_string_equal(error.message,
                            "a command of \"versions\" cannot be read back from the store");
        assert_int_equal(fake.runs, 0);
        clear(&version);
    }
}

/* ---- running ------------------------------------------------------------------------------------- */

static void test_version__runs_the_program_that_is_found(void **state)
{
    struct pingo__digest_original version;
    struct pingo_hash output, program;
    char asked[3 * PATH_MAX];
    (void)state;
    say("  \n prog 1.2\x01\xff\nand more\n", "aside");
    assert_int_equal(ask(&version, name_of("2 4:prog3:a b4:TZ=x")), 0);
    assert_int_equal(version.error, 0);
    snprintf(asked, sizeof asked, "%s\nprog\na b\nTZ=x\nPATH=%s\n", at("prog"), scratch);
    assert_string_equal(fake.asked, asked);
    assert_string_equal(version.path, at("prog"));
    assert_string_equal(version.text, "prog 1.2 ?"); /* the first line, readable */
    pingo__digest_sha256(fake.out, strlen(fake.out), &output);
    assert_true(same_hash(&version.hash, &output)); /* of every byte, of standard output alone */
    pingo__digest_sha256("a program", 9, &program);
    assert_true(same_hash(&version.program, &program));
    clear(&version);
    say("", "prog 3\n"); /* some tell it to standard error */
    assert_int_equal(ask(&version, name_of("1 4:prog")), 0);
    assert_string_equal(version.text, "prog 3");
    pingo__digest_sha256("prog 3\n", 7, &output);
    assert_true(same_hash(&version.hash, &output));
    clear(&version);
}

static void test_version__notes_that_there_is_no_program(void **state)
{
    struct pingo__digest_original version;
    char said[3 * PATH_MAX];
    (void)state;
    assert_int_equal(ask(&version, name_of("1 4:none")), 0);
    assert_int_equal(version.error, PINGO_EINPUT);
    snprintf(said, sizeof said, "none: there is no such executable on %s", scratch);
    assert_string_equal(version.message, said);
    clear(&version);
    assert_int_equal(ask(&version, "1 4:prog6:A=PATH"), 0); /* no PATH */
    assert_string_equal(version.message, "prog: there is no such executable on ");
    clear(&version);
    assert_int_equal(fake.runs, 0);
}

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static void test_version__says_how_it_failed(void **state)
{
    static const struct {
        int rc;
        enum pingo__program_reason reason;
        int number;
        const char *out, *errors, *said;
    } rows[] = {
        {0, PINGO__PROGRAM_EXITED, 0, "", "", "\"prog -v\" printed nothing"},
        {0, PINGO__PROGRAM_EXITED, 2, "x", "", "\"prog -v\" ended with exit status 2"},
        {0, PINGO__PROGRAM_EXITED, 2, "x", "no\tsuch\n option\n\n",
         "\"prog -v\" ended with exit status 2: no such  option"},
        {0, PINGO__PROGRAM_EXITED, 1, "", "x: Permission denied\n",
         "\"prog -v\" ended with exit status 1: x: Permission denied (it can write below its "
         "TMPDIR "
         "alone)"},
        {0, PINGO__PROGRAM_EXITED, 1, "", "12" HUNDRED HUNDRED HUNDRED,
         "\"prog -v\" ended with exit status 1: " HUNDRED HUNDRED HUNDRED},
        {0, PINGO__PROGRAM_EXITED, 1, "",
         "\xc3\xa9" HUNDRED HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN "012345678",
         "\"prog -v\" ended with exit status 1: " HUNDRED HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN
         "012345678"}, /* whole characters of its end */
        {0, PINGO__PROGRAM_SIGNALED, SIGSEGV, "x", "ouch",
         "\"prog -v\" was ended by signal 11: ouch"},
        {0, PINGO__PROGRAM_TIME_LIMIT, 0, "x", "", "\"prog -v\" did not end within 60 s"},
        {0, PINGO__PROGRAM_TOO_MUCH, 0, "x", "", "\"prog -v\" printed more than 1048576 bytes"},
        {-ENOEXEC, PINGO__PROGRAM_EXITED, 0, "", "", "\"prog -v\" cannot be run: Exec format error"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__digest_original version;
        say(rows[i].out, rows[i].errors);
        fake.rc = rows[i].rc;
        fake.end.reason = rows[i].reason;
        fake.end.number = rows[i].number;
        assert_int_equal(ask(&version, name_of("2 4:prog2:-v")), PINGO_EINPUT);
        assert_string_equal(error.message, rows[i].said);
        assert_null(version.text);
        clear(&version);
    }
    say("", "");
    fake.rc = -ENOMEM;
    struct pingo__digest_original version;
    assert_int_equal(ask(&version, name_of("1 4:prog")), PINGO_ENOMEM);
    clear(&version);
}

/* Commands of many words are shown by their beginning, whole characters, and never as if that were all. */
static void test_version__shows_the_beginning_of_long_commands(void **state)
{
    static const struct {
        const char *name, *shown;
    } rows[] = {
        {"2 4:prog114:" HUNDRED TEN "0123", "prog " HUNDRED TEN "0123"}, /* just fits */
        {"3 4:prog114:" HUNDRED TEN "01231:x", "prog " HUNDRED TEN "0..."},
        {"2 4:prog115:" HUNDRED TEN "01234", "prog " HUNDRED TEN "0..."},
        {"2 4:prog116:" HUNDRED TEN "\xc3\xa9"
         "0123",
         "prog " HUNDRED TEN "..."},
        {"3 4:prog0:2:-v", "prog  -v"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pingo__digest_original version;
        char said[200];
        say("", "");
        assert_int_equal(ask(&version, name_of(rows[i].name)), PINGO_EINPUT);
        snprintf(said, sizeof said, "\"%s\" printed nothing", rows[i].shown);
        assert_string_equal(error.message, said);
        clear(&version);
    }
}

static int stop(void *context, uint64_t files, uint64_t bytes)
{
    (void)context;
    return files == 0 && bytes == 0; /* not while the program is hashed */
}

static void test_version__stops_when_told(void **state)
{
    static const struct pingo__digest_content_cache none = {.context = NULL};
    struct pingo__digest_content_options options = {.cache = &none, .progress = stop};
    struct pingo__digest_original version;
    (void)state;
    fake.asks_to_stop = true;
    assert_int_equal(ask_with(&version, name_of("1 4:prog"), &options), PINGO_EINTERRUPTED);
    assert_string_equal(error.message, "stopped while the versions were asked for");
    clear(&version);
}

/* ---- what is remembered ------------------------------------------------------------------------------ */

static struct {
    struct pingo_hash key, output;
    char text[64];
    bool full;
    int remembered;
} memory;

static bool find_version(void *context, const struct pingo_hash *key, struct pingo_hash *output,
                         char **text)
{
    (void)context;
    if (!memory.full || !same_hash(key, &memory.key))
        return false;
    *output = memory.output;
    *text = strdup(memory.text);
    return *text;
}

static void remember_version(void *context, const struct pingo_hash *key,
                             const struct pingo_hash *output, const char *text)
{
    (void)context;
    memory.key = *key;
    memory.output = *output;
    snprintf(memory.text, sizeof memory.text, "%s", text);
    memory.full = true;
    memory.remembered++;
}

static const char *installed_in =
    "/var/lib/dpkg/status";  /* where the system's packages changed last */
static int64_t installed_at; /* and when */

static int stat_of_system(void *context, int dir, const char *name, int flags, struct stat *st)
{
    int rc = pingo__world_real()->stat(context, dir, name, flags, st);
    if (strcmp(name, installed_in) == 0) {
        memset(st, 0, sizeof *st);
        st->st_mtim.tv_sec = installed_at;
        return 0;
    }
    return rc;
}

/* How often it is run when it is asked for. */
static int count_runs(const char *name)
{
    static const struct pingo__digest_content_cache cache = {.find_version = find_version,
                                                             .remember_version = remember_version};
    struct pingo__digest_content_options options = {.cache = &cache};
    struct pingo__digest_original version;
    int before = fake.runs;
    assert_int_equal(ask_with(&version, name, &options), 0);
    assert_string_equal(version.text, "1.2");
    assert_true(same_hash(&version.hash, &memory.output));
    clear(&version);
    return fake.runs - before;
}

static void test_version__is_asked_again_when_something_changed(void **state)
{
    (void)state;
    memset(&memory, 0, sizeof memory);
    fake.world.stat = stat_of_system;
    assert_int_equal(count_runs(name_of("1 4:prog")), 1);
    assert_int_equal(count_runs(name_of("1 4:prog")), 0);
    assert_int_equal(memory.remembered, 1);
    assert_int_equal(count_runs(name_of("2 4:prog2:-v")), 1); /* another command */
    assert_int_equal(count_runs(name_of("2 4:prog2:-v3:A=b")), 1);
    assert_int_equal(count_runs(name_of("2 4:prog2:-v3:A=b")), 0);
    put_file("prog", "A program"); /* another program */
    assert_int_equal(count_runs(name_of("2 4:prog2:-v3:A=b")), 1);
    installed_at++; /* other libraries */
    assert_int_equal(count_runs(name_of("2 4:prog2:-v3:A=b")), 1);
    assert_int_equal(count_runs(name_of("2 4:prog2:-v3:A=b")), 0);
    /* what failed is not remembered */
    say("", "");
    memory.full = false;
    memory.remembered = 0;
    struct pingo__digest_original version;
    static const struct pingo__digest_content_cache cache = {.find_version = find_version,
                                                             .remember_version = remember_version};
    struct pingo__digest_content_options options = {.cache = &cache};
    assert_int_equal(ask_with(&version, name_of("1 4:prog"), &options), PINGO_EINPUT);
    clear(&version);
    assert_int_equal(memory.remembered, 0);
}

static void test_version__sees_packages_of_the_system(void **state)
{
    static const char *const places[] = {"/etc/ld.so.cache", "/var/lib/dpkg/status",
                                         "/usr/lib",         "/usr/lib/R/library",
                                         "/usr/local/lib",   "/usr/local/lib/R/site-library"};
    (void)state;
    memset(&memory, 0, sizeof memory);
    fake.world.stat = stat_of_system;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        installed_in = places[i];
        count_runs(name_of("1 4:prog"));
        assert_int_equal(count_runs(name_of("1 4:prog")), 0);
        installed_at++;
        assert_int_equal(count_runs(name_of("1 4:prog")), 1);
    }
}

/* Packages of Python lie beside the program: PREFIX/lib/pythonX of PREFIX/bin/prog. */
static void test_version__sees_packages_beside_the_program(void **state)
{
    char name[3 * PATH_MAX];
    (void)state;
    memset(&memory, 0, sizeof memory);
    put_dir("env");
    put_dir("env/bin");
    put_dir("env/lib");
    put_dir("env/lib/python3");
    put_dir("env/lib/python3/site-packages");
    put_file("env/bin/prog", "a program");
    assert_int_equal(chmod(at("env/bin/prog"), 0755), 0);
    snprintf(name, sizeof name, "1 4:prog%zu:PATH=%s", strlen(at("env/bin")) + 5, at("env/bin"));
    assert_int_equal(count_runs(name), 1);
    assert_int_equal(count_runs(name), 0);
    set_mtime("env/lib/python3/site-packages", INT64_C(1000000000)); /* something was installed */
    assert_int_equal(count_runs(name), 1);
    put_dir("env/conda-meta");
    assert_int_equal(count_runs(name), 1);
    assert_int_equal(count_runs(name), 0);
}

static int no_dir_open(void *context, int fd, struct pingo__dir **dir)
{
    (void)context;
    *dir = NULL;
    assert_int_equal(close(fd), 0); /* it is taken over */
    return -ENOMEM;
}

static int strict_close(void *context, int fd)
{
    assert_true(fcntl(fd, F_GETFD) >= 0); /* else it could be another thread's by now */
    return pingo__world_real()->close(context, fd);
}

static void test_version__closes_no_descriptor_twice(void **state)
{
    struct pingo__digest_original version;
    (void)state;
    fake.world.dir_open = no_dir_open;
    fake.world.close = strict_close;
    assert_int_equal(ask(&version, name_of("1 4:prog")), 0);
    clear(&version);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_version__has_command_and_environment_in_its_name, set_up),
        cmocka_unit_test_setup(test_version__refuses_names_that_are_none, set_up),
        cmocka_unit_test_setup(test_version__runs_the_program_that_is_found, set_up),
        cmocka_unit_test_setup(test_version__notes_that_there_is_no_program, set_up),
        cmocka_unit_test_setup(test_version__says_how_it_failed, set_up),
        cmocka_unit_test_setup(test_version__shows_the_beginning_of_long_commands, set_up),
        cmocka_unit_test_setup(test_version__stops_when_told, set_up),
        cmocka_unit_test_setup(test_version__is_asked_again_when_something_changed, set_up),
        cmocka_unit_test_setup(test_version__sees_packages_of_the_system, set_up),
        cmocka_unit_test_setup(test_version__sees_packages_beside_the_program, set_up),
        cmocka_unit_test_setup(test_version__closes_no_descriptor_twice, set_up),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
