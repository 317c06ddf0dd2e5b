/* test_script.c - the script that repeats an attempt, which is run here, and what an attempt may read. */
#include "unit/engine/box.h"

/* A workflow of one action and what it reads: the output of another, a file and a file in a folder. */
#define REPEATED                                                                                   \
    W(A(1, "") ",{'id':2,'name':'two','type':'command-line','command':'cat in/p in/q in/s/t; echo" \
               " $V $PINGO_CPUS $PINGO_MEMORY_MB ${HOME##*/} >&2; ls -d $TMPDIR $HOME "            \
               ">../dirs','stdout':true,'env':{'V':'a \\'$b`c'},"                                  \
               "'parentActions':[{'id':1,'as':'p'}],'resources':{'cpus':3,'memoryMB':7},"          \
               "'inputs':[{'name':'q','path':'it`s'},{'name':'s/t','path':'it`s'}]}")

static void write_file(const struct box *b, const char *name, const char *text, mode_t mode)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", b->root, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void expect_file(const struct box *b, const char *name, const char *want)
{
    char path[200], text[200];

    snprintf(path, sizeof path, "%s/%s", b->root, name);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        fail_msg("%s: %s", path, strerror(errno));
    ssize_t n = read(fd, text, sizeof text - 1);
    assert_true(n >= 0);
    text[n] = '\0';
    close(fd);
    assert_string_equal(text, want);
}

static struct box *finished(void)
{
    struct box *b = box_new();

    write_file(b, "it`s", "an original\n", 0644);
    box_submit(b, REPEATED);
    box_finish_all(b);
    return b;
}

static void expect_error(struct box *b, int64_t workflow, const char *action, int rc,
                         const char *message)
{
    struct pingo_action_name of = {workflow, action};
    struct pingo_error err;
    char *script = (char *)b, **paths = (char **)b;

    assert_int_equal(pingo_store_script(b->store, &of, &script, &err), rc);
    assert_null(script);
    if (!strstr(err.message, message))
        fail_msg("%s: %s", message, err.message);
    assert_int_equal(pingo_store_readable(b->store, &of, &paths, &err), rc);
    assert_null(paths);
}

/* Runs it, by what follows sh. */
static int run(const struct box *b, const char *words)
{
    char command[400];

    snprintf(command, sizeof command, "cd %s && sh %s >said.out 2>said.err", b->root, words);
    return system(command);
}

static void test_script__repeats_the_attempt(void **state)
{
    struct box *b = finished();
    struct pingo_error err;
    char *script = NULL;

    UNUSED(state);
    well(pingo_store_script(b->store, &(struct pingo_action_name){1, "two"}, &script, &err), &err);
    write_file(b, "script", script, 0644);
    free(script);
    assert_int_equal(run(b, "-n script"), 0);
    assert_int_equal(run(b, "script again"), 0); /* the directory is made */
    expect_file(b, "again/work/output", "a1an original\nan original\n");
    char said[200];
    snprintf(said, sizeof said, "running in again/work\na \"$b`c 3 7 work\n");
    expect_file(b, "said.err", said);
    snprintf(said, sizeof said, "%s/again/tmp\n%s/again/work\n", b->root, b->root);
    expect_file(b, "again/dirs", said);            /* the command has absolute ones */
    assert_int_equal(run(b, "script again"), 256); /* nothing is done twice in one place */
    /* Before it stands what is given, as of env. */
    assert_int_equal(run(b, "-c 'mkdir other && exec sh script other echo instead'"),
                     0); /* one that is there will do */
    snprintf(said, sizeof said, "running in other/work\n");
    expect_file(b, "said.err", said);
    box_close(b);
}

static void test_script__of_what_cannot_be_repeated(void **state)
{
    struct box *b = finished();
    struct pingo_hash hash = box_hash(b, 1, 1);
    struct pingo_error err;

    UNUSED(state);
    expect_error(b, 1, "three", PINGO_ENOTFOUND, "three");
    expect_error(b, 2, "two", PINGO_ENOTFOUND, "2");
    box_submit(b, W("{'id':7,'name':'e','type':'external','description':'e'}"));
    expect_error(b, 2, "e", PINGO_ESTATE, "there is no command to repeat");
    well(pingo_store_remove(b->store, &hash, &err), &err);
    box_tick(b);
    expect_error(b, 1, "two", PINGO_ESTATE, "the input in/p is not in the pool now");
    box_close(b);
}

static bool has(char **paths, const char *end)
{
    for (; *paths; paths++) {
        size_t n = strlen(*paths), length = strlen(end);

        assert_int_equal(**paths, '/');
        if (n >= length && strcmp(*paths + n - length, end) == 0)
            return true;
    }
    return false;
}

static void test_script__what_it_may_read(void **state)
{
    struct box *b = finished();
    char path[200], **paths = NULL;
    struct pingo_error err;

    UNUSED(state);
    snprintf(path, sizeof path, "/etc:%s", b->dir);
    well(pingo_store_set(b->store, "sandbox.read", path, &err), &err);
    well(pingo_store_readable(b->store, &(struct pingo_action_name){1, "two"}, &paths, &err), &err);
    assert_true(has(paths, "/it`s"));
    assert_true(has(paths, "/etc"));
    assert_true(has(paths, "/.pingo"));
    assert_true(has(paths, "/usr"));
    size_t n = 0;
    for (char **p = paths; *p; p++)
        n += strstr(*p, "/.pingo/pool/") != NULL;
    assert_int_equal(n, 1); /* of the parent */
    free(paths);
    /* What is not there is told, all at once. */
    snprintf(path, sizeof path, "%s/it`s", b->root);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(
        pingo_store_readable(b->store, &(struct pingo_action_name){1, "two"}, &paths, &err),
        PINGO_EINPUT);
    assert_non_null(strstr(err.message, "of its inputs are not there: /"));
    assert_non_null(strstr(err.message, "it`s, /"));
    assert_null(paths);
    box_close(b);
}

static void test_script__tools_are_read(void **state)
{
    struct box *b = box_new();
    char path[200], text[700], **paths = NULL;
    struct pingo_error err;

    UNUSED(state);
    write_file(b, "tool", "#!/bin/sh\n", 0755);
    snprintf(text, sizeof text,
             W("{'id':1,'name':'one','type':'command-line','command':['tool'],'tools':['tool'],"
               "'env':{'PATH':'%s:/bin'}}"),
             b->root);
    box_submit(b, text);
    well(pingo_store_readable(b->store, &(struct pingo_action_name){1, "1"}, &paths, &err), &err);
    assert_true(has(paths, "/tool"));
    free(paths);
    /* One that is gone fails the command by itself. */
    snprintf(path, sizeof path, "%s/tool", b->root);
    assert_int_equal(unlink(path), 0);
    well(pingo_store_readable(b->store, &(struct pingo_action_name){1, "1"}, &paths, &err), &err);
    assert_false(has(paths, "/tool"));
    free(paths);
    box_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script__repeats_the_attempt),
        cmocka_unit_test(test_script__of_what_cannot_be_repeated),
        cmocka_unit_test(test_script__what_it_may_read),
        cmocka_unit_test(test_script__tools_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
